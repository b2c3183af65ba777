/* SPDX-License-Identifier: MIT */
/* Test every cell of Tables D17-5, D17-6 and D17-7 (RHJXHT). A buffer write causes each event with
 * every combination of the controls. The test checks all three PMBSR_ELx and PMBPTR_EL1. */
#include "share.h"
#include "spu_fixture.h"
#include "spu/spu_object.h"
#include "table.h"

#define S FIELD(PMBSR_EL1, S, 1)
#define DL FIELD(PMBSR_EL1, DL, 1)
#define SYNDROME UINT64_C(0x00fffffffc00ffff) /* MSS2, EC, MSS */
/* Bytes of a record that are written before its fault. */
#define OFFSET 3

/* Ways to cause an event. */
enum way {
	BY_WRITE,       /* the host returns a fault for the first byte of a write */
	BY_PART,        /* the host returns a fault inside the record */
	BY_TRANSLATION, /* the host returns a fault for the translation */
	BY_INJECTION,   /* a fault is injected inside the record */
	BY_FULL,        /* the last record that fits */
	BY_FULL_EARLY,  /* a Buffer full event is injected */
	BY_NOT_ALLOWED, /* an "access not allowed" event is injected */
	BY_BUFFER_SIZE, /* a "buffer too large" event is injected */
	BY_IMPDEF,      /* an IMPLEMENTATION DEFINED event is injected */
	BY_DISABLED,    /* the buffer is disabled with a sample in flight; choice: not allowed */
	BY_NO_ROOM,     /* the pointer violates RHXSYK; choice: not allowed */
};

struct event {
	uint8_t table; /* table D17-5, 6 or 7 */
	const char *column;
	uint16_t ec;
	uint8_t mss;
	uint8_t needs_rme;
	uint8_t way;
};

/* Faults. Each is caused in the first four ways. */
static const struct event faults[] = {
        {5, "stage1", 0x24, 0x22, 1, 0}, {5, "stage1", 0x24, 0x23, 1, 0},
        {5, "stage1", 0x24, 0x24, 1, 0}, {5, "stage1", 0x24, 0x27, 1, 0},
        {5, "stage1", 0x24, 0x28, 1, 0}, {5, "stage2", 0x25, 0x22, 1, 0},
        {5, "stage2", 0x25, 0x25, 1, 0}, {5, "stage2", 0x25, 0x27, 1, 0},
        {5, "gpc", 0x1e, 0, 1, 0},       {6, "stage1", 0x24, 0x12, 0, 0},
        {6, "stage1", 0x24, 0x13, 0, 0}, {6, "stage1", 0x24, 0x14, 0, 0},
        {6, "stage1", 0x24, 0x17, 0, 0}, {6, "stage1", 0x24, 0x1b, 0, 0},
        {6, "stage2", 0x25, 0x12, 0, 0}, {6, "stage2", 0x25, 0x13, 0, 0},
        {6, "stage2", 0x25, 0x14, 0, 0}, {6, "stage2", 0x25, 0x15, 0, 0},
        {6, "stage2", 0x25, 0x16, 0, 0}, {7, "stage1", 0x24, 0x00, 0, 0},
        {7, "stage1", 0x24, 0x07, 0, 0}, {7, "stage1", 0x24, 0x09, 0, 0},
        {7, "stage1", 0x24, 0x0f, 0, 0}, {7, "stage1", 0x24, 0x21, 0, 0},
        {7, "stage1", 0x24, 0x29, 0, 0}, {7, "stage1", 0x24, 0x2a, 0, 0},
        {7, "stage1", 0x24, 0x2b, 0, 0}, {7, "stage1", 0x24, 0x2c, 0, 0},
        {7, "stage1", 0x24, 0x30, 0, 0}, {7, "stage1", 0x24, 0x31, 0, 0},
        {7, "stage2", 0x25, 0x03, 0, 0}, {7, "stage2", 0x25, 0x04, 0, 0},
        {7, "stage2", 0x25, 0x07, 0, 0}, {7, "stage2", 0x25, 0x0b, 0, 0},
        {7, "stage2", 0x25, 0x0d, 0, 0}, {7, "stage2", 0x25, 0x21, 0, 0},
        {7, "stage2", 0x25, 0x31, 0, 0},
};
#define FAULTS (sizeof(faults) / sizeof(*faults))

