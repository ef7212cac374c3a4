// SPDX-License-Identifier: MIT
// Provides writing and reading of shards of examples.
#include "ml/example_file.hpp"

#include "data/bgzf/block.hpp"
#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/json_text.hpp"
#include "data/output_file.hpp"
#include "ml/decision.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <utility>

namespace gannet::ml {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<uint8_t, 8> k_magic = {'G', 'N', 'T', 'E', 'X', 0, 0, k_example_file_version};
constexpr size_t k_record_bytes = 40;
constexpr size_t k_max_header_bytes = 1 << 24;
constexpr int k_level = 6;

template <class T>
void put(std::vector<uint8_t>& out, T value) {
    for (size_t i = 0; i < sizeof value; ++i)
        out.push_back(static_cast<uint8_t>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * i)));
}

template <class T>
T get(const uint8_t*& at) {
    std::make_unsigned_t<T> value = 0;
    for (size_t i = 0; i < sizeof value; ++i)
        value = static_cast<std::make_unsigned_t<T>>(value | static_cast<std::make_unsigned_t<T>>(*at++)
                                                                 << (8 * i));
    return static_cast<T>(value);
}

Json to_json(const ExampleFileHeader& header) {
    return {{"version", k_example_file_version},
            {"layout", k_example_layout},
            {"columns", pileup::k_columns},
            {"channels", pileup::k_channels},
            {"row_features", pileup::k_row_features},
            {"site_bytes", pileup::k_site_bytes},
            {"command", header.command},
            {"sample", header.sample},
            {"contigs", header.contigs}};
}

}  // namespace

struct ExampleWriter::State {
    explicit State(const std::string& path) : file(path), compressor(k_level) {}

    void flush(bool all) {
        size_t at = 0;
        while (pending.size() - at >= data::bgzf::k_max_payload_bytes || (all && at < pending.size())) {
            const size_t bytes = std::min(data::bgzf::k_max_payload_bytes, pending.size() - at);
            compressor.append({pending.data() + at, bytes}, packed);
            at += bytes;
        }
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(at));
        file.write(packed);
        packed.clear();
    }

    data::OutputFile file;
    data::bgzf::BlockCompressor compressor;
    std::vector<uint8_t> pending;
    std::vector<uint8_t> packed;
};

