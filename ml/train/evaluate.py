#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts errors on shards with and without the scorer: false positives, false negatives, wrong genotypes, by kind and stratum.

  evaluate.py WEIGHTS.safetensors SHARD... [--qual 10] [--prior X] [--json OUT]

It runs the integer network, so the figures are those of the program's own arithmetic. Without the scorer the caller's filters
hold back what they do in the program; with it they are input to the network and hold back nothing.
"""
from __future__ import annotations

import argparse
import json
import pathlib
from typing import Dict, List

import numpy as np

import features
import input_error
import integer_reference as ints
import measure
import shards

FILTERS = features.summary("filters")  # of a site: 255 where the caller alone would filter the allele


def strata(rows: np.ndarray, base: np.ndarray) -> Dict[str, np.ndarray]:
    """Candidates by the number of reads kept and by how sure the caller is."""
    sure = measure.log10_normalised(base).max(axis=1) > np.log10(0.999)
    return {"all": np.ones(len(rows), dtype=bool), "reads < 16": rows < 16, "reads 16-40": (rows >= 16) & (rows <= 40), "reads > 40": rows > 40,
            "caller sure": sure, "caller unsure": ~sure}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("shards", type=pathlib.Path, nargs="+")
    parser.add_argument("--qual", type=float, default=10)
    parser.add_argument("--prior", type=float, default=0.0, help="log10 taken from the score of no copy, to choose export.py's [0]")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    network = ints.IntegerNetwork(arguments.weights)
    metas: List[np.ndarray] = []
    filters: List[np.ndarray] = []
    corrections: List[np.ndarray] = []
    for path in shards.find(arguments.shards):
        shard = shards.parse(path)
        known = shard.meta["label"] != shards.UNKNOWN
        metas.append(shard.meta[known])
        filters.append(shard.sites[known, FILTERS].any(axis=1))
        corrections.append(network.run(shard)[known])
    meta, correction = np.concatenate(metas), np.concatenate(corrections) / shards.UNIT - np.array([arguments.prior, 0.0, 0.0])
    base = meta["base"] / shards.UNIT
    label = meta["label"].astype(np.int64)
    passed = ~np.concatenate(filters)
    result: Dict[str, Dict[str, object]] = {}
    for name, picked in strata(meta["rows"], base).items():
        off = measure.by_group(base[picked], label[picked], meta["kind"][picked], arguments.qual, passed=passed[picked])
        on = measure.by_group((base + correction)[picked], label[picked], meta["kind"][picked], arguments.qual)
        for group in off:
            print(f"{name:14} {group:6} off: {off[group].text():58} on: {on[group].text()}")
        result[name] = {g: {"off": vars(off[g]), "on": vars(on[g])} for g in off}
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    with input_error.reported():
        main()
