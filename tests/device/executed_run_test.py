#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet from FASTQ to VCF with the kernels of a device executed from their PTX: BAM records and VCF body must be those of simd.

Called as the tests of tests/cli are, with --gannet gannet_executed_device; GANNET_DEVICE_CODE names the kernels.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cli'))
import gannet_testing  # noqa: E402
from cuda_runs import CudaRunCase  # noqa: E402


class CompleteRuns(CudaRunCase):
    def test_are_those_of_simd(self):
        expected, _, seen = self.gannet_run('--backend', 'simd')
        self.assertGreater(len(expected[0]), 7000)
        self.assertGreater(len(expected[1]), 50)
        self.assertEqual(seen, [0, 0, 0, 0])
        for options, is_resident in ((['--devices', '0'], True), (['--devices', '0', '--gpu-memory', '8M'], False)):
            outputs, report, (enqueued, *faults) = self.gannet_run('--backend', 'cuda', *options)
            self.assertEqual(outputs, expected, options)
            self.assertEqual(faults, [0, 0, 0], options)
            self.assertGreater(enqueued, 100)
            self.assertEqual('align.inflate.collect' in {stage['stage'] for stage in report['stages']}, is_resident)
            for one in report['device']['devices']:
                self.assertEqual(one['resident_bytes'] > 0, is_resident, one)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
