# SPDX-License-Identifier: MIT
"""spemu record -L SYSROOT: shells, scripts and the programs that they start.

The host and the sysroot have the program `show` at the same path. It prints which of the two it is,
and its arguments. So the kernel's way to run a script is the expected value for the recorded one.
"""
import json
import os
import platform
import subprocess

import pytest

from clilib import COMPILER, refuses, run, spemu, write

pytestmark = pytest.mark.skipif(platform.machine() == "aarch64", reason="this machine's programs are for AArch64")

SHOW = r"""#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	char line[4096];

	for (volatile int i = 0; i < 20000; i++)
		;
	if (argc > 1 && !strcmp(argv[1], "-"))
		while (fgets(line, sizeof(line), stdin))
			printf("%s > %s", HERE, line);
	printf("%s:", HERE);
	for (int i = 0; i < argc; i++)
		printf(" [%s]", argv[i]);
	puts("");
	return argc;
}
"""

# A shell that knows pipelines of words without quotes.
SHELL = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int run_line(char *line)
{
	char *pipeline[16], *word[64], *at;
	int n = 0, status = 0, input = 0, ends[2];
	pid_t last = 0;

	for (char *p = strtok_r(line, "|\n", &at); p && n < 16; p = strtok_r(NULL, "|\n", &at))
		pipeline[n++] = p;
	for (int i = 0; i < n; i++) {
		int words = 0;

		for (char *p = strtok_r(pipeline[i], " ", &at); p && words < 63; p = strtok_r(NULL, " ", &at))
			word[words++] = p;
		word[words] = NULL;
		if (!words || (i + 1 < n && pipe(ends)))
			return 125;
		last = fork();
		if (!last) {
			if (input)
				dup2(input, 0);
			if (i + 1 < n)
				dup2(ends[1], 1);
			execvp(word[0], word);
			return 127;
		}
		if (input)
			close(input);
		if (i + 1 < n)
			close(ends[1]);
		input = ends[0];
	}
	waitpid(last, &status, 0);
	while (wait(NULL) > 0)
		;
	return WEXITSTATUS(status);
}
int main(int argc, char **argv)
{
	char line[4096];
	int status = 0;

	for (volatile int i = 0; i < 20000; i++)
		;
	if (argc > 2 && !strcmp(argv[1], "-c"))
		return run_line(argv[argc > 3 && !strcmp(argv[2], "--") ? 3 : 2]);
	if (argc < 2 || !freopen(argv[1], "r", stdin))
		return 126;
	while (fgets(line, sizeof(line), stdin))
		if (line[0] != '#')
			status = run_line(line);
	return status;
}
"""

CALLER = r"""#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	const char *how = argv[1];
	char *what = argv[2], line[4096];
	char *words[] = {"sh", "-c", what, NULL};
	int status = 0;
	pid_t pid;

	(void)argc;
	setbuf(stdout, NULL);
	for (volatile int i = 0; i < 20000; i++)
		;
	if (!strcmp(how, "popen")) {
		FILE *f = popen(what, "r");

		while (fgets(line, sizeof(line), f))
			fputs(line, stdout);
		status = pclose(f);
	} else if (!strcmp(how, "system")) {
		status = system(what);
	} else if (!strcmp(how, "system from /")) {
		status = chdir("/") ? 1 << 8 : system(what);
	} else if (!strcmp(how, "spawn")) {
		if (posix_spawnp(&pid, words[0], NULL, NULL, words, environ))
			return 100;
		waitpid(pid, &status, 0);
	} else {
		pid = fork();
		if (!pid) {
			execl(what, what, "a", "b c", NULL);
			printf("error %d\n", errno);
			return 101;
		}
		waitpid(pid, &status, 0);
	}
	return WEXITSTATUS(status);
}
"""


def build(compiler, path, source, *flags):
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([compiler, "-O1", "-w", "-o", path, "-xc", "-", *flags], input=source, text=True, check=True)


class Place:
    """A folder `bin` of this machine, and a sysroot that has a folder at the same path."""

    def __init__(self, folder):
        self.root, self.bin = folder / "root", folder / "bin"
        self.caller, self.data = folder / "caller", folder / "perf.data"
        self.env = {"PATH": f"{self.bin}:/usr/bin:/bin"}
        build("cc", self.bin / "show", SHOW, '-DHERE="host"')
        build(COMPILER, self.inside(self.bin / "show"), SHOW, '-DHERE="guest"', "-static")
        build(COMPILER, self.root / "bin/sh", SHELL, "-static")
        build(COMPILER, self.caller, CALLER, "-static")

    def inside(self, path):
        return self.root / str(path).lstrip("/")

    def record(self, *command, sysroot=True, **kwargs):
        options = ("-L", self.root) if sysroot is True else ("-L", sysroot) if sysroot else ()
        return spemu("record", "-q", "-c", "256", "-o", self.data, *options, "--", *command, env=self.env, **kwargs)

    def commands(self):
        """Return the names of the recorded threads."""
        report = json.loads(spemu("report", "--json", "-s", "comm", "--section", "functions", "-i", self.data).stdout)
        return {row["command"] for row in report["functions"]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("place"))


@pytest.mark.parametrize("command, output, names", (
    (("sh", "-c", "show a b"), "guest: [show] [a] [b]\n", {"sh", "show"}),
    (("/bin/sh", "-c", "show"), "guest: [show]\n", {"sh", "show"}),
    (("/usr/bin/sh", "-c", "show"), "guest: [show]\n", {"sh", "show"}),  # the sysroot has /bin/sh only
    (("show", "a b"), "guest: [show] [a b]\n", {"show"}),
    (("sh", "-c", "show a | show - | show - z"), """guest > guest > guest: [show] [a]
