// SPDX-License-Identifier: MIT
// Provides reading of a cohort's gVCFs in windows.
#include "pipeline/jobs/joint_sources.hpp"

#include "data/error.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sys/resource.h>

namespace gannet::pipeline {
namespace {

/// Descriptors for everything that is not a gVCF.
constexpr size_t k_other_files = 64;
/// More open files than this cost more memory than opening them again costs time.
constexpr size_t k_max_open_files = 4096;

/// Raises the limit of this process to what the system allows it.
size_t allowed_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return k_other_files;
    const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, k_max_open_files + k_other_files);
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return static_cast<size_t>(std::min<rlim_t>(limit.rlim_cur, k_max_open_files + k_other_files));
}

}  // namespace

JointSources::JointSources(const std::vector<std::string>& paths, const data::Reference& reference,
                           size_t threads, size_t max_open)
    : reference_(reference), threads_(threads), sources_(paths.size()), windows_(paths.size()) {
    if (max_open == 0) {
        const size_t allowed = allowed_files();
        max_open = allowed - std::min(allowed, k_other_files);
    }
    // Each thread may have one file open that is closed again.
    kept_open_ = paths.size() <= max_open ? paths.size() : max_open - std::min(max_open, threads);
    data::for_each_index(threads_, paths.size(), [&](size_t i) {
        sources_[i].reader = std::make_unique<data::vcf::GvcfReader>(paths[i], reference_);
        sources_[i].contigs.resize(reference_.contigs().size(), false);
        sources_[i].covered.resize(reference_.contigs().size(), 0);
        rest(i);
    });
    std::map<std::string, size_t> seen;
    for (size_t i = 0; i < paths.size(); ++i) {
        names_.push_back(sources_[i].reader->sample());
        const auto [other, is_new] = seen.emplace(names_.back(), i);
        if (is_new) continue;
        throw data::Error(data::ErrorKind::usage, paths[i] + " and " + paths[other->second] +
                                                      " are of the same sample, " + names_.back() +
                                                      ": give each sample once, or rename one (bcftools "
                                                      "reheader -s)");
    }
}

void JointSources::rest(size_t index) {
    if (index >= kept_open_) sources_[index].reader->suspend();
}

void JointSources::advance(size_t index) {
    Source& source = sources_[index];
    source.has_next = source.reader->read(source.next);
    if (!source.has_next) return;
    ++source.records;
    const data::GvcfRecord& record = source.next;
    source.contigs[record.contig] = true;
    source.knows_reference = source.knows_reference || record.is_block || record.unobserved >= 0 ||
                             (record.genotype[0] == 0 && record.genotype[1] <= 0);
}

void JointSources::go_to(const data::Region& region, bool jump) {
    data::for_each_index(threads_, sources_.size(), [&](size_t i) {
        Source& source = sources_[i];
        if (jump && source.reader->seek(region.contig, region.begin, region.end)) {
            source.has_next = false;
            windows_[i].clear();
        } else if (region.contig != contig_) {
            windows_[i].clear();
        }
        if (region.contig != contig_) source.covered_to = 0;
        if (!source.has_next) advance(i);
        rest(i);
    });
    contig_ = region.contig;
}

int64_t JointSources::next_position(uint32_t contig, int64_t position) const {
    auto next = static_cast<int64_t>(reference_.contigs()[contig].length);
    for (const Source& source : sources_) {
        if (!source.has_next || source.next.contig > contig) continue;
        if (source.next.contig < contig) return position;
        next = std::min(next, source.next.begin - variants::cohort::k_max_left_shift_bp);
    }
    for (const variants::cohort::SampleWindow& window : windows_) {
        if (window.end() > position) return position;
    }
    return std::max(next, position);
}

void JointSources::load_one(size_t index, uint32_t contig, int64_t begin, int64_t end) {
    Source& source = sources_[index];
    variants::cohort::SampleWindow& window = windows_[index];
    window.drop_before(begin);
    const int64_t limit = end + variants::cohort::k_max_left_shift_bp;
    bool has_read = false;
    while (source.has_next &&
           (source.next.contig < contig || (source.next.contig == contig && source.next.begin < limit))) {
        const bool is_here = source.next.contig == contig && source.next.end > begin;
        if (is_here && source.next.end > source.covered_to) {
            source.covered[contig] += source.next.end - std::max(source.next.begin, source.covered_to);
            source.covered_to = source.next.end;
        }
        if (is_here && !window.add(source.next, reference_)) {
            const std::string cause = "several records at " + reference_.contigs()[contig].name + ":" +
                                      std::to_string(source.next.begin + 1) +
                                      " have an allele each: join them (bcftools norm -m +any)";
            data::throw_malformed(source.reader->path(), cause);
        }
        advance(index);
        has_read = true;
    }
    if (has_read) rest(index);
}

void JointSources::load(uint32_t contig, int64_t begin, int64_t end) {
    data::for_each_index(threads_, sources_.size(), [&](size_t i) { load_one(i, contig, begin, end); });
}

uint64_t JointSources::records() const {
    uint64_t records = 0;
    for (const Source& source : sources_) records += source.records;
    return records;
}

std::vector<std::string> JointSources::without_reference() const {
    std::vector<std::string> paths;
    for (const Source& source : sources_) {
        if (source.records > 0 && !source.knows_reference) paths.push_back(source.reader->path());
    }
    return paths;
}

std::vector<std::pair<std::string, std::vector<uint32_t>>> JointSources::without_contigs() const {
    std::vector<std::pair<std::string, std::vector<uint32_t>>> files;
    for (const Source& source : sources_) files.emplace_back(source.reader->path(), std::vector<uint32_t>());
    for (uint32_t contig = 0; contig < reference_.contigs().size(); ++contig) {
        if (std::none_of(sources_.begin(), sources_.end(),
                         [&](const Source& s) { return s.contigs[contig]; }))
            continue;
        for (size_t i = 0; i < files.size(); ++i) {
            if (!sources_[i].contigs[contig]) files[i].second.push_back(contig);
        }
    }
    std::erase_if(files, [](const auto& file) { return file.second.empty(); });
    return files;
}

std::vector<std::pair<std::string, std::vector<uint32_t>>> JointSources::with_parts_of_contigs() const {
    std::vector<std::pair<std::string, std::vector<uint32_t>>> files;
    for (const Source& source : sources_) files.emplace_back(source.reader->path(), std::vector<uint32_t>());
    for (uint32_t contig = 0; contig < reference_.contigs().size(); ++contig) {
        int64_t most = 0;
        for (const Source& source : sources_) most = std::max(most, source.covered[contig]);
        for (size_t i = 0; i < files.size(); ++i) {
            const Source& source = sources_[i];
            if (source.knows_reference && source.contigs[contig] && 2 * source.covered[contig] < most)
                files[i].second.push_back(contig);
        }
    }
    std::erase_if(files, [](const auto& file) { return file.second.empty(); });
    return files;
}

std::vector<std::string> JointSources::of_each_caller_model() const {
    std::set<std::string> models;
    std::vector<std::string> paths;
    for (const Source& source : sources_) {
        const std::string& model = source.reader->caller_model();
        if (!model.empty() && models.insert(model).second) paths.push_back(source.reader->path());
    }
    return paths;
}

}  // namespace gannet::pipeline
