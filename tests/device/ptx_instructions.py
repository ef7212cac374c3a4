# SPDX-License-Identifier: MIT
"""The PTX instructions that translate_ptx knows, and what each becomes in C++ (tests/device/operations.hpp has the functions).

In an expression {a} {b} {c} {d} are the operands behind the first, read as the type that the opcode ends with; {a:u32} is read as that type
instead, {t} is the type in C++. Its value goes to the first operand. Braces in an opcode stand for each of their words.
"""
import itertools
import re

CPP = {"pred": "bool", "b8": "uint8_t", "u8": "uint8_t", "s8": "int8_t", "b16": "uint16_t", "u16": "uint16_t", "s16": "int16_t",
       "b32": "uint32_t", "u32": "uint32_t", "s32": "int32_t", "f32": "float", "b64": "uint64_t", "u64": "uint64_t", "s64": "int64_t"}
INTEGERS = "{u16,s16,u32,s32,u64,s64}"
WORDS = "{b16,b32,b64}"

EXPRESSIONS = {
    f"add.{INTEGERS}": "sum<{t}>({a}, {b})",
    f"sub.{INTEGERS}": "difference<{t}>({a}, {b})",
    f"mul.lo.{INTEGERS}": "product<{t}>({a}, {b})",
    "mul.wide.{u16,s16,u32,s32}": "wide_product({a}, {b})",
    "mul.hi.{u32,s32,u64,s64}": "high_product({a}, {b})",
    f"mad.lo.{INTEGERS}": "sum<{t}>(product<{t}>({a}, {b}), {c})",
    "mad.wide.u32": "sum<uint64_t>(wide_product({a}, {b}), {c:u64})",
    "mad.wide.s32": "sum<int64_t>(wide_product({a}, {b}), {c:s64})",
    f"div.{INTEGERS}": "quotient({a}, {b})",
    f"rem.{INTEGERS}": "remainder({a}, {b})",
    f"min.{INTEGERS}": "lesser({a}, {b})",
    f"max.{INTEGERS}": "greater({a}, {b})",
    "neg.{s16,s32,s64}": "difference<{t}>({t}(0), {a})",
    "abs.{s16,s32,s64}": "magnitude({a})",
    # Two halves of a word.
    "add.u16x2": "in_halves({a:u32}, {b:u32}, sum<uint16_t>)",
    "min.u16x2": "in_halves({a:u32}, {b:u32}, lesser<uint16_t>)",
    "max.u16x2": "in_halves({a:u32}, {b:u32}, greater<uint16_t>)",
    # Rounded to nearest, each by itself.
    "add.rn.f32": "{a} + {b}",
    "sub.rn.f32": "{a} - {b}",
    "mul.rn.f32": "{a} * {b}",
    "fma.rn.f32": "std::fma({a}, {b}, {c})",
    # Bits.
    f"and.{WORDS}": "{t}({a} & {b})",
    f"or.{WORDS}": "{t}({a} | {b})",
    f"xor.{WORDS}": "{t}({a} ^ {b})",
    f"not.{WORDS}": "{t}(~{a})",
    "and.pred": "{a} && {b}",
    "or.pred": "{a} || {b}",
    "xor.pred": "{a} != {b}",
    "not.pred": "!{a}",
    f"shl.{WORDS}": "shifted_left({a}, {b:u32})",
    f"shr.{INTEGERS}": "shifted_right({a}, {b:u32})",
    f"shr.{WORDS}": "shifted_right({a}, {b:u32})",
    "popc.{b32,b64}": "uint32_t(std::popcount({a}))",
    "clz.{b32,b64}": "uint32_t(std::countl_zero({a}))",
    "brev.{b32,b64}": "turned({a})",
    "bfi.{b32,b64}": "inserted({a}, {b}, {c:u32}, {d:u32})",
    "prmt.b32": "permuted({a}, {b}, {c})",
    "dp4a.u32.s32": "dot_product({a:u32}, {b:u32}, {c:s32})",
    # Choices and copies.
    f"selp.{{b16,b32,b64,f32,u16,s16,u32,s32,u64,s64}}": "({c:pred} ? {a} : {b})",
    "setp.eq.{b16,b32,b64}": "{a} == {b}",
    "setp.ne.{b16,b32,b64}": "{a} != {b}",
    "mov.{pred,b16,b32,b64,u16,s16,u32,s32,u64,s64,f32}": "{a}",
    "cvta.to.global.u64": "{a}",
    "cvta.global.u64": "{a}",
    "cvta.to.local.u64": "{a}",
    "cvta.local.u64": "{a}",
    "cvta.shared.u64": "block.shared_pointer({a})",
    "cvta.to.shared.u64": "block.shared_offset({a})",
}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
EXPRESSIONS.update({f"setp.{name}.{INTEGERS}": f"{{a}} {sign} {{b}}" for name, sign in COMPARISONS.items()})
# Of numbers; where one is none, `ne` would not be C++'s.
EXPRESSIONS.update({f"setp.{name}.f32": f"{{a}} {sign} {{b}}" for name, sign in COMPARISONS.items() if name != "ne"})

