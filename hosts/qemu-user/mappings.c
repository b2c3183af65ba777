/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MMAP2 events of the guest's memory, from /proc/self/maps at the start and from mapped_files.h
 * later.
 *
 * Assumptions about QEMU 7.2: guest_base, page_get_flags() and the PAGE_x bits of its result, and
 * guest pages of 4 KB. Debian's binary exports the symbols.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <spemu/perfdata.h>

#include "guest_abi.h"
#include "heap_symbols.h"
#include "huge_pages.h"
#include "mapped_files.h"
#include "mappings.h"
#include "qemu_plugin_api.h"
#include "ranges.h"
#include "sideband.h"

extern QEMU_WEAK uintptr_t guest_base;
QEMU_WEAK int page_get_flags(uint64_t address);

#define PAGE_READ 0x1
#define PAGE_WRITE 0x2
#define PAGE_EXEC 0x4
#define PAGE_VALID 0x8
#define PAGE_WRITE_ORG 0x10
#define GUEST_TOP (UINT64_C(1) << 48)

#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1)

void *mappings_host(uint64_t addr)
{
	return (void *)(uintptr_t)(addr + (&guest_base ? guest_base : 0));
}

/* Open the file each time, because the guest could close or replace a descriptor that stays
 * open. */
bool mappings_physical(uint64_t *pa, uint64_t va)
{
	uint64_t host = (uintptr_t)mappings_host(va & GUEST_ADDRESS_MASK), entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, &entry, sizeof(entry), (off_t)(host / GUEST_PAGE * sizeof(entry)));
	close(fd);
	if (got != sizeof(entry) || !(entry & PAGEMAP_PRESENT) || !(entry & PAGEMAP_FRAME))
		return false;
	*pa = (entry & PAGEMAP_FRAME) * GUEST_PAGE + host % GUEST_PAGE;
	return true;
}

/* Return the protection that the guest sees, or -1 if the page does not belong to the guest. */
static int guest_prot(uint64_t addr)
{
	int flags = page_get_flags(addr), prot = 0;

	if (!(flags & PAGE_VALID))
		return -1;
	if (flags & PAGE_READ)
		prot |= PROT_READ;
	if (flags & (PAGE_WRITE | PAGE_WRITE_ORG)) /* QEMU protects pages with translations */
		prot |= PROT_WRITE;
	if (flags & PAGE_EXEC)
		prot |= PROT_EXEC;
	return prot;
}

bool mappings_accessible(uint64_t addr, uint64_t size, bool write)
{
	int need = write ? PROT_READ | PROT_WRITE : PROT_READ;

	if (!page_get_flags || addr >= GUEST_TOP || size > GUEST_TOP - addr)
		return false;
	for (uint64_t page = guest_page(addr); page < addr + size; page += GUEST_PAGE) {
		int prot = guest_prot(page);

		if (prot < 0 || (prot & need) != need)
			return false;
	}
	return true;
}

static void emit(const struct mapped_part *part, uint64_t start, uint64_t end, int prot)
{
	struct spemu_perf_who who;
	struct spemu_perf_mmap map = {
	        .pid = (uint32_t)process.pid,
	        .tid = (uint32_t)process.pid,
	        .start = start,
	        .len = end - start,
	        .pgoff = part->offset + (start - part->start),
	        .maj = part->major,
	        .min = part->minor,
	        .ino = part->inode,
	        .prot = (uint32_t)prot,
	        .flags = part->shared ? MAP_SHARED : MAP_PRIVATE,
	        .data = !(prot & PROT_EXEC),
	        .filename = part->path[0] ? part->path : "//anon",
	};
	uint8_t event[SPEMU_PERF_FILENAME_MAX + 256];

	sideband_who_process(&who);
	sideband_keep(event, spemu_perf_put_mmap2(event, sizeof(event), &who, &map));
	if ((prot & PROT_EXEC) && part->inode && (process.params->flags & RECORDING_HEAP))
		heap_symbols_add(part->path, start, map.len, map.pgoff);
}

/* Return true for code, and for data that is writable or from a file, which can hold named
 * objects. */
static bool interesting(const struct mapped_part *part, int prot)
{
	return prot >= 0 && ((prot & (PROT_EXEC | PROT_WRITE)) || part->inode);
}

/* Record a part, with an event for each run of pages of one protection. The host joins mappings
 * that are separate for the guest. */