static const struct event others[] = {
        {7, "other", 0, 1, 0, BY_FULL},        {7, "other", 0, 1, 0, BY_FULL_EARLY},
        {7, "other", 0, 0, 0, BY_NOT_ALLOWED}, {7, "other", 0, 4, 0, BY_BUFFER_SIZE},
        {7, "other", 0x1f, 9, 0, BY_IMPDEF},   {7, "other", 0, 0, 0, BY_DISABLED},
        {7, "other", 0, 0, 0, BY_NO_ROOM},
};
#define OTHERS (sizeof(others) / sizeof(*others))

static const char *const feature_sets[] = {
        "v9.6",
        "v9.6,-FEAT_RME",
        "v9.6,-FEAT_SEL2",
        "v9.6,-FEAT_RME,-FEAT_SEL2",
        "v9.6,-FEAT_RME,-EL3",
        "v9.6,-FEAT_RME,-EL2",
        "v9.6,-FEAT_RME,-EL3,-EL2",
        "v9.6,-FEAT_RME,-FEAT_SPEv1p5,-FEAT_SPE_EXC",
        "v9.6,+FEAT_TCR2,+FEAT_THE,+FEAT_S1PIE,+FEAT_S1POE",
};
#define FEATURE_SETS (sizeof(feature_sets) / sizeof(*feature_sets))

/* The raw values of the controls. */
struct controls {
	unsigned security, eel2, pmsee, ee, e2pb;
	unsigned scr_gpf, scr_ea, hcr_gpf, hcr_tea;
};

struct bench {
	struct fixture f; /* first member: the context of the host points to it */
	struct table table[3];
	struct spemu_features features;
	struct spemu_fault translation_fault;
	uint64_t noise, checks;
};

static bool has(const struct bench *b, enum spemu_feature f)
{
	return spemu_has(&b->features, f);
}

static int translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                     const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	const struct bench *b = ctx;

	(void)pe;
	if (b->translation_fault.kind) {
		*fault = b->translation_fault;
		return fault->kind;
	}
	*result = (struct spemu_translation){.physical = access->address,
	                                     .pas = access->security,
	                                     .region_log2 = 12,
	                                     .memory = {.type = SPEMU_MEMORY_NORMAL}};
	return 0;
}

/* Return true if the Security state exists below EL3 and EL2 can be enabled in it as requested. */
static bool state_exists(const struct bench *b, const struct controls *c)
{
	bool rme = has(b, SPEMU_FEAT_RME), sel2 = has(b, SPEMU_FEAT_SEL2);

	if (!has(b, SPEMU_EL3)) /* Non-secure, because these PEs are not SecureOnly */
		return c->security == SPEMU_SS_NON_SECURE && !c->eel2;
	if (c->security == SPEMU_SS_REALM)
		return rme && !c->eel2;
	if (c->security == SPEMU_SS_SECURE)
		return (!rme || sel2) && (sel2 || !c->eel2);
	return !c->eel2;
}

static bool el2_enabled(const struct bench *b, const struct controls *c)
{
	return has(b, SPEMU_EL2) &&
	       (c->security != SPEMU_SS_SECURE || (has(b, SPEMU_FEAT_SEL2) && c->eel2));
}

static uint64_t noise(struct bench *b)
{
	b->noise = b->noise * UINT64_C(6364136223846793005) + 1442695040888963407;
	return b->noise >> 7 &
	       (SYNDROME | FIELD(PMBSR_EL1, COLL, 1) | FIELD(PMBSR_EL1, EA, 1) | DL);
}

/* Apply the controls, and reset everything else. The PMBSR_ELx have traces of earlier events, with
 * S 0. */
