# SPDX-License-Identifier: MIT
"""Provides readers of sequence formats that share no code with gannet, for mutants_test.py: what a mutant holds, or Invalid."""
import gzip
import hashlib
import subprocess
import zlib

TIMEOUT_S = 10
COMPLEMENT = str.maketrans('ACGTN', 'TGCAN')


class Invalid(Exception):
    """The independent reader refuses the mutant; the text says why."""


def execute(words, **more):
    """Exit code (None: it hangs), standard output and standard error."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, **more)
    except subprocess.TimeoutExpired:
        return None, b'', ''
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def need(words):
    code, output, errors = execute(words)
    if code != 0:
        raise Invalid(f'{words[0]} {words[1]}: exit {code}: {errors.strip()[-200:]}')
    if 'EOF marker is absent' in errors or 'file truncated' in errors:
        raise Invalid(f'{words[0]} {words[1]}: {errors.strip()[-200:]}')
    return output


def body(path):
    """Records of a VCF."""
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data
    return [line for line in data.decode().splitlines() if not line.startswith('#')]


def gunzip(data):
    """Members of gzip with right checksums and nothing but zeros after the last."""
    out = []
    while data:
        engine = zlib.decompressobj(31)
        try:
            out.append(engine.decompress(data) + engine.flush())
        except zlib.error as error:
            raise Invalid(f'gzip: {error}') from None
        if not engine.eof:
            raise Invalid('gzip: truncated')
        data = engine.unused_data
        if not data.strip(b'\0'):
            break
    return b''.join(out)


def plain(data):
    return gunzip(data) if data[:2] == b'\x1f\x8b' else data


def lines_of(data):
    """Lines without their ends, LF or CR LF; empty ones at the end dropped."""
    lines = [line.removesuffix(b'\r') for line in data.split(b'\n')]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def parse_fastq(data):
    """(name, bases, qualities) of each record, by the rules of docs/formats.md."""
    lines = lines_of(data)
    if len(lines) % 4 == 2 and len(lines) > 1 and lines[-1] == b'+':
        lines += [b'']  # no qualities, as there are no bases
    if len(lines) % 4 == 3 and lines[-1].startswith(b'+') and not lines[-2]:
        lines += [b'']
    if len(lines) % 4:
        raise Invalid('FASTQ: ends inside a record')
    reads = []
    for at in range(0, len(lines), 4):
        title, bases, plus, qualities = lines[at:at + 4]
        name = title[1:].replace(b'\t', b' ').split(b' ')[0]
        name = name[:-2] if name[-2:] in (b'/1', b'/2') else name
        if title[:1] != b'@' or plus[:1] != b'+' or not 0 < len(name) <= 254 or any(not 33 <= c <= 126 for c in name):
            raise Invalid('FASTQ: a line that begins otherwise, or no name')
        if len(bases) != len(qualities) or any(not 33 <= c <= 126 for c in qualities) or bases.upper().strip(b'ACGTURYKMSWBDHVN'):
            raise Invalid('FASTQ: bases or qualities')
        upper = bases.upper().replace(b'U', b'T').decode()
        reads.append((name.decode(), ''.join(c if c in 'ACGT' else 'N' for c in upper), qualities.decode()))
    return reads


def parse_sam(text):
    """The same of primary records, as the sequencer gave them."""
    reads = []
    for line in text.decode().splitlines():
        columns = line.split('\t')
        if line.startswith('@') or int(columns[1]) & 0x900:
            continue
        name, bases, qualities = columns[0], columns[9].replace('*', ''), columns[10]
        qualities = '' if not bases else qualities
        if int(columns[1]) & 16:
            bases, qualities = bases.translate(COMPLEMENT)[::-1], qualities[::-1]
        reads.append((name, ''.join(c if c in 'ACGT' else 'N' for c in bases), qualities))
    return reads


def parse_fasta(data):
    """(name, length, MD5) of each sequence."""
    contigs = []
    for line in (line.removesuffix(b'\r') for line in data.split(b'\n')):
        if line.startswith(b'>'):
            name = line[1:].replace(b'\t', b' ').split(b' ')[0]
            if not name or any(not 33 <= c <= 126 for c in name) or name in [c[0] for c in contigs]:
                raise Invalid('FASTA: a name')
            contigs.append((name, []))
        elif line:
            if not contigs or line.upper().strip(b'ACGTURYKMSWBDHVN'):
                raise Invalid('FASTA: a letter')
            contigs[-1][1].append(line.upper())
    if not contigs:
        raise Invalid('FASTA: no sequence')
    joined = [(name, b''.join(lines)) for name, lines in contigs]
    return [(name.decode(), str(len(bases)), hashlib.md5(bases).hexdigest()) for name, bases in joined]


def parse_bed(data):
    """Its intervals, three columns per line."""
    out = []
    for line in (line.removesuffix(b'\r') for line in data.split(b'\n')):
        if not line.strip() or line.startswith((b'#', b'track', b'browser')):
            continue
        columns = line.split()
        if len(columns) < 3 or not columns[1].isdigit() or not columns[2].isdigit():
            raise Invalid('BED: columns')
        out.append(b'\t'.join(columns[:3]))
    return b'\n'.join(out) + b'\n'
