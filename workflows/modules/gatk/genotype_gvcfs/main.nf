// SPDX-License-Identifier: MIT
// The gVCFs of several samples, written with --gvcf-dialect gatk, to one VCF with the genotypes that GATK gives them together.
process GATK_GENOTYPE_GVCFS {
    tag "${cohort}"
    label 'process_single'
    publishDir "${params.outdir}/cohort", mode: params.publish_mode

    input:
    tuple val(cohort), path(gvcfs), path(indexes)
    tuple path(fasta), path(fai), path(index)

    output:
    tuple val(cohort), path("${cohort}.vcf.gz"), path("${cohort}.vcf.gz.tbi"), emit: vcf

    script:
    def inputs = gvcfs.collect { "-V ${it}" }.join(' ')
    """
    samtools dict -o ${fasta.baseName}.dict ${fasta}
    ${params.gatk} CombineGVCFs -R ${fasta} ${inputs} -O combined.g.vcf.gz
    ${params.gatk} GenotypeGVCFs -R ${fasta} -V combined.g.vcf.gz -O ${cohort}.vcf.gz
    """

    stub:
    """
    touch ${cohort}.vcf.gz ${cohort}.vcf.gz.tbi
    """
}
