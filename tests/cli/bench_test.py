#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet bench: the content of its JSON, that its input depends on the seed alone, and that comparisons find a planted
slowdown, end with the right exit code, and refuse files that cannot be compared.
"""
import copy
import json
import sys

import gannet_testing
from gannet_testing import error_lines, run

PAIRS = gannet_testing.ROOT / 'tests' / 'bench' / 'bench_pairs'
QUICK = ['--size', '0.05', '--repetitions', '2', '--min-time', '0', '-q']
RESULTS = {'read': {'read'}, 'extend': {'extend.seeds', 'extend'}, 'sort': {'sort'}, 'pairhmm': {'pairhmm'}}


class Case(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        cls.root = gannet_testing.new_folder()
        cls.path = cls.root / 'all.json'
        cls.table = run('bench', *QUICK, '-t', 1, '-o', cls.path).stdout
        cls.bench = json.loads(cls.path.read_text())

    def result(self, name, bench=None):
        return next(one for one in (bench or self.bench)['results'] if one['name'] == name)

    def error(self, *words, code):
        """The one line on stderr of a command that fails."""
        return error_lines(self.refused(code, *words).stderr)[0]


class Measuring(Case):
    def test_json_says_what_was_measured_and_where(self):
        bench = self.bench
        self.assertEqual((bench['schema'], bench['schema_version']), ('gannet-bench', 2))
        self.assertIn(run('version').stdout.strip(), bench['program'])
        for field in ('commit', 'compiler', 'flags', 'build_type'):
            self.assertTrue(bench[field], field)
        machine = bench['machine']
        self.assertGreaterEqual(machine['cores'], machine['usable_cores'])
        self.assertGreater(machine['memory_bytes'], 0)
        self.assertEqual(len(machine['load_before']), 3)
        for field in ('cpu', 'simd', 'kernel'):
            self.assertTrue(machine[field], field)
        self.assertTrue(bench['backend']['choice'].startswith('backend ' + bench['backend']['name']))
        self.assertEqual(bench['options'],
                         {'threads': 1, 'repetitions': 2, 'min_time_s': 0, 'handicap': 0, 'in_turns': False})
        self.assertEqual(bench['input'], {'kind': 'simulated', 'size_mb': 0.05, 'coverage': 30, 'seed': 1})

    def test_every_stage_has_its_results(self):
        names = {one['name'] for one in self.bench['results']}
        for stage, expected in RESULTS.items():
            self.assertEqual({one['name'] for one in self.bench['results'] if one['stage'] == stage}, expected)
        kernels = {one['name'] for one in self.bench['results'] if one['stage'] == 'kernels'}
        self.assertTrue(any(name.startswith('banded_sw/') for name in kernels))
        self.assertTrue(any(name.startswith('pair_hmm/') for name in kernels))
        self.assertEqual(len(names), len(self.bench['results']))
        for name in names:
            self.assertIn(name, self.table)

    def test_throughput_follows_from_samples(self):
        for one in self.bench['results']:
            for clock in ('wall_s', 'cpu_s'):
                self.assertEqual(len(one[clock]['samples']), 2)
                self.assertAlmostEqual(one[clock]['median'], sum(one[clock]['samples']) / 2)
            for rate, (unit, amount) in zip(one['throughput'], one['work'].items()):
                self.assertEqual(rate['unit'], unit + '/s')
                self.assertAlmostEqual(rate['value'] * one['wall_s']['median'] / amount, 1)
                self.assertAlmostEqual(rate['per_cpu_second'] * one['cpu_s']['median'] / amount, 1)

    def test_every_result_is_held_against_a_bound_of_the_same_run(self):
        bounds = {bound['name']: bound for bound in self.bench['bounds']}
        has_vectors = self.bench['backend']['simd'] in ('avx2', 'avx512')
        for one in self.bench['results']:
            if one['bound'] is None:
                self.assertFalse(has_vectors, one['name'])
                continue
            bound = bounds[one['bound']['name']]
            self.assertGreater(bound['rate_per_cpu_second'], 0)
            self.assertTrue(bound['what'])
            self.assertGreater(one['bound']['fraction'], 0)
            # Nothing passes a bound, but two samples on a busy machine are no good measure of either.
            self.assertLess(one['bound']['fraction'], 1.5, one['name'])

    def test_input_follows_from_the_seed_alone(self):
        for threads, seed, same in ((1, 1, True), (2, 1, True), (1, 2, False)):
            path = self.root / 'again.json'
            run('bench', 'read', 'extend', 'sort', 'pairhmm', *QUICK, '-t', threads, '--seed', seed, '-o', path)
            again = json.loads(path.read_text())
            for name in ('extend', 'pairhmm'):
                one = self.result(name, again)
                self.assertEqual(one['digest'] == self.result(name)['digest'], same, (name, threads, seed))
            for name in ('read', 'extend.seeds', 'extend', 'sort', 'pairhmm') if same else ():
                self.assertEqual(self.result(name, again)['work'], self.result(name)['work'])

    def test_standard_output_is_json_when_asked(self):
        bench = json.loads(run('bench', 'kernels', *QUICK, '-t', 1, '-o', '-').stdout)
        self.assertEqual(bench['input'], {'kind': 'none'})
        self.assertEqual({one['stage'] for one in bench['results']}, {'kernels'})

    def test_given_data_is_measured_as_it_is(self):
        data = gannet_testing.simulated(0.05, 30, 1)
        path = self.root / 'given.json'
        run('bench', 'extend', 'pairhmm', *QUICK[2:], '-t', 1, '--reference', data.reference, '--reads', *data.reads, '-o', path)
        given = json.loads(path.read_text())
        self.assertEqual(given['input']['kind'], 'given')
        self.assertEqual(given['input']['files'][0], f'ref.fa:{data.reference.stat().st_size}')
        self.assertEqual(self.result('extend', given)['digest'], self.result('extend')['digest'])
        bam = self.root / 'data.bam'
        run('align', data.reference, *data.reads, '-o', bam, '-q', '--sample', 'bench')
        run('bench', 'pairhmm', *QUICK[2:], '-t', 1, '--reference', data.reference, '--bam', bam, '-o', path)
        self.assertEqual(self.result('pairhmm', json.loads(path.read_text()))['digest'],
                         self.result('pairhmm', given)['digest'])

    def test_nothing_is_left_behind(self):
        folder = self.folder()
        run('bench', 'read', *QUICK, '-o', folder / 'one.json')
        self.assert_files(folder, 'one.json')

    def test_what_cannot_be_measured_is_refused(self):
        self.assertIn('there is no stage raed; there are read, extend', self.error('bench', 'raed', code=2))
        self.assertIn('--reads and --bam need --reference', self.error('bench', '--reads', self.path, code=2))
        self.assertIn('needs --reads or --bam', self.error('bench', '--reference', self.path, code=2))
        self.assertIn('no such file', self.error('bench', '--reference', 'x.fa', '--reads', 'y.fq', code=3))
        self.assertIn('there is no folder', self.error('bench', '-o', self.root / 'no' / 'x.json', code=8))
        self.assertIn('did you mean --seed', self.error('bench', '--sed', '1', code=2))

    def test_help_explains(self):
        text = run('bench', '--help').stdout
        for word in ('Usage: gannet bench', 'pairhmm', '--repetitions', '--coverage', 'compare'):
            self.assertIn(word, text)
        text = run('bench', 'compare', '--help').stdout
        for word in ('Usage: gannet bench compare', '--minimum-effect', '10 a result is slower'):
            self.assertIn(word, text)


class Comparing(Case):
    def write(self, name, factor=1.0, change=None):
        """The benchmark of this case, with all its samples repeated to a dozen and scaled."""
        bench = copy.deepcopy(self.bench)
        for one in bench['results']:
            for clock in ('wall_s', 'cpu_s'):
                samples = one[clock]['samples']
                one[clock]['samples'] = [samples[i % 2] * factor * (1 + 1e-4 * (i % 5)) for i in range(14)]
        if change:
            change(bench)
        path = self.root / name
        path.write_text(json.dumps(bench))
        return path

    def test_build_with_itself_is_exit_0(self):
        base, new = self.write('a.json'), self.write('b.json')
        text = run('bench', 'compare', base, new).stdout
        self.assertNotIn('slower', text)
        self.assertIn('1.000', text)

    def test_slowdown_is_exit_10_and_speedup_is_not(self):
        base, new = self.write('a.json'), self.write('b.json', 1.2)
        done = run('bench', 'compare', base, new, '-o', self.root / 'c.json', code=10)
        self.assertIn('gannet: error: the new build is slower', done.stderr)
        comparison = json.loads((self.root / 'c.json').read_text())
        self.assertEqual({one['verdict'] for one in comparison['results']}, {'slower'})
        for one in comparison['results']:
            self.assertAlmostEqual(one['ratio'], 1.2, places=2)
            self.assertLessEqual(one['low'], one['ratio'])
        self.assertIn('faster', run('bench', 'compare', new, base).stdout)

    def test_pairs_by_turns_and_by_lists_are_the_same(self):
        base = [self.write(f'a{i}.json', 1 + 0.01 * i) for i in range(14)]
        new = [self.write(f'b{i}.json', 1.3 + 0.01 * i) for i in range(14)]
        turns = [path for pair in zip(base, new) for path in pair]
        first = run('bench', 'compare', *turns, code=10).stdout
        self.assertEqual(first, run('bench', 'compare', '--base', *base, '--new', *new, code=10).stdout)
        self.assertIn('14 pairs', first)

    def test_two_pairs_are_too_few(self):
        base, new = self.write('a.json'), self.write('b.json', 2)
        self.assertIn('too few', run('bench', 'compare', base, new, base, new).stdout)

    def test_files_that_cannot_be_compared_are_refused(self):
        base = self.write('a.json')
        cut = self.root / 'cut.json'
        cut.write_text(base.read_text()[:1000])
        self.assertIn('cut.json: is not whole JSON', self.error('bench', 'compare', base, cut, code=3))
        self.assertIn('no such file', self.error('bench', 'compare', base, 'x.json', code=3))
        other = self.write('b.json', change=lambda bench: bench.update(schema_version=9))
        self.assertIn('has version 9', self.error('bench', 'compare', base, other, code=3))
        other = self.write('b.json', change=lambda bench: bench['machine'].update(cpu='another'))
        self.assertIn('different machines', self.error('bench', 'compare', base, other, code=2))
        self.assertIn('machines differ', run('bench', 'compare', base, other, '--any-machine').stdout)
        other = self.write('b.json', change=lambda bench: bench['input'].update(seed=3))
        self.assertIn('different inputs', self.error('bench', 'compare', base, other, code=2))
        self.assertIn('their number must be even', self.error('bench', 'compare', base, code=2))
        self.assertIn('give two files', self.error('bench', 'compare', code=2))
        self.assertIn("--by: 'gpu': give cpu or wall", self.error('bench', 'compare', '--by', 'gpu', base, base, code=2))
        self.assertIn('the same number of files', self.error('bench', 'compare', '--base', base, code=2))

    def test_missing_stage_is_noted(self):
        base = self.write('a.json')
        other = self.write('b.json', change=lambda bench: bench['results'].pop(0))
        self.assertIn('read is not compared', run('bench', 'compare', base, other).stdout)

    def test_what_bench_pairs_asks_for_is_checked(self):
        for name, value in (('TURNS', '3'), ('TURNS', ''), ('TURNS', '3,x'), ('HANDICAP', '-1'), ('HANDICAP', '1x')):
            stderr = run('bench', 'read', code=2, env={f'GANNET_BENCH_{name}': value}).stderr
            self.assertIn(f'GANNET_BENCH_{name}: ', stderr)

    def test_slower_work_is_found_end_to_end(self):
        """Twice the work in pairs of real runs by turns: the script, the pipes and the verdict."""
        gannet = gannet_testing.program()
        words = ['--base', gannet, '--new', gannet, '--handicap', '1', '--pairs', '9', '--expect', 'slower', '--',
                 'extend', '--size', '0.02', '--repetitions', '3', '--min-time', '0.005', '-t', '1']
        done = gannet_testing.execute([sys.executable, PAIRS, *words])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('0 of 1 comparisons', done.stdout)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
