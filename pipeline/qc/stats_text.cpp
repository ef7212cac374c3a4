// SPDX-License-Identifier: MIT
// Provides the text of samtools stats.
#include "pipeline/qc/base_content.hpp"
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr size_t k_gc_bins = 200;
constexpr double k_main_bulk = 0.99;  ///< of the pairs, whose insert sizes are averaged and listed
constexpr size_t k_max_listed_depth = 1000;

/// Reads by flag, as samtools stats sees them: secondary records and records without bases are left out.
class FlagSums {
  public:
    explicit FlagSums(const Counts& counts) : counts_(counts) {}
    uint64_t with(unsigned mask, unsigned value) const {
        uint64_t sum = 0;
        for (size_t flag = 0; flag < counts_.flags.size(); ++flag) {
            if ((flag & mask) == value) sum += counts_.flags[flag] - counts_.flags_without_bases[flag];
        }
        return sum;
    }

  private:
    const Counts& counts_;
};

/// Pairs by insert size; each was counted at both mates.
struct Inserts {
    explicit Inserts(const Counts& counts) {
        for (size_t size = 0; size <= k_max_stats_insert; ++size) {
            rows.push_back({counts.inward[size] / 2, counts.outward[size] / 2, counts.other_pairs[size] / 2});
            for (size_t kind = 0; kind < sums.size(); ++kind) sums[kind] += rows.back()[kind];
        }
        const uint64_t pairs = sums[0] + sums[1] + sums[2];
        uint64_t bulk = 0;
        double total = 0;
        for (size_t size = 0; size < rows.size(); ++size) {
            bulk += pairs_of(size);
            total += static_cast<double>(size * pairs_of(size));
            if (pairs > 0 && static_cast<double>(bulk) / static_cast<double>(pairs) > k_main_bulk) {
                listed = size + 1;
                break;
            }
        }
        if (bulk == 0) return;
        mean = total / static_cast<double>(bulk);
        double squares = 0;
        for (size_t size = 1; size < listed; ++size) {
            const double off = static_cast<double>(size) - mean;
            squares += static_cast<double>(pairs_of(size)) * off * off / static_cast<double>(bulk);
        }
        deviation = std::sqrt(squares);
    }
    uint64_t pairs_of(size_t size) const { return rows[size][0] + rows[size][1] + rows[size][2]; }

    std::vector<std::array<uint64_t, 3>> rows;  ///< inward, outward, other
    std::array<uint64_t, 3> sums{};
    size_t listed = 0;
    double mean = 0;
    double deviation = 0;
};

void append_number(std::string& text, const char* name, const std::string& value, const char* comment = "") {
    text +=
        std::string("SN\t") + name + ":\t" + value + (*comment ? std::string("\t# ") + comment : "") + "\n";
}
void append_number(std::string& text, const char* name, uint64_t value, const char* comment = "") {
    append_number(text, name, std::to_string(value), comment);
}

/// Quotients in single precision, as samtools computes them.
float ratio(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0.0F : static_cast<float>(part) / static_cast<float>(whole);
}

uint64_t bases_of(const CycleCounts& counts) { return counts.lengths[0].sum() + counts.lengths[1].sum(); }

