/* SPDX-License-Identifier: MIT */
/*
 * spemu diff: compare two recordings, and mark the differences that are more than chance.
 *
 * The significance test: the amount of a row is the sum of the weights w of its samples, which are
 * drawn at random. A weight is 1 or a latency. From the variance of counts, the row's share s of
 * the whole has
 *     Var(s) = ((1 - s)^2 * sum of w^2 in the row + s^2 * sum of w^2 in all others)
 *              / (sum of all w)^2
 * If all weights are 1, that is s (1 - s) / N, the two-proportion test. An amount has the variance
 * sum of w^2. Then z = difference / sqrt(Var(old) + Var(new)), and p is the probability of a normal
 * distribution beyond |z|.
 */
#define _GNU_SOURCE
#include "html.h"
#include "arguments.h"
#include "header.h"
#include "line_match.h"
#include "../base/fit.h"
#include "../base/json.h"
#include "../base/optext.h"
#include "../base/pager.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OLD, NEW, SIDES };
enum { FUNCTIONS, LINES, EVENTS, SECTIONS };
static const char *const section_names[] = {
        [FUNCTIONS] = "functions", [LINES] = "lines", [EVENTS] = "events", NULL};
/* Least number of samples, in both recordings together, for which the normal distribution is a
 * good approximation. */
enum { SAMPLES_MIN = 10 };

struct amount {
	uint64_t samples;
	double sum, squares; /* sums of the weights and of their squares */
};

struct difference {
	const struct group *group; /* group of the row, or NULL if the row is an event */
	unsigned event;
	struct amount side[SIDES];
	double share[SIDES], change, p;
	bool has_change;                  /* false with --absolute if the old amount is 0 */
	const struct place *place[SIDES]; /* place of the first member, or NULL */
};

struct diff {
	struct arguments common;
	bool wanted[SECTIONS];
	bool by_samples, by_given, absolute;
	bool lines_matched; /* true after line_match_find() */
	struct profile profile;
	struct amount whole[SIDES];
	double period[SIDES];
};

static void add_amount(struct amount *to, const struct amount *a)
{
	to->samples += a->samples;
	to->sum += a->sum;
	to->squares += a->squares;
}

static void add_bin(const struct diff *d, struct amount *a, const struct sums *s)
{
	a->samples += s->samples;
	a->sum += d->by_samples ? (double)s->samples : (double)s->latency;
	a->squares += d->by_samples ? (double)s->samples : (double)s->latency_squares;
}

static double share_variance(const struct amount *row, const struct amount *whole)
{
	double s = row->sum / whole->sum;

	return ((1 - s) * (1 - s) * row->squares + s * s * (whole->squares - row->squares)) /
	       (whole->sum * whole->sum);
}

/* Compute the shares, the change and its probability. whole has the amounts of all rows. */
static void compare_sides(const struct diff *d, struct difference *x,
                          const struct amount whole[SIDES])
{
	double value[SIDES], variance = 0;

	for (int i = 0; i < SIDES; i++) {
		const struct amount *a = &x->side[i];

		x->share[i] = whole[i].sum > 0 ? a->sum / whole[i].sum : 0;
		value[i] = d->absolute ? a->sum * d->period[i] : x->share[i];
		if (d->absolute)
			variance += a->squares * d->period[i] * d->period[i];
		else if (whole[i].sum > 0)
			variance += share_variance(a, &whole[i]);
	}
	x->p = variance > 0 ? erfc(fabs(value[NEW] - value[OLD]) / sqrt(2 * variance)) : 1;
	x->has_change = !d->absolute || value[OLD] > 0;
	x->change = value[NEW] - value[OLD];
	if (d->absolute && value[OLD] > 0)
		x->change /= value[OLD];
}

/* Return the size of a difference. Rows are in its order, the largest first, as in perf diff. */
static double size_of(const struct difference *x, const struct diff *d)
{
	return d->absolute
	               ? fabs(x->side[NEW].sum * d->period[NEW] - x->side[OLD].sum * d->period[OLD])
	               : fabs(x->change);
}

