// SPDX-License-Identifier: MIT
// run.json of a sample from the reports of its alignment and of its shards: counts, parameters and outputs as `gannet run` has them.
process GANNET_REPORT {
    tag "${meta.id}"
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple val(meta), val(align), val(calls)   // they are read when the task is made: none is staged
    val outputs                               // [what: ending of the file]

    output:
    tuple val(meta), path("${meta.id}.run.json"), emit: report

    script:
    def text = Reports.merged(align, calls, outputs.collectEntries { what, ending -> [(what): "${meta.id}.${ending}"] })
    """
    cat > ${meta.id}.run.json <<'END_OF_REPORT'
    ${text}
    END_OF_REPORT
    """

    stub:
    """
    touch ${meta.id}.run.json
    """
}
