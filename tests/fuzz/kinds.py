# SPDX-License-Identifier: MIT
"""Provides the kinds of input that mutants_test.py damages: for each the sound bytes, the command that reads them, and what an
independent reader finds in a mutant."""
import gzip
import json
import os
import pathlib
import shutil
import struct
import sys

import mutations
from independent_readers import Invalid, TIMEOUT_S, body, execute, gunzip, need, parse_bed, parse_fasta, parse_fastq, parse_sam, plain

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'ml' / 'train'))
EXIT_CODES = {0, 2, 3, 4, 7}  # those of docs/exit-codes.md that an input can lead to


class Kind:
    """`file` is the name that a mutant gets in a folder of its own; paths of the sample are used for everything else."""

    file = ''

    def __init__(self, name, sample):
        self.name, self.sample = name, sample
        self.data = self.sound()
        self.baseline = None

    def sound(self):
        return self.sample.read(self.file)

    def mutate(self, chance):
        return mutations.mutant(self.data, chance)

    def place(self, folder, data):
        path = folder / self.file
        path.write_bytes(data)
        return path

    def copy(self, folder, *names):
        for name in names:
            shutil.copy2(self.sample.folder / name, folder)

    def command(self, folder, path):
        """Words for gannet."""
        raise NotImplementedError

    def result(self, folder, output):
        """What a run that ended with 0 made."""
        raise NotImplementedError

    def expected(self, folder, path, data):
        """What it should have made, or Invalid."""
        raise NotImplementedError

    def gannet(self, folder, path):
        return execute([self.sample.gannet, *self.command(folder, path), '-q', '-t', '1'])

    def result_of(self, folder, path):
        """Of a sound file; Invalid where gannet refuses it."""
        folder.mkdir(exist_ok=True)
        code, output, errors = self.gannet(folder, path)
        if code != 0:
            raise Invalid(f'gannet refuses the same content written anew: {errors.strip()[-200:]}')
        return self.result(folder, output)

    def check_original(self, root):
        folder = root / f'original-{self.name}'
        folder.mkdir()
        path = self.place(folder, self.data)
        try:
            self.baseline = self.result_of(folder, path)
            again = self.expected(folder, path, self.data)
        except Invalid as why:
            return str(why)
        return None if again == self.baseline else 'the independent reader expects another result'

    def judge(self, folder, path, data):
        code, output, errors = self.gannet(folder, path)
        if code is None:
            return 'fault', f'has not ended after {TIMEOUT_S} s'
        if code not in EXIT_CODES:
            return 'fault', f'exit {code}: {errors.strip()[-300:]}'
        reports = [line for line in errors.splitlines() if 'error: ' in line]
        if code != 0:
            return 'refused', None if len(reports) == 1 else f'exit {code} with {len(reports)} lines that report an error: {errors[-300:]}'
        try:
            got = self.result(folder, output)
        except Exception as why:
            return 'fault', f'exit 0, but its output cannot be read: {why}'
        if got == self.baseline and self.may_ignore:
            return 'unharmed', None
        try:
            expected = self.expected(folder, path, data)
        except Invalid as why:
            return 'fault', f'exit 0, but {why}'
        if got != expected:
            return 'fault', f'exit 0, but the result is {str(got)[:150]}..., not {str(expected)[:150]}...'
        return ('unharmed' if got == self.baseline else 'read'), None

    may_ignore = False  # an undamaged result is right even where the independent reader refuses: the damaged part was not needed


# --- Reads ----------------------------------------------------------------------------------------------------------------------


class Reads(Kind):
    def command(self, folder, path):
        return ['align', '--unsorted', self.sample.reference, path, '--sample', 's', '-o', '-']

    def result(self, folder, output):
        return parse_sam(output)

    def expected(self, folder, path, data):
        return parse_fastq(plain(data))


class Fastq(Reads):
    file = 'few.fq'

    def mutate(self, chance):
        return mutations.text_mutant(self.data, chance)


