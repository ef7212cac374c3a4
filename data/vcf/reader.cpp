// SPDX-License-Identifier: MIT
// Provides reading of VCF and BCF through htslib, checked against the reference.
#include "data/vcf/reader.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/letters.hpp"
#include "data/line_reader.hpp"
#include "data/memory_budget.hpp"
#include "data/regions.hpp"
#include "data/vcf/opening.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace gannet::data::vcf {
namespace {

/// Faults of a record, as htslib reports them, that make it unusable. A contig or tag that the header does
/// not define is none of these.
constexpr int k_fatal_errors =
    BCF_ERR_CTG_INVALID | BCF_ERR_TAG_INVALID | BCF_ERR_NCOLS | BCF_ERR_LIMITS | BCF_ERR_CHAR;

/// `*`, `<ID>`, and breakends: a base with a mate between brackets, or a dot beside bases.
bool is_symbolic(std::string_view allele) {
    if (allele == "*") return true;
    if (allele.front() == '<') return allele.size() > 2 && allele.find('>') == allele.size() - 1;
    const auto is_bracket = [](char letter) { return letter == '[' || letter == ']'; };
    if (allele.find_first_of("[]") != std::string_view::npos)
        return is_bracket(allele.front()) != is_bracket(allele.back());
    return allele.size() > 1 && (allele.front() == '.') != (allele.back() == '.');
}

/// Column `index` of a line that htslib has parsed, which puts a NUL after each column in its buffer.
std::string_view parsed_column(const kstring_t& line, int index) {
    const char* at = line.s;
    const char* const end = line.s + line.l;
    while (index > 0 && at < end) {
        at += std::strlen(at) + 1;
        --index;
    }
    return at < end ? std::string_view(at) : std::string_view();
}

bool is_number(std::string_view text) {
    double value = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    return std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size();
}

}  // namespace

struct Reader::State {
    const Reference& reference;
    std::string name;
    std::unique_ptr<LineReader> lines;  ///< of VCF: htslib would read a line of any length
    kstring_t line = {0, 0, nullptr};   ///< of VCF, as htslib takes it
    htsFile* file = nullptr;            ///< of BCF
    bcf_hdr_t* header = nullptr;
    bcf1_t* record = nullptr;
    int32_t* genotypes = nullptr;
    int genotypes_size = 0;
    int32_t* depths = nullptr;
    int depths_size = 0;
    int sample = -1;
    std::vector<std::string> samples;
    uint64_t records = 0;