static void apply(struct bench *b, const struct controls *c)
{
	struct fixture *f = &b->f;
	uint64_t nspb = FIELD(MDCR_EL3, NSPBE, c->security == SPEMU_SS_REALM) |
	                FIELD(MDCR_EL3, NSPB, c->security == SPEMU_SS_SECURE ? 1 : 3);

	if (spemu_pe_set(f->pe, &(struct spemu_pe_state){.el = 3})) /* EL3 does not exist */
		at_el(f, 1);
	set(f, SPEMU_REG_PMBLIMITR_EL1, 0);
	set(f, SPEMU_REG_SCR_EL3,
	    FIELD(SCR_EL3, NSE, c->security >> 1) | FIELD(SCR_EL3, GPF, c->scr_gpf) |
	            FIELD(SCR_EL3, EEL2, c->eel2) | FIELD(SCR_EL3, EA, c->scr_ea) |
	            (c->security & 1));
	set(f, SPEMU_REG_HCR_EL2,
	    FIELD(HCR_EL2, GPF, c->hcr_gpf) | FIELD(HCR_EL2, TEA, c->hcr_tea));
	set(f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, PMSEE, c->pmsee) | nspb);
	set(f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, E2PB, c->e2pb));
	set(f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EE, c->ee));
	program(f, 1);
	set(f, SPEMU_REG_PMBSR_EL1, noise(b));
	set(f, SPEMU_REG_PMBSR_EL2, noise(b));
	set(f, SPEMU_REG_PMBSR_EL3, noise(b));
	spemu_spu_inject_clear(f->spu);
	f->fault_at = 0;
	b->translation_fault.kind = 0;
}

/* Return the Exception level in the cell of the table. The tables are written with Effective
 * values. */
static unsigned expected_el(struct bench *b, const struct event *e, const struct controls *c)
{
	unsigned pmsee = has(b, SPEMU_EL3) ? c->pmsee : 1;
	unsigned ee = el2_enabled(b, c) ? c->ee : 1;
	unsigned e2pb = el2_enabled(b, c) ? c->e2pb : 3; /* EL1 owns */
	const struct table *t = &b->table[e->table - 5];
	const struct table_input inputs[3][5] = {
	        {{"PMSEE", pmsee},
	         {"EE", ee},
	         {"E2PB", e2pb},
	         {"SCR_EL3.GPF", c->scr_gpf},
	         {"HCR_EL2.GPF", c->hcr_gpf}},
	        {{"PMSEE", pmsee},
	         {"EE", ee},
	         {"E2PB", e2pb},
	         {"SCR_EL3.EA", c->scr_ea},
	         {"HCR_EL2.TEA", c->hcr_tea}},
	        {{"PMSEE", pmsee}, {"EE", ee}, {"E2PB", e2pb}},
	};
	unsigned matching, row;

	if (!has(b, SPEMU_FEAT_SPE_EXC))
		return 1;
	row = table_find(t, inputs[e->table - 5], e->table == 7 ? 3 : 5, &matching);
	assert_int_equal(matching, 1);
	return (unsigned)(table_get(t, row, e->column)[2] - '0');
}

static struct spemu_fault fault_of(const struct event *e)
{
	return (struct spemu_fault){.kind = e->ec,
	                            .fsc = e->mss,
	                            .top_level = true,
	                            .assured_only = true,
	                            .overlay = true,
	                            .dirty_bit = true};
}

/* Return MSS2 of a Permission fault: the bits that this PE has (D24.7.5). */
static uint64_t mss2_of(const struct bench *b, const struct event *e)
{
	uint64_t mss2 = 0;

	if (e->ec == 0x1e || e->mss < 0x0c || e->mss > 0x0f)
		return 0;
	if (e->ec == 0x25 && has(b, SPEMU_FEAT_THE))
		mss2 |= MSS2_TOP_LEVEL | MSS2_ASSURED_ONLY;
	if (has(b, SPEMU_FEAT_S1POE))
		mss2 |= MSS2_OVERLAY;
	if (has(b, SPEMU_FEAT_S1PIE))
		mss2 |= MSS2_DIRTY_BIT;
	return mss2;
}

