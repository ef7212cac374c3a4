// SPDX-License-Identifier: MIT
// Provides finding, checking and building of the index.
#include "pipeline/jobs/index_file.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "pipeline/cleanup.hpp"
#include "pipeline/progress.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using data::Error;
using data::ErrorKind;

[[noreturn]] void throw_other_reference(const std::string& index, const std::string& fasta,
                                        const std::string& why) {
    throw Error(ErrorKind::reference_mismatch, index + ": was not made of " + fasta + " (" + why +
                                                   "): remove it, or make it anew with gannet index " +
                                                   fasta);
}

bool newer(const std::string& a, const std::string& b) {
    std::error_code fault;
    return fs::last_write_time(a, fault) > fs::last_write_time(b, fault);
}

/// Names and lengths against the FASTA's .fai: cheap, and enough where nothing was touched since the index
/// was made.
void check_against_fai(const data::Reference& reference, const std::string& index, const std::string& fasta) {
    std::ifstream file(fasta + ".fai");
    size_t at = 0;
    for (std::string line; std::getline(file, line); ++at) {
        std::istringstream fields(line);
        std::string name;
        uint64_t length = 0;
        std::getline(fields, name, '\t');
        fields >> length;
        if (at >= reference.contigs().size() || reference.contigs()[at].name != name ||
            reference.contigs()[at].length != length) {
            throw_other_reference(index, fasta, "contig " + name + " differs");
        }
    }
    if (at != reference.contigs().size()) throw_other_reference(index, fasta, "numbers of contigs differ");
}

void check_against_fasta(const data::Reference& reference, const std::string& index,
                         const std::string& fasta) {
    log_info(fasta + " is newer than its index, or has no .fai: comparing their contents");
    const auto loaded = data::fasta::load(fasta);
    if (loaded->contigs().size() != reference.contigs().size()) {
        throw_other_reference(index, fasta, "numbers of contigs differ");
    }
    for (size_t i = 0; i < loaded->contigs().size(); ++i) {
        const data::Contig& of_fasta = loaded->contigs()[i];
        const data::Contig& of_index = reference.contigs()[i];
        if (of_fasta.name != of_index.name || of_fasta.md5 != of_index.md5) {
            throw_other_reference(index, fasta, "contig " + of_fasta.name + " differs");
        }
    }
}

std::shared_ptr<const align::Index> open_checked(const std::string& path, const std::string& fasta) {
    auto index = align::Index::open(path);
    std::error_code fault;
    if (!fs::exists(fasta, fault)) return index;  // an index holds all of its reference
    const std::string fai = fasta + ".fai";
    if (!newer(fasta, path) && fs::exists(fai, fault) && !newer(fasta, fai)) {
        check_against_fai(*index->reference(), path, fasta);
    } else {
        check_against_fasta(*index->reference(), path, fasta);
    }
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

void build(const std::string& fasta, const std::string& path, Session& session) {
    log_info("building the index " + path);
    const PartialOutput partial(path);
    std::vector<std::string> warnings;
    std::shared_ptr<const data::Reference> reference;
    {
        const Span span(session.tracer(), session.tracer().stage("index.read"), 0);
        make_faidx(fasta);
        reference = data::fasta::load(fasta, &warnings);
    }
    for (const std::string& warning : warnings) log_warning(warning);
    const Span span(session.tracer(), session.tracer().stage("index.build"), 0);
    align::build_index(*reference, {}, path, session.threads());
}

/// The place of an index that is there, if any: the one named, the one beside the reference, the one in the
/// fallback folder.
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

}  // namespace

OpenIndex open_or_build_index(const std::string& reference_path, const std::string& index_path,
                              const std::string& fallback_folder, Session& session) {
    const std::string beside = align::default_index_path(reference_path);
    const std::string fallback =
        fallback_folder.empty() ? "" : (fs::path(fallback_folder) / fs::path(beside).filename()).string();
    auto found = find_index(reference_path, index_path, fallback);
    OpenIndex open;
    if (found) {
        open.path = *found;
        open.index = open_checked(open.path, reference_path);
    } else {
        check_readable(reference_path);
        const bool here = access(folder_of(beside).c_str(), W_OK) == 0;
        if (!here && fallback.empty()) check_writable(beside);
        open.path = here ? beside : fallback;
        if (!here) log_info(folder_of(beside) + " cannot be written: the index goes to " + open.path);
        build(reference_path, open.path, session);
        open.index = align::Index::open(open.path);
    }
    open.bytes = fs::file_size(open.path);
    return open;
}

void run_index(const IndexOptions& options) {
    check_readable(options.reference);
    const std::string path =
        options.output.empty() ? align::default_index_path(options.reference) : options.output;
    check_writable(path);
    Session session(options.resources);
    build(options.reference, path, session);
    const auto index = align::Index::open(path);
    log_info(path + ": " + std::to_string(index->reference()->contigs().size()) + " contigs");
    session.write_trace();
}

std::shared_ptr<const data::Reference> open_reference(const std::string& reference_path,
                                                      const std::string& index_path) {
    if (const auto found = find_index(reference_path, index_path, "")) {
        return open_checked(*found, reference_path)->reference();
    }
    check_readable(reference_path);
    std::vector<std::string> warnings;
    auto reference = data::fasta::load(reference_path, &warnings);
    for (const std::string& warning : warnings) log_warning(warning);
    return reference;
}

}  // namespace gannet::pipeline
