// SPDX-License-Identifier: MIT
// Provides parsing and checking of BAI and CSI.
#include "data/bam/offset_index.hpp"

#include "data/bgzf/block_reader.hpp"
#include "data/error.hpp"
#include "data/input_stream.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <unistd.h>
#include <utility>

namespace gannet::data::bam {
namespace {

constexpr size_t k_max_index_bytes = size_t{4} << 30;
constexpr int k_bai_window_bits = 14;
constexpr int k_bai_levels = 5;

struct Chunk {
    uint64_t begin, end;
    bool operator<(const Chunk& other) const { return begin < other.begin; }
};

[[noreturn]] void refuse(const std::string& path, const std::string& cause) {
    throw_malformed(path,
                    cause + ": the index is damaged or of another file; make it again (samtools index)");
}

std::vector<uint8_t> read_all(const std::string& path) {
    InputStream stream(path);
    std::vector<uint8_t> bytes;
    for (size_t end = 0;;) {
        if (end > k_max_index_bytes) refuse(path, "is larger than 4 GiB");
        bytes.resize(std::max(2 * end, end + 4 * InputStream::k_min_read_bytes));
        const size_t got = stream.read({bytes.data() + end, bytes.size() - end});
        end += got;
        if (got == 0) {
            bytes.resize(end);
            return bytes;
        }
    }
}

/// Little-endian numbers one after the other; running out of bytes is damage.
class Cursor {
  public:
    Cursor(std::span<const uint8_t> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

    template <class T>
    T take() {
        if (bytes_.size() < sizeof(T)) refuse(path_, "ends too early");
        T value;
        std::memcpy(&value, bytes_.data(), sizeof value);
        bytes_ = bytes_.subspan(sizeof value);
        return value;
    }
    /// A count of things of at least `bytes_each`.
    size_t take_count(size_t bytes_each) {
        const auto count = take<int32_t>();
        if (count < 0 || static_cast<size_t>(count) > bytes_.size() / bytes_each)
            refuse(path_, "announces more than it holds");
        return static_cast<size_t>(count);
    }
    void skip(size_t bytes) {
        if (bytes_.size() < bytes) refuse(path_, "ends too early");
        bytes_ = bytes_.subspan(bytes);
    }
    size_t left() const { return bytes_.size(); }

  private:
    std::span<const uint8_t> bytes_;
    const std::string& path_;
};

/// The tree of bins: 8 children each, the smallest of 2^bits bases.
struct Bins {
    int bits = k_bai_window_bits;
    int levels = k_bai_levels;

    uint32_t first(int level) const { return ((1u << (3 * level)) - 1) / 7; }
    uint32_t count() const { return first(levels + 1); }
    uint32_t statistics() const { return count() + 1; }  ///< number of the bin that holds counts instead
    int64_t begin(uint32_t bin) const {
        int level = levels;
        while (level > 0 && first(level) > bin) --level;
        return static_cast<int64_t>(bin - first(level)) << (bits + 3 * (levels - level));
    }
};

class Parser {
  public:
    Parser(std::span<const uint8_t> bytes, const std::string& path, size_t contigs, uint64_t bam_bytes)
        : cursor_(bytes, path), path_(path), contigs_(contigs), bam_bytes_(bam_bytes) {}

    std::vector<OffsetIndex::Contig> parse();
    std::vector<Chunk>& chunks() { return chunks_; }
    bool is_csi() const { return csi_; }

  private:
    void parse_contig(OffsetIndex::Contig& contig);
    void parse_bin(OffsetIndex::Contig& contig);
    void parse_windows(OffsetIndex::Contig& contig);
    void check_points(OffsetIndex::Contig& contig) const;  ///< makes them ascend, or refuses
    uint64_t take_offset();

