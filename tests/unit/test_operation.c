/* SPDX-License-Identifier: MIT */
/* Test the kind of an operation, and which of its facts a record may show (D17.6). */
#include <stdio.h>

#include "base/prng.h"
#include "spu/spu_object.h"
#include "spu_fixture.h"
#include <spemu/choices.h>

#define SME "v9.2,+FEAT_SME,+FEAT_SPE_SME"
enum { FT = 1 << SPEMU_PMSFCR_EL1_FT_LSB };

static struct spemu_record finish(struct fixture *f, const struct spemu_op *op)
{
	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	assert_int_equal(sample(f, op).outcome, SPEMU_SAMPLE_RECORDED);
	return record_at(f, BUFFER_BASE);
}

static struct spemu_record record_of(const char *features, const struct spemu_op *op)
{
	struct fixture f;
	struct spemu_record rec;
	char text[128];

	snprintf(text, sizeof(text), "%s%s", features, EL1_ONLY);
	fixture_start(&f, text, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, PA, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	rec = finish(&f, op);
	fixture_stop(&f);
	return rec;
}

static bool has(const struct spemu_record *rec, uint32_t bit)
{
	return rec->present & bit;
}

/* RMDBYZ to RJCLMP, D18.2.7: with FEAT_SPE_SME, EVL and ETS count all vectors. Their largest values
 * are 0b111 and 0b1111. */
static void rmdbyz_vector_and_tile_sizes_count_all_vectors(void **state)
{
	const struct {
		const char *features;
		struct spemu_op_kind kind;
		uint8_t class, subclass;
	} rows[] = {
	        /* One vector of 512 bits: EVL is 0b100. Four, 2048 bits: 0b110. Four of 1024 bits:
	         * 0b111. */
	        {SME, {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 512}, 0, 0x48},
	        {SME,
	         {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 512, .flags = SPEMU_OPF_VECTORS(4)},
	         0,
	         0x68},
	        {SME,
	         {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 1024, .flags = SPEMU_OPF_VECTORS(4)},
	         0,
	         0x78},
	        /* Without FEAT_SPE_SME, one vector counts. */
	        {"v9.2",
	         {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 1024, .flags = SPEMU_OPF_VECTORS(4)},
	         0,
	         0x58},
	        {SME,
	         {.type = SPEMU_OP_LOAD,
	          .ldst = SPEMU_LDST_SVESME,
	          .vector_bits = 256,
	          .flags = SPEMU_OPF_VECTORS(3)},
	         1,
	         0x58},
	        {"v9.2",
	         {.type = SPEMU_OP_LOAD,
	          .ldst = SPEMU_LDST_SVESME,
	          .vector_bits = 256,
	          .flags = SPEMU_OPF_VECTORS(3)},
	         1,
	         0x38},
	        {SME,
	         {.type = SPEMU_OP_LOAD,
	          .ldst = SPEMU_LDST_SVESME,
	          .vector_bits = 1024,
	          .flags = SPEMU_OPF_VECTORS(4)},
	         1,
	         0x78},
	        {SME,
	         {.type = SPEMU_OP_STORE,
	          .ldst = SPEMU_LDST_SVESME,
	          .vector_bits = 512,
	          .flags = SPEMU_OPF_SME},
	         1,
	         0x49},
	        /* ETS is in bits [6:4] and [2]. It is 0b0000 for 128 bits, 0b0011 for 1024 and
	         * 0b1011 for 262144. */
	        {SME, {.type = SPEMU_OP_OTHER_SME, .vector_bits = 128}, 0, 0x88},
	        {SME,
	         {.type = SPEMU_OP_OTHER_SME, .vector_bits = 512, .flags = SPEMU_OPF_VECTORS(2)},
	         0,
	         0x9c},
	        {SME,
	         {.type = SPEMU_OP_OTHER_SME, .vector_bits = 262144, .flags = SPEMU_OPF_FP},
	         0,
	         0xde},
	        {SME,
	         {.type = SPEMU_OP_OTHER_SME, .vector_bits = 2048, .flags = SPEMU_OPF_WHOLE_ZA},
	         0,
	         0xfc},
	        /* The format for SME does not show predication. */
	        {SME,
	         {.type = SPEMU_OP_OTHER_SME, .vector_bits = 128, .flags = SPEMU_OPF_PREDICATED},
	         0,
	         0x88},
	        /* SVE instructions in Streaming SVE mode alone have the same formats (RMDBYZ,
	         * RLQXZR). */
	        {"v9.2,-FEAT_SVE,+FEAT_SME",
	         {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 1024, .flags = SPEMU_OPF_VECTORS(4)},
	         0,
	         0x58},
	        {"v9.2,-FEAT_SVE,+FEAT_SME,+FEAT_SPE_SME",
	         {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 512, .flags = SPEMU_OPF_VECTORS(4)},
	         0,
	         0x68},
	        {"v9.2,-FEAT_SVE,+FEAT_SME",
	         {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_SVESME, .vector_bits = 256},
	         1,
	         0x38},
	        /* The format is Other for SME operations without FEAT_SPE_SME and for SVE
	         * operations without FEAT_SPEv1p1. */
	        {"v9.2", {.type = SPEMU_OP_OTHER_SME, .vector_bits = 128}, 0, 0x00},
	        {"v8.2", {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 128}, 0, 0x00},
	        /* By default an SVE prefetch is Other (RBHKSC). */
	        {"v9.0",
	         {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 128, .flags = SPEMU_OPF_PREFETCH},
	         0,
	         0x00},
	        /* GCS: COMM is 0 for the micro-op of a call or return. */
	        {"v9.4",
	         {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_GCS, .flags = SPEMU_OPF_LINK},
	         1,
	         0x41},
	        {"v9.4", {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_GCS}, 1, 0x45},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct spemu_record rec;

		op.kind = rows[i].kind;
		rec = record_of(rows[i].features, &op);
		assert_int_equal(rec.op_class, rows[i].class);
		assert_int_equal(rec.op_subclass, rows[i].subclass);
	}
}

/* D18.2.6: E[24] is PSTATE.SM when the operation was chosen. The host supplies E[25]. */
static void streaming_events_follow_pstate_sm_and_host(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER_SME);
	struct spemu_pe_state streaming = {.streaming = true};
	struct fixture f;

