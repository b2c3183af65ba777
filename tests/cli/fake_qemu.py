#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stand-in for QEMU that emulates nothing. It shows test_vm.py how spemu vm starts QEMU.

These environment variables control it:
FAKE_VERSION  the version that it reports
FAKE_TREE     the file that it delivers for "dumpdtb="
FAKE_OUT      the folder for its arguments, the device tree and the plugin's configuration
FAKE_EVENTS   the messages that the plugin would send
FAKE_STATUS   an exit status; "wait", to end at a signal; "deaf", to end with 0 and ignore SIGUSR2

If it gets the port of --run, it also plays the guest. FAKE_GUEST is a JSON list of steps [WORD, VALUE]; see guest().
"""
import json
import os
import re
import shutil
import signal
import socket
import struct
import sys
import time



def frame(port, kind, data):
    whole = kind.encode() + struct.pack("<I", len(data)) + data
    while whole:
        whole = whole[port.send(whole):]


def receive(port):
    """Return (kind, data) of the next frame that the host sends, or (None, b"") at the end."""
    data = b""
    while len(data) < 5 or len(data) < 5 + struct.unpack_from("<I", data, 1)[0]:
        part = port.recv(5 - len(data) if len(data) < 5 else
                         5 + struct.unpack_from("<I", data, 1)[0] - len(data))
        if not part:
            return None, b""
        data += part
    return chr(data[0]), data[5:]


def guest(steps, console, port, out):
    """Perform steps [WORD, VALUE]. A WORD of one letter sends a frame of this kind with the text
    VALUE. The other words are below."""
    for word, value in steps:
        if len(word) == 1:
            frame(port, word, value.encode())
        elif word == "exit":  # like the agent, send the status and wait for the host
            frame(port, "x", bytes([value]))
            kinds = []
            while not kinds or kinds[-1] not in ("d", None):
                kinds.append(receive(port)[0])
            with open(out + "/after", "w", encoding="ascii") as after:
                json.dump(kinds, after)
        elif word == "console":
            os.write(console, value.encode())
        elif word == "raw":  # send the bytes of frames one at a time
            for byte in bytes.fromhex(value):
                port.send(bytes([byte]))
                time.sleep(0.01)
        elif word == "much":
            for _ in range(value // 50000):
                frame(port, "o", b"x" * 50000)
        elif word == "echo":
            while (got := receive(port))[1]:
                frame(port, "o", got[1])
        elif word == "sleep":
            time.sleep(value)
        elif word == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        elif word == "says":
            print(value, file=sys.stderr, flush=True)
        elif word == "prints":
            print(value, flush=True)


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
        time.sleep(100)
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
pairs = dict(re.fullmatch(r"\w+,id=spemu-(console|port),(?:fd=|path=)(.*)", a).groups()
             for a in arguments if ",id=spemu-" in a)
if pairs:
    shutil.copy(arguments[arguments.index("-initrd") + 1], out + "/initrd")
    guest(json.loads(os.environ["FAKE_GUEST"]), os.open(pairs["console"], os.O_WRONLY),
          socket.socket(fileno=int(pairs["port"])), out)
else:
    print("guest output")
sys.stdout.flush()
if status == "wait":
    # A handler in Python could run only after the sleep, if the signal arrives just before it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    print("ready", flush=True)
    if signal.sigtimedwait({signal.SIGUSR1}, 100):
        sys.exit(9)
elif status.startswith("-"):
    os.kill(os.getpid(), -int(status))
sys.exit(int(status))
