/* SPDX-License-Identifier: MIT */
/*
 * Run random software on random pages, and check invariants of the Profiling Buffer.
 *
 * The software programs the buffer well and badly, clears S or not, changes the state of the PE,
 * and saves and loads images. Pages fault and stop faulting, and faults are injected.
 *
 * After each operation, nothing was written outside of the buffer and the write pointer did not
 * move back by itself. The notifications and cached values equal the decisions.
 *
 * With the default choices, two more invariants hold. The bytes from the pointer that software set
 * to the present pointer decode to the reported records. All of these are there once, up to the
 * last whole record. Nothing was written while profiling was stopped or while the PE was not in the
 * state of the owner.
 *
 * Set SPEMU_TEST_OPERATIONS=10000000 in the environment for the long run.
 */
#include "write_world.h"

/* Decode the records between `start` and `end`, and begin a new run at the present pointer. */
static void close_run(struct world *w)
{
	static uint8_t copy[ARENA];
	struct spemu_decoder dec;
	struct spemu_record rec;
	size_t size = (size_t)(w->end - w->start);

	if (w->strict && !w->unknown && size && w->records < RUN_MAX && in_arena(w->start) &&
	    w->end <= BUFFER_BASE + ARENA) {
		for (size_t i = 0; i < size; i++) {
			size_t at = (size_t)(w->start - BUFFER_BASE) + i;

			copy[i] = w->arena[w->page[at / PAGE] * PAGE + at % PAGE];
		}
		spemu_decoder_init(&dec, copy, size, 0);
		for (unsigned i = 0; i < w->records; i++) {
			assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
			assert_true(rec.present & SPEMU_RECORD_ADDR(0));
			assert_int_equal((rec.addr[0] & UINT64_C(0xffffffffffffff)) - FIRST_PC,
			                 w->run[i] * UINT64_C(4));
		}
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
		assert_int_equal(dec.skipped, 0);
		w->decoded += w->records;
	}
	w->start = w->end = get(w, SPEMU_REG_PMBPTR_EL1);
	w->records = 0;
	w->unknown = false;
}

static uint64_t syndromes(const struct world *w)
{
	return get(w, SPEMU_REG_PMBSR_EL1) | get(w, SPEMU_REG_PMBSR_EL2) |
	       get(w, SPEMU_REG_PMBSR_EL3);
}

static void check_syndrome(uint64_t before, uint64_t after)
{
	static const uint8_t ec[] = {0x00, 0x1e, 0x1f, 0x24, 0x25};

	unsigned mss = after & 0xffff, mss2 = after >> 32 & 0xffffff;

	/* The first event wins: a later event may set EA, DL and COLL, but clears nothing. */
	if (before & S) {
		assert_true((before & ~after) == 0);
		assert_true(((before ^ after) &
		             ~(DL | FIELD(PMBSR_EL1, EA, 1) | FIELD(PMBSR_EL1, COLL, 1))) == 0);
	} else if (after & S) {
		unsigned class = after >> 26 & 0x3f;

		assert_non_null(memchr(ec, (int)class, sizeof(ec)));
		assert_true(class != 0 || ((mss == 0 || mss == 1 || mss == 4) && mss2 == 0));
		assert_true(class != 0x1e || (mss == 0 && mss2 == 0));
		assert_true(class < 0x24 || (mss < 0x32 && (mss2 & ~0x1e0u) == 0));
	}
	assert_true((after & ~UINT64_C(0x00fffffffc0fffff)) == 0);
}

/* Finish the sample in `slot`. Records may be written and an event may be recorded, but the pointer
 * must never move back. */
