# SPDX-License-Identifier: MIT
"""spemu record --snapshot: the newest records are kept completely and once each, and no others.

Each program is recorded twice, without and with -S. It executes the same operations both times, so
a snapshot is a known part of the plain recording. The snapshot ends with the loop after which it
was requested. Its size is a multiple of a record's 64 bytes.
"""
import json
import os
import re
import signal
import subprocess
import time

import pytest

from clilib import ENVIRONMENT, SPEMU, child_setup, compile_c, nm, refuses, run, spemu
from perf_file import AUXTRACE, events, number
from perf_there import perf_works

PERIOD, RECORD, WINDOW = 256, 64, 4096
KEPT = WINDOW // RECORD
AUX, OVERWRITE = 11, 2
NAMES = ("first", "second", "third", "last")

PHASED = r"""
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#define PHASE(name) __attribute__((noinline)) void name(long n) \
	{ __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc"); }
PHASE(first)
PHASE(second)
PHASE(third)
PHASE(last)
static int control, answers;
static void snapshot(void)
{
	char ack[5];
	if (write(control, "snapshot\n", 9) < 0 || read(answers, ack, 5) != 5 || strcmp(ack, "ack\n"))
		_exit(1);
}
int main(int argc, char **argv)
{
	control = open(argv[1], O_WRONLY);
	answers = open(argv[2], O_RDONLY);
	first(N);
	snapshot();
	second(N);
	third(N);
	snapshot();
	snapshot();
	last(N / 100);
	return argc != 3;
}
"""


def record(folder, program, *options):
    """Record a program. Return the samples, by function and in order, and the messages."""
    commands, answers, data = f"{folder}/control", f"{folder}/ack", f"{folder}/snapshot.data"
    result = spemu("record", "-o", data, "-c", PERIOD, "--machine", "none", "--control", f"fifo:{commands},{answers}",
                   *options, "--", program, commands, answers)
    assert result.returncode == 0, f"runs: {' '.join(options)}\n{result.stderr}"
    out = spemu("dump", "--records", "--json", data).stdout
    at = sorted((address, name) for name, address in nm(program).items())
    samples = []
    for line in out.splitlines():
        pc = int(json.loads(line)["pc"], 0)
        samples.append((max(a for a in at if a[0] <= pc)[1], pc))
    return samples, result.stderr


def aux_events(path):
    """Return (offset, size, flags) of each AUX event, and (offset, size) of each AUXTRACE event."""
    with open(path, "rb") as f:
        image = f.read()
    found = [(type_, at) for type_, at, _, _ in events(image)]
    return ([tuple(number(image, at + 8 + 8 * i, 8) for i in range(3)) for type_, at in found if type_ == AUX],
            [(number(image, at + 16, 8), number(image, at + 8, 8)) for type_, at in found if type_ == AUXTRACE])


def ends_of(samples, name):
    """Return the numbers of samples at which a snapshot after this function may end. Few operations
    execute between two functions."""
    end = max(i for i, s in enumerate(samples) if s[0] == name) + 1
    between = next(i for i, s in enumerate(samples[end:]) if s[0] in NAMES)
    assert between <= 2, f"few operations follow {name}\n{between}"
    return range(end, end + between + 1)


def phased(folder, loops):
    return compile_c(folder, f"phased{loops}", PHASED, "-static", f"-DN={loops}")


@pytest.fixture(autouse=True)
def fifos(tmp_path):
    os.mkfifo(tmp_path / "control")
    os.mkfifo(tmp_path / "ack")


