// SPDX-License-Identifier: MIT
// Provides read pairs: fragments with PCR duplicates and GC bias, qualities that fall along the read, errors
// that depend on context.
#include "data/simulate/reads.hpp"

#include "data/error.hpp"
#include "data/simulate/random.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace gannet::data::simulate {

namespace {

constexpr std::array<std::string_view, 2> k_adapters{"AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
                                                     "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTA"};
constexpr uint32_t k_shortest_fragment = 40;
constexpr uint32_t k_spare_bp = 24;  ///< template beyond the read's end, for reads that lose bases to indels
constexpr uint32_t k_max_tries = 20000;

/// 10^(-quality/10), without libm.
constexpr double error_probability(uint32_t quality) {
    constexpr double tenths[10] = {1.0,
                                   0.7943282347242815,
                                   0.6309573444801932,
                                   0.5011872336272722,
                                   0.3981071705534972,
                                   0.3162277660168379,
                                   0.2511886431509580,
                                   0.1995262314968880,
                                   0.1584893192461114,
                                   0.1258925411794167};
    double p = tenths[quality % 10];
    for (uint32_t i = 0; i < quality / 10; ++i) p /= 10;
    return p;
}

/// The instrument writes eight values.
constexpr uint8_t binned_quality(int quality) {
    if (quality >= 39) return 40;
    if (quality >= 35) return 37;
    if (quality >= 30) return 32;
    if (quality >= 25) return 27;
    if (quality >= 18) return 22;
    if (quality >= 11) return 14;
    return quality >= 5 ? 8 : 2;
}

/// Slips of polymerase and base caller by length of the homopolymer, per read of it.
constexpr double slip_probability(uint32_t run) {
    constexpr double by_run[] = {0,    0,    0,     0,     1e-5,  2e-5,  6e-5, 1.5e-4, 4e-4, 1e-3,  2.5e-3,
                                 4e-3, 7e-3, 0.011, 0.017, 0.025, 0.036, 0.05, 0.065,  0.08, 0.095, 0.11};
    constexpr uint32_t longest = std::size(by_run) - 1;
    return by_run[run < longest ? run : longest];
}

void append_number(uint64_t value, uint32_t digits, std::vector<uint8_t>& text) {
    std::array<uint8_t, 20> buffer;
    size_t at = buffer.size();
    for (uint32_t written = 0; value != 0 || written < digits; ++written, value /= 10)
        buffer[--at] = static_cast<uint8_t>('0' + value % 10);
    text.insert(text.end(), buffer.begin() + static_cast<ptrdiff_t>(at), buffer.end());
}

}  // namespace

struct ReadMaker::Tables {
    static constexpr uint32_t k_offset =
        64;  ///< of the index into `bins`: qualities before binning may be negative
    std::array<uint8_t, 256> bins;
    std::array<int8_t, 256> jitter;                 ///< of a base's quality, by a random byte
    std::array<std::vector<int8_t>, 2> profile;     ///< by mate and cycle
    std::array<std::array<uint64_t, 64>, 2> wrong;  ///< error thresholds by quality; [1] after GGC
    std::array<uint64_t, 32> slip;                  ///< by length of the homopolymer
    std::array<uint64_t, 101> accepted;             ///< fragments by percent of G and C
    Probability duplicate, background_indel;