static void finish(struct world *w, unsigned slot)
{
	static const enum spemu_reg pmbsr[] = {SPEMU_REG_PMBSR_EL1, SPEMU_REG_PMBSR_EL2,
	                                       SPEMU_REG_PMBSR_EL3};
	static const uint8_t types[] = {SPEMU_OP_OTHER, SPEMU_OP_LOAD, SPEMU_OP_STORE,
	                                SPEMU_OP_BRANCH};
	struct spemu_op op = an_op((enum spemu_op_type)types[below(w, sizeof(types))]);
	uint64_t pointer = get(w, SPEMU_REG_PMBPTR_EL1), before[3], now;
	struct spemu_sample_result result;

	op.events = any(w);
	op.va = any(w) >> 8;
	op.valid = op.kind.type == SPEMU_OP_LOAD && one_in(w, 2) ? SPEMU_OPV_VA : 0;
	for (unsigned i = 0; i < 3; i++)
		before[i] = get(w, pmbsr[i]);
	assert_int_equal(spemu_spu_sample_end_slot(w->spu, &result, slot, &op), SPEMU_OK);
	w->used[slot] = false;
	now = get(w, SPEMU_REG_PMBPTR_EL1);
	for (unsigned i = 0; i < 3; i++)
		check_syndrome(before[i], get(w, pmbsr[i]));
	w->events += result.management_event;
	assert_true(w->free || now >= pointer);
	if (!w->strict)
		return;
	if (result.outcome == SPEMU_SAMPLE_RECORDED) {
		assert_int_equal(pointer, w->end);
		assert_int_equal(now, pointer + result.written);
		assert_true(result.written % (1u << w->config.layout.align_log2) == 0);
		if (w->records < RUN_MAX)
			w->run[w->records] = w->serial[slot];
		w->records += w->records < RUN_MAX;
		w->end = now;
	} else if (now != pointer) { /* a part of the record was lost, and DL reports it */
		assert_true(result.management_event && syndromes(w) & DL);
		close_run(w);
	}
}

/* ---- software and its machine ---- */

/* Synchronize everything. The event of a fault that is reported late (RWVKFM) may now occur and
 * move the pointer. */
static void synchronize(struct world *w)
{
	uint64_t pointer = get(w, SPEMU_REG_PMBPTR_EL1), now;

	spemu_spu_psb_csync(w->spu);
	spemu_spu_dsb(w->spu);
	spemu_pe_isb(w->pe);
	now = get(w, SPEMU_REG_PMBPTR_EL1);
	assert_true(w->free || now >= pointer);
	if (now != pointer && w->strict) {
		assert_true(syndromes(w) & DL);
		close_run(w);
	}
}

static void program_well(struct world *w)
{
	unsigned first = below(w, PAGES - 1), pages = 1 + below(w, PAGES - 1 - first);
	uint64_t align = UINT64_C(1) << w->config.layout.align_log2;
	uint64_t room = UINT64_C(1) << w->config.max_size_log2;
	uint64_t offset = one_in(w, 2) ? 0 : below(w, PAGE) & ~(align - 1);

	if (offset + room > (uint64_t)pages * PAGE)
		offset = 0;
	put(w, SPEMU_REG_PMBLIMITR_EL1, 0);
	synchronize(w);
	put(w, SPEMU_REG_PMBSR_EL1, 0);
	put(w, SPEMU_REG_PMBSR_EL2, 0);
	put(w, SPEMU_REG_PMBSR_EL3, 0);
	put(w, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + (uint64_t)first * PAGE + offset);
	w->free = false;
	close_run(w);
	put(w, SPEMU_REG_PMBLIMITR_EL1,
	    (BUFFER_BASE + (uint64_t)(first + pages) * PAGE) |
	            FIELD(PMBLIMITR_EL1, PMFZ, one_in(w, 4)) | FIELD(PMBLIMITR_EL1, E, 1));
}

static void program_badly(struct world *w)
{
	uint64_t pointer = BUFFER_BASE + below(w, ARENA), limit = BUFFER_BASE + below(w, ARENA);

	if (one_in(w, 4))
		pointer = any(w);
	if (one_in(w, 4))
		limit = any(w) & ~UINT64_C(0xfff);
	put(w, SPEMU_REG_PMBPTR_EL1, pointer);
	put(w, SPEMU_REG_PMBLIMITR_EL1, (limit & ~UINT64_C(0xfff)) | FIELD(PMBLIMITR_EL1, E, 1));
	close_run(w);
	/* From here on, by choice, the pointer may become UNKNOWN, or records may be written
	 * through it. */
	w->free = !w->strict;
}

/* The bits {KE, EE} of PMSCR_EL1 or PMSCR_EL2. */
#define KE_AND_EE(bits) ((uint64_t)(bits) << SPEMU_PMSCR_EL1_EE_LSB)

