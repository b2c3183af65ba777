/* SPDX-License-Identifier: MIT */
/*
 * Compare the model with a second implementation of D17.5, over random registers and operations at
 * several feature levels. The second implementation follows the text, condition by condition. It
 * uses the pages of PMSFCR_EL1, PMSEVFR_EL1, PMSNEVFR_EL1, PMSLATFR_EL1 and PMSDSFR_EL1 and of the
 * PMU events (D14.3).
 */
#include "base/prng.h"
#include "share.h"
#include "spu_fixture.h"

#include <spemu/choices.h>

enum type_bit { B, LD, ST, FP, SIMD };

struct level {
	const char *features;
	bool eft, fne, fds;
	uint64_t events; /* events on which filters are possible */
	bool gcs;
};
/* D24.7.11: events {1, 3, 5, 7}, and the events that each version adds. */
static const struct level levels[] = {
        {"v8.2" EL1_ONLY, false, false, false, 0xaa, false},
        {"v8.5" EL1_ONLY, false, false, false, 0x8aa, false},
        {"v8.7" EL1_ONLY, false, true, false, 0x8ea, false},
        {"v8.9" EL1_ONLY, false, true, true, 0xf80ffe, false},
        {"v9.5" EL1_ONLY, true, true, true, 0xfe0ffe, true},
        {"v9.5,+FEAT_SME,+FEAT_SPE_SME" EL1_ONLY, true, true, true, 0x3fe0ffe, true},
};

struct registers {
	uint64_t pmsfcr, pmsevfr, pmsnevfr, pmslatfr, pmsdsfr;
	bool nothing; /* option of filter-selects-nothing: nothing is recorded */
};

/* The filters that discard the record, and the PMU events to be counted. */
struct verdict {
	bool fe, fne, ft, fl, fds;
	unsigned feed_br, feed_ld, feed_st, feed_fp, feed_simd, feed_op, feed_event, feed_lat,
	        feed_ds;
	unsigned filtrate;
};

static bool bit(uint64_t value, unsigned n)
{
	return value >> n & 1;
}

static bool is_type(const struct spemu_op *op, enum type_bit type)
{
	bool gcs = op->kind.type == SPEMU_OP_BRANCH && (op->kind.flags & SPEMU_OPF_GCS);

	switch (type) {
	case B:
		return op->kind.type == SPEMU_OP_BRANCH;
	case LD: /* loads, atomics that return a value, and returns, which read the GCS */
		return op->kind.type == SPEMU_OP_LOAD || op->kind.type == SPEMU_OP_LOAD_ATOMIC ||
		       (gcs && (op->kind.flags & SPEMU_OPF_RETURN));
	case ST: /* stores, all atomics, and calls, which write the GCS */
		return op->kind.type == SPEMU_OP_STORE || op->kind.type == SPEMU_OP_LOAD_ATOMIC ||
		       (gcs && (op->kind.flags & SPEMU_OPF_LINK));
	case FP:
		return op->kind.flags & SPEMU_OPF_FP;
	default:
		return op->kind.flags & SPEMU_OPF_SIMD;
	}
}

/* Return true if the type filter selects the operation: "Boolean-OR of the controls whose mask is
 * 0, Boolean-AND of those whose mask is 1." */
static bool type_selected(const struct level *level, const struct registers *r,
                          const struct spemu_op *op)
{
	bool any_wanted = false, any_met = false;

	for (int t = B; t <= SIMD; t++) {
		bool exists = level->eft || t <= ST;
		bool control = exists && bit(r->pmsfcr, 16 + (unsigned)t);
		bool mask = level->eft && bit(r->pmsfcr, 48 + (unsigned)t);

		if (mask && is_type(op, (enum type_bit)t) != control)
			return false;
		if (!mask && control) {
			any_wanted = true;
			any_met |= is_type(op, (enum type_bit)t);
		}
	}
	return !any_wanted || any_met;
}

static bool some_type_control(const struct level *level, const struct registers *r)
{
	for (unsigned t = B; t <= SIMD; t++)
		if ((level->eft || t <= ST) &&
		    (bit(r->pmsfcr, 16 + t) || (level->eft && bit(r->pmsfcr, 48 + t))))
			return true;
	return false;
}

static void judge_events(struct verdict *v, const struct level *level, const struct registers *r,
                         uint64_t events)
{
	bool all = true, none = true, contradiction = false, some_e = false, some_n = false;

	for (unsigned n = 0; n < 64; n++) {
		bool filterable = bit(level->events, n);
		bool wanted = filterable && bit(r->pmsevfr, n);
		bool unwanted = filterable && level->fne && bit(r->pmsnevfr, n);

		all &= !wanted || bit(events, n);
		none &= !unwanted || !bit(events, n);
		contradiction |= wanted && unwanted;
		some_e |= wanted;
		some_n |= unwanted;
	}
	v->feed_event = all && none;
	/* CONSTRAINED UNPREDICTABLE cases: the filter acts as if it were disabled, or nothing is
	 * recorded. */
	contradiction &= bit(r->pmsfcr, 0) && bit(r->pmsfcr, 3) && level->fne;
	v->fe = bit(r->pmsfcr, 0) && (some_e && !contradiction ? !all : r->nothing);
	v->fne = level->fne && bit(r->pmsfcr, 3) && (some_n && !contradiction ? !none : r->nothing);
}

