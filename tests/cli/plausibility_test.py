#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the warnings about data that do not look like reads of one genome and the given reference."""
import gzip
import json
import random
import re

import gannet_testing
from gannet_testing import fastq_text, run, simulated


def text_of(path):
    with gzip.open(path, 'rt') as file:
        return file.read()


def sequence_of(reference):
    return ''.join(line for line in reference.read_text().splitlines() if not line.startswith('>'))


class Plausibility(gannet_testing.Case):
    def setUp(self):
        self.sample = simulated()
        self.work = self.folder()

    def write(self, name, text):
        path = self.work / name
        path.write_text(text)
        return path

    def pairs(self, count=400):
        """(name, bases) of the first mates and of the second ones."""
        mates = []
        for path in self.sample.reads:
            lines = text_of(path).splitlines()[:4 * count]
            mates.append([(title[1:].split()[0].removesuffix('/1').removesuffix('/2'), bases)
                          for title, bases in zip(lines[::4], lines[1::4])])
        return mates

    def warns(self, says, *reads, words=()):
        """align warns and ends well, run reports the warning, and --strict ends with 3 and leaves nothing."""
        out = self.folder()
        done = run('run', self.sample.reference, *reads, '-o', out, '--sample', 'S', *words)
        warnings = json.loads((out / 'S.run.json').read_text())['warnings']
        self.assertIn(says, ' '.join(warnings))
        for warning in warnings:
            self.assertIn('[gannet] warning: ' + warning, done.stderr)
        strict = self.folder()
        self.refused(3, 'run', self.sample.reference, *reads, '-o', strict, '--sample', 'S', '--strict', *words, says=says)
        self.assert_files(strict)
        self.refused(3, 'align', self.sample.reference, *reads, '-o', strict / 'x.bam', '--strict', *words, says=says)
        self.assert_files(strict)

    def test_usual_data_pass(self):
        out = self.folder()
        run('run', self.sample.reference, *self.sample.reads, '-o', out, '--sample', 'S', '--strict')
        run('call', self.sample.reference, out / 'S.bam', '-o', out / 'x.vcf', '--strict')

    def test_reads_of_another_species(self):
        chance = random.Random(3)
        reads = [(f'r{i}', ''.join(chance.choice('ACGT') for _ in range(150))) for i in range(200)]
        self.warns('of the reads are mapped', self.write('1.fq', fastq_text(reads)))

    def test_mates_that_do_not_belong_together(self):
        first, second = self.pairs()
        moved = [(name, bases) for (name, _), (_, bases) in zip(first, second[7:] + second[:7])]
        self.warns('in proper pairs: do R1 and R2 belong together?', self.write('1.fq', fastq_text(first)), self.write('2.fq', fastq_text(moved)))

    def test_pairs_of_other_orientation_are_named(self):
        def turned(reads):
            return [(name, bases[::-1].translate(str.maketrans('ACGT', 'TGCA'))) for name, bases in reads]
        first, second = self.pairs(800)
        for says, reads in (('most pairs are RF (reverse-forward)', (turned(first), turned(second))),
                            ('both mates of most pairs have one direction', (first, turned(second)))):
            paths = [self.write(f'{mate}.fq', fastq_text(mates)) for mate, mates in enumerate(reads)]
            words = ('run', self.sample.reference, *paths, '--sample', 'S')
            out = self.folder()
            run(*words, '-o', out)
            self.assertIn('are in proper pairs: ' + says, ' '.join(json.loads((out / 'S.run.json').read_text())['warnings']))
            page = (out / 'S.report.html').read_text()
            for check in ('Properly paired', 'Chimeras'):
                note = re.search(f'>{check}</th>.*?<td class="note">(.*?)</td>', page).group(1)
                self.assertIn('RF' if 'RF' in says else 'one direction', note)
            strict = self.folder()
            self.refused(3, *words, '-o', strict, '--strict', says=says)
            self.assert_files(strict)

    def test_bases_that_calling_does_not_use(self):
        paths = []
        for mate, reads in enumerate(self.pairs()):
            paths.append(self.write(f'{mate}.fq', ''.join(f'@{name}\n{bases}\n+\n{"#" * len(bases)}\n' for name, bases in reads)))
        says = '100.0 % of the bases have qualities below 10, which calling does not use'
        out = self.folder()
        run('run', self.sample.reference, *paths, '-o', out, '--sample', 'S')
        self.assertIn(says, ' '.join(json.loads((out / 'S.run.json').read_text())['warnings']))
        words = ('call', self.sample.reference, out / 'S.bam', '-o', self.work / 'x.vcf')
        self.assertIn(f'warning: {says}', run(*words).stderr)
        strict = self.folder()
        self.refused(3, 'run', self.sample.reference, *paths, '-o', strict, '--sample', 'S', '--strict', says=says)
        self.assert_files(strict)
        self.refused(3, *words, '--strict', says=says)

    def test_one_file_given_twice(self):
        first, _ = self.pairs()
        self.warns('have the same bases', self.write('1.fq', fastq_text(first)), self.write('2.fq', fastq_text(first)),
                   words=['--no-duplicates'])

    def test_files_of_the_same_mate(self):
        first, second = self.pairs()
        for tail in ('/1', ' 1:N:0:ACGT'):
            self.warns('both files are R1', self.write('1.fq', fastq_text(first, tail)), self.write('2.fq', fastq_text(second, tail)))

    def test_interleaved_file_taken_for_single_reads(self):
        first, second = self.pairs()
        mixed = [read for pair in zip(first, second) for read in pair]
        path = self.write('1.fq', fastq_text(mixed))
        self.warns('give --interleaved', path)
        run('align', self.sample.reference, path, '--interleaved', '-o', self.work / 'x.bam', '--strict')

    def test_panel_taken_for_a_genome(self):
        sequence = sequence_of(self.sample.reference)
        chance = random.Random(5)
        peaks = [at for at in range(12000, len(sequence) - 12000, 10000) if 'N' not in sequence[at:at + 400]]
        reads = []
        for i in range(102000):
            at = peaks[i % len(peaks)] + chance.randrange(200)
            reads.append((f'r{i}', sequence[at:at + 60]))
        path = self.write('panel.fq', fastq_text(reads))
        done = run('align', self.sample.reference, path, '-o', self.work / 'x.bam')
        self.assertIn('warning: the reads cover only', done.stderr)
        self.refused(3, 'call', self.sample.reference, self.work / 'x.bam', '-o', self.work / 'x.vcf', '--strict', says='the reads cover only')
        self.assertFalse((self.work / 'x.vcf').exists())

    def test_panel_with_its_targets_is_plausible(self):
        contig, sequence = self.sample.reference.read_text()[1:].split('>')[0].split('\n', 1)
        sequence = sequence.replace('\n', '')
        chance = random.Random(5)
        peaks = [at for at in range(2000, len(sequence) - 5000, 10000) if 'N' not in sequence[at:at + 400]]
        reads = []
        for i in range(102000):
            at = peaks[i % len(peaks)] + chance.randrange(200)
            reads.append((f'r{i}', sequence[at:at + 60]))
        path = self.write('panel.fq', fastq_text(reads))
        right = self.write('right.bed', ''.join(f'{contig}\t{at}\t{at + 260}\n' for at in peaks))
        wrong = self.write('wrong.bed', ''.join(f'{contig}\t{at + 4000}\t{at + 4260}\n' for at in peaks))
        words = (self.sample.reference, path, '--sample', 'S', '--strict')
        out = self.folder()
        run('run', *words, '-o', out, '--targets', right)
        self.assertEqual([w for w in json.loads((out / 'S.run.json').read_text())['warnings'] if 'cover only' in w], [])
        self.assertRegex(run('run', *words, '-o', out, '--targets', right).stderr, r'mean depth [\d.]+x over the whole reference, not the targets\n')
        run('align', *words, '-o', self.work / 'y.bam', '--targets', right)
        self.refused(3, 'run', *words, '-o', self.folder(), '--targets', wrong, says='of --targets')
        self.refused(3, 'align', *words, '-o', self.work / 'z.bam', '--targets', wrong, says='of --targets')
        self.refused(2, 'align', *words, '--unsorted', '-o', self.work / 'z.bam', '--targets', right, says='--unsorted')

    def test_calls_that_are_no_genomes(self):
        contigs = {}
        for text in self.sample.reference.read_text().split('>')[1:]:
            title, _, sequence = text.partition('\n')
            contigs[title.split()[0]] = sequence.replace('\n', '')
        other = dict(zip('ACGT', 'CATG'))  # never a transition
        given = self.write('given.vcf', '##fileformat=VCFv4.2\n' +
                           ''.join(f'##contig=<ID={name},length={len(bases)}>\n' for name, bases in contigs.items()) +
                           '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
                           '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS\n' +
                           ''.join(f'{name}\t{at + 1}\t.\t{bases[at]}\t{other[bases[at]]}\t.\t.\t.\tGT\t0|1\n'
                                   for name, bases in contigs.items()
                                   for at in range(500, len(bases) - 500, 150) if bases[at] in other))
        reads, out = self.work / 'reads', self.folder()
        run('simulate', '--reference', self.sample.reference, '--variants', given, '--coverage', 20, '-o', reads)
        done = run('run', self.sample.reference, reads / 'reads_1.fq.gz', reads / 'reads_2.fq.gz', '-o', out, '--sample', 'S')
        says = 'of the SNPs that pass 0.0 % are transitions'
        self.assertEqual(done.stderr.count('warning: ' + says), 1)
        self.assertIn(says, ' '.join(json.loads((out / 'S.run.json').read_text())['warnings']))
        page = (out / 'S.report.html').read_text()
        self.assertIn(says, page)
        self.assertRegex(page, '>Warnings of the run</th>.*?look')
        done = run('call', self.sample.reference, out / 'S.bam', '-o', out / 'x.vcf', '--report', out / 'x.json')
        self.assertEqual(done.stderr.count('warning: ' + says), 1)
        self.assertIn(says, ' '.join(json.loads((out / 'x.json').read_text())['warnings']))

    def test_amplicons_lose_their_reads_as_duplicates(self):
        sequence = sequence_of(self.sample.reference)
        starts = [at for at in range(12000, len(sequence) - 12000, 10000) if 'N' not in sequence[at:at + 200]][:10]
        complement = str.maketrans('ACGT', 'TGCA')
        mates = [[(f'r{i}', sequence[at:at + 200][:100]) for i, at in enumerate(starts * 60)],
                 [(f'r{i}', sequence[at:at + 200][::-1].translate(complement)[:100]) for i, at in enumerate(starts * 60)]]
        reads = [self.write(f'{mate}.fq', fastq_text(pairs)) for mate, pairs in enumerate(mates)]
        says = '98.3 % of the mapped reads are marked as duplicates; reads of amplicons, or at cut sites (RAD, GBS), all start at the same places: --no-duplicates keeps them'
        out = self.folder()
        run('run', self.sample.reference, *reads, '-o', out, '--sample', 'S', '--strict')  # they are of the genome
        self.assertIn(says, ' '.join(json.loads((out / 'S.run.json').read_text())['warnings']))
        self.assertIn(says, run('align', self.sample.reference, *reads, '-o', out / 'x.bam').stderr)
        note = re.search(r'>Duplicates</th>.*?<td class="note">(.*?)</td>', (out / 'S.report.html').read_text()).group(1)
        self.assertIn(says.split('; ')[1], note)
        done = run('run', self.sample.reference, *reads, '-o', out / 'kept', '--sample', 'S', '--no-duplicates', '--strict')
        self.assertNotIn('warning', done.stderr)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