guest > guest: [show] [-]
guest: [show] [-] [z]
""", {"sh", "show"})))
def test_commands(place, command, output, names):
    result = place.record(*command)
    assert (result.stdout, result.stderr) == (output, ""), "the sysroot's programs run"
    assert place.commands() == names, "all of them are recorded"


@pytest.mark.parametrize("how", ("popen", "system", "spawn"))
def test_children(place, how):
    result = place.record(place.caller, how, "show a b")
    assert (result.stdout, result.stderr, result.returncode) == ("guest: [show] [a] [b]\n", "", 3), \
        f"{how}: this machine's /bin/sh becomes the sysroot's"
    assert place.commands() == {"caller", "sh", "show"}, f"{how}: the shell and its command are recorded"


def test_relative_sysroot(place):
    result = place.record(place.caller, "system from /", "show", sysroot="root", cwd=place.root.parent)
    assert result.stdout == "guest: [show]\n", f"a program may change its folder\n{result.stderr}"


def test_transparent(place, tmp_path):
    """Without a sysroot, or without the file in it, programs run as under plain qemu-aarch64."""
    qemu = os.environ.get("SPEMU_QEMU", "qemu-aarch64")
    for how, what in (("popen", "show a | show -"), ("system", "show"), ("spawn", "show"), ("exec", place.bin / "show"),
                      ("exec", "/nowhere/show")):
        for name, sysroot, option in (("no sysroot", None, ()), ("an empty sysroot", tmp_path, ("-L", tmp_path))):
            plain = run(qemu, *option, place.caller, how, what, env=place.env)
            result = place.record(place.caller, how, what, sysroot=sysroot)
            assert (result.stdout, result.stderr, result.returncode) == \
                (plain.stdout, plain.stderr, plain.returncode), f"{how} with {name}"
            assert place.commands() == {"caller"}, f"{how} with {name}: programs of this machine are not recorded"
    assert "host" in plain.stdout or plain.returncode == 101, "this machine's programs ran"


def as_linux(script, *arguments):
    """Return the output of a script that the kernel runs, or None if it refuses the script."""
    try:
        return run(script, *arguments).stdout
    except OSError:
        return None


def line_of(size, place, argument=b""):
    """Return a first line of `size` bytes without newline, whose interpreter is `show`."""
    start, end = b"#!" + bytes(place.bin), b"show" + argument
    return start + b"/" * (size - len(start) - len(end)) + end


LINES = {
    "plain": lambda place: b"#!%s/show\n" % bytes(place.bin),
    "blanks": lambda place: b"#! \t%s/show \t\n" % bytes(place.bin),
    "argument": lambda place: b"#!%s/show \t -x y  z \t\n" % bytes(place.bin),
    "no newline": lambda place: b"#!%s/show" % bytes(place.bin),
    "no newline, argument": lambda place: b"#!%s/show -x " % bytes(place.bin),
    "no newline, blanks": lambda place: b"#!%s/show \t " % bytes(place.bin),
    "NUL in the name": lambda place: b"#!%s/show\0x y\n" % bytes(place.bin),
    "NUL in the argument": lambda place: b"#!%s/show x\0y\n" % bytes(place.bin),
    "NUL after a blank": lambda place: b"#!%s/show \0y\n" % bytes(place.bin),
    "no interpreter": lambda place: b"#! \t \n%s/show\n" % bytes(place.bin),
    "long argument": lambda place: b"#!%s/show %s\n" % (bytes(place.bin), b"x" * 300),
    "long blanks": lambda place: b"#!%s/show %s\n" % (bytes(place.bin), b" " * 300),
    "only blanks": lambda place: b"#!%s\n" % (b" " * 300),
    "interpreter without the file": lambda place: b"#!/nowhere/show\n",
    **{f"name of {n} bytes": lambda place, n=n: line_of(n, place) + b"\n" for n in (254, 255, 256, 257)},
    **{f"name of {n} bytes, no newline": lambda place, n=n: line_of(n, place) for n in (254, 255, 256, 257)},
    **{f"argument to {n} bytes": lambda place, n=n: line_of(n, place, b" abcde") + b"\n"
       for n in (254, 255, 256, 257, 258, 261)},
}


@pytest.mark.parametrize("name", LINES)
def test_script(place, tmp_path, name):
    """A script gets the arguments that Linux passes, from the recorder and from a recorded program."""
    script = write(tmp_path, "script", LINES[name](place), 0o755)
    expected = as_linux(script, "a", "b c")
    assert expected is None or expected.startswith("host: "), "the kernel runs this machine's interpreter"
    result = place.record(script, "a", "b c")
    if expected is None:
        assert (result.returncode, "script" in result.stderr) == (126, True), f"Linux refuses it\n{result.stderr}"
    else:
        assert result.stdout.replace("guest", "host") == expected, "the recorder runs the script\n" + result.stderr
        assert "guest: " in result.stdout and place.commands() == {"show"}, "the sysroot's interpreter is recorded"
    inner = place.record(place.caller, "exec", script)
    if expected is None:
        assert inner.stdout.startswith("error "), "a recorded program cannot execute it either"
    else:
        assert inner.stdout == result.stdout, "a recorded program executes the script"


@pytest.mark.parametrize("length", range(1, 8))
def test_nested(place, tmp_path, length):
    before = place.bin / "show"
    for i in range(length):
        before = write(tmp_path, f"script{i}", f"#!{before} -{i}\n", 0o755)
    expected = as_linux(before, "a")
    result = place.record(before, "a")
    assert (expected is None) == (length > 5), "Linux permits five scripts"
    if expected is None:
        assert result.returncode == 126, "the recorder refuses more"
    else:
        assert result.stdout.replace("guest", "host") == expected, "the recorder passes the arguments of Linux"


def test_script_of_sysroot(place):
    """A script that only the sysroot has is found by its path and in PATH, and by its interpreter."""
    write(place.root / "bin", "twice", "#!/bin/sh\nshow 1\nshow 2\n", 0o755)
    for command in (("twice",), ("/bin/twice",), (place.caller, "exec", "/bin/twice"),
                    (place.caller, "system", "twice")):
        result = place.record(*command)
        assert result.stdout == "guest: [show] [1]\nguest: [show] [2]\n", f"{command}\n{result.stderr}"


def test_absolute_link(place):
    """An absolute link in the sysroot leads into the sysroot, although this machine has its target, too."""
    (place.root / "bin/linked").symlink_to(place.bin / "show")
    result = place.record(place.caller, "exec", "/bin/linked")
    assert result.stdout == "guest: [/bin/linked] [a] [b c]\n", result.stderr
    assert place.record("linked").stdout == "guest: [linked]\n"


def test_refused(place, tmp_path):
    script = write(tmp_path, "script", "#!/usr/bin/env -S x\n", 0o755)
    refuses("a program that the sysroot lacks", 126, "for x86-64, not for AArch64.*-L", "record",
            "-L", tmp_path, place.bin / "show")
    refuses("an interpreter that the sysroot lacks", 126, "interpreter '/usr/bin/env' is not an AArch64 program; .*-L",
            "record", "-L", tmp_path, script)
    refuses("a file as sysroot", 125, "is not a directory; name another with -L", "record", "-L", script, place.caller)
