#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests --dry-run, which checks as a run does, prints a plan and writes nothing, and --log-json."""
import json
import os
import re
import shutil

import gannet_testing
from gannet_testing import run, simulated


def everything(folder):
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(folder.rglob('*'))}


class DryRun(gannet_testing.Case):
    def plan(self, *words, **more):
        done = run(*words, '--dry-run', **more)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r'^plan of gannet .*; nothing is written$')
        entries = [re.match(r'  (\S+) +(\S.*)$', line).groups() for line in lines[1:]]
        return entries, done

    def of(self, entries, title):
        return [text for name, text in entries if name == title]

    def test_run_plans_and_writes_nothing(self):
        sample, folder = simulated(), self.folder()
        before = everything(sample.folder)
        out = folder / 'new' / 'out'
        entries, _ = self.plan('run', sample.reference, *sample.reads, '-o', out, '--sample', 'S', '-t', 2, '--memory', '3G', '--backend', 'simd', '--gvcf',
                               '--log', folder / 'log', '--trace', folder / 'trace', '-q')
        self.assert_files(folder)
        self.assertEqual(everything(sample.folder), before)
        self.assertEqual(self.of(entries, 'threads'), ['2'])
        self.assertRegex(self.of(entries, 'backend')[0], 'simd')
        self.assertRegex(self.of(entries, 'memory')[0], r'^3\.0 GB: \d+ MB of index \(memory-mapped\), .* of sorted records before they spill, 4 batches in flight')
        self.assertRegex(self.of(entries, 'reads')[0], r'^1 lane, 2 files, \d+ MB$')
        self.assertEqual(self.of(entries, 'sample'), ['S'])
        self.assertRegex(self.of(entries, 'disk')[0], r'needed, [\d.]+ [GM]B free$')
        names = [os.path.relpath(path.split(', ')[0], out) for path in self.of(entries, 'writes')]
        self.assertLessEqual({'S.bam', 'S.vcf.gz', 'S.g.vcf.gz', 'S.duplicates.txt', 'S.run.json', 'S.stats'}, set(names))
        self.assertEqual(self.of(entries, 'replaces'), [])
        self.assertLessEqual({'../../log', '../../trace'}, set(names))
        names = [name for name in names if not name.startswith('..')]
        # What is planned is what a run makes.
        run('run', sample.reference, *sample.reads, '-o', out, '--sample', 'S', '--gvcf', '-q')
        made = {path.name for path in out.iterdir()}
        self.assertLessEqual(set(names), made)
        indexed = {os.path.relpath(path.split(', ')[0], out) for path in self.of(entries, 'writes') if path.endswith(', with its index')}
        self.assertEqual({name for name in made - set(names)}, {name + ('.bai' if name.endswith('.bam') else '.tbi') for name in indexed})
        before = everything(folder)
        entries, _ = self.plan('run', sample.reference, *sample.reads, '-o', out, '--sample', 'S', '--gvcf')
        self.assertEqual({os.path.basename(path) for path in self.of(entries, 'replaces')}, made)
        self.assertEqual(everything(folder), before)

    def test_depths_of_targets_are_planned(self):
        folder = self.folder()
        (folder / 'ref.fa').write_text('>c\n' + 'ACGTTGCA' * 2_500_000 + '\n')
        (folder / 'all.bed').write_text('c\t0\t15000000\nc\t10000000\t20000000\n')
        for words in (['run', folder / 'ref.fa', simulated().reads[0], '-o', folder / 'out'], ['align', folder / 'ref.fa', simulated().reads[0], '-o', folder / 'x.bam', '--qc', folder / 'q']):
            needed = []
            for targets in ([], ['--targets', folder / 'all.bed']):
                done = self.refused(7, *words, *targets, '--dry-run', '--sample', 'S', '--memory', '60M', '-t', 1, says='is too little')
                needed.append(float(re.search(r'need ([\d.]+) MB', done.stderr)[1]))
            self.assertAlmostEqual((needed[1] - needed[0]) * 2 ** 20, 4 * 20_000_000, delta=2 ** 20)  # four bytes per base

    def test_an_index_that_is_missing_is_not_built(self):
        folder = self.folder()
        (folder / 'ref.fa').write_bytes(simulated().reference.read_bytes())
        for words in (['run', folder / 'ref.fa', simulated().reads[0], '-o', folder / 'out', '--regions', 'sim1:1-5000'], ['align', folder / 'ref.fa', simulated().reads[0], '-o', folder / 'x.bam']):
            entries, _ = self.plan(*words, '--sample', 'S')
            self.assertRegex(self.of(entries, 'index')[0], r'ref\.fa\.gannet, to be built of [\d.]+ [kM]b in \d+ contigs?; its memory is not counted above')
        self.assert_files(folder, 'ref.fa')

    def test_align_and_call_plan(self):
        sample, folder = simulated(), self.folder()
        entries, _ = self.plan('align', sample.reference, *sample.reads, '-o', folder / 'x.cram', '--metrics', folder / 'm.txt', '--qc', folder / 'q')
        self.assertLessEqual({str(folder / name) for name in ('x.cram', 'm.txt', 'q.stats')}, {path.split(', ')[0] for path in self.of(entries, 'writes')})
        run('align', sample.reference, *sample.reads, '-o', folder / 'x.bam', '--sample', 'S', '-q')
        (folder / 'x.vcf').write_text('old\n')
        before = everything(folder)
        entries, _ = self.plan('call', sample.reference, folder / 'x.bam', '-o', folder / 'x.vcf', '--regions', 'sim1:1001-3000')
        self.assertEqual(self.of(entries, 'writes'), [str(folder / 'x.vcf')])
        self.assertEqual(self.of(entries, 'replaces'), [str(folder / 'x.vcf')])
        self.assertRegex(self.of(entries, 'calls')[0], r'^2\.0 kb in 1 interval of 1 contig; scorer')
        self.assertEqual(self.of(self.plan('call', sample.reference, folder / 'x.bam')[0], 'writes'), ['standard output'])
        self.assertEqual(everything(folder), before)

    def test_a_checkpoint_is_planned(self):
        sample, folder = simulated(), self.folder()
        common = [sample.reference, *sample.reads, '--sample', 'S', '--checkpoint']
        for words, wanted in ((['align', *common, '-o', folder / 'x.bam'], r'/\.gannet-checkpoint-x\.bam-[0-9a-f]{8}'),
                              (['run', *common, '-o', folder / 'new'], r'/new/\.gannet-checkpoint-S\.bam-X{8}'),
                              (['run', *common, '-o', folder / 'new', '--tmp', folder], r'/\.gannet-checkpoint-S\.bam-X{8}')):
            entries, _ = self.plan(*words)
            self.assertRegex(self.of(entries, 'writes')[-1], f'^{re.escape(str(folder))}{wanted}, which is removed at the end$')
        self.refused(2, 'align', sample.reference, '-', '-o', folder / 'x.bam', '--checkpoint', '--dry-run', says='--checkpoint needs')
        self.assert_files(folder)

    def test_what_a_run_reads_first_ends_the_plan(self):
        sample, folder = simulated(), self.folder()
        reads = sample.reads
        text = sample.reference.read_text()
        others = {'name': text.replace('>sim1', '>other', 1), 'length': text.rstrip() + 'A\n', 'fewer': text[:text.rindex('>')], 'more': text + '>more\nACGT\n'}
        for name, content in others.items():
            (folder / f'{name}.fa').write_text(content)
        (folder / 'same.fa').write_text(''.join(f'>{name}  title\r\n{bases}\r\n' for name, bases in
                                                ((record.split('\n')[0].split()[0], ''.join(record.split('\n')[1:])) for record in text.split('>')[1:])))
        index = ['--index', f'{sample.reference}.gannet']
        run('align', sample.reference, *reads, '-o', folder / 's.bam', '--sample', 'S', '-q')
        before = everything(folder)
        cases = [(4, [folder / f'{name}.fa', *reads, *index], 'was not made from') for name in others]
        cases += [(2, [sample.reference, folder / 's.bam', reads[1]], 'give no second one'), (3, [sample.reference, sample.truth], 'record 1'),
                  (3, [sample.reference, sample.reference], 'record 1'), (3, [sample.reference, reads[0], sample.reference], 'record 1')]
        for code, words, says in cases:
            for command, output in (('align', folder / 'x.bam'), ('run', folder / 'out')):
                for dry in (['--dry-run'], []):
                    self.refused(code, command, *words, '-o', output, '--sample', 'S', *dry, says=says)
            shutil.rmtree(folder / 'out', ignore_errors=True)
        self.plan('align', folder / 'same.fa', *reads, *index, '-o', folder / 'x.bam')
        self.assertEqual(everything(folder), before)

    def test_what_ends_a_run_at_its_begin_ends_the_plan(self):
        sample, folder = simulated(), self.folder()
        reads = [sample.reference, *sample.reads]
        for code, words, says in ((3, ['run', sample.reference, 'none.fq', '-o', folder / 'o'], 'none.fq'),
                                  (4, ['run', *reads, '-o', folder / 'o', '--sample', 'S', '--regions', 'chr77'], 'chr77'),
                                  (7, ['run', *reads, '-o', folder / 'o', '--sample', 'S', '--memory', '20M'], 'too little'),
                                  (2, ['align', *reads, '-o', sample.reads[0], '--format', 'bam'], 'would be written over'),
                                  (8, ['align', *reads, '-o', folder / 'no' / 'x.bam'], 'no'),
                                  (3, ['call', sample.reference, folder / 'none.bam'], 'none.bam')):
            self.refused(code, *words, '--dry-run', says=says)
        self.assert_files(folder)


