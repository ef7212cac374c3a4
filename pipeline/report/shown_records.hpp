// SPDX-License-Identifier: MIT
// Provides the choice of the records that a report shows with their reads, the same for the caller, which
// keeps what the scorer saw of them, and for the report, which reads the finished VCF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gannet::pipeline::report {

/// Of the records that pass: those with the lowest GQ below k_usual_quality, and of the others those with the
/// lowest usual_key(); of equals the first ones of the VCF.
inline constexpr size_t k_doubtful_sites = 4;
inline constexpr size_t k_usual_sites = 2;
inline constexpr int32_t k_usual_quality = 25;
/// Beside them those with the lowest GQ of all that the network was asked about.
inline constexpr size_t k_scored_sites = 2;

/// FNV-1a of CHROM and POS as written, so that the choice depends on nothing but the site.
inline uint64_t usual_key(std::string_view contig, std::string_view position) {
    uint64_t hash = 14'695'981'039'346'656'037U;
    for (const std::string_view text : {contig, position}) {
        for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211U;
    }
    return hash >> 11;
}

}  // namespace gannet::pipeline::report