static void inject(struct bench *b, uint8_t event, const struct event *e)
{
	struct spemu_injection i = {.size = sizeof(i),
	                            .when = SPEMU_INJECT_NTH,
	                            .kind = event,
	                            .mss = 9,
	                            .mss2 = 0x123456,
	                            .nth = 1,
	                            .fault = fault_of(e)};

	i.fault.written = OFFSET;
	assert_int_equal(spemu_spu_inject(b->f.spu, NULL, &i), SPEMU_OK);
}

static void choose(struct bench *b, enum spemu_choice choice, unsigned option)
{
	assert_int_equal(spemu_choice_set(b->f.pe, choice, option), SPEMU_OK);
}

/* Prepare the event. Return the other bits that the event sets in PMBSR_ELx, for example DL. Store
 * the expected pointer in *pointer. */
static uint64_t prepare(struct bench *b, const struct event *e, enum way way, uint64_t *pointer)
{
	struct fixture *f = &b->f;
	uint64_t ptr = BUFFER_BASE;

	*pointer = ptr;
	switch (way) {
	case BY_WRITE:
	case BY_PART:
		f->fault = fault_of(e);
		f->fault_at = *pointer = ptr + (way == BY_PART ? OFFSET : 0);
		return way == BY_PART ? DL : 0;
	case BY_TRANSLATION:
		b->translation_fault = fault_of(e);
		return 0;
	case BY_INJECTION:
		inject(b, SPEMU_INJECT_FAULT, e);
		*pointer = ptr + OFFSET;
		return DL;
	case BY_FULL:
		ptr = BUFFER_BASE + BUFFER_SIZE -
		      (UINT64_C(1) << (reg(f, SPEMU_REG_PMSIDR_EL1) >> 12 & 15));
		set(f, SPEMU_REG_PMBPTR_EL1, ptr);
		*pointer = 0; /* after the record, whose size may be any */
		return 0;
	case BY_FULL_EARLY:
		inject(b, SPEMU_INJECT_FULL, e);
		*pointer = 0;
		return 0;
	case BY_NOT_ALLOWED:
		inject(b, SPEMU_INJECT_NOT_ALLOWED, e);
		return DL;
	case BY_BUFFER_SIZE:
		inject(b, SPEMU_INJECT_BUFFER_SIZE, e);
		return DL;
	case BY_IMPDEF:
		inject(b, SPEMU_INJECT_IMPDEF, e);
		return DL;
	case BY_DISABLED:
		choose(b, SPEMU_CHOICE_DISABLED_IN_FLIGHT,
		       SPEMU_DISABLED_IN_FLIGHT_ACCESS_NOT_ALLOWED);
		return DL;
	default:
		choose(b, SPEMU_CHOICE_POINTER_RESTRICTION,
		       SPEMU_POINTER_RESTRICTION_ACCESS_NOT_ALLOWED);
		*pointer = BUFFER_BASE + BUFFER_SIZE - 63;
		set(f, SPEMU_REG_PMBPTR_EL1, *pointer);
		return DL;
	}
}

static void provoke(struct bench *b, enum way way)
{
	struct fixture *f = &b->f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_sample_result result;
	uint64_t n = spemu_spu_ops_until_sample(f->spu);
	bool recorded = way == BY_FULL || way == BY_FULL_EARLY;

	assert_true(n != UINT64_MAX);
	assert_int_equal(spemu_spu_ops(f->spu, n - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f->spu, 0x1000), SPEMU_SAMPLE_STARTED);
	if (way == BY_DISABLED)
		set(f, SPEMU_REG_PMBLIMITR_EL1, BUFFER_BASE + BUFFER_SIZE);
	assert_int_equal(spemu_spu_sample_end(f->spu, &result, &op), SPEMU_OK);
	assert_int_equal(result.outcome, recorded ? SPEMU_SAMPLE_RECORDED : SPEMU_SAMPLE_LOST);
	assert_true(result.management_event);
}

