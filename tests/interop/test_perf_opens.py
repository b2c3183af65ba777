# SPDX-License-Identifier: MIT
"""Debian's perf reads the files that the library writes.

perf_make writes 30 loads of a process (tid 4000) in hot(), 20 operations of its second thread
(4001) in cold(), and 10 of its forked child (4100) in hot(). The expected symbols come from nm and
from these counts, not from the library.
"""
import collections
import os
import re
import subprocess

import pytest

from clilib import BUILD

from perf_there import perf_works

if not perf_works():
    pytest.skip("perf is not installed", allow_module_level=True)

SOURCE = """
volatile int shared_counter[64];
__attribute__((noinline)) void hot(void)
{
	for (int i = 0; i < 64; i++)
		shared_counter[i]++;
}
__attribute__((noinline)) void cold(void) { shared_counter[0]--; }
int main(void)
{
	hot();
	cold();
	return 0;
}
"""
COMPILER = "aarch64-linux-gnu-gcc"


def run(*command):
    """Run a command without a terminal. Return its standard output and standard error."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def perf(*args):
    status, out, err = run("perf", *args)
    if status:
        return f"exit status {status}\n{out}\n{err}"
    return out


class Program:
    """A small ELF program, with the symbols and addresses that binutils print."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "hot")
        source = self.path + ".c"
        with open(source, "w") as f:
            f.write(SOURCE)
        # Text and data have fixed page offsets that do not depend on the compiler's defaults.
        subprocess.run([COMPILER, "-g", "-O1", "-pie", "-fPIE", "-Wl,--build-id=sha1",
                        "-o", self.path, source], check=True)
        self.symbols = {}
        for line in run("aarch64-linux-gnu-nm", self.path)[1].splitlines():
            words = line.split()
            if len(words) == 3:
                self.symbols[words[2]] = int(words[0], 16)
        notes = run("aarch64-linux-gnu-readelf", "-n", self.path)[1]
        self.build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
        loads = re.findall(r"^\s+LOAD\s+(\S+)\s+(\S+)\s+\S+\s+\S+\s+\S+\s+(R.[ E])",
                           run("aarch64-linux-gnu-readelf", "-lW", self.path)[1], re.M)
        offset, address, _ = next(load for load in loads if "W" in load[2])
        page = self.symbols["shared_counter"] & ~0xfff
        self.data_pgoff = page - int(address, 16) + int(offset, 16)

    def record(self, output, *more):
        names = [hex(self.symbols[s]) for s in ("hot", "cold", "shared_counter")]
        subprocess.run([BUILD / "tests/interop/perf_make", output, self.path, "0x1000", *names, hex(self.data_pgoff), *more],
                       check=True)


BIAS = 0x5500000000


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Program(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module")
def data(tmp_path_factory, program):
    path = tmp_path_factory.mktemp("data") / "perf.data"
    program.record(path)
    return path


def test_dump(data, program):
    out = perf("report", "-D", "-i", data)
    assert out.count("PERF_RECORD_AUXTRACE size") == 3, f"report -D: three AUXTRACE events\n{out}"
    assert len(re.findall(r"CONTEXT 0x[0-9a-f]+", out)) == 60, f"report -D: 60 CONTEXT packets\n{out}"
    assert "Bad packet" not in out, f"report -D: no bad packet\n{out}"
    hot = BIAS + program.symbols["hot"]
    assert out.count(f"PC {hot:#x} el0 ns=1") == 40, f"report -D: PCs in hot\n{out}"
    assert "PMU Type" in out and "... Time Muliplier  1" in out, f"report -D: AUXTRACE_INFO and TIME_CONV\n{out}"


@pytest.mark.parametrize("more", ((), ("unfinished",)))
def test_script(tmp_path, program, more):
    data = tmp_path / "perf.data"
    program.record(data, *more)
    out = perf("script", "-i", data, "--itrace=i1i", "--ns",
               "-F", "comm,pid,tid,cpu,time,ip,sym,addr")
    lines = [line.split() for line in out.splitlines() if line.strip()]
    seen = collections.Counter((w[0], w[1], w[2], w[-1]) for w in lines if len(w) == 7)
    assert seen == {("hot", "4000/4000", "[000]", "hot"): 30,
                    ("hot", "4000/4001", "[001]", "cold"): 20,
                    ("hot", "4100/4100", "[002]", "hot"): 10}, f"thread, lane and symbol of each sample\n{seen}\n{out}"
    times = [w[3] for w in lines if len(w) == 7]
    assert times[:4] == ["0.000002000:", "0.000002003:", "0.000002005:", "0.000002010:"], \
        f"samples of all threads in time order\n{times}"
    data_va = f"{BIAS + program.symbols['shared_counter']:x}"
    assert sum(1 for w in lines if len(w) == 7 and w[4] == data_va) == 30, f"data addresses\n{out}"


def test_report(data):
    out = perf("report", "-i", data, "--stdio", "--itrace=i1i", "--sort", "pid,sym")
    found = re.findall(r"^\s+([\d.]+)%\s+(\d+):(\S+)\s+\[\.\] (\S+)", out, re.M)
    assert found == [("50.00", "4000", "hot", "hot"), ("33.33", "4001", "hot", "cold"),
                     ("16.67", "4100", "hot", "hot")], f"report: shares\n{out}"
    out = perf("report", "-i", data, "--stdio", "--itrace=i1i", "--sort", "comm,dso")
    assert re.search(r"100\.00%\s+hot\s+hot\s", out), f"report: program and object\n{out}"
    status, _, err = run("perf", "report", "-i", data, "--stdio", "--itrace=i1i")
    assert status == 0 and "AUX data detected collision  1 times out of 3" in err, f"report: the AUX flags are counted\n{err}"


def test_mem(data):
    out = perf("mem", "report", "-i", data, "--stdio")
    # "L1 or L1 hit" in perf 6.1, "L1 hit" in 6.12.
    assert re.search(r"100\.00%\s+30\s+12\s+(L1 or )?L1 hit\s+\[\.\] hot\s+hot\s+"
                     r"\[\.\] shared_counter\+0x0\s+hot", out), f"mem report: level, latency, symbol and data symbol\n{out}"


def test_annotate(data, program):
    out = perf("annotate", "-i", data, "--stdio", "-s", "hot", "--itrace=i1i",
               "--objdump=aarch64-linux-gnu-objdump")
    assert "40 samples" in out, f"annotate: 40 samples in hot\n{out}"
    assert re.search(rf"100\.00 .*\b{program.symbols['hot']:x}:", out), f"annotate: all at its first instruction\n{out}"


def test_c2c(data):
    out = perf("c2c", "report", "-i", data, "--stdio")
    assert re.search(r"Load L1D hit\s+:\s+30\b", out), f"c2c report: loads\n{out}"


def test_header(data, program):
    out = perf("report", "-i", data, "--header-only", "-I")
    for what in ("arch : aarch64", "nrcpus avail : 3", "cpuid : 0x00000000413fd0c1",
                 "cmdline : spemu record ./hot", "os release : 6.1.0-test",
                 "name = arm_spe_0//", "node0 cpu list : 0-2", "contains AUX area data",
                 "time of first sample : 0.000001", "time of last sample : 0.000003"):
        assert what in out, f"header: {what}\n{out}"
    out = perf("buildid-list", "-i", data)
    assert out.split() == [program.build_id, program.path], f"buildid-list\n{out}"
