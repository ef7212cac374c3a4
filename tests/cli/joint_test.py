#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks `gannet joint`: cohorts of simulated samples and of crafted gVCFs, the same bytes however they are read, and inputs that are
refused."""
import functools
import gzip
import hashlib
import re
import shutil
import subprocess

import gannet_testing
from gannet_testing import bcftools, content, needs_tool, run, vcf_body, vcf_header

SEQUENCE = 'ACGTTGCAACGTTGCATTAAAAAACGTTGCAGCAGCAGCAGTCGTTGCAACGTTGCA' * 40
HEADER = '##fileformat=VCFv4.2\n##contig=<ID=c,length={length}>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{sample}\n'


@functools.cache
def crafted_reference():
    path = gannet_testing.new_folder() / 'r.fa'
    path.write_text(f'>c\n{SEQUENCE}\n>d\nACGTACGTAC\n')
    return path


def bgzip(path):
    """The path of the compressed file, with an index."""
    needs_tool('bgzip')
    subprocess.run(['bgzip', '-f', path], check=True)
    subprocess.run(['tabix', '-f', '-p', 'vcf', f'{path}.gz'], check=True)
    return path.with_name(path.name + '.gz')


def block(begin, end, quality=40, contig='c', allele='<*>', base=None):
    base = base or SEQUENCE[begin - 1]
    return f'{contig}\t{begin}\t.\t{base}\t{allele}\t.\t.\tEND={end}\tGT:GQ:DP:MIN_DP:PL\t0/0:{quality}:30:25:0,{quality},{10 * quality}\n'


def variant(begin, ref, alt, genotype='0/1', likelihoods='60,0,70,90,100,200', quality='50', more=''):
    return f'c\t{begin}\t.\t{ref}\t{alt},<*>\t{quality}\tPASS\tDP=30\tGT:GQ:DP:AD:PL\t{genotype}:40:30:15,14,1:{likelihoods}{more}\n'


def crafted(sample, *lines, folder=None, length=len(SEQUENCE), header=None):
    """The path of a gVCF of these lines."""
    path = (folder or gannet_testing.new_folder()) / f'{sample}.g.vcf'
    path.write_text((header or HEADER).format(length=length, sample=sample) + ''.join(lines))
    return bgzip(path)


@functools.cache
def cohort():
    """The reference and gVCFs of four samples of 0.3 Mb, two of which have the same variants."""
    folder = gannet_testing.new_folder()
    gvcfs = []
    reference = folder / 's0' / 'ref.fa'
    for i, coverage in enumerate((25, 12, 8, 30)):
        sample = folder / f's{i}'
        source = ['--size', 0.3] if i == 0 else ['--reference', reference]
        if i == 1:
            source += ['--variants', folder / 's0' / 'truth.vcf.gz']
        run('simulate', *source, '--coverage', coverage, '--seed', 20 + i, '-o', sample, '-q')
        if i == 0:
            run('index', reference, '-q')
        run('align', reference, sample / 'reads_1.fq.gz', sample / 'reads_2.fq.gz', '-o', sample / 'x.bam', '--sample', f's{i}', '-q')
        dialect = 'gatk' if i == 3 else 'vcf'
        gvcf = sample / ('x.g.bcf' if i == 1 else 'x.g.vcf.gz')
        run('call', reference, sample / 'x.bam', '-o', sample / 'x.vcf.gz', '--gvcf', gvcf, '--gvcf-dialect', dialect, '-q')
        gvcfs.append(gvcf)
    return reference, folder, gvcfs


def join(*words, out=None, reference=None):
    """The lines that `joint` writes, without the header."""
    out = out or gannet_testing.new_folder() / 'x.vcf.gz'
    run('joint', reference or crafted_reference(), *words, '-o', out, '-q')
    return vcf_body(out)


def columns(line, first=0):
    return line.rstrip('\n').split('\t')[first:]


class CraftedTest(gannet_testing.Case):
    def test_the_version_of_vcf_is_one_that_vcftools_reads(self):
        out = self.folder() / 'x.vcf'
        run('joint', crafted_reference(), crafted('a', variant(10, 'C', 'T')), '-o', out, '-q')
        self.assertEqual(out.read_text().split('\n', 1)[0], '##fileformat=VCFv4.2')

    def test_a_block_gives_each_site_it_covers_its_likelihoods(self):
        a = crafted('a', variant(10, 'C', 'T'), block(11, 1000))
        b = crafted('b', block(1, 999, 55), variant(1000, SEQUENCE[999], 'T' if SEQUENCE[999] != 'T' else 'G'))
        lines = join(a, b)
        self.assertEqual([columns(line)[1] for line in lines], ['10', '1000'])
        self.assertEqual(columns(lines[0])[8:], ['GT:DP:AD:GQ:PL', '0/1:30:15,14:57:60,0,70', '0/0:25:.:58:0,55,550'])

    def test_phase_sets_have_a_column_where_a_sample_has_one(self):
        for phased in (variant(10, 'C', 'T', '1|0', more=':10').replace('PL\t', 'PL:PS\t'),
                       variant(10, 'C', 'T', '0/1', more=':1|0:10:10').replace('PL\t', 'PL:PGT:PID:PS\t')):  # dialect gatk
            a = crafted('a', phased, block(11, 29), variant(30, 'C', 'T'), block(31, 1000))
            lines = join(a, crafted('b', block(1, 1000)))
            self.assertEqual([columns(line)[8] for line in lines], ['GT:DP:AD:GQ:PL:PS', 'GT:DP:AD:GQ:PL'])
            self.assertEqual([(sample[:3], sample.rpartition(':')[2]) for sample in columns(lines[0], 9)], [('1|0', '10'), ('0/0', '.')])

    def test_windows_and_open_files_change_nothing(self):
        a = crafted('a', variant(10, 'C', 'T'), block(11, 56), variant(57, SEQUENCE[56:61], SEQUENCE[56]), block(62, 900))
        b = crafted('b', block(1, 9), variant(10, 'C', 'G', '1/1', '200,30,0,210,90,220'), block(11, 58),
                    variant(59, SEQUENCE[58], 'A' if SEQUENCE[58] != 'A' else 'C'), block(60, 2000))
        c = crafted('c', block(1, 2000))
        expected = join(a, b, c)
        self.assertGreater(len(expected), 2)
        for window in (1, 2, 7, 58, 500, 100000):
            for files in (1, 2, 3):
                self.assertEqual(join(a, b, c, '--window', window, '--max-open-files', files, '-t', 2), expected, (window, files))

    def test_an_indel_moves_left_across_a_window(self):
        # The run of A is at 19-24; the deletion is written at its right end.
        a = crafted('a', block(1, 22), variant(23, 'AA', 'A'), block(25, 60))
        b = crafted('b', block(1, 17), variant(18, 'TA', 'T'), block(20, 60))
        for window in (1, 3, 19, 20, 100):
            lines = join(a, b, '--window', window)
            self.assertEqual([columns(line)[1:5] + [s[:3] for s in columns(line, 9)] for line in lines], [['18', '.', 'TA', 'T', '0/1', '0/1']])

    def test_regions_give_the_lines_of_the_whole(self):
        folder = self.folder()
        a = crafted('a', variant(10, 'C', 'T'), block(11, 56), variant(57, SEQUENCE[56:61], SEQUENCE[56]), block(62, 900), folder=folder)
        b = crafted('b', block(1, 58), variant(59, SEQUENCE[58], 'A' if SEQUENCE[58] != 'A' else 'C'), block(60, 2000), folder=folder)
        whole = join(a, b)
        for begin, end in ((1, 9), (10, 10), (11, 57), (58, 2000), (59, 59)):
            expected = [line for line in whole if begin <= int(columns(line)[1]) <= end]
            self.assertEqual(join(a, b, '--regions', f'c:{begin}-{end}'), expected)
        self.assertEqual(join(a, b, '--regions', 'c:1-10,c:58-59'), [line for line in whole if int(columns(line)[1]) in (10, 59)])
        for path in (a, b):  # without an index the files are read from their beginning
            path.with_name(path.name + '.tbi').unlink()
        self.assertEqual(join(a, b, '--regions', 'c:58-59'), [line for line in whole if int(columns(line)[1]) == 59])

    def test_a_list_names_further_gvcfs(self):
        a, b = crafted('a', variant(10, 'C', 'T')), crafted('b', block(1, 100))
        listed = self.folder() / 'list'
        listed.write_text(f'# second\n{b}\n\n')
        self.assertEqual(join(a, '--list', listed), join(a, b))
        self.assertEqual(join('--list', listed), [])
        listed.write_bytes(b'\xef\xbb\xbf' + f'{a}\r\n{b}\r\n'.encode())
        self.assertEqual(join('--list', listed), join(a, b))
        for content in (b'BAM\1xx\n', b'>sim1\nACGT\n', b'##fileformat=VCFv4.2\n', b'@r\nACGT\n+\nIIII\n'):
            listed.write_bytes(b'# list\n' + content)
            self.refused(3, 'joint', crafted_reference(), '--list', listed, '-o', '-', says=f'{listed}: line 2: names no file: --list wants')

    def test_a_list_may_be_standard_input(self):
        a, b = crafted('a', variant(10, 'C', 'T')), crafted('b', block(1, 100))
        self.assertEqual(vcf_body(self.joined_with(f'{a}\n{b}\n')), join(a, b))

    def joined_with(self, text):
        out = self.folder() / 'x.vcf'
        run('joint', crafted_reference(), '--list', '-', '-o', out, '-q', input=text)
        return out

    def test_a_gvcf_without_records_of_a_contig_is_warned_of(self):
        whole = crafted('a', block(1, 100), block(1, 10, contig='d', base='A'))
        cut, also = crafted('b', block(1, 100)), crafted('c', block(1, 100))
        warning = 'warning: {}: has no record on d, where other samples have some{}: is it cut'
        for paths, options, others in (((whole, cut), (), ''), ((whole, cut, also), (), ' (1 other gVCF lacks some too)'), ((cut, also), (), None),
                                       ((whole, cut), ('--regions', 'c'), None)):
            done = run('joint', crafted_reference(), *paths, *options, '-o', self.folder() / 'x.vcf')
            self.assertEqual(others is not None, warning.format(cut, others) in done.stderr, done.stderr)

    def test_a_gvcf_of_a_part_of_a_contig_is_warned_of(self):
        whole, half, part = (crafted(name, *blocks) for name, blocks in (('a', (block(1, 100),)), ('b', (block(1, 30), block(25, 50))), ('c', (block(1, 20), block(81, 100)))))
        plain = crafted('d', 'c\t10\t.\tC\tT\t50\tPASS\tDP=30\tGT:GQ:PL\t0/1:40:60,0,70\n')
        warning = 'holds less than half of the bases that others do of '
        for paths, options, warned in (((whole, half), (), False), ((whole, part), (), True), ((whole, part), ('--regions', 'c'), False), ((whole, plain), (), False)):
            done = run('joint', crafted_reference(), *paths, *options, '-o', self.folder() / 'x.vcf')
            self.assertEqual(warned, f'{part}: {warning}c: is it cut' in done.stderr, done.stderr)
            self.assertEqual(warned, warning in done.stderr, done.stderr)

    def test_gvcfs_of_several_caller_models_are_warned_of(self):
        a, b, c, other = (crafted(name, block(1, 100), header=HEADER.replace('##contig', f'{header}##contig', 1)) for name, header in (
            ('a', '##gannet_caller_model=1\n'), ('b', '##gannet_caller_model=1\n'), ('c', '##gannet_caller_model=2\n'), ('d', '')))
        for paths, warned in (((a, b, other), False), ((a, b, c, other), True)):
            done = run('joint', crafted_reference(), *paths, '-o', self.folder() / 'x.vcf')
            self.assertEqual(warned, f"{a} and {c}: are of different versions of gannet's caller (2 in all" in done.stderr, done.stderr)

    def test_a_genotype_may_be_missing_as_one_dot(self):
        dotted, slashed = (join(crafted('a', variant(10, 'C', 'T')), crafted('b', variant(10, 'C', 'T', genotype, '9,0,7,9,9,9'))) for genotype in ('.', './.'))
        self.assertEqual(dotted, slashed)

    def test_reblocked_gvcfs_have_likelihoods_by_their_gq(self):
        a = crafted('a', variant(10, 'C', 'T'))
        b = crafted('b', 'c\t1\t.\tA\t<NON_REF>\t.\t.\tEND=100\tGT:DP:GQ:MIN_DP\t0/0:30:45:28\n')
        self.assertEqual(columns(join(a, b)[0])[-1].split(':')[4], '0,45,45')

    def test_a_plain_vcf_is_warned_of(self):
        plain, forced, gvcf = ('c\t10\t.\tC\tT\t50\tPASS\tDP=30\tGT:GQ:PL\t0/1:40:60,0,70\n', 'c\t20\t.\tA\tT\t.\tPASS\tDP=30\tGT:GQ:PL\t0/0:40:0,40,70\n',
                               variant(10, 'C', 'T'))
        warning = 'has no reference blocks and no <*> or <NON_REF>'
        for lines, others in (((plain,), ''), ((plain, forced), None), ((gvcf,), None)):
            paths = [crafted('a', *lines), crafted('b', block(1, 100)), *([crafted('c', plain)] if others else [])]
            done = run('joint', crafted_reference(), *paths, '-o', self.folder() / 'x.vcf')
            self.assertEqual(others is not None, f'{paths[0]}: {warning}' in done.stderr, done.stderr)


class FamilyTest(gannet_testing.Case):
    def family(self, *lines):
        path = self.folder() / 'x.ped'
        path.write_text(''.join(line + '\n' for line in lines))
        return path

    def trio(self):
        father = crafted('f', variant(10, 'C', 'T'), block(11, 500, 99))
        mother = crafted('m', block(1, 500, 99))
        likelihoods = '400,0,400,500,500,900'
        child = crafted('c', block(1, 9, 99), variant(10, 'C', 'T', likelihoods=likelihoods), block(11, 29, 99),
                        variant(30, 'C', 'A', likelihoods=likelihoods), block(31, 500, 99))
        return father, mother, child

    def test_a_child_is_phased_and_its_new_allele_named(self):
        ped = self.family('# family name father mother sex phenotype', 'F c f m 1 0', 'F f 0 0 1 0', 'F m 0 0 2 0', 'G x y z 1 0')
        lines = join(*self.trio(), '--pedigree', ped)
        self.assertEqual([columns(line)[1] for line in lines], ['10', '30'])
        self.assertEqual([sample.split(':')[0] for sample in columns(lines[0], 9)], ['0/1', '0/0', '1|0'])
        self.assertEqual([sample.split(':')[0] for sample in columns(lines[1], 9)], ['0/0', '0/0', '0/1'])
        self.assertNotIn('DeNovo', lines[0])
        self.assertIn(';hiConfDeNovo=c', columns(lines[1])[7])
        self.assertEqual(columns(lines[1])[8], 'GT:DP:AD:GQ:PL:DQ')
        quality = [sample.split(':')[5] for sample in columns(lines[1], 9)]
        self.assertEqual(quality[:2], ['.', '.'])
        self.assertGreaterEqual(int(quality[2]), 20)

    def test_without_relatives_nothing_changes_but_a_warning(self):
        ped = self.family('F c 0 0 1 0', 'F f 0 0 1 0')
        done = run('joint', crafted_reference(), *self.trio(), '--pedigree', ped, '-o', self.folder() / 'x.vcf.gz')
        self.assertIn('no sample is a child of another one', done.stderr)
        self.assertEqual(join(*self.trio(), '--pedigree', ped), join(*self.trio()))

    def test_pedigrees_that_contradict_themselves_are_refused(self):
        files = self.trio()
        for lines, says in ((['F c f m 1'], 'record 1: has 5 columns'), (['F c f m 1 0', 'F c f m 1 0'], 'record 2: c has a line'),
                            (['F c f m 1 0', 'F f 0 0 2 0'], 'record 1: the father f is female'),
                            (['F c f m 1 0', 'F m 0 0 1 0'], 'record 1: the mother m is male'),
                            (['F c c m 1 0'], 'record 1: c is a parent of themself'), (['F c f f 1 0'], 'father and mother of c'),
                            (['F c f m 2 0', 'F f g 0 1 0', 'F g 0 c 1 0'], 'is an ancestor of themself'), (['F c f m male 0'], "record 1: its sex 'male' is none of 1")):
            self.refused(3, 'joint', crafted_reference(), *files, '--pedigree', self.family(*lines), '-o', self.folder() / 'x.vcf.gz', says=says)
        self.refused(3, 'joint', crafted_reference(), *files, '--pedigree', self.folder() / 'none', '-o', self.folder() / 'x.vcf.gz', says='none')


    def persons(self, contig, *genotypes):
        """gVCFs of f, m and c with these genotypes at each fifth base, all confident."""
        likelihoods = {'0/0': '0,90,900,90,900,900', '0/1': '300,0,300,400,400,700', '1/1': '900,90,0,900,90,900', '0': '0,900,900', '1': '900,0,900'}
        folder = self.folder()
        (folder / 'r.fa').write_text(f'>{contig}\n{SEQUENCE}\n')
        files = []
        for name, of_name in zip('fmc', zip(*genotypes)):
            lines = [variant(position, base, 'T' if base != 'T' else 'C', genotype, likelihoods[genotype])
                     for position, base, genotype in ((5 * i + 1, SEQUENCE[5 * i], genotype) for i, genotype in enumerate(of_name))]
            files.append(crafted(name, *(contig + line[1:] for line in lines), folder=folder, header=HEADER.replace('ID=c', f'ID={contig}')))
        return folder / 'r.fa', files

    def test_a_pedigree_that_the_genotypes_contradict_is_refused(self):
        ped = self.family('F c f m 1 0')
        true = [('1/1', '1/1', '1/1'), ('0/0', '1/1', '0/1'), ('0/0', '0/0', '0/1'), ('0/1', '0/1', '0/0')] * 60
        for others, code in (([('1/1', '0/1', '0/0')] * 40, 0), ([('1/1', '0/1', '0/0')] * 60, 4)):
            reference, files = self.persons('chr1', *true, *others)
            out = self.folder() / 'x.vcf.gz'
            if code == 0:
                self.assertTrue(join(*files, '--pedigree', ped, reference=reference))
                continue
            self.refused(4, 'joint', reference, *files, '--pedigree', ped, '-o', out, says='c is no child of f: at 60 of 120 sites')
            self.assertFalse(out.exists())
            self.assertTrue(join(*files, '--pedigree', self.family('F c 0 m 1 0'), reference=reference))

    def test_nothing_is_transmitted_to_sons_with_two_copies_of_x(self):
        ped = self.family('F c f m 1 0')
        reference, files = self.persons('chrX', *[('1/1', '0/0', '0/0'), ('0/0', '0/0', '1/1')] * 60)
        done = run('joint', reference, *files, '--pedigree', ped, '-o', self.folder() / 'x.vcf')
        self.assertEqual(done.stderr.count('(f, c): make these gVCFs with --sex male'), 1, done.stderr)
        plain = [[sample.split(':')[0] for sample in columns(line, 9)] for line in join(*files, reference=reference)]
        self.assertEqual([[sample.split(':')[0] for sample in columns(line, 9)] for line in join(*files, '--pedigree', ped, reference=reference)], plain)
        self.assertEqual(plain[:2], [['1/1', '0/0', '0/0'], ['0/0', '0/0', '1/1']])
        # Of samples with the ploidy of males, and of daughters, all stays as it is.
        reference, files = self.persons('chrX', *[('1', '0/0', '0'), ('0', '1/1', '1')] * 60)
        self.assertNotIn('--sex', run('joint', reference, *files, '--pedigree', ped, '-o', self.folder() / 'x.vcf').stderr)


class RefusedTest(gannet_testing.Case):
    def refuse(self, code, says, *words):
        out = self.folder()
        self.refused(code, 'joint', crafted_reference(), *words, '-o', out / 'x.vcf.gz', says=says)
        self.assert_files(out)

    def test_a_genotype_without_likelihoods_is_refused(self):
        without = 'c\t9\t.\tA\tG,<*>\t50\tPASS\tDP=30\tGT:GQ:DP:AD\t0/1:40:30:15,14,1\n'
        line = without.replace('\tA\t', f'\t{SEQUENCE[8]}\t').replace('\tG,', '\tC,' if SEQUENCE[8] != 'C' else '\tG,')
        self.refused(3, 'joint', crafted_reference(), crafted('a', block(1, 8), line), '-o', self.folder() / 'x.vcf.gz', says='record 2: has a genotype of alternate alleles but no PL')

    def test_contradicting_references_are_refused(self):
        good = crafted('a', block(1, 100))
        self.refuse(4, 'contig c has 100 bp', good, crafted('b', block(1, 100), length=100))
        with_md5 = HEADER.replace('{length}', '{length},md5={md5}')
        for md5, is_right in ((hashlib.md5(SEQUENCE.encode()).hexdigest().upper(), True), ('0' * 32, False)):
            other = crafted('b', block(1, 100), header=with_md5.replace('{md5}', md5))
            if is_right:
                join(good, other)
            else:
                self.refuse(4, f'{other}: contig c has another sequence (MD5 {md5}) in its header and ', good, other)
        self.refuse(4, 'record 2: REF of c:2', good, crafted('b', block(1, 1), block(2, 100, base='A')))
        self.refuse(4, 'record 2: REF of c:10', good, crafted('b', block(1, 9), variant(10, 'N', 'T')))
        self.assertEqual(len(join(crafted('a', variant(10, 'C', 'T')), crafted('b', block(1, 9), block(10, 20, base='N')))), 1)  # of a block it is not used
        self.refuse(4, "contig 'chr9'", good, crafted('b', block(1, 100, contig='chr9')))

    def test_unsorted_and_damaged_gvcfs_are_refused(self):
        def unindexed(*lines):
            path = self.folder() / 'b.g.vcf'
            path.write_text(HEADER.format(length=len(SEQUENCE), sample='b') + ''.join(lines))
            subprocess.run(['bgzip', path], check=True)
            return path.with_name('b.g.vcf.gz')
        good = crafted('a', block(1, 100))
        self.refuse(3, 'record 2: is not sorted', good, unindexed(block(50, 100), block(1, 49)))
        self.refuse(3, 'record 2: is not sorted', good, unindexed('d\t1\t.\tA\t<*>\t.\t.\tEND=2\tGT:PL\t0/0:0,9,9\n', block(1, 49)))
        self.refuse(3, 'record 1: has 2 values of PL for 6', good, unindexed(variant(10, 'C', 'T', likelihoods='0,1')))
        self.refuse(3, 'record 1: its PL', good, unindexed(variant(10, 'C', 'T', likelihoods='0,x')))
        self.refuse(3, 'record 1: its genotype names', good, unindexed(variant(10, 'C', 'T', '0/7')))
        self.refuse(3, 'reaches past', good, unindexed(block(1, 10 ** 6)))
        self.refuse(3, 'record 1: its END is before', good, unindexed(block(10, 9)))
        self.refuse(3, 'record 1: has not the ten columns', good, unindexed('c\t1\t.\tA\t<*>\n'))
        whole = unindexed(*(block(i, i) for i in range(1, 2000)))
        cut = whole.with_name('cut.g.vcf.gz')
        cut.write_bytes(whole.read_bytes()[:-28])
        self.refuse(3, 'truncated', good, cut)
        data = bytearray(whole.read_bytes())
        data[len(data) // 2] ^= 0xff
        cut.write_bytes(data)
        self.refuse(3, str(cut), good, cut)
        with gzip.open(cut, 'wt') as file:
            file.write(HEADER.format(length=len(SEQUENCE), sample='b'))
        self.refuse(3, 'bgzip', good, cut)
        self.refuse(3, 'is not VCF', good, crafted_reference())
        self.refuse(3, 'missing.vcf.gz', good, self.folder() / 'missing.vcf.gz')

    def test_alleles_of_one_site_in_several_records_are_refused(self):
        base = SEQUENCE[9]
        first, second = [letter for letter in 'ACGT' if letter != base][:2]
        split = crafted('a', variant(10, base, first), variant(10, base, second))
        self.refuse(3, 'a.g.vcf.gz: several records at c:10 have an allele each: join them (bcftools norm -m +any)', split)
        # Of the same allele twice, of a badly supported one, and of an SNV and an indel each is taken.
        for line in (variant(10, base, first), variant(10, base, second, '0/0', '0,60,500,60,500,500', quality='0'), variant(10, base, base + 'TTTT')):
            self.assertIn(f'\t{first}\t', join(crafted('a', variant(10, base, first), line))[0])

    def test_an_index_of_another_file_is_refused(self):
        lines = [variant(i, SEQUENCE[i - 1], 'ACGT'['CGTA'.index(SEQUENCE[i - 1])]) for i in range(10, 2000, 10)]
        folder, other = self.folder(), self.folder()
        fields = {'GT': '1,Type=String', 'GQ': '1,Type=Integer', 'DP': '1,Type=Integer', 'AD': 'R,Type=Integer', 'PL': 'G,Type=Integer'}
        defined = '##INFO=<ID=DP,Number=1,Type=Integer,Description="x">\n' + ''.join(f'##FORMAT=<ID={key},Number={kind},Description="x">\n' for key, kind in fields.items())
        header = HEADER.replace('#CHROM', defined + '##ALT=<ID=*,Description="x">\n##FILTER=<ID=PASS,Description="x">\n#CHROM')
        whole, less = crafted('a', *lines, folder=folder, header=header), crafted('a', *lines[::2], folder=other, header=header)
        for kind, index in (('z', 'tbi'), ('z', 'csi'), ('b', 'csi')):
            paths = [path.with_name(f'{index}.{"bcf" if kind == "b" else "vcf.gz"}') for path in (whole, less)]
            for path, source in zip(paths, (whole, less)):
                bcftools('view', source, f'-O{kind}', '-o', path)
                bcftools('index', f'--{index}', path)
            self.assertEqual(len(join(paths[0], '--regions', 'c:1001-1500')), 50)
            for path, from_path in (paths, paths[::-1]):
                shutil.copy(path.with_name(path.name + f'.{index}'), folder / 'kept')
                shutil.copy(from_path.with_name(from_path.name + f'.{index}'), path.with_name(path.name + f'.{index}'))
                self.refuse(3, f'{path.name}: its index is of another file', path, '--regions', 'c:1001-1500')
                self.assertEqual(len(join(path)), 199 if path == paths[0] else 100)  # read from its beginning
                shutil.copy(folder / 'kept', path.with_name(path.name + f'.{index}'))

    def test_samples_are_given_once_and_alone(self):
        a = crafted('a', variant(10, 'C', 'T'))
        self.refuse(2, 'are of the same sample, a', a, crafted('a', block(1, 100)))
        joined = self.folder() / 'joined.vcf.gz'
        join(a, crafted('b', block(1, 100)), out=joined)
        self.refuse(2, 'has 2 samples: joint takes gVCFs of one sample each; to add a sample', joined, a)
        self.refuse(2, 'no gVCF given')

    def test_an_input_is_never_written(self):
        folder = self.folder()
        a = crafted('a', variant(10, 'C', 'T'), folder=folder)
        before = a.read_bytes()
        for out in (a, a.with_name(a.name + '.tbi'), crafted_reference()):
            self.refused(2, 'joint', crafted_reference(), a, '-o', out)
        self.assertEqual(a.read_bytes(), before)
        self.refused(2, 'joint', crafted_reference(), a, '-o', folder / 'x.txt')
        self.refused(8, 'joint', crafted_reference(), a, '-o', folder / 'none' / 'x.vcf.gz')


class CohortTest(gannet_testing.Case):
    @functools.cache
    def joined():
        reference, _, gvcfs = cohort()
        out = gannet_testing.new_folder() / 'x.vcf.gz'
        run('joint', reference, *gvcfs, '-o', out, '-q')
        return out

    def test_bytes_do_not_depend_on_threads_windows_and_open_files(self):
        reference, _, gvcfs = cohort()
        expected = CohortTest.joined().read_bytes()
        for words in (['-t', 1], ['-t', 4], ['--window', 3001], ['--max-open-files', 2, '-t', 3], ['--window', 777, '--max-open-files', 1]):
            out = self.folder() / 'x.vcf.gz'
            run('joint', reference, *gvcfs, '-o', out, '-q', *words)
            self.assertEqual(out.read_bytes(), expected, words)

    def test_the_order_of_samples_changes_columns_only(self):
        reference, _, gvcfs = cohort()
        turned = join(*reversed(gvcfs), reference=reference)
        expected = vcf_body(CohortTest.joined())
        self.assertEqual([columns(line)[:9] + columns(line)[:8:-1] for line in turned], [columns(line) for line in expected])

    def test_bcf_and_text_hold_the_same_and_are_valid(self):
        reference, _, gvcfs = cohort()
        folder = self.folder()
        for name in ('x.bcf', 'x.vcf'):
            run('joint', reference, *gvcfs, '-o', folder / name, '-q')
        self.assert_files(folder, 'x.bcf', 'x.bcf.csi', 'x.vcf')
        self.assertEqual((folder / 'x.vcf').read_bytes(), content(CohortTest.joined()))
        self.assertEqual(bcftools('view', '-H', folder / 'x.bcf'), bcftools('view', '-H', CohortTest.joined()))
        self.assertEqual(bcftools('query', '-l', CohortTest.joined()).split(), ['s0', 's1', 's2', 's3'])
        bcftools('norm', '-c', 'e', '-f', reference, folder / 'x.bcf', '-o', '/dev/null')
        self.assertGreater(len(bcftools('view', '-H', '-r', bcftools('index', '-s', folder / 'x.bcf').split()[0] + ':1-100000', folder / 'x.bcf')), 0)

    def test_a_second_pass_gives_every_sample_its_own_likelihoods(self):
        """joint, call --alleles at its sites, joint again: no genotype is that of a block."""
        reference, folder, _ = cohort()
        called = []
        for i in range(4):
            called.append(self.folder() / f's{i}.vcf.gz')
            run('call', reference, folder / f's{i}' / 'x.bam', '--alleles', CohortTest.joined(), '-o', called[-1], '-q')
        likelihoods = {}
        for i, path in enumerate(called):
            for line in vcf_body(path):
                fields = columns(line)
                values = dict(zip(fields[8].split(':'), fields[9].split(':')))
                likelihoods[(i, *fields[:2], fields[3], fields[4])] = values['PL']
        lines = join(*called, reference=reference)
        before, after = ({tuple(columns(line)[:2]) for line in each} for each in (vcf_body(CohortTest.joined()), lines))
        self.assertLess(len(before ^ after), len(before) / 50)
        own = hom_ref = others = 0
        for line in lines:
            fields = columns(line)
            if ',' in fields[4] or len(fields[3]) > 1 or len(fields[4]) > 1:
                continue
            for i, sample in enumerate(fields[9:]):
                known = likelihoods.get((i, *fields[:2], fields[3], fields[4]))
                values = dict(zip(fields[8].split(':'), sample.split(':')))
                own += values['PL'] == known
                others += values['PL'] != known
                hom_ref += values['GT'] == '0/0'
        self.assertGreater(own, 1500)
        self.assertGreater(hom_ref, 500)
        self.assertLess(others, own / 50)

    def test_counts_are_those_of_the_genotypes(self):
        query = '%AC %AN\n'
        filled = bcftools('+fill-tags', CohortTest.joined(), '--', '-t', 'AC,AN')
        found = [dict(f.split('=') for f in columns(line)[7].split(';')) for line in vcf_body(CohortTest.joined())]
        refilled = [dict(f.split('=') for f in columns(line)[7].split(';')) for line in filled.splitlines() if line[0] != '#']
        self.assertEqual([(f['AC'], f['AN']) for f in found], [(f['AC'], f['AN']) for f in refilled])
        self.assertGreater(len(found), 300)

    def test_confident_calls_of_single_samples_are_kept(self):
        reference, folder, _ = cohort()
        joint = {}
        for line in vcf_body(CohortTest.joined()):
            fields = columns(line)
            for i, sample in enumerate(fields[9:]):
                alleles = [([fields[3]] + fields[4].split(','))[int(a)] for a in re.split('[/|]', sample.split(':')[0]) if a != '.']
                joint[(i, fields[0], fields[1])] = joint.get((i, fields[0], fields[1]), []) + [(fields[3], sorted(alleles))]
        kept = lost = 0
        for i in range(4):
            for line in vcf_body(folder / f's{i}' / 'x.vcf.gz'):
                fields = columns(line)
                sample = fields[9].split(':')
                if fields[6] != 'PASS' or int(sample[1]) < 20 or len(fields[3]) > 1 or len(fields[4]) > 1:
                    continue
                alleles = sorted([fields[3], fields[4]][int(a)] for a in sample[0].replace('|', '/').split('/'))
                if any(pair == (fields[3], alleles) for pair in joint.get((i, fields[0], fields[1]), [])):
                    kept += 1
                else:
                    lost += 1
        self.assertGreater(kept, 500)
        self.assertLess(lost, kept / 500)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
