# SPDX-License-Identifier: MIT
"""Plays a loss of power from what fault_preload.cpp recorded: which files a folder may hold afterwards, and with which bytes.

What was synced (fsync) before the instant is there. Of what was not: names may be as they were, or any of the changes may have survived, in order
(as file systems with a journal have it) or not; bytes may be missing, or there in part, with zeros between them. POSIX promises no more than that.
"""
import dataclasses
import os

#: Which changes of names survive that no fsync of the folder covers.
NAMES = ('none', 'all', 'first', 'any')


@dataclasses.dataclass(eq=False)
class File:
    before: bytes = b''
    changes: list = dataclasses.field(default_factory=list)  # (event, 'write', offset, bytes) and (event, 'truncate', size)
    syncs: list = dataclasses.field(default_factory=list)  # (event that began it, event that ended it)

    def content(self, instant, keeps):
        """The bytes after a loss of power before event `instant`; `keeps(change)` says of those that were not synced whether they survive."""
        synced = max((begin for begin, end in self.syncs if end < instant), default=-1)
        data = bytearray(self.before)
        for event, kind, at, *rest in self.changes:
            if event >= instant or (event > synced and not keeps(event)):
                continue
            if kind == 'truncate':
                data = data[:at] + bytes(max(0, at - len(data)))
            else:
                data += bytes(max(0, at - len(data)))
                data[at:at + len(rest[0])] = rest[0]
        return bytes(data)


class Folder:
    pass


class History:
    """What happened under a folder, from `snapshot(folder)` and the record of a run that followed it."""

    def __init__(self, before, record):
        self.names = dict(before['names'])  # path -> File or Folder, at the beginning
        self.numbers = dict(before['numbers'])
        self.changes = []  # (event, folder, {path: File, Folder or None})
        self.syncs = []  # (event that began it, event that ended it, folder)
        self.count = 0
        self._current, self._folders, self._begun = dict(self.names), dict(before['folders']), {}
        self._read(record)

    def _read(self, record):
        with open(record, 'rb') as file:
            for line in file:
                word, *rest = line.decode().rstrip('\n').split(' ')
                getattr(self, '_' + word.replace('-', '_'))(file, *rest)
                self.count += 1

    def _change(self, names):
        folder = os.path.dirname(next(iter(names)))
        self.changes.append((self.count, folder, names))
        for path, what in names.items():
            if what is None:
                self._current.pop(path, None)
            else:
                self._current[path] = what

    def _file(self, number):
        return self.numbers.setdefault(number, File())

    def _create(self, _, number, path):
        self._folders.pop(number, None)  # numbers are used again
        self.numbers[number] = File()
        self._change({path: self.numbers[number]})

    def _write(self, file, number, offset, size):
        self._file(number).changes.append((self.count, 'write', int(offset), file.read(int(size))))

    def _truncate(self, _, number, size):
        self._file(number).changes.append((self.count, 'truncate', int(size)))

    def _mkdir(self, _, number, path):
        self._folders[number] = path
        self._change({path: Folder()})

    def _rename(self, _, source, target):
        self._change({target: self._current.get(source), source: None})

    def _remove(self, _, path):
        self._change({path: None})

    def _sync_begin(self, _, number):
        self._begun[number] = self.count

    def _sync_end(self, _, number):
        if number in self._folders:
            self.syncs.append((self._begun[number], self.count, self._folders[number]))
        else:
            self._file(number).syncs.append((self._begun[number], self.count))

    def after_loss(self, instant, names, random):
        """{path: bytes, or None for a folder} after a loss of power before event `instant`."""
        pending, found = [], dict(self.names)
        for event, folder, change in self.changes:
            if event >= instant:
                break
            safe = any(begin > event and end < instant and synced == folder for begin, end, synced in self.syncs)
            pending.append((safe, change))
        open_changes = sum(not safe for safe, _ in pending)
        survive = {'none': 0, 'all': open_changes}.get(names, random.randint(0, open_changes))
        for safe, change in pending:
            if not safe:
                if names == 'any' and random.random() < 0.5:
                    continue
                if names != 'any' and survive == 0:
                    continue
                survive -= 1
            for path, what in change.items():
                if what is None:
                    found.pop(path, None)
                else:
                    found[path] = what
        chance = random.choice((0, 0.5, 1))
        made = {path for _, _, change in self.changes for path, what in change.items() if isinstance(what, Folder)}
        result = {}
        for path in sorted(found):
            if os.path.dirname(path) in made and os.path.dirname(path) not in result:
                continue  # the folder was lost
            result[path] = None if isinstance(found[path], Folder) else found[path].content(instant, lambda _: random.random() < chance)
        return result


def snapshot(folder):
    """What History begins with: the files and folders under a folder."""
    before = {'names': {}, 'numbers': {}, 'folders': {str(os.stat(folder).st_ino): str(folder)}}
    for root, folders, files in os.walk(folder):
        for name in files:
            path = os.path.join(root, name)
            with open(path, 'rb') as file:
                before['names'][path] = before['numbers'][str(os.stat(path).st_ino)] = File(file.read())
        for name in folders:
            path = os.path.join(root, name)
            before['names'][path] = Folder()
            before['folders'][str(os.stat(path).st_ino)] = path
    return before


def restore(folder, state):
    """Makes the folder hold what `after_loss` gave, and nothing else. The folder itself stays."""
    for root, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(os.path.join(root, name))
        for name in folders:
            os.rmdir(os.path.join(root, name))
    for path, content in state.items():
        if content is None:
            os.mkdir(path, 0o700)
        else:
            with open(path, 'wb') as file:
                file.write(content)