static void change_state(struct world *w)
{
	struct spemu_pe_state pe = {.el = (uint8_t)below(w, 4), .debug = one_in(w, 30)};
	bool el3 = spu_has(w->spu, SPEMU_EL3), el2 = spu_has(w->spu, SPEMU_EL2);
	bool rme = spu_has(w->spu, SPEMU_FEAT_RME);
	uint64_t nspb = FIELD(MDCR_EL3, NSPB, 3);

	pe.pm = one_in(w, 2);
	if (one_in(w, 2))
		pe = (struct spemu_pe_state){.el = (uint8_t)below(w, 2)};
	if (one_in(w, 3)) {
		uint64_t scr = one_in(w, 6) ? 0 : 1;

		scr |= FIELD(SCR_EL3, NSE, scr && rme && one_in(w, 6)) |
		       (any(w) & (FIELD(SCR_EL3, EEL2, 1) | FIELD(SCR_EL3, EA, 1)));
		put(w, SPEMU_REG_SCR_EL3, scr);
		put(w, SPEMU_REG_HCR_EL2,
		    any(w) & (FIELD(HCR_EL2, GPF, 1) | FIELD(HCR_EL2, TEA, 1)));
	}
	if (one_in(w, 12))
		nspb = FIELD(MDCR_EL3, NSPB, below(w, 4)) | FIELD(MDCR_EL3, NSPBE, one_in(w, 4));
	if (one_in(w, 3)) {
		put(w, SPEMU_REG_MDCR_EL3, nspb | FIELD(MDCR_EL3, PMSEE, below(w, 4)));
		put(w, SPEMU_REG_MDCR_EL2, one_in(w, 4) ? 0 : NAMED(MDCR_EL2, E2PB, EL1));
		put(w, SPEMU_REG_PMSCR_EL2,
		    KE_AND_EE(below(w, 8)) | FIELD(PMSCR_EL2, E2SPE, 1) |
		            FIELD(PMSCR_EL2, E0HSPE, 1));
		put(w, SPEMU_REG_PMSCR_EL1,
		    KE_AND_EE(below(w, 8)) | FIELD(PMSCR_EL1, E1SPE, 1) |
		            FIELD(PMSCR_EL1, E0SPE, 1));
	}
	if (pe.el == 3 && !el3)
		pe.el = 0;
	if (pe.el == 2 && (!el2 || !spemu__pe_el2_enabled(w->spu->pe)))
		pe.el = 1;
	spemu_pe_set(w->pe, &pe);
}

static void save_and_load(struct world *w)
{
	static uint8_t image[1 << 16], pe_image[1 << 16];
	struct spemu_spu_host silent = w->host;
	void *old = w->memory[0];

	assert_true(spemu_spu_save_size(false) <= sizeof(image) &&
	            spemu_pe_save_size() <= sizeof(pe_image));
	assert_int_equal(spemu_pe_save(w->pe, pe_image, sizeof(pe_image)), SPEMU_OK);
	assert_int_equal(spemu_spu_save(w->spu, image, sizeof(image)), SPEMU_OK);
	w->irq = w->freeze = false;
	w->target = 0;
	assert_int_equal(spemu_pe_init(&w->pe, w->pe_memory[1], spemu_pe_size(), &w->pe_config),
	                 SPEMU_OK);
	assert_int_equal(
	        spemu_spu_init(&w->spu, w->memory[1], spemu_spu_size(), w->pe, &w->config, &silent),
	        SPEMU_OK);
	assert_int_equal(spemu_pe_load(w->pe, pe_image, spemu_pe_save_size()), SPEMU_OK);
	assert_int_equal(spemu_spu_load(w->spu, image, spemu_spu_save_size(false)), SPEMU_OK);
	w->memory[0] = w->memory[1];
	w->memory[1] = old;
	old = w->pe_memory[0];
	w->pe_memory[0] = w->pe_memory[1];
	w->pe_memory[1] = old;
}

static void add_injection(struct world *w)
{
	struct spemu_injection i = {.size = sizeof(i),
	                            .when = (uint8_t)below(w, 3),
	                            .kind = (uint8_t)below(w, 6),
	                            .mss = (uint16_t)any(w),
	                            .mss2 = any(w) & 0xffffff,
	                            .times = 1 + below(w, 3),
	                            .nth = 1 + below(w, 40),
	                            .rate = 1 + below(w, 40),
	                            .fault = random_fault(w)};

	i.first = BUFFER_BASE + below(w, ARENA);
	i.last = i.first + below(w, PAGE);
	i.fault.written = below(w, 64);
	if (spemu_spu_inject(w->spu, NULL, &i) == SPEMU_ERR_NOSPACE)
		spemu_spu_inject_clear(w->spu);
}

/* Clear the event, in the way of software that handles it or of software that does not know about
 * it. */
