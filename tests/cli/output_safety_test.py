#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that nothing a person types costs them data: two runs with one output, partial files, odd paths, outputs that are inputs."""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import stat
import subprocess
import threading
import time

import gannet_testing
from gannet_testing import bam_records, error_lines, run, simulated, start
from held_runs import BENCH, NOBODY, PARTIAL, Held, SafetyCase, names, open_files, partial_files, wait_until


class Locks(SafetyCase):
    def test_second_run_ends_at_once_and_names_the_first(self):
        folder = self.folder()
        more = self.reads(self.folder())
        link = self.folder() / 'link'
        link.symlink_to(folder)
        with self.held_align(folder) as held:
            self.assertIn('.x.bam.lock', names(folder))
            for output in (folder / 'x.bam', link / 'x.bam', folder / '..' / folder.name / 'x.bam'):
                begin = time.time()
                done = self.refused(8, 'align', self.reference, more, '-o', output, says='is being written by')
                self.assertLess(time.time() - begin, 10)
                for fact in (f'pid {held.process.pid}', f'host {os.uname().nodename}', ' align ', 'since 20'):
                    self.assertIn(fact, done.stderr)
            # The index of the output is covered by the same lock, another output is not.
            self.refused(8, 'align', self.reference, more, '--format', 'bam', '-o', folder / 'x.bam.bai', says='is being written by')
            self.refused(8, 'align', self.reference, more, '-o', folder / 'y.bam', '--metrics', folder / 'x.bam', says='x.bam')
            run('align', self.reference, more, '-o', folder / 'y.bam', '--sample', 's', '-q')
            held.pipe.read_text()
            self.assertEqual(held.end()[0], 0)
        self.assertEqual(bam_records(folder / 'x.bam'), bam_records(folder / 'y.bam'))
        self.assert_files(folder, 'x.bam', 'x.bam.bai', 'y.bam', 'y.bam.bai')

    def test_every_command_locks_its_outputs(self):
        inputs = self.folder()
        pipe = self.pipe(inputs, 'p.fq')
        bam, out = inputs / 's.bam', self.folder()
        run('align', self.reference, *self.sample.reads, '-o', bam, '--sample', 'S', '-q')
        calls = inputs / 'calls.vcf'
        calls.write_text('##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n')
        cases = {
            'run': (['run', self.reference, self.sample.reads[0], '-o', out, '--sample', 'S', '--targets', pipe], pipe, self.sample.confident),
            'call': (['call', self.reference, pipe, '-o', out / 'x.vcf.gz'], pipe, bam),
            'examples': (['examples', self.reference, pipe, '-o', out], pipe, bam),
            'simulate': (['simulate', '--reference', pipe, '-o', out], pipe, self.reference),
            'compare': (['compare', pipe, calls, '--reference', self.reference, '-o', out], pipe, self.sample.truth),
            'bench': (['bench', 'read', '--reference', self.reference, '--reads', pipe, '-o', out / 'b.json'], pipe,
                      self.sample.reads[0]),
            'trace': (['align', self.reference, self.sample.reads[0], '-o', '-', '--format', 'sam', '--trace', out / 't.json', '--metrics', pipe],
                      pipe, inputs / 'm'),
        }
        for name, (words, held_input, other_input) in cases.items():
            with self.subTest(name), Held(*words) as held:
                wait_until(f'{name}: a lock', lambda: any(found.endswith('.lock') for found in names(out)) or
                           held.process.poll() is not None)
                self.assertIsNone(held.process.poll(), name)
                second = [other_input if word == held_input else word for word in words]
                self.refused(8, *second, says='is being written by')
                self.assertEqual(held.stop(signal.SIGTERM)[0], 143)
                self.assertEqual(names(out), [], name)

    def test_index_builds_wait_for_each_other(self):
        folder = self.folder()
        reference = folder / 'ref.fa'
        reference.write_bytes(self.reference.read_bytes())
        lock = folder / '.ref.fa.gannet.lock'
        reads = self.reads(folder)
        for words in (['index', reference], ['align', reference, reads, '-o', folder / 'x.bam', '--sample', 's']):
            with self.subTest(words[0]), open(lock, 'w') as holder:
                holder.write('gannet lock\ngannet index of a test (pid 1)\n')
                holder.flush()
                fcntl.flock(holder, fcntl.LOCK_EX)
                with Held(*words) as held:
                    # It has opened the lock and sleeps on it.
                    wait_until('two have the lock open',
                               lambda: held.process.poll() is not None or lock.resolve() in open_files(held.process.pid))
                    time.sleep(0.1)
                    self.assertIsNone(held.process.poll())
                    (folder / 'ref.fa.gannet').write_bytes(pathlib.Path(f'{self.reference}.gannet').read_bytes())
                    before = os.stat(folder / 'ref.fa.gannet').st_ino
                    fcntl.flock(holder, fcntl.LOCK_UN)
                    code, errors = held.end()
                self.assertEqual(code, 0, errors)
                self.assertIn('waiting for the index', errors)
                self.assertIn('gannet index of a test (pid 1)', errors)
                self.assertEqual(os.stat(folder / 'ref.fa.gannet').st_ino, before, 'it was built again')
            (folder / 'ref.fa.gannet').unlink()
        self.assertNotIn('.ref.fa.gannet.lock', names(folder))

    def test_lock_of_a_killed_run_is_taken_over(self):
        folder = self.folder()
        with self.held_align(folder) as held:
            held.process.kill()
            held.process.wait()
        self.assertIn('.x.bam.lock', names(folder))
        left = partial_files(folder)
        self.assertEqual(len(left), 2)
        done = run('align', self.reference, self.reads(self.folder()), '-o', folder / 'x.bam', '--sample', 's')
        for name in left:
            self.assertRegex(done.stderr, f'removed .*{name}.*, left by a run that was killed')
        self.assert_files(folder, 'x.bam', 'x.bam.bai')

    def test_lock_files_of_others_are_left_alone(self):
        folder = self.folder()
        victim = folder / 'victim'
        victim.write_text('precious')
        reads = self.reads(self.folder())
        lock = folder / '.x.bam.lock'
        lock.symlink_to(victim)
        self.refused(8, 'align', self.reference, reads, '-o', folder / 'x.bam', says='symbolic link')
        lock.unlink()
        lock.write_text('of another program')
        self.refused(8, 'align', self.reference, reads, '-o', folder / 'x.bam', says='not a lock of gannet')
        self.assertEqual((victim.read_text(), lock.read_text()), ('precious', 'of another program'))

    def test_pairs_of_runs_with_one_output(self):
        folder = self.folder()
        halves = [self.reads(folder, 'a.fq', 0, 1500), self.reads(folder, 'b.fq', 2000, 1500)]
        wanted = []
        for at, reads in enumerate(halves):
            run('align', self.reference, reads, '-o', folder / f'{at}.bam', '--sample', 's', '-q')
            wanted.append((folder / f'{at}.bam').read_bytes())
        self.assertNotEqual(*wanted)
        refused = 0
        for pair in range(24):
            output = folder / f'pair{pair}.bam'
            both = [start('align', self.reference, reads, '-o', output, '--sample', 's', '-q', '-t', 1, stderr=subprocess.PIPE, text=True)
                    for reads in (halves if pair % 2 else halves[::-1])]
            order = wanted if pair % 2 else wanted[::-1]
            ends = [(process.communicate(timeout=120)[1], process.returncode) for process in both]
            codes = [code for _, code in ends]
            self.assertIn(0, codes, ends)
            self.assertLessEqual(set(codes), {0, 8}, ends)
            refused += codes.count(8)
            winners = [content for content, code in zip(order, codes) if code == 0]
            self.assertIn(output.read_bytes(), winners, 'the output is not that of the run that ended with 0')
            self.assertTrue(output.with_name(output.name + '.bai').exists())
        self.assertGreater(refused, 12, 'the runs did not overlap: the test tests nothing')
        self.assertEqual([name for name in names(folder) if PARTIAL in name or name.endswith('.lock')], [])


