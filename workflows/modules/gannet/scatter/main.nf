// SPDX-License-Identifier: MIT
// The shards of what gannet calls on this reference, in its order: one BED file each.
process GANNET_SCATTER {
    tag "${fasta.name}"
    label 'process_single'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple path(fasta), path(beside), path(index)
    path targets
    val size   // --count N or --size MB

    output:
    path 'shards/*-of-*.bed', emit: shards
    path 'versions.yml', emit: versions

    script:
    def args = task.ext.args ?: ''
    """
    ${params.gannet} scatter ${fasta} --index ${index} ${size} ${targets ? "--targets ${targets}" : ''} ${args} -o shards

    cat <<-END > versions.yml
    "${task.process}":
        gannet: \$(${params.gannet} --version | cut -d ' ' -f 2)
    END
    """

    stub:
    """
    mkdir shards && touch shards/0001-of-0002.bed shards/0002-of-0002.bed versions.yml
    """
}
