// SPDX-License-Identifier: MIT
// Provides the search for reads that begin with an Illumina adapter. Internal to qc/.
#pragma once

#include "data/record.hpp"

namespace gannet::pipeline::qc {

/// Whether the first 16 bases that were read are in one of the adapters that Picard looks for, on either
/// strand, with at most one difference. Of a mapped reverse read they are the record's last ones..
bool begins_with_adapter(const data::RecordView& record, bool reverse);

}  // namespace gannet::pipeline::qc
