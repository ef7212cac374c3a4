// SPDX-License-Identifier: MIT
// Provides the branches of an assembly graph and the search for its most probable paths.
#include "variants/alleles/assembly_paths.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/alleles.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace gannet::variants {

namespace {

// Of one search through a graph with many paths.
constexpr size_t k_max_steps = alleles_number("assembly_max_steps");

}  // namespace

/// Of bases_, a branch has those after its first ones up to the next fork.
void AssemblyPaths::add_branch(const AssemblyGraph& graph, int32_t node, Branch branch) {
    while (node != graph.sink) {
        const AssemblyNode& at = graph.nodes[static_cast<size_t>(node)];
        if (std::popcount(at.ways) != 1) break;
        const auto base = static_cast<size_t>(std::countr_zero(at.ways));
        bases_.push_back(static_cast<data::Base>(base));
        node = at.next[base];
    }
    branch.end = node;
    branch.last = static_cast<uint32_t>(bases_.size());
    branches_.push_back(branch);
}

/// In the order in which they are reached from the source, so that node numbers decide nothing.
void AssemblyPaths::find_branches(const AssemblyGraph& graph, size_t k) {
    branches_.clear();
    forks_.clear();
    fork_of_.assign(graph.nodes.size(), k_none);
    bases_.assign(graph.reference.begin(), graph.reference.begin() + static_cast<std::ptrdiff_t>(k));
    add_branch(graph, graph.source, {});
    for (size_t b = 0; b < branches_.size(); ++b) {
        const int32_t node = branches_[b].end;
        if (node == graph.sink) continue;
        int32_t& fork = fork_of_[static_cast<size_t>(node)];
        if (fork < 0) {
            fork = static_cast<int32_t>(forks_.size());
            Fork made;
            made.node = node;
            made.first = static_cast<uint32_t>(branches_.size());
            const AssemblyNode& at = graph.nodes[static_cast<size_t>(node)];
            for (size_t base = 0; base < 4; ++base) {
                if ((at.ways >> base & 1) == 0) continue;
                Branch branch;
                branch.first = static_cast<uint32_t>(bases_.size());
                branch.reads = std::max<uint64_t>(1, at.count[base]);
                bases_.push_back(static_cast<data::Base>(base));
                add_branch(graph, at.next[base], branch);
            }
            made.last = static_cast<uint32_t>(branches_.size());
            forks_.push_back(made);
        }
        branches_[b].fork = fork;
        ++forks_[static_cast<size_t>(fork)].arrivals;
    }
}

/// The branches that reads take one after another.
void AssemblyPaths::count_links(const AssemblyGraph& graph) {
    constexpr auto k_unknown = std::numeric_limits<uint32_t>::max();
    links_.clear();
    uint32_t before = k_unknown;
    for (size_t i = 0; i + 1 < graph.visits.size(); ++i) {
        const int32_t node = graph.visits[i];
        const int32_t next = graph.visits[i + 1];
        if (node == k_none || next == k_none) {
            before = k_unknown;
            continue;
        }
        const int32_t fork = fork_of_[static_cast<size_t>(node)];
        if (fork < 0) continue;
        const Fork& at = forks_[static_cast<size_t>(fork)];
        uint32_t taken = at.first;
        while (taken < at.last &&
               graph.nodes[static_cast<size_t>(node)].next[bases_[branches_[taken].first]] != next)
            ++taken;
        if (taken == at.last) taken = k_unknown;  // an error of the read
        // After an error within a branch a read may come back at another fork.
        if (before != k_unknown && taken != k_unknown && branches_[before].fork == fork)
            links_.push_back({before, taken});
        before = taken;
    }
    std::sort(links_.begin(), links_.end());
}

/// False if there is a cycle.
bool AssemblyPaths::order_forks() {
    order_.clear();
    const auto arrive = [&](const Branch& branch) {
        if (branch.fork != k_none && --forks_[static_cast<size_t>(branch.fork)].arrivals == 0)
            order_.push_back(static_cast<uint32_t>(branch.fork));
    };
    arrive(branches_.front());
    for (size_t i = 0; i < order_.size(); ++i) {
        for (uint32_t b = forks_[order_[i]].first; b < forks_[order_[i]].last; ++b) arrive(branches_[b]);
    }
    return order_.size() == forks_.size();
}

