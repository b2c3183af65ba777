/* SPDX-License-Identifier: MIT */
/*
 * Test hosts/qemu-user/mapped_files.c alone. Random system calls change the mappings of a few
 * pages. After each call, all pages are compared with a simple table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cmocka.h>

#include "draw.h"
#include "mapped_files.h"

#define PAGE UINT64_C(4096)
#define BASE (UINT64_C(1) << 40)

enum { PAGES = 40, FILES = 3, STEPS = 20000 };

static uint64_t seed = 1;

static const struct mapped_part files[FILES] = {
        {.inode = 11, .major = 8, .minor = 1, .path = "/lib/a.so"},
        {.inode = 12, .major = 8, .minor = 1, .shared = true, .path = "/dev/shm/b"},
        {.inode = 13, .major = 9, .minor = 2, .path = "/usr/bin/c"},
};

/* The expected file and offset of each page. */
static struct row {
	const struct mapped_part *file;
	uint64_t offset;
} rows[PAGES];

/* The rest of the range that is being visited. Its next part begins at visit_at. */
static uint64_t visit_at, visit_end;

static void check_part(const struct mapped_part *part)
{
	static const struct mapped_part none = {.path = ""};

	assert_int_equal(part->start, visit_at);
	assert_true(part->end > part->start && part->end <= visit_end);
	for (uint64_t at = part->start; at < part->end; at += PAGE) {
		const struct row *row = &rows[(at - BASE) / PAGE];
		const struct mapped_part *file = row->file ? row->file : &none;

		assert_string_equal(part->path, file->path);
		assert_int_equal(part->inode, file->inode);
		assert_int_equal(part->major, file->major);
		assert_int_equal(part->minor, file->minor);
		assert_int_equal(part->shared, file->shared);
		if (row->file)
			assert_int_equal(part->offset + (at - part->start), row->offset);
	}
	visit_at = part->end;
}

static void check_range(unsigned first, unsigned pages)
{
	visit_at = BASE + first * PAGE;
	visit_end = visit_at + pages * PAGE;
	mapped_files_visit(visit_at, visit_end, check_part);
	assert_int_equal(visit_at, visit_end);
}

/* Draw a range of 1 to `most` pages. */
static void draw_range(unsigned *first, unsigned *pages, unsigned most)
{
	*pages = 1 + (unsigned)below(&seed, most);
	*first = (unsigned)below(&seed, PAGES - *pages + 1);
}

static void map(void)
{
	const struct mapped_part *file = &files[below(&seed, FILES)];
	struct mapped_part part = *file;
	char path[32]; /* not kept, because the table has a copy */
	unsigned first, pages;

	draw_range(&first, &pages, 12);
	part.start = BASE + first * PAGE;
	part.end = part.start + pages * PAGE;
	part.offset = below(&seed, 100) * PAGE;
	part.path = strcpy(path, file->path);
	mapped_files_add(&part);
	memset(path, '?', sizeof(path) - 1);
	for (unsigned i = 0; i < pages; i++)
		rows[first + i] = (struct row){file, part.offset + i * PAGE};
}

static void unmap(void)
{
	unsigned first, pages;

	draw_range(&first, &pages, 6);
	mapped_files_remove(BASE + first * PAGE, BASE + (first + pages) * PAGE);
	memset(&rows[first], 0, pages * sizeof(rows[0]));
}

/* Move pages with mremap() to another place that does not overlap, with or without
 * MREMAP_DONTUNMAP. */
static void move(void)
{
	unsigned from, old_pages, to, new_pages;
	bool keep = below(&seed, 4) == 0;
	struct row row;

	draw_range(&from, &old_pages, 6);
	draw_range(&to, &new_pages, 6);
	if (from < to + new_pages && to < from + old_pages)
		return;
	mapped_files_move(BASE + from * PAGE, old_pages * PAGE, BASE + to * PAGE, new_pages * PAGE,
	                  keep);
	row = rows[from];
	if (!keep)
		memset(&rows[from], 0, old_pages * sizeof(rows[0]));
	for (unsigned i = 0; i < new_pages; i++)
		rows[to + i] = row.file ? (struct row){row.file, row.offset + i * PAGE} : row;
}

/* Resize with mremap() in place. A growing range continues the file of its first page. */
static void resize(void)
{
	unsigned first, old_pages, new_pages;
	struct row row;

	draw_range(&first, &old_pages, 6);
	new_pages = 1 + (unsigned)below(&seed, PAGES - first > 8 ? 8 : PAGES - first);
	mapped_files_move(BASE + first * PAGE, old_pages * PAGE, BASE + first * PAGE,
	                  new_pages * PAGE, false);
	row = rows[first];
	for (unsigned i = new_pages; i < old_pages; i++)
		rows[first + i] = (struct row){0};
	for (unsigned i = 0; new_pages > old_pages && i < new_pages; i++)
		rows[first + i] = row.file ? (struct row){row.file, row.offset + i * PAGE} : row;
}

static void random_calls(void **state)
{
	static void (*const call[])(void) = {map, map, unmap, move, resize};
	unsigned first, pages;

	(void)state;
	for (unsigned i = 0; i < STEPS; i++) {
		call[below(&seed, sizeof(call) / sizeof(call[0]))]();
		check_range(0, PAGES);
		draw_range(&first, &pages, PAGES);
		check_range(first, pages);
	}
}

static struct mapped_part seen;
static char seen_path[64];

static void remember(const struct mapped_part *part)
{
	seen = *part;
	snprintf(seen_path, sizeof(seen_path), "%s", part->path);
}

/* A descriptor that is not a file removes the file that the range had before. */
static void descriptor(void **state)
{
	char path[] = "/tmp/mapped-files-XXXXXX";
	int fd = mkstemp(path);
	struct stat st;

	(void)state;
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	mapped_files_add_fd(BASE, BASE + 4 * PAGE, 3 * PAGE, true, fd);
	mapped_files_visit(BASE + PAGE, BASE + 2 * PAGE, remember);
	assert_string_equal(seen_path, path);
	assert_int_equal(seen.offset, 4 * PAGE);
	assert_int_equal(seen.inode, st.st_ino);
	assert_int_equal(seen.major, major(st.st_dev));
	assert_int_equal(seen.minor, minor(st.st_dev));
	assert_true(seen.shared);
	close(fd);
	unlink(path);
	mapped_files_add_fd(BASE, BASE + 4 * PAGE, 0, true, fd);
	mapped_files_visit(BASE, BASE + 4 * PAGE, remember);
	assert_string_equal(seen_path, "");
	assert_int_equal(seen.end - seen.start, 4 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(descriptor),
	        cmocka_unit_test(random_calls),
	};

	return cmocka_run_group_tests_name("mapped_files", tests, NULL, NULL);
}
