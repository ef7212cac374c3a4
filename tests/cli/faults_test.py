#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lets each system call on a file fail in turn (tests/support/fault_preload.cpp): EIO, ESTALE, half of the bytes. Each run must end with the right
exit code and one line, nothing under a final name may be other than whole, and half of the bytes changes nothing. Prints a table: calls x outcome."""
import collections
import os
import sys

import gannet_testing
from gannet_testing import Case, error_lines, execute, program, run, simulated, vcf_body

#: What may be answered where a call fails for good, besides 0 with whole outputs.
CODES = {'open': {3, 8, 9}, 'read': {3, 8}, 'write': {8}, 'sync': {8}, 'close': {8}, 'rename': {8}, 'unlink': {8}, 'truncate': {8}, 'mkdir': {8, 9}}
MOST = int(os.environ.get('GANNET_FAULTS', 60))  # instants of each kind of call


class Faults(Case):
    @classmethod
    def setUpClass(cls):
        cls.sample = simulated(0.1, 8, 11)
        cls.table = collections.defaultdict(collections.Counter)
        cls.bam = gannet_testing.new_folder() / 's.bam'
        run('align', cls.sample.reference, *cls.sample.reads, '-o', cls.bam, '--sample', 's', '-q')

    @classmethod
    def tearDownClass(cls):
        print(f'{"command":10} {"call":9} {"fault":7} {"instants":>8}  outcomes')
        for (command, call, how), outcomes in cls.table.items():
            print(f'{command:10} {call:9} {how:7} {sum(outcomes.values()):8}  ' + ', '.join(f'{name}: {n}' for name, n in sorted(outcomes.items())), flush=True)

    def fault(self, words, folder, call, at, how, count=None):
        env = {'LD_PRELOAD': program('fault_preload'), 'FAULT_UNDER': folder.parent, 'FAULT_CALL': call, 'FAULT_AT': at, 'FAULT_HOW': how}
        if count:
            env['FAULT_COUNT'] = count
        return execute([program(), *words], env=env, timeout=120)

    def outputs(self, folder):
        return {path.name: gannet_testing.content(path) if path.is_file() and path.suffix != '.json' else b'' for path in folder.iterdir()}

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
        step = max(1, calls // MOST)
        for at in range(1, calls + 1, step):
            inputs, out = fresh()
            done = self.fault(words_of(inputs, out), out, call, at, how)
            with self.subTest(command=command, call=call, at=at, of=calls, how=how):
                found = self.outputs(out)
                for name, content in found.items():
                    if name.startswith('.gannet-checkpoint-'):
                        self.assertTrue(done.returncode != 0 or call == 'unlink', done.stderr)
                    elif '.partial.' in name or name.startswith('.'):
                        self.assertEqual(call, 'unlink', f'{name} was left: {done.stderr}')
                    elif not name.endswith('.json'):
                        self.assertEqual(content, whole.get(name), f'{name} is not whole: exit {done.returncode}, {done.stderr}')
                if done.returncode == 0:
                    self.assertEqual({name for name in found if not name.startswith('.')}, set(whole), done.stderr)
                else:
                    self.assertNotEqual(how, 'short', done.stderr)
                    self.assertIn(done.returncode, CODES[call], done.stderr)
                    self.assertEqual(len(error_lines(done.stderr)), 1, done.stderr)
                    self.assertNotIn('s.run.json', found)
            self.table[command, call, how][f'exit {done.returncode}'] += 1

    def every_fault(self, command, words_of):
        for call in CODES:
            for how in ('EIO', 'ESTALE', 'short') if call in ('read', 'write') else ('EIO', 'ESTALE'):
                self.judge(command, words_of, call, how)

    def test_every_fault_during_run_is_answered(self):
        self.every_fault('run', lambda inputs, out: ['run', inputs / 'ref.fa', inputs / 'reads_1.fq.gz', inputs / 'reads_2.fq.gz', '-o', out, '--sample', 's',
                                                     '-q', '--gvcf', '--memory', '260M'])

    def test_every_fault_during_a_run_with_checkpoints_is_answered(self):
        self.every_fault('checkpoint', lambda inputs, out: ['align', inputs / 'ref.fa', inputs / 'reads_1.fq.gz', inputs / 'reads_2.fq.gz', '-o', out / 's.bam',
                                                            '--sample', 's', '-q', '--checkpoint', '--checkpoint-every', 1000])

    def test_every_fault_during_call_is_answered(self):
        self.every_fault('call', lambda inputs, out: ['call', inputs / 'ref.fa', inputs / 's.bam', '-o', out / 's.vcf.gz', '-q'])

    def test_every_fault_while_an_index_is_built_is_answered(self):
        self.every_fault('index', lambda inputs, out: ['index', inputs / 'ref.fa', '-o', out / 'x.gannet', '-q'])


if __name__ == '__main__':
    gannet_testing.main(__doc__, programs=('gannet', 'read_input', 'fault_preload'))
