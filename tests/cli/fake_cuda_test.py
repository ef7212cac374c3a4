#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet with --backend cuda on a CUDA runtime without a device (tests/unit/kernels/cuda): streams, memory, copies and launches are those
of devices, and the host runs the kernels. Complete runs must be those of simd, wherever index and reference are.
"""
import gannet_testing
from cuda_runs import CudaRunCase


class CompleteRuns(CudaRunCase):
    def test_are_those_of_simd(self):
        expected, _, seen = self.gannet_run('--backend', 'simd')
        self.assertGreater(len(expected[1]), 50)
        self.assertEqual(seen, [0, 0, 0, 0])
        for options, batch_bases, devices, is_resident in (
                ([], 20000, 2, True), (['--devices', '1', '-t', 3], 20000, 1, True), (['--devices', '0', '--gpu-memory', '64M'], 20000, 1, True),
                (['--gpu-memory', '8M'], 20000, 2, False), ([], 2000, 2, True), ([], 10 ** 7, 2, True)):
            outputs, report, (enqueued, *faults) = self.gannet_run('--backend', 'cuda', *options, batch_bases=batch_bases)
            self.assertEqual(outputs, expected, options)
            self.assertEqual(faults, [0, 0, 0], options)
            self.assertGreater(enqueued, 100)
            used = report['device']['devices']
            self.assertEqual(len(used), devices)
            for one in used:
                self.assertEqual(one['resident_bytes'] > 0, is_resident, one)
                self.assertLessEqual(one['peak_memory_bytes'], one['memory_limit_bytes'])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
