#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet on unusual inputs and checks exit code, message, and that outputs are complete or absent."""
import gzip
import random
import re
import shutil

import gannet_testing
from gannet_testing import fastq_text, run, samtools

COMPLEMENT = str.maketrans('ACGT', 'TGCA')


def pairs_of(genome, count, seed):
    """Pairs of 100 bases, 300 apart, without errors."""
    chance = random.Random(seed)
    first, second = [], []
    for i in range(count):
        begin = chance.randrange(len(genome) - 300)
        fragment = genome[begin:begin + 300]
        first.append((f'p{i}', fragment[:100]))
        second.append((f'p{i}', fragment[-100:].translate(COMPLEMENT)[::-1]))
    return first, second


def with_zeros(sam):
    """SAM with operations of length zero within and around the matches of all alignments."""
    chance = random.Random(3)
    lines = []
    for line in sam.splitlines():
        fields = line.split('\t')
        if line[0] != '@' and fields[5] != '*':
            fields[5] = re.sub(r'(\d+)M', lambda match: f'0{chance.choice("IDNPSH")}1M0{chance.choice("IDNP")}{int(match[1]) - 1}M0{chance.choice("IDNPSH")}', fields[5])
        lines.append('\t'.join(fields))
    return '\n'.join(lines) + '\n'


