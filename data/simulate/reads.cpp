// SPDX-License-Identifier: MIT
// Provides read pairs: fragments of one or several persons with PCR duplicates, GC bias and chimeras, and
// their reads.
#include "data/simulate/reads.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace gannet::data::simulate {

namespace {

constexpr std::array<std::string_view, 2> k_adapters{"AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
                                                     "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTA"};
constexpr uint32_t k_shortest_fragment = 40;
constexpr uint32_t k_max_tries = 20000;
constexpr uint64_t k_max_foldback_loop_bp = 40;

void append_number(uint64_t value, uint32_t digits, std::vector<uint8_t>& text) {
    std::array<uint8_t, 20> buffer;
    size_t at = buffer.size();
    for (uint32_t written = 0; value != 0 || written < digits; ++written, value /= 10)
        buffer[--at] = static_cast<uint8_t>('0' + value % 10);
    text.insert(text.end(), buffer.begin() + static_cast<ptrdiff_t>(at), buffer.end());
}

}  // namespace

struct ReadMaker::Tables {
    std::array<uint64_t, 101> accepted;  ///< fragments by percent of G and C
    Probability duplicate, contamination, hopping, foldback, chimera, short_fragment;
    FragmentFaults fragment;
    ReadErrors errors;

    explicit Tables(const Options& options)
        : fragment(options.library), errors(options.library, options.read_length, options.seed) {
        const Library& library = options.library;
        for (uint32_t i = 0; i < accepted.size(); ++i) {
            const double far = (static_cast<double>(i) - library.gc_optimum) / 55;
            accepted[i] = probability(std::max(0.05, 1 - library.gc_bias * far * far)).threshold;
        }
        duplicate = probability(library.duplicate_share);
        contamination = probability(library.contamination_share);
        hopping = probability(library.hopping_share);
        foldback = probability(library.foldback_share);
        chimera = probability(library.chimera_share);
        short_fragment = probability(library.short_fragment_share);
    }
};

void ReadCounts::add(const ReadCounts& other) {
    duplicate_pairs += other.duplicate_pairs;
    adapter_pairs += other.adapter_pairs;
    contaminant_pairs += other.contaminant_pairs;
    hopped_pairs += other.hopped_pairs;
    foldback_pairs += other.foldback_pairs;
    chimera_pairs += other.chimera_pairs;
    slipped_pairs += other.slipped_pairs;
    fragments.oxidised_bases += other.fragments.oxidised_bases;
    fragments.deaminated_bases += other.fragments.deaminated_bases;
    fragments.stutters += other.fragments.stutters;
    fragments.pcr_substitutions += other.fragments.pcr_substitutions;
    errors.substitutions += other.errors.substitutions;
    errors.indels += other.errors.indels;
    errors.systematic += other.errors.systematic;
}

ReadMaker::ReadMaker(const std::vector<Haplotype>& haplotypes, const Options& options)
    : haplotypes_(haplotypes), options_(options), tables_(std::make_unique<const Tables>(options)) {
    uint64_t offset = 0;
    for (const Haplotype& haplotype : haplotypes_) {
        if (haplotype.person == persons_.size()) persons_.push_back(offset);
        offsets_.push_back(offset);
        offset += haplotype.bases.size() * haplotype.weight;
    }
    offsets_.push_back(offset);
    persons_.push_back(offset);
}

ReadMaker::~ReadMaker() = default;

/// A place of a person's haplotypes that is known sequence; false where the one drawn is not.
bool ReadMaker::draw_place(Random& random, uint32_t person, uint64_t length, Molecule& molecule) const {
    const uint64_t at = persons_[person] + random.below(persons_[person + 1] - persons_[person]);
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), at);
    molecule.haplotype = static_cast<uint32_t>(after - offsets_.begin() - 1);
    const Haplotype& haplotype = haplotypes_[molecule.haplotype];
    molecule.begin = at - offsets_[molecule.haplotype];
    if (haplotype.weight > 1) molecule.begin %= haplotype.bases.size();
    molecule.length = static_cast<uint32_t>(length);
    const uint64_t end = molecule.begin + length;
    return end <= haplotype.bases.size() && is_known(haplotype.unknown, molecule.begin, end);
}

