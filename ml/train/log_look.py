#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records in a model's manifest (training.looks) that its calls were compared with a truth: when, on which sets, for what, and what was seen.

  log_look.py MODEL.json --purpose "choice of strata" --sets a b c --result '{"SNP": [120, 90]}'

The weights' SHA-256 and the decision that was looked at are recorded with it, so that a model that goes on being changed after a look is seen to have been.
"""
from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import pathlib
from typing import List

import input_error


def log_look(manifest: pathlib.Path, purpose: str, sets: List[str], result: object) -> None:
    """Appends one look; the file appears complete or not at all."""
    content = input_error.read_json(manifest)
    looks = content.setdefault("training", {}).setdefault("looks", [])
    decision = hashlib.sha256(json.dumps(content.get("decision"), sort_keys=True).encode()).hexdigest()
    looks.append({"time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "purpose": purpose, "sets": sets,
                  "weights": content.get("sha256"), "decision_sha256": decision, "result": result})
    partial = manifest.with_name(manifest.name + ".partial")
    partial.write_text(json.dumps(content, indent=2) + "\n")
    os.replace(partial, manifest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--purpose", required=True)
    parser.add_argument("--sets", nargs="+", required=True)
    parser.add_argument("--result", default="null", help="JSON")
    arguments = parser.parse_args()
    try:
        result = json.loads(arguments.result)
    except ValueError as error:
        raise input_error.InputError(f"--result is not JSON: {error}") from None
    log_look(arguments.manifest, arguments.purpose, arguments.sets, result)


if __name__ == "__main__":
    with input_error.reported():
        main()
