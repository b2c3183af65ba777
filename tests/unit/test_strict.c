/* SPDX-License-Identifier: MIT */
/* D17.9: when effects come, for every seed; what may differ does differ between seeds. */
#include "spu/spu_object.h"
#include "strict_fixture.h"

#define SEEDS 64
#define FEATURES "v8.7" EL1_ONLY
#define LIMIT (BUFFER_BASE + BUFFER_SIZE)

/* Runs to the next sample: a load with so many packets more. */
static void sample_of(struct strict_fixture *m, uint64_t pc, unsigned packets)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	op.valid = (packets > 0 ? SPEMU_OPV_VA : 0) | (packets > 1 ? SPEMU_OPV_TOTAL_LATENCY : 0);
	op.va = 0x5000;
	assert_int_equal(spemu_ops(m->f.spu, spemu_ops_until_sample(m->f.spu) - 1), SPEMU_OK);
	assert_int_equal(spemu_sample_begin(m->f.spu, pc), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_sample_end(m->f.spu, NULL, &op), SPEMU_OK);
}

/* INDWCG, RPVRNK, IWZSLB: old or new before a Context synchronization event, new after it. */
static void direct_writes_become_visible(void **state)
{
	unsigned early = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned exception = 0; exception < 2; exception++) {
			struct strict_fixture m;
			bool seen;

			strict_start(&m, FEATURES, seed, false);
			MSR(&m, PMBPTR_EL1, BUFFER_BASE);
			MSR(&m, PMBLIMITR_EL1, LIMIT | 1);
			MSR(&m, PMSIRR_EL1, 1 << 8);
			ISB(&m);
			MSR(&m, PMSCR_EL1, E0SPE | E1SPE);
			seen = spemu_profiling_enabled(m.f.spu, 1);
			early += seen;
			assert_true(seen == (spemu_ops_until_sample(m.f.spu) != UINT64_MAX));
			assert_int_equal(MRS(&m, PMSCR_EL1) & 3, 3);
			assert_int_equal(reg(&m.f, SPEMU_REG_PMSCR_EL1) & 3, 3);
			if (exception)
				at_el(&m.f, 0);
			else
				ISB(&m);
			assert_true(spemu_profiling_enabled(m.f.spu, exception ? 0 : 1));
			assert_true(spemu_ops_until_sample(m.f.spu) != UINT64_MAX);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
	assert_in_range(early, 1, 2 * SEEDS - 1);
}

/* A write to a register that is never late makes none of the others visible, nor undoes what the SPU has written. */
static void registers_that_are_never_late(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, "v8.7,-EL3,-Secure", seed, false);
		set(&m.f, SPEMU_REG_MDCR_EL2, UINT64_C(3) << 12); /* E2PB: EL1 owns */
		strict_program(&m, BUFFER_BASE, LIMIT);
		strict_sample(&m, 0x1000);
		strict_drain(&m);
		assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + 64);
		MSR(&m, CONTEXTIDR_EL1, 1);
		assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + 64);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 64);
		strict_stop(&m);
	}
}

/* A state without another Exception level, Execution state or Debug state synchronizes nothing. */
static void pstate_synchronizes_nothing(void **state)
{
	unsigned late = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct spemu_pe_state pe = {.el = 1, .pm = true};
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		MSR(&m, PMBLIMITR_EL1, LIMIT | 1);
		spemu_pe_set(m.f.pe, &pe);
		late += !spemu_buffer_enabled(m.f.spu);
		strict_stop(&m);
	}
	assert_in_range(late, 1, SEEDS);
}

