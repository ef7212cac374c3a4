# SPDX-License-Identifier: MIT
"""Provides the libraries of tests/accuracy/scorer_trial: reads with the faults of real libraries, made by another route than `gannet simulate --library`.

Molecules are cut out of the haplotypes of the sample and of another person with numpy. What happens to a molecule (slips in tandem repeats, substitutions
of PCR, oxidation, chimeras) is the same in both mates and in all duplicates. The ends of the molecules are read by Debian's ART (art_illumina, in its
amplicon mode), whose profiles of base qualities were taken from real runs. Errors bound to a place and a strand, errors beyond the base qualities and the binning
of the qualities are added to ART's reads. No code and no parameter is shared with data/simulate/library.cpp or ml/train/libraries.py; the genome and
the variants are those of `gannet simulate` where they are not human. Not modelled: fragments shorter than a read and so adapters, index hopping apart
from contamination.
"""
import dataclasses
import functools
import gzip
import json
import os
import shutil
import subprocess
import sys
from typing import Tuple

import numpy as np

import dirty_sample
from dirty_sample import COMPLEMENT, LETTERS

CHUNK_PAIRS = 50000
SLACK_BP = 12  # beyond a read: a deletion by ART, and slips of up to two units of 6 bp
BLOCK_BP = 64  # resolution of the counts of N and of G and C
SEPARATOR_BP = 4096  # of N, between haplotypes


@dataclasses.dataclass(frozen=True)
class Library:
    """One library; rates are per molecule or base as said. `rates`: natural (as laboratories make them) or stress."""

    name: str
    rates: str
    depth: float
    windows: Tuple[Tuple[str, int, int], ...] = ()  # of the human reference: contig, begin, end
    made_up_mb: float = 0  # without windows
    variants: str = "drawn"  # or HG002: of the catalogue
    profile: str = "HSXn"  # ART's built-in quality profile
    read_length: int = 150
    fragment: Tuple[int, int] = (380, 80)  # mean and standard deviation of a gamma distribution
    duplicates: float = 0.03  # share of pairs
    systematic_per_kb: float = 0.0  # places bound to a strand
    systematic_rate: float = 0.04  # median of their log-normal error rates
    slips: float = 0.0  # factor on the slip rates of tandem repeats
    pcr_rate: float = 0.0  # substitutions per base
    oxidation: float = 0.0  # G>T on the strand of mate 1, per G
    chimeras: float = 0.0  # share of molecules: joined with another one
    foldbacks: float = 0.0  # share of molecules: end in the reverse complement of themselves
    contamination: float = 0.0  # share of molecules
    copies_per_mb: float = 0.0  # places with copies that the reference lacks
    slope: float = 1.0  # a base of quality Q is wrong with the probability of slope * Q
    gc_sd: float = 0.0  # percent of GC around 42 at which a molecule is 0.6 times as likely; 0: no bias
    quality_table: Tuple[int, ...] = ()  # qualities that are written; ART's as they are if empty

    def size_bp(self):
        return sum(end - begin for _, begin, end in self.windows) if self.windows else int(self.made_up_mb * 1e6)

    def scaled(self, factor):
        """The same library of a smaller genome."""
        windows = tuple((name, begin, begin + int((end - begin) * factor)) for name, begin, end in self.windows)
        return dataclasses.replace(self, windows=windows, made_up_mb=self.made_up_mb * factor)


@functools.lru_cache(maxsize=1)
def human_genome(path):
    return dirty_sample.read_genome(path)


def cut_reference(path, windows):
    """The windows of a FASTA file; each keeps the name of its contig, so a contig has one window."""
    genome = human_genome(path)
    return {name: genome[name][begin:end] for name, begin, end in windows}


def cut_variants(path, windows, sizes, out):
    """The records of a VCF that lie in the windows, moved with them."""
    spans = {name: (begin, end) for name, begin, end in windows}
    with gzip.open(path, "rt") as lines, open(out, "w") as text:
        for line in lines:
            if line.startswith("##"):
                if not line.startswith("##contig"):
                    text.write(line)
            elif line.startswith("#"):
                text.writelines("##contig=<ID=%s,length=%d>\n" % item for item in sizes.items())
                text.write(line)
            else:
                fields = line.split("\t")
                begin, end = spans.get(fields[0], (0, 0))
                if begin < int(fields[1]) and int(fields[1]) + len(fields[3]) <= end:
                    text.write("\t".join([fields[0], str(int(fields[1]) - begin)] + fields[2:]))


