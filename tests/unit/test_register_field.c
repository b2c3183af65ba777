/* SPDX-License-Identifier: MIT */
/* Test the fields of the buffer and control registers. The expectations are made by hand from the
 * register pages (D24.7.1 to D24.7.9). */
#include "spu_fixture.h"

#include <spemu/explain.h>
#include "pe/pe_object.h"

/* The state of a PE in which software reads PMBIDR_EL1. */
struct who {
	bool el3, rme, secure, sel2, el2; /* implemented features */
	unsigned nspb1, nspbe;            /* MDCR_EL3.NSPB[1] and NSPBE */
	bool e2pb0, eel2;                 /* MDCR_EL2.E2PB is 0b00; SCR_EL3.EEL2 */
	unsigned security, el;
};

/* Return P as D24.7.1 lists it: true for "this field reads as one from", false for "otherwise". */
static bool programming_is_not_allowed(const struct who *w)
{
	const bool s = w->security == SPEMU_SS_SECURE, ns = w->security == SPEMU_SS_NON_SECURE;
	const bool realm = w->security == SPEMU_SS_REALM;
	bool p = false;

	if (w->el3 && !w->nspb1 && (!w->rme || (w->secure && !w->nspbe))) {
		p |= ns || (w->rme && realm);
		p |= s && w->el == 1 && w->sel2 && w->eel2 && w->e2pb0;
	}
	if (w->el3 && w->nspb1 && (!w->rme || !w->nspbe)) {
		p |= s && w->el == 1 && w->secure;
		p |= s && w->el == 2 && w->sel2;
		p |= ns && w->el == 1 && w->el2 && w->e2pb0;
		p |= w->rme && realm;
	}
	if (w->rme && w->nspb1 && w->nspbe) {
		p |= ns || (s && w->secure);
		p |= realm && w->el == 1 && w->e2pb0;
	}
	return p || (!w->el3 && w->el2 && w->e2pb0 && w->el == 1);
}

static void pmbidr_p_is_1_where_programming_is_not_allowed(void **state)
{
	static const struct {
		const char *features;
		struct who who;
	} sets[] = {
	        {"v9.6", {.el3 = true, .rme = true, .secure = true, .sel2 = true, .el2 = true}},
	        {"v8.4", {.el3 = true, .secure = true, .sel2 = true, .el2 = true}},
	        {"v8.2", {.el3 = true, .secure = true, .el2 = true}},
	        {"v8.2,-EL2", {.el3 = true, .secure = true}},
	        {"v9.6,-FEAT_SEL2", {.el3 = true, .rme = true, .el2 = true}},
	        {"v9.6,-EL3,-FEAT_RME", {.el2 = true}},
	        {"v8.2" EL1_ONLY, {.el3 = false}},
	};
	unsigned count = 0;

	(void)state;
	for (unsigned n = 0; n < 7 * 128; n++) {
		struct who w = sets[n % 7].who;
		unsigned bits = n / 7;
		struct fixture f;

		w.nspb1 = bits & 1, w.nspbe = bits >> 1 & 1, w.e2pb0 = bits >> 2 & 1;
		w.eel2 = bits >> 3 & 1, w.security = bits >> 4 & 3, w.el = 1 + (bits >> 6);
		/* Leave out impossible states, and fields that are RES0. */
		if (w.security == SPEMU_SS_ROOT || (!w.el3 && w.security != SPEMU_SS_NON_SECURE) ||
		    (w.security == SPEMU_SS_REALM && !w.rme) || (w.nspbe && !w.rme) ||
		    (w.security == SPEMU_SS_SECURE && !w.secure) || (w.eel2 && !w.sel2) ||
		    (w.el == 2 && (!w.el2 || (w.security == SPEMU_SS_SECURE && !w.eel2))))
			continue;
		fixture_start(&f, sets[n % 7].features, NULL);
		set(&f, SPEMU_REG_SCR_EL3,
		    FIELD(SCR_EL3, NSE, w.security >> 1) | FIELD(SCR_EL3, EEL2, w.eel2) |
		            (w.security & 1));
		set(&f, SPEMU_REG_MDCR_EL3,
		    FIELD(MDCR_EL3, NSPBE, w.nspbe) | FIELD(MDCR_EL3, NSPB, w.nspb1 ? 3 : 1));
		set(&f, SPEMU_REG_MDCR_EL2, w.e2pb0 ? 0 : NAMED(MDCR_EL2, E2PB, EL1));
		set(&f, SPEMU_REG_HCR_EL2, 0);
		at_el(&f, w.el);
		assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) >> 4 & 1,
		                 programming_is_not_allowed(&w));
		count++;
		fixture_stop(&f);
	}
	assert_int_equal(count, 88 + 28 + 12 + 8 + 32 + 8 + 4); /* sum over the feature sets */
}

