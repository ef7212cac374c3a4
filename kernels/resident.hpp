// SPDX-License-Identifier: MIT
// Provides the residency of a seed index and a genome on devices: uploaded once a process, and shared by all
// streams.
#pragma once

#include "kernels/backend.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/seeds/seed_index_view.hpp"

#include <cstdint>
#include <memory>

namespace gannet::kernels {

/// While it lives, ops on a device may be given the views that it was made of.
class Resident {
  public:
    Resident() = default;
    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;
    virtual ~Resident() = default;
};

/// Bytes of a device that both take.
uint64_t resident_bytes(const SeedIndexView& index, const GenomeView& genome);

/// Copies both to every device in use; nullptr for backends of the host, which need no copy. An index without
/// arrays takes nothing: for ops that need the genome alone. To be called
/// before the first stream is made, so that streams share what is left. Throws DeviceUnfit;
/// DeviceOutOfMemory, with the number of bytes, where they do not fit.
std::unique_ptr<Resident> make_resident(Backend backend, const SeedIndexView& index,
                                        const GenomeView& genome);

}  // namespace gannet::kernels
