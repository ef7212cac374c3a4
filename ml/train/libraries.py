# SPDX-License-Identifier: MIT
"""Libraries for training sets: what `gannet simulate --library` is given, drawn at random for each set.

Three kinds, which are never mixed in one set. `natural`: the rates of libraries as laboratories make them, around the presets of
docs/simulate.md. `stress`: each fault over the complete range in which it has been seen, several of them high at once, so that a set
has many examples of what is rare in nature. `clean`: next to no fault but errors by quality, so that the network learns that the same
evidence means more in such a sample. A model is selected on natural sets only.
"""
from __future__ import annotations

from typing import Dict, Tuple, Union

import numpy as np

Library = Dict[str, Union[str, float]]
Range = Tuple[float, float]

# natural: preset -> how often
PRESETS = {"clean": 0.1, "pcr-free": 0.5, "pcr": 0.3, "old": 0.1}
# natural: within this factor of the preset's rate, even on a log scale
SPREAD = 2.5
SPREAD_FIELDS = {
    # preset clean has none of these faults, and stays without them
    # twice those of the presets: real reads have more (docs/simulate.md, "Measured on real reads")
    "systematic_sites_per_kb": {"pcr-free": 2, "pcr": 2, "old": 4},
    "slip_factor": {"pcr-free": 1, "pcr": 4, "old": 8},
    "pcr_substitution_rate": {"pcr": 4e-5, "old": 3e-4},
    "oxidation_rate": {"pcr-free": 1e-5, "pcr": 5e-5, "old": 3e-4},
    "foldback_share": {"pcr-free": 2e-3, "pcr": 4e-3, "old": 1e-2},
    "chimera_share": {"pcr-free": 5e-3, "pcr": 8e-3, "old": 1e-2},
    "short_fragment_share": {"pcr-free": 5e-3, "pcr": 1e-2, "old": 3e-2},
    "hidden_copies_per_mb": {"pcr-free": 0.5, "pcr": 0.5, "old": 0.5},
}
# stress: even on a log scale between the two; a fault is left out of a set with the probability QUIET
QUIET = 0.25
STRESS_LOG: Dict[str, Range] = {
    "systematic_sites_per_kb": (0.5, 10),
    "slip_factor": (0.5, 12),
    "pcr_substitution_rate": (1e-5, 5e-4),
    "oxidation_rate": (1e-5, 3e-3),
    "foldback_share": (1e-3, 0.03),
    "chimera_share": (5e-3, 0.02),
    "short_fragment_share": (5e-3, 0.1),
    "hopping_share": (1e-3, 0.02),
    "contamination_share": (5e-3, 0.2),
    "hidden_copies_per_mb": (0.5, 10),
    "missing_paralogue_share": (0.05, 0.5),
}


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{np.exp(rng.uniform(np.log(low), np.log(high))):.4g}")


def uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{rng.uniform(low, high):.4g}")


def qualities(rng: np.random.Generator, overstated: Range) -> Library:
    """The table of qualities, its course along the read, and what it promises beyond the truth."""
    return {
        "quality_values": int(rng.choice([41, 8, 8, 4, 4, 3])),
        "quality_peak": int(rng.integers(35, 41)),
        "quality_fall_1": uniform(rng, 3, 10),
        "quality_fall_2": uniform(rng, 5, 16),
        "collapsed_share": log_uniform(rng, 0.005, 0.05),
        "quality_overstated": uniform(rng, *overstated),
        "late_error_factor": log_uniform(rng, 0.8, 3),
    }


def natural(rng: np.random.Generator) -> Library:
    preset = str(rng.choice(list(PRESETS), p=list(PRESETS.values())))
    library: Library = {"preset": preset, **qualities(rng, (-2, 2.5))}
    for field, by_preset in SPREAD_FIELDS.items():
        if preset in by_preset:
            library[field] = log_uniform(rng, by_preset[preset] / SPREAD, by_preset[preset] * SPREAD)
    library["duplicate_share"] = uniform(rng, 0.02, 0.2)
    library["gc_bias"] = uniform(rng, 0.8, 5)
    if preset != "clean":
        # Mostly next to none; one sample in ten is visibly mixed.
        library["contamination_share"] = log_uniform(rng, 0.01, 0.05) if rng.random() < 0.1 else log_uniform(rng, 2e-4, 0.005)
        library["hopping_share"] = log_uniform(rng, 2e-4, 0.01)
        library["systematic_rate"] = log_uniform(rng, 0.015, 0.06)
        library["missing_paralogue_share"] = uniform(rng, 0, 0.05)
    return library


def stress(rng: np.random.Generator) -> Library:
    library: Library = {"preset": "pcr", **qualities(rng, (-4, 4))}
    for field, (low, high) in STRESS_LOG.items():
        library[field] = 0 if rng.random() < QUIET else log_uniform(rng, low, high)
    library["systematic_rate"] = log_uniform(rng, 0.02, 0.2)
    library["systematic_log_sd"] = uniform(rng, 0.5, 1.5)
    library["systematic_low_quality"] = uniform(rng, 0.1, 0.9)
    library["ggc_error_factor"] = log_uniform(rng, 0.7, 10)
    library["duplicate_share"] = uniform(rng, 0, 0.25)
    library["gc_bias"] = uniform(rng, 0.5, 10)
    library["gc_optimum"] = uniform(rng, 38, 52)
    library["hidden_copy_max_bp"] = float(rng.choice([5000, 20000, 100000]))
    library["hidden_copy_both_share"] = uniform(rng, 0.2, 0.8)
    library["hidden_array_share"] = uniform(rng, 0, 0.3)
    return library


def clean(rng: np.random.Generator) -> Library:
    library: Library = {"preset": "clean", **qualities(rng, (-1, 1))}
    library["read_slip_factor"] = log_uniform(rng, 0.01, 1)
    library["slip_factor"] = 0 if rng.random() < 0.5 else log_uniform(rng, 0.02, 0.5)
    library["duplicate_share"] = uniform(rng, 0, 0.1)
    library["gc_bias"] = uniform(rng, 0, 2)
    library["hidden_copies_per_mb"] = 0 if rng.random() < 0.5 else log_uniform(rng, 0.1, 1)
    library["contamination_share"] = 0 if rng.random() < 0.7 else log_uniform(rng, 1e-3, 0.03)
    return library


def drawn(rates: str, rng: np.random.Generator) -> Library:
    """A library of the kind `natural`, `stress` or `clean`."""
    return {"natural": natural, "stress": stress, "clean": clean}[rates](rng)
