#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks gVCFs as bcftools reads them: every position once, shards, formats, resumed runs, and a cohort of three samples."""
import collections
import functools
import json
import random

import gannet_testing
from gannet_testing import ROOT, bcftools, content, execute, killed_run, run, simulated, vcf_body, vcf_header

SIZE_MB = 0.2


class Record:
    def __init__(self, line):
        self.line = line
        columns = line.rstrip('\n').split('\t')
        self.contig, self.begin, self.ref = columns[0], int(columns[1]), columns[3]
        self.alternates = columns[4].split(',')
        self.filter = columns[6]
        self.info = dict(field.split('=') for field in columns[7].split(';'))
        self.sample = dict(zip(columns[8].split(':'), columns[9].split(':')))
        self.is_block = 'END' in self.info
        self.end = int(self.info['END']) if self.is_block else self.begin + len(self.ref) - 1


def records(path):
    return [Record(line) for line in vcf_body(path)]


def contigs(reference):
    """Name and length of each sequence of a FASTA."""
    lengths = {}
    for line in reference.read_text().splitlines():
        if line.startswith('>'):
            name = line[1:].split()[0]
            lengths[name] = 0
        else:
            lengths[name] += len(line)
    return lengths


@functools.cache
def complete_run():
    """`run` with --gvcf, and the folder of its outputs."""
    sample = simulated(SIZE_MB, 20)
    folder = gannet_testing.new_folder()
    run('run', sample.reference, *sample.reads, '-o', folder, '--sample', 's', '-q', '--gvcf')
    return sample, folder


def call(*options, gvcf='x.g.vcf.gz', bam=None):
    """The path of the gVCF of a `call` of the complete run's BAM."""
    sample, folder = complete_run()
    out = gannet_testing.new_folder()
    run('call', sample.reference, bam or folder / 's.bam', '-o', out / 'x.vcf.gz', '--gvcf', out / gvcf, '-q', *options)
    return out / gvcf


