#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that very deep coverage is sorted and called within --memory, and that the calls depend on nothing but the reads."""
import functools
import random
import re
import shutil

import scorer_test
from gannet_testing import Case, bam_records, content, execute, fastq_text, main, new_folder, program, run, samtools, test_data, vcf_body

MEMORY_MB = 182  # what one thread needs at least
READ_BASES = 250
READS = 200_000


def random_bases(count, chance):
    return ''.join(chance.choice('ACGT') for _ in range(count))


class Sample:
    """200,000 reads on a contig of 16.5 kb, half of them within 100 bases; three homozygous SNVs. Before and after it, ordinary depth."""

    def __init__(self):
        chance = random.Random(5)
        self.folder = new_folder()
        ordinary, deep = random_bases(20_000, chance), random_bases(16_569, chance)
        self.reference = self.folder / 'ref.fa'
        self.reference.write_text(f'>ordinary\n{ordinary}\n>deep\n{deep}\n')
        ordinary, deep = self.mutated(ordinary, (4_000, 9_000)), self.mutated(deep, (3_000, 8_000, 12_000))
        reads = []
        for i in range(READS):
            begin = chance.randrange(len(deep) - READ_BASES) if i % 2 else 5_000 + chance.randrange(100)
            reads.append((f'd{i}', deep[begin:begin + READ_BASES]))
        for i in range(2_400):
            begin = chance.randrange(len(ordinary) - READ_BASES)
            reads.append((f'o{i}', ordinary[begin:begin + READ_BASES]))
        self.reads = self.folder / 'reads.fq'
        self.reads.write_text(fastq_text(reads))
        run('index', self.reference)
        self.bam = self.folder / 'all.bam'
        run('align', self.reference, self.reads, '--sample', 's', '-o', self.bam, '--no-duplicates', '-t', 2)

    @staticmethod
    def mutated(bases, positions):
        letters = list(bases)
        for position in positions:
            letters[position] = 'ACGT'[('ACGT'.index(letters[position]) + 1) % 4]
        return ''.join(letters)


@functools.cache
def sample():
    return Sample()


@functools.cache
def mitochondria():
    """A contig of 16.5 kb at 10,000x, 1.1 million reads, with a heterozygous variant every 30 bp."""
    chance = random.Random(9)
    folder = new_folder()
    bases = random_bases(16_569, chance)
    (folder / 'ref.fa').write_text(f'>deep\n{bases}\n')
    lines = ['##fileformat=VCFv4.2', '##contig=<ID=deep>', '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
             '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts']
    for position in range(100, len(bases) - 100, 30):
        base = bases[position]
        alternate = chance.choice([chance.choice('ACGT'.replace(base, '')), base + random_bases(3, chance)])
        lines.append(f'deep\t{position + 1}\t.\t{base}\t{alternate}\t.\t.\t.\tGT\t0/1')
    (folder / 'variants.vcf').write_text('\n'.join(lines) + '\n')
    run('simulate', '--reference', folder / 'ref.fa', '--variants', folder / 'variants.vcf', '--coverage', 10_000, '-o', folder / 'reads', '-q')
    run('index', folder / 'ref.fa', '-q')
    return folder


def measured(*words):
    """Peak resident memory (MB) and CPU seconds of a run of gannet, and what it wrote to standard error."""
    measure = ('import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; '
               'used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_maxrss // 1024, used.ru_utime + used.ru_stime, code)')
    done = execute(['python3', '-c', measure, program(), *words])
    peak, seconds, code = done.stdout.split()
    if code != '0':
        raise AssertionError(f'{words}: exit {code}\n{done.stderr}')
    return int(peak), float(seconds), done.stderr


def peak_mb(*words):
    """Peak resident memory of a run of gannet, and what it wrote to standard error."""
    peak, _, log = measured(*words)
    return peak, log


class DeepCoverage(Case):
    def test_run_keeps_its_memory_and_warns(self):
        s, out = sample(), self.folder()
        for duplicates in ([], ['--no-duplicates']):
            peak, log = peak_mb('run', s.reference, s.reads, '--sample', 's', '-o', out, '--memory', f'{MEMORY_MB}M', '-t', 1, *duplicates)
            self.assertLessEqual(peak, MEMORY_MB, duplicates)
        self.assertIn('very deep coverage', log)
        self.assertEqual([line.split('\t')[:2] for line in vcf_body(out / 's.vcf.gz')],
                         [['ordinary', '4001'], ['ordinary', '9001'], ['deep', '3001'], ['deep', '8001'], ['deep', '12001']])

    def test_call_keeps_its_memory(self):
        s, out = sample(), self.folder()
        peak, log = peak_mb('call', s.reference, s.bam, '-o', out / 'x.vcf', '--memory', f'{MEMORY_MB}M', '-t', 1)
        self.assertLessEqual(peak, MEMORY_MB)
        left_out = int(re.search(r'very deep coverage: about (\d+) reads', log).group(1))
        self.assertTrue(98_000 < left_out < 102_000, left_out)  # of 100,000 at one place 1,024 stay

    def test_records_and_calls_do_not_depend_on_threads_memory_or_shards(self):
        s, out = sample(), self.folder()
        run('call', s.reference, s.bam, '-o', out / 'one.vcf', '-t', 1)
        expected = vcf_body(out / 'one.vcf')
        self.assertEqual(len(expected), 5)
        run('call', s.reference, s.bam, '-o', out / 'two.vcf', '-t', 2, '--batch-records', 100)
        self.assertEqual(vcf_body(out / 'two.vcf'), expected)
        shards = []
        for region in ('ordinary', 'deep:1-7000', 'deep:7001-10000', 'deep:10001-16569'):
            run('call', s.reference, s.bam, '-o', out / 'shard.vcf', '--regions', region)
            shards += vcf_body(out / 'shard.vcf')
        self.assertEqual(shards, expected)
        run('run', s.reference, s.reads, '--sample', 's', '-o', out, '-t', 1, '--memory', f'{MEMORY_MB}M', '--no-duplicates')
        self.assertEqual(vcf_body(out / 's.vcf.gz'), expected)
        self.assertEqual(bam_records(out / 's.bam'), bam_records(s.bam))


