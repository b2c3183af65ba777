/* SPDX-License-Identifier: MIT */
/* spemu annotate: source lines and instructions of functions, with the counts of their samples. */
#define _GNU_SOURCE
#include "annotate_layout.h"
#include "annotate_print.h"
#include "annotate_types.h"
#include "../base/json.h"
#include "../base/options.h"
#include "../session/session_option.h"
#include "../types/type_filter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
	const char *input, *objdump;
	char **operands;
	int operand_count;
	struct print_options print;
	uint64_t limit;
	const char *color;
	bool json;
	struct filter *filter;
	bool layout;           /* true for the members of types instead of functions */
	const char *data_type; /* the type, or NULL for the most expensive one */
};

static void parse_arguments(struct arguments *a, int argc, char **argv)
{
	uint64_t n;
	int c;

	while ((c = next_option(&annotate_options, argc, argv)) != -1) {
		switch (c) {
		case ANNOTATE_INPUT:
			a->input = optarg;
			break;
		case ANNOTATE_LIMIT:
			a->limit = option_value.number;
			break;
		case ANNOTATE_DATA_TYPE:
			a->layout = true;
			a->data_type = optarg;
			break;
		case ANNOTATE_CONTEXT:
			if (strcmp(optarg, "all") != 0 &&
			    (!parse_number(&n, optarg, 1000) || n > 100000))
				die(EXIT_USAGE,
				    "--context: expected a number up to 100000 or 'all', got '%s'",
				    optarg);
			a->print.context = strcmp(optarg, "all") != 0 ? (unsigned)n : UINT_MAX;
			break;
		case ANNOTATE_NO_SOURCE:
			a->print.source = false;
			break;
		case ANNOTATE_NO_CODE:
			a->print.code = false;
			break;
		case ANNOTATE_OBJDUMP:
			a->objdump = optarg;
			break;
		case ANNOTATE_JSON:
			a->json = true;
			break;
		case ANNOTATE_COLOR:
			a->color = optarg;
			break;
		default:
			session_take_option(a->filter, annotate_options.rows[c].name, optarg);
		}
	}
	a->operands = argv + optind;
	a->operand_count = argc - optind;
	if (a->layout && filter_has_types(a->filter))
		die(EXIT_USAGE, "--types selects instructions, and --data-type shows members; give "
		                "one of them");
	if (a->layout && a->operand_count)
		die(EXIT_USAGE,
		    "--data-type shows types instead of functions; give the name of a type as "
		    "--data-type=%s",
		    a->operands[0]);
}

/* Return true if a name refers to the function: its whole name, its name without parameters, or the
 * last parts of its name. */
static bool is_named(const char *symbol, const char *name)
{
	size_t size = strlen(name), whole = strcspn(symbol, "(");

	if (!strcmp(symbol, name))
		return true;
	if (whole < size || strncmp(symbol + whole - size, name, size) != 0)
		return false;
	return whole == size || (whole > size + 1 && !strncmp(symbol + whole - size - 2, "::", 2));
}

static bool ends_with_path(const char *path, const char *end)
{
	size_t n = strlen(path), size = strlen(end);

	return n >= size && !strcmp(path + n - size, end) &&
	       (n == size || path[n - size - 1] == '/');
}

/* Parse "FILE:LINE", and cut the text at the colon. In C++ names, "::" precedes a word, not a
 * number. */
static bool parse_place(char *text, int *line)
{
	char *colon = strrchr(text, ':'), *end;
	long n = colon && colon != text ? strtol(colon + 1, &end, 10) : 0;

	if (n <= 0 || n > INT_MAX || *end || colon[-1] == ':')
		return false;
	*colon = '\0';
	*line = (int)n;
	return true;
}

/* Return true if samples of the function are on the line or in code inlined into it; or if line is
 * 0, in an inlined function of this name. */
static bool has_frame(const struct function *f, const char *name, int line)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct view v = {.function = f};
		struct frame frames[FRAMES_MAX];
		size_t n = view_frames(&v, frames, f->instructions[i].vaddr);

		for (size_t k = 0; k < n; k++) {
			if (line ? frames[k].line == line && frames[k].file &&
			                    ends_with_path(frames[k].file, name)
			         : is_named(frames[k].function, name))
				return true;
		}
	}
	return false;
}

/* Return true if an operand like "0x4663c" is an address of the function. */
static bool is_at(const struct function *f, const char *operand)
{
	char *end;
	uint64_t address = strtoull(operand, &end, 16);

	return !strncmp(operand, "0x", 2) && end > operand + 2 && !*end && address >= f->start &&
	       address < f->end;
}

static bool is_wanted(const struct function *f, const char *operand)
{
	char *copy = xstrdup(operand);
	int line;
	bool wanted = parse_place(copy, &line)
	                      ? has_frame(f, copy, line)
	                      : is_named(f->symbol, operand) || is_at(f, operand) ||
	                                has_frame(f, operand, 0);

	free(copy);
	return wanted;
}

/* Return a mark for each function to show. Die if an operand names none. */
static bool *choose(const struct arguments *a, struct annotated *data)
{
	bool *chosen = xcalloc(data->function_count + 1, sizeof(*chosen));

	if (!a->operand_count) {
		for (size_t i = 0; i < data->function_count && (!a->limit || i < a->limit); i++)
			chosen[i] = true;
		return chosen;
	}
	for (int k = 0; k < a->operand_count; k++) {
		bool found = false;

		for (size_t i = 0; i < data->function_count; i++) {
			if (!is_wanted(&data->functions[i], a->operands[k]))
				continue;
			chosen[i] = found = true;
		}
		if (found)
			continue;
		samples_warn(&data->samples); /* the file with the function may be missing */
		die(EXIT_OWN,
		    "'%s' has no samples; 'spemu report -i %s' lists functions and lines with "
		    "samples",
		    a->operands[k], a->input);
	}
	return chosen;
}

static void show(const struct arguments *a, const struct annotated *data, const bool *chosen)
{
	struct json_object *root = json_object_new_object(), *list = json_object_new_array();
	struct view v;

	json_add_text(root, "version", SPEMU_VERSION_TEXT);
	json_object_object_add(root, "file", json_text(a->input));
	json_add_number(root, "samples", data->all.samples);
	json_object_object_add(root, "functions", list);
	for (size_t i = 0; i < data->function_count; i++) {
		if (!chosen[i])
			continue;
		view_make(&v, &data->functions[i], a->objdump);
		if (a->json)
			json_object_array_add(list, view_json(&v, &data->all));
		else
			print_view(&v, &data->all, &a->print);
		view_free(&v);
	}
	if (a->json)
		out_json_pretty(&out_stdout, root);
	else
		json_object_put(root);
	out_flush(&out_stdout);
}

int cmd_annotate(int argc, char **argv)
{
	struct annotated *data;
	struct arguments a = {.input = "perf.data",
	                      .filter = filter_new(),
	                      .print = {.source = true, .code = true, .context = 5},
	                      .limit = 1};
	bool *chosen;

	parse_arguments(&a, argc, argv);
	color_setup(a.color);
	if (a.layout)
		return show_layout(a.input, a.data_type, a.limit, a.json);
	data = xcalloc(1, sizeof(*data));
	samples_open(&data->samples, &a.input, 1, a.filter);
	type_filter_prepare(&data->samples);
	annotated_collect(data);
	chosen = choose(&a, data);
	if (!data->function_count)
		warn("no samples are in functions with names; there is nothing to show");
	annotated_find_types(data, chosen);
	show(&a, data, chosen);
	free(chosen);
	samples_warn(&data->samples);
	return samples_status(&data->samples);
}
