#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet as a user does: exit codes, help, unusual inputs, equal bytes, shards, kills and resumption.

Data is simulated by the program itself, with a fixed seed; nothing else is needed but the program.
"""
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import gannet_testing
from gannet_testing import bam_payload, bam_records, killed_run, run, start, vcf_body


class Case(gannet_testing.Case):
    """The sample of all tests here and the outputs of a run of it, which the first class makes."""
    out = None

    @classmethod
    def setUpClass(cls):
        sample = gannet_testing.simulated()
        cls.reference, cls.reads = sample.reference, sample.reads
        if Case.out is None:
            Case.out = gannet_testing.new_folder()
            run('run', cls.reference, *cls.reads, '-o', Case.out, '--sample', 'S')


class CommandLine(Case):
    def test_help_fits_a_screen(self):
        lines = run('--help').stdout.splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 120)
        for name in ('run', 'align', 'call', 'index', 'simulate', 'compare', 'devices', 'version'):
            self.assertIn(f'gannet {name}', '\n'.join(lines))

    def test_every_command_explains_itself(self):
        for name in ('run', 'align', 'call', 'index', 'simulate', 'compare', 'devices', 'version'):
            self.assertIn(f'Usage: gannet {name}', run(name, '--help').stdout)

    def test_nearest_names_are_suggested(self):
        self.refused(2, 'algin', says='did you mean align?')
        self.refused(2, 'run', 'a', 'b', '-o', 'c', '--smaple', 'x', says='did you mean --sample?')
        self.refused(2, 'call', 'a', 'b', '--region', 'x', says='did you mean --regions?')

    def test_usage_is_exit_2(self):
        self.refused(2, 'run', says='REF')
        self.refused(2, 'run', 'a', 'b', 'c', 'd', '-o', 'x')
        self.refused(2, 'run', self.reference, '-o', self.folder(), says='no reads given')
        self.refused(2, 'run', self.reference, *self.reads, '-o', self.folder(), '--memory', 'much')
        self.refused(2, 'run', self.reference, *self.reads, '-o', self.folder(), '-t', '0')
        self.refused(2, 'align', self.reference, *self.reads, '--sample', 'A', '-R', '@RG\\tID:x\\tSM:B', says='sample')
        self.refused(2, 'align', self.reference, '--lane', f'{self.reads[0]},,@RG\\tID:B', '-R', '@RG\\tID:A\\tSM:S', says='has a complete @RG line beside -R')
        self.refused(2, 'devices', '--nothing')
        run(code=2)

    def test_backend_of_the_environment(self):
        self.refused(2, 'align', self.reference, *self.reads, '-o', '-', env={'GANNET_BACKEND': 'abacus'},
                     says='abacus')
        if not self.has_cuda():
            self.refused(5, 'align', self.reference, *self.reads, '-o', '-', '--backend', 'cuda', says='cuda')

    def has_cuda(self):
        return any(line.startswith('cuda') and 'unavailable' not in line for line in run('devices').stdout.splitlines())

    def test_version_is_one_line(self):
        self.assertRegex(run('version').stdout, r'^gannet \d+\.\d+\.\d+\n$')
        self.assertEqual(run('version').stdout, run('--version').stdout)

    def test_missing_files_and_folders_are_named(self):
        self.refused(3, 'run', self.reference, 'none.fq', '-o', self.folder(), says='none.fq')
        self.refused(3, 'run', 'none.fa', *self.reads, '-o', self.folder(), says='none.fa')
        self.refused(3, 'call', self.reference, 'none.bam', says='none.bam')
        self.refused(8, 'align', self.reference, *self.reads, '-o', self.folder() / 'no' / 'such' / 'x.bam')
        self.refused(7, 'align', self.reference, *self.reads, '-o', self.folder() / 'x.bam', '--memory', '20M')

    def test_regions_are_checked(self):
        bam = self.out / 'S.bam'
        contig = self.reference.read_text().split(None, 1)[0][1:]
        self.refused(4, 'call', self.reference, bam, '--regions', 'chrNone')
        self.refused(2, 'call', self.reference, bam, '--regions', f'{contig}:9-3')
        length = len(''.join(self.reference.read_text().split('>')[1].split('\n')[1:]))
        for region, what in ((f'{contig}:5-{length + 1}', 'ends'), (f'{contig}:{length + 1}', 'begins')):
            self.refused(2, 'call', self.reference, bam, '--regions', region, says=f"region '{region}': it {what} past the end of {contig}, which has {length} bp")
        bed = self.folder() / 'x.bed'
        bed.write_text('chrNone\t1\t2\n')
        self.refused(4, 'call', self.reference, bam, '--targets', bed)


    def test_a_size_without_its_unit_is_asked_back(self):
        for given, meant in (('4', '4G'), ('1.5', '1.5G'), ('4096', '4096M')):
            self.refused(2, 'call', self.reference, self.out / 'S.bam', '--memory', given, says=f'did you mean {meant}?')
            self.refused(2, 'call', self.reference, self.out / 'S.bam', '--gpu-memory', given, says=f'did you mean {meant}?')
        self.refused(2, 'call', self.reference, self.out / 'S.bam', '--memory', '4K', says='4K is only 4096 bytes')

    def test_a_bam_without_an_index_is_called_as_with_one(self):
        folder = self.folder()
        (folder / 'x.bam').write_bytes((self.out / 'S.bam').read_bytes())
        bodies = [[line for line in run('call', self.reference, bam, '--sample', 'S', '-q').stdout.splitlines() if line[0] != '#']
                  for bam in (self.out / 'S.bam', folder / 'x.bam')]
        self.assertGreater(len(bodies[0]), 5)
        self.assertEqual(*bodies)
        self.assertRegex(run('help', 'call').stdout, r'(?s)ALIGNMENTS.{,200}only\s+regions\s+need\s+it')


class Outputs(Case):
    def test_run_leaves_its_outputs_and_nothing_else(self):
        self.assert_files(self.out, 'S.bam', 'S.bam.bai', 'S.vcf.gz', 'S.vcf.gz.tbi', 'S.run.json', 'S.duplicates.txt', 'S.report.html', *gannet_testing.qc_names('S', scorer=True))
        report = json.loads((self.out / 'S.run.json').read_text())
        counts = report['counts']['align']
        self.assertEqual(counts['reads'], 2 * counts['templates'])
        self.assertGreater(counts['mapped'], 0.98 * counts['reads'])
        self.assertEqual(report['counts']['call']['variants'], len(vcf_body(self.out / 'S.vcf.gz')))
        self.assertGreater(report['counts']['call']['variants'], 50)
        self.assertTrue(report['execution']['stages'])

    def test_headers_hold_no_trace_of_the_machine(self):
        header = bam_payload(self.out / 'S.bam')[:20000].decode('latin1')
        self.assertIn('SO:coordinate', header)
        self.assertIn('\tM5:', header)
        self.assertIn('@RG\tID:S', header)
        self.assertIn('@PG\tID:gannet\tPN:gannet', header)
        for word in ('--threads', '-t 2', '--memory', str(self.out)):
            self.assertNotIn(word, header)

    def same(self, *options, header=True):
        folder = self.folder()
        run('run', self.reference, *self.reads, '-o', folder, '--sample', 'S', '-q', *options)
        if header:
            self.assertEqual((folder / 'S.bam').read_bytes(), (self.out / 'S.bam').read_bytes(), options)
            self.assertEqual((folder / 'S.vcf.gz').read_bytes(), (self.out / 'S.vcf.gz').read_bytes(), options)
        self.assertEqual(bam_records(folder / 'S.bam'), bam_records(self.out / 'S.bam'), options)
        self.assertEqual(vcf_body(folder / 'S.vcf.gz'), vcf_body(self.out / 'S.vcf.gz'), options)
        self.assertEqual((folder / 'S.duplicates.txt').read_text(), (self.out / 'S.duplicates.txt').read_text())

    def test_threads_do_not_change_the_bytes(self):
        self.same('-t', '1')
        self.same('-@', '3')

    def test_batches_do_not_change_the_bytes(self):
        self.same('--batch-bases', '1000')
        self.same('--batch-bases', '5000000')

    def test_memory_does_not_change_the_bytes(self):
        self.same('--memory', '260M', '-t', '2', '--tmp', self.folder())

    def test_backends_do_not_change_the_records(self):
        self.same('--backend', 'reference', header=False)
        self.same('--backend', 'simd', header=False)

    def test_call_gives_what_run_gave(self):
        vcf = self.folder() / 'x.vcf.gz'
        run('call', self.reference, self.out / 'S.bam', '-o', vcf, '-q')
        self.assertTrue(vcf.with_name('x.vcf.gz.tbi').exists())
        self.assertEqual(vcf_body(vcf), vcf_body(self.out / 'S.vcf.gz'))

    def contigs(self):
        contigs, length = {}, 0
        for line in self.reference.read_text().splitlines():
            if line.startswith('>'):
                name = line[1:].split()[0]
                contigs[name] = 0
            else:
                contigs[name] += len(line)
        return contigs

    def test_union_of_shards_is_the_complete_vcf(self):
        body = []
        for name, length in self.contigs().items():
            cuts = [0, 1, 8192, length // 3, length // 3 + 100, length]
            cuts = sorted({min(cut, length) for cut in cuts})
            for begin, end in zip(cuts, cuts[1:]):
                done = run('call', self.reference, self.out / 'S.bam', '--regions', f'{name}:{begin + 1}-{end}', '-q')
                body += [line + '\n' for line in done.stdout.splitlines() if not line.startswith('#')]
        self.assertEqual(body, vcf_body(self.out / 'S.vcf.gz'))

    def test_targets_restrict_the_calls(self):
        bed = self.folder() / 'x.bed'
        name = next(iter(self.contigs()))
        bed.write_text(f'{name}\t20000\t60000\n')
        done = run('call', self.reference, self.out / 'S.bam', '--targets', bed, '-q')
        got = [line + '\n' for line in done.stdout.splitlines() if not line.startswith('#')]
        want = [line for line in vcf_body(self.out / 'S.vcf.gz')
                if line.split('\t')[0] == name and 20000 < int(line.split('\t')[1]) <= 60000]
        self.assertTrue(want)
        self.assertEqual(got, want)

    def test_align_writes_the_same_records_as_run(self):
        folder = self.folder()
        run('align', self.reference, *self.reads, '-o', folder / 'x.bam', '--sample', 'S', '-q', '--metrics', folder / 'm.txt')
        self.assertEqual(bam_records(folder / 'x.bam'), bam_records(self.out / 'S.bam'))
        self.assertTrue((folder / 'x.bam.bai').exists())
        self.assertIn('LIBRARY', (folder / 'm.txt').read_text())

    def test_unsorted_stream_is_sam_in_input_order(self):
        done = run('align', self.reference, *self.reads, '--unsorted', '--sample', 'S', '-q')
        records = [line.split('\t') for line in done.stdout.splitlines() if not line.startswith('@')]
        primary = [fields for fields in records if not int(fields[1]) & 0x900]
        with gzip.open(self.reads[0], 'rt') as lines:
            names = [line[1:].split()[0].removesuffix('/1') for at, line in enumerate(lines) if at % 4 == 0]
        self.assertEqual([fields[0] for fields in primary[::2]], names)
        self.assertIn('SO:unsorted', done.stdout.splitlines()[0])

    def test_lanes_add_up(self):
        folder = self.folder()
        lanes = []
        for lane in range(2):
            for mate in (0, 1):
                with gzip.open(self.reads[mate], 'rt') as source:
                    lines = source.readlines()
                half = len(lines) // 8 * 4
                part = lines[:half] if lane == 0 else lines[half:]
                (folder / f'{lane}_{mate + 1}.fq').write_text(''.join(part))
            lanes.append(f'{folder}/{lane}_1.fq,{folder}/{lane}_2.fq,L{lane}')
        run('run', self.reference, '--lane', lanes[0], '--lane', lanes[1], '-o', folder / 'o', '--sample', 'S', '-q')
        counts = json.loads((folder / 'o' / 'S.run.json').read_text())['counts']['align']
        whole = json.loads((self.out / 'S.run.json').read_text())['counts']['align']
        self.assertEqual(counts['reads'], whole['reads'])
        self.assertEqual(len(counts['insert_sizes']), 2)
        self.assertIn(b'@RG\tID:L1\t', bam_payload(folder / 'o' / 'S.bam'))

    def test_interleaved_and_standard_input(self):
        mates = []
        for path in self.reads:
            with gzip.open(path, 'rb') as file:
                lines = file.read().split(b'\n')[:-1]
            mates.append([b'\n'.join(lines[at:at + 4]) + b'\n' for at in range(0, len(lines), 4)])
        text = b''.join(first + second for first, second in zip(*mates))
        folder = self.folder()
        run('run', self.reference, '-', '--interleaved', '-o', folder, '--sample', 'S', '-q', input=text, text=False)
        self.assertEqual(bam_records(folder / 'S.bam'), bam_records(self.out / 'S.bam'))

    def test_trace_is_json_with_every_stage(self):
        folder = self.folder()
        run('run', self.reference, *self.reads, '-o', folder, '--sample', 'S', '-q', '--trace', folder / 't.json')
        events = json.loads((folder / 't.json').read_text())['traceEvents']
        names = {event['name'] for event in events}
        for name in ('align.read', 'align.inflate', 'align.find_candidates', 'align.extension', 'align.build_records', 'emit.compress', 'call.pair_hmm'):
            self.assertIn(name, names)


class Edges(Case):
    def test_empty_input_gives_valid_empty_outputs_and_a_warning(self):
        folder = self.folder()
        (folder / 'e_1.fq').write_text('')
        (folder / 'e_2.fq').write_text('')
        done = run('run', self.reference, folder / 'e_1.fq', folder / 'e_2.fq', '-o', folder / 'o')
        self.assertIn('warning', done.stderr)
        self.assertEqual(bam_records(folder / 'o' / 'e.bam'), b'')
        self.assertEqual(vcf_body(folder / 'o' / 'e.vcf.gz'), [])
        self.assertTrue((folder / 'o' / 'e.run.json').exists())

    def test_damaged_reads_leave_no_output(self):
        folder = self.folder()
        whole = self.reads[0].read_bytes()
        (folder / 'cut_1.fq.gz').write_bytes(whole[:len(whole) // 2])
        self.refused(3, 'run', self.reference, folder / 'cut_1.fq.gz', self.reads[1], '-o', folder / 'o', '--sample', 'S',
                     says='cut_1.fq.gz')
        self.assert_files(folder / 'o')

    def test_mates_of_different_length_leave_no_output(self):
        folder = self.folder()
        with gzip.open(self.reads[1], 'rt') as lines:
            (folder / 'b.fq').write_text(''.join(lines.readlines()[:-8]))
        self.refused(3, 'align', self.reference, self.reads[0], folder / 'b.fq', '-o', folder / 'x.bam')
        self.assert_files(folder, 'b.fq')

    def test_index_of_another_reference_is_refused(self):
        folder = self.folder()
        other = folder / 'ref.fa'
        text = self.reference.read_text()
        at = text.index('\n') + 100
        other.write_text(text[:at] + ('A' if text[at] != 'A' else 'C') + text[at + 1:])
        shutil.copy(str(self.reference) + '.gannet', str(other) + '.gannet')
        later = time.time() + 10
        os.utime(other, (later, later))
        self.refused(4, 'run', other, *self.reads, '-o', folder / 'o', says='gannet index')
        self.refused(4, 'devices', other, says='gannet index')
        self.refused(4, 'devices', other, '--index', f'{self.reference}.gannet', says='gannet index')
        self.refused(3, 'devices', other, '--index', folder / 'none', says='no such file')

    def test_alignments_of_another_reference_are_refused(self):
        folder = self.folder()
        other = folder / 'ref.fa'
        other.write_text(self.reference.read_text().replace('>', '>other_', 1))
        self.refused(4, 'call', other, self.out / 'S.bam')

    def test_read_only_reference_folder(self):
        folder = self.folder()
        shutil.copy(self.reference, folder / 'ref.fa')
        folder.chmod(0o555)
        out = self.folder()
        out.chmod(0o777)
        # Root may write everywhere, so it runs this as nobody.
        user = {'user': 65534} if os.geteuid() == 0 else {}
        done = run('run', folder / 'ref.fa', *self.reads, '-o', out, '--sample', 'S', **user)
        self.assertIn('cannot be written', done.stderr)
        self.assertTrue((out / 'ref.fa.gannet').exists())
        self.assert_files(folder, 'ref.fa')
        self.refused(8, 'index', folder / 'ref.fa', **user)

    def test_named_index(self):
        folder = self.folder()
        shutil.copy(self.reference, folder / 'ref.fa')
        run('index', folder / 'ref.fa', '-o', folder / 'x.idx', '-q')
        run('align', folder / 'ref.fa', *self.reads, '--index', folder / 'x.idx', '-o', folder / 'x.bam', '-q')
        self.assertFalse((folder / 'ref.fa.gannet').exists())

    def test_two_index_builds_at_once(self):
        folder = self.folder()
        shutil.copy(self.reference, folder / 'ref.fa')
        both = [start('index', folder / 'ref.fa', '-q') for _ in range(2)]
        self.assertEqual([process.wait(120) for process in both], [0, 0])
        whole = pathlib.Path(str(self.reference) + '.gannet').read_bytes()
        self.assertEqual(len((folder / 'ref.fa.gannet').read_bytes()), len(whole))
        run('align', folder / 'ref.fa', *self.reads, '-o', folder / 'x.bam', '-q')

    def test_a_closed_pipe_is_a_failed_output(self):
        script = '"$0" align "$@" --unsorted -q | head -1 > /dev/null; exit ${PIPESTATUS[0]}'
        done = gannet_testing.execute(['bash', '-c', script, gannet_testing.program(), self.reference, *self.reads])
        self.assertEqual(done.returncode, 8, done.stderr)


class Kills(Case):
    def start(self, folder, *options):
        return start('run', self.reference, *self.reads, '-o', folder, '--sample', 'S', '-q', '--backend', 'reference',
                     *options, stderr=subprocess.PIPE, text=True)

    def test_signals_leave_nothing(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            folder = self.folder()
            process = self.start(folder)
            deadline = time.time() + 60
            while not list(folder.iterdir()) and process.poll() is None and time.time() < deadline:
                time.sleep(0.002)
            process.send_signal(number)
            self.assertEqual(process.wait(60), code, process.stderr.read())
            process.stderr.close()
            self.assert_files(folder)

    def test_kill_leaves_no_final_name_and_a_rerun_is_complete(self):
        folder = self.folder()
        process = self.start(folder)
        while not list(folder.iterdir()) and process.poll() is None:
            time.sleep(0.002)
        process.kill()
        process.wait(60)
        process.stderr.close()
        final = {'S.bam', 'S.bam.bai', 'S.vcf.gz', 'S.vcf.gz.tbi', 'S.run.json'}
        self.assertFalse(final & {path.name for path in folder.iterdir()})
        run('run', self.reference, *self.reads, '-o', folder, '--sample', 'S', '-q')
        self.assertEqual((folder / 'S.bam').read_bytes(), (self.out / 'S.bam').read_bytes())

    def test_a_run_resumes_at_its_finished_bam(self):
        folder = self.folder()
        command = ['run', self.reference, *self.reads, '-o', folder, '--sample', 'S']
        killed_run(folder, command, 'S.vcf.gz.tbi')
        self.assertTrue((folder / 'S.align.json').exists())
        self.assertFalse((folder / 'S.run.json').exists())
        done = run(*command)
        self.assertIn('finished by an earlier run', done.stderr)
        self.assertEqual((folder / 'S.vcf.gz').read_bytes(), (self.out / 'S.vcf.gz').read_bytes())
        self.assertTrue(json.loads((folder / 'S.run.json').read_text())['execution']['resumed_at_bam'])
        self.assertFalse((folder / 'S.align.json').exists())


if __name__ == '__main__':
    gannet_testing.main(__doc__)
