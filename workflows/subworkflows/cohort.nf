// SPDX-License-Identifier: MIT
// One VCF of all samples from their gVCFs.

include { BCFTOOLS_MERGE_GVCFS } from '../modules/bcftools/merge_gvcfs/main'
include { GATK_GENOTYPE_GVCFS  } from '../modules/gatk/genotype_gvcfs/main'

workflow COHORT {
    take:
    gvcfs     // [meta, gVCF, index]
    indexed   // [fasta, files beside it, index]
    wanted    // names of the samples

    main:
    // In the order of the samples' names, so that the columns do not depend on which sample was ready first.
    together = gvcfs
        .toSortedList { a, b -> a[0].id <=> b[0].id }
        .filter { rows ->
            def missing = wanted - rows.collect { it[0].id }
            if (missing && !params.allow_missing_samples) {
                log.error "the cohort ${params.cohort} is not made, since these samples failed: ${missing.join(', ')} (--allow_missing_samples makes it of the others)"
            }
            rows && (!missing || params.allow_missing_samples)
        }
        .map { rows -> [params.cohort, rows.collect { it[1] }, rows.collect { it[2] }.flatten()] }
    if (params.joint == 'gatk') {
        GATK_GENOTYPE_GVCFS(together, indexed)
        vcf = GATK_GENOTYPE_GVCFS.out.vcf
        versions = GATK_GENOTYPE_GVCFS.out.versions
    } else {
        BCFTOOLS_MERGE_GVCFS(together, indexed)
        vcf = BCFTOOLS_MERGE_GVCFS.out.vcf
        versions = BCFTOOLS_MERGE_GVCFS.out.versions
    }

    emit:
    vcf
    versions
}
