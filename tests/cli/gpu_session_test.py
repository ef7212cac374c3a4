#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries scripts/gpu_session out on a machine without a device: its three calls on the backend emulated, at a small size, and that it notices
what is wrong."""
import json
import os
import pathlib
import re
import subprocess
import sys

import gannet_testing
from gannet_testing import program

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / 'scripts' / 'gpu_session'


class Parts(gannet_testing.Case):
    def programs(self, **instead):
        """A folder as scripts/make_dist makes it, of links; `instead` are texts of scripts."""
        folder = self.folder()
        build = pathlib.Path(program()).resolve().parents[1]
        for name, path in (('gannet', program()), ('parity_test', build / 'tests/parity/parity_test'),
                           ('device_bench', build / 'tests/bench/device/device_bench')):
            if name in instead:
                (folder / name).write_text(instead[name])
                (folder / name).chmod(0o755)
            else:
                (folder / name).symlink_to(path)
        return folder

    def session(self, part, code=0, backend='emulated', **instead):
        folder = self.programs(**instead)
        output = folder / 'out.json'
        done = subprocess.run([sys.executable, SCRIPT, part, '--backend', backend, '--quick', '--programs', folder, '--output', output,
                               '--tmp', folder], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual([name for name in os.listdir(folder) if 'gannet_gpu_session' in name or 'partial' in name], [])
        return json.loads(output.read_text())

    def statuses(self, report):
        return {name: entry['status'] for name, entry in report['steps'].items()}

    def test_a_compares_and_skips_what_needs_a_device(self):
        report = self.session('a')
        self.assertEqual(self.statuses(report), {'devices': 'passed', 'first_parity': 'passed', 'copies': 'skipped', 'equal_runs': 'passed',
                                                 'compute_sanitizer': 'skipped', 'parity': 'passed'})
        self.assertEqual(list(report['steps'])[1], 'first_parity')
        self.assertEqual(len(report['steps']['equal_runs']['runs']), 5)
        self.assertGreater(report['steps']['equal_runs']['vcf_lines'], 5)
        self.assertGreaterEqual(report['steps']['parity']['jobs']['banded_sw'], 200)
        for op in ('pileup_network', 'pair_hmm', 'seeds', 'candidates', 'find_candidates', 'deflate', 'inflate'):
            self.assertGreater(report['steps']['parity']['jobs'][op], 0)

    def test_steps_are_a_choice_of_those_of_the_part(self):
        folder = self.programs()
        command = [sys.executable, SCRIPT, 'a', '--backend', 'emulated', '--quick', '--programs', folder, '--output', folder / 'out.json', '--tmp', folder]
        subprocess.run([*command, '--steps', 'equal_runs'], check=True, capture_output=True, timeout=300)
        self.assertEqual(list(json.loads((folder / 'out.json').read_text())['steps']), ['devices', 'equal_runs'])
        refused = subprocess.run([*command, '--steps', 'equal_runs,nope'], capture_output=True, text=True, timeout=300)
        self.assertEqual((refused.returncode, refused.stderr),
                         (1, 'gpu_session: the steps of part a are first_parity, copies, equal_runs, parity, compute_sanitizer\n'))
        self.assertEqual([name for name in os.listdir(folder) if 'gannet_gpu_session' in name], [])

    def test_b_measures_every_combination(self):
        report = self.session('b')
        self.assertEqual(set(self.statuses(report).values()), {'passed'})
        on_devices = re.findall(r'^[A-Za-z]+Function ([a-z_]+)\(\);', (SCRIPT.parents[1] / 'kernels/cuda/device.hpp').read_text(), re.MULTILINE)
        self.assertEqual({row['op'] for step in report['steps'].values() for row in step.get('rows', [])}, set(on_devices))
        rows = report['steps']['banded_sw']['rows']
        self.assertEqual(len(rows), 2 * 2 * 2)  # classes, jobs, streams
        for row in rows + report['steps']['banded_sw_simd']['rows']:
            self.assertGreater(row['cells_per_s'], 0)
        self.assertGreater(report['steps']['pileup_network']['rows'][0]['candidates_per_s'], 0)
        for step, backend in (('pair_hmm', 'emulated'), ('pair_hmm_simd', 'simd')):
            for row in report['steps'][step]['rows']:
                self.assertEqual((row['backend'], row['class']), (backend, '100x200'))
                self.assertGreater(row['cells_per_s'], 0)
        reads_of_file = ('reads_of_file',)
        for op, classes, unit in (('find_candidates', reads_of_file, 'reads'),
                                  ('banded_sw_windows', ('extension', 'traceback'), 'cells'), ('rescue', reads_of_file, 'windows'),
                                  ('pairing', reads_of_file, 'candidates')):
            rows = report['steps'][op]['rows']
            self.assertEqual([(row['op'], row['backend'], row['jobs'], row['class']) for row in rows],
                             [(op, backend, jobs, each) for backend, jobs, streams in (('emulated', 50, 2), ('emulated', 800, 2), ('simd', 800, 1))
                              for each in classes for _ in range(streams)])
            for row in rows:
                self.assertGreater(row['reads_per_s'], 0)
                # The mates of 50 reads are all found without a search.
                self.assertEqual(row[unit + '_per_s'] > 0, op != 'rescue' or row['jobs'] == 800, row)
        for step in ('deflate', 'inflate'):
            rows = report['steps'][step]['rows']
            self.assertEqual([(row['backend'], row['jobs']) for row in rows], [('emulated', 1), ('emulated', 1), ('emulated', 3), ('emulated', 3), ('simd', 3)])
            for row in rows:
                self.assertGreater(row['bytes_per_s'], 0)

    def test_c_runs_the_pipeline_with_three_batch_sizes(self):
        report = self.session('c')
        self.assertEqual(self.statuses(report), {'devices': 'passed', 'data': 'passed', 'simd': 'passed', 'emulated_20000': 'passed',
                                                 'emulated_100000': 'passed', 'emulated_400000': 'passed'})
        stages = report['steps']['emulated_20000']['stages_cpu_us_per_read']
        for stage in ('pack_reads', 'find_candidates', 'take_candidates'):
            self.assertGreater(stages['align.' + stage], 0)
        self.assertGreater(report['steps']['simd']['cpu_us_per_read'], 1)

    def test_outputs_that_differ_are_noticed(self):
        # Under `emulated` this gannet leaves more reads unmapped.
        other = f'#!/bin/sh\ncase "$*" in run*emulated*) exec {program()} "$@" -T 120;; esac\nexec {program()} "$@"\n'
        for part, step in (('a', 'equal_runs'), ('c', 'emulated_20000')):
            report = self.session(part, code=1, gannet=other)
            self.assertEqual(report['steps'][step]['status'], 'failed')
            self.assertRegex(report['steps'][step]['why'], 'differ')

    def test_a_notices_whether_the_index_is_on_the_device(self):
        build = pathlib.Path(program()).resolve().parents[1]
        fake = build / 'tests/support/gannet_fake_device'
        equal = '{"testsuites": [{"name": "Parity_op", "testsuite": [{"result": "COMPLETED", "jobs": 9}]}]}'
        parity = f"#!/bin/sh\nfor word; do case $word in --gtest_output=json:*) echo '{equal}' > \"${{word#*json:}}\";; esac; done\n"
        steps = self.session('a', code=1, backend='cuda', gannet=f'#!/bin/sh\nexec {fake} "$@"\n', parity_test=parity)['steps']
        self.assertEqual(steps['equal_runs']['status'], 'passed', steps['equal_runs'])
        resident = [run['device']['devices'][0]['resident_bytes'] > 0 for run in steps['equal_runs']['runs'][1:]]
        self.assertEqual(resident, [True, False, True, True])
        without = f'#!/bin/sh\ncase "$*" in run*cuda*) exec {fake} "$@" --gpu-memory 8M;; esac\nexec {fake} "$@"\n'
        entry = self.session('a', code=1, backend='cuda', gannet=without, parity_test=parity)['steps']['equal_runs']
        self.assertEqual(entry['status'], 'failed')
        self.assertRegex(entry['why'], 'index and reference were not resident')

    def test_a_ends_at_once_where_a_thousand_jobs_differ(self):
        report = self.session('a', code=1, parity_test='#!/bin/sh\necho banded_sw differs\nexit 1\n')
        self.assertEqual(self.statuses(report), {'devices': 'passed', 'first_parity': 'failed'})
        self.assertIn('banded_sw differs', report['steps']['first_parity']['why'])

    def test_d_and_e_run_whole_genomes_and_sweeps(self):
        report = self.session('d')
        self.assertEqual(self.statuses(report), {'devices': 'passed', 'data': 'passed', 'simd': 'passed', 'emulated': 'passed'})
        self.assertEqual(report['steps']['data']['genome_mb'], 0.3)
        report = self.session('e')
        names = [f'emulated_{slots}_slots_{connections}_connections' for slots in (0, 8) for connections in (8, 32)]
        self.assertEqual(self.statuses(report), dict.fromkeys(['devices', 'data', 'simd', *names], 'passed'))
        self.assertEqual([report['steps'][names[3]][what] for what in ('slots', 'connections')], [8, 32])

    def test_in_a_clone_the_newest_build_is_used(self):
        clone = self.folder()
        (clone / 'scripts').mkdir()
        (clone / 'tests').mkdir()
        (clone / 'scripts/gpu_session').write_bytes(SCRIPT.read_bytes())
        (clone / 'tests/support').symlink_to(SCRIPT.parents[1] / 'tests/support')
        build = pathlib.Path(program()).resolve().parents[1]
        for number, name in enumerate(('build', 'build-other')):
            (clone / name / 'pipeline').mkdir(parents=True)
            (clone / name / 'pipeline/gannet').write_text(f'#!/bin/sh\n[ {number} = 1 ] || exit 1\nexec {program()} "$@"\n')
            (clone / name / 'pipeline/gannet').chmod(0o755)
            os.utime(clone / name / 'pipeline/gannet', (1000 + number, 1000 + number))
            (clone / name / 'tests').symlink_to(build / 'tests')
        done = subprocess.run([sys.executable, clone / 'scripts/gpu_session', 'd', '--backend', 'emulated', '--quick', '--output', clone / 'out.json'],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_missing_device_fails_the_call(self):
        missing = f'#!/bin/sh\n[ "$1" = devices ] && echo "cuda        unavailable  no NVIDIA driver" && exit 0\nexec {program()} "$@"\n'
        report = self.session('b', code=1, backend='cuda', gannet=missing)
        self.assertEqual(self.statuses(report), {'devices': 'failed'})

    def test_a_program_that_fails_keeps_the_rows_so_far(self):
        broken = '#!/bin/sh\necho \'{"op": "banded_sw", "cells_per_s": 1.5}\'\necho out of luck\nexit 1\n'
        report = self.session('b', code=1, device_bench=broken)
        entry = report['steps']['banded_sw']
        self.assertEqual([entry['status'], entry['rows'][0]['cells_per_s']], ['failed', 1.5])
        self.assertIn('out of luck', entry['why'])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
