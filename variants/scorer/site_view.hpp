// SPDX-License-Identifier: MIT
// Provides what the scorer saw of a called site, and what came of it, as plain values.
#pragma once

#include "data/sequence.hpp"
#include "data/variant.hpp"
#include "ml/decision.hpp"
#include "ml/example.hpp"
#include "variants/scorer/example_batch.hpp"
#include "variants/scorer/site_scorer.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::variants {

/// An alternate allele of a site.
struct AlleleView {
    std::string reference, alternate;  ///< as a record of this allele alone has them
    /// What the decision depends on; empty where the caller's probability of a copy is below the model's
    /// minimum presence. What refers to the bases of a batch is zero.
    std::optional<ml::ExampleFacts> facts;
    std::optional<ml::Stratum> stratum;  ///< empty: the model names none for it
    // Where the network was asked, log10 x 65536 of 0, 1, 2 copies: its output, what of that counted, and the
    // posterior afterwards, in which the filters and the site's other alleles have their part.
    CopyLogs raw{};
    CopyLogs correction{};
    CopyLogs posterior{};
    // The example, as the network was given it.
    std::vector<uint8_t> site;  ///< ml::pileup::k_site_bytes
    std::vector<uint8_t> rows;  ///< reads x ml::pileup::k_row_bytes
};

struct SiteView {
    uint32_t contig = 0;
    int64_t position = 0;  ///< of the record, 0-based
    Asked asked = Asked::yes;
    Decided decided = Decided::caller;
    std::vector<AlleleView> alleles;  ///< alternates of the evidence but `*`, called or not
};

/// Chooses records, and takes their views. Called by the threads of the caller, by any of them at any time.
class SiteViews {
  public:
    virtual ~SiteViews() = default;
    /// Of a finished record. What is wanted where the network was not asked is wanted too where it was.
    virtual bool wants(const data::Variant& record, bool was_asked) = 0;
    virtual void take(const data::Variant& record, SiteView&& view) = 0;
};

/// What a view is made from, kept until the records of the window are finished.
struct SiteTrace {
    int64_t position = 0;  ///< of the record
    int32_t quality_centi = 0;
    Asked asked = Asked::yes;
    Decided decided = Decided::caller;
    std::vector<Allele> alleles;
    std::vector<ScoredAllele> candidates;
    uint32_t first_example = 0;
};

/// `arena`: of the alleles. `examples`, `outputs`: of the batch.
SiteView view_of(const CallModel& model, const ml::Decision& decision, const SiteTrace& trace,
                 uint32_t contig, const std::vector<data::Base>& arena, const ExampleBatch& examples,
                 std::span<const int32_t> outputs);

/// Offers the records of a window to `views`. Their sites are found among `traces` by position and, where
/// there are several, QUAL; a record without one was made since --alleles names it.
void offer_views(const CallModel& model, const ml::Decision& decision, std::span<const SiteTrace> traces,
                 const std::vector<data::Base>& arena, const ExampleBatch& examples,
                 std::span<const int32_t> outputs, std::span<const data::Variant> records, SiteViews& views);

}  // namespace gannet::variants