static void check(struct bench *b, const struct event *e, enum way way, const struct controls *c)
{
	static const enum spemu_reg pmbsr[] = {SPEMU_REG_PMBSR_EL1, SPEMU_REG_PMBSR_EL2,
	                                       SPEMU_REG_PMBSR_EL3};
	unsigned target = expected_el(b, e, c);
	uint64_t before[3], sets, pointer, written;

	apply(b, c);
	/* Check the decision alone. */
	assert_int_equal(spemu__route_target_el(b->f.spu->pe, e->ec, e->mss), target);
	sets = prepare(b, e, way, &pointer) | S | FIELD(PMBSR_EL1, EC, e->ec) | e->mss;
	sets |= way == BY_IMPDEF ? FIELD(PMBSR_EL1, MSS2, 0x123456)
	                         : FIELD(PMBSR_EL1, MSS2, mss2_of(b, e));
	for (unsigned i = 0; i < 3; i++)
		before[i] = reg(&b->f, pmbsr[i]);
	written = reg(&b->f, SPEMU_REG_PMBPTR_EL1);
	provoke(b, way);
	for (unsigned i = 0; i < 3; i++)
		if (i + 1 == target) /* EA and COLL do not change, nor does DL if it is not set */
			before[i] = (before[i] & ~SYNDROME) | sets;
	for (unsigned i = 0; i < 3; i++)
		if (reg(&b->f, pmbsr[i]) != before[i])
			fail_msg("table D17-%u, EC %#x, MSS %#x, way %u: PMBSR_EL%u is %#llx, "
			         "not %#llx",
			         e->table, e->ec, e->mss, way, i + 1,
			         (unsigned long long)reg(&b->f, pmbsr[i]),
			         (unsigned long long)before[i]);
	if (pointer)
		assert_true(reg(&b->f, SPEMU_REG_PMBPTR_EL1) == pointer);
	else
		assert_true(reg(&b->f, SPEMU_REG_PMBPTR_EL1) > written);
	choose(b, SPEMU_CHOICE_DISABLED_IN_FLIGHT, SPEMU_DISABLED_IN_FLIGHT_DISCARD);
	choose(b, SPEMU_CHOICE_POINTER_RESTRICTION, SPEMU_POINTER_RESTRICTION_BUFFER_FULL);
	b->checks++;
}

/* D17.3.7: a collision sets COLL in the PMBSR_ELx that the column of other events gives, and
 * changes nothing else. */
static void collide(struct bench *b, const struct controls *c)
{
	static const enum spemu_reg registers[] = {SPEMU_REG_PMBSR_EL1, SPEMU_REG_PMBSR_EL2,
	                                           SPEMU_REG_PMBSR_EL3, SPEMU_REG_PMBPTR_EL1};
	const struct event other = {7, "other", 0, 0, 0, 0};
	unsigned target = expected_el(b, &other, c);
	struct fixture *f = &b->f;
	uint64_t expected[4];

	apply(b, c);
	assert_int_equal(spemu_spu_ops(f->spu, spemu_spu_ops_until_sample(f->spu) - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f->spu, 0x1000), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_ops(f->spu, spemu_spu_ops_until_sample(f->spu) - 1), SPEMU_OK);
	for (unsigned i = 0; i < 4; i++)
		expected[i] = reg(f, registers[i]);
	expected[target - 1] |= FIELD(PMBSR_EL1, COLL, 1);
	assert_int_equal(spemu_spu_sample_begin(f->spu, 0x2000), SPEMU_SAMPLE_COLLIDED);
	for (unsigned i = 0; i < 4; i++)
		assert_true(reg(f, registers[i]) == expected[i]);
	assert_int_equal(spemu_spu_sample_end(f->spu, NULL, &(struct spemu_op){.retired = true}),
	                 SPEMU_OK);
}

/* Return the controls for an event. The routing bits of the table of the event are as in `c`. The
 * routing bits of the other table must not matter, so they are inverted. */
static struct controls controls_for(const struct bench *b, const struct controls *c,
                                    const struct event *e)
{
	struct controls own = *c;

	if (e->table == 5) {
		own.scr_ea = !c->scr_gpf && has(b, SPEMU_EL3);
		own.hcr_tea = !c->hcr_gpf && has(b, SPEMU_EL2);
	} else {
		own.scr_ea = c->scr_gpf;
		own.hcr_tea = c->hcr_gpf;
		own.scr_gpf = !c->scr_gpf && has(b, SPEMU_FEAT_RME);
		own.hcr_gpf = !c->hcr_gpf && has(b, SPEMU_FEAT_RME);
	}
	return own;
}

