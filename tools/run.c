/* SPDX-License-Identifier: MIT */
/* spemu run: execute scenarios, and show their failures as text, JSON lines or TAP. */
#define _GNU_SOURCE
#include "base/choice_option.h"
#include "base/clean.h"
#include "base/common.h"
#include "base/content.h"
#include "base/json.h"
#include "base/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../hosts/scenario/scenario.h"
#include "diagnostic/strict_report.h"

enum { EXIT_FAILED = 1, EXIT_NO_SCENARIO = EXIT_USAGE };

#define LINE_SHOWN 240   /* largest number of shown bytes of a line with an error */
#define COLUMN_SHOWN 200 /* beyond this column, the line is not shown */

struct run_options {
	struct option_value value[RUN_OPTION_COUNT];
	struct scenario_options scenario;
	struct images *images; /* programs of --elf, or NULL */
	bool json, tap;
	struct spemu_vm_rules vm_rules;
	struct scenario_choice *choices;
};

struct run_output {
	const struct run_options *options;
	struct scenario_script *script;
	struct out *save;
	uint64_t tests; /* number of TAP lines so far */
	struct strict_report *report;
};

static void json_event(struct out *out, const struct scenario_event *e)
{
	static const char *const kinds[] = {"begin", "held", "failed", "trace",
	                                    "state", NULL,   "cannot"};
	struct json_object *o;

	if (e->kind == SCENARIO_HELD)
		return;
	o = json_object_new_object();
	json_add_text(o, "event", kinds[e->kind]);
	json_add_text(o, "file", e->name);
	json_add_text(o, "scenario", e->scenario);
	if (e->line)
		json_add_number(o, "line", e->line);
	json_add_text(o, e->expected ? "what" : "text", e->text);
	json_add_text(o, "expected", e->expected);
	json_add_text(o, "got", e->got);
	out_json_line(out, o);
}

static void json_syntax_error(struct out *out, const char *name, const struct scenario_error *e)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "event", "error");
	json_add_text(o, "file", name);
	json_add_number(o, "line", e->line);
	json_add_number(o, "column", e->column);
	json_add_text(o, "text", e->message);
	out_json_line(out, o);
}

/* Return a source line without blanks around it, and with blanks for tabs and NUL. The caller frees
 * it. */
static char *source_line(const struct scenario_script *script, unsigned line)
{
	size_t size, from = 0;
	const char *text = scenario_line(script, line, &size);
	char *copy;

	while (from < size && (text[from] == ' ' || text[from] == '\t'))
		from++;
	while (size > from && (unsigned char)text[size - 1] <= ' ')
		size--;
	copy = xcalloc(1, size - from + 1);
	for (size_t i = from; i < size; i++)
		copy[i - from] = text[i] == '\t' || !text[i] ? ' ' : text[i];
	return copy;
}

static void out_source(struct out *o, const struct scenario_script *script, unsigned line)
{
	char *text = source_line(script, line);

	out_text(o, clean_text(text));
	free(text);
}

static void tap_event(struct run_output *r, struct out *o, const struct scenario_event *e)
{
	bool held = e->kind == SCENARIO_HELD;

	if (e->kind == SCENARIO_TRACE || e->kind == SCENARIO_STATE)
		out_fmt(o, "# %s:%u: %s\n", e->name, e->line, e->text);
	if (!held && e->kind != SCENARIO_FAILED && e->kind != SCENARIO_CANNOT)
		return;
	/* The name must not have a "#", which begins a directive. */
	out_fmt(o, "%s %llu - %s:%u %s%s", held ? "ok" : "not ok", (unsigned long long)++r->tests,
	        e->name, e->line, e->scenario, *e->scenario ? ": " : "");
	if (e->kind == SCENARIO_CANNOT)
		out_fmt(o, "%s\n", e->text);
	else
		out_fmt(o, "%s is %s\n", e->text, e->expected);
	if (e->kind == SCENARIO_FAILED)
		out_fmt(o, "# got %s\n", e->got);
}

static void text_event(const struct run_output *r, struct out *o, const struct scenario_event *e)
{
	switch (e->kind) {
	case SCENARIO_BEGINS:
		if (r->options->scenario.trace && *e->scenario)
			out_fmt(o, "%s: %s\n", e->name, e->scenario);
		break;
	case SCENARIO_HELD:
		break;
	case SCENARIO_FAILED:
		out_fmt(o, "%s:%u: ", e->name, e->line);
		out_source(o, r->script, e->line);
		out_fmt(o, "\n    %s: expected %s, got %s\n", e->text, e->expected, e->got);
		break;
	case SCENARIO_TRACE:
	case SCENARIO_STATE:
		out_fmt(o, "%s:%u: %s\n", e->name, e->line, e->text);
		break;
	case SCENARIO_DIAGNOSTIC:
		break;
	case SCENARIO_CANNOT:
		out_fmt(o, "%s:%u: ", e->name, e->line);
		out_source(o, r->script, e->line);
		out_fmt(o, "\n    cannot go on: %s\n", e->text);
		break;
	}
}