class Molecules:
    """All haplotypes that molecules come from, joined: first those of the sample, then those of the other person."""

    def __init__(self, persons):
        parts, at, self.person_ends, self.begins = [], 0, [], []
        gap = np.full(SEPARATOR_BP, ord("N"), dtype=np.uint8)
        for haplotypes in persons:
            for haplotype in haplotypes:
                self.begins.append(at)
                parts += [haplotype.with_inserts(), gap]
                at += len(parts[-2]) + SEPARATOR_BP
            self.person_ends.append(at)
        self.bases = np.concatenate(parts)
        padded = np.concatenate([self.bases, np.full(-len(self.bases) % BLOCK_BP, ord("N"), dtype=np.uint8)]).reshape(-1, BLOCK_BP)
        self.unknown = np.concatenate([[0], np.cumsum((padded == ord("N")).sum(axis=1))])
        self.gc = np.concatenate([[0], np.cumsum(np.isin(padded, (ord("G"), ord("C"))).sum(axis=1))])

    def draw(self, library, count, rng):
        """Begins and ends of `count` molecules."""
        shape = (library.fragment[0] / library.fragment[1]) ** 2
        begins, ends, have = [], [], 0
        while have < count:
            n = int(1.3 * (count - have)) + 1000
            own = rng.integers(0, self.person_ends[0], n)
            if library.contamination > 0:
                other = rng.integers(self.person_ends[0], self.person_ends[1], n)
                own = np.where(rng.random(n) < library.contamination, other, own)
            length = rng.gamma(shape, library.fragment[0] / shape, n).astype(np.int64)
            end = own + np.clip(length, library.read_length + SLACK_BP, 3 * library.fragment[0])
            keep = end < len(self.bases)
            own, end = own[keep], end[keep]
            first, last = own // BLOCK_BP, -(-end // BLOCK_BP)
            keep = self.unknown[first] == self.unknown[last]
            if library.gc_sd > 0:
                percent = 100.0 * (self.gc[last] - self.gc[first]) / ((last - first) * BLOCK_BP)
                keep &= rng.random(len(own)) < np.maximum(0.03, np.exp(-0.5 * ((percent - 42) / library.gc_sd) ** 2))
            begins.append(own[keep])
            ends.append(end[keep])
            have += int(keep.sum())
        return np.concatenate(begins)[:count], np.concatenate(ends)[:count]


class Tracts:
    """Tandem repeats of period 1 to 6, with the probability that a molecule has another number of units."""

    def __init__(self, bases, factor):
        begin, end, period = [], [], []
        covered = np.zeros(len(bases), dtype=bool)
        for p in range(1, 7):
            same = np.concatenate([[False], (bases[p:] == bases[:-p]) & (bases[p:] != ord("N")), [False]])
            edges = np.flatnonzero(same[1:] != same[:-1])
            lo, hi = edges[0::2], edges[1::2] + p
            keep = hi - lo >= max(6, 3 * p + 1)
            lo, hi = lo[keep], hi[keep]
            keep = ~(covered[lo] & covered[hi - 1])  # not a run of a shorter period
            for b, e in zip(lo[keep], hi[keep]):
                covered[b:e] = True
            begin.append(lo[keep])
            end.append(hi[keep])
            period.append(np.full(int(keep.sum()), p))
        order = np.argsort(np.concatenate(begin), kind="stable")
        self.begin, self.end, self.period = (np.concatenate(x)[order] for x in (begin, end, period))
        length = self.end - self.begin
        rate = np.where(self.period == 1, 0.0035 * np.exp(0.28 * (length - 10)), 0.0025 * np.exp(0.11 * (length - 14)) / np.sqrt(self.period))
        self.rate = np.minimum(0.35, factor * rate)
        self.before = np.concatenate([[0], np.cumsum(self.rate)])

    def draw(self, begin, end, rng):
        """Of molecules: row, tract and units gained of each slip; at most one in a molecule."""
        low, high = np.searchsorted(self.begin, begin), np.searchsorted(self.begin, end)
        total = self.before[high] - self.before[low]
        rows = np.flatnonzero(rng.random(len(begin)) < total)
        tract = np.searchsorted(self.before, self.before[low[rows]] + rng.random(len(rows)) * total[rows], side="right") - 1
        keep = self.end[tract] <= end[rows]
        rows, tract = rows[keep], tract[keep]
        units = np.where(rng.random(len(rows)) < 0.62, -1, 1) * np.where(rng.random(len(rows)) < 0.12, 2, 1)
        return rows, tract, units


