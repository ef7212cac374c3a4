# SPDX-License-Identifier: MIT
"""Provides what the tests of the command line have in common: running the program, judging how it ended, small data.

A test file holds classes derived from `Case` and ends with `gannet_testing.main(__doc__)`; CMakeLists.txt registers it with
`gannet_cli_test`. It is called with `--gannet PROGRAM` (and the other programs of `PROGRAMS`); what follows goes to unittest, so
that `python3 x_test.py --gannet build-dev/pipeline/gannet Class.test_name` runs one test.

  program(name='gannet')       path of a program that was given on the command line
  run(*words, code=0, ...)     runs gannet to its end and fails unless it ends with exit code `code` (None: any code but a signal);
                               `env` adds to the environment, `input` is written to standard input (empty by default),
                               `text=False` gives bytes, `timeout` is in seconds, `using` names another of the programs
  start(*words, ...)           starts gannet and returns the Popen object
  error_lines(stderr)          the lines of a standard error that report an error
  Case.folder()                a new, empty temporary folder
  Case.refused(code, *words)   run() that must end with `code` and report exactly one error, which contains `says`
  Case.assert_files(folder, *names)   the folder holds these files and nothing else
  simulated(size_mb, ...)      simulated reference, reads and truth; made once per test program for each set of arguments
  fastq_text(reads)            FASTQ text of (name, bases) pairs
  content, bam_payload, bam_records, vcf_body, vcf_header   what a file holds, read without htslib
  samtools(*words), bcftools(*words)   standard output of the tool; skips the test where the tool is missing
  test_data(name)              a path in GANNET_TEST_DATA (default: ../shared/data beside the repository); skips the test without it
  needs_tool(name), skip(why)  skip a test and report it

A skipped test is reported as a line `SKIPPED: ...`, which scripts/test counts; a program whose tests were all skipped ends with 77.
GANNET_REQUIRE_DATA=1 and GANNET_REQUIRE_TOOLS=1 turn missing data and missing tools into failures.
"""
import argparse
import atexit
import functools
import gzip
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
PROGRAMS = {}
QC_ENDINGS = ('stats', 'flagstat', 'idxstats', 'insert_size_metrics', 'alignment_summary_metrics', 'wgs_metrics', 'gc_bias.detail_metrics',
              'gc_bias.summary_metrics', 'mosdepth.global.dist.txt', 'mosdepth.summary.txt', 'R1_fastqc.zip', 'R2_fastqc.zip')


# --- Programs -------------------------------------------------------------------------------------------------------------------


def program(name='gannet'):
    if name not in PROGRAMS:
        raise AssertionError(f'this test needs --{name.replace("_", "-")} PROGRAM')
    return PROGRAMS[name]


def environment(more):
    """The tests' own, with a cache folder that is not the user's, and a Java (Picard) that starts fast: MarkDuplicates clears tables as large as its heap allows."""
    cache = temporary_root() / 'cache'
    java = os.environ.get('JAVA_TOOL_OPTIONS', '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx300m')
    return {**os.environ, 'XDG_CACHE_HOME': str(cache), 'JAVA_TOOL_OPTIONS': java, **{name: str(value) for name, value in (more or {}).items()}}


def execute(command, timeout=600, text=True, env=None, input=None, **more):
    """Runs any command to its end; a command that does not end in time or that a sanitizer stopped fails the test."""
    command = [str(word) for word in command]
    if input is None:
        more.setdefault('stdin', subprocess.DEVNULL)
    try:
        done = subprocess.run(command, capture_output=True, text=text, errors='replace' if text else None,
                              timeout=timeout, env=environment(env), input=input, **more)
    except subprocess.TimeoutExpired:
        raise AssertionError(f'{" ".join(command)}: has not ended after {timeout} s') from None
    stderr = done.stderr if text else done.stderr.decode(errors='replace')
    if 'Sanitizer' in stderr or ': runtime error: ' in stderr:
        raise AssertionError(f'{" ".join(command)}: stopped by a sanitizer\n{stderr[-6000:]}')
    return done


def run(*words, code=0, using='gannet', **more):
    done = execute([program(using), *words], **more)
    if (code is not None and done.returncode != code) or done.returncode < 0:
        wanted = 'any exit code' if code is None else f'exit {code}'
        stderr = done.stderr if isinstance(done.stderr, str) else done.stderr.decode(errors='replace')
        raise AssertionError(f'gannet {" ".join(map(str, words))}: {exit_text(done.returncode)}, not {wanted}\n{stderr}')
    return done


def exit_text(code):
    return f'signal {-code}' if code < 0 else f'exit {code}'


def start(*words, using='gannet', env=None, **more):
    return subprocess.Popen([str(word) for word in (program(using), *words)], env=environment(env), **more)


def error_lines(stderr):
    return [line for line in stderr.splitlines() if line.startswith('gannet: error: ')]


# --- Files ----------------------------------------------------------------------------------------------------------------------


@functools.cache
def temporary_root():
    """One folder for all that a test program writes; it goes when the program ends."""
    root = pathlib.Path(tempfile.mkdtemp(prefix='gannet-test-'))
    root.chmod(0o755)
    atexit.register(remove_folder, root)
    return root