void append_numbers_of_reads(std::string& text, const Counts& counts) {
    const FlagSums flags(counts);
    const uint64_t reads = flags.with(k_is_extra, 0);
    constexpr unsigned k_pair = k_is_extra | k_flag_paired;
    append_number(text, "raw total sequences", reads, "excluding supplementary and secondary reads");
    append_number(text, "filtered sequences", uint64_t{0});
    append_number(text, "sequences", reads);
    append_number(text, "is sorted", 1);
    append_number(text, "1st fragments", counts.cycles[k_first].reads());
    append_number(text, "last fragments", counts.cycles[k_last].reads());
    append_number(text, "reads mapped", flags.with(k_is_extra | k_flag_unmapped, 0));
    append_number(text, "reads mapped and paired",
                  flags.with(k_pair | k_flag_unmapped | k_flag_mate_unmapped, k_flag_paired),
                  "paired-end technology bit set + both mates mapped");
    append_number(text, "reads unmapped", flags.with(k_is_extra | k_flag_unmapped, k_flag_unmapped));
    append_number(text, "reads properly paired",
                  flags.with(k_pair | k_flag_proper_pair | k_flag_unmapped | k_flag_mate_unmapped,
                             k_flag_paired | k_flag_proper_pair),
                  "proper-pair bit set");
    append_number(text, "reads paired", flags.with(k_pair, k_flag_paired), "paired-end technology bit set");
    append_number(text, "reads duplicated", flags.with(k_flag_secondary | k_flag_duplicate, k_flag_duplicate),
                  "PCR or optical duplicate bit set");
    append_number(text, "reads MQ0", counts.mapq0, "mapped and MQ=0");
    append_number(text, "reads QC failed", flags.with(k_is_extra | k_flag_qc_fail, k_flag_qc_fail));
    uint64_t secondary = 0;
    for (size_t flag = 0; flag < counts.flags.size(); ++flag)
        if ((flag & k_flag_secondary) != 0) secondary += counts.flags[flag];
    append_number(text, "non-primary alignments", secondary);
    append_number(text, "supplementary alignments",
                  flags.with(k_flag_secondary | k_flag_supplementary, k_flag_supplementary));
}

uint64_t bases_of(const Counts& counts) {
    return bases_of(counts.cycles[k_first]) + bases_of(counts.cycles[k_last]) + counts.neither_lengths.sum();
}

/// Not rounded, as of samtools 1.16.
uint64_t average_length(const Counts& counts) {
    const uint64_t reads = FlagSums(counts).with(k_is_extra, 0);
    return reads == 0 ? 0 : bases_of(counts) / reads;
}

void append_numbers_of_bases(std::string& text, const Counts& counts) {
    const uint64_t bases = bases_of(counts);
    const uint64_t first = bases_of(counts.cycles[k_first]);
    const uint64_t last = bases_of(counts.cycles[k_last]);
    append_number(text, "total length", bases, "ignores clipping");
    append_number(text, "total first fragment length", first, "ignores clipping");
    append_number(text, "total last fragment length", last, "ignores clipping");
    append_number(text, "bases mapped", counts.mapped_bases, "ignores clipping");
    append_number(text, "bases mapped (cigar)", counts.aligned_bases, "more accurate");
    append_number(text, "bases trimmed", uint64_t{0});
    append_number(text, "bases duplicated", counts.duplicate_bases);
    append_number(text, "mismatches", counts.mismatches, "from NM fields");
    char rate[32];
    std::snprintf(rate, sizeof rate, "%e",
                  static_cast<double>(ratio(counts.mismatches, counts.aligned_bases)));
    append_number(text, "error rate", rate, "mismatches / bases mapped (cigar)");
    const auto average = [](float value) { return fixed(static_cast<double>(value), 0); };
    append_number(text, "average length", average_length(counts));
    append_number(text, "average first fragment length",
                  average(ratio(first, counts.cycles[k_first].reads())));
    append_number(text, "average last fragment length", average(ratio(last, counts.cycles[k_last].reads())));
    append_number(text, "maximum length", counts.longest[0]);
    append_number(text, "maximum first fragment length", counts.longest[1]);
    append_number(text, "maximum last fragment length", counts.longest[2]);
    append_number(
        text, "average quality",
        fixed(bases == 0 ? 0.0 : static_cast<double>(counts.quality_sum) / static_cast<double>(bases), 1));
}

