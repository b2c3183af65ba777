/* SPDX-License-Identifier: MIT */
/* A program with the commands that read recordings. It is linked with spemu-trace, but not with the
 * model. */
#include <stdlib.h>
#include <string.h>

#include "base/common.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
	        {"report", cmd_report}, {"annotate", cmd_annotate}, {"diff", cmd_diff},
	        {"export", cmd_export}, {"dump", cmd_dump},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return EXIT_FAILURE;
}
