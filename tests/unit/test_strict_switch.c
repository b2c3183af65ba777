/* SPDX-License-Identifier: MIT */
/*
 * Test strict mode bit by bit. Some registers select the owner of the buffer and the translation of
 * its addresses. They must not change before records are forced to the buffer. Also test at which
 * calls the writes of software may become visible.
 *
 * Arm ARM: DDI 0487 M.a, IPDDCL, D17.9, D24.2 (SCR_EL3, HCR_EL2, SCTLR_ELx), D24.3 (MDCR_ELx)
 */
#include "strict_fixture.h"
#include "spu/spu_object.h"

#define WHOLE "v9.6" /* with EL2 and EL3 */
#define FEATURES "v8.7" EL1_ONLY
#define LIMIT (BUFFER_BASE + BUFFER_SIZE)
#define CONTEXT "context-switched-in-flight"
#define REGIME "regime-switched-in-flight"
#define ENABLED "regime-switched-while-enabled"
#define BIT(n) (UINT64_C(1) << (n))

/* Non-secure state owns the buffer. The worlds differ in the owning Exception level and in the
 * translation of addresses. */
enum world { EL1_STAGE_1, EL1_STAGE_2, EL1_PHYSICAL, EL2_ALONE, EL2_HOST, WORLDS };
#define ALL ((1 << WORLDS) - 1)
static const uint64_t hcr_el2[WORLDS] = {[EL1_STAGE_2] = BIT(0), [EL2_HOST] = BIT(34)};

#define SCTLR_BITS (BIT(0) | BIT(2) | BIT(19) | BIT(25)) /* M, C, WXN, EE */
#define EL1_VIRTUAL (1 << EL1_STAGE_1 | 1 << EL1_STAGE_2)
#define EL1_ANY (EL1_VIRTUAL | 1 << EL1_PHYSICAL)
#define EL2_ANY (1 << EL2_ALONE | 1 << EL2_HOST)

/* The bits of a register that matter in some worlds. `name` is the diagnostic of a change while a
 * record is in flight, and `enabled` is the diagnostic without a record while the buffer is
 * enabled. */
static const struct row {
	enum spemu_reg reg;
	unsigned worlds;
	uint64_t bits;
	const char *name, *enabled;
} rows[] = {
        {SPEMU_REG_CONTEXTIDR_EL1, ALL, UINT64_MAX, CONTEXT, NULL},
        {SPEMU_REG_CONTEXTIDR_EL2, ALL, UINT64_MAX, CONTEXT, NULL},
        {SPEMU_REG_TTBR0_EL1, EL1_ANY, UINT64_MAX, CONTEXT, NULL},
        {SPEMU_REG_TTBR1_EL1, EL1_ANY, UINT64_MAX, CONTEXT, NULL},
        {SPEMU_REG_TTBR0_EL2, EL2_ANY, UINT64_MAX, CONTEXT, NULL},
        {SPEMU_REG_TTBR1_EL2, 1 << EL2_HOST, UINT64_MAX, CONTEXT, NULL},
        /* NS and NSE matter. EEL2 has an effect in Secure state only. */
        {SPEMU_REG_SCR_EL3, ALL, BIT(0) | BIT(62), REGIME, NULL},
        /* VM, DC, TGE and E2H all matter if EL1 owns. If EL2 owns, only E2H selects its regime. */
        {SPEMU_REG_HCR_EL2, EL1_ANY, BIT(0) | BIT(12) | BIT(27) | BIT(34), REGIME, ENABLED},
        {SPEMU_REG_HCR_EL2, EL2_ANY, BIT(34), REGIME, ENABLED},
        /* E2PB changes from 0b11 and from 0b00; the reserved value 0b01 counts as 0b00 by the
         * choice made here. NSPBE and NSPB change from {0, 0b11}; bit [0] of NSPB only traps. */
        {SPEMU_REG_MDCR_EL2, EL1_ANY, BIT(13), REGIME, ENABLED},
        {SPEMU_REG_MDCR_EL2, EL2_ANY, BIT(13), REGIME, ENABLED},
        {SPEMU_REG_MDCR_EL3, ALL, BIT(11) | BIT(13), REGIME, ENABLED},
        {SPEMU_REG_SCTLR_EL1, EL1_VIRTUAL, SCTLR_BITS, REGIME, NULL},
        {SPEMU_REG_TCR_EL1, EL1_VIRTUAL, UINT64_MAX, REGIME, NULL},
        {SPEMU_REG_SCTLR_EL2, EL2_ANY, SCTLR_BITS, REGIME, NULL},
        {SPEMU_REG_TCR_EL2, EL2_ANY, UINT64_MAX, REGIME, NULL},
        {SPEMU_REG_VTCR_EL2, 1 << EL1_STAGE_2, UINT64_MAX, REGIME, ENABLED},
        {SPEMU_REG_VTTBR_EL2, 1 << EL1_STAGE_2, UINT64_MAX, REGIME, ENABLED},
        {SPEMU_REG_MAIR_EL1, 0, 0, NULL, NULL}, /* attributes of memory alone */
};

