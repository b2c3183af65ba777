#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Published bugs around SPE and PMU snapshots: each broken sequence is noticed, and no cured one is.

  test_history.py FOLDER     a file for each bug, with a scenario "broken" and a scenario "cured". Its head says

    # commit: ID, # subject: TEXT, or # thread: TEXT, or # file: TEXT     where it was published, or is
    # says: NAME NAME; fails TEXT, TEXT     what the broken one brings about: diagnostics, the first with every seed; and of
                                            the lines that fail, with some seeds at least, the command or its outcome
"""
import json
import pathlib
import re
import sys

from clilib import check, done, equal, select_case, spemu

FOLDER = pathlib.Path(sys.argv[1])
PAGE = FOLDER.parent.parent / "docs" / "history.md"
SEEDS = range(16)
LEAST = 20  # bugs


class Bug:
    """A file: its head, and of each scenario in it the JSON lines of each seed."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8").splitlines()
        head = dict(re.findall(r"^# (commit|subject|thread|file|says): (.*)$", "\n".join(self.text), re.M))
        self.source = head.get("thread") or head.get("file") or head["commit"]
        self.says = head["says"]
        told, _, fails = self.says.partition("fails ")
        self.told = re.findall(r"[a-z-]+", told)
        self.fails = [text for text in fails.split(", ") if text]
        self.lines = {"broken": [], "cured": []}

    def add_run(self, events):
        for name, runs in self.lines.items():
            runs.append([e for e in events if e.get("scenario") == name])

    def diagnostics(self, name):
        return [{e["name"] for e in run if e["event"] == "diagnostic"} for run in self.lines[name]]

    def failures(self, name):
        """The text of each line that failed, with its outcome."""
        return [self.text[e["line"] - 1] + " " + e.get("got", e.get("text", "")) for run in self.lines[name] for e in run
                if e["event"] in ("failed", "cannot", "error")]


def run_all(bugs, *arguments):
    """One process runs all files."""
    result = spemu("run", "--json", *arguments, *(bug.path for bug in bugs))
    events = [json.loads(line) for line in result.stdout.splitlines()]
    for bug in bugs:
        bug.add_run([e for e in events if e.get("file") == str(bug.path)])


def check_broken(bug):
    """What is said is told, nothing else is."""
    told = bug.diagnostics("broken")
    failures = bug.failures("broken")
    check(bug.told or bug.fails, f"{bug.path.stem}: the head says what is told")
    equal(set().union(*told), set(bug.told), f"{bug.path.stem}, broken: the diagnostics")
    silent = [seed for seed, names in zip(SEEDS, told) if not names.issuperset(bug.told[:1])]
    equal(silent, [], f"{bug.path.stem}, broken: {' '.join(bug.told[:1])} with every seed")
    for text in bug.fails:
        check(any(text in failure for failure in failures), f"{bug.path.stem}, broken: {text}", failures)
    others = [failure for failure in failures if not any(text in failure for text in bug.fails)]
    equal(others, [], f"{bug.path.stem}, broken: nothing else fails")


def check_cured(bug):
    """The same lines are executed, and nothing is told."""
    bad = [f"{told} {run[-1:]}" for told, run in zip(bug.diagnostics("cured"), bug.lines["cured"]) if told or not run]
    check(not bad and not bug.failures("cured"), f"{bug.path.stem}, cured: nothing is told, with every seed and in plain mode",
          "\n".join(bad + bug.failures("cured")))


def test_bugs():
    bugs = [Bug(path) for path in sorted(FOLDER.glob("*.spemu"))]
    check(len(bugs) >= LEAST, f"{LEAST} bugs", len(bugs))
    for seed in SEEDS:
        run_all(bugs, "--seed", str(seed), f"--strict={seed}")
    for bug in bugs:
        check_broken(bug)
    run_all(bugs)
    for bug in bugs:
        check_cured(bug)


def test_page():
    """docs/history.md has a row for each file, with its source and what the head says."""
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", PAGE.read_text(encoding="utf-8"), re.M)
    files = {f"{path.name}": Bug(path) for path in FOLDER.glob("*.spemu")}
    equal(sorted(row[3] for row in rows), sorted(files), "docs/history.md has each file once")
    for source, says, _, name in rows:
        bug = files.get(name)
        if bug:
            check(bug.source in source, f"{name}: where it was published", source)
            words = set(re.findall(r"`([^`]+)`", says))
            equal(words, set(bug.told + bug.fails), f"{name}: what spemu says")


def main():
    test_bugs()
    test_page()
    done()


select_case(globals())
if __name__ == "__main__":
    main()
