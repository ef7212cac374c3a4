#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drives the program gannet with a device that is not there (tests/support/fake_device.cpp): equal outputs, overlap of
host and device, bounded batches in flight, and the ends of runs whose device fails.

Data is simulated by the program itself, with a fixed seed; nothing else is needed but the program.
"""
import argparse
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import overlap  # noqa: E402

GANNET = None
SMALL = ['--batch-bases', 10000, '--batch-records', 300]  # a small genome in a hundred batches


def run(*words, device='', ok=True):
    done = subprocess.run([GANNET, *map(str, words)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, 'GANNET_FAKE_DEVICE': device})
    if ok and done.returncode != 0:
        raise AssertionError(f'gannet {" ".join(map(str, words))}: exit {done.returncode}\n{done.stderr}')
    return done


def lines_of(path, marks):
    with gzip.open(path, 'rt') as lines:
        return [line for line in lines if line.startswith('#') == marks]


def bam_records(path):
    """Everything after the header text and the list of contigs."""
    with gzip.open(path, 'rb') as file:
        data = file.read()
    at = 8 + int.from_bytes(data[4:8], 'little')
    contigs = int.from_bytes(data[at:at + 4], 'little')
    at += 4
    for _ in range(contigs):
        at += 8 + int.from_bytes(data[at:at + 4], 'little')
    return data[at:]


class Case(unittest.TestCase):
    SIZE_MB, COVERAGE = 0.08, 15

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix='gannet-fake-'))
        cls.data = cls.root / 'data'
        run('simulate', '--size', cls.SIZE_MB, '--coverage', cls.COVERAGE, '--seed', 11, '-o', cls.data, '-q')
        cls.inputs = [cls.data / 'ref.fa', cls.data / 'reads_1.fq.gz', cls.data / 'reads_2.fq.gz']
        run('index', cls.inputs[0], '-q')

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def folder(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.root))

    def gannet_run(self, *options, **more):
        folder = self.folder()
        done = run('run', *self.inputs, '-o', folder, '--sample', 'S', *SMALL, *options, **more)
        return folder, done


class Results(Case):
    def test_equal_to_simd_whatever_the_latencies(self):
        plain, _ = self.gannet_run('--backend', 'simd')
        records, body = bam_records(plain / 'S.bam'), lines_of(plain / 'S.vcf.gz', False)
        self.assertGreater(len(body), 50)
        for seed, engines, threads in ((1, 1, 1), (2, 4, 2), (3, 2, 4), (4, 8, 3)):
            device = f'latency_us=700,jitter=100,seed={seed},engines={engines}'
            folder, done = self.gannet_run('--backend', 'cuda', '-t', threads, device=device)
            self.assertIn('backend cuda (fake device), as asked', done.stderr)
            self.assertEqual(bam_records(folder / 'S.bam'), records, device)
            self.assertEqual(lines_of(folder / 'S.vcf.gz', False), body, device)

    def test_unsorted_records_keep_the_input_order(self):
        out = [self.folder() / 'x.sam' for _ in range(2)]
        run('align', *self.inputs, '--unsorted', '-o', out[0], '-q', '--backend', 'simd')
        run('align', *self.inputs, '--unsorted', '-o', out[1], '-q', '--backend', 'cuda', *SMALL,
            device='latency_us=700,jitter=100,seed=5,engines=4')
        kept = [[line for line in path.read_text().splitlines() if not line.startswith('@')] for path in out]
        self.assertEqual(kept[0], kept[1])

    def test_auto_takes_the_device(self):
        _, done = self.gannet_run()
        self.assertIn('backend cuda (fake device), chosen: a fit device is there', done.stderr)

    def test_auto_goes_on_without_an_unfit_device_and_says_why(self):
        folder, done = self.gannet_run(device='unfit=1')
        why = 'chosen: no fit CUDA device (fake device: told to be unfit)'
        self.assertIn(why, done.stderr)
        header = [line for line in lines_of(folder / 'S.vcf.gz', True) if line.startswith('##gannet_backend')]
        self.assertEqual(len(header), 1)
        self.assertIn(why, header[0])


class Faults(Case):
    def fails(self, code, device, *options, says=()):
        folder, done = self.gannet_run('--backend', 'cuda', *options, device=device, ok=False)
        self.assertEqual(done.returncode, code, done.stderr)
        errors = [line for line in done.stderr.splitlines() if 'error' in line]
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertTrue(errors[0].startswith('gannet: error: '), errors[0])
        for text in says:
            self.assertIn(text, errors[0])
        self.assertEqual([path.name for path in folder.iterdir()], [], 'something was left')

    def test_a_lost_device(self):
        for batch in (1, 50, 120):
            for engines in (1, 4):
                self.fails(5, f'latency_us=200,fails_at={batch},engines={engines}', '-t', 2,
                           says=('the device failed: fake device: batch', 'nvidia-smi', '--backend simd'))

    def test_a_lost_device_is_lost_for_gannet_align_too(self):
        folder = self.folder()
        done = run('align', *self.inputs, '-o', folder / 'x.bam', *SMALL, '--backend', 'cuda', device='fails_at=70',
                   ok=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(list(folder.iterdir()), [])

    def test_device_memory_that_runs_out(self):
        for batch in (1, 50, 120):
            self.fails(6, f'latency_us=200,memory_at={batch}', '-t', 2,
                       says=('of device memory', '--gpu-memory', 'fewer --threads', '--backend simd'))

    def test_too_little_device_memory_for_the_slots(self):
        self.fails(6, 'memory_mb=4', '-t', 2, says=('fake device: a stream', '--gpu-memory'))
        self.gannet_run('--backend', 'cuda', '-t', 2, '--slots', 4, device='memory_mb=4')

    def test_an_unfit_device_that_was_asked_for(self):
        self.fails(5, 'unfit=1', says=('told to be unfit', 'gannet devices'))

    def test_a_device_that_is_chosen_and_then_lost_is_an_error(self):
        folder, done = self.gannet_run(device='fails_at=50', ok=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(list(folder.iterdir()), [])

    def test_a_batch_without_results_is_noticed(self):
        for batch in (1, 2, 50, 120):
            self.fails(1, f'latency_us=200,loses_at={batch}', '-t', 2,
                       says=('alignment jobs of a batch', 'went in and 0 came out'))


class Overlap(Case):
    """Host and device work at once, and no more batches are in flight than there are slots."""
    SIZE_MB, COVERAGE = 0.4, 50
    BATCHES = 200

    def traced(self, *options, device):
        path = self.folder() / 'trace.json'
        run('align', *self.inputs, '-o', path.parent / 'x.bam', '-q', '-t', 1, '--batch-bases', 80000, '--trace', path,
            *options, device=device)
        return overlap.graphs_of(path)

    def latency(self, graph):
        """Microseconds a batch that make the device's time about the host's."""
        return int(overlap.length(overlap.union(graph.host)) / len(graph.device))

    def test_most_of_the_shorter_side_lies_under_the_longer(self):
        # A machine that is busy with other things can only lower what is measured: the best of eight counts.
        graph = self.traced(device='')['align']
        seen = []
        for _ in range(8):
            graph = self.traced(device=f'latency_us={self.latency(graph)}')['align']
            self.assertGreaterEqual(len(graph.stages['align.records']), self.BATCHES)
            self.assertGreaterEqual(len(graph.device), self.BATCHES)
            share, host_us, device_us = overlap.overlap(graph)
            alike = min(host_us, device_us) / max(host_us, device_us)
            seen.append(f'overlap {share:.3f}, host {host_us / 1000:.0f} ms, device {device_us / 1000:.0f} ms')
            print(seen[-1], end=' ', flush=True)
            if share >= 0.9 and alike >= 0.5:
                break
        else:
            self.fail('; '.join(seen))

        # One slot can only take turns: the same measure sees it.
        alone = self.traced('--slots', 1, device=f'latency_us={self.latency(graph)}')['align']
        share = overlap.overlap(alone)[0]
        print(f'with one slot {share:.3f}', end=' ', flush=True)
        self.assertLess(share, 0.2)

    def test_a_slow_device_does_not_let_batches_pile_up(self):
        for slots in (2, 5):
            graphs = self.traced('--slots', slots, device='latency_us=1500')
            for name, last in (('align.sample', 'align.sample.sink'), ('align', 'align.sink')):
                stages = graphs[name].stages
                ends = {batch: span[1] for batch, span in stages[last].items()}
                self.assertGreaterEqual(len(ends), self.BATCHES / 2)
                held = [(stages['align.seed'][batch][0], end) for batch, end in ends.items()]
                self.assertLessEqual(overlap.most_at_once(held), slots)
                self.assertGreaterEqual(overlap.most_at_once(held), 2)
                # The source reads one batch ahead of the slots, and no further.
                read = [(stages['align.read'][batch][1], end) for batch, end in ends.items()]
                self.assertLessEqual(overlap.most_at_once(read), slots + 1)

    def test_a_stream_holds_one_batch_and_streams_work_at_once(self):
        graph = self.traced('--slots', 4, device='latency_us=1500,engines=4')['align']
        self.assertEqual(len(graph.streams), 4)
        for spans in graph.streams.values():
            self.assertEqual(overlap.most_at_once(spans), 1)
        self.assertGreaterEqual(overlap.most_at_once(graph.device), 3)


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--gannet', required=True, help='the program with the fake device')
    given, rest = parser.parse_known_args()
    GANNET = str(pathlib.Path(given.gannet).resolve())
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
