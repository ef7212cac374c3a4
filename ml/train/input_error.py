# SPDX-License-Identifier: MIT
"""Errors of input files: one line on standard error and exit code 3, as gannet itself ends."""
from __future__ import annotations

import contextlib
import json
import pathlib
import sys
from typing import Dict, Iterator


class InputError(ValueError):
    """An input file that is damaged or not what it should be; the text names the file and the cause in one line."""


def read_json(path: pathlib.Path) -> Dict[str, object]:
    """A JSON object from a file, such as a manifest."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # decoding of UTF-8 and of JSON
        raise InputError(f"{path}: is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: holds no JSON object")
    return value


@contextlib.contextmanager
def reported() -> Iterator[None]:
    """Ends the program with exit code 3 and one line where an input file is at fault."""
    try:
        yield
    except InputError as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: error: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(3) from error
