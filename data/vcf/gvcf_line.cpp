// SPDX-License-Identifier: MIT
// Provides parsing of a gVCF's line.
#include "data/vcf/gvcf_line.hpp"

#include "data/error.hpp"
#include "data/letters.hpp"
#include "data/regions.hpp"
#include "data/sequence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace gannet::data::vcf {
namespace {

constexpr size_t k_max_alleles = 64;
constexpr int32_t k_max_likelihood = 1'000'000;

/// Cuts the text before the next `separator` off the front.
std::string_view next_part(std::string_view& rest, char separator) {
    const size_t end = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

bool is_unobserved(std::string_view allele) { return allele == "<*>" || allele == "<NON_REF>"; }

/// QUAL * 100, rounded down; digits beyond the second decimal do not count. -1 where it is none.
int32_t centi_of(std::string_view text) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || !(value >= 0)) return -1;
    return static_cast<int32_t>(std::min(value, 1e7) * 100);
}

}  // namespace

void GvcfLineParser::refuse(uint64_t number, const std::string& cause) const {
    if (number != 0) throw_malformed(path_, number, cause);
    throw_malformed(path_, "a record after the jump to a region " + cause);
}

int64_t GvcfLineParser::integer(std::string_view text, const GvcfRecord& record, const char* what) const {
    int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || fault != std::errc() || end != text.data() + text.size())
        refuse(record.number, std::string("its ") + what + " '" + std::string(text) + "' is not a number");
    return value;
}

void GvcfLineParser::read_contig(std::string_view name, const GvcfRecord& record) {
    if (name == contig_name_ && !contig_name_.empty()) return;
    const auto found = reference_.find(name);
    if (!found) {
        throw Error(ErrorKind::reference_mismatch, path_ + ": record " + std::to_string(record.number) +
                                                       ": " + unknown_contig_message(name, reference_));
    }
    contig_name_ = std::string(name);
    contig_ = *found;
}

void GvcfLineParser::read_alleles(std::string_view ref, std::string_view alts, GvcfRecord& record) const {
    record.alleles.resize(1);
    record.alleles[0] = std::string(ref);
    record.unobserved = -1;
    if (alts != ".") {
        while (!alts.empty()) record.alleles.emplace_back(next_part(alts, ','));
    }
    if (record.alleles.size() > k_max_alleles) refuse(record.number, "has more than 63 alternate alleles");
    for (size_t i = 0; i < record.alleles.size(); ++i) {
        std::string& allele = record.alleles[i];
        if (i > 0 && is_unobserved(allele)) {
            record.unobserved = static_cast<int>(i);
            continue;
        }
        if (i > 0 && (allele == "*" || (allele.size() > 2 && allele.front() == '<' && allele.back() == '>')))
            continue;
        to_upper(allele);
        if (allele.empty() || allele.find_first_not_of("ACGTN") != std::string::npos) {
            refuse(record.number,
                   "its allele '" + allele + "' is none of a gVCF: letters A, C, G, T, N, `*` or <ID>");
        }
    }
    record.is_block = record.alleles.size() == 1 || (record.alleles.size() == 2 && record.unobserved == 1);
}

void GvcfLineParser::check_reference(const GvcfRecord& record) const {
    const Contig& contig = reference_.contigs()[record.contig];
    if (record.end <= record.begin) refuse(record.number, "its END is before its POS");
    if (static_cast<uint64_t>(record.end) > contig.length) {
        refuse(record.number, "at " + contig.name + ":" + std::to_string(record.begin + 1) +
                                  " reaches past the end of the contig (" + std::to_string(contig.length) +
                                  " bp)");
    }
    const std::string& ref = record.alleles[0];
    std::array<Base, 256> ours{};
    for (size_t at = 0; at < ref.size(); at += ours.size()) {
        const size_t size = std::min(ours.size(), ref.size() - at);
        reference_.bases(record.contig, record.begin + static_cast<int64_t>(at), {ours.data(), size});
        for (size_t i = 0; i < size; ++i) {
            const Base theirs = k_base_of_letter[static_cast<uint8_t>(ref[at + i])];
            // GATK writes the code of an ambiguous base, we write N: either is as good as the other. The
            // letter of a block is not used.
            if (theirs == ours[i] || ours[i] == k_base_n || (theirs == k_base_n && record.is_block)) continue;
            throw Error(ErrorKind::reference_mismatch,
                        path_ + ": record " + std::to_string(record.number) + ": REF of " + contig.name +
                            ":" + std::to_string(record.begin + 1) +
                            " is not the reference's; give the reference that it was called on");
        }
    }
}

void GvcfLineParser::read_end(std::string_view info, GvcfRecord& record) const {
    record.end = record.begin + static_cast<int64_t>(record.alleles[0].size());
    if (!record.is_block) return;
    while (!info.empty()) {
        const std::string_view field = next_part(info, ';');
        if (field.starts_with("END=")) record.end = integer(field.substr(4), record, "END");
    }
}

void GvcfLineParser::read_layout(std::string_view format) {
    if (format == format_) return;
    format_ = std::string(format);
    layout_.clear();
    while (!format.empty()) {
        const std::string_view id = next_part(format, ':');
        layout_.push_back(id == "GT"       ? Field::genotype
                          : id == "GQ"     ? Field::quality
                          : id == "DP"     ? Field::depth
                          : id == "MIN_DP" ? Field::minimum_depth
                          : id == "AD"     ? Field::depths
                          : id == "PL"     ? Field::phred
                          : id == "PGT"    ? Field::phase
                          : id == "PS"     ? Field::phase_set
                                           : Field::other);
    }
}

