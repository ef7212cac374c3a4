# SPDX-License-Identifier: MIT
"""Provides running of programs and pipes with their CPU seconds, wall time and peak memory, for measuring scripts."""
import itertools
import json
import os
import platform
import subprocess
import sys
import time


_groups = itertools.count(1)


class StepFailed(Exception):
    """A program ended with a status other than 0."""


def run_pipe(commands, output=None, log=None):
    """Runs commands joined by pipes; the last writes to `output` (a path) or nowhere.

    Returns one dict per command: name, command, cpu_s (user + system, of it and of its children), wall_s, peak_mib, group.
    wall_s is the same for all commands of a group (that ran at the same time): from the first start to the last end.
    """
    started = time.monotonic()
    processes = []
    previous = None
    sink = open(output, "wb") if output else subprocess.DEVNULL
    errors = open(log, "ab") if log else subprocess.DEVNULL
    for i, command in enumerate(commands):
        last = i == len(commands) - 1
        process = subprocess.Popen(command, stdin=previous or subprocess.DEVNULL,
                                   stdout=sink if last else subprocess.PIPE, stderr=errors)
        if previous:
            previous.close()
        previous = process.stdout
        processes.append(process)
    rows = []
    failed = None
    for command, process in zip(commands, processes):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 and failed is None:
            failed = (command, process.returncode)
        rows.append({"name": os.path.basename(command[0]) + (" " + command[1] if len(command) > 1 and
                                                              not command[1].startswith("-") else ""),
                     "command": " ".join(command), "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
                     "peak_mib": usage.ru_maxrss // 1024})
    wall = round(time.monotonic() - started, 2)
    group = next(_groups)
    for row in rows:
        row["wall_s"] = wall
        row["group"] = group
    for stream in (sink, errors):
        if stream is not subprocess.DEVNULL:
            stream.close()
    if failed:
        tail = ""
        if log:
            with open(log, errors="replace") as stream:
                tail = stream.read()[-600:]
        raise StepFailed("exit %d: %s\n%s" % (failed[1], " ".join(failed[0]), tail))
    return rows


def run_together(pipes, log=None):
    """Runs several pipes, each (commands, output), at the same time; returns all rows, with wall_s of all together."""
    import threading
    results = [None] * len(pipes)

    def work(i):
        try:
            results[i] = run_pipe(pipes[i][0], pipes[i][1], log)
        except StepFailed as error:
            results[i] = error
    started = time.monotonic()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(pipes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = round(time.monotonic() - started, 2)
    rows = []
    group = next(_groups)
    for result in results:
        if isinstance(result, StepFailed):
            raise result
        for row in result:
            row["wall_s"] = wall
            row["group"] = group
            rows.append(row)
    return rows


def text_of(command):
    """Standard output of a command, stripped; fails loudly."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise StepFailed("exit %d: %s\n%s" % (done.returncode, " ".join(command), done.stderr[-600:]))
    return done.stdout.strip()


def machine():
    """What the figures were measured on."""
    model = "unknown"
    try:
        with open("/proc/cpuinfo") as stream:
            model = next(line.split(":", 1)[1].strip() for line in stream if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "system": platform.platform(terse=True),
            "load_before": round(os.getloadavg()[0], 2)}


def version_of(command):
    """The line with the version that a program prints, or None where it is missing."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except OSError:
        return None
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()][:3]
    return next((line for line in lines if line.startswith("Version")), lines[0] if lines else None)


def need(path, what):
    """`path` as an absolute path; ends the program with one line where it is missing."""
    if not path or not os.path.exists(path):
        sys.exit("%s: not found: %s" % (what, path))
    return os.path.abspath(path)


def write_json(path, value):
    with open(path + ".partial", "w") as stream:
        json.dump(value, stream, indent=1)
        stream.write("\n")
    os.replace(path + ".partial", path)
