/* SPDX-License-Identifier: MIT */
/* Test memory accesses by operations that are not plain loads or stores, and the records of these
 * operations (D17.6.3, D17.6.6, D17.6.8). */
#include "spu_fixture.h"

enum { FT = 1 << SPEMU_PMSFCR_EL1_FT_LSB };

static struct spemu_record finish(struct fixture *f, const struct spemu_op *op)
{
	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	assert_int_equal(sample(f, op).outcome, SPEMU_SAMPLE_RECORDED);
	return record_at(f, BUFFER_BASE);
}

static bool has(const struct spemu_record *rec, uint32_t bit)
{
	return rec->present & bit;
}

/* D17.6.3, D17.6.4.5: for the filters, a call or return that accesses the Guarded Control Stack is
 * both a branch and a store or load. The record has the packets of both, whichever filter lets it
 * pass. */
static void gcs_branch_is_branch_and_access(void **state)
{
	const unsigned br = 1 << SPEMU_PMSFCR_EL1_B_LSB, ld = 1 << SPEMU_PMSFCR_EL1_LD_LSB,
	               st = 1 << SPEMU_PMSFCR_EL1_ST_LSB;
	struct spemu_op op = an_op(SPEMU_OP_BRANCH);
	struct fixture f;

	(void)state;
	op.target = 0x7000;
	op.va = 0x8000;
	op.events = 1 << SPEMU_EV_MISPREDICTED | 1 << SPEMU_EV_L1D_ACCESS;
	op.total_latency = 90;
	op.translation_latency = 5;
	op.data_source = 9;
	op.cond_pass = true;
	op.valid = SPEMU_OPV_TARGET | SPEMU_OPV_VA | SPEMU_OPV_TOTAL_LATENCY |
	           SPEMU_OPV_TRANSLATION_LATENCY | SPEMU_OPV_DATA_SOURCE;
	fixture_start(&f, "v9.4" EL1_ONLY, NULL);
	program(&f, 1);
	for (unsigned ret = 0; ret < 2; ret++) {
		const unsigned passes[] = {0, br | FT, (ret ? ld : st) | FT, br | ld | st | FT};

		op.kind.flags = SPEMU_OPF_GCS | (ret ? SPEMU_OPF_RETURN : SPEMU_OPF_LINK);
		for (unsigned i = 0; i < 4; i++) {
			struct spemu_record rec;

			set(&f, SPEMU_REG_PMSFCR_EL1, passes[i]);
			rec = finish(&f, &op);
			assert_int_equal(rec.op_class, 2);
			assert_int_equal(rec.op_subclass, ret ? 0x14 : 0x0c);
			assert_int_equal(rec.addr[SPEMU_ADDR_BRANCH_TARGET] & 0xffff, 0x7000);
			assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], 0x8000);
			assert_int_equal(rec.counter[SPEMU_COUNTER_TOTAL], 90);
			assert_int_equal(rec.counter[SPEMU_COUNTER_TRANSLATION], 5);
			assert_int_equal(rec.events, op.events | 1 << SPEMU_EV_RETIRED);
			assert_true(has(&rec, SPEMU_RECORD_DATA_SOURCE));
		}
		set(&f, SPEMU_REG_PMSFCR_EL1, (ret ? st : ld) | FT);
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_FILTERED);
	}
	fixture_stop(&f);
}

/* D17.6.3: other branches have no data address, even if the host supplies one. On a PE without
 * FEAT_GCS no branch has a data address. */
static void branch_without_gcs_access_has_no_data_address(void **state)
{
	static const struct {
		const char *features;
		uint32_t flags;
	} rows[] = {{"v9.4" EL1_ONLY, SPEMU_OPF_LINK},
	            {"v8.9" EL1_ONLY, SPEMU_OPF_LINK | SPEMU_OPF_GCS},
	            {"v8.2" EL1_ONLY, SPEMU_OPF_RETURN | SPEMU_OPF_GCS | SPEMU_OPF_INDIRECT}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_BRANCH);
		struct spemu_record rec;
		struct fixture f;

		op.kind.flags = rows[i].flags;
		op.cond_pass = true;
		op.events = 1 << SPEMU_EV_L1D_ACCESS;
		op.valid = SPEMU_OPV_TARGET | SPEMU_OPV_VA | SPEMU_OPV_PA |
		           SPEMU_OPV_TRANSLATION_LATENCY | SPEMU_OPV_DATA_SOURCE;
		fixture_start(&f, rows[i].features, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E0SPE, 1) | FIELD(PMSCR_EL1, PA, 1));
		rec = finish(&f, &op);
		assert_int_equal(rec.present, SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) |
		                                      SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET) |
		                                      SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_EVENTS);
		assert_int_equal(rec.events, 1 << SPEMU_EV_RETIRED);
		set(&f, SPEMU_REG_PMSFCR_EL1,
		    FIELD(PMSFCR_EL1, ST, 1) | FIELD(PMSFCR_EL1, LD, 1) | FT);
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_FILTERED);
		fixture_stop(&f);
	}
}