/* D24.7.1: Align is from 0b0000 (1 byte) to 0b1011 (2KB). */
static void pmbidr_align_follows_layout(void **state)
{
	(void)state;
	for (unsigned n = 0; n <= 11; n++) {
		struct spemu_spu_config config = {.max_size_log2 = 11,
		                                  .layout = {.align_log2 = (uint8_t)n}};
		struct fixture f;

		fixture_start(&f, "v8.2" EL1_ONLY, &config);
		assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) & 15, n);
		fixture_stop(&f);
	}
}

/* D24.7.2: FM 0b10 is Discard mode with FEAT_SPEv1p2 and otherwise reserved. 0b01 and 0b11 are
 * always reserved. */
static void fm_reserved_values_follow_features(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 16; n++) {
		const unsigned fm = n & 3, v1p2 = n >> 2 & 1, discard = n >> 3;
		const bool reserved = fm == 1 || fm == 3 || (fm == 2 && !v1p2);
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		bool discards = fm == 2 && v1p2;
		struct fixture f;

		fixture_start(&f, v1p2 ? "v8.7" EL1_ONLY : "v8.6" EL1_ONLY, NULL);
		/* Without FEAT_SPEv1p2, the choice cannot select Discard mode. */
		if (spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_FM,
		                     discard ? SPEMU_RESERVED_FM_DISCARD
		                             : SPEMU_RESERVED_FM_FILL) == SPEMU_OK)
			discards |= reserved && discard;
		else
			assert_true(discard && !v1p2);
		program(&f, 1);
		set(&f, SPEMU_REG_PMBLIMITR_EL1,
		    (BUFFER_BASE + BUFFER_SIZE) | FIELD(PMBLIMITR_EL1, FM, fm) |
		            FIELD(PMBLIMITR_EL1, E, 1));
		assert_int_equal(sample(&f, &op).outcome,
		                 discards ? SPEMU_SAMPLE_DISCARDED : SPEMU_SAMPLE_RECORDED);
		fixture_stop(&f);
	}
}

/* D24.7.3: PMBMAR_EL1 is ignored if the buffer has virtual addresses. */
static void pmbmar_is_ignored_for_virtual_addresses(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.6" EL1_ONLY ",-FEAT_RME", NULL);
	program(&f, 1);
	/* Program Write-Back, Inner Shareable memory. */
	set(&f, SPEMU_REG_PMBMAR_EL1,
	    NAMED(PMBMAR_EL1, SH, INNER_SHAREABLE) | FIELD(PMBMAR_EL1, Attr, 0xff));
	sample(&f, &op);
	assert_int_equal(f.last_access.address_type, SPEMU_ADDRESS_VA);
	assert_int_equal(f.last_access.memory.shareability, 0);
	assert_int_equal(f.last_access.memory.inner | f.last_access.memory.outer, 0);
	fixture_stop(&f);
}