    Cursor cursor_;
    const std::string& path_;
    size_t contigs_;
    uint64_t bam_bytes_;
    bool csi_ = false;
    Bins bins_;
    std::vector<Chunk> chunks_;
};

std::vector<OffsetIndex::Contig> Parser::parse() {
    const auto magic = cursor_.take<uint32_t>();
    csi_ = magic == 0x01495343;                                                 // "CSI\1"
    if (!csi_ && magic != 0x01494142) refuse(path_, "is neither BAI nor CSI");  // "BAI\1"
    if (csi_) {
        bins_.bits = cursor_.take<int32_t>();
        bins_.levels = cursor_.take<int32_t>();
        if (bins_.bits < 1 || bins_.levels < 1 || bins_.levels > 9 || bins_.bits + 3 * bins_.levels > 62)
            refuse(path_, "has bins of an impossible size");
        cursor_.skip(cursor_.take_count(1));
    }
    if (cursor_.take<int32_t>() != static_cast<int64_t>(contigs_))
        refuse(path_, "has another number of contigs than the alignments");
    std::vector<OffsetIndex::Contig> contigs(contigs_);
    for (OffsetIndex::Contig& contig : contigs) parse_contig(contig);
    if (cursor_.left() != 0 && cursor_.left() != 8)  // the number of records without a position may follow
        refuse(path_, "goes on after its end");
    return contigs;
}

void Parser::parse_contig(OffsetIndex::Contig& contig) {
    const size_t bins = cursor_.take_count(8);
    for (size_t i = 0; i < bins; ++i) parse_bin(contig);
    if (!csi_) parse_windows(contig);
    if (contig.empty) contig.points.clear();
    check_points(contig);
}

void Parser::parse_bin(OffsetIndex::Contig& contig) {
    const auto bin = cursor_.take<uint32_t>();
    const uint64_t first_offset = csi_ ? take_offset() : 0;
    const size_t chunks = cursor_.take_count(16);
    if (bin == bins_.statistics()) {
        if (chunks != 2) refuse(path_, "has damaged statistics of a contig");
        cursor_.skip(32);
        return;
    }
    if (bin >= bins_.count()) refuse(path_, "has a bin " + std::to_string(bin) + ", which does not exist");
    for (size_t i = 0; i < chunks; ++i) {
        const Chunk chunk{take_offset(), take_offset()};
        if (chunk.end < chunk.begin) refuse(path_, "has a chunk that ends before it begins");
        contig.begin = contig.empty ? chunk.begin : std::min(contig.begin, chunk.begin);
        contig.empty = false;
        chunks_.push_back(chunk);
    }
    if (csi_ && first_offset != 0) contig.points.push_back({bins_.begin(bin), first_offset});
}

void Parser::parse_windows(OffsetIndex::Contig& contig) {
    const size_t windows = cursor_.take_count(8);
    for (size_t i = 0; i < windows; ++i) {
        const uint64_t offset = take_offset();
        // 0: no record reaches the window, nor one before it.
        if (offset != 0) contig.points.push_back({static_cast<int64_t>(i) << k_bai_window_bits, offset});
    }
}

void Parser::check_points(OffsetIndex::Contig& contig) const {
    auto& points = contig.points;
    if (csi_) {  // bins in any order, and protected by the checksums of BGZF
        std::sort(points.begin(), points.end(),
                  [](const auto& a, const auto& b) { return a.position < b.position; });
    }
    uint64_t last = contig.begin;
    for (OffsetIndex::Point& point : points) {
        if (csi_) point.offset = std::max(point.offset, last);
        if (point.offset < last) refuse(path_, "has offsets that do not ascend");
        last = point.offset;
    }
}

uint64_t Parser::take_offset() {
    const auto offset = cursor_.take<uint64_t>();
    if (offset >> 16 > bam_bytes_) refuse(path_, "has an offset past the end of the alignments");
    return offset;
}

/// Whether no byte of data lies between two virtual offsets: the first is the end of a block, and what
/// follows up to the second are empty blocks.
bool is_same_point(bgzf::BlockReader& blocks, uint64_t a, uint64_t b) {
    uint64_t at = a >> 16;
    const auto first = blocks.at(at);
    if (!first || first->data_bytes != (a & 0xffff) || (b & 0xffff) != 0) return false;
    for (at += first->size_bytes; at < b >> 16;) {
        const auto block = blocks.at(at);
        if (!block || block->data_bytes != 0) return false;
        at += block->size_bytes;
    }
    return at == b >> 16;
}

}  // namespace

std::string OffsetIndex::find(const std::string& path, bool cram) {
    const auto stem = std::filesystem::path(path).replace_extension().string();
    for (const char* ending : {".csi", cram ? ".crai" : ".bai"}) {
        for (const std::string& base : {path, stem}) {
            if (access((base + ending).c_str(), F_OK) == 0) return base + ending;
        }
    }
    return {};
}

std::shared_ptr<const OffsetIndex> OffsetIndex::load(const std::string& index_path,
                                                     const std::string& bam_path, size_t contigs,
                                                     uint64_t first_record) {
    bgzf::BlockReader blocks(bam_path);
    const std::vector<uint8_t> bytes = read_all(index_path);
    Parser parser(bytes, index_path, contigs, blocks.file_bytes());
    auto index = std::make_shared<OffsetIndex>();
    index->path_ = index_path;
    index->contigs_ = parser.parse();
    index->has_checksum_ = parser.is_csi();
    auto& chunks = parser.chunks();
    std::sort(chunks.begin(), chunks.end());
    index->end_ = first_record;
    for (const Chunk& chunk : chunks) {
        if (chunk.begin < first_record) refuse(index_path, "has records inside the header");
        if (chunk.begin > index->end_ && !is_same_point(blocks, index->end_, chunk.begin))
            refuse(index_path, "leaves records out");
        index->end_ = std::max(index->end_, chunk.end);
    }
    return index;
}

}  // namespace gannet::data::bam
