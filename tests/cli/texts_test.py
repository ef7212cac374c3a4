#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what gannet writes of its own options: man pages, completions of shells and docs/options.md, as they are installed."""
import functools
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

import gannet_testing
from gannet_testing import ROOT, program, run

COMMANDS = ['run', 'align', 'sort', 'markdup', 'call', 'index', 'scatter', 'simulate', 'compare', 'examples', 'evaluate-model', 'joint', 'report', 'bench', 'devices', 'version']
HIDDEN = 'write-texts'


@functools.cache
def share():
    """share/ of a prefix: that of `cmake --install` of the build the program is of, else written by the program itself."""
    prefix = gannet_testing.new_folder()
    build = pathlib.Path(program()).resolve().parents[1]
    if (build / 'cmake_install.cmake').exists() and shutil.which('cmake'):
        subprocess.run(['cmake', '--install', build, '--prefix', prefix], check=True, capture_output=True)
    else:
        run(HIDDEN, prefix / 'share')
    return prefix / 'share'


def long_options(command):
    """Those of the help text."""
    return set(re.findall(r'(?m)^ +(?:-\S,)*(--[a-z][-a-z]+)', run('help', *command.split(), env={'COLUMNS': 200}).stdout))


class Shell:
    """An interactive bash on a terminal, with the completion loaded."""

    def __init__(self, folder):
        self.ours, theirs = pty.openpty()
        env = {'PATH': os.environ['PATH'], 'TERM': 'dumb', 'PS1': 'READY> ', 'COLUMNS': '400', 'INPUTRC': '/dev/null', 'HISTFILE': ''}
        self.process = subprocess.Popen(['bash', '--norc', '--noprofile', '-i'], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=env,
                                        start_new_session=True)
        os.close(theirs)
        self.count = 0
        self.type("bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'; "
                  f"bind 'set enable-bracketed-paste off'; stty columns 400; source '{share()}/bash-completion/completions/gannet'; echo LOAD''ED\n", 'LOADED')

    def type(self, text, until):
        """What is shown up to the prompt behind `until`: from then on the shell reads keys."""
        os.write(self.ours, text.encode())
        deadline = time.time() + 30
        shown = b''
        wanted = f'{until}\r\nREADY> '.encode()
        while wanted not in shown and time.time() < deadline:
            if select.select([self.ours], [], [], 1)[0]:
                shown += os.read(self.ours, 65536)
        assert wanted in shown, shown
        return shown.decode(errors='replace')

    def complete(self, line):
        """The words that a tab after `line` shows or adds; then the line is dropped, and a command shows that the tab is done with."""
        self.count += 1
        shown = self.type(f"{line}\t\x15echo DO''NE{self.count}\n", f'DONE{self.count}')
        return shown.partition("echo DO''NE")[0].replace('\x07', '')

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.ours)


