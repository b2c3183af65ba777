/* SPDX-License-Identifier: MIT */
/* Test the rules about the pointers when profiling becomes enabled and after events (D17.7.4). */
#include "translated_fixture.h"

static struct spemu_op op;
/* 2 to the power of 6: records have 64 bytes. */
static struct spemu_spu_config slots = {.max_size_log2 = 6};

#define LIMIT (BUFFER_BASE + PAGE)

/* Disable profiling, program the buffer and enable profiling again, as a driver does. */
static void enable(struct translated *m, uint64_t ptr, uint64_t limit)
{
	set(&m->f, SPEMU_REG_PMBLIMITR_EL1, 0);
	set(&m->f, SPEMU_REG_PMBSR_EL1, 0);
	m->diagnostics = 0;
	set(&m->f, SPEMU_REG_PMBPTR_EL1, ptr);
	set(&m->f, SPEMU_REG_PMBLIMITR_EL1, limit | FIELD(PMBLIMITR_EL1, E, 1));
}

/* RHXSYK and RHLXGD: test both sides of the boundary of each rule. */
static void rhxsyk_boundary_of_each_enabling_rule(void **state)
{
	const uint64_t tag = UINT64_C(0x12) << 56;
	const struct {
		uint64_t ptr, limit;
		const char *diagnostic;
	} rows[] = {
	        {LIMIT - 64, LIMIT, NULL},
	        {LIMIT - 63, LIMIT, "pointer-above-limit"},
	        {LIMIT, LIMIT, "pointer-above-limit"},
	        {LIMIT + 64, LIMIT, "pointer-above-limit"},
	        {0, 0, "pointer-above-limit"}, /* LIMIT minus a record is below 0 */
	        {BUFFER_BASE | tag, LIMIT | tag, NULL},
	        {BUFFER_BASE, LIMIT | tag, "pointer-tag-differs"},
	        {BUFFER_BASE | tag, LIMIT, "pointer-tag-differs"},
	        {BUFFER_BASE + 1, LIMIT, "pointer-unaligned"},
	        {BUFFER_BASE + 32, LIMIT, "pointer-unaligned"},
	        {BUFFER_BASE + 64, LIMIT, NULL},
	};
	struct translated m;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		translated_start(&m, "v8.2" EL1_ONLY, &slots);
		enable(&m, rows[i].ptr, rows[i].limit);
		if (rows[i].diagnostic)
			assert_true(diagnosed(&m, rows[i].diagnostic));
		else
			assert_int_equal(m.diagnostics, 0);
		fixture_stop(&m.f);
	}
	/* D17.7.4: the pointers do not matter in Discard mode or while profiling is stopped. */
	translated_start(&m, "v8.7" EL1_ONLY, &slots);
	enable(&m, LIMIT, LIMIT | NAMED(PMBLIMITR_EL1, FM, DISCARD));
	assert_int_equal(m.diagnostics, 0);
	set(&m.f, SPEMU_REG_PMBSR_EL1, PMBSR_S);
	set(&m.f, SPEMU_REG_PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
	assert_int_equal(m.diagnostics, 0);
	set(&m.f, SPEMU_REG_PMBSR_EL1, 0); /* now profiling becomes enabled */
	assert_true(diagnosed(&m, "pointer-above-limit"));
	fixture_stop(&m.f);
}

/* A diagnostic contains the values of the registers. */
static void diagnostic_has_register_values(void **state)
{
	struct translated m;
	const struct spemu_diagnostic *d = &m.diagnostic[0];

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	enable(&m, LIMIT, LIMIT);
	assert_int_equal(m.diagnostics, 1);
	assert_string_equal(d->rule, "RHXSYK");
	assert_true(strlen(d->cause) > 20 && strlen(d->remedy) > 20);
	assert_int_equal(d->values, 4);
	assert_string_equal(d->value[0].name, "PMBPTR_EL1");
	assert_true(d->value[0].value == LIMIT);
	assert_true(d->value[1].value == (LIMIT | 1));
	assert_int_equal(d->value[2].value, 6);
	assert_string_equal(d->value[3].name, "PMBIDR_EL1.Align");
	assert_int_equal(d->value[3].value, 6);
	fixture_stop(&m.f);
}

/* RPGGHS: every outcome for a pointer that leaves no room and for a pointer whose top byte
 * differs. */
