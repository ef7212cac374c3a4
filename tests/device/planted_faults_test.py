#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants faults in kernels, one at a time, and checks that executing their PTX finds each: a run of the parity suite must fail, and say what is
wrong. The kernels as they are, built the same way, must pass.

usage: planted_faults_test.py --nvcc NVCC --cxx COMPILER --parity parity_device_test --device-code LIBRARY --capability 80 [--flag FLAG]...
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GIVEN = None
# Without the stamps of who wrote and read what, only wrong results can tell.
NO_STAMPS = {"GANNET_DEVICE_STAMPS": "0"}


def executed(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=600, **more)


class PlantedFaults(unittest.TestCase):
    def built(self, op, edits):
        """A library of an op's kernels with `edits`: path -> (text, what stands there instead)."""
        folder = self.folder()
        kernels = f"kernels/{op}/{op}_cuda.cu"
        for name, (text, instead) in {kernels: ("", ""), **edits}.items():
            source = (ROOT / name).read_text()
            self.assertEqual(source.count(text) if text else 1, 1, f"{name} has no longer one: {text}")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(source.replace(text, instead) if text else source)
        ptx, translated, library = folder / "kernels.ptx", folder / "kernels.cpp", folder / "kernels.so"
        for command in (
                [GIVEN.nvcc, *GIVEN.flag, "-O3", "-DNDEBUG", "-I", folder, "-I", ROOT, f"-arch=compute_{GIVEN.capability}", "-ptx", "-o", ptx,
                 folder / kernels],
                [sys.executable, ROOT / "tests/device/translate_ptx", ptx, translated],
                [GIVEN.cxx, "-std=c++20", "-O1", "-w", "-ffp-contract=off", "-fPIC", "-shared", "-I", ROOT, "-o", library, translated]):
            done = executed(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        return library

    def folder(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        return pathlib.Path(holder.name)

    def parity(self, op, library, **environment):
        return executed(GIVEN.parity, "--backends", "cuda", "--jobs", "200", f"--gtest_filter=Parity_{op}.*",
                        env={**os.environ, "GANNET_REQUIRE_BACKENDS": "cuda", "GANNET_DEVICE_CODE": f"{GIVEN.device_code}:{library}", **environment})

    def found(self, op, edits, *said, **environment):
        done = self.parity(op, self.built(op, edits), **environment)
        self.assertEqual(done.returncode, 1, done.stdout[-3000:] + done.stderr[-3000:])
        for text in said:
            self.assertIn(text, done.stdout)

    def test_kernels_without_faults_pass(self):
        library = self.built("rescue", {})
        for order in ("up", "down", "1"):
            for stamps in ("0", "1"):
                done = self.parity("rescue", library, GANNET_DEVICE_ORDER=order, GANNET_DEVICE_STAMPS=stamps)
                self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    def test_missing_barrier_is_found(self):
        self.found("pileup_network", {"kernels/pileup_network/pileup_network_cuda.cu": ("__syncwarp();", "")}, "of shared memory at byte")

    def test_missing_barrier_before_phase_is_found(self):
        """The one behind a phase is not enough: what lies between phases reads the warp's memory too."""
        self.found("find_candidates", {"kernels/cuda/warp.hpp": ("        synchronise();\n        phase(lane_);\n", "        phase(lane_);\n")},
                   "no barrier after lane")

    def test_missing_barrier_between_lanes_that_make_a_table_is_found(self):
        """The lanes put symbols in order where the first one still works out where each length begins."""
        self.found("inflate", {"kernels/inflate/inflate_schedule.hpp": (
            "            if (lane == 0) order(code);\n        });\n        warp_.each([&](uint32_t lane) {\n", "            if (lane == 0) order(code);\n")},
                   "no barrier after lane")

    def test_wrong_mask_is_found(self):
        self.found("deflate", {"kernels/cuda/warp.hpp": ("__ballot_sync(~0u, bit)", "__ballot_sync(0x7fffffffu, bit)")}, "leaves out the lane itself")

    def test_read_beyond_tail_is_found(self):
        self.found("pair_hmm", {"kernels/pair_hmm/pair_hmm_cuda.cu": ("        if (slot >= arrays.count) return;\n", "")}, "PTX: ")

    def test_lane_order_dependence_is_found(self):
        """A lane reads what the others write in the same phase."""
        edits = {"kernels/rescue/rescue_schedule.hpp": ("    });\n    warp.each([&](uint32_t lane) {\n        if (lane != 0) return;\n",
                                                        "        if (lane != 0) return;\n")}
        library = self.built("rescue", edits)
        done = self.parity("rescue", library)
        self.assertEqual(done.returncode, 1)
        self.assertIn("memory", done.stdout)
        # In one order of lanes the results are right by chance; in others they are wrong.
        outcomes = [self.parity("rescue", library, GANNET_DEVICE_ORDER=order, **NO_STAMPS).returncode for order in ("down", "up", "1")]
        self.assertEqual(outcomes, [0, 1, 1])

    def test_unscaled_shared_memory_is_found(self):
        self.found("rescue", {"kernels/rescue/rescue_cuda.cu": ("__shared__ SearchShared shared[k_warps_per_block];", "__shared__ SearchShared shared[1];")},
                   "outside of any block of memory")

    def test_use_before_write_is_found(self):
        self.found("deflate", {"kernels/deflate/deflate_schedule.hpp": (
            "            for (uint32_t k = lane; k < k_buckets; k += k_warp_lanes) shared_.buckets[k] = 0;\n", "")}, "nothing has written it")

    def test_misaligned_access_is_found(self):
        self.found("deflate", {"kernels/deflate/deflate_schedule.hpp": (
            "words_(arrays.words + arrays.blocks[block].first_word)",
            "words_(reinterpret_cast<const uint64_t*>(reinterpret_cast<const uint8_t*>(arrays.words) + 4) + arrays.blocks[block].first_word)")},
                   "misaligned")

    def test_count_of_bits_as_constant_is_found(self):
        """What nvcc made of std::countr_zero: no memory shows it, only results do."""
        self.found("deflate", {"kernels/bits.hpp": ("    return static_cast<uint32_t>(__clzll(static_cast<long long>(__brevll(bits))));\n", "    return 64;\n")},
                   "first difference")


def main():
    global GIVEN
    parser = argparse.ArgumentParser()
    for name in ("nvcc", "cxx", "parity", "device-code", "capability"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--flag", action="append", default=[])
    GIVEN, words = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *words])


if __name__ == "__main__":
    main()
