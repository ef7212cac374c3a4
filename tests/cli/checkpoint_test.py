#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests --checkpoint: a run that is killed at any instant continues from the reads that it had aligned, and its outputs are those of a run
that nothing disturbed."""
import fcntl
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import gannet_testing
from gannet_testing import run
from held_runs import Held, SafetyCase, names, partial_files, wait_until

OUTPUTS = ('S.bam', 'S.bam.bai', 'S.duplicates.txt', 'S.vcf.gz', 'S.vcf.gz.tbi')


class Checkpoints(SafetyCase):
    """Three lanes, two of pairs and one of single reads, with duplicates in different lanes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        inputs = gannet_testing.new_folder()
        cls.lanes = []
        mates = [gannet_testing.gzip.open(path, 'rt').readlines() for path in cls.sample.reads]
        third = len(mates[0]) // 12 * 4
        for lane in range(3):
            files = []
            for mate in range(2 if lane < 2 else 1):
                # Each lane repeats some templates of the one before it, which are duplicates then.
                begin = max(0, lane * third - 800)
                lines = mates[mate][begin:(lane + 1) * third]
                files.append(inputs / f'{lane}_{mate + 1}.fq')
                files[-1].write_text(''.join(line.replace('@', f'@{lane}.', 1) if at % 4 == 0 else line for at, line in enumerate(lines)))
            cls.lanes += ['--lane', ','.join(map(str, files))]
        cls.reads = sum(len(mates[0][max(0, lane * third - 800):(lane + 1) * third]) // 4 * (2 if lane < 2 else 1) for lane in range(3))
        cls.finished = inputs / 'finished'
        run('run', cls.reference, *cls.lanes, '-o', cls.finished, '--sample', 'S', '-q')

    @classmethod
    def words(cls, folder, *more, command='run'):
        return [command, cls.reference, *cls.lanes, '-o', folder, '--sample', 'S', '--checkpoint', '--checkpoint-every', 200, *more]

    def manifest(self, folder):
        found = list(folder.glob('.gannet-checkpoint-*/manifest'))
        return found[0] if found else None

    def stop_at_a_checkpoint(self, folder, how=signal.SIGKILL, count=1, **more):
        """Stops a run once it has saved `count` checkpoints."""
        seen = set()

        def saved():
            path = self.manifest(folder)
            try:
                seen.add(path.stat().st_mtime_ns if path else None)
            except FileNotFoundError:
                pass
            return len(seen - {None}) >= count or held.process.poll() is not None

        with Held(*self.words(folder, '-q'), **more) as held:
            wait_until('a checkpoint', saved)
            held.process.send_signal(how)
            held.process.wait()
        self.assertTrue(self.manifest(folder))
        self.assertFalse((folder / 'S.bam').exists())

    def continued(self, folder, *more):
        """Runs to the end; the reads that were not aligned again."""
        done = run(*self.words(folder, *more))
        self.assert_finished(folder)
        count = json.loads((folder / 'S.run.json').read_text())['execution']['resumed_reads']
        found = re.search(r'continuing after (\d+) reads', done.stderr)
        self.assertEqual(int(found[1]) if found else 0, count)
        return count

    def assert_finished(self, folder):
        for name in OUTPUTS:
            self.assertEqual((folder / name).read_bytes(), (self.finished / name).read_bytes(), name)
        self.assert_files(folder, *names(self.finished))
        wanted, got = (json.loads((path / 'S.run.json').read_text()) for path in (self.finished, folder))
        self.assertEqual(wanted['counts'], got['counts'])

    def test_an_undisturbed_run_leaves_nothing(self):
        folder = self.folder()
        self.assertEqual(self.continued(folder), 0)

    def test_reads_aligned_before_a_kill_are_not_aligned_again(self):
        folder = self.folder()
        self.stop_at_a_checkpoint(folder, count=3)
        count = self.continued(folder, '-t', 1)
        self.assertGreaterEqual(count, 3 * 200)
        self.assertLessEqual(count, self.reads)

    def test_a_signal_keeps_the_checkpoint(self):
        folder = self.folder()
        self.stop_at_a_checkpoint(folder, how=signal.SIGTERM)
        self.assertEqual([name for name in names(folder) if not name.startswith('.gannet-checkpoint-')], [])
        self.assertGreaterEqual(self.continued(folder), 200)

    def test_kills_at_20_random_instants(self):
        chance = random.Random(11)
        begin = time.time()
        run(*self.words(self.folder(), '-q'))
        length = time.time() - begin
        folder = self.folder()
        last = most = 0
        for _ in range(20):
            with Held(*self.words(folder)) as held:
                time.sleep(length * (0.1 + 0.7 * chance.random()))
                held.process.kill()
                stderr = held.process.communicate()[1]
            for name in OUTPUTS:
                if (folder / name).exists():
                    self.assertEqual((folder / name).read_bytes(), (self.finished / name).read_bytes(), name)
            found = re.search(r'continuing after (\d+) reads', stderr)
            if found:
                self.assertGreaterEqual(int(found[1]), last)
                last = int(found[1])
                most = max(most, last)
            if not self.manifest(folder):  # it came to its end
                last = 0
        self.assertGreater(most, 0)
        run(*self.words(folder, '-q'))
        self.assert_finished(folder)

    def test_a_lock_that_a_kill_left_at_the_very_end_is_removed(self):
        """Between the removal of the checkpoint and that of its lock: the BAM is complete, and the next run goes on from it."""
        folder = self.folder()
        with Held(*self.words(folder, '-q', '--trace', self.pipe(self.folder()))) as held:
            wait_until('a VCF with index', lambda: (folder / 'S.vcf.gz.tbi').exists() or held.process.poll() is not None)
            held.process.kill()
        shutil.rmtree(self.manifest(folder).parent)
        self.assertTrue(list(folder.glob('..gannet-checkpoint-*.lock')))
        run(*self.words(folder, '-q'))
        self.assert_finished(folder)

    def test_a_run_killed_while_it_writes_aligns_nothing_again(self):
        folder = self.folder()
        run('align', self.reference, *self.lanes, '-o', folder / 'wanted.bam', '--sample', 'S', '--metrics', folder / 'wanted.txt', '-q')
        pipe = self.pipe(self.folder())
        words = [*self.words(folder / 'x.bam', command='align'), '--metrics']
        with Held(*words, pipe) as held:
            # The metrics are written when all records are.
            self.wait_until_nothing_is_written(folder, held.process)
            self.assertIsNone(held.process.poll())
            held.process.kill()
        done = run(*words, folder / 'x.txt')
        self.assertIn(f'continuing after {self.reads} reads', done.stderr)
        self.assertEqual((folder / 'x.bam').read_bytes(), (folder / 'wanted.bam').read_bytes())
        self.assertEqual((folder / 'x.bam.bai').read_bytes(), (folder / 'wanted.bam.bai').read_bytes())
        self.assertEqual((folder / 'x.txt').read_text().replace('x.bam', 'wanted.bam'), (folder / 'wanted.txt').read_text())
        self.assertEqual(self.manifest(folder), None)

    def wait_until_nothing_is_written(self, folder, process, seconds=1):
        """Waits until the partial files have content and have not grown for a second."""
        sizes = None
        since = time.time()
        while process.poll() is None and time.time() - since < seconds:
            time.sleep(0.05)
            now = [(folder / name).stat().st_size for name in partial_files(folder)]
            if now != sizes or max(now, default=0) < 10_000:
                sizes, since = now, time.time()

    def test_other_inputs_or_options_begin_anew(self):
        folder = self.folder()
        self.stop_at_a_checkpoint(folder)
        done = run(*self.words(folder, '--hard-clip'))
        self.assertIn('starting from the first read', done.stderr)
        self.assertNotIn('continuing after', done.stderr)
        self.assertEqual(self.manifest(folder), None)

    def test_reads_that_changed_with_equal_size_and_time_begin_anew(self):
        folder = self.folder()
        self.stop_at_a_checkpoint(folder)
        path = pathlib.Path(self.lanes[1].split(',')[0])
        content, times = path.read_bytes(), path.stat()
        self.addCleanup(path.write_bytes, content)
        begin = content.index(b'\n') + 1
        path.write_bytes(content[:begin] + content[begin:begin + 40][::-1] + content[begin + 40:])
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        done = run(*self.words(folder))
        self.assertIn('starting from the first read', done.stderr)
        self.assertNotIn('continuing after', done.stderr)

    def test_a_damaged_checkpoint_is_refused_or_not_used(self):
        """A file that is cut, one flipped bit, something else in its place: seen before any read is aligned."""
        chance = random.Random(5)

        def cut(path):
            path.write_bytes(path.read_bytes()[:-20])

        def flip(path):
            data = bytearray(path.read_bytes())
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)

        def pipe(path):
            path.unlink()
            self.pipe(path.parent, path.name)

        def inner_folder(path):
            path.unlink()
            path.mkdir()
            (path / 'file').write_text('precious')

        folder = self.folder()
        self.stop_at_a_checkpoint(folder)
        kept = self.manifest(folder).parent
        saved = {path.name: path.read_bytes() for path in kept.iterdir()}
        for name in ('records', 'keys', 'manifest'):
            for damage in (cut, flip, flip, flip, pipe, inner_folder):
                with self.subTest(f'{name} {damage.__name__}'):
                    damage(kept / name)
                    done = self.refused(3, *self.words(folder), says=f'remove the folder {kept} and run again', timeout=60)
                    self.assertNotIn('align:', done.stderr)
                    shutil.rmtree(kept)
                    kept.mkdir(mode=0o700)
                    for saved_name, content in saved.items():
                        (kept / saved_name).write_bytes(content)
        self.assertGreater(self.continued(folder), 0)

    def test_a_manifest_that_was_rewritten_is_refused_or_does_no_harm(self):
        """Numbers of its state are changed, and its own checksum is made to fit."""
        folder = self.folder()
        self.stop_at_a_checkpoint(folder)
        kept = self.manifest(folder).parent
        saved = {path.name: path.read_bytes() for path in kept.iterdir()}
        head, rest = saved['manifest'].split(b'\n', 1)
        digest, body = rest[:64], rest[64:]
        self.assertEqual(hashlib.sha256(body).hexdigest().encode(), digest)
        facts, state = body.split(b'\n', 1)
        chance = random.Random(8)
        places = list(range(0, min(len(state), 400), 8)) + [chance.randrange(len(state) // 8) * 8 for _ in range(60)]
        accepted = 0
        for at in places:
            value = chance.choice((0, 1, 2**31, 2**63, 2**64 - 1, int.from_bytes(state[at:at + 8], 'little') + chance.choice((-1, 1, 8, 1000))))
            changed = state[:at] + (value % 2**64).to_bytes(8, 'little') + state[at + 8:]
            for name, content in saved.items():
                kept.mkdir(mode=0o700, exist_ok=True)
                (kept / name).write_bytes(content)
            body = facts + b'\n' + changed
            (kept / 'manifest').write_bytes(head + b'\n' + hashlib.sha256(body).hexdigest().encode() + body)
            done = run(*self.words(folder), code=None, timeout=120)
            with self.subTest(at=at, value=value):
                self.assertIn(done.returncode, (0, 1, 3), done.stderr)
                if done.returncode == 0:
                    accepted += 1
                    self.assertEqual((folder / 'S.bam').read_bytes(), (self.finished / 'S.bam').read_bytes())
            for path in folder.iterdir():
                if path != kept:
                    path.unlink()
        self.assertLess(accepted, len(places) // 2)

    def test_outputs_of_one_name_in_different_folders_have_different_checkpoints(self):
        """Two containers that have different folders under the same name, and one --tmp: as two mount namespaces."""
        tmp, mounted = self.folder(), self.folder()
        outs = [self.folder(), self.folder()]
        if subprocess.run(['unshare', '--mount', 'mount', '--bind', outs[0], mounted], capture_output=True).returncode != 0:
            gannet_testing.skip('no mount namespace can be made here')

        def words(out, metrics):
            line = ' '.join(f"'{word}'" for word in (gannet_testing.program(), *self.words(mounted / 'x.bam', '--tmp', tmp, '--metrics', metrics, command='align')))
            return ['unshare', '--mount', 'bash', '-c', f"mount --bind '{out}' '{mounted}' && exec {line}"]
        pipe = self.pipe(self.folder())
        with subprocess.Popen(words(outs[0], pipe), stderr=subprocess.PIPE, text=True) as first:
            wait_until('a checkpoint', lambda: self.manifest(tmp) or first.poll() is not None)
            second = gannet_testing.execute(words(outs[1], '/dev/null'))
            self.assertEqual(second.returncode, 0, second.stderr)
            self.assertNotIn('continuing after', second.stderr)
            self.assertTrue(self.manifest(tmp), 'the checkpoint of the first run is gone')
            pipe.read_text()
            self.assertEqual(first.communicate(timeout=60)[1].count('error'), 0)
            self.assertEqual(first.returncode, 0)
        self.assertEqual((outs[0] / 'x.bam').read_bytes(), (outs[1] / 'x.bam').read_bytes())
        self.assertEqual(names(tmp), [])

    def test_a_checkpoint_that_another_process_holds_is_not_used(self):
        folder = self.folder()
        self.stop_at_a_checkpoint(folder)
        kept = self.manifest(folder).parent
        saved = {path.name: path.read_bytes() for path in kept.iterdir()}
        with open(folder / f'.{kept.name}.lock', 'w') as lock:
            lock.write('gannet lock\nanother run\n')
            lock.flush()
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refused(8, *self.words(folder), says='is being written by another run')
        self.assertEqual({path.name: path.read_bytes() for path in kept.iterdir()}, saved)
        self.assertGreater(self.continued(folder), 0)

    def test_pipes_and_unsorted_output_are_refused(self):
        folder = self.folder()
        pipe = self.pipe(folder)
        self.refused(2, 'align', self.reference, *self.sample.reads, '-o', folder / 'x.sam', '--unsorted', '--checkpoint', says='--checkpoint')
        self.refused(2, 'align', self.reference, *self.sample.reads, '-o', '-', '--format', 'bam', '--checkpoint', says='--checkpoint')
        self.refused(2, 'run', self.reference, '-', '-o', folder, '--sample', 'S', '--checkpoint', says='--checkpoint', stdin=gannet_testing.subprocess.DEVNULL)
        self.assertTrue(pipe.exists())


if __name__ == '__main__':
    gannet_testing.main(__doc__)