static void enter_world(struct strict_fixture *m, enum world world)
{
	bool el2 = world >= EL2_ALONE;

	strict_start(m, WHOLE, 1, false);
	assert_int_equal(
	        spemu_choice_set(m->f.pe, SPEMU_CHOICE_RESERVED_E2PB, SPEMU_RESERVED_E2PB_EL2),
	        SPEMU_OK);
	set(&m->f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	/* Non-secure state owns the buffer. */
	set(&m->f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	/* EL1 or EL2 owns the buffer. */
	set(&m->f, SPEMU_REG_MDCR_EL2, el2 ? 0 : NAMED(MDCR_EL2, E2PB, EL1));
	set(&m->f, SPEMU_REG_HCR_EL2, hcr_el2[world]);
	set(&m->f, SPEMU_REG_PMSCR_EL2, world == EL1_PHYSICAL ? BIT(SPEMU_PMSCR_EL2_EnVM_LSB) : 0);
	set(&m->f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	set(&m->f, SPEMU_REG_PMBLIMITR_EL1,
	    LIMIT | FIELD(PMBLIMITR_EL1, E, 1) |
	            (world == EL1_PHYSICAL ? BIT(SPEMU_PMBLIMITR_EL1_nVM_LSB) : 0));
	set(&m->f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
	set(&m->f, SPEMU_REG_PMSCR_EL1, E1SPE);
}

/* Return the diagnostic that a change of one bit causes, with or without a record in flight, or
 * NULL if there is none. */
static const char *diagnostic_of_change(enum spemu_reg which, unsigned bit, enum world world,
                                        bool in_flight, bool *exists)
{
	struct strict_fixture m;
	uint64_t before;
	const char *result;

	enter_world(&m, world);
	if (in_flight)
		assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_PENDING);
	m.diagnostics = 0;
	before = reg(&m.f, which);
	set(&m.f, which, before ^ BIT(bit));
	*exists = reg(&m.f, which) != before;
	result = reported(&m, CONTEXT)   ? CONTEXT
	         : reported(&m, REGIME)  ? REGIME
	         : reported(&m, ENABLED) ? ENABLED
	                                 : NULL;
	strict_stop(&m);
	return result;
}

/* Return the row of a register in a world. */
static const struct row *row_of(enum spemu_reg which, enum world world)
{
	static const struct row none;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].reg == which && rows[i].worlds >> world & 1)
			return &rows[i];
	return &none;
}

static void each_context_and_regime_bit_is_checked_in_flight(void **state)
{
	unsigned bits = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows) * WORLDS * 64; i++) {
		enum spemu_reg which = rows[i / 64 / WORLDS].reg;
		enum world world = (enum world)(i / 64 % WORLDS);
		const struct row *row = row_of(which, world);
		const char *in_flight, *idle;
		bool exists, matters = row->bits >> (i % 64) & 1;

		in_flight = diagnostic_of_change(which, i % 64, world, true, &exists);
		if (!exists)
			continue;
		bits += matters;
		idle = diagnostic_of_change(which, i % 64, world, false, &exists);
		if (in_flight != (matters ? row->name : NULL) ||
		    idle != (matters ? row->enabled : NULL))
			fail_msg("row %u, world %u, bit %u", i / 64 / WORLDS, world, i % 64);
	}
	assert_true(bits > 400);
}