Molecule ReadMaker::molecule(uint64_t pair) const {
    Molecule out;
    const Tables& tables = *tables_;
    uint32_t person = 0;
    if (tables.hopping.threshold > 0 && Random(options_.seed, Stream::hopping, pair).chance(tables.hopping)) {
        out.hopped = true;
        person = static_cast<uint32_t>(persons_.size() - 2);
    }
    // A duplicate repeats an earlier pair, which may be one itself; so families of all sizes arise.
    for (; pair > 0 && !out.hopped; out.duplicate = true) {
        Random random(options_.seed, Stream::repeat, pair);
        if (!random.chance(tables.duplicate)) break;
        pair = random.below(pair);
    }
    out.original = pair;
    if (tables.contamination.threshold > 0 && !out.hopped &&
        Random(options_.seed, Stream::person, pair).chance(tables.contamination))
        person = 1;
    Random random(options_.seed, out.hopped ? Stream::hopped_molecule : Stream::molecule, pair);
    Random is_short(options_.seed, Stream::short_fragment, pair);
    const auto mean = static_cast<int64_t>(options_.fragment_mean * 65536);
    const auto sd = static_cast<int64_t>(options_.fragment_sd * 65536);
    const int64_t short_length =
        tables.short_fragment.threshold > 0 && is_short.chance(tables.short_fragment)
            ? is_short.between(k_shortest_fragment, std::max(k_shortest_fragment, options_.read_length - 1))
            : 0;
    for (uint32_t tries = 0; tries < k_max_tries; ++tries) {
        const int64_t z = random.normal();
        const int64_t drawn = (mean + z * sd / 65536 + 32768) >> 16;
        const int64_t length = short_length > 0 ? short_length : drawn;
        const bool is_place =
            draw_place(random, person, static_cast<uint64_t>(std::max<int64_t>(length, 0)), out);
        if (z < -4 * 65536 || z > 4 * 65536 || length < k_shortest_fragment || !is_place) continue;
        const Haplotype& haplotype = haplotypes_[out.haplotype];
        const uint64_t end = out.begin + out.length;
        const uint64_t from = out.begin / Haplotype::k_strong_step;
        const uint64_t to = end / Haplotype::k_strong_step + 1;
        const uint64_t strong =
            haplotype.strong[std::min(to, haplotype.strong.size() - 1)] - haplotype.strong[from];
        const uint64_t percent =
            std::min<uint64_t>(100, 100 * strong / ((to - from) * Haplotype::k_strong_step));
        if (random.next() >= tables.accepted[percent]) continue;
        out.reverse = random.next() >> 63 != 0;
        return out;
    }
    throw Error(ErrorKind::usage,
                "simulate: no place for fragments of about " + std::to_string(mean >> 16) +
                    " bp in the known sequence; give a larger genome or a smaller fragment mean");
}

void ReadMaker::copy_bases(const Molecule& molecule, std::vector<Base>& bases) const {
    const Base* from = &haplotypes_[molecule.haplotype].bases[molecule.begin];
    bases.resize(molecule.length);
    if (molecule.reverse)
        reverse_complement({from, molecule.length}, bases);
    else
        std::copy_n(from, molecule.length, bases.begin());
}

bool ReadMaker::is_chimeric(const Molecule& molecule, Stream stream, Probability share) const {
    return share.threshold > 0 && Random(options_.seed, stream, molecule.original).chance(share);
}

