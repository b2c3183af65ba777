/* SPDX-License-Identifier: MIT */
/* Test how a record is written, inside a page and across pages (D17.7.6, D17.7.7). */
#include "translated_fixture.h"

static struct spemu_op op; /* an operation without addresses: its dense record has about 12 bytes */

static const struct spemu_spu_config dense = {.max_size_log2 = 6};

/* A record inside one region is one write. The descriptor of the write has all attributes. */
static void record_inside_a_region_is_one_write(void **state)
{
	struct translated m;
	struct spemu_sample_result result;

	(void)state;
	translated_start(&m, "v8.5" EL1_ONLY, &dense);
	m.page[0].t.mecid = 0x1234;
	result = sample(&m.f, &op);
	assert_int_equal(result.outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(m.writes, 1);
	assert_int_equal(m.write[0].size, result.written);
	assert_true(m.write[0].access.address == BUFFER_BASE);
	assert_int_equal(m.write[0].access.pas, SPEMU_SS_NON_SECURE);
	assert_int_equal(m.write[0].access.mecid, 0x1234);
	assert_int_equal(m.write[0].access.memory.type, SPEMU_MEMORY_NORMAL);
	assert_int_equal(m.write[0].access.memory.shareability, SPEMU_INNER_SHAREABLE);
	assert_true(m.write[0].access.privileged);
	assert_true(m.write[0].access.tag_unchecked); /* FEAT_MTE2 */
	fixture_stop(&m.f);
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	sample(&m.f, &op);
	assert_false(m.write[0].access.tag_unchecked);
	fixture_stop(&m.f);
}

/* A record across pages is written in ascending order. Each part has the translation of its own
 * page, and the bytes are those of one record. */
static void record_across_pages_is_two_writes(void **state)
{
	struct translated m;
	struct spemu_sample_result result;
	uint8_t whole[64];

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	sample(&m.f, &op);
	memcpy(whole, m.write[0].data, sizeof(whole));
	before_second_page(&m, 5);
	m.writes = 0;
	m.page[1].t.pas = SPEMU_SS_SECURE;
	result = sample(&m.f, &op);
	assert_int_equal(result.outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(m.writes, 2);
	assert_true(m.write[0].access.address == BUFFER_BASE + PAGE - 5);
	assert_int_equal(m.write[0].size, 5);
	assert_true(m.write[1].access.address == BUFFER_BASE + PAGE);
	assert_int_equal(m.write[1].size, result.written - 5);
	assert_int_equal(m.write[1].access.pas, SPEMU_SS_SECURE);
	assert_memory_equal(m.write[0].data, whole, 5);
	assert_memory_equal(m.write[1].data, whole + 5, result.written - 5u);
	fixture_stop(&m.f);
}

/* A region larger than a page takes one write. A region that ends earlier needs a second write. */
static void writes_end_at_region_boundary_not_page_boundary(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	for (unsigned i = 0; i < 4; i++)
		m.page[i].t.region_log2 = 14;
	before_second_page(&m, 5);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(m.writes, 1);
	assert_int_equal(m.translations, 1);
	fixture_stop(&m.f);
}

/* D17.8.3: if the second page faults, the first bytes are written. The pointer is then at the start
 * of the second page. */
static void fault_in_second_page_keeps_first_part(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	before_second_page(&m, 5);
	m.page[1].fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE2, .fsc = 0x07};
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_LOST);
	assert_int_equal(m.writes, 1);
	assert_int_equal(m.write[0].size, 5);
	assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + PAGE);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | PMBSR_DL | STAGE2 | 0x07);
	fixture_stop(&m.f);
}

/* A fault in the second page has the same effect with every choice of D17.7.7, because there is no
 * second page to cross into. */
