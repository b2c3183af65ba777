# SPDX-License-Identifier: MIT
"""Wrong usage of every command ends with status 2 and one line on standard error, before anything runs."""
import os
import pathlib
import re
import sys

import pytest

from clilib import ROOT, refuses, spemu, write

sys.path[:0] = [os.path.join(ROOT, "tools/gen"), os.path.join(ROOT, "arch/gen")]
import option_data  # noqa: E402

# Placeholders for the recording, the program and the guest. Usage errors are found before these are
# opened.
OPERANDS = {"record": ("--", "/nonexistent/program"), "vm": ("--", "-S"), "diff": ("/nonexistent/a", "/nonexistent/b"),
            "run": ("/nonexistent/scenario",), "pgo": ("/nonexistent/program",), "annotate": ("main",)}


# Wrong values that no row of the option tables describes: (what, option, value).
FILTERS = (("process", "--pid", "zqzq"), ("thread", "--tid", "zqzq"), ("CPU", "--cpu", "zqzq"), ("time", "--time", "zqzq"),
           ("event", "--event", "zqzq"), ("latency", "--latency", "zqzq"), ("data source", "--data-source", "zqzq"))
OTHER_VALUES = {
    "report": (*FILTERS, ("section", "--section", "zqzq"), ("key", "--sort", "zqzq"), ("field", "--fields", "zqzq"),
               ("share", "--percent-limit", "zqzq")),
    "diff": (*FILTERS, ("section", "--section", "zqzq"), ("key", "--sort", "zqzq"), ("share", "--percent-limit", "zqzq")),
    "export": (("format", "--format", "zqzq"), *FILTERS),
    "annotate": (("context", "--context", "zqzq"),),
    "record": (("filter", "--filter", "zqzq"), ("event", "--event-filter", "zqzq"), ("event to leave out", "--inv-event-filter", "zqzq"),
               ("choice", "--choose", "zqzq=x"), ("machine", "--machine", "zqzq"), ("part", "--uarch", "zqzq=1"), ("layout", "--layout", "zqzq"),
               ("delay", "--delay", "zqzq"), ("snapshot", "--snapshot=zqzq", "-q")),
    "vm": (("layout", "--layout", "zqzq"), ("machine", "--machine", "zqzq"), ("choice", "--choose", "zqzq=x"), ("fault", "--inject", "zqzq")),
    "run": (("choice", "--choose", "zqzq=x"), ("rule", "--vm-rules", "zqzq")),
    "explain": (("file", "--file", "/nonexistent/zqzq"), ("access", "--access", "zqzq"), ("event", "--event", "zqzq"),
                ("choice", "--choose", "zqzq=x")),
}


def load():
    folder = pathlib.Path(ROOT, "tools", "options")
    first = [folder / "words.txt", folder / "shared.txt"]
    return option_data.load(os.path.join(ROOT, "arch"), first + sorted(set(folder.glob("*.txt")) - set(first)))[0]


COMMANDS = load()
each_command = pytest.mark.parametrize("command", COMMANDS, ids=[command.name for command in COMMANDS])


@each_command
def test_options(command):
    name, operands = command.name, OPERANDS.get(command.name, ())
    refuses(f"{name}: unknown option", 2, f"^spemu {name}: unknown option '--no-such-thing'", name, "--no-such-thing", *operands)
    refuses(f"{name}: a misspelled option", 2, "unknown option '--hellp'; did you mean '--help'", name, "--hellp")
    refuses(f"{name}: unknown letter", 2, f"^spemu {name}: unknown option '-Z'", name, "-Z", *operands)
    for option in command.options:
        if option.argument and not option.optional:
            refuses(f"{name}: --{option.name} without a value", 2, f"^spemu {name}: option '--{option.name}' needs a value", name,
                    f"--{option.name}")
            if option.letter:
                refuses(f"{name}: -{option.letter} without a value", 2, f"^spemu {name}: option '-{option.letter}' needs a value", name,
                        f"-{option.letter}")
        elif not option.argument:
            refuses(f"{name}: --{option.name} with a value", 2, f"^spemu {name}: option '--{option.name}=x' takes no value", name,
                    f"--{option.name}=x", *operands)


