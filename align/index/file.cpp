// SPDX-License-Identifier: MIT
// Provides writing, opening and checking of index files.
#include "align/index/file.hpp"

#include "align/index/mapping.hpp"
#include "data/error.hpp"
#include "data/memory_budget.hpp"
#include "data/output_file.hpp"
#include "data/threads.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace gannet::align {
namespace {

constexpr uint64_t k_piece_bytes = 128 << 10;  // read at once while verifying: stays in the core's cache

using data::ErrorKind;

std::string contigs_text(const data::Reference& reference) {
    // For messages only; a line of its own, whatever characters it has.
    std::string text = reference.path();
    std::replace(text.begin(), text.end(), '\n', ' ');
    text += '\n';
    for (const data::Contig& contig : reference.contigs()) {
        text += contig.name + "\t" + std::to_string(contig.length) + "\t" + std::to_string(contig.offset) +
                "\t" + contig.md5 + "\n";
    }
    return text;
}

uint64_t header_checksum(const IndexHeader& header) {
    return XXH3_64bits(&header, offsetof(IndexHeader, checksum));
}

/// XXH3 of bytes that come in pieces.
class Hasher {
  public:
    Hasher() : state_(XXH3_createState()) {
        if (state_ == nullptr) throw std::bad_alloc();
        XXH3_64bits_reset(state_);
    }
    ~Hasher() { XXH3_freeState(state_); }
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    void add(const void* bytes, uint64_t size_bytes) { XXH3_64bits_update(state_, bytes, size_bytes); }
    /// Of what was added since the last call.
    uint64_t take() {
        const uint64_t hash = XXH3_64bits_digest(state_);
        XXH3_64bits_reset(state_);
        return hash;
    }

  private:
    XXH3_state_t* state_;
};

uint64_t aligned(uint64_t offset) {
    return (offset + k_index_alignment_bytes - 1) / k_index_alignment_bytes * k_index_alignment_bytes;
}

/// A data::PartialFile that is written at given offsets.
class PartialFile {
  public:
    explicit PartialFile(const std::string& path) : file_(path) {}

    void write(uint64_t offset, const void* bytes, uint64_t size_bytes) {
        const auto* from = static_cast<const char*>(bytes);
        while (size_bytes > 0) {
            const ssize_t written = pwrite(file_.descriptor(), from, size_bytes, static_cast<off_t>(offset));
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) data::throw_output_failed(file_.path(), written < 0 ? errno : ENOSPC);
            from += written;
            offset += static_cast<uint64_t>(written);
            size_bytes -= static_cast<uint64_t>(written);
        }
    }

    void commit() { file_.commit(); }

  private:
    data::PartialFile file_;
};

/// Appends sections to a file, padded, and makes the checksums of its blocks on the way.
class BodyWriter {
  public:
    explicit BodyWriter(PartialFile& file) : file_(file) {}

    template <class T>
    IndexHeader::Section append(std::span<const T> values) {
        const uint64_t begin = offset_;
        add(values.data(), values.size_bytes());
        return end_section(begin);
    }
    IndexHeader::Section append(const kernels::SeedIndexLayout& layout) {
        const uint64_t begin = offset_;
        layout.write([this](std::span<const uint64_t> words) { add(words.data(), words.size_bytes()); });
        return end_section(begin);
    }
    /// Ends the body. The checksums of its blocks, filled up with zeros to a multiple of the alignment.
    std::vector<uint64_t> finish() {
        if (in_block_ > 0) checksums_.push_back(hasher_.take());
        checksums_.resize(aligned(checksums_.size() * sizeof(uint64_t)) / sizeof(uint64_t), 0);
        return std::move(checksums_);
    }
    uint64_t blocks() const { return checksums_.size() + (in_block_ > 0 ? 1 : 0); }
    uint64_t offset() const { return offset_; }

