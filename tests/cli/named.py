# SPDX-License-Identifier: MIT
"""Recordings with samples at addresses of a program, and the names that the report shows for them."""
import json
import re

from clilib import make_recording, run, spemu


def text_segment(elf):
    """Return (offset, virtual address, size) of .text, from binutils."""
    out = run("aarch64-linux-gnu-readelf", "-SW", elf).stdout
    address, offset, size = re.search(r" \.text\s+PROGBITS\s+(\S+) (\S+) (\S+)", out).groups()
    return int(offset, 16), int(address, 16), int(size, 16)


def sampled(folder, elf, addresses, name="sampled.data", mapped=None):
    """Make a recording with one sample at each address of the program. `mapped` is the recorded path, if it is another
    one."""
    offset, start, size = text_segment(elf)
    page = start & ~0xfff
    path = f"{folder}/{name}"
    lines = [f"create {path} 256", "comm 1 1 10 program exec",
             f"mmap 1 11 {page} {size + (start - page) + 4096 & ~0xfff} {offset - (start - page)} r-x {mapped or elf}"]
    lines += [f"rec pc={a} tid=1 time=20 class=0 sub=0 ev=2 total=5" for a in addresses]
    make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")
    return path


def report(path, *args, **kwargs):
    result = spemu("report", "--json", "-n", "0", "--section", "functions", *args, path, **kwargs)
    assert result.returncode == 0, f"the report succeeds\n{result.stderr}"
    return json.loads(result.stdout)["functions"], result.stderr


def symbols(path, *args, **kwargs):
    return sorted((f["object"], f["symbol"]) for f in report(path, *args, **kwargs)[0])
