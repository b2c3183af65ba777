/* SPDX-License-Identifier: MIT */
/*
 * Test hosts/qemu-user/guest_memory.c alone. This process plays the guest. Its memory ends at pages
 * that cannot be read, or that disappear between the check and the copy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

#include "guest_memory.h"
#include "mappings.h"
#include "vcpu.h"

enum { PAGE = 4096, PAGES = 40, SIZE = PAGE * PAGES };

struct process process;
static uint8_t *memory;
static unsigned readable; /* number of pages in the plugin's table */
static unsigned present;  /* number of pages that exist */
static int refused;       /* the error number of process_vm_readv(), or 0 */
static unsigned notes;

/* A guest base, so that guest addresses differ from host addresses. */
static const uint64_t guest = UINT64_C(0x10000000);

void *mappings_host(uint64_t addr)
{
	return memory + (addr - guest);
}

bool mappings_accessible(uint64_t addr, uint64_t size, bool write)
{
	assert_false(write);
	return addr >= guest && addr + size <= guest + (uint64_t)readable * PAGE;
}

void recording_note(struct recording *rec, const char *text)
{
	assert_ptr_equal(rec, &process.rec);
	assert_non_null(strstr(text, "process_vm_readv"));
	notes++;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
                         const struct iovec *remote, unsigned long remotes, unsigned long flags)
{
	if (refused) {
		errno = refused;
		return -1;
	}
	return syscall(SYS_process_vm_readv, (long)pid, local, locals, remote, remotes, flags);
}

static void begin(unsigned table, unsigned real)
{
	readable = table;
	present = real;
	refused = 0;
	notes = 0;
	assert_int_equal(mprotect(memory, SIZE, PROT_READ | PROT_WRITE), 0);
	for (unsigned i = 0; i < SIZE; i++)
		memory[i] = (uint8_t)(1 + i % 251);
	assert_int_equal(mprotect(memory + present * PAGE, SIZE - present * PAGE, PROT_NONE), 0);
}

/* Check that a read ends before the first missing page. */
static void parts(void **state)
{
	static const unsigned limits[][2] = {{40, 40}, {40, 39}, {39, 40}, {17, 17}, {16, 16},
	                                     {17, 16}, {1, 1},   {40, 3},  {0, 40},  {33, 32}};
	static const unsigned starts[] = {0, 1, 4095, 4096, 12289, 15 * PAGE, 16 * PAGE - 1};
	static const unsigned sizes[] = {
	        1, 2, 8, 4096, 4097, 16 * PAGE, 16 * PAGE + 1, 32 * PAGE, SIZE - 16 * PAGE};
	static uint8_t to[SIZE + 1];

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		begin(limits[i][0], limits[i][1]);
		for (unsigned j = 0; j < 7; j++) {
			for (unsigned k = 0; k < 9; k++) {
				unsigned least = readable < present ? readable : present;
				unsigned end =
				        starts[j] > least * PAGE ? 0 : least * PAGE - starts[j];
				unsigned expected = end < sizes[k] ? end : sizes[k];

				memset(to, 0, sizeof(to));
				assert_int_equal(guest_read_part(to, guest + starts[j], sizes[k]),
				                 expected);
				assert_memory_equal(to, memory + starts[j], expected);
				assert_int_equal(to[expected], 0);
				assert_int_equal(guest_read(to, guest + starts[j], sizes[k]),
				                 expected == sizes[k]);
			}
		}
	}
	assert_int_equal(notes, 0);
}

static void check_string(unsigned start, unsigned length, size_t max, bool found)
{
	char *string = guest_string(guest + start, max);

	assert_int_equal(string != NULL, found);
	if (found) {
		assert_int_equal(strlen(string), length);
		assert_memory_equal(string, memory + start, length + 1);
	}
	free(string);
}

/* A string is returned if it has at most `max` bytes including the NUL, and all of them are
 * readable. */
static void strings(void **state)
{
	static const unsigned lengths[] = {0, 1, 15, 4094, 4095, 4096, 4097, 12288, 12289, 70000};
	static const unsigned starts[] = {0, 1, 4080, 4095, 8192};

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned j = 0; j < 5; j++) {
			unsigned length = lengths[i], start = starts[j], end = start + length;

			begin(PAGES, PAGES);
			memory[end] = 0;
			check_string(start, length, length + 1, true);
			check_string(start, length, length, false);
			check_string(start, length, length + 5000, true);
			check_string(start, length, SIZE, true);
			readable = end / PAGE + 1;
			check_string(start, length, SIZE, true);
			readable = end / PAGE;
			check_string(start, length, SIZE, false);
		}
	}
	begin(2, 2); /* no NUL before the end of memory */
	check_string(100, 0, SIZE, false);
}

/* The plugin reports a kernel that refuses to read memory, but not a missing address. */
static void refusal(void **state)
{
	static const int errors[] = {ENOSYS, EPERM, EFAULT};
	uint8_t to[8];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		begin(PAGES, PAGES);
		refused = errors[i];
		assert_false(guest_read(to, guest, sizeof(to)));
		assert_null(guest_string(guest, 100));
		assert_int_equal(notes, errors[i] == EFAULT ? 0 : 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts),
	        cmocka_unit_test(strings),
	        cmocka_unit_test(refusal),
	};

	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED
	               ? 1
	               : cmocka_run_group_tests_name("guest_memory", tests, NULL, NULL);
}
