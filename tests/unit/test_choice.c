/* SPDX-License-Identifier: MIT */
/* Test choices: their names, how they are set, drawn and saved, and the effect of each option. */
#include <stdio.h>

#include "spu_fixture.h"
#include "pe/pe_object.h"
#include "spu/spu_object.h"

#define B(n) (UINT64_C(1) << (n))

static void choose(struct fixture *f, enum spemu_choice choice, unsigned option)
{
	assert_int_equal(spemu_choice_set(f->pe, choice, option), SPEMU_OK);
	if (option != SPEMU_CHOICE_RANDOM)
		assert_int_equal(spemu_choice_get(f->pe, choice), option);
}

/* Every name of the table parses back, and no other text parses. */
static void choice_and_option_names_parse_back(void **state)
{
	enum spemu_choice choice;
	unsigned option, seen = 0;
	size_t bad;
	char text[128];

	(void)state;
	for (unsigned c = 0; c < SPEMU_CHOICE_COUNT; c++) {
		const struct spemu_choice_description *d =
		        spemu_choice_describe((enum spemu_choice)c);
		const char *name = d->name;

		assert_true(d->option_count >= 2);
		for (unsigned o = 0; o < d->option_count; o++, seen++) {
			snprintf(text, sizeof(text), "%s=%s", name, d->option[o].name);
			assert_int_equal(spemu_choice_parse(&choice, &option, NULL, text),
			                 SPEMU_OK);
			assert_true(choice == (enum spemu_choice)c && option == o);
		}
		snprintf(text, sizeof(text), "%s=random", name);
		assert_int_equal(spemu_choice_parse(&choice, &option, &bad, text), SPEMU_OK);
		assert_true(choice == (enum spemu_choice)c && option == SPEMU_CHOICE_RANDOM);
		snprintf(text, sizeof(text), "%s=randoms", name);
		assert_int_equal(spemu_choice_parse(&choice, &option, &bad, text),
		                 SPEMU_ERR_INVALID);
		assert_int_equal(bad, strlen(name) + 1);
	}
	assert_true(seen > 2 * SPEMU_CHOICE_COUNT);
	assert_int_equal(spemu_choice_parse(&choice, &option, &bad, "all=random"), SPEMU_OK);
	assert_true(choice == SPEMU_CHOICE_COUNT && option == SPEMU_CHOICE_RANDOM);
	assert_int_equal(spemu_choice_parse(&choice, &option, &bad, "all=secure"),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(bad, 4);
	assert_int_equal(spemu_choice_parse(&choice, &option, &bad, "reserved-nsp=secure"),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(bad, 0);
	assert_int_equal(spemu_choice_parse(&choice, &option, &bad, "reserved-nspb"),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(bad, strlen("reserved-nspb"));
	assert_int_equal(spemu_choice_parse(&choice, &option, NULL, ""), SPEMU_ERR_INVALID);
}

/* Choices and options with numbers past the last one are refused. */
static void choices_and_options_out_of_range_are_refused(void **state)
{
	struct fixture f;
	enum spemu_choice past = SPEMU_CHOICE_COUNT, far = (enum spemu_choice)1000;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	assert_null(spemu_choice_describe(past));
	assert_null(spemu_choice_describe(far));
	assert_null(spemu_choice_describe((enum spemu_choice) - 1));
	assert_int_equal(spemu_choice_get(f.pe, past), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_choice_set(f.pe, past, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_choice_set(f.pe, far, SPEMU_CHOICE_RANDOM), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_NSPB, 4), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_choice_set(NULL, SPEMU_CHOICE_RESERVED_NSPB, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_choice_get(f.pe, SPEMU_CHOICE_RESERVED_NSPB),
	                 SPEMU_RESERVED_NSPB_SECURE);
	fixture_stop(&f);
}

/* RJFYNW: an External abort is reported to the SPU only without FEAT_SPEv1p3. */
static void options_without_their_feature_are_refused(void **state)
{
	struct fixture f;
	const enum spemu_choice ea = SPEMU_CHOICE_EXTERNAL_ABORT;

	(void)state;
	fixture_start(&f, "v8.8", NULL);
	assert_int_equal(spemu_choice_get(f.pe, ea), SPEMU_EXTERNAL_ABORT_IGNORED);
	assert_int_equal(spemu_choice_set(f.pe, ea, SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY),
	                 SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(spemu_choice_set(f.pe, ea, SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY),
	                 SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(spemu_choice_get(f.pe, ea), SPEMU_EXTERNAL_ABORT_IGNORED);
	choose(&f, ea, SPEMU_EXTERNAL_ABORT_SERROR);
	assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) >> 8 & 15, 2);
	choose(&f, ea, SPEMU_EXTERNAL_ABORT_IGNORED);
	assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) >> 8 & 15, 1);
	fixture_stop(&f);

	fixture_start(&f, "v8.7", NULL);
	assert_int_equal(spemu_choice_get(f.pe, ea), SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY);
	choose(&f, ea, SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY);
	assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) >> 8 & 15, 0);
	fixture_stop(&f);
}

