#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests --dbsnp, the IDs of --alleles, and --interval-padding."""
import functools
import subprocess

import gannet_testing
from gannet_testing import bcftools, run, vcf_body


class Data:
    """A called sample, and a file that knows every second allele of its calls, not always in normal form."""

    def __init__(self):
        self.sample, self.folder = gannet_testing.called_sample()
        self.reference, self.bam = self.sample.reference, self.folder / 's.bam'
        self.calls = [line.split('\t') for line in vcf_body(self.folder / 's.vcf.gz')]
        self.contigs = {}
        for block in self.reference.read_text().split('>')[1:]:
            name, *lines = block.splitlines()
            self.contigs[name.split()[0]] = ''.join(lines).upper()
        self.ids = {}  # by contig, position and REF, ALT of the calls: what is expected in the column
        known = []
        self.shifted = 0
        for number, fields in enumerate(self.calls):
            contig, position, reference = fields[0], int(fields[1]), fields[3]
            names = []
            for allele, alternate in enumerate(fields[4].split(',')):
                if number % 2 == 0 or alternate == '*':
                    continue
                names.append(f'rs{number}{allele}')
                known.append(self.disguised(contig, position, reference, alternate, names[-1], number))
            self.ids[tuple(fields[:2] + fields[3:5])] = ';'.join(names) or '.'
        # Other alleles of the same places, and of others.
        for number, fields in enumerate(self.calls):
            others = set('ACGT') - {fields[3][0]} - set(fields[4].split(','))
            known.append((fields[0], int(fields[1]), f'other{number}', fields[3][0], min(others)))
        self.known = self.write('known.vcf', known)

    def disguised(self, contig, position, reference, alternate, name, number):
        """The allele with more bases than it needs, and an indel in a repeat at the right end of it."""
        letters = self.contigs[contig]
        while len(reference) > 1 and len(alternate) > 1 and reference[-1] == alternate[-1]:
            reference, alternate = reference[:-1], alternate[:-1]
        if len(reference) != len(alternate):
            bases = (reference if len(reference) > len(alternate) else alternate)[1:]
            after = position + len(reference) - 1  # offset of the first base after it
            while letters[after] == bases[0]:
                bases = bases[1:] + bases[0]
                after += 1
                position += 1
                self.shifted += 1
            anchor = letters[position - 1]
            return (contig, position, name, anchor + bases, anchor) if len(reference) > len(alternate) else (contig, position, name, anchor, anchor + bases)
        if number % 4 == 3:
            end = position - 1 + len(reference)
            tail = letters[end:end + 3]
            return contig, position, name, reference + tail, alternate + tail
        return contig, position, name, reference, alternate

    def write(self, name, records, compressed=True):
        folder = gannet_testing.new_folder()
        path = folder / name
        order = list(self.contigs)
        lines = ['##fileformat=VCFv4.2', *(f'##contig=<ID={contig},length={len(letters)}>' for contig, letters in self.contigs.items()),
                 '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO']
        lines += ['\t'.join([contig, str(position), ident, reference, alternate, '.', '.', '.'])
                  for contig, position, ident, reference, alternate in sorted(records, key=lambda r: (order.index(r[0]), r[1]))]
        path.write_text('\n'.join(lines) + '\n')
        if not compressed:
            return path
        bcftools('view', path, '-Oz', '-o', folder / f'{name}.gz')
        bcftools('index', '-t', folder / f'{name}.gz')
        return folder / f'{name}.gz'

    def call(self, *options):
        path = gannet_testing.new_folder() / 'calls.vcf'
        run('call', self.reference, self.bam, '-o', path, '--no-scorer', '-q', *options)
        return [line.split('\t') for line in vcf_body(path)]


@functools.cache
def data():
    gannet_testing.needs_tool('bcftools')
    return Data()


