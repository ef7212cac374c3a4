#!/usr/bin/env nextflow
// SPDX-License-Identifier: MIT
// FASTQ to VCF for the samples of a sheet, in one step per sample (--mode run) or stage by stage with calling divided
// into shards (--mode stages). Both give the same BAM records and the same VCF body. With --cohort NAME each sample also gets a
// gVCF, and all samples together one VCF.

include { GANNET_INDEX } from './modules/gannet/index/main'
include { GANNET_RUN   } from './modules/gannet/run/main'
include { STAGES       } from './subworkflows/stages'
include { COHORT       } from './subworkflows/cohort'
include { MULTIQC      } from './modules/multiqc/main'

def usage() {
    def lines = ['nextflow run workflows/main.nf --input samples.csv --reference ref.fa [--outdir results]']
    Checks.groups(file("${projectDir}/nextflow_schema.json")).each { title, entries ->
        lines << '' << "${title}:"
        entries.each { name, entry ->
            def now = params[name] in [null, false] || name == 'help' ? '' : " [${params[name]}]"
            lines << "  --${name.padRight(22)} ${entry.description}${now}${entry.enum ? ' (' + entry.enum.join(', ') + ')' : ''}"
        }
    }
    return lines.join('\n')
}

// [meta, files]: meta.lanes says of each lane how many of the files are its own, and its read group. What is wrong is added to `faults`.
def read_samples(faults) {
    def sheet = file(params.input)
    if (!sheet.exists()) {
        faults << "--input ${params.input}: there is no such file"
        return []
    }
    def resolve = { name -> file(name.startsWith('/') || name.contains('://') ? name : sheet.parent.resolve(name)) }
    def found = Checks.sheet(sheet, file("${projectDir}/assets/schema_input.json"), params.step, resolve) { name -> resolve(name).exists() }
    faults.addAll(found.faults)
    found.samples*.id.findAll { it in ['multiqc', 'pipeline_info'] }.each { faults << "${params.input}: a sample may not be called '${it}': that folder holds what is common to all samples" }
    if (params.cohort && found.samples.any { it.id == 'cohort' }) { faults << "${params.input}: a sample may not be called 'cohort' where --cohort is given: that folder holds the cohort" }
    return found.samples.collect { sample ->
        [[id: sample.id, sex: sample.sex ?: params.sex, lanes: sample.lanes.collect { [it.files.size(), it.read_group] }],
         sample.lanes.collectMany { it.files }]
    }
}

// [fasta, files beside it, index or null where it has to be built].
def reference_files() {
    def fasta = file(params.reference, checkIfExists: true)
    def beside = ['fai', 'gzi', 'alt'].collect { file("${fasta}.${it}") }.findAll { it.exists() }
    def index = params.index ? file(params.index, checkIfExists: true) : file("${fasta}.gannet")
    return [fasta, beside, index.exists() ? index : null]
}

workflow {
    if (params.help) {
        println usage()
        return
    }
    def faults = Checks.parameters(params, file("${projectDir}/nextflow_schema.json"))
    if (!params.input || !params.reference) { faults << 'both --input and --reference are needed (--help: all parameters)' }
    def profiles = workflow.profile.tokenize(',')
    if ((workflow.containerEngine || profiles.any { it in ['k8s', 'awsbatch'] }) && !params.container) { faults << "-profile ${workflow.profile} needs --container IMAGE, which holds gannet" }
    if ('awsbatch' in profiles && !(params.queue && params.aws_region)) { faults << '-profile awsbatch needs --queue and --aws_region' }
    if (params.pedigree && !params.cohort) { faults << '--pedigree needs --cohort NAME' }
    if (params.pedigree && params.joint != 'gannet') { faults << "--pedigree is for --joint gannet, not for --joint ${params.joint}" }
    rows = params.input instanceof CharSequence && params.step in ['mapping', 'variant_calling'] ? read_samples(faults) : []
    if (faults) { error faults.join('\n') }
    if (params.tmp && params.checkpoint) { log.warn '--tmp is not used by aligning: with --checkpoint its temporary files are in that folder, which all nodes share' }

    targets = params.targets ? file(params.targets, checkIfExists: true) : []
    ploidy = params.ploidy && !(params.ploidy.toString() in ['1', '2']) ? file(params.ploidy, checkIfExists: true) : []
    pedigree = params.pedigree ? file(params.pedigree, checkIfExists: true) : []
    samples = Channel.fromList(rows)
    (fasta, beside, index) = reference_files()
    if (index) {
        indexed = Channel.value([fasta, beside, index])
    } else {
        GANNET_INDEX([fasta, beside])
        indexed = GANNET_INDEX.out.index
    }

    if (params.mode == 'run' && params.step == 'mapping') {
        GANNET_RUN(samples, indexed, targets, ploidy)
        gvcfs = GANNET_RUN.out.gvcf
        metrics = GANNET_RUN.out.metrics.mix(GANNET_RUN.out.qc)
        versions = GANNET_RUN.out.versions
    } else {
        STAGES(samples, indexed, targets, ploidy)
        gvcfs = STAGES.out.gvcf
        metrics = STAGES.out.metrics
        versions = STAGES.out.versions
    }
    if (params.cohort) {
        COHORT(gvcfs, indexed, targets, pedigree, rows.collect { it[0].id })
        versions = versions.mix(COHORT.out.versions)
    }
    // flatMap, since a value that filter leaves out is waited for.
    MULTIQC(metrics.map { it[1] }.flatten().toSortedList { a, b -> a.name <=> b.name }.flatMap { it ? [it] : [] }, params.multiqc_title ?: '')
    versions.mix(MULTIQC.out.versions)
        .map { it.text }
        .unique()
        .collectFile(name: 'versions.yml', storeDir: "${params.outdir}/pipeline_info", sort: true)
}
