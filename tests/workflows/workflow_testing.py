# SPDX-License-Identifier: MIT
"""Provides what the tests of the workflow share: simulated samples and their sheet, the real Nextflow, its traces, and results to compare."""
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ("first", "second")


def command_of(*options):
    return [str(word) for word in (ROOT / "scripts/nextflow", "-q", "run", ROOT / "workflows/main.nf", "-ansi-log", "false", *options)]


def containers(folder, *options):
    """The image of each step of a workflow, which is not run, as `nextflow inspect` finds it; None for a step without one."""
    shown = tool(ROOT / "scripts/nextflow", "-q", "inspect", ROOT / "workflows/main.nf", *options, cwd=folder)
    return {step["name"].split(":")[-1]: step["container"] for step in json.loads(shown)["processes"]}


def nextflow(folder, *options, check=True, env=None):
    command = command_of(*options)
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900,
                          env={**os.environ, **(env or {})})
    if check and done.returncode != 0:
        sys.exit(f"FAILED ({done.returncode}): {' '.join(command)}\n{done.stdout}")
    return done


def tool(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more).stdout


def lines_of(vcf):
    with gzip.open(vcf, "rt") as lines:
        return list(lines)


def body(vcf):
    return [line for line in lines_of(vcf) if not line.startswith("#")]


def header(vcf):
    return "".join(line for line in lines_of(vcf) if line.startswith("#"))


def trace(folder, name):
    """Rows of a Nextflow trace; one that is still being written may be empty or end within a row, which is left out."""
    rows = [line.split("\t") for line in (folder / name).read_text().splitlines()]
    return [dict(zip(rows[0], row)) for row in rows[1:] if len(row) == len(rows[0])]


def expect(condition, text):
    print(("ok      " if condition else "FAILED  ") + text, flush=True)
    if not condition:
        sys.exit(1)


def split_lanes(sample):
    """The pairs of a simulated sample as two lanes in folders A and B, under the names that they have."""
    for mate in (1, 2):
        name = f"reads_{mate}.fq.gz"
        lines = lines_of(sample / name)
        half = len(lines) // 8 * 4
        for lane, part in (("A", lines[:half]), ("B", lines[half:])):
            (sample / lane).mkdir(exist_ok=True)
            with gzip.open(sample / lane / name, "wt", compresslevel=1) as out:
                out.writelines(part)


def simulate(gannet, folder):
    """Samples, their sheet, plain.fa without an index, and ref.fa.gz with two contigs more: one that ref.fa.gz.alt names (a stretch of
    the first with changes, under a name that says nothing) and a decoy."""
    data = folder / "data"
    first, second = data / "first", data / "second"
    tool(gannet, "simulate", "--size", "0.3", "--coverage", "12", "--seed", "5", "-o", first)
    tool(gannet, "simulate", "--reference", first / "ref.fa", "--coverage", "12", "--seed", "6", "-o", second)
    plain = (first / "ref.fa").read_text()
    (data / "plain.fa").write_text(plain)
    chance = random.Random(9)
    stretch = list("".join(plain.split(">")[1].splitlines()[1:])[20_000:50_000])
    for at in range(0, len(stretch), 100):
        stretch[at] = chance.choice("ACGT")
    decoy = "".join(chance.choice("ACGT") for _ in range(10_000))
    (data / "ref.fa").write_text(f"{plain}>odd\n{''.join(stretch)}\n>chrUn_K1_decoy\n{decoy}\n")
    tool("bgzip", data / "ref.fa")
    (data / "ref.fa.gz.alt").write_text("odd\t0\n")
    tool(gannet, "index", data / "ref.fa.gz")
    for sample in (first, second):
        split_lanes(sample)
    write_sheet(data / "samples.csv", [f"p,{name},NA,0,{lane}1,{name}/{lane}/reads_1.fq.gz,{name}/{lane}/reads_2.fq.gz"
                                       for name in SAMPLES for lane in "AB"])
    return data


def write_sheet(path, rows, columns="patient,sample,sex,status,lane,fastq_1,fastq_2"):
    path.write_text("\n".join([columns, *rows]) + "\n")


class Workflow:
    """A folder with the data of a test, and gannet on PATH."""

    def __init__(self, gannet, folder):
        self.gannet, self.folder = gannet, folder
        self.data = simulate(gannet, folder)
        programs = folder / "bin"
        programs.mkdir()
        (programs / "gannet").symlink_to(gannet)
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"

    def options(self, sheet="samples.csv", reference="ref.fa.gz"):
        return ["--input", self.data / sheet, "--reference", self.data / reference]

    def files(self, outdir):
        return sorted(str(path.relative_to(self.folder / outdir)) for path in (self.folder / outdir).rglob("*") if path.is_file())


def need_nextflow():
    """Skips the test, with the reason, on a machine without Java or network."""
    done = None
    if shutil.which("java"):
        done = subprocess.run([ROOT / "scripts/nextflow", "-version"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            return
    why = done.stdout.strip() if done else "no java on this machine (scripts/setup test installs it)"
    print(f"SKIPPED: Nextflow is not available here: {why}")
    sys.exit(1 if os.environ.get("GANNET_REQUIRE_NEXTFLOW") == "1" else 77)
