/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QEMU user mode plugin that counts the branches of a program with one thread.
 * scripts/benches/pgo measures programs with it and makes its exact profiles of the result. At exit
 * the plugin writes to the file of its argument out=FILE
 *
 *   I N                        instructions in all T BRANCH FROM LAST N       N times: the branch
 *   at BRANCH was taken to FROM, and the next branch that was taken is at LAST L ADDRESS N
 *   instructions executed in the 64-byte cache line at ADDRESS
 *
 * with hexadecimal addresses. A T line is what perf2bolt -pa reads. From FROM to LAST the code runs
 * straight on, over branches that are not taken. QEMU also ends blocks where there is no branch,
 * such as at the end of a page. Such an end does not end a run of straight code. BRANCH is 0 at the
 * start of the program and after a signal, where no branch leads to FROM.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The part of QEMU's plugin interface, version 1, that is used here. Debian has no header for
 * it. */
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
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

enum { INSTRUCTION = 4, LINE = 64 };

/* The effect of the last instruction of a block on the flow of control. */
enum ending { NO_BRANCH, CONDITIONAL, ALWAYS };

struct block {
	uint64_t first, last, count;
	enum ending ending;
	struct block *next;
};

/* A run of straight code. The branch at `branch` enters it, and the branch at `last` leaves it. */
struct run {
	uint64_t branch, from, last, count;
};

static struct block *blocks, *before;
static uint64_t run_branch, run_from; /* start of the current run */
static struct run *runs; /* a hash table of run_room entries; count 0 marks a free entry */
static size_t run_room, run_used;
static const char *path;

static void *allocate(size_t count, size_t size)
{
	void *p = calloc(count, size);

	if (!p)
		abort();
	return p;
}

/* Return the entry of a run, or the free entry where it belongs. */
static struct run *find_run(uint64_t branch, uint64_t from, uint64_t last)
{
	uint64_t hash = (branch * 31 + from) * 31 + last;

	for (size_t i = hash * UINT64_C(0x9e3779b97f4a7c15) >> 20;; i++) {
		struct run *run = &runs[i & (run_room - 1)];

		if (!run->count ||
		    (run->branch == branch && run->from == from && run->last == last))
			return run;
	}
}

static void grow_runs(void)
{
	struct run *old = runs;
	size_t old_room = run_room;

	run_room = old_room ? 2 * old_room : 1 << 16;
	runs = allocate(run_room, sizeof(*runs));
	for (size_t i = 0; i < old_room; i++)
		if (old[i].count)
			*find_run(old[i].branch, old[i].from, old[i].last) = old[i];
	free(old);
}

/* Count the run that ends with the taken branch at `last`. */
static void count_run(uint64_t last)
{
	struct run *run;

	if (2 * run_used >= run_room)
		grow_runs();
	run = find_run(run_branch, run_from, last);
	if (!run->count) {
		*run = (struct run){run_branch, run_from, last, 0};
		run_used++;
	}
	run->count++;
}

static void begin_run(uint64_t branch, uint64_t from)
{
	run_branch = branch;
	run_from = from;
}

static void executed(unsigned cpu, void *data)
{
	struct block *block = data;

	(void)cpu;
	block->count++;
	if (!before) {
		begin_run(0, block->first);
	} else if (before->ending == ALWAYS ||
	           (before->ending == CONDITIONAL && block->first != before->last + INSTRUCTION)) {
		count_run(before->last);
		begin_run(before->last, block->first);
	} else if (block->first !=
	           before->last + INSTRUCTION) { /* a signal, or the return from its handler */
		begin_run(0, block->first);
	}
	before = block;
}

/* Return the ending of a block by its last opcode (Arm ARM: DDI 0487 M.a, C4.1.90, Branches). */
static enum ending ending_of(uint32_t opcode)
{
	if ((opcode & 0x7c000000) == 0x14000000 || (opcode & 0xfe000000) == 0xd6000000)
		return ALWAYS; /* B, BL; BR, BLR, RET and their forms with pointer authentication */
	if ((opcode & 0xff000000) == 0x54000000 || (opcode & 0x7c000000) == 0x34000000)
		return CONDITIONAL; /* B.cond, BC.cond; CBZ, CBNZ, TBZ, TBNZ */
	return NO_BRANCH;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	struct block *block = allocate(1, sizeof(*block));
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint32_t opcode;

	(void)id;
	memcpy(&opcode, qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, count - 1)),
	       sizeof(opcode));
	block->first = qemu_plugin_tb_vaddr(tb);
	block->last = block->first + INSTRUCTION * (count - 1);
	block->ending = ending_of(opcode);
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
	}
	for (const struct run *r = runs; r < runs + run_room; r++)
		if (r->count)
			fprintf(f, "T %llx %llx %llx %llu\n", (unsigned long long)r->branch,
			        (unsigned long long)r->from, (unsigned long long)r->last,
			        (unsigned long long)r->count);
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