static void rpgghs_outcomes_of_pointer_violation(void **state)
{
	static const struct {
		const char *choice;
		uint64_t pmbsr;
		bool disabled, pointer_changes;
		unsigned pmu_events;
	} rows[] = {
	        {"pointer-restriction=buffer-full", PMBSR_S | 1, false, false, 1},
	        {"pointer-restriction=access-not-allowed", PMBSR_S | PMBSR_DL, false, false, 0},
	        {"pointer-restriction=mmu-fault", PMBSR_S | STAGE1 | 0x04, false, false, 0},
	        {"pointer-restriction=impdef-event", PMBSR_S | PMBSR_DL | PMBSR_EC(0x1f), false,
	         false, 0},
	        {"pointer-restriction=discard", 0, false, false, 0},
	        {"pointer-restriction=as-disabled", 0, true, false, 0},
	        {"pointer-restriction=unknown-pointer", 0, false, true, 0},
	        {"pointer-restriction=buffer-full-pmu-event", 0, false, false, 1},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned kind = 0; kind < 2; kind++) {
			uint64_t ptr = kind ? BUFFER_BASE | UINT64_C(1) << 56 : LIMIT - 32;
			struct fixture f;

			fixture_start(&f, "v8.2" EL1_ONLY, NULL);
			program(&f, 1);
			{
				enum spemu_choice choice;
				unsigned option;

				spemu_choice_parse(&choice, &option, NULL, rows[i].choice);
				assert_int_equal(spemu_choice_set(f.pe, choice, option), SPEMU_OK);
			}
			set(&f, SPEMU_REG_PMBPTR_EL1, ptr);
			set(&f, SPEMU_REG_PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
			assert_int_equal(spemu_spu_ops_until_sample(f.spu) == UINT64_MAX,
			                 rows[i].disabled);
			if (!rows[i].disabled)
				assert_int_not_equal(sample(&f, &op).outcome,
				                     SPEMU_SAMPLE_RECORDED);
			assert_int_equal(f.writes, 0);
			assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), rows[i].pmbsr);
			assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1) != ptr,
			                 rows[i].pointer_changes);
			assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_BUFFER_FULL),
			                 rows[i].pmu_events);
			fixture_stop(&f);
		}
}

/*
 * RPGGHS: a record may be written past the limit, as far as the translation permits a privileged
 * write.
 */
static void rpgghs_write_past_the_limit(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	choose(&m, "pointer-restriction=write-anywhere");
	enable(&m, LIMIT, LIMIT);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_true(m.write[0].access.address == LIMIT);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | 1); /* the buffer is full */
	fixture_stop(&m.f);
}

static int note_size(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                     const void *data, size_t size)
{
	size_t *written = ctx;

	(void)fault;
	(void)access;
	(void)data;
	assert_int_equal(*written, 0); /* the host is called once for each record */
	*written = size;
	return 0;
}

/* RPGGHS: if the host does not translate addresses, a record crosses no boundary. */
static void rpgghs_write_past_the_limit_without_translation(void **state)
{
	struct spemu_spu_config config = slots;
	size_t written = 0;
	struct spemu_spu_host host = {
	        .size = sizeof(host), .ctx = &written, .buffer_write = note_size};
	struct translated m;

	(void)state;
	memset(&m, 0, sizeof(m));
	config.size = sizeof(config);
	fixture_make(&m.f, pe_make("v8.2" EL1_ONLY), &config, &host);
	choose(&m, "pointer-restriction=write-anywhere");
	program(&m.f, 1);
	set(&m.f, SPEMU_REG_PMBPTR_EL1, (UINT64_C(1) << 62) - 32);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(written, 64);
	fixture_stop(&m.f);
}

/* RPGGHS: the event is reported "with or without indicating data loss". */
static void rpgghs_buffer_full_data_loss_follows_choice(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	choose(&m, "pointer-restriction-data-loss=set");
	enable(&m, LIMIT, LIMIT);
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | PMBSR_DL | 1);
	/* A buffer that becomes full does not violate a rule, so the choice does not affect DL. */
	enable(&m, LIMIT - 64, LIMIT);
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | 1);
	fixture_stop(&m.f);
}

/* RPGGHS: the choice about DL applies to every event. If the choice is by-event, DL follows the
 * description of the event. */
static void rpgghs_data_loss_of_each_event_follows_choice(void **state)
{
	static const struct {
		const char *event;
		bool own;
	} events[] = {
	        {"pointer-restriction=buffer-full", false},
	        {"pointer-restriction=access-not-allowed", true},
	        {"pointer-restriction=mmu-fault", false},
	        {"pointer-restriction=impdef-event", true},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(events) / sizeof(*events); i++)
		for (unsigned option = 0; option < 3; option++) {
			static const char *const options[] = {
			        "pointer-restriction-data-loss=by-event",
			        "pointer-restriction-data-loss=unchanged",
			        "pointer-restriction-data-loss=set"};
			bool dl = option == 2 || (option == 0 && events[i].own);
			struct translated m;

			translated_start(&m, "v8.2" EL1_ONLY, &slots);
			choose(&m, events[i].event);
			choose(&m, options[option]);
			enable(&m, LIMIT, LIMIT);
			sample(&m.f, &op);
			assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1) & (PMBSR_S | PMBSR_DL),
			                 PMBSR_S | (dl ? PMBSR_DL : 0));
			fixture_stop(&m.f);
		}
}

