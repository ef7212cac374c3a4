#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks who includes whom: the layers of docs/architecture.md. Exit 1 and one line per breach."""
import pathlib
import re
import sys

ALLOWED = {
    "kernels": {"kernels"},
    "data": {"data"},
    "align": {"align", "kernels", "data"},
    "ml": {"ml", "kernels", "data"},
    "variants": {"variants", "kernels", "data", "ml"},
    "pipeline": {"pipeline", "align", "variants", "ml", "kernels", "data"},
}
# Packages and the only folders that may include them (path prefix, and whether headers may).
RESTRICTED = [
    (re.compile(r"^(htslib/|isa-l|libdeflate|zlib\.h|bzlib|lzma|zstd)"), ("data/",), False),
    (re.compile(r"^CLI/"), ("pipeline/cli/",), True),
    (re.compile(r"^(tbb/flow_graph\.h|oneapi/tbb/flow_graph\.h)"), ("pipeline/",), True),
    (re.compile(r"^(tbb/|oneapi/)"), ("pipeline/",), True),
    (re.compile(r"^(spdlog|fmt)/"), ("pipeline/log.cpp",), False),
]
# CUDA lives in kernels/cuda/, its tests and in .cu files. What other sources may include of kernels/cuda/ has no CUDA type in it.
CUDA_HEADER = re.compile(r"^(cuda|cooperative_groups|cub/|thrust/|mma\.h|device_|vector_)")
CUDA_FREE = {f"kernels/cuda/{name}.hpp"
             for name in ("arena", "device", "device_choice", "launch_shape", "layout", "lost_device", "memory_budget", "resident_layout")}
# Calls of the runtime belong in the wrappers, which check them; kernels are launched by launch() of kernels/cuda/launch.hpp.
CUDA_CALL = re.compile(r"\bcuda[A-Z]\w*\s*\(|<<<")
# The folders of variants/, in the order in which a call passes through them: each includes only itself and those before it. The files beside the
# folders compose them; of these, the folders may include the table of the model's numbers and the parameters.
VARIANTS_ORDER = ("model", "arithmetic", "sequence", "sample", "reads", "evidence", "alleles", "genotype", "records", "scorer", "cohort")
VARIANTS_SHARED = {"variants/caller_model.hpp", "variants/parameters.hpp"}
# Of an op, what is outside of kernels/ sees the contract: not the headers that its backends are made of.
INTERNAL_HEADER = re.compile(r"^kernels/(\w+)/\1\w*_(backends|cell|cuda|driver|emulated|halves|host|lanes|lockstep|order|plan|reference|"
                             r"schedule|sections|simd|tuning|warps|words)\.hpp$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def breaches(root):
    for folder, allowed in ALLOWED.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".hpp", ".cpp", ".cu", ".cuh"}:
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                style, target = found.groups()
                top = target.split("/")[0]
                if style == '"':
                    if top not in allowed:
                        yield f"{name}:{number}: {folder}/ may not include {target}"
                    elif folder != "kernels" and INTERNAL_HEADER.match(target):
                        yield f"{name}:{number}: {target} is internal to its op: outside of kernels/ only contracts may be included"
                    continue
                for pattern, folders, in_headers in RESTRICTED:
                    if not pattern.match(target):
                        continue
                    if not name.startswith(folders):
                        yield f"{name}:{number}: <{target}> belongs only in {', '.join(folders)}"
                    elif not in_headers and path.suffix == ".hpp":
                        yield f"{name}:{number}: <{target}> may not be included in a header"
                if re.match(r"^(oneapi/)?tbb/flow_graph\.h", target) and "graph" not in path.stem and path.parent.name != "graph":
                    yield f"{name}:{number}: the flow graph belongs in the graph files of pipeline/"


def order_breaches(root):
    for order, folder in enumerate(VARIANTS_ORDER):
        for path in sorted((root / "variants" / folder).iterdir()):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                target = found.group(2) if found else ""
                if not target.startswith("variants/") or target in VARIANTS_SHARED:
                    continue
                other = target.split("/")[1]
                if other not in VARIANTS_ORDER or VARIANTS_ORDER.index(other) > order:
                    yield f"variants/{folder}/{path.name}:{number}: {folder}/ may not include {target}: see VARIANTS_ORDER"


def cuda_breaches(root):
    for folder in list(ALLOWED) + ["tests"]:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".hpp", ".cpp", ".cu", ".cuh"}:
                continue
            name = path.relative_to(root).as_posix()
            is_wrapper = name.startswith(("kernels/cuda/", "tests/unit/kernels/cuda/"))
            is_kernel = name.startswith("kernels/") and path.suffix == ".cu"
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                target = found.group(2) if found else ""
                if found and CUDA_HEADER.match(target) and found.group(1) == "<" and not (is_wrapper or is_kernel):
                    yield f"{name}:{number}: <{target}> belongs only in kernels/cuda/ and in .cu files of kernels/"
                if target.startswith("kernels/cuda/") and target not in CUDA_FREE and not (is_wrapper or is_kernel):
                    yield f"{name}:{number}: {target} has CUDA types: only for kernels/cuda/ and .cu files of kernels/"
                if CUDA_CALL.search(line) and not is_wrapper:
                    yield f"{name}:{number}: calls of CUDA go through the wrappers of kernels/cuda/"


def cuda_free_headers(root):
    """Headers that every folder may include contain only each other and headers without CUDA types."""
    for name in sorted(CUDA_FREE):
        for number, line in enumerate((root / name).read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            target = found.group(2) if found else ""
            if CUDA_HEADER.match(target) or (target.startswith("kernels/cuda/") and target not in CUDA_FREE):
                yield f"{name}:{number}: this header must not contain CUDA types, so it may not include {target}"


def first_lines(root):
    for folder in list(ALLOWED) + ["tests"]:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".hpp", ".cpp", ".cu", ".cuh"}:
                continue
            lines = path.read_text().splitlines()[:2]
            name = path.relative_to(root).as_posix()
            if not lines or lines[0] != "// SPDX-License-Identifier: MIT":
                yield f"{name}:1: the first line is the SPDX line"
            elif len(lines) < 2 or not lines[1].startswith("// "):
                yield f"{name}:2: the second line says what the file provides"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    found = list(breaches(root)) + list(order_breaches(root)) + list(cuda_breaches(root)) + list(cuda_free_headers(root)) + list(first_lines(root))
    print("\n".join(found) or "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