    explicit Tables(const Options& options) {
        for (uint32_t i = 0; i < bins.size(); ++i)
            bins[i] = binned_quality(static_cast<int>(i) - static_cast<int>(k_offset));
        for (uint32_t i = 0; i < jitter.size(); ++i)
            jitter[i] = static_cast<int8_t>(i < 2     ? -24
                                            : i < 8   ? -13
                                            : i < 40  ? -5
                                            : i < 110 ? -1
                                            : i < 220 ? 1
                                                      : 3);
        const auto length = static_cast<int>(options.read_length);
        for (int mate = 0; mate < 2; ++mate)
            for (int cycle = 0; cycle < length; ++cycle) {
                const int x = 256 * cycle / length;
                const int fall = x * x * (mate == 0 ? 6 : 9) / 65536;
                profile[static_cast<size_t>(mate)].push_back(
                    static_cast<int8_t>(39 - mate - fall - (cycle < 3 ? 4 - cycle : 0)));
            }
        for (uint32_t q = 0; q < 64; ++q) {
            wrong[0][q] = probability(error_probability(q)).threshold;
            wrong[1][q] = probability(std::min(0.6, 5 * error_probability(q))).threshold;
        }
        for (uint32_t i = 0; i < slip.size(); ++i) slip[i] = probability(slip_probability(i)).threshold;
        for (uint32_t i = 0; i < accepted.size(); ++i) {
            const double far = (static_cast<double>(i) - 45) / 55;
            accepted[i] = probability(std::max(0.05, 1 - 1.6 * far * far)).threshold;
        }
        duplicate = probability(options.duplicate_share);
        background_indel = probability(8e-6 * options.read_length);
    }
};

/// The buffers of one read; reused.
struct ReadMaker::Read {
    std::vector<Base> bases;  ///< read_length and k_spare_bp more
    std::vector<uint8_t> qualities;
};

void ReadCounts::add(const ReadCounts& other) {
    duplicate_pairs += other.duplicate_pairs;
    substitution_errors += other.substitution_errors;
    indel_errors += other.indel_errors;
    adapter_pairs += other.adapter_pairs;
}

ReadMaker::ReadMaker(const std::vector<Haplotype>& haplotypes, const Options& options)
    : haplotypes_(haplotypes), options_(options), tables_(std::make_unique<const Tables>(options)) {
    uint64_t offset = 0;
    for (const Haplotype& haplotype : haplotypes_) {
        offsets_.push_back(offset);
        offset += haplotype.bases.size();
    }
    offsets_.push_back(offset);
}

ReadMaker::~ReadMaker() = default;

Molecule ReadMaker::molecule(uint64_t pair) const {
    Molecule out;
    // A duplicate repeats an earlier pair, which may be one itself; so families of all sizes arise.
    for (; pair > 0; out.duplicate = true) {
        Random random(options_.seed, Stream::repeat, pair);
        if (!random.chance(tables_->duplicate)) break;
        pair = random.below(pair);
    }
    Random random(options_.seed, Stream::molecule, pair);
    const auto mean = static_cast<int64_t>(options_.fragment_mean * 65536);
    const auto sd = static_cast<int64_t>(options_.fragment_sd * 65536);
    for (uint32_t tries = 0; tries < k_max_tries; ++tries) {
        const int64_t z = random.normal();
        const int64_t length = (mean + z * sd / 65536 + 32768) >> 16;
        const uint64_t at = random.below(offsets_.back());
        if (z < -4 * 65536 || z > 4 * 65536 || length < k_shortest_fragment) continue;
        const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), at);
        out.haplotype = static_cast<uint32_t>(after - offsets_.begin() - 1);
        const Haplotype& haplotype = haplotypes_[out.haplotype];
        out.begin = at - offsets_[out.haplotype];
        out.length = static_cast<uint32_t>(length);
        const uint64_t end = out.begin + out.length;
        if (end > haplotype.bases.size() || !is_known(haplotype.unknown, out.begin, end)) continue;
        const uint64_t from = out.begin / Haplotype::k_strong_step;
        const uint64_t to = end / Haplotype::k_strong_step + 1;
        const uint64_t strong =
            haplotype.strong[std::min(to, haplotype.strong.size() - 1)] - haplotype.strong[from];
        const uint64_t percent =
            std::min<uint64_t>(100, 100 * strong / ((to - from) * Haplotype::k_strong_step));
        if (random.next() >= tables_->accepted[percent]) continue;
        out.reverse = random.next() >> 63 != 0;
        return out;
    }
    throw Error(ErrorKind::usage,
                "simulate: no place for fragments of about " + std::to_string(mean >> 16) +
                    " bp in the known sequence; give a larger genome or a smaller fragment mean");
}

