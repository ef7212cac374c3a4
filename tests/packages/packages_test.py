#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs what scripts/make_packages makes in bare roots (debootstrap, variant minbase) and runs it there, from FASTQ to VCF: the
Debian package by apt, the archive with nothing but a C library, and the steps of workflows/containers/Dockerfile one by one (--container),
whose build takes several minutes."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SUITE = 'bookworm'


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f'failed ({done.returncode}): {" ".join(map(str, command))}\n{done.stdout[-4000:]}')
    return done.stdout


def missing():
    if os.geteuid() != 0:
        return 'root'
    for tool in ('debootstrap', 'cpack', 'dpkg-shlibdeps', 'objdump', 'patchelf', 'tar'):
        if shutil.which(tool) is None and not pathlib.Path('/usr/sbin', tool).exists():
            return tool
    return None


class Root:
    """A copy of a bare Debian."""

    def __init__(self, bare, path):
        run('cp', '-a', bare, path)
        self.path = path
        shutil.copy('/etc/resolv.conf', path / 'etc/resolv.conf')

    def run(self, script, folder='/root'):
        environment = {'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND': 'noninteractive', 'HOME': '/root'}
        # The loader finds $ORIGIN by /proc.
        run('mount', '-t', 'proc', 'proc', self.path / 'proc')
        try:
            return run('chroot', self.path, 'bash', '-euc', f'cd {folder}\n{script}', env=environment)
        finally:
            run('umount', self.path / 'proc')

    def must_go_from_fastq_to_vcf(self, program):
        self.run(f'''{program} simulate --size 0.3 --coverage 20 --seed 1 -o simulated
{program} run simulated/ref.fa simulated/reads_1.fq.gz simulated/reads_2.fq.gz --sample s -t 2 -o result
{program} compare simulated/truth.vcf.gz result/s.vcf.gz --reference simulated/ref.fa -o comparison''')
        calls = run('gzip', '-cd', self.path / 'root/result/s.vcf.gz')
        records = [line for line in calls.splitlines() if not line.startswith('#')]
        if len(records) < 100:
            sys.exit(f'{program}: {len(records)} variants')
        print(f'{program}: {len(records)} variants')


def container_steps(dockerfile):
    """The commands of RUN after each FROM."""
    stages = re.split(r'^FROM .*$', dockerfile.replace('\\\n', ' '), flags=re.M)[1:]
    return [re.findall(r'^RUN (.*)$', stage, flags=re.M) for stage in stages]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--root', type=pathlib.Path, required=True, help='of the repository')
    parser.add_argument('--container', action='store_true', help='the steps of the Dockerfile too')
    arguments = parser.parse_args()
    lacking = missing()
    if lacking:
        print(f'SKIPPED: the packages were not tried: no {lacking}')
        return 77
    with tempfile.TemporaryDirectory(prefix='gannet-packages-') as name:
        work = pathlib.Path(name)
        bare = work / 'bare'
        run('debootstrap', '--variant=minbase', SUITE, bare)
        if not (arguments.root / 'build/pipeline/gannet').exists():
            run(arguments.root / 'scripts/build', 'release', 'gannet')
        print(run(arguments.root / 'scripts/make_packages', work / 'packages').splitlines()[-1])
        run('sha256sum', '-c', 'SHA256SUMS', cwd=work / 'packages')
        first = (work / 'packages/SHA256SUMS').read_text().splitlines()[1]
        run(arguments.root / 'scripts/make_packages', work / 'again')
        if (work / 'again/SHA256SUMS').read_text().splitlines()[1] != first:
            sys.exit('the archive differs when it is made again')

        archive = Root(bare, work / 'archive')
        run('tar', '-xzf', next((work / 'packages').glob('*.tar.gz')), '-C', archive.path / 'opt')
        folder = next((archive.path / 'opt').glob('gannet-*')).name
        archive.must_go_from_fastq_to_vcf(f'/opt/{folder}/gannet')

        package = Root(bare, work / 'package')
        shutil.copy(next((work / 'packages').glob('*.deb')), package.path / 'root/gannet.deb')
        package.run('apt-get update -qq && apt-get install -y -qq --no-install-recommends ./gannet.deb')
        package.must_go_from_fastq_to_vcf('gannet')
        package.run('apt-get purge -y -qq gannet && ! command -v gannet')

        if arguments.container:
            build, final = container_steps((arguments.root / 'workflows/containers/Dockerfile').read_text())
            builder = Root(bare, work / 'builder')
            files = run('git', 'ls-files', cwd=arguments.root).splitlines()
            run('tar', '-cf', work / 'src.tar', *files, cwd=arguments.root)
            (builder.path / 'src').mkdir()
            run('tar', '-xf', work / 'src.tar', '-C', builder.path / 'src')
            for step in build:
                builder.run(step, '/src')
            image = Root(bare, work / 'image')
            run('cp', '-a', builder.path / 'opt/gannet', image.path / 'opt/gannet')
            for step in final:
                image.run(step, '/')
            image.must_go_from_fastq_to_vcf('gannet')
            image.run('samtools quickcheck result/s.bam && bcftools view -H result/s.vcf.gz >/dev/null && ps >/dev/null || true')
    return 0


if __name__ == '__main__':
    sys.exit(main())
