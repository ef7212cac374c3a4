#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plays losses of power (tests/support/power_loss.py) at instants of a run: what stands under a final name is whole and of one run, and the same
command makes all outputs from what is left. GANNET_LOSSES=N: instants (default 400), GANNET_LOSSES_RERUN=N: of them with another run (16)."""
import json
import os
import pathlib
import random
import sys

import gannet_testing
from gannet_testing import Case, execute, program, run, simulated

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
import power_loss

INSTANTS = int(os.environ.get('GANNET_LOSSES', 400))
RERUNS = int(os.environ.get('GANNET_LOSSES_RERUN', 16))


class PowerLoss(Case):
    @classmethod
    def setUpClass(cls):
        cls.sample = simulated(0.05, 8, 11)

    def recorded(self, words, root):
        """The history of a run that writes under `root`."""
        before = power_loss.snapshot(root)
        record = self.folder() / 'record'
        done = execute([program(), *words], env={'LD_PRELOAD': program('fault_preload'), 'FAULT_UNDER': root, 'FAULT_RECORD': record})
        self.assertEqual(done.returncode, 0, done.stderr)
        history = power_loss.History(before, record)
        lasting, there = self.final(history.after_loss(history.count, 'none', random.Random(0)), root), self.names_and_bytes(root)
        self.assertEqual([name for name in sorted(lasting.keys() | there.keys()) if lasting.get(name) != there.get(name)], [],
                         'not on the disk when the run has ended, or not in the record')
        return history

    def names_and_bytes(self, root):
        return {path.name: path.read_bytes() for path in root.iterdir() if path.is_file() and not path.name.startswith('.')}

    def final(self, state, root):
        """Names and bytes of what stands under final names. What is of use only to the next run is JSON that can be read."""
        if of_the_next := state.get(str(root / 's.align.json')):
            json.loads(of_the_next)
        return {os.path.basename(path): content for path, content in state.items()
                if os.path.dirname(path) == str(root) and content is not None and
                not os.path.basename(path).startswith('.') and '.partial.' not in path and not path.endswith('/s.align.json')}

    def losses(self, history):
        """(instant, names, state): the instants are spread over the changes, more of them near the renames at the end."""
        chance = random.Random(5)
        renames = [event for event, _, _ in history.changes]
        for i in range(INSTANTS):
            instant = chance.choice(renames) + chance.randrange(3) if i % 2 else 1 + i * history.count // INSTANTS
            names = power_loss.NAMES[i % 4]
            yield instant, names, history.after_loss(instant, names, chance)

    def words(self, root, *more, reads=None):
        return ['run', self.sample.reference, *(reads or self.sample.reads), '-o', root, '--sample', 's', '-q', '--gvcf', '--memory', '260M', *more]

    def same_but_for_times(self, name, found, whole):
        """The reports and archives have times in them: they must be complete."""
        if name.endswith('.json'):
            json.loads(found)
        elif name.endswith('.html'):
            times = b'Time, memory and energy</h2>'
            self.assertEqual(found.split(times)[0], whole.split(times)[0], name)
            self.assertTrue(found.rstrip().endswith(b'</html>'), name)
        elif name.endswith('.zip'):
            self.assertEqual(len(found), len(whole), name)
        else:
            self.assertEqual(found, whole, name)

    def rerun(self, words, state, root, whole):
        power_loss.restore(root, state)
        run(*words)
        found = self.names_and_bytes(root)
        self.assertEqual(sorted(path.name for path in root.iterdir()), sorted(whole))
        for name, content in found.items():
            self.same_but_for_times(name, content, whole[name])

    def test_outputs_in_a_new_folder_are_whole_or_missing(self):
        root = self.folder()
        words = self.words(root)
        history = self.recorded(words, root)
        whole = self.names_and_bytes(root)
        for number, (instant, names, state) in enumerate(self.losses(history)):
            with self.subTest(instant=instant, of=history.count, names=names):
                found = self.final(state, root)
                for name, content in found.items():
                    self.assertEqual(content, whole.get(name), f'{name} is not whole')
                if 's.run.json' in found:
                    self.assertEqual(set(found), set(whole))
                if number % (INSTANTS // RERUNS) == 0:
                    self.rerun(words, state, root, whole)

    def test_outputs_in_a_folder_of_older_ones_are_of_one_run(self):
        older = simulated(0.05, 6, 12).reads
        root = self.folder()
        run(*self.words(root, reads=older))
        old = self.names_and_bytes(root)
        history = self.recorded(self.words(root), root)
        new = self.names_and_bytes(root)
        for instant, names, state in self.losses(history):
            with self.subTest(instant=instant, of=history.count, names=names):
                found = self.final(state, root)
                run_of = {}
                for name, content in found.items():
                    self.assertIn(content, (old.get(name), new.get(name)), f'{name} is not whole')
                    run_of[name] = {number for number, of in enumerate((old, new)) if of.get(name) == content}
                # The metrics of two runs may be equal.
                for first, second in (('s.bam.bai', 's.bam'), ('s.vcf.gz.tbi', 's.vcf.gz'), ('s.g.vcf.gz.tbi', 's.g.vcf.gz'), ('s.vcf.gz', 's.bam')):
                    if first in found:
                        self.assertIn(second, found)
                        self.assertTrue(run_of[first] & run_of[second], f'{first} is not of {second}')
                if 's.run.json' in found:
                    self.assertTrue(set.intersection(*run_of.values()), 's.run.json beside files of two runs')

    def test_checkpoints_are_continued_or_begun_anew(self):
        root = self.folder()
        words = self.words(root, '--checkpoint', '--checkpoint-every', 500)
        history = self.recorded(words, root)
        whole = self.names_and_bytes(root)
        for number, (instant, names, state) in enumerate(self.losses(history)):
            with self.subTest(instant=instant, of=history.count, names=names):
                if number % (INSTANTS // RERUNS) == 0:
                    self.rerun(words, state, root, whole)
        removed = [(event, folder, path) for event, folder, names in history.changes for path, what in names.items() if what is None and '.gannet-checkpoint-' in folder]
        event, folder, _ = [one for one in removed if one[2].endswith('/manifest')][-1]
        after = [one[0] for one in removed if one[0] > event]
        self.assertTrue(after and any(event < begun and ended < after[0] and synced == folder for begun, ended, synced in history.syncs),
                        'the manifest is gone from the disk before anything that it describes')

    def test_an_index_is_whole_or_missing(self):
        root = self.folder()
        reference = root / 'ref.fa'
        reference.write_bytes(self.sample.reference.read_bytes())
        words = ['index', reference, '-q']
        history = self.recorded(words, root)
        whole = self.names_and_bytes(root)
        for instant, names, state in self.losses(history):
            with self.subTest(instant=instant, of=history.count, names=names):
                for name, content in self.final(state, root).items():
                    self.assertEqual(content, whole[name], f'{name} is not whole')


if __name__ == '__main__':
    gannet_testing.main(__doc__, programs=('gannet', 'read_input', 'fault_preload'))
