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
STRETCH_BP = 8000  # mean length of a stretch with one common ancestor


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


def record(contig: str, position: int, alleles: Tuple[bytes, ...], copies: Tuple[int, int]) -> Variant:
    """A variant with its line, as `gannet simulate` writes it."""
    reference, *alternates = (a.decode() for a in alleles)
    line = f"{contig}\t{position + 1}\t.\t{reference}\t{','.join(alternates)}\t.\tPASS\t.\tGT:PS\t{copies[0]}|{copies[1]}:1\n"
    return Variant(contig, position, alleles, copies, line)


def merge_variants(layers: List[List[Variant]], gap_bp: int) -> List[Variant]:
    """All layers together, without those within `gap_bp` of one of another layer and those that overlap one of their own."""
    ordered = sorted(((v, n) for n, layer in enumerate(layers) for v in layer), key=lambda x: (x[0].contig, x[0].position, x[1]))
    kept: List[Variant] = []
    last = ("", -1, -1)
    for variant, layer in ordered:
        contig, end, last_layer = last
        if contig == variant.contig and variant.position < end + (gap_bp if layer != last_layer else 0):
            continue
        kept.append(variant)
        last = (variant.contig, variant.position + len(variant.alleles[0]), layer)
    return kept


def thin_variants(variants: List[Variant], reference: Genome, fraction: float, rng: np.random.Generator) -> List[Variant]:
    """A random part of the variants, `fraction` on average, but uneven: both copies of a stretch have a common ancestor of exponential
    age (Hudson 1983, doi:10.1016/0040-5809(83)90013-8), and as many differences as they had time for."""
    kept: List[Variant] = []
    by_contig: Dict[str, List[Variant]] = {name: [] for name in reference}
    for v in variants:
        by_contig[v.contig].append(v)
    for name, bases in reference.items():
        ends = np.cumsum(rng.exponential(STRETCH_BP, int(3 * len(bases) / STRETCH_BP) + 20))
        age = rng.exponential(1.0, len(ends) + 1)
        of_variant = np.searchsorted(ends, [v.position for v in by_contig[name]])
        chance = rng.random(len(of_variant))
        kept += [v for v, k, c in zip(by_contig[name], of_variant, chance) if c < fraction * age[k]]
    return kept


def cluster_variants(reference: Genome, per_mb: float, rng: np.random.Generator) -> List[Variant]:
    """Variants of stretches of 0.2 to 15 kb with 3 to 40 per kb, one in nine an indel; each stretch on one haplotype or on both.

    Real samples carry old haplotypes, many times denser in variants than their surroundings.
    """
    taken: Dict[Tuple[str, int], Variant] = {}
    for name, bases in reference.items():
        for _ in range(int(rng.poisson(per_mb * len(bases) / 1e6))):
            begin = int(rng.integers(1, len(bases)))
            end = min(len(bases) - 20, begin + int(np.exp(rng.uniform(np.log(200), np.log(15000)))))
            rate = float(np.exp(rng.uniform(np.log(0.003), np.log(0.04))))
            copies = ((1, 0), (0, 1), (1, 1))[int(rng.choice(3, p=[0.37, 0.37, 0.26]))]
            for position in begin + np.flatnonzero(rng.random(max(0, end - begin)) < rate):
                alleles = drawn_alleles(bases, int(position), rng)
                if b"N" not in alleles[0]:
                    taken[name, int(position)] = record(name, int(position), alleles, copies)
    return sorted(taken.values(), key=lambda v: (v.contig, v.position))


def drawn_alleles(bases: np.ndarray, position: int, rng: np.random.Generator) -> Tuple[bytes, bytes]:
    """A substitution, two transitions for each transversion; or, one in nine, an insertion or deletion of 1 to 8 bases."""
    here = bases[position : position + 1].tobytes()
    if rng.random() < 8 / 9:
        step = 2 if rng.random() < 0.66 else int(rng.choice([1, 3]))
        code = int(np.minimum(np.searchsorted(BASES, bases[position]), 3))
        return here, BASES[(code + step) % 4 : (code + step) % 4 + 1].tobytes()
    length = int(min(8, rng.geometric(0.45)))
    if rng.random() < 0.5:
        return here, here + rng.choice(BASES, length).tobytes()
    return bases[position : position + 1 + length].tobytes(), here


class Repeat(NamedTuple):
    """A tandem repeat: `copies` times the `period` bases from `begin` on."""

    begin: int
    period: int
    copies: int


def find_repeats(bases: np.ndarray) -> List[Repeat]:
    """Homopolymers of 7 bases or more, and repeats of period 2 to 6 with enough copies to be polymorphic."""
    found: List[Repeat] = []
    taken = np.zeros(len(bases), dtype=bool)
    for period, least in ((1, 7), (2, 5), (3, 4), (4, 4), (5, 4), (6, 4)):
        equal = np.concatenate(([False], (bases[period:] == bases[:-period]) & (bases[period:] != ord("N")), [False]))
        edges = np.flatnonzero(equal[1:] != equal[:-1])
        for begin, end in zip(edges[::2], edges[1::2]):
            copies = (end - begin) // period + 1
            if copies >= least and begin > 0 and not taken[begin]:
                taken[begin : end + period] = True
                found.append(Repeat(int(begin), period, int(copies)))
    return found


def repeat_variants(reference: Genome, per_mb: float, rng: np.random.Generator) -> List[Variant]:
    """Lengths of tandem repeats that differ from the reference on either haplotype, drawn for each by itself: many of these sites have two
    alternate alleles, as one in thirteen of HG002's sites of insertions and deletions has on chr20 and chr21 (counted in GIAB's v4.2.1)."""
    found: List[Variant] = []
    for name, bases in reference.items():
        repeats = find_repeats(bases)
        count = min(len(repeats), int(rng.poisson(per_mb * len(bases) / 1e6)))
        if count == 0:
            continue
        weight = np.array([min(r.copies, 20) ** 2.0 for r in repeats])
        for k in rng.choice(len(repeats), count, replace=False, p=weight / weight.sum()):
            repeat = repeats[int(k)]
            copies = [changed_copies(repeat.copies, rng) if rng.random() < 0.6 else repeat.copies for _ in range(2)]
            variant = repeat_variant(name, bases, repeat, (copies[0], copies[1]))
            if variant is not None:
                found.append(variant)
    return sorted(found, key=lambda v: (v.contig, v.position))


def changed_copies(copies: int, rng: np.random.Generator) -> int:
    """Mostly one copy more or less, and at least one is left."""
    step = int(rng.geometric(0.55))
    return max(1, copies - step) if rng.random() < 0.5 else copies + min(step, 12)


def repeat_variant(contig: str, bases: np.ndarray, repeat: Repeat, copies: Tuple[int, int]) -> Variant | None:
    """The record of a repeat that has so many copies on each haplotype; None where both are as the reference."""
    alternates = sorted(set(copies) - {repeat.copies})
    if not alternates:
        return None
    before = bases[repeat.begin - 1 : repeat.begin].tobytes()
    unit = bases[repeat.begin : repeat.begin + repeat.period].tobytes()
    shortest = min([repeat.copies, *alternates])
    of_copies = {n: before + unit * (n - shortest) for n in (repeat.copies, *alternates)}
    number = {n: k for k, n in enumerate((repeat.copies, *alternates))}
    return record(contig, repeat.begin - 1, tuple(of_copies.values()), (number[copies[0]], number[copies[1]]))


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