def remove_folder(folder):
    for name, _, _ in os.walk(folder):
        if not os.path.islink(name):
            os.chmod(name, os.stat(name).st_mode | stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def new_folder():
    folder = pathlib.Path(tempfile.mkdtemp(dir=temporary_root()))
    folder.chmod(0o755)  # tests that run gannet as another user read from here
    return folder


class Sample:
    """A folder of `gannet simulate`: paths of what it holds."""

    def __init__(self, folder):
        self.folder = folder
        self.reference = folder / 'ref.fa'
        self.reads = [folder / 'reads_1.fq.gz', folder / 'reads_2.fq.gz']
        self.truth = folder / 'truth.vcf.gz'
        self.confident = folder / 'confident.bed'


@functools.cache
def simulated(size_mb=0.2, coverage=20, seed=7):
    """Tests read this sample and its index, and write nothing in its folder."""
    folder = new_folder()
    run('simulate', '--size', size_mb, '--coverage', coverage, '--seed', seed, '-o', folder, '-q')
    run('index', folder / 'ref.fa', '-q')
    return Sample(folder)


COMPLEMENT = str.maketrans('ACGT', 'TGCA')


def mates_of(fragment, read_bp):
    """Bases of the first and the second read of a fragment."""
    return [fragment[:read_bp], fragment[-read_bp:].translate(COMPLEMENT)[::-1]]


def fastq_text(reads, tail='', newline='\n'):
    return ''.join(f'@{name}{tail}{newline}{bases}{newline}+{newline}{"I" * len(bases)}{newline}' for name, bases in reads)


def vcf_lines(path):
    opened = gzip.open(path, 'rt') if str(path).endswith('.gz') else open(path)
    with opened as lines:
        return lines.readlines()


def vcf_body(path):
    return [line for line in vcf_lines(path) if not line.startswith('#')]


def called(lines):
    """What is called where, without the numbers that depend on what was measured of the sample."""
    records = (line.split('\t') for line in lines)
    return [(*r[:2], *r[3:5], r[6], r[9].split(':')[0]) for r in records]


def vcf_header(path):
    return [line for line in vcf_lines(path) if line.startswith('#')]


def content(path):
    """The bytes of a file, uncompressed where it is gzip or BGZF (a series of gzip members)."""
    data = pathlib.Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def bam_payload(path):
    return content(path)


def bam_records(path):
    """Everything after the header text and the list of contigs."""
    data = bam_payload(path)
    assert data[:4] == b'BAM\1'
    at = 8 + int.from_bytes(data[4:8], 'little')
    contigs = int.from_bytes(data[at:at + 4], 'little')
    at += 4
    for _ in range(contigs):
        at += 8 + int.from_bytes(data[at:at + 4], 'little')
    return data[at:]


# --- What a machine may lack ----------------------------------------------------------------------------------------------------


def required(variable):
    return os.environ.get(variable) == '1'


def skip(why, variable=None):
    """Skips the running test; where `variable` is 1 in the environment, fails it instead."""
    if variable and required(variable):
        raise AssertionError(f'{why}, and {variable}=1')
    raise unittest.SkipTest(why)


def needs_tool(name):
    if shutil.which(name) is None:
        skip(f'{name} is not installed (scripts/setup test)', 'GANNET_REQUIRE_TOOLS')


def tool_output(name, words, more):
    needs_tool(name)
    done = execute([name, *words], **more)
    if done.returncode != 0:
        raise AssertionError(f'{name} {" ".join(map(str, words))}: {exit_text(done.returncode)}\n{done.stderr}')
    return done.stdout


def samtools(*words, **more):
    return tool_output('samtools', words, more)


def bcftools(*words, **more):
    return tool_output('bcftools', words, more)


def test_data_path(name):
    """Where data would be, and whether it is."""
    path = pathlib.Path(os.environ.get('GANNET_TEST_DATA') or ROOT.parent / 'shared' / 'data') / name
    return path, path.exists()


def test_data(name):
    path, exists = test_data_path(name)
    if not exists:
        skip(f'no test data at {path} (GANNET_TEST_DATA)', 'GANNET_REQUIRE_DATA')
    return path


# --- Tests ----------------------------------------------------------------------------------------------------------------------


class Case(unittest.TestCase):
    maxDiff = 4000

    def folder(self):
        return new_folder()

    def refused(self, code, *words, says='', **more):
        done = run(*words, code=None, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        errors = error_lines(done.stderr)
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertIn(says, errors[0])
        return done

    def assert_files(self, folder, *names):
        self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()), sorted(names))


def killed_run(folder, command, until):
    """Starts `run` with this command and kills it once `until` exists. A pipe that nobody reads holds the run up where it writes
    its trace, so that all but the report is done then."""
    pipe = new_folder() / 'pipe'
    os.mkfifo(pipe)
    process = start(*command, '--trace', pipe, '-q')
    while process.poll() is None and not (folder / until).exists():
        time.sleep(0.01)
    process.kill()
    process.wait(60)


def qc_names(stem, scorer=False):
    """The files of quality control of a run, with the scorer or without."""
    return [f'{stem}.{ending}' for ending in (*QC_ENDINGS, 'bcftools_stats.txt', *(['scorer_views.json'] if scorer else []))]


def called_sample():
    """A simulated sample and the folder with its BAM and VCF, s.bam and s.vcf.gz, without the scorer."""
    sample = simulated(0.3, 25, 3)
    output = new_folder()
    run('run', sample.reference, *sample.reads, '-o', output, '--sample', 's', '--no-scorer', '-q')
    return sample, output


def main(description, programs=('gannet', 'read_input')):
    """Reads the command line, runs the tests of the calling file and ends the program."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in programs:
        parser.add_argument(f'--{name.replace("_", "-")}', help=f'the program {name}')
    given, rest = parser.parse_known_args()
    PROGRAMS.update({name: str(pathlib.Path(path).resolve()) for name, path in vars(given).items() if path})
    result = unittest.main(argv=[sys.argv[0], *rest], verbosity=2, exit=False).result
    for test, why in result.skipped:
        print(f'SKIPPED: {test.id().removeprefix("__main__.")}: {why}', flush=True)
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0 and not result.skipped:
        sys.exit('no test was run')
    sys.exit(SKIPPED if len(result.skipped) >= result.testsRun else 0)