	(void)state;
	op.events = 1 << SPEMU_EV_SMCU;
	fixture_start(&f, SME EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(finish(&f, &op).events, EV(SMCU) | EV(RETIRED));
	spemu_pe_set(f.pe, &streaming);
	assert_int_equal(finish(&f, &op).events, EV(SMCU) | EV(STREAMING_SVE) | EV(RETIRED));
	fixture_stop(&f);
}

/* IPXWXV, D18.2.3: the Counter packet with INDEX 4 counts in the clock domain of
 * PMSIDR_EL1.ALTCLK. */
static void ipxwxv_issue_latency_in_alternate_clock(void **state)
{
	const struct {
		const char *features;
		uint8_t clock, altclk;
		bool streaming, recorded;
	} rows[] = {
	        {SME ",+FEAT_SPE_ALTCLK" EL1_ONLY, 0, 1, false, false},
	        {SME ",+FEAT_SPE_ALTCLK" EL1_ONLY, 0, 1, true, true},
	        {SME ",+FEAT_SPE_ALTCLK" EL1_ONLY, SPEMU_ALTCLK_IMPDEF, 15, false, true},
	        {"v9.4,+FEAT_SPE_ALTCLK" EL1_ONLY, 0, 15, false, true},
	        {"v9.4" EL1_ONLY, 0, 0, true, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_spu_config config = {.alternate_clock = rows[i].clock};
		struct spemu_pe_state pe = {.streaming = rows[i].streaming};
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct spemu_record rec;
		struct fixture f;

		fixture_start(&f, rows[i].features, &config);
		program(&f, 1);
		spemu_pe_set(f.pe, &pe);
		assert_int_equal(reg(&f, SPEMU_REG_PMSIDR_EL1) >> 28 & 15, rows[i].altclk);
		op.valid = SPEMU_OPV_ALT_ISSUE_LATENCY;
		op.alt_issue_latency = 5000; /* a 12-bit counter saturates */
		rec = finish(&f, &op);
		assert_int_equal(has(&rec, SPEMU_RECORD_COUNTER(4)), rows[i].recorded);
		assert_int_equal(rec.counter[4], rows[i].recorded ? 0xfff : 0);
		fixture_stop(&f);
	}
}

/* D18.2.1: with FEAT_MTE2 a physical address has CH and PAT. Its address space is that of the
 * memory access, not that of the PE. */
static void physical_address_has_ch_pat_and_space(void **state)
{
	const struct {
		const char *features;
		uint8_t access, space, byte;
	} rows[] = {
	        {"v8.2", 0, SPEMU_PA_SPACE_OF_STATE, 0x80},
	        {"v8.2", SPEMU_OPM_TAG_CHECKED, SPEMU_PA_SPACE_OF_STATE, 0x80},
	        {"v8.5", SPEMU_OPM_TAG_CHECKED, SPEMU_PA_SPACE_OF_STATE, 0xca},
	        {"v8.5", 0, SPEMU_PA_SPACE_OF_STATE, 0x80},
	        {"v8.5", 0, SPEMU_PA_SPACE_NON_SECURE, 0x80},
	        {"v8.5", 0, SPEMU_PA_SPACE_SECURE, 0x00},
	        {"v8.5", SPEMU_OPM_TAG_CHECKED, SPEMU_PA_SPACE_SECURE, 0x4a},
	        {"v8.5", 0, SPEMU_PA_SPACE_REALM, 0x80}, /* NSE is RES0 without FEAT_RME */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_LOAD);

		op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
		op.va = UINT64_C(0xba00123456789abc);
		op.pa = UINT64_C(0xffa500aabbccdd00);
		op.memory_access = rows[i].access;
		op.pa_space = rows[i].space;
		assert_true(record_of(rows[i].features, &op).addr[SPEMU_ADDR_DATA_PA] ==
		            ((uint64_t)rows[i].byte << 56 | UINT64_C(0xa500aabbccdd00)));
	}
}

/* FEAT_RME: {NSE, NS} of addresses in Realm and Non-secure state, and of a memory access from one
 * state to the other. */
static void nse_and_ns_of_realm_and_non_secure_addresses(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.2", NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NSE, 1) | FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_MDCR_EL3,
	    FIELD(MDCR_EL3, NSPBE, 1) | FIELD(MDCR_EL3, NSPB, 3)); /* Realm owns the buffer */
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(&f, SPEMU_REG_HCR_EL2, 0);
	set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, PA, 1));
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, PA, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	op.pa = 0x5000;
	rec = finish(&f, &op);
	assert_int_equal(rec.addr[SPEMU_ADDR_PC] >> 56, 0x90);
	assert_int_equal(rec.addr[SPEMU_ADDR_DATA_PA] >> 56, 0x90);
	op.pa_space = SPEMU_PA_SPACE_NON_SECURE;
	rec = finish(&f, &op);
	assert_int_equal(rec.addr[SPEMU_ADDR_PC] >> 56, 0x90);
	assert_int_equal(rec.addr[SPEMU_ADDR_DATA_PA] >> 56, 0x80);
	op.pa_space = SPEMU_PA_SPACE_REALM;
	assert_int_equal(finish(&f, &op).addr[SPEMU_ADDR_DATA_PA] >> 56, 0x90);
	op.pa_space = SPEMU_PA_SPACE_SECURE;
	assert_int_equal(finish(&f, &op).addr[SPEMU_ADDR_DATA_PA] >> 56, 0x00);
	fixture_stop(&f);
}