@pytest.mark.parametrize("loops, buffer", ((50000, "4K"), (50000, "64K"), (200000, "64K")))
def test_phases(tmp_path, loops, buffer):
    program = phased(tmp_path, loops)
    plain, told = record(tmp_path, program, "-m", buffer)
    assert told.count("does nothing without --snapshot") == 3, \
        f"without --snapshot, a snapshot command is acknowledged, and a message says that it has no effect\n{told}"
    for name in NAMES:
        n = (loops // 100 if name == "last" else loops) * 2 // (PERIOD + 1)
        assert abs(sum(s[0] == name for s in plain) - n) <= 1, f"{name} has its samples\n{len(plain)}"
    ends = [ends_of(plain, "first"), ends_of(plain, "third")]
    got, told = record(tmp_path, program, "-m", buffer, f"--snapshot={WINDOW}")
    what = f"{loops} rounds, -m {buffer}"
    assert any(got == plain[a - KEPT:a] + plain[b - KEPT:b] + plain[b:c] for a in ends[0] for b in ends[1]
               for c in ends[1]), \
                   f"{what}: each snapshot has the newest records, and no others\n{len(got)} {ends}\n{got[:3]}"
    m = re.search(r"(\d+) samples .*; (\d+) snapshots, (\d+) samples in none", told)
    assert (m and [int(n) for n in m.groups()]) == [len(plain), 3, len(plain) - len(got)], f"{what}: the summary"
    aux, traces = aux_events(f"{tmp_path}/snapshot.data")
    assert aux and all(flags & OVERWRITE for _, _, flags in aux), \
        f"{what}: each AUX event is marked as overwritten trace\n{aux}"
    assert [(o, s) for o, s, _ in aux if s] == traces, f"{what}: AUX and AUXTRACE refer to the same bytes"
    assert traces[0][0] in [RECORD * (a - KEPT) for a in ends[0]], \
        f"{what}: offsets include records that are in no snapshot\n{traces}"
    assert sum(s for _, s in traces) == RECORD * len(got), f"{what}: the trace has only complete records"


def test_end(tmp_path):
    program = phased(tmp_path, 50000)
    plain, _ = record(tmp_path, program)
    got, told = record(tmp_path, program, f"--snapshot=e{WINDOW}")
    after = len(got) - 2 * KEPT  # samples since the end of the third function
    assert ("4 snapshots" in told and sum(s[0] == "last" for s in got) > 2 and after <= KEPT
            and got[2 * KEPT:] == plain[-after:]), f"option e: the end takes a snapshot\n{told}{got[-5:]}"
    assert len(plain) - after in ends_of(plain, "third"), \
        f"option e: the last snapshot has all later records\n{after} {len(plain)}"
    whole, told = record(tmp_path, program, "--snapshot=e")
    assert whole == plain and ", 0 samples in none" in told, f"a snapshot size of the whole recording omits nothing\n{told}"
    quiet = spemu("record", "-q", "--snapshot", "-o", f"{tmp_path}/none.data", "--machine", "none", program, "/dev/null", "/dev/null")
    assert "no snapshot was taken" not in quiet.stderr, f"-q suppresses the message\n{quiet.stderr}"
    result = spemu("record", "--snapshot", "-o", f"{tmp_path}/none.data", "--machine", "none", program, "/dev/null", "/dev/null")
    assert "no snapshot was taken, so the file has no samples; send" in result.stderr, \
        f"a message reports that no snapshot was taken\n{result.stderr}"
    assert not aux_events(f"{tmp_path}/none.data")[1], "without a snapshot, the file has no trace"


THREADS = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *work(void *n)
{
	for (volatile long i = 0;; i++)
		;
	return n;
}
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, work, NULL);
	puts("ready");
	fflush(stdout);
	work(NULL);
}
"""


def settled(path, more_than):
    """Return the size of the file after a snapshot, when it is larger than `more_than` and has
    stopped growing."""
    sizes = [more_than]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (sizes[-1] <= more_than or sizes[-1] != sizes[-2]):
        time.sleep(0.2)
        sizes.append(os.path.getsize(path))
    assert sizes[-1] == sizes[-2], f"only snapshots extend the file\n{sizes[-5:]}"
    return sizes[-1]


def test_signal(tmp_path):
    """A signal extends the file, even while threads run that never enter the kernel. Nothing else
    extends it."""
    program, data = compile_c(tmp_path, "threads", THREADS, "-static", "-pthread"), f"{tmp_path}/threads.data"
    process = subprocess.Popen([SPEMU, "record", "--snapshot=4K", "-o", data, "-c", "1024", program], env=ENVIRONMENT, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=child_setup())
    assert process.stdout.readline() == "ready\n", "the program has started"
    time.sleep(1)
    sizes = [os.path.getsize(data)]
    for _ in range(2):
        process.send_signal(signal.SIGUSR2)
        sizes.append(settled(data, sizes[-1]))
    assert process.poll() is None, "the program does not get the signal"
    aux, _ = aux_events(data)
    process.terminate()
    told = process.communicate(timeout=60)[1]
    assert process.returncode == -signal.SIGTERM, "the program gets other signals"
    assert "; 2 snapshots, " in told, f"the summary counts two snapshots\n{told}"
    rows = json.loads(spemu("report", "--json", "-s", "tid", data).stdout)["functions"]
    assert len(rows) == 3 and all(0 < r["samples"] <= 2 * KEPT for r in rows), \
        f"the snapshots have samples of all three threads\n{rows}"
    lanes = sum(size for _, size, _ in aux)
    assert sizes[0] < sizes[1] < sizes[2] and lanes <= 6 * WINDOW and lanes == sum(r["samples"] for r in rows) * RECORD, \
        f"each thread has at most its ring in a snapshot\n{sizes} {lanes}"
    if perf_works():
        dump = run("perf", "report", "-D", "-i", data).stdout
        assert len(re.findall(r"PERF_RECORD_AUX offset: \S+ size: \S+ flags: 0x2 \[O\]", dump)) == len(aux), \
            "perf reads the AUX events of overwritten trace"
        assert len(re.findall(r"^\.  [0-9a-f]{8}:.* PC ", dump, re.M)) == lanes // RECORD, "perf reads all records"


def test_usage(tmp_path):
    program = phased(tmp_path, 50000)
    for name, pattern, *args in (
            ("not a size", "snapshot 'big' is not a size; give bytes, as 64K or 1M, or e", "--snapshot=big"),
            ("too small", "snapshot size 100 is not from 4K to 1G; use --snapshot=1M", "--snapshot=e100"),
            ("too large", "snapshot size 2G is not from 4K to 1G", "--snapshot=2G"),
            ("call stacks", "--snapshot keeps no call stacks; leave -g", "--snapshot", "-g")):
        refuses(name, 2, pattern, "record", *args, program)
