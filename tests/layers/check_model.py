#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the numbers of variants/ that can change a call are rows of the caller's model (variants/model/), and that every row is used.

usage: check_model.py [ROOT]     exit 1 and one line per breach

Breaches, in variants/ but for the folders and files below:
  - a constant whose value has a number in it, or is one decade (k_log_scale) without a factor from the table;
  - any other number above 2 that is no unit, code of a base, index, lane, shift, hash or limit of a type as listed below;
  - a comparison with tenths, percent or per mille of something, but with no named number of them;
  - a row that no source looks up, a name that two rows have, and a constant's name that has two values.
A number of 2 or less that is not a constant of its own is not found.
"""
import collections
import pathlib
import re
import sys

# Judges calls instead of making them; is the table; writes the table's document.
OTHER_FOLDERS = ("variants/compare/", "variants/model/", "variants/tools/")
# How logarithms and roots are written and how exact their tables are; the table's hash.
OTHER_FILES = {f"variants/arithmetic/{name}" for name in
               ("integer_root.hpp", "log_math.cpp", "log_math.hpp", "probability.cpp", "probability.hpp")} | {"variants/caller_model.hpp", "variants/caller_model.cpp"}
# What describes calls and cannot change them: GATK's statistics, names of known variants, counts.
OTHER_FILES |= {f"variants/{name}" for name in
                ("arithmetic/rank_sum.cpp", "arithmetic/rank_sum.hpp", "records/known_ids.cpp", "records/known_ids.hpp",
                 "records/call_statistics.cpp", "records/call_statistics.hpp")}
# [File:]constant -> why it cannot change a call.
CONSTANTS = {
    "k_records_ahead": "prefetch distance", "k_compaction_bytes": "memory",
    "k_thinning_records": "memory: the limit of depth gives the same records whenever it is applied",
    "k_max_cut_windows": "longer records are kept beside the pieces of a chunk and reach the same windows",
    "k_diagonals_at_once": "lanes", "k_block": "lanes", "k_quality_tables": "lanes", "k_each": "lanes", "k_all_shift": "bit field",
    "k_qualities": "size of a table", "k_bins": "size of a table", "k_state_count": "size of a table",
    "k_never": "below any likelihood", "k_log_zero": "below any likelihood", "k_impossible": "below any likelihood",
    "k_excluded": "below any likelihood", "k_no_systematic_error": "below any odds", "k_max_quality_centi": "range of an integer",
    "k_none": "no value", "k_no_adapter": "no value", "k_no_cap": "no value", "k_not_seen": "no value",
    "k_forced_support": "more than any: a forced allele is never left out", "k_first_reach_bp": "doubled until it is enough",
    "k_overlap_quality": "describes a call: of the rank sums", "k_min_place_mapping_quality": "as k_overlap_quality",
    "k_max_tail_quality": "as k_overlap_quality", "k_no_offset": "no value",
    "k_multiplier": "hash", "k_max_ploidy": "structure", "k_change_classes": "structure",
    "k_end_reach_bp": "follows from damage_end_classes", "k_fragment_places": "follows from damage_end_classes", "k_copy_classes": "structure",
    "k_max_pile_up_alleles": "structure: the reference and A, C, G, T",
    "variants/sample/repeat_stutter.hpp:k_homopolymer_lengths": "size of the row gap_open_homopolymer, which the compiler checks",
    "variants/sample/repeat_stutter.hpp:k_copy_numbers": "size of the rows gap_open_period_*, which the compiler checks",
    "variants/sample/gap_quality.cpp:k_min_copies": "where the rows gap_open_* begin to fall, which the compiler checks",
    "variants/sample/gap_quality.cpp:k_min_equal_bp": "where the row gap_open_homopolymer begins to fall, which the compiler checks",
    "variants/sample/repeat_stutter.hpp:k_classes": "classes of a feature", "variants/sample/repeat_stutter.hpp:k_period_2": "index of a class",
    "variants/scorer/example_summary.cpp:k_reach": "half of the classes of a feature",
    "k_profile_depth_scale": "unit", "k_depth_scale": "unit", "k_full_weight": "unit", "k_whole_read": "unit", "k_million": "unit", "k_billion": "unit",
    "k_log_billion": "unit", "k_ratio_unit": "unit", "k_parts_per_mille": "unit", "k_centi": "unit", "k_per_percent": "unit", "k_per_mille": "unit",
    "k_unit_bits": "fixed point", "k_share_bits": "fixed point", "k_term_bits": "fixed point", "k_probability_bits": "fixed point", "k_one": "fixed point",
    "k_copy_unit": "fixed point", "k_micro_unit": "unit", "k_rate_unit": "unit", "k_half": "rounding or half of a probability", "k_negligible": "below the resolution", "k_scale": "scaling", "k_scale_phred": "scaling", "k_dropped": "no value",
}
# Names that may have two values until one scanner takes the place of all walks along repeats.
SHARED_NAMES = {"k_min_repeat_bp", "k_max_repeat_bp", "k_max_side"}
# What is no number of the model wherever it stands.
HARMLESS = [re.compile(pattern) for pattern in (
    r"\+ (?:50|500|128)\) / (?:100|1000|256)\b",                   # rounding
    r"0[xX][0-9a-fA-F']+u?",                                       # hashes, masks
    r"(?:>>|<<) \d+", r"1u? << \d+",                               # shifts
    r"numeric_limits<\w+>::(?:min|max)\(\) / \d+",                 # no value
    r"\[\d\]", r"\[\w+ \+ \d\]", r", \d+(?=>)", r"\bof<\d>",       # indices, sizes
    r"\b(?:i|k|counted) \+=? [48]\b", r"\b8 \* i\b", r"memcpy\(.*, 8\)", r"< 8; \+\+i", r"/ 8 \* 8", r"_mm_\w+\(.*?\b(?:4|15)\)",  # lanes
    r"[*/%] (?:10|100|1000|10'000|1'000'000|256)\b(?!')", r"\b(?:10u?|100|1000|256) \*",                      # tenths, percent, x 256, ...
    r"int64_t\{1000\} \*", r", (?:100|1000|1'000'000)\)", r"\(100 [-+] ",
    r"quantile\(.*, 50\)",                                         # median
    r"(?:base|bases|bases_|base_of_letter|expected|reference|slice_?|b)\b(?:static_cast<\w+>|[^<>=;])*?(?:[\])]+ ?)?(?:<=|>=|<|>) [34]\b",  # N or not
)]
# File -> number -> why it may stand there.
NUMBERS = {
    "variants/alleles/assembly.cpp": {"1024": "first size of a hash table"},
    "variants/evidence/clip_alleles.cpp": {"3": "both sides"},
    "variants/arithmetic/exact_tests.cpp": {"4": "counts of a test"},
    "variants/arithmetic/exact_tests.hpp": {"4": "counts of a test"},
    "variants/genotype/region_genotype.cpp": {"100": "decades: no other allele"},
    "variants/reads/run_end_quality.cpp": {"15": "assertion", "8": "lanes"},
    "variants/sample/base_damage.cpp": {"3": "three wrong bases"},
    "variants/sample/base_changes.hpp": {"3": "three changes of a base"},
    "variants/sample/expected_depth.cpp": {"5": "steps of GC in a text", "3": "derivation"},
    "variants/sample/sample_model.cpp": {"3": "three wrong bases", "94": "base qualities"},
    "variants/sample/sample_model.hpp": {"94": "base qualities"},
    "variants/sample/sample_profile.hpp": {"94": "base qualities", "256": "base qualities"},
    "variants/sample/systematic_errors.cpp": {"30": "fixed point"},
    "variants/scorer/example_builder.cpp": {"255": "hash", "8": "hash"}, "variants/scorer/site_context.cpp": {"3": "thirds, kind of an example"},
    "variants/scorer/example_summary.cpp": {"3": "classes of copies, bytes of a neighbour", "254": "scale of a feature", "255": "none"},
    "variants/sequence/allele.cpp": {"3": "bits of a trace", "4": "bits of a trace", "8": "bits of a trace"},
    "variants/sequence/base_differences.hpp": {"8": "lanes"},
    "variants/records/reference_confidence.cpp": {"8": "lanes"},
}
PART = r"(?:\* (?:10|100|1000|10'000)\b|\b(?:10u?|100|1000) \*)"
PART_COMPARED = re.compile(rf"{PART}.*(?:<=|>=| < | > )|(?:<=|>=| < | > ).*{PART}")
NAMED = re.compile(r"\bk_\w+|percent|_number\(")
COMMENTS_AND_STRINGS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|' r"(?<!\w)'(?:\\.|[^'\\\n])'", re.S)
NUMBER = re.compile(r"(?<![\w.'])(\d[\d']*(?:\.\d+)?(?:e\d+)?)[uUlL]*(?![\w.'])")
CONSTANT = re.compile(r"\bconstexpr\b[^;(){}=]*?\b(k_\w+)(?:\[\])?\s*(?:=\s*|(?=\{))([^;]*);")
LOOK_UP = re.compile(r'\b\w+_numbers?(?:<[^>]*>)?\(\s*"(\w+)"\)')
ROW = re.compile(r'^    \{"(\w+)",\s*(-?[\d\']+|values<[^>]*>)', re.M)
BINDING = re.compile(r'\b(k_\w+)\s*=\s*(?:centi\()?\w+_numbers?(?:<[^>]*>)?\(\s*"(\w+)"')


def blank(found):
    return re.sub(r"[^\n]", " ", found.group(0))


def without_harmless(code):
    for pattern in HARMLESS:
        code = pattern.sub(blank, code)
    return code


def is_above_two(number):
    return not number.isdigit() or int(number) > 2


def breaches_of(name, text):
    code = COMMENTS_AND_STRINGS.sub(blank, LOOK_UP.sub(blank, text))
    found = []
    for constant in CONSTANT.finditer(code):
        value = constant.group(2)
        line = code.count("\n", 0, constant.start(1)) + 1
        is_allowed = constant.group(1) in CONSTANTS or f"{name}:{constant.group(1)}" in CONSTANTS
        is_body = value.lstrip().startswith("[")
        if not is_allowed and not is_body:
            is_decade = re.fullmatch(r"-?\s*(?:int64_t\{)?k_log_scale\}?\s*", value) and not LOOK_UP.search(text.splitlines()[line - 1])
            looked_up = LOOK_UP.search(text[constant.start():constant.end()])
            if NUMBER.search(without_harmless(value)) or (is_decade and not looked_up):
                found.append((line, f"{constant.group(1)} has its number here: it belongs in variants/model/"))
        if is_allowed or not is_body:
            code = code[:constant.start(2)] + re.sub(r"[^\n]", " ", value) + code[constant.end(2):]
    lines, text_lines = code.splitlines(), COMMENTS_AND_STRINGS.sub(blank, text).splitlines()
    for line, rest in enumerate(without_harmless(code).splitlines(), 1):
        if rest.startswith("#"):
            continue
        if PART_COMPARED.search(lines[line - 1]) and not NAMED.search(" ".join(text_lines[line - 1:line + 1])):
            found.append((line, "a part that can change a call belongs in variants/model/"))
        for number in NUMBER.findall(rest):
            plain = number.replace("'", "")
            if is_above_two(plain) and plain not in NUMBERS.get(name, {}):
                found.append((line, f"{number}: a number that can change a call belongs in variants/model/"))
    return [f"{name}:{line}: {what}" for line, what in sorted(found)]


def breaches(root):
    used = set()
    rows_of = collections.defaultdict(set)
    for path in sorted((root / "variants").rglob("*.?pp")):
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        if not name.startswith("variants/model/"):
            used.update(LOOK_UP.findall(text))
            for constant, row in BINDING.findall(text):
                rows_of[constant].add(row)
        if not name.startswith(OTHER_FOLDERS) and name not in OTHER_FILES:
            yield from breaches_of(name, text)
    rows = collections.Counter()
    value_of = {}
    for path in sorted((root / "variants/model").glob("*.hpp")):
        for row, value in ROW.findall(path.read_text()):
            rows[row] += 1
            value_of[row] = value
            if row not in used:
                yield f"{path.relative_to(root).as_posix()}: no source looks {row} up"
    for constant, names in sorted(rows_of.items()):
        if constant not in SHARED_NAMES and len({value_of.get(row) for row in names}) > 1:
            yield f"variants: {constant} has the values of {', '.join(sorted(names))}: give each a name of its own"
    for row, count in rows.items():
        if count > 1:
            yield f"variants/model: {count} rows are named {row}"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    found = list(breaches(root))
    print("\n".join(found) or "model: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
