// SPDX-License-Identifier: MIT
// Provides the replay of two call sets along the reference by dynamic programming over pairs of haplotypes.
#include "variants/compare/matcher.hpp"

#include "data/sequence.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace gannet::variants::compare {
namespace {

enum Side : uint8_t { k_truth = 0, k_call = 1 };
constexpr int64_t k_chunk_bp = 64;
constexpr uint32_t k_no_trace = UINT32_MAX;

/// One haplotype as truth and calls state it, up to what they agree in.
struct Haplotype {
    std::array<int64_t, 2> end = {0, 0};            ///< reference consumed, by side
    std::array<bool, 2> inserted = {false, false};  ///< an insertion was laid at `end`: a second has no order
    Side ahead = k_truth;
    std::string tail;  ///< bases by which `ahead` is ahead

    bool in_step() const { return tail.empty() && end[0] == end[1]; }

    /// Appends bases to one side; false when the sides then differ.
    bool append(Side side, std::string_view bases) {
        if (tail.empty() || ahead == side) {
            ahead = side;
            tail.append(bases);
            return true;
        }
        const size_t shared = std::min(bases.size(), tail.size());
        for (size_t i = 0; i < shared; ++i) {
            if (bases[i] != tail[i] || bases[i] >= static_cast<char>(data::k_base_n)) {
                return false;
            }
        }
        if (bases.size() > tail.size()) {
            ahead = side;
            tail.assign(bases.substr(shared));
        } else {
            tail.erase(0, shared);
        }
        return true;
    }

    auto key() const { return std::tie(end, inserted, ahead, tail); }
};

struct State {
    std::array<Haplotype, 2> haplotypes;
    uint8_t used = 0;    ///< bit per side: atoms used since the sides were last in step
    uint64_t score = 0;  ///< atoms used << 32 | of them truth
    uint32_t trace = k_no_trace;

    bool in_step() const { return haplotypes[0].in_step() && haplotypes[1].in_step(); }
};

struct Trace {
    uint32_t before;
    uint32_t atom;
    Side side;
};

/// Replays one contig.
class Replay {
  public:
    Replay(const data::Reference& reference, uint32_t contig, MatchBy by)
        : reference_(reference), contig_(contig), by_(by), states_(1) {}

    /// Atoms come in the order of replay. `index` is what matched() reports back.
    void add(const Atom& atom, Side side, uint32_t index) {
        move_to(atom.begin);
        next_.clear();
        index_.clear();
        for (const State& state : states_) {
            keep(State(state));
            for (uint8_t mask = 1; mask < 4; ++mask) {
                const bool both = mask == 3;
                if (by_ == MatchBy::genotype && both != (atom.copies == 2)) {
                    continue;
                }
                lay(state, atom, side, mask, index);
            }
        }
        bound();
        states_.swap(next_);
    }

    /// Plays to the contig's end and settles what is open.
    void finish() {
        move_to(static_cast<int64_t>(reference_.contigs()[contig_].length));
        const State* best = nullptr;
        for (const State& state : states_) {
            if (state.in_step() && (best == nullptr || state.score > best->score)) {
                best = &state;
            }
        }
        if (best != nullptr) {
            settle(*best);
        }
    }

    const std::vector<std::pair<Side, uint32_t>>& matched() const { return matched_; }

  private:
    std::string_view fetch(int64_t begin, int64_t end) {
        std::array<data::Base, 2 * k_chunk_bp> codes;
        const auto size = static_cast<size_t>(end - begin);
        reference_.bases(contig_, begin, {codes.data(), size});
        chunk_.assign(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(size));
        return chunk_;
    }

    /// Lets one side of a haplotype follow the reference up to `to`.
    bool follow(Haplotype& haplotype, Side side, int64_t to) {
        while (haplotype.end[side] < to) {
            const int64_t begin = haplotype.end[side];
            const int64_t end = std::min(to, begin + k_chunk_bp);
            if (!haplotype.append(side, fetch(begin, end))) {
                return false;
            }
            haplotype.end[side] = end;
        }
        return true;
    }