static void on_diagnostic(struct run_output *r, const struct scenario_event *e)
{
	struct report_place place = {
	        .file = e->name, .scenario = e->scenario, .line = e->line, .vcpu = -1};
	char *source = source_line(r->script, e->line);

	place.source = source;
	strict_report_add(r->report, &out_stdout, r->options->json, r->options->tap, &place,
	                  e->diagnostic);
	free(source);
}

/* Print an event for people or as TAP. The scenario's texts are cleaned before they reach a
 * terminal. */
static void clean_event(struct run_output *r, const struct scenario_event *event)
{
	struct scenario_event e = *event;
	const char **texts[] = {&e.name, &e.scenario, &e.text, &e.expected, &e.got};
	char *copies[sizeof(texts) / sizeof(texts[0])] = {0};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (*texts[i])
			*texts[i] = copies[i] = clean_text(xstrdup(*texts[i]));
	if (r->options->tap)
		tap_event(r, &out_stdout, &e);
	else
		text_event(r, &out_stdout, &e);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(copies[i]);
}

static void on_event(void *ctx, const struct scenario_event *event)
{
	struct run_output *r = ctx;

	if (event->kind == SCENARIO_DIAGNOSTIC) {
		on_diagnostic(r, event);
		return;
	}
	if (r->options->json)
		json_event(&out_stdout, event);
	else if (event->kind != SCENARIO_HELD || r->options->tap)
		clean_event(r, event);
}

static void on_stream(void *ctx, const uint8_t *data, size_t size)
{
	struct run_output *r = ctx;

	if (r->save)
		out_bytes(r->save, (const char *)data, size);
}

/* Read a scenario. Return NULL with errno if this fails. One byte more than a scenario may have is
 * enough to detect one that is too long. */
static char *read_all(const char *path, size_t *size)
{
	if (!strcmp(path, "-"))
		return read_content(STDIN_FILENO, size, SCENARIO_TEXT_MAX + 1);
	return read_named(path, size, SCENARIO_TEXT_MAX + 1);
}

/* Print a line, and a caret below a column. The line is cut if it is too long for a terminal. */
static void show_place(const char *line, const char *end, unsigned column)
{
	char text[LINE_SHOWN + 1] = "", before[LINE_SHOWN + 1];
	int width = 0;

	for (size_t i = 0; i < LINE_SHOWN && line + i < end && line[i] != '\n'; i++)
		text[i] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
	snprintf(before, sizeof(before), "%.*s", (int)column - 1, text);
	clean_text(before);
	for (const char *p = before; *p; p++)
		width += ((unsigned char)*p & 0xc0) != 0x80;
	fprintf(stderr, "  %s\n  %*s^\n", clean_text(text), width, "");
}

