// SPDX-License-Identifier: MIT
// Provides checkpoint folders and their manifest.
#include "pipeline/jobs/checkpoint.hpp"

#include "data/error.hpp"
#include "data/output_file.hpp"
#include "data/saved_state.hpp"
#include "data/sha256.hpp"
#include "pipeline/build_info.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view k_first_line = "gannet checkpoint 1\n";
constexpr const char* k_manifest = "manifest";
constexpr size_t k_digest_bytes = 64;  // hexadecimal SHA-256 of all that follows

uint64_t fold(uint64_t hash, std::string_view text) {
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ull;  // FNV-1a
    return hash;
}
constexpr uint64_t k_fold_begin = 0xcbf29ce484222325ull;

std::string folder_name(const std::string& parent, const std::string& output) {
    check_temporary_parent(parent);
    const fs::path path = fs::absolute(data::resolve_output(output).path);
    struct stat status {};
    // Not the device, whose number may be another after a restart of the machine.
    const std::string inode =
        stat(path.parent_path().c_str(), &status) == 0 ? std::to_string(status.st_ino) : "";
    std::array<char, 9> digits;
    std::snprintf(digits.data(), digits.size(), "%08x",
                  static_cast<unsigned>(fold(fold(k_fold_begin, path.string()), "\n" + inode) & 0xffffffff));
    return (fs::path(parent) / (".gannet-checkpoint-" + path.filename().string() + "-" + digits.data()))
        .string();
}

