#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tools/gen/gen-options makes of a table of options, and what it refuses.

usage: test_option_data.py SOURCE_ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from clilib import check, done, equal

ROOT = sys.argv[1]
GENERATE = os.path.join(ROOT, "tools/gen/gen-options")
GOOD = """Command  demo
Summary  show something
Usage    [OPTIONS] [FILE]
About    Shows something.
Operands file

Option   -o, --output FILE
Values   file
Help     where to
Manual
  Where to.

Option   --level[=N]
Values   one-of 1 2
Help     it's a [level]
Manual
  The level.
"""


def generate(text, name="option_table.c", template=None):
    """(status, standard error, the output)"""
    with tempfile.TemporaryDirectory() as folder:
        source, output = os.path.join(folder, "demo.txt"), os.path.join(folder, name)
        inputs = [source]
        with open(source, "w") as f:
            f.write(text)
        if template:
            inputs.append(os.path.join(folder, name + ".in"))
            with open(inputs[-1], "w") as f:
                f.write(template)
        result = subprocess.run([sys.executable, GENERATE, os.path.join(ROOT, "arch"), output,
                                 *inputs], capture_output=True, text=True)
        made = ""
        if os.path.exists(output):
            with open(output) as f:
                made = f.read()
        return result.returncode, result.stderr, made


def refuses_pair(name, first, second, reason):
    """Two commands, each with one option."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, part) for part in ("one.txt", "two.txt")]
        for path, spec in zip(paths, (first, second)):
            pathlib.Path(path).write_text(GOOD.replace("Command  demo", f"Command  {pathlib.Path(path).stem}").replace("-o, --output FILE", spec))
        result = subprocess.run([sys.executable, GENERATE, os.path.join(ROOT, "arch"), os.path.join(folder, "option_table.c"), *paths],
                                capture_output=True, text=True)
        check((result.returncode, reason in result.stderr) == (1, True), name, result.stderr)


def refuses(name, old, new, reason):
    text = GOOD.replace(old, new)
    status, error, made = generate(text)
    check(text != GOOD and status == 1 and reason in error and not made, name,
          f"{status} {error}")


status, error, table = generate(GOOD)
equal((status, error), (0, ""), "a good table")
for row in ('[DEMO_OUTPUT] = {"output", \'o\', required_argument},',
            '[DEMO_LEVEL] = {"level", 0, optional_argument},',
            '[DEMO_HELP] = {"help", \'h\', no_argument},'):
    check(row in table, f"the table has {row}", table)
check('"  -o, --output FILE  where to\\n"' in table, "the help has a row", table)
_, _, page = generate(GOOD, "spemu-demo.1", '.\\" SPDX\n.Sh DESCRIPTION\n.\\" OPTIONS\n.Sh END\n')
check(".It Fl o , -output Ar file\nWhere to.\n.It Fl -level Ns Op = Ns Ar n\nThe level.\n" in page,
      "the manual page has the list", page)
_, _, zsh = generate(GOOD, "_spemu")
check("'--level=-[it'\\''s a \\[level\\]]::N:(1 2)'" in zsh, "zsh: quotes and brackets", zsh)
_, _, fish = generate(GOOD, "spemu.fish")
check("-l level -d 'it\\'s a [level]'" in fish, "fish: quotes", fish)
refuses("an option twice", "--level[=N]", "--output FILE", "like that of line")
refuses("a letter twice", "Option   --level[=N]", "Option   -o, --level", "like that of line")
refuses("--help by hand", "Option   --level[=N]", "Option   -h, --level", "added to every command")
refuses("no option", "--level[=N]", "level", "not an option")
refuses("values of no argument", "--level[=N]", "--level", "level: one-of")
refuses("an unknown kind of values", "one-of 1 2", "some-of 1 2", "some-of")
refuses("no words", "one-of 1 2", "one-of", "with or without words")
refuses("an unknown list", "one-of 1 2", "one-of @levels", "no list @levels")
refuses("no help", "Help     where to\n", "", "no Help")
refuses("no manual", "Manual\n  Where to.\n", "", "no Help or no Manual")
refuses("no usage", "Usage    [OPTIONS] [FILE]\n", "", "no usage")
refuses("an unknown keyword", "Summary", "Sumary", "not expected here")
refuses_pair("a letter of two options", "-o, --output FILE", "-o, --object FILE", "-o is --object of spemu two and --output of spemu one")
refuses_pair("a letter in one command only", "-o, --output FILE", "--output FILE",
             "--output has the letter 'none' in spemu two and 'o' in spemu one")
refuses("unknown operands", "Operands file", "Operands all", "unknown operands")

# A letter means one thing in all commands, and an option has it in all of them.
meanings, forms = {}, {}
for path in sorted(pathlib.Path(ROOT, "tools", "options").glob("*.txt")):
    for letter, name in re.findall(r"^Option +(?:-(\w), )?--([a-z-]+)", path.read_text(), re.M):
        forms.setdefault(name, set()).add(letter)
        if letter:
            meanings.setdefault(letter, set()).add(name)
equal({k: v for k, v in meanings.items() if len(v) > 1}, {}, "a letter stands for one long option")
equal({k: v for k, v in forms.items() if len(v) > 1}, {}, "an option has the same letter in each command")

# An option is a row and its handler: each row of the tree has a case, regs an if. Filters are taken by name.
filters = re.findall(r'"([a-z-]+)"', re.search(r"bool filter_take\(.*?\n}", pathlib.Path(
    ROOT, "tools", "session", "sample_filter.c").read_text(), re.S)[0])
sources = "".join(p.read_text() for p in pathlib.Path(ROOT, "tools").glob("**/*.c"))
for path in sorted(pathlib.Path(ROOT, "tools", "options").glob("*.txt")):
    names = re.findall(r"^Option .*--([a-z-]+)", path.read_text(), re.M)
    ids = [f"{path.stem}_{n}".upper().replace("-", "_") for n in names]
    filtered = [f"{path.stem}_{n}".upper().replace("-", "_") for n in filters
                if f"{path.stem}_options.rows" in sources]
    equal([i for i in ids if i not in filtered and not re.search(rf"(case|==) {i}\b", sources)], [],
          f"{path.stem}: every option has its handler")
done()
