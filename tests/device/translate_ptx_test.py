#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What translate_ptx makes of PTX that it knows and of PTX that it does not."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent / "translate_ptx"
KERNEL = """
.version 9.0
.target sm_80
.address_size 64
{before}
.visible .entry a_kernel(
    .param .u64 a_kernel_param_0,
    .param .align 8 .b8 a_kernel_param_1[12]
)
.maxntid 128, 1, 1
{{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .shared .align 4 .b8 words[20];
{body}
    ret;
}}
"""


class Translation(unittest.TestCase):
    def translated(self, body, before=""):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "in.ptx"), pathlib.Path(folder, "out.cpp")
            source.write_text(KERNEL.format(body=body, before=before))
            done = subprocess.run([sys.executable, PROGRAM, source, target], capture_output=True, text=True)
            return done, target.read_text() if target.exists() else None

    def lines(self, body):
        done, text = self.translated(body)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.strip() for line in text.splitlines()]

    def refused(self, body, *said, before=""):
        done, text = self.translated(body, before)
        self.assertEqual((done.returncode, text), (1, None))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for each in said:
            self.assertIn(each, done.stderr)

    def test_known_instructions_are_translated(self):
        lines = self.lines("add.s32 %r1, %r2, -1;\n@!%p1 mov.u32 %r3, words;\nld.param.u64 %rd1, [a_kernel_param_1+4];")
        self.assertIn("put(R.r[1], sum<int32_t>(as<int32_t>(R.r[2]), as<int32_t>(0xffffffffffffffffu)));", lines)
        self.assertIn("if (!R.p[1]) { put(R.r[3], as<uint32_t>(0u)); }", lines)
        self.assertIn("{ const uint8_t* const at = loaded<Space::param, 8>(block, lane, uint64_t(block.parameter_pointer(8)) + 4); "
                      "put(R.rd[1], get<uint64_t>(at + 0)); }", lines)

    def test_kernel_has_its_layout(self):
        lines = self.lines("")
        self.assertTrue(any('add_kernel({"a_kernel", 80, {{0, 8}, {8, 12}}, 20, 32, 0, ' in line for line in lines), lines)

    def test_lanes_can_stop_at_loops(self):
        lines = self.lines("again:\nadd.s32 %r1, %r1, 1;\n@%p1 bra again;\n@%p2 bra.uni behind;\nbehind:")
        self.assertEqual(sum("lane.pauses()" in line for line in lines), 1)

    def test_basic_blocks_are_counted(self):
        lines = self.lines("mov.u32 %r1, 1;\nagain:\nadd.s32 %r1, %r1, 1;\n@%p1 bra again;\nbar.warp.sync -1;\nst.shared.u32 [words+4], %r1;")
        # From the beginning; from the label; behind the jump, with the barrier; behind that.
        self.assertIn("[[maybe_unused]] constexpr uint16_t block_sizes0[] = {1, 2, 1, 2};", lines)
        self.assertEqual([line for line in lines if line.startswith("GANNET_VISIT")], [f"GANNET_VISIT({k});" for k in range(4)])
        self.assertTrue(any("GANNET_ACCESS(Space::shared, " in line and "uint64_t(0u) + 4, 4); store<Space::shared" in line for line in lines), lines)

    def test_registers_of_inner_blocks_hide_others(self):
        lines = self.lines("{\n.reg .b32 t;\nmov.u32 t, 1;\n}\n{\n.reg .b32 t;\nmov.u32 t, 2;\n}")
        self.assertIn("put(R.t, as<uint32_t>(0x1u));", lines)
        self.assertIn("put(R.t_, as<uint32_t>(0x2u));", lines)

    def test_unknown_instruction_is_refused(self):
        self.refused("sin.approx.f32 %r1, %r2;", "in.ptx: a_kernel, line ", "an instruction that is not known: sin.approx.f32 %r1, %r2")
        self.refused("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "an instruction that is not known")
        self.refused("bar.sync 0;", "an instruction that is not known")
        self.refused("setp.ne.f32 %p1, %r1, %r2;", "an instruction that is not known")

    def test_unknown_operand_is_refused(self):
        self.refused("mov.u32 %r1, %clock;", "%clock is no operand that is known")

    def test_functions_are_refused(self):
        self.refused("", ".const: functions and constant memory are not understood", before=".const .align 4 .b8 table[4];")


if __name__ == "__main__":
    unittest.main()
