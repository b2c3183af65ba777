/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the guest's memory; see guest_memory.h.
 *
 * process_vm_readv() of the own process needs neither a descriptor, which the guest could close,
 * nor a privilege. A kernel or sandbox without it answers with an error for every address: the
 * plugin then does without what it would have read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest_memory.h"
#include "mappings.h"
#include "vcpu.h"

#define PAGES_AT_ONCE 16

static size_t to_page_end(uint64_t addr)
{
	return guest_page(addr) + GUEST_PAGE - addr;
}

/* Copy up to PAGES_AT_ONCE pages, an element for each: the kernel copies whole elements or none. */
static size_t read_pages(char *to, uint64_t addr, size_t size)
{
	struct iovec local = {to, 0}, remote[PAGES_AT_ONCE];
	unsigned pages = 0;
	ssize_t copied;

	while (size && pages < PAGES_AT_ONCE && mappings_accessible(addr, 1, false)) {
		size_t part = to_page_end(addr) < size ? to_page_end(addr) : size;

		remote[pages++] = (struct iovec){mappings_host(addr), part};
		local.iov_len += part;
		addr += part;
		size -= part;
	}
	if (!pages)
		return 0;
	copied = process_vm_readv(getpid(), &local, 1, remote, pages, 0);
	if (copied < 0 && (errno == ENOSYS || errno == EPERM))
		recording_note(&process.rec, "this kernel refuses process_vm_readv(): no frame "
		                             "records, names of threads and programs "
		                             "that the program executes");
	return copied > 0 ? (size_t)copied : 0;
}

size_t guest_read_part(void *to, uint64_t addr, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t room = PAGES_AT_ONCE * (size_t)guest_page(addr) + GUEST_PAGE - addr;
		size_t part = size - done < room ? size - done : room;
		size_t copied = read_pages((char *)to + done, addr + done, part);

		done += copied;
		if (copied < part)
			break;
	}
	return done;
}

bool guest_read(void *to, uint64_t addr, size_t size)
{
	return guest_read_part(to, addr, size) == size;
}

char *guest_string(uint64_t addr, size_t max)
{
	char *string = NULL;
	size_t length = 0;

	for (;;) {
		size_t part = to_page_end(addr + length);
		char *longer, *end;
		size_t copied;

		if (part > max - length)
			part = max - length;
		longer = part ? realloc(string, length + part) : NULL;
		if (!longer)
			break;
		string = longer;
		copied = guest_read_part(string + length, addr + length, part);
		end = memchr(string + length, 0, copied);
		if (end)
			return string;
		if (copied < part)
			break;
		length += copied;
	}
	free(string);
	return NULL;
}
