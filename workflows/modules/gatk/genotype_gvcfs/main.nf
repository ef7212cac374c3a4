// SPDX-License-Identifier: MIT
// The gVCFs of several samples, written with --gvcf-dialect gatk, to one VCF with the genotypes that GATK gives them together.
process GATK_GENOTYPE_GVCFS {
    tag "${cohort}"
    label 'process_single'

    input:
    tuple val(cohort), path(gvcfs), path(indexes)
    tuple path(fasta), path(beside), path(index)

    output:
    tuple val(cohort), path("${prefix}.vcf.gz"), path("${prefix}.vcf.gz.tbi"), emit: vcf
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: cohort
    def args = task.ext.args ?: ''
    def inputs = [gvcfs].flatten().collect { "-V ${it}" }.join(' ')
    """
    [ -e ${fasta}.fai ] || samtools faidx ${fasta}
    samtools dict -o ${fasta.name.replaceFirst(/(\.gz)?$/, '').replaceFirst(/\.[^.]*$/, '')}.dict ${fasta}
    ${params.gatk} CombineGVCFs -R ${fasta} ${inputs} -O combined.g.vcf.gz
    ${params.gatk} GenotypeGVCFs -R ${fasta} ${args} -V combined.g.vcf.gz -O ${prefix}.vcf.gz

    cat <<-END > versions.yml
    "${task.process}":
        gatk4: \$(${params.gatk} --version 2>/dev/null | sed -n 's/^.*(GATK) v//p')
        samtools: \$(samtools --version | head -n 1 | cut -d ' ' -f 2)
    END
    """

    stub:
    prefix = task.ext.prefix ?: cohort
    """
    touch ${prefix}.vcf.gz ${prefix}.vcf.gz.tbi versions.yml
    """
}
