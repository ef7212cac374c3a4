// SPDX-License-Identifier: MIT
// Provides what texts of bases have in common: their upper case, and the MD5 of a sequence.
#pragma once

#include <cstdint>
#include <span>
#include <string>

struct hts_md5_context;

namespace gannet::data {

/// Of ASCII, without a table: the cases of a letter differ in bit 5 only.
inline void to_upper(std::span<char> text) {
    for (char& at : text) {
        const auto letter = static_cast<uint8_t>(at);
        at = static_cast<char>(letter & ~(static_cast<uint8_t>(letter - 'a') < 26 ? 0x20 : 0));
    }
}

/// The MD5 of a sequence as @SQ M5 has it, over its letters in upper case (SAM specification 1.3.2).
class LettersMd5 {
  public:
    LettersMd5();
    ~LettersMd5();
    LettersMd5(const LettersMd5&) = delete;
    LettersMd5& operator=(const LettersMd5&) = delete;
    void add(std::span<const char> upper_case);
    /// 32 hexadecimal digits of all that was added since the last call; the next sequence begins.
    std::string finish();

  private:
    hts_md5_context* digest_;
};

}  // namespace gannet::data