/* Return PMBSR_EL1 after a record at the limit that, by choice, causes an MMU fault. If `other`,
 * `option` is one of pointer-restriction-other-fault, else one of pointer-restriction-fault. */
static uint64_t syndrome_by_choice(bool other, unsigned option)
{
	const unsigned fault = SPEMU_CHOICE_POINTER_RESTRICTION_FAULT;
	struct fixture f;
	uint64_t syndrome;

	fixture_start(&f, "v9.6,+FEAT_LPA,+FEAT_LVA,+FEAT_LPA2", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_HCR_EL2, 0);
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(&f, SPEMU_REG_PMSCR_EL2, 0);
	assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_POINTER_RESTRICTION,
	                                  SPEMU_POINTER_RESTRICTION_MMU_FAULT),
	                 SPEMU_OK);
	assert_int_equal(
	        spemu_choice_set(f.pe, fault,
	                         other ? (unsigned)SPEMU_POINTER_RESTRICTION_FAULT_OTHER : option),
	        SPEMU_OK);
	if (other)
		assert_int_equal(spemu_choice_set(f.pe,
		                                  SPEMU_CHOICE_POINTER_RESTRICTION_OTHER_FAULT,
		                                  option),
		                 SPEMU_OK);
	program(&f, 1);
	set(&f, SPEMU_REG_PMBPTR_EL1, LIMIT);
	set(&f, SPEMU_REG_PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
	sample(&f, &op);
	assert_int_equal(f.writes, 0);
	syndrome = reg(&f, SPEMU_REG_PMBSR_EL1);
	fixture_stop(&f);
	return syndrome;
}

/* RPGGHS, D24.7.5: the choice can select any MMU fault. The codes are those of the table of FSC. */
static void rpgghs_any_mmu_fault_code(void **state)
{
	static const uint8_t fsc[15] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
	                                0x09, 0x0a, 0x0b, 0x0d, 0x0e, 0x0f, 0x30};
	/* Faults at level -1; Access flag and Permission faults at level 0; External aborts and
	 * GPFs on walks from level -1 on; unsupported atomic hardware update. */
	static const uint8_t other[15] = {0x2b, 0x29, 0x08, 0x0c, 0x13, 0x14, 0x15, 0x16,
	                                  0x17, 0x23, 0x24, 0x25, 0x26, 0x27, 0x31};
	const uint64_t ec[2] = {0x24, 0x25};

	(void)state;
	assert_int_equal(
	        spemu_choice_describe(SPEMU_CHOICE_POINTER_RESTRICTION_FAULT)->option_count, 32);
	assert_int_equal(
	        spemu_choice_describe(SPEMU_CHOICE_POINTER_RESTRICTION_OTHER_FAULT)->option_count,
	        31);
	for (unsigned o = 0; o < 30; o++) {
		assert_true(syndrome_by_choice(false, o) ==
		            (PMBSR_EC(ec[o / 15]) | PMBSR_S | fsc[o % 15]));
		assert_true(syndrome_by_choice(true, o) ==
		            (PMBSR_EC(ec[o / 15]) | PMBSR_S | other[o % 15]));
	}
	/* A GPF on the output address is a stage 1 fault (D17.8.3). Other GPC faults have a
	 * separate EC. */
	assert_true(syndrome_by_choice(false, 30) == (PMBSR_EC(0x24) | PMBSR_S | 0x28));
	assert_true(syndrome_by_choice(true, 30) == (PMBSR_EC(0x1e) | PMBSR_S));
}

/* The ways in which profiling can end, and the actions of software before it continues. Each pair
 * is tested against the list in D17.7.4. */
enum how { RUNNING, FAULT, FAULT_IN_RECORD, FULL, EXTERNAL, NOT_ALLOWED, HOWS };
enum action { SAVED, SAVED_LARGER, SAVED_POINTER_OTHER_LIMIT_DOWN, NEW_POINTER, ACTIONS };