/// Whether it is phased.
bool GvcfLineParser::read_genotype(std::string_view text, GvcfRecord& record) const {
    const bool is_phased = text.find('|') != std::string_view::npos;
    record.ploidy = 0;
    record.genotype = {-1, -1};
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of("/|"), text.size());
        const std::string_view allele = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (record.ploidy == 2) refuse(record.number, "has a genotype of more than two copies");
        int64_t value = -1;
        if (allele != ".") value = integer(allele, record, "genotype");
        if (value >= static_cast<int64_t>(record.alleles.size()) || value < -1)
            refuse(record.number, "its genotype names an allele that it does not have");
        record.genotype[static_cast<size_t>(record.ploidy++)] = static_cast<int>(value);
    }
    if (record.ploidy == 0) refuse(record.number, "has an empty genotype");
    return is_phased;
}

/// A list with a missing value counts as missing.
void GvcfLineParser::read_list(std::string_view text, std::vector<int32_t>& values, const GvcfRecord& record,
                               const char* what) const {
    while (!text.empty()) {
        const std::string_view part = next_part(text, ',');
        if (part == ".") {
            values.clear();
            return;
        }
        const int64_t value = integer(part, record, what);
        if (value < 0) refuse(record.number, std::string("its ") + what + " is negative");
        values.push_back(static_cast<int32_t>(std::min<int64_t>(value, k_max_likelihood)));
    }
}

void GvcfLineParser::read_sample(std::string_view text, GvcfRecord& record) const {
    record.ploidy = 2;
    record.genotype = {-1, -1};
    record.genotype_quality = record.depth = record.minimum_depth = record.phase_set = -1;
    bool is_phased = false;
    std::string_view phase;
    record.depths.clear();
    record.phred.clear();
    const auto one = [&](std::string_view value, const char* what) {
        if (value == ".") return -1;
        return static_cast<int32_t>(
            std::clamp<int64_t>(integer(value, record, what), 0, std::numeric_limits<int32_t>::max() / 2));
    };
    for (const Field field : layout_) {
        if (text.empty()) break;  // trailing fields may be left out
        const std::string_view value = next_part(text, ':');
        switch (field) {
            case Field::genotype:
                is_phased = read_genotype(value, record);
                break;
            case Field::quality:
                record.genotype_quality = one(value, "GQ");
                break;
            case Field::depth:
                record.depth = one(value, "DP");
                break;
            case Field::minimum_depth:
                record.minimum_depth = one(value, "MIN_DP");
                break;
            case Field::depths:
                read_list(value, record.depths, record, "AD");
                break;
            case Field::phred:
                read_list(value, record.phred, record, "PL");
                break;
            case Field::phase:
                phase = value;
                break;
            case Field::phase_set:
                record.phase_set = one(value, "PS");
                break;
            case Field::other:
                break;
        }
    }
    // The dialect of GATK, as we write it: the phase is in PGT alone.
    if (!is_phased && (phase == "0|1" || phase == "1|0") && record.genotype[0] == 0 &&
        record.genotype[1] > 0) {
        is_phased = true;
        if (phase == "1|0") std::swap(record.genotype[0], record.genotype[1]);
    }
    if (!is_phased) record.phase_set = -1;
    if (!text.empty()) refuse(record.number, "has more values than FORMAT names");
}

/// Checks the lengths of lists, and gives a block its likelihoods.
void GvcfLineParser::complete(GvcfRecord& record) const {
    const size_t alleles = record.alleles.size();
    // A missing genotype may be one dot whatever the ploidy.
    if (record.ploidy == 1 && record.genotype[0] < 0 && record.phred.size() > alleles) record.ploidy = 2;
    const size_t genotypes = record.ploidy == 1 ? alleles : alleles * (alleles + 1) / 2;
    if (!record.depths.empty() && record.depths.size() != alleles) {
        refuse(record.number, "has " + std::to_string(record.depths.size()) + " values of AD for " +
                                  std::to_string(alleles) + " alleles");
    }
    const bool is_reference = record.is_block && record.genotype[0] == 0;
    if (record.phred.empty() && is_reference && record.unobserved == 1 && record.genotype_quality >= 0) {
        record.phred.assign(genotypes, record.genotype_quality);  // as ReblockGVCF leaves them
        record.phred[0] = 0;
    }
    if (record.phred.empty() && !record.is_block && record.genotype[0] >= 0) {
        refuse(record.number,
               "has a genotype of alternate alleles but no PL, by which samples are joined: is "
               "this a gVCF as the caller wrote it?");
    }
    if (!record.phred.empty() && record.phred.size() != genotypes) {
        refuse(record.number, "has " + std::to_string(record.phred.size()) + " values of PL for " +
                                  std::to_string(genotypes) + " genotypes");
    }
}

void GvcfLineParser::parse(std::string_view line, GvcfRecord& record) {
    std::array<std::string_view, 10> columns;
    size_t count = 0;
    std::string_view rest = line;
    while (!rest.empty() && count < columns.size()) columns[count++] = next_part(rest, '\t');
    if (count != columns.size() || !rest.empty())
        refuse(record.number, "has not the ten columns of a VCF of one sample");
    read_contig(columns[0], record);
    record.contig = contig_;
    const int64_t position = integer(columns[1], record, "position");
    if (position < 1) refuse(record.number, "has a position below 1");
    record.begin = position - 1;
    read_alleles(columns[3], columns[4], record);
    record.quality_centi = centi_of(columns[5]);
    if (record.quality_centi < 0 && columns[5] != ".")
        refuse(record.number, "its quality '" + std::string(columns[5]) + "' is not a number");
    record.pass = columns[6] == "PASS" || columns[6] == ".";
    read_end(columns[7], record);
    check_reference(record);
    read_layout(columns[8]);
    read_sample(columns[9], record);
    complete(record);
}

}  // namespace gannet::data::vcf
