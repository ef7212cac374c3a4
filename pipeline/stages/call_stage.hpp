// SPDX-License-Identifier: MIT
// Provides the stages that a batch of windows goes through in the call graph, and what a slot of it holds.
#pragma once

#include "data/variant.hpp"
#include "data/vcf/writer.hpp"
#include "kernels/op_table.hpp"
#include "variants/caller.hpp"
#include "variants/records/known_ids.hpp"

#include <memory>
#include <vector>

namespace gannet::pipeline::stages {

struct CallItem {
    std::vector<variants::WindowReads> windows;
    std::shared_ptr<void>
        lease;  ///< of the slot whose records the windows view: back-pressure reaches the loader by it
};

struct CallSlot {
    std::vector<variants::WindowReads> windows;
    std::shared_ptr<void> lease;
    size_t window_count = 0;
    size_t record_count = 0;  ///< of all windows
    variants::CallWork work;
    std::vector<data::Variant> variants;
    std::unique_ptr<kernels::Stream> stream;
    std::unique_ptr<data::vcf::LinePacker> gvcf;  ///< null: no gVCF
    std::vector<data::ReferenceBlock> blocks;     ///< of one window
    data::vcf::PackedLines gvcf_lines;
};

struct CallContext {
    const variants::Caller* caller = nullptr;
    const kernels::OpTable* ops = nullptr;
    const kernels::PileupNetworkWeights* scorer = nullptr;
    variants::KnownIds* known_ids = nullptr;  ///< null: none are looked up
};

void take_stage(CallItem& item, CallSlot& slot);
void find_regions_stage(CallSlot& slot, const CallContext& context);  ///< active regions, assembly, jobs
bool pair_hmm_stage(CallSlot& slot, const CallContext& context);      ///< enqueues pair_hmm; false: no pairs
/// Genotypes of regions, and the examples of those that the scorer may change; throws Error(internal) unless
/// every pair has a likelihood.
void genotype_stage(CallSlot& slot, const CallContext& context);
bool pileup_network_stage(CallSlot& slot,
                          const CallContext& context);  ///< enqueues pileup_network; false: no examples
/// Records, with the network's answers and known IDs; throws Error(internal) unless every example has its
/// answer.
void finish_records_stage(CallSlot& slot, const CallContext& context);
/// Lines of the gVCF, from the variants and the reference blocks of each window.
void gvcf_stage(CallSlot& slot, const CallContext& context);

}  // namespace gannet::pipeline::stages
