// SPDX-License-Identifier: MIT
// Provides the helpers over 2-bit packed bases under the aligner's name.
#pragma once

#include "kernels/genome/packed_words.hpp"

namespace gannet::align {

using kernels::k_low_bits;
using kernels::mismatch_bits;
using kernels::mix64;
using kernels::reverse_bases;
using kernels::word_at;

}  // namespace gannet::align
