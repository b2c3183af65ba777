/* SPDX-License-Identifier: MIT */
/*
 * Run a command on an input. The input is a byte that selects the arguments, and the files that the
 * command reads (fuzz_session.h).
 *
 * For every input, the command ends with a documented status, and each message is one line. The
 * output contains nothing that controls a terminal, unless its format is binary (fuzz_tools.c).
 */
#include "fuzz_command.h"

#include "../../tools/base/common.h"

static void run(void *argument)
{
	const char *const *line = argument;
	char *argv[FUZZ_ARGUMENTS + 1] = {NULL};
	int argc = 0;

	for (; argc < FUZZ_ARGUMENTS && line[argc]; argc++)
		argv[argc] = fuzz_session_name(line[argc]);
	optind = 0;
	verbosity = 1;
	command_name = argv[0];
	fuzz_command.run(argc, argv);
	out_flush(&out_stdout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, data + size};
	unsigned line = fuzz_below(&in, fuzz_command.count);

	fuzz_session_take(&in);
	fuzz_run(run, (void *)(uintptr_t)fuzz_command.lines[line]);
	fuzz_session_forget();
	if (fuzz_command.forget)
		fuzz_command.forget();
	fuzz_end(fuzz_command.binary);
	return 0;
}
