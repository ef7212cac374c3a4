#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the Python programs of ml/train on damaged shards of examples and weights: each must be refused in one line with exit 3."""
import gzip
import os
import subprocess
import textwrap

import gannet_testing
from gannet_testing import run

PYTHON = '/usr/bin/python3'


class Shards(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        if subprocess.run([PYTHON, '-c', 'import numpy'], capture_output=True).returncode != 0:
            gannet_testing.skip('python3 has no numpy (scripts/setup test)', 'GANNET_REQUIRE_TOOLS')

    def test_damaged_shards_are_refused_by_the_python_reader(self):
        folder = self.folder()
        sample = gannet_testing.simulated(size_mb=0.1, coverage=12, seed=3)
        bam = self.folder() / 's.bam'
        run('align', sample.reference, *sample.reads, '-o', bam, '--sample', 'S', '-q')
        run('examples', sample.reference, bam, '--truth', sample.truth, '-o', folder, '-q')
        shard = next(folder.glob('*.gnx'))
        script = textwrap.dedent(f'''
            import gzip, pathlib, random, sys
            sys.path.insert(0, {str(gannet_testing.ROOT / "ml/train")!r})
            import shards
            shard = pathlib.Path({str(shard)!r})
            data, mutant, chance = gzip.open(shard).read(), shard.with_name("mutant.gnx"), random.Random(2)
            good = len(shards.parse(shard))
            refused = 0
            for k in range(300):
                at = chance.randrange(400 if k % 2 else len(data))
                kind = chance.randrange(4)
                changed = data[:at] if kind == 0 else data[:at] + bytes([chance.randrange(256)]) + data[at + 1:]
                packed = gzip.compress(changed, 1) + shards.END_OF_FILE
                if kind == 2:
                    at = chance.randrange(len(packed))
                    packed = packed[:at] + bytes([packed[at] ^ 255]) + packed[at + 1:]
                mutant.write_bytes(packed)
                try:
                    shards.parse(mutant)
                except shards.ShardError:
                    refused += 1
            for name in (b"version", b"layout", b"command", b"sample", b"contigs"):
                mutant.write_bytes(gzip.compress(data.replace(b'"' + name + b'":', b'"' + name[:-1] + b'_":', 1), 1) + shards.END_OF_FILE)
                try:
                    shards.parse(mutant)
                    sys.exit("a shard whose header lacks " + name.decode() + " was read")
                except shards.ShardError:
                    pass
            print(good, refused)
        ''')
        done = gannet_testing.execute([PYTHON, '-c', script])
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        good, refused = map(int, done.stdout.split())
        self.assertGreater(good, 0)
        self.assertGreater(refused, 100)

    def test_what_would_count_examples_twice_is_refused(self):
        folder = self.folder()
        runs = [folder / 'a', folder / 'b']
        for path in runs:
            path.mkdir()
            for number in range(2):
                (path / f'examples-0000{number}-of-00002.gnx').write_bytes(b'')
        (folder / 'link').symlink_to(runs[0])
        mixed = folder / 'mixed'
        mixed.mkdir()
        for name in ('examples-00000-of-00001.gnx', 'examples-00000-of-00002.gnx'):
            (mixed / name).write_bytes(b'')

        def found(*paths):
            script = 'import pathlib, sys, shards\ntry:\n    print(len(shards.find([pathlib.Path(p) for p in sys.argv[1:]])))\nexcept shards.ShardError as e:\n    print(e)'
            done = gannet_testing.execute([PYTHON, '-c', script, *paths], env={**os.environ, 'PYTHONPATH': str(gannet_testing.ROOT / 'ml/train')})
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.strip()
        self.assertEqual(found(*runs), '4')
        self.assertEqual(found(*sorted(runs[0].iterdir()), runs[1]), '4')
        for paths in ([runs[0], folder / 'link'], [runs[0], next(runs[0].iterdir())], [runs[0], runs[0]]):
            self.assertIn('each shard can be given once', found(*paths))
        self.assertIn('shards of several runs of gannet examples', found(mixed))
        self.assertIn('shards of several runs of gannet examples', found(folder / 'mixed', runs[0]))

    def test_the_programs_of_training_end_with_one_line(self):
        folder = self.folder()
        (folder / 'x.gnx').write_bytes(gzip.compress(b'GNTEX\0\0\x02\x05\0\0\0nojson'))
        (folder / 'w.safetensors').write_bytes(b'\x08' + b'\0' * 7 + b'nothing.')
        weights = next((gannet_testing.ROOT / 'ml/models').glob('*.safetensors'))
        for program, words in (('integer_reference.py', [weights, folder / 'x.gnx', '-o', folder / 'out.tsv']),
                               ('integer_reference.py', [folder / 'w.safetensors', folder / 'x.gnx', '-o', folder / 'out.tsv']),
                               ('integer_reference.py', [weights, folder / 'missing.gnx', '-o', folder / 'out.tsv'])):
            done = gannet_testing.execute([PYTHON, gannet_testing.ROOT / 'ml/train' / program, *words])
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
