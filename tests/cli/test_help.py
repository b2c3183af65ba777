#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Help, version, manual pages and completion say the same.

usage: test_help.py SOURCE_ROOT VERSION
"""
import os
import re
import subprocess
import sys

from clilib import check, done, equal, refuses, spemu

ROOT, VERSION = sys.argv[1:3]
COMMANDS = ("record", "vm", "report", "dump", "run", "explain", "regs")


def text(*path):
    with open(os.path.join(ROOT, *path)) as f:
        return f.read()


def complete(*words):
    """What bash would offer for the last word."""
    script = (f'. "{ROOT}/tools/completion/spemu.bash"; COMP_WORDS=("$@"); '
              'COMP_CWORD=$(($# - 1)); _spemu; printf "%s\\n" "${COMPREPLY[@]}"')
    out = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True)
    return set(out.stdout.split())


equal(spemu("--version").stdout, f"spemu {VERSION}\n", "--version")
usage = spemu("--help")
equal((usage.returncode, usage.stdout), (0, spemu("help").stdout), "--help and help")
no_command = spemu()
equal((no_command.returncode, no_command.stderr), (125, usage.stdout), "no command: help as error")
for command in COMMANDS:
    check(f"  {command} " in usage.stdout, f"help names {command}")
    page = text("docs", "man", f"spemu-{command}.1")
    help_ = spemu("help", command)
    equal((help_.returncode, help_.stdout), (0, spemu(command, "--help").stdout),
          f"help {command} is {command} --help")
    equal(spemu(command, "-h").stdout, help_.stdout, f"{command} -h too")
    options = set(re.findall(r"(?<!\S)--([a-z-]+)", help_.stdout.split("\n\n", 1)[1]))
    manual = set()
    for line in re.findall(r"^\.It Fl .*$", page, re.M):
        manual |= {o for o in re.findall(r"(?:Fl|,) -([a-z][a-z-]+)", line)}
    equal(manual, options, f"{command}: the manual page has the options of the help")
    equal({o[2:] for o in complete("spemu", command, "--")}, options,
          f"{command}: completion has the options of the help")
    check(max(len(li) for li in help_.stdout.splitlines()) <= 80, f"{command}: help fits a terminal")
equal(complete("spemu", "rec"), {"record"}, "completion of commands")
equal(complete("spemu", "record", "--machine", "neo"), {"neoverse-n1", "neoverse-v2"},
      "completion of machines")
equal(complete("spemu", "record", "--filter", "load,st"), {"load,store"}, "completion in a list")
refuses("unknown command", 125, "unknown command 'rceord'; did you mean 'record'", "rceord")
refuses("unknown command for help", 125, "unknown command 'reprot'", "help", "reprot")
refuses("option before the command", 125, "before the command", "--frobnicate")
# Every event that a filter takes is in the manual page, and only those.
page = text("docs", "man", "spemu-record.1")
table = re.search(r"^\.Bl -column.*?^\.El", page, re.M | re.S)[0]
names = set(re.findall(r"[a-z][a-z0-9-]+", " ".join(re.findall(r"^\.It (.*)", table, re.M))))
equal(complete("spemu", "record", "--event-filter", ""), names,
      "events: completion and manual page agree")
refused = [n for n in names if spemu("record", "--event-filter", n, "/").returncode != 126]
equal(refused, [], "every event of the manual page is taken")
done()
