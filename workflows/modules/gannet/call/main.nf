// SPDX-License-Identifier: MIT
process GANNET_CALL {
    tag "${meta.id} ${shard.baseName}"
    label 'process_call'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple val(meta), path(bam), path(bai), path(shard)
    tuple path(fasta), path(beside), path(index)
    path targets
    path ploidy

    output:
    tuple val(meta), val(shard.name), path("${prefix}.vcf.gz"), path("${prefix}.vcf.gz.*i"), emit: vcf
    tuple val(meta), val(shard.name), path("${prefix}.g.vcf.gz"), path("${prefix}.g.vcf.gz.*i"), optional: true, emit: gvcf
    tuple val(meta), val(shard.name), path("${prefix}.call.json"), emit: report
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: "${meta.id}.${shard.baseName}"
    def args = task.ext.args ?: ''
    def dialect = params.joint == 'gatk' ? 'gatk' : 'vcf'
    """
    ${params.gannet} call ${fasta} ${bam} --index ${index} --sample ${meta.id} --regions-file ${shard} ${args} ${Options.ploidy(meta, params, ploidy)} \\
        ${Options.resources(task, params)} ${targets ? "--targets ${targets}" : ''} \\
        ${params.cohort ? "--gvcf ${prefix}.g.vcf.gz --gvcf-dialect ${dialect}" : ''} -o ${prefix}.vcf.gz --report ${prefix}.call.json

    cat <<-END > versions.yml
    "${task.process}":
        gannet: \$(${params.gannet} --version | cut -d ' ' -f 2)
    END
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}.${shard.baseName}"
    """
    touch ${prefix}.vcf.gz ${prefix}.vcf.gz.tbi versions.yml
    echo '{"counts":{},"parameters":{},"outputs":{},"inputs":[],"warnings":[]}' > ${prefix}.call.json
    ${params.cohort ? "touch ${prefix}.g.vcf.gz ${prefix}.g.vcf.gz.tbi" : ''}
    """
}
