# SPDX-License-Identifier: MIT
"""Run spemu on a pseudo-terminal."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from clilib import ENVIRONMENT, SPEMU


def raw_on_terminal(columns, *args, env=None):
    """Run spemu on a terminal of this width and return the raw output. `env` changes the environment; None removes a
    variable."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    full = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": None, **(env or {})}
    with subprocess.Popen([SPEMU, *args], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL,
                          env={k: v for k, v in full.items() if v is not None}) as child:
        os.close(slave)
        data = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # spemu has closed its side
                break
            if not part:
                break
            data += part
        os.close(master)
        child.wait()
    return data.decode()


def on_terminal(columns, *args, env=None):
    """Run spemu on a terminal and return the lines of its output, without colors."""
    text = raw_on_terminal(columns, *args, env=env)
    return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n").splitlines()
