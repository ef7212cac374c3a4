// SPDX-License-Identifier: MIT
// Provides the checks and locks of a job's files.
#include "pipeline/jobs/job_files.hpp"

#include "align/index/index.hpp"
#include "data/error.hpp"
#include "data/index_names.hpp"
#include "data/output_file.hpp"
#include "data/output_path.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/log.hpp"

#include <climits>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using data::OutputPath;

/// What a path leads to, through all links. Devices and pipes have no identity: they may be used twice.
struct Identity {
    bool exists = false;
    bool regular = false;
    dev_t device = 0;
    ino_t inode = 0;
    std::string path;  ///< canonical
};

Identity identity_of(const std::string& path, int standard_descriptor) {
    Identity identity;
    struct stat status {};
    const int found = path == "-" ? fstat(standard_descriptor, &status) : stat(path.c_str(), &status);
    identity.exists = found == 0;
    identity.regular = identity.exists && S_ISREG(status.st_mode);
    identity.device = status.st_dev;
    identity.inode = status.st_ino;
    return identity;
}

Identity identity_of_input(const std::string& path) {
    Identity identity = identity_of(path, STDIN_FILENO);
    if (path == "-") return identity;
    if (!identity.exists && errno == ELOOP) throw_not_found(path, ELOOP);
    // Where an output of this path would go: that must not be this input, even if it does not exist.
    const OutputPath target = data::resolve_output(path);
    if (target.kind == OutputPath::Kind::file) identity.path = target.path;
    return identity;
}

Identity identity_of_output(const std::string& path) {
    Identity identity = identity_of(path, STDOUT_FILENO);
    const OutputPath target = data::resolve_output(path);
    if (target.kind == OutputPath::Kind::file) identity.path = target.path;
    // Two outputs in one stream are as bad as in one file, but for /dev/null and its like.
    struct stat status {};
    if (target.kind == OutputPath::Kind::descriptor && fstat(target.descriptor, &status) == 0 &&
        !S_ISCHR(status.st_mode)) {
        identity.path = "descriptor " + std::to_string(target.descriptor);
    }
    return identity;
}

bool same(const Identity& a, const Identity& b) {
    if (!a.path.empty() && a.path == b.path) return true;
    return a.regular && b.regular && a.device == b.device && a.inode == b.inode;
}

std::string shown(const std::string& what, const std::string& path, const char* standard) {
    return what + " " + (path == "-" ? standard : path);
}

/// Refused before anything is written, not after hours, when the file gets its name.
void check_length_of_name(const std::string& path) {
    const OutputPath target = data::resolve_output(path);
    if (target.kind != OutputPath::Kind::file) return;
    const size_t letters = fs::path(target.path).filename().string().size();
    if (letters + data::PartialFile::k_more_letters <= NAME_MAX &&
        target.path.size() + data::PartialFile::k_more_letters < PATH_MAX)
        return;
    throw data::Error(data::ErrorKind::usage,
                      path + ": its name is too long for a file that is being written, which has " +
                          std::to_string(data::PartialFile::k_more_letters) +
                          " letters more: choose a shorter one");
}

void report_leftovers(const data::OutputLock& lock, const std::string& path) {
    for (const std::string& name : lock.remove_leftovers(path)) {
        log_info("removed " + name + ", left by a run that was killed");
    }
}

}  // namespace

void check_names_of_samples(const std::string& folder, const std::string& sample, bool has_gvcf) {
    constexpr std::string_view k_of_gvcf = ".g";
    std::error_code ignored;
    const auto is_run = [&](const std::string& name) {
        return fs::exists(fs::path(folder) / (name + ".run.json"), ignored);
    };
    const auto refuse = [&](const std::string& file, const std::string& other, const char* is,
                            const char* would_be) {
        throw data::Error(data::ErrorKind::output_failed,
                          (fs::path(folder) / file).string() + ": is the " + is + " of sample " + other +
                              " and would be the " + would_be + " of sample " + sample +
                              ": choose another folder (-o)");
    };
    if (has_gvcf && is_run(sample + ".g")) refuse(sample + ".g.vcf.gz", sample + ".g", "VCF", "gVCF");
    if (!sample.ends_with(k_of_gvcf) || is_run(sample)) return;
    const std::string other = sample.substr(0, sample.size() - k_of_gvcf.size());
    if (is_run(other) && fs::exists(fs::path(folder) / (sample + ".vcf.gz"), ignored))
        refuse(sample + ".vcf.gz", other, "gVCF", "VCF");
}

JobFiles& JobFiles::reads(const std::string& path, const std::string& what) {
    if (!path.empty()) inputs_.push_back({path, what});
    return *this;
}

JobFiles& JobFiles::reads_fasta(const std::string& fasta) {
    if (fasta.empty()) return *this;
    reads(fasta, "the reference");
    for (const char* suffix : {".fai", ".gzi", ".alt"}) reads(fasta + suffix, "a file of the reference,");
    return *this;
}

JobFiles& JobFiles::reads_reference(const std::string& fasta, const std::string& index,
                                    const std::string& fallback_folder) {
    if (fasta.empty()) return *this;
    reads_fasta(fasta);
    const std::string what = "the index of the reference,";
    if (!index.empty()) return reads(index, what);
    const std::string beside = align::default_index_path(fasta);
    if (!fallback_folder.empty()) {
        reads((fs::path(fallback_folder) / fs::path(beside).filename()).string(), what);
    }
    return reads(beside, what);
}

JobFiles& JobFiles::reads_alternates(const std::string& alt) {
    return alt == "none" ? *this : reads(alt, "--alt");
}

