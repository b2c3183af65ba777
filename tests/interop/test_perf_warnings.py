#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What perf says beside its output when it reads the files that the library writes: nothing.

usage: test_perf_warnings.py PERF_MAKE PERF7

With version 1 of the trace's metadata Debian 12's perf is asked, with version 2 PERF7, a perf of the 7
series (scripts/fetch perf makes it; without it that half is skipped). PERF_MAKE writes 60 samples, 30 of
them loads.
"""
import os
import subprocess
import sys
import tempfile

from perf_there import perf_works
from tap import check, plan

# What perf 6.1 says of every recording of an Arm machine, whatever the file has: its Debian build
# cannot unwind arm64 stacks, and --itrace's default period is in time.
OF_PERF_ITSELF = {
    "unwind: target platform=arm64 is not supported",
    "Only instruction-based sampling period is currently supported by Arm SPE.",
}
# PERF_MAKE sets the flag of a collision in one of its AUX events, and perf says so.
OF_THE_TRACE = {"Warning:", "AUX data detected collision  1 times out of 3!"}
# Arguments, and a text that its output has: so that saying nothing is not reading nothing.
COMMANDS = (
    (("report", "--stdio", "--itrace=i1i"), "hot"),
    (("report", "-D"), "PERF_RECORD_AUXTRACE_INFO"),
    (("report", "--header-only", "-I"), "memory nodes (nr 1,"),
    (("script", "--itrace=i1i"), "hot"),
    (("script", "--itrace=M", "-F", "comm,ip,addr,data_src"), "|OP LOAD|LVL L1"),
    (("mem", "report", "--stdio"), "L1"),
    (("c2c", "report", "--stdio"), "Load L1D hit"),
    (("annotate", "--stdio", "--itrace=i1i", "--objdump=aarch64-linux-gnu-objdump"), "Percent"),
    (("evlist", "-v"), "arm_spe"),
    (("buildid-list",), "hot"),
)


def quiet(perf, data, what):
    for (command, *options), expected in COMMANDS:
        # The file comes after the sub-command of `perf mem` and `perf c2c`.
        done = subprocess.run([perf, command, *options, "-i", data], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines()
                if line.strip() and line.strip() not in OF_PERF_ITSELF | OF_THE_TRACE]
        check(done.returncode == 0 and not said and expected in done.stdout,
              f"{what}: {command} {' '.join(options)}",
              f"exit status {done.returncode}\n" + "\n".join(said) + "\n" + done.stdout[:2000])


def record(make, folder, program, *more):
    data = os.path.join(folder, "perf.data")
    subprocess.run([make, data, program, "0x1000", "0x700", "0x800", "0x11000", "0x1000", *more],
                   check=True)
    return data


def compile_program(folder):
    program = os.path.join(folder, "hot")
    with open(program + ".c", "w") as f:
        f.write("int main(void) { return 0; }\n")
    subprocess.run(["aarch64-linux-gnu-gcc", "-g", "-Wl,--build-id=sha1", "-o", program,
                    program + ".c"], check=True)
    return program


def main():
    make, perf7 = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(folder)
        if perf_works():
            quiet("perf", record(make, folder, program), "version 1")
        else:
            check(True, "version 1 # SKIP perf is not installed")
        if perf_works(perf7):
            quiet(perf7, record(make, folder, program, "cpus"), "version 2")
        else:
            check(True, "version 2 # SKIP no perf 7; scripts/fetch perf build/perf unpacks it")
    plan()


main()
