/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: `spemu report` on a perf.data file and a file that its mappings name.
 *
 * An input is a byte that selects the form, and the files (fuzz_session.h). For every input, the
 * report is either shown, or rejected with one line and a documented status. The parts of a table
 * add up to at most the number of samples. The output contains nothing that controls a terminal
 * (fuzz_tools.c).
 */
#include "fuzz_session.h"

#include "../../tools/base/pager.h"
#define pager_start() ((void)0) /* there is no terminal */
#include "../../tools/report/report.c"

static void check_counts(const struct profile *p)
{
	uint64_t samples = 0, cycles = 0, called = 0, called_cycles = 0;

	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct sums *s = &p->bins[i].sums;

		samples += s->samples;
		cycles += s->latency;
		REQUIRE(s->timed <= s->samples &&
		        s->issue + s->translation + s->execution == s->latency);
	}
	for (size_t i = 0; i < p->calls->count; i++) {
		called += p->calls->self[i].samples;
		called_cycles += p->calls->self[i].latency;
	}
	REQUIRE(called == samples && called_cycles == cycles &&
	        p->samples.without_stack <= samples);
	REQUIRE(samples == p->samples.count && samples == p->all.samples &&
	        cycles == p->all.latency &&
	        p->samples.recordings[0].session.skipped <= p->samples.bytes);
}

/* The profile of an input, as far as the input could be read. */
static struct profile profile;
static unsigned form;

/* Select the keys, limits and filters of a form. */
static void choose(struct arguments *a)
{
	static const char *const sorts[] = {"comm,dso,sym", "srcline,mem,tlb",
	                                    "pid,tid,cpu,l1d-refill", "op,snoop,reason"};
	static const char *const fields[] = {"+hitm", "reason,data-source,sym",
	                                     "mispred-count,weight", "+addr"};

	arguments_take_option(a, "sort", sorts[form >> 6 & 3]);
	if (form >> 5 & 1)
		arguments_take_option(a, "fields", fields[form >> 6 & 3]);
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
	struct report a = {.wanted = {false}};

	arguments_init(&a.common);
	arguments_add_input(&a.common, FUZZ_RECORDING);
	choose(&a.common);
	a.common.no_pager = true;
	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		a.wanted[i] = true;
		profile_want(p, sections[i]);
	}
	arguments_open(&a.common, p);
	check_counts(p);
	if (form & 1)
		out_json_pretty(&out_stdout, as_json(&a, p, NULL));
	else
		show_text(&a, p);
	out_flush(&out_stdout);
	samples_warn(&p->samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, data + size};

	form = fuzz_u8(&in);
	fuzz_session_take(&in);
	memset(&profile, 0, sizeof(profile));
	verbosity = 1;
	command_name = "report";
	fuzz_run(show, &profile);
	fuzz_session_forget();
	fuzz_end(false);
	return 0;
}
