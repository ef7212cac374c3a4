// SPDX-License-Identifier: MIT
// Provides the graph that gives the records of an alignment file to the sorter and to the marker.
#pragma once

#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "data/bam/reader.hpp"
#include "pipeline/trace.hpp"

#include <cstddef>
#include <cstdint>

namespace gannet::pipeline {

/// read -> scatter -> [sequencer] -> mates. Ordinals of records are their places in the input. With a marker
/// (null: none), old marks of duplicates are taken away. Returns the number of records. `slots`: batches in
/// flight. Throws the error of the first batch that has one.
uint64_t run_resort_graph(data::bam::Reader& reader, align::sort::Sorter& sorter,
                          align::duplicates::Marker* marker, size_t slots, Tracer& tracer);

}  // namespace gannet::pipeline
