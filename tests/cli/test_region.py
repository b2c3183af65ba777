# SPDX-License-Identifier: MIT
"""spemu record --region, --delay and --control: operations inside are recorded, and no others.

The operations of the programs can be counted on paper. With a period of 256, the first sample is
operation 256 inside the region, and each further sample is 257 operations later (D17.3). So the
address of every sample is known.
"""
import json
import os
import signal
import socket
import subprocess
import time

import clilib
from clilib import COMPILER, ENVIRONMENT, SPEMU, child_setup, compile_c, nm, refuses, spemu, write

PERIOD = 256
ROUNDS = 400
INSIDE = 37  # no-ops between the markers

# Straight code has three phases. After it, a function is called, calls itself, and is entered by a branch.
PHASES = f"""
	.globl _start, outer, inner, leave, finish, unused, again, deep, lost, caught
	.type outer, %function
	.type inner, %function
	.type leave, %function
	.type deep, %function
	.type lost, %function
_start:	mov	x20, #{ROUNDS}
1:	.rept	100
	nop
	.endr
	movz	xzr, #0x5350
	.rept	{INSIDE}
	nop
	.endr
	movz	xzr, #0x5351
	.rept	50
	nop
	.endr
	mov	x1, #1
	bl	outer
	mov	x24, #3
	bl	again
	mov	x23, #0
	bl	lost
	nop
caught:	nop
	bl	lost
	.rept	60
	nop
	.endr
	subs	x20, x20, #1
	b.ne	1b
finish:	mov	x0, #0
	mov	x8, #93
	svc	#0

outer:	stp	x29, x30, [sp, #-16]!
	mov	x0, #20
	bl	inner
	cbz	x1, 2f
	mov	x1, #0
	bl	outer
2:	ldp	x29, x30, [sp], #16
	b	leave
inner:	subs	x0, x0, #1
	b.ne	inner
	ret
leave:	nop
	ret
unused:	ret
again:	stp	x29, x30, [sp, #-16]!
	bl	deep
	ldp	x29, x30, [sp], #16
	ret
deep:	subs	x24, x24, #1
	b.eq	3f
	stp	x29, x30, [sp, #-16]!
	bl	again
	ldp	x29, x30, [sp], #16
3:	ret
lost:	cbz	x23, 4f
	mov	x23, #0
	ret
4:	mov	x23, #1
	b	caught
"""
INNER = 2 * 20 + 1
# Operations of outer: 3, inner, cbz, [2, outer again through the call], 2, and 2 of leave.
SECOND = 3 + INNER + 1 + 2 + 2
OUTER = SECOND + 2 + SECOND


def samples_of(data):
    return [json.loads(line) for line in spemu("dump", "--records", "--json", data).stdout.splitlines()]


def expected_pcs(path):
    """Return the sampled addresses. `path` lists the addresses of the operations inside the region,
    in order."""
    return [path[n - 1] for n in range(PERIOD, len(path) + 1, PERIOD + 1)]


def straight(address, n):
    return [address + 4 * i for i in range(n)]


def record(folder, program, *options, **kwargs):
    data = f"{folder}/region.data"
    command = program if isinstance(program, list) else [program]
    result = spemu("record", "-o", data, "-c", PERIOD, *options, "--", *command, **kwargs)
    assert result.returncode == 0, f"runs: {' '.join(options)}\n{result.stderr}"
    return [int(r["pc"], 0) for r in samples_of(data)], result.stderr


def phases(folder):
    source, program = write(folder, "phases.s", PHASES), f"{folder}/phases"
    subprocess.run([COMPILER, "-nostdlib", "-static", "-Wl,--build-id", "-o", program, source], check=True)
    return program


