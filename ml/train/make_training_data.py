#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the training and validation sets: genomes, diploid samples, reads, alignments and examples.

Each recipe takes human sequence (never chr20, chr21 or chr22) or a made-up genome, draws a sample by `gannet simulate`, adds what real
samples and references have and a plain simulation lacks (diverged copies that the reference lacks, near-identical copies within the
reference, contamination, errors of one strand), makes reads with `gannet simulate` or art_illumina (Debian: art-nextgen-simulation-tools),
aligns with `gannet align` and writes shards with `gannet examples`. A recipe that is done is not made again.

  make_training_data.py --gannet PROGRAM --references DIR -o DIR [--only NAME ...] [--no-examples]
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import shutil
import subprocess
import time
from typing import List, Tuple

import numpy as np

import genomes
import reads

Source = Tuple[str, str, int, int]  # file, contig, begin, end


@dataclasses.dataclass(frozen=True)
class Recipe:
    """One data set. Shares and counts that are 0 leave that trouble out."""

    name: str
    role: str  # train or validate
    sources: Tuple[Source, ...] = ()
    made_up_mb: float = 0  # used where there are no sources
    simulator: str = "gannet"
    coverage: float = 30
    read_length: int = 150
    fragment: Tuple[int, int] = (400, 90)
    layers: int = 1  # samples laid over each other: a denser one
    fraction: float = 1.0  # of the variants that is kept
    clusters_per_mb: float = 0  # stretches dense in variants
    hidden_per_mb: float = 0  # copies the sample has and the reference lacks
    doubled_per_mb: float = 0  # near-identical copies within the reference
    bacteria: float = 0  # fraction of pairs
    stranger: float = 0  # fraction of pairs, from another sample
    strand_errors: Tuple[int, float] = (0, 0.0)  # one motif in, chance
    seed: int = 1


CLUSTER_LAYERS = 7

CHR19 = "hg19.chr19_1-3119000.fa.gz"
MHC = "hg19.chr6_MHC_haplotypes.fa.gz"
ODD = "hg19.alt_random_unplaced_chrM.fa.gz"
CHR1 = "b37.chr1_1-1000000.fa.gz"
CHR17 = "b37.chr17_1-1000000.fa.gz"
LPA = "LPA_14_haplotypes.fa.gz"
UNPLACED = tuple((ODD, f"chrUn_gl0002{n}", 0, 10**9) for n in range(11, 50))
RANDOM = tuple((ODD, f"{n}_random", 0, 10**9) for n in (
    "chr1_gl000191", "chr1_gl000192", "chr4_gl000193", "chr4_gl000194", "chr7_gl000195", "chr17_gl000205", "chr19_gl000209",
    "chr8_gl000196", "chr8_gl000197", "chr9_gl000198", "chr9_gl000199", "chr11_gl000202", "chr19_gl000208"))

