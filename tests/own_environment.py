# SPDX-License-Identifier: MIT
"""Give a test a private environment, so that no result depends on the tester's settings.

Importing this module starts the test's Python again with

- the environment variables of KEPT and SETTINGS, and no others;
- an empty home folder, which is removed at the end;
- umask 022, an open standard input, and the default action for every signal.

Processes that the test starts inherit this environment. All of them end with the test (leave_nothing()).
"""
import atexit
import ctypes
import os
import re
import shutil
import signal
import sys
import tempfile
import time

# Variables for the build, the tests, the sanitizers, and access to the network.
KEPT = re.compile(r"PATH|PYTHONPATH|PYTHONDONTWRITEBYTECODE|TMPDIR|CC|SPEMU(_\w+)?|(A|L|T|UB)SAN_OPTIONS|MALLOC_PERTURB_|"
                  r"CCACHE_\w+|APT_CONFIG|(?i:\w+_proxy)")
SETTINGS = {"LC_ALL": "C", "TZ": "UTC", "TERM": "dumb", "SPEMU_PAGER": ""}
HOME = "SPEMU_TEST_HOME"  # marks the second start; the test does not see it


def start_again():
    """Start this Python again, in the environment for the test."""
    if sys.stdin is None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.set_inheritable(0, True)  # open() itself may have returned 0
    os.umask(0o022)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_DFL)
        except OSError:  # reserved by the C library
            pass
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    home = tempfile.mkdtemp(prefix="spemu-home-")
    kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    if "SPEMU_TEST_LIBRARY" in kept:  # a folder with the library to test, instead of the build's
        kept["LD_LIBRARY_PATH"] = kept["SPEMU_TEST_LIBRARY"]
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**kept, **SETTINGS, "HOME": home, HOME: home})


if HOME not in os.environ:
    start_again()
atexit.register(shutil.rmtree, os.environ.pop(HOME), ignore_errors=True)

PR_SET_CHILD_SUBREAPER = 36


def children():
    """Return the process IDs of running children. Children that have ended are reaped."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as stream:
        found = [int(word) for word in stream.read().split()]
    alive = []
    for child in found:
        try:
            if os.waitpid(child, os.WNOHANG)[0] == 0:
                alive.append(child)
        except ChildProcessError:
            pass
    return alive


def end_children():
    """Kill the running children. Their own children become children of this process, and are killed
    next."""
    while alive := children():
        for child in alive:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def leave_nothing():
    """At exit, end every process that the test started. A process that loses its parent becomes a
    child of this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    atexit.register(end_children)


def left_running():
    """Return the command lines of the processes that still run. A process that is about to end gets
    a short time."""
    deadline = time.monotonic() + 5
    while children() and time.monotonic() < deadline:
        time.sleep(0.02)
    found = []
    for child in children():
        with open(f"/proc/{child}/cmdline", "rb") as stream:
            found.append(f"{child}: {stream.read().replace(bytes(1), b' ').decode()}")
    return found
