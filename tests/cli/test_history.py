# SPDX-License-Identifier: MIT
"""Published bugs around SPE and PMU snapshots. spemu reports each broken sequence and accepts each fixed one.

tests/history has a file for each bug, with a scenario "broken" and a scenario "fixed". Its first lines are:

    # commit: ID, # subject: TEXT, or # thread: TEXT, or # file: TEXT the publication # says: NAME
    NAME; fails TEXT, TEXT the diagnostics of the broken scenario; the first one appears with every
    seed. Then, for lines that fail with some seeds, a text from the command or from its outcome
"""
import copy
import json
import re

import pytest

from clilib import ROOT, spemu

FOLDER = ROOT / "tests" / "history"
PAGE = ROOT / "docs" / "reference" / "history.md"
SEEDS = range(16)
LEAST = 20  # smallest number of bugs
PATHS = sorted(FOLDER.glob("*.spemu"))
each_bug = pytest.mark.parametrize("name", [path.stem for path in PATHS])


class Bug:
    """A file of a bug, with its head. For each scenario, it holds the JSON lines of each seed."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8").splitlines()
        head = dict(re.findall(r"^# (commit|subject|thread|file|says): (.*)$", "\n".join(self.text), re.M))
        self.source = head.get("thread") or head.get("file") or head["commit"]
        self.says = head["says"]
        told, _, fails = self.says.partition("fails ")
        self.told = re.findall(r"[a-z-]+", told)
        self.fails = [text for text in fails.split(", ") if text]
        self.lines = {"broken": [], "fixed": []}

    def add_run(self, events):
        for name, runs in self.lines.items():
            runs.append([e for e in events if e.get("scenario") == name])

    def diagnostics(self, name):
        return [{e["name"] for e in run if e["event"] == "diagnostic"} for run in self.lines[name]]

    def failures(self, name):
        """Return the text of each line that failed, with its outcome."""
        return [self.text[e["line"] - 1] + " " + e.get("got", e.get("text", "")) for run in self.lines[name] for e in run
                if e["event"] in ("failed", "cannot", "error")]


def run_all(bugs, *arguments):
    """Run the files of all bugs in one process, and add the results to the bugs."""
    result = spemu("run", "--json", *arguments, *(bug.path for bug in bugs))
    events = [json.loads(line) for line in result.stdout.splitlines()]
    for bug in bugs:
        bug.add_run([e for e in events if e.get("file") == str(bug.path)])


@pytest.fixture(scope="module")
def strict():
    """Return {name: bug} after strict runs with every seed."""
    bugs = {path.stem: Bug(path) for path in PATHS}
    for seed in SEEDS:
        run_all(bugs.values(), "--seed", str(seed), f"--strict={seed}")
    return bugs


@pytest.fixture(scope="module")
def all_runs(strict):
    """Return {name: bug} after strict runs with every seed and a run in plain mode."""
    bugs = copy.deepcopy(strict)
    run_all(bugs.values())
    return bugs


def test_enough():
    assert len(PATHS) >= LEAST


@each_bug
def test_broken(strict, name):
    """The broken sequence is reported with exactly the listed diagnostics."""
    bug = strict[name]
    told = bug.diagnostics("broken")
    failures = bug.failures("broken")
    assert bug.told or bug.fails, f"{bug.path.stem}: the head lists diagnostics or failures"
    assert set().union(*told) == set(bug.told), f"{bug.path.stem}, broken: exactly the listed diagnostics"
    silent = [seed for seed, names in zip(SEEDS, told) if not names.issuperset(bug.told[:1])]
    assert silent == [], f"{bug.path.stem}, broken: {' '.join(bug.told[:1])} is reported with every seed"
    for text in bug.fails:
        assert any(text in failure for failure in failures), \
            f"{bug.path.stem}, broken: a line fails with {text}\n{failures}"
    others = [failure for failure in failures if not any(text in failure for text in bug.fails)]
    assert others == [], f"{bug.path.stem}, broken: no other line fails"


@each_bug
def test_cured(all_runs, name):
    """The fixed sequence executes the same lines and reports nothing."""
    bug = all_runs[name]
    bad = [f"{told} {run[-1:]}" for told, run in zip(bug.diagnostics("fixed"), bug.lines["fixed"]) if told or not run]
    assert not bad and not bug.failures("fixed"), \
        f"{bug.path.stem}, fixed: no diagnostics with any seed or in plain mode\n" + "\n".join(bad + bug.failures("fixed"))


def test_page():
    """docs/reference/history.md has a row for each file. It shows the publication and the
    diagnostics of the file."""
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", PAGE.read_text(encoding="utf-8"), re.M)
    files = {f"{path.name}": Bug(path) for path in FOLDER.glob("*.spemu")}
    assert sorted(row[3] for row in rows) == sorted(files), "docs/reference/history.md has each file once"
    for source, says, _, name in rows:
        bug = files.get(name)
        if bug:
            assert bug.source in source, f"{name}: the publication\n{source}"
            words = set(re.findall(r"`([^`]+)`", says))
            assert words == set(bug.told + bug.fails), f"{name}: the diagnostics"
