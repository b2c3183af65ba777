/* SPDX-License-Identifier: MIT */
/*
 * Test the contexts, timestamps and physical addresses in records, by owner and Exception level
 * (D17.6.9, Table D17-3).
 */
#include "spu_fixture.h"
#include "table.h"

#define CLOCK UINT64_C(0x1000000)
#define CNTVOFF UINT64_C(0x111)
#define CNTPOFF UINT64_C(0x2222)

struct setting {
	unsigned el, tge, e2h, owner_el2, pct1, pct2, ts1, ts2, ecv, ecven;
};

/* Set up Non-secure state with EL3 and EL2. Return false if the PE cannot execute at `el`. */
static bool arrange(struct fixture *f, const struct setting *c)
{
	if (c->el == 1 && c->tge)
		return false;
	program(f, 1);
	set(f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1) | FIELD(SCR_EL3, ECVEn, c->ecven));
	set(f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, TGE, c->tge) | FIELD(HCR_EL2, E2H, c->e2h));
	set(f, SPEMU_REG_MDCR_EL2, 0);
	set(f, SPEMU_REG_PMSCR_EL2,
	    FIELD(PMSCR_EL2, PCT, c->pct2) | FIELD(PMSCR_EL2, TS, c->ts2) |
	            FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1));
	set(f, SPEMU_REG_MDCR_EL2, c->owner_el2 ? 0 : NAMED(MDCR_EL2, E2PB, EL1));
	set(f, SPEMU_REG_PMSCR_EL1,
	    FIELD(PMSCR_EL1, PCT, c->pct1) | FIELD(PMSCR_EL1, TS, c->ts1) |
	            FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	set(f, SPEMU_REG_CNTVOFF_EL2, CNTVOFF);
	set(f, SPEMU_REG_CNTPOFF_EL2, CNTPOFF);
	set(f, SPEMU_REG_CNTHCTL_EL2, FIELD(CNTHCTL_EL2, ECV, c->ecv));
	f->clock = CLOCK;
	at_el(f, c->el);
	return spemu_spu_profiling_enabled(f->spu, c->el);
}

static struct spemu_record recorded(struct fixture *f)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	assert_int_equal(sample(f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	return record_at(f, BUFFER_BASE);
}

static void check_timestamp(const struct spemu_record *rec, const char *kind,
                            const struct setting *c)
{
	/* The virtual offset is zero if a read of CNTVCT_EL0 would use zero. */
	bool host = c->e2h && (c->el == 2 || (c->el == 0 && c->tge));

	assert_int_equal(!!(rec->present & SPEMU_RECORD_TIMESTAMP), strcmp(kind, "none") != 0);
	if (strcmp(kind, "virtual") == 0)
		assert_int_equal(rec->timestamp, CLOCK - (host ? 0 : CNTVOFF));
	else if (strcmp(kind, "physical") == 0)
		assert_int_equal(rec->timestamp, CLOCK);
	else if (strcmp(kind, "offset") == 0)
		assert_int_equal(rec->timestamp, CLOCK - (c->ecv && c->ecven ? CNTPOFF : 0));
}

static void table_d17_3_timestamps(void **state)
{
	static const unsigned pct[3] = {0, 1, 3};
	struct table t;
	struct fixture f;
	unsigned count = 0;

	(void)state;
	table_load(&t, "D17-3");
	fixture_start(&f, "v8.6", NULL);
	for (unsigned n = 0; n < 3 * 3 * 3 * 256; n++) {
		unsigned bits = n / 27, matching, row;
		struct setting c = {n % 3,          bits & 1,       bits >> 1 & 1, bits >> 2 & 1,
		                    pct[n / 3 % 3], pct[n / 9 % 3], bits >> 3 & 1, bits >> 4 & 1,
		                    bits >> 5 & 1,  bits >> 6 & 1};
		const struct table_input inputs[] = {
		        {"EL2", 1},     {"owner_EL2", c.owner_el2}, {"PCT2", c.pct2},
		        {"TS2", c.ts2}, {"PCT1", c.pct1},           {"TS1", c.ts1},
		};
		struct spemu_record rec;

		if (!arrange(&f, &c))
			continue;
		row = table_find(&t, inputs, 6, &matching);
		assert_int_equal(matching, 1);
		rec = recorded(&f);
		check_timestamp(&rec, table_get(&t, row, "timestamp"), &c);
		count++;
	}
	assert_true(count > 1000);
	fixture_stop(&f);
}

/* EL2 exists and is disabled: Secure state without SCR_EL3.EEL2. PMSCR_EL2 then has no effect. */
static void timestamps_ignore_pmscr_el2_with_el2_disabled(void **state)
{
	static const unsigned pct[3] = {0, 1, 3};
	struct table t;
	struct fixture f;

	(void)state;
	table_load(&t, "D17-3");
	fixture_start(&f, "v8.6", NULL);
	for (unsigned n = 0; n < 3 * 3 * 64; n++) {
		unsigned bits = n / 9, matching, row;
		struct setting c = {.el = bits & 1,
		                    .pct1 = pct[n % 3],
		                    .pct2 = pct[n / 3 % 3],
		                    .ts1 = bits >> 1 & 1,
		                    .ts2 = bits >> 2 & 1,
		                    .ecv = bits >> 3 & 1,
		                    .ecven = bits >> 4 & 1};
		const struct table_input inputs[] = {
		        {"EL2", 0},     {"owner_EL2", 0}, {"PCT2", c.pct2},
		        {"TS2", c.ts2}, {"PCT1", c.pct1}, {"TS1", c.ts1},
		};
		struct spemu_record rec;

		program(&f, 1);
		set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, ECVEn, c.ecven)); /* NS and EEL2 are 0 */
		set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 1));      /* Secure state owns */
		set(&f, SPEMU_REG_HCR_EL2, 0);
		set(&f, SPEMU_REG_MDCR_EL2,
		    bits >> 5 & 1 ? 0 : NAMED(MDCR_EL2, E2PB, EL1)); /* E2PB has no effect either */
		set(&f, SPEMU_REG_PMSCR_EL2,
		    FIELD(PMSCR_EL2, PCT, c.pct2) | FIELD(PMSCR_EL2, TS, c.ts2));
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, PCT, c.pct1) | FIELD(PMSCR_EL1, TS, c.ts1) |
		            FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
		set(&f, SPEMU_REG_CNTVOFF_EL2, CNTVOFF);
		set(&f, SPEMU_REG_CNTPOFF_EL2, CNTPOFF);
		set(&f, SPEMU_REG_CNTHCTL_EL2, FIELD(CNTHCTL_EL2, ECV, c.ecv));
		f.clock = CLOCK;
		at_el(&f, c.el);
		row = table_find(&t, inputs, 6, &matching);
		assert_int_equal(matching, 1);
		rec = recorded(&f);
		check_timestamp(&rec, table_get(&t, row, "timestamp"), &c);
		assert_int_equal(rec.addr[SPEMU_ADDR_PC] >> 63, 0); /* NS is 0: Secure */
	}
	fixture_stop(&f);
}

