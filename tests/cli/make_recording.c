/* SPDX-License-Identifier: MIT */
/*
 * Make recordings of known contents for the tests of the command line. The program reads commands
 * from standard input, one per line, and writes a perf.data file. It uses only public headers.
 *
 *   host NAME            set the name of the machine; before create
 *   command WORD ...     set the words of the recorded command after "spemu record", at most 8;
 *                        before create
 *   create FILE PERIOD [stacks]
 *   comm PID TID TIME NAME exec|-
 *   fork PID PPID TID PTID TIME
 *   mmap PID TIME START LEN PGOFF r-x|rw- FILE
 *   kmmap START LEN PGOFF BUILD-ID|- FILE   a mapping of the kernel
 *   rec NAME=VALUE ...   add a record; record_value() lists the names, and n=COUNT repeats the record
 *   bytes HEX            add these bytes to the trace
 *   kind WEIGHT NAME=VALUE[+COUNT[*STEP]] ...   define a kind of record for draw; names as for rec.
 *                        With COUNT, the value is one of COUNT values that are STEP apart
 *   draw COUNT SEED TIME STEP   add COUNT records. Their kinds are random, by weight, and their times
 *                        are STEP apart
 *   frame CALLER CFA        the next stack has the data in the frame of this caller
 *   stack PID TID TIME PC RETURN-ADDRESS ...   add the call stack of a record
 *   aux PID TID TIME LANE FLAGS   report the trace that was added since the last aux
 *   finish
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include "recording.h"

static struct recording rec;
static uint8_t event_buf[8192];
static uint8_t *trace;
static size_t trace_size, trace_capacity;
static char host_name[64];
enum { WORDS = 10 };
static const char *cmdline[WORDS + 1] = {"spemu", "record", "./known"};

static void check(int status, const char *what)
{
	if (status >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, spemu_strerror(status));
	exit(1);
}

static uint64_t number(void)
{
	const char *word = strtok(NULL, " \n");

	if (!word) {
		fprintf(stderr, "a number is missing\n");
		exit(1);
	}
	return strtoull(word, NULL, 0);
}

static void append(int size, const char *what)
{
	struct iovec part = {event_buf, (size_t)size};

	check(size, what);
	check(recording_append(&rec, &part, 1), what);
}

static void command_host(void)
{
	snprintf(host_name, sizeof(host_name), "%s", strtok(NULL, " \n"));
}

static void command_command(void)
{
	static char words[WORDS][64];
	unsigned n = 2;

	for (const char *w = strtok(NULL, " \n"); w && n < WORDS; w = strtok(NULL, " \n")) {
		snprintf(words[n], sizeof(words[n]), "%s", w);
		cmdline[n] = words[n];
		cmdline[++n] = NULL;
	}
}

static void command_create(void)
{
	struct recording_about about = {.argv = cmdline,
	                                .version = "test",
	                                .osrelease = "6.1.0-known",
	                                .hostname = *host_name ? host_name : NULL};
	const char *path = strtok(NULL, " \n");
	struct recording_params params = {.period = number(), .counter_hz = 1000000000};

	if (strtok(NULL, " \n"))
		params.flags = RECORDING_STACKS_FP;
	check(recording_create(&rec, path, &params, &about), "create");
}

static void command_comm(void)
{
	struct spemu_perf_who w = {.pid = (uint32_t)number()};
	const char *name;

	w.tid = (uint32_t)number();
	w.time = number();
	name = strtok(NULL, " \n");
	append(spemu_perf_put_comm(event_buf, sizeof(event_buf), &w, name,
	                           !strcmp(strtok(NULL, " \n"), "exec")),
	       "comm");
}

static void command_fork(void)
{
	uint32_t pid = (uint32_t)number(), ppid = (uint32_t)number();
	uint32_t tid = (uint32_t)number(), ptid = (uint32_t)number();
	struct spemu_perf_who w = {.pid = pid, .tid = tid, .time = number()};

	append(spemu_perf_put_task(event_buf, sizeof(event_buf), &w, SPEMU_PERF_FORK, pid, ppid,
	                           tid, ptid),
	       "fork");
}

static void command_mmap(void)
{
	struct spemu_perf_mmap map = {.pid = (uint32_t)number(), .flags = MAP_PRIVATE};
	struct spemu_perf_who w = {.pid = map.pid, .tid = map.pid, .time = number()};

	map.tid = map.pid;
	map.start = number();
	map.len = number();
	map.pgoff = number();
	map.data = strcmp(strtok(NULL, " \n"), "r-x") != 0;
	map.prot = map.data ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
	map.filename = strtok(NULL, "\n");
	append(spemu_perf_put_mmap2(event_buf, sizeof(event_buf), &w, &map), "mmap2");
}

static void command_kernel_mmap(void)
{
	struct spemu_perf_mmap map = {
	        .pid = UINT32_MAX, .cpumode = SPEMU_PERF_MISC_KERNEL, .prot = PROT_EXEC};
	struct spemu_perf_who w = {.pid = UINT32_MAX};
	const char *id;

	map.start = number();
	map.len = number();
	map.pgoff = number();
	id = strtok(NULL, " \n");
	for (; map.build_id_size < SPEMU_PERF_BUILD_ID_MAX; id += 2) {
		unsigned byte;

		if (sscanf(id, "%2x", &byte) != 1)
			break;
		map.build_id[map.build_id_size++] = (uint8_t)byte;
	}
	map.filename = strtok(NULL, "\n");
	append(spemu_perf_put_mmap2(event_buf, sizeof(event_buf), &w, &map), "mmap2");
}

static void add_trace(const uint8_t *bytes, size_t size)
{
	if (trace_size + size > trace_capacity) {
		trace_capacity = 2 * trace_capacity + size;
		trace = realloc(trace, trace_capacity);
		if (!trace)
			exit(1);
	}
	memcpy(trace + trace_size, bytes, size);
	trace_size += size;
}

static void set_address(struct spemu_record *r, unsigned index, uint64_t value)
{
	r->addr[index] = value;
	r->present |= SPEMU_RECORD_ADDR(index);
}

static void set_counter(struct spemu_record *r, unsigned index, uint64_t value)
{
	r->counter[index] = (uint16_t)value;
	r->present |= SPEMU_RECORD_COUNTER(index);
}

static void record_value(struct spemu_record *r, const char *name, uint64_t value)
{
	if (!strcmp(name, "pc")) {
		/* Non-secure. The Exception level follows from the PC: addresses of the upper half
		 * belong to EL1. */
		set_address(r, SPEMU_ADDR_PC,
		            (value & UINT64_C(0x00ffffffffffffff)) | UINT64_C(1) << 63 |
		                    (value >> 63) << 61);
	} else if (!strcmp(name, "target")) {
		set_address(r, SPEMU_ADDR_BRANCH_TARGET, value | UINT64_C(1) << 63);
	} else if (!strcmp(name, "previous")) {
		set_address(r, SPEMU_ADDR_PREV_BRANCH_TARGET, value | UINT64_C(1) << 63);
	} else if (!strcmp(name, "va")) {
		set_address(r, SPEMU_ADDR_DATA_VA, value);
	} else if (!strcmp(name, "total")) {
		set_counter(r, SPEMU_COUNTER_TOTAL, value);
	} else if (!strcmp(name, "issue")) {
		set_counter(r, SPEMU_COUNTER_ISSUE, value);
	} else if (!strcmp(name, "xlat")) {
		set_counter(r, SPEMU_COUNTER_TRANSLATION, value);
	} else if (!strcmp(name, "tid")) {
		r->context[0] = (uint32_t)value;
		r->present |= SPEMU_RECORD_CONTEXT(0);
	} else if (!strcmp(name, "time")) {
		r->timestamp = value;
		r->present |= SPEMU_RECORD_TIMESTAMP;
	} else if (!strcmp(name, "ev")) {
		r->events = value;
		r->events_size = 4;
		r->present |= SPEMU_RECORD_EVENTS;
	} else if (!strcmp(name, "src")) {
		r->data_source = (uint16_t)value;
		r->data_source_size = 1;
		r->present |= SPEMU_RECORD_DATA_SOURCE;
	} else if (!strcmp(name, "class")) {
		r->op_class = (uint8_t)value;
		r->present |= SPEMU_RECORD_OP_TYPE;
	} else if (!strcmp(name, "sub")) {
		r->op_subclass = (uint8_t)value;
	} else {
		fprintf(stderr, "unknown name '%s'\n", name);
		exit(1);
	}
}

