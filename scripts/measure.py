# SPDX-License-Identifier: MIT
"""What a command takes, for the benches that compare programs on one recording."""
import os
import subprocess
import sys
import tempfile


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