/* RBWRVP, RQJWVQ: any Security state may own the buffer for a reserved value, with or without
 * traps. */
static void rbwrvp_reserved_owner_selects_any_security_state(void **state)
{
	static const uint8_t security[] = {[SPEMU_RESERVED_NSPB_SECURE] = SPEMU_SS_SECURE,
	                                   [SPEMU_RESERVED_NSPB_NON_SECURE] = SPEMU_SS_NON_SECURE,
	                                   [SPEMU_RESERVED_NSPB_REALM] = SPEMU_SS_REALM,
	                                   [SPEMU_RESERVED_NSPB_NONE] = SPEMU_SS_NON_SECURE};
	/* SCR_EL3.{NSE, NS} that select Secure, Non-secure and Realm state. */
	static const uint64_t scr[] = {0, B(0), B(62) | B(0)};
	static const unsigned of_owner[] = {0, 1, 2, 1};
	struct fixture f;
	struct spemu_owner owner;
	struct spemu_access_result result;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	for (unsigned nspb = 0; nspb < 2; nspb++) {
		set(&f, SPEMU_REG_MDCR_EL3,
		    FIELD(MDCR_EL3, NSPBE, 1) | FIELD(MDCR_EL3, NSPB, nspb));
		for (unsigned o = 0; o < 4; o++) {
			choose(&f, SPEMU_CHOICE_RESERVED_NSPB, o);
			spemu_spu_buffer_owner(f.spu, &owner);
			assert_int_equal(owner.security, security[o]);
			for (unsigned s = 0; s < 6; s++) {
				bool trapped = s < 3;

				choose(&f, SPEMU_CHOICE_RESERVED_NSPB_TRAP,
				       trapped ? SPEMU_RESERVED_NSPB_TRAP_TRAPPED
				               : SPEMU_RESERVED_NSPB_TRAP_NOT_TRAPPED);
				set(&f, SPEMU_REG_SCR_EL3, scr[s % 3] | FIELD(SCR_EL3, EEL2, 1));
				set(&f, SPEMU_REG_HCR_EL2, 0);
				at_el(&f, 2);
				spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_PMSFCR_EL1, 0);
				assert_int_equal(result.outcome, trapped || s % 3 != of_owner[o]
				                                         ? SPEMU_ACCESS_TRAP_EL3
				                                         : SPEMU_ACCESS_OK);
			}
		}
	}
	fixture_stop(&f);
}