/* IRRBSZ, RTRDTK, IMLGHW: memory after ISB, PSB, DSB; registers after ISB, PSB, ISB. */
static void records_come_with_their_barriers(void **state)
{
	unsigned early = 0, early_psb = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned registers = 0; registers < 2; registers++) {
			struct strict_fixture m;

			strict_start(&m, FEATURES, seed, false);
			strict_program(&m, BUFFER_BASE, LIMIT);
			for (uint64_t i = 0; i < 5; i++)
				assert_int_equal(strict_sample(&m, 0x1000 + i),
				                 SPEMU_SAMPLE_PENDING);
			early += m.done[SPEMU_SAMPLE_RECORDED] != 0;
			MSR(&m, PMSCR_EL1, 0);
			ISB(&m);
			PSB(&m);
			early_psb += m.done[SPEMU_SAMPLE_RECORDED] == 5;
			if (registers)
				ISB(&m);
			else
				DSB(&m);
			assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 5);
			for (uint64_t i = 0; i < 5; i++)
				assert_true(pc_at(&m, BUFFER_BASE + 64 * i) == 0x1000 + i);
			if (registers)
				assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 5 * 64);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
	assert_in_range(early, 1, 2 * SEEDS - 1);
	assert_in_range(early_psb, 0, 2 * SEEDS - 1);
}

/* The same of operations that are in flight, in as many slots, when software synchronizes them: they are before it, and
 * the PSB covers them. Whichever ends first, nothing is left in flight for the disabled buffer. */
static void operations_in_flight_are_before_their_barriers(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned psb = 0; psb < 2; psb++) {
			struct strict_fixture m;
			unsigned slot[2];

			strict_start_slots(&m, FEATURES, seed, 2);
			strict_program(&m, BUFFER_BASE, LIMIT);
			for (unsigned i = 0; i < 2; i++) {
				spemu_ops(m.f.spu, spemu_ops_until_sample(m.f.spu) - 1);
				assert_int_equal(
				        spemu_sample_begin_slot(m.f.spu, &slot[i], 0x1000 + i),
				        SPEMU_SAMPLE_STARTED);
			}
			MSR(&m, PMSCR_EL1, 0);
			ISB(&m);
			if (psb)
				PSB(&m);
			for (unsigned i = 2; i-- > 0;)
				assert_int_equal(spemu_sample_end_slot(m.f.spu, NULL, slot[i], &op),
				                 SPEMU_OK);
			if (!psb)
				PSB(&m);
			else
				assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 2);
			DSB(&m);
			assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 2);
			MSR(&m, PMBLIMITR_EL1, 0);
			ISB(&m);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
}

/* IVKDVF: a PSB without a Context synchronization event may cover nothing, and is told of. */
static void psb_without_context_synchronization(void **state)
{
	unsigned whole = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 8; i++)
			strict_sample(&m, 0x1000);
		PSB(&m);
		DSB(&m);
		whole += m.done[SPEMU_SAMPLE_RECORDED] == 8;
		assert_true(told(&m, "psb-without-context-synchronization"));
		strict_stop(&m);
	}
	assert_in_range(whole, 1, SEEDS - 1);
}

/* IMLGHW: what a PSB has synchronized neither changes a later direct write nor sees it. */
static void direct_writes_behind_a_psb(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 3; i++)
			strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		ISB(&m);
		PSB(&m);
		MSR(&m, PMBLIMITR_EL1, 0);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x2000);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 0x2000);
		DSB(&m);
		ISB(&m);
		assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 3);
		assert_true(pc_at(&m, BUFFER_BASE) == 0x1000);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 0x2000);
		strict_stop(&m);
	}
}

/* IMLGHW: a read that is not synchronized gives the old value or the new one. */
static void early_reads_differ(void **state)
{
	unsigned old = 0, new = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t value;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		ISB(&m);
		PSB(&m);
		DSB(&m);
		value = MRS(&m, PMBPTR_EL1);
		assert_true(value == BUFFER_BASE || value == BUFFER_BASE + 64);
		old += value == BUFFER_BASE;
		new += value == BUFFER_BASE + 64;
		assert_true(told(&m, "register-read-unsynchronized"));
		assert_string_equal(m.diagnostic[0].rule, "IMLGHW");
		assert_string_equal(m.diagnostic[0].value[0].name, "PMBPTR_EL1");
		ISB(&m);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 64);
		strict_stop(&m);
	}
	assert_in_range(old, SEEDS, 3 * SEEDS);
	assert_in_range(new, SEEDS, 3 * SEEDS);
}