  private:
    IndexHeader::Section end_section(uint64_t begin) {
        static constexpr std::array<char, k_index_alignment_bytes> zeros{};
        const IndexHeader::Section section{begin, offset_ - begin};
        add(zeros.data(), aligned(offset_) - offset_);
        return section;
    }
    void add(const void* bytes, uint64_t size_bytes) {
        file_.write(offset_, bytes, size_bytes);
        const auto* from = static_cast<const uint8_t*>(bytes);
        while (size_bytes > 0) {
            const uint64_t part = std::min(size_bytes, k_index_block_bytes - in_block_);
            hasher_.add(from, part);
            from += part;
            offset_ += part;
            in_block_ += part;
            size_bytes -= part;
            if (in_block_ < k_index_block_bytes) continue;
            checksums_.push_back(hasher_.take());
            in_block_ = 0;
        }
    }

    PartialFile& file_;
    Hasher hasher_;
    std::vector<uint64_t> checksums_;
    uint64_t offset_ = sizeof(IndexHeader);
    uint64_t in_block_ = 0;
};

[[noreturn]] void fail_damaged(const std::string& path, const std::string& what) {
    fail_index(ErrorKind::malformed_input, path,
               "the index is damaged (" + what + ")" + index_rebuild_advice(path));
}

[[noreturn]] void fail_other_version(const std::string& path, uint32_t version) {
    fail_index(ErrorKind::reference_mismatch, path,
               "an index of version " + std::to_string(version) + ", this program reads version " +
                   std::to_string(k_index_version) + index_rebuild_advice(path));
}

/// The first version had a header of 168 bytes.
bool is_first_version(const IndexMapping& mapping) {
    constexpr uint64_t checksum_offset = 160;
    if (mapping.size() < checksum_offset + 8) return false;
    uint32_t version = 0;
    uint64_t checksum = 0;
    std::memcpy(&version, mapping.bytes() + offsetof(IndexHeader, version), sizeof version);
    std::memcpy(&checksum, mapping.bytes() + checksum_offset, sizeof checksum);
    return version == 1 && checksum == XXH3_64bits(mapping.bytes(), checksum_offset);
}

/// Unchecked; nothing where the file is not an index.
std::optional<IndexHeader> header_of(const IndexMapping& mapping) {
    IndexHeader header;
    if (mapping.size() < sizeof header || std::memcmp(mapping.bytes(), k_index_magic, 8) != 0)
        return std::nullopt;
    std::memcpy(&header, mapping.bytes(), sizeof header);
    return header;
}

/// The version that an intact header states; 0: not an index, or its header is damaged.
uint32_t version_of(const IndexMapping& mapping) {
    if (is_first_version(mapping)) return 1;
    const auto header = header_of(mapping);
    return header && header->checksum == header_checksum(*header) ? header->version : 0;
}

/// Where the table of sections cannot be that of an index: what reads through it would leave the file. Only a
/// writer at fault makes such a header, as the header has a checksum.
void check_table(const std::string& path, const IndexHeader& header) {
    constexpr std::array<uint64_t, k_section_count> element_bytes{
        1, sizeof(data::NonAcgtRun), sizeof(uint64_t), sizeof(uint32_t), sizeof(uint64_t), sizeof(uint64_t)};
    uint64_t offset = sizeof(IndexHeader);
    for (uint32_t i = 0; i < k_section_count; ++i) {
        const IndexHeader::Section& section = header.section[i];
        if (section.offset != offset || section.size_bytes > header.file_size_bytes - offset ||
            section.size_bytes % element_bytes[i] != 0)
            fail_damaged(path, "table of sections");
        offset = aligned(offset + section.size_bytes);
    }
    const uint64_t body = header.section[k_section_checksums].offset - sizeof(IndexHeader);
    const bool fits = header.sections == k_section_count && offset == header.file_size_bytes &&
                      header.bucket_bits <= 2 * header.kmer && header.bucket_bits <= 32 &&
                      header.kmer <= 31 && header.smer < header.kmer &&
                      header.section[k_section_blocks].size_bytes ==
                          (uint64_t{1} << header.bucket_bits) / kernels::k_block_buckets * sizeof(uint32_t) &&
                      header.section[k_section_words].size_bytes >=
                          header.section[k_section_blocks].size_bytes / sizeof(uint32_t) * sizeof(uint64_t) &&
                      header.section[k_section_checksums].size_bytes ==
                          (body + k_index_block_bytes - 1) / k_index_block_bytes * sizeof(uint64_t);
    if (!fits) fail_damaged(path, "table of sections");
}

