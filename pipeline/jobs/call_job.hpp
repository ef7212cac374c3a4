// SPDX-License-Identifier: MIT
// Provides `gannet call`: sorted alignments to variants.
#pragma once

#include "data/contig_classes.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/vcf/writer.hpp"
#include "ml/weights.hpp"
#include "pipeline/jobs/options.hpp"
#include "pipeline/jobs/ploidy.hpp"
#include "pipeline/jobs/sample.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/qc/variant_stats.hpp"
#include "pipeline/sorted_graph.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gannet::variants {
class ForcedAlleles;
class KnownIds;
class MissingAlleles;
}  // namespace gannet::variants

namespace gannet::pipeline {

/// Throws Error; on return the VCF and its index have their final names.
void run_call(const CallOptions& options);

/// Regions of --regions ("a:1-2,b" and repeated) and --regions-file (BED), and --targets; nothing given is an
/// empty set: everything. Variants are called where both hold. Windows are read where `windows` overlap.
struct CallScope {
    data::RegionSet windows;
    data::RegionSet targets;
    data::RegionSet
        block_bounds;     ///< --targets: reference blocks end at their edges, but not at those of --regions
    std::string contigs;  ///< for the header: which contigs, where --regions and --targets do not say
    bool given() const { return contigs.empty() && !windows.empty(); }  ///< by one of these options
};
/// `padding_bp`: each interval is extended by it on both sides, within its contig.
CallScope call_scope(const std::vector<std::string>& regions, const std::string& regions_file,
                     const std::string& targets, const data::Reference& reference, int64_t padding_bp = 0);
/// Limits a scope that nothing was given for to the primary contigs (all contigs, if `all`), where the
/// reference has others, and logs that.
void limit_to_primary(CallScope& scope, const data::Reference& reference, const data::ContigClasses& classes,
                      bool all);

/// A caller with its writers, to be plugged into a SortedGraphPlan.
class CallSink {
  public:
    CallSink(const std::string& output, std::shared_ptr<const data::Reference> reference,
             const variants::CallerParameters& parameters, const CallScope& scope, const SamplePloidy& ploidy,
             const MeasuredSample& measured, const std::string& sample, const std::string& command,
             std::shared_ptr<const ml::Model> model, const GvcfOptions& gvcf, const Session& session);
    ~CallSink();
    /// Before plug_into(): alleles that get a record in any case. Null: none.
    void set_forced_alleles(std::shared_ptr<const variants::ForcedAlleles> given);
    /// Before plug_into(): --dbsnp. Empty: none. Throws what IndexedSites::open throws.
    void set_known_variants(const std::string& dbsnp);
    /// Before plug_into(): counts what is written. Null: nothing does.
    void set_stats(qc::VariantStats* stats) { stats_ = stats; }
    /// Before plug_into(): is offered what the scorer saw of each record. Null: nobody.
    void set_views(variants::SiteViews* views) { caller_.set_views(views); }
    void plug_into(SortedGraphPlan& plan, const MemoryPlan& memory);
    void close();

  private:
    void write(std::span<const data::Variant> variants);
    void write_completed();

    std::shared_ptr<const data::Reference> reference_;
    data::RegionSet windows_;
    std::shared_ptr<const ml::Model> model_;  // null: no neural scorer
    variants::Caller caller_;
    data::vcf::HeaderFacts facts_;
    data::vcf::Writer writer_;
    GvcfOptions gvcf_;
    std::unique_ptr<data::vcf::Writer> gvcf_writer_;  // null: no gVCF
    data::RegionSet targets_;
    variants::PloidyMap ploidy_;
    std::shared_ptr<const variants::ForcedAlleles> given_;  // null: none
    std::unique_ptr<variants::MissingAlleles> missing_;     // null: no forced alleles
    qc::VariantStats* stats_ = nullptr;
    std::string dbsnp_;
    std::unique_ptr<variants::KnownIds> known_ids_;  // null: none
    std::vector<data::Variant> completed_;
    const Session& session_;
};

}  // namespace gannet::pipeline
