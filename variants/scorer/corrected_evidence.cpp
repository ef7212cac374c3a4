// SPDX-License-Identifier: MIT
// Provides the proportional fitting of the genotypes of a site to corrections of its alleles.
#include "variants/scorer/corrected_evidence.hpp"

#include "ml/example.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/scorer.hpp"

#include <algorithm>
#include <vector>

namespace gannet::variants {

namespace {

using ClassLogs = std::array<int64_t, k_copy_classes>;  ///< log10 by copy_class

constexpr int64_t k_min_log = ml::k_min_posterior;
/// Far more than alleles whose corrections agree need. Where they contradict each other (two copies of two
/// alleles) there is no limit to be reached, and the last allele has its way.
constexpr int k_fitting_rounds = scorer_number("corrections_rounds");

/// Log10 posteriors of the genotypes of a site, x 65536.
class GenotypeLogs {
  public:
    /// The normalised posteriors of the evidence, none below k_min_log.
    GenotypeLogs(const SiteEvidence& evidence, std::vector<int64_t>& logs)
        : alleles_(evidence.alleles), ploidy_(evidence.ploidy), logs_(logs) {
        visit([&](const Genotype& g, int64_t& log) { log += evidence.prior(g); });
        const size_t count = genotype_count(alleles_, ploidy_);
        int64_t total = logs_[0];
        for (size_t i = 1; i < count; ++i) total = log_add(total, logs_[i]);
        // An allele that no read shows has no prior.
        for (int64_t& log : logs_) log = std::max(log - total, k_min_log);
    }

    /// By the copies of an allele.
    ClassLogs copies_of(size_t allele) {
        ClassLogs sums;
        sums.fill(2 * k_min_log);
        std::array<bool, k_copy_classes> has_any{};
        visit([&](const Genotype& g, const int64_t& log) {
            const size_t c = copy_class(g.copies_of(allele), g.ploidy);
            sums[c] = has_any[c] ? log_add(sums[c], log) : log;
            has_any[c] = true;
        });
        return sums;
    }

    void add(size_t allele, const ClassLogs& change) {
        visit([&](const Genotype& g, int64_t& log) {
            log += change[copy_class(g.copies_of(allele), g.ploidy)];
        });
    }

    void take_prior(const SiteEvidence& evidence) {
        visit([&](const Genotype& g, int64_t& log) { log -= evidence.prior(g); });
    }

  private:
    template <class Visit>
    void visit(Visit act) {
        for_each_genotype(alleles_, ploidy_, [&](const Genotype& g) { act(g, logs_[genotype_index(g)]); });
    }

    size_t alleles_;
    size_t ploidy_;
    std::vector<int64_t>& logs_;
};

ClassLogs sum_of(const ClassLogs& logs, const CopyChange& change) {
    ClassLogs out;
    for (size_t c = 0; c < out.size(); ++c) out[c] = logs[c] + change[c];
    return out;
}

/// What is to be added to `logs` to have `wanted`, both up to a constant: relative to no copy.
ClassLogs difference(const ClassLogs& wanted, const ClassLogs& logs) {
    ClassLogs out;
    for (size_t c = 0; c < out.size(); ++c) out[c] = wanted[c] - logs[c];
    const int64_t none = out[0];
    for (int64_t& value : out) value -= none;
    return out;
}

struct Wanted {
    size_t allele = 0;
    ClassLogs copies{};
};

void fit(GenotypeLogs& genotypes, std::span<const CopyChange> change) {
    std::vector<Wanted> wanted;
    for (size_t i = 1; i < change.size(); ++i) {
        if (change[i] != CopyChange{}) wanted.push_back({i, sum_of(genotypes.copies_of(i), change[i])});
    }
    if (wanted.size() == 1) {
        const CopyChange& only = change[wanted.front().allele];
        genotypes.add(wanted.front().allele, {only[0], only[1], only[2]});
        return;
    }
    for (int round = 0; round < k_fitting_rounds; ++round) {
        for (const Wanted& w : wanted)
            genotypes.add(w.allele, difference(w.copies, genotypes.copies_of(w.allele)));
    }
}

}  // namespace

void correct_evidence(const SiteEvidence& evidence, std::span<const CopyChange> change, SiteEvidence& out) {
    out = evidence;
    GenotypeLogs genotypes(evidence, out.genotypes);
    fit(genotypes, change);
    genotypes.take_prior(evidence);
}

}  // namespace gannet::variants