void ReadMaker::take_fragment(const Molecule& molecule, std::vector<Base>& fragment,
                              ReadCounts& counts) const {
    copy_bases(molecule, fragment);
    const uint64_t length = molecule.length;
    if (is_chimeric(molecule, Stream::foldback, tables_->foldback)) {
        // The strand folded back on itself and was copied: what follows is the reverse complement of what
        // was before.
        Random random(options_.seed, Stream::foldback, molecule.original + (uint64_t{1} << 48));
        const uint64_t at = length / 4 + random.below(length - length / 4);
        const uint64_t loop = random.below(std::min(k_max_foldback_loop_bp, at));
        const uint64_t end = std::min(length, 2 * at - loop);
        for (uint64_t i = at; i < end; ++i) {
            const Base base = fragment[2 * at - loop - 1 - i];
            fragment[i] = base < k_base_n ? static_cast<Base>(3 - base) : base;
        }
        fragment.resize(end);
        ++counts.foldback_pairs;
    } else if (is_chimeric(molecule, Stream::chimera, tables_->chimera)) {
        Random random(options_.seed, Stream::chimera, molecule.original + (uint64_t{1} << 48));
        const uint64_t at = length / 4 + random.below(length - length / 4);
        Molecule other;
        const uint32_t person = haplotypes_[molecule.haplotype].person;
        for (uint32_t tries = 0; tries < k_max_tries && at < length; ++tries) {
            if (!draw_place(random, person, length - at, other)) continue;
            other.reverse = random.next() >> 63 != 0;
            std::vector<Base> rest;
            copy_bases(other, rest);
            std::copy(rest.begin(), rest.end(), fragment.begin() + static_cast<ptrdiff_t>(at));
            ++counts.chimera_pairs;
            break;
        }
    }
    const FragmentCounts changed = tables_->fragment.apply(options_.seed, molecule.original, fragment);
    counts.fragments.oxidised_bases += changed.oxidised_bases;
    counts.fragments.deaminated_bases += changed.deaminated_bases;
    counts.fragments.pcr_substitutions += changed.pcr_substitutions;
    counts.fragments.stutters += changed.stutters;
    counts.slipped_pairs += changed.stutters > 0;
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
    text.push_back(static_cast<uint8_t>('1' + haplotype.side + 2 * haplotype.person));
    text.push_back(molecule.reverse ? 'R' : 'F');
    text.push_back(molecule.duplicate ? 'D' : 'U');
    if (is_chimeric(molecule, Stream::foldback, tables_->foldback) ||
        is_chimeric(molecule, Stream::chimera, tables_->chimera))
        text.push_back('C');
    if (haplotype.is_hidden(molecule.begin) || haplotype.is_hidden(molecule.begin + molecule.length - 1))
        text.push_back('H');
    text.push_back('\n');
}

/// The bases that the mate reads, in its own direction: fragment, then adapter, then what an empty
/// cluster reads as.
void ReadMaker::take_template(const std::vector<Base>& fragment, uint32_t mate, Read& read) const {
    const uint32_t wanted = options_.read_length + k_spare_bp;
    const auto inside = static_cast<uint32_t>(std::min<size_t>(wanted, fragment.size()));
    read.bases.resize(wanted);
    if (mate == 0)
        std::copy_n(fragment.begin(), inside, read.bases.begin());
    else
        reverse_complement({fragment.data() + fragment.size() - inside, inside}, {read.bases.data(), inside});
    const std::string_view adapter = k_adapters[mate];
    for (uint32_t i = inside; i < wanted; ++i) {
        const uint32_t k = i - inside;
        read.bases[i] = k < adapter.size() ? k_base_of_letter[static_cast<uint8_t>(adapter[k])] : Base{2};
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
    std::vector<Base> fragment;
    std::vector<uint8_t> name;
    const uint32_t length = options_.read_length;
    for (uint64_t pair = begin; pair < end; ++pair) {
        const Molecule drawn = molecule(pair);
        take_fragment(drawn, fragment, counts);
        counts.duplicate_pairs += drawn.duplicate;
        counts.hopped_pairs += drawn.hopped;
        counts.contaminant_pairs += !drawn.hopped && haplotypes_[drawn.haplotype].person > 0;
        counts.adapter_pairs += fragment.size() < length;
        name.clear();
        append_name(pair, drawn, name);
        Random random(options_.seed, Stream::sequencing, pair);
        Random systematic(options_.seed, Stream::systematic, pair);
        for (uint32_t mate = 0; mate < 2; ++mate) {
            take_template(fragment, mate, read);
            tables_->errors.apply(random, systematic, mate, read, counts.errors);
            append_record(name, read, length, text[mate]);
        }
    }
}

}  // namespace gannet::data::simulate
