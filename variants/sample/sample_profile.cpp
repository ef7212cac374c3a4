// SPDX-License-Identifier: MIT
// Provides the choice of the windows of a sample's profile, and the counting in them.
#include "variants/sample/sample_profile.hpp"

#include "variants/model/sample.hpp"
#include "variants/parameters.hpp"
#include "variants/sequence/base_differences.hpp"
#include "variants/sequence/read_decoding.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace gannet::variants {

namespace {

constexpr uint16_t k_unusable_flags = data::k_flag_unmapped | data::k_flag_secondary | data::k_flag_qc_fail |
                                      data::k_flag_duplicate | data::k_flag_supplementary;
constexpr uint8_t k_min_profile_mapping_quality = sample_number("profile_min_mapping_quality");
constexpr int64_t k_margin_bp = sample_number("profile_margin_bp");
// In a window; one with more (very deep, or of another species) gives its depths only.
constexpr size_t k_max_mismatches = sample_number("profile_max_mismatches");
// Of the reads over a place at most an eighth may be left out.
constexpr int32_t k_min_read_part = sample_number("profile_left_out_part");
// Of the usual depth: beyond it may be copies of elsewhere.
constexpr uint32_t k_max_depth_percent = sample_number("profile_max_depth_percent");

// Deep places that have two copies: windows with some, and SNVs in their bins.
constexpr int64_t k_min_enriched_windows = sample_number("enriched_min_windows");
constexpr int64_t k_min_balanced_for_one = sample_number("enriched_balanced_for_one");
constexpr int64_t k_bins_for_snv = sample_number("enriched_bins_for_snv");

// Windows that were sequenced: their depth, of that of the deep ones.
constexpr size_t k_max_usual_depth = sample_number("profile_max_usual_depth");
constexpr int64_t k_sequenced_part = sample_number("profile_sequenced_part");
constexpr size_t k_deep_percentile = sample_number("profile_deep_percentile");

// Copies of a contig: windows of those that have at least so much of the genome, and their depths.
constexpr int64_t k_contig_part = sample_number("contig_part");
constexpr int32_t k_contig_windows = sample_number("contig_windows");
constexpr size_t k_min_contig_windows = sample_number("contig_min_windows");
constexpr int32_t k_min_extra_percent = sample_number("contig_extra_percent");
constexpr size_t k_windows_below = sample_number("contig_extra_quartile");
constexpr int32_t k_copy_percent = sample_number("contig_copy_percent");
constexpr int32_t k_max_contig_copies = sample_number("contig_max_copies");

uint64_t mix(uint64_t value) {
    value ^= value >> 31;
    value *= 0x9e3779b97f4a7c15u;
    value ^= value >> 29;
    value *= 0xbf58476d1ce4e5b9u;
    return value ^ value >> 32;
}

struct RankedWindow {
    uint64_t key;
    data::Region region;
};

std::vector<data::Base> bases_of(const data::Reference& reference, const data::Region& window) {
    std::vector<data::Base> bases(static_cast<size_t>(window.end - window.begin));
    reference.bases(window.contig, window.begin, bases);
    return bases;
}

int64_t known_bases(const data::Reference& reference, const data::Region& window,
                    std::vector<data::Base>& bases) {
    bases.resize(static_cast<size_t>(window.end - window.begin));
    reference.bases(window.contig, window.begin, bases);
    return std::count_if(bases.begin(), bases.end(), [](data::Base base) { return base < 4; });
}

std::vector<data::Region> by_position(std::vector<data::Region> windows) {
    std::sort(windows.begin(), windows.end(), [](const data::Region& a, const data::Region& b) {
        return std::tie(a.contig, a.begin) < std::tie(b.contig, b.begin);
    });
    return windows;
}

/// Of a contig whose windows have these depths, in percent of the usual one.
uint8_t copies_of(std::vector<int32_t>& percents) {
    if (percents.size() < k_min_contig_windows) return 2;
    std::sort(percents.begin(), percents.end());
    if (percents[percents.size() / k_windows_below] < k_min_extra_percent) return 2;
    const int32_t copies = (percents[percents.size() / 2] + k_copy_percent / 2) / k_copy_percent;
    return copies > k_max_contig_copies ? 2 : static_cast<uint8_t>(std::max(copies, 2));
}

}  // namespace