/* Without EL2, PCT reads as 0b01 and the offsets are zero. Without FEAT_ECV, PMSCR_EL1[7] is
 * RES0. */
static void timestamps_without_el2_or_ecv_have_no_offset(void **state)
{
	struct fixture f;
	struct setting c = {.pct1 = 3, .pct2 = 3, .ts1 = 1};

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, TS, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	f.clock = CLOCK;
	assert_int_equal(recorded(&f).timestamp, CLOCK);
	fixture_stop(&f);

	fixture_start(&f, "v8.2", NULL);
	assert_true(arrange(&f, &c));
	assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL1) & 0xc0, 0x40);
	assert_int_equal(recorded(&f).timestamp, CLOCK);
	fixture_stop(&f);
}

/* D17.6.9: the physical offset is CNTPOFF_EL2 or zero. */
static void physical_offset_is_cntpoff_when_enabled(void **state)
{
	static const struct {
		const char *features;
		unsigned ecv, ecven;
		uint64_t offset;
	} rows[] = {
	        {"v8.6", 1, 1, CNTPOFF},
	        {"v8.6", 0, 1, 0},
	        {"v8.6", 1, 0, 0},
	        /* Without EL3, there is no SCR_EL3 that could disable the offset. */
	        {"v8.6,-EL3", 1, 0, CNTPOFF},
	        {"v8.6,-EL3", 0, 0, 0},
	        {"v8.6,-FEAT_ECV_POFF", 1, 1, 0},
	        {"v8.6,-EL2", 1, 1, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct setting c = {
		        .pct1 = 3, .pct2 = 3, .ts1 = 1, .ecv = rows[i].ecv, .ecven = rows[i].ecven};
		struct fixture f;

		fixture_start(&f, rows[i].features, NULL);
		assert_true(arrange(&f, &c));
		assert_int_equal(recorded(&f).timestamp, CLOCK - rows[i].offset);
		fixture_stop(&f);
	}
}

/* If the system has no counter, timestamps are disabled as with CNTCR.EN 0 (a choice by D17.6). */
static void no_timestamp_without_a_counter(void **state)
{
	struct fixture f;
	struct spemu_spu_host host = {
	        .size = sizeof(host), .ctx = &f, .buffer_write = fixture_write};
	struct spemu_spu_config config = {.size = sizeof(config)};

	(void)state;
	memset(&f, 0, sizeof(f));
	fixture_make(&f, pe_make("v8.2" EL1_ONLY), &config, &host);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, TS, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	assert_false(recorded(&f).present & SPEMU_RECORD_TIMESTAMP);
	fixture_stop(&f);
}

/* Records below EL2 contain CONTEXTIDR_EL1 unless TGE is 1. They contain CONTEXTIDR_EL2 while EL2
 * is enabled. */
static void context_packets_follow_cx_and_tge(void **state)
{
	struct fixture f;
	unsigned count = 0;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	for (unsigned n = 0; n < 3 * 16; n++) {
		unsigned bits = n / 3;
		struct setting c = {.el = n % 3, .tge = bits & 1, .owner_el2 = bits >> 1 & 1};
		bool cx1 = bits >> 2 & 1, cx2 = bits >> 3;
		struct spemu_record rec;

		if (!arrange(&f, &c))
			continue;
		set(&f, SPEMU_REG_CONTEXTIDR_EL1, 0x11);
		set(&f, SPEMU_REG_CONTEXTIDR_EL2, 0x22);
		set(&f, SPEMU_REG_PMSCR_EL1,
		    (cx1 ? FIELD(PMSCR_EL1, CX, 1) : 0) | FIELD(PMSCR_EL1, E1SPE, 1) |
		            FIELD(PMSCR_EL1, E0SPE, 1));
		set(&f, SPEMU_REG_PMSCR_EL2,
		    (cx2 ? FIELD(PMSCR_EL2, CX, 1) : 0) |
		            (c.owner_el2 ? FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1)
		                         : 0));
		rec = recorded(&f);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_CONTEXT(0)),
		                 cx1 && c.el < 2 && !c.tge);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_CONTEXT(1)), cx2);
		if (rec.present & SPEMU_RECORD_CONTEXT(0))
			assert_int_equal(rec.context[0], 0x11);
		if (rec.present & SPEMU_RECORD_CONTEXT(1))
			assert_int_equal(rec.context[1], 0x22);
		/* The PC packet has NS and EL of the operation. */
		assert_int_equal(rec.addr[SPEMU_ADDR_PC] >> 56, 0x80 | c.el << 5);
		count++;
	}
	/* All profiled levels. EL2 and TGE are left out if EL1 owns the buffer, and EL1 is left out
	 * with TGE. */
	assert_int_equal(count, 4 * (2 + 3 + 2));
	fixture_stop(&f);
}