class GzipReads(Reads):
    file = 'few.fq.gz'

    def sound(self):
        half = len(self.sample.fastq) // 2
        return gzip.compress(self.sample.fastq[:half], 6, mtime=0) + gzip.compress(self.sample.fastq[half:], 6, mtime=0)


class BgzfReads(Reads):
    file = 'few.fq.gz'

    def sound(self):
        return mutations.bgzf(self.sample.fastq, 4000)


class UnalignedBam(Reads):
    file = 'u.bam'

    def mutate(self, chance):
        return (mutations.mutant if chance.random() < 0.5 else mutations.bgzf_mutant)(self.data, chance)

    def expected(self, folder, path, data):
        if not plain(data):
            return []  # an empty file of any kind holds no reads
        need(['samtools', 'quickcheck', '-u', path])
        return parse_sam(need(['samtools', 'view', '--no-PG', path]))


# --- Alignments -----------------------------------------------------------------------------------------------------------------


class Calling(Kind):
    """What is read by `call`: the result is the body of the VCF."""

    may_ignore = True
    reference = None

    def more_words(self, folder, path):
        return []

    def alignments(self, folder, path):
        return path

    def command(self, folder, path):
        reference = folder / self.reference if self.reference else self.sample.reference
        return ['call', reference, self.alignments(folder, path), '-o', folder / 'calls.vcf', *self.more_words(folder, path)]

    def result(self, folder, output):
        return body(folder / 'calls.vcf')

    def rewritten(self, folder, path):
        """The same records as samtools reads them, in a new BAM."""
        anew = folder / 'anew'
        anew.mkdir()
        need(['samtools', 'view', '--no-PG', '-b', '-T', self.sample.reference, '-o', anew / 'anew.bam', path])
        return execute([self.sample.gannet, 'call', self.sample.reference, anew / 'anew.bam', '-o', anew / 'calls.vcf', '-q']), anew

    def expected(self, folder, path, data):
        (code, _, errors), anew = self.rewritten(folder, path)
        if code != 0:
            raise Invalid(f'gannet refuses the same content written anew: {errors.strip()[-200:]}')
        return body(anew / 'calls.vcf')


class Bam(Calling):
    """Bytes of the file, index beside it."""

    file = 's.bam'

    def place(self, folder, data):
        path = super().place(folder, data)
        self.copy(folder, 's.bam.bai')
        os.utime(folder / 's.bam.bai')
        return path


class BamPayload(Calling):
    """Bytes below the compression, without an index."""

    file = 's.bam'

    def mutate(self, chance):
        return mutations.bgzf_mutant(self.data, chance)


class Cram(Calling):
    file = 's.cram'


class Baseline(Calling):
    """Files beside the input: whatever is in them, calls are the same or refused."""

    def expected(self, folder, path, data):
        if data == self.data or self.baseline is None:
            return self.result(folder, b'')
        raise Invalid('the calls are not those of the sound file')


class Bai(Baseline):
    file = 's.bam.bai'
    region = []

    def alignments(self, folder, path):
        return folder / 's.bam'

    def place(self, folder, data):
        self.copy(folder, 's.bam')
        return super().place(folder, data)

    def more_words(self, folder, path):
        return self.region


class BaiRegion(Bai):
    region = ['--regions', 'sim2:6000-9000']


class Crai(Baseline):
    """Damage below its gzip's checksum would leave slices out without a trace: an index that was made so, not damaged."""

    file = 's.cram.crai'
    region = ['--regions', 'sim2:6000-9000']

    def sound(self):
        path = self.sample.folder / self.file
        if not path.exists():
            need(['samtools', 'index', self.sample.folder / 's.cram'])
        return path.read_bytes()

    def alignments(self, folder, path):
        return folder / 's.cram'

    def place(self, folder, data):
        self.copy(folder, 's.cram')
        return super().place(folder, data)

    def more_words(self, folder, path):
        return self.region