std::string digest_of(std::string_view bytes) {
    return data::sha256({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

bool is_own_folder(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

/// The manifest first: what it describes must not be gone before it, also after a loss of power. Best effort:
/// it may be the end of a run that has all its outputs.
void remove_content(const std::string& folder) {
    std::error_code ignored;
    if (fs::remove(fs::path(folder) / k_manifest, ignored)) (void)data::sync_folder(folder);
    std::vector<fs::path> entries;
    fs::directory_iterator at(folder, ignored);
    for (; !ignored && at != fs::directory_iterator(); at.increment(ignored)) entries.push_back(at->path());
    for (const fs::path& entry : entries) fs::remove(entry, ignored);
}

/// ":TIME" of the last change of a file's status (content, name, owner, permissions), which no program can
/// set back. Of an input that is not there, nothing.
std::string status_time(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return ":";
    constexpr int64_t k_ns = 1'000'000'000;
    return ":" + std::to_string(int64_t{status.st_ctim.tv_sec} * k_ns + status.st_ctim.tv_nsec);
}

}  // namespace

std::string size_and_time(const std::string& path) {
    std::error_code fault;
    const auto size = fs::file_size(path, fault);
    const auto time = fs::last_write_time(path, fault).time_since_epoch().count();
    return ":" + std::to_string(size) + ":" + std::to_string(time);
}

bool are_files(const std::vector<std::string>& inputs) {
    return std::all_of(inputs.begin(), inputs.end(), [](const std::string& path) {
        if (path == "-") return false;
        struct stat status {};
        if (stat(path.c_str(), &status) != 0) {
            throw data::Error(data::ErrorKind::malformed_input,
                              path + ": cannot be examined: " + std::strerror(errno));
        }
        return S_ISREG(status.st_mode);
    });
}

std::string resume_facts(const Inputs& inputs, const data::Reference& reference, const std::string& header) {
    uint64_t hash = fold(k_fold_begin, header);
    for (const data::Contig& contig : reference.contigs()) hash = fold(hash, contig.md5);
    std::string facts = program_name() + " " + build_info().commit;
    for (const std::string& file : inputs.files())
        facts += " " + file + size_and_time(file) + status_time(file);
    return facts + " " + std::to_string(hash);
}

Checkpoint::Checkpoint(const std::string& parent, const std::string& output, std::string facts)
    : folder_(folder_name(parent, output)), lock_(folder_), facts_(std::move(facts)) {
    if (mkdir(folder_.c_str(), 0700) != 0) {
        if (errno != EEXIST) data::throw_output_failed(folder_, errno);
        if (!is_own_folder(folder_)) {
            throw data::Error(
                data::ErrorKind::output_failed,
                folder_ + ": is not a checkpoint folder of this user: remove it or choose another --tmp");
        }
        saved_ = read_manifest();
        if (!saved_ && fs::exists(manifest()))
            log_info(
                folder_ +
                ": is of other inputs, options or another build of gannet: starting from the first read");
    }
    if (saved_) return;
    remove_content(folder_);
    std::error_code fault;
    const fs::directory_iterator left(folder_, fault);
    if (fault || left != fs::directory_iterator()) refuse(fault ? folder_ : left->path().string());
}

void Checkpoint::refuse(const std::string& path) const {
    throw data::Error(
        data::ErrorKind::malformed_input,
        path + ": is not what an earlier run wrote there: remove the folder " + folder_ + " and run again");
}

std::string Checkpoint::manifest() const { return folder_ + "/" + k_manifest; }

std::optional<std::vector<uint8_t>> Checkpoint::read_manifest() const {
    struct stat status {};
    if (lstat(manifest().c_str(), &status) != 0) {
        if (errno == ENOENT) return std::nullopt;
        refuse(manifest());
    }
    if (!S_ISREG(status.st_mode)) refuse(manifest());  // before it is opened: a pipe would hold the run up
    const std::string text = read_text_file(manifest());
    const std::string head = std::string(k_first_line);
    if (!text.starts_with(head) || text.size() < head.size() + k_digest_bytes) refuse(manifest());
    const std::string_view body = std::string_view(text).substr(head.size() + k_digest_bytes);
    if (digest_of(body) != std::string_view(text).substr(head.size(), k_digest_bytes)) refuse(manifest());
    if (body.size() <= facts_.size() || !body.starts_with(facts_) || body[facts_.size()] != '\n')
        return std::nullopt;
    const std::string_view state = body.substr(facts_.size() + 1);
    return std::vector<uint8_t>(state.begin(), state.end());
}

void Checkpoint::save(std::span<const uint8_t> state) {
    std::string body = facts_ + "\n";
    body.append(reinterpret_cast<const char*>(state.data()), state.size());
    data::OutputFile file(manifest());
    file.write(k_first_line);
    file.write(digest_of(body));
    file.write(body);
    file.commit();
}

std::string checkpoint_folder(const std::string& parent, const std::string& output) {
    std::error_code fault;
    const fs::path path = fs::absolute(data::resolve_output(output).path);
    if (fs::is_directory(path.parent_path(), fault) && fs::is_directory(parent, fault))
        return folder_name(parent, output);
    return (fs::path(parent) / (".gannet-checkpoint-" + path.filename().string() + "-XXXXXXXX")).string();
}

void check_checkpoint(const ResourceOptions& resources, const std::string& output, const Inputs& inputs) {
    if (!resources.checkpoint) return;
    if (!are_files(inputs.files()) || data::is_written_in_place(output)) {
        throw data::Error(
            data::ErrorKind::usage,
            "--checkpoint needs reads and an output that are files: a pipe cannot be continued");
    }
}

std::unique_ptr<Checkpoint> open_checkpoint(const ResourceOptions& resources, const std::string& parent,
                                            const std::string& output, const Inputs& inputs,
                                            const std::string& facts) {
    if (!resources.checkpoint) return nullptr;
    check_checkpoint(resources, output, inputs);
    return std::make_unique<Checkpoint>(parent, output, facts);
}

void Checkpoint::remove() const {
    remove_content(folder_);
    rmdir(folder_.c_str());
}

void remove_checkpoint(const std::string& parent, const std::string& output) {
    const std::string folder = folder_name(parent, output);
    try {
        // Also where the folder is gone: a run killed just then leaves the lock, which ends here.
        const data::OutputLock lock(folder);
        if (!is_own_folder(folder)) return;
        remove_content(folder);
        rmdir(folder.c_str());
    } catch (const data::Error& fault) {
        log_info(std::string(fault.what()) + "; it is left");
    }
}

}  // namespace gannet::pipeline
