// SPDX-License-Identifier: MIT
// The gVCFs of several samples to one VCF of the sites that any of them has.
process BCFTOOLS_MERGE_GVCFS {
    tag "${meta.id}"
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine in ['apptainer', 'singularity'] ?
        'https://depot.galaxyproject.org/singularity/bcftools:1.20--h8b25389_0' : 'quay.io/biocontainers/bcftools:1.20--h8b25389_0' }"

    input:
    tuple val(meta), path(gvcfs, stageAs: 'gvcfs/*'), path(indexes, stageAs: 'gvcfs/*')   // where no output has the name of one
    tuple path(fasta), path(beside), path(index)

    output:
    tuple val(meta), path("${prefix}.vcf.gz"), path("${prefix}.vcf.gz.tbi"), emit: vcf
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: meta.id
    def args = task.ext.args ?: ''
    def merge = gvcfs instanceof List && gvcfs.size() > 1 ? "bcftools merge --no-version -g ${fasta} ${args} ${gvcfs}" : "bcftools view --no-version ${gvcfs}"
    """
    set -o pipefail
    ${merge} \\
      | fill_unobserved \\
      | bcftools view --no-version --trim-alt-alleles --min-ac 1 -Oz -o ${prefix}.vcf.gz
    bcftools index -t ${prefix}.vcf.gz

    cat <<-END > versions.yml
    "${task.process}":
        bcftools: \$(bcftools --version | head -n 1 | cut -d ' ' -f 2)
    END
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.vcf.gz ${prefix}.vcf.gz.tbi versions.yml
    """
}