class Fai(Baseline):
    file = 'ref.fa.fai'
    reference = 'ref.fa'

    def alignments(self, folder, path):
        return self.sample.folder / 's.cram'

    def place(self, folder, data):
        self.copy(folder, 'ref.fa')
        return super().place(folder, data)

    def mutate(self, chance):
        return mutations.text_mutant(self.data, chance)


class Gzi(Fai):
    file = 'z.fa.gz.gzi'
    reference = 'z.fa.gz'

    def place(self, folder, data):
        self.copy(folder, 'z.fa.gz', 'z.fa.gz.fai')
        return Kind.place(self, folder, data)

    def mutate(self, chance):
        return mutations.mutant(self.data, chance)


# --- Reference and index --------------------------------------------------------------------------------------------------------


class Fasta(Kind):
    file = 'ref.fa'

    def mutate(self, chance):
        return mutations.text_mutant(self.data, chance)

    def command(self, folder, path):
        return ['index', path, '-o', folder / 'out.gannet']

    def result(self, folder, output):
        data = (folder / 'out.gannet').read_bytes()
        offset, size = struct.unpack_from('<QQ', data, 32)
        lines = data[offset:offset + size].decode().splitlines()[1:]
        return [(name, length, md5) for name, length, _, md5 in (line.split('\t') for line in lines)]

    def expected(self, folder, path, data):
        return parse_fasta(plain(data))


class BgzfFasta(Fasta):
    file = 'z.fa.gz'

    def mutate(self, chance):
        return mutations.mutant(self.data, chance)


class Index(Reads):
    file = 'ref.fa.gannet'

    def command(self, folder, path):
        return ['align', '--unsorted', self.sample.reference, self.sample.folder / 'few.fq', '--index', path, '--sample', 's', '-o', '-']

    def result(self, folder, output):
        return [line for line in output.decode().splitlines() if not line.startswith('@')]

    def expected(self, folder, path, data):
        if data != self.data:
            raise Invalid('the index is not the one that was built')
        return self.result(folder, self.gannet(folder, path)[1])


# --- Variants and intervals -----------------------------------------------------------------------------------------------------


class Vcf(Kind):
    file = 's.vcf'
    may_ignore = True

    def sound(self):
        return gunzip(self.sample.read('s.vcf.gz'))

    def mutate(self, chance):
        return mutations.text_mutant(self.data, chance)

    def command(self, folder, path):
        return ['compare', self.sample.folder / 'truth.vcf.gz', path, '--reference', self.sample.reference, '-o', folder / 'comparison']

    def gannet(self, folder, path):
        return execute([self.sample.gannet, *self.command(folder, path), '-q'])

    def result(self, folder, output):
        """Positions, alleles and genotypes of what was found, missed and wrong."""
        columns = [[line.split('\t') for line in body(folder / 'comparison' / name)] for name in ('tp.vcf.gz', 'fp.vcf.gz', 'fn.vcf.gz')]
        return [[(*c[:2], *c[3:5], c[-1].split(':')[0]) for c in table] for table in columns]

    def expected(self, folder, path, data):
        anew = folder / 'anew'
        anew.mkdir(exist_ok=True)
        source = path
        if data.startswith(b'##'):  # blank lines are passed over (docs/formats.md); bcftools takes them for records
            source = anew / 'source.vcf'
            source.write_bytes(b'\n'.join(line for line in data.split(b'\n') if line.strip(b'\r')) + b'\n')
        need(['bcftools', 'view', '-o', anew / 'anew.vcf', source])
        return self.result_of(anew, anew / 'anew.vcf')


class VcfGz(Vcf):
    file = 's.vcf.gz'

    def sound(self):
        return self.sample.read(self.file)

    def mutate(self, chance):
        return (mutations.mutant if chance.random() < 0.7 else mutations.bgzf_mutant)(self.data, chance)


class Bcf(Vcf):
    file = 's.bcf'

    def sound(self):
        need(['bcftools', 'view', '-Ob', '-o', self.sample.folder / 's.bcf', self.sample.folder / 's.vcf.gz'])
        return self.sample.read(self.file)

    def mutate(self, chance):
        return (mutations.mutant if chance.random() < 0.3 else mutations.bgzf_mutant)(self.data, chance)


