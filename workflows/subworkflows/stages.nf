// SPDX-License-Identifier: MIT
// Align each sample, or take its alignments with --step variant_calling; call it in shards in parallel, and join the calls in genome order.

include { in_order        } from './shards'
include { GANNET_ALIGN    } from '../modules/gannet/align/main'
include { GANNET_SCATTER  } from '../modules/gannet/scatter/main'
include { GANNET_CALL     } from '../modules/gannet/call/main'
include { GANNET_REPORT   } from '../modules/gannet/report/main'
include { GANNET_HTML     } from '../modules/gannet/html/main'
include { BCFTOOLS_CONCAT } from '../modules/bcftools/concat/main'
include { BCFTOOLS_STATS  } from '../modules/bcftools/stats/main'
include { BCFTOOLS_CONCAT as CONCAT_GVCFS } from '../modules/bcftools/concat/main'

workflow STAGES {
    take:
    samples   // [meta, reads], or [meta, [alignments, index]]
    indexed   // [fasta, files beside it, index]
    targets   // BED or []
    ploidy    // file or []

    main:
    aligning = params.step == 'mapping'
    GANNET_ALIGN(aligning ? samples : Channel.empty(), indexed, targets)
    bam = aligning ? GANNET_ALIGN.out.bam : samples.map { meta, files -> [meta, *files] }
    reports = aligning ? GANNET_ALIGN.out.report : samples.map { meta, files -> [meta, []] }
    GANNET_SCATTER(indexed, targets, params.shards ? "--count ${params.shards}" : "--size ${params.shard_mb}")
    shards = GANNET_SCATTER.out.shards.map { [it].flatten() }
    counted = shards.map { it.size() }

    GANNET_CALL(bam.combine(shards.flatten()), indexed, targets, ploidy)
    BCFTOOLS_CONCAT(in_order(GANNET_CALL.out.vcf, counted), 'vcf.gz')
    BCFTOOLS_STATS(BCFTOOLS_CONCAT.out.vcf)
    CONCAT_GVCFS(in_order(GANNET_CALL.out.gvcf, counted), 'g.vcf.gz')
    outputs = (aligning ? [alignments: 'bam'] : [:]) + [variants: 'vcf.gz'] + (params.cohort ? [gVCF: 'g.vcf.gz'] : [:]) +
        (aligning ? ['duplicate metrics': 'duplicates.txt', 'quality control': '*', 'HTML report': 'report.html'] : [:]) + [report: 'run.json']
    GANNET_REPORT(reports.join(in_order(GANNET_CALL.out.report, counted)), outputs)
    // Of alignments that were given there is no quality control to show.
    GANNET_HTML(GANNET_REPORT.out.report.join(GANNET_ALIGN.out.bam).join(GANNET_ALIGN.out.metrics).join(GANNET_ALIGN.out.qc).join(BCFTOOLS_CONCAT.out.vcf))

    emit:
    bam
    vcf = BCFTOOLS_CONCAT.out.vcf
    gvcf = CONCAT_GVCFS.out.vcf   // empty without --cohort
    metrics = GANNET_ALIGN.out.metrics.mix(GANNET_ALIGN.out.qc, BCFTOOLS_STATS.out.stats)   // of calls only with --step variant_calling
    versions = GANNET_ALIGN.out.versions.mix(GANNET_SCATTER.out.versions, GANNET_CALL.out.versions, BCFTOOLS_CONCAT.out.versions)
}
