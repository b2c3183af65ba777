/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of mapped files; see mapped_files.h.
 *
 * The table is a tree of tsearch(), in whose order overlapping ranges are equal. So a search finds
 * some part that overlaps the range.
 */
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "locks.h"
#include "mapped_files.h"

struct node {
	struct mapped_part part; /* its path is the member `path` */
	char path[];
};

static void *tree;

static int compare(const void *a, const void *b)
{
	const struct mapped_part *x = &((const struct node *)a)->part;
	const struct mapped_part *y = &((const struct node *)b)->part;

	return x->end <= y->start ? -1 : y->end <= x->start;
}

/* Return some part that overlaps the range, or NULL. */
static struct node *overlapping(uint64_t start, uint64_t end)
{
	const struct node range = {.part = {.start = start, .end = end}};
	struct node **found = start < end ? tfind(&range, &tree, compare) : NULL;

	return found ? *found : NULL;
}

/* Make a node for the part between start and end. Return NULL if the part is empty or memory is
 * exhausted. */
static struct node *make_node(const struct mapped_part *part, uint64_t start, uint64_t end)
{
	struct node *node = start < end ? malloc(sizeof(*node) + strlen(part->path) + 1) : NULL;

	if (!node)
		return NULL;
	node->part = *part;
	node->part.start = start;
	node->part.end = end;
	node->part.offset += start - part->start;
	node->part.path = strcpy(node->path, part->path);
	return node;
}

/* Insert a node, unless it is NULL, at addresses where the table is empty. */
static void insert(struct node *node)
{
	if (node && !tsearch(node, &tree, compare))
		free(node);
}

static void erase(uint64_t start, uint64_t end)
{
	struct node *node;

	while ((node = overlapping(start, end))) {
		tdelete(node, &tree, compare);
		insert(make_node(&node->part, node->part.start,
		                 node->part.end < start ? node->part.end : start));
		insert(make_node(&node->part, node->part.start > end ? node->part.start : end,
		                 node->part.end));
		free(node);
	}
}

void mapped_files_add(const struct mapped_part *part)
{
	pthread_mutex_lock(&locks[LOCK_MAPPED_FILES]);
	erase(part->start, part->end);
	insert(make_node(part, part->start, part->end));
	pthread_mutex_unlock(&locks[LOCK_MAPPED_FILES]);
}

void mapped_files_add_fd(uint64_t start, uint64_t end, uint64_t offset, bool shared, int fd)
{
	char link[64], path[PATH_MAX];
	struct stat st;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0 || fstat(fd, &st) != 0) {
		mapped_files_remove(start, end);
		return;
	}
	path[length] = 0;
	mapped_files_add(&(struct mapped_part){.start = start,
	                                       .end = end,
	                                       .offset = offset,
	                                       .inode = st.st_ino,
	                                       .major = major(st.st_dev),
	                                       .minor = minor(st.st_dev),
	                                       .shared = shared,
	                                       .path = path});
}

void mapped_files_remove(uint64_t start, uint64_t end)
{
	pthread_mutex_lock(&locks[LOCK_MAPPED_FILES]);
	erase(start, end);
	pthread_mutex_unlock(&locks[LOCK_MAPPED_FILES]);
}

void mapped_files_move(uint64_t from, uint64_t old_size, uint64_t to, uint64_t new_size, bool keep)
{
	struct node *node, *moved = NULL;

	if (to == from && new_size <= old_size) { /* the parts that stay are unchanged */
		mapped_files_remove(from + new_size, from + old_size);
		return;
	}
	pthread_mutex_lock(&locks[LOCK_MAPPED_FILES]);
	node = overlapping(from, from + 1);
	if (node) {
		struct mapped_part part = node->part;

		part.offset += from - part.start;
		part.start = to;
		moved = make_node(&part, to, to + new_size);
	}
	if (!keep)
		erase(from, from + old_size);
	erase(to, to + new_size);
	insert(moved);
	pthread_mutex_unlock(&locks[LOCK_MAPPED_FILES]);
}

/* Visit the parts in order. The inner loop finds the lowest part that overlaps the rest of the
 * range. */
static void visit_range(uint64_t start, uint64_t end, void (*visit)(const struct mapped_part *))
{
	while (start < end) {
		const struct node *node = overlapping(start, end), *lower;
		struct mapped_part part = {.start = start, .end = end, .path = ""};

		while (node && (lower = overlapping(start, node->part.start)))
			node = lower;
		if (node && node->part.start > start) {
			part.end = node->part.start;
		} else if (node) {
			part = node->part;
			part.start = start;
			part.offset += start - node->part.start;
			part.end = node->part.end < end ? node->part.end : end;
		}
		visit(&part);
		start = part.end;
	}
}

void mapped_files_visit(uint64_t start, uint64_t end, void (*visit)(const struct mapped_part *))
{
	pthread_mutex_lock(&locks[LOCK_MAPPED_FILES]);
	visit_range(start, end, visit);
	pthread_mutex_unlock(&locks[LOCK_MAPPED_FILES]);
}
