/* SPDX-License-Identifier: MIT */
/* See group.h. */
#define _GNU_SOURCE
#include "group.h"

#include <stdlib.h>
#include <string.h>

struct view view_of(const struct view *view, const char *const *keys)
{
	struct view v = *view;

	v.key_count = 0;
	for (; *keys; keys++)
		v.keys[v.key_count++] = key_find(*keys);
	return v;
}

bool view_has_key(const struct view *view, const char *name)
{
	for (unsigned i = 0; i < view->key_count; i++) {
		if (!strcmp(view->keys[i]->name, name))
			return true;
	}
	return false;
}

struct comparison {
	const struct view *view;
	bool by_name;
};

static int compare_keys(const void *pa, const void *pb, void *arg)
{
	const struct comparison *c = arg;

	for (unsigned i = 0; i < c->view->key_count; i++) {
		int order = c->view->keys[i]->compare(pa, pb, c->by_name);

		if (order)
			return order;
	}
	return 0;
}

/* The largest first; then by the keys, so that the order does not depend on addresses of ours. */
static int compare_groups(const void *pa, const void *pb, void *arg)
{
	const struct comparison *c = arg;
	const struct group *a = pa, *b = pb;

	for (unsigned i = 0; i < c->view->order_count; i++) {
		if (a->order[i] != b->order[i])
			return a->order[i] > b->order[i] ? -1 : 1;
	}
	if (a->latency != b->latency)
		return a->latency > b->latency ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return compare_keys(a->members, b->members, arg);
}

/* Symbols and source lines of all places, as far as keys need them. */
static void look_up(struct profile *p, const struct view *view)
{
	bool symbols = false, lines = false;

	for (unsigned i = 0; i < view->key_count; i++) {
		symbols = symbols || view->keys[i]->needs_symbol;
		lines = lines || view->keys[i]->needs_line;
	}
	for (size_t i = 0; i < p->place_index.count; i++) {
		if (!p->places[i].wanted)
			continue;
		if (symbols)
			place_find_symbol(&p->places[i]);
		if (lines)
			place_find_line(&p->places[i]);
		if (!(i & 0xff))
			progress(lines ? "looking up source lines" : "looking up symbols", i,
			         p->place_index.count);
	}
	progress_end();
}

static size_t take_members(struct member *to, const struct profile *p,
                           bool (*want)(const struct member *m))
{
	size_t n = 0;

	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct bin *bin = &p->bins[i];

		to[n] = (struct member){p, bin, &p->places[bin->place], &p->facets[bin->facet]};
		if (!to[n].place->no_address && (!want || want(&to[n])))
			n++;
	}
	return n;
}

static void add_group(struct groups *g, const struct member *members, size_t count)
{
	struct group group = {.members = members, .count = count};

	for (size_t i = 0; i < count; i++) {
		group.samples += members[i].bin->sums.samples;
		group.latency += members[i].bin->sums.latency;
	}
	g->group[g->count++] = group;
}

struct metrics group_metrics(const struct profile *p, const struct group *group)
{
	struct metrics m = {0};

	for (size_t i = 0; i < group->count; i++)
		metrics_add(&m, p, group->members[i].bin);
	return m;
}

static void find_orders(struct groups *g, const struct profile *p, const struct view *view)
{
	for (size_t i = 0; i < g->count && view->order_count; i++) {
		struct metrics m = group_metrics(p, &g->group[i]);

		for (unsigned o = 0; o < view->order_count; o++)
			g->group[i].order[o] = field_order(&view->orders[o], &m, p);
		metrics_free(&m);
	}
}

void groups_make(struct groups *g, struct profile *p, const struct view *view, bool by_name,
                 bool (*want)(const struct member *m))
{
	struct comparison c = {view, by_name};
	size_t count, first = 0;

	look_up(p, view);
	*g = (struct groups){.members = xcalloc(p->bin_index.count, sizeof(*g->members))};
	count = take_members(g->members, p, want);
	if (count)
		qsort_r(g->members, count, sizeof(*g->members), compare_keys, &c);
	for (size_t i = 1; i <= count; i++)
		g->count += i == count || compare_keys(&g->members[i - 1], &g->members[i], &c);
	g->group = xcalloc(g->count, sizeof(*g->group));
	g->count = 0;
	for (size_t i = 1; i <= count; i++) {
		if (i < count && !compare_keys(&g->members[i - 1], &g->members[i], &c))
			continue;
		add_group(g, &g->members[first], i - first);
		first = i;
	}
	find_orders(g, p, view);
	if (g->count)
		qsort_r(g->group, g->count, sizeof(*g->group), compare_groups, &c);
}

