# SPDX-License-Identifier: MIT
"""Provides seeded damage to the bytes of a file: the same seed gives the same mutant.

  mutant(data, chance)              one mutation of any bytes
  text_mutant(data, chance)         one that also knows lines, columns and numbers
  bgzf_mutant(data, chance)         damage below the compression: the payload is changed and compressed again with right checksums
"""
import struct
import zlib

END_OF_FILE = bytes.fromhex('1f8b08040000000000ff0600424302001b0003000000000000000000')
BLOCK_BYTES = 0xff00
NUMBERS = [0, 1, 2, 3, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


def bgzf_block(payload, level=6):
    engine = zlib.compressobj(level, zlib.DEFLATED, -15)
    packed = engine.compress(payload) + engine.flush()
    head = b'\x1f\x8b\x08\x04' + bytes(5) + b'\xff\x06\x00BC\x02\x00' + struct.pack('<H', len(packed) + 25)
    return head + packed + struct.pack('<II', zlib.crc32(payload), len(payload))


def bgzf(payload, block_bytes=BLOCK_BYTES):
    blocks = [bgzf_block(payload[at:at + block_bytes]) for at in range(0, len(payload), block_bytes)]
    return b''.join(blocks) + END_OF_FILE


def block_offsets(data):
    """Where BGZF blocks begin, and the end; [0, end] of anything else."""
    offsets = [0]
    while offsets[-1] + 18 <= len(data) and data[offsets[-1]:offsets[-1] + 4] == b'\x1f\x8b\x08\x04':
        offsets.append(offsets[-1] + struct.unpack_from('<H', data, offsets[-1] + 16)[0] + 1)
    return offsets if offsets[-1] == len(data) else [0, len(data)]


def span(data, chance, longest=64):
    begin = chance.randrange(len(data))
    return begin, min(len(data), begin + chance.randint(1, longest))


def truncate(data, chance):
    return data[:chance.randrange(len(data))]


def truncate_at_block(data, chance):
    return data[:chance.choice(block_offsets(data)[:-1])]


def truncate_little(data, chance):
    return data[:-chance.randint(1, min(64, len(data)))]


def flip_bit(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]


def flip_bits(data, chance):
    for _ in range(chance.randint(2, 20)):
        data = flip_bit(data, chance)
    return data


def flip_early_bit(data, chance):
    """Headers are small, and decide most."""
    head = data[:200]
    return flip_bit(head, chance) + data[200:]


def insert(data, chance):
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.randbytes(chance.randint(1, 64)) + data[at:]


def append(data, chance):
    return data + chance.choice([b'\0', b'\n', bytes(64), chance.randbytes(40), data[:len(data) // 2], data])


def delete(data, chance):
    begin, end = span(data, chance)
    return data[:begin] + data[end:]


def repeat(data, chance):
    begin, end = span(data, chance, 300)
    return data[:end] + data[begin:end] + data[end:]


def zero(data, chance):
    begin, end = span(data, chance, 200)
    return data[:begin] + bytes(end - begin) + data[end:]


def swap_blocks(data, chance):
    offsets = block_offsets(data)
    blocks = [data[a:b] for a, b in zip(offsets, offsets[1:])]
    if len(blocks) < 3:
        size = max(1, len(data) // 8)
        blocks = [data[at:at + size] for at in range(0, len(data), size)]
    i, k = chance.randrange(len(blocks)), chance.randrange(len(blocks))
    blocks[i], blocks[k] = blocks[k], blocks[i]
    return b''.join(blocks)


def set_field(data, chance):
    """A little-endian number of 1 to 8 bytes becomes one that lengths and counts trip over."""
    size = chance.choice([1, 2, 4, 4, 4, 8])
    if len(data) < size:
        return truncate(data, chance)
    at = chance.randrange(len(data) - size + 1)
    if chance.random() < 0.5:
        at = min(at, 4 * chance.randrange(64)) if len(data) > 256 + size else at
    old = int.from_bytes(data[at:at + size], 'little')
    new = chance.choice([*NUMBERS, old + 1, old - 1, old * 2]) % (1 << 8 * size)
    return data[:at] + new.to_bytes(size, 'little') + data[at + size:]


BYTE_MUTATIONS = [truncate, truncate_at_block, truncate_little, flip_bit, flip_bit, flip_bit, flip_bits, flip_early_bit, insert, append, delete,
                  repeat, zero, swap_blocks, set_field, set_field, set_field]


def mutant(data, chance):
    if not data:
        return chance.randbytes(chance.randint(1, 64))
    return chance.choice(BYTE_MUTATIONS)(data, chance)


# --- Text -----------------------------------------------------------------------------------------------------------------------


def change_line(data, chance):
    lines = data.split(b'\n')
    at = chance.randrange(len(lines))
    action = chance.choice(['delete', 'repeat', 'join', 'swap', 'empty', 'return'])
    if action == 'delete':
        del lines[at]
    elif action == 'repeat':
        lines.insert(at, lines[at])
    elif action == 'join' and at + 1 < len(lines):
        lines[at:at + 2] = [lines[at] + lines[at + 1]]
    elif action == 'swap':
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif action == 'empty':
        lines[at] = b''
    else:
        lines[at] += b'\r'
    return b'\n'.join(lines)


def change_column(data, chance):
    lines = data.split(b'\n')
    at = chance.randrange(len(lines))
    columns = lines[at].split(b'\t')
    column = chance.randrange(len(columns))
    columns[column] = chance.choice([b'', b'.', b'*', b'-1', b'0', b'1e9', b'nan', b' ', b'\0', b'\xff', columns[column] + b'x', columns[column] * 2,
                                     str(chance.choice(NUMBERS)).encode()])
    if chance.random() < 0.2:
        del columns[column]
    lines[at] = b'\t'.join(columns)
    return b'\n'.join(lines)


def change_letter(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.choice(b'\0\t\n\r !#*+,-./0159:;<=>@ACGTNacgtn[]_|~\x7f\x80\xff')]) + data[at + 1:]


def text_mutant(data, chance):
    if not data or chance.random() < 0.4:
        return mutant(data, chance)
    return chance.choice([change_line, change_column, change_letter])(data, chance)


# --- BGZF -----------------------------------------------------------------------------------------------------------------------


def bgzf_mutant(data, chance, change=mutant):
    offsets = block_offsets(data)
    payload = b''.join(zlib.decompress(data[a + 18:b - 8], -15) for a, b in zip(offsets, offsets[1:]))
    return bgzf(change(payload, chance), chance.choice([BLOCK_BYTES, 1000]))
