// SPDX-License-Identifier: MIT
process GANNET_ALIGN {
    tag "${meta.id}"
    label 'process_align'
    publishDir "${params.outdir}/${meta.id}", mode: params.publish_mode

    input:
    tuple val(meta), path(fastqs)
    tuple path(fasta), path(fai), path(index)

    output:
    tuple val(meta), path("${meta.id}.bam"), path("${meta.id}.bam.*i"), emit: bam

    script:
    def lanes = meta.lanes.collect { "--lane '${it.findAll { part -> part }.join(',')}'" }.join(' ')
    """
    ${params.gannet} align ${fasta} ${lanes} --sample ${meta.id} -t ${task.cpus} -o ${meta.id}.bam ${task.ext.args ?: ''}
    """

    stub:
    """
    touch ${meta.id}.bam ${meta.id}.bam.bai
    """
}
