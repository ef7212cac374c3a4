// SPDX-License-Identifier: MIT
// Provides writing, mapping and checking of index files.
#include "align/index/file.hpp"

#include "data/error.hpp"

#include <xxhash.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::align {
namespace {

constexpr uint64_t k_alignment_bytes = 4096;

using data::Error;
using data::ErrorKind;

[[noreturn]] void fail(ErrorKind kind, const std::string& path, const std::string& cause) {
    throw Error(kind, path + ": " + cause);
}

std::string errno_text() { return std::strerror(errno); }

std::string contigs_text(const data::Reference& reference) {
    std::string text = reference.path() + "\n";
    for (const data::Contig& contig : reference.contigs()) {
        text += contig.name + "\t" + std::to_string(contig.length) + "\t" + std::to_string(contig.offset) +
                "\t" + contig.md5 + "\n";
    }
    return text;
}

uint64_t header_checksum(const IndexHeader& header) {
    return XXH3_64bits(&header, offsetof(IndexHeader, checksum));
}

/// A file under a name that no other build uses; removed unless committed.
class PartialFile {
  public:
    explicit PartialFile(const std::string& path) : path_(path), partial_(path + ".partial.XXXXXX") {
        descriptor_ = mkstemp(partial_.data());
        if (descriptor_ < 0) fail(ErrorKind::output_failed, path_, "cannot write beside it: " + errno_text());
    }
    ~PartialFile() {
        if (descriptor_ >= 0) {
            close(descriptor_);
            unlink(partial_.c_str());
        }
    }
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    void write(uint64_t offset, const void* bytes, uint64_t size_bytes) {
        const auto* from = static_cast<const char*>(bytes);
        while (size_bytes > 0) {
            const ssize_t written = pwrite(descriptor_, from, size_bytes, static_cast<off_t>(offset));
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) {
                fail(errno == ENOSPC ? ErrorKind::disk_space : ErrorKind::output_failed, path_,
                     "cannot write: " + errno_text());
            }
            from += written;
            offset += static_cast<uint64_t>(written);
            size_bytes -= static_cast<uint64_t>(written);
        }
    }

    void resize(uint64_t size_bytes) {
        if (ftruncate(descriptor_, static_cast<off_t>(size_bytes)) != 0) {
            fail(ErrorKind::output_failed, path_, "cannot write: " + errno_text());
        }
    }

    void commit() {
        // mkstemp's mode is private; an index is as public as the umask lets files be.
        const mode_t mask = umask(0);
        umask(mask);
        if (fchmod(descriptor_, 0666 & ~mask) != 0 || fsync(descriptor_) != 0 || close(descriptor_) != 0 ||
            rename(partial_.c_str(), path_.c_str()) != 0) {
            fail(ErrorKind::output_failed, path_, "cannot finish writing: " + errno_text());
        }
        descriptor_ = -1;
    }

  private:
    std::string path_;
    std::string partial_;
    int descriptor_ = -1;
};

/// The mapped bytes of a file.
class Mapping {
  public:
    explicit Mapping(const std::string& path) {
        const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) {
            fail(ErrorKind::reference_mismatch, path,
                 "cannot open the index: " + errno_text() + "; make it with 'gannet index'");
        }
        struct stat status {};
        if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
            size_ = static_cast<uint64_t>(status.st_size);
            void* at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
            if (at != MAP_FAILED) bytes_ = static_cast<const uint8_t*>(at);
        }
        close(descriptor);
        if (bytes_ == nullptr) fail(ErrorKind::malformed_input, path, "the index cannot be mapped");
    }
    ~Mapping() { munmap(const_cast<uint8_t*>(bytes_), size_); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    const uint8_t* bytes() const { return bytes_; }
    uint64_t size() const { return size_; }

  private:
    const uint8_t* bytes_ = nullptr;
    uint64_t size_ = 0;
};

IndexHeader checked_header(const std::string& path, const Mapping& mapping) {
    const std::string advice = "; make it anew with 'gannet index'";
    IndexHeader header;
    if (mapping.size() < sizeof header || std::memcmp(mapping.bytes(), k_index_magic, 8) != 0) {
        fail(ErrorKind::reference_mismatch, path, "not an index of gannet" + advice);
    }
    std::memcpy(&header, mapping.bytes(), sizeof header);
    if (header.byte_order != k_index_byte_order) {
        fail(ErrorKind::reference_mismatch, path, "an index of a machine with another byte order" + advice);
    }
    if (header.version != k_index_version) {
        fail(ErrorKind::reference_mismatch, path,
             "an index of version " + std::to_string(header.version) + ", this program reads version " +
                 std::to_string(k_index_version) + advice);
    }
    if (header.checksum != header_checksum(header)) {
        fail(ErrorKind::malformed_input, path, "the index is damaged (header checksum)" + advice);
    }
    if (header.file_size_bytes != mapping.size()) {
        fail(ErrorKind::malformed_input, path,
             "the index is damaged (" + std::to_string(mapping.size()) + " bytes instead of " +
                 std::to_string(header.file_size_bytes) + ")" + advice);
    }
    return header;
}