def write_copy(folder):
    """A reference of 60 kb, and reads of it and of a copy of 4 kb that differs at one base in 100; where those bases are."""
    draw = random.Random(5)
    turn = str.maketrans('ACGT', 'TGCA')
    bases, before, after = (''.join(draw.choices('ACGT', k=size)) for size in (60_000, 2_000, 2_000))
    copy = list(bases[30_000:34_000])
    differences = range(50, len(copy), 100)
    for at in differences:
        copy[at] = 'C' if copy[at] != 'C' else 'G'
    (folder / 'ref.fa').write_text(f'>c\n{bases}\n')
    with open(folder / 'r1.fq', 'w') as first, open(folder / 'r2.fq', 'w') as second:
        for name, source in (('own', bases), ('copy', before + ''.join(copy) + after)):
            for pair in range(30 * len(source) // 300):
                size = int(draw.gauss(400, 50))
                begin = draw.randint(0, len(source) - size)
                fragment = source[begin:begin + size]
                mates = [fragment[:150], fragment[-150:].translate(turn)[::-1]]
                draw.shuffle(mates)
                for file, mate in zip((first, second), mates):
                    file.write(f'@{name}{pair}\n{mate}\n+\n{"F" * 150}\n')
    return [30_001 + at for at in differences]


class GvcfTest(gannet_testing.Case):
    def test_reads_that_are_left_out_as_of_a_further_copy_lower_the_confidence(self):
        folder = self.folder()
        differences = write_copy(folder)
        run('align', folder / 'ref.fa', folder / 'r1.fq', folder / 'r2.fq', '-o', folder / 'x.bam', '-q')
        run('call', folder / 'ref.fa', folder / 'x.bam', '-o', folder / 'x.vcf', '--gvcf', folder / 'x.g.vcf', '-q')
        quality = {}
        for record in records(folder / 'x.g.vcf'):
            if record.is_block:
                quality.update({position: int(record.sample['GQ']) for position in range(record.begin, record.end + 1)})
        at_differences = [quality[position] for position in differences if position in quality]
        self.assertGreater(len(at_differences), len(differences) // 2)  # not called: the reads were left out
        self.assertEqual(max(at_differences), 0)
        between = [quality[position + 50] for position in differences[:-1]]
        self.assertGreater(sorted(between)[len(between) // 2], 50)

    def test_run_writes_it_beside_the_vcf_and_reports_it(self):
        sample, folder = complete_run()
        self.assert_files(folder, 's.bam', 's.bam.bai', 's.vcf.gz', 's.vcf.gz.tbi', 's.g.vcf.gz', 's.g.vcf.gz.tbi',
                          's.duplicates.txt', 's.run.json', 's.report.html', *gannet_testing.qc_names('s', scorer=True))
        report = json.loads((folder / 's.run.json').read_text())
        self.assertEqual(report['outputs']['gVCF'], str(folder / 's.g.vcf.gz'))

    def test_vcf_is_the_same_with_and_without(self):
        sample, folder = complete_run()
        plain = self.folder()
        run('run', sample.reference, *sample.reads, '-o', plain, '--sample', 's', '-q')
        self.assertEqual(content(plain / 's.vcf.gz'), content(folder / 's.vcf.gz'))
        self.assertNotIn('s.g.vcf.gz', [path.name for path in plain.iterdir()])

    def test_run_takes_a_file_name(self):
        sample, folder = complete_run()
        out = self.folder()
        run('run', sample.reference, *sample.reads, '-o', out / 'd', '--gvcf', out / 'here.g.vcf', '--sample', 's', '-q')
        self.assertEqual((out / 'here.g.vcf').read_text(), content(folder / 's.g.vcf.gz').decode())
        self.refused(2, 'run', '-o', out / 'e', '--gvcf', sample.reference, *sample.reads, '--sample', 's', says='--gvcf')
        self.assertFalse((out / 'e').exists())

    def test_a_run_resumes_with_it_and_an_older_one_is_left_where_none_is_asked_for(self):
        sample, complete = complete_run()
        folder = self.folder()
        command = ['run', sample.reference, *sample.reads, '-o', folder, '--sample', 's']
        killed_run(folder, command, 's.vcf.gz.tbi')
        self.assertFalse((folder / 's.g.vcf.gz').exists())
        done = run(*command, '--gvcf')
        self.assertIn('finished by an earlier run', done.stderr)
        self.assertEqual((folder / 's.g.vcf.gz').read_bytes(), (complete / 's.g.vcf.gz').read_bytes())
        done = run(*command, '-q')
        self.assertEqual((folder / 's.g.vcf.gz').read_bytes(), (complete / 's.g.vcf.gz').read_bytes())
        self.assertIn('s.g.vcf.gz: is there from before and is left as it is', done.stderr)

    def test_every_position_is_described_once(self):
        sample, folder = complete_run()
        blocks, others = collections.Counter(), set()
        for record in records(folder / 's.g.vcf.gz'):
            positions = [(record.contig, position) for position in range(record.begin, record.end + 1)]
            if record.is_block:
                blocks.update(positions)
                self.assertEqual(record.sample['PL'].split(',')[0], '0')
            else:
                others.update(positions)
            self.assertEqual(record.alternates[-1], '<*>')
        self.assertEqual(set(blocks.values()), {1})
        self.assertFalse(others & set(blocks))
        everything = {(name, p) for name, length in contigs(sample.reference).items() for p in range(1, length + 1)}
        self.assertEqual(others | set(blocks), everything)

    def test_variants_are_those_of_the_vcf(self):
        _, folder = complete_run()
        fields = ('GT', 'GQ', 'DP')
        own = [(r.contig, r.begin, r.ref, r.alternates, r.filter, [r.sample[f] for f in fields], r.sample['PL'].split(','))
               for r in records(folder / 's.vcf.gz')]
        found = []
        for r in records(folder / 's.g.vcf.gz'):
            if r.is_block:
                continue
            likelihoods = r.sample['PL'].split(',')
            alleles = len(r.alternates) + 1
            self.assertEqual(len(likelihoods), alleles * (alleles + 1) // 2)
            self.assertEqual(len(r.sample['AD'].split(',')), alleles)
            known = alleles * (alleles - 1) // 2
            found.append((r.contig, r.begin, r.ref, r.alternates[:-1], r.filter, [r.sample[f] for f in fields], likelihoods[:known]))
        self.assertGreater(len(own), 100)
        self.assertEqual(found, own)

    def test_call_threads_batches_and_backends_give_the_bytes_of_run(self):
        _, folder = complete_run()
        expected = (folder / 's.g.vcf.gz').read_bytes()
        body = vcf_body(folder / 's.g.vcf.gz')
        paths = [call(), call('-t', 1), call('-t', 3, '--batch-records', 300)]
        for path in paths:
            self.assertEqual(vcf_body(path), body)
            self.assertEqual(path.read_bytes(), paths[0].read_bytes())
        self.assertNotEqual(expected, paths[0].read_bytes())  # the header names the command
        self.assertEqual(vcf_body(call('--backend', 'reference')), body)

    def test_shards_join_to_the_complete_gvcf(self):
        sample, folder = complete_run()
        body = vcf_body(folder / 's.g.vcf.gz')
        shards = []
        for name, length in contigs(sample.reference).items():
            cuts = [1, *range(7_001, length, 13_337), length + 1]
            shards += [f'{name}:{begin}-{end - 1}' for begin, end in zip(cuts, cuts[1:])]
        self.assertGreater(len(shards), 10)
        parts = [call('--regions', shard) for shard in shards]
        self.assertEqual([line for part in parts for line in vcf_body(part)], body)
        joined = self.folder() / 'joined.g.vcf.gz'
        bcftools('concat', '--no-version', '-Oz', '-o', joined, *parts)
        self.assertEqual(bcftools('view', '-H', joined), ''.join(body))

    def test_targets_are_covered_to_the_base(self):
        sample, _ = complete_run()
        name, length = next(iter(contigs(sample.reference).items()))
        intervals = [(100, 180), (5_000, 20_001), (30_000, 30_001)]
        bed = self.folder() / 't.bed'
        bed.write_text(''.join(f'{name}\t{begin}\t{end}\n' for begin, end in intervals))
        wanted = {p for begin, end in intervals for p in range(begin + 1, end + 1)}
        found = records(call('--targets', bed))
        blocks = [p for r in found if r.is_block for p in range(r.begin, r.end + 1)]
        variants = {p for r in found if not r.is_block for p in range(r.begin, r.end + 1)}
        self.assertEqual(len(blocks), len(set(blocks)))
        self.assertEqual((set(blocks) | variants) & wanted, wanted)
        self.assertLessEqual(set(blocks), wanted)

    def test_targets_that_begin_within_a_deletion_are_covered_to_the_base(self):
        """The deletion itself is not written, since its POS is in no target: that its bases are the reference's is not known."""
        _, folder = complete_run()
        deletions = [r for r in records(folder / 's.vcf.gz') if len(r.ref) > 2]
        self.assertGreater(len(deletions), 5)
        bed = self.folder() / 't.bed'
        bed.write_text(''.join(f'{r.contig}\t{r.begin}\t{r.begin + 60}\n' for r in deletions))
        wanted = {(r.contig, p) for r in deletions for p in range(r.begin + 1, r.begin + 61)}
        found = records(call('--targets', bed))
        self.assertEqual({(r.contig, p) for r in found for p in range(r.begin, r.end + 1)} & wanted, wanted)
        of_position = {(r.contig, p): r for r in found if r.is_block for p in range(r.begin, r.end + 1)}
        for r in deletions:
            block = of_position[r.contig, r.begin + 1]
            self.assertEqual([block.sample[field] for field in ('GT', 'GQ', 'PL')], ['./.', '0', '0,0,0'])

    def test_every_format_holds_the_same_records(self):
        _, folder = complete_run()
        expected = ''.join(vcf_body(folder / 's.g.vcf.gz'))
        self.assertEqual(call(gvcf='x.g.vcf').read_text().split('#CHROM')[1].split('\n', 1)[1], expected)
        bcf = call(gvcf='x.g.bcf')
        self.assertEqual(bcftools('view', '-H', bcf), expected)
        for path in (bcf, folder / 's.g.vcf.gz'):  # a position within a block is found by the index
            block = max((r for r in records(folder / 's.g.vcf.gz') if r.is_block), key=lambda r: r.end - r.begin)
            middle = (block.begin + block.end) // 2
            self.assertEqual(bcftools('view', '-H', '-r', f'{block.contig}:{middle}-{middle}', path), block.line)

    def test_scorer_path_covers_every_position_and_shards_join(self):
        sample, _ = complete_run()
        whole = vcf_body(call('--scorer'))
        name, length = next(iter(contigs(sample.reference).items()))
        rest = [n for n in contigs(sample.reference) if n != name]
        parts = [f'{name}:1-30000', f'{name}:30001-{length}', *rest]
        self.assertEqual([line for part in parts for line in vcf_body(call('--scorer', '--regions', part))], whole)

    def test_bands_bound_the_quality_of_blocks(self):
        path = call('--gvcf-bands', '15,50')
        blocks = [r for r in records(path) if r.is_block]
        self.assertIn('##GVCFBlock15-50=minGQ=15(inclusive),maxGQ=50(exclusive)\n', vcf_header(path))
        self.assertLess(len(blocks), len([r for r in records(call('--gvcf-bands', '10,20,30,40,50,60,70,80,90')) if r.is_block]))
        bands = collections.Counter(sum(int(r.sample['GQ']) >= bound for bound in (1, 15, 50)) for r in blocks)
        self.assertEqual(set(bands), {0, 1, 2, 3})
        for r in blocks:
            self.assertEqual(min(99, *map(int, r.sample['PL'].split(',')[1:])), int(r.sample['GQ']))
            self.assertEqual(r.sample['GT'], '0/0' if r.sample['GQ'] != '0' else './.')
            self.assertLessEqual(int(r.sample['MIN_DP']), int(r.sample['DP']))

    def test_gatk_dialect_has_its_allele_and_fields(self):
        path = call('--gvcf-dialect', 'gatk')
        for r in records(path):
            self.assertEqual(r.alternates[-1], '<NON_REF>')
            fields = ['GT', 'DP', 'GQ', 'MIN_DP', 'PL'] if r.is_block else ['GT', 'AD', 'DP', 'GQ', 'PL', 'SB']
            self.assertEqual([field for field in r.sample if field not in ('PGT', 'PID', 'PS')], fields)
        phased = {r.begin: r.sample['GT'] for r in records(call()) if r.sample.get('GT') in ('0|1', '1|0')}
        self.assertEqual({r.begin: r.sample['PGT'] for r in records(path) if 'PGT' in r.sample}, phased)
        self.assertEqual(set(phased.values()), {'0|1', '1|0'})
        self.assertEqual({r.sample['GT'] for r in records(path) if 'PGT' in r.sample}, {'0/1'})
        bcftools('view', path, '-Ou', '-o', '/dev/null')  # every tag is defined

    def test_haploid_contigs_have_haploid_blocks_and_absent_ones_none(self):
        sample, folder = complete_run()
        names = list(contigs(sample.reference))
        bed = self.folder() / 'ploidy.bed'
        bed.write_text(f'{names[0]}\t0\t10000\t1\n{names[0]}\t10000\t20000\t0\n')
        found = [r for r in records(call('--ploidy', bed)) if r.contig == names[0]]
        self.assertFalse([r for r in found if 10_000 < r.begin <= 20_000])
        for r in found:
            if r.is_block:
                self.assertEqual(len(r.sample['PL'].split(',')), 2 if r.end <= 10_000 else 3)

    def test_reads_of_nothing_give_one_block_of_nothing_per_window(self):
        sample, _ = complete_run()
        empty = self.folder() / 'empty.fq'
        empty.write_text('')
        out = self.folder()
        run('run', sample.reference, empty, '-o', out, '--sample', 's', '-q', '--gvcf')
        found = records(out / 's.g.vcf.gz')
        self.assertEqual(sum(r.end - r.begin + 1 for r in found), sum(contigs(sample.reference).values()))
        self.assertEqual({(r.sample['GT'], r.sample['GQ'], r.sample['DP']) for r in found}, {('./.', '0', '0')})

    def test_what_would_be_written_over_is_refused(self):
        sample, folder = complete_run()
        out = self.folder()
        words = ['call', sample.reference, folder / 's.bam', '-o', out / 'x.vcf.gz']
        self.refused(2, *words, '--gvcf', out / 'x.vcf.gz', says='the same file')
        link = out / 'link.g.vcf.gz'
        link.symlink_to(folder / 's.bam')
        self.refused(2, *words, '--gvcf', link, says='would be written over')
        self.refused(2, *words, '--gvcf', out / 'x.txt', says='does not say the format')
        self.refused(2, *words, '--gvcf-bands', '10,20', says='--gvcf')
        for bands in ('20,10', '0,10', '10,100', '10,,20', 'x'):
            self.refused(2, *words, '--gvcf', out / 'x.g.vcf.gz', '--gvcf-bands', bands, says='ascending GQ')
        self.refused(2, *words, '--gvcf', out / 'x.g.vcf.gz', '--gvcf-dialect', 'bcf', says='--gvcf-dialect')
        self.assert_files(out, 'link.g.vcf.gz')


class CohortTest(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        """Three samples of one reference."""
        sample = simulated(SIZE_MB, 20)
        cls.reference = sample.reference
        cls.outputs = {}
        for number, name in enumerate(('a', 'b', 'c')):
            reads = gannet_testing.new_folder()
            run('simulate', '--reference', cls.reference, '--coverage', 18, '--seed', 31 + number, '-o', reads, '-q')
            folder = gannet_testing.new_folder()
            run('run', cls.reference, reads / 'reads_1.fq.gz', reads / 'reads_2.fq.gz', '-o', folder, '--sample', name, '-q', '--gvcf')
            cls.outputs[name] = folder

    def gvcfs(self):
        return [folder / f'{name}.g.vcf.gz' for name, folder in self.outputs.items()]

    def test_convert_expands_blocks_to_every_position(self):
        for path in self.gvcfs():
            lines = bcftools('convert', '--gvcf2vcf', '-f', self.reference, path).splitlines()
            positions = {tuple(line.split('\t')[:2]) for line in lines if not line.startswith('#')}
            covered = {(r.contig, str(p)) for r in records(path) for p in range(r.begin, (r.end if r.is_block else r.begin) + 1)}
            self.assertEqual(positions, covered)

    def test_a_merged_cohort_has_the_genotypes_of_each_sample(self):
        merged = self.folder() / 'merged.bcf'
        cohort = self.folder() / 'cohort.vcf'
        bcftools('merge', '-g', self.reference, '-Ob', '-o', merged, *self.gvcfs())
        bcftools('view', '--trim-alt-alleles', '--min-ac', '1', '-o', cohort, merged)
        sites = len(vcf_body(cohort))
        self.assertGreater(sites, 200)
        for name, folder in self.outputs.items():
            own = bcftools('norm', '-m', '-any', '-f', self.reference, folder / f'{name}.vcf.gz')
            alone = self.folder() / f'{name}.vcf'
            bcftools('view', '-s', name, '--trim-alt-alleles', '--min-ac', '1', '-o', alone, cohort)
            from_cohort = bcftools('norm', '-m', '-any', '-f', self.reference, alone)
            self.assertEqual(self.calls(from_cohort), self.calls(own))
        # A site that one sample has is known to be the reference in the others.
        genotypes = bcftools('query', '-f', '[%GT\\n]', cohort).split()
        self.assertGreater(genotypes.count('0/0'), sites // 2)
        self.assertLess(genotypes.count('./.'), sites // 10)

    def test_genotypes_from_blocks_have_the_likelihoods_and_depths_of_the_block(self):
        merged, filled, cohort = (self.folder() / name for name in ('merged.vcf', 'filled.vcf', 'cohort.vcf'))
        bcftools('merge', '-g', self.reference, '-o', merged, *self.gvcfs())
        filled.write_text(execute([ROOT / 'workflows/bin/fill_unobserved'], input=merged.read_text()).stdout)
        bcftools('view', '--trim-alt-alleles', '--min-ac', '1', '-o', cohort, filled)
        blocks = {name: [r for r in records(path) if r.is_block] for name, path in zip(self.outputs, self.gvcfs())}
        seen = 0
        for line in vcf_body(cohort):
            columns = line.rstrip('\n').split('\t')
            alleles = columns[4].count(',') + 2
            for name, column in zip(self.outputs, columns[9:]):
                sample = dict(zip(columns[8].split(':'), column.split(':')))
                if '.' not in sample['GT']:
                    self.assertEqual((sample['AD'] + ',' + sample['PL']).split(',').count('.'), 0, line)
                if sample.get('MIN_DP', '.') == '.' or sample['GT'] != '0/0':
                    continue
                block = next(b for b in blocks[name] if b.contig == columns[0] and b.begin <= int(columns[1]) <= b.end)
                some, all_copies = block.sample['PL'].split(',')[1:]
                genotypes = [(a, b) for b in range(alleles) for a in range(b + 1)]
                self.assertEqual(sample['PL'].split(','), ['0' if b == 0 else some if a == 0 else all_copies for a, b in genotypes], line)
                self.assertEqual(sample['AD'].split(','), [block.sample['MIN_DP']] + ['0'] * (alleles - 1), line)
                seen += 1
        self.assertGreater(seen, 200)
        # What is complete stays as it is.
        self.assertEqual(execute([ROOT / 'workflows/bin/fill_unobserved'], input=cohort.read_text()).stdout, cohort.read_text())

    def test_alleles_of_other_samples_get_the_values_of_the_unobserved_one(self):
        header = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n'
        given = ('c\t9\t.\tA\tG,<*>,T\t9\t.\t.\tGT:AD:VAF:PL\t0/1:15,16,2,.:0.48,0.06,.:61,0,56,65,60,120,.,.,.,.\t'
                 '0/3:9,.,1,8:.,0.1,0.4:50,.,.,90,.,99,0,.,80,40\t0:7,.,0,.:.:0,.,30,.\n')
        wanted = ('c\t9\t.\tA\tG,<*>,T\t9\t.\t.\tGT:AD:VAF:PL\t0/1:15,16,2,2:0.48,0.06,0.06:61,0,56,65,60,120,65,60,120,120\t'
                  '0/3:9,1,1,8:0.1,0.1,0.4:50,90,99,90,99,99,0,80,80,40\t0:7,0,0,0:.:0,30,30,30\n')
        self.assertEqual(execute([ROOT / 'workflows/bin/fill_unobserved'], input=header + given).stdout, header + wanted)
        # As bcftools 1.18 to 1.23 fills in: with the likelihood of <*>/<*> throughout.
        line = 'c\t9\t.\tA\tG,<*>\t9\t.\t.\tGT:AD:PL\t0/1:15,16,0:613,0,560,655,608,1200\t0/0:29,0,0:{}\t0/0:0,0,0:0,0,0,0,0,0\n'
        self.assertEqual(execute([ROOT / 'workflows/bin/fill_unobserved'], input=header + line.format('0,1010,1010,66,1010,1010')).stdout,
                         header + line.format('0,66,1010,66,1010,1010'))

    @staticmethod
    def calls(text):
        """Alleles with their number of copies, of one sample's VCF with one alternate allele per line."""
        rows = [line.split('\t') for line in text.splitlines() if not line.startswith('#')]
        return sorted((r[0], int(r[1]), r[3], r[4], r[9].split(':')[0].count('1')) for r in rows if '1' in r[9].split(':')[0] and '*' not in r[4])


class Names(gannet_testing.Case):
    def test_a_gvcf_and_the_vcf_of_a_sample_named_like_it_do_not_replace_each_other(self):
        sample = gannet_testing.simulated(0.05, 5)
        for first, second, says in ((['S', '--gvcf'], ['S.g'], 'S.g.vcf.gz: is the gVCF of sample S and would be the VCF of sample S.g: choose another folder'),
                                    (['S.g'], ['S', '--gvcf'], 'S.g.vcf.gz: is the VCF of sample S.g and would be the gVCF of sample S: choose another folder')):
            with self.subTest(first=first):
                folder = self.folder()
                words = ['run', sample.reference, *sample.reads, '-o', folder, '-q', '--no-qc', '--no-scorer', '--sample']
                gannet_testing.run(*words, *first)
                before = {path.name: path.read_bytes() for path in folder.iterdir()}
                for more in ([], ['--dry-run']):
                    self.refused(8, *words, *second, *more, says=says)
                self.assertEqual({path.name: path.read_bytes() for path in folder.iterdir()}, before)
                gannet_testing.run(*words, *first)
                gannet_testing.run(*words, 'S' if first == ['S.g'] else 'T')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