static void fault_in_second_page_overrides_crossing_choices(void **state)
{
	static const char *const choices[] = {
	        "page-crossing=alignment-fault", "page-crossing=discard-all",
	        "device-crossing=alignment-fault", "device-crossing=discard-all"};

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned dev = 0; dev < 2; dev++) {
			struct translated m;

			translated_start(&m, "v8.2" EL1_ONLY, &dense);
			choose(&m, choices[i]);
			if (dev)
				m.page[0].t.memory = m.page[0].t.stage1 = device(0);
			before_second_page(&m, 5);
			m.page[1].fault =
			        (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
			assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_LOST);
			assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1),
			                 PMBSR_S | PMBSR_DL | STAGE1 | 0x07);
			fixture_stop(&m.f);
		}
}

/* The effect of one option of page-crossing or device-crossing. The record has 5 bytes below the
 * page boundary. */
struct crossing {
	const char *choice;
	unsigned writes;
	bool first_is_upper;
	int moved; /* distance that PMBPTR_EL1 moves; ALL is the whole record */
	uint64_t pmbsr;
	enum spemu_sample_outcome outcome;
};
#define ALL 1000

static void check_crossing(struct translated *m, const struct crossing *c)
{
	uint64_t start = BUFFER_BASE + PAGE - 5;
	unsigned size;
	struct spemu_sample_result result;

	sample(&m->f, &op);
	size = (unsigned)(reg(&m->f, SPEMU_REG_PMBPTR_EL1) - BUFFER_BASE);
	before_second_page(m, 5);
	m->writes = 0;
	choose(m, c->choice);
	result = sample(&m->f, &op);
	assert_int_equal(result.outcome, c->outcome);
	assert_int_equal(m->writes, c->writes);
	assert_true(reg(&m->f, SPEMU_REG_PMBPTR_EL1) ==
	            start + (c->moved == ALL ? size : (unsigned)c->moved));
	assert_int_equal(reg(&m->f, SPEMU_REG_PMBSR_EL1), c->pmbsr);
	if (c->writes)
		assert_true(m->write[0].access.address ==
		            (c->first_is_upper ? BUFFER_BASE + PAGE : start));
	if (c->writes)
		assert_int_equal(m->write[0].size, c->first_is_upper ? size - 5 : 5);
}

#define ALIGNMENT_FAULT(stage) (PMBSR_S | (stage) | 0x21)
#define RECORDED SPEMU_SAMPLE_RECORDED
#define DISCARDED SPEMU_SAMPLE_DISCARDED
#define LOST SPEMU_SAMPLE_LOST

/* D17.7.7: the second page has a different Shareability or a different memory type. */
static void mismatched_pages_follow_page_crossing_choice(void **state)
{
	static const struct crossing rows[] = {
	        {"page-crossing=own-attributes", 2, false, ALL, 0, RECORDED},
	        {"page-crossing=alignment-fault", 0, false, 0, ALIGNMENT_FAULT(STAGE1), LOST},
	        {"page-crossing=discard-all-counted", 0, false, ALL, 0, DISCARDED},
	        {"page-crossing=discard-all", 0, false, 0, 0, DISCARDED},
	        {"page-crossing=discard-second-counted", 1, false, ALL, 0, DISCARDED},
	        {"page-crossing=discard-second", 1, false, 5, 0, DISCARDED},
	};
	struct translated m;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned type = 0; type < 2; type++) {
			translated_start(&m, "v8.2" EL1_ONLY, &dense);
			m.page[1].t.memory = m.page[1].t.stage1 =
			        type ? device(SPEMU_MEMORY_DEVICE_GRE) : normal(2);
			check_crossing(&m, &rows[i]);
			if (i == 0)
				assert_int_equal(m.write[1].access.memory.type,
				                 m.page[1].t.memory.type);
			fixture_stop(&m.f);
		}
	/* Without a mismatch no option has an effect. */
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct crossing plain = {rows[i].choice, 2, false, ALL, 0, RECORDED};

		translated_start(&m, "v8.2" EL1_ONLY, &dense);
		/* A different Cacheability is not a mismatch. */
		m.page[1].t.memory.inner = SPEMU_NON_CACHEABLE;
		check_crossing(&m, &plain);
		fixture_stop(&m.f);
	}
}