static struct verdict judge(const struct level *level, const struct registers *r,
                            const struct spemu_op *op, uint64_t events)
{
	struct verdict v = {0};
	uint64_t latency = op->total_latency > 4095 ? 4095 : op->total_latency;
	uint64_t minimum = r->pmslatfr & 0xfff;
	bool load = op->kind.type == SPEMU_OP_LOAD || op->kind.type == SPEMU_OP_LOAD_ATOMIC;
	bool selected = type_selected(level, r, op), source;

	judge_events(&v, level, r, events);
	v.feed_br = is_type(op, B);
	v.feed_ld = is_type(op, LD);
	v.feed_st = is_type(op, ST);
	v.feed_fp = is_type(op, FP);
	v.feed_simd = is_type(op, SIMD);
	v.feed_op = selected && some_type_control(level, r);
	v.ft = bit(r->pmsfcr, 1) && !selected;
	if (bit(r->pmsfcr, 1) && !level->eft && !some_type_control(level, r))
		v.ft = r->nothing;
	v.feed_lat = latency >= minimum;
	v.fl = bit(r->pmsfcr, 2) && (minimum ? latency < minimum : r->nothing);
	if (level->fds && load && (op->valid & SPEMU_OPV_DATA_SOURCE)) {
		source = bit(r->pmsdsfr, op->data_source % 64);
		v.feed_ds = source;
		v.fds = bit(r->pmsfcr, 4) && !source;
	}
	v.filtrate = !(v.fe || v.fne || v.ft || v.fl || v.fds);
	return v;
}

/* Return a word with few bits set, so that filters let some samples through. */
static uint64_t sparse(uint64_t *r)
{
	uint64_t value = prng_next(r);

	for (uint64_t n = prng_next(r) % 5; n; n--)
		value &= prng_next(r);
	return value;
}

static struct spemu_op random_op(const struct level *level, uint64_t *r)
{
	static const uint8_t types[] = {SPEMU_OP_OTHER, SPEMU_OP_LOAD, SPEMU_OP_STORE,
	                                SPEMU_OP_BRANCH, SPEMU_OP_LOAD_ATOMIC};
	struct spemu_op op = an_op((enum spemu_op_type)types[prng_next(r) % 5]);

	if (prng_next(r) & 1)
		op.kind.flags |= SPEMU_OPF_FP;
	if (prng_next(r) & 1)
		op.kind.flags |= SPEMU_OPF_SIMD;
	if (op.kind.type == SPEMU_OP_BRANCH) {
		op.kind.flags |= prng_next(r) & 1 ? SPEMU_OPF_LINK : SPEMU_OPF_RETURN;
		op.kind.flags |= level->gcs && prng_next(r) & 1 ? SPEMU_OPF_GCS : 0;
		op.kind.flags |= prng_next(r) & 1 ? SPEMU_OPF_CONDITIONAL : 0;
	}
	op.cond_pass = prng_next(r) & 1;
	op.retired = prng_next(r) % 8 != 0;
	op.events = prng_next(r);
	op.total_latency = (uint32_t)prng_next(r) >> (prng_next(r) % 32);
	op.valid = SPEMU_OPV_TOTAL_LATENCY | SPEMU_OPV_VA;
	op.valid |= prng_next(r) & 1 ? SPEMU_OPV_DATA_SOURCE : 0;
	op.data_source = (uint16_t)prng_next(r);
	return op;
}

static struct registers random_registers(struct fixture *f, uint64_t *r)
{
	struct registers g = {prng_next(r) & 0x1f, sparse(r),    sparse(r),
	                      sparse(r),           prng_next(r), prng_next(r) & 1};

	if (prng_next(r) % 8 == 0) /* often enough, select nothing */
		g.pmsevfr = g.pmslatfr = 0;
	assert_int_equal(spemu_choice_set(f->pe, SPEMU_CHOICE_FILTER_SELECTS_NOTHING,
	                                  g.nothing ? SPEMU_FILTER_SELECTS_NOTHING_NOTHING_RECORDED
	                                            : SPEMU_FILTER_SELECTS_NOTHING_FILTER_OFF),
	                 SPEMU_OK);

	g.pmsfcr |= PMSFCR_TYPE(prng_next(r) % 4 ? prng_next(r) & 0x1f : 0) |
	            PMSFCR_TYPE_MASK(sparse(r) & 0x1f);
	set(f, SPEMU_REG_PMSFCR_EL1, g.pmsfcr);
	set(f, SPEMU_REG_PMSEVFR_EL1, g.pmsevfr);
	set(f, SPEMU_REG_PMSNEVFR_EL1, g.pmsnevfr);
	set(f, SPEMU_REG_PMSLATFR_EL1, g.pmslatfr);
	set(f, SPEMU_REG_PMSDSFR_EL1, g.pmsdsfr);
	return g;
}