static void restart(struct world *w)
{
	if (one_in(w, 3))
		synchronize(w);
	if (one_in(w, 4)) { /* raise the limit by a page */
		uint64_t limit = limit_of(w) + PAGE;

		if (limit <= BUFFER_BASE + ARENA)
			put(w, SPEMU_REG_PMBLIMITR_EL1, limit | FIELD(PMBLIMITR_EL1, E, 1));
	}
	put(w, SPEMU_REG_PMBSR_EL1, 0);
	put(w, SPEMU_REG_PMBSR_EL2, 0);
	put(w, SPEMU_REG_PMBSR_EL3, 0);
	w->free |= !w->strict; /* software continues incorrectly after the buffer is full */
}

static void sample_one(struct world *w)
{
	uint64_t n = spemu_spu_ops_until_sample(w->spu);
	unsigned slot = 0;
	int status;

	if (n == UINT64_MAX) {
		assert_int_equal(spemu_spu_ops(w->spu, 1 + below(w, 100)), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(w->spu, 0), SPEMU_ERR_STATE);
		w->refused++;
		return;
	}
	assert_int_equal(spemu_spu_ops(w->spu, n - 1), SPEMU_OK);
	if (spemu_spu_ops_until_sample(w->spu) != 1)
		return;
	status =
	        spemu_spu_sample_begin_slot(w->spu, &slot, FIRST_PC + UINT64_C(4) * w->next_serial);
	if (status == SPEMU_SAMPLE_STARTED) {
		w->used[slot] = true;
		w->serial[slot] = w->next_serial++;
	}
	if (status == SPEMU_SAMPLE_STARTED && !one_in(w, 5))
		finish(w, slot);
}

static void finish_any(struct world *w)
{
	for (unsigned slot = 0; slot < w->config.samples_in_flight; slot++)
		if (w->used[slot] && one_in(w, 2))
			finish(w, slot);
}

static void change_page(struct world *w)
{
	static const uint8_t codes[] = {0x05, 0x07, 0x0b, 0x0f};
	unsigned page = below(w, PAGES);

	w->page_fault[page] = one_in(w, 8) ? codes[below(w, sizeof(codes))] + 1 : 0;
	w->device[page] = one_in(w, 8);
}

static void toggle_enable(struct world *w)
{
	if (one_in(w, 4))
		put(w, SPEMU_REG_PMBLIMITR_EL1, get(w, SPEMU_REG_PMBLIMITR_EL1) ^ 1);
}

static void operate(struct world *w)
{
	static const struct {
		uint16_t per_mille;
		void (*act)(struct world *w);
	} acts[] = {
	        {20, program_well}, {3, program_badly}, {40, restart},      {8, toggle_enable},
	        {20, change_state}, {60, change_page},  {2, add_injection}, {3, save_and_load},
	        {10, synchronize},  {150, finish_any},  {1000, sample_one},
	};
	unsigned dice = below(w, 1000), i = 0;

	while (dice >= acts[i].per_mille)
		dice -= acts[i++].per_mille;
	acts[i].act(w);
}

/* Check that the notifications and the cached values equal the decisions. */
static void check_derived(const struct world *w)
{
	const struct spemu_spu *s = w->spu;
	bool disabled =
	        s->violations && spemu_choice_get(s->pe, SPEMU_CHOICE_POINTER_RESTRICTION) ==
	                                 SPEMU_POINTER_RESTRICTION_AS_DISABLED;

	assert_int_equal(w->irq, spemu_spu_pmbirq(s));
	assert_int_equal(w->target, spemu_spu_profiling_exception_target(s));
	assert_int_equal(w->freeze, spemu_spu_pmu_freeze(s));
	assert_int_equal(s->stopped, spemu__spu_stopped(s->pe));
	assert_int_equal(s->buffer_enabled, spemu__spu_buffer_enabled(s->pe));
	assert_int_equal(s->discard_mode, spemu__buffer_discard_mode(s->pe));
	assert_int_equal(s->enabled, spemu_spu_profiling_enabled(s, s->pe->state.el) && !disabled);
	assert_int_equal(spemu_spu_ops_until_sample(s) == UINT64_MAX, !s->enabled);
}

static const char el1_only[] = "v8.2" EL1_ONLY;
static const char *const feature_sets[] = {
        el1_only, "v8.2", "v8.7", "v9.2", "v9.6", "v9.6,-FEAT_RME", "v9.6,-FEAT_RME,-EL3",
};
#define FEATURE_SETS (sizeof(feature_sets) / sizeof(*feature_sets))

