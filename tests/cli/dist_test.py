#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the folder that scripts/make_dist makes: it has every library that its programs need but those of the C library, which only
the loader of the machine it runs on can serve."""
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