static void end_a_stretch(struct translated *m, enum how how)
{
	enable(m, BUFFER_BASE, LIMIT);
	sample(&m->f, &op);
	switch (how) {
	case FAULT:
		m->page[0].fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
		break;
	case FAULT_IN_RECORD: {
		const struct spemu_injection i = {
		        .size = sizeof(i),
		        .nth = 1,
		        .times = 1,
		        .fault = {.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07, .written = 64}};

		assert_int_equal(spemu_spu_inject(m->f.spu, NULL, &i), SPEMU_OK);
		break;
	}
	case EXTERNAL:
		m->page[0].abort = 0;
		break;
	case NOT_ALLOWED: {
		const struct spemu_injection i = {
		        .size = sizeof(i), .nth = 1, .times = 1, .kind = SPEMU_INJECT_NOT_ALLOWED};

		assert_int_equal(spemu_spu_inject(m->f.spu, NULL, &i), SPEMU_OK);
		break;
	}
	default:
		break;
	}
	if (how == FULL)
		while (!sample(&m->f, &op).management_event)
			;
	else
		sample(&m->f, &op);
	assert_int_equal(reg(&m->f, SPEMU_REG_PMBSR_EL1) >> 17 & 1, how != RUNNING);
	m->page[0].fault.kind = 0;
	m->page[0].abort = -1;
}

static const char *expected(enum how how, enum action action)
{
	if (action == NEW_POINTER)
		return NULL;
	/* With a different limit, the buffer counts as configured for the first time, and its
	 * pointer is inside a record. */
	if (how == FAULT_IN_RECORD && action != SAVED)
		return "pointer-unaligned";
	if (action == SAVED_LARGER)
		return NULL;
	if (action == SAVED_POINTER_OTHER_LIMIT_DOWN) /* only the rules of enabling apply */
		return how == FULL ? "pointer-above-limit" : NULL;
	switch (how) {
	case FAULT_IN_RECORD:
	case EXTERNAL:
	case NOT_ALLOWED:
		return "restart-after-data-loss";
	case FULL:
		return "restart-after-buffer-full";
	default:
		return NULL; /* there was no event, or an MMU fault without data loss */
	}
}

static void restart_after_each_end_is_judged(void **state)
{
	(void)state;
	for (enum how how = RUNNING; how < HOWS; how++)
		for (enum action action = SAVED; action < ACTIONS; action++) {
			struct translated m;
			const char *name = expected(how, action);
			uint64_t saved, limit = LIMIT;

			translated_start(&m, "v8.2" EL1_ONLY, &slots);
			if (how == FULL && action == SAVED_POINTER_OTHER_LIMIT_DOWN)
				limit = BUFFER_BASE + 2 * PAGE;
			end_a_stretch(&m, how);
			/* Fill a larger buffer, and then make it one page smaller. */
			if (limit != LIMIT) {
				enable(&m, LIMIT, limit);
				while (!sample(&m.f, &op).management_event)
					;
				limit = LIMIT;
			}
			saved = reg(&m.f, SPEMU_REG_PMBPTR_EL1);
			if (action == SAVED_LARGER)
				limit = BUFFER_BASE + 3 * PAGE;
			if (action == SAVED_POINTER_OTHER_LIMIT_DOWN && how != FULL)
				limit = BUFFER_BASE + 2 * PAGE;
			enable(&m, action == NEW_POINTER ? BUFFER_BASE : saved, limit);
			if (name)
				assert_true(diagnosed(&m, name));
			else
				assert_int_equal(m.diagnostics, 0);
			fixture_stop(&m.f);
		}
}

/* While S is set, profiling stays stopped and no rule applies. */
static void restart_with_s_set_stays_stopped(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	end_a_stretch(&m, FULL);
	m.diagnostics = 0;
	set(&m.f, SPEMU_REG_PMBLIMITR_EL1, 0);
	set(&m.f, SPEMU_REG_PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
	assert_int_equal(m.diagnostics, 0);
	assert_true(spemu_spu_ops_until_sample(m.f.spu) == UINT64_MAX);
	fixture_stop(&m.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rhxsyk_boundary_of_each_enabling_rule),
	        cmocka_unit_test(diagnostic_has_register_values),
	        cmocka_unit_test(rpgghs_outcomes_of_pointer_violation),
	        cmocka_unit_test(rpgghs_write_past_the_limit),
	        cmocka_unit_test(rpgghs_write_past_the_limit_without_translation),
	        cmocka_unit_test(rpgghs_buffer_full_data_loss_follows_choice),
	        cmocka_unit_test(rpgghs_data_loss_of_each_event_follows_choice),
	        cmocka_unit_test(rpgghs_any_mmu_fault_code),
	        cmocka_unit_test(restart_after_each_end_is_judged),
	        cmocka_unit_test(restart_with_s_set_stays_stopped),
	};
	op = an_op(SPEMU_OP_OTHER);
	slots.layout = spemu_layout_neoverse;
	return cmocka_run_group_tests_name("restart", tests, NULL, NULL);
}
