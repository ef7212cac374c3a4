# SPDX-License-Identifier: MIT
"""Provides what tests/accuracy/scorer_trial says of its comparisons: tables, and whether what the scorer must show is shown."""
import trial_statistics as statistics
from trial_statistics import CONTEXTS, KINDS

LEAST_BP, LEAST_LIBRARIES, LEAST_REDUCTION = 60e6, 6, 0.15
DEPTHS = (8, 15, 30, 50)


def trial(sets, comparisons, blocks, candidates, cpu):
    """Counts of the libraries: pooled, by rates, by library and by stratum."""
    result = {"bp": sum(s.counts["reference_bp"] for s in sets), "blocks": blocks, "kinds": {}, "rates": {}, "by_library": {}, "strata": [], "cpu_s": cpu}
    for kind in KINDS:
        row = statistics.judged(comparisons, blocks, lambda s: s[0] == kind)
        without = sum(candidates[s.name][kind] for s in sets)
        row["without_candidate"] = without
        row["fewer_of_candidates"] = -row["difference"] / max(1, row["off"] - without)
        result["kinds"][kind] = row
        for rates in ("natural", "stress"):
            part = [c for s, c in zip(sets, comparisons) if s.rates == rates]
            result["rates"].setdefault(rates, {})[kind] = statistics.judged(part, blocks, lambda s: s[0] == kind)
        for each, comparison in zip(sets, comparisons):
            row = statistics.judged([comparison], blocks, lambda s: s[0] == kind)
            result["by_library"].setdefault(each.name, {})[kind] = dict(row, wrong_off=comparison.wrong["off"][kind], wrong_on=comparison.wrong["on"][kind],
                                                                        without_candidate=candidates[each.name][kind])
        for depth in DEPTHS:
            for context in CONTEXTS:
                row = statistics.judged(comparisons, blocks, lambda s: (s[0], s[1], s[3]) == (kind, depth, context))
                result["strata"].append(dict(row, kind=kind, depth=depth, context=context, harmless=statistics.harmless(row), helps=row["upper_bound"] < 0))
    return result


def calibration(sets, comparisons, module):
    """Rows of tests/accuracy/calibration of QUAL, by rates and side."""
    result = {}
    for rates in ("natural", "stress"):
        for side in ("off", "on"):
            calls = [(kind.lower(), quality, None, absent, absent)
                     for s, c in zip(sets, comparisons) if s.rates == rates for kind, quality, absent in c.calls[side]]
            names = ("kind", "quality", "bin", "calls", "wrong", "share", "low", "high", "stated", "within_2x")
            result.setdefault(rates, {})[side] = [dict(zip(names, row)) for row in module.table(calls)]
    return result


def counts_of(comparison):
    """Of a set that is judged by itself: by kind and side."""
    result = {}
    for kind in KINDS:
        for side in ("off", "on"):
            right, wrong, missed = (getattr(comparison, what)[side][kind] for what in ("right", "wrong", "missed"))
            result.setdefault(kind, {})[side] = {"wrong": wrong, "missed": missed, "f1": statistics.f1(right, wrong, missed)}
    return result


def real(results):
    """Errors of the real cases by genotype, off and on, and Mendelian checks."""
    if results is None:
        return None
    rows = {}
    for name, off in results["off"].items():
        row = {}
        for side, case in (("off", off), ("on", results["on"][name])):
            row[side] = sum(case["genotype"][kind][what] for kind in ("snp", "indel") for what in ("calls_wrong", "truth_missed"))
            if "mendel" in case:
                row["mendel_" + side] = [case["mendel"]["consistent"], case["mendel"]["sites"]]
        rows[name] = row
    return rows


def is_made_up(name):
    """A real case with reads left out or mixed in."""
    return "-thin-" in name or "-mix-" in name