def wrong_values(option):
    """Return values that the row of an option does not permit."""
    if option.values == "one-of":
        return ["", "zqzq", option.words[0] + "x"]
    if option.values not in option_data.NUMBER_VALUES:
        return []
    numbers = [int(limit.rstrip("kKMG")) * option_data.NUMBER_VALUES[option.values] ** " kMG".index(limit.upper().replace("K", "k")[-1])
               if limit[-1] in "kKMG" else int(limit) for limit in option.limits]
    below = [str(numbers[0] - 1)] if numbers and numbers[0] else []
    above = [str(numbers[1] + 1)] if len(numbers) == 2 else []
    return ["", "zqzq", "-1", "1x", "99999999999999999999", *below, *above, *(["3", "96"] if option.values == "power-of-two" else [])]


@pytest.mark.parametrize("command, option, value", [
    (command.name, option.name, value) for command in COMMANDS for option in command.options for value in wrong_values(option)])
def test_value(command, option, value):
    refuses(f"--{option} '{value}'", 2, f"^spemu {command}: --{option}: expected .*, got '{value}'$", command,
            f"--{option}={value}", *OPERANDS.get(command, ()))


@pytest.mark.parametrize("command, what, option, value", [(command, *row) for command, rows in OTHER_VALUES.items() for row in rows])
def test_other_value(command, what, option, value):
    refuses(f"a bad {what}", 2, f"^spemu {command}: .*zqzq", command, option, value, *OPERANDS.get(command, ()))


def test_names(tmp_path):
    """An unknown name causes a message with all permitted names, or with the nearest names if the
    set is large."""
    whole, nearest = r"; use [^,]*.* or \S+$", r"; the nearest are \S+.* or .+$"
    scenarios = {word: write(tmp_path, word, text) for word, text in (
        ("register", "set ZQZQ=1\n"), ("command", "zqzq\n"), ("layout", "layout zqzq\n"), ("choice", "choose zqzq x\n"))}
    for what, pattern, *args in (
            ("command", f"unknown command 'zqzq'{whole}", "zqzq"),
            ("section", f"unknown section 'zqzq'{nearest}", "report", "--section", "zqzq"),
            ("section of diff", f"unknown section 'zqzq'{whole}", "diff", "--section", "zqzq"),
            ("sort key", f"unknown sort key 'zqzq'{nearest}", "report", "-s", "zqzq"),
            ("field", f"unknown field 'zqzq'{nearest}", "report", "-F", "zqzq"),
            ("event", f"unknown event 'zqzq'{nearest}", "report", "--event", "zqzq"),
            ("data source", f"unknown data source 'zqzq'{whole}", "report", "--data-source", "zqzq"),
            ("format of export", "expected folded, .* or parquet, got 'zqzq'", "export", "--format", "zqzq"),
            ("format of pgo", "expected bolt, .* or llvm-profgen, got 'zqzq'", "pgo", "--format", "zqzq", "x"),
            ("register", f"unknown register 'zqzq'{nearest}", "regs", "zqzq"),
            ("register of a state", f"unknown register 'zqzq'{nearest}", "explain", "zqzq=1"),
            ("field of a register", f"PMSCR_EL1 has no field 'zqzq'{whole}", "explain", "PMSCR_EL1.zqzq=1"),
            ("management event", f"unknown event 'zqzq'{nearest}", "explain", "--event", "zqzq"),
            ("feature", f"'.zqzq' in features{nearest}", "explain", "features=v9.6,+zqzq"),
            ("machine", f"unknown machine 'zqzq'{whole}", "record", "--machine", "zqzq", "x"),
            ("part of a machine", f"unknown part of a machine 'zqzq'{nearest}", "record", "--uarch", "zqzq=1", "x"),
            ("layout", f"unknown layout 'zqzq'{whole}", "vm", "--layout", "zqzq", "--", "-S"),
            ("event of record", f"unknown event 'zqzq'{nearest}", "record", "--event-filter", "zqzq", "x"),
            ("filter", f"unknown filter 'zqzq'{whole}", "record", "--filter", "zqzq", "x"),
            ("choice", f"unknown choice 'zqzq'{nearest}", "run", "--choose", "zqzq=1", "x"),
            ("option of a choice", f"zero-interval has no option 'zqzq'{whole}", "run", "--choose", "zero-interval=zqzq", "x"),
            ("rule of virtual machines", f"'zqzq'{whole}", "run", "--vm-rules", "zqzq", "x")):
        refuses(f"an unknown {what}", 2, pattern, *args)
    for what, path in scenarios.items():
        result = spemu("run", path)
        assert re.search(f"unknown {what} 'zqzq'({whole}|{nearest})", result.stderr, re.M | re.I), \
            f"an unknown {what} in a scenario\n{result.stderr}"