/* D17.7.7: Device memory on both sides of the boundary. */
static void device_boundary_follows_device_crossing_choice(void **state)
{
	static const struct crossing rows[] = {
	        {"device-crossing=as-one", 2, false, ALL, 0, RECORDED},
	        {"device-crossing=unordered", 2, true, ALL, 0, RECORDED},
	        {"device-crossing=alignment-fault", 0, false, 0, ALIGNMENT_FAULT(STAGE1), LOST},
	        {"device-crossing=discard-all-counted", 0, false, ALL, 0, DISCARDED},
	        {"device-crossing=discard-all", 0, false, 0, 0, DISCARDED},
	        {"device-crossing=discard-second-counted", 1, false, ALL, 0, DISCARDED},
	        {"device-crossing=discard-second", 1, false, 5, 0, DISCARDED},
	};
	struct translated m;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		/* The effect is the same if both 4KB pages lie in one larger region of the
		 * translation. */
		for (unsigned log2 = 12; log2 <= 14; log2 += 2) {
			translated_start(&m, "v8.2" EL1_ONLY, &dense);
			for (unsigned n = 0; n < 4; n++) {
				m.page[n].t.region_log2 = (uint8_t)log2;
				m.page[n].t.memory = m.page[n].t.stage1 =
				        device(SPEMU_MEMORY_DEVICE_NGNRE);
			}
			check_crossing(&m, &rows[i]);
			fixture_stop(&m.f);
		}
}

/* IQRKCL: bytes between the write pointer and the limit may have been modified. In this test the
 * upper part of a record is written first, and the write of the lower part faults. */
static void iqrkcl_bytes_above_pointer_may_be_modified(void **state)
{
	const uint8_t none[16] = {0};
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	for (unsigned n = 0; n < 2; n++)
		m.page[n].t.memory = m.page[n].t.stage1 = device(SPEMU_MEMORY_DEVICE_NGNRE);
	choose(&m, "device-crossing=unordered");
	choose(&m, "external-abort=reported-synchronously");
	before_second_page(&m, 5);
	m.page[0].abort = 0;
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_LOST);
	assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + PAGE - 5);
	assert_memory_equal(m.f.buffer + PAGE - 5, none, 5);
	assert_memory_not_equal(m.f.buffer + PAGE, none, 5);
	fixture_stop(&m.f);
}

/* D17.7.7, note: Device memory on only one side is a mismatch, not a Device boundary. */
static void device_memory_on_one_side_is_a_mismatch(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		const struct crossing c = {
		        "device-crossing=discard-all", 2, false, ALL, 0, RECORDED};
		struct translated m;

		translated_start(&m, "v8.2" EL1_ONLY, &dense);
		m.page[side].t.memory = m.page[side].t.stage1 = device(SPEMU_MEMORY_DEVICE_GRE);
		check_crossing(&m, &c);
		fixture_stop(&m.f);
	}
}

/* An Alignment fault is reported for the stage of translation that has the mismatch. */
static void alignment_fault_is_reported_for_mismatching_stage(void **state)
{
	static const struct {
		bool stage1, stage2;
		const char *choice;
		uint64_t ec;
	} rows[] = {
	        {true, false, "crossing-fault-stage=stage2", STAGE1},
	        {false, true, "crossing-fault-stage=stage1", STAGE2},
	        {true, true, "crossing-fault-stage=stage1", STAGE1},
	        {true, true, "crossing-fault-stage=stage2", STAGE2},
	};
	struct translated m;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned dev = 0; dev < 2; dev++) {
			const struct crossing c = {dev ? "device-crossing=alignment-fault"
			                               : "page-crossing=alignment-fault",
			                           0,
			                           false,
			                           0,
			                           ALIGNMENT_FAULT(rows[i].ec),
			                           LOST};

			translated_start(&m, "v8.2" EL1_ONLY, &dense);
			choose(&m, rows[i].choice);
			for (unsigned n = 0; n < 2; n++) {
				struct spemu_translation *t = &m.page[n].t;
				/* A mismatch changes page 1 alone. A Device boundary changes both
				 * pages. */
				bool here = dev || n == 1;

				t->has_stage2 = true;
				t->stage2 = rows[i].stage2 && here ? device(0) : normal(3);
				t->stage1 = rows[i].stage1 && here ? device(0) : normal(3);
				t->memory = here ? device(0) : normal(3);
			}
			check_crossing(&m, &c);
			fixture_stop(&m.f);
		}
}

