#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes training and validation sets: a reference, a sample, the reads of a library drawn for the set, alignments and examples.

Each set takes human sequence (never chr20, chr21 or chr22) or a made-up genome, and adds near-identical copies within it. The variants
come from `gannet simulate`, as unevenly dense as a person's, with stretches far denser and with repeats of other lengths. The reads and everything that
is wrong with them and with the reference (copies that it lacks, another person's reads, ...) come from `gannet simulate --library` with a
library of its own (libraries.py, docs/simulate.md). `gannet align` and `gannet examples` do the rest.

What a set is follows from its name: train or validate, natural, stress or clean (the kind of its rates, which a set never mixes), number. A
step that is done is not done again, so a run that was stopped goes on. A run makes one set after the other; several runs at once on one
output folder share the work: each leaves out the sets that another one is making. sets.json lists what is there by role and kind.

  make_training_data.py --gannet PROGRAM --references DIR -o DIR [--natural 140] [--stress 60] [--clean 30] [--validate 10] [--only NAME ...]
"""
from __future__ import annotations

import argparse
import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import time
from typing import Dict, Iterator, List, Tuple

import numpy as np

import genomes
import libraries

Source = Tuple[str, str, int, int]  # file, contig, begin, end
ROLES = ("train", "validate")
RATES = ("natural", "stress", "clean")


@dataclasses.dataclass(frozen=True)
class Recipe:
    """One data set."""

    name: str
    role: str  # train or validate
    rates: str  # natural, stress or clean
    seed: int
    sources: Tuple[Source, ...] = ()
    made_up_mb: float = 0  # used where there are no sources
    coverage: float = 30
    read_length: int = 150
    fragment: Tuple[int, int] = (400, 90)
    fraction: float = 0.4  # of the variants of LAYERS samples that is kept, on average
    clusters_per_mb: float = 0  # stretches dense in variants
    repeats_per_mb: float = 0  # tandem repeats whose length differs from the reference
    doubled_per_mb: float = 0  # near-identical copies within the reference
    library: libraries.Library = dataclasses.field(default_factory=dict)


LAYERS = 3  # samples that the variants of a set are drawn from
MIN_CONTIG_BP = 20000
MIN_GAP_BP = 5  # between variants that were drawn by themselves

CHR19 = "hg19.chr19_1-3119000.fa.gz"
MHC = "hg19.chr6_MHC_haplotypes.fa.gz"
ODD = "hg19.alt_random_unplaced_chrM.fa.gz"
CHR1 = "b37.chr1_1-1000000.fa.gz"
CHR17 = "b37.chr17_1-1000000.fa.gz"
LPA = "LPA_14_haplotypes.fa.gz"
RANDOM = tuple((ODD, f"{n}_random", 0, 10**9) for n in (
    "chr1_gl000191", "chr1_gl000192", "chr4_gl000193", "chr4_gl000194", "chr7_gl000195", "chr17_gl000205", "chr19_gl000209",
    "chr8_gl000196", "chr8_gl000197", "chr9_gl000198", "chr9_gl000199", "chr11_gl000202", "chr19_gl000208"))
UNPLACED = tuple((ODD, f"chrUn_gl0002{n}", 0, 10**9) for n in range(11, 50))
PARALOGUES = tuple((LPA, n, 0, 10**9) for n in ("chm13#0#tig00000001", "HG01358#0#tig00000002"))

# Half of the sets are of the first part, half of the second, which is one locus in seven versions.
WINDOWS: Dict[str, Tuple[Tuple[Source, ...], ...]] = {
    "train": (
        ((CHR19, "chr19", 0, 1600000), (CHR19, "chr19", 1500000, 3119000), (CHR1, "1", 0, 1000000), (ODD, "chr17_ctg5_hap1", 0, 1680828)),
        tuple((MHC, f"chr6_{name}_hap{k + 1}", begin, begin + 1600000)
              for k, name in enumerate(("apd", "cox", "dbb", "mann", "mcf", "qbl", "ssto")) for begin in (0, 1600000, 3200000))),
    "validate": (((CHR17, "17", 0, 1000000),), ((ODD, "chr4_ctg9_hap1", 0, 590426),)),
}


def drawn(role: str, rates: str, number: int) -> Recipe:
    """The recipe of a set: all of it follows from role, kind of rates and number."""
    rng = np.random.default_rng([12, ROLES.index(role), RATES.index(rates), number])
    windows = WINDOWS[role][int(rng.integers(2))]
    window = windows[int(rng.integers(len(windows)))]
    made_up = rng.random() < 0.25
    extra: Tuple[Source, ...] = ()
    if role == "train" and not made_up:
        extra = tuple(RANDOM[k] for k in rng.choice(len(RANDOM), 2, replace=False))
        extra += tuple(UNPLACED[k] for k in rng.choice(len(UNPLACED), 4, replace=False))
        extra += PARALOGUES if rng.random() < 0.15 else ()
    read_length = int(rng.choice([100, 125, 150, 150, 150, 250], p=[0.15, 0.1, 0.25, 0.25, 0.2, 0.05]))
    mean = int(rng.integers(max(260, 2 * read_length - 40), max(540, 2 * read_length + 120)))
    return Recipe(
        name=f"{role}_{rates}_{number:04}", role=role, rates=rates, seed=100000 * (1 + ROLES.index(role)) + 10000 * RATES.index(rates) + number,
        sources=() if made_up else (window, *extra), made_up_mb=2 if made_up else 0,
        coverage=float(rng.choice([8, 12, 15, 20, 30, 30, 30, 35, 40, 50, 60])), read_length=read_length,
        fragment=(mean, int(mean * rng.uniform(0.12, 0.28))),
        fraction=float(rng.choice([0.25, 0.35, 0.35, 0.5])), clusters_per_mb=float(rng.choice([1, 2, 4, 8] if rates != "stress" else [2, 20, 40])),
        repeats_per_mb=libraries.log_uniform(rng, 20, 150),
        doubled_per_mb=float(rng.choice([0, 0, 3])), library=libraries.drawn(rates, rng))


def run(command: List[str]) -> None:
    """Runs a command; its output is shown only where it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout[-2000:]}")


