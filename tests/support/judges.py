# SPDX-License-Identifier: MIT
"""Provides judges of alignments and calls that share no code with gannet.

Alignments are judged by the origin in the read names (docs/simulate.md), calls by exact allele after normalisation with bcftools:
split into biallelic records, cut into single changes, moved to the left. `gannet compare` compares haplotypes instead, and is kinder.
"""
import bisect
import re
import subprocess

LEADING_CLIP = re.compile(r"(\d+)[SH]")
WITHIN_BP = 50


def alignments(lines):
    """Counts of primary alignments of SAM. One is right if its contig is, and its leftmost base, as written or with the leading clip
    added back, is within 50 bp of the origin. Reads of sequence that the reference lacks (contig 00) are counted apart."""
    order = {}
    found = dict.fromkeys(("reads", "mapped", "right", "q20", "q20_right", "q20_wrong", "absent", "absent_q20"), 0)
    for line in lines:
        if line.startswith("@"):
            if line.startswith("@SQ"):
                order["%02d" % (len(order) + 1)] = line.split("SN:", 1)[1].split("\t")[0].strip()
            continue
        name, flags, contig, position, quality, cigar, _ = line.split("\t", 6)
        flags, good = int(flags), int(quality) >= 20
        _, _, number, first, second, _ = name.split(".")
        if flags & 0x900:
            continue
        if number == "00":
            found["absent"] += 1
            found["absent_q20"] += good and not flags & 4
            continue
        found["reads"] += 1
        if flags & 4:
            continue
        found["mapped"] += 1
        origin = int(first if flags & 0x40 else second)
        clip = LEADING_CLIP.match(cigar)
        begins = [int(position)] + ([int(position) - int(clip.group(1))] if clip else [])
        right = contig == order[number] and min(abs(begin - origin) for begin in begins) <= WITHIN_BP
        found["right"] += right
        if good:
            found["q20"] += 1
            found["q20_right" if right else "q20_wrong"] += 1
    return found


class Intervals:
    """Of a BED file."""

    def __init__(self, path):
        self.contigs = {}
        with open(path) as lines:
            for line in lines:
                contig, begin, end = line.split()[:3]
                self.contigs.setdefault(contig, []).append((int(begin), int(end)))
        for intervals in self.contigs.values():
            intervals.sort()

    def hold(self, contig, position):
        intervals = self.contigs.get(contig, [])
        at = bisect.bisect_right(intervals, (position - 1, float("inf"))) - 1
        return at >= 0 and position <= intervals[at][1]


def changes(path, reference, chosen, intervals):
    """(contig, position, REF, ALT) -> copies, of the records that `bcftools view` with the words `chosen` keeps."""
    steps = [["bcftools", "view", *chosen, "-Ou", path], ["bcftools", "norm", "-m", "-any", "-Ou", "-"],
             ["bcftools", "norm", "--atomize", "--atom-overlaps", ".", "-Ou", "-"],
             ["bcftools", "norm", "-f", reference, "-c", "x", "-Ou", "-"],
             ["bcftools", "query", "-f", "%CHROM\\t%POS\\t%REF\\t%ALT[\\t%GT]\\n", "-"]]
    running, text = [], None
    for step in steps:
        running.append(subprocess.Popen(step, stdin=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        if text:
            text.close()
        text = running[-1].stdout
    copies = {}
    with text:
        for line in text:
            contig, position, ref, alt, genotype = line.decode().rstrip("\n").split("\t")[:5]
            carried = genotype.replace("|", "/").split("/").count("1")
            if carried and not set(alt) - set("ACGT") and intervals.hold(contig, int(position)):
                key = (contig, int(position), ref, alt)
                copies[key] = min(2, copies.get(key, 0) + carried)
    if any([step.wait() for step in running]):
        raise RuntimeError("bcftools failed on " + path)
    return copies


def calls(truth, called, reference, bed, chosen):
    """Precision, recall and F1 of SNPs and indels; `chosen`: words of `bcftools view` that say which calls count."""
    intervals = Intervals(bed)
    truth, called = changes(truth, reference, [], intervals), changes(called, reference, chosen, intervals)
    result = {}
    for kind in ("snp", "indel"):
        wanted, given = ({key: n for key, n in side.items() if (len(key[2]) == len(key[3])) == (kind == "snp")} for side in (truth, called))
        hits = len(wanted.keys() & given.keys())
        exact = sum(given[key] == n for key, n in wanted.items() if key in given)
        f1 = [2 * n / max(1, len(wanted) + len(given)) for n in (hits, exact)]
        result[kind] = {"truth": len(wanted), "precision": hits / max(1, len(given)), "recall": hits / max(1, len(wanted)), "f1": f1[0],
                        "false_positives": len(given) - hits, "false_negatives": len(wanted) - hits, "genotype_f1": f1[1]}
    return result
