# SPDX-License-Identifier: MIT
"""perf reads the files of the library without printing a warning.

Debian 12's perf reads files with version 1 of the trace's metadata. A perf of the 7 series reads
files with version 2; without it (scripts/fetch perf installs it), this half is skipped. perf_make
writes 60 samples, of which 30 are loads.
"""
import os
import subprocess

import pytest

from clilib import BUILD, ROOT
from perf_there import perf_works

# Warnings that perf 6.1 prints for every Arm recording: Debian's build cannot unwind arm64 stacks, and the default
# period of --itrace is a time.
OF_PERF_ITSELF = {
    "unwind: target platform=arm64 is not supported",
    "Only instruction-based sampling period is currently supported by Arm SPE.",
}
# perf_make sets the collision flag in one of its AUX events, and perf reports the collision.
OF_THE_TRACE = {"Warning:", "AUX data detected collision  1 times out of 3!"}
# Arguments, and a text of the output, which shows that perf has read the file.
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


def quiet(perf, data):
    for (command, *options), expected in COMMANDS:
        # `perf mem` and `perf c2c` require the file after the subcommand.
        done = subprocess.run([perf, command, *options, "-i", data], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines()
                if line.strip() and line.strip() not in OF_PERF_ITSELF | OF_THE_TRACE]
        assert done.returncode == 0 and not said and expected in done.stdout, \
            f"{command} {' '.join(options)}\nexit status {done.returncode}\n" + "\n".join(said) + "\n" + done.stdout[:2000]


def compile_program(folder):
    program = os.path.join(folder, "hot")
    with open(program + ".c", "w") as f:
        f.write("int main(void) { return 0; }\n")
    subprocess.run(["aarch64-linux-gnu-gcc", "-g", "-Wl,--build-id=sha1", "-o", program,
                    program + ".c"], check=True)
    return program


def record(folder, *more):
    program, data = compile_program(folder), os.path.join(folder, "perf.data")
    subprocess.run([BUILD / "tests/interop/perf_make", data, program, "0x1000", "0x700", "0x800", "0x11000", "0x1000", *more],
                   check=True)
    return data


def test_version_1(tmp_path):
    if not perf_works():
        pytest.skip("perf is not installed")
    quiet("perf", record(tmp_path))


def test_version_2(tmp_path):
    perf = ROOT / "build/perf/bin/perf"
    if not perf_works(perf):
        pytest.skip("no perf 7; scripts/fetch perf build/perf unpacks it")
    quiet(perf, record(tmp_path, "cpus"))