IndexHeader checked_header(const std::string& path, const IndexMapping& mapping) {
    const uint32_t version = version_of(mapping);
    if (version != 0 && version != k_index_version) fail_other_version(path, version);
    const auto found = header_of(mapping);
    if (!found)
        fail_index(ErrorKind::malformed_input, path, "not an index of gannet" + index_rebuild_advice(path));
    const IndexHeader& header = *found;
    if (header.checksum != header_checksum(header)) fail_damaged(path, "checksum of the header");
    if (header.byte_order != k_index_byte_order) {
        fail_index(ErrorKind::reference_mismatch, path,
                   "an index of a machine with another byte order" + index_rebuild_advice(path));
    }
    if (header.file_size_bytes != mapping.size()) {
        fail_damaged(path, std::to_string(mapping.size()) + " bytes instead of " +
                               std::to_string(header.file_size_bytes));
    }
    check_table(path, header);
    const uint64_t checksums = header.section[k_section_checksums].offset;
    if (XXH3_64bits(mapping.bytes() + checksums, mapping.size() - checksums) != header.checksums_checksum)
        fail_damaged(path, "checksum of the checksums");
    return header;
}

/// Compares the checksum of a block of the body.
void check_block(const std::string& path, const IndexMapping& mapping, const IndexHeader& header,
                 uint64_t block) {
    thread_local std::vector<uint8_t> piece(k_piece_bytes);
    const uint64_t checksums = header.section[k_section_checksums].offset;
    const uint64_t begin = sizeof(IndexHeader) + block * k_index_block_bytes;
    const uint64_t end = std::min(begin + k_index_block_bytes, checksums);
    mapping.populate(begin, end);
    Hasher hasher;
    for (uint64_t at = begin; at < end; at += k_piece_bytes) {
        const std::span<uint8_t> part = std::span(piece).first(std::min(k_piece_bytes, end - at));
        mapping.read(path, at, part);
        hasher.add(part.data(), part.size());
    }
    uint64_t expected = 0;
    std::memcpy(&expected, mapping.bytes() + checksums + block * sizeof expected, sizeof expected);
    if (hasher.take() == expected) return;
    uint32_t section = 0;
    while (section + 1 < k_section_checksums && header.section[section + 1].offset <= begin) ++section;
    fail_damaged(path, "checksum of block " + std::to_string(block) + ", in its " + k_section_names[section]);
}

uint64_t blocks_before(uint64_t offset) {
    return (offset - sizeof(IndexHeader) + k_index_block_bytes - 1) / k_index_block_bytes;
}

template <class T>
std::span<const T> section_as(const IndexMapping& mapping, const IndexHeader& header, uint32_t index) {
    const IndexHeader::Section& section = header.section[index];
    return {reinterpret_cast<const T*>(mapping.bytes() + section.offset), section.size_bytes / sizeof(T)};
}

std::string_view take_field(std::string_view& text, char separator) {
    const size_t at = text.find(separator);
    const std::string_view field = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return field;
}

std::vector<data::Contig> parse_contigs(const std::string& path, std::string_view text) {
    const auto lines = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
    data::require_memory(path, "its list of " + std::to_string(lines) + " contigs",
                         lines * data::k_reference_contig_bytes);
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

/// One after another within the `bases` there are, and none without a name; one without bases is possible.
/// What reads the bases would leave the file otherwise.
bool are_possible(const std::vector<data::Contig>& contigs, uint64_t bases) {
    uint64_t end = 0;
    for (const data::Contig& contig : contigs) {
        if (contig.name.empty() || contig.offset < end || contig.offset > bases ||
            contig.length > bases - contig.offset)
            return false;
        end = contig.offset + contig.length;
    }
    return true;
}

/// The same for runs of letters.
bool are_possible(std::span<const data::NonAcgtRun> runs, uint64_t bases) {
    uint64_t end = 0;
    for (const data::NonAcgtRun& run : runs) {
        if (run.begin < end || run.end < run.begin || run.end > bases) return false;
        end = run.end;
    }
    return true;
}

}  // namespace

