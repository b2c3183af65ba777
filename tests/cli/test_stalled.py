# SPDX-License-Identifier: MIT
"""spemu record -o - with a reader that stops reading. A short pause loses nothing. After a long
pause, the program continues without the reader."""
import json
import os
import re
import subprocess
import time

import pytest

from clilib import ENVIRONMENT, SPEMU, child_setup, compile_c, spemu, write

# 60 million operations give 234,000 samples and 15 MB of trace.
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
    """Record a program into a pipe. The reader sleeps for `seconds`, or until the program ends; the
    program creates the file `mark` at its end. Return (status of spemu record, its standard error,
    the received output, true if the program had ended)."""
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
    assert (status, ended) == (0, False), "a pause of 8 seconds: the program waits, and ends normally"
    assert said and samples(tmp_path, out) == int(said[1]) > 200000, f"a pause of 8 seconds: no sample is lost\n{err}"


def test_long(tmp_path, program):
    status, err, out, ended = stalled(program, f"{tmp_path}/long", 120)
    assert (status, ended) == (125, True), \
        "an endless pause: the program ends, and the status reports an incomplete trace"
    assert len(re.findall("reader took nothing for half a minute", err)) == 1, \
        f"a message reports the incomplete trace\n{err}"
    assert 0 < samples(tmp_path, out) < 200000, f"the trace in the pipe can be read\n{len(out)}"
