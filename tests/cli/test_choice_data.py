# SPDX-License-Identifier: MIT
"""arch/gen/gen-choices: the files it generates from a table of choices, and the tables it
rejects."""
import os
import re
import subprocess
import sys
import tempfile

import pytest

from clilib import ROOT

GENERATE = os.path.join(ROOT, "arch/gen/gen-choices")
FEATURES = os.path.join(ROOT, "arch", "features.txt")
GOOD = """Choice  a-choice D17.1
Kind    impdef
Text    something happens
Option  one    this
Option  two    that
Option  three  the other
Needs   three FEAT_SVE -FEAT_SME
Default one
Where   lib/pe/effective.c
"""


def generate(text, name="choice_list.h"):
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "choices.txt"), os.path.join(folder, name)
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        result = subprocess.run([sys.executable, GENERATE, source, FEATURES, target],
                                capture_output=True, text=True, check=False)
        out = ""
        if os.path.exists(target):
            with open(target, encoding="utf-8") as f:
                out = f.read()
        return result.returncode, result.stderr, out


def test_good():
    status, error, header = generate(GOOD)
    assert (status, error) == (0, ""), "gen-choices accepts a valid table"
    for word in ("SPEMU_CHOICE_A_CHOICE,", "SPEMU_CHOICE_COUNT", "SPEMU_A_CHOICE_ONE = 0,",
                 "SPEMU_A_CHOICE_THREE = 2,"):
        assert word in header, f"the header has {word}\n{header}"


@pytest.mark.parametrize("name, text, pattern", [
    ("a choice twice", GOOD + GOOD, "a-choice is there twice"),
    ("an option twice", GOOD.replace("two ", "one "), "one is there twice"),
    ("an option without text", GOOD.replace("two    that", "two"), "no text"),
    ("an option called random", GOOD.replace("two ", "random "), "not a name"),
    ("an unknown feature", GOOD.replace("FEAT_SVE", "FEAT_SVX"), "unknown feature: FEAT_SVX"),
    ("needs of no option", GOOD.replace("Needs   three", "Needs   four"), "after the option"),
    ("a default that is no option", GOOD.replace("Default one", "Default four"), "is not an option"),
    ("a default that needs a feature", GOOD.replace("Default one", "Default three"),
     "does not exist at every level"),
    ("the same with a feature too few", GOOD.replace(
     "Default one", "Default one without FEAT_SVE, three with it"), "does not exist at every level"),
    ("an unknown kind", GOOD.replace("impdef", "maybe"), "unknown keyword or kind"),
    ("no kind", GOOD.replace("Kind    impdef\n", ""), "has no Kind"),
    ("no default", GOOD.replace("Default one\n", ""), "has no Default"),
    ("no rule", GOOD.replace(" D17.1", ""), "Choice NAME RULE"),
    ("one option", re.sub(r"(Option  (two|three)|Needs).*\n", "", GOOD), "2 to 32 options"),
    ("33 options", GOOD.replace(
     "Needs", "".join(f"Option  n{n} text\n" for n in range(30)) + "Needs"), "2 to 32 options"),
    ("names that C cannot tell apart", GOOD.replace("a-choice", "a") + GOOD.replace(
     "a-choice", "a-b").replace("Option  two", "Option  b-one") + GOOD.replace(
     "a-choice", "a-b-b"), "share"),
])
def test_refused(name, text, pattern):
    status, error, _ = generate(text)
    assert status == 1 and re.search(pattern, error) and "Traceback" not in error, f"{name}\n{error}"


def test_most_options():
    assert generate(GOOD.replace(
         "Needs", "".join(f"Option  n{n} text\n" for n in range(29)) + "Needs"))[0] == 0, "a choice can have 32 options"


def test_page():
    with open(os.path.join(ROOT, "arch", "choices.txt"), encoding="utf-8") as stream:
        real = stream.read()
    status, _, page = generate(real, "spemu-choices.7")
    names = re.findall(r"^Choice\s+(\S+)", real, re.M)
    options = re.findall(r"^Option\s+(\S+)", real, re.M)
    assert re.findall(r"^\.Ss (\S+)$", page, re.M) == names, "the manual page has every choice"
    assert re.findall(r"^\.It Cm (\S+)$", page, re.M) == options, "the manual page has every option"
    assert len(re.findall(r"^Default:$", page, re.M)) == len(names), "the manual page has every default"
    assert "Only without FEAT_SPEv1p3." in page, "the manual page has the features that an option needs"
