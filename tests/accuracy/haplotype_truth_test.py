#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests haplotype_trial: events of alignments, confident regions, records of two haplotypes, differences of callers by block."""
import gzip
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import haplotype_truth as truth  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("haplotype_trial", os.path.join(os.path.dirname(os.path.abspath(__file__)), "haplotype_trial"))
trial = importlib.util.module_from_spec(importlib.util.spec_from_loader("haplotype_trial", LOADER))
LOADER.exec_module(trial)

#            0         1         2
REFERENCE = b"ACGTACCCCGTTGACATGCAGTCATTGCAC"


def alignment(cs, query, begin=0, end=len(REFERENCE), strand="+", query_begin=0):
    fields = ["q", str(len(query)), str(query_begin), str(len(query)), strand, "r", str(len(REFERENCE)), str(begin), str(end), "0", "0", "60", "cs:Z:" + cs]
    return truth.Alignment(fields, query, REFERENCE)


class HaplotypeTruth(unittest.TestCase):
    def test_a_deletion_in_a_run_is_moved_to_its_left_end(self):
        a = alignment(":8-c:21", REFERENCE[:8] + REFERENCE[9:])
        self.assertEqual(a.events, [(5, 6, b"")])
        self.assertEqual(truth.alleles_of(a.events[0], REFERENCE), (4, b"AC", b"A"))

    def test_an_insertion_is_not_moved_over_another_event(self):
        a = alignment(":6*ca:1+c:22", REFERENCE[:6] + b"A" + REFERENCE[7:8] + b"C" + REFERENCE[8:])
        self.assertEqual(a.events, [(6, 7, b"A"), (7, 7, b"C")])

    def test_an_insertion_beside_a_deletion_is_one_event(self):
        a = alignment(":12+ca-g:17", REFERENCE[:12] + b"CA" + REFERENCE[13:])
        self.assertEqual(a.events, [(12, 13, b"CA")])

    def test_a_reversed_alignment_gives_the_bases_of_the_reference_strand(self):
        haplotype = REFERENCE[:20] + b"T" + REFERENCE[21:]
        a = alignment(":20*gt:9", haplotype.translate(truth.COMPLEMENT)[::-1], strand="-")
        self.assertEqual(a.bases, haplotype)

    def test_offsets_count_the_events_before(self):
        a = alignment(":12+ca:6-c:11", REFERENCE[:12] + b"CA" + REFERENCE[12:18] + REFERENCE[19:])
        self.assertEqual([a.offset(p) for p in (10, 14, 25)], [10, 16, 26])
        self.assertEqual([a.cuts_event(p) for p in (10, 11, 12, 14)], [False, True, True, False])

    def test_only_what_is_covered_once_counts(self):
        self.assertEqual(truth.covered_once([(0, 10), (5, 20), (30, 40)], 35), [(0, 5), (10, 20), (30, 35)])

    def test_unknown_bases_break_a_stretch(self):
        a = alignment(":12*gn:17", REFERENCE[:12] + b"N" + REFERENCE[13:])
        self.assertEqual(a.breaks, [(12 - truth.MARGIN_BP, 13 + truth.MARGIN_BP)])

    def test_records_join_what_both_haplotypes_have(self):
        one = alignment(":12*gt:7*ga:9", REFERENCE[:12] + b"T" + REFERENCE[13:20] + b"A" + REFERENCE[21:])
        other = alignment(":12*gt:7*gc:9", REFERENCE[:12] + b"T" + REFERENCE[13:20] + b"C" + REFERENCE[21:])
        records = truth.records_of([(0, len(REFERENCE), (one, other))], REFERENCE)
        self.assertEqual(records, [(12, b"G", [b"T"], (1, 1)), (20, b"G", [b"A", b"C"], (1, 2))])

    def test_gaps_of_the_assemblies_are_filled_or_masked(self):
        reference = b"A" * 3000 + b"N" * 500 + b"C" * 3000 + b"G" * 400 + b"T" * 3000
        query = b"A" * 3000 + b"T" * 300 + b"C" * 3000 + b"N" * 700 + b"T" * 3000
        rows = [(0, 3000, 0, 3000), (3300, 6300, 3500, 6500), (7000, 10000, 6900, 9900)]
        alignments = [truth.Alignment(["q", "0", str(qb), str(qe), "+", "r", "0", str(b), str(e), "0", "0", "60", "cs:Z::3000"], query, reference)
                      for qb, qe, b, e in rows]
        self.assertEqual(truth.sequenced(query, reference, alignments), b"A" * 3000 + b"N" * 300 + b"C" * 3000 + b"G" * 400 + b"T" * 3000)

    def test_what_is_aligned_in_a_gap_is_there_once(self):
        """Half of what lies in a gap of the haplotype, and of the reference, is aligned out of order."""
        reference = b"A" * 3000 + b"G" * 800 + b"C" * 2500 + b"T" * 3000
        query = b"A" * 3000 + b"N" * 200 + b"T" * 3000 + b"C" * 2500
        rows = [(0, 3000, 0, 3000), (3200, 6200, 6300, 9300), (6200, 8700, 3800, 6300)]
        alignments = [truth.Alignment(["q", "0", str(qb), str(qe), "+", "r", "0", str(b), str(e), "0", "0", "60", "cs:Z::%d" % (e - b)], query, reference)
                      for qb, qe, b, e in sorted(rows, key=lambda row: row[2:])]
        # In order: the first, the third of `rows` (by the reference), which leaves the second one in the gap before its own.
        given = truth.sequenced(query, reference, alignments)
        self.assertEqual(given.count(b"C"), 2500)
        self.assertEqual(given.count(b"T"), 3000)
        self.assertEqual(given.count(b"G"), 800)
        beyond = b"A" * 3000 + b"N" * 500 + b"T" * 3000 + b"C" * 2500
        own = b"A" * 3000 + b"C" * 2500 + b"G" * 400 + b"T" * 3000
        rows = [(0, 3000, 0, 3000), (5900, 8900, 3500, 6500), (3000, 5500, 6500, 9000)]
        alignments = [truth.Alignment(["q", "0", str(qb), str(qe), "+", "r", "0", str(b), str(e), "0", "0", "60", "cs:Z::%d" % (e - b)], own, beyond)
                      for qb, qe, b, e in rows]
        given = truth.sequenced(own, beyond, alignments)
        self.assertEqual((given.count(b"C"), given.count(b"T"), given.count(b"G")), (2500, 3000, 0))


