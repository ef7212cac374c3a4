// SPDX-License-Identifier: MIT
// Provides the labelling of candidates, cluster by cluster.
#include "variants/compare/labels.hpp"

#include "data/vcf/reader.hpp"
#include "variants/compare/matcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace gannet::variants::compare {

namespace {

bool is_same(const Atom& a, const Atom& b) {
    return a.normal_begin == b.normal_begin && a.end - a.begin == b.end - b.begin &&
           a.normal_bases == b.normal_bases;
}

/// Bases between two changes, in their written or their normal form, whichever are nearer.
int64_t distance(const Atom& a, const Atom& b) {
    const auto gap = [](int64_t a_begin, int64_t a_end, int64_t b_begin, int64_t b_end) {
        return std::max<int64_t>(0, std::max(a_begin, b_begin) - std::min(a_end, b_end));
    };
    const int64_t written = gap(a.begin, a.end, b.begin, b.end);
    const int64_t normal = gap(a.normal_begin, a.normal_begin + a.end - a.begin, b.normal_begin,
                               b.normal_begin + b.end - b.begin);
    return std::min(written, normal);
}

}  // namespace

Labeller::Labeller(const data::Reference& reference, const std::string& truth, Take take)
    : reference_(reference), take_(std::move(take)), has_truth_(!truth.empty()) {
    if (!has_truth_) return;
    data::vcf::Reader reader(truth, reference);
    CallSetBuilder builder(reference, {});
    data::vcf::Site site;
    while (reader.read(site)) builder.add(site);
    truth_ = builder.finish();
    for (const Atom& atom : truth_.atoms)
        longest_ = std::max({longest_, atom.end - atom.begin, atom.begin - atom.normal_begin});
}

void Labeller::add(uint32_t contig, int64_t begin, int64_t reference_length,
                   std::span<const data::Base> bases, uint8_t called) {
    const int64_t end = begin + reference_length;
    if (!cluster_.empty() &&
        (cluster_.front().atom.contig != contig || begin > cluster_end_ + 2 * k_label_reach_bp))
        close();
    Candidate candidate;
    candidate.atom.contig = contig;
    candidate.atom.begin = candidate.atom.normal_begin = begin;
    candidate.atom.end = end;
    candidate.atom.bases.assign(bases.begin(), bases.end());
    candidate.atom.normal_bases = candidate.atom.bases;
    candidate.atom.copies = std::max<uint8_t>(1, called);
    candidate.called = called;
    cluster_end_ = cluster_.empty() ? end : std::max(cluster_end_, end);
    cluster_.push_back(std::move(candidate));
}

void Labeller::finish() {
    if (!cluster_.empty()) close();
}

/// Atoms of the truth within reach of any candidate of the cluster.
void Labeller::find_truth() {
    near_.clear();
    near_index_.clear();
    const uint32_t contig = cluster_.front().atom.contig;
    int64_t begin = cluster_.front().atom.begin;
    for (const Candidate& candidate : cluster_) begin = std::min(begin, candidate.atom.begin);
    const int64_t reach = longest_ + k_label_reach_bp;
    const auto first = std::partition_point(truth_.atoms.begin(), truth_.atoms.end(), [&](const Atom& atom) {
        return std::tie(atom.contig, atom.begin) < std::tuple(contig, begin - reach);
    });
    for (auto atom = first;
         atom != truth_.atoms.end() && atom->contig == contig && atom->begin <= cluster_end_ + reach;
         ++atom) {
        const bool is_near = std::any_of(cluster_.begin(), cluster_.end(), [&](const Candidate& candidate) {
            return distance(candidate.atom, *atom) <= k_label_reach_bp;
        });
        if (!is_near) continue;
        near_.push_back(*atom);
        near_index_.push_back(static_cast<size_t>(atom - truth_.atoms.begin()));
    }
    explained_.assign(near_.size(), false);
}

/// True when every atom of the truth is a candidate.
bool Labeller::label_equal() {
    for (Candidate& candidate : cluster_) {
        for (size_t i = 0; i < near_.size(); ++i) {
            if (!is_same(candidate.atom, near_[i])) continue;
            candidate.label = near_[i].copies;
            explained_[i] = true;
        }
    }
    return std::find(explained_.begin(), explained_.end(), false) == explained_.end();
}

void Labeller::label_by_haplotypes() {
    CallSet truth, calls;
    truth.atoms = near_;
    std::vector<size_t> owners;
    for (size_t i = 0; i < cluster_.size(); ++i) {
        if (cluster_[i].called > 0) owners.push_back(i);
    }
    std::stable_sort(owners.begin(), owners.end(), [&](size_t a, size_t b) {
        const Atom& x = cluster_[a].atom;
        const Atom& y = cluster_[b].atom;
        return std::tie(x.begin, x.end, x.bases) < std::tie(y.begin, y.end, y.bases);
    });
    for (const size_t owner : owners) calls.atoms.push_back(cluster_[owner].atom);
    match(reference_, truth, calls, MatchBy::genotype);
    for (size_t i = 0; i < near_.size(); ++i) {
        if (truth.atoms[i].matched) explained_[i] = true;
    }
    for (size_t i = 0; i < owners.size(); ++i) {
        Candidate& candidate = cluster_[owners[i]];
        if (calls.atoms[i].matched && candidate.label == k_unknown_copies) candidate.label = candidate.called;
    }
}

void Labeller::close() {
    if (has_truth_) {
        find_truth();
        if (!label_equal()) label_by_haplotypes();
        for (Candidate& candidate : cluster_) {
            if (candidate.label != k_unknown_copies) continue;
            bool is_doubtful = false;
            for (size_t i = 0; i < near_.size(); ++i)
                is_doubtful |= !explained_[i] && distance(candidate.atom, near_[i]) <= k_label_reach_bp;
            if (!is_doubtful) candidate.label = 0;
        }
        for (size_t i = 0; i < near_.size(); ++i) truth_.atoms[near_index_[i]].matched |= explained_[i];
    }
    for (const Candidate& candidate : cluster_) take_(given_++, candidate.label);
    cluster_.clear();
}

Labeller::Missing Labeller::without_candidate(const data::RegionSet& targets) const {
    Missing missing;
    for (const Atom& atom : truth_.atoms) {
        if (atom.matched || (!targets.empty() && !targets.contains(atom.contig, atom.vcf_position())))
            continue;
        ++(atom.is_snp() ? missing.snp : missing.indel);
    }
    return missing;
}

}  // namespace gannet::variants::compare
