#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet from FASTQ to VCF with the kernels of a device executed from their PTX: BAM records and VCF body must be those of simd.

Called as the tests of tests/cli are, with --gannet gannet_executed_device; GANNET_DEVICE_CODE names the kernels.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cli'))
import gannet_testing  # noqa: E402
from gannet_testing import bam_records, vcf_body  # noqa: E402


class CompleteRuns(gannet_testing.Case):
    def gannet_run(self, *options):
        sample = gannet_testing.simulated(0.08, 15, 11)
        folder = self.folder()
        done = gannet_testing.run('run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--batch-bases', 20000,
                                  '--batch-records', 500, *options, timeout=500)
        seen = re.search(r'fake CUDA runtime: (\d+) enqueued, (\d+) refused, (\d+) overruns, (\d+) blocks left', done.stderr)
        self.assertTrue(seen, done.stderr)
        report = json.loads((folder / 'S.run.json').read_text())['execution']
        return (bam_records(folder / 'S.bam'), vcf_body(folder / 'S.vcf.gz')), report, [int(number) for number in seen.groups()]

    def test_are_those_of_simd(self):
        expected, _, seen = self.gannet_run('--backend', 'simd')
        self.assertGreater(len(expected[0]), 7000)
        self.assertGreater(len(expected[1]), 50)
        self.assertEqual(seen, [0, 0, 0, 0])
        for options, is_resident in ((['--devices', '0'], True), (['--gpu-memory', '8M'], False)):
            outputs, report, (enqueued, *faults) = self.gannet_run('--backend', 'cuda', *options)
            self.assertEqual(outputs, expected, options)
            self.assertEqual(faults, [0, 0, 0], options)
            self.assertGreater(enqueued, 100)
            for one in report['device']['devices']:
                self.assertEqual(one['resident_bytes'] > 0, is_resident, one)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