class Differences(unittest.TestCase):
    def test_errors_are_counted_by_kind_and_block(self):
        with tempfile.TemporaryDirectory() as folder:
            for side, records in (("fn", ["49999\tA\tC\t0/1", "50001\tAC\tA\t1/1"]), ("fp", ["50000\tA\tG\t0/1", "50002\tA\tG\t0|1"])):
                with gzip.open(os.path.join(folder, side + ".vcf.gz"), "wt") as out:
                    out.write("##fileformat=VCFv4.2\n")
                    for record in records:
                        position, reference, alternate, genotype = record.split("\t")
                        out.write("\t".join(["c", position, ".", reference, alternate, "9", "PASS", ".", "GT", genotype]) + "\n")
            errors = trial.errors_by_block(folder)
            self.assertEqual(errors, {"snp": {0: 2, 1: 1}, "indel": {1: 1}})

    def test_blocks_are_those_that_regions_touch(self):
        with tempfile.NamedTemporaryFile("w", suffix=".bed") as bed:
            bed.write("c\t10\t50000\nc\t60000\t100001\n")
            bed.flush()
            self.assertEqual(trial.blocks_of(bed.name), 3)

    def test_one_locus_is_no_evidence_and_many_are(self):
        total, low, high = trial.difference({7: 100}, {}, 60)
        self.assertEqual((total, low), (100, 0))
        self.assertGreater(high, 200)
        total, low, high = trial.difference({k: 3 for k in range(60)}, {k: 5 for k in range(0, 120, 2)}, 120)
        self.assertEqual(total, 60 * 3 - 60 * 5)
        self.assertLess(high, 0)
        self.assertLess(low, total)
        self.assertEqual(trial.difference({}, {}, 60), (0, 0, 0))

    def test_texts_are_of_callers_beside_gannet(self):
        errors = {("gannet", "gannet"): {"snp": {1: 2}, "indel": {}}, ("gannet", "gatk"): {"snp": {1: 2}, "indel": {}}, ("bwa", "gatk"): {"snp": {}, "indel": {}}}
        self.assertEqual(list(trial.difference_texts("a", 9, errors)), ["a, gannet, gannet - gatk: snp +0 (+0 to +0), indel +0 (+0 to +0)"])


if __name__ == "__main__":
    unittest.main()
