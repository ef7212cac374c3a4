// SPDX-License-Identifier: MIT
// The samples of a cohort genotyped together, in one shard of the reference or, without a shard, everywhere.
process GANNET_JOINT {
    tag "${meta.id}${shard ? ' ' + shard.baseName : ''}"
    label 'process_joint'
    conda "${moduleDir}/environment.yml"
    container params.container

    input:
    tuple val(meta), path(gvcfs, stageAs: 'gvcfs/*'), path(indexes, stageAs: 'gvcfs/*'), path(shard)   // shard: BED, or []
    tuple path(fasta), path(beside), path(index)
    path pedigree   // PED, or []

    output:
    tuple val(meta), val("${shard ? shard.name : ''}"), path("${prefix}.vcf.gz"), path("${prefix}.vcf.gz.*i"), emit: vcf
    path 'versions.yml', emit: versions

    script:
    prefix = task.ext.prefix ?: "${meta.id}${shard ? '.' + shard.baseName : ''}"
    def args = task.ext.args ?: ''
    // In a file, since a cohort may have more names than a command line holds.
    def listed = [gvcfs].flatten().join('\n')
    """
    cat > gvcfs.txt <<'END_OF_LIST'
    ${listed.replace('\n', '\n    ')}
    END_OF_LIST
    ${params.gannet} joint ${fasta} --index ${index} --list gvcfs.txt ${shard ? "--regions-file ${shard}" : ''} \\
        ${pedigree ? "--pedigree ${pedigree}" : ''} ${args} -t ${task.cpus} -o ${prefix}.vcf.gz

    cat <<-END > versions.yml
    "${task.process}":
        gannet: \$(${params.gannet} --version | cut -d ' ' -f 2)
    END
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}${shard ? '.' + shard.baseName : ''}"
    """
    touch ${prefix}.vcf.gz ${prefix}.vcf.gz.tbi versions.yml
    """
}