/* D24.7.3: the choices decide about UNPREDICTABLE encodings and SH 0b01. */
static void reserved_pmbmar_attributes_follow_choice(void **state)
{
	static const struct {
		uint8_t attr;
		bool xs, mte2; /* UNPREDICTABLE without FEAT_XS or FEAT_MTE2 */
	} rows[] = {
	        {0x01, true, false},  {0x0d, true, false},  {0x02, false, false},
	        {0x0f, false, false}, {0x40, true, false},  {0xa0, true, false},
	        {0xf0, false, true},  {0x10, false, false}, {0x50, false, false},
	        {0x80, false, false}, {0xe0, false, false},
	};
	static const char *const sets[] = {"v8.2", "v9.6"};

	(void)state;
	for (unsigned n = 0; n < 2 * sizeof(rows) / sizeof(*rows); n++) {
		const unsigned i = n / 2, has = n & 1;
		struct spemu_pe *pe = pe_make(sets[has]);
		const bool open = !has || (!rows[i].xs && !rows[i].mte2);

		assert_int_equal(pe_has(pe, SPEMU_FEAT_XS), has);
		assert_int_equal(pe_has(pe, SPEMU_FEAT_MTE2), has);
		for (unsigned o = 0; o < 3; o++) {
			static const uint8_t as[3] = {0x00, 0x44, 0xff};
			struct spemu_memory m, chosen;

			assert_int_equal(
			        spemu_choice_set(pe, SPEMU_CHOICE_RESERVED_MEMORY_ATTRIBUTES, o),
			        SPEMU_OK);
			m = spemu__pe_memory_attributes(pe, rows[i].attr, 3);
			chosen = spemu__pe_memory_attributes(pe, as[o], 3);
			assert_int_equal(memcmp(&m, &chosen, sizeof(m)) == 0, open);
		}
		free(pe);
	}
	for (unsigned o = 0; o < 3; o++) {
		static const uint8_t as[3] = {
		        [SPEMU_RESERVED_SHAREABILITY_NON_SHAREABLE] = SPEMU_NON_SHAREABLE,
		        [SPEMU_RESERVED_SHAREABILITY_OUTER_SHAREABLE] = SPEMU_OUTER_SHAREABLE,
		        [SPEMU_RESERVED_SHAREABILITY_INNER_SHAREABLE] = SPEMU_INNER_SHAREABLE};
		struct spemu_pe *pe = pe_make("v9.6");

		assert_int_equal(spemu_choice_set(pe, SPEMU_CHOICE_RESERVED_SHAREABILITY, o),
		                 SPEMU_OK);
		assert_int_equal(spemu__pe_memory_attributes(pe, 0xff, 1).shareability, as[o]);
		free(pe);
	}
}