void ReadMaker::append_name(uint64_t pair, const Molecule& molecule, std::vector<uint8_t>& text) const {
    const Haplotype& haplotype = haplotypes_[molecule.haplotype];
    const uint64_t right_begin =
        molecule.begin +
        (molecule.length > options_.read_length ? molecule.length - options_.read_length : 0);
    std::array<uint64_t, 2> positions{haplotype.reference_position(molecule.begin) + 1,
                                      haplotype.reference_position(right_begin) + 1};
    if (molecule.reverse) std::swap(positions[0], positions[1]);
    constexpr std::string_view start = "@sim.";
    text.insert(text.end(), start.begin(), start.end());
    append_number(pair + 1, 9, text);
    text.push_back('.');
    append_number(haplotype.contig + 1, 2, text);
    for (const uint64_t position : positions) {
        text.push_back('.');
        append_number(position, 9, text);
    }
    text.push_back('.');
    text.push_back(static_cast<uint8_t>('1' + haplotype.side));
    text.push_back(molecule.reverse ? 'R' : 'F');
    text.push_back(molecule.duplicate ? 'D' : 'U');
    text.push_back('\n');
}

/// The bases that the mate reads, in its own direction: fragment, then adapter, then what an empty
/// cluster reads as.
void ReadMaker::take_template(const Molecule& molecule, uint32_t mate, Read& read) const {
    const uint32_t wanted = options_.read_length + k_spare_bp;
    const uint32_t inside = std::min(wanted, molecule.length);
    read.bases.resize(wanted);
    const Base* fragment = &haplotypes_[molecule.haplotype].bases[molecule.begin];
    if ((mate == 1) == molecule.reverse)
        std::copy_n(fragment, inside, read.bases.begin());
    else
        reverse_complement({fragment + molecule.length - inside, inside}, {read.bases.data(), inside});
    const std::string_view adapter = k_adapters[mate];
    for (uint32_t i = inside; i < wanted; ++i) {
        const uint32_t k = i - inside;
        read.bases[i] = k < adapter.size() ? k_base_of_letter[static_cast<uint8_t>(adapter[k])] : Base{2};
    }
}

void ReadMaker::draw_indels(Random& random, Read& read, ReadCounts& counts) const {
    std::vector<Base>& bases = read.bases;
    const auto change = [&](uint32_t at) {
        if (random.next() % 5 < 3)
            std::copy(bases.begin() + at + 1, bases.end(), bases.begin() + at);
        else
            std::copy_backward(bases.begin() + at, bases.end() - 1, bases.end());
        ++counts.indel_errors;
    };
    if (random.chance(tables_->background_indel))
        change(static_cast<uint32_t>(random.below(options_.read_length)));
    // One bit per base: equal to the one before. The end of a run of four or more is a rare pattern, and so a
    // cheap branch.
    const Base* base = bases.data();
    uint32_t equal = 0;
    for (uint32_t i = 1, end = options_.read_length; i < end; ++i) {
        equal = equal << 1 | static_cast<uint32_t>(base[i] == base[i - 1]);
        if ((equal & 15) != 14) continue;
        const auto run = static_cast<uint32_t>(std::countr_one(equal >> 1)) + 1;
        if (random.next() < tables_->slip[std::min<uint32_t>(run, 31)]) change(i - 1);
    }
}

