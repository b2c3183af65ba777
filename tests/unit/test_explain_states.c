/* SPDX-License-Identifier: MIT */
/*
 * Compare explain.h with the behavior of the library. In random states of a PE, the test first
 * requests the explanations. Then an SPU of that PE must do what they describe.
 *
 * Decisions: an operation is sampled or not, and its record goes to the owner's buffer or nowhere.
 * Events: an event is injected into that record, a PMBSR_ELx records it, PMBIRQ is asserted, and an
 * exception is taken. Registers: a register is read and written.
 */
#include "share.h"
#include "spu_fixture.h"
#include "spu/spu_object.h"

#include "base/bits.h"
#include "draw.h"
#include <spemu/explain.h>
#include <spemu/inject.h>
#include <spemu/sysreg.h>

#include <stdio.h>

enum {
	STATES = 120000,
	PES = 24,
	ALL = 0x3f, /* FSC or BSC, bits [5:0] */
};

static const char *const feature_sets[] = {
        "v8.2",      "v8.4",           "v8.7",
        "v8.9",      "v9.2",           "v9.6",
        "v9.6",      "v9.6,-FEAT_RME", "v9.6,-FEAT_SEL2",
        "v8.4,-EL2", "v8.2,-EL3",      "v9.6,-FEAT_NV,-FEAT_NV2",
};

/* Notifications that the host received. */
struct notified {
	struct spemu_buffer_write access;
	unsigned writes, target;
	bool irq;
};

static int write_buffer(void *ctx, struct spemu_fault *fault,
                        const struct spemu_buffer_write *access, const void *data, size_t size)
{
	struct notified *notified = ctx;

	(void)fault;
	(void)data;
	(void)size;
	notified->access = *access;
	notified->writes++;
	return 0;
}

static void note_irq(void *ctx, bool level)
{
	((struct notified *)ctx)->irq = level;
}

static void note_target(void *ctx, unsigned target)
{
	((struct notified *)ctx)->target = target;
}

/* A PE with its SPU. */
struct world {
	struct fixture f;
	struct notified notified;
	const char *features;
};

static void make(struct world *w, uint64_t *seed)
{
	static const enum spemu_external_abort aborts[] = {
	        SPEMU_EXTERNAL_ABORT_IGNORED, SPEMU_EXTERNAL_ABORT_SERROR,
	        SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY,
	        SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY};
	const struct spemu_spu_host host = {.size = sizeof(host),
	                                    .ctx = &w->notified,
	                                    .buffer_write = write_buffer,
	                                    .pmbirq = note_irq,
	                                    .profiling_exception = note_target};
	const struct spemu_spu_config config = {.size = sizeof(config)};

	*w = (struct world){
	        .features =
	                feature_sets[below(seed, sizeof(feature_sets) / sizeof(*feature_sets))]};
	fixture_make(&w->f,
	             pe_make_with(w->features, (struct spemu_pe_config){.seed = prng_next(seed)}),
	             &config, &host);
	/* A choice is refused if the features do not permit the option. */
	(void)spemu_choice_set(w->f.pe, SPEMU_CHOICE_EXTERNAL_ABORT, aborts[below(seed, 4)]);
	(void)spemu_choice_set(w->f.pe, SPEMU_CHOICE_EXTERNAL_ABORT_ON_WALK, below(seed, 2));
	(void)spemu_choice_set(w->f.pe, SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER, below(seed, 2));
	(void)spemu_choice_set(w->f.pe, SPEMU_CHOICE_FILTER_SELECTS_NOTHING, below(seed, 2));
}

/* Set a field of a register. If the features do not have the field, the register stays
 * unchanged. */
static void put(struct fixture *f, const char *name, uint64_t value)
{
	struct spemu_reg_description r;
	struct spemu_field_description d;
	unsigned index;
	int field;

	assert_int_equal(spemu_reg_find(&index, &field, name, strlen(name)), SPEMU_OK);
	spemu_reg_describe(&r, index);
	spemu_field_describe(&d, index, (unsigned)field);
	set(f, r.reg, bits_set(reg(f, r.reg), d.hi, d.lo, value));
}