class Places:
    """Places where the sequencer often errs, on one strand: positions in the joined haplotypes, by strand (0: forward)."""

    def __init__(self, library, genome, persons, begins, rng):
        found = ([], [])
        for name, bases in genome.items():
            for strand in (0, 1):
                at = self.drawn(library, bases if strand == 0 else COMPLEMENT[bases[::-1]], rng)
                at = at if strand == 0 else len(bases) - 1 - at
                rate = np.minimum(0.6, library.systematic_rate * np.exp(rng.normal(0, 0.9, len(at))))
                for k, (contig, haplotype) in enumerate(persons):
                    if contig == name:
                        found[strand].append(np.stack([begins[k] + final_offsets(haplotype, at), rate]))
        self.position, self.rate = [], []
        for strand in (0, 1):
            both = np.concatenate(found[strand], axis=1)
            both = both[:, np.argsort(both[0], kind="stable")]
            self.position.append(both[0].astype(np.int64))
            self.rate.append(both[1])

    @staticmethod
    def drawn(library, bases, rng):
        """Half of the places follow GGC or an inverted repeat of 6 bp around a loop of 4, the others lie anywhere."""
        wanted = rng.poisson(library.systematic_per_kb * len(bases) / 2000)  # of each strand
        g = np.flatnonzero((bases[:-3] == ord("G")) & (bases[1:-2] == ord("G")) & (bases[2:-1] == ord("C"))) + 3
        stem = np.ones(max(0, len(bases) - 17), dtype=bool)
        for k in range(6):
            stem &= bases[k:k + len(stem)] == COMPLEMENT[bases[15 - k:15 - k + len(stem)]]
        motif = np.concatenate([g, np.flatnonzero(stem) + 16])
        picked = rng.integers(0, len(bases), wanted - wanted // 2)
        if len(motif):
            picked = np.concatenate([picked, rng.choice(motif, wanted // 2)])
        return np.unique(picked)

    def apply(self, letters, qualities, begin, end, strand, usable, rng):
        """Changes reads in place: `strand` 0 reads from `begin` on, 1 from `end` backwards; only rows that are `usable`."""
        read_bp = letters.shape[1]
        errors = 0
        for s in (0, 1):
            rows = np.flatnonzero(usable & (strand == s))
            low = np.searchsorted(self.position[s], begin[rows] if s == 0 else end[rows] - read_bp)
            high = np.searchsorted(self.position[s], begin[rows] + read_bp if s == 0 else end[rows])
            count = high - low
            row = np.repeat(rows, count)
            site = np.repeat(low - np.cumsum(count) + count, count) + np.arange(len(row))
            offset = self.position[s][site] - begin[row] if s == 0 else end[row] - 1 - self.position[s][site]
            hit = (offset > 0) & (rng.random(len(row)) < self.rate[s][site] * (0.6 + 0.9 * offset / read_bp))
            row, offset = row[hit], offset[hit]
            was, before = letters[row, offset], letters[row, offset - 1]
            letters[row, offset] = np.where(before != was, before, COMPLEMENT[was])
            low_quality = rng.random(len(row)) < 0.4
            qualities[row[low_quality], offset[low_quality]] = 33 + rng.integers(6, 20, int(low_quality.sum()))
            errors += len(row)
        return errors


def final_offsets(haplotype, positions):
    """Where reference positions lie in haplotype.with_inserts()."""
    begins = np.asarray(haplotype.begins)
    at = positions + np.asarray(haplotype.shifts)[np.searchsorted(begins, positions, side="right") - 1]
    if haplotype.inserts:
        inserts = sorted((offset, len(bases)) for offset, bases in haplotype.inserts)
        lengths = np.concatenate([[0], np.cumsum([length for _, length in inserts])])
        at = at + lengths[np.searchsorted([offset for offset, _ in inserts], at, side="right")]
    return at


class Ends:
    """The two ends of molecules, each as a sequencer would read it: forward from the begin, and backwards from the end."""

    def __init__(self, molecules, begin, end, width):
        self.begin, self.end, self.width, self.bases = begin, end, width, molecules.bases
        steps = np.arange(width)
        self.side = [molecules.bases[begin[:, None] + steps], COMPLEMENT[molecules.bases[(end - 1)[:, None] - steps]]]
        self.plain = np.ones(len(begin), dtype=bool)  # nothing was inserted, lost or joined

    def set(self, row, position, letter):
        for side, offset, letters in ((0, position - self.begin[row], letter), (1, self.end[row] - 1 - position, COMPLEMENT[letter])):
            inside = (offset < self.width) & self.plain[row]
            self.side[side][row[inside], offset[inside]] = letters[inside]

    def slip(self, rows, tracts, tract, units):
        for row, t, unit in zip(rows, tract, units):
            bp = int(unit) * int(tracts.period[t])
            begin, end = int(tracts.begin[t]), int(tracts.end[t])
            if end - begin + bp < int(tracts.period[t]):
                continue
            for side, offset in ((0, begin - self.begin[row]), (1, self.end[row] - end)):
                if offset + max(0, -bp) >= self.width:
                    continue
                old = self.side[side][row]
                new = np.concatenate([old[:offset], old[offset - bp:]]) if bp < 0 else np.concatenate([old[:offset + bp], old[offset:]])
                # A lost unit is filled up at the end, beyond the read.
                self.side[side][row] = np.concatenate([new, old[-max(1, -bp):]])[:self.width] if bp < 0 else new[:self.width]
            self.plain[row] = False

    def replace(self, row, molecule):
        if len(molecule) >= self.width:
            self.side[0][row], self.side[1][row] = molecule[:self.width], COMPLEMENT[molecule[::-1]][:self.width]
            self.plain[row] = False

    def join(self, chimeras, foldbacks, rng):
        for row in np.flatnonzero(rng.random(len(self.begin)) < chimeras):
            other = int(rng.integers(len(self.begin)))
            head = int(rng.integers(20, self.end[row] - self.begin[row]))
            tail = int(rng.integers(20, self.end[other] - self.begin[other]))
            last = self.bases[self.end[other] - tail:self.end[other]]
            last = COMPLEMENT[last[::-1]] if rng.random() < 0.5 else last
            self.replace(row, np.concatenate([self.bases[self.begin[row]:self.begin[row] + head], last]))
        for row in np.flatnonzero(rng.random(len(self.begin)) < foldbacks):
            head = self.bases[self.begin[row]:self.begin[row] + int(rng.integers(60, self.end[row] - self.begin[row] + 1))]
            stem = head[:len(head) - int(rng.integers(0, 40))]
            self.replace(row, np.concatenate([head, COMPLEMENT[stem[::-1]]]))


def run_art(library, first, second, seed, folder):
    """Reads of the two ends of each row (letters, as they are read); returns letters and qualities (characters) of both mates."""
    rows, width = first.shape
    ids = np.char.zfill(np.arange(rows).astype("U7"), 7).astype("S7").view(np.uint8).reshape(rows, 7)
    text = np.empty((rows, 9 + 2 * width + 1), dtype=np.uint8)
    text[:, 0], text[:, 1:8], text[:, 8], text[:, -1] = ord(">"), ids, 10, 10
    text[:, 9:9 + width], text[:, 9 + width:-1] = first, COMPLEMENT[second[:, ::-1]]
    fasta, prefix = os.path.join(folder, "ends.fa"), os.path.join(folder, "art")
    text.tofile(fasta)
    command = ["art_illumina", "-q", "-ss", library.profile, "-amp", "-p", "-na", "-i", fasta, "-l", str(library.read_length), "-f", "1",
               "-rs", str(1 + seed % 1000000007), "-o", prefix]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s\nended with %d:\n%s" % (" ".join(command), done.returncode, done.stdout[-2000:]))
    mates = []
    for mate in (1, 2):
        data = np.fromfile("%s%d.fq" % (prefix, mate), dtype=np.uint8)
        head = int(np.flatnonzero(data[:64] == 10)[0]) + 1
        record = head + 2 * library.read_length + 4
        if len(data) != rows * record or not np.array_equal(data.reshape(rows, record)[:, 1:8], ids):
            sys.exit("art_illumina did not write one pair of %d bp for each molecule, in their order" % library.read_length)
        data = data.reshape(rows, record)
        bases = data[:, head:head + library.read_length].copy()
        mates.append((bases, data[:, -library.read_length - 1:-1].copy()))
    return mates


def quality_map(table):
    """Of each quality character the one that is written: the highest of the table that is not above it."""
    out = np.arange(256, dtype=np.uint8)
    if table:
        levels = np.asarray(sorted(table))
        for quality in range(94):
            out[33 + quality] = 33 + levels[max(0, np.searchsorted(levels, quality, side="right") - 1)]
    return out


def write_reads(out, serial, bases, qualities):
    rows, length = bases.shape
    names = np.char.zfill((serial + np.arange(rows)).astype("U10"), 10).astype("S10").view(np.uint8).reshape(rows, 10)
    text = np.empty((rows, 12 + 2 * length + 4), dtype=np.uint8)
    text[:, 0], text[:, 1:11], text[:, 11] = ord("@"), names, 10
    text[:, 12:12 + length] = bases
    text[:, 12 + length:15 + length] = np.frombuffer(b"\n+\n", dtype=np.uint8)
    text[:, 15 + length:-1], text[:, -1] = qualities, 10
    text.tofile(out)


class Sequencing:
    """Writes the pairs of a library, chunk by chunk."""

    def __init__(self, library, molecules, places, seed, folder):
        self.library, self.molecules, self.places, self.seed, self.folder = library, molecules, places, seed, folder
        self.tracts = Tracts(molecules.bases, library.slips) if library.slips > 0 else None
        self.slopes = [dirty_sample.Slope(library.slope, [seed, 40, mate]) for mate in (1, 2)]
        self.qualities = quality_map(library.quality_table)
        self.counts = {"pairs": 0, "duplicate_pairs": 0, "slipped_molecules": 0, "pcr_substitutions": 0, "oxidised_bases": 0,
                       "joined_molecules": 0, "systematic_errors": 0, "errors_beyond_the_qualities": 0}

    def ends_of(self, count, rng):
        """The ends of `count` molecules, and their strands (0: mate 1 is read forward)."""
        library = self.library
        begin, end = self.molecules.draw(library, count, rng)
        ends = Ends(self.molecules, begin, end, library.read_length + SLACK_BP)
        strand = rng.integers(0, 2, count)
        if library.chimeras > 0 or library.foldbacks > 0:
            ends.join(library.chimeras, library.foldbacks, rng)
            self.counts["joined_molecules"] += int(np.count_nonzero(~ends.plain))
        row, at = self.events(begin, end, library.pcr_rate, rng)
        code = np.searchsorted(LETTERS, self.molecules.bases[at])
        ends.set(row, at, LETTERS[np.where(rng.random(len(row)) < 0.8, code ^ 2, code ^ (1 + 2 * rng.integers(0, 2, len(row))))])
        self.counts["pcr_substitutions"] += len(row)
        row, at = self.events(begin, end, library.oxidation, rng)
        is_g = self.molecules.bases[at] == np.where(strand[row] == 0, ord("G"), ord("C"))
        row, at = row[is_g], at[is_g]
        ends.set(row, at, np.where(strand[row] == 0, ord("T"), ord("A")).astype(np.uint8))
        self.counts["oxidised_bases"] += len(row)
        if self.tracts:
            rows, tract, units = self.tracts.draw(begin, end, rng)
            keep = ends.plain[rows]
            ends.slip(rows[keep], self.tracts, tract[keep], units[keep])
            self.counts["slipped_molecules"] += int(keep.sum())
        return ends, strand

    @staticmethod
    def events(begin, end, rate, rng):
        """Row and position of what happens to single bases of molecules."""
        row = np.repeat(np.arange(len(begin)), rng.poisson(rate * (end - begin)))
        return row, begin[row] + (rng.random(len(row)) * (end[row] - begin[row])).astype(np.int64)

    def write(self, outs, pairs, chunk):
        library, rng = self.library, np.random.default_rng([self.seed, 30, chunk])
        unique = max(1, pairs - rng.binomial(pairs, library.duplicates))
        ends, strand = self.ends_of(unique, rng)
        # Some molecules are copied more often than others.
        source = np.concatenate([np.arange(unique), (rng.random(pairs - unique) ** 2 * unique).astype(np.int64)])
        strand = strand[source]
        forward, backward = ends.side[0][source], ends.side[1][source]
        is_reverse = (strand == 1)[:, None]
        first, second = np.where(is_reverse, backward, forward), np.where(is_reverse, forward, backward)
        mates = run_art(library, first, second, self.seed + chunk, self.folder)
        for mate, (bases, qualities) in enumerate(mates):
            if self.places:
                self.counts["systematic_errors"] += self.places.apply(bases, qualities, ends.begin[source], ends.end[source], strand ^ mate,
                                                                      ends.plain[source], rng)
            qualities = self.qualities[qualities]
            self.slopes[mate].apply(bases.reshape(-1), qualities.reshape(-1))
            write_reads(outs[mate], self.counts["pairs"], bases, qualities)
        self.counts["pairs"] += pairs
        self.counts["duplicate_pairs"] += pairs - unique

    def write_all(self, pairs):
        outs = [open(os.path.join(self.folder, "..", "reads_%d.fq" % mate), "wb") for mate in (1, 2)]
        for chunk, done in enumerate(range(0, pairs, CHUNK_PAIRS)):
            self.write(outs, min(CHUNK_PAIRS, pairs - done), chunk)
        for out in outs:
            out.close()
        self.counts["errors_beyond_the_qualities"] = sum(slope.errors for slope in self.slopes)


def make_sample(library, seed, gannet, human, catalogue, work, output):
    """Writes ref.fa, truth.vcf.gz and confident.bed; returns the genome and the records of the truth."""
    made = os.path.join(work, "made")
    if library.windows:
        genome = cut_reference(human, library.windows)
        fasta = os.path.join(work, "cut.fa")
        dirty_sample.write_genome(fasta, genome)
        source = ["--reference", fasta]
        if library.variants == "HG002":
            source += ["--variants", os.path.join(work, "HG002.vcf")]
            cut_variants(catalogue, library.windows, {name: len(bases) for name, bases in genome.items()}, source[-1])
    else:
        source = ["--size", library.made_up_mb]
    dirty_sample.simulate(gannet, 1, made, *source, "--coverage", 0, "--seed", seed % 1000000007)
    if not library.windows:
        genome = dirty_sample.read_genome(os.path.join(made, "ref.fa"))
    dirty_sample.write_genome(os.path.join(output, "ref.fa"), genome)
    for name in ("truth.vcf.gz", "truth.vcf.gz.tbi", "confident.bed"):
        os.replace(os.path.join(made, name), os.path.join(output, name))
    return genome, dirty_sample.read_records(os.path.join(output, "truth.vcf.gz"))[1]


def make(library, seed, gannet, human, catalogue, output):
    """Makes the library in the folder `output`: library.json (options and counts) is written last. Returns its counts."""
    marker = os.path.join(output, "library.json")
    if os.path.exists(marker):
        with open(marker) as text:
            return json.load(text)["counts"]
    shutil.rmtree(output, ignore_errors=True)
    work = os.path.join(output, "work")
    os.makedirs(work)
    genome, records = make_sample(library, seed, gannet, human, catalogue, work, output)

    def haplotypes_of(variants):
        return {name: [dirty_sample.Haplotype(bases, [r for r in variants if r[0] == name], side) for side in (0, 1)] for name, bases in genome.items()}

    own = haplotypes_of(records)
    rows = dirty_sample.hide_copies(genome, own, library.copies_per_mb, np.random.default_rng([seed, 1]))
    with open(os.path.join(output, "copies.bed"), "w") as out:
        out.writelines("\t".join(map(str, row)) + "\n" for row in rows)
    persons = [own]
    if library.contamination > 0:
        other = os.path.join(work, "other")
        dirty_sample.simulate(gannet, 1, other, "--reference", os.path.join(output, "ref.fa"), "--coverage", 0, "--seed", (seed + 5000) % 1000000007)
        others = dirty_sample.read_records(os.path.join(other, "truth.vcf.gz"))[1]
        persons.append(haplotypes_of(dirty_sample.stranger_of(records, others, np.random.default_rng([seed, 2]))))
    listed = [(name, haplotype) for person in persons for name, sides in person.items() for haplotype in sides]
    molecules = Molecules([[h for sides in person.values() for h in sides] for person in persons])
    places = None
    if library.systematic_per_kb > 0:
        places = Places(library, genome, listed, molecules.begins, np.random.default_rng([seed, 3]))
    known = int(np.count_nonzero(molecules.bases[:molecules.person_ends[0]] != ord("N")))
    sequencing = Sequencing(library, molecules, places, seed, work)
    sequencing.write_all(int(library.depth * known / 2 / (2 * library.read_length)))
    shutil.rmtree(work)
    counts = {"reference_bp": sum(int(np.count_nonzero(bases != ord("N"))) for bases in genome.values()), "variants": len(records),
              "places_with_copies": len(rows), **sequencing.counts}
    with open(marker + ".partial", "w") as out:
        json.dump({"seed": seed, "library": dataclasses.asdict(library), "counts": counts}, out, indent=1)
    os.replace(marker + ".partial", marker)
    return counts