/* RKFMHR, D24.3: the reserved value of E2PB counts as 0b11, 0b10 or 0b00. */
static void rkfmhr_reserved_e2pb_is_another_value(void **state)
{
	static const struct {
		unsigned owner, outcome;
	} expected[] = {
	        [SPEMU_RESERVED_E2PB_EL1] = {1, SPEMU_ACCESS_OK},
	        [SPEMU_RESERVED_E2PB_EL1_TRAPPED] = {1, SPEMU_ACCESS_TRAP_EL2},
	        [SPEMU_RESERVED_E2PB_EL2] = {2, SPEMU_ACCESS_TRAP_EL2},
	};
	struct fixture f;
	struct spemu_owner owner;
	struct spemu_access_result result;

	(void)state;
	fixture_start(&f, "v8.4", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(&f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, E2PB, 1));
	set(&f, SPEMU_REG_HCR_EL2, 0);
	at_el(&f, 1);
	for (unsigned o = 0; o < 3; o++) {
		choose(&f, SPEMU_CHOICE_RESERVED_E2PB, o);
		spemu_spu_buffer_owner(f.spu, &owner);
		assert_int_equal(owner.el, expected[o].owner);
		spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_PMBPTR_EL1, 0);
		assert_int_equal(result.outcome, expected[o].outcome);
		/* PMSCR_EL2.{E2SPE, E0HSPE} are RES0 unless EL2 owns the buffer. */
		set(&f, SPEMU_REG_PMSCR_EL2,
		    FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1));
		assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL2),
		                 expected[o].owner == 2
		                         ? FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1)
		                         : 0);
	}
	fixture_stop(&f);
}

/* D24.7.8: PMBIRQ is asserted if the Effective value of PMSCR_EL1.EE is 0b00. */
static void reserved_ee_asserts_pmbirq_by_choice(void **state)
{
	struct fixture f;

	(void)state;
	for (unsigned nv = 0; nv < 2; nv++) {
		fixture_start(&f, nv ? "v9.6" : "v9.6,-FEAT_NV,-FEAT_NV2", NULL);
		set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
		set(&f, SPEMU_REG_MDCR_EL3, NAMED(MDCR_EL3, PMSEE, DELEGATED));
		set(&f, SPEMU_REG_PMSCR_EL2, NAMED(PMSCR_EL2, EE, DELEGATED));
		set(&f, SPEMU_REG_PMBSR_EL1, FIELD(PMBSR_EL1, S, 1));
		for (unsigned ee = 0; ee < 4; ee++) {
			set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, EE, ee));
			for (unsigned o = 0; o < 3; o++) {
				bool open = !nv && (ee == 1 || ee == 2);
				bool enabled = !open || o == SPEMU_RESERVED_PMSEE_BY_BIT_1
				                       ? ee & 2
				                       : o == SPEMU_RESERVED_PMSEE_ENABLED;

				choose(&f, SPEMU_CHOICE_RESERVED_PMSEE, o);
				assert_int_equal(spemu_spu_pmbirq(f.spu), !enabled);
				assert_int_equal(f.irq, !enabled);
			}
		}
		fixture_stop(&f);
	}
}

/* D24.2: HCR_EL2.{NV, NV1} {0, 1} counts as {0, 0}, as written, or as {1, 1}. The expected values
 * are {NV2, NV1, NV} as in the pseudocode. */
static void nv1_without_nv_is_constrained_unpredictable(void **state)
{
	static const uint8_t nvx[] = {[SPEMU_NV1_WITHOUT_NV_AS_00] = 0,
	                              [SPEMU_NV1_WITHOUT_NV_AS_01] = 2,
	                              [SPEMU_NV1_WITHOUT_NV_AS_11] = 3};
	struct fixture f;
	struct spemu_access_result result;

	(void)state;
	fixture_start(&f, "v8.4", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	at_el(&f, 1);
	for (unsigned o = 0; o < 3; o++) {
		choose(&f, SPEMU_CHOICE_NV1_WITHOUT_NV, o);
		set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, NV1, 1));
		assert_int_equal(spemu__pe_hcr_nvx(f.spu->pe), nvx[o]);
		/* PMSCR_EL2 is UNDEFINED at EL1, unless NV traps it to EL2. */
		spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_PMSCR_EL2, 0);
		assert_int_equal(result.outcome,
		                 nvx[o] & 1 ? SPEMU_ACCESS_TRAP_EL2 : SPEMU_ACCESS_UNDEFINED);
		set(&f, SPEMU_REG_HCR_EL2, 0);
		assert_int_equal(spemu__pe_hcr_nvx(f.spu->pe), 0);
	}
	fixture_stop(&f);
}

