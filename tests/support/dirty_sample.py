# SPDX-License-Identifier: MIT
"""Provides samples with the faults of real ones, for the scripts that make benchmark sets: haplotypes, copies that the reference lacks, another person, base
qualities that promise too much.

A genome is a dict of contig name to upper-case letters (numpy bytes), all but A, C, G and T as N. A record is (contig, begin, alleles, haplotypes, fields).
"""
import gzip
import subprocess
import sys

import numpy as np

LETTERS = np.frombuffer(b"ACGT", dtype=np.uint8)
COMPLEMENT = np.arange(256, dtype=np.uint8)
COMPLEMENT[LETTERS] = LETTERS[::-1]
SHARED_VARIANTS = 0.5  # of the sample's, by haplotype
MARGIN_BP = 2000  # between a hidden copy's original and unknown sequence or the next original


def simulate(gannet, threads, folder, *options):
    """Runs gannet simulate; shows its messages only where it fails."""
    command = [gannet, "simulate", "-q", "-t", str(threads), "-o", folder, *map(str, options)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s\nended with %d:\n%s" % (" ".join(command), done.returncode, done.stdout[-2000:]))


def read_genome(path):
    """Contigs of a FASTA file: name -> upper-case letters, all but A, C, G and T as N."""
    contigs, parts = {}, []
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
        for line in lines:
            if line.startswith(">"):
                parts = contigs.setdefault(line[1:].split()[0], [])
            else:
                parts.append(line.strip())
    genome = {}
    for name, parts in contigs.items():
        bases = np.frombuffer("".join(parts).upper().encode(), dtype=np.uint8).copy()
        bases[~np.isin(bases, LETTERS)] = ord("N")
        genome[name] = bases
    return genome


def write_genome(path, genome):
    with open(path, "wb") as out:
        for name, bases in genome.items():
            out.write(b">%s\n" % name.encode())
            for begin in range(0, len(bases), 1 << 16):
                out.write(bases[begin:begin + (1 << 16)].tobytes() + b"\n")


def read_records(path):
    """Header lines and records (contig, begin, alleles, haplotypes, fields) of a phased VCF."""
    header, records = [], []
    with gzip.open(path, "rt") as lines:
        for line in lines:
            if line.startswith("#"):
                header.append(line)
                continue
            fields = line.rstrip("\n").split("\t")
            haplotypes = [int(k) for k in fields[9].split(":")[0].split("|")]
            alleles = [a.encode() for a in [fields[3]] + fields[4].split(",")]
            records.append((fields[0], int(fields[1]) - 1, alleles, haplotypes, fields))
    return header, records


def write_records(path, header, records):
    """A VCF of these records, compressed and indexed."""
    with open(path, "w") as out:
        out.writelines(header)
        for _, _, _, haplotypes, fields in records:
            fields = list(fields)
            fields[9] = "%d|%d:%s" % (*haplotypes, fields[9].split(":", 1)[1])
            out.write("\t".join(fields) + "\n")
    subprocess.run(["bgzip", "-f", path], check=True)
    subprocess.run(["tabix", "-f", "-p", "vcf", path + ".gz"], check=True)


class Haplotype:
    """One haplotype of one contig: the reference with the variants applied, and where a reference position lies in it."""

    def __init__(self, bases, records, side):
        parts, at, shift = [], 0, 0
        self.begins, self.shifts = [0], [0]
        for _, begin, alleles, haplotypes, _ in records:
            alternate = alleles[haplotypes[side]]
            if haplotypes[side] == 0 or begin < at:
                continue
            parts += [bases[at:begin], np.frombuffer(alternate, dtype=np.uint8)]
            at = begin + len(alleles[0])
            shift += len(alternate) - len(alleles[0])
            self.begins.append(at)
            self.shifts.append(shift)
        self.bases = np.concatenate(parts + [bases[at:]])
        self.inserts = []

    def offset(self, position):
        return position + self.shifts[int(np.searchsorted(self.begins, position, side="right")) - 1]

    def with_inserts(self):
        parts, at = [], 0
        for offset, bases in sorted(self.inserts, key=lambda insert: insert[0]):
            parts += [self.bases[at:offset], bases]
            at = offset
        return np.concatenate(parts + [self.bases[at:]])


def diverged(bases, rate, rng):
    """A copy with substitutions at `rate` (two in three transitions), and an indel of 1 to 20 bp for every 12 of them."""
    copy = bases.copy()
    at = np.flatnonzero((rng.random(len(copy)) < rate) & (copy != ord("N")))
    code = np.searchsorted(LETTERS, copy[at])
    other = np.where(rng.random(len(at)) < 2 / 3, code ^ 2, code ^ (1 + 2 * rng.integers(0, 2, len(at))))
    copy[at] = LETTERS[other]
    parts, last = [], 0
    for position in np.sort(rng.integers(0, len(copy), rng.poisson(len(copy) * rate / 12))):
        length = int(min(20, rng.geometric(0.4)))
        if position < last or position + length > len(copy):
            continue
        parts.append(copy[last:position])
        last = position
        if rng.random() < 0.5:
            last += length
        elif rng.random() < 0.5:  # repeats what is there
            parts.append(copy[position:position + length])
        else:
            parts.append(LETTERS[rng.integers(0, 4, length)])
    return np.concatenate(parts + [copy[last:]])


def log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def hide_copies(genome, haplotypes, per_mb, rng):
    """Inserts the hidden copies into the haplotypes; returns the rows of copies.bed."""
    rows = []
    for name, bases in genome.items():
        known = np.concatenate([[0], np.cumsum(bases != ord("N"))])
        wanted = rng.poisson(per_mb * known[-1] / 1e6)
        taken = []
        for _ in range(20 * wanted):
            if len(taken) == wanted:
                break
            length = int(log_uniform(rng, 1000, 40000))
            copies, sides = int(rng.integers(1, 4)), ([0], [1], [0, 1])[int(rng.choice(3, p=[0.25, 0.25, 0.5]))]
            if len(bases) < length + 3 * MARGIN_BP:
                continue
            begin = int(rng.integers(MARGIN_BP, len(bases) - length - MARGIN_BP))
            end = begin + length
            around = known[end + MARGIN_BP] - known[begin - MARGIN_BP]
            crowded = any(begin < e + MARGIN_BP and b - MARGIN_BP < end for b, e in taken)
            if around < length + 2 * MARGIN_BP or crowded:
                continue
            taken.append((begin, end))
            original = haplotypes[name][sides[0]]
            original = original.bases[original.offset(begin):original.offset(end)]
            rates = []
            for _ in range(copies):
                rates.append(log_uniform(rng, 0.002, 0.03))
                copy = diverged(original, rates[-1], rng)
                if rng.random() < 0.4:
                    copy = COMPLEMENT[copy[::-1]]
                place = end if rng.random() < 0.3 else int(rng.integers(0, len(bases)))
                for side in sides:
                    # Both haplotypes have the same copy, with few differences of their own.
                    own = diverged(copy, 0.0005, rng) if side != sides[0] else copy
                    haplotypes[name][side].inserts.append((haplotypes[name][side].offset(place), own))
            rows.append((name, begin, end, copies, "+".join(str(s + 1) for s in sides), "/".join("%.4f" % r for r in rates)))
    return sorted(rows)


def stranger_of(records, others, rng):
    """Variants of another person: about half of the sample's, and half of `others`, which the sample has not."""
    kept = []
    for own, record in [(True, r) for r in records] + [(False, r) for r in others]:
        contig, begin, alleles, haplotypes, fields = record
        keep = rng.random(2) < SHARED_VARIANTS
        if not own:
            keep[:] = keep[0]
        haplotypes = [k if keep[side] else 0 for side, k in enumerate(haplotypes)]
        if any(haplotypes):
            kept.append((contig, begin, alleles, haplotypes, fields))
    kept.sort(key=lambda r: (r[0], r[1]))
    apart, last = [], ("", -1)
    for record in kept:
        if record[0] == last[0] and record[1] <= last[1]:
            continue
        apart.append(record)
        last = (record[0], record[1] + len(record[2][0]))
    return apart


class Slope:
    """Adds the errors that base qualities leave out where they promise too much."""

    def __init__(self, slope, seed):
        quality = np.arange(128) - 33.0
        self.extra = np.clip(10 ** (-slope * quality / 10) - 10 ** (-quality / 10), 0, 1).astype(np.float32)
        self.is_needed = slope != 1
        self.rng = np.random.default_rng(seed)
        self.errors = 0

    def apply(self, bases, qualities):
        """Changes an array of letters in place; `qualities` are the characters of the FASTQ."""
        if not self.is_needed:
            return
        at = np.flatnonzero(self.rng.random(len(bases), dtype=np.float32) < self.extra[qualities])
        at = at[bases[at] != ord("N")]
        bases[at] = LETTERS[(np.searchsorted(LETTERS, bases[at]) + self.rng.integers(1, 4, len(at))) % 4]
        self.errors += len(at)
