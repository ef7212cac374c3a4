// SPDX-License-Identifier: MIT
// Provides the options of the gVCF.
#include "pipeline/cli/option_groups.hpp"

#include <algorithm>
#include <charconv>

namespace gannet::pipeline::cli {
namespace {

/// "10,20,60": where the bands of GQ begin, 1 to 99, ascending.
std::vector<int32_t> parse_bands(const std::string& text) {
    const auto refuse = [&text] {
        throw CLI::ValidationError("--gvcf-bands",
                                   text + " is not a list of ascending GQ from 1 to 99, such as 10,20,30,60");
    };
    std::vector<int32_t> bands;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        int32_t value = 0;
        const auto [end, fault] = std::from_chars(text.data() + at, text.data() + comma, value);
        if (fault != std::errc{} || end != text.data() + comma || value < 1 || value > 99 ||
            (!bands.empty() && value <= bands.back()))
            refuse();
        bands.push_back(value);
        at = comma + 1;
    }
    return bands;
}

std::string bands_text(const std::vector<int32_t>& bands) {
    std::string text;
    for (const int32_t band : bands) text += (text.empty() ? "" : ",") + std::to_string(band);
    return text;
}

}  // namespace

void add_gvcf_options(CLI::App& command, GvcfOptions& gvcf, bool has_default) {
    const std::string help =
        "write a gVCF too: variants, and blocks of positions without; .g.vcf.gz or .g.bcf "
        "(with index) or .g.vcf";
    CLI::Option* const option =
        command
            .add_option_function<std::string>(
                "--gvcf",
                [&gvcf](const std::string& path) {
                    gvcf.path = path;
                    gvcf.beside_vcf = path.empty();
                },
                has_default ? help + "; without FILE: SAMPLE.g.vcf.gz in the folder of -o" : help)
            ->group("Calling");
    option->excludes("--alleles");  // its records lack the likelihoods of a gVCF
    if (has_default)
        option->expected(0, 1)->type_name("[FILE]");
    else
        option->check(not_empty())->type_name("FILE");
    command
        .add_option_function<std::string>(
            "--gvcf-bands", [&gvcf](const std::string& text) { gvcf.bands = parse_bands(text); },
            "GQ at which a new block begins, ascending, 1-99 [" + bands_text(gvcf.bands) + "]")
        ->group("Calling")
        ->needs(option)
        ->type_name("GQ[,GQ...]");
    command
        .add_option_function<std::string>(
            "--gvcf-dialect",
            [&gvcf](const std::string& word) {
                gvcf.dialect = word == "gatk" ? data::vcf::GvcfDialect::gatk : data::vcf::GvcfDialect::vcf;
            },
            "vcf: the allele <*> as VCF 4.3 has it; gatk: <NON_REF> and the fields of GATK's GenotypeGVCFs "
            "[vcf]")
        ->group("Calling")
        ->needs(option)
        ->check(CLI::IsMember({"vcf", "gatk"}))
        ->type_name("DIALECT");
}

}  // namespace gannet::pipeline::cli
