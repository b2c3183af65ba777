# SPDX-License-Identifier: MIT
"""spemu record -o - whose reader takes nothing for a while: a short one loses nothing, and after a long one the program goes on."""
import json
import os
import re
import subprocess
import time

import pytest

from clilib import ENVIRONMENT, SPEMU, child_setup, compile_c, spemu, write

# 60 million operations: 234,000 samples, 15 MB of trace.
PROGRAM = """
#include <stdio.h>
volatile long table[512];
int main(int argc, char **argv)
{
	for (long i = 0; i < 10000000; i++)
		table[i & 511]++;
	return argc != 2 || !fopen(argv[1], "w");
}
"""


def stalled(program, mark, seconds):
    """(status of spemu record, its standard error, what the reader got, whether the program had ended), of a reader that sleeps first, or
    until the program has ended. The program makes a file in the end."""
    with subprocess.Popen([SPEMU, "record", "-c", "256", "-o", "-", "--", program, mark], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=child_setup()) as child:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not os.path.exists(mark):
            time.sleep(0.1)
        ended = os.path.exists(mark)
        out, err = child.communicate(timeout=120)
    return child.returncode, err.decode(), out, ended


def samples(folder, image):
    report = json.loads(spemu("report", "--json", "--section", "events", write(folder, "stalled.data", image)).stdout)
    return report["samples"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("program"), "program", PROGRAM, "-static")


def test_short(tmp_path, program):
    status, err, out, ended = stalled(program, f"{tmp_path}/short", 8)
    said = re.search(r"(\d+) samples \(\d+ filtered, 0 collisions, 0 lost\)", err)
    assert (status, ended) == (0, False), "8 seconds: the program waits, and ends well"
    assert said and samples(tmp_path, out) == int(said[1]) > 200000, f"and nothing is lost\n{err}"


def test_long(tmp_path, program):
    status, err, out, ended = stalled(program, f"{tmp_path}/long", 120)
    assert (status, ended) == (125, True), \
        "for ever: the program ends without a reader, and the status says that its trace is not all there"
    assert len(re.findall("reader took nothing for half a minute", err)) == 1, f"so does a line\n{err}"
    assert 0 < samples(tmp_path, out) < 200000, f"what was in the pipe can be read\n{len(out)}"
