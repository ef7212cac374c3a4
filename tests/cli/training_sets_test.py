#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the making of training sets (ml/train): libraries that gannet takes, kinds of rates that are never mixed, sets that are made once."""
import fcntl
import json
import os
import subprocess
import sys

import gannet_testing
from gannet_testing import ROOT, program, run, skip

TRAIN = ROOT / 'ml' / 'train'
DRAWS = 25


def generator():
    """The modules of ml/train; skips where there is no numpy."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        skip('python3 has no numpy')
    if str(TRAIN) not in sys.path:
        sys.path.insert(0, str(TRAIN))
    sys.dont_write_bytecode = True
    import make_training_data
    return make_training_data


class TrainingSets(gannet_testing.Case):
    def test_drawn_libraries_are_taken_by_simulate(self):
        made, folder = generator(), self.folder()
        for rates in made.RATES:
            for number in range(DRAWS):
                path = folder / f'{rates}{number}.json'
                path.write_text(json.dumps(made.drawn('train', rates, number).library))
                run('simulate', '--size', 0.05, '--coverage', 0, '--seed', number, '--library', path, '-q', '-o', folder / 'out')

    def test_natural_rates_stay_below_those_of_stress_sets(self):
        made = generator()
        natural = [made.drawn('train', 'natural', k).library for k in range(200)]
        stress = [made.drawn('train', 'stress', k).library for k in range(200)]
        for field, bound in [('contamination_share', 0.05), ('hidden_copies_per_mb', 1.3), ('foldback_share', 0.025), ('hopping_share', 0.01)]:
            self.assertLessEqual(max(library.get(field, 0) for library in natural), bound, field)
            self.assertGreater(max(library[field] for library in stress), bound, field)
        clean = [made.drawn('train', 'clean', k).library for k in range(200)]
        for field, bound in [('slip_factor', 0.5), ('read_slip_factor', 1), ('systematic_sites_per_kb', 0), ('foldback_share', 0), ('hopping_share', 0)]:
            self.assertLessEqual(max(library.get(field, 0) for library in clean), bound, field)
        visible = sum(library.get('contamination_share', 0) > 0.005 for library in natural)
        self.assertTrue(5 <= visible <= 40, visible)

    def test_recipe_follows_from_its_name_and_never_takes_evaluation_sequence(self):
        made = generator()
        names, sources = set(), {'train': set(), 'validate': set()}
        for role in made.ROLES:
            for rates in made.RATES:
                for number in range(DRAWS):
                    recipe = made.drawn(role, rates, number)
                    self.assertEqual(recipe, made.drawn(role, rates, number))
                    self.assertEqual((recipe.role, recipe.rates), (role, rates))
                    self.assertIn(rates, recipe.name)
                    names.add((recipe.name, recipe.seed))
                    sources[role].update(source[:2] for source in recipe.sources)
        self.assertEqual(len({seed for _, seed in names}), 6 * DRAWS)
        self.assertFalse(sources['train'] & sources['validate'])
        for file, contig in sources['train'] | sources['validate']:
            self.assertNotRegex(contig, 'chr20|chr21|chr22')
            self.assertNotRegex(file, 'chr20|chr21|chr22')

    def test_drawn_variants_are_of_the_reference(self):
        generator()
        import genomes
        import numpy
        rng = numpy.random.default_rng(3)
        parts = [rng.choice(genomes.BASES, 60) if k % 2 else numpy.resize(rng.choice(genomes.BASES, 1 + k % 5), 24) for k in range(800)]
        reference = {'c1': numpy.concatenate(parts)}
        text = reference['c1'].tobytes()
        repeats = genomes.repeat_variants(reference, 5000, rng)
        dense = genomes.cluster_variants(reference, 500, rng)
        self.assertGreater(len(repeats), 50)
        self.assertGreater(len(dense), 50)
        for v in repeats + dense:
            self.assertEqual(text[v.position : v.position + len(v.alleles[0])], v.alleles[0], v)
            self.assertEqual(len(set(v.alleles)), len(v.alleles), v)
            self.assertEqual(set(v.copies) - {0}, set(range(1, len(v.alleles))), v)
        two = sum(len(v.alleles) == 3 for v in repeats) / len(repeats)
        self.assertTrue(0.1 < two < 0.4, two)
        merged = genomes.merge_variants([repeats, dense], 5)
        self.assertTrue(all(a.position + len(a.alleles[0]) <= b.position for a, b in zip(merged, merged[1:])))

    def test_stopped_run_goes_on_and_lists_sets_by_kind(self):
        generator()
        folder = self.folder()
        code = f"""
import dataclasses, sys
sys.dont_write_bytecode = True
sys.path.insert(0, {str(TRAIN)!r})
import make_training_data as m
drawn = m.drawn
def tiny(role, rates, number):
    library = {{'preset': 'old', 'hidden_copies_per_mb': 10, 'hidden_copy_max_bp': 3000, 'missing_paralogue_share': 1}}
    return dataclasses.replace(drawn(role, rates, number), sources=(), made_up_mb=0.3, coverage=12.0, clusters_per_mb=20.0, library=library)
m.drawn = tiny
sys.argv = ['x', '--gannet', {str(program())!r}, '--references', '.', '-o', {str(folder)!r}] + sys.argv[1:]
m.main()
"""
        def make(*words):
            done = subprocess.run([sys.executable, '-c', code, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'})
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout
        make('--natural', 1, '--stress', 0, '--clean', 0, '--validate', 0, '--no-examples')
        first = folder / 'train_natural_0000'
        before = (first / 'reads.bam').read_bytes()
        aligned = (first / 'recipe.json').stat().st_mtime_ns
        printed = make('--natural', 1, '--stress', 1, '--clean', 0, '--validate', 0, '--keep-alignments')
        self.assertNotIn('train_natural_0000: 0 pairs', printed)
        self.assertEqual((first / 'recipe.json').stat().st_mtime_ns, aligned, 'a complete step was done again')
        self.assertEqual((first / 'reads.bam').read_bytes(), before)
        listed = json.loads((folder / 'sets.json').read_text())
        self.assertEqual(listed['train'], {'natural': ['train_natural_0000'], 'stress': ['train_stress_0000'], 'clean': []})
        for name in ('train_natural_0000', 'train_stress_0000'):
            examples = json.loads((folder / name / 'examples' / 'examples.json').read_text())
            self.assertGreater(examples['examples'], 50, examples)
            self.assertTrue((folder / name / 'hidden_copies.bed').exists())
        self.assertEqual(make('--natural', 1, '--stress', 1, '--clean', 0, '--validate', 0), '')
        # A set that another run is making is left to it.
        (first / 'examples' / 'examples.json').unlink()
        (first / 'recipe.json').unlink()
        with open(folder / '.locks' / 'train_natural_0000', 'w') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertEqual(make('--natural', 1, '--stress', 1, '--clean', 0, '--validate', 0), '')
        self.assertTrue((first / 'ref.fa').exists(), 'a set of another run was removed')
        self.assertEqual(sorted(p.name for p in first.iterdir() if p.suffix == '.fa' or p.is_dir()), ['examples', 'ref.fa'])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
