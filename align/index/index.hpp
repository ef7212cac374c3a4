// SPDX-License-Identifier: MIT
// Provides the seed index of a reference: built once, stored in one file, memory-mapped by every run.
//
// The index is a sampled suffix array keyed by canonical k-mers. Sampled are the closed syncmers of the
// forward strand (kernels/seeds/syncmers.hpp). Entries are ordered by the k-mer's hash, then by the bases
// that follow it in its canonical direction (up to k_context_bases), then by position. A look-up gives the
// run of entries of a k-mer; in a long run, binary search with the read's own following bases finds those
// that share most of them: exact seeds of variable length, for both strands, with one scan of the read.
#pragma once

#include "align/index/source_file.hpp"
#include "data/reference.hpp"
#include "kernels/seeds/seed_index_view.hpp"
#include "kernels/seeds/seed_lookup.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace gannet::align {

struct IndexParameters {
    uint32_t kmer = 21;  ///< odd, 15 to 31
    uint32_t smer = 11;  ///< of the syncmers: 8..16, kmer - smer + 1 in 8..16; density 2 / (kmer - smer + 1)
};

inline constexpr uint32_t k_index_version = 3;
using kernels::k_context_bases;

struct BuildOptions {
    int threads = 1;            ///< changes no byte of the index
    uint64_t memory_bytes = 0;  ///< that the process may use; 0: no limit
    SourceFile source = {};     ///< the FASTA as it was before it was loaded
};

/// Builds the index of `reference` and writes it to `path` (partial file, fsync, rename; concurrent builds do
/// not disturb each other). Throws Error: usage (parameters), output_failed, disk_space, and host_memory with
/// the amount needed when that is more than `memory_bytes`. Memory: the reference, the entries (8 bytes for
/// every 5.5 bases), and 4 bytes for every block of buckets. Limits: 2^36 bases, 2^32 words of 8 bytes.
void build_index(const data::Reference& reference, const IndexParameters& parameters, const std::string& path,
                 const BuildOptions& options);

/// Default path of the index of a reference: REF.fa.gannet
std::string default_index_path(const std::string& reference_path);

/// One sampled position of the genome.
using IndexEntry = kernels::SeedEntry;

/// kernels::context_word() of a reference.
inline uint64_t context_word(std::span<const uint64_t> packed, IndexEntry entry, uint32_t k, uint32_t word) {
    return kernels::context_word(packed.data(), packed.size(), entry, k, word);
}

class IndexMapping;

/// The index in memory. Immutable; safe to share between threads.
class Index {
  public:
    /// Maps the file; checks the header, the table of checksums, and the checksums of contigs and non-ACGT
    /// runs. Error(reference_mismatch) with advice when the file cannot be opened or was written by another
    /// version, Error(malformed_input) when it is damaged or not an index.
    static std::shared_ptr<const Index> open(const std::string& path);
    /// Whether the file is an index that a gannet of another version of the format wrote. Throws like open()
    /// where the file cannot be opened.
    static bool is_of_another_version(const std::string& path);
    /// Reads the complete file on `threads` threads and compares all its checksums; Error(malformed_input)
    /// naming a section that differs. Reads through the descriptor rather than the mapping, so that a fault
    /// of the disk is an error and not a signal.
    void verify(int threads = 1) const;

    uint64_t size_bytes() const { return size_bytes_; }
    uint64_t header_checksum() const { return header_checksum_; }  ///< differs between any two indexes
    const SourceFile& source() const { return source_; }           ///< the FASTA that the index was made from
    const std::shared_ptr<const data::Reference>& reference() const { return reference_; }
    const IndexParameters& parameters() const { return parameters_; }
    /// What all views are of.
    const std::shared_ptr<const IndexMapping>& mapping() const { return mapping_; }

    /// As ops see it; valid as long as the index.
    kernels::SeedIndexView view() const {
        return {parameters_.kmer, parameters_.smer, bucket_shift_, blocks_.size(),
                blocks_.data(),   words_.data(),    words_.size()};
    }

    /// Entries of exactly the k-mer of `hash`.
    std::span<const IndexEntry> find(uint64_t hash) const {
        const kernels::SeedIndexView seeds = view();
        return kernels::entries_of(seeds, kernels::run_of(seeds, hash));
    }

  private:
    friend struct IndexFile;

    std::string path_;
    uint64_t size_bytes_ = 0;
    uint64_t header_checksum_ = 0;
    SourceFile source_;
    std::shared_ptr<const data::Reference> reference_;
    std::shared_ptr<const IndexMapping> mapping_;
    IndexParameters parameters_;
    unsigned bucket_shift_ = 0;
    std::span<const uint32_t> blocks_;
    std::span<const IndexEntry> words_;
};

}  // namespace gannet::align
