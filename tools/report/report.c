/* SPDX-License-Identifier: MIT */
/* spemu report: from a recording to tables. */
#define _GNU_SOURCE
#include "report.h"
#include "../session/kernel_object.h"
#include "../session/missing.h"
#include "../base/fit.h"
#include "../base/json.h"
#include "../base/options.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct section {
	const char *name;
	section_fn *fill;
} sections[] = {
        {"functions", section_functions},   {"lines", section_lines},
        {"operations", section_operations}, {"cache-lines", section_cache_lines},
        {"branches", section_branches},     {"latency", section_latency},
        {"sources", section_sources},       {"events", section_events},
};
#define SECTION_COUNT (sizeof(sections) / sizeof(sections[0]))

static const char *const section_names[] = {"functions",   "lines",    "operations",
                                            "cache-lines", "branches", "latency",
                                            "sources",     "events",   NULL};
static const char *const sort_names[] = {"comm", "pid", "tid", "dso", "sym", NULL};

struct arguments {
	const char *input;
	bool wanted[SECTION_COUNT];
	bool json, no_color;
	unsigned line_size;
	struct report_options options;
};

static int index_of(const char *word, const char *const *names, const char *what)
{
	for (int i = 0; names[i]; i++) {
		if (!strcmp(word, names[i]))
			return i;
	}
	die(EXIT_OWN, "unknown %s '%s'%s", what, word, suggestion(word, names));
}

static void parse_sections(struct arguments *a, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		a->wanted[index_of(word, section_names, "section")] = true;
	free(copy);
}

static void parse_sort(struct arguments *a, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	a->options.sort_count = 0;
	while ((word = strsep(&rest, ","))) {
		if (a->options.sort_count == SORT_KEYS)
			die(EXIT_OWN, "more sort keys than there are: %s", list);
		a->options.sort[a->options.sort_count++] = (enum sort_key)index_of(
		        !strcmp(word, "symbol") ? "sym" : word, sort_names, "sort key");
	}
	free(copy);
}

static unsigned parse_line_size(const char *text)
{
	uint64_t n;

	if (!parse_number(&n, text, 1024) || n < 16 || n > 4096 || (n & (n - 1)))
		die(EXIT_OWN, "line size '%s' is not a power of two from 16 to 4096", text);
	return (unsigned)n;
}

static void parse_arguments(struct arguments *a, int argc, char **argv)
{
	uint64_t n;
	int c;

	while ((c = next_option(&report_options, argc, argv)) != -1) {
		switch (c) {
		case REPORT_INPUT:
			a->input = optarg;
			break;
		case REPORT_SORT:
			parse_sort(a, optarg);
			break;
		case REPORT_LIMIT:
			if (!parse_number(&n, optarg, 1000))
				die(EXIT_OWN, "limit '%s' is not a number", optarg);
			a->options.limit = (size_t)n;
			break;
		case REPORT_SYSROOT:
			objects_set_sysroot(optarg);
			break;
		case REPORT_KALLSYMS:
			kernel_set_kallsyms(optarg);
			break;
		case REPORT_VMLINUX:
			kernel_set_vmlinux(optarg);
			break;
		case REPORT_QUIET:
			verbosity = 0;
			break;
		case REPORT_SECTION:
			parse_sections(a, optarg);
			break;
		case REPORT_LINE_SIZE:
			a->line_size = parse_line_size(optarg);
			break;
		case REPORT_JSON:
			a->json = true;
			break;
		case REPORT_NO_COLOR:
			a->no_color = true;
			break;
		}
	}
	if (optind < argc)
		a->input = argv[optind++];
	if (optind < argc)
		die(EXIT_OWN, "only one file can be shown; '%s' is too many", argv[optind]);
}

static void __attribute__((format(printf, 2, 3))) put_comment(struct out *o, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die(EXIT_OWN, "out of memory");
	va_end(ap);
	out_comment(o, text);
	free(text);
}

static void put_command_line(struct out *o, const struct spemu_perf_file *file)
{
	char *line = xstrdup("recorded by:"), *longer;
	const char *text;

	for (uint32_t i = 0; spemu_perf_cmdline(file, &text, i) == SPEMU_OK; i++) {
		longer = xasprintf("%s %s", line, text);
		free(line);
		line = longer;
	}
	out_comment(o, line);
	free(line);
}

