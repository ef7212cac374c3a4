#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lets each system call on a file fail in turn (tests/support/fault_preload.cpp): EIO, ESTALE, a full disk, half of the bytes, a server that is gone
from an instant on. Each run must end in time with the right exit code and one line that names a file; nothing under a final name may be other
than whole, nothing may be left that could have been removed, and half of the bytes changes nothing. Prints a table: calls x outcome.

GANNET_FAULTS=N: at most N instants of each kind of call and fault; 0 (in the slow group): every one, and ESTALE, which goes the ways of EIO, too.
GANNET_FAULTS_TABLE=FILE: appends the table."""
import collections
import os
import sys

import gannet_testing
from gannet_testing import Case, error_lines, execute, program, run, simulated

#: Exit codes where a call fails for good, beside 0 with whole outputs.
CODES = {'open': {3, 4, 8, 9}, 'create': {8, 9}, 'read': {3, 8, 9}, 'write': {8, 9}, 'sync': {8, 9}, 'close': {8, 9}, 'rename': {8, 9}, 'unlink': {8}, 'truncate': {8, 9},
         'mkdir': {8, 9}, 'map': {3, 7}, 'state': {3, 8, 9}, 'lock': {8}, 'list': {3, 8, 9}, 'all': {3, 4, 7, 8, 9}}
FAULTS = {'read': ('EIO', 'ESTALE', 'short'), 'write': ('EIO', 'ESTALE', 'ENOSPC', 'short'), 'map': ('EIO', 'ENOMEM'), 'all': ('gone',),
          **{call: ('EIO', 'ESTALE', 'ENOSPC') for call in ('create', 'sync', 'close', 'rename', 'truncate', 'mkdir')}}
FULL_DISK = {8, 9}
#: htslib 1.16 frees memory twice where the first bytes of a CRAM's reference cannot be read by itself, after gannet has read them.
CRASHES_OF_HTSLIB = {('align', 'read'), ('align', 'close'), ('align', 'open'), ('align', 'all')}
MOST = int(os.environ.get('GANNET_FAULTS', 2))


def but_for_times(content):
    """A report as HTML has the times and warnings of its run: it must be complete."""
    return b'a page' if (content or b'').startswith(b'<!DOCTYPE html>') and content.endswith(b'</html>\n') else content


class Faults(Case):
    @classmethod
    def setUpClass(cls):
        cls.sample = simulated(0.05, 8, 11)
        cls.table = collections.defaultdict(collections.Counter)
        cls.bam = gannet_testing.new_folder() / 's.bam'
        run('align', cls.sample.reference, *cls.sample.reads, '-o', cls.bam, '--sample', 's', '-q')

    @classmethod
    def tearDownClass(cls):
        rows = ['\t'.join((*key, str(sum(outcomes.values())), ', '.join(f'{name}: {n}' for name, n in sorted(outcomes.items()))))
                for key, outcomes in cls.table.items()]
        print('command\tcall\tfault\tinstants\toutcomes', *rows, sep='\n', flush=True)
        if path := os.environ.get('GANNET_FAULTS_TABLE'):
            with open(path, 'a') as file:
                file.writelines(row + '\n' for row in rows)

    def fault(self, words, folder, call, at, how, count=None):
        env = {'LD_PRELOAD': program('fault_preload'), 'FAULT_UNDER': folder.parent, 'FAULT_CALL': call, 'FAULT_AT': at, 'FAULT_HOW': how}
        if count:
            env['FAULT_COUNT'] = count
        return execute([program(), *words], env=env, timeout=300)

    def outputs(self, folder):
        return {path.name: gannet_testing.content(path) if path.is_file() and path.suffix not in ('.json', '.zip') else b'' for path in folder.iterdir()}

    def judge(self, command, words_of, call, how):
        """Runs the command once for each instant, in a new folder of the same name, which is in the outputs, with the inputs beside it."""
        root = self.folder()

        def fresh():
            gannet_testing.remove_folder(root)
            root.mkdir()
            inputs, out = root / 'in', root / 'out'
            inputs.mkdir()
            out.mkdir()
            for path in (*self.sample.folder.iterdir(), *self.bam.parent.iterdir()):
                (inputs / path.name).hardlink_to(path)
            return inputs, out
        inputs, out = fresh()
        count = self.folder() / 'count'
        done = self.fault(words_of(inputs, out), out, call, 0, how, count)
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = self.outputs(out)
        calls = int(count.read_text())
        # The last call of a kind is often one of its own: a sample has the first and the last.
        instants = range(1, calls + 1) if MOST == 0 or calls <= MOST else sorted({1 + i * (calls - 1) // max(1, MOST - 1) for i in range(MOST)})
        for at in instants:
            inputs, out = fresh()
            with self.subTest(command=command, call=call, at=at, of=calls, how=how):
                try:
                    done = self.fault(words_of(inputs, out), out, call, at, how)
                except AssertionError:
                    self.table[command, call, how]['no end'] += 1
                    raise
                self.table[command, call, how][gannet_testing.exit_text(done.returncode)] += 1
                self.judge_one(done, self.outputs(out), whole, root, command, call, how)

    def judge_one(self, done, found, whole, root, command, call, how):
        crashed = done.returncode < 0 and (command, call) in CRASHES_OF_HTSLIB
        cannot_remove = call == 'unlink' or how == 'gone' or crashed
        for name, content in found.items():
            if name.startswith('.gannet-checkpoint-'):
                self.assertTrue(done.returncode != 0 or cannot_remove or call in ('open', 'create', 'list', 'state'), done.stderr)
            elif '.partial.' in name or name.startswith('.'):
                self.assertTrue(cannot_remove, f'{name} was left: exit {done.returncode}, {done.stderr}')
            elif not name.endswith('.json'):
                self.assertEqual(but_for_times(content), but_for_times(whole.get(name)), f'{name} is not whole: exit {done.returncode}, {done.stderr}')
        if done.returncode == 0:
            found.pop('s.align.json', None)  # of use to the next run; removed at the end where that works
            self.assertEqual({name for name in found if not name.startswith('.')}, set(whole), done.stderr)
            return
        if crashed:
            return
        self.assertNotEqual(how, 'short', done.stderr)
        self.assertIn(done.returncode, CODES[call] & FULL_DISK if how == 'ENOSPC' else CODES[call], done.stderr)
        errors = error_lines(done.stderr)
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertIn(str(root), errors[0], 'the line names no file')
        if 's.run.json' in found:  # the fault came after it had its name
            self.assertLessEqual(set(whole), set(found), done.stderr)

    def every_fault(self, command, words_of):
        for call in CODES:
            for how in FAULTS.get(call, ('EIO', 'ESTALE')):
                if how != 'ESTALE' or MOST == 0:
                    self.judge(command, words_of, call, how)

    def test_every_fault_during_run_is_answered(self):
        self.every_fault('run', lambda inputs, out: ['run', inputs / 'ref.fa', inputs / 'reads_1.fq.gz', inputs / 'reads_2.fq.gz', '-o', out, '--sample', 's',
                                                     '-q', '--gvcf', '--memory', '260M'])

    def test_every_fault_during_a_run_with_checkpoints_is_answered(self):
        self.every_fault('checkpoint', lambda inputs, out: ['align', inputs / 'ref.fa', inputs / 'reads_1.fq.gz', inputs / 'reads_2.fq.gz', '-o', out / 's.bam',
                                                            '--sample', 's', '-q', '--checkpoint', '--checkpoint-every', 1000])

    def test_every_fault_while_cram_is_written_is_answered(self):
        self.every_fault('align', lambda inputs, out: ['align', inputs / 'ref.fa', inputs / 'reads_1.fq.gz', inputs / 'reads_2.fq.gz', '-o', out / 's.cram',
                                                       '--sample', 's', '-q'])

    def test_every_fault_during_call_is_answered(self):
        self.every_fault('call', lambda inputs, out: ['call', inputs / 'ref.fa', inputs / 's.bam', '-o', out / 's.vcf.gz', '-q'])

    def test_every_fault_while_an_index_is_built_is_answered(self):
        self.every_fault('index', lambda inputs, out: ['index', inputs / 'ref.fa', '-o', out / 'x.gannet', '-q'])


if __name__ == '__main__':
    gannet_testing.main(__doc__, programs=('gannet', 'read_input', 'fault_preload'))
