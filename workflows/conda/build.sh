#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
set -euo pipefail
cmake -S . -B build-conda -G Ninja -DCMAKE_BUILD_TYPE=Release -DGANNET_TESTS=OFF -DGANNET_CUDA=OFF \
  -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_INSTALL_PREFIX="$PREFIX"
cmake --build build-conda
cmake --install build-conda
