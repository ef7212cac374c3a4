#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what is left when a run is stopped or cannot write: signals, kills and reruns, full disks, temporary folders, standard output."""
import contextlib
import gzip
import json
import os
import random
import resource
import signal
import stat
import subprocess
import time

import gannet_testing
from gannet_testing import bam_records, error_lines, run, start
from held_runs import BENCH, Held, SafetyCase, names, wait_until


class Signals(SafetyCase):
    def test_hangup_is_handled_as_the_other_signals(self):
        for number, code in ((signal.SIGHUP, 129), (signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGUSR1, 138), (signal.SIGUSR2, 140),
                             (signal.SIGXCPU, 152)):
            folder = self.folder()

            def default(number=number):
                signal.signal(number, signal.SIG_DFL)
            with self.held_align(folder, preexec_fn=default) as held:
                got, errors = held.stop(number)
            self.assertEqual(got, code, errors)
            self.assertIn(number.name, errors)
            self.assertEqual(names(folder), [])

    def test_signals_that_are_ignored_stay_ignored(self):
        """SIGHUP under nohup, SIGINT of a job in the background of a script."""
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
            folder = self.folder()
            with self.held_align(folder, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN)) as held:
                held.process.send_signal(number)
                time.sleep(0.2)
                self.assertIsNone(held.process.poll(), number)
                held.pipe.read_text()
                self.assertEqual(held.end()[0], 0)

    def test_simulate_removes_what_it_has_not_finished(self):
        folder = self.folder()
        with Held('simulate', '--size', 4, '--coverage', 30, '-o', folder, '-q', '-t', 1) as held:
            wait_until('reads', lambda: any(name.startswith('reads_1') for name in names(folder)) or held.process.poll() is not None)
            self.assertEqual(held.stop(signal.SIGTERM)[0], 143)
        self.assertEqual([name for name in names(folder) if 'reads' in name or 'partial' in name or 'simulate.json' in name], [])

    def test_the_limit_of_file_sizes_is_an_error_in_one_line(self):
        folder = self.folder()
        limit = 20_000

        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        for words in (['align', self.reference, *self.sample.reads, '-o', folder / 'x.bam', '-q', '--sample', 's'],
                      ['align', self.reference, *self.sample.reads, '-o', folder / 'x.cram', '-q', '--sample', 's'],
                      ['align', self.reference, *self.sample.reads, '-o', folder / 'x.sam', '--unsorted', '-q', '--sample', 's'],
                      ['simulate', '--size', 0.1, '-o', folder, '-q'],
                      ['index', self.reference, '-o', folder / 'x', '-q']):
            self.refused(9, *words, says='ulimit -f', preexec_fn=limited)
            self.assertEqual([name for name in names(folder) if 'x' in name or 'reads' in name], [], words)


