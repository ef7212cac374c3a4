// SPDX-License-Identifier: MIT
process GANNET_INDEX {
    tag "${fasta.name}"
    label 'process_index'

    input:
    path fasta

    output:
    tuple path(fasta, includeInputs: true), path("${fasta}.fai"), path("${fasta}.gannet"), emit: index

    script:
    """
    ${params.gannet} index -t ${task.cpus} ${fasta}
    """

    stub:
    """
    printf 'chr1\\t25000000\\t6\\t60\\t61\\n' > ${fasta}.fai
    touch ${fasta}.gannet
    """
}
