# SPDX-License-Identifier: MIT
"""perf shows the call stacks of `spemu record -g` that `spemu dump` shows.

A later perf is optional (scripts/fetch perf installs it).

main() of the program makes calls in three ways. Their loops execute one, two and four parts of its operations.
"""
import collections
import json
import os
import re
import subprocess

import pytest

from clilib import ROOT, SPEMU
from perf_there import perf_works

LOOPS = 40000
IN_FILE = 0x3fffff  # perf 6.1 prints offsets from the start of the program at 4 MiB; later versions print addresses
SOURCE = """
#define F __attribute__((noipa))
volatile long sink;
F void work(long n) { for (long i = 0; i < n; i++) sink += i; }
F void one(void) { work(LOOPS); __asm__ volatile(""); }
F void two(int more) { if (more) two(more - 1); else work(2 * LOOPS); __asm__ volatile(""); }
F void four(void) { for (int i = 0; i < 4; i++) one(); __asm__ volatile(""); }
int main(void) { one(); two(3); four(); return 0; }
"""
# {callers of work(), by perf's names: their part, of seven}
EXPECTED = {("one", "main"): 1, ("two", "two", "two", "two", "main"): 2, ("one", "four", "main"): 4}


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def dumped(data):
    """Return (time, PC, callers) of each record with a stack, as numbers."""
    out = run(SPEMU, "dump", "--records", "--json", "-i", data).stdout
    records = [json.loads(line) for line in out.splitlines()]
    return sorted(tuple(int(a, 16) & IN_FILE for a in [r["pc"], *r["callers"]]) for r in records if "callers" in r)


def scripted(perf, data, fields):
    """Return the stacks of perf script without its samples of the trace, each as a list of lines."""
    result = run(perf, "script", "--no-itrace", "-i", data, "-F", fields)
    assert result.returncode == 0, f"perf script {fields}\n{result.stderr}"
    stacks = []
    for line in result.stdout.splitlines():
        if "callchain" in line:
            stacks.append([])
        elif line.strip():
            stacks[-1].append(line.split())
    return stacks


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stacks")
    program, data = os.path.join(folder, "program"), os.path.join(folder, "perf.data")
    with open(program + ".c", "w", encoding="utf-8") as f:
        f.write(SOURCE)
    subprocess.run(["aarch64-linux-gnu-gcc", "-g", "-O2", "-static", "-fomit-frame-pointer", f"-DLOOPS={LOOPS}", "-o", program,
                    program + ".c"], check=True)
    recorded = run(SPEMU, "record", "-g", "-c", "1024", "--machine", "none", "-o", data, "--", program)
    assert recorded.returncode == 0, f"record\n{recorded.stderr}"
    return data


@pytest.mark.parametrize("perf", ("perf", ROOT / "build/perf/bin/perf"), ids=("Debian's", "later"))
def test_stacks(perf, data):
    if not perf_works(perf):
        pytest.skip("this perf is not installed")
    print(run(perf, "--version").stdout.strip())
    names = [[words[1].split("+")[0] for words in stack] for stack in scripted(perf, data, "event,ip,sym")]
    found = collections.Counter(tuple(s[1:s.index("main") + 1]) for s in names if s[0] == "work" and "main" in s)
    whole = sum(found.values())
    for callers, part in EXPECTED.items():
        assert abs(found[callers] - whole * part / 7) <= 3, f"{' '.join(callers)}: {found[callers]} of {whole}"
    assert set(found) == set(EXPECTED), f"no other stack\n{found}"
    addresses = sorted(tuple(int(words[0], 16) & IN_FILE for words in stack) for stack in scripted(perf, data, "event,ip"))
    assert addresses == dumped(data), f"the addresses are those of spemu dump\n{len(addresses)} {len(dumped(data))}"
    report = run(perf, "report", "-i", data, "--stdio", "--children", "-g", "none")
    assert report.returncode == 0 and "of event 'callchain'" in report.stdout, f"perf report\n{report.stderr}"
    table = report.stdout.split("of event 'callchain'")[1].split("of event")[0]
    shares = {m[3]: (float(m[1]), float(m[2])) for m in re.finditer(r"^\s*([\d.]+)%\s+([\d.]+)%.*\[\.\] (\w+)", table, re.M)}
    all_samples = len(addresses)
    for name, part in (("four", 4), ("two", 2), ("one", 5), ("work", 7)):
        expected = 100 * whole * part / 7 / all_samples
        assert abs(shares[name][0] - expected) < 100 * 3 / all_samples + 0.01, f"children of {name}: {shares[name]}\n{table}"
    assert shares["work"][1] == shares["work"][0] and shares["four"][1] < 1, f"the columns of self\n{table}"
