# SPDX-License-Identifier: MIT
"""Tells what an aligner could have placed better: reads that come from a place and are aligned elsewhere, aligned once more to their own place alone.

Reads are those of `gannet simulate --haploid`: SAMPLE.TEMPLATE.HAPLOTYPE.POSITION.POSITION.REST, positions on the haplotype. Where a haplotype's bases lie on
the reference follows from its reads of high mapping quality near by. Needs bwa and samtools.
"""
import bisect
import collections
import os
import re
import statistics
import subprocess

AWAY_BP = 1500  # aligned farther than this from where it comes from
CLUSTER_BP = 800  # sites nearer to each other are one place
READ_BP = 150
ANCHOR_MAPPING_QUALITY = 30
SCORE = re.compile(r"\tAS:i:(\d+)")
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def records(bam, *options):
    """(name, flag, position, mapping quality, clipped bases in front, bases, qualities, AS) of the primary records."""
    with subprocess.Popen(["samtools", "view", "-F", "0x900", *options, bam], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            f = line.split("\t", 11)
            clip = re.match(r"(\d+)S", f[5])
            score = SCORE.search(line)
            yield f[0], int(f[1]), int(f[3]) - 1, int(f[4]), int(clip[1]) if clip else 0, f[9], f[10], int(score[1]) if score else 0


class Origins:
    """Where each template comes from and where it was aligned."""

    def __init__(self, bam):
        self.bam = bam
        self.placed = {}  # name -> [position of the first read, of the second, AS of both]
        self.anchors = {}  # haplotype -> (position on the reference, offset of the haplotype's position), sorted
        self.begins = {}  # haplotype -> (position on it, name), sorted
        anchors, begins = collections.defaultdict(list), collections.defaultdict(list)
        for name, flag, position, quality, clip, _, _, score in records(bam):
            fields = name.split(".")
            haplotype, origin = fields[2], int(fields[3 if flag & 0x40 else 4]) - 1
            begins[haplotype].append((origin, name))
            placed = self.placed.setdefault(name, [None, None, 0])
            placed[2] += score
            if flag & 4:
                continue
            placed[0 if flag & 0x40 else 1] = position
            if quality >= ANCHOR_MAPPING_QUALITY:
                anchors[haplotype].append((position - clip, origin - (position - clip)))
        for haplotype, found in begins.items():
            self.begins[haplotype] = sorted(found)
            self.anchors[haplotype] = sorted(anchors[haplotype])

    def offset(self, haplotype, position):
        """Of the haplotype's position at one of the reference; None: no read says it."""
        anchors = self.anchors[haplotype]
        for reach in (600, 3000):
            near = anchors[bisect.bisect_left(anchors, (position - reach,)):bisect.bisect_left(anchors, (position + reach,))]
            if len(near) >= 5:
                return int(statistics.median(offset for _, offset in near))
        return None

    def away_from(self, position):
        """Templates with a read that comes from here, of which one is aligned elsewhere or not at all."""
        names = set()
        for haplotype, begins in self.begins.items():
            offset = self.offset(haplotype, position)
            if offset is None:
                continue
            origin = position + offset
            for _, name in begins[bisect.bisect_left(begins, (origin - READ_BP + 10,)):bisect.bisect_left(begins, (origin - 10,))]:
                if any(p is None or abs(p - position) > AWAY_BP for p in self.placed[name][:2]):
                    names.add(name)
        return names


def clusters(positions):
    found = []
    for position in sorted(positions):
        if found and position - found[-1][-1] < CLUSTER_BP:
            found[-1].append(position)
        else:
            found.append([position])
    return found


def scores_at(sequence, reads, folder):
    """Sum of AS of both mates, by name, with only this sequence to align to. `reads`: name -> two (bases, qualities)."""
    path = os.path.join(folder, "place.fa")
    with open(path, "w") as out:
        out.write(">place\n%s\n" % sequence)
    mates = [os.path.join(folder, "place_%d.fq" % mate) for mate in (1, 2)]
    for mate, name in enumerate(mates):
        with open(name, "w") as out:
            out.writelines("@%s\n%s\n+\n%s\n" % (read, *both[mate]) for read, both in sorted(reads.items()))
    subprocess.run(["bwa", "index", path], stderr=subprocess.DEVNULL, check=True)
    done = subprocess.run(["bwa", "mem", "-v", "1", "-I", "400,80", path, *mates], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    scores = dict.fromkeys(reads, 0)
    for line in done.stdout.splitlines():
        if line[0] != "@" and not int(line.split("\t", 2)[1]) & 0x904:
            scores[line.split("\t", 1)[0]] += int(SCORE.search(line)[1])
    return scores


def compare(bam, reference, positions, folder):
    """Counter of templates: "better here", "as good", "better elsewhere"; and of positions by what most of their templates are."""
    origins = Origins(bam)
    wanted = [(cluster, set().union(*map(origins.away_from, cluster))) for cluster in clusters(positions)]
    names = os.path.join(folder, "misplaced.txt")
    with open(names, "w") as out:
        out.writelines(name + "\n" for name in sorted(set().union(*(found for _, found in wanted))))
    reads = collections.defaultdict(lambda: [None, None])
    for name, flag, _, _, _, bases, qualities, _ in records(bam, "-N", names):
        if flag & 0x10:
            bases, qualities = bases.translate(COMPLEMENT)[::-1], qualities[::-1]
        reads[name][0 if flag & 0x40 else 1] = (bases, qualities)
    with open(reference) as lines:
        sequence = "".join(line.strip() for line in lines if line[0] != ">").upper()
    templates, sites = collections.Counter(), collections.Counter()
    for cluster, found in wanted:
        found = {name for name in found if None not in reads[name]}
        own = collections.Counter()
        if found:
            here = scores_at(sequence[max(0, cluster[0] - AWAY_BP):cluster[-1] + AWAY_BP], {name: reads[name] for name in found}, folder)
            for name in found:
                gain = here[name] - origins.placed[name][2]
                own["better here" if gain > 0 else "as good" if gain == 0 else "better elsewhere"] += 1
        templates.update(own)
        sites[own.most_common(1)[0][0] if own else "no such reads"] += len(cluster)
    return templates, sites


def text(bam, reference, positions, folder):
    templates, sites = compare(bam, reference, positions, folder)

    def listed(counts):
        return ", ".join("%d %s" % (counts[kind], kind) for kind in ("better here", "as good", "better elsewhere", "no such reads") if counts[kind]) or "none"
    return "reads of the SNPs missed by `elsewhere`, aligned to their own place alone (bwa mem): templates %s; SNPs by most of their templates %s" % (
        listed(templates), listed(sites))