void append_numbers_of_pairs(std::string& text, const Counts& counts, const Inserts& inserts) {
    const FlagSums flags(counts);
    append_number(text, "insert size average", fixed(inserts.mean, 1));
    append_number(text, "insert size standard deviation", fixed(inserts.deviation, 1));
    append_number(text, "inward oriented pairs", inserts.sums[0]);
    append_number(text, "outward oriented pairs", inserts.sums[1]);
    append_number(text, "pairs with other orientation", inserts.sums[2]);
    append_number(text, "pairs on different chromosomes", counts.pairs_on_two_contigs / 2);
    const uint64_t proper =
        flags.with(k_is_extra | k_flag_paired | k_flag_proper_pair | k_flag_unmapped | k_flag_mate_unmapped,
                   k_flag_paired | k_flag_proper_pair);
    append_number(text, "percentage of properly paired reads (%)",
                  fixed(static_cast<double>(ratio(100 * proper, flags.with(k_is_extra, 0))), 1));
}

size_t largest_quality(const Counts& counts) {
    size_t largest = 0;
    for (const CycleCounts& of : counts.cycles) {
        for (const auto& row : of.qualities) {
            for (size_t quality = row.size(); quality-- > largest + 1;) {
                if (row[quality] != 0) largest = quality;
            }
        }
    }
    return largest;
}

void append_qualities(std::string& text, const char* tag, const CycleCounts& counts, size_t columns) {
    for (size_t cycle = 0; cycle < counts.cycles(); ++cycle) {
        text += std::string(tag) + "\t" + std::to_string(cycle + 1);
        for (size_t quality = 0; quality < columns; ++quality)
            text += "\t" + std::to_string(quality < 256 ? counts.qualities[cycle][quality] : 0);
        text += "\n";
    }
}

void append_gc(std::string& text, const char* tag, const CycleCounts& counts) {
    std::array<uint64_t, k_gc_bins> bins{};
    for (const auto& [length, reads] : counts.gc) {
        for (size_t gc = 0; gc < reads.size(); ++gc) {
            const size_t end = std::min<size_t>((gc + 1) * (k_gc_bins - 1) / length, k_gc_bins - 1);
            for (size_t bin = gc * (k_gc_bins - 1) / length; bin < end; ++bin) bins[bin] += reads[gc];
        }
    }
    size_t previous = 0;
    for (size_t bin = 0; bin < k_gc_bins; ++bin) {
        if (bins[bin] == bins[previous]) continue;
        append_line(text, {tag, fixed(static_cast<double>(bin + previous) * 0.5 * 100. / (k_gc_bins - 1), 2),
                           bins[previous]});
        previous = bin;
    }
}

void append_bases(std::string& text, const char* tag, size_t cycle, const Bases& bases, bool with_unknown) {
    const uint64_t known = bases[0] + bases[1] + bases[2] + bases[3];
    if (known == 0) return;
    text += std::string(tag) + "\t" + std::to_string(cycle + 1);
    for (size_t base = 0; base < (with_unknown ? 5u : 4u); ++base)
        text += "\t" + fixed(100. * static_cast<double>(bases[base]) / static_cast<double>(known), 2);
    // gannet writes N for every base that is none of the four: no others.
    text += with_unknown ? "\t0.00\n" : "\n";
}

