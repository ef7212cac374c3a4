// SPDX-License-Identifier: MIT
// The gVCFs of several samples to one VCF of the sites that any of them has.
process BCFTOOLS_MERGE_GVCFS {
    tag "${cohort}"
    label 'process_single'
    publishDir "${params.outdir}/cohort", mode: params.publish_mode

    input:
    tuple val(cohort), path(gvcfs), path(indexes)
    tuple path(fasta), path(fai), path(index)

    output:
    tuple val(cohort), path("${cohort}.vcf.gz"), path("${cohort}.vcf.gz.tbi"), emit: vcf

    script:
    """
    set -o pipefail
    bcftools merge --no-version -g ${fasta} -Ou ${gvcfs} \\
      | bcftools view --no-version --trim-alt-alleles --min-ac 1 -Oz -o ${cohort}.vcf.gz
    bcftools index -t ${cohort}.vcf.gz
    """

    stub:
    """
    touch ${cohort}.vcf.gz ${cohort}.vcf.gz.tbi
    """
}
