# SPDX-License-Identifier: MIT
"""Reads PTX as nvcc writes it: the kernels of a file with their parameters, memory, registers and statements.

Only what nvcc makes of this project's kernels is understood: entries without calls, one file at a time. Anything else is a PtxError, which
says where. (PTX: https://docs.nvidia.com/cuda/parallel-thread-execution/)
"""
import re

BYTES = {"pred": 1, "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4,
         "b64": 8, "u64": 8, "s64": 8, "f64": 8}
ENTRY = re.compile(r"\.visible\s+\.entry\s+(\w+)\s*\(")
PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(\w+)(?:\[(\d+)\])?$")
REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.+)$", re.S)
ARRAY = re.compile(r"\.(shared|local)\s+(?:\.align\s+(\d+)\s+)?\.b8\s+(\w+)\[(\d+)\]$")
DYNAMIC = re.compile(r"\.extern\s+\.shared\s+(?:\.align\s+(\d+)\s+)?\.b8\s+(\w+)\[\]\s*;")
LABEL = re.compile(r"([$\w]+):(?!:)")
GUARDED = re.compile(r"@(!?)(\S+)\s+(.*)$", re.S)
# What a kernel may say of its launches; anything else between its parameters and its body is not understood.
LIMITS = re.compile(r"(\s|\.maxntid[\s\d,]+|\.minnctapersm\s+\d+)*$")
TARGET = re.compile(r"\.target\s+sm_(\d+)")
SPACE = re.compile(r"\s*")
SHARED_ALIGNMENT = 16


class PtxError(Exception):
    pass


class Statement:
    """An instruction: opcode with its suffixes, operands as written, and `guard`, a register or None, and whether it is negated."""

    def __init__(self, text, line, names):
        self.text, self.line, self.names = text, line, names
        self.guard, self.is_negated = None, False
        if found := GUARDED.match(text):
            self.is_negated, self.guard, text = found[1] == "!", found[2], found[3]
        self.opcode, _, rest = text.partition(" ")
        self.operands = split(rest)


class Label:
    def __init__(self, name):
        self.name = name


class Memory:
    """Arrays of one space, by name at their offsets."""

    def __init__(self):
        self.offsets, self.bytes = {}, 0

    def add(self, name, size, alignment):
        self.offsets[name] = up(self.bytes, alignment)
        self.bytes = self.offsets[name] + size


class Entry:
    def __init__(self, name, target):
        self.name, self.target = name, target
        self.parameters = Memory()
        self.parameter_sizes = []
        self.shared, self.local = Memory(), Memory()
        self.registers = {}  # C++ name -> (type, count or None)
        self.body = []       # statements and labels

    def add_register(self, kind, name, count, names):
        clean = re.sub(r"\W", "", name)
        while clean in self.registers:
            clean += "_"
        self.registers[clean] = (kind, count)
        if count is None:
            names[name] = clean
        else:
            names.update({f"{name}{k}": f"{clean}[{k}]" for k in range(count)})


def up(value, alignment):
    return (value + alignment - 1) // alignment * alignment


def split(text):
    """Operands between the commas that are not within brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


class Reader:
    def __init__(self, text, path):
        # Comments become spaces, so that lines keep their numbers.
        self.text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S)
        self.path = path

    def fail(self, at, what):
        raise PtxError(f"{self.path}:{self.text.count(chr(10), 0, at) + 1}: {what}")

    def entries(self):
        dynamic = {found[2] for found in DYNAMIC.finditer(self.text)}
        for found in re.finditer(r"\.(func|const)\b", self.text):
            self.fail(found.start(), f"{found[0]}: functions and constant memory are not understood")
        result = []
        for found in ENTRY.finditer(self.text):
            entry = Entry(found[1], int(TARGET.search(self.text)[1]))
            end = self.text.index(")", found.end())
            for parameter in split(self.text[found.end():end]):
                self.add_parameter(entry, parameter, found.start())
            begin = self.text.index("{", end)
            if not LIMITS.match(self.text[end + 1:begin]):
                self.fail(end, f"{self.text[end + 1:begin].strip()}: not understood")
            self.read_body(entry, begin + 1)
            # Behind the arrays of fixed size.
            for name in dynamic:
                entry.shared.offsets[name] = up(entry.shared.bytes, SHARED_ALIGNMENT)
            result.append(entry)
        return result

    def add_parameter(self, entry, text, at):
        found = PARAMETER.match(" ".join(text.split()))
        if not found:
            self.fail(at, f"{text}: a parameter that is not understood")
        size = BYTES[found[2]] * int(found[4] or 1)
        entry.parameters.add(found[3], size, int(found[1] or BYTES[found[2]]))
        entry.parameter_sizes.append((entry.parameters.offsets[found[3]], size))

    def read_body(self, entry, at):
        scopes = [{}]  # registers by PTX's name, innermost last
        while scopes:
            at = SPACE.match(self.text, at).end()
            if self.text[at] == "{":
                scopes.append(dict(scopes[-1]))
                at += 1
            elif self.text[at] == "}":
                scopes.pop()
                at += 1
            elif found := LABEL.match(self.text, at):
                entry.body.append(Label(found[1]))
                at = found.end()
            else:
                end = self.text.index(";", at)
                self.read_statement(entry, " ".join(self.text[at:end].split()), at, scopes[-1])
                at = end + 1

    def read_statement(self, entry, text, at, names):
        if found := REGISTERS.match(text):
            for name in split(found[2]):
                count = re.fullmatch(r"(\S+)<(\d+)>", name)
                entry.add_register(found[1], count[1] if count else name, int(count[2]) if count else None, names)
        elif found := ARRAY.match(text):
            memory = entry.shared if found[1] == "shared" else entry.local
            memory.add(found[3], int(found[4]), int(found[2] or 1))
        elif text.startswith(".") and not text.startswith(".pragma"):
            self.fail(at, f"{text}: not understood")
        elif not text.startswith("."):
            entry.body.append(Statement(text, self.text.count("\n", 0, at) + 1, names))
