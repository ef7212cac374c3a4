// SPDX-License-Identifier: MIT
process BCFTOOLS_CONCAT {
    tag "${meta.id}"
    label 'process_single'
    publishDir "${params.outdir}/${meta.id}", mode: params.publish_mode

    input:
    tuple val(meta), path(vcfs), path(indexes)
    val ending   // of the result: vcf.gz, or g.vcf.gz

    output:
    tuple val(meta), path("${meta.id}.${ending}"), path("${meta.id}.${ending}.tbi"), emit: vcf

    script:
    """
    bcftools concat --no-version -Oz -o ${meta.id}.${ending} ${vcfs}
    bcftools index -t ${meta.id}.${ending}
    """

    stub:
    """
    touch ${meta.id}.${ending} ${meta.id}.${ending}.tbi
    """
}