/* Check every event with one combination of the controls. */
static void every_event(struct bench *b, const struct controls *combination)
{
	struct controls c;

	for (unsigned i = 0; i < FAULTS; i++) {
		c = controls_for(b, combination, &faults[i]);
		for (unsigned way = BY_WRITE; way <= BY_INJECTION; way++)
			if (!faults[i].needs_rme || has(b, SPEMU_FEAT_RME))
				check(b, &faults[i], (enum way)way, &c);
	}
	for (unsigned i = 0; i < OTHERS; i++) {
		c = controls_for(b, combination, &others[i]);
		check(b, &others[i], (enum way)others[i].way, &c);
	}
	collide(b, combination);
}

static bool unpack(const struct bench *b, struct controls *c, unsigned n)
{
	*c = (struct controls){.security = n & 3,
	                       .eel2 = n >> 2 & 1,
	                       .pmsee = n >> 3 & 3,
	                       .ee = n >> 5 & 3,
	                       .e2pb = n >> 7 & 3,
	                       .scr_gpf = n >> 9 & 1,
	                       .hcr_gpf = n >> 10 & 1};
	if (c->security == SPEMU_SS_ROOT || c->e2pb == 1 || !state_exists(b, c))
		return false;
	/* The control is RES0, so this combination equals another one. */
	if (!has(b, SPEMU_EL3) && (c->pmsee || c->scr_gpf))
		return false;
	if (!has(b, SPEMU_EL2) && (c->ee || c->e2pb || c->hcr_gpf))
		return false;
	return true;
}

static void tables_d17_5_to_d17_7_route_events(void **state)
{
	static struct bench b;
	unsigned combinations = 0;

	(void)state;
	for (unsigned i = 0; i < FEATURE_SETS; i++) {
		uint64_t checks = b.checks;

		fixture_start(&b.f, feature_sets[i], NULL);
		b.f.spu->host.translate = translate;
		assert_int_equal(spemu_features_parse(&b.features, NULL, feature_sets[i]),
		                 SPEMU_OK);
		table_load(&b.table[0], "D17-5");
		table_load(&b.table[1], "D17-6");
		table_load(&b.table[2], "D17-7");
		for (unsigned n = 0; n < 1u << 11; n += test_share()) {
			struct controls c;

			if (!unpack(&b, &c, n))
				continue;
			every_event(&b, &c);
			combinations++;
		}
		print_message("# %s: %llu events\n", feature_sets[i],
		              (unsigned long long)(b.checks - checks));
		fixture_stop(&b.f);
	}
	print_message("# %u combinations of the controls, %llu events\n", combinations,
	              (unsigned long long)b.checks);
	assert_true(combinations > 2000 / test_share());
}

/* Each table has exactly one row for each combination of its columns. */
static void routing_tables_are_complete_without_overlap(void **state)
{
	struct table t;

	(void)state;
	for (unsigned number = 5; number <= 7; number++) {
		const char *const bit[2][2] = {{"SCR_EL3.GPF", "HCR_EL2.GPF"},
		                               {"SCR_EL3.EA", "HCR_EL2.TEA"}};
		char name[8];

		snprintf(name, sizeof(name), "D17-%u", number);
		table_load(&t, name);
		for (unsigned n = 0; n < 256; n++) {
			const struct table_input inputs[] = {
			        {"PMSEE", n & 3},
			        {"EE", n >> 2 & 3},
			        {"E2PB", n >> 4 & 3},
			        {bit[number & 1 ? 0 : 1][0], n >> 6 & 1},
			        {bit[number & 1 ? 0 : 1][1], n >> 7},
			};
			unsigned matching;

			if ((n >> 4 & 3) == 1)
				continue; /* E2PB 0b01 is reserved */
			table_find(&t, inputs, number == 7 ? 3 : 5, &matching);
			assert_int_equal(matching, 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(tables_d17_5_to_d17_7_route_events),
	        cmocka_unit_test(routing_tables_are_complete_without_overlap),
	};
	return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