/*
 * D17.6.3: a branch target has the context to which an exception return led. The target of another
 * branch has the context of the branch.
 */
static void branch_target_has_context_of_exception_return(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_BRANCH);
	struct spemu_pe_state el0 = {.el = 0};
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.cond_pass = true;
	op.target = 0x7000;
	op.valid = SPEMU_OPV_TARGET;
	for (unsigned n = 0; n < 3; n++) {
		fixture_start(&f, "v8.2" EL1_ONLY, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1));
		at_el(&f, 1);
		if (n == 2) {
			op.valid |= SPEMU_OPV_TARGET_CONTEXT;
			op.target_el = 0;
			op.target_security = SPEMU_SS_NON_SECURE;
		}
		op.kind.flags = n ? SPEMU_OPF_ERET | SPEMU_OPF_INDIRECT : SPEMU_OPF_INDIRECT;
		assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
		if (n < 2) /* an interrupt after the branch does not affect the target */
			spemu_pe_set(f.pe, &el0);
		assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &op), SPEMU_OK);
		rec = record_at(&f, BUFFER_BASE);
		assert_int_equal(rec.addr[SPEMU_ADDR_PC] >> 56, 0xa0);
		assert_int_equal(rec.addr[SPEMU_ADDR_BRANCH_TARGET] >> 56, n ? 0x80 : 0xa0);
		fixture_stop(&f);
	}
}

