#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spemu export: a recording whose samples are counted here (exported.py), opened by other people's programs."""
import glob
import json
import os
import subprocess
import xml.etree.ElementTree

from clilib import (ENVIRONMENT, SPEMU, Folder, check, done, equal, leak, make_recording, refuses, run, select_case, spemu)
from exported import COMM, Exported, frames, sums, total

WEIGHTS = ("samples", "operations", "cycles")


def export(kind, data, *more, **kwargs):
    return spemu("export", "--format", kind, *more, data, **kwargs)


def thread(sample):
    return COMM + ("2" if sample[0] == 101 else "")


def folded_of(sample):
    parts = frames(sample)
    return ";".join((thread(sample), *parts[:-1], parts[-1] + ("_[i]" if sample[1] == "inner" else "")))


def folded_lines(text):
    return {stack: int(number) for stack, number in (line.rsplit(" ", 1) for line in text.splitlines())}


def test_folded(folder, known):
    for weight in WEIGHTS:
        result = export("folded", known.data, "--weight", weight)
        equal((folded_lines(result.stdout), result.stderr, result.returncode), (sums(weight, folded_of), "", 0),
              f"{weight}: each stack with its sum")
        lines = result.stdout.splitlines()
        equal(len(lines), len(set(lines)), f"{weight}: no stack twice")
    equal(export("folded", known.data).stdout, export("folded", known.data, "--weight", "samples").stdout,
          "samples are the usual weight")
    out = folder("known.folded")
    result = export("folded", known.data, "-o", out)
    with open(out, encoding="ascii") as f:
        equal((f.read(), result.stdout), (export("folded", known.data).stdout, ""), "a file")
    twice = folded_lines(spemu("export", "--format", "folded", known.data, "-i", known.data).stdout)
    equal(twice, {k: 2 * v for k, v in sums("samples", folded_of).items()}, "two recordings are added up")


FLAMEGRAPH = glob.glob("/usr/share/perl5/Devel/NYTProf/flamegraph.pl") + \
    glob.glob("/usr/lib*/perl5/**/Devel/NYTProf/flamegraph.pl", recursive=True)


def flames(folded):
    """By flamegraph.pl: the name of each frame -> its samples; a function in two stacks is added up."""
    drawn = subprocess.run(["perl", FLAMEGRAPH[0], "--minwidth", "0"], input=folded, capture_output=True, text=True,
                           env=ENVIRONMENT, timeout=60, check=True).stdout
    found = {}
    for title in xml.etree.ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}title"):
        name, _, rest = title.text.rpartition(" (")
        found[name] = found.get(name, 0) + int(rest.split()[0].replace(",", ""))
    return found


def test_flamegraph(folder, known):
    """What FlameGraph draws has the counts of all stacks that a function is in."""
    if not FLAMEGRAPH:
        check(True, "flamegraph.pl (libdevel-nytprof-perl) is not installed # SKIP")
        return
    for weight in WEIGHTS:
        expected = {"all": total(weight)}
        for stack, number in sums(weight, folded_of).items():
            for name in stack.split(";"):
                expected[name] = expected.get(name, 0) + number
        equal(flames(export("folded", known.data, "--weight", weight).stdout), expected, f"flamegraph.pl, {weight}")


def test_same_as_report(known):
    """Functions and filters are those of spemu report."""
    for args in ((), ("--symbols", "work"), ("--tid", "101"), ("--latency", "5-9"), ("--time", "0%-50%"), ("--dsos", "known"),
                 ("--comms", COMM), ("--event", "l1d-access"), ("--cpu", "0"), ("--pid", "100")):
        rows = json.loads(spemu("report", "--json", "--section", "functions", "-n", "0", "-s", "sym", "-F", "sample", *args,
                                known.data).stdout)["functions"]
        expected = {}
        for row in rows:
            name = "[unknown]" if row["symbol"].startswith("0x") else row["symbol"]
            expected[name] = expected.get(name, 0) + row["samples"]
        got = {}
        for stack, number in folded_lines(export("folded", known.data, *args).stdout).items():
            parts = [p for p in stack.split(";") if not p.endswith("_[i]")]
            got[parts[-1]] = got.get(parts[-1], 0) + number
        check(sum(got.values()) > 0 and got == expected, f"as spemu report {' '.join(args)}", f"{got}\n{expected}")


def test_pipe(known):
    with open(known.data, "rb") as f:
        image = f.read()
    process = subprocess.run([SPEMU, "export", "--format", "folded", "-"], input=image, capture_output=True, env=ENVIRONMENT,
                             timeout=60, check=False)
    equal((process.stdout.decode(), process.stderr, process.returncode), (export("folded", known.data).stdout, b"", 0),
          "from standard input")
    result = run("sh", "-c", '"$0" export --format folded "$1" | cat', SPEMU, known.data)
    equal(result.stdout, export("folded", known.data).stdout, "into a pipe")


FORMATS = ("folded",)


