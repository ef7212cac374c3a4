# SPDX-License-Identifier: MIT
"""Provides the truth of a sample whose two haplotypes are known sequences: variants and confident regions from their alignments to a reference.

A haplotype is aligned by minimap2 (`--cs`). An event is (begin, end, alternate): reference bases [begin, end) that the haplotype has as `alternate`; an
insertion has begin == end, an SNV is one base. An Alignment keeps its events and the oriented bases of the haplotype, so that any stretch between events can be
given back. Positions are 0-based, half-open.
"""
import bisect
import re
import subprocess

from overlap import union

COMPLEMENT = bytes.maketrans(b"ACGTN", b"TGCAN")
CS = re.compile(r":(\d+)|\*([a-z])([a-z])|([+-])([a-z]+)")
MIN_ALIGNMENT_BP = 2000  # shorter ones only say that their sequence is not aligned once
MIN_DUPLICATION_BP = 1000
MARGIN_BP = 100  # at the ends of an alignment
MAX_EVENT_BP = 1000  # longer ones end a stretch: vcfeval looks at no longer variant


class Alignment:
    """One alignment of a haplotype: the reference's [begin, end), the haplotype's [query_begin, query_end), and the events between."""

    def __init__(self, fields, query, reference):
        self.query_begin, self.query_end = int(fields[2]), int(fields[3])
        self.begin, self.end = int(fields[7]), int(fields[8])
        self.is_forward = fields[4] == "+"
        segment = query[self.query_begin:self.query_end]
        self.bases = segment if self.is_forward else segment.translate(COMPLEMENT)[::-1]
        self.breaks = []  # reference intervals that no stretch contains
        self.events = []
        cs = next(field[5:] for field in fields[12:] if field.startswith("cs:Z:"))
        self.walk(cs, reference)
        self.ends = [event[1] for event in self.events]
        self.shifts = [0]
        for begin, end, alternate in self.events:
            self.shifts.append(self.shifts[-1] + len(alternate) - (end - begin))

    def walk(self, cs, reference):
        at = self.begin
        for match in CS.finditer(cs):
            same, _, base, sign, text = match.groups()
            if same:
                at += int(same)
                continue
            if base:
                event = (at, at + 1, base.upper().encode())
            else:
                event = (at, at, text.upper().encode()) if sign == "+" else (at, at + len(text), b"")
            at = event[1]
            self.add(event, reference)
        if at != self.end:
            raise ValueError("the cs tag of an alignment ends at %d, not at %d" % (at, self.end))

    def add(self, event, reference):
        begin, end, alternate = event
        is_unknown = b"N" in alternate or b"N" in reference[begin:end]
        if is_unknown or max(len(alternate), end - begin) > MAX_EVENT_BP:
            self.breaks.append((begin - MARGIN_BP, end + MARGIN_BP))
        previous = self.events[-1] if self.events else (self.begin, self.begin, b"")
        is_substitution = end - begin == len(alternate)
        before_is_substitution = previous[1] - previous[0] == len(previous[2])
        if self.events and previous[1] == begin and not is_substitution and not before_is_substitution:
            self.events[-1] = (previous[0], end, previous[2] + alternate)  # an insertion beside a deletion is one change
            return
        if not is_substitution:
            event = left_aligned(event, reference, previous[1])
        self.events.append(event)

    def cuts_event(self, position):
        """Whether a stretch that begins or ends here would cut an event or its anchor off."""
        i = bisect.bisect_left(self.ends, position)
        return any(begin - 1 <= position <= end for begin, end, _ in self.events[max(0, i - 1):i + 2])

    def offset(self, position):
        """In `bases`, of a position that cuts no event."""
        return position - self.begin + self.shifts[bisect.bisect_right(self.ends, position)]


def left_aligned(event, reference, limit):
    """An insertion or deletion as far left as the bases allow, not beyond `limit`."""
    begin, end, alternate = event
    text = alternate or reference[begin:end]
    while begin > limit and reference[begin - 1] == text[-1]:
        text = text[-1:] + text[:-1]
        begin, end = begin - 1, end - 1
    return (begin, end, text if alternate else b"")