JobFiles& JobFiles::reads_lanes(const InputOptions& options, const Inputs& inputs) {
    reads(options.lanes_file, "--lanes");
    for (const std::string& file : inputs.files()) reads(file, "the reads");
    return reads_alternates(options.alt);
}

JobFiles& JobFiles::reads_model(const ScorerOptions& options) {
    if (options.model.empty()) return *this;
    return reads(options.model, "--model")
        .reads(fs::path(options.model).replace_extension(".json").string(), "the manifest of --model,");
}

JobFiles& JobFiles::reads_ploidy(const PloidyOptions& options) {
    return reads(options.par, "--par").reads(options.file, "--ploidy");
}

JobFiles& JobFiles::reads_with_indexes(const std::string& path, const std::string& what) {
    reads(path, what);
    if (path.empty() || path == "-") return *this;
    for (const std::string& name : data::index_names_of(path)) reads(name, "an index of " + what);
    return *this;
}

JobFiles& JobFiles::reads_indexed_variants(const std::string& path, const std::string& what) {
    if (path.empty()) return *this;
    inputs_.push_back({path, what, true});
    return reads_with_indexes(path, what);
}

JobFiles& JobFiles::writes(const std::string& path, const std::string& what) {
    return writes_before(path, path, what);
}

JobFiles& JobFiles::writes(const ResourceOptions& resources) {
    return writes(resources.trace, "--trace").writes(resources.log.file, "--log");
}

JobFiles& JobFiles::writes_indexed(const std::string& path, const std::string& what, bool makes_index) {
    if (path.empty()) return *this;
    writes(path, what);
    if (data::is_written_in_place(path)) return *this;
    outputs_.back().has_index = makes_index && (path.ends_with(".bam") || path.ends_with(".cram") ||
                                                path.ends_with(".gz") || path.ends_with(".bcf"));
    for (const std::string& name : data::index_names_of(path))
        may_write_before(path, name, "the index of " + what);
    return *this;
}

JobFiles& JobFiles::writes_before(const std::string& last, const std::string& path, const std::string& what) {
    if (!path.empty()) outputs_.push_back({path, what, last, true});
    return *this;
}

JobFiles& JobFiles::may_write_before(const std::string& last, const std::string& path,
                                     const std::string& what) {
    if (!path.empty()) outputs_.push_back({path, what, last, false});
    return *this;
}

std::vector<std::string> JobFiles::outputs() const {
    std::vector<std::string> paths;
    for (const Output& output : outputs_) {
        if (output.is_certain) paths.push_back(output.path);
    }
    return paths;
}

bool JobFiles::has_index(const std::string& path) const {
    return std::any_of(outputs_.begin(), outputs_.end(),
                       [&](const Output& output) { return output.path == path && output.has_index; });
}

std::vector<std::string> JobFiles::existing_outputs() const {
    std::vector<std::string> paths;
    std::error_code fault;
    for (const Output& output : outputs_) {
        if (fs::is_regular_file(output.path, fault)) paths.push_back(output.path);
    }
    return paths;
}

void JobFiles::check() const {
    std::vector<Identity> inputs;
    std::vector<Identity> outputs;
    for (const Input& input : inputs_) {
        if (input.path == "-") check_standard_input();
        if (input.is_no_pipe) check_no_pipe(input.path);
        inputs.push_back(identity_of_input(input.path));
    }
    for (const Output& output : outputs_) {
        check_length_of_name(output.path);
        outputs.push_back(identity_of_output(output.path));
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
        const std::string name = shown(outputs_[i].what, outputs_[i].path, "(standard output)");
        for (size_t k = 0; k < inputs_.size(); ++k) {
            if (!same(outputs[i], inputs[k])) continue;
            throw data::Error(data::ErrorKind::usage,
                              name + " would be written over " +
                                  shown(inputs_[k].what, inputs_[k].path, "(standard input)") +
                                  ": choose another output");
        }
        for (size_t k = 0; k < i; ++k) {
            if (!same(outputs[i], outputs[k])) continue;
            throw data::Error(data::ErrorKind::usage,
                              name + " and " +
                                  shown(outputs_[k].what, outputs_[k].path, "(standard output)") +
                                  " are the same file: choose two");
        }
    }
}

OutputLocks JobFiles::lock() const {
    check();
    std::map<std::string, std::vector<std::string>> covered;  // by path of the locked output, in order
    for (const Output& output : outputs_) {
        if (output.path == output.locked_by) check_writable(output.path);
        const OutputPath lock = data::resolve_output(output.locked_by);
        const OutputPath target = data::resolve_output(output.path);
        if (lock.kind != OutputPath::Kind::file || target.kind != OutputPath::Kind::file) continue;
        covered[data::without_index_ending(lock.path)].push_back(target.path);
    }
    OutputLocks locks;
    std::set<std::string> folders_without_locks;
    for (const auto& [path, files] : covered) {
        locks.emplace_back(path);
        if (!locks.back().supported()) folders_without_locks.insert(folder_of(path));
        for (const std::string& file : files) report_leftovers(locks.back(), file);
    }
    for (const std::string& folder : folders_without_locks) {
        log_warning(folder + ": this file system has no locks: start no second run with the same output");
    }
    return locks;
}

data::OutputLock lock_index(const std::string& path) {
    const std::string target = data::resolve_output(path).path;
    data::OutputLock lock(data::without_index_ending(target), [&path](const std::string& holder) {
        log_info("waiting for the index " + path + ", which is being built by " + holder);
    });
    report_leftovers(lock, target);
    return lock;
}

}  // namespace gannet::pipeline
