/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical addresses by /proc/self/pagemap; see physical.h. Called at samples only, so the file is
 * opened each time: a descriptor that stays could be closed or replaced by the guest.
 */
#include <fcntl.h>
#include <unistd.h>

#include "mappings.h"
#include "physical.h"

#define PAGE_SHIFT 12
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1)

bool physical_address(uint64_t *pa, uint64_t va)
{
	uint64_t host = (uintptr_t)mappings_host(va & ~(UINT64_C(0xff) << 56));
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, &entry, sizeof(entry), (off_t)((host >> PAGE_SHIFT) * sizeof(entry)));
	close(fd);
	if (got != sizeof(entry) || !(entry & PAGEMAP_PRESENT) || !(entry & PAGEMAP_FRAME))
		return false;
	*pa = (entry & PAGEMAP_FRAME) << PAGE_SHIFT | (host & ((1u << PAGE_SHIFT) - 1));
	return true;
}