/* The old value of an early read is the one that was synchronized last: what a PSB has forced is in it, whatever
 * is outstanding after that. */
static void early_reads_give_the_last_value(void **state)
{
	unsigned old = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t value, synchronized = BUFFER_BASE;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned round = 0; round < 4; round++) {
			strict_sample(&m, 0x1000);
			ISB(&m);
			PSB(&m);
			strict_sample(&m, 0x1000);
			ISB(&m);
			synchronized += 64;
			value = MRS(&m, PMBPTR_EL1);
			assert_in_range(value, synchronized, synchronized + 64);
			old += value == synchronized;
			PSB(&m);
			ISB(&m);
			synchronized += 64;
			assert_true(MRS(&m, PMBPTR_EL1) == synchronized);
		}
		strict_stop(&m);
	}
	assert_in_range(old, SEEDS, 3 * SEEDS); /* of 4 */
}

/* Nothing is synchronized: the old value is that before all records, however many they are. */
static void early_reads_skip_what_is_between(void **state)
{
	unsigned old = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t value;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned n = 0; n < 3; n++) {
			strict_sample(&m, 0x1000);
			spemu_settle(m.f.spu);
		}
		value = MRS(&m, PMBPTR_EL1);
		assert_true(value == BUFFER_BASE || value == BUFFER_BASE + 3 * 64);
		old += value == BUFFER_BASE;
		strict_stop(&m);
	}
	assert_in_range(old, 1, SEEDS - 1);
}

/* RPVRNK: with the buffer disabled, and that synchronized, no profiling operation reads its registers,
 * forced or not. */
static void programmed_while_disabled(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		MSR(&m, PMBLIMITR_EL1, 0);
		ISB(&m);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_false(told(&m, "buffer-programmed-while-enabled"));
		strict_stop(&m);
	}
}

/* Records of different sizes, of operations of different Exception levels, come as they were. */
static void records_keep_their_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t at = BUFFER_BASE;

		strict_start(&m, FEATURES, seed, false);
		m.f.spu->config.layout = spemu_layout_dense;
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 6; i++)
			sample_of(&m, 0x1000 + i, i % 3);
		strict_drain(&m);
		for (unsigned i = 0; i < 6; i++) {
			struct spemu_record rec = record_at(&m.f, at);

			assert_true((rec.addr[SPEMU_ADDR_PC] << 8 >> 8) == 0x1000 + i);
			assert_int_equal(!!(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)),
			                 i % 3 > 0);
			assert_int_equal(!!(rec.present & SPEMU_RECORD_COUNTER(0)), i % 3 > 1);
			at += rec.size;
		}
		assert_true(MRS(&m, PMBPTR_EL1) == at);
		strict_stop(&m);
	}
}

/* INRNSL: what the PE wrote before a DSB is overwritten by a record of a later operation. */
static void memory_of_the_pe(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		memset(m.f.buffer, 0x55, BUFFER_SIZE);
		DSB(&m);
		strict_sample(&m, 0x1000);
		strict_drain(&m);
		assert_true(pc_at(&m, BUFFER_BASE) == 0x1000);
		assert_int_equal(m.f.buffer[64], 0x55);
		strict_stop(&m);
	}
}

/* What is pending is bounded, in records and in bytes, and time alone completes it. */
static void pending_is_bounded(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		unsigned pending = 0, most = 0;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 1; i <= 100; i++) {
			strict_sample(&m, 0x1000);
			pending = i - m.done[SPEMU_SAMPLE_RECORDED];
			most = pending > most ? pending : most;
		}
		assert_in_range(most, 1, 16);
		spemu_settle(m.f.spu);
		assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 100);
		strict_stop(&m);
	}
}

/* RSXWCP in its usual form: the buffer goes before the records are there. */
static void buffer_disabled_too_early(void **state)
{
	unsigned lost = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 4; i++)
			strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		MSR(&m, PMBLIMITR_EL1, 0);
		ISB(&m);
		PSB(&m);
		DSB(&m);
		if (m.done[SPEMU_SAMPLE_DISCARDED]) {
			lost++;
			assert_true(told(&m, "buffer-disabled-in-flight"));
		}
		assert_int_equal(m.done[SPEMU_SAMPLE_DISCARDED] + m.done[SPEMU_SAMPLE_RECORDED], 4);
		strict_stop(&m);
	}
	assert_in_range(lost, SEEDS / 2, SEEDS);
}

