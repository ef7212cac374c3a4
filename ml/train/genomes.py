# SPDX-License-Identifier: MIT
"""Genomes for training: FASTA in and out, variants of several samples laid over each other, near-identical copies within a reference.

A genome is a dict of contig name to a numpy array of upper-case ASCII bytes.
"""
from __future__ import annotations

import gzip
import pathlib
from typing import Dict, Iterable, List, NamedTuple, Tuple

import numpy as np

BASES = np.frombuffer(b"ACGT", dtype=np.uint8)
Genome = Dict[str, np.ndarray]


class Variant(NamedTuple):
    """A VCF record of one phased sample; alleles[0] is REF, `copies` the allele of haplotype 0 and 1."""

    contig: str
    position: int  # 0-based
    alleles: Tuple[bytes, ...]
    copies: Tuple[int, int]
    line: str


def open_text(path: pathlib.Path):
    """A text file, gzipped or plain."""
    return gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)


def read_fasta(path: pathlib.Path, wanted: Iterable[str] | None = None) -> Genome:
    """The contigs named in `wanted`, or all of them."""
    keep = None if wanted is None else set(wanted)
    parts: Dict[str, List[str]] = {}
    current: List[str] | None = None
    with open_text(path) as lines:
        for line in lines:
            if line.startswith(">"):
                name = line[1:].split()[0]
                current = parts.setdefault(name, []) if keep is None or name in keep else None
            elif current is not None:
                current.append(line.strip())
    return {name: np.frombuffer("".join(p).upper().encode(), dtype=np.uint8).copy() for name, p in parts.items()}


def write_fasta(path: pathlib.Path, genome: Genome, width: int = 60) -> None:
    """Writes plain FASTA."""
    with open(path, "wb") as out:
        for name, bases in genome.items():
            out.write(b">" + name.encode() + b"\n")
            text = bases.tobytes()
            for begin in range(0, len(text), width):
                out.write(text[begin : begin + width] + b"\n")


def read_variants(path: pathlib.Path) -> Tuple[List[str], List[Variant]]:
    """Header lines and records of a phased VCF with one sample."""
    header: List[str] = []
    variants: List[Variant] = []
    with open_text(path) as lines:
        for line in lines:
            if line.startswith("#"):
                header.append(line)
                continue
            f = line.rstrip("\n").split("\t")
            first, second = f[9].split(":")[0].split("|")
            alleles = tuple(a.encode() for a in [f[3], *f[4].split(",")])
            variants.append(Variant(f[0], int(f[1]) - 1, alleles, (int(first), int(second)), line))
    return header, variants


def merge_variants(layers: List[List[Variant]], fraction: float, gap_bp: int, rng: np.random.Generator) -> List[Variant]:
    """A random `fraction` of the variants of all layers together; none within `gap_bp` of one of another layer."""
    ordered = sorted(((v, n) for n, layer in enumerate(layers) for v in layer), key=lambda x: (x[0].contig, x[0].position, x[1]))
    kept: List[Variant] = []
    last = ("", -1, -1)
    for variant, layer in ordered:
        contig, end, last_layer = last
        gap = gap_bp if layer != last_layer else 1
        crowded = contig == variant.contig and variant.position < end + gap
        if crowded or rng.random() >= fraction:
            continue
        kept.append(variant)
        last = (variant.contig, variant.position + len(variant.alleles[0]), layer)
    return kept


def cluster_variants(layers: List[List[Variant]], reference: Genome, per_mb: float, rng: np.random.Generator) -> List[Variant]:
    """Variants of 2 to all of `layers` inside stretches of 0.3 to 15 kb, each on one haplotype or on both.

    Real samples carry old haplotypes, many times denser in variants than their surroundings.
    """
    taken: List[Variant] = []
    for name, bases in reference.items():
        for _ in range(int(rng.poisson(per_mb * len(bases) / 1e6))):
            begin = int(rng.integers(len(bases)))
            end = begin + int(np.exp(rng.uniform(np.log(300), np.log(15000))))
            used = int(rng.integers(2, len(layers) + 1))
            first, second = ((1, 0), (0, 1), (1, 1))[int(rng.choice(3, p=[0.37, 0.37, 0.26]))]
            for v in (v for layer in layers[:used] for v in layer if v.contig == name and begin <= v.position < end):
                if len(v.alleles) == 2:
                    fields = v.line.rstrip("\n").split("\t")
                    fields[9] = ":".join([f"{first}|{second}", *fields[9].split(":")[1:]])
                    taken.append(v._replace(copies=(first, second), line="\t".join(fields) + "\n"))
    return list({(v.contig, v.position): v for v in taken}.values())


def diverge(bases: np.ndarray, rate: float, rng: np.random.Generator) -> np.ndarray:
    """A copy with substitutions at `rate` and indels of 1 to 6 bp at a tenth of it."""
    copy = bases.copy()
    changed = np.flatnonzero((rng.random(len(copy)) < rate) & (copy != ord("N")))
    code = np.searchsorted(BASES, copy[changed])
    transition = rng.random(len(changed)) < 0.66
    step = np.where(transition, 2, rng.choice([1, 3], len(changed)))
    copy[changed] = BASES[(np.minimum(code, 3) + step) % 4]
    parts: List[np.ndarray] = []
    at = 0
    for position in np.flatnonzero(rng.random(len(copy)) < rate / 10):
        if position < at:
            continue
        length = int(min(6, rng.geometric(0.5)))
        parts.append(copy[at:position])
        if rng.random() < 0.5:
            parts.append(rng.choice(BASES, length))
            at = position
        else:
            at = position + length
    parts.append(copy[at:])
    return np.concatenate(parts)


def implant_copies(
    genome: Genome, count: int, length_bp: Tuple[int, int], divergence: Tuple[float, float], rng: np.random.Generator
) -> Genome:
    """Inserts `count` diverged copies of segments of the genome: half in tandem, half anywhere in the contig.

    Length and divergence are drawn log-uniformly. Segments with more than a few N are passed over.
    """
    names = list(genome)
    size = np.array([len(genome[n]) for n in names], dtype=float)
    inserts: Dict[str, List[Tuple[int, np.ndarray]]] = {n: [] for n in names}
    for _ in range(count):
        name = names[int(rng.choice(len(names), p=size / size.sum()))]
        bases = genome[name]
        length = int(np.exp(rng.uniform(*np.log(length_bp))))
        rate = float(np.exp(rng.uniform(*np.log(divergence))))
        tandem = rng.random() < 0.5
        if len(bases) < 4 * length:
            continue
        begin = int(rng.integers(length, len(bases) - 2 * length))
        segment = bases[begin : begin + length]
        if np.count_nonzero(segment == ord("N")) > 10:
            continue
        at = begin + length if tandem else int(rng.integers(length, len(bases) - length))
        inserts[name].append((at, diverge(segment, rate, rng)))
    result: Genome = {}
    for name, bases in genome.items():
        parts: List[np.ndarray] = []
        at = 0
        for position, segment in sorted(inserts[name], key=lambda x: x[0]):
            parts += [bases[at:position], segment]
            at = position
        result[name] = np.concatenate(parts + [bases[at:]])
    return result
