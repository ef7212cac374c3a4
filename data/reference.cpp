// SPDX-License-Identifier: MIT
// Provides look-up in the packed reference genome.
#include "data/reference.hpp"

#include "data/base_arrays.hpp"

#include <algorithm>
#include <utility>

namespace gannet::data {

bool is_valid_contig_name(std::string_view name) {
    if (name.empty() || name.front() == '*' || name.front() == '=') return false;
    constexpr std::string_view k_forbidden = "\"'`()<>[]{}\\,";
    return std::all_of(name.begin(), name.end(), [k_forbidden](char letter) {
        return letter >= '!' && letter <= '~' && k_forbidden.find(letter) == std::string_view::npos;
    });
}

Reference::Reference(std::string path, std::vector<Contig> contigs, std::span<const uint64_t> packed,
                     std::span<const NonAcgtRun> runs, std::shared_ptr<const void> keep_alive)
    : path_(std::move(path)),
      contigs_(std::move(contigs)),
      packed_(packed),
      runs_(runs),
      keep_alive_(std::move(keep_alive)) {
    for (uint32_t i = 0; i < contigs_.size(); ++i) by_name_.emplace(contigs_[i].name, i);
}

std::optional<uint32_t> Reference::find(std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
}

void Reference::genome_bases(int64_t begin, std::span<Base> out) const {
    const auto size = static_cast<int64_t>(genome_size());
    const int64_t end = begin + static_cast<int64_t>(out.size());
    const int64_t from = std::clamp<int64_t>(begin, 0, size);
    const int64_t to = std::clamp<int64_t>(end, from, size);
    if (from != begin || to != end) std::fill(out.begin(), out.end(), k_base_n);
    unpack_bases(packed_, static_cast<uint64_t>(from), static_cast<size_t>(to - from),
                 out.data() + (from - begin));
    auto run = std::upper_bound(runs_.begin(), runs_.end(), static_cast<uint64_t>(from),
                                [](uint64_t position, const NonAcgtRun& r) { return position < r.end; });
    for (; run != runs_.end() && static_cast<int64_t>(run->begin) < to; ++run) {
        const int64_t a = std::max(from, static_cast<int64_t>(run->begin));
        const int64_t b = std::min(to, static_cast<int64_t>(run->end));
        std::fill(out.begin() + (a - begin), out.begin() + (b - begin), k_base_n);
    }
}

void Reference::bases(uint32_t contig, int64_t begin, std::span<Base> out) const {
    const Contig& c = contigs_[contig];
    const auto length = static_cast<int64_t>(c.length);
    const int64_t end = begin + static_cast<int64_t>(out.size());
    const int64_t from = std::clamp<int64_t>(begin, 0, length);
    const int64_t to = std::clamp<int64_t>(end, from, length);
    std::fill(out.begin(),
              out.begin() + (from - begin < 0 ? 0 : std::min<int64_t>(from - begin, std::ssize(out))),
              k_base_n);
    if (to > from) {
        genome_bases(static_cast<int64_t>(c.offset) + from,
                     out.subspan(static_cast<size_t>(from - begin), static_cast<size_t>(to - from)));
    }
    if (to < end) std::fill(out.begin() + std::max<int64_t>(0, to - begin), out.end(), k_base_n);
}

std::string Reference::letters(uint32_t contig, uint64_t begin, uint64_t end) const {
    std::vector<Base> codes(end - begin);
    bases(contig, static_cast<int64_t>(begin), codes);
    std::string text = to_letters(codes);
    const uint64_t from = contigs_[contig].offset + begin;
    const uint64_t to = contigs_[contig].offset + end;
    auto run = std::upper_bound(runs_.begin(), runs_.end(), from,
                                [](uint64_t position, const NonAcgtRun& r) { return position < r.end; });
    for (; run != runs_.end() && run->begin < to; ++run) {
        const uint64_t a = std::max(from, run->begin);
        const uint64_t b = std::min(to, run->end);
        std::fill(text.begin() + static_cast<int64_t>(a - from),
                  text.begin() + static_cast<int64_t>(b - from), run->letter);
    }
    return text;
}

uint32_t Reference::contig_of(uint64_t genome_position) const {
    const auto after =
        std::upper_bound(contigs_.begin(), contigs_.end(), genome_position,
                         [](uint64_t position, const Contig& c) { return position < c.offset; });
    return after == contigs_.begin() ? 0 : static_cast<uint32_t>(after - contigs_.begin() - 1);
}

}  // namespace gannet::data