def test_exact(tmp_path):
    program = phases(tmp_path)
    at = nm(program)
    start = at["_start"] + 4 + 4 * 100
    path_inner = [at["inner"] + 4 * (i % 2) for i in range(40)] + [at["inner"] + 8]
    tail = straight(at["outer"] + 24, 2) + straight(at["leave"], 2)
    second = straight(at["outer"], 3) + path_inner + [at["outer"] + 12] + tail
    outer = (straight(at["outer"], 3) + path_inner + straight(at["outer"] + 12, 3) + second + tail)
    assert len(outer) == OUTER, "the path of the function has the counted length"
    markers = straight(start, 1 + INSIDE) * ROUNDS
    # The region from the first operation of inner to the first of leave: inner, cbz, two operations, and the second
    # call, which reaches leave.
    middle = (path_inner + straight(at["outer"] + 12, 3) + straight(at["outer"], 3)
              + path_inner + [at["outer"] + 12] + straight(at["outer"] + 24, 2)) * ROUNDS
    again, deep, lost, caught = (at[name] for name in ("again", "deep", "lost", "caught"))
    # deep: three nested calls return to the same place. lost: a call is left by a jump, and the next call ends it.
    down, up = straight(deep, 4) + straight(again, 2), straight(again + 8, 2) + straight(deep + 16, 2)
    path_deep = down * 2 + [deep, deep + 4, deep + 20] + up * 2
    path_lost = [lost, lost + 12, lost + 16, caught, caught + 4] + straight(lost, 3)
    for region, path in (("deep", path_deep * ROUNDS), ("lost", path_lost * ROUNDS), ("markers", markers), ("outer", outer * ROUNDS), ("inner", path_inner * 2 * ROUNDS),
                         ("inner..leave", middle), (f"0x{start:x}..0x{start + 4 * 38:x}", markers)):
        for options in (("--machine", "none"), ("--machine", "neoverse-n1"),
                        ("--machine", "none", "--memory-callbacks")):
            pcs, _ = record(tmp_path, program, "--region", region, *options)
            wanted = expected_pcs(path)
            assert len(wanted) > 10 and pcs == wanted, (
                f"--region {region.split('x')[0]} {' '.join(options)}: each of {len(wanted)} samples\n"
                f"{len(pcs)} of {len(wanted)}\n{[hex(p) for p in pcs[:9]]}\n{[hex(p) for p in wanted[:9]]}")
    _, told = record(tmp_path, program, "--region", f"0x{at['finish'] + 8:x}..0x{at['_start']:x}")
    assert "samples" in told and "no thread was switched on" not in told, \
        f"a region of one operation has no sample\n{told}"
    _, told = record(tmp_path, program, "--region", "unused")
    assert "no thread was switched on; see that the program gets to the region 'unused'" in told, \
        f"a region that no thread reaches is reported\n{told}"
    _, told = record(tmp_path, program, "--region", f"0x{at['finish'] + 8:x}..0x{at['_start']:x}", "-q")
    assert told == "", "-q suppresses the message about a region without samples"


THREADS = r"""
#include <pthread.h>
#include <spemu/region.h>
#include <sys/wait.h>
#include <unistd.h>
#define PHASE(name) __attribute__((noinline)) void name(long n) \
	{ __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc"); }
PHASE(inside)
PHASE(outside)
PHASE(of_child)
static void *other(void *unused)
{
	outside(300000);
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	outside(100000);
	SPEMU_REGION_BEGIN();
	inside(200000);
	if (!fork()) {
		of_child(100000);
		_exit(0);
	}
	SPEMU_REGION_END();
	wait(NULL);
	pthread_join(thread, NULL);
	outside(100000);
	return 0;
}
"""

CONTROLLED = r"""
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#define PHASE(name) __attribute__((noinline)) void name(long n) \
	{ __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc"); }
PHASE(before)
PHASE(inside)
PHASE(after)
static int control, answers;
static void command(const char *text)
{
	char ack[5];
	if (write(control, text, strlen(text)) < 0 || read(answers, ack, 5) != 5 || strcmp(ack, "ack\n"))
		_exit(1);
}
int main(int argc, char **argv)
{
	control = open(argv[1], O_WRONLY);
	answers = open(argv[2], O_RDONLY);
	before(300000);
	command("enable\n");
	inside(200000);
	command("disable\n");
	after(300000);
	command("ping\n");
	return argc != 3;
}
"""