/* EL3SDDUndefPriority(): a trap to EL3 and a trap to EL2 apply at the same time. */
static void sdd_undef_priority_decides_between_el2_and_el3(void **state)
{
	struct spemu_pe_state pe = {.el = 1, .debug = true, .edscr_sdd = true};
	struct fixture f;
	struct spemu_access_result result;

	(void)state;
	fixture_start(&f, "v8.4", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_MDCR_EL3, 0);
	set(&f, SPEMU_REG_HCR_EL2, 0);
	set(&f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, TPMS, 1));
	spemu_pe_set(f.pe, &pe);
	choose(&f, SPEMU_CHOICE_SDD_UNDEF_PRIORITY, SPEMU_SDD_UNDEF_PRIORITY_EL3_FIRST);
	spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_PMSCR_EL1, 0);
	assert_int_equal(result.outcome, SPEMU_ACCESS_UNDEFINED);
	choose(&f, SPEMU_CHOICE_SDD_UNDEF_PRIORITY, SPEMU_SDD_UNDEF_PRIORITY_LOWER_FIRST);
	spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_PMSCR_EL1, 0);
	assert_int_equal(result.outcome, SPEMU_ACCESS_TRAP_EL2);
	/* Only the trap to EL3 is left. It is UNDEFINED, because SDD is 1. */
	set(&f, SPEMU_REG_MDCR_EL2, 0);
	spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_PMSCR_EL1, 0);
	assert_int_equal(result.outcome, SPEMU_ACCESS_UNDEFINED);
	fixture_stop(&f);
}

/* D24.7.15: the interval is one operation longer than the loaded value. */
static void interval_0_loads_the_chosen_value(void **state)
{
	static const uint64_t loaded[] = {
	        [SPEMU_ZERO_INTERVAL_256] = 256,
	        [SPEMU_ZERO_INTERVAL_1] = 1,
	        [SPEMU_ZERO_INTERVAL_512] = 512,
	        [SPEMU_ZERO_INTERVAL_1024] = 1024,
	        [SPEMU_ZERO_INTERVAL_4096] = 4096,
	        [SPEMU_ZERO_INTERVAL_65536] = 65536,
	        [SPEMU_ZERO_INTERVAL_1048576] = 1048576,
	        [SPEMU_ZERO_INTERVAL_4294967040] = 0xffffff00,
	};
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 0);
	assert_int_equal(spemu_choice_describe(SPEMU_CHOICE_ZERO_INTERVAL)->option_count,
	                 sizeof(loaded) / sizeof(*loaded));
	for (unsigned o = 0; o < sizeof(loaded) / sizeof(*loaded); o++) {
		at_el(&f, 1); /* profiling is disabled; enabling loads the counter */
		set(&f, SPEMU_REG_PMSICR_EL1, 0);
		choose(&f, SPEMU_CHOICE_ZERO_INTERVAL, o);
		at_el(&f, 0);
		for (unsigned i = 0; i < 3; i++) {
			assert_true(spemu_spu_ops_until_sample(f.spu) == loaded[o] + (i != 0));
			sample(&f, &op);
		}
	}
	fixture_stop(&f);
}

/* D17.6: the timestamp counter is read when the operation is chosen, or at any later time. */
static void timestamp_is_read_at_begin_or_end_of_operation(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	for (unsigned o = 0; o < 2; o++) {
		fixture_start(&f, "v8.2" EL1_ONLY, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, TS, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
		choose(&f, SPEMU_CHOICE_TIMESTAMP_AT_START, o);
		assert_int_equal(spemu_spu_ops(f.spu, spemu_spu_ops_until_sample(f.spu) - 1),
		                 SPEMU_OK);
		f.clock = 100;
		assert_int_equal(spemu_spu_sample_begin(f.spu, op.pc), SPEMU_SAMPLE_STARTED);
		f.clock = 350;
		/* A change of the choice does not affect an operation in flight. */
		choose(&f, SPEMU_CHOICE_TIMESTAMP_AT_START, 1 - o);
		assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &op), SPEMU_OK);
		assert_int_equal(record_at(&f, BUFFER_BASE).timestamp,
		                 o == SPEMU_TIMESTAMP_AT_START_AT_END ? 350 : 100);
		fixture_stop(&f);
	}
}

