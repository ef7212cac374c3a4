#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The network in integers, as kernels/pileup_network/pileup_network.hpp states it: the oracle for every backend.

  integer_reference.py WEIGHTS.safetensors SHARD... -o OUT.tsv    three columns, one line per example, in the shards' order
"""
from __future__ import annotations

import argparse
import pathlib
from typing import Dict

import numpy as np

import input_error
import safetensors
import shards

LAYERS = ("conv1", "conv2", "read", "site1", "site2", "output")
WINDOW, STRIDE = 4, 2
CONV1_POSITIONS, CONV2_POSITIONS = 15, 6
OUTPUT_LIMIT = 1 << 24


class IntegerNetwork:
    """Runs the weights of a safetensors file."""

    def __init__(self, path: pathlib.Path) -> None:
        tensors, self.metadata = safetensors.load(path)
        self.path = path
        parts = ("weight", "bias", "multiplier", "shift")
        missing = [f"{name}.{part}" for name in LAYERS for part in parts if f"{name}.{part}" not in tensors]
        if missing:
            raise input_error.InputError(f"{path}: is not a network of the scorer: it lacks {missing[0]}")
        self.layers: Dict[str, Dict[str, np.ndarray]] = {
            name: {part: tensors[f"{name}.{part}"].astype(np.int64) for part in parts} for name in LAYERS
        }
        for name, layer in self.layers.items():
            weight, outputs = layer["weight"], layer["bias"].shape
            if weight.ndim != 2 or any(layer[part].shape != outputs for part in parts[1:]) or outputs != weight.shape[:1]:
                raise input_error.InputError(f"{path}: the shapes of layer {name} do not fit each other")
            if np.abs(weight).max(initial=0) > 63:
                raise input_error.InputError(f"{path}: weights of {name} pass 63")

    def layer(self, name: str, x: np.ndarray) -> np.ndarray:
        """acc = W x + b; (acc * multiplier + 2^(shift - 1)) >> shift; clamped."""
        w = self.layers[name]
        if x.shape[-1] != w["weight"].shape[1]:
            raise input_error.InputError(f"{self.path}: layer {name} takes {w['weight'].shape[1]} values, but gets {x.shape[-1]}")
        # float64 holds these sums exactly (below 2^53) and is quicker than numpy's integer product
        acc = (x.astype(np.float64) @ w["weight"].T.astype(np.float64)).astype(np.int64) + w["bias"]
        if np.abs(acc).max(initial=0) >= 1 << 31:
            raise OverflowError(f"a sum of {name} passes int32")
        y = (acc * w["multiplier"] + (np.int64(1) << (w["shift"] - 1))) >> w["shift"]
        return np.clip(y, -OUTPUT_LIMIT, OUTPUT_LIMIT) if name == "output" else np.clip(y, 0, 255)

    def rows(self, rows: np.ndarray) -> np.ndarray:
        """Reads x `read` activations."""
        image = rows[:, : shards.COLUMNS * shards.CHANNELS].astype(np.int64)
        size = WINDOW * shards.CHANNELS
        step = STRIDE * shards.CHANNELS
        x = np.stack([image[:, p * step : p * step + size] for p in range(CONV1_POSITIONS)], axis=1)
        x = self.layer("conv1", x).reshape(len(rows), -1)
        channels = len(self.layers["conv1"]["bias"])
        x = np.stack([x[:, p * STRIDE * channels : (p * STRIDE + WINDOW) * channels] for p in range(CONV2_POSITIONS)], axis=1)
        x = self.layer("conv2", x).reshape(len(rows), -1)
        return self.layer("read", np.concatenate([x, rows[:, shards.COLUMNS * shards.CHANNELS :]], axis=1))

    def pool(self, reads: np.ndarray) -> np.ndarray:
        """Mean and maximum of a group of reads; zeros where it is empty."""
        n = len(reads)
        if n == 0:
            return np.zeros(2 * reads.shape[1], dtype=np.int64)
        reciprocal = (65536 + n // 2) // n
        return np.concatenate([(reads.sum(axis=0) * reciprocal + 32768) >> 16, reads.max(axis=0)])

    def run(self, shard: shards.Shard) -> np.ndarray:
        """int32, examples x 3."""
        reads = self.rows(shard.rows)
        pool_of = shards.pool_of(shard.rows[:, shards.COLUMNS * shards.CHANNELS])
        pooled = []
        for k in range(len(shard)):
            part = slice(int(shard.offset[k]), int(shard.offset[k + 1]))
            pooled.append(np.concatenate([self.pool(reads[part][pool_of[part] == pool]) for pool in range(shards.POOLS)]))
        width = 2 * shards.POOLS * len(self.layers["read"]["bias"])
        x = np.concatenate([np.array(pooled, dtype=np.int64).reshape(-1, width), shard.sites], axis=1)
        return self.layer("output", self.layer("site2", self.layer("site1", x))).astype("<i4")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("shards", type=pathlib.Path, nargs="+")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    network = IntegerNetwork(arguments.weights)
    with open(arguments.output, "w") as out:
        for path in shards.find(arguments.shards):
            out.writelines("\t".join(map(str, scores)) + "\n" for scores in network.run(shards.parse(path)).tolist())


if __name__ == "__main__":
    with input_error.reported():
        main()
