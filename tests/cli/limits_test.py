#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests limits of the process: threads, address space and stack that do not suffice end a run in one line, or it runs all the same."""
import os
import resource
import shutil
import signal
import time

import gannet_testing
from gannet_testing import Case, execute, run, simulated, vcf_body
from held_runs import NOBODY, names

NO_TLS = 'Fatal glibc error: failed to register TLS destructor: out of memory\n'  # which no program can catch


class Limits(Case):
    @classmethod
    def setUpClass(cls):
        cls.sample = simulated()
        cls.bam = gannet_testing.new_folder() / 's.bam'
        run('align', cls.sample.reference, *cls.sample.reads, '-o', cls.bam, '--sample', 's', '-q')
        cls.calls = vcf_body_of(run('call', cls.sample.reference, cls.bam, '-q').stdout)

    def limited(self, *words, limits=(), user=None, codes=(0, 7)):
        """Runs under these limits; the exit code, which is one of `codes`, and the error."""
        def lower():
            for what, value in limits:
                resource.setrlimit(what, (value, value))
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
        for _ in range(100):
            try:
                done = execute([gannet_testing.program(), *words], preexec_fn=lower, timeout=100)
                break
            except BlockingIOError:  # other tests have processes of this user, too
                time.sleep(0.2)
        else:
            self.fail('no process of that user can be started')
        if done.returncode == -signal.SIGABRT and 7 in codes and NO_TLS in done.stderr:
            return 7, ''
        self.assertIn(done.returncode, codes, (words, limits, done.stderr[-500:]))
        errors = gannet_testing.error_lines(done.stderr)
        self.assertEqual(len(errors), 0 if done.returncode == 0 else 1, done.stderr)
        if done.returncode == 0 and words[0] == 'call':
            self.assertEqual(vcf_body_of(done.stdout), self.calls)
        return done.returncode, errors[0] if errors else ''

    def test_too_few_threads_are_refused_with_their_number(self):
        if os.geteuid() != 0:
            gannet_testing.skip('the limit of processes of another user can be tested by root only')
        work = self.folder()  # where another user can read all
        for path in (self.sample.reference, f'{self.sample.reference}.gannet', self.bam, f'{self.bam}.bai', *self.sample.reads):
            shutil.copy(path, work)
        reference, bam = work / 'ref.fa', work / 's.bam'
        out = self.folder()
        out.chmod(0o777)
        commands = (['call', reference, bam, '-q'], ['align', reference, work / 'reads_1.fq.gz', work / 'reads_2.fq.gz', '-o', out / 'x.bam', '-q', '--sample', 's'],
                    ['run', reference, work / 'reads_1.fq.gz', '-o', out, '-q', '--sample', 's'], ['index', reference, '-o', out / 'x.gannet', '-q'])
        shutil.copy(gannet_testing.program(), work / 'gannet')
        refused = 0
        for processes in (1, 2, 3, 4, 6, 8, 12, 16):
            for words in commands:
                code, error = self.limited(*words, '-t', 8, limits=[(resource.RLIMIT_NPROC, processes)], user=NOBODY)
                if code == 7:
                    refused += 1
                    self.assertIn('thread', error)
                    self.assertIn('ulimit -u', error)
                    self.assertEqual([name for name in names(out) if 'partial' in name or 'lock' in name], [])
                    if processes > 2:
                        self.assertRegex(error, r'needs 1[45] more threads for --threads [89], and \d+ could be had')
        self.assertGreaterEqual(refused, 24)
        for words in commands:
            self.limited(*words, '-t', 1, limits=[(resource.RLIMIT_NPROC, 16)], user=NOBODY, codes=(0,))

    def test_too_little_address_space_is_refused(self):
        out = self.folder()
        codes = set()
        for megabytes in (60, 80, 100, 120, 150, 200, 300, 500):
            for words in (['call', self.sample.reference, self.bam, '-q'],
                          ['run', self.sample.reference, *self.sample.reads, '-o', out, '-q', '--sample', 's']):
                for threads in (2, 16):
                    codes.add(self.limited(*words, '-t', threads, limits=[(resource.RLIMIT_AS, megabytes << 20)])[0])
        self.assertEqual(codes, {0, 7})

    def test_what_fails_while_a_run_ends_for_want_of_memory_does_not_hold_it(self):
        for megabytes in range(50, 80):
            for _ in range(3):
                self.limited('call', self.sample.reference, self.bam, '-q', '-t', 2, limits=[(resource.RLIMIT_AS, megabytes << 20)])

    def test_a_worker_that_can_start_no_other_is_no_internal_fault(self):
        for megabytes in range(300, 560, 8):
            self.limited('call', self.sample.reference, self.bam, '-q', '-t', 16, limits=[(resource.RLIMIT_AS, megabytes << 20)])

    def test_too_few_open_files_are_said_to_be_so(self):
        out, codes = self.folder(), set()
        for files in (*range(4, 18), 40):
            for words in (['call', self.sample.reference, self.bam, '-q'], ['run', self.sample.reference, *self.sample.reads, '-o', out, '-q', '--sample', 's']):
                code, error = self.limited(*words, '-t', 1, limits=[(resource.RLIMIT_NOFILE, files)])
                codes.add(code)
                if code != 0:
                    self.assertTrue(error.endswith('; raise the limit of open files (ulimit -n)'), (files, words, error))
                    self.assertEqual([name for name in names(out) if 'partial' in name or 'lock' in name], [])
        self.assertEqual(codes, {0, 7})

    def test_a_small_stack_is_no_fault(self):
        out = self.folder()
        for kilobytes in (64, 128, 256, 1024):
            stack = [(resource.RLIMIT_STACK, kilobytes << 10)]
            self.limited('call', self.sample.reference, self.bam, '-q', limits=stack, codes=(0,))
            self.limited('run', self.sample.reference, *self.sample.reads, '-o', out, '-q', '--sample', 's', limits=stack, codes=(0,))
        self.assertEqual(vcf_body(out / 's.vcf.gz'), self.calls)


def vcf_body_of(text):
    return [line for line in text.splitlines(keepends=True) if not line.startswith('#')]


if __name__ == '__main__':
    gannet_testing.main(__doc__)
