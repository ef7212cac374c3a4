# SPDX-License-Identifier: MIT
"""Provides the arithmetic of tests/accuracy/scorer_trial: errors with and without the scorer by stratum, their differences by blocks, bootstrap, verdicts.

A comparison is read from the table of `gannet evaluate-model --truth --off --on --table`. An error is a called change that is wrong (by genotype) or a change of the
truth that is missed; a wrong genotype is both. Its depth is DP of the call at its place on either side, or that of the library; its context is that
of the sequence, or `hidden copy` where the sample has a copy that the reference lacks.
"""
import bisect
import collections
from typing import NamedTuple

import numpy as np

BLOCK_BP = 100000
REPLICATES = 4000
KINDS = ("SNP", "indel")
CONTEXTS = ("unique", "homopolymer", "repeat", "hidden copy")
NEARLY = 0.8  # of the best difference, for a more cautious setting
DEPTH_CLASSES = ((0, 12), (12, 22), (22, 40), (40, 1000000))  # of a manifest's strata


class Change(NamedTuple):
    """One line of the table."""

    side: str  # off or on
    outcome: str  # right, wrong or missed
    present: bool  # the truth has the allele
    contig: str
    position: int
    kind: str
    context: str
    depth: int  # -1: not known
    quality: float


def read_table(path):
    with open(path) as lines:
        next(lines)
        for line in lines:
            f = line.rstrip("\n").split("\t")
            yield Change(f[0], f[1], f[2] == "1", f[3], int(f[4]), f[5], f[6], int(f[7]), int(f[8]) / 100)


class Spans:
    """Intervals of a BED: (contig, begin, end) that do not overlap."""

    def __init__(self, rows):
        self.by_contig = collections.defaultdict(list)
        for contig, begin, end in sorted(rows):
            self.by_contig[contig].append((begin, end))

    def contains(self, contig, position):
        """`position`: of VCF, from 1."""
        spans = self.by_contig.get(contig, [])
        at = bisect.bisect_right(spans, (position - 1, 1 << 60)) - 1
        return at >= 0 and position <= spans[at][1]


def depth_class(depth):
    return next(k for k, (begin, end) in enumerate(DEPTH_CLASSES) if begin <= depth < end)


class Comparison:
    """Errors of one set of calls: by stratum and side, and the difference on - off by block."""

    def __init__(self, changes, hidden, depth, genome, begins=None):
        """`depth`: of the library; `genome`: blocks of sets of one genome are the same blocks; `begins`: where the contigs begin in that genome."""
        changes = list(changes)
        depths = {(c.contig, c.position): c.depth for c in changes if c.depth >= 0}
        self.errors = {"off": collections.Counter(), "on": collections.Counter()}
        self.changed = collections.defaultdict(collections.Counter)  # stratum -> block -> on - off
        self.calls = {"off": [], "on": []}  # (kind, QUAL, allele is absent)
        self.right = {"off": collections.Counter(), "on": collections.Counter()}
        self.wrong = {"off": collections.Counter(), "on": collections.Counter()}
        self.missed = {"off": collections.Counter(), "on": collections.Counter()}
        for c in changes:
            if c.outcome != "missed":
                self.calls[c.side].append((c.kind, c.quality, not c.present))
            getattr(self, c.outcome)[c.side][c.kind] += 1
            if c.outcome == "right":
                continue
            context = "hidden copy" if hidden.contains(c.contig, c.position) else c.context
            at = depths.get((c.contig, c.position), depth)
            stratum = (c.kind, depth, depth_class(at), context)
            self.errors[c.side][stratum] += 1
            block = (genome, c.contig, (c.position - 1 + (begins or {}).get(c.contig, 0)) // BLOCK_BP)
            self.changed[stratum][block] += 1 if c.side == "on" else -1

    def set_context(self, context):
        """Gives every error this context."""
        for side, counts in self.errors.items():
            merged = collections.Counter()
            for stratum, count in counts.items():
                merged[stratum[:3] + (context,)] += count
            self.errors[side] = merged
        merged = collections.defaultdict(collections.Counter)
        for stratum, blocks in self.changed.items():
            for block, change in blocks.items():
                merged[stratum[:3] + (context,)][block] += change
        self.changed = merged


def pooled(comparisons, keep=lambda stratum: True):
    """Errors off and on, and the differences by block, of the strata (kind, library's depth, class of depth, context) that are kept."""
    off = sum(n for c in comparisons for s, n in c.errors["off"].items() if keep(s))
    on = sum(n for c in comparisons for s, n in c.errors["on"].items() if keep(s))
    blocks = collections.Counter()
    for comparison in comparisons:
        for stratum, changed in comparison.changed.items():
            if keep(stratum):
                for block, change in changed.items():
                    blocks[block] += change
    return off, on, blocks


def upper_bound(differences, blocks, seed=1, share=0.95):
    """The `share` quantile of the sum of `blocks` blocks drawn with replacement, of which those not in `differences` have 0."""
    values = np.zeros(max(blocks, len(differences)), dtype=np.int64)
    values[:len(differences)] = list(differences)
    if not values.any():
        return 0
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(values), np.full(len(values), 1 / len(values)), size=REPLICATES) @ values
    return int(np.quantile(drawn, share, method="higher"))


def judged(comparisons, blocks, keep=lambda stratum: True):
    """Errors, difference and its upper bound as a dict."""
    off, on, differences = pooled(comparisons, keep)
    bound = upper_bound([d for _, d in sorted(differences.items())], blocks)
    return {"off": off, "on": on, "difference": on - off, "upper_bound": bound}


def harmless(row):
    """What each stratum must show: its bound is at most 2 % of its errors, or 3."""
    return row["upper_bound"] <= max(0.02 * row["off"], 3)


def f1(right, wrong, missed):
    return 2 * right / (2 * right + wrong + missed) if right + wrong + missed else 1.0


def best_setting(rows):
    """Of (stratum, row of judged()) the most cautious one that is nearly the best; None if no upper bound is below 0 where natural libraries have no more
    errors. Nearly: NEARLY of the greatest difference. Cautious: the highest prior, then the lowest upper bound, since people differ from drawn samples
    in more than a library shows."""
    kept = [item for item in rows if item[1]["upper_bound"] < 0 and item[1]["natural_difference"] <= 0]
    best = min((row["difference"] for _, row in kept), default=0)
    nearly = [item for item in kept if item[1]["difference"] <= NEARLY * best]
    return min(nearly, key=lambda item: (-item[0]["prior"], item[1]["upper_bound"], item[1]["difference"]), default=None)