/* Return a MaxSize that is at least the size of the largest record of these features. */
static uint8_t any_max_size(struct world *w)
{
	int largest = spemu_spu_largest_record(&w->config, &w->pe_config.features);
	unsigned least = 6;

	while (1 << least < largest)
		least++;
	return (uint8_t)(least + below(w, 12 - least));
}

/* Begin world `number`. The number selects the features, layout, sizes, the side that translates,
 * and the choices. */
static void begin(struct world *w, unsigned number)
{
	*w = (struct world){.prng = number,
	                    .memory = {w->memory[0], w->memory[1]},
	                    .pe_memory = {w->pe_memory[0], w->pe_memory[1]}};
	w->strict = number % 2 == 0;
	w->config = (struct spemu_spu_config){.size = sizeof(w->config),
	                                      .layout = one_in(w, 2) ? spemu_layout_dense
	                                                             : spemu_layout_neoverse,
	                                      .samples_in_flight = (uint8_t)(1 + below(w, 4))};
	w->pe_config = (struct spemu_pe_config){.size = sizeof(w->pe_config), .seed = any(w)};
	if (w->config.layout.align_log2 == 0)
		w->config.layout.align_log2 = (uint8_t)below(w, 7);
	assert_int_equal(spemu_features_parse(&w->pe_config.features, NULL,
	                                      feature_sets[number / 2 % FEATURE_SETS]),
	                 SPEMU_OK);
	w->config.max_size_log2 = any_max_size(w);
	w->host = (struct spemu_spu_host){.size = sizeof(w->host),
	                                  .ctx = w,
	                                  .buffer_write = host_write,
	                                  .pmbirq = host_irq,
	                                  .profiling_exception = host_exception,
	                                  .pmu_freeze = host_freeze,
	                                  .translate = one_in(w, 2) ? host_translate : NULL};
	for (unsigned i = 0; i < PAGES; i++)
		w->page[i] = (uint8_t)(PAGES - 1 - (i ^ (number & 7)));
	assert_int_equal(spemu_pe_init(&w->pe, w->pe_memory[0], spemu_pe_size(), &w->pe_config),
	                 SPEMU_OK);
	assert_int_equal(spemu_spu_init(&w->spu, w->memory[0], spemu_spu_size(), w->pe, &w->config,
	                                &w->host),
	                 SPEMU_OK);
	put(w, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	put(w, SPEMU_REG_HCR_EL2, 0);
	put(w, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	put(w, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	put(w, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	put(w, SPEMU_REG_PMSCR_EL2, 0);
	put(w, SPEMU_REG_PMSFCR_EL1, 0);
	put(w, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
	put(w, SPEMU_REG_PMSICR_EL1, 0);
	if (!w->strict)
		spemu_choice_set(w->pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
	else if (spu_has(w->spu, SPEMU_FEAT_SPEV1P5) && one_in(w, 2))
		spemu_choice_set(w->pe, SPEMU_CHOICE_FAULT_REPORTING,
		                 SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE);
	spemu_pe_set(w->pe, &(struct spemu_pe_state){.el = 0});
	program_well(w);
}

static uint64_t operations_asked_for(void)
{
	const char *text = getenv("SPEMU_TEST_OPERATIONS");

	return text ? strtoull(text, NULL, 0) : 100000;
}

static void random_scenarios_keep_write_invariants(void **state)
{
	static struct world w;
	uint64_t left = operations_asked_for(), written = 0, decoded = 0, events = 0, refused = 0;
	unsigned worlds = 0;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		w.memory[i] = malloc(spemu_spu_size());
		w.pe_memory[i] = malloc(spemu_pe_size());
	}
	assert_true(w.memory[0] && w.memory[1]);
	while (left) {
		uint64_t operations = left < 1000 ? left : 1000;

		begin(&w, worlds++);
		for (left -= operations; operations; operations--) {
			operate(&w);
			check_derived(&w);
			w.operations++;
		}
		close_run(&w);
		written += w.written;
		decoded += w.decoded;
		events += w.events;
		refused += w.refused;
	}
	print_message("# %u worlds: %llu bytes written, %llu records decoded, %llu events, %llu "
	              "times stopped or disabled\n",
	              worlds, (unsigned long long)written, (unsigned long long)decoded,
	              (unsigned long long)events, (unsigned long long)refused);
	assert_true(decoded > 0 && events > 0);
	for (unsigned i = 0; i < 2; i++) {
		free(w.memory[i]);
		free(w.pe_memory[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(random_scenarios_keep_write_invariants),
	};
	return cmocka_run_group_tests_name("write_invariants", tests, NULL, NULL);
}
