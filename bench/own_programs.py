"""Our own versions of the papers' programs, what the papers say of them, and how heddle is asked about them."""

import json
import os
import pathlib
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "target/release/heddle"))
PROGRAMS = ROOT / "bench/programs"
TARGETS = ROOT.parent / "shared/targets"

# How programs are built that are measured.
FLAGS = ["-O1", "-g", "-pthread"]
# How often each build runs for its CPU time, and how often at most until so many runs have not failed.
REPETITIONS, ATTEMPTS = 41, 400

# Row, source, flags. The sizes of pbzip2 and cache4j are such that there are at least as many shared accesses as in the
# Symbiosis paper.
SYMBIOSIS = [
    ("crasher", "symbiosis/crasher.c", []),
    ("stringbuffer", "symbiosis/stringbuffer.cpp", []),
    ("bbuf", "symbiosis/bbuf.c", []),
    ("pfscan", "symbiosis/pfscan.c", []),
    ("pbzip2-small", "symbiosis/pbzip2.c", ["-DBLOCKS=7"]),
    ("pbzip2-medium", "symbiosis/pbzip2.c", ["-DBLOCKS=13"]),
    ("pbzip2-large", "symbiosis/pbzip2.c", ["-DBLOCKS=40"]),
    ("airline", "symbiosis/airline.c", []),
    ("bank", "symbiosis/bank.c", []),
    ("twostage", "symbiosis/twostage.c", []),
    ("cache4j-small", "symbiosis/cache4j.c", ["-DROUNDS=2"]),
    ("cache4j-medium", "symbiosis/cache4j.c", ["-DROUNDS=70"]),
    ("cache4j-large", "symbiosis/cache4j.c", ["-DROUNDS=80"]),
]
# The rows of the Cortex paper without traces; cache4j's rounds are such that it has the paper's number of shared events.
CORTEX = [
    ("pingpong", "cortex/pingpong/pingpong.c", []),
    ("garage", "cortex/garage/garage.c", []),
    ("bubblesort", "cortex/bubblesort/bubblesort.c", []),
    ("manager", "cortex/memory-notes/memory-notes.c", []),
    ("stringbuf", "cortex/stringbuf/stringbuf.c", []),
    ("pool", "cortex/pool/pool.c", []),
    ("cache4j-small", "cortex/cache4j/cache4j.c", ["-DROUNDS=1"]),
    ("cache4j-medium", "cortex/cache4j/cache4j.c", ["-DROUNDS=5"]),
    ("cache4j-large", "cortex/cache4j/cache4j.c", ["-DROUNDS=7"]),
]


class Paper:
    """A table of a paper; a dash where it has nothing, or is not here."""

    def __init__(self, name):
        self.rows = {}
        file = TARGETS / name
        if not file.is_file():
            return
        lines = [line.split("\t") for line in file.read_text().splitlines() if line and not line.startswith("#")]
        heading, *rows = lines
        self.rows = {row[0]: dict(zip(heading, row)) for row in rows}

    def cell(self, row, column):
        return self.rows.get(row, {}).get(column) or "–"


def call(command, folder, limit=600, stdin=b""):
    """Exit status (None when it was stopped after so many seconds), standard output and wall seconds."""
    started = time.monotonic()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, input=stdin, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "", float(limit)
    return done.returncode, done.stdout.decode(errors="replace"), time.monotonic() - started


def explain(arguments, folder, limit=600, stdin=b""):
    """What `heddle explain` found, or a sentence that says why there is nothing; and wall seconds."""
    command = [HEDDLE, "explain", "--format", "json", "--schedule", "failing.schedule", *arguments]
    status, answer, seconds = call(command, folder, limit, stdin)
    if status is None:
        return f"stopped after {limit} s", seconds
    if status != 1:
        return f"exit status {status}", seconds
    return json.loads(answer), seconds


def cpu_seconds(command, folder, environment):
    """Of the whole process, user and system; None where it failed."""
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=silent, stdout=silent, stderr=silent)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime if process.returncode == 0 else None


def overhead(name, source, flags, folder):
    """In percent: a build that records against one that clang makes, in turn; and what clang's takes."""
    is_cpp = source.endswith(".cpp")
    plain, recorded = f"./{name}.plain", f"./{name}.recorded"
    clang, own = ("clang++-22", "c++") if is_cpp else ("clang-22", "cc")
    arguments = [*FLAGS, *flags, str(PROGRAMS / source), "-o"]
    if call([clang, *arguments, plain], folder)[0] != 0 or call([HEDDLE, own, *arguments, recorded], folder)[0] != 0:
        return None
    spool = folder / "spool"
    without = {key: value for key, value in os.environ.items() if key != "HEDDLE_SPOOL"}
    kinds = [(plain, without), (recorded, {**without, "HEDDLE_SPOOL": str(spool)})]
    taken = {plain: [], recorded: []}
    for attempt in range(ATTEMPTS):
        for command, environment in kinds:
            spool.unlink(missing_ok=True)
            seconds = cpu_seconds([command], folder, environment)
            # The first only warms the caches up.
            if seconds is not None and attempt > 0:
                taken[command].append(seconds)
        if min(map(len, taken.values())) >= REPETITIONS:
            break
    spool.unlink(missing_ok=True)
    if not all(taken.values()):
        return None
    base = statistics.median(taken[plain])
    return 100 * (statistics.median(taken[recorded]) / base - 1), base


def commit():
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True)
    return described.stdout.decode().strip()