ExampleWriter::ExampleWriter(const std::string& path, const ExampleFileHeader& header)
    : state_(std::make_unique<State>(path)) {
    const std::string text = data::json_text(to_json(header), data::k_json_in_one_line);
    auto& out = state_->pending;
    out.insert(out.end(), k_magic.begin(), k_magic.end());
    put(out, static_cast<uint32_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
}
ExampleWriter::~ExampleWriter() = default;

void ExampleWriter::write(const ExampleRecord& record) {
    auto& out = state_->pending;
    put(out, record.facts.contig);
    put(out, record.facts.position);
    put(out, static_cast<uint16_t>(record.rows.size() / pileup::k_row_bytes));
    put(out, record.label);
    put(out, record.facts.kind);
    for (const int32_t value : record.facts.base) put(out, value);
    put(out, record.facts.allele);
    put(out, record.facts.fragments);
    put(out, record.facts.plain_phred);
    for (const uint8_t value :
         {record.facts.filters, record.facts.context, record.facts.copies, record.facts.quality_cap})
        put(out, value);
    put(out, uint32_t{0});
    out.insert(out.end(), record.site.begin(), record.site.end());
    out.insert(out.end(), record.rows.begin(), record.rows.end());
    if (out.size() >= data::bgzf::k_max_payload_bytes) state_->flush(false);
}

void ExampleWriter::commit() {
    state_->flush(true);
    state_->file.write(data::bgzf::k_end_of_file);
    state_->file.commit();
}

struct ExampleReader::State {
    explicit State(const std::string& file_path) : path(file_path), stream(file_path) {}

    /// The next `bytes` bytes; fewer at the end of the file only.
    std::span<const uint8_t> take(size_t bytes) {
        while (end - begin < bytes) {
            if (begin > 0) {
                std::memmove(buffer.data(), buffer.data() + begin, end - begin);
                end -= begin;
                begin = 0;
            }
            const size_t room = std::max(bytes, end + data::InputStream::k_min_read_bytes);
            if (buffer.size() < room) buffer.resize(room);
            const size_t got = stream.read({buffer.data() + end, buffer.size() - end});
            if (got == 0) break;
            end += got;
        }
        const std::span<const uint8_t> out{buffer.data() + begin, std::min(bytes, end - begin)};
        begin += out.size();
        return out;
    }

    void check_end_marker() const;
    void read_header();
    [[noreturn]] void fail(const std::string& cause) const { data::throw_malformed(path, number, cause); }

    std::string path;
    data::InputStream stream;
    std::vector<uint8_t> buffer;
    size_t begin = 0;
    size_t end = 0;
    uint64_t number = 0;
    ExampleFileHeader header;
};

/// A file that was cut between blocks, and so perhaps between records, lacks BGZF's end marker.
void ExampleReader::State::check_end_marker() const {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::vector<char> last(data::bgzf::k_end_of_file.size());
    const auto size = static_cast<std::streamoff>(last.size());
    if (!file || file.tellg() < size) return;  // too short for any header
    file.seekg(-size, std::ios::end);
    if (!file.read(last.data(), size)) return;
    if (std::memcmp(last.data(), data::bgzf::k_end_of_file.data(), last.size()) != 0)
        data::throw_malformed(path, "is truncated: the end marker of BGZF is missing");
}

void ExampleReader::State::read_header() {
    const auto magic = take(k_magic.size());
    if (magic.size() < k_magic.size() || !std::equal(k_magic.begin(), k_magic.begin() + 7, magic.begin()))
        data::throw_malformed(path, "is not a file of examples (gannet examples writes them)");
    if (magic[7] != k_example_file_version) {
        data::throw_malformed(path, "is a file of examples of version " + std::to_string(magic[7]) +
                                        "; this program reads version " +
                                        std::to_string(k_example_file_version));
    }
    const auto length = take(4);
    if (length.size() < 4) data::throw_malformed(path, "ends within its header");
    const uint8_t* at = length.data();
    const auto bytes = get<uint32_t>(at);
    if (bytes > k_max_header_bytes) data::throw_malformed(path, "header is damaged");
    const auto text = take(bytes);
    if (text.size() < bytes) data::throw_malformed(path, "ends within its header");
    // The parser takes a NUL for the end of its input, whatever comes after it.
    if (std::find(text.begin(), text.end(), 0) != text.end())
        data::throw_malformed(path, "header is damaged");
    try {
        const Json json = Json::parse(text.begin(), text.end());
        const Json expected = to_json({});
        for (const char* name : {"version", "layout", "columns", "channels", "row_features", "site_bytes"}) {
            if (json.at(name) != expected.at(name)) {
                data::throw_malformed(path, std::string("has another ") + name +
                                                " than this program reads: " + json.at(name).dump());
            }
        }
        header.command = json.at("command");
        header.sample = json.at("sample");
        header.contigs = json.at("contigs").get<std::vector<std::string>>();
    } catch (const nlohmann::json::exception&) {
        data::throw_malformed(path, "header is damaged");
    }
}

ExampleReader::ExampleReader(const std::string& path) : state_(std::make_unique<State>(path)) {
    state_->read_header();
    state_->check_end_marker();
}
ExampleReader::~ExampleReader() = default;
const ExampleFileHeader& ExampleReader::header() const { return state_->header; }

bool ExampleReader::read(ExampleRecord& record) {
    State& s = *state_;
    const auto head = s.take(k_record_bytes);
    if (head.empty()) return false;
    ++s.number;
    if (head.size() < k_record_bytes) s.fail("is cut off");
    const uint8_t* at = head.data();
    record.facts = {};
    record.facts.contig = get<uint32_t>(at);
    record.facts.position = get<uint32_t>(at);
    const auto rows = get<uint16_t>(at);
    record.label = get<uint8_t>(at);
    record.facts.kind = get<uint8_t>(at);
    for (int32_t& value : record.facts.base) value = get<int32_t>(at);
    record.facts.allele = get<uint32_t>(at);
    record.facts.fragments = get<uint16_t>(at);
    record.facts.plain_phred = get<uint16_t>(at);
    for (uint8_t* const value :
         {&record.facts.filters, &record.facts.context, &record.facts.copies, &record.facts.quality_cap})
        *value = get<uint8_t>(at);
    if (get<uint32_t>(at) != 0) s.fail("reserved bytes are not zero");
    if (record.facts.contig >= s.header.contigs.size()) s.fail("names a contig that the header lacks");
    if (rows > pileup::k_max_rows) s.fail("has " + std::to_string(rows) + " rows");
    if (record.label > 2 && record.label != k_unknown_label)
        s.fail("has label " + std::to_string(record.label));
    if (record.facts.kind > 3) s.fail("has kind " + std::to_string(record.facts.kind));
    if (record.facts.context >= k_context_names.size())
        s.fail("has context " + std::to_string(record.facts.context));
    if (record.facts.copies > 2) s.fail("has " + std::to_string(record.facts.copies) + " copies");
    for (const int32_t value : record.facts.base) {
        if (value < k_min_posterior || value > 0) s.fail("has a posterior out of range");
    }
    const size_t bytes = pileup::k_site_bytes + size_t{rows} * pileup::k_row_bytes;
    const auto body = s.take(bytes);
    if (body.size() < bytes) s.fail("is cut off");
    record.site = body.first(pileup::k_site_bytes);
    record.rows = body.subspan(pileup::k_site_bytes);
    return true;
}

}  // namespace gannet::ml
