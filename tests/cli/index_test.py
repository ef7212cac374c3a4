#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what becomes of an index that is damaged, of another reference, of another version, or too large for --memory."""
import os
import pathlib
import random
import shutil
import time

from gannet_testing import Case, execute, fastq_text, main, program, run

SETTLED_S = 2.1  # a file changed within the last two seconds is not recognised later


def random_bases(count, seed):
    chance = random.Random(seed)
    return ''.join(chance.choice('ACGT') for _ in range(count))


class IndexCase(Case):
    def setUp(self):
        self.work = self.folder()
        self.cache = self.work / 'cache'
        self.genome = random_bases(20_000, 1)
        self.reference = self.write_reference(self.genome)
        reads = [(f'r{i}', self.genome[i:i + 100]) for i in range(0, 19_000, 500)]
        self.reads = self.work / 'reads.fq'
        self.reads.write_text(fastq_text(reads))
        self.gannet('index', self.reference)
        self.index = pathlib.Path(f'{self.reference}.gannet')

    def write_reference(self, genome, name='ref.fa', age_s=7200):
        path = self.work / name
        path.write_text(f'>one\n{genome}\n')
        self.set_age(path, age_s)
        return path

    def set_age(self, path, age_s):
        when = time.time_ns() - age_s * 10**9
        os.utime(path, ns=(when, when))

    def gannet(self, *words, **more):
        return run(*words, env={'XDG_CACHE_HOME': self.cache}, **more)

    def align(self, *words, **more):
        return self.gannet('align', self.reference, self.reads, '--sample', 's', '-o', self.work / 'x.bam', *words, **more)

    def align_refused(self, code, *words, says):
        return self.refused(code, 'align', self.reference, self.reads, '--sample', 's', '-o', self.work / 'y.bam', *words, says=says,
                            env={'XDG_CACHE_HOME': self.cache})

    def remembered(self):
        try:
            return (self.cache / 'gannet' / 'checked').read_text().splitlines()
        except FileNotFoundError:
            return []

    def flip(self, offset, path=None):
        path = path or self.index
        with open(path, 'r+b') as file:
            file.seek(offset)
            byte = file.read(1)[0]
            file.seek(offset)
            file.write(bytes([byte ^ 16]))