class Names(SafetyCase):
    def test_partial_files_are_made_exclusively(self):
        folder = self.folder()
        victim = self.folder() / 'victim'
        victim.write_text('precious')
        for name in ('x.bam.partial', 'x.bam.bai.partial', 'x.bam.partial.0', 'S.vcf.gz.partial'):
            (folder / name).symlink_to(victim)
        run('align', self.reference, self.reads(self.folder()), '-o', folder / 'x.bam', '--sample', 's', '-q')
        run('call', self.reference, folder / 'x.bam', '-o', folder / 'S.vcf.gz', '-q')
        self.assertEqual(victim.read_text(), 'precious')
        self.check_bam(folder / 'x.bam')

    def test_names_differ_from_run_to_run_and_follow_the_umask(self):
        folder, seen = self.folder(), set()
        for mask in (0o022, 0o077, 0o002):
            with self.held_align(folder, preexec_fn=lambda mask=mask: os.umask(mask)) as held:
                for name in partial_files(folder):
                    self.assertEqual(stat.S_IMODE(os.lstat(folder / name).st_mode), 0o666 & ~mask)
                    self.assertNotIn(name, seen)
                    seen.add(name)
                held.stop(signal.SIGTERM)
        self.assertEqual(len(seen), 6)

    def test_a_signal_removes_what_this_process_made_and_nothing_else(self):
        folder = self.folder()
        others = ['x.bam.bai.old', 'x.bam.partial', 'x.bam.partial.mine', 'x.bam2.partial', 'x.bam.bed.partial', 'x.bam']
        for name in others:
            (folder / name).write_text('precious')
        with self.held_align(folder) as held:
            other_process = folder / 'x.bam.partial.0123456789ab'
            other_process.write_text('of another process')
            self.assertEqual(held.stop(signal.SIGTERM)[0], 143)
        self.assert_files(folder, *others, other_process.name)
        self.assertEqual({(folder / name).read_text() for name in others}, {'precious'})

    def test_a_dead_process_leaves_names_that_only_a_holder_of_the_lock_removes(self):
        folder = self.folder()
        stay = ['x.bam.partial.0123456789', 'x.bam.partial.0123456789AB', 'x.bammer.partial.0123456789ab', 'y.bam.partial.0123456789ab']
        go = ['x.bam.partial.0123456789ab', 'x.bam.bai.partial.0123456789ab', 'x.bam.csi.partial.ffffffffffff']
        for name in stay + go:
            (folder / name).write_text('?')
        (folder / 'x.bam.partial.00000000000d').mkdir()
        run('align', self.reference, self.reads(self.folder()), '-o', folder / 'x.bam', '--sample', 's', '-q')
        self.assert_files(folder, 'x.bam', 'x.bam.bai', 'x.bam.partial.00000000000d', *stay)


