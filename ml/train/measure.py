# SPDX-License-Identifier: MIT
"""Counts what a set of corrections gets right and wrong, by kind: false positives, false negatives, wrong genotypes."""
from __future__ import annotations

import dataclasses
from typing import Dict, Iterator, Optional, Sequence, Tuple

import numpy as np

import shards

GROUPS: Dict[str, Tuple[int, ...]] = {"SNP": (0,), "indel": (1, 2), "all": (0, 1, 2, 3)}


@dataclasses.dataclass
class Counts:
    """Of one group of candidates; loss is the mean cross entropy, natural logarithm."""

    candidates: int
    false_positive: int
    false_negative: int
    genotype: int  # called and true, but with another number of copies
    loss: float

    @property
    def errors(self) -> int:
        return self.false_positive + self.false_negative

    def text(self) -> str:
        return f"loss {self.loss:.5f} FP {self.false_positive} FN {self.false_negative} GT {self.genotype} of {self.candidates}"


def log10_normalised(scores: np.ndarray) -> np.ndarray:
    """log10 posteriors that sum to one, in float64."""
    scores = scores.astype(np.float64)
    top = scores.max(axis=1, keepdims=True)
    return scores - top - np.log10((10.0 ** (scores - top)).sum(axis=1, keepdims=True))


def count(posterior: np.ndarray, label: np.ndarray, picked: np.ndarray, qual: float, label_weight: np.ndarray, passed: np.ndarray) -> Counts:
    """Counts over `picked`; a candidate is called where it passed and -10 log10 of the posterior of no copy is at least `qual`."""
    p, truth = posterior[picked], label[picked]
    weight = label_weight[truth]
    called = passed[picked] & (-10.0 * p[:, 0] >= qual)
    copies = 1 + (p[:, 2] > p[:, 1])
    return Counts(
        len(p),
        int(np.count_nonzero(called & (truth == 0))),
        int(np.count_nonzero(~called & (truth > 0))),
        int(np.count_nonzero(called & (truth > 0) & (copies != truth))),
        float(-np.log(10.0) * (p[np.arange(len(p)), truth] * weight).sum() / weight.sum()) if len(p) else 0.0,
    )


def by_group(
    scores: np.ndarray,
    label: np.ndarray,
    kind: np.ndarray,
    qual: float,
    label_weight: Sequence[float] = (1, 1, 1),
    passed: Optional[np.ndarray] = None,
) -> Dict[str, Counts]:
    """Counts of SNPs, indels and all. `scores`: base + correction, log10; `label_weight`: of 0, 1, 2 copies in the loss; `passed`: what
    no filter holds back, all unless given."""
    posterior = log10_normalised(scores)
    weight = np.asarray(label_weight, dtype=np.float64)
    through = np.ones(len(label), dtype=bool) if passed is None else passed
    return {name: count(posterior, label, np.isin(kind, kinds), qual, weight, through) for name, kinds in GROUPS.items()}


def batches_of(total: int, size: int) -> Iterator[np.ndarray]:
    """0..total-1 in runs of `size`."""
    for begin in range(0, total, size):
        yield np.arange(begin, min(total, begin + size))
