# SPDX-License-Identifier: MIT
"""Checks tests/accuracy/scorer_trial: the arithmetic of errors, bounds and verdicts, the faults of its libraries, and a small trial from reads to verdict."""
import hashlib
import json
import subprocess
import sys

import gannet_testing
from gannet_testing import ROOT, Case, program
from scorer_test import strata, write_model

SCRIPT = ROOT / 'tests' / 'accuracy' / 'scorer_trial'
sys.path[:0] = [str(ROOT / 'tests' / 'support'), str(ROOT / 'ml' / 'train')]


def setUpModule():
    global np, dirty_sample, statistics, report, library, log_look
    try:
        import numpy as np
    except ImportError:
        gannet_testing.skip('python3-numpy is missing')
    sys.dont_write_bytecode = True
    import dirty_sample
    import log_look
    import trial_library as library
    import trial_report as report
    import trial_statistics as statistics


def change(side, outcome, position, kind='SNP', context='unique', depth=-1, quality=30.0, present=False, contig='c'):
    return statistics.Change(side, outcome, present, contig, position, kind, context, depth, quality)


def compared(changes, hidden=(), depth=15, genome='g'):
    return statistics.Comparison(changes, statistics.Spans(hidden), depth, genome)


class Statistics(Case):
    def test_errors_have_depth_and_context_of_their_place(self):
        found = compared([change('off', 'missed', 500), change('on', 'right', 500, depth=45),  # missed off, found on
                          change('off', 'missed', 900), change('on', 'missed', 900),  # nowhere a call: depth of the library
                          change('on', 'wrong', 120001, context='repeat', depth=3),
                          change('on', 'wrong', 250000, kind='indel', depth=13)], hidden=[('c', 120000, 130000)])
        unique, deep = ('SNP', 15, 1, 'unique'), ('SNP', 15, 3, 'unique')
        self.assertEqual(found.errors['off'], {deep: 1, unique: 1})
        self.assertEqual(found.errors['on'], {unique: 1, ('SNP', 15, 0, 'hidden copy'): 1, ('indel', 15, 1, 'unique'): 1})
        self.assertEqual(found.changed[deep], {('g', 'c', 0): -1})
        self.assertEqual(found.changed[unique], {('g', 'c', 0): 0})
        self.assertEqual(found.changed['SNP', 15, 0, 'hidden copy'], {('g', 'c', 1): 1})
        self.assertEqual(found.changed['indel', 15, 1, 'unique'], {('g', 'c', 2): 1})

    def test_intervals_are_half_open(self):
        spans = statistics.Spans([('c', 10, 20), ('c', 40, 50)])
        self.assertEqual([p for p in range(1, 60) if spans.contains('c', p)], [*range(11, 21), *range(41, 51)])
        self.assertFalse(spans.contains('d', 15))

    def test_the_same_place_is_one_block_in_all_libraries_of_a_genome(self):
        sets = [compared([change('off', 'wrong', 5), change('off', 'wrong', 100000)]), compared([change('on', 'wrong', 7)]),
                compared([change('off', 'wrong', 9)], genome='other')]
        off, on, blocks = statistics.pooled(sets)
        self.assertEqual((off, on), (3, 1))
        self.assertEqual(blocks, {('g', 'c', 0): -1, ('other', 'c', 0): -1})
        window = statistics.Comparison([change('off', 'wrong', 5)], statistics.Spans([]), 15, 'g', {'c': 300000})
        self.assertEqual(statistics.pooled([*sets, window])[2]['g', 'c', 3], -1)

    def test_bounds_are_quantiles_of_block_sums(self):
        self.assertEqual(statistics.upper_bound([], 50), 0)
        self.assertEqual(statistics.upper_bound([-2] * 40, 40), -80)  # every draw has the same sum
        # One block of 100 is drawn at least once with a probability of 63 %, ten of 1,000 at least 5 times with 97 % and 6 times with 93 %.
        self.assertEqual(statistics.upper_bound([-1], 100), 0)
        self.assertEqual(statistics.upper_bound([-1] * 10, 1000), -5)
        self.assertEqual(statistics.upper_bound([-1] * 10, 1000, share=0.05), -15)
        # Of a sum with mean 0 and variance 2 n: 1.645 standard deviations.
        self.assertAlmostEqual(statistics.upper_bound([1, -1] * 200, 400), 1.645 * 20, delta=2)

    def test_strata_are_judged_by_their_bounds(self):
        self.assertTrue(statistics.harmless({'upper_bound': 3, 'off': 0}))
        self.assertFalse(statistics.harmless({'upper_bound': 4, 'off': 199}))
        self.assertTrue(statistics.harmless({'upper_bound': 4, 'off': 200}))
        def setting(prior, bound, difference, natural=0):
            return {'prior': prior}, {'upper_bound': bound, 'difference': difference, 'natural_difference': natural}
        rows = [setting(0, -4, -10), setting(1, -1, -8), setting(1, -3, -8), setting(2, -4, -7), setting(3, -8, -12, 1)]
        # 3 has more errors on natural libraries, and 2 less than four fifths of the gain: of the two with a prior of 1, the lower bound.
        self.assertEqual(statistics.best_setting(rows), rows[2])
        self.assertIsNone(statistics.best_setting([setting(0, 0, -9)]))
        self.assertAlmostEqual(statistics.f1(90, 10, 20), 2 * 0.9 * (90 / 110) / (0.9 + 90 / 110))

    def test_hidden_copies_can_be_given_all_changes(self):
        found = compared([change('on', 'wrong', 5), change('on', 'wrong', 9, context='repeat'), change('off', 'wrong', 12, context='repeat')])
        found.set_context('hidden copy')
        self.assertEqual(found.changed, {('SNP', 15, 1, 'hidden copy'): {('g', 'c', 0): 1}})

    def test_verdict_follows_the_counts(self):
        def judged(off, on, bound, without=0):
            return {'off': off, 'on': on, 'difference': on - off, 'upper_bound': bound, 'without_candidate': without,
                    'fewer_of_candidates': (off - on) / (off - without)}
        side = {'wrong': 5, 'missed': 5, 'f1': 0.99}
        result = {'bp': 70e6, 'by_library': dict.fromkeys('abcdef'), 'kinds': {'SNP': judged(200, 180, -5, 100), 'indel': judged(100, 90, 1)},
                  'strata': [], 'rates': {'natural': {'SNP': judged(10, 11, 3), 'indel': judged(10, 10, 0)}}, 'sets': {'human': {'SNP': {'off': side, 'on': dict(side, wrong=8, missed=2)}, 'indel': {'off': side, 'on': side}}},
                  'real': {'x': {'off': 3, 'on': 4}, 'y': {'off': 5, 'on': 4}, 'z-thin-8': {'off': 1, 'on': 2}},
                  'calibration': {rates: {s: [] for s in ('off', 'on')} for rates in ('natural', 'stress')}, 'cpu_s': {'a-30': {'off': 8, 'on': 10}}}
        found = {line['line'].split(':')[0] + str(k): line['verdict'] for k, line in enumerate(report.verdict(result))}
        self.assertEqual(list(found.values()), ['met', 'met', 'met', 'not met', 'not met', 'not met', 'met', 'met', 'not met', 'met', 'not met', 'met', 'met', 'met', 'not judged'], found)


