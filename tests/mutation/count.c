/* SPDX-License-Identifier: MIT */
/*
 * Which blocks of the library run, for scripts/mutate: linked into a library that is compiled with
 * -fsanitize-coverage=trace-pc, whose blocks all begin with the call of the function below.
 *
 * Byte n of the file $MUTATION_COUNT is 1 if the call that returns to the library's address n was
 * made, in any process that has the file: a child that is killed counts, too.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 24 };

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
void __sanitizer_cov_trace_pc(void);

static uint8_t nowhere[SIZE], *ran = nowhere;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("MUTATION_COUNT");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *map;

	if (fd < 0)
		return;
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		ran = map;
	close(fd);
}

void __sanitizer_cov_trace_pc(void)
{
	ran[(uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start] = 1;
}