/* RTDHBH: the buffer is disabled if E was cleared and synchronized, while profiling is stopped, in
 * Discard mode, and in another Security state. Registers of the regime may then change. */
static void rtdhbh_disabled_buffer_may_change_regime(void **state)
{
	static const struct {
		bool reported;
		uint64_t limit, status, scr;
		bool synchronized;
	} off[] = {
	        {true, LIMIT | 1, 0, 1, true},
	        {true, LIMIT, 0, 1, false},
	        {false, LIMIT, 0, 1, true},
	        {false, LIMIT | 1, BIT(SPEMU_PMBSR_EL1_S_LSB), 1, true},
	        {false, LIMIT | 1 | NAMED(PMBLIMITR_EL1, FM, DISCARD), 0, 1, true},
	        {false, LIMIT | 1, 0, 0, true},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(off) / sizeof(*off); i++) {
		struct strict_fixture m;

		enter_world(&m, EL1_STAGE_2);
		ISB(&m);
		at_el(&m.f, 2);
		MSR(&m, PMBSR_EL1, off[i].status);
		MSR(&m, PMBLIMITR_EL1, off[i].limit);
		if (off[i].synchronized)
			ISB(&m);
		set(&m.f, SPEMU_REG_SCR_EL3, off[i].scr);
		m.diagnostics = 0;
		set(&m.f, SPEMU_REG_VTTBR_EL2, 0x1000);
		assert_int_equal(reported(&m, ENABLED), off[i].reported);
		strict_stop(&m);
	}
}

/* D17.4.1: a diagnostic shows the PMSCR_ELx that enables profiling at the current Exception
 * level. */
static void diagnostic_shows_the_enabling_pmscr(void **state)
{
	static const struct {
		unsigned el;
		enum world world;
		bool tge;
		const char *name;
	} seen_at[] = {
	        {1, EL1_STAGE_1, false, "PMSCR_EL1"}, {0, EL1_STAGE_1, false, "PMSCR_EL1"},
	        {2, EL1_STAGE_1, false, "PMSCR_EL2"}, {3, EL1_STAGE_1, false, "PMSCR_EL1"},
	        {2, EL2_HOST, false, "PMSCR_EL2"},    {1, EL2_HOST, false, "PMSCR_EL1"},
	        {0, EL2_HOST, false, "PMSCR_EL1"},    {0, EL2_HOST, true, "PMSCR_EL2"},
	        {2, EL2_HOST, true, "PMSCR_EL2"},     {3, EL2_HOST, true, "PMSCR_EL2"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(seen_at) / sizeof(*seen_at); i++) {
		struct strict_fixture m;
		const struct spemu_diagnostic *d = m.diagnostic;

		enter_world(&m, seen_at[i].world);
		assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_PENDING);
		if (seen_at[i].tge)
			set(&m.f, SPEMU_REG_HCR_EL2,
			    hcr_el2[seen_at[i].world] | FIELD(HCR_EL2, TGE, 1));
		at_el(&m.f, seen_at[i].el);
		m.diagnostics = 0;
		set(&m.f, SPEMU_REG_CONTEXTIDR_EL1, 1);
		assert_int_equal(m.diagnostics, 1);
		assert_int_equal(d->values, 3); /* the changed register, PMBLIMITR_EL1, PMSCR_ELx */
		assert_string_equal(d->value[2].name, seen_at[i].name);
		strict_stop(&m);
	}
}

/*
 * IPDDCL: a guest of a host at EL2 may change CONTEXTIDR_EL1, because the records of the host do
 * not contain it.
 */
