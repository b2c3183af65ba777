/* SPDX-License-Identifier: MIT */
/*
 * Record the executed blocks of a program or library for tests/mutation/mutate. This file is linked
 * into programs that are compiled with -fsanitize-coverage=trace-pc, where every block begins with
 * a call of the function below.
 *
 * Byte n of the file $SPEMU_MUTATION_COUNT/NAME becomes 1 when a process makes the call that
 * returns to address n of the program or library NAME. A child that is killed counts as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 24 };

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void);

static uint8_t nowhere[SIZE], *ran = nowhere;

/* Open the file of the program or library that contains this code. */
static int file(void)
{
	const char *folder = getenv("SPEMU_MUTATION_COUNT"), *slash;
	char path[4096];
	Dl_info info;

	if (!folder || !dladdr(__ehdr_start, &info))
		return -1;
	slash = strrchr(info.dli_fname, '/');
	snprintf(path, sizeof(path), "%s/%s", folder, slash ? slash + 1 : info.dli_fname);
	return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

__attribute__((constructor)) static void begin(void)
{
	int fd = file();
	void *map;

	if (fd < 0)
		return;
	map = ftruncate(fd, SIZE) ? MAP_FAILED
	                          : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		ran = map;
	close(fd);
}

void __sanitizer_cov_trace_pc(void)
{
	ran[(uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start] = 1;
}