void append_base_content(std::string& text, const Counts& counts) {
    const auto& [first, last] = counts.cycles;
    const size_t cycles = std::max(first.cycles(), last.cycles());
    const auto both = [&](size_t cycle, bool oriented) {
        Bases sum = bases_at(first, cycle, oriented);
        const Bases more = bases_at(last, cycle, oriented);
        for (size_t base = 0; base < sum.size(); ++base) sum[base] += more[base];
        return sum;
    };
    const std::string columns =
        "The columns are: cycle; A,C,G,T base counts as a percentage of all A/C/G/T bases [%]";
    const std::string unknown = "; and N and O counts as a percentage of all A/C/G/T bases [%]";
    text += "# ACGT content per cycle. Use `grep ^GCC | cut -f 2-` to extract this part. " + columns +
            unknown + "\n";
    for (size_t cycle = 0; cycle < cycles; ++cycle)
        append_bases(text, "GCC", cycle, both(cycle, false), true);
    text += "# ACGT content per cycle, read oriented. Use `grep ^GCT | cut -f 2-` to extract this part. " +
            columns + "\n";
    for (size_t cycle = 0; cycle < cycles; ++cycle)
        append_bases(text, "GCT", cycle, both(cycle, true), false);
    const auto of_fragment = [&](const CycleCounts& of, const char* name, char letter) {
        const std::string per_cycle = std::string(1, letter) + "BC";
        const std::string raw = std::string(1, letter) + "TC";
        text += std::string("# ACGT content per cycle for ") + name + " fragments. Use `grep ^" + per_cycle +
                " | cut -f 2-` to extract this part. " + columns + unknown + "\n";
        Bases sums{};
        for (size_t cycle = 0; cycle < of.cycles(); ++cycle) {
            const Bases bases = bases_at(of, cycle, false);
            append_bases(text, per_cycle.c_str(), cycle, bases, true);
            for (size_t base = 0; base < sums.size(); ++base) sums[base] += bases[base];
        }
        text += std::string("# ACGT raw counters for ") + name + " fragments. Use `grep ^" + raw +
                " | cut -f 2-` to extract this part. The columns are: A,C,G,T,N base counters\n";
        append_line(text, {raw, sums[0], sums[1], sums[2], sums[3], sums[4]});
    };
    of_fragment(first, "first", 'F');
    of_fragment(last, "last", 'L');
}

void append_histogram(std::string& text, const char* tag, const Histogram& histogram) {
    for (size_t value = 0; value < histogram.size(); ++value) {
        if (histogram[value] > 0) append_line(text, {tag, uint64_t{value}, histogram[value]});
    }
}

void append_lengths(std::string& text, const Counts& counts) {
    std::array<Histogram, k_fragments> of;
    Histogram all = counts.neither_lengths;
    for (size_t fragment = 0; fragment < k_fragments; ++fragment) {
        for (const Histogram& lengths : counts.cycles[fragment].lengths) of[fragment].merge(lengths);
        all.merge(of[fragment]);
    }
    text +=
        "# Read lengths. Use `grep ^RL | cut -f 2-` to extract this part. The columns are: read length, "
        "count\n";
    append_histogram(text, "RL", all);
    text +=
        "# Read lengths - first fragments. Use `grep ^FRL | cut -f 2-` to extract this part. The columns "
        "are: read length, count\n";
    append_histogram(text, "FRL", of[k_first]);
    text +=
        "# Read lengths - last fragments. Use `grep ^LRL | cut -f 2-` to extract this part. The columns "
        "are: read length, count\n";
    append_histogram(text, "LRL", of[k_last]);
    text +=
        "# Mapping qualities for reads !(UNMAP|SECOND|SUPPL|QCFAIL|DUP). Use `grep ^MAPQ | cut -f 2-` to "
        "extract this part. The columns are: mapq, count\n";
    append_histogram(text, "MAPQ", counts.mapping_qualities);
}

void append_indels(std::string& text, const Counts& counts) {
    text +=
        "# Indel distribution. Use `grep ^ID | cut -f 2-` to extract this part. The columns are: length, "
        "number of insertions, number of deletions\n";
    for (size_t length = 1; length <= k_max_stats_indel; ++length) {
        if (counts.insertions[length] + counts.deletions[length] > 0)
            append_line(text, {"ID", uint64_t{length}, counts.insertions[length], counts.deletions[length]});
    }
    text +=
        "# Indels per cycle. Use `grep ^IC | cut -f 2-` to extract this part. The columns are: cycle, "
        "number of insertions (fwd), .. (rev) , number of deletions (fwd), .. (rev)\n";
    const auto& insertions = counts.insertion_cycles;
    const auto& deletions = counts.deletion_cycles;
    const size_t cycles =
        std::max({insertions[0].size(), insertions[1].size(), deletions[0].size(), deletions[1].size()});
    for (size_t cycle = 0; cycle < cycles; ++cycle) {
        if (insertions[0][cycle] + insertions[1][cycle] + deletions[0][cycle] + deletions[1][cycle] > 0)
            append_line(text, {"IC", uint64_t{cycle + 1}, insertions[0][cycle], insertions[1][cycle],
                               deletions[0][cycle], deletions[1][cycle]});
    }
}