def reference_of(recipe: Recipe, program: str, references: pathlib.Path, folder: pathlib.Path, rng: np.random.Generator) -> genomes.Genome:
    """The reference of a recipe; contigs are renamed c1, c2, ..."""
    if recipe.sources:
        parts = []
        for file, contig, begin, end in recipe.sources:
            if "chr20" in contig or "chr21" in contig or "chr22" in contig:
                raise SystemExit(f"{contig} is kept for evaluation")
            found = genomes.read_fasta(references / file, [contig])
            if contig not in found:
                raise SystemExit(f"{references / file} has no contig {contig}")
            bases = found[contig][begin:end].copy()
            bases[~np.isin(bases, genomes.BASES)] = ord("N")
            parts.append(bases)
        genome = {f"c{k + 1}": bases for k, bases in enumerate(p for p in parts if len(p) >= MIN_CONTIG_BP)}
    else:
        run([program, "simulate", "--size", recipe.made_up_mb, "--coverage", "0", "--seed", recipe.seed, "-t", "1", "-q",
             "-o", folder / "genome"])
        genome = genomes.read_fasta(folder / "genome" / "ref.fa")
    size_mb = sum(map(len, genome.values())) / 1e6
    return genomes.implant_copies(genome, round(recipe.doubled_per_mb * size_mb), (1500, 20000), (0.0005, 0.01), rng)


def draw_sample(recipe: Recipe, program: str, reference: genomes.Genome, folder: pathlib.Path, rng: np.random.Generator) -> pathlib.Path:
    """Draws the sample's variants; returns their VCF."""
    layers, header = [], []
    for layer in range(LAYERS):
        made = folder / f"layer{layer}"
        run([program, "simulate", "--reference", folder / "whole.fa", "--coverage", "0", "--seed", recipe.seed + 1000000 * (layer + 1),
             "-t", "1", "-q", "-o", made])
        header, variants = genomes.read_variants(made / "truth.vcf.gz")
        layers.append(genomes.thin_variants(variants, reference, recipe.fraction, rng))
    layers.append(genomes.cluster_variants(reference, recipe.clusters_per_mb, rng))
    layers.append(genomes.repeat_variants(reference, recipe.repeats_per_mb, rng))
    path = folder / "sample.vcf"
    path.write_text("".join(header) + "".join(v.line for v in genomes.merge_variants(layers, MIN_GAP_BP)))
    return path


def make_alignments(recipe: Recipe, arguments: argparse.Namespace, folder: pathlib.Path) -> int:
    """Writes reference, truth, BED and reads.bam; returns the pairs."""
    rng = np.random.default_rng([recipe.seed, 5])
    reference = reference_of(recipe, arguments.gannet, arguments.references, folder, rng)
    genomes.write_fasta(folder / "whole.fa", reference)
    variants = draw_sample(recipe, arguments.gannet, reference, folder, rng)
    (folder / "given.json").write_text(json.dumps(recipe.library, indent=1) + "\n")
    made = folder / "made"
    run([arguments.gannet, "simulate", "--reference", folder / "whole.fa", "--variants", variants, "--library", folder / "given.json",
         "--coverage", recipe.coverage, "--read-length", recipe.read_length, "--fragment-mean", recipe.fragment[0],
         "--fragment-sd", recipe.fragment[1], "--seed", recipe.seed, "-t", arguments.threads, "-q", "-o", made])
    # Where paralogues were taken out, the reference is another one.
    shutil.move(made / "ref.fa" if (made / "ref.fa").exists() else folder / "whole.fa", folder / "ref.fa")
    for name in ("truth.vcf.gz", "truth.vcf.gz.tbi", "confident.bed", "library.json", "simulate.json", "hidden_copies.bed",
                 "missing_paralogues.bed"):
        if (made / name).exists():
            shutil.move(made / name, folder / name)
    run([arguments.gannet, "align", folder / "ref.fa", made / "reads_1.fq.gz", made / "reads_2.fq.gz", "--sample", recipe.name,
         "-t", arguments.threads, "-q", "-o", folder / "reads.bam"])
    for leftover in ("made", "genome", "whole.fa", "sample.vcf", "given.json", *(f"layer{k}" for k in range(LAYERS))):
        path = folder / leftover
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return int(json.loads((folder / "simulate.json").read_text())["pairs"])


