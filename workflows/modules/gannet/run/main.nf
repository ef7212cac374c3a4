// SPDX-License-Identifier: MIT
process GANNET_RUN {
    tag "${meta.id}"
    label 'process_align'
    publishDir "${params.outdir}/${meta.id}", mode: params.publish_mode

    input:
    tuple val(meta), path(fastqs)
    tuple path(fasta), path(fai), path(index)
    path targets

    output:
    tuple val(meta), path("out/${meta.id}.bam"), path("out/${meta.id}.bam.*i"), emit: bam
    tuple val(meta), path("out/${meta.id}.vcf.gz"), path("out/${meta.id}.vcf.gz.*i"), emit: vcf
    tuple val(meta), path("out/${meta.id}.g.vcf.gz"), path("out/${meta.id}.g.vcf.gz.*i"), optional: true, emit: gvcf
    path "out/${meta.id}.duplicates.txt", emit: metrics
    path "out/${meta.id}.run.json", emit: report

    script:
    def lanes = meta.lanes.collect { "--lane '${it.findAll { part -> part }.join(',')}'" }.join(' ')
    def only = targets ? "--targets ${targets}" : ''
    def gvcf = params.cohort ? "--gvcf --gvcf-dialect ${params.joint == 'gatk' ? 'gatk' : 'vcf'}" : ''
    """
    ${params.gannet} run ${fasta} ${lanes} --sample ${meta.id} ${only} ${gvcf} -t ${task.cpus} -o out ${task.ext.args ?: ''}
    """

    stub:
    """
    mkdir out && cd out && touch ${meta.id}.bam ${meta.id}.bam.bai ${meta.id}.vcf.gz ${meta.id}.vcf.gz.tbi ${meta.id}.duplicates.txt ${meta.id}.run.json ${params.cohort ? "${meta.id}.g.vcf.gz ${meta.id}.g.vcf.gz.tbi" : ''}
    """
}
