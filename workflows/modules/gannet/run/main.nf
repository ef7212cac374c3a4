// SPDX-License-Identifier: MIT
process GANNET_RUN {
    tag "${meta.id}"
    label 'process_align'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple val(meta), path(reads, stageAs: 'reads?/*')   // in folders of their own: two flow cells name their files alike
    tuple path(fasta), path(beside), path(index)
    path targets
    path ploidy

    output:
    tuple val(meta), path("${meta.id}.{bam,cram}"), path("${meta.id}.{bam.bai,bam.csi,cram.crai}"), emit: bam
    tuple val(meta), path("${meta.id}.vcf.gz"), path("${meta.id}.vcf.gz.*i"), emit: vcf
    tuple val(meta), path("${meta.id}.g.vcf.gz"), path("${meta.id}.g.vcf.gz.*i"), optional: true, emit: gvcf
    tuple val(meta), path("${meta.id}.duplicates.txt"), emit: metrics
    tuple val(meta), path("${meta.id}.{stats,flagstat,idxstats,insert_size_metrics,alignment_summary_metrics,wgs_metrics,hs_metrics,gc_bias.*,mosdepth.*,regions.bed.gz,bcftools_stats.txt,scorer_views.json,R*_fastqc.zip}"), optional: true, emit: qc
    tuple val(meta), path("${meta.id}.run.json"), emit: report
    tuple val(meta), path("${meta.id}.report.html"), optional: true, emit: html
    path 'versions.yml', emit: versions

    script:
    def args = task.ext.args ?: ''
    def kept = Options.kept(meta, params)
    def gvcf = params.cohort ? "--gvcf --gvcf-dialect ${params.joint == 'gatk' ? 'gatk' : 'vcf'}" : ''
    """
    ${kept ? "mkdir -p ${kept}" : ''}
    ${params.gannet} run ${fasta} --index ${index} ${Options.lanes(meta, reads)} --sample ${meta.id} ${args} \\
        ${Options.ploidy(meta, params, ploidy)} ${Options.resources(task, params, kept)} ${Options.devices(params)} ${targets ? "--targets ${targets}" : ''} \\
        ${params.strict ? '--strict' : ''} ${kept ? "-o ${kept} --checkpoint" : '-o .'} ${gvcf}
    ${kept ? "mv ${kept}/${meta.id}.* . && ${Options.leave(kept)}" : ''}

    cat <<-END > versions.yml
    "${task.process}":
        gannet: \$(${params.gannet} --version | cut -d ' ' -f 2)
    END
    """

    stub:
    """
    touch ${meta.id}.bam ${meta.id}.bam.bai ${meta.id}.vcf.gz ${meta.id}.vcf.gz.tbi ${meta.id}.duplicates.txt ${meta.id}.run.json versions.yml
    ${params.cohort ? "touch ${meta.id}.g.vcf.gz ${meta.id}.g.vcf.gz.tbi" : ''}
    """
}
