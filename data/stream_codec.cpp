// SPDX-License-Identifier: MIT
// Provides the compression of streams by zstd.
#include "data/stream_codec.hpp"

#include "data/error.hpp"

#include <zstd.h>

#include <new>

namespace gannet::data {
namespace {

constexpr int k_min_hash_bits = 6;                                 // that zstd takes
constexpr int k_max_step = 128 << 10;                              // as well
constexpr auto k_literal_compression = ZSTD_c_experimentalParam5;  // its ZSTD_c_literalCompressionMode

struct ContextDeleter {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

struct StreamCodec::State {
    std::unique_ptr<ZSTD_CCtx, ContextDeleter> compressor{ZSTD_createCCtx()};
    std::unique_ptr<ZSTD_DCtx, ContextDeleter> decompressor{ZSTD_createDCtx()};

    void set(Method method) const {
        ZSTD_CCtx* const context = compressor.get();
        const auto parameter = [context](ZSTD_cParameter which, int value) {
            return !ZSTD_isError(ZSTD_CCtx_setParameter(context, which, value));
        };
        ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
        parameter(ZSTD_c_compressionLevel, 1);
        parameter(ZSTD_c_contentSizeFlag, 0);
        parameter(ZSTD_c_strategy, ZSTD_fast);
        if (method != Method::frequencies) {
            parameter(ZSTD_c_hashLog, 13);
            parameter(ZSTD_c_minMatch, 6);
            parameter(ZSTD_c_targetLength, method == Method::matches ? 2 : 8);
            return;
        }
        // A table of 64 entries and the longest steps find next to nothing, at next to no cost. Such a search
        // switches the Huffman code off, unless that is asked for; a zstd that does not know this parameter
        // takes short steps instead.
        parameter(ZSTD_c_hashLog, k_min_hash_bits);
        parameter(ZSTD_c_minMatch, 7);
        if (parameter(k_literal_compression, 1)) parameter(ZSTD_c_targetLength, k_max_step);
    }
};

StreamCodec::StreamCodec() : state_(std::make_unique<State>()) {
    if (!state_->compressor || !state_->decompressor) throw std::bad_alloc();
}

StreamCodec::~StreamCodec() = default;

size_t StreamCodec::compress(std::span<const uint8_t> bytes, Method method, std::span<uint8_t> out) {
    if (bytes.empty()) return 0;
    state_->set(method);
    // No room for as much as the stream itself: zstd then gives up.
    const size_t size =
        ZSTD_compress2(state_->compressor.get(), out.data(), bytes.size() - 1, bytes.data(), bytes.size());
    return ZSTD_isError(size) ? 0 : size;
}

void StreamCodec::decompress(std::span<const uint8_t> bytes, std::span<uint8_t> out) {
    const size_t size =
        ZSTD_decompressDCtx(state_->decompressor.get(), out.data(), out.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size) || size != out.size()) {
        throw Error(ErrorKind::internal, "a compressed stream of a temporary file is not what was written");
    }
}

}  // namespace gannet::data