static int compare_differences(const void *pa, const void *pb, void *arg)
{
	const struct difference *a = pa, *b = pb;
	double x = size_of(a, arg), y = size_of(b, arg);

	if (x > y || x < y)
		return x > y ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	/* Members are in the order of their keys. */
	return a->group && b->group
	               ? compare_numbers((uintptr_t)a->group->members, (uintptr_t)b->group->members)
	               : 0;
}

static const char *stars(const struct difference *x)
{
	if (x->side[OLD].samples + x->side[NEW].samples < SAMPLES_MIN)
		return "";
	return x->p < 0.001 ? "***" : x->p < 0.01 ? "**" : x->p < 0.05 ? "*" : "";
}

enum {
	OLD_SHARE,
	NEW_SHARE,
	OLD_AMOUNT,
	NEW_AMOUNT,
	CHANGE,
	P,
	SIGNIFICANCE,
	OLD_SAMPLES,
	NEW_SAMPLES,
	OWN_COLUMNS
};

/* Set the columns that precede the keys, with either shares or amounts shown. Return their
 * number. */
static unsigned take_own_columns(struct column *columns, const struct diff *d)
{
	static const struct column own[OWN_COLUMNS] = {
	        [OLD_SHARE] = {"old_share", "Old", COLUMN_PERCENT},
	        [NEW_SHARE] = {"new_share", "New", COLUMN_PERCENT},
	        [OLD_AMOUNT] = {"old_amount", "Old", COLUMN_COUNT},
	        [NEW_AMOUNT] = {"new_amount", "New", COLUMN_COUNT},
	        [CHANGE] = {"change", "Change", COLUMN_CHANGE},
	        [P] = {"p", "p", COLUMN_PROBABILITY},
	        [SIGNIFICANCE] = {"significance", "Sig.", COLUMN_TEXT},
	        [OLD_SAMPLES] = {"old_samples", "Old samples", COLUMN_COUNT, .drop = 4},
	        [NEW_SAMPLES] = {"new_samples", "New samples", COLUMN_COUNT, .drop = 3},
	};

	memcpy(columns, own, sizeof(own));
	columns[d->absolute ? OLD_SHARE : OLD_AMOUNT].heading = NULL;
	columns[d->absolute ? NEW_SHARE : NEW_AMOUNT].heading = NULL;
	return OWN_COLUMNS;
}

/* Round down to a count. */
static uint64_t whole_number(double x)
{
	return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

static void fill_own(struct cell *c, const struct diff *d, const struct difference *x)
{
	cell_number(&c[OLD_SHARE], x->share[OLD]);
	cell_number(&c[NEW_SHARE], x->share[NEW]);
	cell_count(&c[OLD_AMOUNT], whole_number(x->side[OLD].sum * d->period[OLD]));
	cell_count(&c[NEW_AMOUNT], whole_number(x->side[NEW].sum * d->period[NEW]));
	if (x->has_change)
		cell_number(&c[CHANGE], x->change);
	cell_number(&c[P], x->p);
	cell_text(&c[SIGNIFICANCE], stars(x));
	cell_count(&c[OLD_SAMPLES], x->side[OLD].samples);
	cell_count(&c[NEW_SAMPLES], x->side[NEW].samples);
}

static bool is_small(const struct difference *x, double percent_limit)
{
	return 100 * x->share[OLD] < percent_limit && 100 * x->share[NEW] < percent_limit;
}

/* Drop the small rows and sort the rest. Return the number of rows to show. */
static size_t arrange(struct table *t, struct diff *d, struct difference *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_small(&rows[i], d->common.view.percent_limit))
			rows[kept++] = rows[i];
	}
	if (kept)
		qsort_r(rows, kept, sizeof(*rows), compare_differences, d);
	return view_limit(t, &d->common.view, kept, count);
}

