// SPDX-License-Identifier: MIT
// Provides gzip members and BGZF blocks made in memory for tests.
#pragma once

#include <string>
#include <vector>
#include <zlib.h>

namespace gannet::tests {

/// One gzip member; with `bgzf`, one BGZF block.
inline std::string gzip(const std::string& text, bool bgzf = false) {
    z_stream stream = {};
    deflateInit2(&stream, 6, Z_DEFLATED, bgzf ? -15 : 31, 8, Z_DEFAULT_STRATEGY);
    std::vector<unsigned char> in(text.begin(), text.end());
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = in.data();
    stream.avail_in = static_cast<unsigned>(in.size());
    stream.next_out = reinterpret_cast<unsigned char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (!bgzf) return out;
    const auto little = [](unsigned long value, int bytes) {
        std::string raw;
        for (int i = 0; i < bytes; ++i) raw += static_cast<char>(value >> (8 * i) & 255);
        return raw;
    };
    const unsigned long checksum = crc32(crc32(0, nullptr, 0), in.data(), static_cast<unsigned>(in.size()));
    return std::string("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0", 16) + little(out.size() + 25, 2) +
           out + little(checksum, 4) + little(text.size(), 4);
}

inline std::string bgzf(const std::string& text, size_t block_bytes = 60000) {
    std::string out;
    for (size_t at = 0; at < text.size(); at += block_bytes) out += gzip(text.substr(at, block_bytes), true);
    return out + gzip("", true);
}

/// What sound gzip members or BGZF blocks hold.
inline std::string inflate(const std::string& packed) {
    std::string text, part(1 << 16, '\0');
    std::vector<unsigned char> in(packed.begin(), packed.end());
    for (size_t at = 0; at < in.size();) {
        z_stream stream = {};
        inflateInit2(&stream, 31);
        stream.next_in = in.data() + at;
        stream.avail_in = static_cast<unsigned>(in.size() - at);
        for (int result = Z_OK; result == Z_OK;) {
            stream.next_out = reinterpret_cast<unsigned char*>(part.data());
            stream.avail_out = static_cast<unsigned>(part.size());
            result = ::inflate(&stream, Z_NO_FLUSH);
            text.append(part, 0, part.size() - stream.avail_out);
        }
        at = in.size() - stream.avail_in;
        inflateEnd(&stream);
    }
    return text;
}

}  // namespace gannet::tests
