/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of the guest's memory; see guest_memory.h.
 *
 * process_vm_readv() on the own process needs no privilege, and no descriptor, which the guest
 * could close. In a kernel or sandbox without process_vm_readv(), every copy fails, and the plugin
 * works without the data.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest_memory.h"
#include "guest_abi.h"
#include "mappings.h"
#include "vcpu.h"

static size_t to_page_end(uint64_t addr)
{
	return guest_page(addr) + GUEST_PAGE - addr;
}

/* Copy bytes within one page. The kernel copies all of them or none. */
static bool read_in_page(void *to, uint64_t addr, size_t size)
{
	const struct iovec local = {to, size}, remote = {mappings_host(addr), size};

	if (!mappings_accessible(addr, 1, false))
		return false;
	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) >= 0)
		return true;
	if (errno == ENOSYS || errno == EPERM)
		recording_note(&process.rec,
		               "this kernel refuses process_vm_readv(): frame records, names of "
		               "threads and executed programs are missing");
	return false;
}

size_t guest_read_part(void *to, uint64_t addr, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t part = to_page_end(addr + done);

		part = part < size - done ? part : size - done;
		if (!read_in_page((char *)to + done, addr + done, part))
			break;
		done += part;
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
