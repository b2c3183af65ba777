# SPDX-License-Identifier: MIT
"""The first cause of spemu report, for programs with one known problem each (planted.c)."""
import json
import subprocess

import pytest

from clilib import COMPILER, ROOT, nm, spemu

LIBRARY = """
struct node { struct node *next; unsigned long value[7]; };
static __attribute__((noinline)) unsigned long hidden(struct node *at)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < 3u << 19; i++, at = at->next)
		sum += at->value[0];
	return sum;
}
unsigned long library_walk(void *list) { return hidden(list) + 2; }
"""
TURNS = ("--interleave", "50")
LOADS = {"DRAM loads", "LLC loads"}
TLB = {"TLB walks"}
STORES = {"store misses", "store buffer"}
CASES = {  # name: (options of record, program, reasons, functions, data)
    "false sharing": ((), "false_sharing", {"false sharing"}, "false_sharing", "counters"),
    "false sharing, in turns": (TURNS, "false_sharing", {"false sharing"}, "false_sharing", "counters"),
    "contended atomic": ((), "contended_atomic", {"contended atomics"}, None, "total"),
    "contended atomic, in turns": (TURNS, "contended_atomic", {"contended atomics"}, None, "total"),
    "lock": ((), "lock", {"contended atomics", "data sharing"}, None, "locked"),
    "TLB": ((), "tlb", TLB, "tlb", None),
    "DRAM": ((), "dram_chase", LOADS, "dram_chase", None),
    "column walk": ((), "column_walk", TLB | LOADS | {"late lines", "L2 loads"}, "column_walk", None),
    "many lines": ((), "many_lines", LOADS, "many_lines", None),
    "stores": ((), "stores", STORES | TLB, "stores", None),
    "misprediction": ((), "misprediction", {"mispredicted"}, "misprediction", None),
    "JIT": ((), "jit", LOADS, "compiled_chase", None),
    "stripped library": ((), "library", LOADS, "hidden", None),
    "child": ((), "child", LOADS, "dram_chase", None),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    subprocess.run([COMPILER, "-O1", "-g", "-pthread", "-o", folder / "planted", ROOT / "tests/cli/planted.c"],
                   check=True)
    (folder / "walk.c").write_text(LIBRARY)
    subprocess.run([COMPILER, "-O1", "-shared", "-fPIC", "-o", folder / "libwalk.so", folder / "walk.c"], check=True)
    hidden = nm(folder / "libwalk.so")["hidden"]
    subprocess.run(["aarch64-linux-gnu-strip", folder / "libwalk.so"], check=True)
    (folder / "root/tmp").mkdir(parents=True)
    return folder, f"fn_{hidden:x}"


@pytest.mark.parametrize("name", CASES)
def test_cause(tmp_path, programs, name):
    folder, hidden = programs
    options, program, reasons, function, data = CASES[name]
    argument = {"library": folder / "libwalk.so", "jit": folder / "root/tmp"}.get(program, "")
    path = tmp_path / "planted.data"
    result = spemu("record", "-q", "-o", path, *options, "--", folder / "planted", program, argument, timeout=300)
    assert (result.returncode, result.stdout) == (0, ""), f"{name}: it is recorded\n{result.stderr}"
    answer = json.loads(spemu("report", "--json", "--section", "answer,reasons", "-L", folder / "root", path).stdout)
    cause = answer["answer"]["causes"][0]
    assert cause["reason"] in reasons, f"{name}: the reason of the first cause\n{cause}"
    if function:
        assert cause["symbol"] == (hidden if function == "hidden" else function), f"{name}: its function\n{cause}"
    if data:
        assert data in cause["data"], f"{name}: its data\n{cause}"
    assert abs(sum(row["share"] for row in answer["reasons"]) - 100) < 0.01, f"{name}: the reasons are 100 %"
    assert answer["answer"]["covered"] >= 60, f"{name}: the causes cover the avoidable cycles"
