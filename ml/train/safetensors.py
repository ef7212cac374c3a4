# SPDX-License-Identifier: MIT
"""Safetensors, as little of it as the weights need: an 8-byte length, a JSON header, the tensors without gaps."""
from __future__ import annotations

import json
import pathlib
import struct
from typing import Dict, Tuple

import numpy as np

from input_error import InputError

NAMES = {"I8": np.dtype("i1"), "I32": np.dtype("<i4")}


def save(path: pathlib.Path, tensors: Dict[str, np.ndarray], metadata: Dict[str, str]) -> None:
    """Writes int8 and int32 tensors in the order given; the same tensors give the same bytes."""
    header: Dict[str, object] = {"__metadata__": metadata}
    at = 0
    for name, tensor in tensors.items():
        kind = next(k for k, dtype in NAMES.items() if dtype == tensor.dtype)
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            out.write(np.ascontiguousarray(tensor).tobytes())


def load(path: pathlib.Path) -> Tuple[Dict[str, np.ndarray], Dict[str, str]]:
    """Tensors by name, and the metadata."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + length])
        metadata = header.pop("__metadata__", {})
        tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            part = data[8 + length + begin : 8 + length + end]
            tensors[name] = np.frombuffer(part, dtype=NAMES[entry["dtype"]]).reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, struct.error) as error:
        raise InputError(f"{path}: is not a safetensors file, or is damaged: {error}") from error
    return tensors, metadata
