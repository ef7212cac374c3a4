#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the folder that scripts/make_dist makes: it has every library that its programs need but those of the C library, which only
the loader of the machine it runs on can serve."""
import json
import pathlib
import re
import shutil
import subprocess

import gannet_testing
from gannet_testing import program

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / 'scripts' / 'make_dist'
# Everything that glibc installs.
C_LIBRARY = re.compile(r'(ld-linux.*|lib(BrokenLocale|anl|c|c_malloc_debug|dl|m|memusage|mvec|nsl|nss_\w+|pcprofile|pthread|resolv|rt|'
                       r'thread_db|util))(-[0-9.]+)?\.so(\.[0-9]+)*')


def is_elf(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'


def dynamic(path, tag):
    text = subprocess.run(['readelf', '-d', path], capture_output=True, text=True, check=True).stdout
    return re.findall(rf'\({tag}\).*\[(.*)\]', text)


class Dist(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        for tool in ('patchelf', 'strip', 'readelf', 'ldd'):
            gannet_testing.needs_tool(tool)
        cls.dist = gannet_testing.new_folder() / 'dist'
        subprocess.run([SCRIPT, program(), cls.dist, SCRIPT.parent / 'gpu_session'], check=True, capture_output=True)

    def objects(self):
        return [path for path in self.dist.iterdir() if path.is_file() and is_elf(path)]

    def names(self):
        return {str(path.relative_to(self.dist)) for path in self.dist.rglob('*') if path.is_file()}

    def test_the_c_library_stays_out(self):
        self.assertEqual([path.name for path in self.objects() if C_LIBRARY.fullmatch(path.name)], [])

    def test_everything_else_is_in_it_and_is_taken_from_it(self):
        self.assertGreater(len(self.objects()), 3)
        for path in self.objects():
            self.assertEqual(dynamic(path, 'RUNPATH'), ['$ORIGIN'], path)
            for name in dynamic(path, 'NEEDED'):
                self.assertTrue((self.dist / name).exists() or C_LIBRARY.fullmatch(name), f'{path.name} needs {name}')
        text = subprocess.run(['ldd', self.dist / 'gannet'], capture_output=True, text=True, check=True).stdout
        for name, where in re.findall(r'(\S+) => (\S+)', text):
            if not C_LIBRARY.fullmatch(name):
                self.assertEqual(where, str(self.dist / name))

    def test_the_sbom_is_made_where_there_is_no_git(self):
        folder, tools = self.folder() / 'dist', self.folder() / 'bin'
        shutil.copytree(self.dist, folder)
        tools.mkdir()
        for tool in ('python3', 'dpkg-query'):
            if path := shutil.which(tool, path='/usr/bin'):
                (tools / tool).symlink_to(path)
        done = subprocess.run([SCRIPT.parent / 'make_sbom', folder], env={'PATH': str(tools)}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        sboms = [json.loads((made / 'sbom.spdx.json').read_text()) for made in (folder, self.dist)]
        self.assertEqual(sboms[0]['packages'], sboms[1]['packages'])
        self.assertEqual(sboms[0]['creationInfo']['created'], '1970-01-01T00:00:00Z')

    def test_the_sbom_names_every_file_with_its_package(self):
        sbom = json.loads((self.dist / 'sbom.spdx.json').read_text())
        self.assertEqual(sbom['spdxVersion'], 'SPDX-2.3')
        files = {file['fileName'].removeprefix('./'): file for file in sbom['files']}
        self.assertEqual(set(files) | {'sbom.spdx.json', 'SHA256SUMS'}, self.names())
        packages = {package['SPDXID']: package for package in sbom['packages']}
        owners = {relation['relatedSpdxElement']: packages[relation['spdxElementId']]['name'] for relation in sbom['relationships']
                  if relation['relationshipType'] == 'CONTAINS'}
        self.assertEqual({name for name, file in files.items() if file['SPDXID'] not in owners}, set())
        self.assertEqual(owners[files['libhts.so.3']['SPDXID']], 'libhts3')
        for package in sbom['packages']:
            self.assertTrue(package['versionInfo'], package)
        identifiers = [element['SPDXID'] for element in (*sbom['packages'], *sbom['files'])]
        self.assertEqual(len(identifiers), len(set(identifiers)))

    def test_checksums_are_those_of_the_files(self):
        subprocess.run(['sha256sum', '--quiet', '--strict', '-c', 'SHA256SUMS'], cwd=self.dist, check=True)
        lines = (self.dist / 'SHA256SUMS').read_text().splitlines()
        self.assertEqual({line.split('  ')[1] for line in lines} | {'SHA256SUMS'}, self.names())

    def test_it_is_the_same_when_it_is_made_again(self):
        again = gannet_testing.new_folder() / 'again'
        subprocess.run([SCRIPT, program(), again, SCRIPT.parent / 'gpu_session'], check=True, capture_output=True)
        for name in self.names():
            self.assertEqual((again / name).read_bytes(), (self.dist / name).read_bytes(), name)

    def test_man_pages_and_completions_are_in_it(self):
        for name in ('man/man1/gannet-run.1', 'bash-completion/completions/gannet', 'zsh/site-functions/_gannet', 'fish/vendor_completions.d/gannet.fish'):
            self.assertGreater((self.dist / 'share' / name).stat().st_size, 1000)

    def test_it_runs_elsewhere(self):
        moved = gannet_testing.new_folder() / 'moved'
        shutil.copytree(self.dist, moved)
        done = subprocess.run([moved / 'gannet', 'version'], capture_output=True, text=True, env={})
        self.assertEqual([done.returncode, done.stdout[:7]], [0, 'gannet '])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