void check_section(const std::string& path, const Mapping& mapping, const IndexHeader& header,
                   uint32_t index) {
    const IndexHeader::Section& section = header.section[index];
    if (XXH3_64bits(mapping.bytes() + section.offset, section.size_bytes) != section.checksum) {
        fail(ErrorKind::malformed_input, path,
             std::string("the index is damaged (checksum of ") + k_section_names[index] +
                 "); make it anew with 'gannet index'");
    }
}

template <class T>
std::span<const T> section_as(const Mapping& mapping, const IndexHeader& header, uint32_t index) {
    const IndexHeader::Section& section = header.section[index];
    return {reinterpret_cast<const T*>(mapping.bytes() + section.offset), section.size_bytes / sizeof(T)};
}

std::string_view take_field(std::string_view& text, char separator) {
    const size_t at = text.find(separator);
    const std::string_view field = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return field;
}

std::vector<data::Contig> parse_contigs(std::string_view text) {
    std::vector<data::Contig> contigs;
    while (!text.empty()) {
        std::string_view line = take_field(text, '\n');
        data::Contig contig;
        contig.name = take_field(line, '\t');
        const std::string_view length = take_field(line, '\t');
        const std::string_view offset = take_field(line, '\t');
        std::from_chars(length.data(), length.data() + length.size(), contig.length);
        std::from_chars(offset.data(), offset.data() + offset.size(), contig.offset);
        contig.md5 = line;
        contigs.push_back(std::move(contig));
    }
    return contigs;
}

}  // namespace

void IndexFile::write(const std::string& path, const data::Reference& reference,
                      const IndexParameters& parameters, uint32_t bucket_bits,
                      const std::vector<uint32_t>& buckets, const std::vector<IndexEntry>& entries) {
    const std::string contigs = contigs_text(reference);
    const std::array<std::pair<const void*, uint64_t>, k_section_count> sections{{
        {contigs.data(), contigs.size()},
        {reference.runs().data(), reference.runs().size_bytes()},
        {reference.packed().data(), reference.packed().size_bytes()},
        {buckets.data(), buckets.size() * sizeof(uint32_t)},
        {entries.data(), entries.size() * sizeof(IndexEntry)},
    }};
    IndexHeader header{};
    std::memcpy(header.magic, k_index_magic, sizeof header.magic);
    header.version = k_index_version;
    header.byte_order = k_index_byte_order;
    header.kmer = parameters.kmer;
    header.smer = parameters.smer;
    header.bucket_bits = bucket_bits;
    header.sections = k_section_count;
    PartialFile file(path);
    uint64_t offset = k_alignment_bytes;
    for (uint32_t i = 0; i < k_section_count; ++i) {
        const auto [bytes, size_bytes] = sections[i];
        header.section[i] = {offset, size_bytes, XXH3_64bits(bytes, size_bytes)};
        file.write(offset, bytes, size_bytes);
        offset += (size_bytes + k_alignment_bytes - 1) / k_alignment_bytes * k_alignment_bytes;
    }
    header.file_size_bytes = offset;
    file.resize(offset);
    header.checksum = header_checksum(header);
    file.write(0, &header, sizeof header);
    file.commit();
}

std::shared_ptr<const Index> IndexFile::open(const std::string& path) {
    const auto mapping = std::make_shared<const Mapping>(path);
    const IndexHeader header = checked_header(path, *mapping);
    for (const uint32_t small : {k_section_contigs, k_section_runs})
        check_section(path, *mapping, header, small);
    auto index = std::make_shared<Index>();
    index->path_ = path;
    index->mapping_ = mapping;
    index->parameters_ = {header.kmer, header.smer};
    index->bucket_shift_ = 2 * header.kmer - header.bucket_bits;
    index->buckets_ = section_as<uint32_t>(*mapping, header, k_section_buckets);
    index->entries_ = section_as<IndexEntry>(*mapping, header, k_section_entries);
    const std::span<const char> chars = section_as<char>(*mapping, header, k_section_contigs);
    std::string_view text(chars.data(), chars.size());
    const std::string reference_path(take_field(text, '\n'));
    index->reference_ = std::make_shared<const data::Reference>(
        reference_path, parse_contigs(text), section_as<uint64_t>(*mapping, header, k_section_packed),
        section_as<data::NonAcgtRun>(*mapping, header, k_section_runs), mapping);
    madvise(const_cast<uint8_t*>(mapping->bytes()), mapping->size(), MADV_WILLNEED);
    return index;
}

std::shared_ptr<const Index> Index::open(const std::string& path) { return IndexFile::open(path); }

void Index::verify() const {
    const Mapping& mapping = *static_cast<const Mapping*>(mapping_.get());
    const IndexHeader header = checked_header(path_, mapping);
    for (uint32_t i = 0; i < k_section_count; ++i) check_section(path_, mapping, header, i);
}

}  // namespace gannet::align
