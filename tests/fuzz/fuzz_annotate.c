/* SPDX-License-Identifier: MIT */
/* Fuzz target: spemu annotate, as text and as JSON. Its objdump shows every instruction as a
 * branch. See fuzz_command.c. */
#define _GNU_SOURCE
#include "fuzz_command.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "../../tools/base/program.h"

int cmd_annotate(int argc, char **argv);

/* Imitate objdump -D: each instruction is a branch, to the next one or into the middle of it. */
int program_start(pid_t *pid, int *output, const char *const *argv, int input)
{
	unsigned long long address = 0;
	struct stat st = {0};

	(void)input;
	*pid = 1;
	*output = memfd_create("fuzz-objdump", MFD_CLOEXEC);
	REQUIRE(*output >= 0);
	for (; *argv; argv++) {
		sscanf(*argv, "--adjust-vma=%llx", &address);
		if (**argv == '/')
			REQUIRE(!stat(*argv, &st));
	}
	for (off_t i = 0; i < st.st_size && i < 4096; i += 4, address += 4)
		dprintf(*output, "%8llx:\t14000000 \tb\t%#llx  // always\n", address,
		        address + 4 - (unsigned long long)(i & 12) / 2);
	REQUIRE(!lseek(*output, 0, SEEK_SET));
	return 0;
}

bool program_ends_well(pid_t pid)
{
	return pid == 1;
}

static const char *const lines[][FUZZ_ARGUMENTS] = {
        {"annotate", "-i", FUZZ_RECORDING, NULL},
        {"annotate", "--json", "-i", FUZZ_RECORDING, NULL},
        {"annotate", "-n", "0", "-i", FUZZ_RECORDING, NULL},
        {"annotate", "--no-source", "-i", FUZZ_RECORDING, NULL},
};

const struct fuzz_command fuzz_command = {cmd_annotate, sizeof(lines) / sizeof(lines[0]), lines,
                                          false, NULL};
