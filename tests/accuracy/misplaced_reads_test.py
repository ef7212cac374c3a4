#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests misplaced_reads: reads that would fit better where they come from, and those that would not."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import misplaced_reads  # noqa: E402

SITE, ELSEWHERE, OFFSET, LENGTH = 3000, 9000, 70, 150


class Misplaced(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        draw = random.Random(3)
        own = "".join(draw.choice("ACGT") for _ in range(6000))
        self.bases = own + "".join(b if draw.random() > 0.04 else draw.choice("ACGT") for b in own)  # a copy of it at 6000 on
        self.reference = os.path.join(self.folder, "ref.fa")
        with open(self.reference, "w") as out:
            out.write(">r\n%s\n" % self.bases)
        self.lines = []

    def template(self, name, at, of, score):
        """A pair that comes from near the site, is aligned at `at` with this AS for each mate, and has the bases of the reference at `of`."""
        for mate, flag in ((0, 0x41 | 0x20), (1, 0x81 | 0x10)):
            begin = 200 * mate
            origin = SITE - 100 + begin
            self.lines.append("\t".join([
                "s.%s.01.%09d.%09d.0" % (name, SITE - 100 + OFFSET + 1, SITE + 100 + OFFSET + 1), str(flag), "r", str(at - 100 + begin + 1), "60", "150M", "=",
                str(at + 1), "0", self.bases[of - SITE + origin:of - SITE + origin + LENGTH], "I" * LENGTH, "AS:i:%d" % score]))

    def compared(self, positions):
        for k in range(6):
            self.template("fine%d" % k, SITE, SITE, LENGTH)
        bam = os.path.join(self.folder, "x.bam")
        subprocess.run(["samtools", "sort", "-o", bam], input="@SQ\tSN:r\tLN:%d\n" % len(self.bases) + "\n".join(self.lines) + "\n", text=True, check=True,
                       stderr=subprocess.DEVNULL)
        return misplaced_reads.compare(bam, self.reference, positions, self.folder)

    def test_templates_are_told_apart_by_their_score_at_home(self):
        self.template("lost", ELSEWHERE, SITE, LENGTH - 20)
        self.template("equal", ELSEWHERE, SITE, LENGTH)
        for k in range(3):
            self.template("alike%d" % k, ELSEWHERE, ELSEWHERE, LENGTH)
        templates, sites = self.compared([SITE, SITE + 20])
        self.assertEqual(templates, {"better here": 1, "as good": 1, "better elsewhere": 3})
        self.assertEqual(sites, {"better elsewhere": 2})

    def test_reads_in_place_are_not_counted(self):
        templates, sites = self.compared([SITE])
        self.assertEqual((templates, sites), ({}, {"no such reads": 1}))

    def test_sites_far_apart_are_places_of_their_own(self):
        self.assertEqual(misplaced_reads.clusters([5000, 100, 700, 1400]), [[100, 700, 1400], [5000]])


if __name__ == "__main__":
    for tool in ("bwa", "samtools"):
        if shutil.which(tool) is None:
            print("SKIPPED: no " + tool)
            sys.exit(77)
    unittest.main()
