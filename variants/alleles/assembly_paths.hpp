// SPDX-License-Identifier: MIT
// Provides the most probable paths through the graph of a local assembly.
#pragma once

#include "data/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

/// A k-mer of the graph, and where the bases after it lead.
struct AssemblyNode {
    static constexpr int32_t k_none = -1;
    unsigned __int128 key = 0;  ///< a rolling hash, wide enough to identify the k-mer
    std::array<int32_t, 4> next{k_none, k_none, k_none, k_none};
    std::array<uint16_t, 4> count{};  ///< reads that have each base next
    int8_t reference_next = -1;       ///< the next base of the reference
    bool reaches_sink = false;
    uint8_t ways = 0;  ///< bit b: paths go on with base b
};

/// All of it must stay valid during AssemblyPaths::find(). From each node with ways every way leads to the
/// sink.
struct AssemblyGraph {
    std::span<const AssemblyNode> nodes;
    std::span<const int32_t>
        visits;  ///< the nodes of each read in order, AssemblyNode::k_none between two walks
    int32_t source = 0, sink = 0;
    std::span<const data::Base> reference;  ///< from the source's k-mer to that of the sink, both included
};

/// Lists paths from source to sink, the most probable one first, so that a variant is not lost where others
/// make many combinations. At a fork a path goes the way that the reads go: those of the reads which came by
/// the path's last branch, and one more read that stands for all at the fork, whatever way they came (a
/// Markov chain of second order over branches; Poplin et al. 2017 rank paths by the first order). So
/// haplotypes whose differences share reads come before their recombinations. Best first search with the
/// exact bound of what is left, so no more is looked at than the paths that are listed. Exact integers; equal
/// paths in the order of their bases. Scratch is kept.
class AssemblyPaths {
  public:
    /// Replaces `haplotypes` (bases one after another) and `offsets` (haplotypes + 1) by up to `most` paths
    /// of at most `longest_bp` bases, without the reference itself. False if a path has a cycle: nothing
    /// then.
    bool find(const AssemblyGraph& graph, size_t k, size_t longest_bp, size_t most,
              std::vector<data::Base>& haplotypes, std::vector<uint32_t>& offsets);

  private:
    static constexpr int32_t k_none = AssemblyNode::k_none;

    /// The bases from a fork, of which the first is the choice, to the next fork or the sink.
    struct Branch {
        int32_t end = k_none;          ///< node
        int32_t fork = k_none;         ///< at the end; k_none: the sink
        uint32_t first = 0, last = 0;  ///< of bases_
        uint64_t reads = 1;            ///< at least 1: the reference's way may have none
    };
    struct Fork {
        int32_t node = k_none;
        uint32_t first = 0, last = 0;  ///< of branches_
        uint32_t arrivals = 0;         ///< branches that end here
    };
    struct Link {
        uint32_t from = 0, to = 0;  ///< branches
        auto operator<=>(const Link&) const = default;
    };
    /// The begin of a path.
    struct Partial {
        int64_t so_far = 0;  ///< log10 x 65536
        uint32_t branch = 0;
        int32_t before = k_none;  ///< of partials_
        size_t length_bp = 0;
    };
    /// By the bound, then the order in which they were made.
    struct Candidate {
        int64_t bound = 0;  ///< log10 x 65536: of the most probable path that begins so
        uint32_t partial = 0;
        bool operator<(const Candidate& other) const {
            return bound != other.bound ? bound < other.bound : partial > other.partial;
        }
    };

    void find_branches(const AssemblyGraph& graph, size_t k);
    void add_branch(const AssemblyGraph& graph, int32_t node, Branch branch);
    void count_links(const AssemblyGraph& graph);
    bool order_forks();
    std::array<int64_t, 4> odds_after(uint32_t branch) const;
    void rate();
    void push(uint32_t branch, int32_t before, int64_t so_far, size_t length_bp);
    void write_path(uint32_t partial);

    std::vector<Branch> branches_;  // the first one begins at the source
    std::vector<Fork> forks_;
    std::vector<data::Base> bases_;
    std::vector<int32_t> fork_of_;  // of each node
    std::vector<Link> links_;       // sorted, one for each read
    std::vector<uint32_t> order_;   // of forks, each after those that lead to it
    std::vector<int64_t> rest_;     // of each branch: log10 x 65536 of the most probable way from its end on
    std::vector<Partial> partials_;
    std::vector<Candidate> heap_;
    std::vector<uint32_t> path_;  // branches, backwards
    std::vector<data::Base> written_;
};

}  // namespace gannet::variants
