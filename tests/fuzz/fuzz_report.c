/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a perf.data file, and a file that its mappings name, as `spemu report` shows them.
 *
 * An input is how it is shown, the length of the perf.data file, that file, and the other one: an ELF file or a
 * list of symbols, at /proc/self/fd/1000. What holds for every input: it is shown, or refused by one line and a
 * status that is documented; the parts of a table add up to no more than the samples; and nothing that is
 * printed steers a terminal (fuzz_tools.c).
 */
#include "fuzz_tools.h"

#include "fuzz.h"

#include "../../tools/base/pager.h"
#define pager_start() ((void)0) /* there is no terminal */
#include "../../tools/report/report.c"
#include "../../tools/session/object.c" /* for what it keeps until a process ends */

#include <sys/mman.h>

enum { MAPPED_FD = 1000, RECORDING_FD = 1001 };

static void make_files(void)
{
	static const int fds[] = {MAPPED_FD, RECORDING_FD};

	for (unsigned i = 0; i < 2; i++) {
		int fd = memfd_create("fuzz-report", MFD_CLOEXEC);

		REQUIRE(fd >= 0 && dup2(fd, fds[i]) == fds[i]);
		close(fd);
	}
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("COLUMNS");
	setenv("HOME", "/nonexistent", 1);
	verbosity = 1;
	command_name = "report";
}

static void put_file(int fd, const uint8_t *data, size_t size)
{
	REQUIRE(ftruncate(fd, 0) == 0);
	REQUIRE(pwrite(fd, data, size, 0) == (ssize_t)size);
}

/* What was found in files, and what is known of them, is forgotten. */
static void forget(struct profile *p)
{
	for (size_t i = 0; i < object_count; i++)
		if (objects[i]->dwfl)
			dwfl_end(objects[i]->dwfl);
	objects = NULL;
	object_count = object_capacity = 0;
	object_tree = NULL;
	kernel_object = NULL;
	for (unsigned i = 0; i < p->input_count; i++)
		if (p->inputs[i].session.file)
			spemu_perf_close(p->inputs[i].session.file);
	out_stdout.len = 0;
}

static void check_counts(const struct profile *p)
{
	uint64_t samples = 0, cycles = 0, called = 0;

	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct sums *s = &p->bins[i].sums;

		samples += s->samples;
		cycles += s->latency;
		REQUIRE(s->timed <= s->samples &&
		        s->issue + s->translation + s->execution == s->latency);
	}
	for (size_t i = 0; i < p->calls->index.count; i++)
		called += p->calls->nodes[i].self.samples;
	REQUIRE(called == samples && p->calls->without <= samples);
	REQUIRE(samples == p->samples && cycles == p->latency[LATENCY_TOTAL].sum &&
	        p->inputs[0].session.skipped <= p->bytes);
}

/* One input's, as far as it came. */
static struct profile profile;
static unsigned form;

/* What the form chooses: the keys, the limits, and filters. */
static void choose(struct report_arguments *a)
{
	static const char *const sorts[] = {"comm,dso,sym", "srcline,mem,tlb",
	                                    "pid,tid,cpu,l1d-refill", "op,snoop,reason"};
	static const char *const fields[] = {"+hitm", "reason,data-source,sym",
	                                     "mispred-count,weight", "+addr"};

	arguments_take_sort(a, sorts[form >> 6 & 3]);
	if (form >> 5 & 1)
		arguments_take_fields(a, fields[form >> 6 & 3]);
	a->view.limit = form >> 3 & 7;
	a->line_size = 16u << (form >> 1 & 3);
	if ((form >> 3 & 7) == 5)
		filter_take(a->filter, "time", "10%-90%");
	if ((form >> 3 & 7) == 6)
		filter_take(a->filter, "event", "l1d-access,!retired");
}

static void show(void *argument)
{
	struct profile *p = argument;
	struct arguments a = {.wanted = {false}};

	arguments_init(&a.common);
	arguments_add_input(&a.common, "/proc/self/fd/1001");
	choose(&a.common);
	a.common.no_pager = true;
	a.common.by_address = true;
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		a.wanted[i] = true;
	p->calls = calls_new();
	arguments_open(&a.common, p);
	check_counts(p);
	if (form & 1)
		show_json(&a, p);
	else
		show_text(&a, p);
	arguments_warn(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool made_files;
	struct fuzz_input in = {data, data + size};
	size_t length, left;

	form = fuzz_u8(&in);
	length = (size_t)fuzz_uint(&in, 2);
	left = (size_t)(in.end - in.p);
	length = length < left ? length : left;
	if (!made_files)
		make_files();
	made_files = true;
	put_file(RECORDING_FD, in.p, length);
	put_file(MAPPED_FD, in.p + length, left - length);
	memset(&profile, 0, sizeof(profile));
	fuzz_run(show, &profile);
	forget(&profile);
	fuzz_end(false);
	return 0;
}
