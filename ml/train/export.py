#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a trained network as NAME.safetensors (integers) and NAME.json (its manifest), as docs/scorer.md states.

  export.py RUN/best.pt -o models/germline --version 1 [--training FILE.json] [--accuracy FILE.json] [--decision FILE.json] [--default]

The files of --training, --accuracy and --decision are put into the manifest as they are. Without --decision the manifest names no strata,
and the network counts nowhere: `gannet evaluate-model --everywhere` shows what it would do.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import pathlib

import numpy as np
import torch

import input_error
import integer_reference as ints
import network as networks
import safetensors
import shards


SILENT = {"minimum_presence": -3.5, "settle": 40, "minimum_zygosity_fragments": 10, "strata": []}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="path without its ending")
    parser.add_argument("--version", default="1")
    parser.add_argument("--licence", default="MIT")
    parser.add_argument("--training", type=pathlib.Path, help="JSON: data, seeds, commands")
    parser.add_argument("--accuracy", type=pathlib.Path, help="JSON: what was measured, with commands")
    parser.add_argument("--decision", type=pathlib.Path, help="JSON: where and how far the network counts (docs/scorer.md) [nowhere]")
    parser.add_argument("--default", action="store_true", help="the program uses it by default")
    arguments = parser.parse_args()

    state = torch.load(arguments.checkpoint, map_location="cpu")
    if not state["quantised"]:
        raise SystemExit(f"{arguments.checkpoint}: not a quantised network; take best.pt of a run that has ended")
    net = networks.PileupNetwork(state["channels"])
    net.load_state_dict(state["network"])
    settle = int(state["arguments"].get("settle", SILENT["settle"]))  # the first tier that it was trained behind
    tensors = {}
    for name, layer in net.to_integers().items():
        for part in ("weight", "bias", "multiplier", "shift"):
            tensors[f"{name}.{part}"] = np.ascontiguousarray(getattr(layer, part))
    weights = arguments.output.with_name(arguments.output.name + ".safetensors")
    weights.parent.mkdir(parents=True, exist_ok=True)
    safetensors.save(weights, tensors, {"format": "gannet-scorer", "layout": str(shards.LAYOUT), "version": arguments.version})
    ints.IntegerNetwork(weights)  # refuses what the contract refuses
    manifest = {
        "version": arguments.version,
        "sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        "licence": arguments.licence,
        "layout": shards.LAYOUT,
        "channels": state["channels"],
        "default": arguments.default,
        "decision": input_error.read_json(arguments.decision) if arguments.decision else dict(SILENT, settle=settle),
        "training": input_error.read_json(arguments.training) if arguments.training else {},
        "accuracy": input_error.read_json(arguments.accuracy) if arguments.accuracy else {},
    }
    arguments.output.with_name(arguments.output.name + ".json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{weights}: {weights.stat().st_size} bytes, sha256 {manifest['sha256']}")


if __name__ == "__main__":
    with input_error.reported():
        main()
