# SPDX-License-Identifier: MIT
"""spemu vm --run of a guest that fails or is stopped: one line states the reason, and earlier
output is kept."""
import os
import re
import signal
import subprocess
import time

from vmlib import prepare, run, run_in_guest, start_in_guest


def test_ends(tmp_path):
    prepare()
    begin = time.monotonic()
    modules = run_in_guest(tmp_path, "cat /proc/modules", "-q")[1]
    # Wait a second. Output waits in a pipe of the guest, and would be lost if the guest ended before it is read.
    for name, options, command, status, pattern in (
            ("a guest that powers off", (), "echo so far; sleep 1; poweroff -f; sleep 9", 125,
             "the guest ended before the command did: .*Power down; -v shows its console"),
            ("a panic", (), "echo so far; sleep 1; echo c >/proc/sysrq-trigger; sleep 9", 125,
             "the guest's kernel panicked: not syncing: sysrq triggered crash; -v"),
            ("a kernel without init", ("--append", "rdinit=/nothing"), "echo", 125,
             "the guest's kernel panicked: not syncing: "),
            ("a kernel without a port", ("--append", "module_blacklist=virtio_console"), "echo", 125,
             "the guest's kernel lacks CONFIG_VIRTIO_CONSOLE, or the module virtio_console"),
            ("a kernel without 9P", ("--append", "module_blacklist=9p"), "echo", 125,
             "the guest's kernel lacks CONFIG_9P_FS")):
        blocked = re.search("module_blacklist=(.*)", options[-1]) if options else None
        if blocked and not re.search(f"^{blocked[1]} ", modules, re.M):
            print(f"{name}: not tried, it is built in")
            continue
        got, output, errors = run_in_guest(tmp_path, command, "-q", *options)
        assert (got == status and len(errors.splitlines()) == 1 and
                re.match(f"spemu vm: {pattern}", errors)), f"{name}\n{got}\n{errors}"
        assert output == ("so far\n" if "so far" in command else ""), f"{name}: the output until then"
    seconds = 10 + int(time.monotonic() - begin) // 2  # five times the time of a boot
    got, output, errors = run_in_guest(tmp_path, "echo so far; sleep 1000", "-q", "--timeout", str(seconds))
    assert (got, output, errors) == (124, "so far\n", f"spemu vm: the command had not ended after {seconds} s, and the guest was "
                                     "stopped; use a larger --timeout\n"), "a command that takes too long is stopped"
    got, output, errors = run_in_guest(tmp_path, "echo runs; touch x || exit 3", "--rodir", ".", "--append",
                                         "module_blacklist=arm_spe_pmu")
    assert (got, output) == (3, "runs\n"), "the guest cannot write to a read-only folder"
    assert errors.startswith("spemu vm: the guest has no arm_spe_0: arm_spe_pmu is blacklisted\n"), \
        f"a guest without the driver: a warning with the kernel's message\n{errors}"
    child = start_in_guest(tmp_path, "echo ready; sleep 1000", "-q", stdin=subprocess.DEVNULL,
                           start_new_session=True)
    child.stdout.readline()
    os.killpg(child.pid, signal.SIGINT)  # like a terminal on Ctrl-C
    child.communicate(timeout=60)
    alive = run("pgrep", "-s", child.pid).stdout
    assert (child.returncode, alive) == (-signal.SIGINT, ""), "Ctrl-C ends all processes"
