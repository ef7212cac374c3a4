// SPDX-License-Identifier: MIT
// Provides the layout of an index file, shared by its writer and its reader.
#pragma once

#include "align/index/index.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::align {

enum IndexSection : uint32_t {
    k_section_contigs,  ///< text: the FASTA's path, then a line a contig: name, length, offset, MD5 (tabs)
    k_section_runs,     ///< data::NonAcgtRun
    k_section_packed,   ///< uint64_t
    k_section_buckets,  ///< uint32_t, 2^bucket_bits + 1
    k_section_entries,  ///< IndexEntry
    k_section_count
};

inline constexpr std::array<const char*, k_section_count> k_section_names{"contigs", "runs", "packed",
                                                                          "buckets", "entries"};
inline constexpr char k_index_magic[8] = {'G', 'A', 'N', 'N', 'E', 'T', 'I', 'X'};
inline constexpr uint32_t k_index_byte_order = 0x01020304;

/// The first bytes of the file. Sections begin at multiples of 4096 bytes. `checksum` is XXH3 of what stands
/// before it.
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
        uint64_t checksum;
    } section[k_section_count];
    uint64_t file_size_bytes;
    uint64_t checksum;
};

/// Conversions that need Index's private parts.
struct IndexFile {
    /// Writes the file whole or not at all.
    static void write(const std::string& path, const data::Reference& reference,
                      const IndexParameters& parameters, uint32_t bucket_bits,
                      const std::vector<uint32_t>& buckets, const std::vector<IndexEntry>& entries);
    static std::shared_ptr<const Index> open(const std::string& path);
};

}  // namespace gannet::align
