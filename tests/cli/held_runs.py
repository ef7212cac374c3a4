# SPDX-License-Identifier: MIT
"""Provides what the tests of outputs have in common: runs that are held at a known point, and their files.

A run is held by a pipe (FIFO) that is one of its inputs or outputs: it waits there until the other end is opened.
"""
import contextlib
import functools
import os
import pathlib
import subprocess
import time

import gannet_testing
from gannet_testing import Case, bam_records, simulated, start

PARTIAL = '.partial.'
NOBODY = 65534
BENCH = ['--size', 0.02, '--coverage', 1, '--repetitions', 1, '--min-time', 0.001, '-q', '-t', 1]


def wait_until(what, condition, timeout=60):
    deadline = time.time() + timeout
    while not condition():
        if time.time() > deadline:
            raise AssertionError(f'not within {timeout} s: {what}')
        time.sleep(0.003)


def names(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir())


def partial_files(folder):
    return [name for name in names(folder) if PARTIAL in name]


def open_files(process_id):
    """The paths that a process has open now. A descriptor that is closed while they are listed is none of them."""
    found = set()
    with contextlib.suppress(FileNotFoundError):
        for descriptor in os.listdir(f'/proc/{process_id}/fd'):
            with contextlib.suppress(FileNotFoundError):
                found.add(pathlib.Path(os.readlink(f'/proc/{process_id}/fd/{descriptor}')))
    return found


@functools.cache
def lines_of_reads():
    return gannet_testing.gzip.open(simulated().reads[0], 'rt').readlines()


def some_reads(first, count):
    """`count` reads of the sample as FASTQ text, from number `first` on."""
    return ''.join(lines_of_reads()[4 * first:4 * (first + count)])


class Held:
    """A gannet that runs until it is released or killed: whatever happens, it is gone afterwards."""

    def __init__(self, *words, folder=None, **more):
        self.folder, self.before = folder, set(names(folder) if folder else [])
        self.process = start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, **more)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def until_partial_files(self, count):
        wait_until(f'{count} new partial files in {self.folder}', lambda: len(set(partial_files(self.folder)) - self.before) >= count or
                   self.process.poll() is not None)
        if self.process.poll() is not None:
            raise AssertionError(f'ended early: {self.process.communicate()[1]}')

    def stop(self, number):
        self.process.send_signal(number)
        return self.end()

    def end(self):
        _, errors = self.process.communicate(timeout=120)
        return self.process.returncode, errors


class SafetyCase(Case):
    @classmethod
    def setUpClass(cls):
        cls.sample = simulated()
        cls.reference = cls.sample.reference

    def reads(self, folder, name='a1.fq', first=0, count=400):
        path = folder / name
        path.write_text(some_reads(first, count))
        return path

    def pipe(self, folder, name='pipe.fq'):
        path = folder / name
        os.mkfifo(path)
        return path

    @contextlib.contextmanager
    def held_align(self, folder, output='x.bam', *words, **more):
        """`gannet align` that waits until its metrics are read from a pipe (`held.pipe`); its output folder holds its partial files."""
        pipe = self.pipe(self.folder(), 'metrics')
        with Held('align', self.reference, self.reads(self.folder()), '-o', folder / output, '--sample', 's', '--metrics', pipe, *words,
                  folder=folder, **more) as held:
            held.until_partial_files(2)
            held.pipe = pipe
            yield held

    def check_bam(self, path):
        self.assertGreater(len(bam_records(path)), 1000)
        self.assertTrue(path.read_bytes().endswith(bytes.fromhex('1f8b08040000000000ff0600424302001b0003000000000000000000')))