class ReadsLeftOut(Case):
    def test_each_counts_once(self):
        """5,000 reads that two windows reach, each with a supplementary record elsewhere: of 128 bp, 1,024 stay."""
        folder, chance = self.folder(), random.Random(3)
        bases = random_bases(40_000, chance)
        (folder / 'ref.fa').write_text(f'>c\n{bases}\n')
        run('index', folder / 'ref.fa', '-q')
        rows = ((8_000, 0, '60M40S'), (20_000, 2048, '60S40M'))
        text = '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:40000\n@RG\tID:r\tSM:s\n'
        for at, flag, cigar in rows:
            sequence = bases[7_999:8_059] + bases[19_999:20_039]
            text += ''.join(f'r{i}\t{flag}\tc\t{at}\t60\t{cigar}\t*\t0\t0\t{sequence}\t{"I" * 100}\tRG:Z:r\n' for i in range(5_000))
        (folder / 'x.sam').write_text(text)
        done = run('call', folder / 'ref.fa', folder / 'x.sam', '-o', folder / 'x.vcf', '--no-scorer')
        self.assertIn('about 3976 reads beyond 1024 per 128 bp', done.stderr)


class Mitochondria(Case):
    """10,000x of a short contig: 120 CPU seconds are allowed, about six times what it needs. A quadratic step would need far more."""

    MEMORY_MB = 300  # two threads need at least 224

    def least(self, *words):
        """Of up to three runs: on a machine that does other work, threads that wait hold their batches longer, some MB more."""
        for _ in range(3):
            found = measured(*words)
            if found[0] <= self.MEMORY_MB:
                break
        return found

    def test_run_and_call_are_bounded_in_time_and_memory(self):
        folder, out = mitochondria(), self.folder()
        resources = ['--memory', f'{self.MEMORY_MB}M', '-t', 2]
        reads = [folder / 'reads' / f'reads_{mate}.fq.gz' for mate in (1, 2)]
        peak, seconds, log = self.least('run', folder / 'ref.fa', *reads, '-o', out, '--sample', 's', '--no-scorer', *resources)
        self.assertLess(seconds, 120)
        self.assertLessEqual(peak, self.MEMORY_MB)
        self.assertIn('very deep coverage', log)
        expected = vcf_body(out / 's.vcf.gz')
        self.assertGreater(len(expected), 450)
        model = scorer_test.write_model(self.folder(), 'random', 5)
        peak, seconds, _ = self.least('call', folder / 'ref.fa', out / 's.bam', '-o', out / 'c.vcf', '--model', model, *resources)
        self.assertLess(seconds, 120)
        self.assertLessEqual(peak, self.MEMORY_MB)
        run('call', folder / 'ref.fa', out / 's.bam', '-o', out / 'd.vcf', '--no-scorer', '-t', 1)
        self.assertEqual(vcf_body(out / 'd.vcf'), expected)


    def test_real_pile_up_of_mitochondria_is_called_as_haploid(self):
        bam = test_data('adversarial-depth') / 'NA12878_chrM_100-200_11000x.bam'
        work = self.folder()
        sequences = content(test_data('reference') / 'hg19.alt_random_unplaced_chrM.fa.gz').decode()
        (work / 'ref.fa').write_text('>' + next(text for text in sequences.split('>') if text.startswith('chrM\n')))
        run('index', work / 'ref.fa', '-q')
        shutil.copy(bam, work / 'x.bam')
        samtools('index', work / 'x.bam')
        peak, seconds, log = measured('call', work / 'ref.fa', work / 'x.bam', '-o', work / 'x.vcf', '--no-scorer', '--memory',
                                      f'{MEMORY_MB}M', '-t', 1)
        self.assertLessEqual(peak, MEMORY_MB)
        self.assertLess(seconds, 20)
        self.assertIn('very deep coverage', log)
        calls = [line.rstrip('\n').split('\t') for line in vcf_body(work / 'x.vcf')]
        self.assertEqual([(call[1], call[3], call[4], call[9].split(':')[0]) for call in calls],
                         [('150', 'T', 'C', '1'), ('152', 'T', 'C', '1'), ('195', 'C', 'T', '1')])


if __name__ == '__main__':
    main(__doc__)
