#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet for a long time: samples of changing size, two runs at once, kills at any instant, a disk that is full, each in the same few folders.
Runs that end must equal the first of their size; at the end no file or folder is left that a run did not promise, and the memory of equal runs has
not grown. GANNET_SOAK=SECONDS (default 1800); GANNET_SOAK_FULL_DISK=FOLDER: a small file system, else one is mounted (tmpfs, as root).

One row per minute on standard output: runs so far by how they ended, peak memory (MB) of the runs of each size, files and folders.
"""
import collections
import os
import pathlib
import random
import signal
import subprocess
import time

import gannet_testing
from gannet_testing import Case, content, execute, new_folder, program, run, simulated, start

SECONDS = int(os.environ.get('GANNET_SOAK', 1800))
SIZES = ((0.02, 6), (0.1, 8), (0.3, 12))  # Mb and coverage
FULL_DISK_BYTES = 1 << 20


def files_below(*folders):
    return sorted(str(path) for folder in folders for path in folder.rglob('*'))


class Soak(Case):
    def setUp(self):
        self.chance = random.Random(1)
        self.samples = [simulated(size, coverage, 5) for size, coverage in SIZES]
        self.expected, self.peaks = {}, collections.defaultdict(list)
        self.ended = collections.Counter()
        self.temporary = self.folder()
        self.outputs = [self.folder() for _ in range(2)]
        self.full = self.full_disk()

    def full_disk(self):
        given = os.environ.get('GANNET_SOAK_FULL_DISK')
        if given:
            return pathlib.Path(given)
        folder = new_folder()
        if subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={FULL_DISK_BYTES}', 'tmpfs', folder], capture_output=True).returncode != 0:
            print('no small file system can be mounted: the full disk is left out', flush=True)
            return None
        self.addCleanup(subprocess.run, ['umount', folder], capture_output=True)
        return folder

    def words(self, size, out, *more, temporary=None):
        sample = self.samples[size]
        return ['run', sample.reference, *sample.reads, '-o', out, '--sample', f's{size}', '--tmp', temporary or self.temporary, '-q', '-t', self.chance.choice((1, 2, 3)),
                '--memory', '400M', *more]

    def result(self, size, out):
        return {name: content(out / f's{size}.{name}') for name in ('bam', 'vcf.gz')}

    def strip(self, found):
        """BAM headers and VCF headers have the command in them, with its threads and folders."""
        return {name: b'\n'.join(line for line in data.split(b'\n') if not line.startswith((b'@', b'#'))) if name == 'vcf.gz' else data[-2000:]
                for name, data in found.items()}

    def check(self, size, out):
        found = self.strip(self.result(size, out))
        self.assertEqual(found, self.expected.setdefault(size, found), f'size {size} in {out}')

    def waited(self, process, size):
        """Exit code of a run; its peak memory is kept."""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == 0:
            self.peaks[size].append(usage.ru_maxrss / 1024)
        return process.returncode

    def one(self):
        size = self.chance.randrange(len(SIZES))
        process = start(*self.words(size, self.outputs[0]), stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.assertEqual(self.waited(process, size), 0)
        self.check(size, self.outputs[0])
        return 'whole'

    def two_at_once(self):
        """Of different samples in one folder, and of one sample in two."""
        first, second = self.chance.sample(range(len(SIZES)), 2)
        out = self.outputs
        pairs = self.chance.choice((((first, out[0]), (second, out[0])), ((first, out[0]), (first, out[1]))))
        processes = [start(*self.words(size, folder), stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) for size, folder in pairs]
        codes = [self.waited(process, size) for process, (size, _) in zip(processes, pairs)]
        self.assertEqual(codes, [0, 0])
        for size, folder in pairs:
            self.check(size, folder)
        return 'two at once'

    def killed(self):
        size = self.chance.randrange(1, len(SIZES))
        how = self.chance.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        more = self.chance.choice(((), ('--checkpoint', '--checkpoint-every', 500)))
        process = start(*self.words(size, self.outputs[1], *more), stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        time.sleep(self.chance.uniform(0, 1.5))
        os.kill(process.pid, how)  # not send_signal, which would wait for one that has ended
        code = self.waited(process, size)
        self.assertIn(code, (0, -how if how == signal.SIGKILL else 128 + how, *((-how,) if how != signal.SIGKILL else ())))
        if code == 0:
            self.check(size, self.outputs[1])
        return 'killed' if code else 'killed too late'

    def disk_full(self):
        size = self.chance.randrange(1, len(SIZES))
        done = execute([program(), *self.words(size, self.full, temporary=self.full)])
        if done.returncode == 0:
            self.check(size, self.full)
        else:
            self.assertEqual(done.returncode, 9, done.stderr)
            self.assertEqual(len(gannet_testing.error_lines(done.stderr)), 1, done.stderr)
            self.assertEqual([name for name in files_below(self.full) if '.partial.' in name or '/.gannet' in name or name.endswith('.lock')], [])
        for path in list(self.full.iterdir()):
            path.unlink()
        return f'full disk: exit {done.returncode}'

    def row(self, started):
        peaks = ', '.join(f'{max(values):.0f}' for _, values in sorted(self.peaks.items()))
        ends = ', '.join(f'{name}: {count}' for name, count in sorted(self.ended.items()))
        print(f'{time.time() - started:6.0f} s\t{ends}\tpeak MB {peaks}\tfiles {len(files_below(self.temporary, *self.outputs))}', flush=True)

    def test_memory_files_and_folders_do_not_grow(self):
        kinds = [self.one, self.two_at_once, self.killed] + ([self.disk_full] if self.full else [])
        started = said = time.time()
        while time.time() - started < SECONDS:
            self.ended[self.chance.choice(kinds)()] += 1
            if time.time() - said > 60:
                said = time.time()
                self.row(started)
        # What kills left goes with the next run that ends.
        for folder in self.outputs:
            for size in range(len(SIZES)):
                run(*self.words(size, folder, '--checkpoint'))
                run(*self.words(size, folder))
                self.check(size, folder)
        self.row(started)
        self.assertEqual(files_below(self.temporary), [])
        for folder in self.outputs:
            left = [path.name for path in folder.iterdir() if path.name.startswith('.') or '.partial.' in path.name or path.name.endswith('.align.json')]
            self.assertEqual(left, [])
        for size, values in self.peaks.items():
            fifth = max(1, len(values) // 5)
            early, late = sorted(values[:fifth]), sorted(values[-fifth:])
            self.assertLess(late[len(late) // 2], early[len(early) // 2] * 1.2 + 5, f'size {size}: {values}')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
