// SPDX-License-Identifier: MIT
// Provides the files of quality control.
#include "pipeline/jobs/qc_files.hpp"

#include "data/output_file.hpp"
#include "pipeline/jobs/text_output.hpp"

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
    bool of_mates = false;  ///< only written where there are second reads
};

constexpr std::array<QcFile, 9> k_files{{
    {".stats", [](const QualityControl& counted,
                  const Origin& origin) { return stats_text(counted.counts(), counted.depth(), origin); }},
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
         return fastqc_archive(counted.counts(), qc::k_first, origin);
     }},
    {".R2_fastqc.zip",
     [](const QualityControl& counted, const Origin& origin) {
         return fastqc_archive(counted.counts(), qc::k_last, origin);
     },
     true},
}};

}  // namespace

QcFiles::QcFiles(const std::string& stem) {
    for (const QcFile& file : k_files) paths_.push_back(stem + file.ending);
}

void QcFiles::add_to(JobFiles& files, const std::string& what, const std::string& last) const {
    for (const std::string& path : paths_)
        files.writes_before(last.empty() ? paths_.front() : last, path, what);
}

bool QcFiles::exist() const {
    std::error_code fault;
    for (size_t i = 0; i < paths_.size(); ++i) {
        if (!k_files[i].of_mates && !std::filesystem::is_regular_file(paths_[i], fault)) return false;
    }
    return true;
}

void QcFiles::remove_old() const {
    for (const std::string& path : paths_) data::remove_old_file(path);
}

void QcFiles::write(const QualityControl& counted, const Origin& origin) const {
    const bool has_mates = counted.counts().cycles[qc::k_last].reads() > 0;
    for (size_t i = 0; i < paths_.size(); ++i) {
        if (k_files[i].of_mates && !has_mates)
            data::remove_old_file(paths_[i]);
        else
            write_text_file(paths_[i], k_files[i].text(counted, origin));
    }
}

}  // namespace gannet::pipeline