/* D17.6, D17.6.3: an operation that generates an exception is not a branch and has no target. */
static void operation_with_exception_is_not_a_branch(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_BRANCH);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.kind.flags = SPEMU_OPF_CONDITIONAL | SPEMU_OPF_INDIRECT;
	op.cond_pass = true;
	op.valid = SPEMU_OPV_TARGET | SPEMU_OPV_TOTAL_LATENCY;
	op.total_latency = 3;
	op.exception = true;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	rec = finish(&f, &op);
	assert_int_equal(rec.events, 3);
	assert_int_equal(rec.op_class, 0);
	assert_int_equal(rec.op_subclass, 0);
	assert_int_equal(rec.counter[SPEMU_COUNTER_TOTAL], 3);
	assert_false(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET)));
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, B, 1) | FT);
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_FILTERED);
	/* On a misspeculated path, neither event 0 nor event 1 is set (D17.6.7). */
	set(&f, SPEMU_REG_PMSFCR_EL1, 0);
	op.exception = op.retired = false;
	/* Bits from the host, which do not matter. */
	op.events = 1 << SPEMU_EV_EXCEPTION | 1 << SPEMU_EV_RETIRED;
	assert_int_equal(finish(&f, &op).events, 0);
	fixture_stop(&f);
	/* Example D17-6: after a Translation fault there is no physical address to record. */
	op = an_op(SPEMU_OP_LOAD);
	op.exception = true;
	op.va = 0x8000;
	op.valid = SPEMU_OPV_VA;
	rec = record_of("v8.2", &op);
	assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], 0x8000);
	assert_false(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)));
}

/*
 * D17.6.4: a record has a physical address only with a virtual one. It has a translation latency
 * and events of the memory access only if an access was made.
 */
static void packets_without_memory_access_are_omitted(void **state)
{
	const uint32_t both = SPEMU_OPV_VA | SPEMU_OPV_PA;
	const struct {
		uint32_t valid, flags;
		uint8_t access;
		bool va, pa, latency;
		uint64_t events;
	} rows[] = {
	        {both, 0, 0, true, true, true, 0x3e},
	        {SPEMU_OPV_VA, 0, 0, true, false, true, 0x3e},
	        {SPEMU_OPV_PA, 0, 0, false, false, false, 0x3e},
	        {0, 0, 0, false, false, false, 0x3e},
	        {both, 0, SPEMU_OPM_NOT_PERFORMED, true, true, false, 0x02},
	        {both, SPEMU_OPF_EXCLUSIVE, SPEMU_OPM_NOT_PERFORMED, true, false, false, 0x02},
	        {both, SPEMU_OPF_EXCLUSIVE, 0, true, true, true, 0x3e},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_STORE);
		struct spemu_record rec;

		op.kind.ldst = SPEMU_LDST_EXTENDED;
		op.kind.flags = rows[i].flags;
		op.valid = rows[i].valid | SPEMU_OPV_TRANSLATION_LATENCY;
		op.memory_access = rows[i].access;
		op.events = 0x3c;
		rec = record_of("v8.2", &op);
		assert_int_equal(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)), rows[i].va);
		assert_int_equal(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)), rows[i].pa);
		assert_int_equal(has(&rec, SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION)),
		                 rows[i].latency);
		assert_int_equal(rec.events, rows[i].events);
	}
}