class JsonLog(gannet_testing.Case):
    def lines(self, text):
        objects = [json.loads(line) for line in text.splitlines()]
        for line in objects:
            self.assertEqual(list(line), ['time', 'level', 'message'])
            self.assertRegex(line['time'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$')
        return objects

    def test_every_message_is_an_object(self):
        sample, folder = simulated(), self.folder()
        done = run('align', sample.reference, *sample.reads, '-o', folder / 'x.bam', '--sample', 'S', '--log-json', '--log', folder / 'log', '--progress', 0.05)
        objects = self.lines(done.stderr)
        self.assertGreater(len(objects), 3)
        self.assertEqual({line['level'] for line in objects}, {'info'})
        self.assertTrue(any('elapsed; peak memory' in line['message'] for line in objects))
        self.assertTrue(any(line['message'].startswith('align: ') for line in objects))
        self.assertEqual(self.lines((folder / 'log').read_text()), objects)

    def test_errors_and_warnings_have_their_level(self):
        folder = self.folder()
        name = 'a"b\\c\nd\x01\u00e9.fa'
        done = run('index', folder / name, '--log-json', code=3)
        objects = self.lines(done.stderr)
        self.assertEqual(objects[-1]['level'], 'error')
        self.assertIn(name, objects[-1]['message'])
        for words in (['index', '--log-jsn'], ['indx'], ['index'], ['index', 'a', 'b'], ['index', 'a', '--threads', 'x']):
            self.assertEqual([line['level'] for line in self.lines(run(*words, '--log-json', code=2).stderr)], ['error'])
        (folder / 'empty.fq').write_text('')
        done = run('align', simulated().reference, folder / 'empty.fq', '-o', folder / 'x.bam', '--log-json', '-q')
        self.assertEqual({line['level'] for line in self.lines(done.stderr)}, {'warning'})


if __name__ == '__main__':
    gannet_testing.main(__doc__)
