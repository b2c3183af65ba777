# SPDX-License-Identifier: MIT
"""What the tests of the command line share: TAP, running spemu, and programs to profile.

Paths come from the environment: SPEMU, SPEMU_PLUGIN, SPEMU_MAKE_RECORDING.

What is started here starts with the default action for every signal, and nothing of it outlives the test,
however that ends.
"""
import atexit
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import tap
from tap import check, equal

SPEMU = os.environ["SPEMU"]
MAKE_RECORDING = os.environ["SPEMU_MAKE_RECORDING"]
COMPILER = "aarch64-linux-gnu-gcc"

ENVIRONMENT = dict(os.environ)  # of every child; tests/own_environment.py made it

# A function of programs that tests record: n stores.
BUSY = r"""volatile long table[512];
__attribute__((noinline)) void busy(long n)
{
	for (long i = 0; i < n; i++)
		table[i & 511]++;
}
"""
BIDIRECTIONAL = [0x61c, 0x200e, 0x200f, *range(0x202a, 0x202f), *range(0x2066, 0x206a)]

# Whoever loses its parent becomes this process's child, so that none gets away.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def left_behind():
    """Children that still run, by number; those that ended are reaped."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as stream:
        children = [int(word) for word in stream.read().split()]
    alive = []
    for child in children:
        try:
            if os.waitpid(child, os.WNOHANG)[0] == 0:
                alive.append(child)
        except ChildProcessError:
            pass
    return alive


def end_all():
    """Kill what still runs: their children come next, as ours."""
    while True:
        alive = left_behind()
        if not alive:
            return
        for child in alive:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


atexit.register(end_all)
# A test that takes too long is ended by this signal: leave as from any other error.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def nothing_left():
    """Nothing that the test started still runs; what is about to end has a moment for it."""
    deadline = time.monotonic() + 5
    while left_behind() and time.monotonic() < deadline:
        time.sleep(0.02)
    told = []
    for child in left_behind():
        with open(f"/proc/{child}/cmdline", "rb") as stream:
            told.append(f"{child}: {stream.read().replace(bytes(1), b' ').decode()}")
    check(not told, "no process is left behind", "\n".join(told))


def select_case(names):
    """With SPEMU_TEST_CASE=NAME, only test_NAME of the functions in names (a test's globals()) runs."""
    tap.cases[:] = [n[len("test_"):] for n in names if n.startswith("test_") and callable(names[n])]
    wanted = os.environ.get("SPEMU_TEST_CASE")
    if not wanted:
        return
    if wanted not in tap.cases:
        sys.exit(f"no case '{wanted}'; there are: {' '.join(tap.cases)}")
    for case in tap.cases:
        if case != wanted:
            names[f"test_{case}"] = lambda *_, **__: None


def done():
    nothing_left()
    tap.plan()
    sys.exit(0)


def address_space(size):
    """As limits=: so many bytes. None with the address sanitizer, which takes terabytes for its own."""
    with open(SPEMU, "rb") as f:
        return () if b"__asan_init" in f.read() else ((resource.RLIMIT_AS, size),)


def child_setup(ignored=(), limits=()):
    """For a child before it runs its program: signals, and resource limits as (which, value)."""
    def setup():
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            try:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
            except OSError:  # the C library's own
                pass
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for which, value in limits:
            resource.setrlimit(which, (value, value))
    return setup


def run(*command, env=None, cwd=None, stdin=subprocess.DEVNULL, timeout=120, text=True, limits=()):
    """subprocess.run with everything captured."""
    full = dict(ENVIRONMENT, **(env or {}))
    return subprocess.run([str(c) for c in command], env=full, cwd=cwd, stdin=stdin,
                          capture_output=True, text=text, timeout=timeout,
                          preexec_fn=child_setup(limits=limits))


def start(*command, env=None, ignored=()):
    """A process that goes on, its output in pipes; ignored: signals that it does not get."""
    return subprocess.Popen([str(c) for c in command], env=dict(ENVIRONMENT, **(env or {})),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=child_setup(ignored))


def spemu(*args, **kwargs):
    return run(SPEMU, *args, **kwargs)


def refuses(name, status, pattern, *args, **kwargs):
    """spemu ends with status and one line on standard error that matches pattern."""
    result = spemu(*args, **kwargs)
    lines = result.stderr.splitlines()
    check(result.returncode == status and len(lines) == 1 and re.search(pattern, lines[0])
          and not result.stdout, name,
          f"status {result.returncode}, expected {status}\npattern {pattern}\n"
          f"{result.stderr}{result.stdout}")


def page_data(text):
    """What `spemu report --html` has put into its page."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def compile_c(folder, name, source, *flags):
    path = os.path.join(folder, name)
    with open(path + ".c", "w") as f:
        f.write(source)
    subprocess.run([COMPILER, "-g", "-O1", "-o", path, path + ".c", *flags], check=True)
    return path


def make_recording(text):
    subprocess.run([MAKE_RECORDING], input=text, text=True, check=True)


def nm(path):
    """name -> address, by binutils."""
    out = run("aarch64-linux-gnu-nm", path).stdout
    return {w[2]: int(w[0], 16) for w in (line.split() for line in out.splitlines())
            if len(w) == 3}


def segments(path):
    """(offset, vaddr, file size, memory size, flags) of each LOAD, by binutils."""
    out = run("aarch64-linux-gnu-readelf", "-lW", path).stdout
    found = re.findall(r"^\s+LOAD\s+(\S+)\s+(\S+)\s+\S+\s+(\S+)\s+(\S+)\s+(R..)", out, re.M)
    return [tuple(int(x, 16) for x in f[:4]) + (f[4],) for f in found]


class Folder:
    """A temporary folder, removed at the end."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="spemu-cli-")
        return self

    def __exit__(self, *exc):
        shutil.rmtree(self.path)

    def __call__(self, name):
        return os.path.join(self.path, name)

    def write(self, name, data, mode=None):
        path = self(name)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        if mode is not None:
            os.chmod(path, mode)
        return path


def not_fit():
    """Characters that no terminal should get, and bytes that are none."""
    yield from (bytes([c]) for c in (*range(1, 32), *range(0x7f, 0xa0)))
    yield from (chr(c).encode() for c in (*range(0x80, 0xa0), *BIDIRECTIONAL))
    # Alone, too short, too long a form, a surrogate, beyond Unicode.
    yield from (b"\xff", b"\xfe", b"\xc3", b"\xe2\x80", b"\xc0\x9b", b"\xe0\x82\x9b",
                b"\xed\xa0\x80", b"\xf4\x90\x80\x80")


def leak(data):
    """What of the output should not be there, or None."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {data[max(error.start - 30, 0):error.start + 10]!r}"
    bad = [c for c in text if c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0
                                             or ord(c) in BIDIRECTIONAL)]
    return f"{bad[:5]!r} in {text[:2000]!r}" if bad else None