    /// Lets both sides follow the reference up to `to`, in small steps, so that a state that is out of step
    /// dies early.
    bool advance(Haplotype& haplotype, int64_t to) {
        while (!haplotype.in_step() && std::min(haplotype.end[0], haplotype.end[1]) < to) {
            const auto [low, high] = std::minmax(haplotype.end[0], haplotype.end[1]);
            const int64_t target = std::min(to, low == high ? low + k_chunk_bp : high);
            if (!follow(haplotype, k_truth, target) || !follow(haplotype, k_call, target)) {
                return false;
            }
        }
        if (haplotype.in_step() && haplotype.end[0] < to) {
            haplotype.end = {to, to};
        }
        return true;
    }

    void move_to(int64_t position) {
        if (position == position_) {
            return;
        }
        position_ = position;
        next_.clear();
        index_.clear();
        for (State& state : states_) {
            state.haplotypes[0].inserted = state.haplotypes[1].inserted = {false, false};
            if (advance(state.haplotypes[0], position) && advance(state.haplotypes[1], position)) {
                keep(std::move(state));
            }
        }
        states_.swap(next_);
        if (states_.size() == 1) {
            settle(states_[0]);
            states_[0].trace = k_no_trace;
            states_[0].score = 0;
            trace_.clear();
        }
    }

    void lay(const State& from, const Atom& atom, Side side, uint8_t mask, uint32_t index) {
        for (uint8_t h = 0; h < 2; ++h) {
            const Haplotype& haplotype = from.haplotypes[h];
            const bool free =
                haplotype.end[side] <= atom.begin && !(atom.is_insertion() && haplotype.inserted[side]);
            if ((mask >> h & 1) != 0 && !free) {
                return;
            }
        }
        State state(from);
        for (uint8_t h = 0; h < 2; ++h) {
            if ((mask >> h & 1) == 0) {
                continue;
            }
            Haplotype& haplotype = state.haplotypes[h];
            if (!haplotype.append(side, atom.bases)) {
                return;
            }
            haplotype.end[side] = atom.end;
            haplotype.inserted[side] = atom.is_insertion();
        }
        state.used = static_cast<uint8_t>(state.used | 1U << side);
        state.score += (uint64_t{1} << 32) + (side == k_truth ? 1 : 0);
        trace_.push_back({state.trace, index, side});
        state.trace = static_cast<uint32_t>(trace_.size() - 1);
        keep(std::move(state));
    }

    /// Adds a state to `next_`, or merges it with its equal.
    void keep(State&& state) {
        if (state.in_step()) {
            if (state.used == 1 || state.used == 2) {
                return;  // one side's changes cancelled out: no match
            }
            state.used = 0;
        }
        for (Haplotype& haplotype : state.haplotypes) {
            if (haplotype.tail.empty()) {
                haplotype.ahead = k_truth;
            }
        }
        if (state.haplotypes[1].key() < state.haplotypes[0].key()) {
            std::swap(state.haplotypes[0], state.haplotypes[1]);
        }
        write_key(state);
        const auto [at, fresh] = index_.try_emplace(key_, next_.size());
        if (fresh) {
            next_.push_back(std::move(state));
        } else if (state.score > next_[at->second].score) {
            next_[at->second] = std::move(state);
        }
    }

    void write_key(const State& state) {
        key_.assign(1, static_cast<char>(state.used));
        for (const Haplotype& haplotype : state.haplotypes) {
            for (uint8_t side = 0; side < 2; ++side) {
                const int64_t end = haplotype.end[side];
                key_.append(reinterpret_cast<const char*>(&end), sizeof end);
                key_.push_back(static_cast<char>(haplotype.inserted[side]));
            }
            key_.push_back(static_cast<char>(haplotype.ahead));
            key_.append(haplotype.tail);
            key_.push_back('\x7f');
        }
    }

