/* SPDX-License-Identifier: MIT */
/* spemu export: write the samples of recordings in formats that other programs open. */
#define _GNU_SOURCE
#include "export.h"
#include "../base/options.h"
#include "../base/whole_file.h"
#include "../session/session_option.h"
#include "../types/sample_access.h"
#include "../types/type_filter.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT(word) &word##_format,
static const struct format *const formats[] = {EXPORT_FORMAT_WORDS(FORMAT)};

struct arguments {
	const char **inputs;
	size_t input_count, input_capacity;
	const char *output;
	const struct format *format;
	enum weight weight;
	bool has_weight, escape_formulas;
	struct filter *filter;
};

static void add_input(struct arguments *a, const char *path)
{
	GROW(a->inputs, a->input_count, a->input_capacity)[a->input_count] = path;
	a->input_count++;
}

static void take_option(struct arguments *a, int option)
{
	switch (option) {
	case EXPORT_INPUT:
		add_input(a, optarg);
		break;
	case EXPORT_FORMAT:
		a->format = formats[option_value.word];
		break;
	case EXPORT_OUTPUT:
		a->output = optarg;
		break;
	case EXPORT_WEIGHT:
		a->weight = (enum weight)option_value.word;
		a->has_weight = true;
		break;
	case EXPORT_ESCAPE_FORMULAS:
		a->escape_formulas = true;
		break;
	default:
		session_take_option(a->filter, export_options.rows[option].name, optarg);
	}
}

static void parse_arguments(struct arguments *a, int argc, char **argv)
{
	int c;

	while ((c = next_option(&export_options, argc, argv)) != -1)
		take_option(a, c);
	for (; optind < argc; optind++)
		add_input(a, argv[optind]);
	if (!a->input_count)
		add_input(a, "perf.data");
	if (!a->format)
		die(EXIT_USAGE, "--format is missing; give %s",
		    export_options.rows[EXPORT_FORMAT].expected);
	if (a->has_weight && a->format->has_rows)
		die(EXIT_USAGE,
		    "--weight requires a format that adds samples up; a row of %s has all weights "
		    "of its sample",
		    a->format->name);
	if (a->escape_formulas && a->format != &csv_format)
		die(EXIT_USAGE, "--escape-formulas requires --format csv");
}

static bool is_standard_output(const struct arguments *a)
{
	return !a->output || !strcmp(a->output, "-");
}

static void open_output(struct export *e, const struct arguments *a)
{
	e->path = is_standard_output(a) ? "standard output" : a->output;
	if (!a->format->makes_file)
		e->out = whole_file_out(a->output);
	else if (is_standard_output(a))
		die(EXIT_USAGE, "%s requires a file; use -o FILE", a->format->name);
}

static void vote(void *export, const struct sample *sample)
{
	struct export *e = export;
	struct data_access access;

	if (sample_access(&access, &e->samples, sample))
		typing_vote(e->codes.typing, &access);
}

/* Prepare the types of data. Objects on the heap and thread-local variables need all samples. */
static void find_types(struct export *e)
{
	e->codes.typing = typing_new(e->samples.recordings, e->samples.recording_count);
	e->samples.want_stacks = false;
	samples_read(&e->samples, vote, NULL, e);
	samples_rewind(&e->samples);
}

int cmd_export(int argc, char **argv)
{
	struct export *e = xcalloc(1, sizeof(*e));
	struct arguments a = {.filter = filter_new()};
	void *state;

	parse_arguments(&a, argc, argv);
	e->weight = a.weight;
	e->escape_formulas = a.escape_formulas;
	if (!is_standard_output(&a))
		whole_file_check(a.output, "-o FILE");
	/* An unreadable input leaves the output file unchanged. */
	samples_open(&e->samples, a.inputs, a.input_count, a.filter);
	e->codes.samples = &e->samples;
	type_filter_prepare(&e->samples);
	if (a.format->has_rows || a.format->has_types)
		find_types(e);
	e->samples.want_stacks = true;
	open_output(e, &a);
	state = a.format->begin ? a.format->begin(e) : e;
	samples_read(&e->samples, a.format->sample, NULL, state);
	if (a.format->has_sums && !a.has_weight && e->samples.timed)
		e->weight = WEIGHT_CYCLES; /* the weight of a report */
	if (e->weight == WEIGHT_CYCLES && e->samples.count && !e->samples.timed)
		die(EXIT_OWN, "no sample has a total latency; export with --weight samples");
	if (a.format->end)
		a.format->end(state);
	free(e->sums.sum);
	if (e->out)
		whole_file_out_close(e->out);
	samples_warn(&e->samples);
	return samples_status(&e->samples);
}
