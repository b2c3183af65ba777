# SPDX-License-Identifier: MIT
"""tools/gen/gen-options: its output for a table of options, and the tables it rejects."""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

from clilib import ROOT

sys.path[:0] = [os.path.join(ROOT, "tools/gen"), os.path.join(ROOT, "arch/gen")]
import option_data  # noqa: E402

GENERATE = os.path.join(ROOT, "tools/gen/gen-options")
GOOD = """Command  demo
Summary  show something
Usage    [OPTIONS] [FILE]
About    Shows something.
Operands file

Option   -o, --output FILE
Values   file
Help     where to
Manual:
  Where to.

Option   --level[=N]
Values   one-of 1 2
Help     it's a [level]
Manual:
  The level.
"""


def generate(text, name="option_table.c", template=None):
    """Run gen-options on a table. Return (status, standard error, the output)."""
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
    """Check that a table of two commands with one option each is rejected."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, part) for part in ("one.txt", "two.txt")]
        for path, spec in zip(paths, (first, second)):
            pathlib.Path(path).write_text(GOOD.replace("Command  demo", f"Command  {pathlib.Path(path).stem}").replace("-o, --output FILE", spec))
        result = subprocess.run([sys.executable, GENERATE, os.path.join(ROOT, "arch"), os.path.join(folder, "option_table.c"), *paths],
                                capture_output=True, text=True)
        assert (result.returncode, reason in result.stderr) == (1, True), f"{name}\n{result.stderr}"


def test_good():
    status, error, table = generate(GOOD)
    assert (status, error) == (0, ""), "gen-options accepts a valid table"
    for row in ('[DEMO_OUTPUT] = {"output", \'o\', required_argument},',
                '[DEMO_LEVEL] = {"level", 0, optional_argument, .words = demo_level_words, .expected = "1 or 2"},',
                'demo_level_words[] = {"1", "2", NULL};',
                '[DEMO_HELP] = {"help", \'h\', no_argument},'):
        assert row in table, f"the table has {row}\n{table}"
    assert '"  -o, --output FILE  where to\\n"' in table, f"the help has a row\n{table}"
    _, _, page = generate(GOOD, "spemu-demo.1", '.\\" SPDX\n.Sh DESCRIPTION\n.\\" OPTIONS\n.Sh END\n')
    assert ".It Fl o , -output Ar file\nWhere to.\n.It Fl -level Ns Op = Ns Ar n\nThe level.\n" in page, f"the manual page has the list\n{page}"
    _, _, zsh = generate(GOOD, "_spemu")
    assert "'--level=-[it'\\''s a \\[level\\]]::N:(1 2)'" in zsh, f"zsh: quotes and brackets\n{zsh}"
    _, _, fish = generate(GOOD, "spemu.fish")
    assert "-l level -d 'it\\'s a [level]'" in fish, f"fish: quotes\n{fish}"


FOREIGN = """
Foreign  -x, --extra
Instead  there is nothing extra; leave it out

Foreign  -y
Instead  yes