class Edges(gannet_testing.Case):
    def setUp(self):
        self.work = self.folder()
        chance = random.Random(1)
        self.genome = ''.join(chance.choice('ACGT') for _ in range(6000))
        self.reference = self.write('ref.fa', f'>one\n{self.genome}\n>two\n{self.genome[:90][::-1]}\n')
        self.first, self.second = pairs_of(self.genome, 200, 2)
        self.out = self.folder()

    def write(self, name, content):
        path = self.work / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def gannet(self, *words, code=0, says=None):
        done = run(*words, code=code, timeout=120)
        complaints = gannet_testing.error_lines(done.stderr)
        self.assertEqual(len(complaints), 0 if code == 0 else 1, done.stderr)
        if says:
            self.assertIn(says, done.stderr)
        return done.stdout

    def read_input(self, *words):
        """Number of records that the readers of the library find in a file."""
        return int(run(*words, using='read_input', timeout=120).stdout)

    def records(self, *reads):
        """Body of the SAM, in the input's order."""
        text = self.gannet('align', '--unsorted', self.reference, *reads, '-o', '-', '--sample', 's')
        return [line for line in text.splitlines() if not line.startswith('@')]

    def align_fails(self, *reads, code=3, says):
        out = self.out / 'x.bam'
        self.gannet('align', self.reference, *reads, '-o', str(out), code=code, says=says)
        self.assert_files(self.out)

    def test_containers_and_line_ends_give_the_same_records(self):
        text = fastq_text(self.first)
        half = text.index('@p100\n')
        members = gzip.compress(text[:half].encode()) + gzip.compress(text[half:].encode())
        plain = self.records(self.write('a.fq', text))
        self.assertEqual(len(plain), 200)
        self.assertEqual(plain, self.records(self.write('b.fq.gz', members)))
        self.assertEqual(plain, self.records(self.write('c.fq', fastq_text(self.first, newline='\r\n'))))
        self.assertEqual(plain, self.records(self.write('d.fq', fastq_text(self.first, '/1 comment'))))
        self.assertEqual(plain, self.records(self.write('e.fq', text.rstrip('\n'))))

    def test_truncated_gzip_is_refused(self):
        whole = gzip.compress(fastq_text(self.first).encode())
        self.align_fails(self.write('cut.fq.gz', whole[:-9]), says='cut.fq.gz: truncated')

    def test_pairs_of_different_length_or_order_are_refused(self):
        one = self.write('1.fq', fastq_text(self.first))
        self.align_fails(one, self.write('2.fq', fastq_text(self.second[:-1])), says='2.fq: ends after record 199')
        self.align_fails(self.write('3.fq', fastq_text(self.first[:-1])), self.write('4.fq', fastq_text(self.second)),
                         says='3.fq: ends after record 199')
        swapped = self.second[:5] + [self.second[6], self.second[5]] + self.second[7:]
        self.align_fails(one, self.write('5.fq', fastq_text(swapped)), says='5.fq: record 6: is named')
        self.align_fails(one, self.write('6.fq', ''), says='6.fq: ends after record 0')

    def test_empty_files_give_valid_empty_outputs(self):
        one, two = self.write('1.fq', ''), self.write('2.fq', '')
        for reads in ([one], [one, two]):
            self.gannet('run', self.reference, *reads, '-o', str(self.out), '--sample', 's', says='warning')
            self.assertEqual(self.read_input('bam', self.out / 's.bam'), 0)
            self.assertEqual(self.read_input('vcf', self.out / 's.vcf.gz', self.reference), 0)

    def test_reads_longer_than_the_reference_are_read(self):
        long = self.genome + self.genome[:1000]
        reads = self.write('long.fq', fastq_text([('a', long), ('b', self.genome[:90][::-1] * 3)]))
        self.gannet('align', self.reference, reads, '-o', str(self.out / 'x.bam'))
        self.assertGreaterEqual(self.read_input('bam', self.out / 'x.bam'), 2)

    def test_reads_without_bases_are_read(self):
        first = self.first[:3] + [('none', '')] + self.first[3:6]
        second = self.second[:3] + [('none', '')] + self.second[3:6]
        one, two = self.write('1.fq', fastq_text(first)), self.write('2.fq', fastq_text(second))
        self.gannet('align', self.reference, one, two, '-o', str(self.out / 'x.bam'))
        self.assertEqual(self.read_input('bam', self.out / 'x.bam'), 14)

    def test_lower_case_and_iupac_contigs_are_aligned_to(self):
        upper = self.records(self.write('1.fq', fastq_text(self.first)))
        lower = self.write('lower.fa', f'>one\n{self.genome.lower()}\n>two\n{self.genome[:90][::-1]}\n')
        self.reference = lower
        self.assertEqual(upper, self.records(self.write('1.fq', fastq_text(self.first))))
        iupac = self.genome[:1000] + 'RYKMSWBDHVN' + self.genome[1011:3000] + 'N' * 500 + self.genome[3500:]
        self.reference = self.write('iupac.fa', f'>one\n{iupac}\n')
        lines = [line.split('\t') for line in self.records(self.write('1.fq', fastq_text(self.first)))]
        mapped = sum(int(line[1]) & 4 == 0 for line in lines if int(line[1]) & 0x900 == 0)
        self.assertGreater(mapped, 160)

    def test_gaps_of_length_zero_mean_nothing(self):
        bases = self.genome[100:150]
        bodies = []
        for cigar in ('50M', '25M0D25M', '25M0I25M', '20=5=0D25='):
            head = '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:one\tLN:6000\n@SQ\tSN:two\tLN:90\n'
            read = f'0\tone\t101\t60\t{cigar}\t*\t0\t0\t{bases[:30]}{"A" if bases[30] != "A" else "C"}{bases[31:]}\t{"I" * 50}\n'
            sam = self.write('zero.sam', head + ''.join(f'r{i}\t{read}' for i in range(9)))
            text = self.gannet('call', self.reference, sam, '-o', '-', '--sample', 's')
            bodies.append([line for line in text.splitlines() if not line.startswith('#')])
        self.assertEqual(len(bodies[0]), 1)
        self.assertEqual(bodies[1:], bodies[:1] * 3)

    def test_operations_of_length_zero_change_no_call_profile_or_pileup(self):
        sample, plain = gannet_testing.called_sample()
        zeros = self.folder() / 'zeros'
        shutil.copytree(plain, zeros)
        (zeros / 's.sam').write_text(with_zeros(samtools('view', '-h', plain / 's.bam')))
        samtools('view', '-b', '--no-PG', '-o', zeros / 's.bam', zeros / 's.sam')
        samtools('index', zeros / 's.bam')
        self.assertGreater(sum('0' in re.split('[A-Z=]', line.split('\t')[5]) for line in samtools('view', zeros / 's.bam').splitlines()), 1000)
        results = []
        for folder in (plain, zeros):
            run('call', sample.reference, 's.bam', '-o', 'again.vcf', '-q', cwd=folder)
            run('report', folder, '-o', folder / 'again.html', '-q')
            vcf = (folder / 'again.vcf').read_text()
            self.assertIn('##gannet_sample_profile=', vcf)
            pileups = re.findall(r'<svg class="pileup.*?</svg>', (folder / 'again.html').read_text(), re.DOTALL)
            self.assertGreater(len(pileups), 3)
            results.append((vcf, pileups))
        self.assertEqual(results[0][0], results[1][0])
        self.assertEqual(results[0][1], results[1][1])

    def test_contigs_of_another_reference_are_refused(self):
        reads = self.write('1.fq', fastq_text(self.first))
        self.gannet('align', self.reference, reads, '-o', str(self.out / 'x.bam'))
        other = self.write('other.fa', f'>chrone\n{self.genome}\n')
        vcf = self.out / 'x.vcf'
        self.gannet('call', other, str(self.out / 'x.bam'), '-o', str(vcf), code=4, says="contig 'one' is not in the reference")
        self.assertFalse(vcf.exists())

    def test_missing_files_are_named(self):
        self.align_fails(str(self.work / 'none.fq'), says='none.fq')

    def test_outputs_that_cannot_be_written_say_so(self):
        reads = self.write('1.fq', fastq_text(self.first))
        self.gannet('align', self.reference, reads, '-o', '/nonexistent/x.bam', code=8, says='/nonexistent')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