ProfileWindows::ProfileWindows(const data::Reference& reference, const PloidyMap& ploidy)
    : reference_(reference) {
    std::vector<RankedWindow> ranked;
    for (uint32_t contig = 0; contig < reference.contigs().size(); ++contig) {
        const auto length = static_cast<int64_t>(reference.contigs()[contig].length);
        const uint64_t name = hash_name(reference.contigs()[contig].name);
        for (int64_t begin = 0; begin < length; begin += k_profile_window_bp) {
            const data::Region region{contig, begin, std::min(begin + k_profile_window_bp, length)};
            if (ploidy.at(contig, begin) != 2 || ploidy.at(contig, region.end - 1) != 2) continue;
            ranked.push_back({mix(name + static_cast<uint64_t>(begin)), region});
        }
    }
    std::sort(ranked.begin(), ranked.end(), [](const RankedWindow& a, const RankedWindow& b) {
        return std::tie(a.key, a.region.contig, a.region.begin) <
               std::tie(b.key, b.region.contig, b.region.begin);
    });
    ranked_.reserve(ranked.size());
    for (const RankedWindow& window : ranked) ranked_.push_back(window.region);
}

std::vector<data::Region> ProfileWindows::take(int64_t known_bp) {
    std::vector<data::Region> chosen;
    std::vector<data::Base> scratch;
    for (int64_t known = 0; next_ < ranked_.size() && known < known_bp; ++next_) {
        const int64_t bases = known_bases(reference_, ranked_[next_], scratch);
        if (bases == 0) continue;
        known += bases;
        chosen.push_back(ranked_[next_]);
    }
    return by_position(std::move(chosen));
}

std::vector<data::Region> ProfileWindows::take_of_contigs() {
    std::vector<int64_t> lengths(reference_.contigs().size(), 0);
    std::vector<int32_t> wanted(lengths.size(), 0);
    for (const data::Region& window : ranked_) lengths[window.contig] += window.end - window.begin;
    const int64_t all = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
    for (size_t contig = 0; contig < lengths.size(); ++contig)
        wanted[contig] = lengths[contig] * k_contig_part >= all ? k_contig_windows : 0;
    for (size_t i = 0; i < next_; ++i) --wanted[ranked_[i].contig];
    std::vector<data::Region> chosen;
    std::vector<data::Base> scratch;
    for (size_t i = next_; i < ranked_.size(); ++i) {
        int32_t& left = wanted[ranked_[i].contig];
        if (left <= 0 || known_bases(reference_, ranked_[i], scratch) == 0) continue;
        --left;
        chosen.push_back(ranked_[i]);
    }
    return by_position(std::move(chosen));
}

uint64_t SampleProfile::all_bases() const {
    uint64_t sum = 0;
    for (const uint64_t of_quality : bases) sum += of_quality;
    return sum;
}

void SampleProfile::add(const SampleProfile& other) {
    for (size_t q = 0; q < bases.size(); ++q) {
        bases[q] += other.bases[q];
        mismatches[q] += other.mismatches[q];
    }
    for (size_t change = 0; change < homozygous.size(); ++change) {
        for (size_t depth = 0; depth < homozygous[change].size(); ++depth) {
            for (size_t n = 0; n < homozygous[change][depth].size(); ++n)
                homozygous[change][depth][n] += other.homozygous[change][depth][n];
        }
    }
    changes.add(other.changes);
    unseen.add(other.unseen);
    reads.add(other.reads);
    depths.add(other.depths);
    stutter.add(other.stutter);
    errors.add(other.errors);
}

ProfileWindow::ProfileWindow(const data::Reference& reference, const data::Region& window,
                             const MappingScale& scale, const Primers& primers)
    : window_(window),
      scale_(&scale),
      primers_(&primers),
      counted_from_(window.begin == 0 ? 0 : window.begin + k_margin_bp),
      expected_(bases_of(reference, window)),
      depths_(expected_),
      stutter_(expected_, window.begin, counted_from_) {
    depth_.assign(expected_.size() + 1, 0);
    reverse_depth_.assign(expected_.size() + 1, 0);
    against_depth_.assign(expected_.size() + 1, 0);
    left_out_.assign(expected_.size() + 1, 0);
}