static void split(const struct mapped_part *part)
{
	uint64_t start = part->start;
	int prot = guest_prot(start);

	for (uint64_t addr = start + GUEST_PAGE; addr < part->end; addr += GUEST_PAGE) {
		int now = guest_prot(addr);

		if (now == prot)
			continue;
		if (interesting(part, prot))
			emit(part, start, addr, prot);
		start = addr;
		prot = now;
	}
	if (interesting(part, prot))
		emit(part, start, part->end, prot);
}

/* Restore newlines in a name. The list writes both a newline and the text \012 as \012. The inode
 * shows which name is right. */
static void restore_newlines(const struct mapped_part *part, char *path)
{
	char name[SPEMU_PERF_FILENAME_MAX + 128];
	struct stat st;
	size_t n = 0;

	if (!strstr(path, "\\012"))
		return;
	for (const char *p = path; *p && n < sizeof(name) - 1;) {
		bool newline = !strncmp(p, "\\012", 4);

		name[n++] = newline ? '\n' : *p;
		p += newline ? 4 : 1;
	}
	name[n] = 0;
	if (stat(name, &st) == 0 && st.st_ino == part->inode)
		memcpy(path, name, n + 1);
}

/* Parse a line of /proc/self/maps. Return false if the text is not such a line. */
static bool parse(struct mapped_part *part, char *text)
{
	char perms[5];
	int path = 0;

	if (sscanf(text, "%lx-%lx %4s %lx %x:%x %lu %n", &part->start, &part->end, perms,
	           &part->offset, &part->major, &part->minor, &part->inode, &path) < 7)
		return false;
	part->shared = perms[3] == 's';
	part->path = path ? text + path : "";
	text[strcspn(text, "\n")] = 0;
	restore_newlines(part, text + (path ? path : 0));
	if (part->path[0] == '[') /* QEMU's own heap and stack */
		part->path = "";
	return true;
}

/* Note the .bss of the program: writable memory without a file, after a mapping of a file. */
static void initial_memory(const struct mapped_part *part, uint64_t file_end)
{
	uint64_t end = part->start;

	if (part->inode || part->shared || part->start != file_end)
		return;
	while (end < part->end && (guest_prot(end) & PROT_WRITE) && guest_prot(end) > 0)
		end += GUEST_PAGE;
	if (end > part->start)
		huge_pages_initial(part->start, end);
}

void mappings_initial(void)
{
	FILE *maps = page_get_flags ? fopen("/proc/self/maps", "re") : NULL;
	char text[SPEMU_PERF_FILENAME_MAX + 128];
	uint64_t base = &guest_base ? guest_base : 0, file_end = UINT64_MAX;
	struct mapped_part part;

	if (!page_get_flags)
		return;
	if (!maps) {
		recording_note(&process.rec,
		               "cannot read /proc/self/maps: some code will lack symbols");
		return;
	}
	while (fgets(text, sizeof(text), maps)) {
		if (!parse(&part, text) || part.start < base || part.start - base >= GUEST_TOP)
			continue;
		part.start -= base;
		part.end -= base;
		if (part.inode && guest_prot(part.start) >= 0)
			mapped_files_add(&part);
		split(&part);
		initial_memory(&part, file_end);
		file_end = part.inode ? part.end : UINT64_MAX;
	}
	fclose(maps);
}

/*
 * Ranges that mappings_memory() recorded last. malloc() frees memory and maps it again; only the
 * first time is recorded. Another mapping at the same addresses removes the range.
 */
static struct ranges recorded = RANGES(64);

void mappings_memory(uint64_t start, uint64_t len, int prot, bool shared, const char *name)
{
	struct mapped_part part = {.start = start, .shared = shared, .path = name};
	uint64_t end = guest_page_end(start, len);

	/* Memory without access is recorded as writable: malloc()'s arenas and stacks become
	 * writable piece by piece. */
	if (ranges_find(NULL, &recorded, start, end))
		return;
	ranges_add(&recorded, start, end);
	emit(&part, start, end, prot ? prot : PROT_READ | PROT_WRITE);
}

void mappings_named(uint64_t start, uint64_t len, const char *name)
{
	struct mapped_part part = {.start = start, .path = name};

	ranges_remove(&recorded, start, start + len); /* record the next mapping there */
	emit(&part, start, start + len, PROT_READ | PROT_WRITE);
}

void mappings_range(uint64_t start, uint64_t len)
{
	ranges_remove(&recorded, 0, UINT64_MAX);
	if (page_get_flags && start < GUEST_TOP && len < GUEST_TOP)
		mapped_files_visit(guest_page(start), guest_page_end(start, len), split);
}
