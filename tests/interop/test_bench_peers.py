# SPDX-License-Identifier: MIT
"""scripts/benches/peers for a program with known misses: all three simulators find them."""
import re
import shutil

import pytest

from clilib import BUILD, ROOT, compile_c, run

# The first program walks 2 MiB eight times, line by line. A 1 MiB cache with LRU replacement never hits. The second
# program walks 512 KiB. Every line misses L1 each time, and misses L2 once.
PROGRAM = """#include <stdlib.h>
volatile long sink;
int main(void)
{{
	long n = {size} / 8;
	long *a = malloc(n * 8);
	for (int round = 0; round < 8; round++)
		for (long i = 0; i < n; i += 8)
			a[i]++;
	sink = a[5];
}}
"""


def found(folder, name, size):
    """Return {simulator: (misses of L1, of L2, their standard deviations)}, in thousands."""
    aarch64 = compile_c(folder, name, PROGRAM.format(size=size), "-static")
    native = f"{aarch64}-native"
    assert run("gcc", "-O1", "-o", native, f"{aarch64}.c").returncode == 0, \
        f"{name}: the program compiles for this machine"
    result = run(ROOT / "scripts/benches/peers", "--build", BUILD, "--pairs", "1", "--pair", native, aarch64, timeout=800,
                 env={"MALLOC_PERTURB_": "0"})  # Meson sets it, and malloc() would write to all memory
    if "no package source" in result.stderr or "cannot download" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0 and len(re.findall(r"^\S+ +[\d.]+ s +[\d.]+ +[\d.]+ s +[\d.]+ +[\d.]+$", result.stdout, re.M)) == 1, \
        f"{name}: the bench prints the cost\n{result.stdout + result.stderr}"
    rows = re.findall(r"^\S+ +(cachegrind|cache plugin|spemu) .* % +([\d.]+)(?: \+- ([\d.]+))? +([\d.]+)(?: \+- ([\d.]+))?$", result.stdout, re.M)
    return {row[0]: [float(n or 0) for n in row[1:]] for row in rows}


@pytest.mark.parametrize("name, size, l1, l2", (("large", 2 << 20, 262.144, 262.144), ("middle", 512 << 10, 65.536, 8.192)))
def test_misses(tmp_path, name, size, l1, l2):
    for program, package in ("valgrind", "valgrind"), ("time", "time"), ("dpkg-source", "dpkg-dev"), ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing; install {package}")
    rows = found(tmp_path, name, size)
    assert sorted(rows) == ["cache plugin", "cachegrind", "spemu"], "all three simulators ran"
    for simulator, (got1, error1, got2, error2) in rows.items():
        # The start of a program has about 1,500 misses, most of them in the loader.
        assert -5 * error1 <= got1 - l1 <= 2.5 + 5 * error1, f"{simulator}: L1\n{got1}, expected {l1}"
        assert -5 * error2 <= got2 - l2 <= 2.5 + 5 * error2, f"{simulator}: L2\n{got2}, expected {l2}"