class FullDisk(SafetyCase):
    @contextlib.contextmanager
    def small_disk(self, size):
        folder = self.folder()
        mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={size}', 'none', folder], capture_output=True, text=True)
        if mounted.returncode != 0:
            gannet_testing.skip(f'no tmpfs can be mounted here ({mounted.stderr.strip()})')
        try:
            yield folder
        finally:
            subprocess.run(['umount', folder], check=True)

    def test_a_full_disk_is_exit_9_everywhere(self):
        away = self.folder()
        bam = away / 's.bam'
        run('align', self.reference, *self.sample.reads, '-o', bam, '--sample', 'S', '-q')
        run('call', self.reference, bam, '-o', away / 's.vcf.gz', '-q')
        with self.small_disk('16k') as disk:
            with open(disk / 'fill', 'wb', buffering=0) as fill, contextlib.suppress(OSError):
                while True:
                    fill.write(b'x' * 1024)
            for words in (['align', self.reference, *self.sample.reads, '-o', disk / 'x.bam', '-q', '--sample', 's'],
                          ['align', self.reference, *self.sample.reads, '-o', away / 'y.bam', '-q', '--trace', disk / 't.json'],
                          ['align', self.reference, *self.sample.reads, '-o', away / 'y.bam', '-q', '--metrics', disk / 'm'],
                          ['call', self.reference, bam, '-o', disk / 'x.vcf', '-q'],
                          ['call', self.reference, bam, '-o', disk / 'x.bcf', '-q'],
                          ['examples', self.reference, bam, '-o', disk, '-q'],
                          ['index', self.reference, '-o', disk / 'x.gannet', '-q'],
                          ['simulate', '--size', 0.1, '-o', disk, '-q'],
                          ['compare', self.sample.truth, away / 's.vcf.gz', '--reference', self.reference, '-o', disk, '-q']):
                with self.subTest(' '.join(map(str, words[:1] + words[-3:]))):
                    self.refused(9, *words, says='free')
                    self.assert_files(disk, 'fill')

    def test_scatter_leaves_all_shards_or_none(self):
        with self.small_disk('16k') as disk:
            (disk / 'fill').write_bytes(b'x' * 8192)
            self.refused(9, 'scatter', self.reference, '--count', 5, '-o', disk, '-q', says='free')
            self.assert_files(disk, 'fill')

    def test_temporary_space_that_cannot_suffice_is_refused_before_reads_are_aligned(self):
        folder = self.folder()
        reads = []
        for path in self.sample.reads:
            content = path.read_bytes()
            reads.append(folder / path.name)
            reads[-1].write_bytes(content * (20_000_000 // len(content) + 1))
        with self.small_disk('4m') as disk:
            for words in (['align', '-o', folder / 'x.bam'], ['run', '-o', folder / 'out']):
                begin = time.monotonic()
                result = self.refused(9, *words, self.reference, *reads, '-t', 1, '--memory', '220M', '--tmp', disk, says='--tmp')
                self.assertIn(f'{disk}: 4 MB free', result.stderr)
                self.assertNotIn('align:', result.stderr)
                self.assertLess(time.monotonic() - begin, 20)
                self.assert_files(disk)
            self.assertEqual([name for name in names(folder) if name.startswith('x')], [])


class Reruns(SafetyCase):
    """One sample, sequenced twice: results of the first reads are there when the second are run."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.inputs = gannet_testing.new_folder()
        cls.lanes, cls.finished = [], []
        for at in range(2):
            reads = []
            for mate, path in enumerate(cls.sample.reads):
                lines = gannet_testing.gzip.open(path, 'rt').readlines()
                half = len(lines) // 8 * 4
                reads.append(cls.inputs / f'{at}_{mate + 1}.fq')
                reads[-1].write_text(''.join(lines[:half] if at == 0 else lines[half:]))
            cls.lanes.append(reads)
            cls.finished.append(cls.inputs / f'finished{at}')
            run(*cls.words(at, cls.finished[at]))

    @classmethod
    def words(cls, at, folder):
        return ['run', cls.reference, *cls.lanes[at], '-o', folder, '--sample', 'S', '-q']

    def content(self, folder, name):
        path = folder / name
        return path.read_bytes() if path.exists() else None

    def whose(self, folder, name):
        """0, 1: the file is that of the first or second reads; None: there is none."""
        content = self.content(folder, name)
        if content is None:
            return None
        return [self.content(finished, name) for finished in self.finished].index(content)

    def assert_no_mixture(self, folder):
        """What stands under final names is of one run; with a report it is complete."""
        owners = {name: self.whose(folder, name) for name in ('S.bam', 'S.vcf.gz', 'S.duplicates.txt')}
        present = {owner for owner in owners.values() if owner is not None}
        self.assertLessEqual(len(present), 1, owners)
        if (folder / 'S.run.json').exists():
            self.assertNotIn(None, owners.values())
        for name in ('S.bam', 'S.vcf.gz'):
            for suffix in ('.bai', '.tbi'):
                index = self.whose(folder, name + suffix)
                if index is not None and owners[name] is not None:
                    self.assertEqual(index, owners[name], name + suffix)

    def test_new_alignments_are_never_beside_old_variants(self):
        folder = self.folder()
        run(*self.words(0, folder))
        # A pipe in the place of the metrics, which are written right after the BAM got its name, holds the run there.
        (folder / 'S.duplicates.txt').unlink()
        self.pipe(folder, 'S.duplicates.txt')
        old = (folder / 'S.bam').stat().st_ino
        with Held(*self.words(1, folder)) as held:
            wait_until('a new BAM', lambda: (folder / 'S.bam').stat().st_ino != old or held.process.poll() is not None)
            wait_until('its index', lambda: (folder / 'S.bam.bai').exists())
            held.process.kill()
        self.assertEqual(self.whose(folder, 'S.bam'), 1)
        for name in ('S.run.json', 'S.vcf.gz', 'S.vcf.gz.tbi'):
            self.assertFalse((folder / name).exists(), name)
        (folder / 'S.duplicates.txt').unlink()
        run(*self.words(1, folder))
        self.assert_files(folder, *names(self.finished[1]))
        self.assert_no_mixture(folder)

    def test_a_failed_rerun_leaves_the_earlier_results(self):
        folder = self.folder()
        run(*self.words(0, folder))
        before = {name: self.content(folder, name) for name in names(folder)}
        cut = self.folder() / 'cut.fq'
        cut.write_text(self.lanes[1][0].read_text()[:-30])
        self.refused(3, 'run', self.reference, cut, '-o', folder, '--sample', 'S', '-q', says='cut.fq')
        self.assertEqual({name: self.content(folder, name) for name in names(folder)}, before)

    def test_what_a_run_does_not_replace_is_left(self):
        """A gVCF and duplicate metrics of an earlier run, once as files and once as links into another folder."""
        for linked in (False, True):
            with self.subTest(linked=linked):
                folder, away = self.folder(), self.folder()
                run(*self.words(0, folder), '--gvcf')
                kept = ('S.g.vcf.gz', 'S.g.vcf.gz.tbi', 'S.duplicates.txt')
                for name in kept if linked else ():
                    (folder / name).rename(away / name)
                    (folder / name).symlink_to(away / name)
                before = {name: self.content(folder, name) for name in kept}
                done = run(*self.words(1, folder), '--no-duplicates')
                self.assertEqual({name: self.content(folder, name) for name in kept}, before)
                self.assertEqual([(folder / name).is_symlink() for name in kept], [linked] * 3)
                for name in ('S.g.vcf.gz', 'S.duplicates.txt'):
                    self.assertRegex(done.stderr, f'warning: .*{name}: is there from before and is left as it is')
                report = json.loads((folder / 'S.run.json').read_text())
                self.assertNotIn('gVCF', report['outputs'])
                run(*self.words(1, folder), '--gvcf')  # is replaced, with its index, where the links lead
                self.assertNotEqual(self.content(folder, 'S.g.vcf.gz'), before['S.g.vcf.gz'])
                self.assertEqual(self.whose(folder, 'S.duplicates.txt'), 1)
                self.assertEqual([(folder / name).is_symlink() for name in kept], [linked] * 3)

    def test_a_link_to_an_index_of_another_kind_is_removed_and_its_target_is_not(self):
        folder, away = self.folder(), self.folder()
        run(*self.words(0, folder))
        for name in ('S.vcf.gz.csi', 'S.bam.csi'):
            (away / name).write_text('precious')
            (folder / name).symlink_to(away / name)
        run(*self.words(1, folder))
        self.assertEqual([(away / name).read_text() for name in names(away)], ['precious'] * 2)
        self.assert_files(folder, *names(self.finished[1]))

    def test_kills_at_any_instant(self):
        chance = random.Random(3)
        begin = time.time()
        run(*self.words(1, self.folder()))
        length = time.time() - begin
        folder = self.folder()
        run(*self.words(0, folder))
        for instant in range(12):
            with Held(*self.words((instant + 1) % 2, folder)) as held:
                time.sleep(length * (0.3 + 0.8 * chance.random()))
                held.process.kill()
            self.assert_no_mixture(folder)
        run(*self.words(1, folder))
        self.assert_files(folder, *names(self.finished[1]))
        for name in ('S.bam', 'S.bam.bai', 'S.vcf.gz', 'S.vcf.gz.tbi', 'S.duplicates.txt'):
            self.assertEqual(self.whose(folder, name), 1, name)

    def stopped_after_calling(self, folder, *words, **more):
        """Stops a run where all but its report is done; its BAM can be resumed at."""
        pipe = self.pipe(self.folder())
        with Held(*self.words(1, folder), *words, '--trace', pipe, **more) as held:
            wait_until('a VCF with index', lambda: (folder / 'S.vcf.gz.tbi').exists() or held.process.poll() is not None)
            held.process.kill()
        self.assertTrue((folder / 'S.align.json').exists())

    def loud(self, folder):
        return [word for word in self.words(1, folder) if word != '-q']

    def test_a_damaged_bam_is_made_anew(self):
        for damage in ('flip', 'cut', 'other', 'no index'):
            with self.subTest(damage):
                folder = self.folder()
                self.stopped_after_calling(folder)
                bam = folder / 'S.bam'
                times = os.stat(bam)
                content = bytearray(bam.read_bytes())
                if damage == 'flip':
                    content[len(content) // 2] ^= 0x10
                if damage == 'cut':
                    del content[len(content) // 2:]
                if damage == 'no index':
                    (folder / 'S.bam.bai').unlink()
                bam.write_bytes(content)
                if damage != 'other':
                    os.utime(bam, ns=(times.st_atime_ns, times.st_mtime_ns))
                done = run(*self.loud(folder))
                self.assertNotIn('finished by an earlier run', '' if damage == 'flip' else done.stderr)
                if damage == 'flip':
                    self.assertIn('damaged, starting from the reads', done.stderr)
                self.assertEqual((self.whose(folder, 'S.bam'), self.whose(folder, 'S.vcf.gz')), (1, 1))
                self.assertFalse(json.loads((folder / 'S.run.json').read_text())['execution']['resumed_at_bam'])
                self.assert_files(folder, *names(self.finished[1]))

    def test_other_targets_under_the_same_name_do_not_resume(self):
        folder, targets = self.folder(), self.folder() / 't.bed'
        contig = self.reference.read_text().split('\n', 1)[0][1:].split()[0]
        targets.write_text(f'{contig}\t1000\t3000\n')
        self.stopped_after_calling(folder, '--targets', targets)
        targets.write_text(f'{contig}\t5000\t5100\n')
        run(*self.words(1, folder), '--targets', targets)
        self.assertFalse(json.loads((folder / 'S.run.json').read_text())['execution']['resumed_at_bam'])
        self.assertEqual(gzip.decompress((folder / 'S.regions.bed.gz').read_bytes()).decode().split('\t')[:3], [contig, '5000', '5100'])

    def test_alignments_without_their_duplicate_metrics_are_made_anew(self):
        folder = self.folder()
        self.stopped_after_calling(folder)
        (folder / 'S.duplicates.txt').unlink()
        self.assertIn('S.duplicates.txt: is not there any more', run(*self.loud(folder)).stderr)
        self.assert_files(folder, *names(self.finished[1]))

    def test_findings_of_the_stopped_run_are_those_of_the_next(self):
        folder = self.folder()
        self.stopped_after_calling(folder)
        facts = json.loads((folder / 'S.align.json').read_text())
        self.assertEqual(facts['findings'], [])
        (folder / 'S.align.json').write_text(json.dumps({**facts, 'findings': ['the reads look odd']}))
        self.refused(3, *self.words(1, folder), '--strict', says='the reads look odd (--strict)')
        run(*self.words(1, folder))
        report = json.loads((folder / 'S.run.json').read_text())
        self.assertTrue(report['execution']['resumed_at_bam'])
        self.assertIn('the reads look odd', report['warnings'])

    def test_another_level_does_not_resume(self):
        folder, fresh = self.folder(), self.folder()
        self.stopped_after_calling(folder)
        done = run(*self.loud(folder), '--level', 9)
        self.assertNotIn('finished by an earlier run', done.stderr)
        run(*self.words(1, fresh), '--level', 9)
        self.assertEqual((folder / 'S.bam').read_bytes(), (fresh / 'S.bam').read_bytes())

    def test_another_build_does_not_resume(self):
        folder = self.folder()
        self.stopped_after_calling(folder)
        facts = json.loads((folder / 'S.align.json').read_text())
        words = facts['facts'].split(' ')
        self.assertEqual(words[0], 'gannet')
        self.assertFalse(words[2].startswith(str(self.inputs)), 'no build in the facts')
        words[2] = '0123456'
        facts['facts'] = ' '.join(words)
        (folder / 'S.align.json').write_text(json.dumps(facts))
        done = run(*self.loud(folder))
        self.assertIn('another build', done.stderr)
        self.assertFalse(json.loads((folder / 'S.run.json').read_text())['execution']['resumed_at_bam'])

    def test_standard_input_does_not_resume(self):
        folder = self.folder()
        pipe = self.pipe(self.folder())
        words = ['run', self.reference, '-', '-o', folder, '--sample', 'S']
        with open(self.lanes[0][0]) as reads:
            process = start(*words, '-q', '--trace', pipe, stdin=reads)
            wait_until('a VCF with index', lambda: (folder / 'S.vcf.gz.tbi').exists() or process.poll() is not None)
            process.kill()
            process.wait()
        with open(self.lanes[1][0]) as reads:
            process = start(*words, '-q', stdin=reads)
            self.assertEqual(process.wait(60), 0)
        run('align', self.reference, self.lanes[1][0], '-o', folder / 'wanted.bam', '--sample', 'S', '-q')
        self.assertEqual(bam_records(folder / 'S.bam'), bam_records(folder / 'wanted.bam'))

    def test_indexes_of_older_files_go_with_them(self):
        folder = self.folder()
        for name in ('x.bam', 'x.bam.csi', 'x.bam.bai'):
            (folder / name).write_text('old')
        run('align', self.reference, *self.lanes[0], '-o', folder / 'x.bam', '--sample', 'S', '-q')
        self.assert_files(folder, 'x.bam', 'x.bam.bai')


class Temporary(SafetyCase):
    def test_a_folder_that_does_not_exist_or_is_a_file_is_an_error(self):
        folder = self.folder()
        missing = folder / 'typo'
        reads = self.reads(folder)
        before = (folder / 'a1.fq').read_bytes()
        run('align', self.reference, reads, '-o', folder / 'in.sam', '-q')
        for words in (['align', self.reference, reads, '-o', folder / 'x.bam'],
                      ['run', self.reference, folder / 'a1.fq', '-o', folder / 'o', '--sample', 's'],
                      ['sort', folder / 'in.sam', '-o', folder / 'x.bam'], ['markdup', folder / 'in.sam', '-o', folder / 'x.bam']):
            for path, why in ((missing, 'there is no such folder; create it first'), (folder / 'a1.fq', 'is not a folder')):
                with self.subTest(words=words, path=path):
                    self.refused(9, *words, '--tmp', path, says=f'error: {path}: cannot hold temporary files ({why}): choose a folder with --tmp')
        self.assertFalse(missing.exists())
        self.assertFalse((folder / 'x.bam').exists())
        self.assertEqual((folder / 'a1.fq').read_bytes(), before)

    def folders(self, parent):
        return [path for path in parent.iterdir() if path.name.startswith('.gannet-tmp-')]

    def test_folders_of_dead_runs_are_removed_and_others_are_not(self):
        tmp, out = self.folder(), self.folder()
        foreign = tmp / '.gannet-tmp-abcdef'
        old_names = [tmp / '.gannet-tmp-1-0', tmp / '.gannet-tmp-2-0']
        for path in (foreign, *old_names):
            path.mkdir(mode=0o700)
            (path / 'file').write_text('precious')
        with self.held_align(out, 'x.bam', '--tmp', tmp) as dead:
            dead.process.kill()
            dead.process.wait()
        left = [path for path in self.folders(tmp) if path not in (foreign, *old_names)]
        self.assertEqual(len(left), 1)
        self.assertEqual(stat.S_IMODE(left[0].stat().st_mode), 0o700)
        (left[0] / 'spilled').write_text('x')
        with self.held_align(out, 'y.bam', '--tmp', tmp) as alive:
            self.assertFalse(left[0].exists())
            during = [path for path in self.folders(tmp) if path not in (foreign, *old_names)]
            self.assertEqual(len(during), 1)
            done = run('align', self.reference, self.reads(self.folder()), '-o', out / 'z.bam', '--sample', 's', '--tmp', tmp)
            self.assertNotIn('gannet-tmp', done.stderr)
            self.assertTrue(during[0].exists(), 'the folder of a live run was removed')
            alive.pipe.read_text()
            code, errors = alive.end()
            self.assertEqual(code, 0)
            self.assertRegex(errors, f'removed .*{left[0].name}, left by a run that was killed')
        self.assertEqual(set(self.folders(tmp)), {foreign, *old_names})
        self.assertEqual({(path / 'file').read_text() for path in (foreign, *old_names)}, {'precious'})

    def test_a_folder_that_is_there_is_not_used(self):
        """Two containers have the same process numbers: as the only processes of two PID namespaces."""
        tmp, out = self.folder(), self.folder()
        if subprocess.run(['unshare', '--pid', '--fork', 'true'], capture_output=True).returncode != 0:
            gannet_testing.skip('no PID namespace can be made here')
        reads = self.reads(self.folder(), count=4000)
        both = [subprocess.Popen(['unshare', '--pid', '--fork', gannet_testing.program(), 'align', self.reference, reads, '-o', out / f'{i}.bam',
                                  '--sample', 's', '-q', '-t', '1', '--tmp', tmp]) for i in range(2)]
        self.assertEqual([process.wait(120) for process in both], [0, 0])
        self.assertEqual((out / '0.bam').read_bytes(), (out / '1.bam').read_bytes())
        self.assertEqual(names(tmp), [])


class StandardOutput(SafetyCase):
    def commands(self):
        folder = self.folder()
        run('bench', 'read', '-o', folder / 'b.json', *BENCH)
        truth = self.sample.truth
        return [['version'], ['--version'], ['--help'], ['run', '--help'], ['devices'],
                ['compare', truth, truth, '--reference', self.reference, '-q'],
                ['bench', 'compare', folder / 'b.json', folder / 'b.json'],
                ['bench', 'read', *BENCH],
                ['call', self.reference, self.bam, '-q'],
                ['align', self.reference, *self.sample.reads, '-q', '--sample', 's'],
                ['align', self.reference, *self.sample.reads, '--unsorted', '-q', '--sample', 's'],
                ['align', self.reference, *self.sample.reads, '--format', 'cram', '-q', '--sample', 's'],
                ['align', self.reference, *self.sample.reads, '--format', 'cram', '--unsorted', '-q', '--sample', 's']]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bam = gannet_testing.new_folder() / 's.bam'
        run('align', cls.reference, *cls.sample.reads, '-o', cls.bam, '--sample', 'S', '-q')

    def end_of(self, words, output):
        process = start(*words, stdout=output, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(len(error_lines(errors)), 1, (words, errors))
        return process.returncode, error_lines(errors)[0]

    def test_a_full_device_is_an_error(self):
        for words in self.commands():
            with self.subTest(' '.join(map(str, words[:2]))), open('/dev/full', 'w') as full:
                code, error = self.end_of(words, full)
                self.assertEqual(code, 9)
                self.assertIn('standard output: cannot be written: No space left on device', error)

    def test_a_closed_pipe_is_an_error(self):
        for words in self.commands():
            with self.subTest(' '.join(map(str, words[:2]))):
                reader, writer = os.pipe()
                os.close(reader)
                try:
                    self.assertEqual(self.end_of(words, writer), (8, 'gannet: error: standard output was closed'))
                finally:
                    os.close(writer)

    def test_a_pipe_that_closes_later_is_an_error(self):
        for words in self.commands()[-2:]:
            for size in (1, 100, 5000):
                with self.subTest(words=words[-4:], size=size):
                    process = start(*words, '-t', 1, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
                    process.stdout.read(size)
                    process.stdout.close()
                    errors = process.stderr.read().decode()
                    process.stderr.close()
                    self.assertEqual(process.wait(60), 8, errors)
                    self.assertIn('standard output was closed', errors)

    def test_a_closed_descriptor_is_an_error(self):
        for words in self.commands():
            with self.subTest(' '.join(map(str, words[:2]))):
                line = ' '.join(f"'{word}'" for word in (gannet_testing.program(), *words))
                done = subprocess.run(['bash', '-c', f'{line} >&-'], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 8, done.stderr)
                self.assertIn('standard output is closed', done.stderr)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
