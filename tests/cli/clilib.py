# SPDX-License-Identifier: MIT
"""Helpers of the command-line tests: run spemu, and build programs to profile.

The environment variables SPEMU, SPEMU_PLUGIN and SPEMU_MAKE_RECORDING name the programs under test. Meson sets them.
Without them, the programs in build/ are tested.

Child processes start with the default action for every signal.
"""
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SPEMU_BUILD", ROOT / "build"))
SPEMU = os.environ.setdefault("SPEMU", str(BUILD / "tools/spemu"))
MAKE_RECORDING = os.environ.get("SPEMU_MAKE_RECORDING", BUILD / "tests/cli/make_recording")
os.environ.setdefault("SPEMU_PLUGIN", str(BUILD / "hosts/qemu-user/spemu-qemu-user.so"))
COMPILER = "aarch64-linux-gnu-gcc"

ENVIRONMENT = dict(os.environ)  # of every child; prepared by tests/own_environment.py

# C source of a function for recorded programs: busy() executes n stores.
BUSY = r"""volatile long table[512];
__attribute__((noinline)) void busy(long n)
{
	for (long i = 0; i < n; i++)
		table[i & 511]++;
}
"""
BIDIRECTIONAL = [0x61c, 0x200e, 0x200f, *range(0x202a, 0x202f), *range(0x2066, 0x206a)]


def address_space(size):
    """Return a limit of `size` bytes of address space. Return no limit if spemu has the address
    sanitizer, which reserves terabytes."""
    with open(SPEMU, "rb") as f:
        return () if b"__asan_init" in f.read() else ((resource.RLIMIT_AS, size),)


def child_setup(ignored=(), limits=()):
    """Return a function that a child calls before it executes its program. It resets the signals
    and sets the resource limits, given as (which, value)."""
    def setup():
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            try:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
            except OSError:  # a signal that the C library reserves
                pass
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for which, value in limits:
            resource.setrlimit(which, (value, value))
    return setup


def run(*command, env=None, cwd=None, stdin=subprocess.DEVNULL, timeout=120, text=True, limits=()):
    """Call subprocess.run and capture all output. The command is printed, so pytest shows it for a
    failed test."""
    command = [str(c) for c in command]
    print("$", shlex.join(command))
    return subprocess.run(command, env=dict(ENVIRONMENT, **(env or {})), cwd=cwd, stdin=stdin,
                          capture_output=True, text=text, timeout=timeout,
                          preexec_fn=child_setup(limits=limits))


def start(*command, env=None, ignored=()):
    """Start a process and return it while it runs, with its output in pipes. It ignores the signals
    of `ignored`."""
    return subprocess.Popen([str(c) for c in command], env=dict(ENVIRONMENT, **(env or {})),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=child_setup(ignored))


def spemu(*args, **kwargs):
    return run(SPEMU, *args, **kwargs)


def refuses(name, status, pattern, *args, **kwargs):
    """Check that spemu ends with `status` and prints only one line on standard error, which matches
    `pattern`."""
    result = spemu(*args, **kwargs)
    lines = result.stderr.splitlines()
    assert (result.returncode, len(lines), result.stdout) == (status, 1, ""), f"{name}\n{result.stderr}"
    assert re.search(pattern, lines[0]), name


def page_data(text):
    """Return the data that `spemu report --html` embedded into the page."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def stack_nodes(page):
    """Return (functions, samples, cycles, {reason: cycles}) of each node of the page's call stacks. The functions are
    indexes, the outermost first."""
    stacks, words = page["stacks"], [word for word, _ in page["reasons"]]
    found, at = [], iter(stacks["cycles"])
    for i in range(0, len(stacks["nodes"]), 4):
        parent, function, samples, cycles = stacks["nodes"][i:i + 4]
        assert parent < len(found), "parents come before their children"
        reasons = {words[next(at)]: next(at) for _ in range(next(at))}
        found.append(((found[parent][0] if parent >= 0 else ()) + (function,), samples, cycles, reasons))
    assert next(at, None) is None, "every node has its reasons"
    return found


def compile_c(folder, name, source, *flags):
    path = os.path.join(folder, name)
    with open(path + ".c", "w") as f:
        f.write(source)
    subprocess.run([COMPILER, "-g", "-O1", "-o", path, path + ".c", *flags], check=True)
    return path


def make_recording(text):
    subprocess.run([MAKE_RECORDING], input=text, text=True, check=True)


def nm(path):
    """Return {name: address} of the file's symbols, as binutils print them."""
    out = run("aarch64-linux-gnu-nm", path).stdout
    return {w[2]: int(w[0], 16) for w in (line.split() for line in out.splitlines())
            if len(w) == 3}


def segments(path):
    """Return (offset, vaddr, file size, memory size, flags) of each LOAD segment, as binutils print
    them."""
    out = run("aarch64-linux-gnu-readelf", "-lW", path).stdout
    found = re.findall(r"^\s+LOAD\s+(\S+)\s+(\S+)\s+\S+\s+(\S+)\s+(\S+)\s+(R..)", out, re.M)
    return [tuple(int(x, 16) for x in f[:4]) + (f[4],) for f in found]


def write(folder, name, data, mode=None):
    """Write data into a file of the folder; return its path."""
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    if mode is not None:
        os.chmod(path, mode)
    return path


def not_fit():
    """Yield characters that must not reach a terminal, and bytes that are not valid UTF-8."""
    yield from (bytes([c]) for c in (*range(1, 32), *range(0x7f, 0xa0)))
    yield from (chr(c).encode() for c in (*range(0x80, 0xa0), *BIDIRECTIONAL))
    # Invalid bytes, cut sequences, overlong forms, a surrogate, a code point beyond Unicode.
    yield from (b"\xff", b"\xfe", b"\xc3", b"\xe2\x80", b"\xc0\x9b", b"\xe0\x82\x9b",
                b"\xed\xa0\x80", b"\xf4\x90\x80\x80")


def leak(data):
    """Return a message about the part of the output that must not reach a terminal, or None."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {data[max(error.start - 30, 0):error.start + 10]!r}"
    bad = [c for c in text if c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0
                                             or ord(c) in BIDIRECTIONAL)]
    return f"{bad[:5]!r} in {text[:2000]!r}" if bad else None
