// SPDX-License-Identifier: MIT
// One page of the quality control of all samples, where there is a multiqc; elsewhere nothing.
process MULTIQC {
    label 'process_single'
    conda "${moduleDir}/environment.yml"

    input:
    path '*'   // metrics of all samples
    val title

    output:
    path '*multiqc_report.html', optional: true, emit: html
    path '*_data', optional: true, emit: data
    path 'versions.yml', optional: true, emit: versions

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ? "--filename ${task.ext.prefix}_multiqc_report.html" : ''
    """
    command -v ${params.multiqc} > /dev/null || { echo 'there is no ${params.multiqc} here: no page of all samples'; exit 0; }
    ${params.multiqc} --force ${prefix} ${title ? "--title '${title}'" : ''} ${args} .

    cat <<-END > versions.yml
    "${task.process}":
        multiqc: \$(${params.multiqc} --version | sed 's/.* //')
    END
    """

    stub:
    """
    touch multiqc_report.html versions.yml
    """
}
