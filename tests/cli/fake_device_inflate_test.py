#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet with a simulated device (tests/support/fake_device.cpp) that inflates reads beside the host: outputs, messages and exit codes are
those of simd, whatever is damaged and whatever goes wrong on the device.
"""
import gzip
import json
import pathlib
import struct
import zlib

import gannet_testing
from fake_device_test import SMALL, Case, run
from gannet_testing import bam_records, error_lines


def bgzf(text, block_bytes=60000):
    """Blocks with their offsets, and behind them the marker of the end."""
    blocks, offsets = [], []
    for at in range(0, len(text) + block_bytes, block_bytes):
        part = text[at:at + block_bytes]
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(part) + packer.flush()
        offsets.append(sum(map(len, blocks)))
        blocks.append(b'\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0' + struct.pack('<H', len(packed) + 25) + packed +
                      struct.pack('<II', zlib.crc32(part), len(part)))
    return b''.join(blocks), offsets


class Inflating(Case):
    """Reads are inflated by the device and by the host, and no one can tell by whom. A batch is a piece of a file here, and the next piece is
    always the host's: of the six that each file has, up to five are the device's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.texts = [gzip.decompress(pathlib.Path(path).read_bytes()) for path in cls.inputs[1:]]

    def write(self, **contents):
        folder = self.folder()
        for name, content in contents.items():
            (folder / (name + '.fq.gz')).write_bytes(content)
        return [folder / (name + '.fq.gz') for name in contents]

    def aligned(self, *words, device='', code=0, **more):
        """Records or error lines, and how many batches the device inflated (None: it was not asked)."""
        folder = self.folder()
        done = run('align', self.inputs[0], *words, '-o', folder / 'x.bam', '--report', folder / 'x.json', *SMALL, device=device, code=code, **more)
        self.log = done.stderr
        if code != 0:
            self.assert_files(folder)
            return error_lines(done.stderr), None
        stages = {stage['stage']: stage['batches'] for stage in json.loads((folder / 'x.json').read_text())['execution']['stages']}
        return bam_records(folder / 'x.bam'), stages.get('align.inflate.collect')

    def test_equal_to_simd_whoever_inflates(self):
        first, second = self.texts
        half = len(first) // 2
        lines = [text.decode().splitlines(keepends=True) for text in self.texts]
        pairs = ''.join(''.join(mate[at:at + 4]) for at in range(0, len(lines[0]), 4) for mate in lines).encode()
        packed = self.write(a=bgzf(first)[0], b=bgzf(second)[0], gzip=gzip.compress(first), interleaved=bgzf(pairs)[0],
                            mixed=bgzf(first[:half])[0] + gzip.compress(first[half:half + 100000]) + bgzf(first[half + 100000:])[0])
        a, b, plain, interleaved, mixed = packed
        for words, least in (([a, b], 2), ([interleaved, '--interleaved'], 2), ([plain, b], 1), ([mixed, b], 1), ([plain, '--sample', 'S'], None)):
            words = [*words, *([] if '--sample' in words else ['--sample', 'S'])]
            expected, none = self.aligned(*words, '--backend', 'simd')
            self.assertIsNone(none)
            for threads, device in ((1, ''), (2, 'latency_us=300,jitter=100'), (4, 'latency_us=20000,engines=8'), (3, 'devices=2,latency_us=2000')):
                records, inflated = self.aligned(*words, '--backend', 'cuda', '-t', threads, device=device)
                self.assertEqual(records, expected, (words, threads))
                if least is None:
                    self.assertIsNone(inflated)
                else:
                    self.assertGreaterEqual(inflated, least, (words, threads))
                self.assertNotIn('inflated on the CPU', self.log)

    def test_two_lanes(self):
        a, b, c, d = self.write(a=bgzf(self.texts[0])[0], b=bgzf(self.texts[1])[0], c=bgzf(self.texts[0], 20000)[0], d=bgzf(self.texts[1])[0])
        table = self.folder() / 'lanes.tsv'
        table.write_text(f'{a}\t{b}\t@RG\\tID:1\\tSM:S\\tPU:u1\n{c}\t{d}\t@RG\\tID:2\\tSM:S\\tPU:u2\n')
        expected, _ = self.aligned('--lanes', table, '--backend', 'simd')
        records, inflated = self.aligned('--lanes', table, '--backend', 'cuda', '-t', 3, device='latency_us=1000')
        self.assertEqual(records, expected)
        self.assertGreaterEqual(inflated, 3)

    def test_faults_of_a_file_are_told_as_by_simd(self):
        (good, offsets), (mates, _) = map(bgzf, self.texts)
        at = offsets[len(offsets) * 2 // 3]
        faults = {
            'flipped': good[:at + 5000] + bytes([good[at + 5000] ^ 8]) + good[at + 5001:],
            'checksum': good[:at - 8] + bytes([good[at - 8] ^ 1]) + good[at - 7:],
            'size': good[:at - 4] + bytes([good[at - 4] ^ 1]) + good[at - 3:],
            'truncated': good[:at + 5000],
            'no record': bgzf(self.texts[0].replace(b'\n+\n', b'\n-\n'))[0],
        }
        for name, content in faults.items():
            damaged, second = self.write(a=content, b=mates)
            expected, _ = self.aligned(damaged, second, '--sample', 'S', '--backend', 'simd', code=3)
            self.assertEqual(len(expected), 1)
            self.assertIn('a.fq.gz', expected[0])
            for threads, device in ((1, ''), (3, 'latency_us=500,jitter=100')):
                self.assertEqual(self.aligned(damaged, second, '--sample', 'S', '--backend', 'cuda', '-t', threads, device=device, code=3)[0], expected, name)

    def test_host_goes_on_where_device_memory_runs_out(self):
        expected, _ = self.aligned(*self.inputs[1:], '--sample', 'S', '--backend', 'simd')
        for batch in (1000001, 1000003):
            records, inflated = self.aligned(*self.inputs[1:], '--sample', 'S', '--backend', 'cuda', '-t', 2, device=f'memory_at={batch}')
            self.assertEqual(records, expected)
            self.assertEqual(self.log.count('of device memory'), 1, self.log)
            self.assertEqual(self.log.count('reads are inflated on the CPU'), 1)
            self.assertGreaterEqual(inflated, batch - 1000000)

    def test_host_inflates_where_the_batches_of_reads_take_the_memory(self):
        expected, _ = self.aligned(*self.inputs[1:], '--sample', 'S', '--backend', 'simd')
        records, inflated = self.aligned(*self.inputs[1:], '--sample', 'S', '--backend', 'cuda', '--gpu-memory', '24M')
        self.assertEqual(records, expected)
        self.assertIsNone(inflated)
        self.assertRegex(self.log, r'device 0 \(fake device\) has \d+ MB of memory left beside the batches of reads, and inflating would take '
                                   r'\d+ MB: reads are inflated on the CPU')

    def test_other_faults_end_the_run(self):
        for code, fault, says in ((5, 'fails_at=1000002', 'the device failed: fake device: batch 1000002'),
                                  (1, 'loses_at=1000002', 'blocks of reads, inflate: ')):
            errors, _ = self.aligned(*self.inputs[1:], '--sample', 'S', '--backend', 'cuda', '-t', 2, device='latency_us=300,' + fault, code=code)
            self.assertEqual(len(errors), 1, self.log)
            self.assertIn(says, errors[0])

    def test_no_device_inflates_nothing(self):
        for options in ([], ['--backend', 'simd']):  # auto: too little work
            self.assertIsNone(self.aligned(*self.inputs[1:], '--sample', 'S', *options)[1])
            self.assertNotIn('inflated', self.log)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
