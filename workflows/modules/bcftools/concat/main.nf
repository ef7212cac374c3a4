// SPDX-License-Identifier: MIT
// The shards of a sample, one after the other. Their headers are equal but for the file of regions, which the header of the whole leaves out.
process BCFTOOLS_CONCAT {
    tag "${meta.id}"
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine in ['apptainer', 'singularity'] ?
        'https://depot.galaxyproject.org/singularity/bcftools:1.20--h8b25389_0' : 'quay.io/biocontainers/bcftools:1.20--h8b25389_0' }"

    input:
    tuple val(meta), path(vcfs), path(indexes)
    val ending   // of the result: vcf.gz, or g.vcf.gz

    output:
    tuple val(meta), path("${prefix}.${ending}"), path("${prefix}.${ending}.tbi"), emit: vcf
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: meta.id
    def args = task.ext.args ?: ''
    def first = [vcfs].flatten()[0]
    """
    bcftools view --no-version -h ${first} | sed '/^##gannet/s/ --regions-file [^ ]*//' > header.txt
    mkdir joined   # no name of a sample is that of a file there
    bcftools concat --no-version ${args} -Oz -o joined/shards.${ending} ${vcfs}
    bcftools reheader -h header.txt -o ${prefix}.${ending} joined/shards.${ending}
    bcftools index -t ${prefix}.${ending}
    rm joined/shards.${ending}

    cat <<-END > versions.yml
    "${task.process}":
        bcftools: \$(bcftools --version | head -n 1 | cut -d ' ' -f 2)
    END
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.${ending} ${prefix}.${ending}.tbi versions.yml
    """
}
