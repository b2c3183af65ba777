# SPDX-License-Identifier: MIT
"""spemu record -o -: every command and perf read the same recording from the stream as from a file.
Also: output of the program stays out of the stream, and all ways in which the stream ends."""
import json
import os
import pty
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import time

import pytest

from clilib import BUSY, ENVIRONMENT, SPEMU, child_setup, compile_c, refuses, run, spemu
from perf_file import AUXTRACE, number
from perf_there import perf_works

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
""" + BUSY + r"""int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char c;

	if (!strcmp(what, "fork") && fork() == 0)
		_exit((busy(300000), 0));
	busy(300000);
	if (!strcmp(what, "fork"))
		return wait(NULL) < 0;
	if (!strcmp(what, "print"))
		for (int fd = 1; fd < 64; fd++)
			if (write(fd, "by the program\n", 15) < 0)
				continue;
	if (!strcmp(what, "wait")) {
		fputs("ready\n", stderr);
		return read(0, &c, 1) < 0;
	}
	return !strcmp(what, "exit") ? 3 : 0;
}
"""


def record(*args, options=(), **kwargs):
    """Record a program with these arguments into a stream. Return the stream."""
    return run(SPEMU, "record", "-o", "-", *options, "--", *args, text=False, **kwargs)


def by_pipe(image, *command):
    return subprocess.run([str(c) for c in command], input=image, env=ENVIRONMENT, capture_output=True, timeout=120,
                          check=False, preexec_fn=child_setup())


def events(image):
    """Return (type, offset, size with the trace) of each event of a stream; None stands for an incomplete event."""
    at = 16
    if image[:16] != b"PERFILE2" + struct.pack("<Q", 16):
        yield None
        return
    while at < len(image):
        whole = number(image, at + 6, 2)
        if number(image, at, 4) == AUXTRACE:
            whole += number(image, at + 8, 8)
        if whole < 8 or at + whole > len(image):
            yield None
            return
        yield number(image, at, 4), at, whole
        at += whole


def is_whole(image):
    return all(events(image))


def samples(image):
    """Return the number of samples that spemu report counts, or -1 if it reports damage by its
    status."""
    result = by_pipe(image, SPEMU, "report", "--json", "-i", "-")
    return json.loads(result.stdout)["samples"] if result.returncode == 0 else -1


def plain(text):
    """Return JSON text without the name of the recording and the process IDs."""
    def clean(node):
        if isinstance(node, dict):
            return {k: clean(v) for k, v in node.items() if k not in ("file", "pid", "tid", "tids")}
        if isinstance(node, list):
            return [clean(v) for v in node if v not in ("-", "same.data", "file.data")]
        return node
    return clean(json.loads(text))


@pytest.fixture(scope="module")
def stream():
    """Return a stream. Also record the file same.data in another run, which is equal sample by
    sample, because the threads take turns."""
    options = ("--interleave", "1000")
    spemu("record", "-o", "same.data", *options, "--", "./program")
    return record("./program", options=options).stdout


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """The folder in which all recordings run. It contains the program."""
    path = tmp_path_factory.mktemp("stream")
    compile_c(path, "program", PROGRAM)
    os.chdir(path)
    yield path
    os.chdir("/")


@pytest.mark.parametrize("name, options, args", (("plain", (), ()), ("call stacks", ("-g",), ()), ("processes", (), ("fork",)),
                                                 ("heap, metadata 2", ("--heap", "--perf-metadata=2"), ())))
def test_same_as_file(name, options, args):
    options = ("--interleave", "1000", *options)
    stream = record("./program", *args, options=options)
    assert stream.returncode == 0 and is_whole(stream.stdout), f"{name}: the stream is complete\n{stream.stderr}"
    spemu("record", "-o", "file.data", *options, "--", "./program", *args)
    file = spemu("report", "--json", "-n", "0", "-i", "file.data").stdout
    assert json.loads(file)["samples"] > 400, f"{name}: enough samples"
    assert plain(by_pipe(stream.stdout, SPEMU, "report", "--json", "-n", "0", "-i", "-").stdout) == plain(file), \
        f"{name}: the report equals that of the file"


def test_readers(stream):
    """Each command prints the same for the stream as for the file of the same recording."""
    for args in (("export", "--format", "folded"), ("export", "--format", "callgrind"), ("annotate", "busy"),
                 ("pgo", "--format", "autofdo", "program")):
        piped = by_pipe(stream, SPEMU, args[0], "-i", "-", *args[1:])
        file = run(SPEMU, args[0], "-i", "same.data", *args[1:], text=False)
        names = re.compile(rb"-i (-|same\.data)|of (-|same\.data)|-o (-|same\.data)|pid: [0-9]+|\b(same\.data)\b")
        assert (piped.returncode, names.sub(b"", piped.stdout)) == (file.returncode, names.sub(b"", file.stdout)), " ".join(args)
        assert len(piped.stdout) > 20, f"{args[0]}: the output is not empty\n{piped.stderr}"
    lines = [by_pipe(stream, SPEMU, "dump", "--json", "-i", "-").stdout.count(b"\n"),
             run(SPEMU, "dump", "--json", "-i", "same.data", text=False).stdout.count(b"\n")]
    assert lines[0] == lines[1] > 400, f"dump: the same number of records\n{lines}"
    page = by_pipe(stream, SPEMU, "report", "--html", "page.html", "-i", "-")
    assert page.returncode == 0 and os.path.getsize("page.html") > 50000, f"report --html\n{page.stderr}"
    diff = by_pipe(stream, SPEMU, "diff", "--json", "same.data", "-")
    assert diff.returncode == 0 and json.loads(diff.stdout), f"diff of a file and the stream\n{diff.stderr}"


def perf_says(*command, image=None):
    result = run(*command, text=False) if image is None else by_pipe(image, *command)
    said = re.sub(rb"^ *program +\d+ (\[\d+\]) +[0-9.]+:", rb"\1", result.stdout, flags=re.MULTILINE)
    return result.returncode, [line for line in said.split(b"\n") if line and not line.startswith(b"#")]


def test_perf(stream):
    if not perf_works():
        pytest.skip("perf is not installed")
    for name in ("script", "report"):
        command = ["perf", name, "--stdio", "--no-children"] if name == "report" else ["perf", name]
        piped = perf_says(*command, "-i", "-", image=stream)
        assert piped == perf_says(*command, "-i", "same.data"), \
            f"perf {name} prints the same for the stream as for the file"
        assert any(b"busy" in line for line in piped[1]), f"perf {name} finds the function\n{piped}"
    header = by_pipe(stream, "perf", "report", "--stdio", "--header-only", "-i", "-").stdout.decode()
    for what in ("arch : aarch64", "cpuid : 0x00000000413fd0c1", "name = arm_spe_0//", "nrcpus online : 1"):
        assert what in header, f"perf's header: {what}\n{header}"


def test_apart():
    """Output of the program through any descriptor goes to standard error. The stream contains only
    events."""
    result = record("./program", "print")
    assert is_whole(result.stdout) and b"by the program" not in result.stdout and samples(result.stdout) > 400, \
        f"standard output of the program is not in the stream\n{result.stdout[:100]}"
    assert result.stderr.count(b"by the program") == 2, "both outputs of the program are on standard error"
    with open("apart.data", "wb") as out:
        subprocess.run(["sh", "-c", f"exec 3>&1 9>&1; exec {SPEMU} record -o - -- ./program print"], env=ENVIRONMENT,
                       stdout=out, stderr=subprocess.DEVNULL, timeout=120, check=True, preexec_fn=child_setup())
    with open("apart.data", "rb") as stream:
        image = stream.read()
    assert is_whole(image) and samples(image) > 400, "the program does not inherit other descriptors of the stream"
    assert record("./program", "exit").returncode == 3, "the status is that of the program"
    assert os.path.exists("-") is False, "there is no file '-'"


def test_names():
    """-o with the name of a pipe or a device."""
    result = run(SPEMU, "record", "-o", "/dev/null", "--", "./program", "exit")
    assert result.returncode == 3 and re.search(r"record: \d{3,} samples .* 0 lost.*written to /dev/null;", result.stderr), \
        f"/dev/null accepts a recording\n{result.stderr}"
    assert os.path.exists("/dev/null.old") is False, "/dev/null is not renamed"
    os.mkfifo("fifo")
    with subprocess.Popen(["cat", "fifo"], stdout=subprocess.PIPE) as reader:
        result = run(SPEMU, "record", "-o", "fifo", "--", "./program", "print")
        image = reader.stdout.read()
    assert is_whole(image) and samples(image) > 400, f"a FIFO gets the stream\n{result.stderr}"
    assert (result.returncode, result.stdout) == (0, "by the program\n"), "the program has its own standard output"
    ours, theirs = os.pipe()
    refuses("a pipe that is standard output, too", 125, "also standard output, so .*; name another file, or give -o -",
            "record", "-o", "/dev/stdout", "--", "./program")
    with subprocess.Popen([SPEMU, "record", "-q", "-o", f"/dev/fd/{theirs}", "--", "./program", "print"], env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=child_setup(), pass_fds=(theirs,)) as recorder, open(ours, "rb") as pipe:
        os.close(theirs)
        image = pipe.read()
    assert recorder.returncode == 0 and is_whole(image) and samples(image) > 400, \
        "a pipe that the shell opened gets the stream"


def end_of(status_and_error, status, pattern, name):
    lines = status_and_error[1].decode().splitlines()
    assert status_and_error[0] == status and len(lines) == 1 and re.search(pattern, lines[0]), f"{name}\n{status_and_error}"


def started(**kwargs):
    child = subprocess.run([SPEMU, "record", "-o", "-", "--", "./program"], env=ENVIRONMENT, timeout=120, check=False,
                           preexec_fn=child_setup(), **kwargs)
    return child.returncode, child.stderr or b""


def test_refusals():
    ours, theirs = pty.openpty()
    end_of(started(stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE), 125,
           "standard output is a terminal, .*; pipe it to a command", "a terminal is refused")
    os.close(ours)
    os.close(theirs)
    with open("both", "wb") as both:
        status = started(stdin=subprocess.DEVNULL, stdout=both, stderr=both)[0]
    with open("both", "rb") as both:
        end_of((status, both.read()), 125, "standard error goes where the recording goes.*; send it elsewhere",
               "standard error in the stream is refused")
    ours, theirs = socket.socketpair()
    end_of(started(stdin=theirs, stdout=theirs, stderr=subprocess.PIPE), 125,
           "could write to standard input.*; give it another", "standard input that is the stream is refused")
    ours.close()
    theirs.close()
    closed = subprocess.run(["sh", "-c", f"exec {SPEMU} record -o - -- ./program >&-"], env=ENVIRONMENT, check=False,
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=120, preexec_fn=child_setup())
    end_of((closed.returncode, closed.stderr), 125, "standard output is closed.*; pipe it", "none is refused")
    with open("/dev/full", "wb") as full:
        end_of(started(stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE), 125,
               "cannot write to standard output: No space left on device; ", "no room for the head")
    refuses("-o with an empty name is refused as ever", 2, "name is empty", "record", "-o", "", "./program")


def start(*args, options=()):
    return subprocess.Popen([SPEMU, "record", "-o", "-", *options, "--", "./program", *args], env=ENVIRONMENT,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=child_setup())


def read_until(child, enough, seconds=30):
    """Read the child's output until enough(output) is true or the time is over."""
    image, end = b"", time.monotonic() + seconds
    while not enough(image) and time.monotonic() < end:
        if select.select([child.stdout], [], [], 0.05)[0]:
            image += os.read(child.stdout.fileno(), 65536)
    return image


