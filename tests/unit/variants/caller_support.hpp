// SPDX-License-Identifier: MIT
// Provides small made-up samples for tests of the caller: a reference, two haplotypes, and aligned reads of
// them.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "ml/decision.hpp"
#include "variants/reads/windows.hpp"
#include "variants/sequence/allele.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gannet::variants::testing {

/// A model whose network counts everywhere, without first tier or prior.
inline ml::Decision trusted_everywhere(ml::Direction direction = ml::Direction::both) {
    ml::Decision decision;
    decision.settle_phred = 0;
    for (const bool is_indel : {false, true}) {
        for (size_t context = 0; context < ml::k_context_names.size(); ++context) {
            ml::Stratum stratum;
            stratum.is_indel = is_indel;
            stratum.context = static_cast<ml::Context>(context);
            stratum.direction = direction;
            decision.strata.push_back(stratum);
        }
    }
    return decision;
}

struct OwnedReference {
    std::vector<uint64_t> packed;
    std::vector<data::NonAcgtRun> runs;
};

/// A reference of one contig, "c".
inline std::shared_ptr<const data::Reference> make_reference(const std::string& letters) {
    auto owned = std::make_shared<OwnedReference>();
    owned->packed.assign(letters.size() / 32 + 8, 0);
    owned->runs.push_back({0, 64, 'N'});
    for (size_t i = 0; i < letters.size(); ++i) {
        const data::Base base = data::k_base_of_letter[static_cast<uint8_t>(letters[i])];
        if (base < 4)
            owned->packed[(i + 64) / 32] |= uint64_t{base} << ((i + 64) % 32 * 2);
        else
            owned->runs.push_back({i + 64, i + 65, 'N'});
    }
    std::vector<data::Contig> contigs{{"c", letters.size(), 64, ""}};
    return std::make_shared<data::Reference>("test.fa", std::move(contigs), owned->packed, owned->runs,
                                             owned);
}

inline std::string random_letters(std::mt19937_64& random, size_t length) {
    std::string letters(length, 'A');
    for (char& letter : letters) letter = "ACGT"[random() % 4];
    return letters;
}

/// A change as in a VCF: 0-based position, REF and ALT with the base before for indels.
struct Change {
    int64_t position;
    std::string reference;
    std::string alternate;
    bool on[2];  ///< which haplotypes have it
};

/// A haplotype's letters and the reference position of each (-1: inserted).
struct Haplotype {
    std::string letters;
    std::vector<int64_t> positions;
};

inline Haplotype make_haplotype(const std::string& reference, std::span<const Change> changes, int side) {
    Haplotype haplotype;
    int64_t at = 0;
    const auto copy_to = [&](int64_t end) {
        for (; at < end; ++at) {
            haplotype.letters += reference[static_cast<size_t>(at)];
            haplotype.positions.push_back(at);
        }
    };
    for (const Change& change : changes) {
        if (!change.on[side]) continue;
        copy_to(change.position);
        for (size_t i = 0; i < change.alternate.size(); ++i) {
            haplotype.letters += change.alternate[i];
            haplotype.positions.push_back(
                i < change.reference.size() ? change.position + static_cast<int64_t>(i) : -1);
        }
        at = change.position + static_cast<int64_t>(change.reference.size());
    }
    copy_to(static_cast<int64_t>(reference.size()));
    return haplotype;
}

struct ReadOptions {
    size_t length = 150;
    double depth = 30;
    double error = 0.003;
    int64_t clip_within = 6;  ///< an aligner cannot show a gap this near an end
    /// An aligner cannot show a longer gap: it aligns the longer of the parts beside it and clips the others.
    int64_t longest_gap = 10'000;
};

/// An aligned read, as true as an aligner could know.
struct SimulatedRead {
    int64_t position = 0;
    std::vector<uint32_t> cigar;
    std::string letters;
    std::string name;
    bool reverse = false;
    int mapping_quality = -1;  ///< -1: that of all reads
};

inline void push_cigar(std::vector<uint32_t>& cigar, data::CigarOp op, uint32_t length = 1) {
    if (length == 0) return;
    if (!cigar.empty() && data::cigar_op(cigar.back()) == op)
        cigar.back() += length << 4;
    else
        cigar.push_back(data::cigar_element(length, op));
}

/// Cuts [first, last) of a read to its longest part without an overlong gap. `position(i)`: of its letters.
template <class Position>
void clip_long_gaps(Position position, int64_t longest_gap, int64_t& first, int64_t& last) {
    int64_t best_begin = 0, best_end = 0, begin = 0;
    const auto end_part = [&](int64_t end) {
        if (end - begin > best_end - best_begin) best_begin = begin, best_end = end;
    };
    for (int64_t i = 1; i < last; ++i) {
        if (position(i) >= 0 && position(i - 1) >= 0) {
            if (position(i) - position(i - 1) <= longest_gap) continue;
            end_part(i);
            begin = i;
        } else if (position(i) < 0) {
            int64_t end = i;
            while (end < last && position(end) < 0) ++end;
            if (end - i <= longest_gap && end < last) continue;
            end_part(i);
            begin = i = end;
        }
    }
    end_part(last);
    first = std::max(first, best_begin);
    last = best_end;
}

