#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what people read and type: help, messages on mistyped commands, progress, log, report."""
import fcntl
import gzip
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import termios
import time

import gannet_testing
from gannet_testing import bam_payload, bam_records, error_lines, fastq_text, program, run, simulated, vcf_header
from held_runs import SafetyCase

COMMANDS = ['run', 'align', 'call', 'index', 'scatter', 'joint', 'simulate', 'compare', 'examples', 'evaluate-model', 'bench', 'bench compare', 'devices', 'version']


def sequence_of(reference):
    return ''.join(line for line in reference.read_text().splitlines() if not line.startswith('>'))


def on_terminal(words, columns=80, timeout=120, env=None):
    """Runs gannet with a terminal of that width as standard error; returns what it drew, and its exit code."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    process = subprocess.Popen([program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                               env={**os.environ, **(env or {})})
    os.close(theirs)
    drawn = b''
    deadline = time.time() + timeout
    while time.time() < deadline:
        if select.select([ours], [], [], 1)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            drawn += part
    os.close(ours)
    return drawn.decode(), process.wait(timeout=10)


class Help(gannet_testing.Case):
    def help_at(self, command, columns):
        return run('help', *command.split(), env={'COLUMNS': columns}).stdout

    def words(self, text):
        """The words of a help text without the backslashes that continue its examples."""
        return [word for word in text.split() if word != '\\']

    def test_no_line_is_wider_than_80_columns(self):
        for command in ['', *COMMANDS]:
            widest = max(self.help_at(command, 80).splitlines(), key=len)
            self.assertLessEqual(len(widest), 80, f'gannet help {command}: {widest}')

    def test_no_word_is_broken(self):
        for command in COMMANDS:
            wide = self.help_at(command, 1000)
            for columns in (80, 60):
                self.assertEqual(self.words(self.help_at(command, columns)), self.words(wide), command)

    def test_names_of_options_are_those_to_type(self):
        for command in COMMANDS:
            self.assertNotIn('{', self.help_at(command, 1000), command)

    def test_width_of_the_terminal_is_used(self):
        widest = {columns: max(map(len, self.help_at('run', columns).splitlines())) for columns in (60, 80, 120)}
        self.assertLessEqual(widest[60], 60)
        self.assertTrue(80 < widest[120] <= 120, widest)

    def test_help_of_a_command_is_that_of_its_option(self):
        for command in COMMANDS:
            self.assertEqual(run('help', *command.split()).stdout, run(*command.split(), '--help').stdout)
        self.assertEqual(run('help').stdout, run('--help').stdout)

    def test_gannet_alone_shows_the_overview_and_fails(self):
        done = run(code=2)
        self.assertEqual(done.stderr, run('help').stdout)
        self.assertEqual(done.stdout, '')

    def test_version_has_a_short_option(self):
        self.assertEqual(run('-v').stdout, run('version').stdout)


class Mistakes(gannet_testing.Case):
    def test_unknown_option_is_named_before_its_consequences(self):
        self.refused(2, 'run', 'ref.fa', '1.fq', '2.fq', '-o', 'x', '--smaple', 'S', says='no option --smaple; did you mean --sample?')
        self.refused(2, 'align', 'ref.fa', '1.fq', '2.fq', '--thread', '4', says='no option --thread; did you mean --threads?')
        self.refused(2, 'align', 'ref.fa', '1.fq', '2.fq', '3.fq', says='at most two files')

    def test_only_near_names_are_offered(self):
        for words in (['run', '--zzz'], ['call', '--output-format', 'x'], ['frobnicate']):
            done = self.refused(2, *words, says='there is no')
            self.assertNotIn('did you mean', done.stderr)

    def test_two_hyphens_end_the_options(self):
        sample = simulated()
        folder = self.folder()
        (folder / '-ref.fa').write_bytes(sample.reference.read_bytes())
        reads = folder / '-reads.fq'
        reads.write_text(fastq_text([('r', sequence_of(sample.reference)[5000:5150])]))
        wanted = run('align', '--unsorted', sample.reference, reads, '-o', '-', '-q', '--sample', 's').stdout
        for words in (['-q', '--sample', 's', '-o', '-', '--', '-ref.fa', '-reads.fq'], ['-q', '--sample', 's', '-o', '-', '--', './-ref.fa', './-reads.fq']):
            got = run('align', '--unsorted', *words, cwd=folder).stdout
            self.assertEqual([line for line in got.splitlines() if line[0] != '@'], [line for line in wanted.splitlines() if line[0] != '@'])
        self.refused(2, 'index', '--', sample.reference, '--frob', says='one argument too many: ./--frob')
        self.assertEqual(run('--', 'version').stdout, run('version').stdout)

    def test_reads_may_follow_two_hyphens(self):
        sample = simulated()
        for words in ([sample.reference, '--', *sample.reads], [sample.reference, sample.reads[0], '--', sample.reads[1]], [sample.reference, '--gvcf', '--', *sample.reads]):
            done = run('run', '-o', self.folder() / 'o', '--sample', 's', '--dry-run', *words)
            self.assertIn(str(sample.reads[1]), done.stdout + done.stderr, words)

    def test_values_that_look_right_and_are_not_are_refused(self):
        sample = simulated()
        for name in (' ', 'S ', ' S'):
            self.refused(2, 'run', sample.reference, *sample.reads, '-o', self.folder() / 'o', '--sample', name, says='begins or ends with a blank')
        for seed in ('-1', '99999999999999999999', '1.5'):
            self.refused(2, 'simulate', '--size', '0.1', '--seed', seed, '-o', self.folder() / 'o', says='--seed')

    def test_a_folder_is_not_standard_output(self):
        for words in (['simulate', '--size', '0.1'], ['scatter', simulated().reference, '--count', 2]):
            self.refused(2, *words, '-o', '-', says='-o -: a folder is written', cwd=self.folder())

    def test_an_option_is_named_once(self):
        done = self.refused(2, 'call', 'ref.fa', 'x.bam', '--contamination', '0.3', says="--contamination: '0.3': give a fraction")
        self.assertEqual(done.stderr.count('--contamination'), 1)

    def test_empty_values_are_refused(self):
        sample = simulated()
        for option in ('--par', '--targets', '--alleles', '--model', '--tmp', '--trace', '--log', '--index', '--regions', '--alt', '--ploidy'):
            more = ['--sex', 'male'] if option == '--par' else []
            self.refused(2, 'call', sample.reference, 'x.bam', *more, option, '', says=f'{option}: is empty')
        self.refused(2, 'call', '', 'x.bam', says='REF: is empty')
        for words in (['', 'x', '--reference', 'r'], ['x', 'y', '--reference', '']):
            self.assertNotIn('leave the option out', self.refused(2, 'compare', *words, says='is empty: give a name').stderr)
        self.refused(2, 'align', sample.reference, 'x.fq', '--metrics', '', says='--metrics: is empty')
        self.refused(2, 'bench', 'compare', '', 'x', says='is empty')
        out = self.folder()
        for command in ('run', 'align'):  # R1 alone would be run as single reads
            self.refused(2, command, sample.reference, sample.reads[0], '', '-o', out / 'x.bam', '--sample', 'S', says='READS: is empty')
            self.refused(2, command, sample.reference, '--lane', f'{sample.reads[0]},', '-o', out / 'x.bam', '--sample', 'S', says='nothing follows the last comma')
        for words in (('run', sample.reference, *sample.reads, '--sample', 'S'), ('simulate', '--size', 0.02, '--coverage', 1), ('scatter', sample.reference, '--count', 2)):
            self.refused(2, *words, '-o', '-q', cwd=out, says='-o: needs a value, and -q is an option')
        self.refused(2, 'call', sample.reference, 'x.bam', '-o', out / 'x.vcf', '--targets', '--contigs=all', says='--targets: needs a value, and --contigs is an option')
        self.assertEqual(list(out.iterdir()), [])

    def test_a_minimum_quality_that_is_none_is_refused(self):
        sample = simulated()
        for value in ('nan', '-1', 'inf', '10001'):
            for words in (['compare', sample.truth, sample.truth, '--reference', sample.reference], ['joint', sample.reference, sample.truth, '-o', '-']):
                self.refused(2, *words, f'--minimum-quality={value}', says='valid: 0 to 10000 Phred')

    def test_an_option_of_checkpoints_needs_them(self):
        self.refused(2, 'align', 'r', 'a', '-o', 'x.bam', '--checkpoint-every', 1000, says='--checkpoint-every requires --checkpoint')

    def test_compare_says_which_of_several_samples_it_takes(self):
        sample, folder = simulated(), self.folder()
        cohort = folder / 'cohort.vcf'  # the truth, and a sample without variants before it
        with gzip.open(sample.truth, 'rt') as lines:
            cohort.write_text(''.join(line if line.startswith('##') else '\t'.join((*line.split('\t')[:9], 'other' if line.startswith('#') else '0/0', line.split('\t')[9])) for line in lines))
        own = re.search('#CHROM.*\t(.*)\n', cohort.read_text())[1]
        words = ('--reference', sample.reference)
        done = run('compare', sample.truth, cohort, *words)
        self.assertIn('cohort.vcf holds 2 samples: other, the first, is compared (--sample, --truth-sample)', done.stderr)
        self.assertIn('cohort.vcf holds 2 samples', run('compare', cohort, sample.truth, *words).stderr)
        for more in ((sample.truth, cohort, '--sample', own), (cohort, sample.truth, '--truth-sample', own)):
            done = run('compare', *more, *words)
            self.assertNotIn('samples', done.stderr)
            self.assertEqual(done.stdout, run('compare', sample.truth, sample.truth, *words).stdout)
        self.refused(2, 'compare', cohort, sample.truth, *words, '--truth-sample', 'nobody', says='nobody')

    def test_messages_are_one_line_without_control_characters(self):
        sample = simulated()
        folder = self.folder()
        name = 'a\nb\x1b[31mred\u009b1m\x7f.fa'
        (folder / name).write_bytes(sample.reference.read_bytes())
        shown = 'a\\nb\\x1b[31mred\\x9b1m\\x7f.fa'
        log = folder / 'log'
        done = run('index', folder / name, '--log', log)
        self.assertIn(shown, done.stderr)
        texts = [done.stderr, log.read_text()]
        for words in (['index', folder / ('no' + name)], ['frob' + name], ['call', '--frob' + name], ['devices', name]):
            done = run(*words, code=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(len(error_lines(done.stderr)), 1)
            self.assertIn(shown, done.stderr)
            texts.append(done.stderr)
        for text in texts:
            self.assertNotRegex(text, '[\x00-\x09\x0b-\x1f\x7f-\x9f]')

    def test_a_newline_in_the_name_of_the_reference_is_in_no_header(self):
        sample = simulated()
        folder = self.folder()
        reference = folder / 'a\nb\x1b.fa'
        reference.write_bytes(sample.reference.read_bytes())
        wanted = run('align', '--unsorted', sample.reference, sample.reads[0], '-o', '-', '-q', '--sample', 's').stdout
        for _ in range(2):  # without an index and with one
            got = run('align', '--unsorted', reference, sample.reads[0], '-o', '-', '-q', '--sample', 's').stdout
            self.assertEqual([line for line in got.splitlines() if line.startswith('@SQ')], [line for line in wanted.splitlines() if line.startswith('@SQ')])
            self.assertEqual(got.count('\n'), wanted.count('\n'))
            self.assertNotIn('\x1b', got)

    def test_recorded_commands_can_be_pasted_into_a_shell(self):
        folder = self.folder()
        reads = folder / "r'1 of $x.fq.gz"
        reads.write_bytes(simulated().reads[0].read_bytes())
        text = run('align', '--unsorted', simulated().reference, reads, '-o', '-', '-q', '--sample', "a'b'").stdout
        line = re.search(r'\tCL:(.*)', text)[1]
        self.assertEqual(shlex.split(line), ['gannet', 'align', str(simulated().reference), str(reads), '--sample', "a'b'", '--unsorted'])

    def test_numbers_that_must_be_whole_say_so(self):
        for words in (['run', 'r', 'a', '-o', 'x', '--interval-padding', '1.5'], ['align', 'r', 'a', '-t', '1.5'], ['align', 'r', 'a', '--level', '1.5'], ['align', 'r', 'a', '-B', '1.5'],
                      ['align', 'r', 'a', '-T', '1.5'], ['align', 'r', 'a', '--checkpoint-every', '1.5'], ['scatter', 'r', '--count', '1.5'], ['joint', 'r', 'a', '--max-alternates', '1.5']):
            self.refused(2, *words, says='1.5 is not a whole number; valid: ')
        self.refused(2, 'run', 'r', 'a', '-o', 'x', '--interval-padding', '1.5', says='--interval-padding: 1.5 is not a whole number; valid: 0 to 1000000 bp')

    def test_value_out_of_range_states_the_range(self):
        self.refused(2, 'simulate', '--size', '-1', '-o', 'x', says='valid: 0.02 to 4000 Mb')
        self.refused(2, 'align', 'r', 'a', '--level', '13', says='valid: 0 to 12')
        self.refused(2, 'align', 'r', 'a', '-t', 'many', says='many is not a number; valid: 1 to 4096')

    def test_output_names_a_format(self):
        sample = simulated()
        for words, says in ((['align', sample.reference, *sample.reads, '-o', 'x.foo'], '.foo does not say the format'),
                            (['align', sample.reference, *sample.reads, '-o', 'x'], 'no ending does not say the format'),
                            (['align', sample.reference, *sample.reads, '-o', 'x.bam', '--format', 'sam'], 'contradicts --format sam'),
                            (['call', sample.reference, 'x.bam', '-o', 'x.txt'], 'does not say the format')):
            folder = self.folder()
            self.refused(2, *words, says=says, cwd=folder)
            self.assert_files(folder)

    def test_unknown_ending_is_written_where_the_format_is_given(self):
        sample = simulated()
        folder = self.folder()
        run('align', sample.reference, *sample.reads, '-o', folder / 'x.alignments', '--format', 'sam', '-q')
        self.assertTrue((folder / 'x.alignments').read_text().startswith('@HD'))

    def test_arguments_in_the_wrong_order_are_named(self):
        sample = simulated()
        folder = self.folder()
        run('align', sample.reference, *sample.reads, '-o', folder / 'x.bam', '-q')
        self.refused(2, 'call', folder / 'x.bam', sample.reference, says='the reference FASTA comes first')
        self.refused(2, 'align', *sample.reads, sample.reference, says='the reference FASTA comes first')
        self.refused(2, 'run', sample.truth, *sample.reads, '-o', folder / 'o', says='the reference FASTA comes first')

    def test_what_is_called_and_is_no_alignments_is_named(self):
        sample = simulated()
        output = self.folder() / 'x.vcf.gz'
        self.refused(3, 'call', sample.reference, sample.reads[0], '-o', output, says='gannet run takes reads to variants')
        self.refused(3, 'call', sample.reference, sample.truth, '-o', output, says='is not SAM, BAM or CRAM, but VCF')

    def test_file_given_as_region_is_explained_before_any_work(self):
        folder = self.folder()
        intervals = folder / 'panel.txt'
        intervals.write_text('sim1\t0\t1000\n')
        # The alignments are not looked for, and no index is built.
        for region in (intervals, 'missing.bed', 'missing.bed.gz'):
            self.refused(2, 'call', simulated().reference, folder / 'none.bam', '--regions', region, '-o', folder / 'x.vcf',
                         says=f'give the intervals of a BED file with --targets {region}')
        self.refused(2, 'run', simulated().reference, *simulated().reads, '--regions', intervals, '-o', folder / 'out', says='--targets')
        self.assert_files(folder, 'panel.txt')

    def test_compressed_alignments_are_not_written_to_a_terminal(self):
        ours, theirs = pty.openpty()
        sample = simulated()
        done = subprocess.run([program(), 'align', sample.reference, *sample.reads], stdin=subprocess.DEVNULL, stdout=theirs,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        os.close(ours)
        os.close(theirs)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('not written to a terminal', done.stderr)


class Messages(gannet_testing.Case):
    def align(self, *words, **more):
        sample = simulated()
        return run('align', sample.reference, *sample.reads, '-o', self.folder() / 'x.bam', *words, **more).stderr

    def test_start_line_describes_the_machine(self):
        stderr = self.align('-t', 1)
        self.assertRegex(stderr,
                         r'(?m)^\[gannet\] gannet \S+ on \d+ CPU cores? \((avx512|avx2|sse4\.2|none)\), [\d.]+ [GM]B of memory')
        self.assertRegex(stderr, r'using 1 thread, [\d.]+ [GM]B of memory, backend \w+')
        self.assertNotIn('no fit', stderr)

    def test_summary_names_its_units(self):
        stderr = self.align()
        self.assertRegex(stderr, r'\d+ reads, [\d.]+ % mapped, [\d.]+ % in proper pairs, [\d.]+ % duplicates, mean depth [\d.]+x')
        self.assertRegex(stderr, r'[\d.]+ CPU s \(.*\), [\d.]+ s elapsed; peak memory')

    def test_unmarked_duplicates_are_not_counted_as_none(self):
        for words in (['--no-duplicates'], ['--unsorted']):
            stderr = self.align(*words)
            self.assertIn('duplicates not marked', stderr)
            self.assertNotIn('% duplicates', stderr)

    def test_quiet_prints_warnings_only(self):
        self.assertEqual(self.align('--quiet'), '')

    def test_log_holds_all_messages_with_their_time(self):
        log = self.folder() / 'log.txt'
        for _ in range(20):  # until nothing more is said of a reference that was written a moment ago
            if 'comparing the MD5' not in self.align():
                break
        self.align('--log', log, '--progress', 0)
        older = log.read_text()
        self.assertEqual(self.align('--quiet', '--log', log), '')
        lines = log.read_text().splitlines()
        self.assertEqual(len(lines), len(older.splitlines()), 'an older log is replaced')
        self.assertIn('reads, ', log.read_text())
        for line in lines:
            self.assertRegex(line, r'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[gannet\] ')

    def test_log_replaces_no_input(self):
        sample = simulated()
        folder = self.folder()
        for path in (sample.reads[0], sample.reference):
            before = path.read_bytes()
            self.refused(2, 'align', sample.reference, *sample.reads, '-o', folder / 'x.bam', '--log', path, says=path.name)
            self.assertEqual(path.read_bytes(), before)

    def test_log_holds_the_error(self):
        sample = simulated()
        folder = self.folder()
        (folder / 'bad.fq').write_text('@a\nACGT\n+\nII\n')
        done = run('align', sample.reference, folder / 'bad.fq', '-o', folder / 'x.bam', '--log', folder / 'log.txt', code=3)
        self.assertIn(error_lines(done.stderr)[0], (folder / 'log.txt').read_text())

    def test_a_log_that_cannot_be_written_ends_no_run(self):
        sample = simulated()
        bam = self.folder() / 'x.bam'
        stderr = run('align', sample.reference, *sample.reads, '-o', bam, '--sample', 'S', '--log', '/dev/full').stderr
        self.assertTrue(bam_records(bam))
        self.assertEqual([line for line in stderr.splitlines() if '/dev/full' in line],
                         ['[gannet] warning: /dev/full: the log is incomplete: No space left on device'])


class StoppedLog(SafetyCase):
    def test_log_holds_the_signal_that_ended_the_run(self):
        log = self.folder() / 'log.txt'
        with self.held_align(self.folder(), 'x.bam', '--log', log) as held:
            code, errors = held.stop(signal.SIGTERM)
        self.assertEqual(code, 143)
        self.assertEqual(errors.splitlines()[-1], 'gannet: stopped by SIGTERM')
        self.assertRegex(log.read_text().splitlines()[-1], r'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d gannet: stopped by SIGTERM$')


class Progress(gannet_testing.Case):
    slow = ['--backend', 'reference', '-t', 1]

    @staticmethod
    def progress_lines(drawn):
        """Where they stay on the screen is tested by live_view_test.py."""
        return [line for line in re.split(r'\r\n|\r|\x1b\[A|\x1b\[K', drawn) if re.match(r'\[gannet\] (align|write): ', line)]

    def test_terminal_has_one_line_with_percent_and_time(self):
        sample = simulated(coverage=80)  # for more than a second on a fast machine: the line is drawn twice a second
        drawn, code = on_terminal(['align', sample.reference, *sample.reads, '-o', self.folder() / 'x.bam', *self.slow])
        self.assertEqual(code, 0, drawn)
        lines = self.progress_lines(drawn)
        self.assertGreaterEqual(len(lines), 2, drawn)
        for line in lines:  # before the first record there is no percent, which a busy machine shows
            self.assertRegex(line, r'^\[gannet\] (align|write): (\d+ %, |0 )(\d+( [kM])? )?(reads|records), \d+( [kM])?/s, \d+:\d\d elapsed')
            self.assertLessEqual(len(line), 79)
        self.assertTrue(any(' %, ' in line for line in lines), drawn)

    def test_narrow_terminal_is_not_overrun(self):
        sample = simulated()
        drawn, code = on_terminal(['align', sample.reference, *sample.reads, '-o', self.folder() / 'x.bam', *self.slow], columns=40)
        self.assertEqual(code, 0, drawn)
        lines = self.progress_lines(drawn)
        self.assertTrue(lines, drawn)
        for line in lines:
            self.assertLessEqual(len(line), 39)

    def test_elsewhere_a_line_is_logged_every_interval(self):
        sample = simulated()
        words = ['align', sample.reference, *sample.reads, '-o', self.folder() / 'x.bam', *self.slow]
        stderr = run(*words, '--progress', 0.2).stderr
        lines = [line for line in stderr.splitlines() if line.startswith('[gannet] align: ')]
        self.assertGreaterEqual(len(lines), 2, stderr)
        self.assertRegex(lines[-1], r'^\[gannet\] align: \d+ %, .* reads, .* reads/s, \d+:\d\d elapsed')
        # Before the first record there is no percent, which a busy machine shows.
        percents = [int(found[1]) for found in (re.search(r'(\d+) %', line) for line in lines) if found]
        self.assertEqual(percents, sorted(percents))
        self.assertLessEqual(percents[-1], 100)
        self.assertNotIn('\r', stderr)
        self.assertNotIn('align: ', run(*words, '--progress', 0).stderr)


class Report(gannet_testing.Case):
    def run_in(self, *words, **more):
        """Runs in a folder of its own, so that paths in the report are equal; returns the folder."""
        sample = simulated()
        folder = self.folder()
        run('run', sample.reference, *sample.reads, '-o', 'out', '--sample', 'S', *words, cwd=folder, **more)
        return folder / 'out'

    def test_report_holds_counts_build_and_warnings(self):
        report = json.loads((self.run_in() / 'S.run.json').read_text())
        counts = report['counts']
        self.assertAlmostEqual(counts['align']['depth']['mean'], 20, delta=3)
        sequence = sequence_of(simulated().reference)
        self.assertEqual(counts['align']['depth']['reference_bases'], len(sequence) - sequence.count('N'))
        passing = counts['call']['pass']
        self.assertEqual(passing['records'], counts['call']['passing'])
        self.assertGreater(passing['snps'], 10)
        self.assertGreater(passing['heterozygous'], passing['homozygous_alternate'])
        self.assertAlmostEqual(passing['ts_tv'], passing['transitions'] / passing['transversions'], places=3)
        self.assertEqual(report['warnings'], [])
        self.assertTrue(report['build']['commit'] and report['build']['compiler'])

    def test_what_differs_between_runs_is_in_one_block(self):
        reports = []
        for words in (['-t', 1], ['-t', 2, '--memory', '500M']):
            report = json.loads((self.run_in(*words) / 'S.run.json').read_text())
            execution = report.pop('execution')
            for name in ('start', 'end', 'host', 'simd_level', 'threads', 'memory_bytes', 'elapsed_s', 'cpu_s', 'stages'):
                self.assertIn(name, execution)
            self.assertRegex(execution['start'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
            self.assertLessEqual(execution['start'], execution['end'])
            reports.append(report)
        self.assertEqual(*reports)

    def test_files_are_equal_at_any_simd_level(self):
        detected = json.loads((self.run_in() / 'S.run.json').read_text())['execution']['simd_level']
        levels = ['sse4.2', 'avx2', 'avx512']
        levels = levels[:levels.index(detected) + 1]
        files = {}
        for level in levels:
            out = self.run_in('--backend', 'simd', env={'GANNET_SIMD': level})
            report = json.loads((out / 'S.run.json').read_text())
            self.assertEqual(report.pop('execution')['simd_level'], level)
            content = {path.name: path.read_bytes() for path in out.iterdir() if path.name not in ('S.run.json', 'S.report.html')}
            self.assertEqual(len(content), 7 + len(gannet_testing.QC_ENDINGS))
            files[level] = (content, report)
        for level in levels[1:]:
            self.assertTrue(files[level] == files['sse4.2'], f'files differ between {level} and sse4.2')

    def test_backends_differ_in_one_header_line(self):
        outs = [self.run_in('--backend', backend) for backend in ('simd', 'reference')]
        self.assertEqual(bam_records(outs[0] / 'S.bam'), bam_records(outs[1] / 'S.bam'))
        headers = [vcf_header(out / 'S.vcf.gz') for out in outs]
        self.assertEqual([line for line in headers[0] if line not in headers[1]], ['##gannet_backend=backend simd\n'])
        texts = [bam_payload(out / 'S.bam')[8:100000].split(b'\0')[0].decode().splitlines() for out in outs]
        self.assertEqual([line for line in texts[0] if line not in texts[1]], ['@CO\tgannet backend simd'])

    def test_duplicate_metrics_name_the_sample_as_multiqc_reads_it(self):
        line = next(line for line in (self.run_in() / 'S.duplicates.txt').read_text().splitlines() if 'MarkDuplicates' in line)
        # The rules of multiqc/modules/picard/util.py: a comment with the tool and INPUT; its value without folder and ending.
        self.assertTrue(line.startswith('# '))
        self.assertEqual(re.search(r'INPUT(?:=|\s+)(\[?[^\s]+\]?)', line)[1], 'S.bam')


class UnsortedBam(gannet_testing.Case):
    def bytes_of(self, *words):
        sample = simulated()
        path = self.folder() / 'x.bam'
        run('align', sample.reference, *sample.reads, '--unsorted', '-o', path, '--sample', 'S', '-q', *words)
        return path

    def test_records_are_those_of_sam(self):
        bam = self.bytes_of()
        text = run('align', simulated().reference, *simulated().reads, '--unsorted', '--sample', 'S', '-q').stdout
        self.assertEqual(gannet_testing.samtools('view', '-h', '--no-PG', bam), text)
        gannet_testing.samtools('quickcheck', bam)

    def test_bytes_do_not_depend_on_threads_or_batches(self):
        expected = self.bytes_of().read_bytes()
        for words in (['-t', 1], ['-t', 3], ['--batch-bases', 1000], ['--slots', 1]):
            self.assertTrue(self.bytes_of(*words).read_bytes() == expected, words)

    def test_level_applies(self):
        self.assertLess(self.bytes_of('--level', 9).stat().st_size, self.bytes_of('--level', 1).stat().st_size)

    def test_closed_output_ends_the_run(self):
        sample = simulated()
        process = gannet_testing.start('align', sample.reference, *sample.reads, '--unsorted', '--format', 'bam', stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=False)
        process.stdout.read(100)
        process.stdout.close()
        stderr = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 8, stderr)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
