// SPDX-License-Identifier: MIT
process GANNET_INDEX {
    tag "${fasta.name}"
    label 'process_index'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple path(fasta), path(beside)

    output:
    tuple path(fasta, includeInputs: true), path("${fasta}.{fai,gzi,alt}", includeInputs: true), path("${fasta}.gannet"), emit: index
    path 'versions.yml', emit: versions

    script:
    def args = task.ext.args ?: ''
    """
    ${params.gannet} index ${args} -t ${task.cpus} ${fasta}

    cat <<-END > versions.yml
    "${task.process}":
        gannet: \$(${params.gannet} --version | cut -d ' ' -f 2)
    END
    """

    stub:
    """
    printf 'chr1\\t25000000\\t6\\t60\\t61\\n' > ${fasta}.fai
    touch ${fasta}.gannet versions.yml
    """
}
