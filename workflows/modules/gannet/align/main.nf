// SPDX-License-Identifier: MIT
process GANNET_ALIGN {
    tag "${meta.id}"
    label 'process_align'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple val(meta), path(reads, stageAs: 'reads?/*')   // in folders of their own: two flow cells name their files alike
    tuple path(fasta), path(beside), path(index)
    path targets

    output:
    tuple val(meta), path("${prefix}.bam"), path("${prefix}.bam.*i"), emit: bam
    tuple val(meta), path("${prefix}.duplicates.txt"), emit: metrics
    tuple val(meta), path("${prefix}.{stats,flagstat,idxstats,insert_size_metrics,alignment_summary_metrics,wgs_metrics,hs_metrics,gc_bias.*,mosdepth.*,regions.bed.gz,R*_fastqc.zip}"), optional: true, emit: qc
    tuple val(meta), path("${prefix}.align.json"), emit: report
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: meta.id
    def args = task.ext.args ?: ''
    def kept = Options.kept(meta, params)
    """
    ${kept ? "mkdir -p ${kept}" : ''}
    ${params.gannet} align ${fasta} --index ${index} ${Options.lanes(meta, reads)} --sample ${meta.id} ${args} \\
        ${Options.resources(task, params, kept)} ${Options.devices(params)} ${targets ? "--targets ${targets}" : ''} ${params.strict ? '--strict' : ''} \\
        -o ${kept ?: '.'}/${prefix}.bam ${kept ? '--checkpoint' : ''} --metrics ${prefix}.duplicates.txt --qc ${prefix} --report ${prefix}.align.json
    ${kept ? "mv ${kept}/${prefix}.bam* . && ${Options.leave(kept)}" : ''}

    cat <<-END > versions.yml
    "${task.process}":
        gannet: \$(${params.gannet} --version | cut -d ' ' -f 2)
    END
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.bam ${prefix}.bam.bai ${prefix}.duplicates.txt versions.yml
    echo '{"counts":{},"parameters":{},"outputs":{},"inputs":[],"warnings":[]}' > ${prefix}.align.json
    """
}
