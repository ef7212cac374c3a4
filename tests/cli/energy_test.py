#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what run.json and the log say of energy, with a simulated device and a library of management (NVML) of our own, by which every
device uses 250 W. The counters of the host are those of the machine, which may have none."""
import json
import os

import gannet_testing

BASE = {'GANNET_FAKE_DEVICE': 'devices=2'}


class Energy(gannet_testing.Case):
    def run_with(self, nvml, *words, **more):
        env = {**BASE, 'LD_LIBRARY_PATH': os.path.dirname(gannet_testing.program('fake_nvml')), 'FAKE_NVML': nvml}
        if nvml == 'none':
            env['LD_LIBRARY_PATH'] = ''
        return gannet_testing.run(*words, env=env, **more)

    def gannet_run(self, nvml):
        sample = gannet_testing.simulated(0.05, 10, 3)
        folder = self.folder()
        done = self.run_with(nvml, 'run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--backend', 'cuda')
        report = json.loads((folder / 'S.run.json').read_text())
        return report['execution'], done.stderr, report['counts']['align']['reads']

    def test_devices_are_counted_by_phase(self):
        execution, log, reads = self.gannet_run('')
        energy = execution['energy']
        self.assertEqual(len(energy['devices']), 2)
        self.assertIsNone(energy['devices_unavailable'])
        for device in energy['devices']:
            # A device counts from when the driver has answered, the index has been opened, and NVML has started.
            self.assertLess(device['joules'], 250 * (energy['elapsed_s'] + 0.01))
            self.assertGreater(device['joules'], 250 * (energy['elapsed_s'] - 0.5))
            self.assertAlmostEqual(device['mean_watts'], 250, delta=250 * 0.01 / energy['elapsed_s'] + 1)
        phases = [phase['phase'] for phase in energy['phases']]
        self.assertEqual([phase for phase in phases if phase != 'index'], ['align', 'measure sample', 'write and call'])
        self.assertLessEqual(sum(phase['devices'][0]['joules'] for phase in energy['phases']), energy['devices'][0]['joules'] + 1)
        self.assertIn('device 0 ', log)
        if energy['host'] is None:
            self.assertTrue(energy['host_unavailable'])
            self.assertIsNone(energy['joules_per_million_reads'])
            self.assertNotIn('per million reads', log)
        else:
            whole = energy['host']['joules'] + sum(device['joules'] for device in energy['devices'])
            self.assertAlmostEqual(energy['joules_per_million_reads'], whole * 1e6 / reads, delta=1)
            self.assertIn('J per million reads', log)

    def test_what_has_no_counter_is_said(self):
        for nvml, why in (('none', 'libnvidia-ml.so.1'), ('off', 'Driver Not Loaded'), ('old', 'before Volta'), ('mig', 'MIG')):
            energy = self.gannet_run(nvml)[0]['energy']
            self.assertEqual(energy['devices'], [None, None], nvml)
            self.assertIn(why, energy['devices_unavailable'])

    def test_links_of_devices_are_listed(self):
        text = self.run_with('', 'devices').stdout
        self.assertEqual(text.count('PCIe 5.0 x16 (now 1.0 x16)'), 2, text)
        self.assertIn('driver 1.2, runtime 3.4; simulated', text)
        self.assertNotIn('PCIe', self.run_with('none', 'devices').stdout)

    def test_without_a_device_only_the_host_is_asked(self):
        sample = gannet_testing.simulated(0.05, 10, 3)
        folder = self.folder()
        self.run_with('', 'run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--backend', 'simd')
        energy = json.loads((folder / 'S.run.json').read_text())['execution']['energy']
        self.assertEqual(energy['devices'], [])
        self.assertIsNone(energy['devices_unavailable'])
        self.assertEqual(energy['host'] is None, energy['host_unavailable'] is not None)


if __name__ == '__main__':
    gannet_testing.main(__doc__, programs=('gannet', 'read_input', 'fake_nvml'))
