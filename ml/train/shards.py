# SPDX-License-Identifier: MIT
"""Shards of labelled examples (docs/scorer.md) as numpy arrays, in memory or mapped from a cache folder."""
from __future__ import annotations

import dataclasses
import gzip
import json
import pathlib
import re
import struct
import zlib
from typing import Dict, List, Sequence, Tuple

import numpy as np

from features import CHANNELS, COLUMNS, LAYOUT, MAX_ROWS, POOLS, ROW_BYTES, ROW_FEATURES, SITE_BYTES
from input_error import InputError

MAGIC = b"GNTEX\0\0\x02"
# contig, position, rows, label, kind, base[3], allele, fragments, plain, filters, context, copies, cap, reserved
RECORD = struct.Struct("<IIHBB3iIHHBBBBI")
UNKNOWN = 255
MIN_BASE = -6 * 65536
END_OF_FILE = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")  # the empty block that ends a BGZF file
KINDS = ("SNP", "insertion", "deletion", "other")
CONTEXTS = ("unique", "homopolymer", "repeat", "hidden copy")
UNIT = 65536.0  # base and correction: log10 x this
META = np.dtype([("contig", "<u4"), ("position", "<u4"), ("rows", "<u2"), ("label", "u1"), ("kind", "u1"), ("base", "<i4", (3,)),
                 ("allele", "<u4"), ("fragments", "<u2"), ("plain", "<u2"), ("filters", "u1"), ("context", "u1"), ("copies", "u1"), ("cap", "u1"),
                 ("reserved", "<u4")])
assert RECORD.size == META.itemsize == 40


class ShardError(InputError):
    """A shard that is not what docs/scorer.md states; the text names the file and the record."""


@dataclasses.dataclass
class Shard:
    """Examples of one file. Example k has rows[offset[k] : offset[k + 1]]."""

    path: pathlib.Path
    header: Dict[str, object]
    meta: np.ndarray  # META
    sites: np.ndarray  # examples x 320
    rows: np.ndarray  # total rows x 288
    offset: np.ndarray  # examples + 1

    def __len__(self) -> int:
        return len(self.meta)


