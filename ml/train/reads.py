# SPDX-License-Identifier: MIT
"""Read pairs for training: the simulators' commands, errors of one strand, and parts joined into one pair of files."""
from __future__ import annotations

import gzip
import pathlib
import subprocess
from typing import BinaryIO, Iterator, List, Tuple

import numpy as np

from genomes import BASES, Genome, write_fasta

MOTIF_BP = 10
CODE = np.zeros(256, dtype=np.int64)
CODE[BASES] = np.arange(4)


def run(command: List[str]) -> None:
    """Runs a command; its output is shown only where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout[-2000:]}")


def simulate_reads(
    program: str, simulator: str, genome: Genome, coverage: float, read_length: int, fragment: Tuple[int, int], seed: int, folder: pathlib.Path
) -> Tuple[pathlib.Path, pathlib.Path]:
    """Reads of one haplotype: `gannet`, or `art:PROFILE` for art_illumina's built-in profiles."""
    folder.mkdir(parents=True, exist_ok=True)
    fasta = folder / "haplotype.fa"
    write_fasta(fasta, genome)
    if simulator == "gannet":
        empty = folder / "none.vcf"
        contigs = "".join(f"##contig=<ID={n},length={len(b)}>\n" for n, b in genome.items())
        empty.write_text("##fileformat=VCFv4.2\n" + contigs + "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tsample\n")
        run([program, "simulate", "--reference", str(fasta), "--variants", str(empty), "--coverage", str(coverage), "--seed", str(seed),
             "--read-length", str(read_length), "--fragment-mean", str(fragment[0]), "--fragment-sd", str(fragment[1]), "-t", "1", "-q",
             "-o", str(folder / "out")])
        return folder / "out" / "reads_1.fq.gz", folder / "out" / "reads_2.fq.gz"
    kind, profile = simulator.split(":")
    if kind != "art":
        raise ValueError(f"simulator {simulator}: gannet or art:PROFILE")
    run(["art_illumina", "-ss", profile, "-i", str(fasta), "-p", "-na", "-q", "-l", str(read_length), "-f", str(coverage),
         "-m", str(fragment[0]), "-s", str(fragment[1]), "-rs", str(seed), "-o", str(folder / "art_")])
    return folder / "art_1.fq", folder / "art_2.fq"


def records(path: pathlib.Path) -> Iterator[Tuple[bytes, bytes]]:
    """Sequence and quality of each FASTQ record."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as source:
        while source.readline():
            sequence = source.readline().rstrip()
            source.readline()
            yield sequence, source.readline().rstrip()


def strand_errors(sequences: np.ndarray, qualities: np.ndarray, one_in: int, chance: float, seed: int, rng: np.random.Generator) -> None:
    """Changes bases after error-prone motifs, in place: 10-mers of one in `one_in`, read in the direction of sequencing.

    A motif is on one strand of a locus, so its errors are on one strand and recur in other reads. The wrong base is the
    one before it (dephasing), else G; its quality falls in half of the reads.
    """
    code = CODE[sequences]
    key = np.zeros((len(code), sequences.shape[1] - MOTIF_BP), dtype=np.int64)
    for k in range(MOTIF_BP):
        key = key * 4 + code[:, k : k + key.shape[1]]
    with np.errstate(over="ignore"):
        mixed = (key.astype(np.uint64) + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
    prone = (mixed >> np.uint64(40)) % np.uint64(one_in) == 0
    strength = ((mixed >> np.uint64(20)) % np.uint64(1000)).astype(float) / 1000.0 * 2 * chance
    row, column = np.nonzero(prone & (rng.random(prone.shape) < strength))
    at = column + MOTIF_BP
    before = sequences[row, at - 1]
    wrong = np.where(before != sequences[row, at], before, ord("G")).astype(np.uint8)
    sequences[row, at] = wrong
    fell = rng.random(len(row)) < 0.5
    qualities[row[fell], at[fell]] = 33 + 14


class PairWriter:
    """Joins parts into one pair of FASTQ files, with new read names that do not reveal the origin of a read."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.paths = (folder / "reads_1.fq.gz", folder / "reads_2.fq.gz")
        self.files: List[BinaryIO] = [gzip.open(p, "wb", compresslevel=1) for p in self.paths]  # type: ignore[list-item]
        self.serial = 0

    def add(self, parts: Tuple[pathlib.Path, pathlib.Path], errors: Tuple[int, float], seed: int, rng: np.random.Generator) -> int:
        """Adds a part; `errors` is (one motif in, chance), 0 for none. Returns its pairs."""
        added = 0
        for mate in range(2):
            reads = list(records(parts[mate]))
            added = len(reads)
            length = len(reads[0][0]) if reads else 0
            if errors[0] > 0 and reads and all(len(s) == length for s, _ in reads):
                sequences = np.frombuffer(b"".join(s for s, _ in reads), dtype=np.uint8).reshape(-1, length).copy()
                qualities = np.frombuffer(b"".join(q for _, q in reads), dtype=np.uint8).reshape(-1, length).copy()
                for begin in range(0, added, 20000):
                    part = slice(begin, begin + 20000)
                    strand_errors(sequences[part], qualities[part], errors[0], errors[1], seed, rng)
                reads = [(sequences[k].tobytes(), qualities[k].tobytes()) for k in range(added)]
            text = b"".join(b"@t%d/%d\n%b\n+\n%b\n" % (self.serial + k, mate + 1, s, q) for k, (s, q) in enumerate(reads))
            self.files[mate].write(text)
        self.serial += added
        return added

    def close(self) -> None:
        """Ends both files."""
        for f in self.files:
            f.close()