# What a warp's lanes do together: kind, and its operands behind the result in the order value, first, second, mask.
TOGETHER = {
    "bar.warp.sync": ("barrier", (None, None, None, 0)),
    "vote.sync.ballot.b32": ("ballot", (1, None, None, 2)),
    "redux.sync.add.{u32,s32}": ("sum", (1, None, None, 2)),
    "shfl.sync.idx.b32": ("shuffle_index", (1, 2, 3, 4)),
    "shfl.sync.up.b32": ("shuffle_up", (1, 2, 3, 4)),
    "shfl.sync.down.b32": ("shuffle_down", (1, 2, 3, 4)),
    "shfl.sync.bfly.b32": ("shuffle_across", (1, 2, 3, 4)),
}

# Of a word in memory; `old` is what it was, `given` the operand.
ATOMICS = {
    "add.{u32,u64,s32}": "sum<{t}>(old, given)",
    "max.{u32,s32,u64}": "greater(old, given)",
    "min.{u32,s32,u64}": "lesser(old, given)",
    "or.{b32,b64}": "{t}(old | given)",
    "and.{b32,b64}": "{t}(old & given)",
    "exch.{b32,b64}": "given",
}
ACCESS = re.compile(r"(ld|st)(?:\.(global|shared|local|param))?(?:\.nc)?(?:\.v([24]))?\.([busf]\d+)$")
ATOMIC = re.compile(r"(atom|red)(?:\.relaxed\.gpu)?(?:\.(global|shared))?\.(\w+\.[bus]\d+)$")
CONVERSION = re.compile(r"cvt\.([us]\d+)\.([us]\d+)$")
JUMPS = {"bra", "bra.uni"}
ENDS = {"ret", "exit"}
SPECIAL = {"%tid.x": "lane.thread", "%tid.y": "0", "%tid.z": "0", "%ctaid.x": "block.number", "%ctaid.y": "0", "%ctaid.z": "0",
           "%ntid.x": "block.threads", "%ntid.y": "1", "%ntid.z": "1", "%nctaid.x": "block.blocks", "%nctaid.y": "1", "%nctaid.z": "1",
           "%laneid": "lane.number"}


def expanded(table):
    """A word for each choice of the words in braces."""
    result = {}
    for pattern, meaning in table.items():
        parts = re.split(r"\{([^}]*)\}", pattern)
        choices = [part.split(",") if k % 2 else [part] for k, part in enumerate(parts)]
        result.update({"".join(words): meaning for words in itertools.product(*choices)})
    return result


EXPRESSIONS, TOGETHER, ATOMICS = expanded(EXPRESSIONS), expanded(TOGETHER), expanded(ATOMICS)