static void compare_group(const struct diff *d, struct difference *x, const struct group *g)
{
	x->group = g;
	for (size_t i = 0; i < g->count; i++) {
		const struct place *place = member_place(&d->profile, &g->members[i]);

		add_bin(d, &x->side[place->input], &g->members[i].bin->sums);
		if (!x->place[place->input])
			x->place[place->input] = place;
	}
	compare_sides(d, x, d->whole);
}

/* Put a member of the new recording first, whose line is the one that a row shows. */
static void show_new(struct groups *g, const struct group *group, const struct profile *p)
{
	struct member *first = &g->members[group->members - g->members], *m = first;

	while (m < first + group->count && member_place(p, m)->input != NEW)
		m++;
	if (m < first + group->count) {
		const struct member other = *m;

		*m = *first;
		*first = other;
	}
}

/* Fill the column of old lines. Hide it if no line has moved. */
static void fill_old_lines(struct table *t, unsigned column, const struct difference *rows)
{
	bool moved = false;

	for (size_t i = 0; i < t->row_count; i++) {
		const struct place *old = rows[i].place[OLD], *new = rows[i].place[NEW];

		if (old && old->file)
			cell_count(&t->cells[i * t->column_count + column], (uint64_t)old->line);
		moved = moved || (old && new && old->line != new->line);
	}
	if (!moved)
		t->owned_columns[column].heading = NULL;
}

static void group_table(struct table *t, const char *key, const char *title, struct diff *d,
                        const struct view *view)
{
	static const struct column old_line = {"old_line", "Old line", COLUMN_COUNT, .drop = 2};
	bool has_lines = view_has_key(view, "srcline");
	struct column *columns =
	        xcalloc(OWN_COLUMNS + 1 + view_key_column_count(view), sizeof(*columns));
	unsigned keys = take_own_columns(columns, d) + has_lines, n;
	struct difference *rows;
	struct groups g;
	size_t shown;

	if (has_lines && !d->lines_matched)
		line_match_find(&d->profile);
	d->lines_matched = d->lines_matched || has_lines;
	if (has_lines)
		columns[OWN_COLUMNS] = old_line;
	n = view_add_key_columns(columns, keys, view);
	table_init(t, key, title, columns, n);
	t->owned_columns = columns;
	t->note =
	        xasprintf("%s of all %s; p: probability of such a difference by chance alone",
	                  d->absolute ? "amounts" : "shares", d->by_samples ? "samples" : "cycles");
	groups_make(&g, &d->profile, view, true, NULL);
	rows = xcalloc(g.count, sizeof(*rows));
	for (size_t i = 0; i < g.count; i++)
		compare_group(d, &rows[i], &g.group[i]);
	shown = arrange(t, d, rows, g.count);
	for (size_t i = 0; i < shown; i++) {
		struct cell *c = table_row(t);

		show_new(&g, rows[i].group, &d->profile);
		fill_own(c, d, &rows[i]);
		view_fill_keys(&c[keys], view, &d->profile, rows[i].group);
	}
	if (has_lines)
		fill_old_lines(t, OWN_COLUMNS, rows);
	free(rows);
	groups_free(&g);
}

/* Fill a row for each event. Events count samples, even with --by cycles. Return the number of
 * rows. */
static unsigned count_events(struct difference rows[64], const struct diff *d)
{
	struct amount whole[SIDES] = {{0}}, side[64][SIDES] = {{{0}}};
	const struct profile *p = &d->profile;
	unsigned n = 0;

	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct bin *bin = &p->bins[i];
		uint32_t input = p->samples.places[bin->place].input;
		struct amount add = {bin->sums.samples, (double)bin->sums.samples,
		                     (double)bin->sums.samples};

		add_amount(&whole[input], &add);
		for (uint64_t ev = p->facets[bin->facet].events; ev; ev &= ev - 1)
			add_amount(&side[__builtin_ctzll(ev)][input], &add);
	}
	for (unsigned e = 0; e < 64; e++) {
		if (!side[e][OLD].samples && !side[e][NEW].samples)
			continue;
		rows[n] = (struct difference){.event = e, .side = {side[e][OLD], side[e][NEW]}};
		compare_sides(d, &rows[n++], whole);
	}
	return n;
}

