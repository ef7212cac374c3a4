# SPDX-License-Identifier: MIT
"""Provides the sound files that mutants_test.py damages."""
import mutations
from independent_readers import execute, gunzip, need, parse_fastq


class Sample:
    """A reference of 20 kb, reads, and all that gannet and samtools make of them."""

    def __init__(self, gannet, score_examples, folder):
        self.gannet, self.score_examples, self.folder = gannet, score_examples, folder
        folder.mkdir()
        make = self.make
        make('simulate', '--size', '0.02', '--coverage', '12', '--seed', '3', '-o', folder)
        self.reference = folder / 'ref.fa'
        make('index', self.reference)
        reads = [folder / f'reads_{mate}.fq.gz' for mate in (1, 2)]
        make('run', self.reference, *reads, '--sample', 's', '-o', folder)
        make('align', self.reference, *reads, '--sample', 's', '-o', folder / 's.cram')
        make('examples', self.reference, folder / 's.bam', '--truth', folder / 'truth.vcf.gz', '--targets', folder / 'confident.bed', '-o',
             folder / 'examples')
        self.fastq = b''.join(b'@%s\n%s\n+\n%s\n' % tuple(part.encode() for part in read) for read in parse_fastq(gunzip(reads[0].read_bytes()))[:60])
        (folder / 'few.fq').write_bytes(self.fastq)
        need(['samtools', 'import', '-0', folder / 'few.fq', '-o', folder / 'u.bam'])
        need(['samtools', 'faidx', self.reference])
        (folder / 'z.fa.gz').write_bytes(mutations.bgzf(self.reference.read_bytes(), 5000))
        need(['samtools', 'faidx', folder / 'z.fa.gz'])

    def make(self, *words):
        code, _, errors = execute([self.gannet, *words, '-q'])
        if code != 0:
            raise SystemExit(f'gannet {" ".join(map(str, words))}: exit {code}: {errors}')

    def read(self, name):
        return (self.folder / name).read_bytes()