static void ipddcl_context_of_unprofiled_guest_may_change(void **state)
{
	static const struct {
		enum spemu_reg reg;
		unsigned diagnostics; /* number if the guest is not profiled */
	} contexts[] = {{SPEMU_REG_CONTEXTIDR_EL1, 0}, {SPEMU_REG_CONTEXTIDR_EL2, 1}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct strict_fixture m;
		bool guest_is_profiled = i & 1;

		enter_world(&m, EL2_HOST);
		set(&m.f, SPEMU_REG_PMSCR_EL1, guest_is_profiled ? E1SPE : 0);
		set(&m.f, SPEMU_REG_PMSCR_EL2, BIT(SPEMU_PMSCR_EL2_E2SPE_LSB));
		at_el(&m.f, 2);
		assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_PENDING);
		m.diagnostics = 0;
		set(&m.f, contexts[i / 2].reg, 1);
		assert_int_equal(m.diagnostics,
		                 guest_is_profiled ? 1 : contexts[i / 2].diagnostics);
		strict_stop(&m);
	}
}

/* INDWCG: if software clears S before a write to a register of the buffer is visible, this is
 * reported. The registers are PMBPTR_EL1 and PMBLIMITR_EL1. */
static void indwcg_status_cleared_before_pointers_is_reported(void **state)
{
	static const struct {
		uint32_t encoding;
		uint64_t value;
		bool reported;
	} writes[] = {
	        {SPEMU_SYSREG_PMBPTR_EL1, BUFFER_BASE + 0x1000, true},
	        {SPEMU_SYSREG_PMBLIMITR_EL1, (LIMIT - 0x1000) | 1, true},
	        {SPEMU_SYSREG_PMSFCR_EL1, 0, false},
	        {SPEMU_SYSREG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 2), false},
	};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(writes) / sizeof(*writes); i++) {
		const bool synchronized = i & 1;
		struct strict_fixture m;

		strict_start(&m, FEATURES, 1, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		/* An event has occurred, and software has seen it. */
		set(&m.f, SPEMU_REG_PMBSR_EL1, FIELD(PMBSR_EL1, S, 1));
		ISB(&m);
		m.diagnostics = 0;
		msr(&m, writes[i / 2].encoding, writes[i / 2].value);
		if (synchronized)
			ISB(&m);
		MSR(&m, PMBSR_EL1, 0);
		assert_int_equal(reported(&m, "status-cleared-before-pointers"),
		                 writes[i / 2].reported && !synchronized);
		strict_stop(&m);
	}
}

/* For each field that lists its values in arch/sysreg.txt, write all values. Those that are not in
 * the list must be reported. */
static void each_reserved_field_value_is_reported(void **state)
{
	unsigned fields = 0;

	(void)state;
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
		const struct sysreg_desc *d = spemu__sysreg_desc_of((enum spemu_reg)i);

		for (unsigned k = 0; k < d->field_count && !d->readonly; k++) {
			const struct sysreg_field *field = &d->fields[k];
			uint64_t listed = 0, most = (UINT64_C(2) << (field->hi - field->lo)) - 1;
			struct strict_fixture m;

			if (!field->enum_count || most >= 64)
				continue;
			for (unsigned e = 0; e < field->enum_count; e++)
				listed |= BIT(field->enums[e].value);
			for (uint64_t value = 1; value <= most; value++) {
				bool exists;

				strict_start(&m, WHOLE, 1, false);
				exists = spemu__guard_holds(&d->guard, &m.f.pe->features) &&
				         spemu__guard_holds(&field->guard, &m.f.pe->features);
				set(&m.f, (enum spemu_reg)i, value << field->lo);
				if (exists &&
				    reported(&m, "reserved-value") != !(listed >> value & 1))
					fail_msg("%s.%s = %u", d->name, field->name,
					         (unsigned)value);
				fields += exists && !(listed >> value & 1);
				strict_stop(&m);
			}
		}
	}
	assert_true(fields > 5);
}

enum call {
	CALL_PSB,
	CALL_DSB,
	CALL_MSR,
	CALL_MRS,
	CALL_BUFFER_READ,
	CALL_TRANSLATION_CHANGED,
	CALLS
};

