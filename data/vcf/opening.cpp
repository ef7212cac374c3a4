// SPDX-License-Identifier: MIT
// Provides the checks of the beginning of VCF and BCF.
#include "data/vcf/opening.hpp"

#include "data/error.hpp"

namespace gannet::data::vcf {

InputStream::Variants require_variants(const InputStream& stream) {
    const InputStream::Variants kind = stream.holds_variants();
    if (kind == InputStream::Variants::none)
        throw_malformed(stream.name(), "is not VCF or BCF: it does not begin with ##fileformat=VCF");
    if (stream.is_truncated_bgzf())
        throw_malformed(stream.name(), "truncated: its end-of-file marker is missing; copy or make it again");
    return kind;
}

void check_header_bytes(const std::string& name, uint64_t bytes) {
    if (bytes <= k_max_header_bytes) return;
    throw_malformed(
        name, "its header is longer than " + std::to_string(k_max_header_bytes >> 20) + " MiB, the limit");
}

void refuse_header(const std::string& name) {
    throw_malformed(name, "its header is damaged, or the #CHROM line is missing");
}

}  // namespace gannet::data::vcf
