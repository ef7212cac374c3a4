// SPDX-License-Identifier: MIT
// Provides the kernels of all ops on the fake runtime: their shells, written again for the host, around the
// same schedules.
#pragma once

namespace gannet::tests {

/// Fills FakeCudaRuntime::kernels. Blocks and warps are done from the last to the first; what a kernel finds
/// in shared memory is garbage.
void add_fake_kernels();

}  // namespace gannet::tests