static void one_call(struct strict_fixture *m, enum call call)
{
	switch (call) {
	case CALL_PSB:
		PSB(m);
		break;
	case CALL_DSB:
		DSB(m);
		break;
	case CALL_MSR:
		MSR(m, PMSFCR_EL1, 0);
		break;
	case CALL_BUFFER_READ:
		spemu_spu_report_memory(m->f.spu, SPEMU_SOFTWARE_READS, LIMIT, 1);
		break;
	case CALL_TRANSLATION_CHANGED:
		spemu_spu_report_memory(m->f.spu, SPEMU_TRANSLATION_CHANGED, LIMIT, 1);
		break;
	default:
		MRS(m, PMSFCR_EL1);
		break;
	}
}

/* IBCDNC: a direct write may become visible at any time before a Context synchronization event, at
 * any call. */
static void ibcdnc_direct_write_may_be_visible_at_any_call(void **state)
{
	(void)state;
	for (unsigned call = 0; call < CALLS; call++) {
		unsigned early = 0, late = 0;

		for (uint64_t seed = 0; seed < 64; seed++) {
			struct strict_fixture m;
			unsigned n = 0;

			strict_start(&m, FEATURES, seed, false);
			MSR(&m, PMBPTR_EL1, BUFFER_BASE);
			MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
			MSR(&m, PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
			ISB(&m);
			MSR(&m, PMSCR_EL1, E1SPE);
			while (n < 20 && spemu_spu_ops_until_sample(m.f.spu) == UINT64_MAX) {
				one_call(&m, (enum call)call);
				n++;
			}
			early += n > 0 && n < 20;
			late += n == 20;
			strict_stop(&m);
		}
		if (!early)
			fail_msg("call %u makes nothing visible (%u late)", call, late);
	}
}

/* RHXSYK: a Context synchronization event enables profiling, here an exception return. The rules
 * apply to the values that registers have after the event, whatever they had before. */
static void rhxsyk_rules_apply_to_values_after_synchronization(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 64 * 2; run++) {
		bool good = run & 1;
		struct strict_fixture m;

		strict_start(&m, "v8.7,-EL3,-Secure", run / 2, false);
		set(&m.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		set(&m.f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
		set(&m.f, SPEMU_REG_PMSCR_EL1, E1SPE);
		at_el(&m.f, 2);
		MSR(&m, PMBPTR_EL1, good ? LIMIT : BUFFER_BASE);
		MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
		MSR(&m, PMBPTR_EL1, good ? BUFFER_BASE : LIMIT);
		assert_false(reported(&m, "pointer-above-limit"));
		at_el(&m.f, 1);
		assert_int_equal(reported(&m, "pointer-above-limit"), !good);
		strict_stop(&m);
	}
}

/* A write that becomes visible at once is checked at once. Other writes are checked when they
 * become visible. */
static void write_is_checked_when_visible(void **state)
{
	unsigned at_once = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		struct strict_fixture m;

		strict_start(&m, "v8.7" EL1_ONLY, seed, false);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE);
		MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
		MSR(&m, PMSIRR_EL1, 0);
		ISB(&m);
		MSR(&m, PMSCR_EL1, E1SPE);
		at_once += reported(&m, "interval-zero");
		ISB(&m);
		assert_true(reported(&m, "interval-zero"));
		strict_stop(&m);
	}
	assert_in_range(at_once, 4, 32); /* one in four writes */
}

/* Rules are checked again after a register has changed, and not before. */
static void rules_are_rechecked_only_after_a_change(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, "v8.7" EL1_ONLY, 0, false);
	MSR(&m, PMBPTR_EL1, BUFFER_BASE);
	MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
	MSR(&m, PMSIRR_EL1, 0);
	ISB(&m);
	MSR(&m, PMSCR_EL1, E1SPE);
	ISB(&m);
	assert_int_equal(m.diagnostics, 1);
	assert_true(reported(&m, "interval-zero"));
	for (unsigned i = 0; i < 4; i++)
		ISB(&m);
	assert_int_equal(m.diagnostics, 1);
	set(&m.f, SPEMU_REG_PMSCR_EL1, E1SPE | E0SPE);
	for (unsigned i = 0; i < 4; i++)
		ISB(&m);
	assert_int_equal(m.diagnostics, 2);
	strict_stop(&m);
}

