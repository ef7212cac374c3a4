#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a name-grouped SAM with many colliding templates at few positions: clips, strands, contigs, ties, single ends, supplementaries.

make_duplicate_cases.py SEED TEMPLATES > cases.sam
"""
import random
import sys

seed, templates = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
CONTIGS = [("c1", 9000), ("c2", 8000)]
LENGTH = 20


def cigar_and_span():
    """A CIGAR over LENGTH read bases with its leading and trailing clips and its span on the reference."""
    lead = rng.choice([0, 0, 0, 1, 3])
    trail = rng.choice([0, 0, 0, 2, 3])
    middle = LENGTH - lead - trail
    kind = rng.random()
    if kind < 0.7:
        core, span = f"{middle}M", middle
    elif kind < 0.85:
        core, span = f"5M2D{middle - 5}M", middle + 2
    else:
        core, span = f"5M2I{middle - 7}M", middle - 2
    return (f"{lead}S" if lead else "") + core + (f"{trail}S" if trail else ""), lead, trail, span


def position_of(contig_index, five_prime, reverse):
    """Position and CIGAR of a read whose unclipped 5' end is given (1-based)."""
    cigar, lead, trail, span = cigar_and_span()
    position = five_prime - span - trail + 1 if reverse else five_prime + lead
    return CONTIGS[contig_index][0], max(position, 1), cigar


def record(name, flag, where, mate, extra=""):
    contig, position, cigar = where
    mate_contig, mate_position = mate
    qualities = "".join(chr(33 + rng.choice(QUALITIES)) for _ in range(LENGTH))
    print(name, flag, contig, position, 60 if cigar != "*" else 0, cigar, mate_contig, mate_position, 0, "A" * LENGTH, qualities,
          sep="\t", end=extra + "\n")


print("@HD\tVN:1.6\tSO:unsorted\tGO:query")
for contig_name, contig_length in CONTIGS:
    print(f"@SQ\tSN:{contig_name}\tLN:{contig_length}")
print("@RG\tID:a\tSM:s")
names = [f"n{rng.randrange(1000)}:{i * 7919 % 1000003}" for i in range(templates)]
for name in names:
    # Few different qualities, so that equal scores are common; 14 does not count, 15 does.
    QUALITIES = rng.choice([[30], [30], [14, 15], [2, 20, 37]])
    starts = [1000, 1001, 1002, 1003, 1020]
    kind = rng.random()
    contig_a = rng.randrange(2)
    contig_b = contig_a if rng.random() < 0.8 else 1 - contig_a
    reverse_a = rng.random() < 0.5
    reverse_b = not reverse_a if rng.random() < 0.8 else reverse_a
    end_a = rng.choice(starts)
    if kind >= 0.7 and rng.random() < 0.6:
        end_a += 2000  # where there is no pair: the best of the single ends is kept
    a = position_of(contig_a, end_a, reverse_a)
    end_b = rng.choice(starts) + rng.choice([0, 0, 19, 19, 200])
    # Mates of equal strand that begin at one point are left out: samtools takes both for the left one (docs/sorting.md).
    while reverse_a == reverse_b and contig_a == contig_b and end_a == end_b:
        end_b = rng.choice(starts) + rng.choice([0, 0, 19, 19, 200])
    b = position_of(contig_b, end_b, reverse_b)
    strands_a = (16 if reverse_a else 0)
    strands_b = (16 if reverse_b else 0)
    if kind < 0.7:
        record(name, 1 | 64 | strands_a | (32 if reverse_b else 0), a, b[:2])
        if rng.random() < 0.1:
            record(name, 1 | 64 | 2048 | strands_b, position_of(contig_b, rng.choice(starts), reverse_b), b[:2])
        record(name, 1 | 128 | strands_b | (32 if reverse_a else 0), b, a[:2])
    elif kind < 0.85:
        first = rng.random() < 0.5
        mapped = (1 | 8 | (64 if first else 128) | strands_a, a, a[:2])
        unmapped = (1 | 4 | (128 if first else 64) | (32 if reverse_a else 0), (a[0], a[1], "*"), a[:2])
        for flag, where, mate in [mapped, unmapped] if first else [unmapped, mapped]:
            record(name, flag, where, mate)
    elif kind < 0.97:
        record(name, strands_a, a, ("*", 0))
    else:
        record(name, 1 | 4 | 8 | 64, ("*", 0, "*"), ("*", 0))
        record(name, 1 | 4 | 8 | 128, ("*", 0, "*"), ("*", 0))
