// SPDX-License-Identifier: MIT
// Provides inflating of gzip streams with ISA-L.
#include "data/gzip_inflater.hpp"

#include "data/error.hpp"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <utility>

namespace gannet::data {

struct GzipInflater::State {
    inflate_state isal;
};

GzipInflater::GzipInflater(std::string file) : file_(std::move(file)), state_(std::make_unique<State>()) {
    isal_inflate_init(&state_->isal);
}

GzipInflater::~GzipInflater() = default;

void GzipInflater::fail(const std::string& cause) const { throw_malformed(file_, cause); }

/// Moves to the first byte of a member; false when the piece has none.
bool GzipInflater::begin_member(StoredPiece& piece) {
    const std::span<const uint8_t> bytes = piece.bytes();
    if (bytes.empty()) return false;
    if (!padding_ && bytes[0] == 0x1f) {
        isal_inflate_reset(&state_->isal);
        state_->isal.crc_flag = ISAL_GZIP;
        in_member_ = true;
        head_bytes_ = 0;
        ++members_;
        return true;
    }
    padding_ = true;  // tapes and block devices pad with zeros
    if (std::any_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != 0; })) {
        fail("bytes that are not gzip follow gzip member " + std::to_string(members_) +
             ": the file is damaged or was joined with something else");
    }
    piece.advance(bytes.size());
    return false;
}

void GzipInflater::check(int result) const {
    const std::string member = std::to_string(members_);
    if (result == ISAL_INVALID_WRAPPER && members_ > 1) {
        fail("bytes that are not gzip follow gzip member " + std::to_string(members_ - 1) +
             ": the file is damaged or was joined with something else");
    }
    if (result == ISAL_INCORRECT_CHECKSUM)
        fail("damaged: the checksum of gzip member " + member + " is wrong; copy or make it again");
    if (result < 0) fail("damaged: gzip member " + member + " cannot be inflated; copy or make it again");
}

/// RFC 1952, 2.3.1.2: a reader must refuse reserved flags, which may stand for more fields in the header.
/// ISA-L does not look at them.
void GzipInflater::check_flags(std::span<const uint8_t> bytes) {
    constexpr size_t k_flags_at = 3;
    constexpr uint8_t k_reserved = 0xe0;
    for (size_t i = 0; i < bytes.size() && head_bytes_ <= k_flags_at; ++i, ++head_bytes_) {
        if (head_bytes_ == k_flags_at && (bytes[i] & k_reserved) != 0)
            fail("damaged: gzip member " + std::to_string(members_) +
                 " has flags that do not exist; copy or make it again");
    }
}

GzipInflater::Result GzipInflater::inflate(StoredPiece& piece, std::span<uint8_t> out) {
    if (!started_) members_ = piece.members;
    started_ = true;
    inflate_state& state = state_->isal;
    size_t filled = 0;
    while (filled < out.size()) {
        if (!in_member_ && !begin_member(piece)) return {filled, true};
        const std::span<const uint8_t> bytes = piece.bytes();
        state.next_in = piece.memory.data() + piece.begin;
        state.avail_in = static_cast<uint32_t>(bytes.size());
        state.next_out = out.data() + filled;
        state.avail_out = static_cast<uint32_t>(out.size() - filled);
        check(isal_inflate(&state));
        const size_t made = out.size() - filled - state.avail_out;
        check_flags(bytes.first(bytes.size() - state.avail_in));
        piece.advance(bytes.size() - state.avail_in);
        filled += made;
        if (state.block_state == ISAL_BLOCK_FINISH) {
            in_member_ = false;
        } else if (made == 0 && piece.begin == piece.end) {
            if (piece.last) {
                fail("truncated: the file ends inside gzip member " + std::to_string(members_) +
                     "; copy or make it again");
            }
            return {filled, true};
        }
    }
    return {filled, false};
}

}  // namespace gannet::data
