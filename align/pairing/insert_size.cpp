// SPDX-License-Identifier: MIT
// Provides the insert size from the unclipped ends of two candidates.
#include "align/pairing/insert_size.hpp"

namespace gannet::align {

int32_t insert_size(const Candidate& a, uint32_t length_a, const Candidate& b, uint32_t length_b) {
    if (a.strand == b.strand || a.contig != b.contig) return 0;
    const Candidate& forward = a.strand == 0 ? a : b;
    const Candidate& reverse = a.strand == 0 ? b : a;
    const uint32_t reverse_length = a.strand == 0 ? length_b : length_a;
    const int64_t begin = forward.target_begin - forward.query_begin;
    const int64_t end = reverse.target_end + (reverse_length - reverse.query_end);
    const int64_t insert = end - begin;
    return insert > 0 && insert <= k_max_insert_bp ? static_cast<int32_t>(insert) : 0;
}

}  // namespace gannet::align
