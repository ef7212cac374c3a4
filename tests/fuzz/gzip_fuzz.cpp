// SPDX-License-Identifier: MIT
// Fuzzes inflating of gzip and BGZF; what is read must be what zlib makes of the same bytes.
#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/data/compress.hpp"

#include <optional>
#include <zlib.h>

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    const std::string text = "@a\nACGTNACGT\n+\nIIIIIIIII\n@a\nACGTNACGT\n+\nIIIIIIIII\n";
    return {text, tests::gzip(text) + tests::gzip("") + tests::gzip(text) + std::string(40, '\0'),
            tests::bgzf(text, 20), tests::gzip(text, true) + tests::gzip(text)};
}

namespace {

constexpr size_t k_max_text_bytes = size_t{8} << 20;

/// What zlib makes of gzip members; nothing where they are damaged, or are more than is compared.
std::optional<std::string> inflate_by_zlib(const uint8_t* bytes, size_t size) {
    std::string text, part(1 << 16, '\0');
    std::vector<uint8_t> in(bytes, bytes + size);
    size_t at = 0;
    for (bool first = true; at < size; first = false) {
        if (!first && in[at] == 0) {  // padding
            for (; at < size; ++at) {
                if (in[at] != 0) return std::nullopt;
            }
            break;
        }
        z_stream stream = {};
        if (inflateInit2(&stream, 31) != Z_OK) std::abort();
        stream.next_in = in.data() + at;
        stream.avail_in = static_cast<unsigned>(size - at);
        int result = Z_OK;
        while (result == Z_OK) {
            stream.next_out = reinterpret_cast<unsigned char*>(part.data());
            stream.avail_out = static_cast<unsigned>(part.size());
            result = inflate(&stream, Z_NO_FLUSH);
            text.append(part, 0, part.size() - stream.avail_out);
            if (text.size() > k_max_text_bytes) result = Z_MEM_ERROR;
        }
        at = size - stream.avail_in;
        inflateEnd(&stream);
        if (result != Z_STREAM_END) return std::nullopt;
    }
    return text;
}

}  // namespace
}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    const fuzz::MemoryFile file(bytes, size);
    std::string text;
    bool refused = false, compressed = false;
    try {
        data::InputStream stream(file.path());
        compressed = stream.compressed();
        std::vector<uint8_t> buffer(data::InputStream::k_min_read_bytes);
        while (const size_t got = stream.read(buffer)) {
            text.append(reinterpret_cast<const char*>(buffer.data()), got);
            if (text.size() > fuzz::k_max_text_bytes) return 0;
        }
    } catch (const data::Error&) {
        refused = true;
    }
    if (!compressed || refused) return 0;
    // Sound for us and not for zlib would be damage that is not seen; the opposite is only strict.
    const std::optional<std::string> expected = fuzz::inflate_by_zlib(bytes, size);
    if (!expected || *expected != text) std::abort();
    return 0;
}
