// SPDX-License-Identifier: MIT
// Provides the gVCFs of a cohort, read side by side in windows.
#pragma once

#include "data/gvcf_record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/vcf/gvcf_reader.hpp"
#include "variants/cohort/sample_window.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gannet::pipeline {

/// Holds of each sample what a window needs, and no more. Where there are more gVCFs than files may be open,
/// some are closed after each window and opened again for the next one.
class JointSources {
  public:
    /// Opens all files and reads their headers. `max_open`: files open at once; 0: what the process may have,
    /// whose limit is raised as far as the system allows. Throws what GvcfReader throws, and Error(usage)
    /// where two files are of the same sample.
    JointSources(const std::vector<std::string>& paths, const data::Reference& reference, size_t threads,
                 size_t max_open);

    const std::vector<std::string>& samples() const { return names_; }
    const std::vector<variants::cohort::SampleWindow>& windows() const { return windows_; }
    /// Begins with another region; they are given in order. `jump`: by the files' indexes, where they have
    /// one; without it all records before the region are read and checked.
    void go_to(const data::Region& region, bool jump);
    /// The first position from `position` on of which a record that is held, or the next one of a file, may
    /// say something; the end of the contig where there is none.
    int64_t next_position(uint32_t contig, int64_t position) const;
    /// Makes windows() hold every record that says something of positions [begin, end).
    void load(uint32_t contig, int64_t begin, int64_t end);
    uint64_t records() const;
    /// Files whose records, as far as they were read, say nowhere how certain the reference is: no gVCFs.
    std::vector<std::string> without_reference() const;
    /// Files without any record on contigs on which others have some, as far as they were read; and these.
    std::vector<std::pair<std::string, std::vector<uint32_t>>> without_contigs() const;
    /// Files whose records hold some bases of a contig, but less than half of what those of another file hold
    /// of it, as far as they were read; and these contigs. Without those of without_reference().
    std::vector<std::pair<std::string, std::vector<uint32_t>>> with_parts_of_contigs() const;
    /// A file of each model of gannet's caller among the gVCFs, in their order.
    std::vector<std::string> of_each_caller_model() const;

  private:
    struct Source {
        std::unique_ptr<data::vcf::GvcfReader> reader;
        data::GvcfRecord next;  ///< read, but not yet in the window
        bool has_next = false;
        uint64_t records = 0;
        bool knows_reference = false;  ///< a record says how certain the reference is
        std::vector<bool> contigs;     ///< that it has records on
        std::vector<int64_t> covered;  ///< by contig: bases that its records hold
        int64_t covered_to = 0;        ///< end of what was counted on the contig that is read
    };
    void advance(size_t index);
    void load_one(size_t index, uint32_t contig, int64_t begin, int64_t end);
    void rest(size_t index);

    const data::Reference& reference_;
    size_t threads_;
    size_t kept_open_ = 0;  ///< the first so many files stay open
    std::vector<Source> sources_;
    std::vector<std::string> names_;
    std::vector<variants::cohort::SampleWindow> windows_;
    uint32_t contig_ = 0;
};

}  // namespace gannet::pipeline
