#!/usr/bin/env nextflow
// SPDX-License-Identifier: MIT
// FASTQ to VCF for the samples of a sheet, in one step per sample (--mode run) or stage by stage with calling divided
// by region (--mode stages). Both give the same BAM records and the same VCF body. With --cohort NAME each sample also gets a
// gVCF, and all samples together one VCF.

include { GANNET_INDEX } from './modules/gannet/index/main'
include { GANNET_RUN   } from './modules/gannet/run/main'
include { STAGES       } from './subworkflows/stages'
include { COHORT       } from './subworkflows/cohort'

def usage() {
    log.info """
    nextflow run workflows/main.nf --input samples.csv --reference ref.fa [--outdir results] [--mode run|stages] [--shard_mb 10]

    --input      CSV with the columns sample,fastq_1,fastq_2[,read_group]; a sample with several lanes has several rows
    --reference  FASTA (plain or bgzip)
    --targets    BED: call only here
    --mode       run: one step per sample (default); stages: align, then call by region in parallel
    --shard_mb   size of a region with --mode stages, in Mb (default ${params.shard_mb})
    --cohort     a name: write a gVCF for each sample, and cohort/NAME.vcf.gz of all samples together
    --joint      how the cohort is made: bcftools (default: each sample keeps its own genotypes) or gatk (GenotypeGVCFs)
    --gannet     the program (default: gannet on PATH)
    --gatk       the program, for --joint gatk (default: gatk on PATH)
    """.stripIndent()
}

// One row per lane; the lanes of a sample in the order of the sheet.
def read_sheet(sheet) {
    def folder = sheet.parent
    def rows = sheet.splitCsv(header: true, strip: true)
    def resolve = { name -> name ? (name.startsWith('/') || name.contains('://') ? file(name, checkIfExists: true) : file(folder.resolve(name), checkIfExists: true)) : null }
    def lanes = [:]
    rows.eachWithIndex { row, i ->
        if (!row.sample || !row.fastq_1) { error "${sheet}: row ${i + 1}: the columns sample and fastq_1 must not be empty" }
        if (!(row.sample ==~ /[A-Za-z0-9_.-]+/)) { error "${sheet}: row ${i + 1}: sample '${row.sample}' may hold letters, digits, '_', '.' and '-' only" }
        lanes.get(row.sample, []) << [resolve(row.fastq_1), resolve(row.fastq_2), row.read_group ?: '']
    }
    if (!lanes) { error "${sheet}: no samples" }
    return lanes.collect { sample, list ->
        [[id: sample, lanes: list.collect { [it[0].name, it[1]?.name, it[2]] }], list.collectMany { [it[0], it[1]] }.findAll { it != null }]
    }
}

workflow {
    if (params.help || !params.input || !params.reference) {
        usage()
        if (!params.help) { error 'both --input and --reference are needed' }
        return
    }
    if (!(params.mode in ['run', 'stages'])) { error "--mode is run or stages, not '${params.mode}'" }

    if (!(params.joint in ['bcftools', 'gatk'])) { error "--joint is bcftools or gatk, not '${params.joint}'" }
    if (params.cohort && !(params.cohort ==~ /[A-Za-z0-9_.-]+/)) { error "--cohort '${params.cohort}' may hold letters, digits, '_', '.' and '-' only" }

    reference = file(params.reference, checkIfExists: true)
    targets = params.targets ? file(params.targets, checkIfExists: true) : []
    samples = Channel.fromList(read_sheet(file(params.input, checkIfExists: true)))

    GANNET_INDEX(reference)
    indexed = GANNET_INDEX.out.index

    if (params.mode == 'run') {
        GANNET_RUN(samples, indexed, targets)
        gvcfs = GANNET_RUN.out.gvcf
    } else {
        STAGES(samples, indexed, targets)
        gvcfs = STAGES.out.gvcf
    }
    if (params.cohort) { COHORT(gvcfs, indexed) }
}
