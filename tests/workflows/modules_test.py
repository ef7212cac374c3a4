#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the nf-test files of workflows/modules under the real Nextflow on a small simulated sample, by nf_test.groovy.

Usage: modules_test.py --gannet GANNET [MODULE...], such as gannet/joint; --keep FOLDER makes the data for nf-test itself there (its
GANNET_MODULES_TEST_DATA) and runs nothing. Every module must have such a file. Exits 77 (skipped, with the reason) without Java or Nextflow;
GANNET_REQUIRE_NEXTFLOW=1 makes that a failure.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from workflow_testing import ROOT, need_nextflow, tool

MODULES = ROOT / "workflows/modules"
# GATK is not there: what it would write, where that is none of its inputs.
FAKE_GATK = """#!/bin/bash
inputs=()
while [ $# -gt 0 ]; do case $1 in -V) inputs+=("$2");; -O) out=$2;; esac; shift; done
for each in "${inputs[@]}"; do [ -s $each ] && ! [ $each -ef "$out" ] || exit 1; done
[ -z "$out" ] && echo 'The Genome Analysis Toolkit (GATK) v4.5.0.0' || { echo x > $out; touch $out.tbi; }
"""


def make_data(gannet, data):
    """What the files of modules name: a reference, and of the samples a and b what gannet makes of them."""
    first = data / "first"
    tool(gannet, "simulate", "--size", "0.2", "--coverage", "12", "--seed", "5", "-o", first)
    tool(gannet, "simulate", "--reference", first / "ref.fa", "--coverage", "10", "--seed", "6", "-o", data / "second")
    reference = data / "ref.fa"
    for name in ("ref.fa", "plain.fa"):
        (data / name).write_bytes((first / "ref.fa").read_bytes())
    for mate in (1, 2):
        (data / f"reads_{mate}.fq.gz").symlink_to(first / f"reads_{mate}.fq.gz")
    tool(gannet, "index", reference)
    tool("samtools", "faidx", reference)
    tool(gannet, "scatter", reference, "--count", "2", "-o", data / "shards")
    shards = [f"000{i}-of-0002" for i in (1, 2)]
    for sample, folder in (("a", first), ("b", data / "second")):
        tool(gannet, "align", reference, f"--lane={folder}/reads_1.fq.gz,{folder}/reads_2.fq.gz,{sample}.1", "--sample", sample, "-o", data / f"{sample}.bam",
             "--metrics", data / f"{sample}.duplicates.txt", "--report", data / f"{sample}.align.json")
        tool(gannet, "call", reference, data / f"{sample}.bam", "-o", data / f"{sample}.vcf.gz", "--gvcf", data / f"{sample}.g.vcf.gz", "--report", data / f"{sample}.call.json")
    for name in shards:
        tool(gannet, "call", reference, data / "a.bam", "--regions-file", data / f"shards/{name}.bed", "-o", data / f"shards/{name}.vcf.gz")
    tool(gannet, "run", reference, f"--lane={data}/reads_1.fq.gz,{data}/reads_2.fq.gz,a.1", "--sample", "a", "-o", data / "run")
    (data / "a.run.json").symlink_to(data / "run/a.run.json")
    (data / "combined.g.vcf.gz").symlink_to(data / "a.g.vcf.gz")
    (data / "combined.g.vcf.gz.tbi").symlink_to(data / "a.g.vcf.gz.tbi")
    (data / "gatk").write_text(FAKE_GATK)
    (data / "gatk").chmod(0o755)
    (data / "ab.ped").write_text("F\tb\ta\t0\t1\t0\n")
    gvcfs = [data / f"{sample}.g.vcf.gz" for sample in "ab"]
    tool(gannet, "joint", reference, *gvcfs, "-o", data / "joint.vcf.gz")
    tool(gannet, "joint", reference, *gvcfs, "--regions-file", data / f"shards/{shards[0]}.bed", "--pedigree", data / "ab.ped", "-o", data / "shards/joint.vcf.gz")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gannet", required=True, type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("modules", nargs="*")
    arguments = parser.parse_args()
    gannet = str(arguments.gannet.resolve())
    if arguments.keep:
        arguments.keep.mkdir(parents=True)
        make_data(gannet, arguments.keep.resolve())
        return
    modules = [MODULES / name for name in arguments.modules] or sorted(path.parent for path in MODULES.glob("*/**/main.nf"))
    untested = [str(path) for path in modules if not (path / "tests/main.nf.test").exists()]
    if untested:
        sys.exit(f"FAILED  no tests/main.nf.test in {', '.join(untested)}")
    need_nextflow()
    with tempfile.TemporaryDirectory(prefix="gannet_modules_", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        for each in ("bin", "data"):
            (folder / each).mkdir()
        (folder / "bin/gannet").symlink_to(gannet)
        make_data(gannet, folder / "data")
        library = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "gannet/nextflow/24.10.0/lib"
        done = subprocess.run(["java", "-cp", f"{library}/*", "groovy.ui.GroovyMain", pathlib.Path(__file__).with_name("nf_test.groovy"), ROOT / "scripts/nextflow",
                               ROOT / "workflows", folder / "work", folder / "data", *(path / "tests/main.nf.test" for path in modules)],
                              env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "GANNET_MODULES_TEST_DATA": f"{folder}/data"})
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
