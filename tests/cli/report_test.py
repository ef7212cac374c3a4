#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the report of a run as HTML: that it is valid and loads nothing, that its numbers are those of the files, and its verdicts on good and bad samples."""
import functools
import gzip
import html.parser
import json
import os
import pathlib
import re
import shutil
import sys

import gannet_testing
import trim_test
from gannet_testing import bcftools, new_folder, run, simulated, skip

sys.path.insert(0, str(gannet_testing.ROOT / 'tests' / 'support'))
import chromium  # noqa: E402

TEMPLATE = gannet_testing.ROOT / 'pipeline' / 'report' / 'template'
VOID = {'meta', 'link', 'br', 'img', 'hr', 'input'}
MAX_BYTES = 1_000_000


class Document(html.parser.HTMLParser):
    """The elements of a page; refuses what is not closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text = [], [], []
        self.doctype = None
        self.feed(text)
        self.close()
        assert not self.open, f'not closed: {self.open}'

    def handle_decl(self, declaration):
        self.doctype = declaration

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), (tag, attributes)
        self.elements.append((tag, dict(attributes), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), tuple(self.open)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f'{tag} ends within {self.open}, line {self.getpos()[0]}'
        self.open.pop()

    def handle_data(self, data):
        self.text.append((tuple(self.open), data))

    def all(self, tag):
        return [attributes for name, attributes, _ in self.elements if name == tag]

    def words(self, tag):
        return [data.strip() for path, data in self.text if tag in path and data.strip()]


def plain(text):
    return html.unescape(re.sub(r'<[^>]*>', ' ', text)).strip()


def checks(page):
    """Check -> (value, result) of the table of the verdict."""
    table = re.search(r'<table class="checks">(.*?)</table>', page, re.S).group(1)
    rows = {}
    for row in re.findall(r'<tr>(.*?)</tr>', table, re.S)[1:]:
        cells = [plain(cell) for cell in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row, re.S)]
        rows[cells[0]] = (cells[1], re.sub(r'^\W+ ', '', cells[2]).lower())
    return rows


def verdict(page):
    return plain(re.search(r'<p class="verdict">(<span.*?</span>)', page).group(1)).split()[-1].lower()


def without_times(page):
    return re.sub(r'<section id="run".*?</section>', '', page, flags=re.S)


def finished(sample, *options, reads=None, name='S', folder=None):
    folder = folder or new_folder()
    run('run', sample.reference, *(reads or sample.reads), '-o', folder / 'out', '--sample', name, '--no-scorer', '-q', *options)
    return folder / 'out'


@functools.cache
def good():
    """A finished run of 0.5 Mb at 30x with a trace."""
    folder = new_folder()
    return finished(simulated(0.5, 30, 7), '--trace', folder / 'trace.json', folder=folder)


def page_of(folder, name='S'):
    return (folder / f'{name}.report.html').read_text()


def report(*words, **more):
    path = new_folder() / 'r.html'
    done = run('report', *words, '-o', path, **more)
    return path.read_text() if done.returncode == 0 else done


def copies_of_run(folder, count):
    """Finished runs with other names and depths; the last one is shallow."""
    for number in range(count):
        out = folder / f'run{number}'
        out.mkdir()
        for path in good().iterdir():
            if path.name.startswith('S.') and not path.name.endswith(('.bam', '.bai')):
                shutil.copy(path, out / path.name.replace('S.', f'P{number}.', 1))
        run_json = json.loads((out / f'P{number}.run.json').read_text())
        run_json['sample'] = f'P{number}'
        (out / f'P{number}.run.json').write_text(json.dumps(run_json))
        summary = out / f'P{number}.mosdepth.summary.txt'
        *rows, total = summary.read_text().splitlines()
        fields = total.split('\t')
        fields[2] = str(int(fields[2]) * (50 if number == count - 1 else 98 + number) // 100)
        summary.write_text('\n'.join([*rows, '\t'.join(fields)]) + '\n')
    return folder


class Pages(gannet_testing.Case):
    def assert_valid(self, page):
        document = Document(page)
        self.assertEqual(document.doctype, 'DOCTYPE html')
        self.assertEqual(document.all('html'), [{'lang': 'en'}])
        self.assertEqual(len(document.all('h1')), 1)
        self.assertEqual(len(document.all('main')), 1)
        level = 1
        for tag, _, _ in document.elements:
            if re.fullmatch('h[1-6]', tag):
                self.assertLessEqual(int(tag[1]), level + 1, tag)
                level = int(tag[1])
        ids = [attributes['id'] for _, attributes, _ in document.elements if 'id' in attributes]
        self.assertEqual(len(ids), len(set(ids)))
        for _, attributes, _ in document.elements:
            for name in ('src', 'href', 'data', 'action', 'xlink:href'):
                target = attributes.get(name, '#')
                self.assertFalse(re.match(r'[a-z+]+:|//', target) and not target.startswith('data:'), target)
            for reference in (attributes.get('aria-labelledby'), attributes.get('href', '#')[1:] if attributes.get('href', '').startswith('#') else None):
                self.assertIn(reference, [None, *ids])
        self.assertNotRegex(page.replace('http://www.w3.org/2000/svg', ''), r'https?://|url\(|@import')
        self.assertLess(len(page.encode()), MAX_BYTES)
        return document

    def test_page_of_a_run_is_valid_and_loads_nothing(self):
        page = page_of(good())
        document = self.assert_valid(page)
        self.assertEqual(document.words('h1'), ['S'])
        drawings = [attributes for attributes in document.all('svg') if attributes.get('class') == 'drawing']
        self.assertEqual(len(drawings), 16)
        for attributes in drawings:
            self.assertEqual(attributes['role'], 'img')
            self.assertTrue(attributes['aria-label'])
        for figure in re.findall(r'<figure class="plot" id=.*?</figure>', page, re.S):
            places = re.search(r'data-xs="([^"]*)"', figure)
            if places:
                rows = len(re.findall('<tr><th scope="row">', figure))
                self.assertEqual(rows, len(places.group(1).split()), figure[:200])
        for absent in (r'\bnan\b', r'\bNaN\b', 'inf<', '-0<'):
            self.assertNotRegex(page, absent)

    def test_finished_files_give_the_page_of_the_run(self):
        self.assertEqual(report(good()), page_of(good()))
        self.assertEqual(report(good() / 'S.run.json'), page_of(good()))
        self.assertEqual(run('report', good(), '-o', '-').stdout, page_of(good()))

    def test_threads_change_nothing_but_times(self):
        pages = []
        for threads in (1, 2):
            folder = self.folder()
            run('run', simulated(0.5, 30, 7).reference, *simulated(0.5, 30, 7).reads, '-o', 'out', '--sample', 'S', '--no-scorer', '-q', '-t', threads,
                cwd=folder)
            pages.append(without_times(page_of(folder / 'out')))
        self.assertEqual(*pages)

    def test_runs_without_report_or_quality_control_make_none(self):
        for option in ('--no-report', '--no-qc'):
            out = finished(simulated(0.1, 12, 3), option)
            self.assertFalse((out / 'S.report.html').exists())
            self.assertNotIn('HTML report', json.loads((out / 'S.run.json').read_text())['outputs'])
        self.assertIn('the run wrote no S.stats', report(out))

    def test_numbers_are_those_of_the_files(self):
        folder = good()
        found = checks(page_of(folder))
        counts = json.loads((folder / 'S.run.json').read_text())['counts']
        total = (folder / 'S.mosdepth.summary.txt').read_text().splitlines()[-1].split('\t')
        depth = int(total[2]) / counts['align']['depth']['reference_bases']
        self.assertAlmostEqual(float(found['Mean depth'][0][:-1]), depth, delta=0.051)
        row = [line.split('\t') for line in (folder / 'S.duplicates.txt').read_text().splitlines() if '\t' in line and not line.startswith('#')]
        metrics = dict(zip(row[0], row[1]))
        self.assertAlmostEqual(float(found['Duplicates'][0][:-2]) / 100, float(metrics['PERCENT_DUPLICATION']), delta=6e-5)
        passing = counts['call']['pass']
        table = dict(re.findall(r'<th scope="row">([^<]*)</th><td class="number">([^<]*)</td><td class="number">', page_of(folder)))
        for title, key in (('records', 'records'), ('with an SNV', 'snps'), ('insertions', 'insertions'), ('transitions', 'transitions'),
                           ('heterozygous', 'heterozygous'), ('homozygous alternate', 'homozygous_alternate')):
            self.assertEqual(int(table[title].replace(',', '')), passing[key], title)

    def test_adapters_and_duplicates_of_libraries_are_those_of_the_files(self):
        sample, folder = simulated(0.2, 20, 7), self.folder()
        made = trim_test.pairs(sample.reference, 1500, 3)
        names = [f'm:1:f:1:1101:{1000 + 300 * (i % 100) + 20 * copy}:{1000 + 300 * (i // 100)}' for copy in range(2) for i in range(len(made))]
        reads = []
        for mate in (0, 1):
            reads.append(folder / f'r{mate}.fq')
            reads[-1].write_text(gannet_testing.fastq_text([(name, made[i % len(made)][2 + mate]) for i, name in enumerate(names)]))
        out = finished(sample, '--trim-adapters', reads=reads)
        page, counts = page_of(out), json.loads((out / 'S.run.json').read_text())['counts']['align']
        self.assert_valid(page)
        self.assertGreater(counts['trimmed_bases'], 10000)
        text = plain(re.search(r'<p>Adapters were removed.*?</p>', page).group(0))
        bases = sum(len(line) for path in reads for line in path.read_text().splitlines()[1::4])
        numbers = [int(number.replace(',', '')) for number in re.findall(r'[\d,]+(?= |\b)(?![.%])', re.sub(r'\([\d.]+ %\)', '', text)) if number != ',']
        self.assertEqual(numbers, [counts['trimmed_reads'], 2 * len(names), counts['trimmed_bases'], bases], text)
        row = [line.split('\t') for line in (out / 'S.duplicates.txt').read_text().splitlines() if '\t' in line and not line.startswith('#')]
        metrics = dict(zip(row[0], row[1]))
        self.assertGreater(int(metrics['READ_PAIR_OPTICAL_DUPLICATES']), 1000)
        self.assertEqual(counts['optical_duplicate_pairs'], int(metrics['READ_PAIR_OPTICAL_DUPLICATES']))
        table = re.search(r'<table class="libraries">.*?</table>', page, re.S).group(0)
        shown = [plain(cell).replace(',', '') for cell in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', table.split('<tbody>')[1], re.S)]
        self.assertEqual(shown, [metrics[column] or 'not known' for column in (
            'LIBRARY', 'READ_PAIRS_EXAMINED', 'READ_PAIR_DUPLICATES', 'READ_PAIR_OPTICAL_DUPLICATES', 'UNPAIRED_READS_EXAMINED', 'UNPAIRED_READ_DUPLICATES',
            'ESTIMATED_LIBRARY_SIZE')])
        self.assertNotIn('Adapters were removed', page_of(good()))

    def test_reads_at_sites_are_drawn_from_cram_too(self):
        pages = [page_of(finished(simulated(0.1, 12, 3), *words)) for words in ((), ('--format', 'cram'))]
        drawn = [re.findall(r'<svg class="pileup".*?</figure>', page, re.S) for page in pages]
        self.assertGreater(len(drawn[0]), 2)
        self.assertEqual(*drawn)

    def test_substitutions_are_those_of_bcftools(self):
        page = page_of(good())
        figure = re.search(r'id="substitutions".*?</figure>', page, re.S).group(0)
        drawn = dict(re.findall(r'<th scope="row">(\w&gt;\w)</th><td>([\d,]+)</td>', figure))
        stats = bcftools('stats', '-f', 'PASS', good() / 'S.vcf.gz')
        counted = dict(re.findall(r'^ST\t0\t(\w>\w)\t(\d+)$', stats, re.M))
        self.assertEqual({key.replace('&gt;', '>'): value.replace(',', '') for key, value in drawn.items()}, counted)

    def test_depth_along_contigs_is_that_of_the_records(self):
        figure = page_of(good()).split('Numbers of depth along contigs</summary>')[1].split('</table>')[0]
        drawn = {name: [float(x) for x in values.split()] for name, values in re.findall(r'<tr><th scope="row">([^<]*)</th><td>([\d. ]+)</td>', figure)}
        self.assertTrue(drawn)
        for contig, windows in drawn.items():
            depths = {}
            for line in gannet_testing.samtools('depth', '-a', '-r', contig, good() / 'S.bam').splitlines():
                _, position, depth = line.split('\t')
                depths.setdefault((int(position) - 1) // 16384, []).append(int(depth))
            self.assertEqual(len(windows), len(depths))
            for number, window in enumerate(windows):
                if len(depths[number]) == 16384:
                    self.assertAlmostEqual(window, sum(depths[number]) / 16384, delta=0.25 * 30, msg=f'{contig} {number}')

    def test_names_of_samples_are_text(self):
        name = '<img src=x onerror=alert(1)>&"\''
        out = finished(simulated(0.1, 12, 3), name=name)
        page = page_of(out, name)
        self.assertNotIn('<img', page)
        self.assertEqual(self.assert_valid(page).words('h1'), [name])

    def test_outputs_are_no_inputs(self):
        folder = shutil.copytree(good(), self.folder() / 'copy')
        for name in ('S.run.json', 'S.vcf.gz', 'S.stats'):
            before = (folder / name).read_bytes()
            self.refused(2, 'report', folder, '-o', folder / name, says='S.')
            self.assertEqual((folder / name).read_bytes(), before)
        reads = folder / 'reads.fq'
        reads.write_text('mine')
        facts = json.loads((folder / 'S.run.json').read_text())
        (folder / 'S.run.json').write_text(json.dumps({**facts, 'inputs': [str(reads)]}))
        self.refused(2, 'report', folder, '-o', reads, says=f'an input of the run, {reads}')
        self.assertEqual(reads.read_text(), 'mine')
        self.refused(3, 'report', self.folder(), '-o', self.folder() / 'x.html', says='has no SAMPLE.run.json')
        self.refused(2, 'report', '-o', self.folder() / 'x.html', says='RUNS')

    def test_sites_that_are_asked_for_are_shown_called_or_not(self):
        contig, position = bcftools('query', '-f', '%CHROM\t%POS\n', good() / 'S.vcf.gz').split('\n')[5].split('\t')
        called = {int(line) for line in bcftools('query', '-f', '%POS\n', '-r', contig, good() / 'S.vcf.gz').split()}
        without = next(at for at in range(5000, 10**6) if not any(other in called for other in range(at - 40, at + 2)))
        page = self.folder() / 'x.html'
        run('report', good(), '-o', page, '-q', '--sites', f'{contig}:{position},{contig}:{without}')
        shown = [plain(text) for text in re.findall(r'<h4>(.*?)</p>', page.read_text(), re.S)]
        self.assertRegex(shown[0], rf'^{contig}:{int(position):,} .*asked for: QUAL [\d.]+, FILTER \w+, GT:')
        self.assertRegex(shown[1], rf'^{contig}:{without:,}\s+asked for; the VCF has no record here; [1-9]\d* of')
        self.assertEqual(len(shown), 8)
        for sites, code, says in (('c', 2, "'c': write CHROM:POS"), (f'{contig}:0', 2, 'write CHROM:POS'), (f'{contig}:x', 2, 'write CHROM:POS'), ('none:7', 4, 'none:7: is not in the reference')):
            self.refused(code, 'report', good(), '-o', page.with_name('y.html'), '--sites', sites, says=says)
        self.refused(2, 'report', good(), shutil.copytree(good(), self.folder() / 'copy'), '-o', page.with_name('y.html'), '--sites', f'{contig}:9', says='--sites shows the reads of one run')

    def test_damaged_files_are_refused(self):
        for name, text, says in (('S.stats', 'SN\treads mapped:\tx\n', 'S.stats: line 1'), ('S.run.json', '{', 'S.run.json'),
                                 ('S.mosdepth.summary.txt', '', 'mosdepth'), ('S.mosdepth.summary.txt', 'chrom\tlength\tbases\tmean\tmin\tmax\nc\t9\t9\t1.00\t0\t2\n', 'no line of the total'),
                                 ('S.duplicates.txt', '', 'S.duplicates.txt: has no table'), ('S.insert_size_metrics', '## htsjdk\n', 'S.insert_size_metrics: has no table'),
                                 ('S.mosdepth.summary.txt', 'chrom\tlength\tbases\nc\t9', 'line 2 is not complete: the file was cut')):
            folder = shutil.copytree(good(), self.folder() / 'copy')
            (folder / name).write_text(text)
            self.refused(3, 'report', folder, '-o', folder / 'x.html', says=says)
            self.assertFalse((folder / 'x.html').exists())


class Verdicts(gannet_testing.Case):
    def test_good_samples_pass(self):
        found = checks(page_of(good()))
        for check in ('Mean depth', 'Breadth at 10x', 'Mapped reads', 'Properly paired', 'Mismatch rate', 'Duplicates', 'Chimeras', 'Insert size'):
            self.assertEqual(found[check][1], 'pass', (check, found[check]))
        self.assertEqual(verdict(page_of(good())), 'pass')

    def test_a_file_that_was_lost_is_not_judged_well(self):
        self.assertEqual(checks(page_of(good()))['Files of the run'][1], 'pass')
        for name in ('S.mosdepth.summary.txt', 'S.stats', 'S.vcf.gz'):
            folder = self.folder() / name
            shutil.copytree(good(), folder)
            (folder / name).unlink()
            run('report', folder, '-o', folder / 'x.html', '-q')
            page = (folder / 'x.html').read_text()
            self.assertEqual((checks(page)['Files of the run'], verdict(page)), (('1 missing', 'look'), 'look'), name)

    def test_a_run_without_quality_control_is_not_judged_well(self):
        sample, out = simulated(0.2, 20, 7), self.folder()
        run('run', sample.reference, *sample.reads, '-o', out, '--sample', 'S', '--no-qc', '-q')
        run('report', out, '-o', out / 'x.html', '-q')
        page = (out / 'x.html').read_text()
        self.assertEqual((checks(page)['Files of the run'], verdict(page)), (('no quality control', 'look'), 'look'))
        # Files of an earlier run in the same folder are not taken for its own.
        shutil.copytree(good(), out, dirs_exist_ok=True, ignore=lambda _, names: [name for name in names if name == 'S.run.json'])
        run('report', out, '-o', out / 'x.html', '-q')
        self.assertEqual(checks((out / 'x.html').read_text())['Mean depth'], ('not known', 'not judged'))

    def test_contamination_fails(self):
        own = simulated(0.8, 30, 31)
        folder = self.folder()
        run('simulate', '--reference', own.reference, '--coverage', 2, '--seed', 32, '-o', folder / 'other', '-q')
        reads = [folder / 'r_1.fq', folder / 'r_2.fq']
        for mate in range(2):
            with open(reads[mate], 'wb') as out:
                for prefix, source in ((b'@own.', own.reads[mate]), (b'@other.', folder / 'other' / own.reads[mate].name)):
                    lines = gzip.open(source).readlines()
                    lines[::4] = [prefix + line[1:] for line in lines[::4]]
                    out.writelines(lines)
        page = page_of(finished(own, reads=reads))
        value, result = checks(page)['Contamination']
        self.assertEqual((result, verdict(page)), ('fail', 'fail'), value)
        self.assertAlmostEqual(float(value.split()[0]), 100 * 2 / 32, delta=1.9)

    def test_duplicates_fail(self):
        folder = self.folder()
        run('simulate', '--size', 0.3, '--coverage', 40, '--duplicates', 0.4, '-o', folder / 's', '-q')
        page = page_of(finished(gannet_testing.Sample(folder / 's')))
        value, result = checks(page)['Duplicates']
        self.assertEqual((result, verdict(page)), ('fail', 'fail'), value)
        self.assertAlmostEqual(float(value.split()[0]), 40, delta=3)

    def test_other_species_fail(self):
        page = page_of(finished(simulated(0.2, 20, 7), reads=simulated(0.2, 20, 8).reads))
        found = checks(page)
        self.assertEqual((found['Mapped reads'][1], verdict(page)), ('fail', 'fail'))
        for check in ('Mismatch rate', 'Duplicates', 'Chimeras'):  # of reads that there are not
            self.assertEqual(found[check][1], 'not judged', check)

    def test_limits_change_the_verdict(self):
        strict = self.folder() / 'strict.json'
        strict.write_text('{"duplicates": {"pass_max": 0.001, "look_max": 0.3}, "depth": {"pass_min": 500, "look_min": 400}}')
        found = checks(report(good(), '--limits', strict))
        self.assertEqual((found['Duplicates'][1], found['Mean depth'][1]), ('look', 'fail'))
        out = finished(simulated(0.1, 12, 3), '--report-limits', strict)
        self.assertEqual(checks(page_of(out))['Duplicates'][1], 'look')
        usual = json.loads(run('report', '--print-limits').stdout)
        self.assertEqual(usual['duplicates'], {'pass_max': 0.2, 'look_max': 0.3})
        for option in ('-o', '--log'):
            self.refused(2, 'report', '--print-limits', option, self.folder() / 'x', says='--print-limits prints to standard output')

    def test_limits_that_cannot_be_meant_are_refused_before_any_work(self):
        wrong = self.folder() / 'wrong.json'
        wrong.write_text('{"duplicate": {"pass_max": 0.1}}')
        self.refused(3, 'report', good(), '--limits', wrong, '-o', self.folder() / 'x.html', says='"duplicate"')
        folder = self.folder()
        sample = simulated(0.1, 12, 3)
        self.refused(3, 'run', sample.reference, *sample.reads, '-o', folder / 'out', '--sample', 'S', '--report-limits', wrong, says='"duplicate"')
        self.assertFalse((folder / 'out' / 'S.bam').exists())

    def test_sex_is_compared_with_the_stated_one(self):
        folder = self.folder()
        run('simulate', '--human', '--size', 10, '--coverage', 12, '-o', folder / 's', '-q')
        sample = gannet_testing.Sample(folder / 's')
        found, runs = {}, {}
        for sex in ('male', 'female'):
            words = ('--par', folder / 'par.bed') if sex == 'male' else ()
            (folder / 'par.bed').write_text('')
            runs[sex] = finished(sample, '--sex', sex, *words)
            found[sex] = checks(page_of(runs[sex]))['Sex']
        self.assertEqual(found, {'male': ('male', 'pass'), 'female': ('male', 'fail')})
        # One chromosome more than those of the sex.
        for sex, x, y, expected in (('male', 0.5, 1.0, 'male; two Y (XYY)'), ('female', 1.5, 0.0, 'female; three X (XXX)')):
            path = runs[sex] / 'S.run.json'
            content = json.loads(path.read_text())
            content['counts']['align']['sex'].update(inferred=sex, x_depth=x, y_depth=y)
            path.write_text(json.dumps(content))
            self.assertEqual(checks(report(runs[sex]))['Sex'], (expected, 'look'))


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Look(gannet_testing.Case):
    def test_contrast_is_that_of_wcag_aa(self):
        schemes = re.findall(r':root \{(.*?)\}', (TEMPLATE / 'page.css').read_text(), re.S)
        self.assertEqual(len(schemes), 3)
        for scheme in schemes:
            colours = dict(re.findall(r'--(\w+): (#[0-9a-f]{6});', scheme))
            for ground in ('page', 'panel'):
                for text in ('text', 'soft', 'link', 'pass', 'look', 'fail', 'none'):
                    self.assertGreaterEqual(contrast(colours[text], colours[ground]), 4.5, (text, ground))
                for drawn in ('s0', 's1', 's2', 's3', 's4', 's5', 'rule'):
                    self.assertGreaterEqual(contrast(colours[drawn], colours[ground]), 3, (drawn, ground))

    def test_browser_shows_it_on_screens_of_any_size(self):
        program = chromium.find()
        if program is None:
            skip('no Chromium: whether the page works in a browser was not tested', 'GANNET_REQUIRE_BROWSER')
        cohort = copies_of_run(self.folder(), 6)
        run('report', *sorted(cohort.glob('run*')), '-o', cohort / 'cohort.html')
        scored, sample = self.folder(), simulated(0.1, 12, 3)
        run('run', sample.reference, *sample.reads, '-o', scored, '--sample', 'S', '-q')
        self.assertIn('class="scorer"', page_of(scored))
        pictures = os.environ.get('GANNET_SCREENSHOTS')
        with chromium.Browser(program) as browser:
            for name, path in (('sample', good() / 'S.report.html'), ('scorer', scored / 'S.report.html'), ('cohort', cohort / 'cohort.html')):
                for width in (1280, 360):
                    for dark in (False, True):
                        page = browser.open(path, width=width, dark=dark)
                        what = f'{name}, {width} px, {"dark" if dark else "light"}'
                        self.assertEqual(page.faults, [], what)
                        self.assertEqual([url for url in page.requests if not url.startswith(('file:', 'data:'))], [], what)
                        self.assertLessEqual(page.evaluate('document.documentElement.scrollWidth'), width, what)
                        ground = page.evaluate('getComputedStyle(document.body).backgroundColor')
                        self.assertEqual(ground, 'rgb(18, 23, 28)' if dark else 'rgb(255, 255, 255)', what)
                        smallest = page.evaluate('''Math.min(...[...document.querySelectorAll('svg.drawing text')].filter(text => text.getClientRects().length).map(
                            text => parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b)), 99)''')
                        self.assertGreaterEqual(smallest, 9, what)
                        if pictures:
                            page.screenshot(pathlib.Path(pictures) / f'{name}-{width}-{"dark" if dark else "light"}.png', whole=True)
            page = browser.open(good() / 'S.report.html')
            page.evaluate('document.querySelector("svg.drawing").focus()')
            page.press('ArrowRight')
            page.press('ArrowRight')
            self.assertRegex(page.evaluate('document.querySelector(".readout").textContent'), r'^depth, reads 2: positions [\d,]+$')
            page = browser.open(cohort / 'cohort.html')
            page.evaluate('[...document.querySelectorAll("button.sort")].find(b => b.textContent === "Mean depth").click()')
            self.assertEqual(page.evaluate('document.querySelector("table.samples tbody th").textContent'), 'P5')
            page.press('Tab')
            self.assertEqual(page.evaluate('document.activeElement.className'), 'skip')
            self.assertEqual(page.faults, [])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