/* Draw random controls. In three of four states profiling can be enabled. */
static void randomize(struct fixture *f, uint64_t *seed)
{
	static const enum spemu_reg controls[] = {
	        SPEMU_REG_SCR_EL3,   SPEMU_REG_MDCR_EL3,  SPEMU_REG_MDCR_EL2,     SPEMU_REG_HCR_EL2,
	        SPEMU_REG_PMSCR_EL1, SPEMU_REG_PMSCR_EL2, SPEMU_REG_PMBLIMITR_EL1};
	struct spemu_pe_state state = {.el = (uint8_t)below(seed, 4), .pm = coin(seed)};
	/* Pointers that leave room for any record, and pointers that leave room for none. */
	static const uint64_t pointers[] = {BUFFER_BASE, BUFFER_BASE + BUFFER_SIZE,
	                                    BUFFER_BASE + BUFFER_SIZE - 32,
	                                    BUFFER_BASE + BUFFER_SIZE + 64};
	bool careful = below(seed, 4) != 0;
	uint64_t scr;

	for (unsigned i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		set(f, controls[i], prng_next(seed));
	set(f, SPEMU_REG_PMBSR_EL1, below(seed, 8) ? 0 : prng_next(seed));
	set(f, SPEMU_REG_PMBSR_EL2, below(seed, 8) ? 0 : prng_next(seed));
	set(f, SPEMU_REG_PMBSR_EL3, below(seed, 8) ? 0 : prng_next(seed));
	set(f, SPEMU_REG_PMBPTR_EL1, pointers[below(seed, 8) ? 0 : below(seed, 4)]);
	put(f, "PMBLIMITR_EL1.LIMIT", (BUFFER_BASE + BUFFER_SIZE) >> 12);
	set(f, SPEMU_REG_PMSIRR_EL1, below(seed, 8) ? FIELD(PMSIRR_EL1, INTERVAL, 1) : 0);
	set(f, SPEMU_REG_PMSICR_EL1, 1);
	set(f, SPEMU_REG_PMSFCR_EL1, below(seed, 4) ? 0 : prng_next(seed));
	set(f, SPEMU_REG_PMSEVFR_EL1, coin(seed) ? 0 : prng_next(seed));
	set(f, SPEMU_REG_PMSNEVFR_EL1, coin(seed) ? 0 : prng_next(seed));
	set(f, SPEMU_REG_PMSLATFR_EL1, coin(seed) ? 0 : 1);
	if (careful) {
		scr = reg(f, SPEMU_REG_SCR_EL3);
		put(f, "MDCR_EL3.NSPB", scr % 2 << 1 | 1);
		if (spemu_has(spemu_pe_features(f->pe), SPEMU_FEAT_RME))
			put(f, "MDCR_EL3.NSPBE", scr >> 62 & 1);
		if (coin(seed)) { /* like software that wants exceptions */
			put(f, "MDCR_EL3.PMSEE", 1 + below(seed, 3));
			put(f, "PMSCR_EL2.EE", 1 + below(seed, 3));
			put(f, "PMSCR_EL1.EE", 3);
		}
		put(f, "PMBLIMITR_EL1.E", 1);
		put(f, "PMSCR_EL1.E1SPE", 1);
		state.el = (uint8_t)below(seed, 3);
	} else {
		state.aarch32 = below(seed, 4) == 0;
		state.debug = below(seed, 4) == 0;
	}
	(void)spemu_pe_set(f->pe, &state); /* refused if the Exception level is not implemented */
}

static void check_decisions(const struct fixture *f, const struct notified *notified,
                            const struct spemu_decisions *d, const struct spemu_signals *s)
{
	struct spemu_owner owner;
	struct spemu_pe_state state;

	spemu_pe_get(f->pe, &state);
	spemu_spu_buffer_owner(f->spu, &owner);
	assert_int_equal(d->stopped, f->spu->stopped);
	assert_int_equal(d->buffer_enabled, f->spu->buffer_enabled);
	assert_int_equal(d->owner.el, owner.el);
	assert_int_equal(d->owner.security, owner.security);
	for (unsigned el = 0; el < 4; el++)
		assert_int_equal(d->enabled[el], spemu_spu_profiling_enabled(f->spu, el));
	assert_int_equal(spemu_spu_ops_until_sample(f->spu) != UINT64_MAX, d->enabled[state.el]);
	assert_int_equal(notified->irq, s->pmbirq);
	assert_int_equal(notified->target, s->taken_to);
	for (unsigned el = 1; el <= 3; el++) {
		struct spemu_profiling_exception e = spemu__signal_exception(f->pe, el);

		assert_int_equal(e.pending, s->exception[el].pending);
		assert_int_equal(e.masked, s->exception[el].masked);
		assert_int_equal(e.target_el, s->exception[el].target_el);
	}
}

/* Check that a register access ends as the explanation says. */
static void check_access(struct fixture *f, uint64_t *seed)
{
	struct spemu_access_result explained, result;
	struct spemu_reg_description r;
	struct spemu_pe_state state;
	enum spemu_reg target;
	bool write = coin(seed);
	uint64_t value;
	int status;

	spemu_pe_get(f->pe, &state);
	while (spemu_reg_describe(&r, below(seed, 200)) != SPEMU_OK) {
	}
	if (spemu_explain_access(f->pe, &explained, &target, r.encoding, write, state.el) !=
	    SPEMU_OK)
		return;
	/* Leave out writes that would succeed, because they would change the state. */
	if (write && explained.outcome == SPEMU_ACCESS_OK)
		return;
	status = write ? spemu_spu_msr(f->spu, &result, r.encoding, 0)
	               : spemu_spu_mrs(f->spu, &result, &value, r.encoding);
	if (status == SPEMU_OK) { /* the SPU has this register */
		assert_int_equal(result.outcome, explained.outcome);
		assert_int_equal(result.iss, explained.iss);
	}
	if (status == SPEMU_OK && !write && explained.outcome == SPEMU_ACCESS_OK &&
	    target == SPEMU_REG_PMBIDR_EL1)
		assert_int_equal(value & 0xd0, spemu_explain_pmbidr(f->pe, state.el));
}

/* Return the injection that causes the event `e`. */
static struct spemu_injection injection_of(const struct spemu_management_event_description *e)
{
	struct spemu_injection i = {.size = sizeof(i), .nth = 1, .times = 1};

	if (e->collision)
		i.kind = SPEMU_INJECT_COLLISION;
	else if (e->ec == 0)
		i.kind = e->fsc == 1   ? SPEMU_INJECT_FULL
		         : e->fsc == 4 ? SPEMU_INJECT_BUFFER_SIZE
		                       : SPEMU_INJECT_NOT_ALLOWED;
	else if (e->ec == 0x1f)
		i.kind = SPEMU_INJECT_IMPDEF;
	else if (e->ec == SPEMU_FAULT_STAGE1 && (e->fsc == 0x10 || e->fsc == 0x11))
		i.fault.kind = SPEMU_FAULT_EXTERNAL;
	else
		i.fault = (struct spemu_fault){.kind = e->ec, .fsc = e->fsc};
	return i;
}

static const enum spemu_reg syndromes[4] = {
        [1] = SPEMU_REG_PMBSR_EL1, SPEMU_REG_PMBSR_EL2, SPEMU_REG_PMBSR_EL3};

/* Return the signals that follow if the register of `el` has recorded the event. The result comes
 * from explanations alone. */
static struct spemu_signals signals_after(const struct world *w, unsigned el, uint64_t syndrome)
{
	struct spemu_refusal_detail detail;
	void *memory = malloc(spemu_machine_size());
	struct spemu_machine *m;
	struct spemu_pe_state state;
	struct spemu_signals s;
	char text[80];

	assert_int_equal(spemu_machine_init(&m, memory, spemu_machine_size()), SPEMU_OK);
	snprintf(text, sizeof(text), "features=%s", w->features);
	assert_int_equal(spemu_machine_set(m, &detail, text, strlen(text)), SPEMU_OK);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		spemu_machine_set_reg(m, (enum spemu_reg)i, reg(&w->f, (enum spemu_reg)i));
	spemu_machine_choose(
	        m, SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER,
	        (unsigned)spemu_choice_get(w->f.pe, SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER));
	spemu_pe_get(w->f.pe, &state);
	spemu_machine_set_state(m, &state);
	spemu_machine_set_reg(m, syndromes[el], syndrome);
	spemu_explain_signals(spemu_machine_pe(m), &s);
	free(memory);
	return s;
}

static struct spemu_trace_step last_of(const struct spemu_pe *pe, const struct spemu_question *q)
{
	struct spemu_trace_step step, last = {0};
	unsigned position = 0;

	while (spemu_explain_trace(pe, &step, &position, q) == SPEMU_OK)
		last = step;
	return last;
}

/* Return true if the injection causes an event that otherwise cannot occur, because its stage of
 * translation does not exist or needs a feature. */
static bool is_overridden(const struct spemu_trace_step *occurs)
{
	return !occurs->value &&
	       (strcmp(occurs->rule, "RKFMHR") == 0 || strcmp(occurs->rule, "RPSLVX") == 0 ||
	        strcmp(occurs->rule, "D24.7") == 0);
}

struct seen {
	unsigned recorded, never, written, unpredictable, discarded, masked, taken, interrupts;
};

/* Check that the event happened: its register records it, the other registers are unchanged, and
 * the host was notified as expected. */
static void check_recorded(const struct world *w,
                           const struct spemu_management_event_description *e, unsigned el,
                           const uint64_t before[4], const struct spemu_signals *s,
                           struct seen *seen)
{
	for (unsigned i = 1; i <= 3; i++) {
		uint64_t now = reg(&w->f, syndromes[i]);

		if (i != el || e->collision) {
			assert_true((now & ~UINT64_C(0x10000)) == (before[i] & ~UINT64_C(0x10000)));
			continue;
		}
		assert_true(now >> SPEMU_PMBSR_EL1_S_LSB & 1);
		assert_int_equal(now >> SPEMU_PMBSR_EL1_EC_LSB & ALL, e->ec);
		if (e->ec != 0x1f)
			assert_int_equal(now & ALL, e->fsc);
	}
	if (e->collision)
		assert_true(reg(&w->f, syndromes[el]) >> SPEMU_PMBSR_EL1_COLL_LSB & 1);
	assert_int_equal(w->notified.irq, s->pmbirq);
	assert_int_equal(w->notified.target, s->taken_to);
	seen->interrupts += s->pmbirq;
	seen->taken += s->taken_to != 0;
	seen->masked += s->exception[el].masked;
	seen->recorded++;
}

/* While profiling is enabled, sample an operation and check how the event affects its record. */
static void check_sample(struct world *w, const struct spemu_decisions *d, struct seen *seen,
                         uint64_t *seed)
{
	struct spemu_op op = an_op(below(seed, 2) ? SPEMU_OP_LOAD : SPEMU_OP_BRANCH);
	struct spemu_management_event_description e;
	struct spemu_trace_step occurs;
	struct spemu_sample_result result;
	struct spemu_injection injection;
	struct spemu_signals expected;
	uint64_t before[4] = {0};
	unsigned el;

	while (spemu_management_event_describe(&e, below(seed, 40)) != SPEMU_OK) {
	}
	injection = injection_of(&e);
	occurs = last_of(w->f.pe, &(struct spemu_question){.topic = SPEMU_TOPIC_OCCURS,
	                                                   .ec = e.ec,
	                                                   .fsc = e.fsc,
	                                                   .collision = e.collision});
	el = last_of(w->f.pe,
	             &(struct spemu_question){.topic = SPEMU_TOPIC_EVENT, .ec = e.ec, .fsc = e.fsc})
	             .value;
	if (is_overridden(&occurs))
		return;
	for (unsigned i = 1; i <= 3; i++)
		before[i] = reg(&w->f, syndromes[i]);
	/* The register keeps bits of an earlier event, so the expected value contains them. */
	expected = signals_after(w, el,
	                         e.collision ? before[el]
	                                     : before[el] | UINT64_C(1) << SPEMU_PMBSR_EL1_S_LSB);
	w->notified.writes = 0;
	spemu_spu_inject_clear(w->f.spu);
	assert_int_equal(spemu_spu_inject(w->f.spu, NULL, &injection), SPEMU_OK);
	op.valid = SPEMU_OPV_TOTAL_LATENCY;
	op.total_latency = 40;
	result = sample(&w->f, &op);
	spemu_spu_inject_clear(w->f.spu);
	if (d->written == SPEMU_WRITTEN_NEVER) {
		assert_int_equal(w->notified.writes, 0);
		for (unsigned i = 1; i <= 3; i++)
			assert_true(reg(&w->f, syndromes[i]) == before[i]);
		seen->discarded++;
		return;
	}
	if (w->notified.writes) {
		assert_int_equal(w->notified.access.owner_el, d->owner.el);
		assert_int_equal(w->notified.access.security, d->owner.security);
	}
	/* A filter or a CONSTRAINED UNPREDICTABLE choice keeps the record out of the buffer. */
	seen->unpredictable += d->written == SPEMU_WRITTEN_UNPREDICTABLE;
	if (d->written == SPEMU_WRITTEN_UNPREDICTABLE || result.outcome == SPEMU_SAMPLE_FILTERED)
		return;
	if (occurs.value) {
		check_recorded(w, &e, el, before, &expected, seen);
		return;
	}
	/* An External abort may be reported with the code of the other kind, synchronous or
	 * asynchronous. */
	for (unsigned i = 1; i <= 3; i++) {
		uint64_t now = reg(&w->f, syndromes[i]);

		assert_true((now ^ before[i]) >> SPEMU_PMBSR_EL1_S_LSB & 1 ? (now & ALL) != e.fsc
		                                                           : now == before[i]);
	}
	seen->never++;
}

static void library_behaves_as_explained_in_random_states(void **state)
{
	struct seen seen = {0};
	uint64_t seed = 39;
	unsigned rounds = STATES / test_share();

	(void)state;
	for (unsigned i = 0; i < PES; i++) {
		struct world w;

		make(&w, &seed);
		for (unsigned n = 0; n < rounds / PES; n++) {
			struct spemu_decisions d;
			struct spemu_signals s;
			struct spemu_pe_state at;

			randomize(&w.f, &seed);
			spemu_explain_decide(w.f.pe, &d);
			spemu_explain_signals(w.f.pe, &s);
			check_decisions(&w.f, &w.notified, &d, &s);
			check_access(&w.f, &seed);
			spemu_pe_get(w.f.pe, &at);
			if (d.enabled[at.el])
				check_sample(&w, &d, &seen, &seed);
		}
		fixture_stop(&w.f);
	}
	print_message("# %u recorded, %u that cannot be, %u in Discard mode or filtered, %u "
	              "unpredictable, "
	              "%u interrupts, %u exceptions, %u masked\n",
	              seen.recorded, seen.never, seen.discarded, seen.unpredictable,
	              seen.interrupts, seen.taken, seen.masked);
	if (test_share() == 1)
		assert_true(seen.recorded > 5000 && seen.never > 200 && seen.discarded > 1000 &&
		            seen.interrupts > 500 && seen.taken > 500 && seen.masked > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(library_behaves_as_explained_in_random_states),
	};
	return cmocka_run_group_tests_name("explain_states", tests, NULL, NULL);
}