/* RBHKSC, D17.6.8: a prefetch is Other, both in the record and for the filters. It may have the
 * packets of a load. */
static void rbhksc_prefetch_is_other(void **state)
{
	static const uint8_t types[] = {SPEMU_OP_OTHER, SPEMU_OP_OTHER_SVE};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct spemu_op op = an_op((enum spemu_op_type)types[i]);
		struct spemu_record rec;
		struct fixture f;

		op.kind.flags = SPEMU_OPF_PREFETCH;
		op.kind.vector_bits = i ? 256 : 0;
		op.va = 0x8000;
		op.events = 1 << SPEMU_EV_L1D_ACCESS | 1 << SPEMU_EV_TLB_ACCESS;
		op.translation_latency = 5;
		op.data_source = 9;
		op.valid = SPEMU_OPV_VA | SPEMU_OPV_TRANSLATION_LATENCY | SPEMU_OPV_DATA_SOURCE;
		fixture_start(&f, "v9.5" EL1_ONLY, NULL);
		program(&f, 1);
		rec = finish(&f, &op);
		assert_int_equal(rec.op_class, 0);
		assert_int_equal(rec.op_subclass, 0);
		assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], 0x8000);
		assert_int_equal(rec.counter[SPEMU_COUNTER_TRANSLATION], 5);
		assert_int_equal(rec.events, op.events | 1 << SPEMU_EV_RETIRED);
		assert_int_equal(rec.data_source, 9);
		set(&f, SPEMU_REG_PMSFCR_EL1,
		    FIELD(PMSFCR_EL1, LD, 1) | FIELD(PMSFCR_EL1, ST, 1) | FT);
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_FILTERED);
		assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_LD), 0);
		assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_ST), 0);
		fixture_stop(&f);
	}
}

/* RMYPFF, RNHSYR: the record has the address of the element that the host chose. If the element is
 * Inactive, the host may supply no address. */
static void rmypff_address_of_inactive_element_is_the_hosts(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.kind.ldst = SPEMU_LDST_SVESME;
	op.kind.vector_bits = 256;
	op.va = 0x8018; /* the fourth of eight words */
	op.pa = 0x9018;
	fixture_start(&f, "v9.2" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, PA, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	for (unsigned gather = 0; gather < 2; gather++) {
		op.kind.flags = SPEMU_OPF_PREDICATED | (gather ? SPEMU_OPF_GATHER_SCATTER : 0);
		op.memory_access = 0;
		op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
		rec = finish(&f, &op);
		assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], 0x8018);
		assert_true(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)));
		/* The element is Inactive, with or without its address. */
		op.memory_access = SPEMU_OPM_NOT_PERFORMED;
		op.valid = SPEMU_OPV_VA;
		rec = finish(&f, &op);
		assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], 0x8018);
		assert_false(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)));
		op.valid = SPEMU_OPV_PA;
		rec = finish(&f, &op);
		assert_false(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)));
		assert_false(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)));
	}
	fixture_stop(&f);
}

/* D17.6.4.4, FEAT_MOPS: if a copy is recorded as a store, the record has the physical address of
 * the store or none. */
static void copy_store_has_its_own_physical_address_or_none(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.kind.ldst = SPEMU_LDST_MEMCOPY;
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA | SPEMU_OPV_STORE_VA;
	op.va = 0x1000;
	op.pa = 0x2000;
	op.store_va = 0x3000;
	fixture_start(&f, "v9.5" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, PA, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, ST, 1) | FT);
	rec = finish(&f, &op);
	assert_int_equal(rec.op_subclass & 1, 1);
	assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], 0x3000);
	assert_false(has(&rec, SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)));
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(gcs_branch_is_branch_and_access),
	        cmocka_unit_test(branch_without_gcs_access_has_no_data_address),
	        cmocka_unit_test(rbhksc_prefetch_is_other),
	        cmocka_unit_test(rmypff_address_of_inactive_element_is_the_hosts),
	        cmocka_unit_test(copy_store_has_its_own_physical_address_or_none),
	};
	return cmocka_run_group_tests_name("operation_access", tests, NULL, NULL);
}
