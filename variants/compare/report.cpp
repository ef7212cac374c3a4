// SPDX-License-Identifier: MIT
// Provides the comparison's result for a person (table) and for a program (JSON).
#include "variants/compare/compare.hpp"

#include <cstdio>

namespace gannet::variants::compare {
namespace {

double share(uint64_t part, uint64_t rest) {
    return part + rest == 0 ? 0 : static_cast<double>(part) / static_cast<double>(part + rest);
}

std::string row(const char* kind, const char* match, const Counts& counts) {
    char text[160];
    std::snprintf(text, sizeof text, "%-6s %-9s %9llu %9llu %9llu %9llu %10.4f %8.4f %8.4f\n", kind, match,
                  static_cast<unsigned long long>(counts.truth_matched),
                  static_cast<unsigned long long>(counts.truth_missed),
                  static_cast<unsigned long long>(counts.calls_right),
                  static_cast<unsigned long long>(counts.calls_wrong), counts.precision(), counts.recall(),
                  counts.f1());
    return text;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string json_counts(const Counts& counts) {
    char text[256];
    std::snprintf(
        text, sizeof text,
        "{\"truth_matched\": %llu, \"truth_missed\": %llu, \"calls_right\": %llu, \"calls_wrong\": %llu, "
        "\"precision\": %.6f, \"recall\": %.6f, \"f1\": %.6f}",
        static_cast<unsigned long long>(counts.truth_matched),
        static_cast<unsigned long long>(counts.truth_missed),
        static_cast<unsigned long long>(counts.calls_right),
        static_cast<unsigned long long>(counts.calls_wrong), counts.precision(), counts.recall(),
        counts.f1());
    return text;
}

}  // namespace

double Counts::precision() const { return share(calls_right, calls_wrong); }
double Counts::recall() const { return share(truth_matched, truth_missed); }
double Counts::f1() const {
    const double sum = precision() + recall();
    return sum > 0 ? 2 * precision() * recall() / sum : 0;
}

std::string repeated_text(uint64_t repeated_records) {
    return std::to_string(repeated_records) + (repeated_records == 1 ? " record is" : " records are") +
           " there twice, with the same position, alleles and genotype: counted once";
}

std::string to_table(const Result& result) {
    char head[160];
    std::snprintf(head, sizeof head, "%-6s %-9s %9s %9s %9s %9s %10s %8s %8s\n", "kind", "match", "found",
                  "missed", "right", "wrong", "precision", "recall", "F1");
    return head + row("SNP", "genotype", result.snp) + row("SNP", "allele", result.snp_allele) +
           row("INDEL", "genotype", result.indel) + row("INDEL", "allele", result.indel_allele);
}

std::string to_json(const Result& result, const Options& options) {
    char quality[32];
    std::snprintf(quality, sizeof quality, "%g", options.minimum_quality);
    std::string text =
        "{\n  \"truth\": " + quoted(options.truth) + ",\n  \"calls\": " + quoted(options.calls);
    text +=
        ",\n  \"reference\": " + quoted(options.reference) + ",\n  \"targets\": " + quoted(options.targets);
    text += std::string(",\n  \"pass_only\": ") + (options.pass_only ? "true" : "false");
    text += std::string(",\n  \"minimum_quality\": ") + quality;
    text += ",\n  \"skipped_alleles\": " + std::to_string(result.skipped_alleles);
    text += ",\n  \"genotype\": {\"snp\": " + json_counts(result.snp) + ",\n               \"indel\": ";
    text += json_counts(result.indel) + "},\n  \"allele\": {\"snp\": " + json_counts(result.snp_allele);
    return text + ",\n             \"indel\": " + json_counts(result.indel_allele) + "}\n}\n";
}

}  // namespace gannet::variants::compare
