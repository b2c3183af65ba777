/* SPDX-License-Identifier: MIT */
/* Test the address of a record and its owner (D17.7.1 to D17.7.3, D17.9.1). */
#include "translated_fixture.h"

static struct spemu_op op;

/* The last translation that the SPU requested from the host. */
struct asked {
	struct fixture f;
	struct spemu_buffer_write access;
	unsigned count;
};

static int ask(void *ctx, struct spemu_translation *t, struct spemu_fault *fault,
               const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct asked *a = ctx;

	(void)pe;
	(void)fault;
	a->access = *access;
	a->count++;
	*t = (struct spemu_translation){.physical = 0x1000, .region_log2 = 12, .memory = normal(3)};
	return 0;
}

static int ignore_write(void *ctx, struct spemu_fault *fault,
                        const struct spemu_buffer_write *access, const void *data, size_t size)
{
	(void)ctx;
	(void)access;
	(void)data;
	(void)size;
	(void)fault;
	return 0;
}

static int start(struct asked *a, const char *features, unsigned pa_bits)
{
	struct spemu_spu_config config = {.size = sizeof(config)};
	struct spemu_pe_config pe = {.size = sizeof(pe), .pa_bits = (uint8_t)pa_bits};
	struct spemu_spu_host host = {
	        .size = sizeof(host), .ctx = a, .buffer_write = ignore_write, .translate = ask};

	memset(a, 0, sizeof(*a));
	assert_int_equal(spemu_features_parse(&pe.features, NULL, features), SPEMU_OK);
	a->f.pe = malloc(spemu_pe_size());
	a->f.memory = malloc(spemu_spu_size());
	if (spemu_pe_init(&a->f.pe, a->f.pe, spemu_pe_size(), &pe))
		return SPEMU_ERR_INVALID;
	return spemu_spu_init(&a->f.spu, a->f.memory, spemu_spu_size(), a->f.pe, &config, &host);
}

#define NVM 128 /* PMBLIMITR_EL1.nVM */
#define NO_EL2                                                                                  \
	",-EL3,-EL2,-Secure,-FEAT_RME,-FEAT_FGT,-FEAT_FGT2,-FEAT_ECV_POFF,-FEAT_NV,-FEAT_NV2,-" \
	"FEAT_VHE,-FEAT_SEL2"

static void program_nvm(struct asked *a, uint64_t ptr)
{
	program(&a->f, 1);
	set(&a->f, SPEMU_REG_PMBLIMITR_EL1, 0);
	set(&a->f, SPEMU_REG_PMBMAR_EL1,
	    FIELD(PMBMAR_EL1, Attr, 0xff) | NAMED(PMBMAR_EL1, SH, INNER_SHAREABLE));
	set(&a->f, SPEMU_REG_PMBPTR_EL1, ptr);
	set(&a->f, SPEMU_REG_PMBLIMITR_EL1,
	    ((ptr & ~UINT64_C(0xfff)) + 0x2000) | NVM | FIELD(PMBLIMITR_EL1, E, 1));
}

/* RQJNFT: an address with a bit set from PAMax up to OAMax causes a stage 1 Address size fault,
 * level 0. */
