// SPDX-License-Identifier: MIT
// Provides the listing of the reads whose bases the op pairing needs.
#include "kernels/pairing/pairing_plan.hpp"

namespace gannet::kernels::pairing {

void ComparedReads::take(const ReadBatchView& reads, const PairingBatch& batch) {
    reads_.clear();
    reads_.paired = reads.paired;
    numbers_.assign(reads.reads, 0);
    for (uint32_t read = 0; read < reads.reads; ++read) {
        const PairingRead& own = batch.reads[read];
        if (!needs_parts(own) || own.part_begin == own.part_end) continue;
        numbers_[read] = static_cast<uint32_t>(reads_.length.size());
        reads_.add(reads, read);
    }
}

}  // namespace gannet::kernels::pairing
