#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A QEMU that emulates nothing, for test_vm.py: it shows how spemu vm starts a QEMU.

From the environment: FAKE_VERSION; FAKE_TREE, the file that "dumpdtb=" gives; FAKE_OUT, where the
arguments, the device tree and the plugin's configuration go; FAKE_EVENTS, what the plugin tells;
FAKE_STATUS, how it ends, "wait" being for a signal; "deaf": with 0, and SIGUSR2 does nothing to it.
"""
import json
import os
import re
import shutil
import signal
import sys
import time

arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("QEMU emulator version", os.environ.get("FAKE_VERSION", "10.0.2 (fake)"))
    sys.exit(0)
dump = [a for a in arguments if a.startswith("dumpdtb=")]
out = os.environ["FAKE_OUT"]
if dump:
    with open(out + "/dumped", "w") as file:
        json.dump({"arguments": arguments, "file": dump[0][8:],
                   "terminal": os.readlink("/proc/self/fd/0")}, file)
    if os.environ.get("FAKE_DUMP") == "fails":
        sys.exit("fake: no such machine")
    if os.environ.get("FAKE_DUMP") == "waits":
        time.sleep(30)
    if os.environ.get("FAKE_DUMP") == "help":
        print("the help")
    else:
        shutil.copy(os.environ["FAKE_TREE"], dump[0][8:].replace(",,", ","))
    sys.exit(0)
shutil.copy(arguments[arguments.index("-dtb") + 1], out + "/tree")
config = re.fullmatch(r".*,config=(.*)", arguments[arguments.index("-plugin") + 1])[1]
shutil.copy(config, out + "/config")
with open(out + "/arguments", "w") as file:
    json.dump(arguments, file)
with open(out + "/config") as file:
    events = int(re.search(r"^events-fd (\d+)$", file.read(), re.M)[1])
status = os.environ.get("FAKE_STATUS", "0")
if status == "deaf":
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    status = "0"
with open(os.environ["FAKE_EVENTS"]) as file:
    for line in file:
        os.write(events, line.encode())
print("guest output")
sys.stdout.flush()
if status == "wait":
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(9))
    print("ready", flush=True)
    time.sleep(30)
elif status.startswith("-"):
    os.kill(os.getpid(), -int(status))
sys.exit(int(status))