/* PMSCR_EL2.{E2SPE, E0HSPE} are RES0 while EL2 does not own the buffer. If the host writes the
 * register then, earlier values that software wrote to these bits are dropped. */
static void host_write_drops_res0_bits_of_software(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, "v8.7,-EL3,-Secure", 0, false);
	at_el(&m.f, 2);
	MSR(&m, PMSCR_EL2, FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1));
	ISB(&m);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMSCR_EL2),
	                 FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1));
	set(&m.f, SPEMU_REG_PMSCR_EL2, 0);
	set(&m.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(&m.f, SPEMU_REG_PMSCR_EL2, 0);
	set(&m.f, SPEMU_REG_MDCR_EL2, 0);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMSCR_EL2), 0);
	strict_stop(&m);
}

/* If the write of software is not visible yet when the host writes, bits that are RES0 at that time
 * keep the value of software, as in plain mode. */
static void host_write_keeps_pending_software_bits(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 17; seed++) {
		struct strict_fixture m;

		strict_start(&m, "v8.7,-EL3,-Secure", seed, seed == 16);
		at_el(&m.f, 2);
		MSR(&m, PMSCR_EL2, FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1));
		set(&m.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		set(&m.f, SPEMU_REG_PMSCR_EL2, 0);
		set(&m.f, SPEMU_REG_MDCR_EL2, 0);
		ISB(&m);
		assert_int_equal(reg(&m.f, SPEMU_REG_PMSCR_EL2),
		                 FIELD(PMSCR_EL2, E2SPE, 1) | FIELD(PMSCR_EL2, E0HSPE, 1));
		strict_stop(&m);
	}
}

/*
 * RPVRNK: until a PSB has forced the record, E may have the value that software wrote or the last
 * synchronized value.
 */
static void rpvrnk_buffer_programmed_before_psb_is_reported_unless_off(void **state)
{
	enum { OFF, OFF_NOT_SYNCHRONIZED, OFF_AND_ON, WAYS };

	(void)state;
	for (unsigned run = 0; run < 16 * WAYS; run++) {
		unsigned how = run % WAYS;
		struct strict_fixture m;

		strict_start(&m, "v8.7" EL1_ONLY, run / WAYS, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_PENDING);
		MSR(&m, PMSCR_EL1, 0);
		ISB(&m);
		MSR(&m, PMBLIMITR_EL1, 0);
		if (how != OFF_NOT_SYNCHRONIZED)
			ISB(&m);
		if (how == OFF_AND_ON)
			MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
		assert_false(reported(&m, "buffer-programmed-while-enabled"));
		MSR(&m, PMBPTR_EL1, BUFFER_BASE);
		assert_int_equal(reported(&m, "buffer-programmed-while-enabled"), how != OFF);
		strict_stop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rhxsyk_rules_apply_to_values_after_synchronization),
	        cmocka_unit_test(write_is_checked_when_visible),
	        cmocka_unit_test(rules_are_rechecked_only_after_a_change),
	        cmocka_unit_test(rpvrnk_buffer_programmed_before_psb_is_reported_unless_off),
	        cmocka_unit_test(host_write_drops_res0_bits_of_software),
	        cmocka_unit_test(host_write_keeps_pending_software_bits),
	        cmocka_unit_test(each_context_and_regime_bit_is_checked_in_flight),
	        cmocka_unit_test(rtdhbh_disabled_buffer_may_change_regime),
	        cmocka_unit_test(diagnostic_shows_the_enabling_pmscr),
	        cmocka_unit_test(ipddcl_context_of_unprofiled_guest_may_change),
	        cmocka_unit_test(each_reserved_field_value_is_reported),
	        cmocka_unit_test(indwcg_status_cleared_before_pointers_is_reported),
	        cmocka_unit_test(ibcdnc_direct_write_may_be_visible_at_any_call),
	};
	return cmocka_run_group_tests_name("strict_switch", tests, NULL, NULL);
}
