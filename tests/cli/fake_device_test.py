#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet with a simulated device (tests/support/fake_device.cpp): equal outputs, overlap of host and device, a bounded number of
batches in flight, and how runs end whose device fails.

Data is simulated by the program itself, with a fixed seed; nothing else is needed but the program.
"""
import gzip
import json
import pathlib
import re
import sys

import gannet_testing
from gannet_testing import bam_records, error_lines, vcf_body, vcf_header

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import overlap  # noqa: E402

SMALL = ['--batch-bases', 10000, '--batch-records', 300]  # a small genome in a hundred batches


def run(*words, device='', **more):
    return gannet_testing.run(*words, timeout=300, env={'GANNET_FAKE_DEVICE': device}, **more)


class Case(gannet_testing.Case):
    SIZE_MB, COVERAGE = 0.08, 15

    @classmethod
    def setUpClass(cls):
        sample = gannet_testing.simulated(cls.SIZE_MB, cls.COVERAGE, 11)
        cls.inputs = [sample.reference, *sample.reads]

    def gannet_run(self, *options, **more):
        folder = self.folder()
        done = run('run', *self.inputs, '-o', folder, '--sample', 'S', *SMALL, *options, **more)
        return folder, done


    def run_from_pipe(self, *options, **more):
        """A pipe, whose amount of work no one knows, of the same reads."""
        folder = self.folder()
        lines = [gzip.open(path, 'rt').read().splitlines(keepends=True) for path in self.inputs[1:]]
        text = ''.join(''.join(mate[at:at + 4]) for at in range(0, len(lines[0]), 4) for mate in lines)
        done = run('run', self.inputs[0], '-', '--interleaved', '-o', folder, '--sample', 'S', *SMALL, *options, input=text, **more)
        return folder, done


class Results(Case):
    def test_equal_to_simd_whatever_the_latencies(self):
        plain, _ = self.gannet_run('--backend', 'simd')
        records, body = bam_records(plain / 'S.bam'), vcf_body(plain / 'S.vcf.gz')
        self.assertGreater(len(body), 50)
        for seed, engines, threads in ((1, 1, 1), (2, 4, 2), (3, 2, 4), (4, 8, 3)):
            device = f'latency_us=700,jitter=100,seed={seed},engines={engines}'
            folder, done = self.gannet_run('--backend', 'cuda', '-t', threads, device=device)
            self.assertIn('backend cuda (fake device), as requested', done.stderr)
            self.assertEqual(bam_records(folder / 'S.bam'), records, device)
            self.assertEqual(vcf_body(folder / 'S.vcf.gz'), body, device)

    def test_index_on_the_device_or_where_it_does_not_fit_on_the_host(self):
        plain, _ = self.gannet_run('--backend', 'simd')
        records, body = bam_records(plain / 'S.bam'), vcf_body(plain / 'S.vcf.gz')
        text = 'index and reference would take'
        # 48 MB suffice for the streams of six slots and this index, 8 MB do not; one small device of two is enough to keep it off both.
        for device, memory, is_resident in (('', '48M', True), ('', '8M', False), ('devices=2', '48M', True), ('devices=2', '8M', False)):
            folder, done = self.gannet_run('--backend', 'cuda', '-t', 2, '--gpu-memory', memory, device=device)
            self.assertEqual(bam_records(folder / 'S.bam'), records)
            self.assertEqual(vcf_body(folder / 'S.vcf.gz'), body)
            execution = json.loads((folder / 'S.run.json').read_text())['execution']
            for one in execution['device']['devices']:
                self.assertEqual(one['resident_bytes'] > 0, is_resident, one)
                self.assertLessEqual(one['peak_memory_bytes'], one['memory_limit_bytes'])
            stages = {stage['stage'] for stage in execution['stages']}
            self.assertEqual({'align.pack_reads', 'align.find_candidates.submit', 'align.take_candidates'} <= stages, is_resident)
            self.assertEqual('align.rescue_search.submit' in stages, is_resident)
            self.assertIn('align.extension.submit', stages)
            lines = [line for line in done.stderr.splitlines() if text in line]
            self.assertEqual(len(lines), 0 if is_resident else 1, done.stderr)
            if not is_resident:
                self.assertRegex(lines[0], r'device 0 \(fake device\) can use 8 MB of memory, and index and reference would take '
                                           r'\d+ [kM]B \(\d+ bytes\) beside \d+ MB of the batches: seeding .* run on the CPU')

    def test_compression_on_the_device_or_where_a_pass_does_not_fit_on_the_host(self):
        plain, _ = self.gannet_run('--backend', 'simd')
        records = bam_records(plain / 'S.bam')
        text = 'the BAM is compressed on the CPU'
        for options, is_there, is_told in (([], True, False), (['--gpu-memory', '24M'], False, True), (['--level', 2], False, False)):
            folder, done = self.gannet_run('--backend', 'cuda', '-t', 2, *options)
            self.assertEqual(bam_records(folder / 'S.bam'), records)
            stages = {stage['stage'] for stage in json.loads((folder / 'S.run.json').read_text())['execution']['stages']}
            self.assertEqual('emit.compress.prepare' in stages, is_there, stages)
            self.assertEqual(text in done.stderr, is_told, done.stderr)
        out = self.folder() / 'x.bam'
        done = run('align', *self.inputs, '-o', out, '--sample', 'S', '--backend', 'cuda', *SMALL)
        self.assertNotIn(text, done.stderr)
        self.assertEqual(bam_records(out), records)

    def test_ops_of_a_device(self):
        line = next(line for line in run('devices').stdout.split('cuda ')[1].splitlines() if 'ops:' in line)
        for op in ('find_candidates', 'banded_sw', 'pair_hmm', 'pileup_network', 'deflate', 'inflate'):
            self.assertIn(op + ' on cuda', line)

    def test_unsorted_records_keep_the_input_order(self):
        out = [self.folder() / 'x.sam' for _ in range(2)]
        run('align', *self.inputs, '--unsorted', '-o', out[0], '-q', '--backend', 'simd')
        run('align', *self.inputs, '--unsorted', '-o', out[1], '-q', '--backend', 'cuda', *SMALL,
            device='latency_us=700,jitter=100,seed=5,engines=4')
        kept = [[line for line in path.read_text().splitlines() if not line.startswith('@')] for path in out]
        self.assertEqual(kept[0], kept[1])

    def test_auto_takes_the_device(self):
        _, done = self.run_from_pipe()
        self.assertIn('backend cuda (fake device), chosen: a usable device was found', done.stderr)

    def test_auto_takes_none_for_little_work(self):
        asked, _ = self.gannet_run('--backend', 'cuda')
        why = 'chosen: too little work for the device (fake device)'
        for command in ('run', 'align'):
            folder = self.folder()
            output = ['-o', folder if command == 'run' else folder / 'S.bam']
            done = run(command, *self.inputs, *output, '--sample', 'S')
            self.assertIn(why, done.stderr)
            self.assertEqual(bam_records(folder / 'S.bam'), bam_records(asked / 'S.bam'))
            self.assertIn(why, run(command, *self.inputs, *output, '--sample', 'S', '--dry-run').stdout)
        _, done = self.gannet_run(device='unfit=1')
        self.assertIn('chosen: no usable CUDA device', done.stderr)
        for options in (['--backend', 'cuda'], ['--devices', '0']):
            self.assertIn('as requested', self.gannet_run(*options)[1].stderr)

    def test_two_devices_give_what_one_gives(self):
        one, _ = self.gannet_run('--backend', 'cuda', '--devices', '0', device='devices=2')
        device = 'devices=2,latency_us=300,jitter=100,seed=8'
        for given, order in (('0,1', [0, 1]), ('1,0', [1, 0]), ('GPU-fa4e0001,GPU-fa4e0000', [1, 0]), (None, [0, 1])):
            words = ['--backend', 'cuda'] if given is None else ['--devices', given]
            two, done = self.gannet_run(*words, '-t', 2, device=device)
            self.assertIn('and 1 more', done.stderr)
            self.assertEqual(bam_records(two / 'S.bam'), bam_records(one / 'S.bam'))
            self.assertEqual(vcf_body(two / 'S.vcf.gz'), vcf_body(one / 'S.vcf.gz'))
            used = json.loads((two / 'S.run.json').read_text())['execution']['device']['devices']
            self.assertEqual([entry['ordinal'] for entry in used], order)
            for entry in used:
                self.assertGreater(entry['peak_memory_bytes'], 0, used)
                self.assertGreater(entry['resident_bytes'], 0, used)

    def test_a_single_device_of_two(self):
        folder, _ = self.gannet_run('--devices', 'GPU-fa4e0001', device='devices=2')
        used = json.loads((folder / 'S.run.json').read_text())['execution']['device']['devices']
        self.assertEqual([entry['uuid'][:12] for entry in used], ['GPU-fa4e0001'])

    def test_commands_with_devices(self):
        alignments = self.folder() / 'x.bam'
        run('align', *self.inputs, '-o', alignments, '-q', '--devices', '1', device='devices=2')
        run('call', self.inputs[0], alignments, '-o', alignments.parent / 'x.vcf.gz', '-q', '--devices', '0,1', device='devices=2')

    def test_devices_are_listed_with_number_and_uuid(self):
        text = run('devices', device='devices=2,unfit=2').stdout
        self.assertRegex(text, r'device 0 +fit +fake device, GPU-fa4e0000-0000-4000-8000-000000000000')
        self.assertRegex(text, r'device 1 +unfit +fake device 1, GPU-fa4e0001-.*: set to be unfit')

    def test_plan_of_a_run_says_what_fits(self):
        def plan(device, *options):
            done = run('devices', self.inputs[0], '-t', 4, '--memory', '8G', *options, device=device)
            self.assertEqual(done.stderr, '')
            return [line for line in done.stdout[done.stdout.index('plan of a run'):].splitlines()]

        lines = plan('devices=2,memory_mb=2048')
        self.assertRegex(lines[1], r'index +.*ref.fa.gannet, .* on the host \(memory-mapped\), of which the 2-bit reference has')
        self.assertRegex(lines[2], r'host +4 threads, 8.0 GB of memory: 10 batches in flight \(slots\), each of 1600000 bases of reads; .* '
                                   r'for sorting; \d+ MB pinned for the devices')
        self.assertRegex(lines[3], r'device 0 +fake device, 2.0 GB usable: \d+ [kM]B of index and reference, 5 streams with \d+ MB each; '
                                   r'\d+ MB to inflate reads; later \d+ MB each to compress the BAM$')
        self.assertEqual([line.split(',')[0].strip() for line in lines[3:]], ['device 0    fake device', 'device 1    fake device 1'])
        small = plan('devices=2', '--devices', 1, '--gpu-memory', '8M')
        self.assertEqual(len(small), 4)
        self.assertRegex(small[3], r'device 1 +fake device 1, 8 MB usable: 10 streams with 1 MB each \(12 MB are wanted: .* several passes\); '
                                   r'reads are inflated on the CPU; the BAM is compressed on the CPU; index and reference \(.*\) do not fit beside .* of the streams: seeding .* on the CPU')
        self.assertRegex(plan('unfit=1')[3], 'devices +none is used')
        self.assertEqual(run('devices', self.inputs[0], '--memory', '1M', code=7).stderr.count('too little'), 1)
        self.assertIn('no such file', run('devices', 'nothing.fa', code=3).stderr)

    def test_auto_goes_on_without_an_unfit_device_and_says_why(self):
        folder, done = self.run_from_pipe(device='unfit=1')
        why = 'chosen: no usable CUDA device (fake device: set to be unfit)'
        self.assertIn(why, done.stderr)
        header = [line for line in vcf_header(folder / 'S.vcf.gz') if line.startswith('##gannet_backend')]
        self.assertEqual(len(header), 1)
        self.assertEqual(header[0], '##gannet_backend=backend simd\n')
        self.assertIn(why, json.loads((folder / 'S.run.json').read_text())['execution']['backend_choice'])


class SelfTest(Case):
    """Each test has a cache of its own, in which the outcome is remembered."""

    def setUp(self):
        super().setUp()
        self.cache = self.folder()

    def listed(self, device, *options, **more):
        done = gannet_testing.run('devices', *options, env={'GANNET_FAKE_DEVICE': device, 'XDG_CACHE_HOME': self.cache}, **more)
        return done.stdout.splitlines(), done

    def test_passed_is_remembered_for_these_devices(self):
        for device, was_before in (('devices=2', False), ('devices=2', True), ('devices=1', False), ('devices=2', True)):
            lines, _ = self.listed('self_test=1,' + device)
            self.assertIn('self-test   passed' + (' before, with this driver and build' if was_before else ''), lines)
            self.assertRegex(lines[-1], 'auto +backend cuda ')

    def test_failed_is_not_remembered(self):
        for _ in range(2):
            lines, _ = self.listed('self_test=2')
            self.assertRegex(lines[-2], 'self-test +the device failed its self-test: other results than simd of pair_hmm')
            self.assertRegex(lines[-1], 'auto +backend simd .*, chosen: the device failed its self-test')
        lines, _ = self.listed('self_test=1')
        self.assertIn('self-test   passed', lines)

    def test_option_makes_it_again(self):
        for _ in range(2):
            lines, _ = self.listed('self_test=1,devices=2', '--self-test', '--devices', 1)
            self.assertEqual(lines, ['self-test   passed on backend cuda (fake device 1), as requested'])
        _, done = self.listed('self_test=2', '--self-test', code=5)
        self.assertIn('other results than simd of pair_hmm; please report it', error_lines(done.stderr)[0])

    def test_auto_does_not_take_a_device_that_fails(self):
        plain, _ = self.gannet_run('--backend', 'simd')
        folder, done = self.run_from_pipe(device='self_test=2')
        why = 'chosen: the device failed its self-test: other results than simd of pair_hmm'
        self.assertIn(why, done.stderr)
        self.assertIn(why, json.loads((folder / 'S.run.json').read_text())['execution']['backend_choice'])
        self.assertEqual(vcf_body(folder / 'S.vcf.gz'), vcf_body(plain / 'S.vcf.gz'))

    def test_requested_device_that_fails_ends_the_run(self):
        for options in (['--backend', 'cuda'], ['--devices', '0']):
            folder, done = self.gannet_run(*options, device='self_test=2', code=5)
            self.assertIn('backend cuda was requested, but cannot be trusted: the device failed its self-test', error_lines(done.stderr)[0])
            self.assert_files(folder)


class Faults(Case):
    def fails(self, code, device, *options, says=(), seen=None):
        folder, done = self.gannet_run('--backend', 'cuda', *options, device=device, code=code)
        errors = error_lines(done.stderr)
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertEqual(done.stderr.count('error'), 1, done.stderr)
        for text in says:
            self.assertIn(text, errors[0])
        if seen is not None:
            seen.add(errors[0])
        self.assert_files(folder)

    def test_a_lost_device(self):
        for batch in (1, 50, 120):
            for engines in (1, 4):
                self.fails(5, f'latency_us=200,fails_at={batch},engines={engines}', '-t', 2,
                           says=('the device failed: fake device: batch', 'nvidia-smi', '--backend simd'))

    def test_one_of_two_devices_is_lost(self):
        for batch in (1, 50, 120):
            self.fails(5, f'devices=2,latency_us=200,fails_at={batch}', '-t', 2, '--devices', '0,1',
                       says=('the device failed: fake device', 'nvidia-smi'))

    def test_devices_that_are_not_there_or_unfit(self):
        self.fails(5, 'devices=2', '--devices', '0,2', says=('--devices 2: no such device', '0 (GPU-fa4e0000', '`gannet devices`'))
        self.fails(5, 'devices=2', '--devices', 'GPU-fa4e', says=('--devices GPU-fa4e: more than one device',))
        self.fails(5, 'devices=2,unfit=2', '--devices', '0,1', says=('--devices 1: fake device 1 is unfit: set to be unfit',))
        self.fails(2, 'devices=2', '--devices', 'first', says=('device first is neither a number nor a UUID',))

    def test_devices_are_for_cuda(self):
        folder, done = self.gannet_run('--backend', 'simd', '--devices', '0', code=2)
        self.assertIn('--devices is for the backend cuda, not simd', error_lines(done.stderr)[0])
        self.assert_files(folder)

    def test_a_lost_device_is_lost_for_gannet_align_too(self):
        folder = self.folder()
        run('align', *self.inputs, '-o', folder / 'x.bam', *SMALL, '--backend', 'cuda', device='fails_at=70', code=5)
        self.assert_files(folder)

    def test_device_memory_that_runs_out(self):
        for batch in (1, 50, 120):
            self.fails(6, f'latency_us=200,memory_at={batch}', '-t', 2,
                       says=('of device memory', '--gpu-memory', 'fewer --threads', '--backend simd'))

    def test_too_little_device_memory_for_the_slots(self):
        self.fails(6, 'memory_mb=0', '-t', 2, says=('fake device: a stream', '--gpu-memory'))
        self.fails(6, 'memory_mb=64', '-t', 2, '--gpu-memory', '1M', says=('of device memory', '--gpu-memory'))

    def test_an_unfit_device_that_was_asked_for(self):
        self.fails(5, 'unfit=1', says=('set to be unfit', 'gannet devices'))

    def test_a_device_that_is_chosen_and_then_lost_is_an_error(self):
        folder, _ = self.run_from_pipe(device='fails_at=50', code=5)
        self.assert_files(folder)

    def test_a_batch_without_results_is_noticed(self):
        seen = set()
        for batch in (1, 2, 3, 50, 120, 400, 401):
            self.fails(1, f'latency_us=200,loses_at={batch}', '-t', 2, '--slots', 1, says=('went in and 0 came out',), seen=seen)
        # With one slot the ops of the first batch come one after another.
        for what in ('reads of a batch, find_candidates', 'alignment jobs of a batch',
                     'reads of a batch, pairing'):
            self.assertTrue(any(what in error for error in seen), seen)


class Memory(Case):
    """What streams take, as run.json has it."""

    def memory(self, device, *options):
        folder, _ = self.gannet_run('--backend', 'cuda', '-t', 2, *options, device=device)
        return json.loads((folder / 'S.run.json').read_text())['execution']['device']

    def test_nothing_is_allocated_while_ordinary_batches_are_worked_on(self):
        seen = self.memory('')
        self.assertEqual([seen['pinned_growths'], seen['devices'][0]['growths']], [0, 0], seen)
        self.assertLessEqual(seen['peak_pinned_bytes'], seen['planned_pinned_bytes'])
        self.assertGreater(seen['peak_pinned_bytes'], 0)

    def test_a_driver_without_large_blocks_is_asked_for_smaller_ones(self):
        whole = self.memory('')['devices'][0]['peak_memory_bytes']
        part = self.memory('block_kb=800')['devices'][0]
        self.assertLess(part['peak_memory_bytes'], whole / 2)

    def test_less_memory_is_shared_evenly_and_suffices(self):
        limit = 8 << 20  # six streams, of which each would like 2 MB and needs less than one
        seen = self.memory('', '--gpu-memory', limit)['devices'][0]
        self.assertEqual(seen['memory_limit_bytes'], limit)
        self.assertLessEqual(seen['peak_memory_bytes'], limit)


class Overlap(Case):
    """Host and device work at the same time, and no more batches are in flight than there are slots."""
    SIZE_MB, COVERAGE = 0.4, 50
    BATCHES = 200

    def traced(self, *options, device):
        path = self.folder() / 'trace.json'
        run('align', *self.inputs, '-o', path.parent / 'x.bam', '-q', '-t', 1, '--batch-bases', 80000, '--trace', path,
            *options, device=device)
        return overlap.graphs_of(path)

    def batches_met(self, slots):
        """How many batches of a run had another one arrive while they were on the device."""
        done = run('align', *self.inputs, '-o', self.folder() / 'x.bam', '-q', '-t', 1, '--batch-bases', 80000, '--slots', slots,
                   device='meets=1')
        return int(re.search(r'fake device: (\d+) batches met another', done.stderr).group(1))

    def test_the_host_goes_on_while_a_batch_is_on_the_device(self):
        # A batch does not come back before another one is there, however busy the machine is. In vain wait only the last batches of a
        # graph, in each of its rounds, and those that meet a pause of the machine. A host that waits for the device meets nothing.
        self.assertGreater(self.batches_met(slots=3), 4 * self.BATCHES)
        # With one slot the host has nothing to do meanwhile, and none of them meets another.
        self.assertEqual(self.batches_met(slots=1), 0)

    def test_a_slow_device_does_not_let_batches_pile_up(self):
        for slots in (2, 5):
            stages = self.traced('--slots', slots, device='latency_us=1500')['align'].stages
            ends = {batch: span[1] for batch, span in stages['align.sink'].items()}
            self.assertGreaterEqual(len(ends), self.BATCHES)
            held = [(stages['align.pack_reads'][batch][0], end) for batch, end in ends.items()]
            self.assertLessEqual(overlap.most_at_once(held), slots)
            self.assertGreaterEqual(overlap.most_at_once(held), 2)
            # The source reads one batch ahead of the slots, and no further.
            read = [(stages['align.read'][batch][1], end) for batch, end in ends.items()]
            self.assertLessEqual(overlap.most_at_once(read), slots + 1)

    def test_a_stream_holds_one_batch_and_streams_work_at_once(self):
        graph = self.traced('--slots', 4, device='latency_us=1500,engines=4')['align']
        self.assertEqual(len(graph.streams), 4)
        for spans in graph.streams.values():
            self.assertEqual(overlap.most_at_once(spans), 1)
        self.assertGreaterEqual(overlap.most_at_once(graph.device), 3)

    def test_a_batch_waits_where_another_has_the_device(self):
        one, four = (self.traced('--slots', 4, device=f'latency_us=1500,engines={engines}')['align'] for engines in (1, 4))
        for each in (one, four):
            self.assertGreaterEqual(len(each.waits), 4 * self.BATCHES)
        self.assertGreater(one.mean_wait_us(), 2 * four.mean_wait_us())

    def test_spans_of_the_device_are_its_own_times(self):
        # Not those from submission on: a device with one engine never works on two batches at once.
        graph = self.traced('--slots', 4, device='latency_us=1500')['align']
        self.assertGreaterEqual(len(graph.device), self.BATCHES)
        self.assertEqual(overlap.most_at_once(graph.device), 1)
        stages = {part: set(graph.stages['align.extension' + part]) for part in ('', '.prepare', '.submit', '.collect')}
        self.assertEqual(stages['.submit'], stages[''])
        self.assertEqual(stages['.collect'], stages[''])
        self.assertLessEqual(stages[''], stages['.prepare'])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
