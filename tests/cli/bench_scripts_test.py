#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the measuring scripts on a small genome: genome_ladder (its JSON and table, what is used again, what is refused, its judge),
scaling_model (its arithmetic on a run.json), host_share (the same, with programs that only write one), end_to_end and the judges.
"""
import importlib.machinery
import importlib.util
import json
import shutil
import sys

import gannet_testing

sys.path.insert(0, str(gannet_testing.ROOT / 'tests' / 'support'))
import judges  # noqa: E402

BENCH = gannet_testing.ROOT / 'tests' / 'bench'
LADDER, MODEL, SHARE = BENCH / 'genome_ladder', BENCH / 'scaling_model', BENCH / 'host_share'


def script(path):
    """A script without an ending in its name, as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def execute(path, *words):
    return gannet_testing.execute([sys.executable, str(path), *map(str, words)])


class Ladder(gannet_testing.Case):
    def ladder(self, folder, *words, code=0):
        done = execute(LADDER, '--gannet', gannet_testing.program(), '--sets', folder, '--threads', 1, '--reads', 10000, *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_two_sizes_are_measured_and_used_again(self):
        gannet_testing.needs_tool('samtools')
        folder = self.folder()
        peers = ['--peers', 'bwa'] if shutil.which('bwa') else []
        table = self.ladder(folder, '--sizes', '1', *peers).stdout
        path = folder / 'genome_ladder.json'
        first = json.loads(path.read_text())
        self.assertEqual((first['schema'], first['schema_version'], first['reads'], first['seed']), ('gannet-genome-ladder', 1, 10000, 1))
        one = first['sizes']['g1']
        self.assertEqual(one['bases'], 1000000)
        self.assertAlmostEqual(one['reads'], 10000, delta=500)
        self.assertEqual(set(one['programs']), {'gannet', 'bwa'} if peers else {'gannet'})
        for name, program in one['programs'].items():
            accuracy = program['accuracy']
            self.assertGreater(accuracy['reads'], 0.95 * one['reads'])
            self.assertEqual(accuracy['q20'], accuracy['q20_right'] + accuracy['q20_wrong'])
            self.assertGreater(accuracy['q20_right'], 0.95 * accuracy['reads'], name)
            self.assertLess(accuracy['q20_wrong'], 0.001 * accuracy['reads'], name)
            self.assertGreater(program['index']['cpu_s'], 0)
            self.assertGreater(program['index']['peak_mib'], 0)
            self.assertIn(f'| 1 | {name} |', table)
        gannet = one['programs']['gannet']
        self.assertTrue(1.5 < gannet['index']['bytes'] / one['bases'] < 4)
        self.assertTrue(0 < gannet['stage_cpu_s'] < gannet['align']['cpu_s'])
        self.assertEqual((folder / 'genome_ladder.md').read_text().strip(), table[table.index('Machine'):].strip())
        # Another size is added; the first one, and its index, are not made again.
        made = (folder / 'g1' / 'ref.fa.gannet').stat().st_mtime_ns
        self.ladder(folder, '--sizes', '1,0.5', '--keep')
        second = json.loads(path.read_text())
        self.assertEqual((folder / 'g1' / 'ref.fa.gannet').stat().st_mtime_ns, made)
        self.assertEqual(set(second['sizes']), {'g1', 'g0.5'})
        self.assertEqual(second['sizes']['g1']['programs']['gannet']['index'], gannet['index'])
        self.assertEqual(second['sizes']['g1']['programs']['gannet']['accuracy'], gannet['accuracy'])
        self.assertEqual(set(second['sizes']['g1']['programs']), set(one['programs']))

    def test_other_reads_and_unknown_peers_are_refused(self):
        folder = self.folder()
        (folder / 'g1').mkdir()
        (folder / 'g1' / 'simulate.json').write_text('{"pairs": 5000, "seed": 7, "reference_bp": 1000000}')
        self.assertIn('10000 reads of seed 7', self.ladder(folder, '--sizes', '1', code=1).stderr)
        self.assertIn('known are bwa', self.ladder(folder, '--sizes', '1', '--peers', 'nobody', code=1).stderr)
        self.assertIn('give its path as', self.ladder(folder, '--sizes', '1', '--peers', 'minibwa=/none', code=1).stderr)


class Judges(gannet_testing.Case):
    def test_primary_alignments_count_by_their_origin(self):
        def line(flags, contig, position, quality, cigar='150M', name='sim.000000001.02.000001000.000001200.2FU'):
            return f'{name}\t{flags}\t{contig}\t{position}\t{quality}\t{cigar}\t=\t1\t1\tA\tI\n'
        header = ['@HD\tVN:1.6\n', '@SQ\tSN:one\tLN:5000\n', '@SQ\tSN:two\tLN:5000\n']
        expected = dict.fromkeys(('reads', 'mapped', 'right', 'q20', 'q20_right', 'q20_wrong', 'absent', 'absent_q20'), 0)
        cases = [(line(0x41, 'two', 1050, 60), {'mapped', 'right', 'q20', 'q20_right'}),
                 (line(0x81, 'two', 1150, 19), {'mapped', 'right'}),
                 (line(0x41, 'two', 1051, 20), {'mapped', 'q20', 'q20_wrong'}),
                 (line(0x41, 'two', 1070, 60, '30S120M'), {'mapped', 'right', 'q20', 'q20_right'}),
                 (line(0x41, 'one', 1000, 60), {'mapped', 'q20', 'q20_wrong'}),
                 (line(0x45, '*', 0, 0, '*'), set())]
        for text, counted in cases:
            self.assertEqual(judges.alignments(header + [text]),
                             {**expected, 'reads': 1, **{key: 1 for key in counted}}, text)
        for text in (line(0x141, 'two', 1000, 60), line(0x841, 'two', 1000, 60)):
            self.assertEqual(judges.alignments(header + [text]), expected, text)
        foreign = line(0x41, 'two', 1, 60, name='sim.000000001.00.000000000.000000000.2FU')
        self.assertEqual(judges.alignments(header + [foreign]), {**expected, 'absent': 1, 'absent_q20': 1})

    def test_calls_count_by_exact_allele_after_normalisation(self):
        gannet_testing.needs_tool('bcftools')
        folder = self.folder()
        (folder / 'ref.fa').write_text('>one\n' + 'ACGTTTTTGCATCCGA' + 'GATTACA' * 20 + '\n')
        (folder / 'in.bed').write_text('one\t0\t14\n')

        def vcf(name, *records):
            head = ('##fileformat=VCFv4.2\n##contig=<ID=one>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n'
                    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n')
            (folder / name).write_text(head + ''.join(f'one\t{position}\t.\t{ref}\t{alt}\t{qual}\tPASS\t.\tGT\t{genotype}\n'
                                                      for position, ref, alt, qual, genotype in records))
            return folder / name
        truth = vcf('truth.vcf', (2, 'C', 'A', 60, '0|1'), (3, 'GT', 'G', 60, '1|1'), (10, 'C', 'G', 60, '0|1'), (16, 'A', 'C', 60, '0|1'))
        # One SNP of an MNP, with another genotype; the deletion at another place of its run; a wrong SNP; one below the threshold.
        called = vcf('calls.vcf', (1, 'AC', 'AA', 50, '1/1'), (6, 'TT', 'T', 50, '1/1'), (9, 'G', 'T', 50, '0/1'), (10, 'C', 'G', 5, '0/1'))
        found = judges.calls(str(truth), str(called), str(folder / 'ref.fa'), str(folder / 'in.bed'), ['-i', 'QUAL>=20'])
        self.assertEqual([found['snp'][key] for key in ('truth', 'false_positives', 'false_negatives', 'f1', 'genotype_f1')],
                         [2, 1, 1, 0.5, 0])
        self.assertEqual([found['indel'][key] for key in ('truth', 'false_positives', 'false_negatives', 'f1', 'genotype_f1')],
                         [1, 0, 0, 1, 1])


class EndToEnd(gannet_testing.Case):
    def test_a_set_is_made_aligned_called_and_judged(self):
        for tool in ('samtools', 'bcftools'):
            gannet_testing.needs_tool(tool)
        try:
            import numpy  # noqa: F401
        except ImportError:
            gannet_testing.skip('python3 has no numpy')
        folder = self.folder()
        for name in ('a', 'b'):
            execute(BENCH / 'make_set', '--gannet', gannet_testing.program(), '--size', 0.2, '--coverage', 20, '--seed', 3, '-o', folder / name)
        self.assertEqual((folder / 'a' / 'reads_2.fq.gz').read_bytes(), (folder / 'b' / 'reads_2.fq.gz').read_bytes())
        done = execute(BENCH / 'end_to_end', '--gannet', gannet_testing.program(), '--sets', folder, '--work', folder / 'work', '--set', 'a',
                       '--program', 'gannet', '--threads', 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        gannet = json.loads((folder / 'work' / 'end_to_end.json').read_text())['sets']['a']['programs']['gannet']
        made = json.loads((folder / 'a' / 'make_set.json').read_text())
        self.assertEqual(gannet['alignments']['reads'], 2 * made['pairs'])
        self.assertGreater(gannet['alignments']['q20_right'], 0.9 * gannet['alignments']['reads'])
        self.assertLess(gannet['alignments']['q20_wrong'], 0.001 * gannet['alignments']['reads'])
        self.assertGreater(gannet['calls']['snp']['f1'], 0.9)
        self.assertGreater(gannet['calls']['indel']['f1'], 0.7)


class HostShare(gannet_testing.Case):
    def share(self, reported, code=0, program='support/gannet_fake_device', words=()):
        """Of a program that takes 10 CPU s on simd, and with the device 9, of which the device's threads 5."""
        folder = self.folder()

        def put(path, cpu_s, stages, before=''):
            path.parent.mkdir(parents=True)
            report = {'counts': {'align': {'reads': 1000000}}, 'execution': {'cpu_s': cpu_s, 'stages': stages}}
            path.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nmkdir -p "$2"\n' + before +
                            f"cat > \"$2/S.run.json\" <<'END'\n{json.dumps(report)}\nEND\n")
            path.chmod(0o755)

        put(folder / 'pipeline/gannet', 10.0, [{'stage': 'align.read', 'cpu_s': 1.0}, {'stage': 'align.extension', 'cpu_s': 6.0}])
        put(folder / 'tests' / program, 9.0, [{'stage': 'align.read', 'cpu_s': 1.5}],
            '[ "$GANNET_FAKE_DEVICE" = devices=2,report=1 ] || exit 1\n' + ('echo "fake device: 5.000 CPU s" >&2\n' if reported else ''))
        done = execute(SHARE, '--build', folder, '--work', folder / 'work', '--pairs', 2, '--device', 'devices=2', '--keep', folder / 'kept',
                       *words, 'ref.fa', 'a.fq', '--', '-t', 1)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.kept = folder / 'kept'
        return done

    def test_the_device_s_own_time_is_not_the_host_s(self):
        lines = self.share(True).stdout.splitlines()
        self.assertEqual(lines[1], 'pair 2: simd 10.00 us per read, host beside the device 4.00 (device 5.00): 0.400')
        self.assertIn('| align.extension | 6.000 | 0.000 |', lines)
        self.assertIn('| outside of all stages | 3.000 | 2.500 |', lines)
        self.assertEqual(lines[-1], 'host beside the device over simd, median of 2: 0.400')
        simd, device = (json.loads((self.kept / f'{name}.run.json').read_text())['execution'] for name in ('simd', 'device'))
        self.assertEqual((simd['cpu_s'], device['cpu_s'], device['simulated_device_cpu_s']), (10.0, 4.0, 5.0))

    def test_the_backend_cuda_takes_the_place_of_the_simulated_device(self):
        lines = self.share(True, program='unit/kernels/cuda/gannet_fake_cuda', words=['--fake-cuda']).stdout.splitlines()
        self.assertEqual(lines[-1], 'host beside the device over simd, median of 2: 0.400')

    def test_a_device_that_does_not_report_is_an_error(self):
        self.assertIn('did not report', self.share(False, code=1).stderr)


class Model(gannet_testing.Case):
    REPORT = {'counts': {'align': {'reads': 1000000, 'records': 1000000, 'depth': {'reference_bases': 10000000}}},
              'execution': {'cpu_s': 24.0, 'threads': 2, 'machine': 'm', 'stages': [
                  {'stage': name, 'cpu_s': cpu} for name, cpu in (
                      ('index.verify', 0.1), ('align.read', 0.2), ('align.inflate', 0.8), ('align.find_candidates', 16.0), ('sort.scatter', 1.0),
                      ('duplicates.decide', 0.1), ('emit.compress', 3.0), ('emit.index', 0.3), ('call.find_regions', 1.5))]}}

    def model(self, *words, report=None, code=0):
        folder = self.folder()
        (folder / 'run.json').write_text(json.dumps(report or self.REPORT))
        done = execute(MODEL, folder / 'run.json', '-o', folder / 'model.json', *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.output = done.stdout
        return json.loads((folder / 'model.json').read_text()) if code == 0 else done.stderr

    def test_time_is_that_of_the_slowest_serial_stage_or_of_all_threads(self):
        result = self.model('--reads', 10e6, '--mb', 100, '--cores', '1,1000')
        one, many = result['times']
        # 24 s were measured, of which 23 in stages; ten times as much is asked for.
        self.assertAlmostEqual(result['cpu_s']['align.outside_stages'], 10.0)
        self.assertAlmostEqual(one['seconds'], 240.0)
        self.assertEqual((one['align_bound'], one['sorted_bound']), ('all threads', 'all threads'))
        self.assertAlmostEqual(many['align_s'], 2.0)
        self.assertAlmostEqual(many['sorted_s'], 3.0)
        self.assertAlmostEqual(many['alone_s'], 2.0)
        self.assertTrue(many['align_bound'].startswith('align.read'))
        self.assertTrue(many['sorted_bound'].startswith('emit.index'))

    def test_plain_gzip_is_bound_by_one_file(self):
        times = {files: self.model('--reads', 10e6, '--mb', 100, '--cores', 1000, '--gzip-files', files)['times'][0] for files in (1, 2)}
        self.assertAlmostEqual(times[1]['align_s'], 8.0)
        self.assertAlmostEqual(times[2]['align_s'], 4.0)
        self.assertIn('one gzip stream', times[1]['align_bound'])

    def test_a_device_works_beside_the_host(self):
        words = ['--reads', 10e6, '--mb', 100, '--cores', '1']
        host, slow, copied, compressed = (self.model(*words, *more)['times'][0] for more in (
            (), ('--device-ns-per-read', 100_000), ('--device-bytes-per-read', 1e6, '--link-gb-per-s', 5), ('--device-ns-per-record', 9000)))
        self.assertAlmostEqual(host['align_s'], 190.0)
        self.assertEqual((slow['align_s'], slow['align_bound']), (1000.0, 'the device (assumed)'))
        self.assertAlmostEqual(copied['align_s'], 2000.0)
        self.assertIn('copies', copied['align_bound'])
        self.assertEqual((compressed['align_s'], compressed['sorted_s']), (host['align_s'], 90.0))
        self.assertAlmostEqual(slow['seconds'] - slow['align_s'], host['seconds'] - host['align_s'])

    def test_the_host_beside_a_device_says_how_fast_that_must_be(self):
        words = ['--reads', 10e6, '--mb', 100, '--cores', '1,10']
        report = json.loads(json.dumps(self.REPORT))
        self.model(*words)
        self.assertNotIn('Derived', self.output)
        report['execution']['simulated_device_cpu_s'] = 7.0
        self.model(*words, report=report)
        self.assertIn('| 1 | 19000 | 4800 |', self.output)
        self.assertIn('| 10 | 1900 | 480 |', self.output)

    def test_costs_of_alignment_come_from_another_run(self):
        folder = self.folder()
        other = json.loads(json.dumps(self.REPORT))
        other['counts']['align']['reads'] = other['counts']['align']['records'] = 500000
        (folder / 'other.json').write_text(json.dumps(other))
        result = self.model('--reads', 1e6, '--mb', 10, '--cores', 1, '--align-from', folder / 'other.json')
        self.assertAlmostEqual(result['cpu_s']['align.find_candidates'], 32.0)
        self.assertAlmostEqual(result['cpu_s']['emit.compress'], 3.0)

    def test_other_files_are_refused(self):
        self.assertIn('is not a run.json', self.model(report={'schema': 'other'}, code=1))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