@contextlib.contextmanager
def claimed(output: pathlib.Path, name: str) -> Iterator[bool]:
    """False if another run is making this set; otherwise none will while this lasts."""
    locks = output / ".locks"
    locks.mkdir(exist_ok=True)
    with open(locks / name, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def make(recipe: Recipe, arguments: argparse.Namespace) -> None:
    """Makes one data set, complete or not at all; steps already done are kept."""
    folder = arguments.output / recipe.name
    started = time.time()
    if (folder / "examples" / "examples.json").exists():
        return
    if not (folder / "recipe.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pairs = make_alignments(recipe, arguments, folder)
        (folder / "recipe.json").write_text(json.dumps({**dataclasses.asdict(recipe), "pairs": pairs}, indent=1) + "\n")
        print(f"{recipe.name}: {pairs} pairs aligned, {time.time() - started:.0f} s", flush=True)
    if arguments.examples:
        run([arguments.gannet, "examples", folder / "ref.fa", folder / "reads.bam", "--truth", folder / "truth.vcf.gz",
             "--targets", folder / "confident.bed", "-t", arguments.threads, "-o", folder / "examples"])
        count = json.loads((folder / "examples" / "examples.json").read_text()).get("examples", 0)
        print(f"{recipe.name}: {count} examples, {time.time() - started:.0f} s", flush=True)
        if not arguments.keep_alignments:
            for path in (*folder.glob("reads.bam*"), folder / "ref.fa.gannet"):
                path.unlink(missing_ok=True)


def write_list(output: pathlib.Path, version: str) -> None:
    """sets.json: the sets that are complete, by role and kind of rates."""
    sets: Dict[str, Dict[str, List[str]]] = {role: {rates: [] for rates in RATES} for role in ROLES}
    for path in sorted(output.glob("*/recipe.json")):
        recipe = json.loads(path.read_text())
        sets[recipe["role"]][recipe["rates"]].append(recipe["name"])
    partial = output / f".sets.json.{os.getpid()}"
    partial.write_text(json.dumps({"gannet": version, **sets}, indent=1) + "\n")
    partial.replace(output / "sets.json")


def wanted_recipes(arguments: argparse.Namespace) -> List[Recipe]:
    if arguments.only:
        parts = [name.split("_") for name in arguments.only]
        bad = [n for n, p in zip(arguments.only, parts) if len(p) != 3 or p[0] not in ROLES or p[1] not in RATES or not p[2].isdigit()]
        if bad:
            raise SystemExit(f"no recipe {', '.join(bad)}; names are like train_natural_0001")
        return [drawn(role, rates, int(number)) for role, rates, number in parts]
    recipes = [drawn("validate", rates, k) for k in range(arguments.validate) for rates in RATES]
    # In turn, so that a run that is stopped has all kinds in proportion.
    totals = {"natural": arguments.natural, "stress": arguments.stress, "clean": arguments.clean}
    order = sorted(((k + 0.5) / total, rates, k) for rates, total in totals.items() for k in range(total))
    return recipes + [drawn("train", rates, k) for _, rates, k in order]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gannet", default="gannet", help="the program")
    parser.add_argument("--references", type=pathlib.Path, required=True, help="folder of the FASTA files named in the recipes")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--natural", type=int, default=140, help="training sets with natural rates [140]")
    parser.add_argument("--stress", type=int, default=60, help="training sets with stress rates [60]")
    parser.add_argument("--clean", type=int, default=30, help="training sets with next to no faults [30]")
    parser.add_argument("--validate", type=int, default=10, help="validation sets of each kind [10]")
    parser.add_argument("--only", nargs="*", help="names of sets")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-examples", dest="examples", action="store_false", help="stop after the alignments")
    parser.add_argument("--keep-alignments", action="store_true", help="keep reads.bam and the index after the examples are made")
    arguments = parser.parse_args()
    version = subprocess.run([arguments.gannet, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for recipe in wanted_recipes(arguments):
        with claimed(arguments.output, recipe.name) as mine:
            if mine:
                make(recipe, arguments)
        write_list(arguments.output, version)


if __name__ == "__main__":
    main()