RECIPES: Tuple[Recipe, ...] = (
    Recipe("chr19_gannet30", "train", ((CHR19, "chr19", 0, 3119000),), coverage=30, hidden_per_mb=8, seed=101),
    Recipe("mhc_art50", "train", ((MHC, "chr6_cox_hap2", 0, 2400000),), simulator="art:HS20", coverage=50, read_length=100,
           fragment=(310, 70), hidden_per_mb=10, doubled_per_mb=3, strand_errors=(3000, 0.25), seed=102),
    Recipe("chr1_art30", "train", ((CHR1, "1", 0, 1000000), (ODD, "chr17_ctg5_hap1", 0, 1680828)), simulator="art:HS25",
           coverage=30, fragment=(420, 100), hidden_per_mb=8, bacteria=0.01, layers=2, seed=103),
    Recipe("random_gannet40", "train", RANDOM + UNPLACED, coverage=40, read_length=125, fragment=(350, 80), hidden_per_mb=6,
           stranger=0.02, layers=2, seed=104),
    Recipe("made_up_gannet30", "train", made_up_mb=3, coverage=30, layers=2, hidden_per_mb=4, seed=105),
    Recipe("mhc_gannet18", "train", ((MHC, "chr6_cox_hap2", 2400000, 4795371),), coverage=18, fragment=(330, 60), layers=2,
           hidden_per_mb=6, doubled_per_mb=3, strand_errors=(3000, 0.25), seed=106),
    Recipe("chr19_art14", "train", ((CHR19, "chr19", 0, 1600000),), simulator="art:HSXt", coverage=14, hidden_per_mb=6, layers=2,
           stranger=0.01, seed=107),
    Recipe("lpa_art35", "train", tuple((LPA, n, 0, 10**9) for n in ("chm13#0#tig00000001", "HG01358#0#tig00000002")),
           simulator="art:HSXt", coverage=35, layers=2, hidden_per_mb=6, seed=108),
    Recipe("chr19_gannet60", "train", ((CHR19, "chr19", 1600000, 3119000),), coverage=60, read_length=100, fragment=(300, 60),
           hidden_per_mb=12, strand_errors=(2000, 0.3), stranger=0.01, layers=2, seed=109),
    Recipe("made_up_art24", "train", made_up_mb=2, simulator="art:HSXt", coverage=24, layers=3, hidden_per_mb=6, seed=110),
    Recipe("chr17_gannet30", "validate", ((CHR17, "17", 0, 1000000),), coverage=30, seed=201),
    Recipe("chr17_hard40", "validate", ((CHR17, "17", 0, 1000000), (ODD, "chr4_ctg9_hap1", 0, 590426)), simulator="art:HSXt",
           coverage=40, hidden_per_mb=8, doubled_per_mb=3, strand_errors=(3000, 0.25), layers=2, stranger=0.01, seed=202),
    Recipe("made_up_gannet28", "validate", made_up_mb=2, coverage=28, hidden_per_mb=3, seed=203),
    Recipe("chr17_art30", "validate", ((CHR17, "17", 0, 1000000), (ODD, "chr4_ctg9_hap1", 0, 590426)), simulator="art:HS25", coverage=30,
           layers=2, seed=204),
    Recipe("chr17_clusters30", "validate", ((CHR17, "17", 0, 1000000), (ODD, "chr4_ctg9_hap1", 0, 590426)), simulator="art:HS25", coverage=30,
           clusters_per_mb=30, hidden_per_mb=0.7, seed=206),
    Recipe("made_up_clusters30", "validate", made_up_mb=2, coverage=30, clusters_per_mb=30, hidden_per_mb=0.7, seed=207),
    Recipe("made_up_art32", "validate", made_up_mb=2, simulator="art:HSXt", coverage=32, hidden_per_mb=0.5, seed=205),
)

WINDOWS: Tuple[Source, ...] = (
    (CHR19, "chr19", 0, 1600000), (CHR19, "chr19", 1500000, 3119000), (CHR1, "1", 0, 1000000), (ODD, "chr17_ctg5_hap1", 0, 1680828),
    (MHC, "chr6_cox_hap2", 0, 1600000), (MHC, "chr6_qbl_hap6", 1600000, 3200000), (MHC, "chr6_ssto_hap7", 3200000, 4928567),
    (MHC, "chr6_mann_hap4", 2400000, 4000000))


def drawn(number: int) -> Recipe:
    """A training recipe drawn at random: what it is of follows from its number alone."""
    rng = np.random.default_rng([7, number])
    window = WINDOWS[number % len(WINDOWS)]
    made_up = rng.random() < 0.2
    simulator = ("gannet", "gannet", "art:HS25", "art:HSXt", "art:HS20")[int(rng.integers(5))]
    read_length = 100 if simulator == "art:HS20" else int(rng.choice([100, 125, 150, 150]))
    mean = int(rng.integers(max(260, 2 * read_length - 20), 520))
    recipe = Recipe(
        f"drawn{number:02}", "train", () if made_up else (window, *(RANDOM[k] for k in rng.choice(len(RANDOM), 2, replace=False))),
        2 if made_up else 0, simulator, float(rng.choice([12, 20, 30, 30, 35, 40, 50])), read_length, (mean, int(mean * rng.uniform(0.12, 0.25))),
        layers=int(rng.choice([1, 1, 2])), fraction=float(rng.choice([1.0, 1.0, 0.7])), hidden_per_mb=float(rng.choice([0, 2, 4, 8])),
        doubled_per_mb=float(rng.choice([0, 0, 3])), stranger=float(rng.choice([0, 0, 0.01, 0.02])),
        bacteria=float(rng.choice([0, 0, 0.01])), strand_errors=((0, 0.0), (4000, 0.25))[int(rng.integers(2))], seed=300 + number)
    if number < 20:
        return recipe
    return dataclasses.replace(recipe, clusters_per_mb=float(rng.choice([20, 40])), hidden_per_mb=float(rng.choice([0, 0.5, 1, 4])),
                               coverage=float(rng.choice([20, 30, 30, 30, 40])))