def verdict(result):
    """What the scorer must show, line by line: (line, met, not met or not judged; why)."""
    lines = []

    def say(line, is_met, why):
        lines.append({"line": line, "verdict": "not judged" if is_met is None else "met" if is_met else "not met", "why": why})
    is_whole = result["bp"] >= LEAST_BP and len(result["by_library"]) >= LEAST_LIBRARIES
    say("a trial of at least 60 Mb in at least 6 libraries", is_whole, "%.1f Mb, %d libraries" % (result["bp"] / 1e6, len(result["by_library"])))
    for kind in KINDS:
        row = result["kinds"][kind]
        say("%s: upper bound of the difference below 0" % kind, row["upper_bound"] < 0, "%d -> %d, bound %+d" % (row["off"], row["on"], row["upper_bound"]))
        say("%s: at least 15 %% fewer errors among those that have a candidate" % kind, row["fewer_of_candidates"] >= LEAST_REDUCTION,
            "%.1f %% of %d" % (100 * row["fewer_of_candidates"], row["off"] - row["without_candidate"]))
    for kind in KINDS:
        row = result["rates"]["natural"][kind]
        say("%s: no more errors on natural libraries" % kind, row["difference"] <= 0, "%d -> %d, bound %+d" % (row["off"], row["on"], row["upper_bound"]))
    bad = [r for r in result["strata"] if not r["harmless"]]
    say("every stratum of depth and context: upper bound at most +2 % of its errors or +3", not bad,
        "; ".join("%s %dx %s %d -> %d, bound %+d" % (r["kind"], r["depth"], r["context"], r["off"], r["on"], r["upper_bound"]) for r in bad) or "all")
    for name, kinds in result["sets"].items():
        why = ", ".join("%s %d -> %d" % (kind, *(sum(k[side][w] for w in ("wrong", "missed")) for side in ("off", "on"))) for kind, k in kinds.items())
        is_met = all(k["on"]["wrong"] + k["on"]["missed"] <= k["off"]["wrong"] + k["off"]["missed"] and k["on"]["f1"] >= k["off"]["f1"] - 0.0002
                     for k in kinds.values()) and kinds["SNP"]["on"]["wrong"] <= kinds["SNP"]["off"]["wrong"] + 2
        say("%s: errors by kind, wrong SNPs (+2) and F1 (-0.0002) not worse" % name, is_met, why)
    lines += real_verdict(result["real"])
    for side in ("off", "on"):
        rows = [(rates, r) for rates in ("natural", "stress") for r in result["calibration"][rates][side]]
        bad = ["%s %s QUAL %s: %d of %d, stated %.2g" % (rates, r["kind"], r["bin"], r["wrong"], r["calls"], r["stated"]) for rates, r in rows if r["within_2x"] == "no"]
        open_bins = sum(r["within_2x"] == "?" for _, r in rows)
        say("calibration %s: each bin of QUAL within a factor of 2" % side, not bad and (None if open_bins else True) if not bad else False,
            "; ".join(bad) or "%d bins agree, %d have too few errors to tell" % (len(rows) - open_bins, open_bins))
    shares = {name: 1 - c["off"] / c["on"] for name, c in result["cpu_s"].items() if name.endswith("-30") and c["on"] > 0}
    say("scoring with encoding at most 25 % of calling's CPU at 30x", max(shares.values()) <= 0.25 if shares else None,
        ", ".join("%s %.0f %%" % (name, 100 * share) for name, share in shares.items()) + " (complete processes, one thread)")
    say("beats the summary alone by 5 % of errors; equal on all backends; on by default", None, "other tests")
    return lines


def real_verdict(rows):
    line = "real cases: pooled not worse, none by more than 1, Mendelian checks equal"
    more = "real reads, thinned to 8, 12 and 20 x and mixed with another sample's: not worse"
    if rows is None:
        return [{"line": x, "verdict": "not judged", "why": "not run"} for x in (line, more)]
    result = []
    for text, names, slack in ((line, [n for n in rows if not is_made_up(n)], 1), (more, [n for n in rows if is_made_up(n)], None)):
        off, on = (sum(rows[n][side] for n in names) for side in ("off", "on"))
        is_met = on <= off and all(slack is None or rows[n]["on"] <= rows[n]["off"] + slack for n in names)
        is_met = is_met and all(rows[n].get("mendel_off") == rows[n].get("mendel_on") for n in names)
        worse = ", ".join("%s %d -> %d" % (n, rows[n]["off"], rows[n]["on"]) for n in names if rows[n]["on"] > rows[n]["off"])
        result.append({"line": text, "verdict": "not judged" if not names else "met" if is_met else "not met",
                       "why": "%d -> %d in %d cases%s" % (off, on, len(names), "; worse: " + worse if worse else "")})
    return result


