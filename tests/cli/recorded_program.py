# SPDX-License-Identifier: MIT
"""The program that tests record, and functions for its recordings."""
import json
import shutil

import pytest

from clilib import BUSY, compile_c, spemu

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
""" + BUSY + r"""static void handler(int sig) { (void)sig; puts("caught"); fflush(stdout); _exit(7); }
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	busy(300000);
	if (!strcmp(what, "exit"))
		return atoi(argv[2]);
	if (!strcmp(what, "kill"))
		kill(getpid(), atoi(argv[2]));
	if (!strcmp(what, "segv"))
		*(volatile int *)0 = 1;
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "args"))
		for (int i = 0; i < argc; i++)
			printf("%s\n", argv[i]);
	if (!strcmp(what, "cat")) {
		char line[100];
		while (fgets(line, sizeof(line), stdin))
			fputs(line, stdout);
		fputs("to stderr\n", stderr);
	}
	if (!strcmp(what, "wait") || !strcmp(what, "catch")) {
		if (!strcmp(what, "catch"))
			signal(SIGTERM, handler);
		puts("ready");
		fflush(stdout);
		for (;;)
			busy(1000);
	}
	return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("program"), "program", PROGRAM)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch, program):
    """Run each test in a folder that contains the program. The default recording is perf.data in
    this folder."""
    shutil.copy(program, tmp_path)
    monkeypatch.chdir(tmp_path)


def recorded(result):
    assert result.returncode == 0, f"the recording succeeds: {' '.join(map(str, result.args[1:6]))}\n{result.stderr}"


def records_of(data):
    return [json.loads(line) for line in spemu("dump", "--records", "--json", data).stdout.splitlines()]
