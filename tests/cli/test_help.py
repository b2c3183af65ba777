# SPDX-License-Identifier: MIT
"""Help, version, manual pages, and the completion for bash, zsh and fish agree with each other.

SPEMU_VERSION is the expected version. BUILT is the folder of the built manual pages, with completion/ below it.
"""
import os
import re
import shutil
import subprocess

import pytest

from clilib import BUILD, ROOT, SPEMU, run, spemu

BUILT = BUILD / "tools"
COMMANDS = ("record", "vm", "report", "annotate", "diff", "pgo", "dump", "run", "explain", "regs")
SCRIPTS = {"bash": "spemu", "zsh": "_spemu", "fish": "spemu.fish"}


def text(*path):
    with open(os.path.join(BUILT, *path)) as f:
        return f.read()


def script_of(shell):
    return os.path.join(BUILT, "completion", SCRIPTS[shell])


def complete(*words):
    """Return the words that bash offers for the last word."""
    script = (f'. "{script_of("bash")}"; COMP_WORDS=("$@"); '
              'COMP_CWORD=$(($# - 1)); _spemu; printf "%s\\n" "${COMPREPLY[@]}"')
    out = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True)
    return set(out.stdout.split())


def complete_fish(line):
    """Return the words that fish offers at the end of the line."""
    out = subprocess.run(["fish", "--no-config", "-c",
                          f'source "{script_of("fish")}"; complete -C "{line}"'],
                         capture_output=True, text=True)
    return {li.split("\t")[0] for li in out.stdout.splitlines()}


def zsh_options(command):
    """Return the options that the _arguments of a command list."""
    part = re.search(rf"^\t{command}\)\n(.*?);;$", text("completion", "_spemu"), re.M | re.S)[1]
    return set(re.findall(r"(?:'\*?|,)--([a-z-]+?)(?==|\[|=-|}|$)", part, re.M))


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command):
    page = text(f"spemu-{command}.1")
    help_ = spemu("help", command)
    assert (help_.returncode, help_.stdout) == (0, spemu(command, "--help").stdout), f"help {command} is {command} --help"
    assert spemu(command, "-h").stdout == help_.stdout, f"{command} -h too"
    options = set(re.findall(r"^  (?:-\w, |    )--([a-z-]+)", help_.stdout, re.M))
    assert "help" in options, f"{command}: the help has options\n{help_.stdout}"
    manual = set()
    for line in re.findall(r"^\.It Fl .*$", page, re.M):
        manual |= {o for o in re.findall(r"(?:Fl|,) -([a-z][a-z-]+)", line)}
    assert manual == options, f"{command}: the manual page has the options of the help"
    assert {o[2:] for o in complete("spemu", command, "--")} == options, f"{command}: completion of bash has the options of the help"
    assert zsh_options(command) == options, f"{command}: completion of zsh has the options of the help"
    fish = re.findall(rf"__spemu_command {command}'(?: -s \w)? -l ([a-z-]+)",
                      text("completion", "spemu.fish"))
    assert set(fish) == options, f"{command}: completion of fish has the options of the help"
    assert max(len(li) for li in help_.stdout.splitlines()) <= 80, f"{command}: help fits a terminal"
    # Every option is parsed: no option of the help is rejected as unknown.
    unknown = [o for o in options
               if "unknown option" in spemu(command, f"--{o}", "--no-such-option-x").stderr
               and f"'--{o}'" in spemu(command, f"--{o}", "--no-such-option-x").stderr]
    assert unknown == [], f"{command}: every option of the help is known"


def test_output():
    """A failed write of the help text is an error, so that an empty text is never mistaken for success."""
    of_commands = [args for name in COMMANDS
                   for args in (("help", name), (name, "--help"), (name, "-h"))]
    for args in (("--version",), ("--help",), ("-h",), ("help",), *of_commands,
                 ("explain", "--event", "list"), ("run", "--choices"), ("regs",)):
        for name, redirection in (("full", ">/dev/full"), ("closed", ">&-")):
            result = run("sh", "-c", f'exec "$0" "$@" {redirection}', SPEMU, *args)
            assert result.returncode == 125 and "cannot write standard output" in result.stderr, \
                f"{' '.join(args)}: a {name} standard output is reported\n{result.returncode} {result.stderr}"


@pytest.mark.parametrize("shell", SCRIPTS)
def test_shell(shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    result = subprocess.run([shell, "-n", script_of(shell)], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, ""), f"{shell}: the script is well-formed"


def test_words():
    """The words of the completion are those of the library."""
    out = subprocess.run([os.environ["SPEMU_PRINT_WORDS"]], capture_output=True, text=True,
                         check=True)
    words = {line.split()[0]: set(line.split()[1:]) for line in out.stdout.splitlines()}
    assert complete("spemu", "record", "--machine", "") == words["machines"] | {"none"}, "completion: machines"
    assert complete("spemu", "record", "--layout", "") == words["layouts"], "completion: layouts"
    assert complete("spemu", "record", "--uarch", "") == words["uarch"], "completion: parts of machines"
    assert complete("spemu", "record", "--event-filter", "") == words["events"], "completion: events"
    table = re.search(r"^\.Bl -column.*?^\.El", text("spemu-record.1"), re.M | re.S)[0]
    rows = re.findall(r"^\.It ([a-z][^ ]*(?:, [^ ]+)*) Ta \d", table, re.M)
    assert {w for row in rows for w in row.split(", ")} == words["events"], "events: the manual page has those of the library"
    refused = [n for n in sorted(words["events"])
               if spemu("record", "--machine", "neoverse-v1", "--event-filter", n, "/").returncode != 126]
    assert refused == [], "spemu record accepts every event of the manual page"


def test_usage():
    version = re.search(r"^  version: '(.*)'", (ROOT / "meson.build").read_text(), re.M)[1]
    assert spemu("--version").stdout == f"spemu {version}\n", "--version"
    usage = spemu("--help")
    assert (usage.returncode, usage.stdout) == (0, spemu("help").stdout), "--help and help"
    no_command = spemu()
    assert (no_command.returncode, no_command.stderr) == (2, usage.stdout), \
        "without a command, the help is printed as an error"
    for name in COMMANDS:
        assert f"  {name} " in usage.stdout, f"help names {name}"


def test_completion():
    assert complete("spemu", "rec") == {"record"}, "completion of commands"
    assert complete("spemu", "record", "--machine", "neo") == {"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"}, \
        "completion of machines"
    assert complete("spemu", "record", "--machine", "=", "neo") == {"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"}, \
        "completion of machines after ="
    assert complete("spemu", "record", "--filter", "load,st") == {"load,store"}, "completion in a list"
    assert complete("spemu", "run", "--choose", "reserved-hp") == {"reserved-hpmn="}, "completion of choices"
    assert "random" in complete("spemu", "run", "--choose", "reserved-hpmn", "=", ""), "completion of a choice's options"


def test_fish():
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    assert complete_fish("spemu rec") == {"record"}, "fish: completion of commands"
    assert complete_fish("spemu record --machine neo") == {"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"}, \
        "fish: completion of machines"
    assert complete_fish("spemu record --filter load,st") == {"load,store"}, "fish: completion in a list"
    assert complete_fish("spemu explain --at EL") == {"EL0", "EL1", "EL2", "EL3"}, "fish: an option of another command"
