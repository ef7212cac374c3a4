// SPDX-License-Identifier: MIT
// One page of the quality control of all samples, where there is a multiqc; elsewhere nothing.
process MULTIQC {
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine in ['apptainer', 'singularity'] ?
        'https://depot.galaxyproject.org/singularity/multiqc:1.25.1--pyhdfd78af_0' : 'quay.io/biocontainers/multiqc:1.25.1--pyhdfd78af_0' }"

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
    # The page is a convenience: samples are not failed by it. (1.14 stops at insert sizes of a sample without pairs.)
    ${params.multiqc} --force ${prefix} ${title ? "--title '${title}'" : ''} ${args} . || { echo 'multiqc failed: no page of all samples' >&2; rm -rf *multiqc_report.html *_data; exit 0; }

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
