// SPDX-License-Identifier: MIT
process GANNET_CALL {
    tag "${meta.id} ${region}"
    label 'process_call'

    input:
    tuple val(meta), path(bam), path(bai), val(shard), val(region)
    tuple path(fasta), path(fai), path(index)
    path targets

    output:
    tuple val(meta), val(shard), path("${meta.id}.${shard}.vcf.gz"), path("${meta.id}.${shard}.vcf.gz.*i"), emit: vcf
    tuple val(meta), val(shard), path("${meta.id}.${shard}.g.vcf.gz"), path("${meta.id}.${shard}.g.vcf.gz.*i"), optional: true, emit: gvcf

    script:
    def only = targets ? "--targets ${targets}" : ''
    def gvcf = params.cohort ? "--gvcf ${meta.id}.${shard}.g.vcf.gz --gvcf-dialect ${params.joint == 'gatk' ? 'gatk' : 'vcf'}" : ''
    """
    ${params.gannet} call ${fasta} ${bam} --regions '${region}' ${only} ${gvcf} -t ${task.cpus} -o ${meta.id}.${shard}.vcf.gz ${task.ext.args ?: ''}
    """

    stub:
    """
    touch ${meta.id}.${shard}.vcf.gz ${meta.id}.${shard}.vcf.gz.tbi
    ${params.cohort ? "touch ${meta.id}.${shard}.g.vcf.gz ${meta.id}.${shard}.g.vcf.gz.tbi" : ''}
    """
}