def align(reference_path, query_path, query, reference, threads):
    """The alignments of a haplotype, by position; secondary ones are not asked for."""
    command = ["minimap2", "-cx", "asm10", "--cs", "--secondary=no", "-t", str(threads), reference_path, query_path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return sorted((Alignment(row, query, reference) for row in rows), key=lambda a: (a.begin, a.end))


def sequenced(query, reference, alignments):
    """The haplotype without the gaps of assemblies, for reads: what lies in a gap of the reference is N, so that it gives no reads, which would have no place to
    go; and a gap of the haplotype has the reference's bases, so that depth is that of two copies. Neither is in an alignment, so neither is confident. What is
    aligned in another order than the rest lies in such gaps too: it keeps its own bases, and the reference's are not there a second time."""
    chain, last = [], None
    for a in alignments:
        if a.is_forward and a.end - a.begin >= MIN_ALIGNMENT_BP and (last is None or (a.begin >= last.end and a.query_begin >= last.query_end)):
            chain.append(a)
            last = a
    ends = [(0, 0)] + [(a.end, a.query_end) for a in chain]
    begins = [(a.begin, a.query_begin) for a in chain] + [(len(reference), len(query))]
    parts, at = [], 0
    for (end, query_end), (begin, query_begin) in zip(ends, begins):
        gap, own = reference[end:begin], query[query_end:query_begin]
        parts.append(query[at:query_end])
        if gap.count(b"N") >= MARGIN_BP:
            own = masked(own, without([(query_end, query_begin)], [(a.query_begin, a.query_end) for a in alignments]), query_end)
        elif own.count(b"N") >= MARGIN_BP:
            aligned = intersection([(query_end, query_begin)], union([(a.query_begin, a.query_end) for a in alignments]))
            own = masked(gap, intersection([(end, begin)], union([(a.begin, a.end) for a in alignments])), end)
            own = (b"N" * MARGIN_BP).join([own, *(query[b:e] for b, e in aligned)])
        parts.append(own)
        at = query_begin
    return b"".join(parts + [query[at:]])


def masked(bases, intervals, offset):
    """`bases`, the first at position `offset`, with N in the intervals."""
    bases = bytearray(bases)
    for begin, end in intervals:
        bases[begin - offset:end - offset] = b"N" * (end - begin)
    return bytes(bases)


def covered_once(intervals, length):
    """What exactly one of the intervals covers."""
    changes = sorted([(begin, 1) for begin, _ in intervals] + [(end, -1) for _, end in intervals])
    once, depth, last = [], 0, 0
    for position, change in changes:
        if depth == 1 and position > last:
            once.append((last, position))
        depth, last = depth + change, position
    return [(max(0, begin), min(length, end)) for begin, end in once]


def intersection(left, right):
    """Of two sorted lists of disjoint intervals."""
    common, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        begin, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if begin < end:
            common.append((begin, end))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return common


def without(intervals, removed):
    """Sorted intervals less others."""
    kept = []
    for begin, end in intervals:
        for b, e in sorted(removed):
            if e <= begin or b >= end:
                continue
            if b > begin:
                kept.append((begin, b))
            begin = max(begin, e)
        if begin < end:
            kept.append((begin, end))
    return kept


def duplications(reference_path, threads):
    """Where at least MIN_DUPLICATION_BP of the reference align to another place of it."""
    command = ["minimap2", "-cx", "asm20", "-D", "-P", "-t", str(threads), reference_path, reference_path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    both = [(int(row[i]), int(row[i + 1])) for row in rows for i in (2, 7)]
    return sorted({(begin, end) for begin, end in both if end - begin >= MIN_DUPLICATION_BP})


def stretches_of(alignments, reference_length, query_length, removed=()):
    """Of one haplotype: (begin, end, alignment) where the reference is covered once, by sequence of the haplotype that is aligned once; less `removed`."""
    once = covered_once([(a.begin, a.end) for a in alignments], reference_length)
    query_once = covered_once([(a.query_begin, a.query_end) for a in alignments], query_length)
    stretches = []
    for alignment in alignments:
        if alignment.end - alignment.begin < MIN_ALIGNMENT_BP:
            continue
        if intersection([(alignment.query_begin, alignment.query_end)], query_once) != [(alignment.query_begin, alignment.query_end)]:
            # Which reference bases the overlap with another alignment falls on depends on the strand and on the events: it is at an end.
            overlap = alignment.query_end - alignment.query_begin - sum(
                e - b for b, e in intersection([(alignment.query_begin, alignment.query_end)], query_once))
            inner = [(alignment.begin + overlap + MARGIN_BP, alignment.end - overlap - MARGIN_BP)]
        else:
            inner = [(alignment.begin + MARGIN_BP, alignment.end - MARGIN_BP)]
        if inner[0][0] < inner[0][1]:
            stretches += [(b, e, alignment) for b, e in without(intersection(inner, once), alignment.breaks + list(removed))]
    return sorted(stretches, key=lambda s: s[:2])


def confident_regions(stretches):
    """(begin, end, (alignment, alignment)) where both haplotypes have one alignment; no end cuts an event."""
    regions = []
    first, second = ([(b, e) for b, e, _ in side] for side in stretches)
    for begin, end in intersection(first, second):
        both = tuple(next(a for b, e, a in side if b <= begin and end <= e) for side in stretches)
        while begin < end and any(a.cuts_event(begin) for a in both):
            begin += 1
        while begin < end and any(a.cuts_event(end) for a in both):
            end -= 1
        if end - begin >= MARGIN_BP:
            regions.append((begin, end, both))
    return regions


def alleles_of(event, reference):
    """(position, REF, ALT) as VCF writes them, 0-based."""
    begin, end, alternate = event
    if end - begin == len(alternate) == 1:
        return begin, reference[begin:end], alternate
    anchor = reference[begin - 1:begin]
    return begin - 1, anchor + reference[begin:end], anchor + alternate


def records_of(regions, reference):
    """(position, REF, [ALT...], (allele of haplotype 1, of haplotype 2)) of the variants in the regions."""
    carriers = {}
    for begin, end, both in regions:
        for side, alignment in enumerate(both):
            for event in alignment.events:
                if begin < event[0] and event[1] < end:
                    carriers.setdefault(alleles_of(event, reference), set()).add(side)
    at = {}
    for (position, ref, alternate), sides in carriers.items():
        at.setdefault(position, []).append((ref, alternate, sides))
    records = []
    for position in sorted(at):
        here = sorted(at[position], key=lambda allele: (len(allele[0]), len(allele[1]), allele[1]))
        if len(here) == 2 and here[0][0] == here[1][0] and not here[0][2] & here[1][2]:
            alternates = [alternate for _, alternate, _ in here]
            records.append((position, here[0][0], alternates, tuple(1 if side in here[0][2] else 2 for side in (0, 1))))
            continue
        for ref, alternate, sides in here:
            records.append((position, ref, [alternate], tuple(int(side in sides) for side in (0, 1))))
    return records


def write_vcf(path, contig, length, records):
    """A VCF of phased records, compressed and indexed; `path` ends in .vcf, as the plain text does."""
    with open(path, "w") as out:
        out.write("##fileformat=VCFv4.2\n##contig=<ID=%s,length=%d>\n" % (contig, length))
        out.write('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS\n')
        for position, ref, alternates, haplotypes in records:
            text = ",".join(alternate.decode() for alternate in alternates)
            out.write("%s\t%d\t.\t%s\t%s\t.\tPASS\t.\tGT\t%d|%d\n" % (contig, position + 1, ref.decode(), text, *haplotypes))
    with open(path + ".gz", "wb") as packed:
        subprocess.run(["bgzip", "-c", path], stdout=packed, check=True)
    subprocess.run(["tabix", "-f", "-p", "vcf", path + ".gz"], check=True)


def wrong_regions(reference_path, contig, regions, vcf):
    """The regions of which `bcftools consensus` of reference and truth does not give one of the haplotypes back."""
    wrong = set()
    names = "".join("%s:%d-%d\n" % (contig, begin + 1, end) for begin, end, _ in regions)
    cut = subprocess.run(["samtools", "faidx", "-r", "/dev/stdin", reference_path], input=names.encode(), stdout=subprocess.PIPE, check=True).stdout
    for side in (0, 1):
        command = ["bcftools", "consensus", "-H", str(side + 1), vcf + ".gz"]
        given = subprocess.run(command, input=cut, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        sequences = [b"".join(part.split(b"\n")[1:]) for part in given.split(b">")[1:]]
        if len(sequences) != len(regions):
            raise ValueError("bcftools consensus gave %d sequences of %d" % (len(sequences), len(regions)))
        for sequence, (begin, end, both) in zip(sequences, regions):
            if sequence.upper() != both[side].bases[both[side].offset(begin):both[side].offset(end)]:
                wrong.add((begin, end))
    return wrong