def trace_bytes(image):
    return sum(whole - 48 for type_, _, whole in filter(None, events(image)) if type_ == AUXTRACE)


def test_live():
    """The samples of a program that has work behind it and only waits arrive soon, although its
    buffer is far from full."""
    child = start("wait")
    assert child.stderr.readline() == b"ready\n", "the program has finished its work and waits"
    begin = time.monotonic()
    image = read_until(child, lambda image: trace_bytes(image) > 400 * 64)
    took = time.monotonic() - begin
    assert child.poll() is None and trace_bytes(image) > 400 * 64, \
        f"samples arrive while the program runs\n{len(image)}"
    assert took < 5, f"samples arrive soon\n{took}"  # half a second, on a machine that has nothing else to do
    out, _ = child.communicate(b"x", timeout=30)
    assert child.returncode == 0 and is_whole(image + out) and samples(image + out) > 400, \
        "the stream is complete at the end"


def test_ends():
    child = start("wait")
    child.stderr.readline()
    image = read_until(child, lambda image: len(image) > 2000)
    child.send_signal(signal.SIGINT)
    child.wait(timeout=30)
    out, err = child.communicate(timeout=30)
    assert child.returncode == -signal.SIGINT, "SIGINT is passed on"
    assert is_whole(image + out) and samples(image + out) > 400, f"SIGINT: the stream is complete\n{err}"

    child = start("wait")
    child.stderr.readline()
    image = read_until(child, lambda image: trace_bytes(image) > 400 * 64)
    with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as stream:
        program = int(stream.read())
    child.kill()
    child.wait(timeout=30)
    os.kill(program, signal.SIGKILL)
    image += child.communicate(timeout=30)[0]
    assert is_whole(image) and samples(image) > 400, "SIGKILL: the stream is complete up to this time"

    child = start("wait")
    child.stderr.readline()
    child.stdout.close()
    child.stdin.write(b"x")
    child.stdin.close()
    err = child.stderr.read().decode()
    assert child.wait(timeout=30) == 125, "a reader that ends: the program continues, and the status is 125"
    assert re.search("standard output is incomplete, writing failed: Broken pipe, [0-9]+ bytes of trace are lost; find out why "
                     "its reader ended", err), f"a message reports the lost reader\n{err}"

    with open("full.data", "wb") as out:
        full = subprocess.run([SPEMU, "record", "-o", "-", "-c", "256", "--", "./program"], env=ENVIRONMENT, stdout=out,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120, check=False,
                              preexec_fn=child_setup(limits=[(resource.RLIMIT_FSIZE, 393216)]))
    said = full.stderr.decode()
    with open("full.data", "rb") as stream:
        image = stream.read()
    assert full.returncode == 125 and "standard output is incomplete, writing failed: File too large" in said, \
        f"a file that must not grow: status 125 and the cause\n{said}"
    assert is_whole(image) and samples(image) > 0, "the file has complete events"

    for option, expected in (("--snapshot", False), ("--snapshot=e", True)):
        result = record("./program", options=(option,))
        assert result.returncode == 0 and (samples(result.stdout) > 400) == expected and is_whole(result.stdout), \
            f"{option}: the stream only has samples of snapshots\n{result.stderr}"