def table(head, rows):
    """Markdown; columns of numbers are right-aligned."""
    is_text = [isinstance(cell, str) and not cell[:1].isdigit() and cell[:1] not in "+-" for cell in (rows[0] if rows else head)]
    lines = ["| " + " | ".join(head) + " |", "|" + "".join("---|" if text else "--:|" for text in is_text)]
    lines += ["| " + " | ".join("-" if cell is None else str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def cells(row):
    return [row["off"], row["on"], "%+d" % row["upper_bound"]]


def markdown(result):
    """Tables in Markdown."""
    text = "Model version %s, weights %s; %d strata. Errors (wrong + missed) by genotype, off and on; bound: the upper 95 %% bound of on - off.\n\n" % (
        result["version"], result["weights_sha256"][:12], len(result["decision"]["strata"]))
    rows = []
    for name, kinds in result["by_library"].items():
        library = result["libraries"][name]
        rows.append([name, library["library"]["rates"], "%.1f" % (library["counts"]["reference_bp"] / 1e6)] + [c for kind in KINDS for c in cells(kinds[kind])])
    for rates, kinds in result["rates"].items():
        rows.append(["all", rates, ""] + [c for kind in KINDS for c in cells(kinds[kind])])
    rows.append(["all", "", "%.1f" % (result["bp"] / 1e6)] + [c for kind in KINDS for c in cells(result["kinds"][kind])])
    text += table(["library", "rates", "Mb"] + ["%s %s" % (kind, what) for kind in KINDS for what in ("off", "on", "bound")], rows) + "\n"
    rows = [[r["kind"], r["context"], r["depth"]] + cells(r) + ["yes" if r["helps"] else "no", "yes" if r["harmless"] else "NO"] for r in result["strata"]]
    text += table(["kind", "context", "depth, x", "off", "on", "bound", "helps", "harmless"], rows) + "\n"
    if result["sets"]:
        rows = [[name, kind] + ["%d / %d" % (k[side]["wrong"], k[side]["missed"]) for side in ("off", "on")] + ["%.4f" % k[side]["f1"] for side in ("off", "on")]
                for name, kinds in result["sets"].items() for kind, k in kinds.items()]
        text += table(["set", "kind", "wrong / missed off", "on", "F1 off", "on"], rows) + "\n"
    if result["real"]:
        text += table(["real case", "errors off", "on"], [[name, row["off"], row["on"]] for name, row in result["real"].items()]) + "\n"
    rows = [[rates, side, r["kind"], "QUAL " + r["bin"], r["calls"], r["wrong"], "%.2g" % r["share"], "%.2g" % r["stated"], r["within_2x"]]
            for rates, sides in result["calibration"].items() for side, found in sides.items() for r in found]
    text += table(["rates", "scorer", "kind", "bin", "calls", "wrong", "share", "stated", "within 2x"], rows) + "\n"
    text += table(["the scorer must show", "verdict", "found"], [[v["line"], v["verdict"], v["why"]] for v in result["verdict"]])
    return text


def selection_table(rows):
    """What was tried in each stratum and what is chosen."""
    found = []
    for each in rows:
        kind, depth, context = each["stratum"]
        begin, end = statistics.DEPTH_CLASSES[depth]
        best = each["row"] or min(each["settings"], key=lambda s: (s["upper_bound"], s["difference"]))
        chosen = each["chosen"]
        found.append([kind, context, "depth %d-%d" % (begin, end - 1) if end < 1000000 else "depth %d and more" % begin,
                      "%s, prior %g" % (chosen["direction"], chosen["prior"]) if chosen else "none"] + cells(best))
    return table(["kind", "context", "fragments", "setting", "off", "on", "bound"], found)