class Kinds(SafetyCase):
    def sam(self, *words):
        return run('align', self.reference, self.few, '--unsorted', '--sample', 's', '-q', *words)

    def setUp(self):
        self.few = self.reads(self.folder())

    def test_descriptors_and_links_to_them_are_written_in_place(self):
        wanted = self.sam('-o', '-').stdout
        self.assertTrue(wanted.startswith('@HD'))
        folder = self.folder()
        folder.chmod(0o777)
        link, chain = folder / 'link.sam', folder / 'chain.sam'
        link.symlink_to('/dev/stdout')
        chain.symlink_to('link.sam')
        outputs = ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', '/proc/thread-self/fd/1', link, chain]
        before = os.readlink('/dev/stdout')
        # As nobody where this is root: a program that renames over /dev/stdout then harms nothing.
        user = {'user': NOBODY} if os.geteuid() == 0 else {}
        for output in outputs:
            for mode, first in (('wb', b''), ('ab', b'kept\n')):
                with self.subTest(output=str(output), mode=mode):
                    file = folder / 'file'
                    file.write_bytes(first)
                    file.chmod(0o666)
                    with open(file, mode) as stream:
                        process = start('align', self.reference, self.few, '--unsorted', '--sample', 's', '-q', '-o', output,
                                        stdout=stream, stderr=subprocess.PIPE, text=True, **user)
                        self.assertEqual((process.communicate(timeout=60)[1], process.returncode), ('', 0))
                    self.assertEqual(file.read_bytes(), first + wanted.encode())
                    self.assertEqual(self.sam('-o', output).stdout, wanted)
                    self.assertTrue(link.is_symlink() and chain.is_symlink())
                    self.assertEqual(os.readlink('/dev/stdout'), before)
        self.assert_files(folder, 'file', 'link.sam', 'chain.sam')

    def test_pipes_and_devices_are_written_in_place(self):
        wanted = self.sam('-o', '-').stdout
        folder = self.folder()
        pipe = self.pipe(folder, 'out.sam')
        got = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
        reader.start()
        self.sam('-o', pipe)
        reader.join(60)
        self.assertEqual(got, [wanted])
        self.assertTrue(stat.S_ISFIFO(os.lstat(pipe).st_mode))
        (folder / 'null.bam').symlink_to('/dev/null')
        run('align', self.reference, self.reads(self.folder()), '-o', folder / 'null.bam', '-q', '--sample', 's', '--metrics', '/dev/null',
            '--trace', '/dev/null')
        run('align', self.reference, self.reads(self.folder()), '-o', folder / 'null.bam', '-q', '--sample', 's', '--format', 'cram')
        self.assertTrue(stat.S_ISCHR(os.stat('/dev/null').st_mode))
        self.refused(8, 'index', self.reference, '-o', folder / 'null.bam', says='regular file')
        self.assert_files(folder, 'out.sam', 'null.bam')

    def test_names_that_are_not_utf_8_are_taken(self):
        folder = os.fsencode(self.folder())
        reads = folder + b'/R\xe9ads.fq'
        with open(reads, 'w') as file:
            file.write(self.reads(self.folder()).read_text())
        out = folder + b'/out\xe9'
        done = subprocess.run([gannet_testing.program(), 'run', self.reference, reads, '-o', out, '--sample', 'S', '-q'], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual({b'S.bam', b'S.vcf.gz', b'S.run.json', b'S.report.html'}, set(os.listdir(out)))
        with open(out + b'/S.run.json') as file:
            self.assertTrue(json.load(file)['inputs'][0].endswith('/R\ufffdads.fq'))

    def test_a_name_that_is_too_long_ends_the_run_before_it_aligns(self):
        folder = self.folder()
        done = self.refused(2, 'run', self.reference, *self.sample.reads, '-o', folder / 'out', '--sample', 'S' * 220, says='its name is too long')
        self.assertIn('choose a shorter one', done.stderr)
        self.assertEqual(names(folder), [])

    def test_a_link_to_a_file_stays_and_its_target_is_replaced(self):
        folder, away = self.folder(), self.folder()
        reads = self.reads(self.folder())
        (away / 'target').write_text('old')
        for name, target in (('x.bam', away / 'target'), ('new.bam', away / 'not yet'), ('v.vcf.gz', away / 'v'), ('t.json', away / 't')):
            (folder / name).symlink_to(target)
        (away / 'bai').write_text('old')
        (folder / 'x.bam.bai').symlink_to(away / 'bai')
        for name in ('x.bam', 'new.bam'):
            run('align', self.reference, reads, '-o', folder / name, '--sample', 's', '-q', '--trace', folder / 't.json')
            self.assertTrue((folder / name).is_symlink())
            self.check_bam(folder / name)
        run('call', self.reference, folder / 'x.bam', '-o', folder / 'v.vcf.gz', '-q')
        self.assertEqual(names(away), ['bai', 'not yet', 't', 'target', 'v'])
        self.assertTrue((folder / 'x.bam.bai').is_symlink())
        self.assertEqual((away / 'bai').read_bytes(), (folder / 'new.bam.bai').read_bytes())
        json.loads((away / 't').read_text())
        (folder / 'circle.bam').symlink_to('circle.bam')
        self.refused(8, 'align', self.reference, reads, '-o', folder / 'circle.bam', says='circle.bam')

    def test_a_write_protected_file_is_not_replaced(self):
        folder = self.folder()
        folder.chmod(0o777)
        target = folder / 'x.bam'
        target.write_text('precious')
        target.chmod(0o444)
        user = {'user': NOBODY} if os.geteuid() == 0 else {}
        self.refused(8, 'align', self.reference, self.reads(self.folder()), '-o', target, says='write-protected', **user)
        self.assertEqual(target.read_text(), 'precious')

    def test_binary_output_is_not_written_to_a_terminal(self):
        reads = self.reads(self.folder(), count=20)

        def on_terminal(*words):
            leader, terminal = pty.openpty()
            try:
                process = start('align', self.reference, reads, '--sample', 's', '-q', *words, stdout=terminal, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, text=True)
                os.close(terminal)
                text = b''
                with contextlib.suppress(OSError):  # EIO: all ends of the terminal are closed
                    while more := os.read(leader, 65536):
                        text += more
                return process.communicate(timeout=60)[1], process.returncode, text
            finally:
                os.close(leader)
        for words in ([], ['--format', 'cram'], ['-o', '-'], ['-o', '/dev/stdout'], ['--unsorted', '--format', 'bam']):
            errors, code, text = on_terminal(*words)
            self.assertEqual((code, text), (2, b''), words)
            self.assertIn('terminal', errors)
            self.assertEqual(len(error_lines(errors)), 1)
        for words in (['--format', 'sam'], ['--unsorted']):
            errors, code, text = on_terminal(*words)
            self.assertEqual((errors, code, text[:3]), ('', 0, b'@HD'), words)

    def test_name_and_format_agree(self):
        folder = self.folder()
        reads = self.reads(self.folder())
        for words in (['-o', 'x.foo'], ['-o', 'x'], ['-o', 'x.bam', '--format', 'sam'], ['-o', 'x.sam', '--format', 'cram']):
            self.refused(2, 'align', self.reference, reads, *words, says=words[1], cwd=folder)
        run('align', self.reference, reads, '-o', folder / 'x.foo', '--format', 'bam', '--sample', 's', '-q')
        self.refused(2, 'call', self.reference, folder / 'x.foo', '-o', folder / 'x.txt', says='x.txt')
        self.assert_files(folder, 'x.foo', 'x.foo.bai')

    def test_a_folder_for_a_file_is_named_as_one(self):
        folder = self.folder()
        reads = self.reads(self.folder())
        run('align', self.reference, reads, '-o', folder / 's.bam', '-q')
        (folder / 'of').mkdir()
        before = sorted(folder.iterdir())
        for name in ('.', '..', 'of', 'of/'):
            for words in (['align', self.reference, reads, '-o'], ['sort', 's.bam', '-o'], ['markdup', 's.bam', '-o'], ['call', self.reference, 's.bam', '-o'], ['index', self.reference, '-o'],
                          ['align', self.reference, reads, '--format', 'bam', '-o'], ['call', self.reference, 's.bam', '-o', 'x.vcf', '--gvcf'], ['align', self.reference, reads, '--dry-run', '-o']):
                self.refused(8, *words, name, '-q', says=f'error: {name}: is a folder; name a file', cwd=folder)
        self.assertEqual(sorted(folder.iterdir()), before)

    def test_a_closed_standard_error_does_not_end_up_in_an_output(self):
        folder = self.folder()
        reads = self.reads(self.folder())
        run('align', self.reference, reads, '-o', folder / 'x.bam', '--sample', 's', '-q')
        script = f'"{gannet_testing.program()}" align {self.reference} {reads} -o {folder}/y.bam --sample s 2>&- >&- <&-'
        self.assertEqual(subprocess.run(['bash', '-c', script], timeout=60).returncode, 0)
        self.assertEqual((folder / 'x.bam').read_bytes(), (folder / 'y.bam').read_bytes())


class OutputOverInput(SafetyCase):
    def setUp(self):
        self.work = self.folder()
        for source, name in ((self.reference, 'ref.fa'), (self.sample.truth, 'truth.vcf.gz'), (self.sample.confident, 'c.bed')):
            (self.work / name).write_bytes(pathlib.Path(source).read_bytes())
        self.reads(self.work, 'a1.fq')
        self.reads(self.work, 'a2.fq')
        (self.work / 'lanes.tsv').write_text('a1.fq\ta2.fq\tL1\n')
        self.gannet('index', 'ref.fa', '-q')
        self.gannet('align', 'ref.fa', 'a1.fq', '-o', 's.bam', '--sample', 'S', '-q')
        self.gannet('bench', 'read', '-o', 'b.json', *BENCH)
        (self.work / 'S.bam').write_bytes((self.work / 's.bam').read_bytes())
        os.link(self.work / 'a1.fq', self.work / 'hard.bam')
        os.symlink('a1.fq', self.work / 'soft.bam')
        os.symlink('.', self.work / 'here')
        (self.work / 'sim').mkdir()
        os.symlink('../ref.fa', self.work / 'sim' / 'reads_1.fq.gz')

    def gannet(self, *words, **more):
        return run(*words, cwd=self.work, **more)

    def everything(self):
        return {path.name: path.read_bytes() for path in self.work.iterdir() if path.is_file()}

    def test_simulate_replaces_only_what_it_made(self):
        for name in ('ref.fa', 'ref.fa.fai', 'reads_1.fq.gz', 'reads_2.fq.gz', 'truth.vcf.gz'):
            folder = self.folder()
            (folder / name).write_text('mine\n')
            self.refused(8, 'simulate', '--size', 0.02, '--coverage', 1, '-o', folder, says=f'{folder / name}: is there')
            self.assertEqual((folder / name).read_text(), 'mine\n')
            self.assert_files(folder, name)
        folder = self.folder()
        # A simulation that was stopped is made anew.
        run('simulate', '--size', 0.02, '--coverage', 1, '-o', folder / 'stopped', '-q')
        for name in ('simulate.json', 'reads_1.fq.gz', 'reads_2.fq.gz'):
            (folder / 'stopped' / name).unlink()
        run('simulate', '--size', 0.02, '--coverage', 1, '-o', folder / 'stopped', '-q')
        (folder / 'reads.txt').write_text('mine\n')
        for seed in (1, 2):  # its own files are made anew
            run('simulate', '--size', 0.02, '--coverage', 1, '-o', folder, '--seed', seed, '-q', '--log', folder / 'log')
        self.assertEqual((folder / 'reads.txt').read_text(), 'mine\n')

    def test_simulate_leaves_the_files_that_it_only_used(self):
        size = ('simulate', '--size', 0.02, '--coverage', 1, '-o')
        other = simulated(0.02, 1, 5).reference.parent
        folder = self.folder()
        own, copied, reads, stopped = (folder / name for name in ('own', 'copied', 'reads', 'stopped'))
        for path in (own, stopped):
            path.mkdir()
            shutil.copy(other / 'ref.fa', path)
            run('simulate', '--reference', path / 'ref.fa', '--coverage', 1, '-o', path, '-q')
        (stopped / 'simulate.json').unlink()  # as of one that was stopped
        copied.mkdir()
        shutil.copy(other / 'truth.vcf.gz', copied)
        (copied / 'ref.fa').write_text('>mine\nACGT\n')
        run(*size, reads, '-q')
        (reads / 'reads_1.fq.gz').write_text('@mine\nACGT\n+\nIIII\n')
        for path, name in ((own, 'ref.fa'), (stopped, 'ref.fa'), (copied, 'ref.fa'), (reads, 'reads_1.fq.gz')):
            for words in ((), ('simulate.json',)):  # the second time without what says most
                for word in words:
                    (path / word).unlink(missing_ok=True)
                before = {file.name: file.read_bytes() for file in path.iterdir()}
                self.refused(8, *size, path, says=f'{path / name}: is there')
                self.assertEqual({file.name: file.read_bytes() for file in path.iterdir()}, before)
        run('simulate', '--reference', own / 'ref.fa', '--coverage', 1, '--seed', 2, '-o', own, '-q')

    def test_simulate_knows_its_own_reference_after_a_run_with_another_one(self):
        folder, other = self.folder() / 's', simulated(0.02, 1, 5).reference
        for words in (('--size', 0.02), ('--reference', other), ('--reference', other), ('--size', 0.02)):
            run('simulate', *words, '--coverage', 1, '-o', folder, '-q')
        self.assertNotIn('has_made_reference', json.loads((folder / 'simulate.json').read_text()))

    def test_no_output_is_written_over_an_input(self):
        align = ['align', 'ref.fa', 'a1.fq', 'a2.fq', '--format', 'bam', '-o']
        call = ['call', 'ref.fa', 's.bam', '-o']
        cases = [
            (['call', 'ref.fa', 's.bam', '-o', 's.bam'], 's.bam'),
            (['align', 'ref.fa', 'a1.fq', 'a2.fq', '-o', 'a1.fq'], 'a1.fq'),
            (['align', 'ref.fa', 'a1.fq', 'a2.fq', '-o', 'ref.fa'], 'ref.fa'),
            (['align', 'ref.fa', 's.bam', '-o', 's.bam'], 's.bam'),
            ([*align, 'hard.bam'], 'hard.bam'), ([*align, 'soft.bam'], 'a1.fq'), ([*align, 'here/a2.fq'], 'a2.fq'),
            ([*align, 'ref.fa.fai'], 'ref.fa.fai'), ([*align, 'ref.fa.gannet'], 'ref.fa.gannet'), ([*align, 'ref.fa.gzi'], 'ref.fa.gzi'),
            ([*align, 'ref.fa.alt'], 'ref.fa.alt'),
            ([*align, 'x.bam', '--metrics', 'a2.fq'], 'a2.fq'), ([*align, 'x.bam', '--trace', 'a1.fq'], 'a1.fq'),
            ([*align, 'x.bam', '--log', 'a1.fq'], 'a1.fq'), ([*align, 'x.bam', '--log', 'x.bam.bai'], 'x.bam.bai'),
            (['simulate', '--reference', 'ref.fa', '-o', 'sim2', '--log', 'ref.fa'], 'ref.fa'),
            ([*align, 'x.bam', '--metrics', 'x.bam'], 'x.bam'), ([*align, 'x.bam', '--metrics', 'x.bam.bai'], 'x.bam'),
            ([*align, 'x.bam', '--metrics', 'm', '--trace', './m'], 'm'),
            (['align', 'ref.fa', '--lanes', 'lanes.tsv', '--format', 'bam', '-o', 'lanes.tsv'], 'lanes.tsv'),
            (['align', 'ref.fa', '--lanes', 'lanes.tsv', '--format', 'bam', '-o', 'a2.fq'], 'a2.fq'),
            (['index', 'ref.fa', '-o', 'ref.fa'], 'ref.fa'), (['index', 'ref.fa', '-o', 'ref.fa.fai'], 'ref.fa.fai'),
            (['index', 'ref.fa', '--trace', 'ref.fa'], 'ref.fa'),
            (['run', 'ref.fa', 'S.bam', '-o', '.', '--sample', 'S'], 'S.bam'),
            (['run', 'ref.fa', 'a1.fq', '-o', 'here', '--sample', 'x', '--trace', 'x.bam'], 'x.bam'),
            ([*call, 's.bam.bai'], 's.bam.bai'), ([*call, 'c.bed', '--targets', 'c.bed'], 'c.bed'),
            ([*call, 'x.vcf.gz', '--trace', 's.bam'], 's.bam'), ([*call, 'm.json', '--model', 'm.safetensors'], 'm.json'),
            ([*call, 's.bam.csi'], 's.bam.csi'),
            (['simulate', '--reference', 'ref.fa', '-o', 'sim'], 'ref.fa'),
            (['simulate', '--size', '0.1', '--variants', 'truth.vcf.gz', '-o', '.'], 'truth.vcf.gz'),
            (['compare', 'truth.vcf.gz', 'fp.vcf.gz', '--reference', 'ref.fa', '-o', '.'], 'fp.vcf.gz'),
            (['examples', 'ref.fa', 's.bam', '--truth', 'truth.vcf.gz', '-o', '.', '--trace', 'truth.vcf.gz'], 'truth.vcf.gz'),
            *[([*words, '--log', f'ref.fa{ending}'], f'ref.fa{ending}') for ending in ('.fai', '.gannet') for words in (
                ['compare', 'truth.vcf.gz', 'fp.vcf.gz', '--reference', 'ref.fa'], ['simulate', '--reference', 'ref.fa', '-o', 'sim2'],
                ['evaluate-model', '--truth', 'truth.vcf.gz', '--off', 'fp.vcf.gz', '--on', 'fp.vcf.gz', '--reference', 'ref.fa', '-o', 'e'],
                ['sort', 's.bam', '--reference', 'ref.fa', '-o', 'x.bam'])],
            (['bench', 'read', '--reference', 'ref.fa', '--reads', 'a1.fq', '-o', 'a1.fq'], 'a1.fq'),
            (['bench', 'compare', 'b.json', 'b.json', '-o', 'b.json'], 'b.json'),
        ]
        (self.work / 'fp.vcf.gz').write_bytes(self.sample.truth.read_bytes())
        (self.work / 'm.safetensors').write_text('')
        (self.work / 'm.json').write_text('{}')
        before = self.everything()
        for words, says in cases:
            with self.subTest(' '.join(words)):
                self.refused(2, *words, says=says, cwd=self.work)
                self.assertEqual(self.everything().keys(), before.keys())
                self.assertEqual(self.everything(), before)

    def test_messages_name_both_files(self):
        done = self.refused(2, 'align', 'ref.fa', 'a1.fq', '-o', 'hard.bam', cwd=self.work)
        self.assertEqual(error_lines(done.stderr),
                         ['gannet: error: -o hard.bam would be written over the reads a1.fq: choose another output'])

    def test_redirected_output_is_not_an_input(self):
        for mode, words in (('ab', ['a1.fq']), ('ab', ['-'])):
            before = self.everything()
            with open(self.work / 'a1.fq', mode) as stream, open(self.work / 'a1.fq', 'rb') as reads:
                process = start('align', 'ref.fa', *words, '--unsorted', '--sample', 's', cwd=self.work, stdout=stream, stdin=reads,
                                stderr=subprocess.PIPE, text=True)
                errors = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 2, errors)
            self.assertIn('standard output', error_lines(errors)[0])
            self.assertEqual(self.everything(), before)

    def test_plain_files_are_replaced_as_asked(self):
        (self.work / 'old.bam').write_text('old')
        self.gannet('align', 'ref.fa', 'a1.fq', '-o', 'old.bam', '--sample', 'S', '-q')
        self.check_bam(self.work / 'old.bam')
        self.gannet('call', 'ref.fa', 'old.bam', '-o', 'old.vcf', '-q', '--trace', '/dev/null')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
