#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet with --backend cuda on a CUDA runtime without a device (tests/unit/kernels/cuda): streams, memory, copies and launches are those
of devices, and the host runs the kernels. Complete runs must be those of simd, wherever index and reference are.
"""
import json
import pathlib

import gannet_testing
from cuda_runs import CudaRunCase
from gannet_testing import error_lines, vcf_body


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
            if is_resident and batch_bases <= 20000 and '--gpu-memory' not in options:
                self.assertIn('align.inflate.collect', {stage['stage'] for stage in report['stages']})
            used = report['device']['devices']
            self.assertEqual(len(used), devices)
            for one in used:
                self.assertEqual(one['resident_bytes'] > 0, is_resident, one)
                self.assertLessEqual(one['peak_memory_bytes'], one['memory_limit_bytes'])


class Start(CudaRunCase):
    """The runtime's calls take as long as those of a device, and longer."""

    def traced(self, delays, *options, **more):
        sample = gannet_testing.simulated(0.08, 15, 11)
        folder = self.folder()
        done = gannet_testing.run('run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--batch-bases', 20000, '--trace',
                                  folder / 'trace', *options, env={'GANNET_FAKE_CUDA': delays}, timeout=300, **more)
        spans = {}
        for event in json.loads((folder / 'trace').read_text())['traceEvents']:
            if event['ph'] == 'X' and event['pid'] == 1:
                begin, end = event['ts'] * 1e-3, (event['ts'] + event['dur']) * 1e-3
                before = spans.setdefault(event['name'], [begin, end])
                spans[event['name']] = [min(begin, before[0]), min(end, before[1])]
        return folder, spans, done

    def test_host_works_while_driver_and_device_start(self):
        driver, context = 800, 1500
        _, first, _ = self.traced(f'{driver},{context},0.37,0.02', '--backend', 'cuda', '--devices', '0', '--gpu-memory', '64M', '-t', 2, '--verify-index', 'always')
        self.assertGreaterEqual(first['device.context'][1] - first['device.driver'][0], driver + context)
        # The index is checked while the driver starts, and batches are parsed and packed while the device does.
        self.assertLess(first['index.verify'][1], first['device.driver'][1])
        for stage in ('align.inflate', 'align.read', 'align.parse_reads', 'align.pack_reads'):
            self.assertLess(first[stage][1], first['device.context'][1], stage)
        # What the first op waits for is the device alone.
        self.assertLess(first['device.upload'][0], first['device.context'][1])
        self.assertGreater(first['align.find_candidates.submit'][0], first['device.streams'][1])
        self.assertLess(first['align.find_candidates.submit'][0] - first['device.streams'][1], 0.3 * (driver + context))

    def test_simd_and_too_little_work_do_not_wait_for_the_driver(self):
        expected, *_ = self.traced('0,0,0,0', '--backend', 'simd')
        for options, why in ((['--backend', 'simd'], 'as requested'), ([], 'chosen: too little work for the device (toy and 1 more)')):
            folder, first, done = self.traced('4000,1500,0.37,0.02', *options)
            self.assertLess(first['align.build_records'][1], 4000)
            self.assertFalse({'device.driver', 'device.context'} & set(first))  # the driver has answered after the trace
            self.assertEqual(vcf_body(folder / 'S.vcf.gz'), vcf_body(expected / 'S.vcf.gz'))
            lines = done.stderr.splitlines()
            own = [at for at, line in enumerate(lines) if ' on ' in line and 'CPU core' in line]
            self.assertEqual(len(own), 1, done.stderr)
            self.assertIn(why, lines[own[0] + 1])
            self.assertTrue(all('scorer' in line for line in lines[:own[0]]), done.stderr)  # others wait

    def test_messages_wait_for_the_first_ones_also_in_the_file(self):
        log = self.folder() / 'log'
        self.traced('300,100,0,0', '--backend', 'cuda', '--log', log, '--no-qc')
        texts = [line.split('[gannet] ', 1)[1] for line in log.read_text().splitlines() if '[gannet] ' in line]
        self.assertRegex(texts[1], 'on .* CPU core')
        self.assertIn('backend cuda (toy and 1 more), as requested', texts[2])

    def test_no_device_ends_the_run_before_anything_is_written(self):
        sample = gannet_testing.simulated(0.08, 15, 11)
        reference = self.folder() / 'ref.fa'
        reference.write_bytes(pathlib.Path(sample.reference).read_bytes())
        for given in (sample.reference, reference):  # with an index and without
            folder = self.folder()
            done = gannet_testing.run('run', given, *sample.reads, '-o', folder, '--sample', 'S', '--backend', 'cuda', '--log', folder / 'log',
                                      env={'GANNET_FAKE_CUDA': 'none'}, code=5)
            self.assertIn('the NVIDIA driver shows no device', error_lines(done.stderr)[0])
            self.assert_files(folder)
        self.assert_files(reference.parent, 'ref.fa')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