static void command_record(void)
{
	struct spemu_record r = {0};
	uint64_t count = 1;
	uint8_t buf[SPEMU_RECORD_MAX];
	char *word;
	int n;

	while ((word = strtok(NULL, " \n"))) {
		char *value = strchr(word, '=');

		if (!value)
			exit(1);
		*value++ = 0;
		if (!strcmp(word, "n"))
			count = strtoull(value, NULL, 0);
		else
			record_value(&r, word, strtoull(value, NULL, 0));
	}
	n = spemu_record_encode(buf, sizeof(buf), &r, &spemu_layout_neoverse);
	check(n, "record");
	while (count--)
		add_trace(buf, (size_t)n);
}

/* The values that a field of a kind can take: `count` values from `least` on, `step` apart. */
struct drawn {
	char name[12];
	uint64_t least, count, step;
};

static struct kind {
	struct drawn values[12];
	unsigned values_count;
	uint64_t weight;
} kinds[256];
static unsigned kinds_count;
static uint64_t weights; /* sum over all kinds */

static void command_kind(void)
{
	struct kind *kind = &kinds[kinds_count++];
	char *word;

	check(kinds_count <= sizeof(kinds) / sizeof(kinds[0]) ? 0 : SPEMU_ERR_INVALID, "kinds");
	kind->weight = number();
	weights += kind->weight;
	while ((word = strtok(NULL, " \n"))) {
		struct drawn *value = &kind->values[kind->values_count++];
		char *end = strchr(word, '=');

		check(kind->values_count <= 12 && end ? 0 : SPEMU_ERR_INVALID, "kind");
		*end = 0;
		snprintf(value->name, sizeof(value->name), "%s", word);
		value->least = strtoull(end + 1, &end, 0);
		value->count = *end == '+' ? strtoull(end + 1, &end, 0) : 1;
		value->step = *end == '*' ? strtoull(end + 1, &end, 0) : 1;
	}
}

