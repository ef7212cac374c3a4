// SPDX-License-Identifier: MIT
process BCFTOOLS_CONCAT {
    tag "${meta.id}"
    label 'process_single'
    publishDir "${params.outdir}/${meta.id}", mode: params.publish_mode

    input:
    tuple val(meta), path(vcfs), path(indexes)

    output:
    tuple val(meta), path("${meta.id}.vcf.gz"), path("${meta.id}.vcf.gz.tbi"), emit: vcf

    script:
    """
    bcftools concat --no-version -Oz -o ${meta.id}.vcf.gz ${vcfs}
    bcftools index -t ${meta.id}.vcf.gz
    """

    stub:
    """
    touch ${meta.id}.vcf.gz ${meta.id}.vcf.gz.tbi
    """
}
