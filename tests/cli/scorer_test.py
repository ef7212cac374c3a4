#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the scorer and `gannet examples`: equal bytes, what a model changes, what is refused.

Data is simulated by the program, models are made here; nothing else is needed but the program.
"""
import gzip
import hashlib
import json
import random
import shutil
import struct

import gannet_testing
from gannet_testing import new_folder, run

LAYERS = [('conv1', 32, 8), ('conv2', 32, 16), ('read', 6 * 16 + 64, 16), ('site1', 6 * 16 + 384, 16),
          ('site2', 16, 16), ('output', 16, 3)]


def strata(direction='both', settle=40):
    """The network counts everywhere; plain sites of at least the quality `settle` are decided without it, 0: none."""
    return {'minimum_presence': -3.5, 'settle': settle, 'minimum_zygosity_fragments': 10,
            'strata': [{'kind': kind, 'depth': [0, 1000000], 'context': context, 'temperature': 1, 'prior': 0, 'direction': direction}
                       for kind in ('SNP', 'indel') for context in ('unique', 'homopolymer', 'repeat', 'hidden copy')]}


def write_model(folder, name, seed=None, decision=strata()):
    """A model of zeros, or of small random weights; returns the path of the weights."""
    rng = random.Random(seed)
    tensors = {}
    for layer, inputs, outputs in LAYERS:
        weight = [0 if seed is None else rng.randint(-40, 40) for _ in range(inputs * outputs)]
        big = layer == 'output'
        tensors[f'{layer}.weight'] = ('I8', [outputs, inputs], struct.pack(f'<{len(weight)}b', *weight))
        bias = [0 if seed is None else rng.randint(-2000, 2000) for _ in range(outputs)]
        tensors[f'{layer}.bias'] = ('I32', [outputs], struct.pack(f'<{outputs}i', *bias))
        tensors[f'{layer}.multiplier'] = ('I32', [outputs], struct.pack(f'<{outputs}i', *[100] * outputs))
        tensors[f'{layer}.shift'] = ('I32', [outputs], struct.pack(f'<{outputs}i', *[4 if big else 14] * outputs))
    header = {'__metadata__': {'format': 'gannet-scorer', 'layout': '2', 'version': name}}
    at, blob = 0, b''
    for key, (kind, shape, data) in tensors.items():
        header[key] = {'dtype': kind, 'shape': shape, 'data_offsets': [at, at + len(data)]}
        at, blob = at + len(data), blob + data
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    whole = struct.pack('<Q', len(text)) + text + blob
    path = folder / f'{name}.safetensors'
    path.write_bytes(whole)
    manifest = {'version': name, 'sha256': hashlib.sha256(whole).hexdigest(), 'licence': 'MIT', 'layout': 2, 'decision': decision}
    path.with_suffix('.json').write_text(json.dumps(manifest))
    return path


def lines_of(path):
    return [line.split('\t') for line in path.read_text().splitlines()]


def body(path):
    return [line for line in path.read_text().splitlines() if not line.startswith('#')]


class Case(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        sample = gannet_testing.simulated(0.12, 20, 11)
        cls.reference, cls.reads, cls.truth = sample.reference, sample.reads, sample.truth
        work = new_folder()
        cls.bam = work / 'x.bam'
        run('align', cls.reference, *cls.reads, '-o', cls.bam, '-q')
        cls.zeros = write_model(work, 'zeros')
        cls.random = write_model(work, 'random', 5)

    def call(self, *words):
        out = self.folder() / 'x.vcf'
        run('call', self.reference, self.bam, '-o', out, '-q', *words)
        return out


class Scorer(Case):
    def test_a_model_of_zeros_or_without_strata_gives_the_callers_records(self):
        plain = self.call('--no-scorer')
        self.assertGreater(len(body(plain)), 50)
        scored = self.call('--model', self.zeros)
        self.assertEqual(body(scored), body(plain))
        folder = self.folder()
        self.assertEqual(body(self.call('--model', write_model(folder, 'asked', None, strata(settle=0)))), body(plain))
        for name, decision in (('silent', strata('none')), ('empty', {**strata(), 'strata': []})):
            self.assertEqual(body(self.call('--model', write_model(folder, name, 5, decision))), body(plain))
        self.assertNotEqual(body(self.call('--model', self.random)), body(plain))
        self.assertNotIn('gannet_scorer', plain.read_text())
        digest = hashlib.sha256(self.zeros.read_bytes()).hexdigest()
        manifest = hashlib.sha256(self.zeros.with_suffix('.json').read_bytes()).hexdigest()
        self.assertIn(f'##gannet_scorer=version=zeros sha256={digest} manifest_sha256={manifest} strata=8 settle=40', scored.read_text())

    def test_backends_threads_and_shards_give_equal_bodies(self):
        whole = body(self.call('--model', self.random, '--backend', 'reference', '-t', 1))
        self.assertNotEqual(whole, body(self.call('--model', self.zeros)))
        self.assertEqual(whole, body(self.call('--model', self.random, '--backend', 'emulated')))
        self.assertEqual(whole, body(self.call('--model', self.random, '-t', 3)))
        text = self.reference.read_text().split('>')[1]
        contig, length = text.split()[0], len(''.join(text.split('\n')[1:]))
        parts = []
        for region in (f'1-{length // 3}', f'{length // 3 + 1}-{length // 2}', f'{length // 2 + 1}-{length}'):
            parts += body(self.call('--model', self.random, '--regions', f'{contig}:{region}'))
        self.assertEqual([line for line in whole if line.split('\t')[0] == contig], parts)

    def test_run_is_align_then_call_and_names_the_model(self):
        out = self.folder()
        run('run', self.reference, *self.reads, '-o', out, '--sample', 'S',
            '--model', self.random, '-q')
        with gzip.open(out / 'S.vcf.gz', 'rt') as file:
            lines = [line.rstrip('\n') for line in file]
        self.assertEqual([line for line in lines if line[0] != '#'], body(self.call('--model', self.random)))
        digest = hashlib.sha256(self.random.read_bytes()).hexdigest()
        self.assertIn(digest, json.loads((out / 'S.run.json').read_text())['scorer'])
        self.assertTrue(any(line.startswith('##gannet_scorer=version=random') and digest in line for line in lines))

    def test_settled_sites_keep_the_callers_record(self):
        plain = set(body(self.call('--no-scorer')))
        kept = {}
        for settle in (0, 40):
            model = write_model(self.folder(), 'random', 5, strata(settle=settle))
            kept[settle] = len(plain & set(body(self.call('--model', model))))
        self.assertGreater(kept[40], kept[0] + len(plain) // 4)

    def test_the_shipped_model_leaves_indels_beside_hidden_copies_to_the_caller(self):
        """Dense real haplotypes look like hidden copies, and there the network made indels worse."""
        manifest = json.loads((gannet_testing.ROOT / 'ml/models/germline.json').read_text())
        contexts = {(stratum['kind'], stratum['context']) for stratum in manifest['decision']['strata']}
        self.assertIn(('SNP', 'hidden copy'), contexts)
        self.assertIn(('indel', 'homopolymer'), contexts)
        self.assertNotIn(('indel', 'hidden copy'), contexts)

    def test_faulty_decisions_are_refused(self):
        good = strata()
        one = good['strata'][0]
        faults = {'settle': {k: v for k, v in good.items() if k != 'settle'},
                  'not know': {**good, 'more': 1},
                  'overlap': {**good, 'strata': [one, {**one, 'depth': [10, 20]}]},
                  'direction': {**good, 'strata': [{**one, 'direction': 'up'}]},
                  'prior': {**good, 'strata': [{**one, 'prior': -1}]},
                  'depth': {**good, 'strata': [{**one, 'depth': [20, 10]}]}}
        folder = self.folder()
        for says, decision in faults.items():
            self.refused(3, 'call', self.reference, self.bam, '-o', folder / 'x.vcf', '--model', write_model(folder, 'faulty', 5, decision), says=says)

    def test_faulty_models_are_refused_before_work_begins(self):
        out = self.folder()
        whole = self.random.read_bytes()
        for name, content, says in (('cut', whole[:len(whole) // 2], 'cut.safetensors'),
                                    ('altered', whole[:-1] + bytes([whole[-1] ^ 1]), 'SHA-256'),
                                    ('foreign', b'no weights at all', 'foreign.safetensors')):
            path = out / f'{name}.safetensors'
            path.write_bytes(content)
            shutil.copy(self.random.with_suffix('.json'), path.with_suffix('.json'))
            self.refused(3, 'call', self.reference, self.bam, '-o', out / 'x.vcf.gz', '--model', path, says=says)
            self.refused(3, 'run', self.reference, *self.reads, '-o',
                         out / 'run', '--model', path, says=says)
        self.assertEqual([p.name for p in out.glob('x.vcf*')] + [p.name for p in out.glob('run/*')], [])
        (out / 'cut.json').unlink()
        self.refused(3, 'call', self.reference, self.bam, '-o', out / 'x.vcf.gz', '--model', out / 'cut.safetensors',
                     says='cut')
        self.refused(3, 'call', self.reference, self.bam, '--model', out / 'absent.safetensors', says='absent')

    def test_contradictions_are_usage_errors(self):
        self.refused(2, 'call', self.reference, self.bam, '--no-scorer', '--model', self.zeros, says='--no-scorer')
        self.refused(2, 'call', self.reference, self.bam, '--no-scorer', '--scorer', says='--no-scorer')


class Examples(Case):
    def examples(self, *words):
        out = self.folder() / 'e'
        run('examples', self.reference, self.bam, '-o', out, '-q', *words)
        return out

    def test_the_same_input_gives_the_same_bytes(self):
        words = ('--truth', self.truth, '--shards', 3)
        one = self.examples(*words, '-t', 1)
        other = self.examples(*words, '-t', 3, '--backend', 'reference')
        names = sorted(p.name for p in one.iterdir())
        self.assertEqual(names, ['examples-00000-of-00003.gnx', 'examples-00001-of-00003.gnx',
                                 'examples-00002-of-00003.gnx', 'examples.json'])
        for name in names:
            self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), name)
        counts = json.loads((one / 'examples.json').read_text())
        labels = {'0': 0, '1': 0, '2': 0, 'unknown': 0}
        for shard in counts['shards']:
            for kinds in shard.values():
                for label, count in kinds.items():
                    labels[label] += count
        self.assertEqual(sum(labels.values()), counts['examples'])
        self.assertGreater(labels['1'], 30)
        self.assertGreater(labels['2'], 10)
        self.assertLess(labels['unknown'], counts['examples'] // 20)
        head = gzip.open(one / names[0], 'rb').read(12)
        self.assertEqual(head[:8], b'GNTEX\0\0\x02')

    def test_without_a_truth_nothing_is_known(self):
        counts = json.loads((self.examples() / 'examples.json').read_text())
        known = sum(n for shard in counts['shards'] for kinds in shard.values() for label, n in kinds.items()
                    if label != 'unknown')
        self.assertEqual(known, 0)
        self.assertGreater(counts['examples'], 50)

    def test_faulty_input_leaves_nothing(self):
        out = self.folder() / 'e'
        bad = self.folder() / 'bad.vcf'
        bad.write_text('##fileformat=VCFv4.2\nnothing\n')
        self.refused(3, 'examples', self.reference, self.bam, '-o', out, '--truth', bad, says='bad.vcf')
        self.refused(3, 'examples', self.reference, self.bam, '-o', out, '--truth', out / 'absent.vcf', says='absent')
        self.refused(2, 'examples', self.reference, self.bam, says='--output')
        self.assert_files(out)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