class Dbsnp(gannet_testing.Case):
    def expected(self, calls):
        return [data().ids[tuple(fields[:2] + fields[3:5])] for fields in calls]

    def test_known_alleles_have_their_ids_whatever_their_form(self):
        calls = data().call('--dbsnp', data().known)
        self.assertGreater(data().shifted, 10)
        self.assertEqual([fields[2] for fields in calls], self.expected(calls))
        self.assertEqual([fields[:2] + fields[3:] for fields in calls], [fields[:2] + fields[3:] for fields in data().calls])
        self.assertGreater(sum(fields[2] != '.' for fields in calls), 80)

    def test_letters_may_be_of_either_case(self):
        folder = self.folder()
        lines = [line.split('\t') for line in bcftools('view', data().known).splitlines()]
        text = ''.join('\t'.join(line if line[0].startswith('#') else [*line[:3], line[3].lower(), line[4].lower(), *line[5:]]) + '\n' for line in lines)
        (folder / 'known.vcf').write_text(text)
        bcftools('view', folder / 'known.vcf', '-Oz', '-o', folder / 'known.vcf.gz')
        bcftools('index', '-t', folder / 'known.vcf.gz')
        bcftools('view', folder / 'known.vcf', '-Ob', '-o', folder / 'known.bcf')
        bcftools('index', folder / 'known.bcf')
        for name in ('known.vcf.gz', 'known.bcf'):
            calls = data().call('--dbsnp', folder / name)
            self.assertEqual([fields[2] for fields in calls], self.expected(calls))

    def test_run_shards_and_bcf_give_the_same(self):
        whole = [fields[:5] for fields in data().call('--dbsnp', data().known)]
        folder = self.folder()
        run('run', data().reference, *data().sample.reads, '-o', folder, '--sample', 's', '--no-scorer', '-q', '--dbsnp', data().known)
        self.assertEqual([line.split('\t')[:5] for line in vcf_body(folder / 's.vcf.gz')], whole)
        bcf = folder / 'known.bcf'
        bcftools('view', data().known, '-Ob', '-o', bcf)
        bcftools('index', bcf)
        self.assertEqual([fields[:5] for fields in data().call('--dbsnp', bcf, '-t', 1)], whole)
        parts = []
        for contig, letters in data().contigs.items():
            middle = len(letters) // 2
            for region in (f'{contig}:1-{middle}', f'{contig}:{middle + 1}-{len(letters)}'):
                parts += [fields[:5] for fields in data().call('--dbsnp', data().known, '--regions', region)]
        self.assertEqual(parts, whole)

    def test_several_alleles_and_names_are_joined_once(self):
        two = next((fields for fields in data().calls if ',' in fields[4] and '*' not in fields[4]), None)
        if two is None:
            gannet_testing.skip('the sample has no site of two alternates')
        contig, position, reference, (first, second) = two[0], int(two[1]), two[3], two[4].split(',')
        known = data().write('two.vcf', [(contig, position, 'rs1;rs2', reference, second), (contig, position, 'rs3', reference, f'{first},{second}')])
        calls = {tuple(fields[:2]): fields[2] for fields in data().call('--dbsnp', known)}
        self.assertEqual(calls[contig, str(position)], 'rs3;rs1;rs2')

    def test_ids_of_given_alleles_are_kept(self):
        snvs = [fields for fields in data().calls if len(fields[3]) == len(fields[4]) == 1][:2]
        absent = ('ACGT'[('ACGT'.index(snvs[0][3]) + 1) % 4])
        absent = absent if absent != snvs[0][4] else 'ACGT'[('ACGT'.index(snvs[0][3]) + 2) % 4]
        given = data().write('given.vcf', [(snvs[0][0], int(snvs[0][1]), 'mine', snvs[0][3], snvs[0][4]), (snvs[0][0], int(snvs[0][1]), 'not_there', snvs[0][3], absent)],
                             compressed=False)
        dbsnp = data().write('dbsnp.vcf', [(snvs[0][0], int(snvs[0][1]), 'rs7;mine', snvs[0][3], snvs[0][4]), (snvs[1][0], int(snvs[1][1]), 'rs8', snvs[1][3], snvs[1][4])])
        found = {tuple(fields[:2] + fields[3:5]): fields[2] for fields in data().call('--alleles', given)}
        self.assertEqual(found[tuple(snvs[0][:2] + snvs[0][3:5])], 'mine')
        self.assertEqual(found[(*snvs[0][:2], snvs[0][3], absent)], 'not_there')
        found = {tuple(fields[:2] + fields[3:5]): fields[2] for fields in data().call('--alleles', given, '--dbsnp', dbsnp)}
        self.assertEqual(found[tuple(snvs[0][:2] + snvs[0][3:5])], 'mine;rs7')
        self.assertEqual(found[tuple(snvs[1][:2] + snvs[1][3:5])], 'rs8')

    def test_a_file_that_cannot_be_used_is_refused(self):
        words = ['call', data().reference, data().bam, '-o', self.folder() / 'x.vcf', '--no-scorer', '--dbsnp']
        plain = data().write('plain.vcf', [], compressed=False)
        self.refused(3, *words, plain, says='tabix -p vcf')
        self.refused(3, *words, data().reference, says='is not VCF or BCF')
        self.refused(3, *words, self.folder() / 'none.vcf.gz', says='none.vcf.gz')
        other = self.folder() / 'other.vcf'
        other.write_text('##fileformat=VCFv4.2\n##contig=<ID=NC_000001.11>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nNC_000001.11\t5\trs1\tA\tC\t.\t.\t.\n')
        bcftools('view', other, '-Oz', '-o', f'{other}.gz')
        bcftools('index', '-t', f'{other}.gz')
        self.refused(4, *words, f'{other}.gz', says='none of its contigs is in the reference')
        self.refused(2, 'call', data().reference, data().bam, '-o', data().known, '--dbsnp', data().known, says='--dbsnp')

    def test_an_index_of_another_file_is_refused_and_one_without_records_used(self):
        folder = self.folder()
        for name, lines in (('all', None), ('half', 2), ('none', 0)):
            text = bcftools('view', data().known).splitlines(keepends=True)
            head = [line for line in text if line.startswith('#')]
            (folder / f'{name}.vcf').write_text(''.join(head + text[len(head):][:None if lines is None else (len(text) - len(head)) // 2 if lines else 0]))
            for kind, path in (('z', folder / f'{name}.vcf.gz'), ('b', folder / f'{name}.bcf')):
                bcftools('view', '--no-version', folder / f'{name}.vcf', f'-O{kind}', '-o', path)
                bcftools('index', *(['-t'] if kind == 'z' else []), path)
        for end, index in (('vcf.gz', 'tbi'), ('bcf', 'csi')):
            self.assertEqual({fields[2] for fields in data().call('--dbsnp', folder / f'none.{end}')}, {'.'})
            for name, other in (('all', 'half'), ('half', 'all')):
                (folder / f'x.{end}').write_bytes((folder / f'{name}.{end}').read_bytes())
                (folder / f'x.{end}.{index}').write_bytes((folder / f'{other}.{end}.{index}').read_bytes())
                self.refused(3, 'call', data().reference, data().bam, '-o', folder / 'x.vcf', '--no-scorer', '--dbsnp', folder / f'x.{end}', says='its index is of another file')

    def test_a_damaged_file_is_refused(self):
        whole = data().known.read_bytes()
        for damage in ('cut', 'flipped', 'column'):
            path = self.folder() / 'known.vcf.gz'
            if damage == 'column':
                fields = data().calls[0]
                text = f'##fileformat=VCFv4.2\n##contig=<ID={fields[0]}>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n{fields[0]}\t{fields[1]}\trs1\n'
                (path.parent / 'known.vcf').write_text(text)
                subprocess.run(['bgzip', path.parent / 'known.vcf'], check=True)
                subprocess.run(['tabix', '-s', '1', '-b', '2', '-e', '2', path], check=True)
            else:
                path.write_bytes(whole[:-28] if damage == 'cut' else whole[:3000] + bytes(200) + whole[3200:])
                (path.parent / 'known.vcf.gz.tbi').write_bytes((data().known.parent / f'{data().known.name}.tbi').read_bytes())
            folder = self.folder()
            self.refused(3, 'call', data().reference, data().bam, '-o', folder / 'x.vcf', '--no-scorer', '--dbsnp', path, says='known.vcf.gz')
            self.assert_files(folder)

    def test_records_of_another_reference_are_passed_over_with_a_warning(self):
        fields = next(fields for fields in data().calls if len(fields[3]) == len(fields[4]) == 1)
        wrong = min(set('ACGT') - {fields[3], fields[4]})
        known = data().write('wrong.vcf', [(fields[0], int(fields[1]), 'rs1', wrong, fields[4])])
        done = run('call', data().reference, data().bam, '-o', self.folder() / 'x.vcf', '--no-scorer', '--dbsnp', known)
        self.assertIn('1 records near variants are passed over', done.stderr)


class Padding(gannet_testing.Case):
    def test_intervals_are_extended_on_both_sides_within_the_contig(self):
        contig = next(iter(data().contigs))
        length = len(data().contigs[contig])
        sites = [int(fields[1]) for fields in data().calls if fields[0] == contig]
        middle = sites[len(sites) // 2]
        bed = self.folder() / 'x.bed'
        bed.write_text(f'{contig}\t{middle - 1}\t{middle}\n{contig}\t0\t10\n{contig}\t{length - 10}\t{length}\n')
        wanted = [position for position in sites if abs(position - middle) <= 3000 or position <= 3010 or position > length - 3010]
        self.assertGreater(len(wanted), 3)
        for options in (['--targets', bed], ['--regions-file', bed],
                        ['--regions', f'{contig}:{middle}-{middle},{contig}:1-10,{contig}:{length - 9}-{length}']):
            self.assertEqual([int(fields[1]) for fields in data().call(*options, '--interval-padding', 3000)], wanted, options)
        without = [int(fields[1]) for fields in data().call('--targets', bed)]
        self.assertEqual(without, [position for position in sites if position == middle or position <= 10 or position > length - 10])

    def test_padding_needs_intervals(self):
        self.refused(2, 'call', data().reference, data().bam, '--interval-padding', 5, says='give one of them')
        self.refused(2, 'call', data().reference, data().bam, '--interval-padding', -5, says='valid: 0 to 1000000 bp')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
