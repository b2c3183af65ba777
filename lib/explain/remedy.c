/* SPDX-License-Identifier: MIT */
/*
 * The smallest set of field writes that would enable profiling in the present state of the PE.
 *
 * Arm ARM:     DDI 0487 M.a, D17.4
 *
 * The search tries all sets of one write, then all sets of two, and so on, over the fields in the
 * clauses of the decision. There are about ten fields, so the search ends within some hundred
 * thousand evaluations. The usual answer is among the first hundred.
 */
#include <limits.h>
#include <string.h>

#include "explain/explain.h"

enum { CANDIDATES_MAX = 16 };

struct candidate {
	const char *name;
	size_t length;
	enum spemu_reg reg;
	unsigned hi, lo;
	unsigned owner; /* Exception level in the register's name */
	uint64_t now;
};

/* The Exception level that makes a write, given that the earlier writes of the set have been
 * made. */
struct writer {
	unsigned el;      /* lowest Exception level that may make the write; 0 if none may */
	const char *name; /* name of the register at that Exception level */
};

struct search {
	struct spemu_pe pe; /* the PE after the writes of the current set */
	unsigned el;
	unsigned count, best_cost;
	struct candidate candidate[CANDIDATES_MAX];
	unsigned size, chosen[SPEMU_REMEDY_MAX]; /* indices of the candidates in the current set */
	uint64_t value[SPEMU_REMEDY_MAX];
	struct spemu_pe before; /* the PE without any write */
	struct spemu_remedy *out;
	const struct clause *goal; /* clause that must hold; NULL if the goal is that profiling
	                              is enabled */
};