# Command lines that people type for perf, and the end of the message: (command, words, pattern).
VM, OMIT = "use 'spemu vm'$", "leave the option out$"
PERF = (
    ("record", "-e cycles ./p", "choose operations with --filter"),
    ("record", "--event cycles ./p", "--event-filter"),
    ("record", "-F 99 ./p", "use -c PERIOD$"),
    ("record", "-F99 ./p", "use -c PERIOD$"),
    ("record", "--freq=max ./p", "use -c PERIOD$"),
    ("record", "-p 12", "use 'spemu record -- PROGRAM'$"),
    ("record", "--pid=12", "use 'spemu record -- PROGRAM'$"),
    ("record", "-t 12", "choose some with 'spemu report --tid'$"),
    ("record", "-a sleep 1", VM),
    ("record", "-ag sleep 1", VM),
    ("record", "--all-cpus", VM),
    ("record", "-C 0-3 ./p", VM),
    ("record", "-b ./p", "--branches taken"),
    ("record", "-j any,u ./p", "--branches all"),
    ("record", "-d ./p", OMIT),
    ("record", "-gd ./p", OMIT),
    ("record", "--phys-data ./p", "use --pa$"),
    ("record", "-i ./p", "use --no-inherit$"),
    ("record", "--call-graph dwarf ./p", "expected fp or shadow, got 'dwarf'; shadow, .* gives exact stacks"),
    ("record", "--call-graph=dwarf,16384 ./p", "shadow, .* gives exact stacks"),
    ("record", "--call-graph lbr ./p", "shadow, .* gives exact stacks"),
    ("report", "--stdio", OMIT),
    ("report", "--stdio -i x", OMIT),
    ("report", "-i x --tui", OMIT),
    ("report", "x --no-children", "the section functions"),
    ("report", "--children", "the section totals"),
    ("report", "-G", "--section callers"),
    ("report", "--show-nr-samples", r"use -F \+sample$"),
    ("report", "-n", r"option '-n' needs a value.*use -F \+sample$"),
    ("report", "-n -i x", r"expected a number, got '-i'.*use -F \+sample$"),
    ("report", "--call-graph=graph,0.5,caller", "use -g"),
    ("report", "--sort symbol_daddr", "unknown sort key 'symbol_daddr'; .*use --section objects$"),
    ("report", "-s dcacheline,dso", "use --section cache-lines$"),
    ("report", "-D", "use 'spemu dump --records'$"),
    ("annotate", "--stdio main", OMIT))


@pytest.mark.parametrize("command, words, pattern", PERF)
def test_perf(command, words, pattern):
    refuses(f"{command} {words}", 2, f"^spemu {command}: .*({pattern})", command, *words.split())


@each_command
def test_foreign(command):
    """Every option and value of perf in the tables is refused with its reason."""
    own = {option.letter for option in command.options}
    for row in command.foreign:
        forms = [f"--{row.name}"] if row.name else []
        if row.letter and row.letter not in own:
            forms.append(f"-{row.letter}")
        for form in forms:
            words = (form, row.value) if row.value else (form,)
            end = f"; {row.instead}" if row.value else f"option '{form}' does not exist here: {row.instead}"
            refuses(form, 2, re.escape(end) + "$", command.name, *words, *OPERANDS.get(command.name, ()))


def test_commands():
    refuses("unknown command", 2, "unknown command 'rceord'; did you mean 'record'", "rceord")
    refuses("unknown command for help", 2, "unknown command 'reprot'", "help", "reprot")
    refuses("option before the command", 2, "before the command", "--frobnicate")
