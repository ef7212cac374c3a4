// SPDX-License-Identifier: MIT
// Provides a batch whose reads are packed, with what the searches for positions that seeding left out need.
#pragma once

#include "align/omitted.hpp"
#include "align/pack_reads.hpp"
#include "tests/unit/align/genome.hpp"

#include <utility>

namespace gannet::tests {

/// The genome must outlive it.
struct PackedBatch {
    PackedBatch(const Genome& genome, data::ReadBatch reads)
        : batch(std::move(reads)),
          tables(*genome.reference),
          ungapped(tables, align::AlignerParameters(), packed()),
          positions(batch, *genome.index, ungapped, *work.state) {}
    PackedBatch(const PackedBatch&) = delete;
    PackedBatch& operator=(const PackedBatch&) = delete;

    data::ReadBatch batch;
    align::AlignmentWork work;
    align::AlignerTables tables;
    align::Ungapped ungapped;
    align::OmittedPositions positions;

  private:
    kernels::ReadBatchView packed() {
        align::pack_reads(batch, *work.state);
        return align::read_batch_view(batch, *work.state);
    }
};

}  // namespace gannet::tests