/* Plain mode is what it was: nothing pending, no diagnostic of D17.9, whatever software does. */
static void plain_mode_says_nothing(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, FEATURES, 0, true);
	strict_program(&m, BUFFER_BASE, LIMIT);
	assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_RECORDED);
	assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 64);
	PSB(&m);
	spemu_buffer_read(m.f.spu, BUFFER_BASE, 64);
	spemu_translation_changed(m.f.spu, BUFFER_BASE, 4096);
	MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
	MSR(&m, PMSCR_EL1, E1SPE | 0xf000);
	set(&m.f, SPEMU_REG_CONTEXTIDR_EL1, 7);
	assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_RECORDED);
	assert_int_equal(m.diagnostics, 0);
	assert_false(spemu_strict(m.f.spu));
	strict_stop(&m);
}

/* Turned off, everything happens at once. */
static void turned_off(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, FEATURES, 5, false);
	strict_program(&m, BUFFER_BASE, LIMIT);
	for (unsigned i = 0; i < 9; i++)
		strict_sample(&m, 0x1000);
	MSR(&m, PMSCR_EL1, 0);
	assert_int_equal(spemu_strict_set(m.f.spu, false, 0), SPEMU_OK);
	assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 9);
	assert_false(spemu_profiling_enabled(m.f.spu, 1));
	assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 9 * 64);
	assert_int_equal(spemu_strict_set(NULL, true, 0), SPEMU_ERR_INVALID);
	strict_stop(&m);
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A session that synchronizes everything, the same for the same r. */
static void random_session(struct strict_fixture *m, uint64_t *r)
{
	uint64_t pages = 1 + next(r) % 4;
	unsigned samples = (unsigned)(next(r) % (pages * 64 - 1));

	MSR(m, PMBSR_EL1, 0);
	MSR(m, PMBPTR_EL1, BUFFER_BASE);
	MSR(m, PMBLIMITR_EL1, (BUFFER_BASE + pages * 4096) | 1);
	MSR(m, PMSFCR_EL1, next(r) & 2 ? UINT64_C(1) << 17 | 2 : 0);
	MSR(m, PMSIRR_EL1, (1 + next(r) % 3) << 8 | (next(r) & 1));
	ISB(m);
	MSR(m, PMSICR_EL1, 0);
	ISB(m);
	MSR(m, PMSCR_EL1, E1SPE | E0SPE);
	ISB(m);
	at_el(&m->f, (unsigned)(next(r) & 1));
	/* One less than fit: an event in the middle stops plain mode earlier than strict mode. */
	for (unsigned i = 0; i < samples; i++)
		assert_true(strict_sample(m, 0x4000 + (next(r) & 0xffff)) >= 0);
	if (next(r) & 1) { /* and now and then, exactly full at the end */
		for (unsigned i = samples; i < pages * 64; i++)
			assert_true(strict_sample(m, 0x8000 + i) >= 0);
		spemu_settle(m->f.spu);
	}
	at_el(&m->f, 1);
	strict_drain(m);
	for (unsigned i = 0; i < 5; i++)
		(void)MRS(m, PMBSR_EL1);
}

/* Everything synchronized: the same records and registers as in plain mode, and no diagnostic. */
static void synchronized_is_as_plain(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct strict_fixture a, b;
		uint64_t r = seed * 7919, ra, rb;

		strict_start(&a, FEATURES, 0, true);
		strict_start(&b, FEATURES, seed, false);
		for (unsigned n = 0; n < 6; n++) {
			ra = rb = r;
			random_session(&a, &ra);
			random_session(&b, &rb);
			r = ra;
			assert_true(ra == rb);
			for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
				assert_true(reg(&a.f, (enum spemu_reg)i) ==
				            reg(&b.f, (enum spemu_reg)i));
			assert_memory_equal(a.f.buffer, b.f.buffer, BUFFER_SIZE);
			assert_memory_equal(a.done, b.done, sizeof(a.done));
			assert_int_equal(a.f.irq, b.f.irq);
		}
		assert_int_equal(a.diagnostics, 0);
		assert_int_equal(b.diagnostics, 0);
		strict_stop(&a);
		strict_stop(&b);
	}
}