void ReadMaker::draw_qualities(Random& random, uint32_t mate, Read& read) const {
    const uint32_t length = options_.read_length;
    read.qualities.resize(length);
    const int32_t z = random.normal() * 5 / 2;
    const int overall = std::min(2, z >> 16) + static_cast<int>(Tables::k_offset);
    // A few reads go bad half-way.
    const uint64_t fate = random.next();
    const uint32_t bad_from =
        fate >> 58 == 0 ? static_cast<uint32_t>((fate & 0xFFFFFF) * length >> 24) : length;
    const int8_t* profile = tables_->profile[mate].data();
    const Tables& tables = *tables_;
    uint8_t* qualities = read.qualities.data();
    for (uint32_t i = 0; i < length;) {
        uint64_t x = random.next();
        for (const uint32_t end = std::min(length, i + 8); i < end; ++i, x >>= 8) {
            const int quality = profile[i] + overall + tables.jitter[x & 0xFF] - (i >= bad_from ? 18 : 0);
            qualities[i] = tables.bins[static_cast<size_t>(std::max(quality, 0))];
        }
    }
}

void ReadMaker::draw_substitutions(Random& random, Read& read, ReadCounts& counts) const {
    const uint32_t length = options_.read_length;
    uint32_t before = 0;  // the last three bases, two bits each
    constexpr uint32_t ggc = 2 << 4 | 2 << 2 | 1;
    const auto& wrong = tables_->wrong;
    const uint8_t* qualities = read.qualities.data();
    Base* bases = read.bases.data();
    for (uint32_t i = 0; i < length;) {
        uint64_t x = random.next();
        for (const uint32_t end = std::min(length, i + 4); i < end; ++i, x >>= 16) {
            const bool after_ggc = before == ggc;
            const uint64_t threshold = wrong[after_ggc][qualities[i]];
            Base& base = bases[i];
            before = (before << 2 | base) & 63;
            // Sixteen bits nearly always decide; the rest of the number is drawn where they do not.
            const uint64_t high = x & 0xFFFF;
            if (high > threshold >> 48) continue;
            if (high == threshold >> 48 && random.next() >> 16 >= (threshold & 0xFFFFFFFFFFFF)) continue;
            const uint64_t kind = random.next();
            if (qualities[i] == 2 && kind % 16 == 0)
                base = k_base_n;
            else if (after_ggc && base != 2 && kind % 16 < 9)
                base = 2;
            else
                base = static_cast<Base>(base ^ (1 + (kind >> 32) % 3));
            ++counts.substitution_errors;
        }
    }
}

void ReadMaker::append_record(const std::vector<uint8_t>& name, const Read& read, uint32_t length,
                              std::vector<uint8_t>& text) {
    const size_t old_size = text.size();
    text.resize(old_size + name.size() + 2 * size_t{length} + 4);
    uint8_t* out = text.data() + old_size;
    std::memcpy(out, name.data(), name.size());
    out += name.size();
    const Base* bases = read.bases.data();
    for (uint32_t i = 0; i < length; ++i) out[i] = static_cast<uint8_t>(k_letter_of_base[bases[i]]);
    out += length;
    std::memcpy(out, "\n+\n", 3);
    out += 3;
    const uint8_t* qualities = read.qualities.data();
    for (uint32_t i = 0; i < length; ++i) out[i] = static_cast<uint8_t>(qualities[i] + 33);
    out[length] = '\n';
}

void ReadMaker::append(uint64_t begin, uint64_t end, std::array<std::vector<uint8_t>, 2>& text,
                       ReadCounts& counts) const {
    Read read;
    std::vector<uint8_t> name;
    const uint32_t length = options_.read_length;
    for (uint64_t pair = begin; pair < end; ++pair) {
        const Molecule drawn = molecule(pair);
        counts.duplicate_pairs += drawn.duplicate;
        counts.adapter_pairs += drawn.length < length;
        name.clear();
        append_name(pair, drawn, name);
        Random random(options_.seed, Stream::sequencing, pair);
        for (uint32_t mate = 0; mate < 2; ++mate) {
            take_template(drawn, mate, read);
            draw_indels(random, read, counts);
            draw_qualities(random, mate, read);
            draw_substitutions(random, read, counts);
            append_record(name, read, length, text[mate]);
        }
    }
}

}  // namespace gannet::data::simulate