void groups_free(struct groups *g)
{
	free(g->members);
	free(g->group);
	memset(g, 0, sizeof(*g));
}

size_t view_rows(struct table *t, const struct view *view, struct groups *g,
                 const struct profile *p)
{
	uint64_t cycles = p->latency[LATENCY_TOTAL].sum;
	size_t kept = 0, rows;

	for (size_t i = 0; i < g->count; i++) {
		double share = cycles ? (double)g->group[i].latency / (double)cycles
		                      : (double)g->group[i].samples / (double)p->samples;

		if (100 * share >= view->percent_limit)
			g->group[kept++] = g->group[i];
	}
	rows = view->limit && view->limit < kept ? view->limit : kept;
	t->left_out = g->count - rows;
	t->left_out_by = kept < g->count ? "--limit and --percent-limit" : NULL;
	g->count = kept;
	return rows;
}

/* Columns of the fields, with room for more after them: one block of memory, which has their keys, too. */
static struct column *view_columns(const struct view *view, unsigned more)
{
	struct field *fields;
	struct column *columns = xcalloc(1, (view->field_count + more) * sizeof(*columns) +
	                                            view->field_count * sizeof(*fields));

	fields = (struct field *)(void *)&columns[view->field_count + more];
	memcpy(fields, view->fields, view->field_count * sizeof(*fields));
	for (unsigned i = 0; i < view->field_count; i++) {
		columns[i] = fields[i].column;
		columns[i].key = fields[i].key;
		if (fields[i].heading_is_name && !fields[i].json_only)
			columns[i].heading = fields[i].name;
	}
	return columns;
}

void view_table_init(struct table *t, const struct view *view, const char *key, const char *title,
                     const struct column *own, unsigned count)
{
	struct column *columns = view_columns(view, count);

	memcpy(&columns[view->field_count], own, count * sizeof(*own));
	table_init(t, key, title, columns, view->field_count + count);
	t->owned_columns = columns;
}

void view_fill_fields(struct cell *c, const struct view *view, const struct metrics *m,
                      const struct profile *p)
{
	for (unsigned i = 0; i < view->field_count; i++)
		field_fill(&c[i], &view->fields[i], m, p);
}

void view_hide_empty(struct table *t, const struct view *view)
{
	for (unsigned i = 0; i < view->field_count && !view->chosen_fields; i++) {
		bool any = false;

		for (size_t r = 0; r < t->row_count && !any; r++) {
			const struct cell *c = &t->cells[r * t->column_count + i];

			any = !c->absent && (c->text || c->count || c->number > 0);
		}
		if (!any)
			t->owned_columns[i].heading = NULL;
	}
}

/* The same command in every row goes first where the screen is narrow. */
static void drop_single_command(struct table *t, struct column *column, unsigned index)
{
	for (size_t r = 1; r < t->row_count; r++) {
		if (strcmp(t->cells[r * t->column_count + index].text, t->cells[index].text) != 0)
			return;
	}
	column->drop = 22;
}

static void fill_row(struct cell *c, struct profile *p, const struct view *view,
                     const struct group *group)
{
	struct metrics m = group_metrics(p, group);
	unsigned n = view->field_count;

	view_fill_fields(c, view, &m, p);
	metrics_free(&m);
	for (unsigned k = 0; k < view->key_count; k++) {
		view->keys[k]->fill(&c[n], group->members);
		n += view->keys[k]->column_count;
	}
}

void view_table(struct table *t, const char *key, const char *title, struct profile *p,
                const struct view *view)
{
	struct column *columns = view_columns(view, KEYS_MAX * KEY_COLUMNS);
	unsigned n = view->field_count, command = 0;
	struct groups g;
	size_t rows;

	for (unsigned k = 0; k < view->key_count; k++) {
		if (!strcmp(view->keys[k]->name, "comm"))
			command = n;
		memcpy(&columns[n], view->keys[k]->columns, sizeof(view->keys[k]->columns));
		n += view->keys[k]->column_count;
		/* The last key is always shown, the others as long as there is room. */
		if (k + 1 < view->key_count && !columns[n - 1].drop)
			columns[n - 1].drop = 1;
	}
	table_init(t, key, title, columns, n);
	t->owned_columns = columns;
	groups_make(&g, p, view, false, NULL);
	rows = view_rows(t, view, &g, p);
	for (size_t i = 0; i < rows; i++) {
		fill_row(table_row(t), p, view, &g.group[i]);
		if (!(i & 0xff))
			progress("adding up", i, rows);
	}
	progress_end();
	view_hide_empty(t, view);
	if (command)
		drop_single_command(t, &columns[command], command);
	groups_free(&g);
}