/* Memory everywhere, one page in eight of which faults. */
static int write_anywhere(void *ctx, struct spemu_fault *fault,
                          const struct spemu_buffer_write *access, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	if ((access->address >> 12 & 7) != 7)
		return 0;
	*fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 7};
	return 1;
}

/* Something that software does, right or wrong. */
static void random_step(struct strict_fixture *m, uint64_t *r, unsigned *begun)
{
	static const uint32_t written[] = {
	        SPEMU_SYSREG_PMBPTR_EL1, SPEMU_SYSREG_PMBLIMITR_EL1, SPEMU_SYSREG_PMBSR_EL1,
	        SPEMU_SYSREG_PMSCR_EL1,  SPEMU_SYSREG_PMSICR_EL1,    SPEMU_SYSREG_PMSIRR_EL1,
	        SPEMU_SYSREG_PMSFCR_EL1, SPEMU_SYSREG_PMSLATFR_EL1,
	};
	struct spemu_access_result result;
	uint64_t value = next(r), page = BUFFER_BASE + (next(r) & 3) * 4096;

	switch (next(r) % 12) {
	case 0:
		spemu_msr(m->f.spu, &result, written[value % 8],
		          value >> 8 & 1 ? next(r) & 0xff : page | (next(r) & 1));
		break;
	case 1: /* sensible values, so that there is profiling */
		strict_program(m, BUFFER_BASE, LIMIT);
		break;
	case 2:
		spemu_mrs(m->f.spu, &result, &value, written[value % 8]);
		break;
	case 3:
		ISB(m);
		break;
	case 4:
		PSB(m);
		break;
	case 5:
		DSB(m);
		break;
	case 6:
		spemu_buffer_read(m->f.spu, page, next(r) & 0xfff);
		break;
	case 7:
		if (value & 1)
			spemu_translation_changed(m->f.spu, page, 4096);
		else
			spemu_translation_maintained(m->f.spu, page, 8192);
		break;
	case 8:
		set(&m->f, value & 1 ? SPEMU_REG_CONTEXTIDR_EL1 : SPEMU_REG_PMBSR_EL1, 0);
		break;
	default:
		if (spemu_ops_until_sample(m->f.spu) < 100000)
			*begun += strict_sample(m, 0x1000) >= 0;
		break;
	}
}

/* Whatever software does: no sample is lost sight of, and what is cached is what the rules say. */
static void any_software(void **state)
{
	unsigned begun_in_all = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct strict_fixture m;
		uint64_t r = seed * 104729;
		unsigned begun = 0, ended = 0;

		strict_start(&m, FEATURES, seed, false);
		m.f.spu->host.buffer_write = write_anywhere;
		if (seed & 1)
			spemu_choice_set(m.f.pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
		/* Not as if disabled, which the decision itself does not say. */
		spemu_choice_set(m.f.pe, SPEMU_CHOICE_POINTER_RESTRICTION,
		                 SPEMU_POINTER_RESTRICTION_BUFFER_FULL);
		for (unsigned n = 0; n < 3000; n++) {
			random_step(&m, &r, &begun);
			assert_int_equal(m.f.spu->enabled, spemu__spu_enabled_at(m.f.spu->pe, 1));
			assert_int_equal(m.f.irq, spemu_pmbirq(m.f.spu));
		}
		spemu_strict_set(m.f.spu, false, 0);
		for (unsigned i = 0; i < 8; i++)
			ended += m.done[i];
		assert_int_equal(begun, ended);
		begun_in_all += begun;
		strict_stop(&m);
	}
	assert_in_range(begun_in_all, 1000, 90000);
}