static bool begins_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Return true for fields that define the state of the PE. Writes to them are not a remedy. */
static bool says_where(const char *name)
{
	static const char *const prefixes[] = {"PSTATE.", "PE.",     "EDSCR.", "EL1.",
	                                       "EL2.",    "SCR_EL3", "HCR_EL2"};

	for (unsigned i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (begins_with(name, prefixes[i]))
			return true;
	return false;
}

static bool may_write(const struct spemu_pe *pe, const struct sysreg_desc *name, enum spemu_reg reg)
{
	struct spemu_access_result result;

	if (name->host_owned)
		return false;
	spemu__pe_access(pe, &result, name, true);
	return result.outcome == SPEMU_ACCESS_OK && result.reg == reg;
}

/* Return the lowest Exception level that may write the register in the state of pe, and the name of
 * the register there. The own name of the register is preferred to an alias. */
static struct writer find_writer(enum spemu_reg reg, struct spemu_pe pe)
{
	const struct sysreg_desc *own = spemu__sysreg_desc_of(reg), *name;

	for (unsigned el = 1; el <= 3; el++) {
		if (!spemu__spu_el_available(&pe, el))
			continue;
		pe.state.el = (uint8_t)el;
		name = may_write(&pe, own, reg) ? own : NULL;
		for (unsigned i = 0; !name && i < spemu__sysreg_table_size; i++)
			if (may_write(&pe, &spemu__sysreg_table[i], reg))
				name = &spemu__sysreg_table[i];
		if (name)
			return (struct writer){el, name->name};
	}
	return (struct writer){0};
}

/* Return the Exception level in a register's name: 3 for "MDCR_EL3". */
static unsigned owner_of(const struct sysreg_desc *d)
{
	const char *suffix = strstr(d->name, "_EL");

	return suffix ? (unsigned)(suffix[3] - '0') : 0;
}

static void add_candidate(struct search *s, const char *name, size_t length)
{
	const struct sysreg_name *found = spemu__sysreg_find(name, length);
	const struct sysreg_desc *d;
	const struct sysreg_field *f;
	struct candidate *c = &s->candidate[s->count];

	if (!found || found->field < 0 || says_where(name) || s->count == CANDIDATES_MAX)
		return;
	d = spemu__sysreg_desc_of((enum spemu_reg)spemu__sysreg_table[found->index].reg);
	f = &d->fields[found->field];
	if (!spemu__guard_holds(&d->guard, &s->pe.features) ||
	    !spemu__guard_holds(&f->guard, &s->pe.features))
		return;
	for (unsigned i = 0; i < s->count; i++)
		if (s->candidate[i].length == length &&
		    memcmp(s->candidate[i].name, name, length) == 0)
			return;
	*c = (struct candidate){name, length, (enum spemu_reg)d->reg, f->hi, f->lo, owner_of(d)};
	c->now = bits_get(s->pe.reg[c->reg], c->hi, c->lo);
	s->count++;
}

static void add_candidates(struct search *s)
{
	struct clause_context c = {.pe = &s->pe, .el = s->el};

	for (unsigned i = 0; i < spemu__spu_enabled_decision.count; i++) {
		const struct clause *clause = &spemu__spu_enabled_decision.clauses[i];
		const char *fields = clause->fields;

		if (clause->applies && !clause->applies(&c))
			continue;
		while (*fields) {
			size_t length = strcspn(fields, " ");

			add_candidate(s, fields, length);
			fields = next_name(fields, length);
		}
	}
}

/*
 * Order the writes of the set, and find the Exception level of each. Writes of firmware come first,
 * followed by those of a hypervisor and of a kernel, because the settings of a higher Exception
 * level decide which level may make the next writes. who[n] makes the write order[n].
 */
static void find_writers(const struct search *s, unsigned *order, struct writer *who)
{
	struct spemu_pe pe = s->before;
	unsigned n = 0;

	for (unsigned owner = 4; owner-- > 0;)
		for (unsigned i = 0; i < s->size; i++)
			if (s->candidate[s->chosen[i]].owner == owner)
				order[n++] = i;
	for (n = 0; n < s->size; n++) {
		const struct candidate *c = &s->candidate[s->chosen[order[n]]];

		who[n] = find_writer(c->reg, pe);
		pe.reg[c->reg] = bits_set(pe.reg[c->reg], c->hi, c->lo, s->value[order[n]]);
	}
}

/* Return the cost of a set. Higher Exception levels cost more. */
static unsigned cost(const struct search *s, const struct writer *who)
{
	unsigned sum = 0, highest = 0;

	for (unsigned i = 0; i < s->size; i++) {
		unsigned el = who[i].el ? who[i].el : 4;

		highest = el > highest ? el : highest;
		sum += el;
	}
	return highest << 8 | sum;
}

/* Return true if the set reaches its goal without reserved values. A value may be reserved by
 * itself (MDCR_EL2.E2PB) or in combination (RBWRVP). */
static bool acceptable(const struct search *s)
{
	struct clause_context c = {.pe = &s->pe, .el = s->el};

	for (unsigned i = 0; i < s->size; i++) {
		const struct candidate *w = &s->candidate[s->chosen[i]];

		if (strncmp(w->name, "MDCR_EL2.E2PB", w->length) == 0 && s->value[i] == 1)
			return false;
		if (begins_with(w->name, "MDCR_EL3.NSPB") && spemu__pe_nspb(&s->pe).reserved)
			return false;
	}
	return s->goal ? s->goal->holds(&c) : spemu__spu_enabled_at(&s->pe, s->el);
}

/* Keep the set if it costs less than the best set so far. */
static void keep(struct search *s)
{
	unsigned order[SPEMU_REMEDY_MAX], price;
	struct writer who[SPEMU_REMEDY_MAX];

	find_writers(s, order, who);
	price = cost(s, who);
	if (price >= s->best_cost)
		return;
	s->best_cost = price;
	s->out->count = s->size;
	for (unsigned n = 0; n < s->size; n++) {
		const struct candidate *c = &s->candidate[s->chosen[order[n]]];

		s->out->write[n] = (struct spemu_remedy_write){c->name,
		                                               c->length,
		                                               c->hi - c->lo + 1,
		                                               s->value[order[n]],
		                                               (uint8_t)who[n].el,
		                                               who[n].name};
	}
}

/* Fill places [depth, size) of the set with candidates from first on, with all values of each. */
static void try_sets(struct search *s, unsigned depth, unsigned first)
{
	if (depth == s->size) {
		if (acceptable(s))
			keep(s);
		return;
	}
	for (unsigned i = first; i < s->count; i++) {
		const struct candidate *c = &s->candidate[i];
		uint64_t *reg = &s->pe.reg[c->reg];

		s->chosen[depth] = i;
		/* Larger values come first, because 0b11 in NSPB and E2PB also lets lower Exception
		 * levels in. */
		for (unsigned v = 1u << (c->hi - c->lo + 1); v-- > 0;) {
			if (v == c->now)
				continue;
			s->value[depth] = v;
			*reg = bits_set(*reg, c->hi, c->lo, v);
			try_sets(s, depth + 1, i + 1);
		}
		*reg = bits_set(*reg, c->hi, c->lo, c->now);
	}
}

static void search_sets(struct search *s)
{
	s->best_cost = UINT_MAX;
	for (s->size = 1; !s->out->count && s->size <= s->count && s->size <= SPEMU_REMEDY_MAX;
	     s->size++)
		try_sets(s, 0, 0);
}

/* Return true if a clause depends only on the state of the PE. */
static bool fixed(const struct clause *clause)
{
	const char *fields = clause->fields;

	while (*fields) {
		if (!says_where(fields))
			return false;
		fields = next_name(fields, strcspn(fields, " "));
	}
	return true;
}

/*
 * Return a clause that keeps profiling disabled. Before there are candidates, this is a failing
 * clause whose fields cannot be written. Later, it is a failing clause that no set of writes makes
 * true.
 */
static const struct clause *hopeless(struct search *s)
{
	struct clause_context c = {.pe = &s->pe, .el = s->el};
	struct spemu_remedy alone, *out = s->out;
	const struct clause *stays = NULL, *failing = NULL;

	for (unsigned i = 0; !stays && i < spemu__spu_enabled_decision.count; i++) {
		const struct clause *clause = &spemu__spu_enabled_decision.clauses[i];

		if (clause->holds(&c))
			continue;
		failing = failing ? failing : clause;
		if (!s->count) {
			stays = fixed(clause) ? clause : NULL;
			continue;
		}
		memset(&alone, 0, sizeof(alone));
		s->goal = clause;
		s->out = &alone;
		search_sets(s);
		stays = alone.count ? NULL : clause;
	}
	s->out = out;
	/* Each failing clause could be made true, but not all of them together: return the first
	 * one. */
	return stays || !s->count ? stays : failing;
}

static const char *const at_el3 = "profiling is always disabled at EL3";

void spemu_explain_remedy(const struct spemu_pe *pe, struct spemu_remedy *out, unsigned el)
{
	struct search s = {.pe = *pe, .el = el, .out = out};
	const struct clause *stays;

	memset(out, 0, sizeof(*out));
	s.pe.state.el = (uint8_t)el;
	s.before = s.pe;
	if (el <= 3 && spemu__spu_enabled_at(&s.pe, el))
		return;
	if (el >= 3) {
		out->never_rule = "RKRVDC";
		out->never_text = at_el3;
		return;
	}
	stays = hopeless(&s);
	if (!stays) {
		add_candidates(&s);
		search_sets(&s);
		stays = out->count ? NULL : hopeless(&s);
	}
	if (stays) {
		out->never_rule = stays->rule;
		out->never_text = stays->text;
	}
}