    State(const std::string& path, const Reference& genome)
        : reference(genome), name(path == "-" ? "stdin" : path) {
        try {
            open(path);
        } catch (...) {
            release();
            throw;
        }
    }
    ~State() { release(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void release() {
        std::free(genotypes);
        std::free(depths);
        if (record != nullptr) bcf_destroy(record);
        if (header != nullptr) bcf_hdr_destroy(header);
        if (file != nullptr) hts_close(file);
        std::free(line.s);
    }
    void read_text_header();
    void check_binary_header();
    int read_record();
    void open(const std::string& path);
    bool next();
    void check_numbers() const;
    void read_position(Site& site);
    void read_alleles(Site& site);
    void read_genotype(Site& site);
    void read_depth(Site& site);
    [[noreturn]] void refuse(const std::string& cause) const { throw_malformed(name, records, cause); }
};

void Reader::State::open(const std::string& path) {
    auto stream = std::make_unique<InputStream>(path);
    const InputStream::Variants kind = require_variants(*stream);
    if (kind == InputStream::Variants::vcf) {
        lines = std::make_unique<LineReader>(std::move(stream), k_max_line_bytes);
        read_text_header();
    } else {
        hFILE* const raw = stream->release();
        file = hts_hopen(raw, name.c_str(), "r");
        if (file == nullptr) {
            hclose_abruptly(raw);
            throw_malformed(name, "cannot be read as VCF or BCF");
        }
        check_binary_header();
        header = bcf_hdr_read(file);
    }
    if (header == nullptr) refuse_header(name);
    record = bcf_init();
    if (record == nullptr) throw std::bad_alloc();
    for (int i = 0; i < bcf_hdr_nsamples(header); ++i) samples.emplace_back(header->samples[i]);
}

/// Of a BCF in BGZF, whose first block is read and stays where the header is read from.
void Reader::State::check_binary_header() {
    constexpr int k_magic_bytes = 5;
    if (hts_get_format(file)->compression != ::bgzf) return;
    BGZF& blocks = *file->fp.bgzf;
    uint32_t bytes = 0;
    if (bgzf_read_block(&blocks) != 0 || blocks.block_length < k_magic_bytes + 4) return;
    std::memcpy(&bytes, static_cast<const uint8_t*>(blocks.uncompressed_block) + k_magic_bytes, sizeof bytes);
    check_header_bytes(name, bytes);
    require_memory(name, "its header", bytes * k_header_growth);
}

/// Up to the line that begins with #CHROM; no header where there is none, or it is damaged.
void Reader::State::read_text_header() {
    std::string text;
    uint64_t count = 0;
    for (std::string_view next; lines->read(next) && next.starts_with('#');) {
        if (next.ends_with('\r')) next.remove_suffix(1);
        text.append(next) += '\n';
        ++count;
        check_header_bytes(name, text.size());
        if (next.starts_with("##")) continue;
        require_memory(name, "its header of " + std::to_string(count) + " lines",
                       count * k_variant_line_bytes);
        header = bcf_hdr_init("r");
        if (header == nullptr) throw std::bad_alloc();
        if (bcf_hdr_parse(header, text.data()) != 0) {
            bcf_hdr_destroy(header);
            header = nullptr;
        }
        return;
    }
}

/// As bcf_read: 0, -1 at the end, less where the record is damaged. An empty line of VCF gives 0 and `line`
/// empty.
int Reader::State::read_record() {
    if (!lines) return bcf_read(file, header, record);
    std::string_view next;
    if (!lines->read(next)) return -1;
    if (next.ends_with('\r')) next.remove_suffix(1);
    line.l = 0;
    if (kputsn(next.data(), next.size(), &line) < 0) throw std::bad_alloc();
    return next.empty() ? 0 : vcf_parse(&line, header, record);
}

void Reader::State::read_position(Site& site) {
    const char* contig = bcf_seqname_safe(header, record);
    const auto found = reference.find(contig);
    if (!found) {
        throw Error(ErrorKind::reference_mismatch, name + ": record " + std::to_string(records) + ": " +
                                                       unknown_contig_message(contig, reference));
    }
    site.contig = *found;
    site.position = record->pos;
    const uint64_t length = reference.contigs()[*found].length;
    const size_t span = std::strlen(record->d.allele[0]);
    if (static_cast<uint64_t>(site.position) + span > length) {
        refuse("at " + std::string(contig) + ":" + std::to_string(site.position + 1) +
               " reaches past the end of the contig (" + std::to_string(length) + " bp)");
    }
}

void Reader::State::read_alleles(Site& site) {
    site.alleles.resize(static_cast<size_t>(record->n_allele));
    for (size_t i = 0; i < site.alleles.size(); ++i) {
        std::string& allele = site.alleles[i];
        allele = record->d.allele[i];
        if (allele.empty() || allele == ".") refuse("has an empty allele");
        if (i != 0 && is_symbolic(allele)) continue;
        to_upper(allele);
        const size_t bad = allele.find_first_not_of("ACGTN");
        if (bad != std::string::npos)
            refuse("its allele '" + allele + "' holds '" + allele[bad] + "': alleles are A, C, G, T and N");
    }
    const std::string& ref = site.alleles[0];
    const auto begin = static_cast<uint64_t>(site.position);
    const std::string ours = reference.letters(site.contig, begin, begin + ref.size());
    for (size_t i = 0; i < ref.size(); ++i) {
        const bool ambiguous = k_base_of_letter[static_cast<uint8_t>(ours[i])] == k_base_n;
        if (ref[i] == ours[i] || (ref[i] == 'N' && ambiguous) || (ours[i] == 'U' && ref[i] == 'T')) continue;
        throw Error(ErrorKind::reference_mismatch, name + ": record " + std::to_string(records) +
                                                       ": REF of " + reference.contigs()[site.contig].name +
                                                       ":" + std::to_string(site.position + 1) +
                                                       " is not the reference's: '" + ref + "' against '" +
                                                       ours + "'; give the reference that it was called on");
    }
}

void Reader::State::read_genotype(Site& site) {
    site.genotype = {-1, -1};
    site.ploidy = 2;
    site.phased = site.has_genotype = false;
    if (sample < 0) return;
    const int count = bcf_get_genotypes(header, record, &genotypes, &genotypes_size);
    if (count <= 0) {
        // Records of a file with genotypes may leave theirs out: unknown, as "./." is.
        site.has_genotype =
            bcf_hdr_idinfo_exists(header, BCF_HL_FMT, bcf_hdr_id2int(header, BCF_DT_ID, "GT"));
        return;
    }
    const int ploidy = count / bcf_hdr_nsamples(header);
    const int32_t* values = genotypes + static_cast<std::ptrdiff_t>(sample) * ploidy;
    int alleles = 0;
    for (int i = 0; i < ploidy && values[i] != bcf_int32_vector_end; ++i, ++alleles) {
        if (i >= 2) refuse("has a genotype of more than two alleles: only diploid and haploid ones are read");
        const int allele = bcf_gt_is_missing(values[i]) ? -1 : bcf_gt_allele(values[i]);
        if (allele >= static_cast<int>(record->n_allele)) {
            refuse("its genotype names allele " + std::to_string(allele) + " of " +
                   std::to_string(record->n_allele));
        }
        site.genotype[static_cast<size_t>(i)] = allele;
        site.phased = i == 1 && bcf_gt_is_phased(values[i]);
    }
    if (alleles == 1) {
        site.ploidy = 1;
        site.genotype[1] = site.genotype[0];
    }
    site.has_genotype = alleles != 0;
}

void Reader::State::read_depth(Site& site) {
    site.depth = -1;
    if (sample < 0) return;
    const int count = bcf_get_format_int32(header, record, "DP", &depths, &depths_size);
    if (count != bcf_hdr_nsamples(header)) return;  // absent, or not one value a sample
    const int32_t value = depths[sample];
    if (value != bcf_int32_missing && value >= 0) site.depth = value;
}

Reader::Reader(const std::string& path, const Reference& reference, const std::string& sample)
    : state_(std::make_unique<State>(path, reference)) {
    State& s = *state_;
    if (!s.samples.empty()) s.sample = 0;
    if (sample.empty()) return;
    const auto found = std::find(s.samples.begin(), s.samples.end(), sample);
    if (found == s.samples.end()) throw Error(ErrorKind::usage, s.name + ": has no sample '" + sample + "'");
    s.sample = static_cast<int>(found - s.samples.begin());
}

Reader::~Reader() = default;

const std::vector<std::string>& Reader::samples() const { return state_->samples; }

/// The next record with a position on its contig: blank lines, and records at position 0 (telomeres, which
/// have no bases), are passed over.
bool Reader::State::next() {
    for (;;) {
        record->errcode = 0;
        const int result = read_record();
        if (result == -1) return false;
        ++records;
        if (result < -1) refuse("is not a valid VCF record, or the file is cut inside it");
        if (lines && line.l == 0) continue;
        if ((record->errcode & k_fatal_errors) != 0) refuse("is not a valid VCF record");
        if (static_cast<int>(record->n_sample) != bcf_hdr_nsamples(header))
            refuse("ends before the columns of the samples that the header names");
        if (lines) check_numbers();
        if (record->pos < -1) refuse("its position is negative");
        if (record->pos >= 0) return true;
    }
}

/// htslib reads what is not a number as 0.
void Reader::State::check_numbers() const {
    const std::string_view position = parsed_column(line, 1);
    if (position.empty() || position.find_first_not_of("0123456789") != std::string_view::npos) {
        refuse("its position '" + std::string(position) + "' is not a number");
    }
    const std::string_view quality = parsed_column(line, 5);
    if (quality != "." && !is_number(quality))
        refuse("its quality '" + std::string(quality) + "' is not a number");
}

bool Reader::read(Site& site) {
    State& s = *state_;
    if (!s.next()) return false;
    if (bcf_unpack(s.record, BCF_UN_ALL) < 0) s.refuse("is damaged");
    if (s.record->n_allele == 0) s.refuse("has no REF");
    site.record = s.records;
    site.id = std::strcmp(s.record->d.id, ".") == 0 ? "" : s.record->d.id;
    s.read_position(site);
    s.read_alleles(site);
    s.read_genotype(site);
    s.read_depth(site);
    site.quality = bcf_float_is_missing(s.record->qual) ? -1 : s.record->qual;
    const auto pass = bcf_has_filter(s.header, s.record, const_cast<char*>("PASS"));
    site.pass = s.record->d.n_flt == 0 || pass == 1;
    return true;
}

}  // namespace gannet::data::vcf