/* D24.7.8: the reserved value 0b10 of PMSCR_EL1.PCT counts as another value. */
static void reserved_pct_counts_as_another_value(void **state)
{
	static const uint64_t offset[] = {[SPEMU_RESERVED_PCT_GUEST_PHYSICAL] = 7,
	                                  [SPEMU_RESERVED_PCT_PHYSICAL] = 0,
	                                  [SPEMU_RESERVED_PCT_VIRTUAL] = 1000};
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	for (unsigned o = 0; o < 3; o++) {
		fixture_start(&f, "v8.6", NULL);
		set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1) | FIELD(SCR_EL3, ECVEn, 1));
		set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
		set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		set(&f, SPEMU_REG_HCR_EL2, 0);
		set(&f, SPEMU_REG_CNTHCTL_EL2, FIELD(CNTHCTL_EL2, ECV, 1));
		set(&f, SPEMU_REG_CNTPOFF_EL2, 7);
		set(&f, SPEMU_REG_CNTVOFF_EL2, 1000);
		program(&f, 1);
		set(&f, SPEMU_REG_PMSCR_EL2, NAMED(PMSCR_EL2, PCT, PHYSICAL));
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, PCT, 2) | FIELD(PMSCR_EL1, TS, 1) |
		            FIELD(PMSCR_EL1, E0SPE, 1));
		choose(&f, SPEMU_CHOICE_RESERVED_PCT, o);
		f.clock = 5000;
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
		assert_int_equal(record_at(&f, BUFFER_BASE).timestamp, 5000 - offset[o]);
		fixture_stop(&f);
	}
}

/* D24.7.12: FE, FT, FL or FnE is set and selects nothing, or FE and FnE contradict each other. */
static void contradictory_filters_are_constrained_unpredictable(void **state)
{
	enum { FE = 1, FT = 2, FL = 4, FNE = 8 };
	static const struct {
		unsigned filters;
		uint64_t evfr, nevfr;
	} empty[] = {{FE, 0, 0}, {FT, 0, 0}, {FL, 0, 0}, {FNE, 0, 0}, {FE | FNE, 2, 2}};
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	fixture_start(&f, "v8.7" EL1_ONLY, NULL);
	program(&f, 1);
	for (unsigned i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		set(&f, SPEMU_REG_PMSFCR_EL1, empty[i].filters);
		set(&f, SPEMU_REG_PMSEVFR_EL1, empty[i].evfr);
		set(&f, SPEMU_REG_PMSNEVFR_EL1, empty[i].nevfr);
		choose(&f, SPEMU_CHOICE_FILTER_SELECTS_NOTHING,
		       SPEMU_FILTER_SELECTS_NOTHING_FILTER_OFF);
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
		choose(&f, SPEMU_CHOICE_FILTER_SELECTS_NOTHING,
		       SPEMU_FILTER_SELECTS_NOTHING_NOTHING_RECORDED);
		assert_int_equal(sample(&f, &op).filters, empty[i].filters);
	}
	/* The choice does not apply to a filter that selects something. */
	set(&f, SPEMU_REG_PMSFCR_EL1, FE);
	set(&f, SPEMU_REG_PMSEVFR_EL1, 2); /* event 1: retired */
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	fixture_stop(&f);
}

/* CONSTRAINED UNPREDICTABLE choices are drawn again after each use, and IMPLEMENTATION DEFINED
 * choices once. An option that the features forbid is never drawn. */
