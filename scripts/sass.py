# SPDX-License-Identifier: MIT
"""Reads the loops of kernels out of a cubin for sm_90, without NVIDIA's disassembler, which the toolkit's smaller packages lack.

An instruction has 16 bytes, its opcode the lowest 12 bits. A branch (0x947) has its target relative to the next instruction: bits 16 to 23
below bits 34 to 81, signed, in words of 4 bytes. A loop is a branch back and what it goes back over; an inner one has no other within.
"""
import struct

INSTRUCTION_BYTES = 16
BRANCH = 0x947


def sections(elf):
    """(name, bytes) of an ELF file of 64 bits."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + k * size) for k in range(count)]
    for name, _, _, _, offset, length in headers:
        begin = headers[names][4] + name
        yield elf[begin:elf.index(b"\0", begin)].decode(), elf[offset:offset + length]


def inner_loops(code):
    """Instructions of each inner loop, from the first to the branch back."""
    loops = []
    for at in range(0, len(code), INSTRUCTION_BYTES):
        bits = int.from_bytes(code[at:at + INSTRUCTION_BYTES], "little")
        if bits & 0xfff != BRANCH:
            continue
        high = bits >> 34 & (1 << 48) - 1
        distance = (high - (1 << 48) if high >> 47 else high) << 8 | bits >> 16 & 0xff
        target = at + INSTRUCTION_BYTES + distance * 4
        if 0 <= target < at:
            loops.append((target, at))
    inner = [one for one in loops if not any(other != one and one[0] <= other[0] and other[1] <= one[1] for other in loops)]
    return [(end - begin) // INSTRUCTION_BYTES + 1 for begin, end in inner]


def loops_of(path):
    """Inner loops of each kernel, by mangled name."""
    with open(path, "rb") as file:
        elf = file.read()
    prefix = ".text."
    return {name[len(prefix):]: inner_loops(code) for name, code in sections(elf) if name.startswith(prefix)}
