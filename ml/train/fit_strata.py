#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proposes where a model's network should count: the strata in which labelled examples have clearly fewer errors with it.

  fit_strata.py MODEL.safetensors EXAMPLES... -o decision.json [--gannet gannet]

`gannet evaluate-model` decides the examples, once for each direction and prior; of each stratum (kind, depth, context) the setting
with the fewest errors is taken if it has at least three errors, and at least the square root of the caller's, fewer than the caller.
The file goes to export.py --decision. Examples of training sets hold more false candidates than genomes do: what is proposed has to
be confirmed by gannet call and gannet compare on sets with natural rates.
"""
from __future__ import annotations

import argparse
import json
import math
import pathlib
import shutil
import subprocess
import tempfile
from typing import Dict, List, Tuple

import input_error

PRIORS = (0.0, 0.5, 1.0, 2.0)
DIRECTIONS = ("rescue", "reject", "both")  # of equal errors the one that allows less
DEPTHS = {"0-11": [0, 12], "12-21": [12, 22], "22-39": [22, 40], "40 and more": [40, 1_000_000]}
CONTEXTS = ("unique", "homopolymer", "repeat", "hidden copy")
Stratum = Tuple[str, str, str]


def table(direction: str, prior: float) -> List[Dict[str, object]]:
    """Every stratum with the same direction and prior."""
    return [{"kind": kind, "depth": depth, "context": context, "temperature": 1.0, "prior": prior, "direction": direction}
            for kind in ("SNP", "indel") for depth in DEPTHS.values() for context in CONTEXTS]


def errors_with(arguments: argparse.Namespace, folder: pathlib.Path, strata: List[Dict[str, object]]) -> Dict[Stratum, Tuple[int, int]]:
    """Errors without and with the network, by stratum."""
    weights = folder / "model.safetensors"
    manifest = input_error.read_json(arguments.model.with_suffix(".json"))
    manifest["decision"]["strata"] = strata
    shutil.copyfile(arguments.model, weights)
    weights.with_suffix(".json").write_text(json.dumps(manifest))
    out = folder / "evaluation"
    command = [arguments.gannet, "evaluate-model", *map(str, arguments.examples), "--model", str(weights), "-o", str(out), "-q"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise input_error.InputError(done.stderr.strip() or f"{arguments.gannet} ended with {done.returncode}")
    groups = json.loads((out / "evaluation.json").read_text())["groups"]
    return {(g["kind"], g["depth"], g["context"]): tuple(g[side]["wrong"] + g[side]["missed"] for side in ("off", "on"))
            for g in groups if "depth" in g and "context" in g}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("examples", type=pathlib.Path, nargs="+")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--gannet", default="gannet")
    arguments = parser.parse_args()
    best: Dict[Stratum, Tuple[int, Dict[str, object]]] = {}
    caller: Dict[Stratum, int] = {}
    with tempfile.TemporaryDirectory() as name:
        for direction in DIRECTIONS:
            for prior in PRIORS:
                strata = table(direction, prior)
                for stratum, (off, on) in errors_with(arguments, pathlib.Path(name), strata).items():
                    caller[stratum] = off
                    if stratum not in best or on < best[stratum][0]:
                        kind, depth, context = stratum
                        setting = next(s for s in strata if (s["kind"], s["depth"], s["context"]) == (kind, DEPTHS[depth], context))
                        best[stratum] = (on, setting)
    decision = input_error.read_json(arguments.model.with_suffix(".json"))["decision"]
    decision["strata"] = []
    for stratum, (on, setting) in best.items():
        helps = caller[stratum] - on >= max(3, math.sqrt(caller[stratum]))
        print(f"{', '.join(stratum):40} errors {caller[stratum]:6} -> {on:6}  {setting['direction'] if helps else 'none':7} prior {setting['prior']}")
        if helps:
            decision["strata"].append(setting)
    arguments.output.write_text(json.dumps(decision, indent=1) + "\n")


if __name__ == "__main__":
    with input_error.reported():
        main()