Foreign  --level 3
Instead  use 2
"""
LAST = "  The level.\n"


def test_foreign():
    status, error, table = generate(GOOD + FOREIGN)
    assert (status, error) == (0, ""), "gen-options accepts options and values of another program"
    for row in ("{'x', \"extra\", NULL, \"there is nothing extra; leave it out\"},", "{'y', NULL, NULL, \"yes\"},",
                '{0, "level", "3", "use 2"},', ".foreign = demo_foreign,", ".foreign_count = 3,"):
        assert row in table, f"the table has {row}\n{table}"
    _, _, page = generate(GOOD + FOREIGN, "spemu-demo.1", '.\\" SPDX\n.Sh DESCRIPTION\n.\\" FOREIGN\n.Sh END\n')
    assert '.It Ql "-x, --extra"\nThere is nothing extra; leave it out.\n.It Ql "-y"\nYes.\n' in page, \
        f"the manual page has the list\n{page}"
    status, error, table = generate_with(SHARED + "\nForeign  --tui\nInstead  text\n", GOOD + "\nInclude  deep\n")
    assert status == 0 and '{0, "tui", NULL, "text"},' in table, f"a group has them, too\n{error}"


@pytest.mark.parametrize("old, new, members", (
    ("Values   one-of 1 2", "Passed   to the plugin", ".passed = true"),
    ("Values   one-of 1 2", "Needs    --output", '.needs = DEMO_OUTPUT + 1, .needed = "--output FILE"'),
    ("one-of 1 2", "number", '.unit = 1000, .least = 0u, .most = UINT64_MAX, .expected = "a number"'),
    ("one-of 1 2", "number 2", '.unit = 1000, .least = 2u, .most = UINT64_MAX, .expected = "a number, 2 or more"'),
    ("one-of 1 2", "size 4K 64M", '.unit = 1024, .least = 4096u, .most = UINT64_C(67108864), .expected = "a size from 4K to 64M"'),
    ("one-of 1 2", "power-of-two 1 8", '.most = UINT64_C(8), .power_of_two = true, .expected = "a power of two from 1 to 8"')))
def test_members(old, new, members):
    _, error, table = generate(GOOD.replace(old, new))
    assert members in table, f"the table has {new}\n{error + table}"


@pytest.mark.parametrize("name, old, new, reason", [
    ("a need of no option", "Values   one-of 1 2", "Needs    --input", "needs --input, which there is not"),
    ("limits that are no numbers", "one-of 1 2", "number few", "not limits"),
    ("three limits", "one-of 1 2", "number 1 2 3", "not limits"),
    ("an option twice", "--level[=N]", "--output FILE", "like that of line"),
    ("a letter twice", "Option   --level[=N]", "Option   -o, --level", "like that of line"),
    ("--help by hand", "Option   --level[=N]", "Option   -h, --level", "added to every command"),
    ("no option", "--level[=N]", "level", "not an option"),
    ("values of no argument", "--level[=N]", "--level", "level: one-of"),
    ("an unknown kind of values", "one-of 1 2", "some-of 1 2", "some-of"),
    ("no words", "one-of 1 2", "one-of", "with or without words"),
    ("an unknown list", "one-of 1 2", "one-of @levels", "no list @levels"),
    ("no help", "Help     where to\n", "", "no Help"),
    ("no manual", "Manual:\n  Where to.\n", "", "no Help or no Manual:"),
    ("no usage", "Usage    [OPTIONS] [FILE]\n", "", "no usage"),
    ("an unknown keyword", "Summary", "Sumary", "not expected here"),
    ("unknown operands", "Operands file", "Operands all", "unknown operands"),
    ("a foreign option that is an own one", LAST, LAST + "Foreign  --output\nInstead  x\n",
     "is an option of the command"),
    ("a foreign value of no option", LAST, LAST + "Foreign  --other 3\nInstead  x\n", "the command has no --other"),
    ("no replacement", LAST, LAST + "Foreign  --other\n", "--other has no Instead"),
    ("a foreign option without dashes", LAST, LAST + "Foreign  other\nInstead  x\n", "not an option"),
])
def test_refused(name, old, new, reason):
    text = GOOD.replace(old, new)
    status, error, made = generate(text)
    assert text != GOOD and status == 1 and reason in error and not made, f"{name}\n{status} {error}"


def test_refused_pairs():
    refuses_pair("a letter of two options", "-o, --output FILE", "-o, --object FILE", "-o is --object of spemu two and --output of spemu one")
    refuses_pair("a letter in one command only", "-o, --output FILE", "--output FILE",
                 "--output has the letter 'none' in spemu two and 'o' in spemu one")


SHARED = """Group    wide

Option   -w, --wide
Help     wider
Manual:
  Wider.

Group    deep

Option   --deep
Help     deeper
Manual:
  Deeper.
