# SPDX-License-Identifier: MIT
"""What training watches: the loss on the caller's base plus the network's output, by kind.

What is called in the end is decided by the program alone (variants/scorer/decision.hpp): `gannet evaluate-model` counts false and missed
calls, with the variants that have no candidate.
"""
from __future__ import annotations

import dataclasses
from typing import Dict, Iterator, Sequence, Tuple

import numpy as np

import shards

GROUPS: Dict[str, Tuple[int, ...]] = {"SNP": (0,), "indel": (1, 2), "all": (0, 1, 2, 3)}


@dataclasses.dataclass
class Counts:
    """Of one group of candidates; loss is the mean cross entropy, natural logarithm."""

    candidates: int
    unlikely: int  # the most probable number of copies is not that of the truth
    loss: float

    def text(self) -> str:
        return f"loss {self.loss:.5f} unlikely {self.unlikely} of {self.candidates}"


def log10_normalised(scores: np.ndarray) -> np.ndarray:
    """log10 posteriors that sum to one, in float64."""
    scores = scores.astype(np.float64)
    top = scores.max(axis=1, keepdims=True)
    return scores - top - np.log10((10.0 ** (scores - top)).sum(axis=1, keepdims=True))


def count(posterior: np.ndarray, label: np.ndarray, picked: np.ndarray, label_weight: np.ndarray) -> Counts:
    """Counts over `picked`."""
    p, truth = posterior[picked], label[picked]
    weight = label_weight[truth]
    return Counts(
        len(p),
        int(np.count_nonzero(p.argmax(axis=1) != truth)) if len(p) else 0,
        float(-np.log(10.0) * (p[np.arange(len(p)), truth] * weight).sum() / weight.sum()) if len(p) else 0.0,
    )


def by_group(scores: np.ndarray, label: np.ndarray, kind: np.ndarray, label_weight: Sequence[float] = (1, 1, 1)) -> Dict[str, Counts]:
    """Counts of SNPs, indels and all. `scores`: base + correction, log10; `label_weight`: of 0, 1, 2 copies in the loss."""
    posterior = log10_normalised(scores)
    weight = np.asarray(label_weight, dtype=np.float64)
    return {name: count(posterior, label, np.isin(kind, kinds), weight) for name, kinds in GROUPS.items()}


def batches_of(total: int, size: int) -> Iterator[np.ndarray]:
    """0..total-1 in runs of `size`."""
    for begin in range(0, total, size):
        yield np.arange(begin, min(total, begin + size))
