#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a run shows on a terminal: a view of two lines that are redrawn below the messages, whole at any width, and nothing of it at the end, after an error
or an interruption. The terminal is a pseudo-terminal, and what would be seen is made from the bytes that the run writes to it.
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios

import gannet_testing
from gannet_testing import program, simulated

FIRST = re.compile(r'^\[gannet\] (align|call|mark duplicates|measure sample|verify index): ')
SECOND = re.compile(r'^\[gannet\] memory [\d.]+ [MG]B of [\d.]+ [MG]B(; batches |; in |$)')


class Screen:
    """What a terminal shows: rows above the cursor stay, lines that are too long go on in the next row. Knows the control sequences that a run may use, and refuses
    all others. When it becomes narrower, rows are broken (as GNOME's terminal does) or cut (as xterm does)."""

    def __init__(self, columns, breaks=True):
        self.columns, self.breaks = columns, breaks
        self.rows, self.row, self.column = [''], 0, 0
        self.pending = ''

    def resize(self, columns):
        if columns < self.columns:
            rows, at = [], 0
            for number, row in enumerate(self.rows):
                if number == self.row:
                    at = len(rows) + (max(len(row) - 1, 0) // columns if self.breaks else 0)
                rows += [row[i:i + columns] for i in range(0, max(len(row), 1), columns)] if self.breaks else [row[:columns]]
            self.rows, self.row = rows, at
            self.column = min(len(rows[at]), columns - 1)
        self.columns = columns

    def write(self, text):
        text = self.pending + text
        self.pending = ''
        at = 0
        while at < len(text):
            letter = text[at]
            if letter == '\x1b':
                found = re.match(r'\x1b\[(\d*)([A-Za-z])', text[at:])
                if not found:
                    assert len(text) - at < 6, repr(text[at:at + 20])
                    self.pending = text[at:]
                    return
                assert found.group() in ('\x1b[K', '\x1b[A'), repr(found.group())
                if found.group(2) == 'K':
                    self.rows[self.row] = self.rows[self.row][:self.column]
                else:
                    assert self.row > 0, 'above the first row'
                    self.row -= 1
                at += len(found.group())
                continue
            at += 1
            if letter == '\r':
                self.column = 0
            elif letter == '\n':
                self.down()
            else:
                if self.column == self.columns:
                    self.down()
                    self.column = 0
                row = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = row[:self.column] + letter + row[self.column + 1:]
                self.column += 1

    def down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append('')


class Terminal:
    """Runs gannet with standard error on a terminal that it controls. `seen`: the rows at each moment at which it had written."""

    def __init__(self, *words, columns=80, breaks=True, env=None, using=None):
        self.screen = Screen(columns, breaks)
        self.seen, self.raw = [], ''
        self.master, slave = pty.openpty()
        self.size(columns)
        environment = gannet_testing.environment({'TERM': 'xterm', **(env or {})})
        self.process = subprocess.Popen([str(word) for word in (using or program(), *words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                                        env=environment, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0))
        os.close(slave)

    def size(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))

    def resize(self, columns):
        self.size(columns)
        self.screen.resize(columns)

    def read(self, until=lambda: False):
        """Up to the end, or until the condition holds."""
        while not until():
            ready, _, _ = select.select([self.master], [], [], 300)
            assert ready, 'nothing was written for five minutes'
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the other side is closed
                data = b''
            if not data:
                break
            text = data.decode()
            self.raw += text
            self.screen.write(text)
            self.seen.append(list(self.screen.rows))
        return self

    def end(self):
        self.read()
        code = self.process.wait()
        os.close(self.master)
        return code

    def shows_both(self):
        rows = self.screen.rows
        return self.screen.row > 0 and bool(FIRST.match(rows[self.screen.row - 1])) and bool(SECOND.match(rows[self.screen.row]))


def sample():
    return simulated(2.2, 30, 7)


class LiveView(gannet_testing.Case):
    def command(self, *words):
        return 'run', sample().reference, *sample().reads, '-o', self.folder() / 'out', '--sample', 'S', '-t', 1, '--no-scorer', *words

    def without_times(self, rows):
        return [re.sub(r'[\d.]+', '0', row) for row in rows if row]

    def assert_no_view(self, rows):
        self.assertEqual([row for row in rows if FIRST.match(row) or SECOND.match(row) or re.search(r' elapsed(, [\d:]+ left)?$|\[gannet\] memory ', row)], [])

    def test_two_lines_are_redrawn_below_the_messages(self):
        terminal = Terminal(*self.command(), columns=80)
        self.assertEqual(terminal.end(), 0)
        views = [tuple(row for row in rows if FIRST.match(row) or SECOND.match(row)) for rows in terminal.seen]
        whole = [view for view in views if len(view) == 2]
        self.assertGreaterEqual(len(whole), 2)
        self.assertLessEqual(max(len(view) for view in views), 2)
        self.assertEqual([view for view in views if len(view) == 1 and SECOND.match(view[0])], [])
        self.assertEqual([view for view in whole if not (FIRST.match(view[0]) and SECOND.match(view[1]))], [])
        self.assertTrue(any(re.search(r'align: \d+ %, [\d.]+ k? ?reads, [\d.]+ k?/s, \d:\d\d elapsed', view[0]) for view in whole), whole)
        self.assertTrue(any(re.search(r'; batches align \d/\d(; in |$)', view[1]) for view in whole), whole)
        self.assertTrue(any(re.search(r'; in (align|sort)\.\w+', view[1]) for view in whole), whole)
        self.assertTrue(any(view[0].startswith('[gannet] call: ') for view in whole), whole[-5:])
        self.assertLessEqual(max(len(row) for rows in terminal.seen for row in rows if FIRST.match(row) or SECOND.match(row)), 79)
        self.assert_no_view(terminal.screen.rows)
        # The messages are those of a run without a terminal.
        plain = gannet_testing.run(*self.command()).stderr.splitlines()
        shown = ''.join(row if len(row) == 80 else row + '\n' for row in terminal.screen.rows).splitlines()
        strip = [re.sub(r'/\S+', 'PATH', line) for line in self.without_times(plain)]
        self.assertEqual([re.sub(r'/\S+', 'PATH', line) for line in self.without_times(shown)], strip)

    def test_no_message_is_lost_when_the_terminal_changes_its_width(self):
        for breaks in (True, False):
            terminal = Terminal(*self.command(), columns=100, breaks=breaks)
            for columns in (60, 200, 30, 80):
                terminal.read(until=terminal.shows_both)
                before = [row for row in terminal.screen.rows[:terminal.screen.row - 1]]
                terminal.resize(columns)
                count = len(terminal.seen)
                terminal.read(until=lambda: len(terminal.seen) > count + 2)
                if breaks and columns < 100:
                    before = [row[i:i + columns] for row in before for i in range(0, max(len(row), 1), columns)]
                elif columns < 100:
                    before = [row[:columns] for row in before]
                self.assertEqual(terminal.screen.rows[:len(before)], before, columns)
            self.assertEqual(terminal.end(), 0)
            self.assertIsNone(FIRST.match(terminal.screen.rows[terminal.screen.row]))

    def test_interruption_leaves_its_message_alone(self):
        terminal = Terminal(*self.command(), columns=80)
        terminal.read(until=terminal.shows_both)
        os.write(terminal.master, b'\x03')
        self.assertEqual(terminal.end(), 130)
        self.assert_no_view(terminal.screen.rows)
        last = [row for row in terminal.screen.rows if row][-1]
        self.assertRegex(last, r'^gannet: stopped by ')

    def test_error_stands_in_a_line_of_its_own(self):
        broken = self.folder() / 'r.fq'
        text = gannet_testing.content(sample().reads[0])
        broken.write_bytes(text + b'@last\nACGT\n+\n')
        terminal = Terminal('align', sample().reference, broken, '-o', self.folder() / 'x.bam', '-t', 1)
        terminal.read(until=terminal.shows_both)
        self.assertEqual(terminal.end(), 3)
        self.assert_no_view(terminal.screen.rows)
        self.assertEqual(len([row for row in terminal.screen.rows if row.startswith('gannet: error: ')]), 1)

    def test_nothing_is_drawn_where_it_is_not_wanted_or_not_seen(self):
        for words, env in ((['--quiet'], {}), (['--log-json'], {}), ([], {'TERM': 'dumb'})):
            terminal = Terminal(*self.command(*words), env=env)
            self.assertEqual(terminal.end(), 0)
            self.assertNotIn('\x1b', terminal.raw)
            self.assert_no_view(terminal.raw.splitlines())
        self.assertNotIn('\x1b', gannet_testing.run(*self.command()).stderr)

    def test_nothing_is_drawn_from_the_background(self):
        words = ' '.join(str(word) for word in (program(), *self.command()))
        terminal = Terminal('-c', f'set -m; {words} & wait $!', using='bash')
        self.assertEqual(terminal.end(), 0)
        self.assertIn('reads', terminal.raw)
        self.assertNotIn('\x1b', terminal.raw)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