"""


def generate_with(shared, text):
    """Run gen-options on a command and shared.txt. Return (status, standard error, the table of
    options)."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("shared.txt", "demo.txt", "option_table.c")]
        paths[0].write_text(shared)
        paths[1].write_text(text)
        result = subprocess.run([sys.executable, GENERATE, os.path.join(ROOT, "arch"), paths[2], *paths[:2]], capture_output=True, text=True)
        return result.returncode, result.stderr, paths[2].read_text() if paths[2].exists() else ""


def test_group():
    # A group of options is defined once, and several commands include it.
    status, error, table = generate_with(SHARED, GOOD + "\nInclude  wide\n")
    assert status == 0 and "[DEMO_WIDE] = {\"wide\", 'w', no_argument}" in table and "deep" not in table, f"a group of shared options\n{error}"


@pytest.mark.parametrize("name, shared, text, reason", (
    ("an unknown group", SHARED, GOOD + "Include  long\n", "no group long"),
    ("an option of a group and of the command", SHARED, GOOD + "Include  wide\nInclude  wide\n", "like that of line"),
    ("a group twice", SHARED.replace("deep\n\n", "wide\n\n"), GOOD, "group wide is there twice"),
    ("a shared option without help", SHARED.replace("Help     deeper\n", ""), GOOD, "no Help"),
    ("more of an included option", SHARED, GOOD + "Include  wide\nHelp     more\n", "not expected here: Help")))
def test_group_refused(name, shared, text, reason):
    status, error, table = generate_with(shared, text)
    assert status == 1 and reason in error and not table, f"{name}\n{error}"


FOLDER = pathlib.Path(ROOT, "tools", "options")
FIRST = [FOLDER / "words.txt", FOLDER / "shared.txt"]
COMMANDS, _ = option_data.load(os.path.join(ROOT, "arch"), FIRST + sorted(set(FOLDER.glob("*.txt")) - set(FIRST)))


def test_letters():
    # A letter stands for the same option in all commands, and an option has its letter in all
    # commands.
    meanings, forms = {}, {}
    for command in COMMANDS:
        for option in command.options:
            forms.setdefault(option.name, set()).add(option.letter)
            if option.letter:
                meanings.setdefault(option.letter, set()).add(option.name)
    assert {k: v for k, v in meanings.items() if len(v) > 1} == {}, "a letter stands for one long option"
    assert {k: v for k, v in forms.items() if len(v) > 1} == {}, "an option has the same letter in each command"
    rows = re.findall(r"^Option .*\n(?:.+\n)+", "".join(p.read_text() + "\n" for p in FOLDER.glob("*.txt")), re.M)
    assert [row for row, count in collections.Counter(rows).items() if count > 1] == [], "no option is written twice"


def taken(file, function):
    """Return the names of options that a function handles by name."""
    text = pathlib.Path(ROOT, "tools", file).read_text()
    return set(re.findall(r'"([a-z-]+)"', re.search(rf"\n\w+ {function}\(.*?\n}}", text, re.S)[0]))


def test_handlers():
    # Each option has code that handles it: a case, a function that compares its name, or a plugin to
    # which it is passed.
    sources = "".join(p.read_text() for p in pathlib.Path(ROOT, "tools").glob("**/*.c"))
    by_name = {"filter": taken("session/sample_filter.c", "filter_take"), "session": taken("session/session_option.c", "session_take_option"),
               "arguments": taken("report/arguments.c", "arguments_take_option")}
    by_name["session"] |= by_name["filter"]
    by_name["arguments"] |= by_name["session"]
    for command in COMMANDS:
        takers = re.findall(rf"(\w+)_take_option\([^;]*\b{command.name}_options", sources)
        known = {"help", "quiet", "verbose"}.union(*(by_name[taker] for taker in takers))
        ids = {o.name: f"{command.name}_{o.name}".upper().replace("-", "_") for o in command.options}
        known |= {o.name for o in command.options if o.passed}
        assert [n for n, i in ids.items() if n not in known and not re.search(rf"(case |== |\[|\{{){i}\b", sources)] == [], \
            f"{command.name}: every option has its handler"