class Bash(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        gannet_testing.needs_tool('bash')
        cls.place = gannet_testing.new_folder()
        for name in ('reads one.fq.gz', 'reads_2.fq.gz', 'ref.fa'):
            (cls.place / name).write_text('')
        (cls.place / 'out').mkdir()
        cls.shell = Shell(cls.place)

    @classmethod
    def tearDownClass(cls):
        cls.shell.close()

    def offered(self, line):
        return set(self.shell.complete(line)[len(line):].split())

    def test_commands_are_offered(self):
        self.assertLessEqual(set(COMMANDS), self.offered('gannet '))
        self.assertNotIn(HIDDEN, self.offered('gannet '))
        self.assertLessEqual(set(COMMANDS), self.offered('gannet help '))
        self.assertTrue(self.shell.complete('gannet sim').startswith('gannet simulate '))

    def test_options_are_those_of_the_command(self):
        for command in ('run', 'call', 'bench compare'):
            self.assertLessEqual(long_options(command) | {'-o'}, self.offered(f'gannet {command} -'), command)
        self.assertNotIn('--lane', self.offered('gannet call --'))

    def test_values_of_an_enumeration_are_offered(self):
        backends = {'auto', 'cuda', 'simd', 'reference', 'emulated'}
        self.assertEqual(self.offered('gannet run ref.fa --backend ') & {*backends, 'reads_2.fq.gz'}, backends)
        self.assertEqual(self.offered('gannet run ref.fa --backend=') & {*backends, 'reads_2.fq.gz'}, backends)
        self.assertTrue(self.shell.complete('gannet align --format cr').startswith('gannet align --format cram '))
        self.assertLessEqual({'cpu', 'wall'}, self.offered('gannet bench compare --by '))
        self.assertLessEqual({'read', 'compare'}, self.offered('gannet bench '))
        self.assertTrue(self.shell.complete('gannet help bench ').startswith('gannet help bench compare'))
        self.assertLessEqual({'clean', 'pcr-free', 'pcr', 'old'}, self.offered('gannet simulate --library '))
        self.assertIn('--library ref.fa', self.shell.complete('gannet simulate --library ref'))

    def test_files_and_folders_are_completed(self):
        self.assertTrue(self.shell.complete('gannet run re').startswith('gannet run re'))
        self.assertIn('gannet run ref.fa', self.shell.complete('gannet run ref'))
        self.assertIn(r'gannet run ref.fa reads\ one.fq.gz', self.shell.complete('gannet run ref.fa reads\\ '))
        self.assertIn('gannet run -o out/', self.shell.complete('gannet run -o '))
        self.assertIn('--lane reads_2.fq.gz,ref.fa', self.shell.complete('gannet run --lane reads_2.fq.gz,ref'))
        self.assertNotIn('ref.fa', self.offered('gannet run --threads '))


class OtherShells(gannet_testing.Case):
    def test_fish_offers_commands_options_and_values(self):
        gannet_testing.needs_tool('fish')
        script = share() / 'fish/vendor_completions.d/gannet.fish'

        def offered(line):
            done = subprocess.run(['fish', '--no-config', '-c', f'source {script}; complete -C "{line}"'], capture_output=True, text=True, check=True, cwd=ROOT,
                                  env={**os.environ, 'HOME': str(gannet_testing.new_folder())})
            return {entry.split('\t')[0] for entry in done.stdout.splitlines()}
        self.assertLessEqual(set(COMMANDS), offered('gannet '))
        self.assertLessEqual(long_options('run'), offered('gannet run --'))
        self.assertNotIn('--lane', offered('gannet call --'))
        self.assertEqual(offered('gannet call ref.fa --backend '), {'auto', 'cuda', 'simd', 'reference', 'emulated'})
        self.assertEqual(long_options('bench compare'), offered('gannet bench compare --'))
        self.assertEqual(offered('gannet bench compare --b'), {'--base', '--by'})
        self.assertEqual(offered('gannet help bench '), {'compare'})
        self.assertEqual(offered('gannet help call '), set())
        self.assertLessEqual({'clean', 'pcr-free', 'pcr', 'old', 'tests/'}, offered('gannet simulate --library '))

    def test_zsh_loads_the_function_and_offers_options(self):
        gannet_testing.needs_tool('zsh')
        folder = gannet_testing.new_folder()
        script = f'''
            zmodload zsh/zpty
            zpty -b z zsh -f -i
            zpty -w z "fpath=({share()}/zsh/site-functions \\$fpath); autoload -Uz compinit; compinit -u -D; PS1=; stty columns 300; LISTMAX=1000; bindkey '^I' complete-word; print RE''ADY"
            zpty -r z text '*READY*'
            zpty -w -n z $'gannet call --b\\t\\t'
            zpty -r z more '*--base-qualities*'; text+=$more
            zpty -w -n z $'\\C-u'; zpty -w -n z $'gannet align ref.fa --format \\t\\t'
            zpty -r z more '*cram*sam*'; text+=$more
            print -r -- $text
        '''
        done = subprocess.run(['zsh', '-f', '-c', script], capture_output=True, text=True, cwd=folder, timeout=60, env={**os.environ, 'HOME': str(folder), 'TERM': 'dumb'})
        self.assertIn('--backend', done.stdout)
        self.assertIn('--base-qualities', done.stdout)
        self.assertNotIn('--batch-bases', done.stdout)  # is hidden
        self.assertRegex(done.stdout, r'sam|bam|cram')


class ManPages(gannet_testing.Case):
    def pages(self):
        return sorted((share() / 'man/man1').glob('*.1'))

    def test_every_command_has_a_page(self):
        names = ['gannet', *(f'gannet-{name}' for name in COMMANDS), 'gannet-bench-compare']
        self.assertEqual([page.name for page in self.pages()], sorted(f'{name}.1' for name in names))

    def test_man_has_no_warning(self):
        gannet_testing.needs_tool('man')
        for page in self.pages():
            done = subprocess.run(['man', '--warnings', '-l', page], capture_output=True, text=True, env={**os.environ, 'MANWIDTH': '80', 'LC_ALL': 'C.UTF-8'})
            self.assertEqual([done.returncode, done.stderr], [0, ''], page)

    def test_no_line_is_wider_than_the_page(self):
        gannet_testing.needs_tool('man')
        for page in self.pages():
            text = subprocess.run(['man', '-l', page], capture_output=True, text=True, check=True, env={**os.environ, 'MANWIDTH': '80', 'LC_ALL': 'C.UTF-8'}).stdout
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, (page.name, line))

    def test_mandoc_finds_no_fault(self):
        gannet_testing.needs_tool('mandoc')
        for page in self.pages():
            done = subprocess.run(['mandoc', '-Tlint', '-Wwarning', page], capture_output=True, text=True)
            self.assertEqual(done.stdout, '', page)

    def test_a_page_says_what_help_says(self):
        gannet_testing.needs_tool('man')
        for command in ('run', 'call', 'bench compare'):
            page = share() / 'man/man1' / f'gannet-{command.replace(" ", "-")}.1'
            text = subprocess.run(['man', '-l', page], capture_output=True, text=True, check=True, env={**os.environ, 'MANWIDTH': '1000', 'LC_ALL': 'C.UTF-8'}).stdout
            shown = ' '.join(re.sub('.\b', '', text).split())
            for entry in run('help', *command.split(), env={'COLUMNS': 10000}).stdout.splitlines():
                if found := re.match(r'  -.*?  +(\S.*)$', entry):
                    self.assertIn(' '.join(found[1].split()), shown)
        text = subprocess.run(['man', '-l', share() / 'man/man1/gannet.1'], capture_output=True, text=True, check=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'}).stdout
        self.assertIn('reference mismatch', text)


class Documents(gannet_testing.Case):
    def test_options_md_is_what_the_program_writes(self):
        self.assertEqual((ROOT / 'docs' / 'options.md').read_text(), (share() / 'doc/gannet/options.md').read_text(), 'run scripts/update_options')

    def test_citation_names_the_version(self):
        text = (ROOT / 'CITATION.cff').read_text()
        self.assertIn(f'\nversion: {(ROOT / "VERSION").read_text().strip()}\n', text)
        for key in ('cff-version', 'message', 'title', 'authors', 'license'):
            self.assertRegex(text, rf'(?m)^{key}:')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