def test_errors(folder, known):
    refuses("no format", 125, "--format is missing", "export", known.data)
    refuses("a format misspelled", 125, "unknown format 'foldet'; did you mean 'folded'", "export", "--format", "foldet", known.data)
    refuses("a weight misspelled", 125, "unknown weight 'cycle'; did you mean 'cycles'", "export", "--format", "folded",
            "--weight", "cycle", known.data)
    refuses("a recording that is not there", 127, "cannot open .*record one with", "export", "--format", "folded", folder("no"))
    old = folder.write("old.folded", "old\n")
    refuses("and the output is left alone", 127, "cannot open", "export", "--format", "folded", "-o", old, folder("no"))
    with open(old, encoding="ascii") as f:
        equal(f.read(), "old\n", "as it was")
    refuses("a folder that is not there", 125, "cannot write .*No such file", "export", "--format", "folded", "-o",
            folder("no/file"), known.data)
    plain = folder("plain.data")
    make_recording(f"create {plain} 100\ncomm 1 1 1 a exec\nrec pc=0x1000 tid=1 time=5\naux 1 1 9 0 0\nfinish\n")
    refuses("cycles without a latency", 125, "no sample has a total latency; export with --weight samples", "export", "--format",
            "folded", "--weight", "cycles", plain)
    result = export("folded", known.data, "--symbols", "nothing")
    equal((result.stdout, result.stderr, result.returncode),
          ("", f"spemu export: the filters leave out all {total('samples')} samples\n", 0), "filters that leave out all")
    with open(known.data, "rb") as f:
        image = f.read()
    cut = folder.write("cut.data", image[:image.index(b"\0\0\0", len(image) // 2)])
    result = export("folded", cut)
    check(result.returncode in (1, 125) and len(result.stderr.splitlines()) == 1, "a recording that is cut off", result.stderr)


def test_full_disk(known):
    for kind in FORMATS:
        result = run("sh", "-c", 'exec "$0" export --format "$1" "$2" > /dev/full', SPEMU, kind, known.data)
        check(result.returncode == 125 and "No space left" in result.stderr and len(result.stderr.splitlines()) == 1,
              f"{kind}: a full disk is told", result.stderr)


HOSTILE = ("a;b", "<script>alert(1)</script>", 'quote"d', "it's", "a, b", "&amp;", "b\\slash", "\033[31mred", "two words")


class Hostile:
    """A program whose functions have such names, in a folder and by a thread with such names."""

    def __init__(self, folder):
        quoted = [n.replace("\\", "\\\\").replace('"', '\\"') for n in HOSTILE]
        text = "\n".join(f'.globl "{n}"\n.type "{n}", %function\n"{n}": nop\nnop\n.size "{n}", 8' for n in quoted)
        source = folder.write("hostile.s", f".text\n{text}\n.globl main\n.type main, %function\nmain: ret\n.size main, 4\n")
        os.mkdir(folder("a <b>;\"c',"))
        self.program = folder("a <b>;\"c',/program")
        subprocess.run(["aarch64-linux-gnu-gcc", "-o", self.program, source, "-static", "-nostartfiles", "-Wl,-e,main"], check=True)
        out = subprocess.run(["aarch64-linux-gnu-nm", self.program], capture_output=True, check=True, env=ENVIRONMENT).stdout
        symbols = {line.split(" ", 2)[2]: int(line[:16], 16) for line in out.decode("latin-1").splitlines()}
        self.data = folder("hostile.data")
        lines = [f"create {self.data} 100", 'comm 1 1 1 a;"<b>\033\' exec', f"mmap 1 2 {min(symbols.values()) & ~4095:#x} 0x10000 "
                 f"{self.offset(min(symbols.values()) & ~4095):#x} r-x {self.program}"]
        for i, name in enumerate(HOSTILE):
            lines.append(f"rec pc={symbols[name]:#x} tid=1 time={10 + i} total=1 class=1 sub=0 n={i + 1}")
        make_recording("\n".join(lines + ["aux 1 1 99 0 0", "finish"]) + "\n")

    def offset(self, page):
        out = run("aarch64-linux-gnu-readelf", "-lW", self.program).stdout
        for line in out.splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in words[-2] and int(words[2], 16) & ~4095 == page:
                return int(words[1], 16) & ~4095
        raise AssertionError("no segment of code")


def shown(name):
    """A name as a terminal may have it, and no ';'."""
    return "".join(c if c >= " " else "?" for c in name).replace(";", ":")


def test_hostile_folded(folder, hostile):
    result = export("folded", hostile.data, text=False)
    check(not leak(result.stdout), "folded: names are fit for a terminal", leak(result.stdout))
    expected = {f"{shown(chr(97) + chr(59))}\"<b>?';{shown(name)}": i + 1 for i, name in enumerate(HOSTILE)}
    equal(folded_lines(result.stdout.decode()), expected, "folded: ';' is ':', a control character '?'")
    if FLAMEGRAPH:
        drawn = flames(result.stdout.decode())
        # It writes such brackets as round ones.
        equal(drawn.get("(script)alert(1)(/script)"), 2, "flamegraph.pl: a name with HTML is text")


def main():
    select_case(globals())
    with Folder() as folder:
        known = Exported(folder)
        hostile = Hostile(folder)
        test_folded(folder, known)
        test_flamegraph(folder, known)
        test_same_as_report(known)
        test_pipe(known)
        test_errors(folder, known)
        test_full_disk(known)
        test_hostile_folded(folder, hostile)
    done()


if __name__ == "__main__":
    main()