class Libraries(Case):
    def ends(self, text, begin, end, width):
        self.molecules = type('Molecules', (), {'bases': np.frombuffer(text, dtype=np.uint8)})
        return library.Ends(self.molecules, np.array([begin]), np.array([end]), width)

    def texts(self, ends):
        return [side[0].tobytes() for side in ends.side]

    def test_slips_change_both_mates(self):
        text = b'GATTACAGGTCAAAAAAAATCGGATCCATGC'
        tracts = library.Tracts(np.frombuffer(text, dtype=np.uint8), 1)
        self.assertEqual([(int(b), int(e), int(p)) for b, e, p in zip(tracts.begin, tracts.end, tracts.period)], [(11, 19, 1)])
        for unit, length in ((-1, 7), (1, 9), (-2, 6)):
            ends = self.ends(text, 2, 31, 26)
            ends.slip(np.array([0]), tracts, np.array([0]), np.array([unit]))
            molecule = b'TTACAGGTC' + b'A' * length + b'TCGGATCCATGC'
            first, second = self.texts(ends)
            reverse = molecule[::-1].translate(bytes.maketrans(b'ACGT', b'TGCA'))
            usable = 26 - max(0, -unit)  # what is lost is filled up behind the read
            self.assertEqual((first[:usable], second[:usable]), (molecule[:usable], reverse[:usable]))

    def test_substitutions_are_on_both_strands(self):
        ends = self.ends(b'A' * 30, 0, 30, 20)
        ends.set(np.array([0, 0]), np.array([3, 15]), np.frombuffer(b'GC', dtype=np.uint8))
        self.assertEqual(self.texts(ends), [b'AAAGAAAAAAAAAAACAAAA', b'TTTTTTTTTTTTTTGTTTTT'])

    def test_slips_follow_the_rates(self):
        rng = np.random.default_rng(3)
        bases = dirty_sample.LETTERS[rng.integers(0, 4, 200000)]
        for at in range(500, 200000, 1000):
            bases[at - 1], bases[at:at + 12], bases[at + 12] = ord('G'), ord('A'), ord('C')
        tracts = library.Tracts(bases, 2.0)
        picked = np.flatnonzero((tracts.period == 1) & (tracts.end - tracts.begin == 12))
        self.assertEqual(len(picked), 200)
        expected = 2 * 0.0035 * np.exp(0.28 * 2)
        self.assertTrue(np.allclose(tracts.rate[picked], expected))
        begin = rng.integers(0, 199000, 400000)
        rows, tract, units = tracts.draw(begin, begin + 500, rng)
        covered = sum(int(np.count_nonzero((begin <= b) & (begin + 500 >= b + 12))) for b in tracts.begin[picked])
        self.assertAlmostEqual(np.count_nonzero(np.isin(tract, picked)) / covered / expected, 1, delta=0.15)
        self.assertTrue(np.all((begin[rows] <= tracts.begin[tract]) & (tracts.end[tract] <= begin[rows] + 500)))

    def test_places_err_on_their_strand_only(self):
        rng = np.random.default_rng(4)
        places = library.Places.__new__(library.Places)
        places.position, places.rate = [np.array([50]), np.array([80])], [np.array([0.6]), np.array([0.6])]
        n = 4000
        strand = np.arange(n) % 2
        letters = np.tile(np.frombuffer(b'AC' * 50, dtype=np.uint8), (n, 1))
        qualities = np.full((n, 100), 70, dtype=np.uint8)
        places.apply(letters, qualities, np.zeros(n, dtype=np.int64), np.full(n, 100), strand, np.ones(n, dtype=bool), rng)
        wrong = letters != np.frombuffer(b'AC' * 50, dtype=np.uint8)
        self.assertEqual(sorted(set(map(tuple, np.argwhere(wrong)[:, [1]]))), [(19,), (50,)])
        for s, offset in ((0, 50), (1, 19)):  # the second reads backwards: 100 - 1 - 80
            self.assertEqual(int(wrong[strand != s, offset].sum()), 0)
            self.assertAlmostEqual(wrong[strand == s, offset].mean(), 0.6 * (0.6 + 0.9 * offset / 100), delta=0.05)

    def test_pairs_have_their_faults_where_the_molecule_has_them(self):
        rng = np.random.default_rng(8)
        bases = dirty_sample.LETTERS[rng.integers(0, 4, 20000)]
        haplotype = dirty_sample.Haplotype(bases, [], 0)
        given = library.Library('x', 'stress', 1, made_up_mb=1, duplicates=0.3, fragment=(300, 20), read_length=100)
        molecules = library.Molecules([[haplotype]])
        places = library.Places.__new__(library.Places)
        places.position, places.rate = [np.arange(50, 20000, 100), np.array([], dtype=np.int64)], [np.full(200, 0.6), np.array([])]
        sequencing = library.Sequencing(given, molecules, places, 9, str(self.folder()))
        seen = []

        def flawless(_, first, second, *__):
            seen.append((first[:, :100].copy(), second[:, :100].copy()))
            return [(mate.copy(), np.full(mate.shape, 70, dtype=np.uint8)) for mate in seen[0]]
        before, library.run_art = library.run_art, flawless
        try:
            paths = [self.folder() / f'{mate}.fq' for mate in (1, 2)]
            outs = [open(path, 'wb') for path in paths]
            sequencing.write(outs, 400, 0)
            for out in outs:
                out.close()
        finally:
            library.run_art = before
        text = bases.tobytes()
        wrong, at, strands = 0, [], []
        for mate, path in enumerate(paths):
            lines = path.read_bytes().split(b'\n')
            reads, strands_of = lines[1::4], []
            self.assertEqual((len(reads), lines[0][:1]), (400, b'@'))
            for read, whole in zip(reads, seen[0][mate]):
                whole = whole.tobytes()
                is_forward = whole in text
                begin = text.find(whole if is_forward else whole[::-1].translate(bytes.maketrans(b'ACGT', b'TGCA')))
                self.assertGreaterEqual(begin, 0)
                strands_of.append(is_forward)
                different = [k for k in range(100) if read[k] != whole[k]]
                self.assertTrue(all(is_forward and (begin + k) % 100 == 50 for k in different), (mate, is_forward, begin, different))
                wrong += len(different)
                at.append(begin)
            strands.append(strands_of)
        self.assertEqual([a != b for a, b in zip(*strands)], [True] * 400)  # the mates face each other
        self.assertLess(max(abs(a - b) for a, b in zip(at[:400], at[400:])), 350)
        self.assertEqual(wrong, sequencing.counts['systematic_errors'])
        self.assertGreater(wrong, 100)
        self.assertEqual(len(set(zip(at[:400], at[400:]))), 400 - sequencing.counts['duplicate_pairs'])

    def test_final_offsets_pass_over_inserted_copies(self):
        text = np.frombuffer(b'ACGTACGTACGTACGTACGT', dtype=np.uint8)
        haplotype = dirty_sample.Haplotype(text, [('c', 4, [b'A', b'AGG'], [1, 0], [])], 0)
        haplotype.inserts = [(haplotype.offset(10), np.frombuffer(b'TTTTT', dtype=np.uint8))]
        whole = haplotype.with_inserts()
        at = np.array([0, 3, 6, 9, 10, 12, 19])
        self.assertEqual(library.final_offsets(haplotype, at).tolist(), [0, 3, 8, 11, 17, 19, 26])
        self.assertEqual(whole[library.final_offsets(haplotype, at)].tolist(), text[at].tolist())

    def test_looks_are_recorded(self):
        path = self.folder() / 'm.json'
        path.write_text(json.dumps({'sha256': 'w', 'decision': {}, 'training': {'looks': [1]}}))
        log_look.log_look(path, 'why', ['a'], {'SNP': [2, 1]})
        looks = json.loads(path.read_text())['training']['looks']
        self.assertEqual(looks[0], 1)
        self.assertEqual((looks[1]['purpose'], looks[1]['sets'], looks[1]['weights'], looks[1]['result']), ('why', ['a'], 'w', {'SNP': [2, 1]}))


