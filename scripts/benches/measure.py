# SPDX-License-Identifier: MIT
"""For the benches: where spemu is built, and what a command takes."""
import os
import pathlib
import subprocess
import sys
import tempfile


def built(folder):
    """The folder that the command line names, in which spemu is built."""
    folder = pathlib.Path(folder).resolve()
    if not os.access(folder / "tools/spemu", os.X_OK):
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: spemu is not built in {folder}: 'make' builds it in build")
    return folder


def run(*command):
    """(seconds of the processor, MiB)"""
    # A child begins with the size of who starts it: here that is GNU time, which is small.
    with tempfile.NamedTemporaryFile("r") as size:
        with subprocess.Popen(("time", "-f", "%M", "-o", size.name, *command), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{command[0]} ends with status {child.returncode}")
        return used.ru_utime + used.ru_stime, int(size.read()) / 1024
