// SPDX-License-Identifier: MIT
// Fuzzes the op inflate: its schedule must find the same as its reference, and both what zlib finds.
#include "kernels/host_stream.hpp"
#include "kernels/inflate/inflate.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/data/compress.hpp"

#include <zlib.h>

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    std::string text = "@a\nACGTNACGT\n+\nIIIIIIIII\n@a\nACGTNACGT\n+\nIIIIIIIII\n";
    for (int k = 0; k < 3; ++k) text += text + std::to_string(k * 1'234'567) + "acegikmo";
    constexpr size_t k_header_bytes = 10;
    constexpr size_t k_trailer_bytes = 8;
    const auto stream_of = [](const std::string& gzip) {
        return gzip.substr(k_header_bytes, gzip.size() - k_header_bytes - k_trailer_bytes);
    };
    const std::string stored = std::string("\1\5\0\xfa\xff", 5) + "hello";
    return {stream_of(tests::gzip(text)), stream_of(tests::gzip("abc")), stored};
}

namespace {

using kernels::Backend;
using kernels::InflateStatus;
using Bytes = std::vector<uint8_t>;

struct Found {
    InflateStatus status = InflateStatus::ok;
    Bytes bytes;
};

Found found_by(Backend backend, std::span<const uint8_t> stream, size_t size, uint32_t crc32) {
    Found found;
    found.bytes.resize(size);
    const kernels::InflateBlock block{stream, found.bytes, crc32};
    std::vector<InflateStatus> statuses;
    kernels::HostStream queue;
    kernels::inflate_function(backend)(queue, {&block, 1}, statuses);
    found.status = statuses.at(0);
    return found;
}

void require(bool is_true) {
    if (!is_true) std::abort();
}

}  // namespace
}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet::fuzz;
    using gannet::kernels::k_inflate_max_bytes;
    if (size == 0 || size > k_inflate_max_bytes) return 0;
    const Bytes stream(bytes, bytes + size);
    Bytes expected(k_inflate_max_bytes + 1);
    z_stream state = {};
    require(inflateInit2(&state, -15) == Z_OK);
    state.next_in = const_cast<uint8_t*>(stream.data());
    state.avail_in = static_cast<unsigned>(size);
    state.next_out = expected.data();
    state.avail_out = static_cast<unsigned>(expected.size());
    const bool is_good = inflate(&state, Z_FINISH) == Z_STREAM_END && state.total_out <= k_inflate_max_bytes;
    expected.resize(is_good ? state.total_out : size % 3'000);
    inflateEnd(&state);
    const auto crc = static_cast<uint32_t>(crc32(0, expected.data(), static_cast<unsigned>(expected.size())));
    const Found reference = found_by(Backend::reference, stream, expected.size(), crc);
    const Found here = found_by(Backend::emulated, stream, expected.size(), crc);
    require(here.status == reference.status && here.bytes == reference.bytes);
    require((reference.status == InflateStatus::ok) == is_good);
    if (is_good) require(reference.bytes == expected);
    return 0;
}