/* D17.6.4.2: a memory access that FEAT_NV2 transformed has an address of EL2. The record shows the
 * address only if EL2 is profiled. */
static void nv2_transformed_access_has_el2_address(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_record rec;

	(void)state;
	op.kind.ldst = SPEMU_LDST_NV2;
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	for (unsigned e2spe = 0; e2spe < 2; e2spe++) {
		struct fixture f;

		fixture_start(&f, "v8.4", NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
		set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
		set(&f, SPEMU_REG_HCR_EL2, 0);
		set(&f, SPEMU_REG_MDCR_EL2, 0); /* EL2 owns the buffer */
		set(&f, SPEMU_REG_PMSCR_EL2,
		    FIELD(PMSCR_EL2, PA, 1) | FIELD(PMSCR_EL2, E2SPE, e2spe));
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
		at_el(&f, 1);
		rec = finish(&f, &op);
		assert_int_equal(rec.op_subclass, 0x30);
		assert_int_equal(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)), e2spe);
		assert_int_equal(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)), e2spe);
		fixture_stop(&f);
	}
}

/* D17.6.4.3, D17.6.4.5: the record shows the memory access that the filter selects. If the filter
 * selects both accesses or neither, the choice is random and unbiased. */
static void copy_is_load_or_store_as_the_filter_wants(void **state)
{
	const uint64_t ld = FIELD(PMSFCR_EL1, LD, 1), st = FIELD(PMSFCR_EL1, ST, 1),
	               b = FIELD(PMSFCR_EL1, B, 1);
	const struct {
		uint64_t pmsfcr;
		int load; /* expected access: 1 the load, 0 the store, -1 either */
	} rows[] = {
	        {0, -1},
	        {ld | FT, 1},
	        {st | FT, 0},
	        {ld | st | FT, -1},
	        {ld, -1},
	        {b | ld | FT, 1},
	        /* The filter selects only operations that are not loads. */
	        {FIELD(PMSFCR_EL1, LDm, 1) | FT, 0},
	        {FIELD(PMSFCR_EL1, STm, 1) | FT, 1},
	};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_LOAD);
		unsigned loads = 0;
		struct fixture f;

		op.kind.ldst = i % 2 ? SPEMU_LDST_MEMCOPY : SPEMU_LDST_GCS;
		op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA | SPEMU_OPV_STORE_VA | SPEMU_OPV_STORE_PA;
		op.va = 0x1000;
		op.pa = 0x2000;
		op.store_va = 0x3000;
		op.store_pa = 0x4000;
		fixture_start(&f, "v9.5" EL1_ONLY, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, PA, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
		set(&f, SPEMU_REG_PMSFCR_EL1, rows[i / 2].pmsfcr);
		for (unsigned n = 0; n < 1000; n++) {
			struct spemu_record rec = finish(&f, &op);
			bool store = rec.op_subclass & 1;

			assert_int_equal(rec.op_subclass & ~1u, i % 2 ? 0x20 : 0x44);
			assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], store ? 0x3000 : 0x1000);
			assert_int_equal(rec.addr[SPEMU_ADDR_DATA_PA] & 0xffff,
			                 store ? 0x4000 : 0x2000);
			loads += !store;
		}
		if (rows[i / 2].load >= 0)
			assert_int_equal(loads, rows[i / 2].load * 1000);
		else /* 500 plus and minus 5 standard deviations of 15.8 */
			assert_in_range(loads, 421, 579);
		fixture_stop(&f);
	}
}

