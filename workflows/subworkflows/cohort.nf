// SPDX-License-Identifier: MIT
// One VCF of all samples from their gVCFs: genotyped together by gannet in shards of the reference, or by others in one step.

include { in_order             } from './shards'
include { GANNET_SCATTER       } from '../modules/gannet/scatter/main'
include { GANNET_JOINT         } from '../modules/gannet/joint/main'
include { BCFTOOLS_CONCAT      } from '../modules/bcftools/concat/main'
include { BCFTOOLS_MERGE_GVCFS } from '../modules/bcftools/merge_gvcfs/main'
include { GATK_GENOTYPE_GVCFS  } from '../modules/gatk/genotype_gvcfs/main'

workflow COHORT {
    take:
    gvcfs     // [meta, gVCF, index]
    indexed   // [fasta, files beside it, index]
    targets   // BED or []
    pedigree  // PED or []
    wanted    // names of the samples

    main:
    // In the order of the samples' names, so that the columns do not depend on which sample was ready first.
    together = gvcfs
        .toSortedList { a, b -> a[0].id <=> b[0].id }
        .flatMap { rows ->   // not filter: a value that it leaves out is waited for
            def missing = wanted - rows.collect { it[0].id }
            if (missing && !params.allow_missing_samples) {
                log.error "the cohort ${params.cohort} is not made, since these samples failed: ${missing.join(', ')} (--allow_missing_samples makes it of the others)"
            }
            rows && (!missing || params.allow_missing_samples) ? [[[id: params.cohort], rows.collect { it[1] }, rows.collect { it[2] }.flatten()]] : []
        }
    if (params.joint == 'gannet') {
        GANNET_SCATTER(indexed, targets, "--size ${params.joint_shard_mb}")
        shards = GANNET_SCATTER.out.shards.map { [it].flatten() }
        GANNET_JOINT(together.combine(shards.flatten()), indexed, pedigree)
        BCFTOOLS_CONCAT(in_order(GANNET_JOINT.out.vcf, shards.map { it.size() }), 'vcf.gz')
        vcf = BCFTOOLS_CONCAT.out.vcf
        versions = GANNET_SCATTER.out.versions.mix(GANNET_JOINT.out.versions, BCFTOOLS_CONCAT.out.versions)
    } else if (params.joint == 'gatk') {
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
