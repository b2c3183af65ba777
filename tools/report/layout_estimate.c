/* SPDX-License-Identifier: MIT */
#include "layout_estimate.h"

/* Loads of a visit, on lines that it touches already, that show how such loads wait. */
static const double FOLLOWERS = 0.2;

/* Share of the misses that are assumed to be first uses of lines or pages. */
static const double FIRST = 0.5;

/* Cycles between two lines from each level (neoverse-n1; docs/explanation/timing-model.md), and
 * cycles to dispatch a load with two other operations. */
static const double LINE_CYCLES[FETCH_LEVELS] = {2.2, 4.4, 7.6};
static const double DISPATCH_CYCLES = 0.75;

/* The state of a visit: lines that come from a level or from beyond, by level. */
struct visit {
	double beyond[FETCH_LEVELS];
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* Return the cycles of the loads, without translation. */
static double execution_cycles(const struct load_use *use)
{
	double sum = use->near.cycles;

	for (unsigned i = 0; i < FETCH_LEVELS; i++)
		sum += use->fetched[i].cycles;
	return sum;
}

double load_cycles(const struct load_use *use)
{
	return execution_cycles(use) + use->store_wait + use->translation;
}

/*
 * Return the misses of a visit after the change, from those before. `touched` are the lines or
 * pages that a visit touches. The first argument of most() says that a cache holds as many lines as
 * before, of fewer that the objects have. The second one says that FIRST of the misses are first
 * uses of a line, which become fewer as the lines do.
 */
static double misses_after(double misses, double touched_before, double touched_after,
                           double smaller)
{
	double hits = touched_before > 0 ? most(0, 1 - misses / touched_before) : 0;

	return most(touched_after * (1 - least(1, hits / smaller)), FIRST * misses * smaller);
}

/* Return the mean cycles of a fetch from a level. A level without samples takes as long as the next
 * one that has some. */
static double fetch_cycles(const struct load_use *use, unsigned level)
{
	for (unsigned i = level; i < FETCH_LEVELS; i++)
		if (use->fetched[i].count > 0)
			return use->fetched[i].cycles / use->fetched[i].count;
	while (level-- > 0)
		if (use->fetched[level].count > 0)
			return use->fetched[level].cycles / use->fetched[level].count;
	return L1_CYCLES;
}

/* Return the cycles of the fetches of a visit. */
static double visit_cycles(const struct load_use *use, const struct visit *v)
{
	double cycles = 0;

	for (unsigned i = 0; i < FETCH_LEVELS; i++) {
		double further = i + 1 < FETCH_LEVELS ? v->beyond[i + 1] : 0;

		cycles += (v->beyond[i] - further) * fetch_cycles(use, i);
	}
	return cycles;
}

static struct visit visit_before(const struct load_use *use)
{
	struct visit v;
	double sum = 0;