/* D17.6.9: with EL2 disabled, HCR_EL2.TGE does not remove CONTEXTIDR_EL1 from records and
 * PMSCR_EL2.CX does not add CONTEXTIDR_EL2. In Secure state SCR_EL3.EEL2 enables EL2. */
static void contexts_ignore_el2_controls_with_el2_disabled(void **state)
{
	static const struct {
		const char *features;
		unsigned eel2, el;
		bool context1, context2;
	} rows[] = {
	        {"v8.2", 0, 0, true, false}, /* Secure EL2 does not exist */
	        {"v8.2", 0, 1, true, false},      {"v8.4", 0, 0, true, false},
	        {"v8.4", 0, 1, true, false},      {"v8.4", 1, 0, false, true},
	        {"v8.4", 1, 2, false, true},      {"v8.4,-EL2", 0, 0, true, false},
	        {"v8.4,-EL2", 0, 1, true, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_record rec;
		struct fixture f;

		fixture_start(&f, rows[i].features, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, EEL2, rows[i].eel2)); /* Secure state */
		/* Secure state owns the buffer, at EL1 or EL2. */
		set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 1));
		set(&f, SPEMU_REG_MDCR_EL2, 0);
		set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, TGE, 1));
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, CX, 1) | FIELD(PMSCR_EL1, E1SPE, 1) |
		            FIELD(PMSCR_EL1, E0SPE, 1));
		set(&f, SPEMU_REG_PMSCR_EL2,
		    FIELD(PMSCR_EL2, CX, 1) | FIELD(PMSCR_EL2, E2SPE, 1) |
		            FIELD(PMSCR_EL2, E0HSPE, 1));
		set(&f, SPEMU_REG_CONTEXTIDR_EL1, 0x11);
		set(&f, SPEMU_REG_CONTEXTIDR_EL2, 0x22);
		at_el(&f, rows[i].el);
		rec = recorded(&f);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_CONTEXT(0)), rows[i].context1);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_CONTEXT(1)), rows[i].context2);
		assert_int_equal(rec.addr[SPEMU_ADDR_PC] >> 63, 0);
		fixture_stop(&f);
	}
}

/* A physical address is recorded as follows. If EL2 owns the buffer, PMSCR_EL2.PA decides. If EL1
 * owns the buffer, both PA bits must be set. If EL2 is disabled, PMSCR_EL1.PA decides. */