/* The same calls with the same seed: two objects, one of them saved and loaded on the way. */
static void saved_and_loaded(void **state)
{
	struct fixture_image image;

	(void)state;
	assert_true(spemu_strict_save_size() <= sizeof(image.spu));
	for (uint64_t seed = 0; seed < 16; seed++) {
		struct strict_fixture a, b;

		strict_start(&a, FEATURES, seed, false);
		strict_start(&b, FEATURES, 99, true);
		strict_program(&a, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 7; i++)
			strict_sample(&a, 0x1000 + i);
		MSR(&a, PMSCR_EL1, 0);
		assert_int_equal(spemu_save(a.f.spu, image.spu, spemu_save_size()),
		                 SPEMU_ERR_NOSPACE);
		fixture_save(&a.f, &image);
		for (size_t cut = 0; cut < spemu_strict_save_size(); cut += 61)
			assert_int_equal(spemu_load(b.f.spu, image.spu, cut), SPEMU_ERR_TRUNCATED);
		assert_false(spemu_strict(b.f.spu));
		fixture_load(&b.f, &image);
		assert_true(spemu_strict(b.f.spu));
		memcpy(b.f.buffer, a.f.buffer, BUFFER_SIZE);
		memcpy(b.done, a.done, sizeof(a.done));
		assert_true(MRS(&a, PMBPTR_EL1) == MRS(&b, PMBPTR_EL1));
		for (struct strict_fixture *m = &a; m; m = m == &a ? &b : NULL) {
			ISB(m);
			PSB(m);
			assert_int_equal(MRS(m, PMSCR_EL1) & 3, 0);
			DSB(m);
			ISB(m);
			assert_int_equal(m->done[SPEMU_SAMPLE_RECORDED], 7);
			assert_true(MRS(m, PMBPTR_EL1) == BUFFER_BASE + 7 * 64);
		}
		assert_memory_equal(a.f.buffer, b.f.buffer, BUFFER_SIZE);
		strict_stop(&a);
		strict_stop(&b);
	}
}

/* A damaged image of strict mode changes nothing. */
static void bad_strict_images(void **state)
{
	struct strict_fixture m;
	uint8_t image[16384];
	uint8_t *strict = image + spemu_save_size();

	(void)state;
	strict_start(&m, FEATURES, 1, false);
	strict_program(&m, BUFFER_BASE, LIMIT);
	strict_sample(&m, 0x1000);
	assert_int_equal(spemu_save(m.f.spu, image, sizeof(image)), SPEMU_OK);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t before = strict[i];

		strict[i] = 0xff;
		assert_int_equal(spemu_load(m.f.spu, image, sizeof(image)), SPEMU_ERR_CORRUPT);
		strict[i] = before;
	}
	assert_int_equal(spemu_load(m.f.spu, image, sizeof(image)), SPEMU_OK);
	strict_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(direct_writes_become_visible),
	        cmocka_unit_test(registers_that_are_never_late),
	        cmocka_unit_test(pstate_synchronizes_nothing),
	        cmocka_unit_test(records_come_with_their_barriers),
	        cmocka_unit_test(operations_in_flight_are_before_their_barriers),
	        cmocka_unit_test(psb_without_context_synchronization),
	        cmocka_unit_test(direct_writes_behind_a_psb),
	        cmocka_unit_test(early_reads_differ),
	        cmocka_unit_test(early_reads_give_the_last_value),
	        cmocka_unit_test(early_reads_skip_what_is_between),
	        cmocka_unit_test(programmed_while_disabled),
	        cmocka_unit_test(records_keep_their_order),
	        cmocka_unit_test(memory_of_the_pe),
	        cmocka_unit_test(pending_is_bounded),
	        cmocka_unit_test(buffer_disabled_too_early),
	        cmocka_unit_test(plain_mode_says_nothing),
	        cmocka_unit_test(turned_off),
	        cmocka_unit_test(synchronized_is_as_plain),
	        cmocka_unit_test(any_software),
	        cmocka_unit_test(saved_and_loaded),
	        cmocka_unit_test(bad_strict_images),
	};
	return cmocka_run_group_tests_name("strict", tests, NULL, NULL);
}