def parse_header(path: pathlib.Path, data: bytes) -> Tuple[Dict[str, object], int]:
    """The header of a shard, and where its records begin."""
    if data[:8] != MAGIC or len(data) < 12:
        raise ShardError(f"{path}: not a file of examples of version 2")
    (header_bytes,) = struct.unpack_from("<I", data, 8)
    if header_bytes > len(data) - 12:
        raise ShardError(f"{path}: cut inside its header")
    try:
        header = json.loads(data[12 : 12 + header_bytes])
    except (ValueError, RecursionError) as error:
        raise ShardError(f"{path}: its header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise ShardError(f"{path}: its header is not a JSON object")
    expected = {"version": MAGIC[7], "layout": LAYOUT, "columns": COLUMNS, "channels": CHANNELS, "row_features": ROW_FEATURES, "site_bytes": SITE_BYTES}
    for key, value in expected.items():
        if header.get(key) != value:
            raise ShardError(f"{path}: {key} is {header.get(key)}, not {value}")
    contigs = header.get("contigs")
    texts = [header.get("command"), header.get("sample"), *(contigs if isinstance(contigs, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        raise ShardError(f"{path}: its header lacks command, sample or contigs")
    return header, 12 + header_bytes


def check_values(path: pathlib.Path, meta: np.ndarray) -> None:
    """The limits of gannet's own reader (ml/example_file.cpp): labels and kinds pick classes and weights later on."""
    base = meta["base"]
    checks = (("label", np.isin(meta["label"], (0, 1, 2, UNKNOWN))), ("kind", meta["kind"] < len(KINDS)),
              ("context", meta["context"] < len(CONTEXTS)), ("copies", meta["copies"] <= 2), ("reserved", meta["reserved"] == 0),
              ("base", ((base >= MIN_BASE) & (base <= 0)).all(axis=1)))
    for name, good in checks:
        if not good.all():
            record = int(np.argmin(good))
            raise ShardError(f"{path}: record {record + 1}: its {name} is {meta[name][record]}")


def parse(path: pathlib.Path) -> Shard:
    """Reads a complete shard and checks all of it."""
    try:
        packed = path.read_bytes()
        if not packed.endswith(END_OF_FILE):  # cut between blocks, and so perhaps between records
            raise ShardError(f"{path}: is truncated: the end marker of BGZF is missing")
        data = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise ShardError(f"{path}: {error}") from error
    header, at = parse_header(path, data)
    starts: List[int] = []
    counts: List[int] = []
    while at < len(data):
        rows = struct.unpack_from("<H", data, at + 8)[0] if at + RECORD.size <= len(data) else 0
        end = at + RECORD.size + SITE_BYTES + rows * ROW_BYTES
        if end > len(data) or rows > MAX_ROWS:
            raise ShardError(f"{path}: record {len(starts) + 1} is cut short or has {rows} rows")
        starts.append(at)
        counts.append(rows)
        at = end
    meta = np.zeros(len(starts), dtype=META)
    sites = np.zeros((len(starts), SITE_BYTES), dtype=np.uint8)
    offset = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    rows_of = np.zeros((int(offset[-1]), ROW_BYTES), dtype=np.uint8)
    for k, start in enumerate(starts):
        meta[k] = np.frombuffer(data, dtype=META, count=1, offset=start)[0]
        sites[k] = np.frombuffer(data, dtype=np.uint8, count=SITE_BYTES, offset=start + RECORD.size)
        n = counts[k] * ROW_BYTES
        rows_of[offset[k] : offset[k + 1]] = np.frombuffer(data, np.uint8, n, start + RECORD.size + SITE_BYTES).reshape(-1, ROW_BYTES)
    check_values(path, meta)
    if len(meta) and int(meta["contig"].max()) >= len(header["contigs"]):
        raise ShardError(f"{path}: a record names a contig that the header lacks")
    return Shard(path, header, meta, sites, rows_of, offset)


def load(path: pathlib.Path, cache: pathlib.Path | None = None) -> Shard:
    """A shard in memory, or with its rows and sites mapped from `cache`, where they are unpacked at first use."""
    if cache is None:
        return parse(path)
    try:
        modified = path.stat().st_mtime_ns
    except OSError as error:
        raise ShardError(f"{path}: {error.strerror}") from error
    stem = cache / f"{path.resolve().parent.parent.name}.{path.name}.{modified}"
    names = {part: stem.with_name(f"{stem.name}.{part}.npy") for part in ("meta", "sites", "rows", "offset")}
    if not all(p.exists() for p in names.values()):
        cache.mkdir(parents=True, exist_ok=True)
        shard = parse(path)
        for part, target in names.items():
            beside = target.with_suffix(".part.npy")
            np.save(beside, getattr(shard, part))
            beside.rename(target)
    mapped = {part: load_part(target, "r" if part in ("sites", "rows") else None) for part, target in names.items()}
    check_values(path, mapped["meta"])
    return Shard(path, {}, mapped["meta"], mapped["sites"], mapped["rows"], mapped["offset"])


def load_part(path: pathlib.Path, mode: str | None) -> np.ndarray:
    """An array of the cache folder."""
    try:
        return np.load(path, mmap_mode=mode)
    except (OSError, ValueError, EOFError) as error:
        raise ShardError(f"{path}: a damaged file of the cache ({error}); remove it") from error


def find(inputs: Sequence[pathlib.Path]) -> List[pathlib.Path]:
    """The .gnx files named, and those in the folders named (any depth), in order of their names.

    Refused is what would count examples twice: a file given twice, by whatever path, and a folder with shards of several plans.
    """
    found: List[pathlib.Path] = []
    known: Dict[Tuple[int, int], pathlib.Path] = {}
    plans: Dict[pathlib.Path, str] = {}
    for given in inputs:
        for path in sorted(given.rglob("*.gnx")) if given.is_dir() else [given]:
            found.append(path)
            plan = re.fullmatch(r"examples-\d{5,}-of-(\d{5,})\.gnx", path.name)
            if given.is_dir() and plan and plans.setdefault(path.parent, plan[1]) != plan[1]:
                raise ShardError(f"{path.parent}: holds shards of several runs of gannet examples; remove those of one")
            if not path.exists():
                continue  # load() says so
            status = path.stat()
            first = known.setdefault((status.st_dev, status.st_ino), path)
            if first is not path:
                raise ShardError(f"{path}: the same file as {first}: each shard can be given once")
    if not found:
        raise ShardError(f"no shards (.gnx) in {', '.join(map(str, inputs))}")
    return found


@dataclasses.dataclass
class Batch:
    """Examples together: rows one after the other, `slot` the row's index in a grid of examples x MAX_ROWS."""

    rows: np.ndarray
    slot: np.ndarray
    sites: np.ndarray
    base: np.ndarray  # float32 log10, examples x 3
    label: np.ndarray
    kind: np.ndarray


def pool_of(first_feature: np.ndarray) -> np.ndarray:
    """Of rows: 0 the allele's, 1 the reference's, 2 the others' (kernels/pileup_network/pileup_network.hpp)."""
    return np.where(first_feature >= 192, 0, np.where(first_feature >= 64, 1, 2))


def settled(meta: np.ndarray, settle: int) -> np.ndarray:
    """variants::is_settled: the first tier of a model with this `settle` does not show these examples to the network."""
    return (settle > 0) & (meta["filters"] == 0) & (meta["plain"] >= settle)


class ExampleSet:
    """Labelled examples of several shards under one index, without those that the first tier settles."""

    def __init__(self, paths: Sequence[pathlib.Path], cache: pathlib.Path | None = None, settle: int = 0) -> None:
        self.shards = [load(p, cache) for p in find(paths)]
        kept = [(s.meta["label"] != UNKNOWN) & ~settled(s.meta, settle) for s in self.shards]
        places = [np.stack([np.full(len(s), n), np.arange(len(s))], axis=1)[k] for n, (s, k) in enumerate(zip(self.shards, kept))]
        self.index_of = np.concatenate(places)
        self.meta = np.concatenate([s.meta[k] for s, k in zip(self.shards, kept)])

    def __len__(self) -> int:
        return len(self.index_of)

    def base_log10(self) -> np.ndarray:
        """The caller's log10 posteriors, examples x 3."""
        return self.meta["base"].astype(np.float32) / np.float32(UNIT)

    def batch(self, index: np.ndarray) -> Batch:
        """The examples of `index`, in its order."""
        picked: List[Tuple[Shard, int]] = [(self.shards[s], int(k)) for s, k in self.index_of[index]]
        rows = [shard.rows[shard.offset[k] : shard.offset[k + 1]] for shard, k in picked]
        slot = [np.arange(len(r)) + n * MAX_ROWS for n, r in enumerate(rows)]
        meta = self.meta[index]
        return Batch(np.concatenate(rows), np.concatenate(slot).astype(np.int64), np.stack([shard.sites[k] for shard, k in picked]),
                     meta["base"].astype(np.float32) / np.float32(UNIT), meta["label"].astype(np.int64), meta["kind"].astype(np.int64))