static void event_table(struct table *t, struct diff *d)
{
	struct column *columns = xcalloc(OWN_COLUMNS + 1, sizeof(*columns));
	unsigned n = take_own_columns(columns, d);
	struct difference rows[64];
	char name[32];
	size_t shown;

	columns[n] = (struct column){"event", "Event", COLUMN_TEXT};
	table_init(t, "events", "Events", columns, n + 1);
	t->owned_columns = columns;
	t->note = xasprintf("%s of all samples", d->absolute ? "amounts" : "shares");
	shown = arrange(t, d, rows, count_events(rows, d));
	for (size_t i = 0; i < shown; i++) {
		struct cell *c = table_row(t);

		fill_own(c, d, &rows[i]);
		cell_text(&c[n], event_name(name, sizeof(name), rows[i].event));
	}
}

static void take_option(struct diff *d, int option)
{
	switch (option) {
	case DIFF_SECTION:
		arguments_take_sections(d->wanted, section_names, optarg);
		break;
	case DIFF_BY:
		d->by_samples = option_value.word == DIFF_BY_SAMPLES;
		d->by_given = true;
		break;
	case DIFF_ABSOLUTE:
		d->absolute = true;
		break;
	}
}

static void parse_arguments(struct diff *d, int argc, char **argv)
{
	int c;

	while ((c = next_option(&diff_options, argc, argv)) != -1) {
		take_option(d, c);
		arguments_take_option(&d->common, diff_options.rows[c].name, optarg);
	}
	for (; optind < argc; optind++)
		arguments_add_input(&d->common, argv[optind]);
	if (!d->common.input_count) {
		arguments_add_input(&d->common, "perf.data.old");
		arguments_add_input(&d->common, "perf.data");
	}
	if (d->common.input_count != SIDES)
		die(EXIT_USAGE, "expected two recordings, OLD and NEW, got %zu",
		    d->common.input_count);
	if (d->common.view.order_count)
		die(EXIT_USAGE,
		    "-s accepts only keys, because rows are ordered by their difference; "
		    "leave out the fields");
	if (!d->wanted[FUNCTIONS] && !d->wanted[LINES] && !d->wanted[EVENTS])
		d->wanted[FUNCTIONS] = d->wanted[LINES] = d->wanted[EVENTS] = true;
}

/* Add up each recording, and find its period. Choose samples as weights if latencies are
 * missing. */
static void add_up(struct diff *d)
{
	bool timed[SIDES] = {false};
	const struct profile *p = &d->profile;

	for (size_t i = 0; i < p->bin_index.count; i++)
		timed[p->samples.places[p->bins[i].place].input] |= p->bins[i].sums.timed != 0;
	if (!d->by_given)
		d->by_samples = !timed[OLD] || !timed[NEW];
	if (!d->by_samples && (!timed[OLD] || !timed[NEW]))
		die(EXIT_OWN, "%s has no latencies; use --by samples",
		    p->samples.recordings[timed[OLD] ? NEW : OLD].path);
	for (size_t i = 0; i < p->bin_index.count; i++)
		add_bin(d, &d->whole[p->samples.places[p->bins[i].place].input], &p->bins[i].sums);
	for (int i = 0; i < SIDES; i++) {
		uint64_t period = p->samples.recordings[i].session.attr.sample_period;

		d->period[i] = period ? (double)period : 1;
	}
}

