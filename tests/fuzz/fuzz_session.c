/* SPDX-License-Identifier: MIT */
#include "fuzz_session.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <spemu/perfdata.h>

/* These sources are included because fuzz_session_forget() clears their static variables. */
/* source.c comes first, because one of its parameters has the name of a variable of object.c. */
#include "../../tools/session/source.c"
/* clang-format off */
#include "../../tools/session/object.c"
/* clang-format on */

enum { MAPPED_FD = 1000, RECORDING_FD = 1001, OPENED_MAX = 8 };

/* ---- recordings that a command leaves open: the linker's --wrap redirects these functions ---- */

static struct spemu_perf_file *opened[OPENED_MAX];

int __real_spemu_perf_open(struct spemu_perf_file **file, size_t *error_offset, const char *path);
void __real_spemu_perf_close(struct spemu_perf_file *file);
int __wrap_spemu_perf_open(struct spemu_perf_file **file, size_t *error_offset, const char *path);
void __wrap_spemu_perf_close(struct spemu_perf_file *file);

int __wrap_spemu_perf_open(struct spemu_perf_file **file, size_t *error_offset, const char *path)
{
	int status = __real_spemu_perf_open(file, error_offset, path);
	unsigned i = 0;

	while (i < OPENED_MAX && opened[i])
		i++;
	REQUIRE(i < OPENED_MAX);
	opened[i] = status ? NULL : *file;
	return status;
}

void __wrap_spemu_perf_close(struct spemu_perf_file *file)
{
	for (unsigned i = 0; i < OPENED_MAX; i++)
		if (opened[i] == file)
			opened[i] = NULL;
	__real_spemu_perf_close(file);
}

/* ---- files ---- */

/* Names of this process. They replace names of the same length in inputs and arguments, because
 * tests run in parallel. */
static char mapped_name[sizeof(FUZZ_MAPPED)], output_name[sizeof(FUZZ_OUTPUT)],
        second_name[sizeof(FUZZ_OUTPUT)];

static void make_name(char *name, char letter)
{
	snprintf(name, sizeof(FUZZ_MAPPED), "/dev/shm/spemu-fuzz-%c%06x", letter,
	         (unsigned)getpid() & 0xffffff);
}

static void remove_files(void)
{
	unlink(mapped_name);
	unlink(output_name);
	unlink(second_name);
}

static void make_files(void)
{
	int recording = memfd_create("fuzz-session", MFD_CLOEXEC), mapped, output;

	make_name(mapped_name, 'm');
	make_name(output_name, 'o');
	make_name(second_name, 's');
	mapped = open(mapped_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	output = open(output_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	REQUIRE(recording >= 0 && dup2(recording, RECORDING_FD) == RECORDING_FD);
	REQUIRE(mapped >= 0 && dup2(mapped, MAPPED_FD) == MAPPED_FD);
	/* spemu writes a file with two names in place, instead of replacing it by a new file. */
	REQUIRE(output >= 0 && (!link(output_name, second_name) || errno == EEXIST));
	close(recording);
	close(mapped);
	close(output);
	atexit(remove_files);
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("COLUMNS");
	setenv("HOME", "/nonexistent", 1);
	setenv("PAGER", "cat", 1);
}

static void put_file(int fd, const uint8_t *data, size_t size)
{
	uint8_t *copy = memcpy(calloc(1, size + 1), data, size), *name;

	for (uint8_t *p = copy;
	     (name = memmem(p, (size_t)(copy + size - p), FUZZ_MAPPED, sizeof(FUZZ_MAPPED) - 1));)
		p = memcpy(name, mapped_name, sizeof(FUZZ_MAPPED) - 1);
	REQUIRE(ftruncate(fd, 0) == 0);
	REQUIRE(pwrite(fd, copy, size, 0) == (ssize_t)size);
	free(copy);
}

char *fuzz_session_name(const char *name)
{
	return (char *)(uintptr_t)(!strcmp(name, FUZZ_MAPPED)   ? mapped_name
	                           : !strcmp(name, FUZZ_OUTPUT) ? output_name
	                                                        : name);
}

void fuzz_session_take(struct fuzz_input *in)
{
	static bool made_files;
	size_t length = (size_t)fuzz_uint(in, 2), left = (size_t)(in->end - in->p);

	length = length < left ? length : left;
	if (!made_files)
		make_files();
	made_files = true;
	put_file(RECORDING_FD, in->p, length);
	put_file(MAPPED_FD, in->p + length, left - length);
}

void fuzz_session_forget(void)
{
	for (size_t i = 0; i < object_count; i++)
		if (objects[i]->dwfl)
			dwfl_end(objects[i]->dwfl);
	objects = NULL;
	object_count = object_capacity = 0;
	object_tree = NULL;
	sources = texts = NULL;
	kernel_object = NULL;
	for (unsigned i = 0; i < OPENED_MAX; i++)
		if (opened[i])
			__wrap_spemu_perf_close(opened[i]);
	out_stdout.len = 0;
}
