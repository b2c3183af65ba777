/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From /proc/self/maps to MMAP2 events.
 *
 * Relied on of QEMU 7.2: guest_base, page_get_flags() and the PAGE_x bits of its result; guest
 * pages of 4 KB. All are exported by Debian's binary.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <spemu/perfdata.h>

#include "heap_symbols.h"
#include "huge_pages.h"
#include "mappings.h"
#include "qemu_plugin_api.h"
#include "sideband.h"

extern QEMU_WEAK uintptr_t guest_base;
QEMU_WEAK int page_get_flags(uint64_t address);

#define PAGE_READ 0x1
#define PAGE_WRITE 0x2
#define PAGE_EXEC 0x4
#define PAGE_VALID 0x8
#define PAGE_WRITE_ORG 0x10
#define GUEST_PAGE 4096u
#define GUEST_TOP (UINT64_C(1) << 48)

/* One line of /proc/self/maps, in guest addresses. */
struct line {
	uint64_t start, end, offset, inode;
	unsigned major, minor;
	bool shared;
	const char *path;
};

void *mappings_host(uint64_t addr)
{
	return (void *)(uintptr_t)(addr + (&guest_base ? guest_base : 0));
}

/* The protection that the guest sees; -1 if the page is not the guest's. */
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
	for (uint64_t page = addr & ~(uint64_t)(GUEST_PAGE - 1); page < addr + size;
	     page += GUEST_PAGE) {
		int prot = guest_prot(page);

		if (prot < 0 || (prot & need) != need)
			return false;
	}
	return true;
}

static void emit(const struct line *line, uint64_t start, uint64_t end, int prot)
{
	struct spemu_perf_who who;
	struct spemu_perf_mmap map = {
	        .pid = (uint32_t)process.pid,
	        .tid = (uint32_t)process.pid,
	        .start = start,
	        .len = end - start,
	        .pgoff = line->offset + (start - line->start),
	        .maj = line->major,
	        .min = line->minor,
	        .ino = line->inode,
	        .prot = (uint32_t)prot,
	        .flags = line->shared ? MAP_SHARED : MAP_PRIVATE,
	        .data = !(prot & PROT_EXEC),
	        .filename = line->path[0] ? line->path : "//anon",
	};
	uint8_t event[SPEMU_PERF_FILENAME_MAX + 256];

	sideband_who_process(&who);
	sideband_append(event, spemu_perf_put_mmap2(event, sizeof(event), &who, &map));
	if ((prot & PROT_EXEC) && line->inode && (process.params->flags & RECORDING_HEAP))
		heap_symbols_add(line->path, start, map.len, map.pgoff);
}

/* Code, and data that can hold named objects: writable or of a file. */
static bool interesting(const struct line *line, int prot)
{
	return prot >= 0 && ((prot & (PROT_EXEC | PROT_WRITE)) || line->inode);
}

/* The host joins what the guest sees apart: an event for each run of pages of one protection. */
static void split(const struct line *line, uint64_t from, uint64_t to)
{
	uint64_t start = from;
	int prot = guest_prot(from);

	for (uint64_t addr = from + GUEST_PAGE; addr < to; addr += GUEST_PAGE) {
		int now = guest_prot(addr);

		if (now == prot)
			continue;
		if (interesting(line, prot))
			emit(line, start, addr, prot);
		start = addr;
		prot = now;
	}
	if (interesting(line, prot))
		emit(line, start, to, prot);
}

/*
 * The list writes a newline in a name as \012, and a backslash as it is: which of them it was, the
 * file's inode says.
 */
static void restore_newlines(const struct line *line, char *path)
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
	if (stat(name, &st) == 0 && st.st_ino == line->inode)
		memcpy(path, name, n + 1);
}

/* False if text is not a line of the list. */
static bool parse(struct line *line, char *text)
{
	char perms[5];
	int path = 0;

	if (sscanf(text, "%lx-%lx %4s %lx %x:%x %lu %n", &line->start, &line->end, perms,
	           &line->offset, &line->major, &line->minor, &line->inode, &path) < 7)
		return false;
	line->shared = perms[3] == 's';
	line->path = path ? text + path : "";
	text[strcspn(text, "\n")] = 0;
	restore_newlines(line, text + (path ? path : 0));
	if (line->path[0] == '[') /* QEMU's own heap and stack mean nothing to the guest */
		line->path = "";
	return true;
}

