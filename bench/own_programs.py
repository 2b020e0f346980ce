"""Our own versions of the papers' programs, what the papers say of them, and how heddle is asked about them."""

import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "target/release/heddle"))
PROGRAMS = ROOT / "bench/programs"
TARGETS = ROOT.parent / "shared/targets"

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


def commit():
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True)
    return described.stdout.decode().strip()
