/* SPDX-License-Identifier: MIT */
/* See temporary.h. */
#define _GNU_SOURCE
#include "temporary.h"
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

int temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		die(EXIT_OWN, "cannot make a temporary file in %s: %s; set TMPDIR",
		    folder && *folder ? folder : "/tmp", strerror(errno));
	return fd;
}
