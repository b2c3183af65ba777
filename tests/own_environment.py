# SPDX-License-Identifier: MIT
"""Give a test an environment of its own, so that no result depends on the tester's settings.

The import of this module starts the test's Python again with

- the environment variables of KEPT and SETTINGS, and no others;
- an empty home folder, which is removed at the end;
- umask 022, an open standard input, and the default action for every signal.

What the test starts inherits all of this.
"""
import atexit
import os
import re
import shutil
import signal
import sys
import tempfile

# Variables of the build, of the tests themselves, of sanitizers, and of what leads to the network.
KEPT = re.compile(r"PATH|LD_LIBRARY_PATH|PYTHONPATH|PYTHONDONTWRITEBYTECODE|TMPDIR|CC|SPEMU(_\w+)?|(A|L|T|UB)SAN_OPTIONS|MALLOC_PERTURB_|"
                  r"CCACHE_\w+|APT_CONFIG|(?i:\w+_proxy)")
SETTINGS = {"LC_ALL": "C", "TZ": "UTC", "TERM": "dumb", "SPEMU_PAGER": ""}
HOME = "SPEMU_TEST_HOME"  # marks the second start; the test does not see it


def start_again():
    """Run this Python once more, in the environment that the test is to have."""
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
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**kept, **SETTINGS, "HOME": home, HOME: home})


if HOME not in os.environ:
    start_again()
atexit.register(shutil.rmtree, os.environ.pop(HOME), ignore_errors=True)