/* Make the wanted tables. Return their number. */
static unsigned make_tables(struct table *t, struct diff *d)
{
	static const char *const line_keys[] = {"dso", "srcline", NULL};
	const struct view lines = view_of(&d->common.view, line_keys);
	unsigned n = 0;

	if (d->wanted[FUNCTIONS])
		group_table(&t[n++], "functions", "Functions", d, &d->common.view);
	if (d->wanted[LINES])
		group_table(&t[n++], "lines", "Source lines", d, &lines);
	if (d->wanted[EVENTS])
		event_table(&t[n++], d);
	return n;
}

/* Return a line about the change of the total, which shares do not show. The caller frees it. */
static char *whole_text(const struct diff *d)
{
	double amount[SIDES];

	for (int i = 0; i < SIDES; i++)
		amount[i] = d->whole[i].sum * d->period[i];
	return xasprintf("total %s: %.4g and %.4g, %+.1f%%; * p < 0.05, ** p < 0.01, *** p < 0.001",
	                 d->by_samples ? "operations" : "cycles", amount[OLD], amount[NEW],
	                 amount[OLD] > 0 ? 100 * (amount[NEW] / amount[OLD] - 1) : 0.0);
}

static void show_text(struct diff *d)
{
	struct table tables[SECTIONS];
	unsigned n = make_tables(tables, d);
	char *whole = whole_text(d);

	if (!d->common.no_pager)
		pager_start();
	header_print(&d->profile, &out_stdout);
	out_comment(&out_stdout, whole);
	free(whole);
	for (unsigned i = 0; i < n; i++) {
		table_print(&tables[i], &out_stdout);
		table_free(&tables[i]);
	}
}

/* Make the JSON form. shown, unless NULL, gets the title, note and columns of each table. */
static struct json_object *as_json(struct diff *d, struct json_object *shown)
{
	struct json_object *root = header_json(&d->profile);
	struct table tables[SECTIONS];
	unsigned n = make_tables(tables, d);

	json_add_text(root, "by", d->by_samples ? "samples" : "cycles");
	for (unsigned i = 0; i < n; i++) {
		json_object_object_add(root, tables[i].key, table_json(&tables[i]));
		if (shown)
			json_object_array_add(shown, html_table(&tables[i]));
		table_free(&tables[i]);
	}
	return root;
}

static void show_html(struct diff *d)
{
	struct json_object *page = json_object_new_object(), *tables = json_object_new_array(),
	                   *sides = json_object_new_array(), *root = as_json(d, tables);
	char *whole = whole_text(d);

	for (int i = 0; i < SIDES; i++)
		json_object_array_add(sides, html_side(&d->common, d->common.inputs[i]));
	json_object_object_add(page, "tables", tables);
	json_object_object_add(page, "sides", sides);
	json_add_text(page, "note", whole);
	json_object_object_add(root, "page", page);
	free(whole);
	html_write(d->common.html, root);
}

/* Check the options for --html. The page reads each recording twice: once to compare both, and once
 * for its own sections. */
static void check_html(struct diff *d)
{
	arguments_check_html(&d->common);
	for (int i = 0; i < SIDES; i++) {
		if (d->common.html && !strcmp(d->common.inputs[i], "-"))
			die(EXIT_USAGE,
			    "--html reads each recording twice; give a file, not standard input");
	}
}

int cmd_diff(int argc, char **argv)
{
	static const char *const keys[] = {"dso", "sym", NULL};
	struct diff *d = xcalloc(1, sizeof(*d));

	arguments_init(&d->common);
	d->common.view = view_of(&d->common.view, keys);
	parse_arguments(d, argc, argv);
	check_html(d);
	color_setup(d->common.color);
	arguments_open(&d->common, &d->profile);
	add_up(d);
	if (d->common.html)
		show_html(d);
	else if (d->common.json)
		out_json_pretty(&out_stdout, as_json(d, NULL));
	else
		show_text(d);
	out_flush(&out_stdout);
	samples_warn(&d->profile.samples);
	return samples_status(&d->profile.samples);
}
