// SPDX-License-Identifier: MIT
// Provides the layout of an index file, shared by its writer and its reader.
#pragma once

#include "align/index/index.hpp"
#include "kernels/seeds/seed_index_layout.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::align {

enum IndexSection : uint32_t {
    k_section_contigs,    ///< text: the FASTA's path, then one line per contig: name, length, offset, MD5
                          ///< (tabs)
    k_section_runs,       ///< data::NonAcgtRun
    k_section_packed,     ///< uint64_t
    k_section_blocks,     ///< uint32_t, 2^bucket_bits / 16: kernels::SeedIndexView
    k_section_words,      ///< uint64_t
    k_section_checksums,  ///< uint64_t: XXH3 of each block of the sections before it
    k_section_count
};

inline constexpr std::array<const char*, k_section_count> k_section_names{"contigs", "runs",  "packed",
                                                                          "blocks",  "words", "checksums"};
inline constexpr char k_index_magic[8] = {'G', 'A', 'N', 'N', 'E', 'T', 'I', 'X'};
inline constexpr uint32_t k_index_byte_order = 0x01020304;
/// Sections begin at multiples of it; the gaps are zero.
inline constexpr uint64_t k_index_alignment_bytes = 4096;
/// The file from the header's end to the checksums is cut into blocks of this size, the last one shorter.
/// Each has a checksum, gaps between sections included, so that every byte of the file is covered.
inline constexpr uint64_t k_index_block_bytes = uint64_t{1} << 20;

/// The first page of the file. Its last eight bytes are the XXH3 of those before them, in this version and
/// all later ones, so that a damaged header is never mistaken for another version's.
struct IndexHeader {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t kmer;
    uint32_t smer;
    uint32_t bucket_bits;
    uint32_t sections;
    struct Section {
        uint64_t offset;
        uint64_t size_bytes;
    } section[k_section_count];
    uint64_t file_size_bytes;
    uint64_t checksums_checksum;  ///< XXH3 of the section of checksums with the padding after it
    uint64_t source_size_bytes;   ///< SourceFile of the FASTA
    int64_t source_modified_ns;
    uint64_t source_sample_hash;
    uint8_t reserved[k_index_alignment_bytes - 32 - 16 * k_section_count - 6 * 8];  ///< zero
    uint64_t checksum;
};
static_assert(sizeof(IndexHeader) == k_index_alignment_bytes);
static_assert(offsetof(IndexHeader, checksum) == k_index_alignment_bytes - 8);

/// Conversions that need Index's private parts.
struct IndexFile {
    /// Writes the complete file, or none.
    static void write(const std::string& path, const data::Reference& reference,
                      const IndexParameters& parameters, uint32_t bucket_bits,
                      const kernels::SeedIndexLayout& layout, const SourceFile& source);
    static std::shared_ptr<const Index> open(const std::string& path);
};

}  // namespace gannet::align