/* RHLXGD, Table D17-11: a pointer that is not aligned to PMBIDR_EL1.Align. */
static void rhlxgd_unaligned_pointer_follows_table_d17_11(void **state)
{
	static const struct {
		const char *choice;
		int normal, device; /* outcome: 0 written, 1 Alignment fault, 2 Buffer full event */
	} rows[] = {
	        {"unaligned-pointer=by-memory-type", 0, 1},
	        {"unaligned-pointer=written", 0, 0},
	        {"unaligned-pointer=alignment-fault", 1, 1},
	        {"unaligned-pointer=as-pointer-restriction", 2, 2},
	};
	static const uint64_t pmbsr[] = {0, ALIGNMENT_FAULT(STAGE1), PMBSR_S | 1};
	struct spemu_spu_config config = {.max_size_log2 = 6, .layout = spemu_layout_neoverse};
	struct translated m;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned dev = 0; dev < 2; dev++) {
			int end = dev ? rows[i].device : rows[i].normal;

			translated_start(&m, "v8.2" EL1_ONLY, &config);
			if (dev)
				m.page[0].t.memory = m.page[0].t.stage1 = device(0);
			choose(&m, rows[i].choice);
			set(&m.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + 32);
			assert_true(diagnosed(&m, "pointer-unaligned"));
			assert_int_equal(sample(&m.f, &op).outcome, end ? LOST : RECORDED);
			assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), pmbsr[end]);
			assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) ==
			            BUFFER_BASE + 32 + (end ? 0 : 64));
			fixture_stop(&m.f);
		}
	/* Only stage 2 makes the page Device memory. */
	translated_start(&m, "v8.2" EL1_ONLY, &config);
	m.page[0].t.memory = m.page[0].t.stage2 = device(0);
	m.page[0].t.has_stage2 = true;
	set(&m.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + 32);
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), ALIGNMENT_FAULT(STAGE2));
	fixture_stop(&m.f);
}

/* D17.8.3.1: the next page may be translated ahead, but not past the limit. A translation ahead
 * never faults. */
static void dirty_state_of_next_page_may_be_updated_ahead(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.8" EL1_ONLY, &dense);
	sample(&m.f, &op);
	assert_int_equal(m.translations, 1);
	choose(&m, "speculative-dirty-update=ahead");
	m.page[1].fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
	m.translations = 0;
	sample(&m.f, &op);
	assert_int_equal(m.translations, 2);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), 0);
	set(&m.f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + PAGE) | FIELD(PMBLIMITR_EL1, E, 1));
	m.translations = 0;
	sample(&m.f, &op);
	assert_int_equal(m.translations, 1);
	fixture_stop(&m.f);
}

/* If the host returns an invalid result, the record is lost, the registers keep their values and
 * the status is negative. */