class Damage(IndexCase):
    def test_a_flipped_bit_anywhere_is_exit_3_with_the_command_that_rebuilds(self):
        good = self.index.read_bytes()
        chance = random.Random(3)
        offsets = [8, 100, 300, 4090] + [chance.randrange(4096, len(good)) for _ in range(16)] + [len(good) - 1]
        for offset in offsets:
            self.index.write_bytes(good)
            self.flip(offset)
            with self.subTest(offset=offset):
                self.align_refused(3, says=f'build it again: gannet index {self.reference}')
                self.assertFalse((self.work / 'y.bam').exists())
        self.gannet('index', self.reference)
        self.align()

    def test_run_and_call_refuse_a_damaged_index_too(self):
        self.align()
        self.flip(self.index.stat().st_size // 2)
        cache = {'XDG_CACHE_HOME': self.cache}
        self.refused(3, 'run', self.reference, self.reads, '--sample', 's', '-o', self.work / 'out', says='damaged', env=cache)
        self.refused(3, 'call', self.reference, self.work / 'x.bam', '-o', self.work / 'x.vcf', says='damaged', env=cache)

    def test_truncated_and_foreign_files_are_exit_3(self):
        good = self.index.read_bytes()
        for content in (b'', b'>one\nACGT\n', good[:100], good[:-4096], good[:-1], good + b'\0'):
            self.index.write_bytes(content)
            with self.subTest(size=len(content)):
                self.align_refused(3, says='build it again: gannet index')

    def test_an_index_that_cannot_be_read_is_exit_3(self):
        good = self.index.read_bytes()
        self.index.unlink()
        self.index.mkdir()
        self.align_refused(3, says='is not a file')
        self.index.rmdir()
        os.mkfifo(self.index)
        self.align_refused(3, says='is not a file')
        self.index.unlink()
        self.index.write_bytes(good)
        if os.geteuid() != 0:
            self.index.chmod(0)
            self.align_refused(3, says='cannot be opened: Permission denied')
            return

        def nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        self.index.chmod(0)
        self.work.chmod(0o777)
        shutil.copy(program(), self.work / 'program')
        for words in (['align', self.reference, self.reads, '-o', self.work / 'y.bam', '--sample', 's'], ['call', self.reference, self.reads]):
            done = execute([self.work / 'program', *words], preexec_fn=nobody)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn('the index cannot be opened: Permission denied', done.stderr)

    def test_an_index_of_the_first_version_is_exit_4_with_advice(self):
        old = bytearray(b'GANNETIX' + (1).to_bytes(4, 'little') + (0x01020304).to_bytes(4, 'little') + bytes(8192))
        old[160:168] = xxh3_of_first_160_bytes
        self.index.write_bytes(old)
        self.align_refused(4, says='an index of version 1, this program reads version 3; build it again: gannet index')

    def test_calling_needs_no_index_and_leaves_one_of_another_version_alone(self):
        self.align()
        call = ['call', self.reference, self.work / 'x.bam', '-o']
        self.gannet(*call, self.work / 'with.vcf')
        old = bytearray(b'GANNETIX' + (1).to_bytes(4, 'little') + (0x01020304).to_bytes(4, 'little') + bytes(8192))
        old[160:168] = xxh3_of_first_160_bytes
        self.index.write_bytes(old)
        said = self.gannet(*call, self.work / 'without.vcf').stderr
        self.assertIn(f'{self.index}: an index of another version of gannet', said)
        self.assertEqual(self.index.read_bytes(), bytes(old))
        bodies = [[line for line in (self.work / name).read_text().splitlines() if not line.startswith('##')]
                  for name in ('with.vcf', 'without.vcf')]
        self.assertEqual(bodies[0], bodies[1])
        self.refused(4, *call, self.work / 'named.vcf', '--index', self.index, says='an index of version 1', env={'XDG_CACHE_HOME': self.cache})

    def test_check_verifies_an_existing_index(self):
        self.assertIn('is intact', self.gannet('index', '--check', self.reference).stderr)
        self.flip(self.index.stat().st_size - 5000)
        self.refused(3, 'index', '--check', self.reference, says='damaged', env={'XDG_CACHE_HOME': self.cache})


class Memory(IndexCase):
    def test_verification_is_remembered_until_the_file_changes(self):
        self.align()
        self.assertEqual(self.remembered(), [], 'a file written this moment cannot be recognised')
        time.sleep(SETTLED_S)
        self.align()
        self.assertEqual(len(self.remembered()), 1)
        self.align()
        self.assertEqual(len(self.remembered()), 1)
        # Damage that restores the time of modification still shows in the time of change of status.
        status = self.index.stat()
        self.flip(self.index.stat().st_size // 2)
        os.utime(self.index, ns=(status.st_atime_ns, status.st_mtime_ns))
        time.sleep(SETTLED_S)
        self.align_refused(3, says='damaged')

    def test_never_and_always_are_kept_to(self):
        self.write_reference(random_bases(1_200_000, 4))  # the first MB of an index is verified whatever the option says
        self.gannet('index', self.reference)
        time.sleep(SETTLED_S)
        self.align()
        remembered = self.remembered()
        self.assertEqual(len(remembered), 1)
        self.flip(self.index.stat().st_size - 4097)  # padding before the checksums: without effect on alignments
        time.sleep(SETTLED_S)
        self.align_refused(3, says='damaged')
        self.align('--verify-index', 'never')
        # A memory that holds the damaged file, as after a silent fault of the disk, is trusted by auto and not by always.
        fields = remembered[0].split(' ')
        now = self.index.stat()
        fields[1:6] = [str(x) for x in (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)]
        (self.cache / 'gannet' / 'checked').write_text(' '.join(fields) + '\n')
        self.align()
        self.align_refused(3, '--verify-index', 'always', says='damaged')

    def test_without_a_cache_folder_every_run_verifies(self):
        self.flip(self.index.stat().st_size // 2)
        words = ['align', self.reference, self.reads, '--sample', 's', '-o', self.work / 'y.bam']
        readonly = self.work / 'readonly'
        readonly.write_text('not a folder')
        for env in ({'XDG_CACHE_HOME': readonly}, {'XDG_CACHE_HOME': '', 'HOME': ''}, {'XDG_CACHE_HOME': '/proc/none', 'HOME': '/none'}):
            self.refused(3, *words, says='damaged', env=env)
        self.gannet('index', self.reference)
        for env in ({'XDG_CACHE_HOME': readonly}, {'XDG_CACHE_HOME': '', 'HOME': ''}):
            self.assertNotIn('error', run(*words, env=env).stderr)

    def test_a_damaged_memory_is_no_error(self):
        (self.cache / 'gannet').mkdir(parents=True)
        (self.cache / 'gannet' / 'checked').write_bytes(os.urandom(5000))
        time.sleep(SETTLED_S)
        self.align()
        self.align()


class Identity(IndexCase):
    says_compared = 'comparing the MD5'

    def other_genome(self):
        middle = len(self.genome) // 2
        return self.genome[:middle] + ('A' if self.genome[middle] != 'A' else 'C') + self.genome[middle + 1:]

    def test_another_reference_of_equal_names_and_lengths_and_an_older_time_is_exit_4(self):
        self.gannet('index', self.reference)
        self.write_reference(self.other_genome(), age_s=86400)
        self.align_refused(4, says='the sequence of contig one differs')

    def test_another_reference_with_the_same_time_is_exit_4(self):
        status = self.reference.stat()
        self.write_reference(self.other_genome())
        os.utime(self.reference, ns=(status.st_atime_ns, status.st_mtime_ns))  # as cp -p of a file of the same archive
        self.align_refused(4, says='the sequence of contig one differs')

    def test_another_reference_written_within_the_same_moment_is_exit_4(self):
        path = self.write_reference(self.genome, 'new.fa', age_s=0)
        self.gannet('index', path)
        status = path.stat()
        path.write_text(path.read_text().replace(self.genome, self.other_genome()))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.refused(4, 'align', path, self.reads, '--sample', 's', '-o', self.work / 'y.bam', says='differs', env={'XDG_CACHE_HOME': self.cache})

    def test_a_reference_just_written_is_compared_once(self):
        path = self.write_reference(self.genome, 'new.fa', age_s=0)
        words = ['align', path, self.reads, '--sample', 's', '-o', self.work / 'y.bam']
        env = {'XDG_CACHE_HOME': self.cache}
        self.assertNotIn(self.says_compared, run(*words, env=env).stderr)
        compared = run(*words, env=env).stderr
        self.assertIn(self.says_compared, compared)
        self.assertIn('new.fa: had just been written when', compared)
        time.sleep(SETTLED_S)  # what was checked is remembered of files that have settled
        run(*words, env=env)
        self.assertNotIn(self.says_compared, run(*words, env=env).stderr)

    def test_a_touched_reference_is_compared_once(self):
        self.assertNotIn(self.says_compared, self.align().stderr)
        self.set_age(self.reference, 3600)
        time.sleep(SETTLED_S)
        compared = self.align().stderr
        self.assertIn(self.says_compared, compared)
        self.assertIn('its size or time is not what', compared)
        self.assertNotIn(self.says_compared, self.align().stderr)
        self.set_age(self.reference, 1800)
        self.assertIn(self.says_compared, self.align().stderr)

    def test_a_copy_that_keeps_its_time_is_not_compared(self):
        copy = self.work / 'copy'
        copy.mkdir()
        for path in (self.reference, self.index):
            shutil.copy2(path, copy)
        self.reference = copy / 'ref.fa'
        self.assertNotIn(self.says_compared, self.align().stderr)

    def test_rewrapped_or_lower_case_sequences_are_accepted(self):
        wrapped = '\n'.join(self.genome[i:i + 60] for i in range(0, len(self.genome), 60))
        self.write_reference(wrapped.lower())
        self.assertIn(self.says_compared, self.align().stderr)

    def test_an_index_without_its_fasta_is_used(self):
        self.reference.unlink()
        self.align()


class OtherReference(IndexCase):
    """Each has an index; neither may cost the other its own."""
    def setUp(self):
        super().setUp()
        self.other = self.write_reference(random_bases(19_000, 9), 'other.fa')
        self.gannet('index', self.other)
        self.others_index = pathlib.Path(f'{self.other}.gannet')
        self.before = self.others_index.read_bytes()

    def test_advice_does_not_lead_to_replacing_the_index_of_another_reference(self):
        for words in ([], ['--dry-run']):
            done = self.align_refused(4, '--index', self.others_index, *words, says=f'{self.others_index}: was not made from {self.reference}')
            self.assertNotIn(' -o ', done.stderr)
            self.assertIn(f'give the index of {self.reference}', done.stderr)
        self.write_reference(random_bases(20_000, 5))
        self.align_refused(4, says=f'remove it, or build it again: gannet index {self.reference}')
        self.gannet('index', self.reference)
        self.align()

    def test_an_index_of_another_reference_is_not_replaced_unless_it_is_removed(self):
        link = self.work / 'link.fa.gannet'
        (self.work / 'link.fa').write_bytes(self.reference.read_bytes())
        link.symlink_to(self.others_index)
        for words in (['index', self.reference, '-o', self.others_index], ['index', self.work / 'link.fa']):
            self.refused(4, *words, says=f'{words[-1] if "-o" in words else link}: is the index of another reference, {self.other} (the sequence of contig one differs), and not replaced',
                         env={'XDG_CACHE_HOME': self.cache})
            self.assertEqual(self.others_index.read_bytes(), self.before)
        self.others_index.unlink()
        self.gannet('index', self.reference, '-o', self.others_index)

    def test_an_index_of_the_same_sequences_and_a_damaged_one_are_replaced(self):
        elsewhere = self.work / 'elsewhere.gannet'
        for content in (self.index.read_bytes(), self.before[:-1], b'no index'):
            elsewhere.write_bytes(content)
            self.gannet('index', self.reference, '-o', elsewhere)
            self.assertEqual(elsewhere.read_bytes()[4096:8192], self.index.read_bytes()[4096:8192])
            self.align('--index', elsewhere)


class Build(IndexCase):
    def test_a_sequence_without_bases_is_read(self):
        reference = self.work / 'empty.fa'
        reference.write_text(f'>one\n{self.genome}\n>none\n>two\n{self.genome[::-1]}\n>last\n')
        self.assertIn("warning: ", self.gannet('index', reference).stderr)
        output = self.work / 'e.sam'
        self.gannet('align', reference, self.reads, '--sample', 's', '-o', output)
        lines = [line.split('\t') for line in output.read_text().splitlines()]
        self.assertEqual([line[1:3] for line in lines if line[0] == '@SQ'], [['SN:one', 'LN:20000'], ['SN:none', 'LN:0'], ['SN:two', 'LN:20000'], ['SN:last', 'LN:0']])
        self.assertEqual({line[2] for line in lines if not line[0].startswith('@')}, {'one'})

    def test_a_refused_reference_gets_no_fai(self):
        bad = self.work / 'bad.fa'
        bad.write_text('>one\nACGT\n>one\nACGT\n')
        self.refused(3, 'index', bad, says='occurs twice', env={'XDG_CACHE_HOME': self.cache})
        self.assertEqual(list(self.work.glob('bad*')), [bad])

    def test_a_build_beyond_the_memory_is_exit_7_with_the_amount_needed(self):
        self.index.unlink()
        done = self.refused(7, 'index', self.reference, '--memory', '30M', '-t', 1, says='building its index needs ',
                            env={'XDG_CACHE_HOME': self.cache})
        self.assertFalse(self.index.exists())
        needed = done.stderr.split('index needs ')[1].split(' MB')[0]
        self.gannet('index', self.reference, '--memory', needed + 'M', '-t', 1)

    def test_the_amount_needed_bounds_the_peak(self):
        large = self.work / 'large.fa'
        translate = bytes(b'ACGT'[i & 3] for i in range(256))
        large.write_bytes(b'>large\n' + os.urandom(40_000_000).translate(translate) + b'\n')
        done = self.refused(7, 'index', large, '--memory', '60M', '-t', 2, says='building its index needs ',
                            env={'XDG_CACHE_HOME': self.cache})
        needed = int(done.stderr.split('index needs ')[1].split(' MB')[0])
        peak = peak_mb('index', large, '--memory', f'{needed}M', '-t', 2)
        self.assertLessEqual(peak, needed)
        self.assertGreater(peak, needed / 2)


def peak_mb(*words):
    """Peak resident memory of a run of gannet."""
    measure = ('import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; '
               'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, code)')
    peak, code = execute(['python3', '-c', measure, program(), *words]).stdout.split()
    assert code == '0', words
    return int(peak)


# XXH3 of the first 160 bytes of the file that the test of the first version writes.
xxh3_of_first_160_bytes = bytes.fromhex('e62d33261720bd0a')

if __name__ == '__main__':
    main(__doc__, programs=('gannet', 'read_input'))