void ProfileWindow::add(const data::RecordView& record, uint16_t flags) {
    if ((flags & k_unusable_flags) != 0) return;
    reads_.count(record);
    if (scale_->of(record) >= CallerParameters().minimum_mapping_quality)
        depths_.add(record.position() - window_.begin, record.end_position() - window_.begin);
    const bool is_doubtful = scale_->of(record) < k_min_profile_mapping_quality ||
                             ((flags & data::k_flag_paired) != 0 && (flags & data::k_flag_proper_pair) == 0);
    if (!is_doubtful) stutter_.add(record);
    if (record.read_length() == 0 || record.qualities()[0] == 0xff) return;
    if (is_doubtful) {
        leave_out(record);
        return;
    }
    int64_t stop = window_.end;
    const bool mate_follows = (flags & data::k_flag_paired) != 0 && record.mate_contig() == record.contig() &&
                              record.mate_position() > record.position();
    if (mate_follows) stop = std::min<int64_t>(stop, record.mate_position());
    if (!add_matches(record, stop)) leave_out(record);
}

/// Notes where the record has aligned bases, or would have those that are clipped.
void ProfileWindow::leave_out(const data::RecordView& record) {
    int64_t begin = record.position();
    int64_t end = record.end_position();
    bool is_leading = true;
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const data::CigarOp op = data::cigar_op(record.cigar(i));
        if (data::cigar_consumes_reference(op)) is_leading = false;
        if (op != data::k_cigar_soft_clip) continue;
        const int64_t length = data::cigar_length(record.cigar(i));
        if (is_leading)
            begin -= length;
        else
            end += length;
    }
    begin = std::max(begin, window_.begin);
    end = std::min(end, window_.end);
    if (begin >= end) return;
    ++left_out_[static_cast<size_t>(begin - window_.begin)];
    --left_out_[static_cast<size_t>(end - window_.begin)];
}

/// False if the record has clips or gaps.
bool ProfileWindow::add_matches(const data::RecordView& record, int64_t stop) {
    const size_t length = record.read_length();
    uint64_t matches = 0;
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const data::CigarOp op = data::cigar_op(record.cigar(i));
        if (data::cigar_length(record.cigar(i)) == 0) continue;
        if (op != data::k_cigar_match && op != data::k_cigar_equal && op != data::k_cigar_diff) return false;
        matches += data::cigar_length(record.cigar(i));
    }
    if (matches != length) return false;
    const Primers::Borders inside = primers_->inside(
        window_.contig, {record.position(), record.position() + static_cast<int64_t>(length)});
    const int64_t from = std::max(inside.begin, counted_from_);
    const int64_t to = std::min(inside.end, stop);
    if (from >= to) return true;
    read_bases_.clear();
    append_bases(record, read_bases_);
    const auto qualities = record.qualities();
    read_qualities_.assign(qualities.begin(), qualities.end());
    count(static_cast<size_t>(from - record.position()), from, to,
          FragmentEnds::of(record.flag(), static_cast<int64_t>(length), record.template_length()));
    return true;
}

/// Counts reference bases [from, to), to which the bases of the read from `first` on are aligned.
void ProfileWindow::count(size_t first, int64_t from, int64_t to, const FragmentEnds& ends) {
    const auto at = static_cast<size_t>(from - window_.begin);
    const auto length = static_cast<size_t>(to - from);
    const bool is_against = is_against_mate_1(ends.is_reverse, ends.is_read2);
    corrections_.correct(ends, static_cast<int64_t>(first), std::span(expected_).subspan(at, length),
                         read_qualities_.data() + first);
    ++depth_[at];
    --depth_[at + length];
    if (ends.is_reverse) {
        ++reverse_depth_[at];
        --reverse_depth_[at + length];
    }
    if (is_against) {
        ++against_depth_[at];
        --against_depth_[at + length];
    }
    const data::Base* const bases = read_bases_.data() + first;
    const uint8_t* const qualities = read_qualities_.data() + first;
    const data::Base* const expected = expected_.data() + at;
    size_t counted = 0;
    for (; counted + 4 <= length; counted += 4) {
        ++bases_[0][qualities[counted]];
        ++bases_[1][qualities[counted + 1]];
        ++bases_[2][qualities[counted + 2]];
        ++bases_[3][qualities[counted + 3]];
    }
    for (; counted < length; ++counted) ++bases_[0][qualities[counted]];
    for_each_difference(bases, expected, length, [&](size_t i) {
        if (bases[i] > 3 || expected[i] > 3) {
            --bases_[0][qualities[i]];
            return;
        }
        if (mismatches_.size() <= k_max_mismatches)
            mismatches_.push_back({static_cast<uint32_t>(at + i), bases[i], qualities[i],
                                   static_cast<uint8_t>(ends.place_of(static_cast<int64_t>(first + i))),
                                   ends.is_reverse, is_against});
    });
}

data::Base ProfileWindow::Pile::most_base() const {
    return static_cast<data::Base>(std::max_element(others.begin(), others.end()) - others.begin());
}