static void invalid_host_result_loses_record_and_keeps_registers(void **state)
{
	static const struct spemu_translation bad[] = {
	        {.region_log2 = 11, .memory = {.type = SPEMU_MEMORY_NORMAL}},
	        {.region_log2 = 64, .memory = {.type = SPEMU_MEMORY_NORMAL}},
	        {.region_log2 = 12, .memory = {.type = SPEMU_MEMORY_NORMAL + 1}},
	        {.region_log2 = 12, .pas = SPEMU_SS_REALM + 1},
	};
	static const struct spemu_fault bad_fault[] = {{.kind = 0x26},
	                                               {.kind = SPEMU_FAULT_STAGE1, .fsc = 0x3f},
	                                               {.kind = SPEMU_FAULT_EXTERNAL}};
	static const int status[] = {SPEMU_ERR_NOT_SUPPORTED, SPEMU_ERR_INVALID, -12345};
	struct translated m;

	(void)state;
	for (unsigned i = 0; i < 4 + 3 + 3 + 1; i++) {
		struct spemu_sample_result result;
		int expected = SPEMU_ERR_INVALID;

		translated_start(&m, "v8.2" EL1_ONLY, &dense);
		if (i < 4)
			m.page[0].t = bad[i];
		else if (i < 7)
			m.page[0].fault = bad_fault[i - 4];
		else if (i < 10)
			m.translate_status = expected = status[i - 7];
		else
			m.page[0].abort = 2048; /* more bytes than the write had */
		assert_int_equal(spemu_spu_ops(m.f.spu, spemu_spu_ops_until_sample(m.f.spu) - 1),
		                 SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(m.f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
		assert_int_equal(spemu_spu_sample_end(m.f.spu, &result, &op), expected);
		assert_int_equal(result.outcome, LOST);
		assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), 0);
		assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE);
		m.translate_status = 0;
		fixture_stop(&m.f);
	}
}

/* D17.7.7: if PMSIDR_EL1.MaxSize equals PMBIDR_EL1.Align, all records have the same size and no
 * record crosses a page. */
static void records_of_one_aligned_size_never_cross_a_page(void **state)
{
	struct spemu_spu_config config = {.max_size_log2 = 6, .layout = spemu_layout_neoverse};
	struct spemu_op small = an_op(SPEMU_OP_OTHER), large = an_op(SPEMU_OP_LOAD);
	struct translated m;

	(void)state;
	large.va = 0x1234;
	large.pa = 0x5678;
	large.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	translated_start(&m, "v8.2" EL1_ONLY, &config);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMSIDR_EL1) >> 12 & 15, 6);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBIDR_EL1) & 15, 6);
	for (unsigned i = 0; i < BUFFER_SIZE / 64; i++) {
		m.writes = 0;
		assert_int_equal(sample(&m.f, i & 1 ? &large : &small).outcome, RECORDED);
		assert_int_equal(m.writes, 1);
		assert_int_equal(m.write[0].size, 64);
		assert_true(m.write[0].access.address == BUFFER_BASE + 64 * i);
	}
	fixture_stop(&m.f);
}

/* A host whose memory is one region of the given size. It stores the addresses that it
 * translated. */
struct ahead {
	struct fixture f;
	unsigned region_log2, count;
	uint64_t translated[4];
};

static int ahead_translate(void *ctx, struct spemu_translation *t, struct spemu_fault *fault,
                           const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct ahead *m = ctx;

	(void)pe;
	(void)fault;
	assert_true(m->count < 4);
	m->translated[m->count++] = access->address;
	*t = (struct spemu_translation){.physical = access->address & 0xffffff,
	                                .pas = SPEMU_SS_NON_SECURE,
	                                .region_log2 = (uint8_t)m->region_log2,
	                                .memory = normal(3),
	                                .stage1 = normal(3)};
	return 0;
}

static int ahead_write(void *ctx, struct spemu_fault *fault,
                       const struct spemu_buffer_write *access, const void *data, size_t size)
{
	(void)ctx;
	(void)fault;
	(void)access;
	(void)data;
	(void)size;
	return 0;
}

/* D17.8.3.1: the dirty state of the memory after the current region may be updated ahead, but only
 * inside the buffer. */