/* Print FILE:LINE:COLUMN: and the message, the line, and a caret below the column. */
static void syntax_error(struct run_output *r, const char *name, const char *text, size_t size,
                         const struct scenario_error *e)
{
	struct out *o = &out_stdout;
	const char *line = text, *end = text + size;
	char *message;

	if (r->options->json) {
		json_syntax_error(o, name, e);
		return;
	}
	message = clean_text(xasprintf("%s:%u:%u: %s", name, e->line, e->column, e->message));
	if (r->options->tap)
		out_fmt(o, "not ok %llu - %s\n", (unsigned long long)++r->tests, message);
	free(message);
	out_flush(o);
	message = e->line ? xasprintf("%s:%u:%u: %s", name, e->line, e->column, e->message)
	                  : xasprintf("%s: %s", name, e->message);
	fprintf(stderr, "%s\n", clean_text(message));
	free(message);
	if (!e->line)
		return;
	for (unsigned i = 1; i < e->line && line; i++) {
		line = memchr(line, '\n', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	if (line && e->column <= COLUMN_SHOWN)
		show_place(line, end, e->column);
}

static void run_file(struct run_output *r, struct scenario_totals *totals, const char *path)
{
	const char *name = strcmp(path, "-") ? path : "<stdin>";
	struct scenario_error error;
	size_t size;
	char *text = read_all(path, &size);

	if (!text) {
		error = (struct scenario_error){0};
		snprintf(error.message, sizeof(error.message), "%s", strerror(errno));
		syntax_error(r, name, "", 0, &error);
		totals->cannot++;
		return;
	}
	r->script = scenario_parse(name, text, size, &error);
	if (r->script) {
		scenario_run(totals, r->script, &r->options->scenario);
	} else {
		syntax_error(r, name, text, size, &error);
		totals->cannot++;
	}
	scenario_free(r->script);
	free(text);
}

static void print_totals(const struct run_output *r, const struct scenario_totals *t)
{
	unsigned long long scenarios = t->scenarios, expectations = t->expectations,
	                   failed = t->failed, cannot = t->cannot;

	if (r->options->json)
		out_fmt(&out_stdout,
		        "{\"event\":\"totals\",\"scenarios\":%llu,\"expectations\":%llu,"
		        "\"failed\":%llu,\"cannot\":%llu}\n",
		        scenarios, expectations, failed, cannot);
	else if (r->options->tap)
		out_fmt(&out_stdout, "1..%llu\n", (unsigned long long)r->tests);
	else if (verbosity > 0)
		out_fmt(&out_stdout, "%llu scenarios, %llu expectations, %llu failed\n", scenarios,
		        expectations, failed);
}

static void add_choice(struct run_options *opt, const char *text)
{
	struct scenario_choice *c;
	unsigned count = opt->scenario.choice_count++;

	opt->choices = xreallocarray(opt->choices, count + 1, sizeof(*opt->choices));
	c = &opt->choices[count];
	parse_choice(&c->choice, &c->option, text);
	opt->scenario.choices = opt->choices;
}

/* Parse "ignore-writes,physical-only,max-buffer=N". */
static void parse_vm_rules(struct run_options *opt, const char *list)
{
	static const char *const names[] = {"ignore-writes", "physical-only", "max-buffer=", NULL};
	struct spemu_vm_rules *rules = &opt->vm_rules;
	char *copy = xstrdup(list), *rest = NULL;

	rules->size = sizeof(*rules);
	opt->scenario.vm_rules = rules;
	for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t n;

		if (!strcmp(word, names[0]))
			rules->ignore_writes_while_enabled = true;
		else if (!strcmp(word, names[1]))
			rules->physical_only = true;
		else if (strncmp(word, names[2], strlen(names[2])) != 0)
			die(EXIT_USAGE, "unknown rule of virtual machines '%s'%s", word,
			    suggestion(word, names));
		else if (!parse_number(&n, word + strlen(names[2]), 1024) || n > 0x3fff)
			die(EXIT_USAGE, "--vm-rules: expected a number up to 0x3fff, got '%s'",
			    word);
		else
			rules->max_buff_size = (uint16_t)n;
	}
	free(copy);
}

static void take_option(void *to, int row)
{
	struct run_options *opt = to;

	switch (row) {
	case RUN_CHOOSE:
		add_choice(opt, optarg);
		break;
	case RUN_STRICT:
		opt->scenario.has_strict_seed = optarg != NULL;
		if (optarg)
			opt->scenario.strict_seed = option_value.number;
		break;
	case RUN_VM_RULES:
		parse_vm_rules(opt, optarg);
		break;
	case RUN_ELF:
		images_add(&opt->images, "--elf", optarg);
		break;
	}
}

static void list_for(const struct run_options *opt)
{
	const char *text = opt->scenario.features ? opt->scenario.features : "v9.6";
	struct spemu_features features;

	if (spemu_features_parse(&features, NULL, text))
		die(EXIT_USAGE, "'%s' is not a valid feature set", text);
	list_choices(&features, opt->json);
}

static void parse_run_arguments(struct run_options *opt, int argc, char **argv)
{
	const struct option_value *value = opt->value;
	bool list;

	read_options(opt->value, &run_options, argc, argv, take_option, opt);
	list = value[RUN_CHOICES].given;
	opt->json = value[RUN_JSON].given;
	opt->tap = value[RUN_TAP].given;
	opt->scenario.features = value[RUN_FEATURES].text;
	opt->scenario.has_seed = value[RUN_SEED].given;
	opt->scenario.seed = value[RUN_SEED].number;
	opt->scenario.trace = value[RUN_VERBOSE].given;
	opt->scenario.strict = value[RUN_STRICT].given;
	if (opt->json && opt->tap)
		die(EXIT_USAGE, "--json and --tap exclude each other");
	if (list && (opt->tap || optind < argc))
		die(EXIT_USAGE, "--choices does not take a scenario or --tap");
	if (optind == argc && !list)
		die(EXIT_USAGE, "no scenario; see 'spemu help run'");
}

int cmd_run(int argc, char **argv)
{
	struct run_options opt = {0};
	struct run_output output = {.options = &opt};
	struct scenario_totals totals = {0};
	uint64_t reports;
	bool quiet;

	parse_run_arguments(&opt, argc, argv);
	if (opt.value[RUN_CHOICES].given) {
		list_for(&opt);
		return 0;
	}
	output.report = strict_report_new(opt.value[RUN_SUPPRESSIONS].text,
	                                  opt.value[RUN_SARIF].text, opt.images);
	opt.scenario.ctx = &output;
	opt.scenario.event = on_event;
	opt.scenario.stream = on_stream;
	if (opt.value[RUN_SAVE].given) {
		output.save = xcalloc(1, sizeof(*output.save));
		out_create(output.save, opt.value[RUN_SAVE].text, "--save");
	}
	for (int i = optind; i < argc; i++)
		run_file(&output, &totals, argv[i]);
	print_totals(&output, &totals);
	reports = strict_report_count(output.report);
	quiet = verbosity == 0 || (!opt.scenario.strict && !totals.diagnostics);
	strict_report_finish(output.report, quiet ? NULL : &out_stdout, opt.json, opt.tap);
	out_flush(&out_stdout);
	if (output.save) {
		out_flush(output.save);
		close(output.save->fd);
		free(output.save);
	}
	free(opt.choices);
	return totals.cannot   ? EXIT_NO_SCENARIO
	       : totals.failed ? EXIT_FAILED
	       : reports       ? (int)opt.value[RUN_ERROR_EXITCODE].number
	                       : 0;
}