uint32_t ProfileWindow::Pile::most() const { return others[most_base()]; }

/// Median over the positions that reads cover; `depth_` has been summed up.
uint32_t ProfileWindow::usual_depth() const {
    std::vector<uint32_t> positions(k_max_usual_depth + 1, 0);
    uint32_t covered = 0;
    for (size_t i = 0; i + 1 < depth_.size(); ++i) {
        if (depth_[i] <= 0) continue;
        ++positions[std::min(static_cast<size_t>(depth_[i]), positions.size() - 1)];
        ++covered;
    }
    uint32_t seen = 0;
    for (size_t depth = 1; depth < positions.size(); ++depth) {
        seen += positions[depth];
        if (covered > 0 && 2 * seen >= covered) return static_cast<uint32_t>(depth);
    }
    return 0;
}

/// Whether nearly all reads over the place count. Those of one haplotype may be left out for what it has
/// nearby, but for some, by where they begin and end, which are mostly of one strand.
bool ProfileWindow::has_most_reads(size_t place) const {
    return left_out_[place] * k_min_read_part <= depth_[place];
}

/// `of_place`: all mismatches of a place. Of the other bases the one on most fragments counts, those of a
/// quality that the caller does not use as little as those with a third base.
void ProfileWindow::count_errors(Mismatches of_place, SystematicErrorCounts& errors) const {
    const size_t position = of_place.front().position;
    if (position == 0 || position + 1 >= expected_.size() || !has_most_reads(position)) return;
    std::array<std::array<int32_t, 2>, 4> others{};
    StrandCounts counts;
    counts.reference = {depth_[position] - reverse_depth_[position], reverse_depth_[position]};
    for (const Mismatch& mismatch : of_place) {
        const size_t strand = mismatch.is_reverse ? 1 : 0;
        --counts.reference[strand];
        if (mismatch.quality >= CallerParameters().minimum_base_quality) ++others[mismatch.base][strand];
    }
    const auto most = std::max_element(
        others.begin(), others.end(), [](const auto& a, const auto& b) { return a[0] + a[1] < b[0] + b[1]; });
    counts.alternate = *most;
    const auto base = static_cast<data::Base>(most - others.begin());
    errors.add_place(counts, {expected_[position - 1] == base, expected_[position + 1] == base});
}

void ProfileWindow::count_places(uint32_t most_depth, SystematicErrorCounts& errors) const {
    std::array<uint64_t, SystematicErrorCounts::k_max_depth + 1> places{};
    for (size_t i = 0; i + 1 < depth_.size(); ++i) {
        const auto depth = static_cast<uint32_t>(std::max(0, depth_[i]));
        if (depth <= most_depth && depth < places.size() && has_most_reads(i)) ++places[depth];
    }
    for (uint32_t depth = 0; depth < places.size(); ++depth) errors.add_depth(depth, places[depth]);
}

void ProfileWindow::count_bases(BaseChangeCounts& changes, UnseenVariants& unseen) const {
    for (size_t i = 0; i < expected_.size(); ++i) {
        const data::Base base = expected_[i];
        if (base > 3) continue;
        unseen.add_depth(static_cast<size_t>(depth_[i]), 1);
        auto& bases = changes.places[0].bases;
        bases[base] += static_cast<uint64_t>(depth_[i] - against_depth_[i]);
        bases[data::complement(base)] += static_cast<uint64_t>(against_depth_[i]);
    }
    changes.add(corrections_);
}

void ProfileWindow::count_mismatches(Mismatches of_place, SampleProfile& profile) const {
    for (size_t i = 0; i < of_place.size(); ++i) {
        const auto& [position, base, quality, place, is_reverse, is_against] = of_place[i];
        if (quality < profile.mismatches.size()) ++profile.mismatches[quality];
        if (quality < k_min_change_quality) continue;
        uint64_t before = 0;
        for (const Mismatch& other : of_place.first(i))
            before += other.base == base && other.place == place && other.is_against_mate_1 == is_against;
        profile.changes.add_mismatch(place, in_direction_of_mate_1(expected_[position], is_against),
                                     in_direction_of_mate_1(base, is_against), before);
    }
}

