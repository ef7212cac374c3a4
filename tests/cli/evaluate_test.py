#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs `gannet evaluate-model`: counts from examples and from VCFs, its outputs, what is refused."""
import json
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

import gannet_testing
from gannet_testing import bcftools, new_folder, run
from scorer_test import strata, write_model


def groups(folder):
    """The counts by group: (kind, depth or context) to (off, on)."""
    entries = json.loads((folder / 'evaluation.json').read_text())['groups']
    return {(g['kind'], g.get('depth') or g.get('context')): (g['off'], g['on']) for g in entries if not ('depth' in g and 'context' in g)}


class EvaluateModel(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        sample = gannet_testing.simulated(0.3, 12, 17)
        cls.reference, cls.truth = sample.reference, sample.truth
        cls.work = new_folder()
        cls.bam = cls.work / 'x.bam'
        run('align', cls.reference, *sample.reads, '-o', cls.bam, '-q')
        cls.examples = cls.work / 'examples'
        run('examples', cls.reference, cls.bam, '--truth', cls.truth, '-o', cls.examples, '--shards', 2, '-q')
        cls.model = write_model(cls.work, 'random', 5)

    def evaluate(self, *words):
        out = self.folder() / 'evaluation'
        return out, run('evaluate-model', *words, '-o', out, '-q').stdout

    def test_a_silent_model_has_the_errors_of_the_caller(self):
        out, table = self.evaluate(self.examples, '--model', write_model(self.work, 'silent', 5, strata('none')))
        for name, (off, on) in groups(out).items():
            self.assertEqual(off, on, name)
        snp = groups(out)['SNP', None][0]
        self.assertGreater(snp['right'], 100)
        self.assertGreater(snp['missed'], 0)
        self.assertRegex(table, rf'(?m)^SNP +{snp["right"]} +{snp["wrong"]} +{snp["missed"]} ')

    def test_names_that_are_not_utf_8_are_taken(self):
        folder = self.folder()
        odd = os.fsdecode(b'\xe9')  # Latin-1
        bam = f'{folder}/x{odd}.bam'
        run('align', self.reference, *gannet_testing.simulated(0.3, 12, 17).reads, '-o', bam, '-q')
        run('examples', self.reference, bam, '--truth', self.truth, '-o', f'{folder}/e{odd}', '-q')
        run('evaluate-model', f'{folder}/e{odd}', '--model', self.model, '-o', f'{folder}/v{odd}', '-q')
        evaluated = json.loads(pathlib.Path(f'{folder}/v{odd}/evaluation.json').read_text())
        self.assertIn('\ufffd', json.dumps(evaluated, ensure_ascii=False))
        self.assertEqual(evaluated['groups'], json.loads((self.evaluate(self.examples, '--model', self.model)[0] / 'evaluation.json').read_text())['groups'])
        measured = []
        for name in 'ab':
            measured.append(f'{folder}/{name}{odd}.json')
            run('bench', 'pairhmm', '--repetitions', 3, '--min-time', 0.01, '-t', 1, '--reference', self.reference, '--bam', bam, '-o', measured[-1], '-q')
            self.assertIn('x\ufffd.bam:', json.dumps(json.loads(pathlib.Path(measured[-1]).read_text()), ensure_ascii=False))
        self.assertIn(run('bench', 'compare', *measured, '-o', f'{folder}/c{odd}.json', code=None).returncode, (0, 10))
        json.loads(pathlib.Path(f'{folder}/c{odd}.json').read_text())

    def test_groups_divide_their_kind(self):
        out, _ = self.evaluate(self.examples, '--model', self.model)
        found = groups(out)
        missing = json.loads((self.examples / 'examples.json').read_text())['truth_without_candidate']
        contexts = ('unique', 'homopolymer', 'repeat', 'hidden copy')
        for kind in ('SNP', 'indel'):
            for side in (0, 1):
                whole = found[kind, None][side]
                for names in (contexts, ('0-11', '12-21', '22-39', '40 and more')):
                    for what in ('right', 'wrong', 'missed'):
                        part = sum(found[kind, name][side][what] for name in names)
                        self.assertEqual(part + (missing[kind.lower()] if what == 'missed' else 0), whole[what], (kind, names, what))
                strata = [g for g in json.loads((out / 'evaluation.json').read_text())['groups'] if 'depth' in g and 'context' in g and g['kind'] == kind]
                self.assertEqual(len(strata), 16)
                self.assertEqual(sum(g[('off', 'on')[side]]['right'] for g in strata), whole['right'])
                points = whole['curve']
                self.assertEqual(points, sorted(points, reverse=True))
                self.assertEqual([points[-1][1], points[-1][2]], [whole['right'], whole['wrong']])
        self.assertNotEqual(found['SNP', None][0], found['SNP', None][1])

    def test_everywhere_and_the_table_show_what_the_network_would_do(self):
        silent = write_model(self.work, 'quiet', 5, {**strata(), 'strata': []})
        table = self.folder() / 'table.tsv'
        out, _ = self.evaluate(self.examples, '--model', silent, '--everywhere', '--table', table)
        heard, _ = self.evaluate(self.examples, '--model', self.model)
        self.assertEqual(groups(out), groups(heard))
        head, *rows = [line.split('\t') for line in table.read_text().splitlines()]
        self.assertEqual(len(rows), json.loads((self.examples / 'examples.json').read_text())['examples'])
        column = {name: k for k, name in enumerate(head)}
        changed = [row for row in rows if row[column['copies_off']] != row[column['copies_on']]]
        self.assertGreater(len(changed), 0)
        heard = [row for row in rows if [row[column[f'correction{c}']] for c in range(3)] != ['0', '0', '0']]
        self.assertGreater(len(heard), 20)
        for row in [*heard, *changed]:
            self.assertEqual(row[column['settled']], '0')
            self.assertNotEqual([row[column[f'correction{c}']] for c in range(3)], ['0', '0', '0'])

    def test_calls_are_evaluated_as_compare_counts_them(self):
        calls = {}
        for name, words in (('off', ['--no-scorer']), ('on', ['--model', self.model])):
            calls[name] = self.folder() / f'{name}.vcf.gz'
            run('call', self.reference, self.bam, '-o', calls[name], '-q', *words)
        table = self.folder() / 'changes.tsv'
        out, _ = self.evaluate('--truth', self.truth, '--off', calls['off'], '--on', calls['on'], '--reference', self.reference, '--table', table)
        head, *rows = [line.split('\t') for line in table.read_text().splitlines()]
        self.assertEqual(head, ['side', 'outcome', 'present', 'contig', 'position', 'kind', 'context', 'DP', 'QUAL_centi'])
        for side, name in enumerate(('off', 'on')):
            compared = self.folder() / 'compared'
            run('compare', self.truth, calls[name], '--reference', self.reference, '-o', compared, '-q')
            counts = json.loads((compared / 'compare.json').read_text())
            for kind in ('SNP', 'indel'):
                mine = groups(out)[kind, None][side]
                text = json.dumps(counts)
                self.assertIn(str(mine['missed']), text)
                theirs = counts[kind.lower()] if kind.lower() in counts else counts['genotype'][kind.lower()]
                self.assertEqual([sum(row[0] == name and row[1] == what and row[5] == kind for row in rows) for what in ('right', 'wrong', 'missed')],
                                 [mine['right'], mine['wrong'], mine['missed']], (name, kind))
                self.assertEqual([mine['right'], mine['wrong'], mine['missed']],
                                 [theirs['calls_right'], theirs['calls_wrong'], theirs['truth_missed']], (name, kind))
        twice = self.folder() / 'twice.vcf'
        lines = bcftools('view', calls['off']).splitlines(keepends=True)
        twice.write_text(''.join([*lines, lines[-1]]))
        done = run('evaluate-model', '--truth', self.truth, '--off', twice, '--on', calls['on'], '--reference', self.reference, '-o', self.folder() / 'again')
        self.assertIn(f'warning: {twice}: 1 record is there twice, with the same position, alleles and genotype: counted once', done.stderr)
        self.assertGreater(sum(groups(out)['SNP', depth][0]['right'] for depth in ('0-11', '12-21')), 50)
        self.assertTrue(all(row[2] == '1' and row[7] == '-1' for row in rows if row[1] == 'missed'))
        positions = {int(line.split('\t')[1]) for line in gannet_testing.vcf_body(calls['off']) if '\tPASS\t' in line}
        right = [row for row in rows if row[:2] == ['off', 'right'] and row[5] == 'SNP']
        self.assertTrue(all(row[2] == '1' and int(row[4]) in positions and int(row[7]) > 0 and int(row[8]) > 0 for row in right))

    def test_more_candidates_miss_fewer_variants(self):
        counts = {}
        for limit in ('-0.001', '-3.5', '-5'):
            out = self.folder() / 'examples'
            run('examples', self.reference, self.bam, '--truth', self.truth, '--minimum-presence', limit, '-o', out, '-q')
            summary = json.loads((out / 'examples.json').read_text())
            counts[limit] = (summary['examples'], sum(summary['truth_without_candidate'].values()))
            self.assertEqual('--minimum-presence' in summary['command'], limit != '-3.5')
        self.assertLess(counts['-0.001'][0], counts['-3.5'][0])
        self.assertLess(counts['-3.5'][0], counts['-5'][0])
        self.assertGreater(counts['-0.001'][1], counts['-5'][1])
        self.refused(2, 'examples', self.reference, self.bam, '--minimum-presence', '1', '-o', self.folder(), says='--minimum-presence')

    def test_proposed_strata_have_fewer_errors(self):
        decision = self.folder() / 'decision.json'
        done = gannet_testing.execute([sys.executable, gannet_testing.ROOT / 'ml/train/fit_strata.py', self.model, self.examples, '-o', decision,
                                       '--gannet', gannet_testing.program('gannet')])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 32)
        proposed = json.loads(decision.read_text())
        self.assertEqual(len(proposed['strata']), sum(' none ' not in line for line in done.stdout.splitlines()))
        out, _ = self.evaluate(self.examples, '--model', write_model(self.work, 'fitted', 5, proposed))
        for kind in ('SNP', 'indel'):
            off, on = groups(out)[kind, None]
            fewer = (off['wrong'] + off['missed']) - (on['wrong'] + on['missed'])
            self.assertGreaterEqual(fewer, 3 * sum(stratum['kind'] == kind for stratum in proposed['strata']))

    def test_pictures_stand_alone(self):
        out, _ = self.evaluate(self.examples, '--model', self.model)
        for name in ('calibration.svg', 'curves.svg'):
            text = (out / name).read_text()
            tree = xml.etree.ElementTree.fromstring(text)
            self.assertTrue(tree.tag.endswith('svg'))
            self.assertEqual(re.findall(r'(?:href|src|url)\s*[=(]', text), [])
            self.assertIn('indel', text)
        self.assertIn('<circle', (out / 'calibration.svg').read_text())
        self.assertGreaterEqual((out / 'curves.svg').read_text().count('<polyline'), 4)

    def test_what_cannot_be_evaluated_is_refused(self):
        out = self.folder() / 'e'
        self.refused(2, 'evaluate-model', '-o', out, says='EXAMPLES')
        self.refused(2, 'evaluate-model', self.examples, '--truth', self.truth, '-o', out, says='either')
        self.refused(2, 'evaluate-model', '--truth', self.truth, '--off', self.truth, '-o', out, says='--on')
        self.refused(3, 'evaluate-model', self.folder(), '--model', self.model, '-o', out, says='.gnx')
        self.refused(3, 'evaluate-model', self.examples, '--model', out / 'absent.safetensors', '-o', out, says='absent')
        self.refused(2, 'evaluate-model', self.examples, '--model', self.model, '-o', out, '--table', self.model, says='--table')
        self.refused(2, 'evaluate-model', self.examples, '--model', self.model, '-o', self.examples, '--table', self.examples / 'examples-00000-of-00002.gnx',
                     says='--table')

    def test_the_summary_of_the_examples_is_not_written_over(self):
        summary = self.examples / 'examples.json'
        before = summary.read_bytes()
        for option in ('--table', '--log', '--trace'):
            self.refused(2, 'evaluate-model', self.examples, '--model', self.model, '-o', self.folder() / 'e', option, summary, says=option)
            self.assertEqual(summary.read_bytes(), before)

    def test_a_folder_has_the_shards_of_one_plan(self):
        folder = self.folder()
        examples = ('examples', self.reference, self.bam, '--truth', self.truth, '-o', folder, '-q')
        run(*examples, '--shards', 2)
        made = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.refused(2, *examples, '--shards', 1, says='00000-of-00002.gnx: is a shard of another plan than one of 1')
        self.refused(2, *examples, '--shards', 3, says='of another plan')
        self.assertEqual({path.name: path.read_bytes() for path in folder.iterdir()}, made)
        run(*examples, '--shards', 2)
        self.assertEqual({path.name: path.read_bytes() for path in folder.iterdir()}, made)
        (folder / 'examples-00000-of-00001.gnx').write_bytes(made['examples-00000-of-00002.gnx'])
        self.refused(2, 'evaluate-model', folder, '--model', self.model, '-o', self.folder() / 'e', says='shards of several runs of gannet examples, of 1 and of 2')

    def test_a_shard_counts_once(self):
        out = self.folder() / 'e'
        first, other = (self.examples / f'examples-0000{i}-of-00002.gnx' for i in (0, 1))
        link, linked = self.folder() / 'link', self.folder() / 'mine.gnx'
        link.symlink_to(self.examples)
        linked.hardlink_to(first)
        for words in ([self.examples, first], [self.examples, link], [first, other, first], [self.examples, self.examples], [first, linked]):
            done = self.refused(2, 'evaluate-model', *words, '--model', self.model, '-o', out, says='examples-00000-of-00002.gnx')
            self.assertRegex(done.stderr, 'given twice|is the same file as .*: each shard can be given once')
            self.assertFalse(out.exists())
        apart, _ = self.evaluate(first, other, '--model', self.model)
        self.assertGreater(groups(apart)['SNP', None][0]['right'], 100)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