	for (unsigned i = FETCH_LEVELS; i-- > 0;) {
		sum += use->fetched[i].count / use->visits;
		v.beyond[i] = sum;
	}
	return v;
}

static struct visit visit_after(const struct load_use *use, const struct visit *v,
                                const struct shape *before, const struct shape *after)
{
	double smaller = after->lines / before->lines, nearer = after->touched;
	struct visit changed;

	for (unsigned i = 0; i < FETCH_LEVELS; i++) {
		double misses = use->in_order ? v->beyond[i] * smaller
		                              : misses_after(v->beyond[i], before->touched,
		                                             after->touched, smaller);

		changed.beyond[i] = nearer = least(misses, nearer);
	}
	return changed;
}

/*
 * Return the share of a fetch that a near load waits for, if it uses a line that the same visit
 * fetches. Loads that start together all wait; loads that depend on the first one do not. Without
 * such loads before the change, all are assumed to wait.
 */
static double waiting(const struct load_use *use, const struct visit *v, const struct shape *shape)
{
	double loads = use->near.count / use->visits + v->beyond[0];
	double wait, fetch;

	if (loads - shape->touched < FOLLOWERS || use->near.count <= 0 || v->beyond[0] <= 0)
		return 1;
	wait = use->near.cycles / use->near.count - L1_CYCLES;
	fetch = visit_cycles(use, v) / v->beyond[0] - L1_CYCLES;
	return fetch > 0 ? least(1, most(0, wait / fetch)) : 1;
}

/* Return the cycles of `loads` loads of a visit: the first one of each line, and those that
 * follow. */
static double visit_loads(const struct load_use *use, const struct visit *v,
                          const struct shape *shape, double loads, double share)
{
	double fetches = visit_cycles(use, v);
	double first = fetches + most(0, shape->touched - v->beyond[0]) * L1_CYCLES;
	double followers = most(0, loads - shape->touched);

	if (shape->touched <= 0)
		return loads * L1_CYCLES;
	return first + followers * (L1_CYCLES + share * (first / shape->touched - L1_CYCLES));
}

/* Return the mean cycles between two lines. */
static double line_cycles(const struct load_use *use)
{
	double cycles = 0, lines = 0;

	for (unsigned i = 0; i < FETCH_LEVELS; i++) {
		cycles += use->fetched[i].count * LINE_CYCLES[i];
		lines += use->fetched[i].count;
	}
	return lines > 0 ? cycles / lines : LINE_CYCLES[FETCH_LLC];
}

/* The lines of a visit need some cycles to arrive. Return the part of them that is left after
 * `dispatch` cycles. */
static double lines_exceed(const struct load_use *use, const struct shape *shape, double dispatch)
{
	double come = shape->lines * line_cycles(use);

	return come > 0 ? most(0, 1 - dispatch / come) : 0;
}

/*
 * Return the cycles of all loads after the change if visits are in order. Each line is fetched
 * once. If lines come more slowly than the operations are dispatched, loads wait for the
 * difference. Otherwise they wait as long for a line as before.
 */
static double loads_in_order(const struct load_use *use, const struct shape *before,
                             const struct shape *after, double saved)
{
	double loads = use->near.count, cycles = execution_cycles(use), dispatch, wait, now, then;

	for (unsigned i = 0; i < FETCH_LEVELS; i++)
		loads += use->fetched[i].count;
	wait = most(0, cycles - L1_CYCLES * loads);
	dispatch = loads / use->visits * DISPATCH_CYCLES;
	now = lines_exceed(use, before, dispatch);
	then = lines_exceed(use, after, dispatch);
	return most(0, cycles - wait - L1_CYCLES * saved * use->visits) +
	       wait * after->lines / before->lines * (now > 0 ? then / now : 1);
}

/* Return the cycles of all loads after the change if visits are in no order. */
static double loads_in_no_order(const struct load_use *use, const struct shape *before,
                                const struct shape *after, double saved)
{
	struct visit now = visit_before(use), then = visit_after(use, &now, before, after);
	double loads = use->near.count / use->visits + now.beyond[0];
	double share = waiting(use, &now, before);
	double model = visit_loads(use, &now, before, loads, share);
	double cycles = execution_cycles(use);

	if (model <= 0)
		return cycles;
	return cycles * visit_loads(use, &then, after, most(1, loads - saved), share) / model;
}

static double translation_after(const struct load_use *use, const struct shape *before,
                                const struct shape *after)
{
	double smaller = after->bytes / before->bytes, walks = use->walks / use->visits;

	if (use->walks <= 0)
		return use->translation;
	if (use->in_order)
		return use->translation * smaller;
	return use->translation * misses_after(walks, most(1, walks), most(1, walks), smaller) /
	       walks;
}

double load_estimate(const struct load_use *use, const struct shape *before,
                     const struct shape *after, double saved)
{
	double cycles, stores = use->store_wait;

	if (use->visits <= 0 || before->lines <= 0)
		return load_cycles(use);
	if (use->in_order)
		stores *= after->lines / before->lines;
	cycles = use->in_order ? loads_in_order(use, before, after, saved)
	                       : loads_in_no_order(use, before, after, saved);
	return cycles + stores - ISSUE_CYCLES * saved * use->visits +
	       translation_after(use, before, after);
}