/* What the guest may write of memory of no file that follows a file's: the .bss of the program. */
static void initial_memory(const struct line *line, uint64_t file_end)
{
	uint64_t end = line->start;

	if (line->inode || line->shared || line->start != file_end)
		return;
	while (end < line->end && (guest_prot(end) & PROT_WRITE) && guest_prot(end) > 0)
		end += GUEST_PAGE;
	if (end > line->start)
		huge_pages_initial(line->start, end);
}

/* initial: before the guest's first instruction. */
static void scan(uint64_t from, uint64_t to, bool initial)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char text[SPEMU_PERF_FILENAME_MAX + 128];
	uint64_t base = &guest_base ? guest_base : 0, file_end = UINT64_MAX;
	struct line line;

	if (!maps) {
		recording_note(&process.rec, "/proc/self/maps cannot be read: some code will have "
		                             "no symbols");
		return;
	}
	while (fgets(text, sizeof(text), maps)) {
		uint64_t start, end;

		if (!parse(&line, text) || line.start < base)
			continue;
		line.start -= base;
		line.end -= base;
		start = line.start > from ? line.start : from;
		end = line.end < to ? line.end : to;
		if (start < end)
			split(&line, start, end);
		if (initial)
			initial_memory(&line, file_end);
		file_end = line.inode ? line.end : UINT64_MAX;
	}
	fclose(maps);
}

/*
 * Ranges that were told last by mappings_memory(): malloc() gives memory back and takes it again, and only the first
 * time is news. Anything else that is mapped ends that.
 */
static struct {
	atomic_flag busy;
	struct {
		uint64_t start, end;
	} range[64];
	unsigned next;
} told = {.busy = ATOMIC_FLAG_INIT};

static bool is_news(uint64_t start, uint64_t end)
{
	bool news = true;

	/* Another thread is here, or was when the process forked: then it is told once more. */
	if (atomic_flag_test_and_set_explicit(&told.busy, memory_order_acquire))
		return true;
	for (size_t i = 0; i < (sizeof(told.range) / sizeof(told.range[0])); i++)
		news &= start < told.range[i].start || end > told.range[i].end;
	if (news) {
		told.range[told.next].start = start;
		told.range[told.next].end = end;
		told.next = (told.next + 1) % (sizeof(told.range) / sizeof(told.range[0]));
	}
	atomic_flag_clear_explicit(&told.busy, memory_order_release);
	return news;
}

static void forget_told(uint64_t start, uint64_t end)
{
	if (atomic_flag_test_and_set_explicit(&told.busy, memory_order_acquire))
		return;
	for (size_t i = 0; i < (sizeof(told.range) / sizeof(told.range[0])); i++) {
		if (told.range[i].start < end && start < told.range[i].end)
			told.range[i].start = told.range[i].end = 0;
	}
	atomic_flag_clear_explicit(&told.busy, memory_order_release);
}

void mappings_memory(uint64_t start, uint64_t len, int prot, bool shared, const char *name)
{
	struct line line = {.start = start, .shared = shared, .path = name};
	uint64_t end = start + len;

	if (!len || start >= GUEST_TOP || len > GUEST_TOP - start)
		return;
	end = (end + GUEST_PAGE - 1) & ~(uint64_t)(GUEST_PAGE - 1);
	/* Nothing may be done there yet: malloc()'s arenas and stacks become writable piece by piece. */
	if (is_news(start, end))
		emit(&line, start, end, prot ? prot : PROT_READ | PROT_WRITE);
}

void mappings_named(uint64_t start, uint64_t len, const char *name)
{
	struct line line = {.start = start, .path = name};

	forget_told(start, start + len); /* what is mapped there next is news */
	emit(&line, start, start + len, PROT_READ | PROT_WRITE);
}

void mappings_initial(void)
{
	if (page_get_flags)
		scan(0, GUEST_TOP, true);
}

void mappings_range(uint64_t start, uint64_t len)
{
	uint64_t from = start & ~(uint64_t)(GUEST_PAGE - 1);

	forget_told(0, UINT64_MAX);
	if (page_get_flags && len && len < GUEST_TOP)
		scan(from, (start + len + GUEST_PAGE - 1) & ~(uint64_t)(GUEST_PAGE - 1), false);
}
