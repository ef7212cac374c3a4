// SPDX-License-Identifier: MIT
// Provides the MD5 of a sequence.
#include "data/letters.hpp"

#include <htslib/hts.h>

#include <new>

namespace gannet::data {

LettersMd5::LettersMd5() : digest_(hts_md5_init()) {
    if (digest_ == nullptr) throw std::bad_alloc();
}

LettersMd5::~LettersMd5() { hts_md5_destroy(digest_); }

void LettersMd5::add(std::span<const char> upper_case) {
    hts_md5_update(digest_, upper_case.data(), static_cast<unsigned long>(upper_case.size()));
}

std::string LettersMd5::finish() {
    unsigned char raw[16];
    char hex[33];
    hts_md5_final(raw, digest_);
    hts_md5_hex(hex, raw);
    hts_md5_reset(digest_);
    return {hex, 32};
}

}  // namespace gannet::data