void IndexFile::write(const std::string& path, const data::Reference& reference,
                      const IndexParameters& parameters, uint32_t bucket_bits,
                      const kernels::SeedIndexLayout& layout, const SourceFile& source) {
    const std::string contigs = contigs_text(reference);
    PartialFile file(path);
    BodyWriter body(file);
    IndexHeader header{};
    std::memcpy(header.magic, k_index_magic, sizeof header.magic);
    header.version = k_index_version;
    header.byte_order = k_index_byte_order;
    header.kmer = parameters.kmer;
    header.smer = parameters.smer;
    header.bucket_bits = bucket_bits;
    header.sections = k_section_count;
    header.source_size_bytes = source.size_bytes;
    header.source_modified_ns = source.modified_ns;
    header.source_sample_hash = source.sample_hash;
    header.section[k_section_contigs] = body.append(std::span<const char>(contigs));
    header.section[k_section_runs] = body.append(reference.runs());
    header.section[k_section_packed] = body.append(reference.packed());
    header.section[k_section_blocks] = body.append(layout.block_begin());
    header.section[k_section_words] = body.append(layout);
    header.section[k_section_checksums] = {body.offset(), body.blocks() * sizeof(uint64_t)};
    const std::vector<uint64_t> checksums = body.finish();
    const uint64_t checksums_bytes = checksums.size() * sizeof(uint64_t);
    file.write(body.offset(), checksums.data(), checksums_bytes);
    header.checksums_checksum = XXH3_64bits(checksums.data(), checksums_bytes);
    header.file_size_bytes = body.offset() + checksums_bytes;
    header.checksum = header_checksum(header);
    file.write(0, &header, sizeof header);
    file.commit();
}

std::shared_ptr<const Index> IndexFile::open(const std::string& path) {
    const auto mapping = std::make_shared<const IndexMapping>(path);
    const IndexHeader header = checked_header(path, *mapping);
    // What is parsed, and walked by every look-up in the reference; small.
    for (uint64_t block = 0; block < blocks_before(header.section[k_section_packed].offset); ++block)
        check_block(path, *mapping, header, block);
    auto index = std::make_shared<Index>();
    index->path_ = path;
    index->size_bytes_ = mapping->size();
    index->header_checksum_ = header.checksum;
    index->source_ = {header.source_size_bytes, header.source_modified_ns, header.source_sample_hash};
    index->mapping_ = mapping;
    index->parameters_ = {header.kmer, header.smer};
    index->bucket_shift_ = 2 * header.kmer - header.bucket_bits;
    index->blocks_ = section_as<uint32_t>(*mapping, header, k_section_blocks);
    index->words_ = section_as<IndexEntry>(*mapping, header, k_section_words);
    const std::span<const char> chars = section_as<char>(*mapping, header, k_section_contigs);
    std::string_view text(chars.data(), chars.size());
    const std::string reference_path(take_field(text, '\n'));
    std::vector<data::Contig> contigs = parse_contigs(path, text);
    const auto packed = section_as<uint64_t>(*mapping, header, k_section_packed);
    const auto runs = section_as<data::NonAcgtRun>(*mapping, header, k_section_runs);
    constexpr uint64_t k_bases_per_word = 32;
    const uint64_t bases = packed.size() * k_bases_per_word;
    if (!are_possible(contigs, bases)) fail_damaged(path, "its contigs");
    if (!are_possible(runs, bases)) fail_damaged(path, "its runs");
    index->reference_ =
        std::make_shared<const data::Reference>(reference_path, std::move(contigs), packed, runs, mapping);
    return index;
}

std::shared_ptr<const Index> Index::open(const std::string& path) { return IndexFile::open(path); }

bool Index::is_of_another_version(const std::string& path) {
    const uint32_t version = version_of(IndexMapping(path));
    return version != 0 && version != k_index_version;
}

void Index::verify(int threads) const {
    const IndexMapping& mapping = *mapping_;
    const IndexHeader header = checked_header(path_, mapping);
    data::for_each_index(static_cast<size_t>(threads),
                         blocks_before(header.section[k_section_checksums].offset),
                         [&](size_t block) { check_block(path_, mapping, header, block); });
}

}  // namespace gannet::align
