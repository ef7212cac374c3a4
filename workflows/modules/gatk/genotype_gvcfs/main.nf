// SPDX-License-Identifier: MIT
// The gVCFs of several samples, written with --gvcf-dialect gatk, to one VCF with the genotypes that GATK gives them together.
process GATK_GENOTYPE_GVCFS {
    tag "${meta.id}"
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine in ['apptainer', 'singularity'] ?
        'https://depot.galaxyproject.org/singularity/gatk4:4.5.0.0--py36hdfd78af_0' : 'quay.io/biocontainers/gatk4:4.5.0.0--py36hdfd78af_0' }"

    input:
    tuple val(meta), path(gvcfs, stageAs: 'gvcfs/*'), path(indexes, stageAs: 'gvcfs/*')   // where no output has the name of one
    tuple path(fasta), path(beside), path(index)

    output:
    tuple val(meta), path("${prefix}.vcf.gz"), path("${prefix}.vcf.gz.tbi"), emit: vcf
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: meta.id
    def args = task.ext.args ?: ''
    def inputs = [gvcfs].flatten().collect { "-V ${it}" }.join(' ')
    """
    [ -e ${fasta}.fai ] || samtools faidx ${fasta}   # only an index that was moved has none beside it
    ${params.gatk} CreateSequenceDictionary -R ${fasta} -O ${fasta.name.replaceFirst(/(\.gz)?$/, '').replaceFirst(/\.[^.]*$/, '')}.dict
    mkdir combined
    ${params.gatk} CombineGVCFs -R ${fasta} ${inputs} -O combined/combined.g.vcf.gz
    ${params.gatk} GenotypeGVCFs -R ${fasta} ${args} -V combined/combined.g.vcf.gz -O ${prefix}.vcf.gz

    cat <<-END > versions.yml
    "${task.process}":
        gatk4: \$(${params.gatk} --version 2>/dev/null | sed -n 's/^.*(GATK) v//p')
    END
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.vcf.gz ${prefix}.vcf.gz.tbi versions.yml
    """
}