FIXED = len(RECIPES)
RECIPES += tuple(drawn(k) for k in range(40))


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
        genome = {f"c{k + 1}": bases for k, bases in enumerate(p for p in parts if len(p) >= 20000)}
    else:
        reads.run([program, "simulate", "--size", str(recipe.made_up_mb), "--coverage", "0.1", "--seed", str(recipe.seed), "-t", "1", "-q",
                   "-o", str(folder / "genome")])
        genome = genomes.read_fasta(folder / "genome" / "ref.fa")
    size_mb = sum(map(len, genome.values())) / 1e6
    return genomes.implant_copies(genome, round(recipe.doubled_per_mb * size_mb), (1500, 20000), (0.0005, 0.01), rng)


def layer_count(recipe: Recipe) -> int:
    """Samples drawn of the reference: those laid over each other, and those that dense stretches are made of."""
    return recipe.layers + (CLUSTER_LAYERS if recipe.clusters_per_mb > 0 else 0)


def sample_of(recipe: Recipe, program: str, reference: genomes.Genome, folder: pathlib.Path, rng: np.random.Generator) -> List[genomes.Genome]:
    """Draws the sample, writes truth.vcf.gz and confident.bed, and returns its two haplotypes with their hidden copies."""
    layers, header = [], []
    for layer in range(layer_count(recipe)):
        made = folder / f"layer{layer}"
        reads.run([program, "simulate", "--reference", str(folder / "ref.fa"), "--coverage", "0.1", "--seed", str(recipe.seed + 1000 * layer),
                   "-t", "1", "-q", "-o", str(made)])
        header, variants = genomes.read_variants(made / "truth.vcf.gz")
        layers.append(variants)
    clusters: List[genomes.Variant] = []
    if recipe.clusters_per_mb > 0:
        clusters = genomes.cluster_variants(layers[recipe.layers :], reference, recipe.clusters_per_mb, rng)
    variants = genomes.merge_variants([*layers[: recipe.layers], clusters], recipe.fraction, 10 if clusters else 30, rng)
    (folder / "truth.vcf").write_text("".join(header) + "".join(v.line for v in variants))
    reads.run(["bgzip", "-f", str(folder / "truth.vcf")])
    reads.run(["tabix", "-f", "-p", "vcf", str(folder / "truth.vcf.gz")])
    shutil.copy(folder / "layer0" / "confident.bed", folder / "confident.bed")
    size_mb = sum(map(len, reference.values())) / 1e6
    haplotypes = []
    shared_rng = int(rng.integers(1 << 30))  # half of the copies are on both haplotypes: the same draws on both
    for haplotype in range(2):
        genome = genomes.apply_variants(reference, variants, haplotype)
        third = recipe.hidden_per_mb * size_mb / 3
        genome = genomes.implant_copies(genome, round(third), (1000, 6000), (0.005, 0.05), np.random.default_rng(shared_rng))
        haplotypes.append(genomes.implant_copies(genome, round(third), (1000, 6000), (0.005, 0.05), rng))
    return haplotypes