void ProfileWindow::finish(SampleProfile& profile) {
    for (size_t i = 1; i < depth_.size(); ++i) {
        depth_[i] += depth_[i - 1];
        reverse_depth_[i] += reverse_depth_[i - 1];
        against_depth_[i] += against_depth_[i - 1];
        left_out_[i] += left_out_[i - 1];
    }
    profile.reads.add(reads_);
    stutter_.finish(profile.stutter);
    if (mismatches_.size() > k_max_mismatches) return;
    const uint32_t most_depth = usual_depth() * k_max_depth_percent / 100;
    count_places(most_depth, profile.errors);
    count_bases(profile.changes, profile.unseen);
    for (const auto& bases : bases_) {  // a single one may have wrapped below 0, the sum has not
        for (size_t q = 0; q < profile.bases.size(); ++q) profile.bases[q] += bases[q];
    }
    std::sort(mismatches_.begin(), mismatches_.end(),
              [](const Mismatch& a, const Mismatch& b) { return a.position < b.position; });
    for (size_t first = 0, last = 0; first < mismatches_.size(); first = last) {
        Pile pile;
        const uint32_t position = mismatches_[first].position;
        for (; last < mismatches_.size() && mismatches_[last].position == position; ++last) {
            ++pile.others[mismatches_[last].base];
            ++pile.other_sum;
        }
        pile.depth = static_cast<uint32_t>(depth_[position]);
        if (pile.depth <= most_depth)
            count_errors(Mismatches(mismatches_).subspan(first, last - first), profile.errors);
        const uint32_t most = pile.most();
        if (!is_apparent_variant(most, pile.depth)) {
            count_mismatches(Mismatches(mismatches_).subspan(first, last - first), profile);
            continue;
        }
        ++profile.unseen.apparent;
        // Of the two bases at a homozygous site; sequencing errors to the two others are left out. Where
        // many reads do not count, the other haplotype's may be among them.
        const uint32_t depth = pile.depth - (pile.other_sum - most);
        const uint32_t reference = pile.depth - pile.other_sum;
        if (reference * SampleProfile::k_reference_part > depth)
            depths_.add_snv(position, most, reference, has_most_reads(position));
        if (pile.depth > most_depth || depth < SampleProfile::k_min_depth ||
            depth > SampleProfile::k_max_depth)
            continue;
        if (reference * SampleProfile::k_reference_part <= depth && has_most_reads(position))
            ++profile.homozygous[change_class(pile.most_base(), expected_[position])][depth][reference];
    }
}

std::vector<uint8_t> contig_copies(std::span<const std::unique_ptr<ProfileWindow>> windows,
                                   const ExpectedDepth& depth) {
    std::vector<uint8_t> copies;
    if (!depth.is_known()) return copies;
    std::map<uint32_t, std::vector<int32_t>> by_contig;
    for (const auto& window : windows) {
        if (const int32_t percent = window->depths().relative_depth_percent(depth); percent > 0)
            by_contig[window->contig()].push_back(percent);
    }
    for (auto& [contig, percents] : by_contig) {
        const uint8_t of_contig = copies_of(percents);
        if (of_contig == 2) continue;
        copies.resize(contig + 1, 2);
        copies[contig] = of_contig;
    }
    return copies;
}

void judge_deep_places(std::span<const std::unique_ptr<ProfileWindow>> windows, ExpectedDepth& depth) {
    DeepBins sum;
    int64_t windows_with_two_copies = 0;
    for (const auto& window : windows) {
        const DeepBins deep = window->depths().deep(depth);
        sum.all += deep.all;
        sum.balanced += deep.balanced;
        sum.unbalanced += deep.unbalanced;
        windows_with_two_copies += deep.balanced > 0 ? 1 : 0;
    }
    if (sum.unbalanced > sum.balanced) depth.deviation_percent = 0;
    if (windows_with_two_copies < k_min_enriched_windows ||
        sum.unbalanced * k_min_balanced_for_one > sum.balanced ||
        (sum.balanced + sum.unbalanced) * k_bins_for_snv > sum.all)
        return;
    depth = {};
    depth.is_uneven = true;
    depth.is_enriched = true;
}

SampleProfile profile_of_windows(std::span<const std::unique_ptr<ProfileWindow>> windows) {
    std::vector<int64_t> means;
    for (const auto& window : windows) {
        if (window->depths().mean_depth() > 0) means.push_back(window->depths().mean_depth());
    }
    std::sort(means.begin(), means.end());
    const int64_t high = means.empty() ? 0 : means[(means.size() - 1) * k_deep_percentile / 100];
    SampleProfile profile;
    for (const auto& window : windows) {
        window->finish(profile);
        const DepthBins& depths = window->depths();
        if (high > 0 && depths.mean_depth() * k_sequenced_part >= high) depths.count(profile.depths);
    }
    return profile;
}

}  // namespace gannet::variants