static void check(struct fixture *f, const struct verdict *v, unsigned filters)
{
	assert_int_equal(filters, v->fe | v->ft << 1 | v->fl << 2 | v->fne << 3 | v->fds << 4);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED), 1);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_BR), v->feed_br);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_LD), v->feed_ld);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_ST), v->feed_st);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_FP), v->feed_fp);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_SIMD), v->feed_simd);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_OP), v->feed_op);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_EVENT), v->feed_event);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_LAT), v->feed_lat);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FEED_DS), v->feed_ds);
	assert_int_equal(pmu_events(f, SPEMU_PMU_SAMPLE_FILTRATE), v->filtrate);
}

/* Return the Events packet of the operation by sampling it with all filters disabled. */
static uint64_t events_of(struct fixture *f, const struct spemu_op *op)
{
	set(f, SPEMU_REG_PMSFCR_EL1, 0);
	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	assert_int_equal(sample(f, op).outcome, SPEMU_SAMPLE_RECORDED);
	return record_at(f, BUFFER_BASE).events;
}

static void filters_match_the_reference(void **state)
{
	uint64_t r = 4711;
	unsigned recorded = 0, discarded[5] = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		struct fixture f;

		fixture_start(&f, levels[i].features, NULL);
		program(&f, 1);
		for (unsigned n = 0; n < 20000; n += test_share()) {
			struct spemu_op op = random_op(&levels[i], &r);
			uint64_t events = events_of(&f, &op);
			struct registers g = random_registers(&f, &r);
			struct verdict v = judge(&levels[i], &g, &op, events);

			set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
			memset(f.pmu, 0, sizeof(f.pmu));
			check(&f, &v, sample(&f, &op).filters);
			recorded += v.filtrate;
			discarded[0] += v.fe;
			discarded[1] += v.ft;
			discarded[2] += v.fl;
			discarded[3] += v.fne;
			discarded[4] += v.fds;
		}
		fixture_stop(&f);
	}
	/* Every outcome occurred often enough. */
	assert_true(recorded > 5000 / test_share());
	for (unsigned i = 0; i < 5; i++)
		assert_true(discarded[i] > 2000 / test_share());
}

/* The PMU events of a sample, in their order (SPECollectRecord()). */
struct order {
	uint16_t events[32];
	unsigned count;
};

static void note_event(void *ctx, uint16_t event, uint64_t count)
{
	struct order *o = ctx;

	if (event != SPEMU_PMU_SAMPLE_POP)
		o->events[o->count++] = event;
	assert_true(count > 0);
}

static void sample_feed_events_come_in_order(void **state)
{
	const uint16_t expected[] = {SPEMU_PMU_SAMPLE_FEED,    SPEMU_PMU_SAMPLE_FEED_EVENT,
	                             SPEMU_PMU_SAMPLE_FEED_LD, SPEMU_PMU_SAMPLE_FEED_ST,
	                             SPEMU_PMU_SAMPLE_FEED_FP, SPEMU_PMU_SAMPLE_FEED_SIMD,
	                             SPEMU_PMU_SAMPLE_FEED_OP, SPEMU_PMU_SAMPLE_FEED_LAT,
	                             SPEMU_PMU_SAMPLE_FEED_DS, SPEMU_PMU_SAMPLE_FILTRATE};
	struct order order = {.count = 0};
	struct spemu_spu_host host = {.size = sizeof(host), .ctx = &order, .pmu_event = note_event};
	struct spemu_spu_config config = {.size = sizeof(config)};
	struct spemu_op op = an_op(SPEMU_OP_LOAD_ATOMIC);
	struct fixture f = {.writes = 0};

	(void)state;
	fixture_make(&f, pe_make("v9.5" EL1_ONLY), &config, &host);
	program(&f, 1);
	/* In Discard mode nothing is written. */
	set(&f, SPEMU_REG_PMBLIMITR_EL1,
	    NAMED(PMBLIMITR_EL1, FM, DISCARD) | FIELD(PMBLIMITR_EL1, E, 1));
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, LD, 1));
	set(&f, SPEMU_REG_PMSDSFR_EL1, ~UINT64_C(0));
	op.kind.flags = SPEMU_OPF_FP | SPEMU_OPF_SIMD;
	op.valid = SPEMU_OPV_DATA_SOURCE;
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_DISCARDED);
	assert_int_equal(order.count, sizeof(expected) / sizeof(*expected));
	assert_memory_equal(order.events, expected, sizeof(expected));
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(filters_match_the_reference),
	        cmocka_unit_test(sample_feed_events_come_in_order),
	};
	return cmocka_run_group_tests_name("filter_reference", tests, NULL, NULL);
}