/// The CIGAR of haplotype letters [begin, begin + length); ends that lie behind a gap too near are clipped.
inline SimulatedRead align_truly(const Haplotype& haplotype, size_t begin, const ReadOptions& options) {
    const auto length = static_cast<int64_t>(options.length);
    int64_t first = 0, last = length;  // the part that is aligned
    const auto position = [&](int64_t i) { return haplotype.positions[begin + static_cast<size_t>(i)]; };
    for (int64_t i = 1; i < length; ++i) {
        if (position(i) == position(i - 1) + 1 && position(i) >= 0) continue;
        if (i <= options.clip_within) first = i;
        if (i >= length - options.clip_within && last == length) last = i;
    }
    clip_long_gaps(position, options.longest_gap, first, last);
    while (first < last && position(first) < 0) ++first;
    while (last > first && position(last - 1) < 0) --last;
    SimulatedRead read;
    read.position = position(first);
    push_cigar(read.cigar, data::k_cigar_soft_clip, static_cast<uint32_t>(first));
    int64_t expected = read.position;
    for (int64_t i = first; i < last; ++i) {
        if (position(i) < 0) {
            push_cigar(read.cigar, data::k_cigar_insertion);
            continue;
        }
        if (position(i) > expected)
            push_cigar(read.cigar, data::k_cigar_deletion, static_cast<uint32_t>(position(i) - expected));
        push_cigar(read.cigar, data::k_cigar_match);
        expected = position(i) + 1;
    }
    push_cigar(read.cigar, data::k_cigar_soft_clip, static_cast<uint32_t>(length - last));
    read.letters = haplotype.letters.substr(begin, options.length);
    return read;
}

inline std::vector<SimulatedRead> simulate(std::mt19937_64& random, const std::string& reference,
                                           std::span<const Change> changes, const ReadOptions& options) {
    std::vector<SimulatedRead> reads;
    for (int side = 0; side < 2; ++side) {
        const Haplotype haplotype = make_haplotype(reference, changes, side);
        const auto count = static_cast<size_t>(options.depth / 2 * static_cast<double>(reference.size()) /
                                               static_cast<double>(options.length));
        for (size_t i = 0; i < count; ++i) {
            SimulatedRead read =
                align_truly(haplotype, random() % (haplotype.letters.size() - options.length), options);
            if (read.cigar.size() < 1 || read.position < 0) continue;
            for (char& letter : read.letters) {
                if (static_cast<double>(random() % 1'000'000) < options.error * 1e6)
                    letter = "ACGT"[random() % 4];
            }
            read.name = "r" + std::to_string(side) + "." + std::to_string(i);
            read.reverse = random() % 2 == 0;
            reads.push_back(std::move(read));
        }
    }
    std::stable_sort(reads.begin(), reads.end(),
                     [](const SimulatedRead& a, const SimulatedRead& b) { return a.position < b.position; });
    return reads;
}

/// The reads as sorted chunks of up to `per_chunk` records.
inline std::vector<std::shared_ptr<const RecordChunk>> make_chunks(std::span<const SimulatedRead> reads,
                                                                   size_t per_chunk, uint8_t quality = 35,
                                                                   uint8_t mapping_quality = 60) {
    std::vector<std::shared_ptr<const RecordChunk>> chunks;
    for (size_t first = 0; first < reads.size(); first += per_chunk) {
        data::RecordBatch batch;
        for (const SimulatedRead& read : reads.subspan(first, std::min(per_chunk, reads.size() - first))) {
            std::vector<data::Base> bases(read.letters.size());
            data::to_bases(read.letters, bases);
            const std::vector<uint8_t> qualities(bases.size(), quality);
            data::RecordFields fields;
            fields.contig = 0;
            fields.position = static_cast<int32_t>(read.position);
            fields.mapping_quality =
                read.mapping_quality < 0 ? mapping_quality : static_cast<uint8_t>(read.mapping_quality);
            fields.flag = read.reverse ? data::k_flag_reverse : 0;
            fields.name = read.name;
            fields.cigar = read.cigar;
            fields.bases = bases;
            fields.qualities = qualities;
            data::RecordAppender appender(batch, fields);
        }
        auto chunk = std::make_shared<RecordChunk>();
        chunk->bytes = std::move(batch.bytes);
        chunk->entries = std::move(batch.entries);
        chunks.push_back(std::move(chunk));
    }
    return chunks;
}

/// Appends a read of 100 bases that equals `letters` from `at` on.
inline void append_match(data::RecordBatch& batch, const std::string& letters, int64_t at) {
    std::vector<data::Base> bases(100);
    data::to_bases(letters.substr(static_cast<size_t>(at), bases.size()), bases);
    const std::vector<uint8_t> qualities(bases.size(), 30);
    const std::vector<uint32_t> cigar{
        data::cigar_element(static_cast<uint32_t>(bases.size()), data::k_cigar_match)};
    data::RecordFields fields;
    fields.contig = 0;
    fields.position = static_cast<int32_t>(at);
    fields.mapping_quality = 60;
    fields.name = "r";
    fields.cigar = cigar;
    fields.bases = bases;
    fields.qualities = qualities;
    data::RecordAppender appender(batch, fields);
}

/// A deletion of 12 bp on one haplotype and a SNP within it on the other, in the middle of a window and over
/// the seam of two.
struct SampleWithDeletions {
    std::mt19937_64 random{21};
    std::string letters = random_letters(random, 12'000);
    std::vector<int64_t> places = {4000, 8184};
    std::vector<Change> changes;

    SampleWithDeletions() {
        for (const int64_t at : places) {
            letters.replace(static_cast<size_t>(at), 15, "GATTCAGTCCATACG");
            changes.push_back({at, "GATTCAGTCCATA", "G", {true, false}});
            changes.push_back({at + 10, "A", "C", {false, true}});
        }
    }
};

}  // namespace gannet::variants::testing
