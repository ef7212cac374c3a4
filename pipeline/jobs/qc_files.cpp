// SPDX-License-Identifier: MIT
// Provides the files of quality control.
#include "pipeline/jobs/qc_files.hpp"

#include "data/bgzf/block.hpp"
#include "data/output_file.hpp"
#include "data/sha256.hpp"
#include "pipeline/jobs/text_output.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <system_error>

namespace gannet::pipeline {
namespace {

using qc::Origin;
using qc::QualityControl;

struct QcFile {
    const char* ending;
    std::string (*text)(const QualityControl& counted, const Origin& origin);
    /// Where it is written.
    enum class When { always, has_mates, has_targets, has_few_targets } when = When::always;
};
using When = QcFile::When;

bool is_written(const QcFile& file, const QualityControl& counted) {
    switch (file.when) {
        case When::has_mates:
            return counted.counts().cycles[qc::k_last].reads() > 0;
        case When::has_targets:
            return !counted.depth().targets().empty();
        case When::has_few_targets:
            return !counted.target_coverage().empty();
        default:
            return true;
    }
}

constexpr std::array<QcFile, 15> k_files{{
    {".stats",
     [](const QualityControl& counted, const Origin& origin) {
         return stats_text(counted.counts(), counted.depth(), counted.gc_depth(), origin);
     }},
    {".flagstat",
     [](const QualityControl& counted, const Origin&) { return flagstat_text(counted.counts()); }},
    {".idxstats", [](const QualityControl& counted,
                     const Origin&) { return idxstats_text(counted.counts(), counted.depth().reference()); }},
    {".insert_size_metrics", [](const QualityControl& counted,
                                const Origin& origin) { return insert_size_text(counted.counts(), origin); }},
    {".alignment_summary_metrics",
     [](const QualityControl& counted, const Origin& origin) {
         return alignment_summary_text(counted.counts(), origin);
     }},
    {".wgs_metrics",
     [](const QualityControl& counted, const Origin& origin) {
         return wgs_text(counted.counts(), counted.good_depth(), counted.depth().reference(), origin);
     }},
    {".gc_bias.detail_metrics",
     [](const QualityControl& counted, const Origin& origin) {
         return gc_bias_detail_text(counted.counts(), counted.gc_windows(), origin);
     }},
    {".gc_bias.summary_metrics",
     [](const QualityControl& counted, const Origin& origin) {
         return gc_bias_summary_text(counted.counts(), counted.gc_windows(), origin);
     }},
    {".mosdepth.global.dist.txt",
     [](const QualityControl& counted, const Origin&) {
         return mosdepth_distribution_text(counted.counts(), counted.depth());
     }},
    {".mosdepth.summary.txt",
     [](const QualityControl& counted, const Origin&) {
         return mosdepth_summary_text(counted.counts(), counted.depth());
     }},
    {".R1_fastqc.zip",
     [](const QualityControl& counted, const Origin& origin) {
         return fastqc_archive(counted.counts(), counted.sequences(), qc::k_first, origin);
     }},
    {".R2_fastqc.zip",
     [](const QualityControl& counted, const Origin& origin) {
         return fastqc_archive(counted.counts(), counted.sequences(), qc::k_last, origin);
     },
     When::has_mates},
    {".hs_metrics",
     [](const QualityControl& counted, const Origin& origin) {
         const std::string baits = std::filesystem::path(origin.targets).stem().string();
         return hs_text(counted.counts(), counted.target_coverage(), counted.depth(), baits, origin);
     },
     When::has_few_targets},
    {".mosdepth.region.dist.txt",
     [](const QualityControl& counted, const Origin&) {
         return mosdepth_region_distribution_text(counted.counts(), counted.depth());
     },
     When::has_targets},
    {".regions.bed.gz",
     [](const QualityControl& counted, const Origin&) {
         constexpr int k_level = 6;
         return data::bgzf::whole_file(mosdepth_regions_text(counted.depth()), k_level);
     },
     When::has_targets},
}};

}  // namespace

std::string targets_digest(std::span<const data::bed::Row> rows) {
    std::string text;
    for (const data::bed::Row& row : rows)
        text += std::to_string(row.region.contig) + ":" + std::to_string(row.region.begin) + "-" +
                std::to_string(row.region.end) + " " + row.name + "\n";
    if (text.empty()) return "";
    return " targets " + data::sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::vector<data::bed::Row> target_rows(const std::string& path, const data::Reference& reference) {
    return path.empty() ? std::vector<data::bed::Row>() : data::bed::load_rows(path, reference);
}

uint64_t qc_memory_bytes(std::span<const data::bed::Row> targets) {
    return qc::TargetCoverage::memory_bytes(data::bed::regions_of(targets));
}

QcFiles::QcFiles(const std::string& stem) {
    for (const QcFile& file : k_files) paths_.push_back(stem + file.ending);
}

void QcFiles::add_to(JobFiles& files, const std::string& what, bool has_targets,
                     const std::string& last) const {
    const std::string& covered_by = last.empty() ? paths_.front() : last;
    for (size_t i = 0; i < paths_.size(); ++i) {
        const When when = k_files[i].when;
        if ((when == When::has_targets || when == When::has_few_targets) && !has_targets)
            files.may_write_before(covered_by, paths_[i], what);
        else
            files.writes_before(covered_by, paths_[i], what);
    }
}

std::vector<std::string> QcFiles::certain_paths() const {
    std::vector<std::string> certain;
    for (size_t i = 0; i < paths_.size(); ++i)
        if (k_files[i].when == When::always) certain.push_back(paths_[i]);
    return certain;
}

bool QcFiles::exist() const {
    const std::vector<std::string> certain = certain_paths();
    return std::all_of(certain.begin(), certain.end(), [](const std::string& path) {
        std::error_code fault;
        return std::filesystem::is_regular_file(path, fault);
    });
}

void QcFiles::remove_old() const {
    for (const std::string& path : paths_) data::remove_old_file(path);
}

void QcFiles::write(const QualityControl& counted, const Origin& origin) const {
    // Side by side, since each waits for the disk; nothing else of the caller's arena is taken up meanwhile.
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(size_t{0}, paths_.size(), [&](size_t i) {
            if (is_written(k_files[i], counted))
                write_text_file(paths_[i], k_files[i].text(counted, origin));
            else
                data::remove_old_file(paths_[i]);
        });
    });
}

}  // namespace gannet::pipeline