/* D24.7.4: bits [M-1:0] of PTR are ignored or RES0, for M from 1 to Align. */
static void pointer_bits_below_align_are_ignored_or_res0(void **state)
{
	static const struct {
		uint8_t option, align;
		uint64_t res0;
	} rows[] = {
	        {SPEMU_POINTER_LOW_BITS_READ_WRITE, 6, 0}, {SPEMU_POINTER_LOW_BITS_RES0, 6, 0x3f},
	        {SPEMU_POINTER_LOW_BITS_RES0_BIT0, 6, 1},  {SPEMU_POINTER_LOW_BITS_RES0, 0, 0},
	        {SPEMU_POINTER_LOW_BITS_RES0_BIT0, 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_spu_config config = {.layout = {.align_log2 = rows[i].align}};
		struct fixture f;

		fixture_start(&f, "v8.2" EL1_ONLY, &config);
		assert_int_equal(
		        spemu_choice_set(f.pe, SPEMU_CHOICE_POINTER_LOW_BITS, rows[i].option),
		        SPEMU_OK);
		set(&f, SPEMU_REG_PMBPTR_EL1, ~UINT64_C(0));
		assert_true(reg(&f, SPEMU_REG_PMBPTR_EL1) == ~rows[i].res0);
		fixture_stop(&f);
	}
}

/* Start with Non-secure EL1 as the owner. `el` records every event, because MDCR_EL3.PMSEE or
 * PMSCR_EL2.EE is 0b11. */
static void start_with(struct fixture *f, const char *features, unsigned el)
{
	fixture_start(f, features, NULL);
	set(f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(f, SPEMU_REG_HCR_EL2, 0);
	set(f, SPEMU_REG_MDCR_EL3,
	    FIELD(MDCR_EL3, PMSEE, el == 3 ? 3 : el - 1) | FIELD(MDCR_EL3, NSPB, 3));
	set(f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(f, SPEMU_REG_PMSCR_EL2, el == 2 ? NAMED(PMSCR_EL2, EE, TRAP_ALL) : 0);
	set(f, SPEMU_REG_PMBSR_EL2, 0);
	set(f, SPEMU_REG_PMBSR_EL3, 0);
	program(f, 1);
}

static void start_recording_at(struct fixture *f, unsigned el)
{
	start_with(f, "v9.6", el);
}

static void check_recorded(const struct fixture *f, unsigned el, uint64_t pmbsr)
{
	assert_true(reg(f, SPEMU_REG_PMBSR_EL1) == (el == 1 ? pmbsr : 0));
	assert_true(reg(f, SPEMU_REG_PMBSR_EL2) == (el == 2 ? pmbsr : 0));
	assert_true(reg(f, SPEMU_REG_PMBSR_EL3) == (el == 3 ? pmbsr : 0));
}

/* D24.7.5 to D24.7.7: COLL is set in the register that records "other" events. S is not set. */
static void coll_is_set_in_register_of_other_events(void **state)
{
	(void)state;
	for (unsigned el = 1; el <= 3; el++) {
		struct fixture f;

		start_recording_at(&f, el);
		assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
		check_recorded(&f, el, 0);
		assert_int_equal(spemu_spu_ops(f.spu, 256), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(f.spu, 0x2000), SPEMU_SAMPLE_COLLIDED);
		check_recorded(&f, el, 1 << 16);
		fixture_stop(&f);
	}
}

/* With FEAT_SPE_EXC, a choice decides whether EA is set for an External abort on a walk. EA is set
 * for no other fault. */
static void ea_of_walk_abort_follows_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	for (unsigned n = 0; n < 6; n++) {
		const unsigned el = 1 + n % 3, walk = n / 3;
		struct fixture f;

		start_recording_at(&f, el);
		assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_WALK_EXTERNAL_ABORT_SETS_EA,
		                                  SPEMU_WALK_EXTERNAL_ABORT_SETS_EA_SET),
		                 SPEMU_OK);
		f.fault_at = BUFFER_BASE;
		f.fault =
		        (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = walk ? 0x16 : 0x06};
		sample(&f, &op);
		check_recorded(&f, el,
		               walk ? UINT64_C(0x24) << 26 | 1 << 18 | 1 << 17 | 0x16
		                    : UINT64_C(0x24) << 26 | 1 << 17 | 0x06);
		fixture_stop(&f);
	}
}

/* D24.7.5 to D24.7.7: set each bit of MSS2 for a stage 2 Permission fault. */
static void each_mss2_bit_of_stage_2_permission_fault(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	for (unsigned n = 0; n < 15; n++) {
		const unsigned el = 1 + n % 3, bit = n / 3; /* bit 4 stands for none */
		struct fixture f;

		start_with(&f, "v9.6,+FEAT_TCR2,+FEAT_THE,+FEAT_S1PIE,+FEAT_S1POE", el);
		f.fault_at = BUFFER_BASE;
		f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE2,
		                               .fsc = 0x0e,
		                               .dirty_bit = bit == 0,
		                               .overlay = bit == 1,
		                               .assured_only = bit == 2,
		                               .top_level = bit == 3};
		sample(&f, &op);
		check_recorded(&f, el,
		               (bit < 4 ? UINT64_C(1) << (32 + 5 + bit) : 0) |
		                       UINT64_C(0x25) << 26 | 1 << 17 | 0x0e);
		fixture_stop(&f);
	}
}

