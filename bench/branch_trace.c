/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for QEMU's user mode that counts every branch of a program with one thread: what scripts/bench_pgo measures
 * programs by, and the exact profile that it compares with. At the end it writes to the file of its argument out=FILE
 *
 *   I N                        instructions in all
 *   T BRANCH FROM LAST N       N times: from BRANCH, the last instruction of a block, to the one from FROM to LAST
 *   L ADDRESS N                instructions that were executed in the cache line of 64 bytes at ADDRESS
 *
 * with hexadecimal addresses. T is a line of what perf2bolt -pa reads.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Of QEMU's plugin interface, version 1; Debian has no header of it. */
enum { NO_REGISTERS = 0 };
typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*cb)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*cb)(unsigned, void *),
                                          int flags, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*cb)(plugin_id, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

enum { INSTRUCTION = 4, LINE = 64 };

struct block;
struct successor {
	struct block *block;
	uint64_t count;
	struct successor *next;
};

struct block {
	uint64_t first, last, count;
	struct successor *successors; /* the latest first */
	struct block *next;
};

static struct block *blocks, *before;
static const char *path;

static void *allocate(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

static void count_successor(struct block *from, struct block *to)
{
	struct successor **link = &from->successors, *s;

	for (; (s = *link); link = &s->next) {
		if (s->block == to)
			break;
	}
	if (s) {
		*link = s->next;
	} else {
		s = allocate(sizeof(*s));
		s->block = to;
	}
	s->next = from->successors;
	from->successors = s;
	s->count++;
}

static void executed(unsigned cpu, void *data)
{
	struct block *block = data;

	(void)cpu;
	block->count++;
	if (before)
		count_successor(before, block);
	before = block;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	struct block *block = allocate(sizeof(*block));

	(void)id;
	block->first = qemu_plugin_tb_vaddr(tb);
	block->last = block->first + INSTRUCTION * (qemu_plugin_tb_n_insns(tb) - 1);
	block->next = blocks;
	blocks = block;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, NO_REGISTERS, block);
}

static void write_lines(FILE *f, const struct block *b)
{
	for (uint64_t line = b->first & ~(uint64_t)(LINE - 1); line <= b->last; line += LINE) {
		uint64_t first = line > b->first ? line : b->first;
		uint64_t last =
		        line + LINE - INSTRUCTION < b->last ? line + LINE - INSTRUCTION : b->last;

		fprintf(f, "L %llx %llu\n", (unsigned long long)line,
		        (unsigned long long)(b->count * ((last - first) / INSTRUCTION + 1)));
	}
}

static void finish(plugin_id id, void *data)
{
	FILE *f = fopen(path, "w");
	uint64_t all = 0;

	(void)id;
	(void)data;
	if (!f) {
		perror(path);
		exit(1);
	}
	for (const struct block *b = blocks; b; b = b->next) {
		all += b->count * ((b->last - b->first) / INSTRUCTION + 1);
		if (b->count)
			write_lines(f, b);
		for (const struct successor *s = b->successors; s; s = s->next)
			fprintf(f, "T %llx %llx %llx %llu\n", (unsigned long long)b->last,
			        (unsigned long long)s->block->first,
			        (unsigned long long)s->block->last, (unsigned long long)s->count);
	}
	fprintf(f, "I %llu\n", (unsigned long long)all);
	fclose(f);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0) {
		fprintf(stderr, "branch_trace: the argument is out=FILE\n");
		return 1;
	}
	path = strdup(argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
