# SPDX-License-Identifier: MIT
"""Provides what the tests of the workflow share: simulated samples and their sheet, the real Nextflow, the tasks of its runs, and results to compare."""
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ("first", "second")


def command_of(*options):
    """`-log FILE` may be anywhere among the options; Nextflow wants it in front."""
    options = [str(option) for option in options]
    at = options.index("-log") if "-log" in options else len(options)
    return [str(ROOT / "scripts/nextflow"), *options[at:at + 2], "-q", "run", str(ROOT / "workflows/main.nf"), "-ansi-log", "false", *options[:at], *options[at + 2:]]


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


def tasks(folder, log):
    """Those that ended or were found in the cache, in order, of a run with -log; the file may still be written. Nextflow's own trace makes
    the script of each task start fifty programs more, which cost more than the task (80 instead of 36 s of CPU for 29 tasks)."""
    ended = re.compile(r"Task completed > TaskHandler\[.*?\bid: (\d+); name: (.*?); status: COMPLETED; exit: (\S+); .*?workDir: \S*/(\w\w/\w{6})")
    cached = re.compile(r"\[(\w\w/\w{6})\] Cached process > (.*)")
    rows = []
    for line in (folder / log).read_text().splitlines():
        if found := ended.search(line):
            rows.append({"task_id": found[1], "name": found[2], "exit": found[3], "hash": found[4], "status": "COMPLETED" if found[3] == "0" else "FAILED"})
        elif found := cached.search(line):
            rows.append({"task_id": "0", "name": found[2], "exit": "0", "hash": found[1], "status": "CACHED"})
    return rows


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


def write_child(truth, path):
    """Variants of a child: one haplotype of the parent's, and of the other one every second variant."""
    with gzip.open(truth, "rt") as lines, open(path, "w") as out:
        for number, line in enumerate(lines):
            if line.startswith("#"):
                out.write(line)
                continue
            *site, genotype = line.rstrip("\n").split("\t")
            from_parent, other = genotype.split(":")[0].replace("/", "|").split("|")
            if from_parent != "0" or number % 2 == 0:
                out.write("\t".join([*site[:8], "GT", f"{from_parent}|{other if number % 2 == 0 else 0}"]) + "\n")


def simulate(gannet, folder):
    """Samples, of which the second one is a child of the first, their sheet, plain.fa without an index, and ref.fa.gz with two contigs more: one that ref.fa.gz.alt names (a stretch of
    the first with changes, under a name that says nothing) and a decoy."""
    data = folder / "data"
    first, second = data / "first", data / "second"
    tool(gannet, "simulate", "--size", "0.3", "--coverage", "12", "--seed", "5", "-o", first)
    write_child(first / "truth.vcf.gz", data / "child.vcf")
    tool(gannet, "simulate", "--reference", first / "ref.fa", "--variants", data / "child.vcf", "--coverage", "12", "--seed", "6", "-o", second)
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