static void physical_address_needs_pa_of_owner_and_el2(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	op.pa = 0x77000;
	fixture_start(&f, "v8.2", NULL);
	for (unsigned n = 0; n < 8; n++) {
		bool pa1 = n & 1, pa2 = n & 2, owner_el2 = n & 4;
		struct setting c = {.owner_el2 = owner_el2};
		struct spemu_record rec;

		assert_true(arrange(&f, &c));
		set(&f, SPEMU_REG_PMSCR_EL1,
		    (pa1 ? FIELD(PMSCR_EL1, PA, 1) : 0) | FIELD(PMSCR_EL1, E1SPE, 1) |
		            FIELD(PMSCR_EL1, E0SPE, 1));
		set(&f, SPEMU_REG_PMSCR_EL2,
		    (pa2 ? FIELD(PMSCR_EL2, PA, 1) : 0) |
		            (owner_el2 ? FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1)
		                       : 0));
		sample(&f, &op);
		rec = record_at(&f, BUFFER_BASE);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)),
		                 pa2 && (owner_el2 || pa1));
		/* At Secure EL1 without Secure EL2, PMSCR_EL1.PA decides. */
		set(&f, SPEMU_REG_SCR_EL3, 0);
		set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 1));
		set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
		sample(&f, &op);
		rec = record_at(&f, BUFFER_BASE);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)), pa1);
		if (pa1)
			assert_int_equal(rec.addr[SPEMU_ADDR_DATA_PA], 0x77000); /* NS is 0 */
	}
	fixture_stop(&f);
}

/* The controls apply as they were when the operation was chosen, not as they are when it ends. */
static void controls_are_those_when_operation_was_chosen(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	for (unsigned pa = 0; pa < 2; pa++) {
		fixture_start(&f, "v8.2" EL1_ONLY, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_CONTEXTIDR_EL1, 5);
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, PA, pa) | FIELD(PMSCR_EL1, CX, 1) |
		            FIELD(PMSCR_EL1, E0SPE, 1));
		assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
		at_el(&f, 1);
		set(&f, SPEMU_REG_CONTEXTIDR_EL1, 6);
		set(&f, SPEMU_REG_PMSCR_EL1, pa ? 0 : FIELD(PMSCR_EL1, PA, 1));
		assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &op), SPEMU_OK);
		rec = record_at(&f, BUFFER_BASE);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)), pa);
		assert_int_equal(rec.context[0], 5);
		assert_int_equal(rec.addr[SPEMU_ADDR_PC] >> 56, 0x80);
		fixture_stop(&f);
	}
}

/* Fields have an Effective value if an Exception level does not exist: PMSEE is 0b01 without EL3,
 * and EE is 0b01 without EL2. */
static void pmsee_and_ee_are_0b01_without_el3_and_el2(void **state)
{
	const char *const sets[] = {"v9.6,-FEAT_RME,-EL3", "v9.6,-FEAT_RME,-EL3,-EL2",
	                            "v9.6,-FEAT_RME,-EL2"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned ee1 = 0; ee1 < 4; ee1++) {
			struct fixture f;

			fixture_start(&f, sets[i], NULL);
			set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
			set(&f, SPEMU_REG_MDCR_EL3,
			    NAMED(MDCR_EL3, PMSEE, DELEGATED) | FIELD(MDCR_EL3, NSPB, 3));
			set(&f, SPEMU_REG_PMSCR_EL2, NAMED(PMSCR_EL2, EE, DELEGATED));
			set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, EE, ee1));
			set(&f, SPEMU_REG_PMBSR_EL2, FIELD(PMBSR_EL2, S, 1));
			set(&f, SPEMU_REG_PMBSR_EL1, FIELD(PMBSR_EL1, S, 1));
			assert_int_equal(spemu_spu_pmbirq(f.spu), ee1 < 2);
			set(&f, SPEMU_REG_PMBSR_EL1, 0);
			/* EE is 0b01, so S of EL2 is ignored. */
			assert_false(decisions_of(f.pe).stopped);
			fixture_stop(&f);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(table_d17_3_timestamps),
	        cmocka_unit_test(timestamps_ignore_pmscr_el2_with_el2_disabled),
	        cmocka_unit_test(timestamps_without_el2_or_ecv_have_no_offset),
	        cmocka_unit_test(physical_offset_is_cntpoff_when_enabled),
	        cmocka_unit_test(no_timestamp_without_a_counter),
	        cmocka_unit_test(context_packets_follow_cx_and_tge),
	        cmocka_unit_test(contexts_ignore_el2_controls_with_el2_disabled),
	        cmocka_unit_test(physical_address_needs_pa_of_owner_and_el2),
	        cmocka_unit_test(controls_are_those_when_operation_was_chosen),
	        cmocka_unit_test(pmsee_and_ee_are_0b01_without_el3_and_el2),
	};
	return cmocka_run_group_tests_name("collect", tests, NULL, NULL);
}