    /// Drops the worst states past the bound, but never the best one in step: it is where a later stretch
    /// begins.
    void bound() {
        if (next_.size() <= k_max_states) {
            return;
        }
        std::stable_sort(next_.begin(), next_.end(),
                         [](const State& a, const State& b) { return a.score > b.score; });
        const auto in_step =
            std::find_if(next_.begin(), next_.end(), [](const State& s) { return s.in_step(); });
        if (in_step != next_.end() && in_step >= next_.begin() + k_max_states) {
            std::iter_swap(next_.begin() + k_max_states - 1, in_step);
        }
        next_.resize(k_max_states);
    }

    void settle(const State& state) {
        for (uint32_t at = state.trace; at != k_no_trace; at = trace_[at].before) {
            matched_.emplace_back(trace_[at].side, trace_[at].atom);
        }
    }

    const data::Reference& reference_;
    uint32_t contig_;
    MatchBy by_;
    int64_t position_ = 0;
    std::vector<State> states_;
    std::vector<State> next_;
    std::unordered_map<std::string, size_t> index_;  // looked up only: its order reaches nothing
    std::vector<Trace> trace_;
    std::vector<std::pair<Side, uint32_t>> matched_;
    std::string chunk_;
    std::string key_;
};

bool& verdict(Atom& atom, MatchBy by) { return by == MatchBy::genotype ? atom.matched : atom.matched_allele; }

/// Matches what replay left over by equality of the normalised change.
void match_equal(CallSet& truth, CallSet& calls, MatchBy by) {
    const auto key = [](const Atom& atom) {
        return std::tuple(atom.contig, atom.normal_begin, atom.end - atom.begin,
                          std::string_view(atom.normal_bases));
    };
    const auto open = [&](CallSet& set) {
        std::vector<Atom*> atoms;
        for (Atom& atom : set.atoms) {
            if (!verdict(atom, by)) {
                atoms.push_back(&atom);
            }
        }
        std::sort(atoms.begin(), atoms.end(),
                  [&](const Atom* a, const Atom* b) { return key(*a) < key(*b); });
        return atoms;
    };
    const std::vector<Atom*> left = open(truth);
    const std::vector<Atom*> right = open(calls);
    for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
        if (key(*left[i]) < key(*right[j])) {
            ++i;
        } else if (key(*right[j]) < key(*left[i])) {
            ++j;
        } else {
            const bool equal = by == MatchBy::allele || left[i]->copies == right[j]->copies;
            verdict(*left[i++], by) |= equal;
            verdict(*right[j++], by) |= equal;
        }
    }
}

}  // namespace

void match(const data::Reference& reference, CallSet& truth, CallSet& calls, MatchBy by) {
    for (CallSet* set : {&truth, &calls}) {
        for (Atom& atom : set->atoms) {
            verdict(atom, by) = by == MatchBy::allele && atom.matched;
        }
    }
    const auto order = [](const Atom& atom) { return std::tuple(atom.contig, atom.begin, atom.end); };
    size_t i = 0;
    size_t j = 0;
    while (i < truth.atoms.size() || j < calls.atoms.size()) {
        const uint32_t contig = std::min(i < truth.atoms.size() ? truth.atoms[i].contig : UINT32_MAX,
                                         j < calls.atoms.size() ? calls.atoms[j].contig : UINT32_MAX);
        Replay replay(reference, contig, by);
        while (true) {
            const bool has_truth = i < truth.atoms.size() && truth.atoms[i].contig == contig;
            const bool has_call = j < calls.atoms.size() && calls.atoms[j].contig == contig;
            if (!has_truth && !has_call) {
                break;
            }
            if (has_truth && (!has_call || order(truth.atoms[i]) <= order(calls.atoms[j]))) {
                replay.add(truth.atoms[i], k_truth, static_cast<uint32_t>(i));
                ++i;
            } else {
                replay.add(calls.atoms[j], k_call, static_cast<uint32_t>(j));
                ++j;
            }
        }
        replay.finish();
        for (const auto& [side, atom] : replay.matched()) {
            verdict((side == k_truth ? truth : calls).atoms[atom], by) = true;
        }
    }
    match_equal(truth, calls, by);
}

}  // namespace gannet::variants::compare