/*
 * D18.2.4, D17.6.4.4: a data source is recorded for loads, atomics that return data, and stores
 * with a status result, if the host supplies one.
 */
static void data_source_is_recorded_for_loads_and_returning_atomics(void **state)
{
	const struct {
		uint8_t type;
		uint32_t flags;
		bool recorded;
	} rows[] = {
	        {SPEMU_OP_LOAD, 0, true},
	        {SPEMU_OP_LOAD_ATOMIC, SPEMU_OPF_ATOMIC, true},
	        {SPEMU_OP_STORE, 0, false},
	        {SPEMU_OP_STORE, SPEMU_OPF_ATOMIC, true},
	        {SPEMU_OP_STORE, SPEMU_OPF_STATUS_RESULT, true},
	        {SPEMU_OP_BRANCH, 0, false},
	        {SPEMU_OP_OTHER, SPEMU_OPF_PREFETCH, true},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op((enum spemu_op_type)rows[i].type);
		struct spemu_record rec;

		op.kind.flags = rows[i].flags;
		op.valid = SPEMU_OPV_DATA_SOURCE;
		op.data_source = 0x1234;
		for (unsigned size = 1; size <= 2; size++) {
			struct spemu_spu_config config = {.data_source_size = (uint8_t)size};
			struct fixture f;

			fixture_start(&f, "v8.2" EL1_ONLY, &config);
			program(&f, 1);
			rec = finish(&f, &op);
			assert_int_equal(has(&rec, SPEMU_RECORD_DATA_SOURCE), rows[i].recorded);
			if (rows[i].recorded) {
				assert_int_equal(rec.data_source_size, size);
				assert_int_equal(rec.data_source, size == 1 ? 0x34 : 0x1234);
			}
			fixture_stop(&f);
		}
		rec = record_of("v8.2,-FEAT_SPE_LDS", &op);
		assert_false(has(&rec, SPEMU_RECORD_DATA_SOURCE));
	}
}

/* RDDCQB, D17.6.2, Example D17-2: the description of the micro-op that the host supplies counts,
 * not the instruction. */
static void rddcqb_micro_op_is_described_by_the_host(void **state)
{
	struct spemu_op address = an_op(SPEMU_OP_OTHER), load = an_op(SPEMU_OP_LOAD);
	struct spemu_op simd = an_op(SPEMU_OP_OTHER), sve = an_op(SPEMU_OP_OTHER_SVE);
	struct fixture f;

	(void)state;
	/* A load is split into two micro-ops, and the filter selects loads. Only the second
	 * micro-op is a load. */
	fixture_start(&f, "v9.5" EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(reg(&f, SPEMU_REG_PMSIDR_EL1) >> 3 & 1, 0); /* PMSIDR_EL1.ArchInst is 0 */
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, LD, 1) | FT);
	assert_int_equal(sample(&f, &address).outcome, SPEMU_SAMPLE_FILTERED);
	assert_int_equal(sample(&f, &load).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_LD), 1);
	/* The same 128 bits are an Advanced SIMD operation or an SVE operation with EVL 0b010. */
	set(&f, SPEMU_REG_PMSFCR_EL1, 0);
	simd.kind.flags = sve.kind.flags = SPEMU_OPF_SIMD;
	sve.kind.vector_bits = 128;
	assert_int_equal(finish(&f, &simd).op_subclass, 0x04);
	assert_int_equal(finish(&f, &sve).op_subclass, 0x28);
	/* The same applies to loads and stores. */
	load.kind.vector_bits = 128;
	load.kind.ldst = SPEMU_LDST_SIMDFP;
	assert_int_equal(finish(&f, &load).op_subclass, 0x04);
	load.kind.ldst = SPEMU_LDST_SVESME;
	assert_int_equal(finish(&f, &load).op_subclass, 0x28);
	/* The micro-op is a quarter of a vector of 1024 bits (Example D17-4). The length of the
	 * quarter counts. */
	sve.kind.vector_bits = 256;
	assert_int_equal(finish(&f, &sve).op_subclass, 0x38);
	fixture_stop(&f);

	fixture_start(&f, "v9.5,+FEAT_SPE_ArchInst" EL1_ONLY, NULL);
	assert_int_equal(reg(&f, SPEMU_REG_PMSIDR_EL1) >> 3 & 1, 1);
	fixture_stop(&f);
}