def make_reads(recipe: Recipe, program: str, references: pathlib.Path, haplotypes: List[genomes.Genome], folder: pathlib.Path,
               rng: np.random.Generator) -> int:
    """Writes reads_1.fq.gz and reads_2.fq.gz; returns the pairs."""
    writer = reads.PairWriter(folder)
    pairs = 0
    for k, haplotype in enumerate(haplotypes):
        made = reads.simulate_reads(program, recipe.simulator, haplotype, recipe.coverage / 2, recipe.read_length, recipe.fragment,
                                    recipe.seed * 10 + k, folder / f"haplotype{k}")
        pairs += writer.add(made, recipe.strand_errors, recipe.seed, rng)
    if recipe.stranger > 0:
        other = folder / "stranger"
        reads.run([program, "simulate", "--reference", str(folder / "ref.fa"), "--coverage", str(recipe.stranger * recipe.coverage),
                   "--read-length", str(recipe.read_length), "--seed", str(recipe.seed + 777), "-t", "1", "-q", "-o", str(other)])
        writer.add((other / "reads_1.fq.gz", other / "reads_2.fq.gz"), (0, 0.0), 0, rng)
    if recipe.bacteria > 0:
        bacterium = genomes.read_fasta(references / "ecoli_K12_MG1655.fa.gz")
        size = sum(map(len, bacterium.values()))
        coverage = recipe.bacteria * pairs * 2 * recipe.read_length / size
        writer.add(reads.simulate_reads(program, recipe.simulator, bacterium, coverage, recipe.read_length, recipe.fragment,
                                        recipe.seed + 5, folder / "bacteria"), (0, 0.0), 0, rng)
    writer.close()
    return pairs


def make(recipe: Recipe, arguments: argparse.Namespace) -> None:
    """Makes one data set, complete or not at all; steps already done are kept."""
    folder = arguments.output / recipe.name
    started = time.time()
    if not (folder / "recipe.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        rng = np.random.default_rng(recipe.seed)
        reference = reference_of(recipe, arguments.gannet, arguments.references, folder, rng)
        genomes.write_fasta(folder / "ref.fa", reference)
        reads.run(["samtools", "faidx", str(folder / "ref.fa")])
        haplotypes = sample_of(recipe, arguments.gannet, reference, folder, rng)
        pairs = make_reads(recipe, arguments.gannet, arguments.references, haplotypes, folder, rng)
        reads.run([arguments.gannet, "align", str(folder / "ref.fa"), *map(str, (folder / "reads_1.fq.gz", folder / "reads_2.fq.gz")),
                   "--sample", recipe.name, "-t", str(arguments.threads), "-q", "-o", str(folder / "reads.bam")])
        for leftover in ("haplotype0", "haplotype1", "stranger", "bacteria", "genome", "reads_1.fq.gz", "reads_2.fq.gz",
                         *(f"layer{k}" for k in range(layer_count(recipe)))):
            path = folder / leftover
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        (folder / "recipe.json").write_text(json.dumps({**dataclasses.asdict(recipe), "pairs": pairs}, indent=1) + "\n")
        print(f"{recipe.name}: {pairs} pairs aligned, {time.time() - started:.0f} s", flush=True)
    if arguments.examples and not (folder / "examples" / "examples.json").exists():
        reads.run([arguments.gannet, "examples", str(folder / "ref.fa"), str(folder / "reads.bam"), "--truth", str(folder / "truth.vcf.gz"),
                   "--targets", str(folder / "confident.bed"), "-t", str(arguments.threads), "-o", str(folder / "examples")])
        print(f"{recipe.name}: examples, {time.time() - started:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gannet", default="gannet", help="the program")
    parser.add_argument("--references", type=pathlib.Path, required=True, help="folder of the FASTA files named in the recipes")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="*", help="names of recipes")
    parser.add_argument("--drawn", type=int, default=40, help="how many of the 40 recipes that are drawn at random [40]")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-examples", dest="examples", action="store_false", help="stop after the alignments")
    arguments = parser.parse_args()
    unknown = set(arguments.only or ()) - {r.name for r in RECIPES}
    if unknown:
        raise SystemExit(f"no recipe {', '.join(sorted(unknown))}")
    version = subprocess.run([arguments.gannet, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()
    for recipe in RECIPES if arguments.only else RECIPES[: FIXED + arguments.drawn]:
        if not arguments.only or recipe.name in arguments.only:
            make(recipe, arguments)
    made = [r for r in RECIPES if (arguments.output / r.name / "recipe.json").exists()]
    roles = {role: [r.name for r in made if r.role == role] for role in ("train", "validate")}
    (arguments.output / "sets.json").write_text(json.dumps({"gannet": version, **roles}, indent=1) + "\n")


if __name__ == "__main__":
    main()
