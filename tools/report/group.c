/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "data_types.h"
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

struct view view_by(const struct view *view, const struct key *key)
{
	struct view v = *view;

	v.keys[0] = key;
	v.key_count = 1;
	v.order_count = 0;
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

bool view_is_of_data(const struct view *view)
{
	for (unsigned i = 0; i < view->key_count; i++) {
		if (view->keys[i]->of_data)
			return true;
	}
	return false;
}

struct sorting {
	struct comparison comparison;
	const struct view *view;
	unsigned order_count;
};

static int compare_keys(const struct member *a, const struct member *b, const struct sorting *s)
{
	int order = compare_numbers(a->number, b->number);

	if (!order)
		order = key_compare_equal(s->view->keys[0], &s->comparison, a, b);
	for (unsigned i = 1; i < s->view->key_count && !order; i++)
		order = key_compare(s->view->keys[i], &s->comparison, a, b);
	return order;
}

/* Compare members by their keys. Equal members stay in the order of their first samples. */
static int compare_members(const void *pa, const void *pb, void *arg)
{
	const struct member *a = pa, *b = pb;
	int order = compare_keys(a, b, arg);

	return order ? order : compare_numbers((uintptr_t)a->bin, (uintptr_t)b->bin);
}

/* Compare groups, the largest first. Equal groups are in the order of their keys, so that no order
 * depends on memory addresses. */
static int compare_groups(const void *pa, const void *pb, void *arg)
{
	const struct sorting *s = arg;
	const struct group *a = pa, *b = pb;

	for (unsigned i = 0; i < s->order_count; i++) {
		if (a->order[i] != b->order[i])
			return a->order[i] > b->order[i] ? -1 : 1;
	}
	if (a->latency != b->latency)
		return compare_numbers(b->latency, a->latency);
	if (a->samples != b->samples)
		return compare_numbers(b->samples, a->samples);
	return compare_keys(a->members, b->members, arg);
}

static bool needs_types(const struct view *view)
{
	for (unsigned i = 0; i < view->key_count; i++) {
		if (view->keys[i]->needs_type)
			return true;
	}
	return false;
}

/* Look up the symbols and source lines of all places and the types of all data, if a key needs
 * them. */
static void look_up(struct profile *p, const struct view *view)
{
	bool symbols = false, lines = false;

	for (unsigned i = 0; i < view->key_count; i++) {
		symbols = symbols || view->keys[i]->needs_symbol;
		lines = lines || view->keys[i]->needs_line;
	}
	if (needs_types(view))
		data_types_find(p);
	for (size_t i = 0; i < p->samples.place_index.count && (symbols || lines); i++) {
		if (!p->samples.places[i].wanted)
			continue;
		if (symbols)
			place_find_symbol(&p->samples.places[i]);
		if (lines)
			place_find_line(&p->samples.places[i]);
		if (!(i & 0xff))
			progress(lines ? "looking up source lines" : "looking up symbols", i,
			         p->samples.place_index.count);
	}
	progress_end();
}

/* Collect the members, each with its number for the first key. Return how many there are. */
static size_t take_members(struct groups *g, const struct profile *p, const struct view *view,
                           want_fn *want)
{
	const struct key *key = view->keys[0];
	bool of_data = view_is_of_data(view), one_type = p->data_type && needs_types(view);
	size_t count = of_data ? p->touch_count : p->bin_index.count, n = 0;

	g->members = xcalloc(count, sizeof(*g->members));
	for (size_t i = 0; i < count; i++) {
		struct member *m = &g->members[n];

		m->bin = of_data ? &p->touches[i].bin : &p->bins[i];
		if ((!of_data && member_place(p, m)->no_address) || (want && !want(p, m)) ||
		    (one_type && !touch_is_wanted(p, member_touch(m))))
			continue;
		m->number = key->number ? key->number(p, m) : 0;
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

static void make_orders(struct groups *g, unsigned count)
{
	g->order_count = count;
	g->orders = xcalloc(g->count * count, sizeof(*g->orders));
	for (size_t i = 0; i < g->count; i++)
		g->group[i].order = &g->orders[i * count];
}

static void find_orders(struct groups *g, const struct profile *p, const struct view *view)
{
	const struct key *key = view->keys[0];

	make_orders(g, key->order ? 1 : view->order_count);
	for (size_t i = 0; i < g->count && key->order; i++)
		g->group[i].order[0] = key->order(p, &g->group[i]);
	for (size_t i = 0; i < g->count && view->order_count; i++) {
		struct metrics m = group_metrics(p, &g->group[i]);

		for (unsigned o = 0; o < view->order_count; o++)
			g->group[i].order[o] = field_order(&view->orders[o], &m, p);
		metrics_free(&m);
	}
}

static void sort_groups(struct groups *g, struct sorting s)
{
	s.order_count = g->order_count;
	if (g->count)
		qsort_r(g->group, g->count, sizeof(*g->group), compare_groups, &s);
}

void groups_make(struct groups *g, struct profile *p, const struct view *view, bool by_name,
                 want_fn *want)
{
	struct sorting s = {{p, by_name}, view, 0};
	size_t count, first = 0, groups = 0;

	look_up(p, view);
	*g = (struct groups){0};
	count = take_members(g, p, view, want);
	if (count)
		qsort_r(g->members, count, sizeof(*g->members), compare_members, &s);
	for (size_t i = 1; i <= count; i++)
		groups += i == count || compare_keys(&g->members[i - 1], &g->members[i], &s);
	g->group = xcalloc(groups, sizeof(*g->group));
	for (size_t i = 1; i <= count; i++) {
		if (i < count && !compare_keys(&g->members[i - 1], &g->members[i], &s))
			continue;
		add_group(g, &g->members[first], i - first);
		first = i;
	}
	find_orders(g, p, view);
	sort_groups(g, s);
}

void groups_sort_by_line(struct groups *g, const struct profile *p, const struct view *view,
                         const double *order)
{
	free(g->orders);
	make_orders(g, 1);
	for (size_t i = 0; i < g->count; i++)
		g->group[i].order[0] = order[member_touch(g->group[i].members)->line];
	sort_groups(g, (struct sorting){{p, false}, view, 0});
}

void groups_free(struct groups *g)
{
	free(g->members);
	free(g->group);
	free(g->orders);
	memset(g, 0, sizeof(*g));
}

struct metrics group_metrics(const struct profile *p, const struct group *group)
{
	struct metrics m = {0};

	for (size_t i = 0; i < group->count; i++)
		metrics_add(&m, p, group->members[i].bin);
	return m;
}

uint64_t group_operations(const struct profile *p, const struct group *group, enum op_group op)
{
	uint64_t n = 0;

	for (size_t i = 0; i < group->count; i++) {
		if (facet_operation(member_facet(p, &group->members[i])) == op)
			n += group->members[i].bin->sums.samples;
	}
	return n;
}

static int compare_tids(const void *pa, const void *pb)
{
	return compare_numbers(*(const uint32_t *)pa, *(const uint32_t *)pb);
}

unsigned group_threads(char text[THREADS_TEXT], const struct profile *p, const struct group *group)
{
	uint32_t *tids = xcalloc(group->count, sizeof(*tids));
	size_t length = 0, size = THREADS_TEXT;
	unsigned n = 0;

	for (size_t i = 0; i < group->count; i++)
		tids[i] = member_place(p, &group->members[i])->task->tid;
	qsort(tids, group->count, sizeof(*tids), compare_tids);
	text[0] = 0;
	for (size_t i = 0; i < group->count; i++) {
		if (i && tids[i] == tids[i - 1])
			continue;
		if (length + 16 < size)
			length += (size_t)snprintf(text + length, size - length, "%s%u",
			                           n ? "," : "", tids[i]);
		else if (length + 5 <= size && text[length - 1] != '.')
			length += (size_t)snprintf(text + length, size - length, ",...");
		n++;
	}
	free(tids);
	return n;
}

size_t view_limit(struct table *t, const struct view *view, size_t large, size_t count)
{
	size_t rows = view->limit && view->limit < large ? view->limit : large;

	t->left_out = count - rows;
	t->left_out_by = large < count ? "--limit and --percent-limit" : NULL;
	return rows;
}

size_t view_rows(struct table *t, const struct view *view, struct groups *g,
                 const struct profile *p)
{
	uint64_t cycles = p->all.latency;
	size_t kept = 0, rows;

	for (size_t i = 0; i < g->count; i++) {
		double share = cycles ? (double)g->group[i].latency / (double)cycles
		                      : (double)g->group[i].samples / (double)p->all.samples;

		if (100 * share >= view->percent_limit)
			g->group[kept++] = g->group[i];
	}
	rows = view_limit(t, view, kept, g->count);
	g->count = kept;
	return rows;
}

/* Return the columns of the fields, with room for more after them. The columns and their keys are
 * one block of memory. */
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

unsigned view_key_column_count(const struct view *view)
{
	unsigned n = 0;

	for (unsigned k = 0; k < view->key_count; k++)
		n += view->keys[k]->column_count;
	return n;
}

unsigned view_add_key_columns(struct column *columns, unsigned n, const struct view *view)
{
	for (unsigned k = 0; k < view->key_count; k++) {
		const struct key *key = view->keys[k];

		memcpy(&columns[n], key->columns, key->column_count * sizeof(*columns));
		n += key->column_count;
		/* The last key is always shown, the others while the screen has room. */
		if (k + 1 < view->key_count && !columns[n - 1].drop)
			columns[n - 1].drop = 1;
	}
	return n;
}

void view_fill_fields(struct cell *c, const struct view *view, const struct metrics *m,
                      const struct profile *p)
{
	for (unsigned i = 0; i < view->field_count; i++)
		field_fill(&c[i], &view->fields[i], m, p);
}

void view_fill_keys(struct cell *c, const struct view *view, const struct profile *p,
                    const struct group *group)
{
	for (unsigned k = 0; k < view->key_count; k++) {
		key_fill(c, view->keys[k], p, group);
		c += view->keys[k]->column_count;
	}
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

/* If all rows have the same command, leave out its column first on a narrow screen. Keep it if it
 * is the first column. */
static void drop_single_command(struct table *t)
{
	unsigned command = 1;

	while (command < t->column_count && strcmp(t->columns[command].key, "command") != 0)
		command++;
	if (command >= t->column_count)
		return;
	for (size_t r = 1; r < t->row_count; r++) {
		const struct cell *c = &t->cells[r * t->column_count + command];

		if (strcmp(c->text, t->cells[command].text) != 0)
			return;
	}
	t->owned_columns[command].drop = 22;
}

void view_table(struct table *t, const char *key, const char *title, struct profile *p,
                const struct view *view, want_fn *want)
{
	struct column *columns = view_columns(view, view_key_column_count(view));
	struct groups g;
	size_t rows;

	table_init(t, key, title, columns, view_add_key_columns(columns, view->field_count, view));
	t->owned_columns = columns;
	groups_make(&g, p, view, false, want);
	rows = view_rows(t, view, &g, p);
	for (size_t i = 0; i < rows; i++) {
		struct metrics m = group_metrics(p, &g.group[i]);
		struct cell *c = table_row(t);

		view_fill_fields(c, view, &m, p);
		metrics_free(&m);
		view_fill_keys(&c[view->field_count], view, p, &g.group[i]);
		if (!(i & 0xff))
			progress("adding up", i, rows);
	}
	progress_end();
	view_hide_empty(t, view);
	drop_single_command(t);
	groups_free(&g);
}
