// SPDX-License-Identifier: MIT
// Align each sample, call it by region in parallel, and merge the calls in genome order.

include { GANNET_ALIGN    } from '../modules/gannet/align/main'
include { GANNET_CALL     } from '../modules/gannet/call/main'
include { BCFTOOLS_CONCAT } from '../modules/bcftools/concat/main'
include { BCFTOOLS_CONCAT as CONCAT_GVCFS } from '../modules/bcftools/concat/main'

// "chr20:1-10000000", ... in the order of the reference, from the .fai that the index step writes.
def regions_of(fai, shard_bp) {
    fai.readLines().collectMany { line ->
        def (name, length) = line.split('\t')[0..1]
        def size = length as long
        (0L..<size).step(shard_bp as int).collect { begin -> "${name}:${begin + 1}-${Math.min(begin + shard_bp, size)}" }
    }
}

// The files of each sample's shards in the order of the shards.
def in_order(files, counted) {
    files
        .combine(counted)
        .map { meta, shard, vcf, tbi, count -> [groupKey(meta, count as int), shard, vcf, tbi] }
        .groupTuple()
        .map { meta, shard, vcfs, tbis ->
            def order = (0..<shard.size()).toList().sort { shard[it] }
            [meta.getGroupTarget(), order.collect { vcfs[it] }, order.collect { tbis[it] }]
        }
}

workflow STAGES {
    take:
    samples   // [meta, fastqs]
    indexed   // [fasta, fai and friends, index]
    targets   // BED or []

    main:
    GANNET_ALIGN(samples, indexed)
    shard_bp = (params.shard_mb as double) * 1000000 as long
    shards = indexed
        .flatMap { fasta, fai, index -> regions_of(fai, shard_bp).withIndex().collect { region, i -> [i, region] } }
    counted = indexed.map { fasta, fai, index -> regions_of(fai, shard_bp).size() }

    GANNET_CALL(GANNET_ALIGN.out.bam.combine(shards), indexed, targets)
    BCFTOOLS_CONCAT(in_order(GANNET_CALL.out.vcf, counted), 'vcf.gz')
    CONCAT_GVCFS(in_order(GANNET_CALL.out.gvcf, counted), 'g.vcf.gz')

    emit:
    bam = GANNET_ALIGN.out.bam
    vcf = BCFTOOLS_CONCAT.out.vcf
    gvcf = CONCAT_GVCFS.out.vcf   // empty without --cohort
}
