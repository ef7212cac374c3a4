// SPDX-License-Identifier: MIT
// Provides the copies of seed indexes and genomes that devices hold (kernels/resident.hpp).
#pragma once

#include "kernels/cuda/device_set.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/resident.hpp"
#include "kernels/seeds/seed_index_view.hpp"

#include <memory>

namespace gannet::kernels::cuda {

/// Pointers into a device's memory.
struct ResidentViews {
    SeedIndexView index;
    GenomeView genome;
};

/// What make_resident() does with devices.
std::unique_ptr<Resident> upload(const SeedIndexView& index, const GenomeView& genome);

/// The device's copies of what upload() was given. Throws std::logic_error where it has none.
ResidentViews resident_views(const Device& device, const SeedIndexView& index, const GenomeView& genome);
/// The same for ops that need the genome alone.
GenomeView resident_genome(const Device& device, const GenomeView& genome);

}  // namespace gannet::kernels::cuda
