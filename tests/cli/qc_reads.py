# SPDX-License-Identifier: MIT
"""Provides the reads of the tests of quality control, and what the archives of FastQC hold."""
import functools
import random
import zipfile

import gannet_testing
from gannet_testing import new_folder, simulated


def fastq_records(path):
    lines = gannet_testing.content(path).decode().splitlines()
    return [tuple(lines[i:i + 4]) for i in range(0, len(lines), 4)]


def write_reads(path, reads):
    path.write_text(''.join('\n'.join(read) + '\n' for read in reads))


def complement(bases):
    return bases[::-1].translate(str.maketrans('ACGT', 'TGCA'))


def with_bases(read, bases):
    return (read[0], bases, '+', (read[3] + 'F' * len(bases))[:len(bases)])


@functools.cache
def difficult_reads():
    """Pairs with everything that the programs treat apart: cut, clipped, split, joined with another pair, unmapped, without bases, with N,
    with adapters, far apart, in other orientations, duplicates."""
    sample = simulated(0.4, 12, 11)
    first, second = (fastq_records(path) for path in sample.reads)
    rng = random.Random(1)
    adapter = 'AGATCGGAAGAGCACACGTCTGAACTCCAGTCACACGTACGTATCTCGTATGCCGTCTTCTGCTTG'
    for reads in (first, second):
        for i in range(0, len(reads), 5):  # on both sides of the limits of the programs
            reads[i] = (*reads[i][:3], ''.join(chr(33 + rng.randrange(15, 26)) for _ in reads[i][3]))
    for i in range(0, len(first), 7):
        one, two = first[i][1], second[i][1]
        kind = (i // 7) % 13
        if kind == 0:  # shorter than its mate, as a trimmed read
            one = one[:rng.randrange(36, 140)]
        elif kind == 1:  # split over two places
            one = one[:80] + first[rng.randrange(len(first))][1][80:150]
        elif kind == 2:  # mates of two templates
            two = second[rng.randrange(len(second))][1]
        elif kind == 3:  # a mate that does not map
            two = ''.join(rng.choices('ACGT', k=len(two)))
        elif kind == 4:
            one = ''
        elif kind == 5:
            at = rng.randrange(1, 140)
            one = one[:at] + 'N' * rng.randrange(1, 9) + one[at + 8:]
        elif kind == 6:  # adapters alone
            one, two = adapter, adapter[1:]
        elif kind == 7:  # an insertion and a deletion
            one = one[:50] + 'ACGTAC' + one[50:90] + one[94:148]
        elif kind == 8:  # both point the same way
            one = complement(one)
        elif kind == 9:  # outward
            one, two = complement(one), complement(two)
        elif kind == 10:  # both mates begin at one position
            two = complement(one)
        elif kind == 11:  # the fragment is shorter than the reads
            one, two = one[:60] + adapter[:40], complement(one[:60]) + adapter[:60]
        else:  # no mate maps
            one, two = ''.join(rng.choices('ACGT', k=90)), ''.join(rng.choices('ACGTN', k=70))
        first[i], second[i] = with_bases(first[i], one), with_bases(second[i], two)
    for i in range(0, len(first), 19):  # read twice
        first.append(('@copy' + str(i), *first[i][1:]))
        second.append(('@copy' + str(i), *second[i][1:]))
    folder = new_folder()
    write_reference(sample.reference, folder / 'reference.fa')
    write_reads(folder / 'a_1.fq', first)
    write_reads(folder / 'a_2.fq', second)
    write_reads(folder / 'single.fq', [(f'@single{i}', *read[1:]) for i, read in enumerate(first[::9])])
    return folder / 'reference.fa', folder


def write_reference(of, path):
    """The same contigs with N of some lengths."""
    rng = random.Random(2)
    contigs = [record.partition('\n') for record in of.read_text().split('>')[1:]]
    with open(path, 'w') as file:
        for name, _, lines in contigs:
            bases = list(lines.replace('\n', ''))
            for length in (1, 1, 2, 3, 4, 5, 6, 60, 99, 100, 101, 700):
                at = rng.randrange(len(bases) - length)
                bases[at:at + length] = 'N' * length
            file.write(f'>{name}\n' + ''.join(bases) + '\n')


def fastqc_modules(path):
    """Modules of fastqc_data.txt in an archive: status and lines."""
    with zipfile.ZipFile(path) as archive:
        folder = archive.namelist()[0]
        text = archive.read(folder + 'fastqc_data.txt').decode()
    modules, name = {}, None
    for line in text.splitlines():
        if line.startswith('>>END_MODULE'):
            name = None
        elif line.startswith('>>'):
            name, status = line[2:].split('\t')
            modules[name] = (status, [])
        elif name:
            modules[name][1].append(line.split('\t'))
    return modules
