# SPDX-License-Identifier: MIT
"""Functions of the benches: find the build of spemu, and measure the time and memory of a command."""
import os
import pathlib
import subprocess
import sys
import tempfile


def built(folder):
    """Return the build folder that the command line names, with spemu built in it."""
    folder = pathlib.Path(folder).resolve()
    if not os.access(folder / "tools/spemu", os.X_OK):
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: spemu is not built in {folder}: 'make' builds it in build")
    return folder


def processor(*command):
    """Run a command. Return its CPU seconds and the peak memory in MiB of its largest process."""
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as child:
        said = child.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command[0]} ends with status {child.returncode}: {said}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def interleaved(commands, rounds, measure=processor):
    """Run the commands in turn, for each round. Return {name: [(CPU seconds, MiB) of each round]}."""
    used = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            used[name].append(measure(*command))
    return used


def run(*command):
    """Return the same as processor() for a command that may need less memory than this program.

    A child begins with the size of its parent. Here the parent is GNU time, which is small.
    """
    with tempfile.NamedTemporaryFile("r") as size:
        seconds, _ = processor("time", "-f", "%M", "-o", size.name, *command)
        return seconds, int(size.read()) / 1024
