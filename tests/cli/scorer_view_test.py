#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a run keeps of the scorer's view of some records, and what its report says of it."""
import functools
import json
import re
import shutil

import gannet_testing
import report_test
from gannet_testing import bcftools, killed_run, new_folder, run, simulated
from scorer_test import strata, write_model

NAME = 'S.scorer_views.json'


@functools.cache
def model():
    """Small random weights that count everywhere."""
    return write_model(new_folder(), 'random', 5)


def scored(*options, folder=None):
    out = (folder or new_folder()) / 'out'
    sample = simulated(0.3, 20, 11)
    run('run', sample.reference, *sample.reads, '-o', out, '--sample', 'S', '-q', '--model', model(), *options)
    return out


@functools.cache
def shared():
    return scored()


def views_of(out):
    return json.loads((out / NAME).read_text())['sites']


def page_of(out):
    return (out / 'S.report.html').read_text()


def figures(page):
    """Title of each pile-up, and its HTML."""
    return dict((report_test.plain(title), html) for html, title in re.findall(r'(<figure class="plot">\n<figcaption><h4>(.*?)</h4>.*?</figure>)', page, re.S))


class Views(gannet_testing.Case):
    def test_views_are_of_the_lowest_and_of_usual_records(self):
        records = []
        for line in bcftools('query', '-i', 'FILTER="PASS"', '-f', '%CHROM\t%POS\t[%GQ]\n', shared() / 'S.vcf.gz').splitlines():
            contig, position, quality = line.split('\t')
            records.append((int(quality), len(records), contig, int(position)))
        kept = [(view['contig'], view['position']) for view in views_of(shared())]
        doubtful = [record[2:] for record in sorted(record for record in records if record[0] < 25)[:4]]
        self.assertEqual(len(doubtful), 4)
        self.assertLessEqual(set(doubtful), set(kept))
        self.assertTrue(6 <= len(kept) <= 8, kept)
        self.assertIn(NAME, json.loads((shared() / 'S.run.json').read_text())['quality_control'])
        self.assertIn('yes', [view['asked'] for view in views_of(shared())])

    def test_page_has_a_view_beside_each_pile_up(self):
        page = page_of(shared())
        report_test.Pages.assert_valid(self, page)
        shown = figures(page)
        views = views_of(shared())
        self.assertEqual(len(shown), len(views))
        for view in views:
            title, html = next((title, html) for title, html in shown.items() if title.startswith(f'{view["contig"]}:{view["position"]:,} '))
            alleles = [allele for allele in view['alleles'] if 'base_65536' in allele]
            self.assertEqual('The network was asked' in html, view['asked'] == 'yes', title)
            self.assertEqual(html.count('<table class="scores">'), len(alleles))
            drawings = len(alleles) if view['asked'] == 'yes' else 0
            self.assertEqual((html.count('class="pileup example"'), html.count("Network's input as text")), (drawings, drawings), title)
            for allele in alleles:
                for name in ('base', 'output', 'correction', 'posterior'):
                    cells = ''.join(f'<td class="number">{value / 65536:.3f}</td>' for value in allele.get(f'{name}_65536', []))
                    self.assertIn(cells, html, (title, name))
                if drawings:
                    pools = [allele['rows'][i + 512:i + 514] for i in range(0, len(allele['rows']), 640)]
                    for pool, words in (('ff', 'of the allele'), ('80', 'of the reference'), ('00', 'others')):
                        self.assertRegex(html, rf'>{words}: {pools.count(pool)} reads?<')
        self.assertEqual(run('report', shared(), '-o', '-').stdout, page)

    def test_threads_backends_and_resumed_runs_give_the_same_file(self):
        expected = (shared() / NAME).read_bytes()
        for options in (('-t', 1), ('-t', 3), ('--backend', 'reference')):
            self.assertEqual((scored(*options) / NAME).read_bytes(), expected, options)
        folder, sample = self.folder(), simulated(0.3, 20, 11)
        words = ('run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--model', model())
        killed_run(folder, words, 'S.vcf.gz')
        (folder / NAME).write_text('old')
        self.assertIn('finished by an earlier run', run(*words).stderr)
        self.assertEqual((folder / NAME).read_bytes(), expected)

    def test_asked_sites_have_the_view_that_was_kept_or_say_that_there_is_none(self):
        view = views_of(shared())[0]
        kept = [(view['contig'], view['position']) for view in views_of(shared())]
        records = [line.split('\t') for line in bcftools('query', '-f', '%CHROM\t%POS\n', shared() / 'S.vcf.gz').splitlines()]
        other = next((contig, int(position)) for contig, position in records if (contig, int(position)) not in kept)
        page = run('report', shared(), '-o', '-', '--sites', f'{view["contig"]}:{view["position"]},{other[0]}:{other[1]}').stdout
        found = [html for html in re.findall(r'<figure class="plot">\n<figcaption><h4>.*?</figure>', page, re.S)][:2]
        self.assertIn('The network was', found[0])
        self.assertIn('What the scorer saw of it was not kept.', found[1])

    def test_runs_without_the_scorer_say_so_and_leave_no_file(self):
        folder = self.folder()
        shutil.copytree(shared(), folder / 'out')
        sample = simulated(0.3, 20, 11)
        run('run', sample.reference, *sample.reads, '-o', folder / 'out', '--sample', 'S', '-q', '--no-scorer')
        self.assertFalse((folder / 'out' / NAME).exists())
        self.assertIn('the run did not use it (--no-scorer)', page_of(folder / 'out'))
        self.assertNotIn('class="scorer"', page_of(folder / 'out'))
        self.assertNotIn(NAME, json.loads((folder / 'out' / 'S.run.json').read_text())['quality_control'])
        without = scored('--no-qc')
        self.assertFalse((without / NAME).exists())

    def test_a_lost_or_damaged_file_costs_the_view_alone(self):
        for text, says in ((None, f'there is no {NAME}'), ('{"format"', 'is not JSON'), ((shared() / NAME).read_text().replace('"layout": 2', '"layout": 9'), 'another version')):
            folder = shutil.copytree(shared(), self.folder() / 'copy')
            (folder / NAME).unlink()
            if text is not None:
                (folder / NAME).write_text(text)
            done = run('report', folder, '-o', folder / 'x.html')
            page = (folder / 'x.html').read_text()
            report_test.Pages.assert_valid(self, page)
            self.assertIn(says, report_test.plain(page))
            self.assertIn('class="pileup"', page)
            self.assertNotIn('class="scorer"', page)
            if text is not None:
                self.assertIn(says, done.stderr)

    def test_plans_name_the_file(self):
        sample = simulated(0.3, 20, 11)
        words = ('run', sample.reference, *sample.reads, '-o', self.folder() / 'out', '--sample', 'S', '--dry-run')
        self.assertIn(NAME, run(*words, '--model', model()).stdout)
        self.assertNotIn(NAME, run(*words, '--no-scorer').stdout)

    def test_records_of_given_alleles_say_that_the_caller_alone_genotypes_them(self):
        folder = self.folder()
        contig, position = bcftools('query', '-f', '%CHROM\t%POS\n', shared() / 'S.vcf.gz').splitlines()[3].split('\t')
        called = {int(line) for line in bcftools('query', '-f', '%POS\n', '-r', contig, shared() / 'S.vcf.gz').split()}
        letters = ''.join(line for line in simulated(0.3, 20, 11).reference.read_text().split('>')[1].splitlines()[1:])
        lines = ['##fileformat=VCFv4.2', f'##contig=<ID={contig},length={len(letters)}>', '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO']
        for at in range(3000, 100000, 500):
            if letters[at - 1] in 'ACGT' and all(abs(at - other) > 20 for other in called):
                lines.append(f'{contig}\t{at}\t.\t{letters[at - 1]}\t{"C" if letters[at - 1] == "A" else "A"}\t.\t.\t.')
        (folder / 'given.vcf').write_text('\n'.join(lines) + '\n')
        bcftools('view', '-Oz', '-o', folder / 'given.vcf.gz', folder / 'given.vcf')
        bcftools('index', '-t', folder / 'given.vcf.gz')
        out = scored('--alleles', folder / 'given.vcf.gz')
        self.assertIn('given', {view['asked'] for view in views_of(out)})
        self.assertIn('one of --alleles', page_of(out))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