static void dirty_update_ahead_stays_inside_the_buffer(void **state)
{
	static const struct {
		uint64_t base, size;
		unsigned region_log2;
		uint64_t ahead; /* address that is translated ahead; 0 if none */
	} rows[] = {
	        {BUFFER_BASE, 0x4000, 12, BUFFER_BASE + 0x1000},
	        {BUFFER_BASE + 0x3000, 0x1000, 12, 0}, /* the buffer is the last page */
	        {BUFFER_BASE, 0x4000, 13, BUFFER_BASE + 0x2000},
	        {BUFFER_BASE, 0x4000, 14, 0}, /* the region contains the whole buffer */
	        {UINT64_C(0x00007ffffffff000), 0x2000, 47, UINT64_C(1) << 47},
	        {UINT64_C(0x0000fffffffff000), 0x2000, 48, UINT64_C(1) << 48},
	        /* The region ends with the address space. */
	        {UINT64_C(0xffff800000000000), 0x4000, 47, 0},
	        {UINT64_C(0xffff800000000000), 0x4000, 48, 0},
	};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		unsigned row = i / 2, ahead = i % 2;
		struct spemu_spu_config config = {.size = sizeof(config)};
		struct spemu_op load = an_op(SPEMU_OP_LOAD);
		struct ahead m = {.region_log2 = rows[row].region_log2};
		struct spemu_spu_host host = {.size = sizeof(host),
		                              .ctx = &m,
		                              .buffer_write = ahead_write,
		                              .translate = ahead_translate};

		fixture_make(&m.f, pe_make("v9.6" EL1_ONLY), &config, &host);
		program(&m.f, 1);
		set(&m.f, SPEMU_REG_PMBPTR_EL1, rows[row].base);
		set(&m.f, SPEMU_REG_PMBLIMITR_EL1,
		    (rows[row].base + rows[row].size) | FIELD(PMBLIMITR_EL1, E, 1));
		assert_int_equal(spemu_choice_set(m.f.pe, SPEMU_CHOICE_SPECULATIVE_DIRTY_UPDATE,
		                                  ahead ? SPEMU_SPECULATIVE_DIRTY_UPDATE_AHEAD
		                                        : SPEMU_SPECULATIVE_DIRTY_UPDATE_NEVER),
		                 SPEMU_OK);
		sample(&m.f, &load);
		assert_int_equal(m.count, ahead && rows[row].ahead ? 2 : 1);
		assert_true(m.translated[0] == rows[row].base);
		if (m.count == 2)
			assert_true(m.translated[1] == rows[row].ahead);
		fixture_stop(&m.f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(record_inside_a_region_is_one_write),
	        cmocka_unit_test(record_across_pages_is_two_writes),
	        cmocka_unit_test(writes_end_at_region_boundary_not_page_boundary),
	        cmocka_unit_test(fault_in_second_page_keeps_first_part),
	        cmocka_unit_test(fault_in_second_page_overrides_crossing_choices),
	        cmocka_unit_test(mismatched_pages_follow_page_crossing_choice),
	        cmocka_unit_test(device_memory_on_one_side_is_a_mismatch),
	        cmocka_unit_test(iqrkcl_bytes_above_pointer_may_be_modified),
	        cmocka_unit_test(device_boundary_follows_device_crossing_choice),
	        cmocka_unit_test(alignment_fault_is_reported_for_mismatching_stage),
	        cmocka_unit_test(rhlxgd_unaligned_pointer_follows_table_d17_11),
	        cmocka_unit_test(dirty_state_of_next_page_may_be_updated_ahead),
	        cmocka_unit_test(dirty_update_ahead_stays_inside_the_buffer),
	        cmocka_unit_test(records_of_one_aligned_size_never_cross_a_page),
	        cmocka_unit_test(invalid_host_result_loses_record_and_keeps_registers),
	};
	op = an_op(SPEMU_OP_OTHER);
	return cmocka_run_group_tests_name("buffer_write", tests, NULL, NULL);
}
