// SPDX-License-Identifier: MIT
// The report of a sample as HTML, from its finished files.
process GANNET_HTML {
    tag "${meta.id}"
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple val(meta), path(report), path(bam), path(bai), path(metrics), path(qc), path(vcf), path(tbi)

    output:
    tuple val(meta), path("${meta.id}.report.html"), emit: html

    script:
    def args = task.ext.args ?: ''
    """
    ${params.gannet} report ${report} ${args} -o ${meta.id}.report.html
    """

    stub:
    """
    touch ${meta.id}.report.html
    """
}
