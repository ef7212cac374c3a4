// SPDX-License-Identifier: MIT
// Provides the optional fields of reads that are carried on to their alignment records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::data {

/// Whether a tag of the input is carried on. Not carried are tags that the aligner writes itself, that
/// describe an alignment or its mate, or that hold one value per base in the order of the input's strand (OQ,
/// BQ, E2, U2 and the like).
bool is_carried_tag(char first, char second);

/// Appends the fields of a FASTQ comment ("RX:Z:ACGT<tab>BC:Z:TTTT", SAM specification 1.5) to `out` as BAM
/// stores them; those that are not carried are left out, and so is a first field as Illumina writes it
/// ("1:N:0:ACGT"). An empty string, or what is wrong with the comment; a carried tag that is there twice is.
std::string append_sam_tags(std::string_view comment, std::vector<uint8_t>& out);

/// Appends those of the optional fields of a BAM record that are carried to `out`. False when they are
/// malformed, or one is there twice.
bool append_carried_tags(std::span<const uint8_t> tags, std::vector<uint8_t>& out);

}  // namespace gannet::data