static void unpredictable_choices_are_redrawn_after_each_use(void **state)
{
	struct fixture f;
	struct spemu_access_result result;
	uint64_t seen[SPEMU_CHOICE_COUNT] = {0}, impdef[SPEMU_CHOICE_COUNT], value;

	(void)state;
	fixture_start(&f, "v8.8", NULL);
	assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM), SPEMU_OK);
	for (unsigned c = 0; c < SPEMU_CHOICE_COUNT; c++)
		impdef[c] = (uint64_t)spemu_choice_get(f.pe, (enum spemu_choice)c);
	for (unsigned n = 0; n < 3000; n++) {
		if (n % 3 == 0)
			set(&f, SPEMU_REG_CONTEXTIDR_EL1, n);
		else if (n % 3 == 1)
			spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_PMSCR_EL1, 0);
		else
			spemu_spu_mrs(f.spu, &result, &value, SPEMU_SYSREG_PMSCR_EL1);
		for (unsigned c = 0; c < SPEMU_CHOICE_COUNT; c++)
			seen[c] |= B(spemu_choice_get(f.pe, (enum spemu_choice)c));
	}
	for (unsigned c = 0; c < SPEMU_CHOICE_COUNT; c++) {
		enum spemu_choice choice = (enum spemu_choice)c;
		const struct spemu_choice_description *d = spemu_choice_describe(choice);
		bool open = d->kind == SPEMU_CHOICE_KIND_UNPREDICTABLE;
		uint64_t permitted = 0;

		for (unsigned o = 0; o < d->option_count; o++)
			if (spemu_choice_permitted(spemu_pe_features(f.pe), choice, o))
				permitted |= B(o);
		assert_true(seen[c] == (open ? permitted : B(impdef[c])));
		assert_true(permitted & B(impdef[c]));
	}
	choose(&f, SPEMU_CHOICE_ZERO_INTERVAL, SPEMU_ZERO_INTERVAL_512);
	for (unsigned n = 0; n < 100; n++) {
		set(&f, SPEMU_REG_CONTEXTIDR_EL1, n);
		assert_int_equal(spemu_choice_get(f.pe, SPEMU_CHOICE_ZERO_INTERVAL),
		                 SPEMU_ZERO_INTERVAL_512);
	}
	fixture_stop(&f);
}

/* For every option of an IMPLEMENTATION DEFINED choice there is a seed that draws the option. */
static void every_impdef_option_is_drawn_by_some_seed(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		struct fixture f;

		fixture_start_seeded(&f, "v8.2", NULL, seed);
		choose(&f, SPEMU_CHOICE_EXTERNAL_ABORT, SPEMU_CHOICE_RANDOM);
		seen |= 1u << spemu_choice_get(f.pe, SPEMU_CHOICE_EXTERNAL_ABORT);
		fixture_stop(&f);
	}
	assert_int_equal(seen, 15);
}

/* Record the distances between 60 samples with INTERVAL 0. The distances show which options were
 * drawn. */
static void distances(uint64_t *out, uint64_t seed)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	fixture_start_seeded(&f, "v8.2" EL1_ONLY, NULL, seed);
	program(&f, 0);
	choose(&f, SPEMU_CHOICE_ZERO_INTERVAL, SPEMU_CHOICE_RANDOM);
	for (unsigned i = 0; i < 60; i++) {
		out[i] = spemu_spu_ops_until_sample(f.spu);
		sample(&f, &op);
	}
	fixture_stop(&f);
}

/* An option is drawn after each finished sample. The same seed gives the same run. */
static void same_seed_repeats_the_run(void **state)
{
	uint64_t a[60], b[60], c[60];
	unsigned changes = 0;

	(void)state;
	distances(a, 5);
	distances(b, 5);
	distances(c, 6);
	assert_memory_equal(a, b, sizeof(a));
	assert_memory_not_equal(a, c, sizeof(a));
	for (unsigned i = 1; i < 60; i++)
		changes += a[i] != a[i - 1];
	assert_true(changes > 30);
}

