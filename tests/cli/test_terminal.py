# SPDX-License-Identifier: MIT
"""spemu report and diff on a terminal: order, width, colors, and the pager."""
import os
import pty
import re
import signal
import subprocess
import time

import pytest

from clilib import ENVIRONMENT, SPEMU, compile_c, make_recording, spemu, write
from known import Known
from terminal import on_terminal, raw_on_terminal

COLOR = re.compile(r"\x1b\[[0-9;]*m")


def widest(lines):
    return max((len(li) for li in lines), default=0)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Known(tmp_path_factory.mktemp("known"))


def test_width(known):
    commands = {
        "report": ("report", known.path),
        "report with many columns": ("report", known.path, "-F", "+hitm,l2d-access,llc-access-count,weight,period"),
        "report by every key": ("report", known.path, "-s", "comm,pid,tid,dso,sym,srcline,cpu,mem,tlb,snoop,op,input"),
        "report of two": ("report", known.path, known.path, "-s", "input,sym"),
        "diff": ("diff", known.path, known.path),
        "diff --absolute": ("diff", "--absolute", known.path, known.path),
    }
    for name, args in commands.items():
        shown = {}
        for columns in (60, 80, 200):
            lines = on_terminal(columns, *args)
            shown[columns] = widest(lines)
            assert not [li for li in lines if li != li.rstrip() and not li.startswith("#")], \
                f"{name}: no row ends with blanks"
            assert lines and widest(lines) <= columns, \
                f"{name}: no line is wider than {columns}\n" + "\n".join(li for li in lines if len(li) > columns)
        assert shown[200] > 80, f"{name}: 200 columns show more than 80\n{shown}"


def test_answer(known):
    """The summary is on the first screen, before any table. It says what bounds the program, and has a line for the
    place of each cause and about three other lines."""
    lines = on_terminal(80, "report", known.path)
    bound, start, table = (lines.index(title) for title in ("# Summary", "# The largest causes", "# Reasons"))
    assert bound < 6 and start < 12 and table < 24, \
        "the summary is on the first screen\n" + "\n".join(lines[:24])
    ranks = [li for li in lines[start:table] if re.match(r" +[123] +\d+\.\d% \S", li)]
    assert len(ranks) == 2, "the summary has two causes"
    text = " ".join(lines[bound + 1:start - 1])
    assert text.lstrip().startswith("Memory-bound: "), f"the loads of hot bound the program\n{text}"
    # hot has 300 + 200 + 40 loads and stores. One of the child's loads takes 900 cycles, so hot is by far the largest
    # cause.
    assert re.match(r"  1 +\d+\.\d% \S.*: hot at .*known\.c:\d+$", ranks[0]), \
        f"a cause has its reason, function and line\n{ranks[0]}"
    only = on_terminal(80, "report", "--section", "answer", known.path)
    assert "# Functions" not in only and "# The largest causes" in only, "--section answer shows the summary alone"


def test_long_command(tmp_path):
    """A command of many lines, such as a script of a shell, takes about three lines of the screen."""
    program, data = compile_c(tmp_path, "program", "int main(void) { return 0; }\n", "-static"), tmp_path / "perf.data"
    script = [f"line {i} of a script" for i in range(60)]
    assert spemu("record", "-q", "-c", "256", "-o", data, "--", program, "\n".join(script)).returncode == 0, "it is recorded"
    lines = on_terminal(80, "report", data)
    ends = next(i for i, line in enumerate(lines) if line.startswith("# machine: "))
    assert 3 <= ends <= 5, "the machine follows the command\n" + "\n".join(lines[:10])
    assert " ".join(script) in spemu("report", data).stdout, "line feeds are blanks, and a file has the whole command"


def test_long_name(tmp_path):
    name = "begin_" + "x" * 120 + "_end"
    known = Known(tmp_path, f"__attribute__((noinline, used)) int {name}(int x) {{ return x * 3; }}\n")
    pc = known.address["hot"] - known.symbols["hot"] + known.symbols[name]
    known.samples.append((0, 4000, pc, None, (0, 0), 0, 900, 500, None, None))
    known.make(known.path)
    text = "\n".join(on_terminal(80, "report", known.path))
    assert re.search(r"\[\.\] begin\w*\.\.\.\w*_end$", text, re.M), \
        f"a long name is shortened in the middle\n{text[:3000]}"
    assert name in "\n".join(on_terminal(300, "report", known.path)), "a long name is complete if there is room"


