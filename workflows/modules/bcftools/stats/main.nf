// SPDX-License-Identifier: MIT
// What `gannet run` counts of its calls by itself, of calls that were joined from shards.
process BCFTOOLS_STATS {
    tag "${meta.id}"
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine in ['apptainer', 'singularity'] ?
        'https://depot.galaxyproject.org/singularity/bcftools:1.20--h8b25389_0' : 'quay.io/biocontainers/bcftools:1.20--h8b25389_0' }"

    input:
    tuple val(meta), path(vcf), path(index)

    output:
    tuple val(meta), path("${prefix}.bcftools_stats.txt"), emit: stats
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: meta.id
    def args = task.ext.args ?: ''
    """
    bcftools stats -s - ${args} ${vcf} > ${prefix}.bcftools_stats.txt

    cat <<-END > versions.yml
    "${task.process}":
        bcftools: \$(bcftools --version | head -n 1 | cut -d ' ' -f 2)
    END
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.bcftools_stats.txt versions.yml
    """
}