static void print_header(const struct arguments *a, const struct profile *p, struct out *o)
{
	const struct session *s = &p->session;
	const char *text;
	char period[64];
	size_t processes = session_process_count(s), threads = session_thread_count(s);

	put_comment(o, "Arm SPE report of %s", a->input);
	if (spemu_perf_cmdline(s->file, &text, 0) == SPEMU_OK)
		put_command_line(o, s->file);
	if (spemu_perf_feature_string(s->file, &text, SPEMU_PERF_FEAT_CPUDESC) == SPEMU_OK)
		put_comment(o, "machine: %s", text);
	snprintf(period, sizeof(period), "; period %llu operations",
	         (unsigned long long)s->attr.sample_period);
	put_comment(o, "samples: %llu of %zu process%s, %zu thread%s%s",
	            (unsigned long long)p->samples, processes, processes == 1 ? "" : "es", threads,
	            threads == 1 ? "" : "s", s->attr.sample_period ? period : "");
	if (s->truncated || s->collisions || s->lost)
		put_comment(o,
		            "incomplete: %llu buffers truncated, %llu with collisions, %llu events "
		            "lost",
		            (unsigned long long)s->truncated, (unsigned long long)s->collisions,
		            (unsigned long long)s->lost);
	if (p->skipped_bytes)
		put_comment(o, "damaged: %llu bytes of trace are not records",
		            (unsigned long long)p->skipped_bytes);
}

static struct json_object *json_header(const struct arguments *a, const struct profile *p)
{
	const struct session *s = &p->session;
	struct json_object *root = json_object_new_object(), *cmd = json_object_new_array();
	const char *text;

	json_object_object_add(root, "version", json_object_new_string(SPEMU_VERSION_TEXT));
	json_object_object_add(root, "file", json_text(a->input));
	for (uint32_t i = 0; spemu_perf_cmdline(s->file, &text, i) == SPEMU_OK; i++)
		json_object_array_add(cmd, json_text(text));
	json_object_object_add(root, "command_line", cmd);
	json_object_object_add(root, "samples", json_object_new_uint64(p->samples));
	json_object_object_add(root, "period", json_object_new_uint64(s->attr.sample_period));
	json_object_object_add(root, "processes", json_object_new_uint64(session_process_count(s)));
	json_object_object_add(root, "threads", json_object_new_uint64(session_thread_count(s)));
	json_object_object_add(root, "truncated_buffers", json_object_new_uint64(s->truncated));
	json_object_object_add(root, "collided_buffers", json_object_new_uint64(s->collisions));
	json_object_object_add(root, "lost_events", json_object_new_uint64(s->lost));
	json_object_object_add(root, "damaged_bytes", json_object_new_uint64(p->skipped_bytes));
	return root;
}

static void warn_about_objects(const struct profile *p)
{
	struct missing *m = missing_new();

	for (size_t i = 0; i < p->place_index.count; i++) {
		const struct place *place = &p->places[i];

		missing_count(m, place->object, place->samples,
		              place->resolved &&
		                      object_symbol(place->object, NULL, place->addr, SYMBOL_CODE));
	}
	missing_tell(m);
}

static void show_text(const struct arguments *a, struct profile *p)
{
	struct table t;

	print_header(a, p, &out_stdout);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!a->wanted[i])
			continue;
		sections[i].fill(&t, p, &a->options);
		table_print(&t, &out_stdout);
		table_free(&t);
	}
	out_flush(&out_stdout);
}

static void show_json(const struct arguments *a, struct profile *p)
{
	struct json_object *root = json_header(a, p);
	struct table t;

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!a->wanted[i])
			continue;
		sections[i].fill(&t, p, &a->options);
		json_object_object_add(root, t.key, table_json(&t));
		table_free(&t);
	}
	out_json_pretty(&out_stdout, root);
	out_text(&out_stdout, "\n");
	out_flush(&out_stdout);
}

int cmd_report(int argc, char **argv)
{
	static struct profile profile;
	struct arguments a = {
	        .input = "perf.data",
	        .line_size = 64,
	        .options = {.sort = {SORT_COMM, SORT_DSO, SORT_SYM}, .sort_count = 3, .limit = 20},
	};
	bool all = true;

	parse_arguments(&a, argc, argv);
	for (size_t i = 0; i < SECTION_COUNT; i++)
		all = all && !a.wanted[i];
	for (size_t i = 0; i < SECTION_COUNT; i++)
		a.wanted[i] = a.wanted[i] || all;
	color_setup(a.no_color);
	profile.line_size = a.line_size;
	session_open(&profile.session, a.input);
	profile_collect(&profile);
	if (a.json)
		show_json(&a, &profile);
	else
		show_text(&a, &profile);
	warn_about_objects(&profile);
	return profile.session.damage || profile.skipped_bytes ? EXIT_DAMAGED : 0;
}