/* The saved state contains the choices, the random choices and the state of the generator. */
static void choices_and_generator_are_saved_and_loaded(void **state)
{
	struct fixture a, b;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct fixture_image image;

	(void)state;
	fixture_start(&a, "v8.2" EL1_ONLY, NULL);
	fixture_start_seeded(&b, "v8.2" EL1_ONLY, NULL, 77);
	program(&a, 0);
	choose(&a, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
	choose(&a, SPEMU_CHOICE_EXTERNAL_ABORT, SPEMU_EXTERNAL_ABORT_SERROR);
	choose(&a, SPEMU_CHOICE_POINTER_RESTRICTION, SPEMU_POINTER_RESTRICTION_BUFFER_FULL);
	choose(&a, SPEMU_CHOICE_DISABLED_IN_FLIGHT, SPEMU_DISABLED_IN_FLIGHT_DISCARD);
	fixture_save(&a, &image);
	fixture_load(&b, &image);
	for (unsigned n = 0; n < 40; n++) {
		for (unsigned c = 0; c < SPEMU_CHOICE_COUNT; c++) {
			assert_int_equal(spemu_choice_get(a.pe, (enum spemu_choice)c),
			                 spemu_choice_get(b.pe, (enum spemu_choice)c));
		}
		assert_true(spemu_spu_ops_until_sample(a.spu) == spemu_spu_ops_until_sample(b.spu));
		sample(&a, &op);
		sample(&b, &op);
	}
	assert_memory_equal(a.buffer, b.buffer, BUFFER_SIZE);
	fixture_stop(&a);
	fixture_stop(&b);
}

/* If the features of the loading object forbid a saved option, the choice gets its default. */
static void option_forbidden_on_load_becomes_default(void **state)
{
	struct fixture a, b;
	struct fixture_image image;

	(void)state;
	fixture_start(&a, "v8.2", NULL);
	fixture_start(&b, "v8.8", NULL);
	choose(&a, SPEMU_CHOICE_EXTERNAL_ABORT, SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY);
	choose(&b, SPEMU_CHOICE_EXTERNAL_ABORT, SPEMU_EXTERNAL_ABORT_SERROR);
	fixture_save(&a, &image);
	fixture_load(&b, &image);
	assert_int_equal(spemu_choice_get(b.pe, SPEMU_CHOICE_EXTERNAL_ABORT),
	                 SPEMU_EXTERNAL_ABORT_IGNORED);
	fixture_stop(&a);
	fixture_stop(&b);
}

/* Without random choices nothing is drawn, and the generator stays unchanged. */
static void generator_stays_without_random_choices(void **state)
{
	struct fixture f;
	uint64_t before;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	before = f.spu->pe->prng;
	choose(&f, SPEMU_CHOICE_ZERO_INTERVAL, SPEMU_ZERO_INTERVAL_1024);
	for (unsigned n = 0; n < 100; n++)
		set(&f, SPEMU_REG_CONTEXTIDR_EL1, n);
	assert_true(f.spu->pe->prng == before);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(choice_and_option_names_parse_back),
	        cmocka_unit_test(choices_and_options_out_of_range_are_refused),
	        cmocka_unit_test(options_without_their_feature_are_refused),
	        cmocka_unit_test(rbwrvp_reserved_owner_selects_any_security_state),
	        cmocka_unit_test(rkfmhr_reserved_e2pb_is_another_value),
	        cmocka_unit_test(reserved_ee_asserts_pmbirq_by_choice),
	        cmocka_unit_test(nv1_without_nv_is_constrained_unpredictable),
	        cmocka_unit_test(sdd_undef_priority_decides_between_el2_and_el3),
	        cmocka_unit_test(interval_0_loads_the_chosen_value),
	        cmocka_unit_test(timestamp_is_read_at_begin_or_end_of_operation),
	        cmocka_unit_test(reserved_pct_counts_as_another_value),
	        cmocka_unit_test(contradictory_filters_are_constrained_unpredictable),
	        cmocka_unit_test(unpredictable_choices_are_redrawn_after_each_use),
	        cmocka_unit_test(every_impdef_option_is_drawn_by_some_seed),
	        cmocka_unit_test(same_seed_repeats_the_run),
	        cmocka_unit_test(choices_and_generator_are_saved_and_loaded),
	        cmocka_unit_test(option_forbidden_on_load_becomes_default),
	        cmocka_unit_test(generator_stays_without_random_choices),
	};
	return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