/* D24.7.6: in EL2&0, PMBSR_EL1 accesses PMBSR_EL2 at EL2 unless PMSCR_EL2.EE is Effectively
 * 0b00. */
static void e2h_redirects_pmbsr_el1_to_pmbsr_el2(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 16; n++) {
		const unsigned ee = n & 3, e2h = n >> 2 & 1, pmsee = n >> 3;
		struct spemu_access_result result;
		struct fixture f;
		enum spemu_reg target;

		start_recording_at(&f, 1);
		set(&f, SPEMU_REG_MDCR_EL3,
		    FIELD(MDCR_EL3, PMSEE, pmsee) | FIELD(MDCR_EL3, NSPB, 3));
		set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, e2h));
		set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EE, ee));
		assert_int_equal(spemu_explain_access(f.pe, &result, &target,
		                                      SPEMU_SYSREG_PMBSR_EL1, n & 1, 2),
		                 SPEMU_OK);
		assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
		assert_int_equal(target,
		                 e2h && pmsee && ee ? SPEMU_REG_PMBSR_EL2 : SPEMU_REG_PMBSR_EL1);
		fixture_stop(&f);
	}
}

/* D24.7.8, D24.7.9: software can write PMSCR_EL1.EnVM. PMSCR_EL2.EnVM is Effectively 1 if the owner
 * does not have EL2. */
static void envm_is_effectively_1_without_el2(void **state)
{
	static const struct {
		uint64_t scr_el3, mdcr_el3; /* Non-secure, or Secure with EL2 disabled */
		bool asks_el2;
	} rows[] = {{FIELD(SCR_EL3, NS, 1), FIELD(MDCR_EL3, NSPB, 3), true},
	            {0, FIELD(MDCR_EL3, NSPB, 1), false}};

	(void)state;
	for (unsigned n = 0; n < 8; n++) {
		const unsigned i = n & 1, en_vm1 = n >> 1 & 1, en_vm2 = n >> 2;
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct fixture f;

		start_recording_at(&f, 1);
		set(&f, SPEMU_REG_SCR_EL3, rows[i].scr_el3);
		set(&f, SPEMU_REG_MDCR_EL3, rows[i].mdcr_el3);
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, EnVM, en_vm1) | FIELD(PMSCR_EL1, E0SPE, 1));
		set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EnVM, en_vm2));
		set(&f, SPEMU_REG_PMBMAR_EL1, FIELD(PMBMAR_EL1, Attr, 0xff));
		set(&f, SPEMU_REG_PMBLIMITR_EL1,
		    (BUFFER_BASE + BUFFER_SIZE) | FIELD(PMBLIMITR_EL1, nVM, 1) |
		            FIELD(PMBLIMITR_EL1, E, 1));
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
		assert_int_equal(f.last_access.address_type, !rows[i].asks_el2 ? SPEMU_ADDRESS_PA
		                                             : en_vm2          ? SPEMU_ADDRESS_IPA
		                                                               : SPEMU_ADDRESS_VA);
		fixture_stop(&f);
	}
}

/* Return the record of an operation at EL0. By default Non-secure EL1 owns the buffer; scr_el3 and
 * mdcr_el3 can change that. */
