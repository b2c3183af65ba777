# SPDX-License-Identifier: MIT
"""scripts/benches/peers on a program whose misses are known: all three simulators find them.

usage: test_bench_peers.py SOURCE_ROOT BUILD
"""
import pathlib
import re
import shutil
import sys

SOURCE, BUILD = (pathlib.Path(a) for a in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "tests" / "cli"))
from clilib import Folder, check, compile_c, done, equal, run  # noqa: E402
from tap import skip  # noqa: E402

# 2 MiB, in lines, eight times: of 1 MiB that forgets what was used least recently nothing is found again. The second program
# walks through 512 KiB: L1 misses each line each time, L2 once.
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
    """Name of the simulator -> (misses of L1, of L2, their deviations), in thousands."""
    aarch64 = compile_c(folder, name, PROGRAM.format(size=size), "-static")
    native = f"{aarch64}-native"
    equal(run("gcc", "-O1", "-o", native, f"{aarch64}.c").returncode, 0, f"{name}: for this machine")
    result = run(SOURCE / "scripts/benches/peers", "--build", BUILD, "--pairs", "1", "--pair", native, aarch64, timeout=800,
                 env={"MALLOC_PERTURB_": "0"})  # Meson's has malloc() write all of it
    if "no package source" in result.stderr or "cannot download" in result.stderr:
        skip(result.stderr.strip())
    check(result.returncode == 0 and len(re.findall(r"^\S+ +[\d.]+ s +[\d.]+ +[\d.]+ s +[\d.]+ +[\d.]+$", result.stdout, re.M)) == 1,
          f"{name}: its cost", result.stdout + result.stderr)
    rows = re.findall(r"^\S+ +(cachegrind|cache plugin|spemu) .* % +([\d.]+)(?: \+- ([\d.]+))? +([\d.]+)(?: \+- ([\d.]+))?$", result.stdout, re.M)
    return {row[0]: [float(n or 0) for n in row[1:]] for row in rows}


def main():
    for program, package in ("valgrind", "valgrind"), ("time", "time"), ("dpkg-source", "dpkg-dev"), ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"):
        if not shutil.which(program):
            skip(f"there is no {program}; install {package}")
    with Folder() as folder:
        for name, size, l1, l2 in (("large", 2 << 20, 262.144, 262.144), ("middle", 512 << 10, 65.536, 8.192)):
            rows = found(folder.path, name, size)
            equal(sorted(rows), ["cache plugin", "cachegrind", "spemu"], f"{name}: three simulators")
            for simulator, (got1, error1, got2, error2) in rows.items():
                # The start of a program has some 1,500 misses of its own, those of a loader most.
                check(-5 * error1 <= got1 - l1 <= 2.5 + 5 * error1, f"{name}: {simulator}: L1", f"{got1}, expected {l1}")
                check(-5 * error2 <= got2 - l2 <= 2.5 + 5 * error2, f"{name}: {simulator}: L2", f"{got2}, expected {l2}")
    done()


if __name__ == "__main__":
    main()