def test_colors(known):
    for args, colored in (((), False), (("--color=auto",), False), (("--color=always",), True)):
        assert bool(COLOR.search(spemu("report", known.path, *args).stdout)) == colored, f"no terminal, {' '.join(args)}"
    plain, colors = (spemu("explain", f"--color={w}", "PMSCR_EL1.E0SPE=1").stdout for w in ("never", "always"))
    assert "\x1b" not in plain and COLOR.sub("", colors) == plain, "explain: colors are the only difference"


@pytest.mark.parametrize("args, env, colored", (((), {}, True), (("--color=never",), {}, False), (("--color", "always"), {}, True),
                                                ((), {"NO_COLOR": "1"}, False), (("--color=always",), {"NO_COLOR": "1"}, True),
                                                (("--color=auto",), {"TERM": "dumb"}, False)))
def test_color(known, args, env, colored):
    text = raw_on_terminal(80, "report", known.path, *args, env=env)
    assert bool(COLOR.search(text)) == colored, f"terminal, {' '.join(args)} {env}"


def test_pager(tmp_path, known):
    """The pager of this test saves its input and adds a line."""
    pager = write(tmp_path, "pager", f"#!/bin/sh\ntee {tmp_path}/paged\necho \"LESS=$LESS\"\n", 0o755)
    other = write(tmp_path, "other", "#!/bin/sh\nsed 's/^/other: /'\n", 0o755)
    plain = on_terminal(80, "report", known.path)
    shown = on_terminal(80, "report", known.path, env={"SPEMU_PAGER": pager, "PAGER": other, "LESS": None})
    assert shown == plain + ["LESS=FRX"], "SPEMU_PAGER gets the same text at the same width"
    with open(f"{tmp_path}/paged", encoding="utf-8") as stream:
        assert COLOR.search(stream.read()), "the pager gets colors"
    shown = on_terminal(80, "diff", known.path, known.path, env={"SPEMU_PAGER": None, "PAGER": other})
    assert shown and all(li.startswith("other: ") for li in shown), f"without SPEMU_PAGER, PAGER is used\n{shown[:3]}"
    for name, args, env in (("--no-pager", ("--no-pager",), {"SPEMU_PAGER": other}),
                            ("cat", (), {"SPEMU_PAGER": "cat", "PAGER": other}),
                            ("an empty one", (), {"SPEMU_PAGER": "", "PAGER": other})):
        assert on_terminal(80, "report", known.path, *args, env=env) == plain, f"{name}: no pager is used"
    lines = on_terminal(80, "diff", known.path, known.path, "--no-pager", env={"SPEMU_PAGER": other})
    assert lines and not any(li.startswith("other: ") for li in lines), f"diff --no-pager uses no pager\n{lines[:3]}"
    piped = spemu("report", known.path, env={"SPEMU_PAGER": other}).stdout
    assert "other: " not in piped, "no pager is used if standard output is not a terminal"
    quitter = write(tmp_path, "quitter", "#!/bin/sh\nhead -n 1\n", 0o755)
    lines = on_terminal(80, "report", "-n", "0", known.path, env={"SPEMU_PAGER": quitter})
    assert len(lines) == 1, "a pager that ends early ends the command"


def test_progress(tmp_path):
    """Progress appears on a terminal on standard error after one second, and is erased at the end."""
    path = f"{tmp_path}/many.data"
    make_recording(f"create {path} 1\ncomm 1 1 1 a exec\n"
                   "rec pc=4096 tid=1 time=20 class=1 sub=0 ev=0x16 total=5 issue=1 xlat=0 va=0x40008 n=6000000\n"
                   "aux 1 1 30 0 0\nfinish\n")
    for args, expected in (((), True), (("-q",), False)):
        master, slave = pty.openpty()
        with subprocess.Popen([SPEMU, "report", *args, "--json", path], env=ENVIRONMENT, stderr=slave,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as child:
            os.close(slave)
            # Stop the command for more than a second, so that the test does not depend on the speed
            # of the machine.
            time.sleep(0.05)
            child.send_signal(signal.SIGSTOP)
            time.sleep(1.2)
            child.send_signal(signal.SIGCONT)
            data = b""
            while True:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    break
                data += part
        os.close(master)
        text = data.decode()
        assert (child.returncode, bool(re.search(r"\r\x1b\[Kreading records: \d+ %", text))) == (0, expected), f"progress {' '.join(args)}"
        assert not expected or text.endswith("\r\x1b[K"), f"progress: the line is empty at the end\n{repr(text[-60:])}"