void append_coverage(std::string& text, const DepthSum& depth) {
    text += "# Coverage distribution. Use `grep ^COV | cut -f 2-` to extract this part.\n";
    for (size_t value = 1; value < depth.all().size(); ++value) {
        if (depth.all()[value] == 0) continue;
        const bool beyond = value > k_max_listed_depth;
        const uint64_t last = std::min(value, k_max_listed_depth);
        const std::string range = beyond ? "[" + std::to_string(last) + "<]"
                                         : "[" + std::to_string(last) + "-" + std::to_string(last) + "]";
        append_line(text, {"COV", range, last, depth.all()[value]});
    }
}

}  // namespace

std::string stats_text(const Counts& counts, const DepthSum& depth, const GcDepth& by_gc,
                       const Origin& origin) {
    // MultiQC knows the file by the words before the bracket.
    std::string text = "# This file was produced by samtools stats (its definitions, by " + origin.program +
                       ") and can be plotted using plot-bamstats\n"
                       "# This file contains statistics for all reads.\n"
                       "# The command line was:  " +
                       origin.command +
                       "\n"
                       "# CHK, Checksum\t[2]Read Names\t[3]Sequences\t[4]Qualities\n"
                       "# CHK, CRC32 of reads which passed filtering followed by addition (32bit overflow)\n";
    char checksums[64];
    std::snprintf(checksums, sizeof checksums, "CHK\t%08x\t%08x\t%08x\n", counts.checksums[0],
                  counts.checksums[1], counts.checksums[2]);
    text += checksums;
    text += "# Summary Numbers. Use `grep ^SN | cut -f 2-` to extract this part.\n";
    const Inserts inserts(counts);
    append_numbers_of_reads(text, counts);
    append_numbers_of_bases(text, counts);
    append_numbers_of_pairs(text, counts, inserts);
    const size_t columns = largest_quality(counts) + 2;
    const std::string layout =
        "# Columns correspond to qualities and rows to cycles. First column is the cycle number.\n";
    text += "# First Fragment Qualities. Use `grep ^FFQ | cut -f 2-` to extract this part.\n" + layout;
    append_qualities(text, "FFQ", counts.cycles[k_first], columns);
    text += "# Last Fragment Qualities. Use `grep ^LFQ | cut -f 2-` to extract this part.\n" + layout;
    append_qualities(text, "LFQ", counts.cycles[k_last], columns);
    text += "# GC Content of first fragments. Use `grep ^GCF | cut -f 2-` to extract this part.\n";
    append_gc(text, "GCF", counts.cycles[k_first]);
    text += "# GC Content of last fragments. Use `grep ^GCL | cut -f 2-` to extract this part.\n";
    append_gc(text, "GCL", counts.cycles[k_last]);
    append_base_content(text, counts);
    text +=
        "# Insert sizes. Use `grep ^IS | cut -f 2-` to extract this part. The columns are: insert size, "
        "pairs total, inward oriented pairs, outward oriented pairs, other pairs\n";
    for (size_t size = 0; size < inserts.listed; ++size) {
        const auto& row = inserts.rows[size];
        append_line(text, {"IS", uint64_t{size}, inserts.pairs_of(size), row[0], row[1], row[2]});
    }
    append_lengths(text, counts);
    append_indels(text, counts);
    append_coverage(text, depth);
    text +=
        "# GC-depth. Use `grep ^GCD | cut -f 2-` to extract this part. The columns are: GC%, unique sequence "
        "percentiles, 10th, 25th, 50th, 75th and 90th depth percentile\n" +
        by_gc.lines(average_length(counts));
    return text;
}

}  // namespace gannet::pipeline::qc