class SmallTrial(Case):
    @classmethod
    def setUpClass(cls):
        for tool in ('art_illumina', 'tabix'):
            gannet_testing.needs_tool(tool)
        cls.work = gannet_testing.new_folder()
        cls.model = write_model(cls.work, 'random', 5)
        cls.quiet = write_model(cls.work, 'quiet', 6, {**strata(), 'strata': []})

    def trial(self, step, *words, model=None, code=0):
        command = [sys.executable, SCRIPT, step, '--work', self.work / 'w', '--gannet', program(), '--scale', '0.02', '--only', 'clean-30', '--only', 'dirty-15',
                   '--threads', '1', *words] + (['--model', model] if model else [])
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_a_model_that_changes_calls_is_judged(self):
        out = self.work / 'judged'
        human = gannet_testing.simulated(0.2, 12, 17)
        self.trial('judge', '--set', f'other={human.folder}', '-o', out, model=self.model)
        result = json.loads((out / 'trial.json').read_text())
        weights = hashlib.sha256(self.model.read_bytes()).hexdigest()
        self.assertEqual(result['weights_sha256'], weights)
        dirty = result['libraries']['dirty-15']
        self.assertEqual(dirty['seed'], int.from_bytes(hashlib.sha256(f'judgement {weights} dirty-15'.encode()).digest()[:6], 'big'))
        for fault in ('duplicate_pairs', 'slipped_molecules', 'pcr_substitutions', 'oxidised_bases', 'joined_molecules', 'systematic_errors',
                      'errors_beyond_the_qualities'):
            self.assertGreater(dirty['counts'][fault], 0, fault)
        self.assertEqual(result['libraries']['clean-30']['counts']['systematic_errors'], 0)
        for kind in ('SNP', 'indel'):
            total = result['kinds'][kind]
            libraries = [result['by_library'][name][kind] for name in ('clean-30', 'dirty-15')]
            parts = [row for row in result['strata'] if row['kind'] == kind]
            for side in ('off', 'on'):
                self.assertEqual(sum(row[side] for row in libraries), total[side])
                self.assertEqual(sum(row[side] for row in parts), total[side])
            self.assertLessEqual(total['without_candidate'], total['off'])
        totals = {side: [result['kinds'][kind][side] for kind in ('SNP', 'indel')] for side in ('off', 'on')}
        self.assertNotEqual(totals['on'], totals['off'])
        compare = self.folder() / 'compared'
        folder = self.work / 'w' / f'judgement-{weights[:12]}' / 'dirty-15'
        gannet_testing.run('compare', folder / 'truth.vcf.gz', folder / 'off.vcf.gz', '--reference', folder / 'ref.fa', '--targets', folder / 'confident.bed',
                           '-o', compare, '-q')
        counts = json.loads((compare / 'compare.json').read_text())['genotype']
        for kind in ('SNP', 'indel'):
            theirs = counts[kind.lower()]
            self.assertEqual(result['by_library']['dirty-15'][kind]['off'], theirs['calls_wrong'] + theirs['truth_missed'])
        self.assertEqual(result['verdict'][0]['verdict'], 'not met')  # far below 60 Mb
        self.assertIn('other', result['sets'])
        self.assertIn('| dirty-15 | stress |', (out / 'trial.md').read_text())
        looks = json.loads(self.model.with_suffix('.json').read_text())['training']['looks']
        self.assertEqual([look['purpose'] for look in looks], ['trial'])

    def test_a_silent_model_chooses_no_strata_and_a_made_library_is_used_again(self):
        out = self.work / 'decision.json'
        self.trial('prepare', '--stream', 'selection')
        library_json = self.work / 'w' / 'selection' / 'dirty-15' / 'library.json'
        made = library_json.stat().st_mtime_ns
        zeros = write_model(self.work, 'zeros')
        text = self.trial('select', '--settings', 'both:0,reject:1', '--unlogged', '-o', out, model=zeros)
        self.assertEqual(library_json.stat().st_mtime_ns, made)
        self.assertEqual(json.loads(out.read_text())['strata'], [])
        self.assertEqual(text.count('| none |'), 32)
        self.assertNotIn('training', json.loads(zeros.with_suffix('.json').read_text()))
        self.trial('select', '--settings', 'both:0', '--unlogged', '--apply', '-o', out, model=self.model)
        applied = json.loads(self.model.with_suffix('.json').read_text())['decision']
        self.assertEqual(applied, json.loads(out.read_text()))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
