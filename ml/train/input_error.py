# SPDX-License-Identifier: MIT
"""Errors that a user can mend: one line on standard error and the exit code of gannet itself (docs/exit-codes.md)."""
from __future__ import annotations

import contextlib
import json
import pathlib
import sys
from typing import Dict, Iterator


class InputError(ValueError):
    """An input file that is damaged or not what it should be; the text names the file and the cause in one line."""

    exit_code = 3


class UsageError(InputError):
    """Options that contradict each other or do not exist."""

    exit_code = 2


class DeviceError(InputError):
    """A device that is not there."""

    exit_code = 5


class DeviceMemoryError(InputError):
    """What does not fit on the device."""

    exit_code = 6


class HostMemoryError(InputError):
    """What does not fit into the memory of the host."""

    exit_code = 7


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
    """Ends the program with one line and the exit code of the error."""
    try:
        yield
    except InputError as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: error: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(error.exit_code) from error