class Bed(Calling):
    file = 'targets.bed'
    may_ignore = False

    def sound(self):
        return b'# targets\nsim2\t1000\t9000\tone\nsim2\t9500\t12000\ntrack name=x\nsim2\t12100\t12700\ttwo\t0\n'

    def mutate(self, chance):
        return mutations.text_mutant(self.data, chance)

    def alignments(self, folder, path):
        return self.sample.folder / 's.bam'

    def more_words(self, folder, path):
        return ['--targets', path]

    def expected(self, folder, path, data):
        anew = folder / 'anew'
        anew.mkdir(exist_ok=True)
        (anew / 'anew.bed').write_bytes(parse_bed(data))
        return self.result_of(anew, anew / 'anew.bed')


# --- The scorer -----------------------------------------------------------------------------------------------------------------


class Model(Baseline):
    file = 'm.safetensors'
    beside = 'm.json'
    may_ignore = False

    def sound(self):
        return (ROOT / 'ml' / 'models' / 'germline').with_suffix(pathlib.Path(self.file).suffix).read_bytes()

    def place(self, folder, data):
        shutil.copy(ROOT / 'ml' / 'models' / f'germline{pathlib.Path(self.beside).suffix}', folder / self.beside)
        return super().place(folder, data)

    def alignments(self, folder, path):
        return self.sample.folder / 's.bam'

    def more_words(self, folder, path):
        return ['--model', folder / 'm.safetensors']


class Manifest(Model):
    file = 'm.json'
    beside = 'm.safetensors'
    may_ignore = True

    def mutate(self, chance):
        return mutations.text_mutant(self.data, chance)

    def judge(self, folder, path, data):
        outcome, fault = super().judge(folder, path, data)
        if outcome != 'unharmed':
            return outcome, fault
        try:
            json.loads(data)
        except ValueError as why:
            return 'fault', f'exit 0, but the manifest is not JSON: {why}'
        return outcome, fault


class Examples(Kind):
    """Shards of examples, read by gannet's reader and by the trainer's: both accept a mutant or both refuse it."""

    file = 'examples.gnx'

    def sound(self):
        return next((self.sample.folder / 'examples').glob('*.gnx')).read_bytes()

    def mutate(self, chance):
        return (mutations.mutant if chance.random() < 0.5 else mutations.bgzf_mutant)(self.data, chance)

    def gannet(self, folder, path):
        code, output, errors = execute([self.sample.score_examples, ROOT / 'ml' / 'models' / 'germline.safetensors', path])
        return code, output, 'error: ' + errors if code else errors

    def result(self, folder, output):
        return len(output.splitlines())

    def expected(self, folder, path, data):
        import shards
        try:
            return len(shards.parse(path))
        except shards.ShardError as why:
            raise Invalid(str(why)) from None

    def judge(self, folder, path, data):
        outcome, fault = super().judge(folder, path, data)
        try:
            self.expected(folder, path, data)
        except Invalid:
            return outcome, fault
        except Exception as why:
            return 'fault', f'the Python reader raises {type(why).__name__}: {why}'
        return outcome, fault or ('the Python reader reads what gannet refuses' if outcome == 'refused' else None)


KINDS = {'fastq': Fastq, 'gz': GzipReads, 'bgzf': BgzfReads, 'ubam': UnalignedBam, 'bam': Bam, 'bam_payload': BamPayload, 'cram': Cram, 'bai': Bai,
         'bai_region': BaiRegion, 'crai': Crai, 'fai': Fai, 'gzi': Gzi, 'fasta': Fasta, 'fasta_bgzf': BgzfFasta, 'index': Index, 'vcf': Vcf,
         'vcf_gz': VcfGz, 'bcf': Bcf, 'bed': Bed, 'model': Model, 'manifest': Manifest, 'gnx': Examples}