def functions(folder):
    report = json.loads(spemu("report", "--json", "-n", "0", f"{folder}/region.data").stdout)
    return {f["symbol"]: f["samples"] for f in report["functions"]}


def include(folder):
    """Return the header folder of the source tree."""
    return "-I" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")


def test_threads(tmp_path):
    program = compile_c(tmp_path, "threads", THREADS, "-static", "-pthread", include(tmp_path))
    record(tmp_path, program, "--region", "markers", "--machine", "none")
    seen = functions(tmp_path)
    assert (abs(seen.get("inside", 0) - 400000 // 257) <= 1 and abs(seen.get("of_child", 0) - 200000 // 257) <= 1
            and "outside" not in seen), \
                f"regions are per thread, and a child that is created inside starts inside\n{seen}"


def test_control(tmp_path):
    program = compile_c(tmp_path, "controlled", CONTROLLED, "-static")
    commands, answers = f"{tmp_path}/control", f"{tmp_path}/ack"
    os.mkfifo(commands)
    os.mkfifo(answers)
    for options in (("--machine", "none"), ()):
        _, told = record(tmp_path, [program, commands, answers], "-D", "-1", "--control",
                         f"fifo:{commands},{answers}", *options)
        seen = functions(tmp_path)
        assert abs(seen.get("inside", 0) - 400000 // 257) <= 1 and not {"before", "after"} & set(seen), \
            f"a program that switches itself {' '.join(options)}\n{seen}\n{told}"
    record(tmp_path, [program, commands, answers], "--control", f"fifo:{commands},{answers}", "--machine", "none")
    seen = functions(tmp_path)
    assert abs(seen.get("before", 0) - 600000 // 257) <= 1 and "after" not in seen, \
        f"recording is enabled at the start\n{seen}"
    record(tmp_path, [program, commands, answers], "-D", "100000", "--region", "after", "--control",
           f"fifo:{commands},{answers}", "-q")
    assert functions(tmp_path) == {}, "--region and --control: both must be on"


ENDLESS = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	volatile long n = 0;
	for (int i = 1; i < argc; i++)
		if (fcntl(atoi(argv[i]), F_GETFD) >= 0)
			puts("a descriptor of the recorder");
	for (puts("ready"), fflush(stdout);;)
		n++;
}
"""


def begin(folder, *options, pass_fds=()):
    process = subprocess.Popen(
        [SPEMU, "record", "-o", f"{folder}/region.data", "--machine", "none", *options, f"{folder}/endless", *map(str, pass_fds)],
        env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=child_setup(), pass_fds=pass_fds)
    assert process.stdout.readline() == "ready\n", \
        f"the program starts and does not get the descriptors: {' '.join(options)}"
    return process


def end(process):
    _, told = process.communicate(timeout=60)
    return process.returncode, told


def test_commands(tmp_path):
    compile_c(tmp_path, "endless", ENDLESS, "-static")
    (theirs, ours), (back, answers) = os.pipe(), os.pipe()
    process = begin(tmp_path, "--control", f"fd:{theirs},{answers}", pass_fds=(theirs, answers))
    os.write(ours, b"pi")
    os.write(ours, b"ng\n\nfrob\x1bnicate\nsnapshot\n" + b"x" * 1000 + b"\nenable\0disable\nstop\n")
    told = b""
    while told.count(b"\0") < 5:
        told += os.read(back, 64)
    assert told == b"ack\n\0" * 5, "each known command is acknowledged, as by perf"
    assert (os.get_blocking(theirs), os.get_blocking(answers)) == (True, True), "the caller's descriptors stay blocking"
    status, errors = end(process)
    assert status == -signal.SIGTERM, "stop ends the program like SIGTERM"
    lines = errors.splitlines()
    assert (len(lines) == 4 and "unknown control command 'frob?nicate'; use" in lines[0]
            and "'snapshot' does nothing without --snapshot" in lines[1] and f"'{'x' * 64}'" in lines[2] and "samples" in lines[3]), \
        f"unknown and unsupported commands are reported\n{errors}"
    assert samples_of(f"{tmp_path}/region.data"), "the recording has samples"

    process = begin(tmp_path, "-D", "-1", "--control", f"fd:{theirs},{answers}", pass_fds=(theirs, answers))
    os.close(back)
    os.close(answers)
    os.write(ours, b"ping\nping\n")
    line = process.stderr.readline()
    assert "nobody reads the acknowledgments" in line and "Broken pipe" in line, f"a lost reader is reported once\n{line}"
    os.close(theirs)
    os.close(ours)
    assert "closed while recording was disabled" in process.stderr.readline(), "a lost writer is reported"
    process.send_signal(signal.SIGTERM)
    status, errors = end(process)
    assert status == -signal.SIGTERM and "nothing was recorded: no thread was switched on; send enable" in errors, \
        f"a message says that recording was never enabled\n{errors}"

    here, there = socket.socketpair()
    process = begin(tmp_path, "--control", f"fd:{there.fileno()},{there.fileno()}", pass_fds=(there.fileno(),))
    here.sendall(b"ping\n")
    assert here.recv(64) == b"ack\n\0", "a socket transfers commands and acknowledgments"
    assert os.get_blocking(there.fileno()) is True, "the socket stays blocking"
    here.sendall(b"stop\n")
    assert end(process)[0] == -signal.SIGTERM, "the program ends by SIGTERM"
    here.close()
    there.close()

    process = begin(tmp_path, "-D", "30")
    while not os.path.getsize(f"{tmp_path}/region.data") > 200000:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    status, errors = end(process)
    assert status == -signal.SIGTERM and samples_of(f"{tmp_path}/region.data"), \
        f"--delay: recording is enabled later\n{errors}"


def test_usage(tmp_path):
    program = phases(tmp_path)
    plain = write(tmp_path, "plain", "")
    stripped = f"{tmp_path}/stripped"
    clilib.run("aarch64-linux-gnu-strip", "-o", stripped, program)
    for name, pattern, *args in (
            ("unknown function", "no function 'iner' in '.*phases'; did you mean 'inner'", "--region", "iner"),
            ("an address outside of the code", "'0x10' is not in the code of", "--region", "0x10..0x20"),
            ("an odd address", "'0x400082' is not the address of an instruction", "--region", "0x400082"),
            ("a region without an end", "has no beginning or no end", "--region", "inner.."),
            ("a region that is empty", "is empty; give two places", "--region", "inner..inner"),
            ("delay", "delay 'soon' is not a number of milliseconds", "-D", "soon"),
            ("delay without end", "nothing would enable it; give --control as well", "-D", "-1"),
            ("no control", "'ctl' is not a control; give fifo:FIFO", "--control", "ctl"),
            ("no FIFO", "cannot open the FIFO '/nonexistent': No such file or directory; make it with mkfifo",
             "--control", "fifo:/nonexistent"),
            ("a file for a FIFO", "'.*plain' is not a FIFO; make one with mkfifo", "--control", f"fifo:{plain}"),
            ("a descriptor that is closed", "descriptor 77 is not open; open it", "--control", "fd:77"),
            ("no descriptor", "'x' is not the number of a descriptor", "--control", "fd:x")):
        # These arguments name unsuitable files and descriptors, which is not a usage error.
        outside = ("no FIFO", "a file for a FIFO", "a descriptor that is closed")
        refuses(name, 125 if name in outside else 2, pattern, "record", *args, program)
    refuses("no symbols", 125, "has no symbols; give --region addresses", "record", "--region", "inner", stripped)