/// log10 x 65536 of the probability of each branch of the fork at the end of this one.
std::array<int64_t, 4> AssemblyPaths::odds_after(uint32_t branch) const {
    const Fork& fork = forks_[static_cast<size_t>(branches_[branch].fork)];
    std::array<uint64_t, 4> linked{};
    uint64_t all_linked = 0;
    uint64_t all_reads = 0;
    auto link = std::lower_bound(links_.begin(), links_.end(), Link{branch, 0});
    for (; link != links_.end() && link->from == branch; ++link, ++all_linked)
        ++linked[link->to - fork.first];
    for (uint32_t b = fork.first; b < fork.last; ++b) all_reads += branches_[b].reads;
    std::array<int64_t, 4> odds{};
    for (uint32_t b = fork.first; b < fork.last; ++b)
        odds[b - fork.first] = log_of_ratio(linked[b - fork.first] * all_reads + branches_[b].reads,
                                            (all_linked + 1) * all_reads);
    return odds;
}

/// From the sink backwards.
void AssemblyPaths::rate() {
    rest_.assign(branches_.size(), 0);
    const auto rate_branch = [&](uint32_t b) {
        if (branches_[b].fork == k_none) return;
        const Fork& fork = forks_[static_cast<size_t>(branches_[b].fork)];
        const std::array<int64_t, 4> odds = odds_after(b);
        rest_[b] = k_log_zero;
        for (uint32_t next = fork.first; next < fork.last; ++next)
            rest_[b] = std::max(rest_[b], odds[next - fork.first] + rest_[next]);
    };
    for (size_t i = order_.size(); i-- > 0;) {
        for (uint32_t b = forks_[order_[i]].first; b < forks_[order_[i]].last; ++b) rate_branch(b);
    }
    rate_branch(0);
}

void AssemblyPaths::push(uint32_t branch, int32_t before, int64_t so_far, size_t length_bp) {
    heap_.push_back({so_far + rest_[branch], static_cast<uint32_t>(partials_.size())});
    partials_.push_back(
        {so_far, branch, before, length_bp + branches_[branch].last - branches_[branch].first});
    std::push_heap(heap_.begin(), heap_.end());
}

void AssemblyPaths::write_path(uint32_t partial) {
    path_.clear();
    for (auto at = static_cast<int32_t>(partial); at >= 0; at = partials_[static_cast<size_t>(at)].before)
        path_.push_back(partials_[static_cast<size_t>(at)].branch);
    written_.clear();
    for (size_t i = path_.size(); i-- > 0;)
        written_.insert(written_.end(), bases_.begin() + branches_[path_[i]].first,
                        bases_.begin() + branches_[path_[i]].last);
}

bool AssemblyPaths::find(const AssemblyGraph& graph, size_t k, size_t longest_bp, size_t most,
                         std::vector<data::Base>& haplotypes, std::vector<uint32_t>& offsets) {
    haplotypes.clear();
    offsets.assign(1, 0);
    find_branches(graph, k);
    if (!order_forks()) return false;
    count_links(graph);
    rate();
    partials_.clear();
    heap_.clear();
    push(0, k_none, 0, 0);
    while (!heap_.empty() && offsets.size() <= most && partials_.size() < k_max_steps) {
        std::pop_heap(heap_.begin(), heap_.end());
        const uint32_t index = heap_.back().partial;
        heap_.pop_back();
        const Partial at = partials_[index];
        if (at.length_bp > longest_bp) continue;
        if (branches_[at.branch].fork != k_none) {
            const Fork& fork = forks_[static_cast<size_t>(branches_[at.branch].fork)];
            const std::array<int64_t, 4> odds = odds_after(at.branch);
            for (uint32_t next = fork.first; next < fork.last; ++next)
                push(next, static_cast<int32_t>(index), at.so_far + odds[next - fork.first], at.length_bp);
            continue;
        }
        write_path(index);
        if (std::equal(written_.begin(), written_.end(), graph.reference.begin(), graph.reference.end()))
            continue;
        haplotypes.insert(haplotypes.end(), written_.begin(), written_.end());
        offsets.push_back(static_cast<uint32_t>(haplotypes.size()));
    }
    return true;
}

}  // namespace gannet::variants