static void randomize(struct spemu_op *op, uint64_t *r)
{
	uint8_t *bytes = (uint8_t *)op;

	for (size_t i = 0; i < sizeof(*op); i++)
		bytes[i] = (uint8_t)(prng_next(r) >> 40);
	op->kind.type = (uint8_t)(prng_next(r) % (SPEMU_OP_BRANCH + 1u));
	op->kind.ldst = (uint8_t)(prng_next(r) % (SPEMU_LDST_GCS + 1u));
	op->kind.flags &= (uint32_t)(prng_next(r) & prng_next(r));
	op->retired = prng_next(r) & 1;
	op->cond_pass = prng_next(r) & 1;
	op->exception = !(prng_next(r) & 3);
	op->memory_access &= (uint8_t)(prng_next(r) & prng_next(r) & 15);
	op->valid &= 0x7ff;
	if (prng_next(r) & 1)
		op->translation_latency = 0;
}

/* If spemu__operation_is_normal() returns true, spemu__operation_normalize() leaves the operation
 * unchanged, whatever the choices are. */
static void normal_operation_is_not_changed(void **state)
{
	static const char *const features[] = {"v8.2", "v8.9", "v9.6,+FEAT_SME,+FEAT_SPE_SME",
	                                       "v8.2,-FEAT_SPE_LDS"};
	unsigned normal = 0;
	uint64_t r = 1;

	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		struct fixture f;

		fixture_start(&f, features[n], NULL);
		assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM),
		                 SPEMU_OK);
		for (unsigned i = 0; i < 50000; i++) {
			struct collected sample = {.pc = prng_next(&r)};
			struct spemu_op op, after;

			randomize(&op, &r);
			/* This register access draws the choices again. */
			set(&f, SPEMU_REG_PMSFCR_EL1, prng_next(&r));
			if (!spemu__operation_is_normal(f.spu, &op))
				continue;
			normal++;
			after = op;
			spemu__operation_normalize(f.spu, &sample, &after);
			assert_memory_equal(&after, &op, sizeof(op));
		}
		fixture_stop(&f);
	}
	assert_true(normal > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(normal_operation_is_not_changed),
	        cmocka_unit_test(rmdbyz_vector_and_tile_sizes_count_all_vectors),
	        cmocka_unit_test(streaming_events_follow_pstate_sm_and_host),
	        cmocka_unit_test(ipxwxv_issue_latency_in_alternate_clock),
	        cmocka_unit_test(physical_address_has_ch_pat_and_space),
	        cmocka_unit_test(nse_and_ns_of_realm_and_non_secure_addresses),
	        cmocka_unit_test(branch_target_has_context_of_exception_return),
	        cmocka_unit_test(operation_with_exception_is_not_a_branch),
	        cmocka_unit_test(packets_without_memory_access_are_omitted),
	        cmocka_unit_test(nv2_transformed_access_has_el2_address),
	        cmocka_unit_test(copy_is_load_or_store_as_the_filter_wants),
	        cmocka_unit_test(data_source_is_recorded_for_loads_and_returning_atomics),
	        cmocka_unit_test(rddcqb_micro_op_is_described_by_the_host),
	};
	return cmocka_run_group_tests_name("operation", tests, NULL, NULL);
}
