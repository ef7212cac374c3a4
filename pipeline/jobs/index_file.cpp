// SPDX-License-Identifier: MIT
// Provides finding, checking and building of the index.
#include "pipeline/jobs/index_file.hpp"

#include "data/error.hpp"
#include "data/fasta/contig_lengths.hpp"
#include "data/fasta/reader.hpp"
#include "data/memory_budget.hpp"
#include "pipeline/jobs/checked_files.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/log.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/resources.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using data::Error;
using data::ErrorKind;

constexpr double k_worth_saying_s = 0.5;
constexpr uint64_t k_copy_worth_saying = uint64_t{1} << 30;

/// An index that does not lie beside this FASTA may be another one's, which the advice must not cost.
[[noreturn]] void throw_other_reference(const std::string& index, const std::string& fasta,
                                        const std::string& why) {
    const std::string advice = index == align::default_index_path(fasta)
                                   ? "remove it, or build it again: gannet index " + fasta
                                   : "give the index of " + fasta + " (gannet index " + fasta +
                                         " makes it), or, if nothing else needs this one, remove it";
    throw Error(ErrorKind::reference_mismatch,
                index + ": was not made from " + fasta + " (" + why + "): " + advice);
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

/// What a line of CheckedFiles begins with; empty when the file cannot be recognised later.
std::string checked_index(const align::Index& index, const std::string& path) {
    const std::string identity = file_identity(path);
    return identity.empty() ? "" : "index " + identity + " " + std::to_string(index.header_checksum());
}

/// Compares all checksums, unless this machine remembers that it did.
void verify(const align::Index& index, const std::string& path, Session& session) {
    const VerifyIndex when = session.options().verify_index;
    if (when == VerifyIndex::never) return;
    CheckedFiles checked;
    const std::string check = checked_index(index, path);
    if (when == VerifyIndex::automatic && !check.empty() && checked.contains(check)) return;
    const Progress progress("verify index", "", &session.tracer());
    const Span span(session.tracer(), session.tracer().stage("index.verify"), 0);
    const auto begin = std::chrono::steady_clock::now();
    index.verify(session.threads());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (elapsed.count() > k_worth_saying_s || when == VerifyIndex::always)
        log_info(path + ": checksums verified, " + size_text(index.size_bytes()) + " in " +
                 seconds_text(elapsed.count()));
    if (!check.empty()) checked.remember(check);
}

/// How the contigs differ; empty: they do not.
std::string difference_of_contigs(const data::Reference& of_fasta, const data::Reference& of_index) {
    if (of_fasta.contigs().size() != of_index.contigs().size()) return "numbers of contigs differ";
    for (size_t i = 0; i < of_fasta.contigs().size(); ++i) {
        const data::Contig& a = of_fasta.contigs()[i];
        const data::Contig& b = of_index.contigs()[i];
        if (a.name != b.name || a.md5 != b.md5) return "the sequence of contig " + a.name + " differs";
    }
    return {};
}

void compare_contigs(const data::Reference& reference, const std::string& index, const std::string& fasta) {
    const std::string difference = difference_of_contigs(*data::fasta::load(fasta), reference);
    if (!difference.empty()) throw_other_reference(index, fasta, difference);
}

/// An intact index of another reference is replaced only where it lies beside the FASTA, and so is of an
/// earlier state of it.
void check_replaces_no_other(const data::Reference& reference, const std::string& fasta,
                             const std::string& path) {
    std::error_code fault;
    const bool is_own = path == align::default_index_path(fasta) && !fs::is_symlink(path, fault);
    if (is_own || !fs::exists(path, fault)) return;
    std::shared_ptr<const align::Index> there;
    try {
        there = align::Index::open(path);
    } catch (const Error&) {
        return;  // damaged, or of another version: of no use to anybody
    }
    const std::string difference = difference_of_contigs(reference, *there->reference());
    if (difference.empty()) return;
    throw Error(ErrorKind::reference_mismatch,
                path + ": is the index of another reference, " + there->reference()->path() + " (" +
                    difference + "), and not replaced: give another name with -o, or remove it first");
}

/// Makes sure that the index is of this FASTA. Size, time and samples of an unchanged file decide in a
/// moment; else the contigs do, once per machine.
void check_reference(const align::Index& index, const std::string& path, const std::string& fasta) {
    std::error_code fault;
    if (!fs::exists(fasta, fault)) return;  // an index holds all of its reference
    if (index.source().is_same_file(align::SourceFile::of(fasta))) return;
    CheckedFiles checked;
    const std::string of_index = checked_index(index, path);
    const std::string of_fasta = file_identity(fasta);
    const std::string check = "fasta " + of_fasta + " of " + of_index;
    const bool recognisable = !of_index.empty() && !of_fasta.empty();
    if (recognisable && checked.contains(check)) return;
    log_info(doubt_of_reference(index, path, fasta) + ": comparing the MD5 of their contigs");
    compare_contigs(*index.reference(), path, fasta);
    log_info(fasta + ": the sequences are those of the index");
    if (recognisable) checked.remember(check);
}

std::shared_ptr<const align::Index> open_checked(const std::string& path, const std::string& fasta,
                                                 Session& session) {
    auto index = align::Index::open(path);
    verify(*index, path, session);
    check_reference(*index, path, fasta);
    return index;
}

/// A .fai is a convenience here (CRAM and other tools want it): that it cannot be made ends no run.
void make_faidx(const std::string& fasta) {
    try {
        if (!data::fasta::ensure_faidx(fasta)) log_info(fasta + ".fai cannot be made in that folder");
    } catch (const Error& fault) {
        log_info(std::string("no .fai: ") + fault.what());
    }
}

/// Refuses early what is certain to need more than --memory: a plain FASTA has about one byte per base, and
/// the index of a base takes 1.5 to 2 bytes to build. The exact number is known once the bases are loaded.
void check_memory_for(const std::string& fasta, const Session& session) {
    std::ifstream file(fasta, std::ios::binary);
    if (file.get() != '>') return;
    std::error_code fault;
    const uint64_t bases = fs::file_size(fasta, fault);
    if (fault || bases <= session.memory_bytes()) return;
    throw Error(ErrorKind::host_memory, fasta + ": building its index needs about " + size_text(bases * 2) +
                                            ", more than --memory " + size_text(session.memory_bytes()));
}

void build(const std::string& fasta, const std::string& path, Session& session) {
    log_info("building the index " + path);
    check_memory_for(fasta, session);
    const Progress progress("index", "", &session.tracer());
    std::vector<std::string> warnings;
    align::BuildOptions options{session.threads(), session.memory_bytes(), {}};
    std::shared_ptr<const data::Reference> reference;
    {
        const Span span(session.tracer(), session.tracer().stage("index.read"), 0);
        options.source = align::SourceFile::of(fasta);
        reference = data::fasta::load(fasta, &warnings);
        make_faidx(fasta);  // of a FASTA that was accepted
    }
    for (const std::string& warning : warnings) log_warning(warning);
    check_replaces_no_other(*reference, fasta, path);
    const Span span(session.tracer(), session.tracer().stage("index.build"), 0);
    align::build_index(*reference, {}, path, options);
}

/// Path of the index, if one exists: the one named, the one beside the reference, the one in the fallback
/// folder.
std::optional<std::string> find_index(const std::string& reference_path, const std::string& index_path,
                                      const std::string& fallback) {
    std::error_code fault;
    if (!index_path.empty()) {
        if (!fs::exists(index_path, fault)) {
            throw Error(ErrorKind::malformed_input, index_path +
                                                        ": no such file: make it with gannet index " +
                                                        reference_path + " -o " + index_path);
        }
        return index_path;
    }
    const std::string beside = align::default_index_path(reference_path);
    if (fs::exists(beside, fault)) return beside;
    if (!fallback.empty() && fs::exists(fallback, fault)) return fallback;
    return std::nullopt;
}

bool is_index_of(const std::string& path, const std::string& fasta, Session& session) {
    try {
        open_checked(path, fasta, session);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::string doubt_of_reference(const align::Index& index, const std::string& path, const std::string& fasta) {
    const bool had_settled = index.source().modified_ns != align::SourceFile::k_unknown_time;
    return fasta + (had_settled ? ": its size or time is not what " + path + " recorded"
                                : ": had just been written when " + path + " was made");
}

void compare_contig_extents(const data::Reference& reference, const std::string& index,
                            const std::string& fasta) {
    size_t count = 0;
    bool differs = false;
    data::fasta::for_each_contig(fasta, [&](const std::string& name, uint64_t length) {
        differs = count == reference.contigs().size() || reference.contigs()[count].name != name ||
                  reference.contigs()[count].length != length;
        if (!differs) ++count;
        return !differs;
    });
    if (!differs && count == reference.contigs().size()) return;
    throw_other_reference(
        index, fasta,
        count < reference.contigs().size()
            ? "there is no contig " + reference.contigs()[count].name + " of the same length in its place"
            : "numbers of contigs differ");
}

uint64_t bytes_of_contigs(const data::Reference& reference) {
    return reference.contigs().size() * (data::k_reference_contig_bytes + data::k_alignment_contig_bytes);
}

std::shared_ptr<const align::Index> open_existing_index(const std::string& reference_path,
                                                        const std::string& index_path, Session& session) {
    const auto found = find_index(reference_path, index_path, "");
    return found ? open_checked(*found, reference_path, session) : nullptr;
}

OpenIndex open_or_build_index(const std::string& reference_path, const std::string& index_path,
                              const std::string& fallback_folder, Session& session) {
    const std::string beside = align::default_index_path(reference_path);
    const std::string fallback =
        fallback_folder.empty() ? "" : (fs::path(fallback_folder) / fs::path(beside).filename()).string();
    auto found = find_index(reference_path, index_path, fallback);
    OpenIndex open;
    if (found) {
        open.path = *found;
        open.index = open_checked(open.path, reference_path, session);
    } else {
        check_readable(reference_path);
        check_no_pipe(reference_path);  // read twice, with files beside it
        const bool here = access(folder_of(beside).c_str(), W_OK) == 0;
        if (!here && fallback.empty()) check_writable(beside);
        open.path = here ? beside : fallback;
        if (!here) log_info(folder_of(beside) + " cannot be written: the index goes to " + open.path);
        const data::OutputLock lock = lock_index(open.path);
        std::error_code fault;
        if (fs::exists(open.path, fault)) {
            log_info("using the index " + open.path + ", which another process has built meanwhile");
            open.index = open_checked(open.path, reference_path, session);
        } else {
            (void)session.ops();  // a backend that is missing ends the job before it writes
            session.energy().begin_phase("index");
            build(reference_path, open.path, session);
            open.index = align::Index::open(open.path);
        }
    }
    open.bytes = open.index->size_bytes() + bytes_of_contigs(*open.index->reference());
    return open;
}

std::unique_ptr<align::HugePages> move_to_huge_pages(const align::Index& index, uint64_t input_bytes,
                                                     Session& session) {
    // Copying a byte takes about 0.5 ns, and a read, of 50 to 100 compressed bytes, gains about 20 us.
    constexpr uint64_t k_index_bytes_per_input_byte = 256;
    const bool is_short = input_bytes > 0 && input_bytes < index.size_bytes() / k_index_bytes_per_input_byte;
    if (is_short || session.ops().needs_resident || free_memory_bytes() < session.memory_bytes()) return {};
    return std::make_unique<align::HugePages>(index.mapping(), [](uint64_t copied) {
        if (copied >= k_copy_worth_saying)
            log_info(size_text(copied) +
                     " of the index, which were in memory in small pages, were copied into huge ones");
    });
}

void run_index(const IndexOptions& options) {
    check_readable(options.reference);
    check_no_pipe(options.reference);
    const std::string path =
        options.output.empty() ? align::default_index_path(options.reference) : options.output;
    const JobFiles own = JobFiles().reads_fasta(options.reference).writes(options.resources);
    if (options.check) {
        const OutputLocks locks = JobFiles(own).reads(path, "the index").lock();
        ResourceOptions resources = options.resources;
        resources.verify_index = VerifyIndex::always;
        Session session(resources);
        open_checked(path, options.reference, session);
        log_info(path + ": is intact, and of " + options.reference);
        session.write_trace();
        return;
    }
    JobFiles(own).writes(path, "-o").check();
    check_writable(path);
    const OutputLocks locks = own.lock();
    Session session(options.resources);
    const data::OutputLock lock = lock_index(path);
    if (lock.waited() && is_index_of(path, options.reference, session)) {
        log_info("the index " + path + " was built by the other process");
    } else {
        build(options.reference, path, session);
    }
    const auto index = align::Index::open(path);
    log_info(path + ": " + std::to_string(index->reference()->contigs().size()) + " contigs");
    session.write_trace();
}

std::shared_ptr<const data::Reference> open_reference(const std::string& reference_path,
                                                      const std::string& index_path, Session& session) {
    if (const auto found = find_index(reference_path, index_path, "")) {
        std::error_code fault;
        const bool is_left = index_path.empty() && fs::exists(reference_path, fault) &&
                             align::Index::is_of_another_version(*found);
        if (!is_left) return open_checked(*found, reference_path, session)->reference();
        log_warning(*found +
                    ": an index of another version of gannet, which is left alone: the bases are read from " +
                    reference_path + " (gannet index " + reference_path + " builds it again)");
    }
    check_readable(reference_path);
    std::vector<std::string> warnings;
    auto reference = data::fasta::load(reference_path, &warnings);
    for (const std::string& warning : warnings) log_warning(warning);
    return reference;
}

}  // namespace gannet::pipeline