static struct spemu_record record_of_el0(const char *features, uint64_t scr_el3, uint64_t mdcr_el3,
                                         uint64_t pmscr_el1, uint64_t pmscr_el2)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_record rec;
	struct fixture f;

	fixture_start(&f, features, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_SCR_EL3, scr_el3);
	set(&f, SPEMU_REG_MDCR_EL3, mdcr_el3);
	set(&f, SPEMU_REG_HCR_EL2, 0);
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(&f, SPEMU_REG_PMSCR_EL1, pmscr_el1 | FIELD(PMSCR_EL1, E0SPE, 1));
	set(&f, SPEMU_REG_PMSCR_EL2, pmscr_el2);
	set(&f, SPEMU_REG_CNTVOFF_EL2, 0x111);
	set(&f, SPEMU_REG_CNTHCTL_EL2, FIELD(CNTHCTL_EL2, ECV, 1));
	f.clock = 0x10000;
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	rec = record_at(&f, BUFFER_BASE);
	fixture_stop(&f);
	return rec;
}

/* PCT 0b11 without FEAT_ECV_POFF: the physical offset is 0. */
static void physical_offset_is_0_without_ecv_poff(void **state)
{
	const uint64_t guest_physical =
	        NAMED(PMSCR_EL1, PCT, GUEST_PHYSICAL) | FIELD(PMSCR_EL1, TS, 1);

	(void)state;
	assert_int_equal(record_of_el0("v9.6,-FEAT_ECV_POFF",
	                               FIELD(SCR_EL3, NS, 1) | FIELD(SCR_EL3, ECVEn, 1),
	                               FIELD(MDCR_EL3, NSPB, 3), guest_physical,
	                               NAMED(PMSCR_EL2, PCT, GUEST_PHYSICAL))
	                         .timestamp,
	                 0x10000);
}

/* If EL2 is not enabled in the current state, PMSCR_EL2.PCT is Effectively 0b01, but reads as it
 * was written. */
static void pct_reads_as_written(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.6", NULL);
	set(&f, SPEMU_REG_SCR_EL3, 0); /* Secure state, EL2 is disabled */
	for (unsigned pct = 0; pct < 4; pct++) {
		set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, PCT, pct));
		assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL2) & 0xc0, pct << 6);
	}
	fixture_stop(&f);
}

/* PMSCR_EL2.CX is ignored if EL2 is disabled in the current Security state. */
static void pmscr_el2_cx_is_ignored_with_el2_disabled(void **state)
{
	struct spemu_record rec;

	(void)state;
	/* In Secure state EL2 is disabled. */
	rec = record_of_el0("v8.6", 0, FIELD(MDCR_EL3, NSPB, 1), 0, FIELD(PMSCR_EL2, CX, 1));
	assert_false(rec.present & SPEMU_RECORD_CONTEXT(1));
	rec = record_of_el0("v8.6", FIELD(SCR_EL3, EEL2, 1), FIELD(MDCR_EL3, NSPB, 1), 0,
	                    FIELD(PMSCR_EL2, CX, 1));
	assert_true(rec.present & SPEMU_RECORD_CONTEXT(1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pmbidr_p_is_1_where_programming_is_not_allowed),
	        cmocka_unit_test(pmbidr_align_follows_layout),
	        cmocka_unit_test(fm_reserved_values_follow_features),
	        cmocka_unit_test(pmbmar_is_ignored_for_virtual_addresses),
	        cmocka_unit_test(reserved_pmbmar_attributes_follow_choice),
	        cmocka_unit_test(pointer_bits_below_align_are_ignored_or_res0),
	        cmocka_unit_test(coll_is_set_in_register_of_other_events),
	        cmocka_unit_test(ea_of_walk_abort_follows_choice),
	        cmocka_unit_test(each_mss2_bit_of_stage_2_permission_fault),
	        cmocka_unit_test(e2h_redirects_pmbsr_el1_to_pmbsr_el2),
	        cmocka_unit_test(envm_is_effectively_1_without_el2),
	        cmocka_unit_test(physical_offset_is_0_without_ecv_poff),
	        cmocka_unit_test(pct_reads_as_written),
	        cmocka_unit_test(pmscr_el2_cx_is_ignored_with_el2_disabled),
	};
	return cmocka_run_group_tests_name("register_field", tests, NULL, NULL);
}