/* Return the next random number (SplitMix64). */
static uint64_t random_number(uint64_t *state)
{
	uint64_t n = *state += UINT64_C(0x9e3779b97f4a7c15);

	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

static uint64_t below(uint64_t *state, uint64_t limit)
{
	return (random_number(state) >> 32) * limit >> 32;
}

static void command_draw(void)
{
	uint64_t count = number(), state = number(), time = number(), step = number();

	for (; count--; time += step) {
		uint64_t at = below(&state, weights);
		const struct kind *kind = kinds;
		struct spemu_record r = {0};
		uint8_t buf[SPEMU_RECORD_MAX];
		int n;

		while (at >= kind->weight)
			at -= kind++->weight;
		for (unsigned i = 0; i < kind->values_count; i++) {
			const struct drawn *value = &kind->values[i];

			record_value(&r, value->name,
			             value->least + below(&state, value->count) * value->step);
		}
		record_value(&r, "time", time);
		n = spemu_record_encode(buf, sizeof(buf), &r, &spemu_layout_neoverse);
		check(n, "record");
		add_trace(buf, (size_t)n);
	}
}

static void command_bytes(void)
{
	const char *hex = strtok(NULL, " \n");
	unsigned byte;

	for (; hex && sscanf(hex, "%2x", &byte) == 1; hex += 2) {
		uint8_t b = (uint8_t)byte;

		add_trace(&b, 1);
	}
}

static struct spemu_perf_frame frame;

static void command_frame(void)
{
	frame.caller = (uint32_t)number();
	frame.cfa = number();
}

static void command_stack(void)
{
	struct spemu_perf_who w = {.pid = (uint32_t)number()};
	uint64_t stack[SPEMU_PERF_CALLCHAIN_MAX];
	uint32_t n = 0;
	char *word;

	w.tid = (uint32_t)number();
	w.time = number();
	while (n < SPEMU_PERF_CALLCHAIN_MAX && (word = strtok(NULL, " \n")))
		stack[n++] = strtoull(word, NULL, 0);
	append(spemu_perf_put_sample(event_buf, sizeof(event_buf), &w, stack, n, &frame), "stack");
	frame = (struct spemu_perf_frame){0};
}

static void command_aux(void)
{
	static const uint8_t zero[8];
	struct spemu_perf_who w = {.pid = (uint32_t)number()};

	w.tid = (uint32_t)number();
	w.time = number();
	w.cpu = (uint32_t)number();
	add_trace(zero, -trace_size & 7);
	check(recording_append_aux(&rec, &w, trace, trace_size, number()), "aux");
	trace_size = 0;
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} commands[] = {
	        {"create", command_create}, {"comm", command_comm},
	        {"fork", command_fork},     {"mmap", command_mmap},
	        {"rec", command_record},    {"bytes", command_bytes},
	        {"aux", command_aux},       {"kmmap", command_kernel_mmap},
	        {"stack", command_stack},   {"host", command_host},
	        {"frame", command_frame},   {"kind", command_kind},
	        {"draw", command_draw},     {"command", command_command},
	};
	static char line[8192];

	while (fgets(line, sizeof(line), stdin)) {
		const char *name = strtok(line, " \n");
		size_t i = 0;

		if (!name)
			continue;
		if (!strcmp(name, "finish")) {
			check(recording_finish(&rec, NULL), "finish");
			continue;
		}
		while (i < sizeof(commands) / sizeof(commands[0]) &&
		       strcmp(commands[i].name, name) != 0)
			i++;
		if (i == sizeof(commands) / sizeof(commands[0])) {
			fprintf(stderr, "unknown command '%s'\n", name);
			return 1;
		}
		commands[i].run();
	}
	recording_detach(&rec);
	free(trace);
	return 0;
}
