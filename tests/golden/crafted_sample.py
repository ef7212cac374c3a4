# SPDX-License-Identifier: MIT
"""Provides a small made-up sample that holds what is hard to align and to call, the same bytes on every machine.

The reference has two contigs with a copy of one stretch, a microsatellite, homopolymers and a run of N, and a third contig shorter than a
read. The diploid sample carries SNVs, insertions and deletions of several lengths, sites with two alternate alleles, neighbouring
variants, a deletion longer than a read (whose reads align in two parts) and a piece of one contig inside the other.
The reads hold sequencing errors, duplicates, adapters, mates on two contigs, reads that align nowhere and reads with N.
"""
import random

READ_BP = 100
COPY = (700, 1200, 2800)  # the bases [700, 1200) of `one` are also at 2800
ADAPTER = 'AGATCGGAAGAGCACACGTCTGAACTCCAGTCACACGTAACTATCTCGTATGCCGTCTTCTGCTTG' * 2
COMPLEMENT = str.maketrans('ACGTN', 'TGCAN')


class Chance:
    """Random numbers from random() alone, the one method whose sequence Python guarantees."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def happens(self, probability):
        return self.source.random() < probability

    def below(self, limit):
        return int(self.source.random() * limit)

    def bases(self, count):
        return ''.join('ACGT'[self.below(4)] for _ in range(count))

    def about(self, mean, spread):
        return int(mean + spread * (sum(self.source.random() for _ in range(6)) - 3))


def reverse_complement(bases):
    return bases.translate(COMPLEMENT)[::-1]


def other_base(base, shift=1):
    return 'ACGT'[('ACGT'.index(base) + shift) % 4]


def make_reference():
    """Contig name -> bases."""
    chance = Chance(20)
    one = list(chance.bases(4200))
    one[1500:1540] = 'CA' * 20
    one[1900:1914] = 'A' * 14
    one[2300:2330] = 'N' * 30
    begin, end, target = COPY
    one[target:target + end - begin] = one[begin:end]
    one[target + 250] = other_base(one[target + 250])  # the copies differ in one base
    return {'one': ''.join(one), 'two': chance.bases(1800), 'short': chance.bases(70)}


def variants_of(reference):
    """(contig, begin, deleted bases, inserted bases of haplotype 1, of haplotype 2), in order and apart; None: as the reference."""
    one, two = reference['one'], reference['two']

    def snv(contig, at, first, second):
        base = reference[contig][at]
        return (contig, at, 1, first and other_base(base, first), second and other_base(base, second))
    return [
        snv('one', 150, 1, None),
        snv('one', 260, 2, 2),
        snv('one', 380, 1, 2),                      # two alternate alleles
        ('one', 460, 0, 'G', None),
        ('one', 540, 0, 'TTGCA', 'TTGCA'),
        ('one', 620, 0, chance_bases(31, 25), None),
        snv('one', 850, None, 1),                   # inside the first copy
        ('one', 1100, 1, '', None),
        ('one', 1180, 7, '', ''),
        ('one', 1280, 40, '', None),
        snv('one', 1400, 1, None), snv('one', 1401, 2, None), snv('one', 1404, None, 1),
        ('one', 1500, 4, '', 'CACACACACA'),         # one allele loses two units of the microsatellite, the other gains three
        snv('one', 1560, 3, None),
        ('one', 1900, 1, '', None),                 # in the homopolymer
        snv('one', 2050, 1, 1),
        ('one', 2450, 260, '', None),               # longer than a read: its reads align in two parts
        snv('one', 3050, 1, None),                  # where the copies differ
        ('one', 3400, 3, 'ACGTACG', None),          # a deletion and an insertion at one site
        ('one', 3600, 0, two[900:1080], None),      # a piece of the other contig
        snv('one', 3900, 2, 1),
        ('one', 4000, 2, '', one[4000:4001]),       # deletions of two and of one base
        snv('two', 20, 1, None),
        snv('two', 300, 1, 1),
        ('two', 500, 12, None, ''),
        ('two', 700, 0, 'C', 'CC'),
        snv('two', 1300, 1, None), snv('two', 1310, 1, None), snv('two', 1320, None, 2),
        snv('two', 1785, 1, 1),
    ]


def chance_bases(seed, count):
    return Chance(seed).bases(count)


def haplotypes(reference):
    """Two times contig name -> bases."""
    made = []
    for which in (3, 4):
        contigs = {}
        for name, bases in reference.items():
            parts, at = [], 0
            for variant in (v for v in variants_of(reference) if v[0] == name):
                parts.append(bases[at:variant[1]])
                deleted = bases[variant[1]:variant[1] + variant[2]]
                parts.append(deleted if variant[which] is None else variant[which])
                at = variant[1] + variant[2]
            contigs[name] = ''.join(parts) + bases[at:]
        made.append(contigs)
    return made


def read_of(chance, bases):
    """(bases, qualities) with errors that grow towards the end of the read."""
    read, qualities = [], []
    for i, base in enumerate(bases):
        if chance.happens(0.001 + 0.006 * i / READ_BP):
            read.append(other_base(base, 1 + chance.below(3)) if base != 'N' else 'N')
            qualities.append('#-7<'[chance.below(4)])
        else:
            read.append(base)
            qualities.append('FFFFFFF<7A'[chance.below(10)])
    if chance.happens(0.02):
        read[chance.below(len(read))] = 'N'
    return ''.join(read), ''.join(qualities)


def pair_of(chance, fragment):
    """Both reads of a fragment; a fragment shorter than a read is followed by the adapter."""
    return [read_of(chance, (strand + ADAPTER)[:READ_BP]) for strand in (fragment, reverse_complement(fragment))]


def make_pairs(coverage):
    """Pairs ((bases, qualities), (bases, qualities)) in random order."""
    chance = Chance(21)
    both = haplotypes(make_reference())
    pairs = []
    for contigs in both:
        for bases in contigs.values():
            for _ in range(int(coverage * len(bases) / (4 * READ_BP))):
                length = min(len(bases), 70 if chance.happens(0.02) else max(READ_BP, chance.about(320, 70)))
                begin = chance.below(len(bases) - length + 1)
                fragment = bases[begin:begin + length].replace('N', 'A')
                pair = pair_of(chance, fragment if chance.happens(0.5) else reverse_complement(fragment))
                pairs.append(pair)
                if chance.happens(0.08):
                    pairs.append([read_of(chance, mate[0]) for mate in pair])  # a duplicate
    one, two = both[0]['one'], both[1]['two']
    for _ in range(6):  # mates on two contigs
        a, b = chance.below(len(one) - 400), chance.below(len(two) - READ_BP)
        pairs.append([read_of(chance, one[a:a + READ_BP]), read_of(chance, two[b:b + READ_BP])])
        pairs.append([read_of(chance, one[a:a + READ_BP]), read_of(chance, chance.bases(READ_BP))])  # a mate that aligns nowhere
    pairs += [[read_of(chance, chance.bases(READ_BP)) for _ in range(2)] for _ in range(3)]
    for i in range(len(pairs) - 1, 0, -1):
        j = chance.below(i + 1)
        pairs[i], pairs[j] = pairs[j], pairs[i]
    return pairs


def write(folder, coverage=24):
    """Writes ref.fa, reads_1.fq and reads_2.fq."""
    reference = make_reference()
    (folder / 'ref.fa').write_text(''.join(f'>{name}\n{bases}\n' for name, bases in reference.items()))
    pairs = make_pairs(coverage)
    for mate in (0, 1):
        text = ''.join(f'@p{i}\n{pair[mate][0]}\n+\n{pair[mate][1]}\n' for i, pair in enumerate(pairs))
        (folder / f'reads_{mate + 1}.fq').write_text(text)