static void rqjnft_address_above_pamax_is_address_size_fault(void **state)
{
	static const struct {
		const char *features;
		unsigned pa_bits, bit;
		bool fault;
	} rows[] = {
	        /* OAMax 47 */
	        {"v9.6" NO_EL2, 40, 39, false},
	        {"v9.6" NO_EL2, 40, 40, true},
	        {"v9.6" NO_EL2, 40, 47, true},
	        {"v9.6" NO_EL2, 48, 47, false},
	        /* OAMax 51 */
	        {"v9.6" NO_EL2 ",+FEAT_LPA", 48, 47, false},
	        {"v9.6" NO_EL2 ",+FEAT_LPA", 48, 48, true},
	        {"v9.6" NO_EL2 ",+FEAT_LPA", 48, 51, true},
	        {"v9.6" NO_EL2 ",+FEAT_LPA", 52, 51, false},
	        {"v9.6" NO_EL2 ",+FEAT_LVA,+FEAT_LPA2", 48, 51, true},
	        /* OAMax 55 */
	        {"v9.6" NO_EL2 ",+FEAT_D128", 48, 48, true},
	        {"v9.6" NO_EL2 ",+FEAT_D128", 48, 55, true},
	        {"v9.6" NO_EL2 ",+FEAT_D128", 56, 55, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned ignored = 0; ignored < 2; ignored++) {
			struct asked a;

			if (start(&a, rows[i].features, rows[i].pa_bits) != SPEMU_OK)
				fail_msg("row %u", i);
			if (ignored) /* the choice for RXBFCM does not apply to these bits */
				spemu_choice_set(a.f.pe, SPEMU_CHOICE_ADDRESS_ABOVE_OAMAX,
				                 SPEMU_ADDRESS_ABOVE_OAMAX_IGNORED);
			program_nvm(&a, UINT64_C(1) << rows[i].bit);
			sample(&a.f, &op);
			assert_int_equal(reg(&a.f, SPEMU_REG_PMBSR_EL1),
			                 rows[i].fault ? PMBSR_S | STAGE1 : 0);
			assert_int_equal(a.count, !rows[i].fault);
			fixture_stop(&a.f);
		}
}

/* RXBFCM: an address with bits above OAMax causes a fault, or the bits are taken as zero. */
static void rxbfcm_address_above_oamax_faults_or_is_truncated(void **state)
{
	static const struct {
		const char *features;
		unsigned bit;
	} rows[] = {{"v9.6" NO_EL2, 48},
	            {"v9.6" NO_EL2, 63},
	            {"v9.6" NO_EL2 ",+FEAT_LPA", 52},
	            {"v9.6" NO_EL2 ",+FEAT_LPA", 55},
	            {"v9.6" NO_EL2 ",+FEAT_D128", 56}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned ignored = 0; ignored < 2; ignored++) {
			uint64_t ptr = UINT64_C(1) << rows[i].bit | 0x4000;
			struct asked a;

			assert_int_equal(start(&a, rows[i].features, 0), SPEMU_OK);
			spemu_choice_set(a.f.pe, SPEMU_CHOICE_ADDRESS_ABOVE_OAMAX,
			                 ignored ? SPEMU_ADDRESS_ABOVE_OAMAX_IGNORED
			                         : SPEMU_ADDRESS_ABOVE_OAMAX_FAULT);
			program_nvm(&a, ptr);
			sample(&a.f, &op);
			assert_int_equal(reg(&a.f, SPEMU_REG_PMBSR_EL1),
			                 ignored ? 0 : PMBSR_S | STAGE1);
			assert_int_equal(a.count, ignored);
			if (ignored)
				assert_true(a.access.address == 0x4000);
			/* PMBPTR_EL1 keeps the value that software wrote. */
			assert_true(reg(&a.f, SPEMU_REG_PMBPTR_EL1) >> 32 == ptr >> 32);
			fixture_stop(&a.f);
		}
}

/* RVGJHQ: a virtual address is translated unchanged, including its top byte. */
static void rvgjhq_virtual_address_is_translated_unchanged(void **state)
{
	const uint64_t tagged = UINT64_C(0xab) << 56 | BUFFER_BASE;
	struct asked a;

	(void)state;
	assert_int_equal(start(&a, "v9.6" NO_EL2, 0), SPEMU_OK);
	program(&a.f, 1);
	set(&a.f, SPEMU_REG_PMBPTR_EL1, tagged);
	set(&a.f, SPEMU_REG_PMBLIMITR_EL1, (tagged + 0x2000) | FIELD(PMBLIMITR_EL1, E, 1));
	sample(&a.f, &op);
	assert_true(a.access.address == tagged);
	assert_int_equal(a.access.address_type, SPEMU_ADDRESS_VA);
	fixture_stop(&a.f);
}

/* RSDWFC, RDQTTB: PMBMAR_EL1 gives the stage 1 attributes of an untranslated address, unless
 * HCR_EL2.DC overrides it. */
static void rsdwfc_untranslated_address_has_stage1_attributes_of_pmbmar(void **state)
{
	static const struct {
		unsigned owner;
		uint64_t hcr;
		int type;
		bool dc;
	} rows[] = {
	        {1, 0, SPEMU_ADDRESS_IPA, false},
	        {1, FIELD(HCR_EL2, DC, 1), SPEMU_ADDRESS_IPA, true},
	        {2, FIELD(HCR_EL2, DC, 1), SPEMU_ADDRESS_PA,
	         false}, /* DC does not control the EL2 regime */
	        /* {E2H, TGE} = {1, 1}: DC is Effectively 0; the owner is EL2, also for EL0. */
	        {2, FIELD(HCR_EL2, E2H, 1) | FIELD(HCR_EL2, TGE, 1) | FIELD(HCR_EL2, DC, 1),
	         SPEMU_ADDRESS_PA, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct asked a;

		assert_int_equal(start(&a, "v9.6,-EL3,-Secure,-FEAT_RME", 0), SPEMU_OK);
		set(&a.f, SPEMU_REG_HCR_EL2, rows[i].hcr);
		set(&a.f, SPEMU_REG_MDCR_EL2, rows[i].owner == 1 ? NAMED(MDCR_EL2, E2PB, EL1) : 0);
		set(&a.f, SPEMU_REG_PMSCR_EL2,
		    FIELD(PMSCR_EL2, EnVM, 1) | FIELD(PMSCR_EL2, E2SPE, 1) |
		            FIELD(PMSCR_EL2, E0HSPE, 1));
		program_nvm(&a, 0x4000);
		/* Attr 4 is Device-nGnRE. */
		set(&a.f, SPEMU_REG_PMBMAR_EL1,
		    FIELD(PMBMAR_EL1, Attr, 4) | NAMED(PMBMAR_EL1, SH, INNER_SHAREABLE));
		at_el(&a.f, rows[i].owner);
		set(&a.f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
		sample(&a.f, &op);
		assert_int_equal(a.access.address_type, rows[i].type);
		assert_int_equal(a.access.owner_el, rows[i].owner);
		assert_int_equal(a.access.e2h, rows[i].hcr >> 34 & 1);
		assert_int_equal(a.access.memory.type,
		                 rows[i].dc ? SPEMU_MEMORY_NORMAL : SPEMU_MEMORY_DEVICE_NGNRE);
		assert_int_equal(a.access.memory.shareability,
		                 rows[i].dc ? SPEMU_NON_SHAREABLE : SPEMU_OUTER_SHAREABLE);
		fixture_stop(&a.f);
	}
}

/* IFRCPH, IDJRBT: SCTLR_ELx.{C, M} are ignored. No control adapts the attributes to those of stage
 * 1. */
static void ifrcph_sctlr_c_and_m_are_ignored(void **state)
{
	(void)state;
	for (unsigned owner = 1; owner <= 2; owner++)
		for (unsigned controls = 0; controls < 4; controls++) {
			uint64_t sctlr = FIELD(SCTLR_EL1, M, controls & 1) |
			                 FIELD(SCTLR_EL1, C, controls >> 1 & 1);
			struct asked a;

			assert_int_equal(start(&a, "v9.6,-EL3,-Secure,-FEAT_RME", 0), SPEMU_OK);
			set(&a.f, SPEMU_REG_SCTLR_EL1, sctlr);
			set(&a.f, SPEMU_REG_SCTLR_EL2, sctlr);
			set(&a.f, SPEMU_REG_HCR_EL2, 0);
			set(&a.f, SPEMU_REG_MDCR_EL2, owner == 1 ? NAMED(MDCR_EL2, E2PB, EL1) : 0);
			set(&a.f, SPEMU_REG_PMSCR_EL2,
			    FIELD(PMSCR_EL2, EnVM, 1) | FIELD(PMSCR_EL2, E2SPE, 1) |
			            FIELD(PMSCR_EL2, E0HSPE, 1));
			/* The attributes are Write-Back and Inner Shareable. */
			program_nvm(&a, 0x4000);
			at_el(&a.f, owner);
			set(&a.f, SPEMU_REG_PMSCR_EL1,
			    FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
			sample(&a.f, &op);
			assert_int_equal(a.access.memory.type, SPEMU_MEMORY_NORMAL);
			assert_int_equal(a.access.memory.inner, SPEMU_WRITE_BACK);
			assert_int_equal(a.access.memory.outer, SPEMU_WRITE_BACK);
			assert_int_equal(a.access.memory.shareability, SPEMU_INNER_SHAREABLE);
			fixture_stop(&a.f);
		}
}

/*
 * RDFFVT: the owner decides the MECID of an untranslated address. The MECID can be nonzero in Realm
 * state alone.
 */
static void rdffvt_mecid_follows_the_owner(void **state)
{
	static const struct {
		bool realm;
		unsigned owner;
		uint16_t mecid;
	} rows[] = {{true, 1, 0x111}, {true, 2, 0x222}, {false, 1, 0}, {false, 2, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t nse = FIELD(SCR_EL3, NSE, rows[i].realm);
		struct asked a;

		assert_int_equal(start(&a, "v9.6,+FEAT_TCR2,+FEAT_SCTLR2,+FEAT_MEC", 0), SPEMU_OK);
		set(&a.f, SPEMU_REG_SCR_EL3,
		    nse | FIELD(SCR_EL3, MECEn, 1) | FIELD(SCR_EL3, SCTLR2En, 1) |
		            FIELD(SCR_EL3, NS, 1));
		set(&a.f, SPEMU_REG_SCTLR2_EL2, FIELD(SCTLR2_EL2, EMEC, 1));
		set(&a.f, SPEMU_REG_HCR_EL2, 0);
		set(&a.f, SPEMU_REG_MDCR_EL3,
		    FIELD(MDCR_EL3, NSPBE, rows[i].realm) | FIELD(MDCR_EL3, NSPB, 3) |
		            FIELD(MDCR_EL3, EnPMS4, 1));
		set(&a.f, SPEMU_REG_MDCR_EL2, rows[i].owner == 1 ? NAMED(MDCR_EL2, E2PB, EL1) : 0);
		set(&a.f, SPEMU_REG_PMSCR_EL2,
		    FIELD(PMSCR_EL2, EnVM, 1) | FIELD(PMSCR_EL2, E2SPE, 1) |
		            FIELD(PMSCR_EL2, E0HSPE, 1));
		set(&a.f, SPEMU_REG_VMECID_P_EL2, 0x111);
		set(&a.f, SPEMU_REG_MECID_P0_EL2, 0x222);
		program_nvm(&a, 0x4000);
		at_el(&a.f, rows[i].owner);
		set(&a.f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
		sample(&a.f, &op);
		assert_int_equal(a.access.security,
		                 rows[i].realm ? SPEMU_SS_REALM : SPEMU_SS_NON_SECURE);
		assert_int_equal(a.access.mecid, rows[i].mecid);
		fixture_stop(&a.f);
	}
}

/* RSXWCP, RVCYWL, RQJWVQ: when the record is about to be written, the buffer no longer exists. It
 * was disabled, another Security state is current, or the owner is a reserved value. */
static void rsxwcp_sample_is_lost_if_buffer_vanishes_before_write(void **state)
{
	enum { DISABLED, OTHER_STATE, RESERVED };
	static const struct {
		int how;
		const char *choice;
		enum spemu_sample_outcome outcome;
		unsigned security; /* Security state of the buffer write; 0 if there is none */
		uint64_t pmbsr;
	} rows[] = {
	        {DISABLED, "disabled-in-flight=discard", SPEMU_SAMPLE_DISCARDED, 0, 0},
	        {DISABLED, "disabled-in-flight=write", SPEMU_SAMPLE_RECORDED, SPEMU_SS_NON_SECURE,
	         0},
	        {DISABLED, "disabled-in-flight=access-not-allowed", SPEMU_SAMPLE_LOST, 0,
	         PMBSR_S | PMBSR_DL},
	        {OTHER_STATE, "security-mismatch=discard", SPEMU_SAMPLE_DISCARDED, 0, 0},
	        {OTHER_STATE, "security-mismatch=write-as-owner", SPEMU_SAMPLE_RECORDED,
	         SPEMU_SS_NON_SECURE, 0},
	        {OTHER_STATE, "security-mismatch=write-as-current", SPEMU_SAMPLE_RECORDED,
	         SPEMU_SS_SECURE, 0},
	        {OTHER_STATE, "security-mismatch=access-not-allowed", SPEMU_SAMPLE_LOST, 0,
	         PMBSR_S | PMBSR_DL},
	        {RESERVED, "reserved-nspb-write=written", SPEMU_SAMPLE_RECORDED, SPEMU_SS_SECURE,
	         0},
	        {RESERVED, "reserved-nspb-write=discard", SPEMU_SAMPLE_DISCARDED, 0, 0},
	        {RESERVED, "reserved-nspb-write=access-not-allowed", SPEMU_SAMPLE_LOST, 0,
	         PMBSR_S | PMBSR_DL},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum spemu_choice choice;
		unsigned option;
		struct asked a;
		struct spemu_sample_result result;

		assert_int_equal(start(&a, "v9.6", 0), SPEMU_OK);
		assert_int_equal(spemu_choice_parse(&choice, &option, NULL, rows[i].choice),
		                 SPEMU_OK);
		assert_int_equal(spemu_choice_set(a.f.pe, choice, option), SPEMU_OK);
		set(&a.f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));     /* Non-secure */
		set(&a.f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3)); /* Non-secure state owns */
		set(&a.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		set(&a.f, SPEMU_REG_HCR_EL2, 0);
		set(&a.f, SPEMU_REG_PMSCR_EL2, 0);
		program(&a.f, 1);
		assert_int_equal(spemu_spu_ops(a.f.spu, spemu_spu_ops_until_sample(a.f.spu) - 1),
		                 SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(a.f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
		if (rows[i].how == DISABLED)
			set(&a.f, SPEMU_REG_PMBLIMITR_EL1, BUFFER_BASE + BUFFER_SIZE);
		else
			set(&a.f, SPEMU_REG_SCR_EL3, 0); /* Secure */
		if (rows[i].how == RESERVED)
			set(&a.f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPBE, 1));
		assert_int_equal(spemu_spu_sample_end(a.f.spu, &result, &op), SPEMU_OK);
		assert_int_equal(result.outcome, rows[i].outcome);
		assert_int_equal(a.count, rows[i].outcome == SPEMU_SAMPLE_RECORDED);
		if (a.count)
			assert_int_equal(a.access.security, rows[i].security);
		assert_int_equal(reg(&a.f, SPEMU_REG_PMBSR_EL1), rows[i].pmbsr);
		fixture_stop(&a.f);
	}
}

/* IBRTKK: while profiling is stopped, no choice applies. Nothing is written, and there is no second
 * event. */
static void ibrtkk_sample_is_lost_without_event_if_stopped_before_write(void **state)
{
	struct asked a;
	struct spemu_sample_result result;

	(void)state;
	assert_int_equal(start(&a, "v8.2" EL1_ONLY, 0), SPEMU_OK);
	spemu_choice_set(a.f.pe, SPEMU_CHOICE_DISABLED_IN_FLIGHT, SPEMU_DISABLED_IN_FLIGHT_WRITE);
	program(&a.f, 1);
	assert_int_equal(spemu_spu_ops(a.f.spu, spemu_spu_ops_until_sample(a.f.spu) - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(a.f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
	set(&a.f, SPEMU_REG_PMBSR_EL1, PMBSR_S | 1);
	assert_int_equal(spemu_spu_sample_end(a.f.spu, &result, &op), SPEMU_OK);
	assert_int_equal(result.outcome, SPEMU_SAMPLE_DISCARDED);
	assert_int_equal(a.count, 0);
	assert_int_equal(reg(&a.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | 1);
	fixture_stop(&a.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rqjnft_address_above_pamax_is_address_size_fault),
	        cmocka_unit_test(rxbfcm_address_above_oamax_faults_or_is_truncated),
	        cmocka_unit_test(rvgjhq_virtual_address_is_translated_unchanged),
	        cmocka_unit_test(rsdwfc_untranslated_address_has_stage1_attributes_of_pmbmar),
	        cmocka_unit_test(ifrcph_sctlr_c_and_m_are_ignored),
	        cmocka_unit_test(rdffvt_mecid_follows_the_owner),
	        cmocka_unit_test(rsxwcp_sample_is_lost_if_buffer_vanishes_before_write),
	        cmocka_unit_test(ibrtkk_sample_is_lost_without_event_if_stopped_before_write),
	};
	op = an_op(SPEMU_OP_OTHER);
	return cmocka_run_group_tests_name("buffer_address", tests, NULL, NULL);
}
