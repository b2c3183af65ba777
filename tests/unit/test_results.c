/* SPDX-License-Identifier: MIT */
/*
 * Test the outputs of functions that fail. Every byte must have the value that <spemu/spemu.h> or
 * the comment of the function promises. Before each call the outputs are filled with garbage.
 * scripts/checks/results compares the functions called here with the headers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "pe_fixture.h"
#include "perfdata/perf_file.h"
#include "zeros.h"

#include <spemu/spemu.h>
#include <spemu/trace.h>
#include "timing/uarch.h"

enum { NOWHERE = 0xffff };

/* Assert that a call fails and that its only output is zero. */
#define FAILS(status, out, call)                    \
	do {                                        \
		SPOIL(out);                         \
		assert_int_equal((call), (status)); \
		ASSERT_ZERO(out);                   \
	} while (0)

static void failed_pe_calls_define_their_outputs(void **state)
{
	struct spemu_pe_config config = {.size = sizeof(config)};
	struct spemu_pe *pe = pe_make("v9.6"), *none;
	const char *rule = NULL;
	struct spemu_features set;
	size_t offset;
	uint64_t value;
	char memory[1];

	(void)state;
	FAILS(SPEMU_ERR_INVALID, none, spemu_pe_init(&none, NULL, 0, &config));
	FAILS(SPEMU_ERR_INVALID, none, spemu_pe_init(&none, memory, 1, NULL));
	FAILS(SPEMU_ERR_NOSPACE, none, spemu_pe_init(&none, memory, 1, &config));
	FAILS(SPEMU_ERR_INVALID, value, spemu_reg_get(pe, &value, SPEMU_REG_COUNT));
	FAILS(SPEMU_ERR_INVALID, set, spemu_features_parse(&set, &offset, "v8.2,+NO_SUCH"));
	assert_int_equal(offset, strlen("v8.2,"));
	FAILS(SPEMU_ERR_INVALID, offset, spemu_features_parse(&set, &offset, "v1.0"));
	FAILS(SPEMU_OK, offset, spemu_features_parse(&set, &offset, "v8.2,-EL3"));
	FAILS(SPEMU_OK, rule, spemu_features_check(&set, &rule));
	assert_int_equal(spemu_features_parse(&set, NULL, "v8.2,-EL2,-EL3,+FEAT_SEL2"), SPEMU_OK);
	assert_int_equal(spemu_features_check(&set, &rule), SPEMU_ERR_INVALID);
	assert_non_null(rule);
	free(pe);
}

/* The result for a choice that does not exist is SPEMU_CHOICE_COUNT, which other functions
 * refuse. */
static void failed_choice_calls_define_their_outputs(void **state)
{
	static const struct {
		const char *text;
		size_t offset;
		enum spemu_choice choice;
	} wrong[] = {{"nothing", 7, SPEMU_CHOICE_COUNT},
	             {"no-such=x", 0, SPEMU_CHOICE_COUNT},
	             {"reserved-nspb=no-such", 14, SPEMU_CHOICE_RESERVED_NSPB}};
	enum spemu_choice choice;
	unsigned option;
	size_t offset;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		SPOIL(choice);
		SPOIL(offset);
		FAILS(SPEMU_ERR_INVALID, option,
		      spemu_choice_parse(&choice, &option, &offset, wrong[i].text));
		assert_int_equal(choice, wrong[i].choice);
		assert_int_equal(offset, wrong[i].offset);
	}
	FAILS(SPEMU_OK, offset, spemu_choice_parse(&choice, &option, &offset, "all=random"));
}

static void failed_register_reference_calls_define_their_outputs(void **state)
{
	struct spemu_reg_description reg;
	struct spemu_field_description field;
	struct spemu_enum_description value;
	struct spemu_features set;
	const char *name;
	uint16_t offset;
	unsigned hi, lo, index;
	int number;

	(void)state;
	spemu_features_parse(&set, NULL, "v9.6");
	FAILS(SPEMU_ERR_INVALID, offset, spemu_reg_nvmem(&offset, &number, &set, NOWHERE));
	assert_int_equal(number, -1);
	SPOIL(hi);
	SPOIL(lo);
	FAILS(SPEMU_ERR_INVALID, name, spemu_reg_field(SPEMU_REG_PMSCR_EL1, 64, &name, &hi, &lo));
	ASSERT_ZERO(hi);
	ASSERT_ZERO(lo);
	SPOIL(number);
	assert_int_equal(spemu_reg_find(&index, &number, "NO", 2), SPEMU_ERR_INVALID);
	assert_int_equal(index, UINT32_MAX);
	assert_int_equal(number, -1);
	FAILS(SPEMU_ERR_INVALID, reg, spemu_reg_describe(&reg, NOWHERE));
	FAILS(SPEMU_ERR_INVALID, field, spemu_field_describe(&field, NOWHERE, 0));
	FAILS(SPEMU_ERR_INVALID, field, spemu_field_describe(&field, 0, 64));
	FAILS(SPEMU_ERR_INVALID, value, spemu_enum_describe(&value, NOWHERE, 0, 0));
	FAILS(SPEMU_ERR_INVALID, value, spemu_enum_describe(&value, 0, 0, 1000));
}

static void failed_spu_calls_define_their_outputs(void **state)
{
	struct spemu_spu_config config = {.size = sizeof(config)};
	struct spemu_spu_host host = {.size = sizeof(host)};
	struct spemu_injection injection = {.size = 0};
	struct spemu_access_result result;
	struct spemu_sample_result sample;
	struct spemu_pe *pe = pe_make("v9.6"), *without = pe_make("v8.2,-FEAT_SPE,-FEAT_SPE_LDS");
	struct spemu_spu *spu, *none;
	struct spemu_op op = {.pc = 0};
	uint64_t value;
	unsigned number;
	char memory[1];

	(void)state;
	FAILS(SPEMU_ERR_INVALID, none, spemu_spu_init(&none, NULL, 0, pe, &config, &host));
	FAILS(SPEMU_ERR_NOSPACE, none, spemu_spu_init(&none, memory, 1, pe, &config, &host));
	void *unused = malloc(spemu_spu_size());
	FAILS(SPEMU_ERR_INVALID, none,
	      spemu_spu_init(&none, unused, spemu_spu_size(), without, &config, &host));
	free(unused);
	assert_int_equal(spemu_spu_init(&spu, malloc(spemu_spu_size()), spemu_spu_size(), pe,
	                                &config, &host),
	                 SPEMU_OK);
	FAILS(SPEMU_ERR_NOT_SUPPORTED, result, spemu_spu_msr(spu, &result, NOWHERE, 1));
	SPOIL(value);
	FAILS(SPEMU_ERR_NOT_SUPPORTED, result, spemu_spu_mrs(spu, &result, &value, NOWHERE));
	ASSERT_ZERO(value);
	FAILS(SPEMU_ERR_NOT_SUPPORTED, result,
	      spemu_spu_access_check(spu, &result, NOWHERE, false));
	spemu_pe_set(pe, &(struct spemu_pe_state){.el = 0});
	FAILS(SPEMU_OK, value, spemu_spu_mrs(spu, &result, &value, SPEMU_SYSREG_PMSCR_EL1));
	assert_int_equal(result.outcome, SPEMU_ACCESS_UNDEFINED);
	FAILS(SPEMU_ERR_INVALID, value, spemu_spu_mrs_permitted(spu, &value, &result));
	assert_int_equal(spemu_spu_sample_begin_slot(spu, &number, 0), SPEMU_ERR_STATE);
	assert_int_equal(number, SPEMU_IN_FLIGHT_MAX);
	FAILS(SPEMU_ERR_STATE, sample, spemu_spu_sample_end(spu, &sample, &op));
	FAILS(SPEMU_ERR_INVALID, sample, spemu_spu_sample_end(spu, &sample, NULL));
	FAILS(SPEMU_ERR_INVALID, sample, spemu_spu_sample_end_slot(spu, &sample, number, &op));
	SPOIL(number);
	assert_int_equal(spemu_spu_inject(spu, &number, &injection), SPEMU_ERR_INVALID);
	assert_int_equal(number, SPEMU_INJECTIONS_MAX);
	FAILS(SPEMU_ERR_INVALID, value, spemu_spu_injected(spu, &value, 0));
	free(spu);
	free(pe);
	free(without);
}

static void failed_pmu_calls_define_their_outputs(void **state)
{
	struct spemu_pmu_config config = {.size = sizeof(config)};
	struct spemu_access_result result;
	struct spemu_pe *pe = pe_make("v9.6");
	struct spemu_pmu *pmu, *none;
	uint64_t value;
	char memory[1];
	bool error;

	(void)state;
	FAILS(SPEMU_ERR_INVALID, none, spemu_pmu_init(&none, NULL, 0, pe, &config, NULL));
	FAILS(SPEMU_ERR_NOSPACE, none, spemu_pmu_init(&none, memory, 1, pe, &config, NULL));
	assert_int_equal(
	        spemu_pmu_init(&pmu, malloc(spemu_pmu_size()), spemu_pmu_size(), pe, &config, NULL),
	        SPEMU_OK);
	FAILS(SPEMU_ERR_NOT_SUPPORTED, result, spemu_pmu_msr(pmu, &result, NOWHERE, 1));
	SPOIL(value);
	FAILS(SPEMU_ERR_NOT_SUPPORTED, result, spemu_pmu_mrs(pmu, &result, &value, NOWHERE));
	ASSERT_ZERO(value);
	FAILS(SPEMU_ERR_NOT_SUPPORTED, result, spemu_pmu_access_check(pmu, &result, NOWHERE, true));
	spemu_pe_set(pe, &(struct spemu_pe_state){.el = 0});
	FAILS(SPEMU_OK, value, spemu_pmu_mrs(pmu, &result, &value, SPEMU_SYSREG_PMINTENSET_EL1));
	assert_int_equal(result.outcome, SPEMU_ACCESS_UNDEFINED);
	FAILS(SPEMU_ERR_INVALID, value,
	      spemu_pmu_mrs_permitted(pmu, &value, &result, SPEMU_SYSREG_PMINTENSET_EL1));
	FAILS(SPEMU_ERR_INVALID, value, spemu_pmu_reg_get(pmu, &value, NOWHERE));
	SPOIL(value);
	FAILS(SPEMU_ERR_INVALID, error, spemu_pmu_external_read(pmu, &error, &value, 0, 3, 0));
	ASSERT_ZERO(value);
	FAILS(SPEMU_ERR_INVALID, error, spemu_pmu_external_write(pmu, &error, 0, 3, 0, 1));
	free(pmu);
	free(pe);
}

static int no_memory(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	(void)ctx, (void)value, (void)at;
	return 1;
}

/* Stage 1 is enabled and its tables cannot be read, so a walk ends with an External abort. */
static void failed_walker_calls_define_their_outputs(void **state)
{
	struct spemu_mmu_memory access = {.size = sizeof(access)};
	struct spemu_buffer_write write = {.owner_el = 3}, walk = {.owner_el = 1, .security = 1};
	struct spemu_pe *pe = pe_make("v8.2,-EL3,-EL2,-Secure");
	struct spemu_translation translation;
	struct spemu_mmu *mmu, *none;
	struct spemu_fault fault;
	unsigned page_log2;
	char memory[1];

	(void)state;
	FAILS(SPEMU_ERR_INVALID, none, spemu_mmu_init(&none, memory, 1, &access));
	access.read = no_memory;
	FAILS(SPEMU_ERR_NOSPACE, none, spemu_mmu_init(&none, memory, 1, &access));
	assert_int_equal(spemu_mmu_init(&mmu, malloc(spemu_mmu_size()), spemu_mmu_size(), &access),
	                 SPEMU_OK);
	SPOIL(fault);
	FAILS(SPEMU_ERR_INVALID, translation,
	      spemu_mmu_translate(mmu, &translation, &fault, pe, &write));
	ASSERT_ZERO(fault);
	SPOIL(fault);
	FAILS(SPEMU_ERR_INVALID, page_log2, spemu_mmu_page(mmu, &page_log2, &fault, pe, &write));
	ASSERT_ZERO(fault);
	spemu_reg_set(pe, SPEMU_REG_SCTLR_EL1, 1);
	spemu_reg_set(pe, SPEMU_REG_TCR_EL1, 16);
	FAILS(SPEMU_FAULT_STAGE1, translation,
	      spemu_mmu_translate(mmu, &translation, &fault, pe, &walk));
	assert_int_equal(fault.kind, SPEMU_FAULT_STAGE1);
	assert_zeros(fault.reserved, sizeof(fault.reserved));
	FAILS(SPEMU_FAULT_STAGE1, page_log2, spemu_mmu_page(mmu, &page_log2, &fault, pe, &walk));
	spemu_reg_set(pe, SPEMU_REG_SCTLR_EL1, 0);
	FAILS(0, fault, spemu_mmu_translate(mmu, &translation, &fault, pe, &walk));
	FAILS(0, fault, spemu_mmu_page(mmu, &page_log2, &fault, pe, &walk));
	free(mmu);
	free(pe);
}

static void failed_explanation_calls_define_their_outputs(void **state)
{
	const struct spemu_question at_el4 = {.topic = SPEMU_TOPIC_ENABLED, .el = 4},
	                            of_nothing = {.topic = SPEMU_TOPIC_ACCESS, .encoding = NOWHERE};
	struct spemu_management_event_description event;
	struct spemu_refusal_detail detail;
	struct spemu_access_result result;
	struct spemu_effective effective;
	struct spemu_access_rule rule;
	struct spemu_field_value value;
	struct spemu_trace_step step;
	struct spemu_machine *m, *none;
	enum spemu_reg reg;
	unsigned position = 0;
	char memory[1], text[8];

	(void)state;
	FAILS(SPEMU_ERR_INVALID, none, spemu_machine_init(&none, NULL, 0));
	FAILS(SPEMU_ERR_NOSPACE, none, spemu_machine_init(&none, memory, 1));
	assert_int_equal(spemu_machine_init(&m, malloc(spemu_machine_size()), spemu_machine_size()),
	                 SPEMU_OK);
	SPOIL(detail);
	assert_int_equal(spemu_machine_set(m, &detail, "NO=1", 4), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_NAME);
	assert_int_equal(detail.length, 2);
	assert_int_equal(detail.reg_index, UINT32_MAX);
	assert_null(detail.rule);
	const struct spemu_pe *pe = spemu_machine_pe(m);
	FAILS(SPEMU_ERR_INVALID, value, spemu_explain_value(pe, &value, "NO", 2));
	FAILS(SPEMU_ERR_NOT_SUPPORTED, result,
	      spemu_explain_access(pe, &result, &reg, NOWHERE, true, 1));
	assert_int_equal(reg, SPEMU_REG_COUNT);
	SPOIL(reg);
	FAILS(SPEMU_ERR_INVALID, result,
	      spemu_explain_access(pe, &result, &reg, SPEMU_SYSREG_PMSCR_EL1, true, 4));
	assert_int_equal(reg, SPEMU_REG_COUNT);
	FAILS(SPEMU_ERR_INVALID, step, spemu_explain_trace(pe, &step, &position, &at_el4));
	FAILS(SPEMU_ERR_NOT_SUPPORTED, step,
	      spemu_explain_trace(pe, &step, &position, &of_nothing));
	const struct spemu_question stopped = {.topic = SPEMU_TOPIC_STOPPED};
	while (spemu_explain_trace(pe, &step, &position, &stopped) == SPEMU_OK)
		continue;
	FAILS(SPEMU_ERR_END, step, spemu_explain_trace(pe, &step, &position, &stopped));
	FAILS(SPEMU_ERR_END, effective, spemu_explain_effective(pe, &effective, NOWHERE));
	FAILS(SPEMU_ERR_END, event, spemu_management_event_describe(&event, NOWHERE));
	SPOIL(rule);
	assert_int_equal(spemu_access_rule(&rule, NOWHERE, 1, 0), SPEMU_ERR_END);
	assert_int_equal(rule.alias_of, -1);
	assert_null(rule.text);
	assert_null(rule.word);
	FAILS(SPEMU_ERR_INVALID, text[0], spemu_explain_stopped(text, sizeof(text), NULL));
	free(m);
}

static void failed_codec_calls_define_their_outputs(void **state)
{
	static const uint8_t cut[] = {0xb0, 1, 2}, skipped[] = {0x00, 0x00, 0x01};
	struct spemu_columns columns = {.capacity = 0};
	struct spemu_shapes shapes = {{0}};
	struct spemu_decoder decoder;
	struct spemu_record record;
	struct spemu_packet packet;
	struct spemu_layout layout;
	size_t count;
	char text[8];

	(void)state;
	FAILS(SPEMU_ERR_TRUNCATED, packet, spemu_packet_decode(&packet, cut, sizeof(cut)));
	FAILS(SPEMU_ERR_TRUNCATED, packet, spemu_packet_decode(&packet, cut, 0));
	FAILS(SPEMU_ERR_INVALID, packet, spemu_packet_decode(&packet, NULL, 1));
	FAILS(SPEMU_ERR_INVALID, text[0], spemu_packet_describe(text, sizeof(text), NULL));
	spemu_decoder_init(&decoder, cut, sizeof(cut), 0);
	FAILS(SPEMU_ERR_TRUNCATED, packet, spemu_decoder_next_packet(&decoder, &packet));
	FAILS(SPEMU_ERR_TRUNCATED, record, spemu_decoder_next(&decoder, &record));
	spemu_decoder_init(&decoder, skipped, 2, 0);
	FAILS(SPEMU_ERR_END, record, spemu_decoder_next(&decoder, &record));
	FAILS(SPEMU_ERR_END, packet, spemu_decoder_next_packet(&decoder, &packet));
	FAILS(SPEMU_ERR_INVALID, count,
	      spemu_decoder_records(&decoder, &count, &record, 0, &shapes));
	FAILS(SPEMU_ERR_END, count, spemu_decoder_records(&decoder, &count, &record, 1, &shapes));
	FAILS(SPEMU_ERR_INVALID, count, spemu_decoder_batch(&decoder, &count, &columns));
	SPOIL(layout);
	assert_int_equal(spemu_layout_parse(&layout, &count, "dense,align=3"), SPEMU_ERR_INVALID);
	assert_memory_equal(&layout, &spemu_layout_dense, sizeof(layout));
	FAILS(SPEMU_OK, count, spemu_layout_parse(&layout, &count, "dense"));
}

/* Make a file with a head, one attr, no data and no build-ids. */
static struct spemu_perf_file *make_file(uint8_t *image)
{
	struct spemu_perf_head_config config = {.size = sizeof(config), .version = "1"};
	struct spemu_perf_file *file;
	struct spemu_perf_head head;
	int size = spemu_perf_put_head(image, SPEMU_PERF_HEAD_MAX, &head, &config);

	assert_true(size > 0);
	memcpy(image + size, head.table, head.table_size);
	spemu_perf_put_sizes(image + SPEMU_PERF_SIZES_AT, 0, head.flags);
	assert_int_equal(spemu_perf_open_memory(&file, NULL, image, (size_t)size + head.table_size),
	                 SPEMU_OK);
	return file;
}

static void failed_recording_calls_define_their_outputs(void **state)
{
	uint8_t *image = calloc(1, SPEMU_PERF_HEAD_MAX + SPEMU_PERF_TABLE_MAX);
	struct spemu_perf_file *file = make_file(image), *none;
	struct spemu_perf_auxtrace_info info = {.version = 1};
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_time_conv conv;
	struct spemu_perf_build_id entry;
	struct spemu_perf_sample sample;
	struct spemu_perf_frame frame;
	struct spemu_perf_copy copy;
	struct spemu_perf_totals totals;
	struct spemu_perf_spe_cpu cpu;
	struct spemu_perf_event event;
	struct spemu_perf_attr attr;
	const uint8_t *data;
	const char *text;
	uint64_t size, position = 0;

	(void)state;
	FAILS(SPEMU_ERR_END, event, spemu_perf_next(file, &event, &cursor));
	FAILS(SPEMU_ERR_INVALID, sample, spemu_perf_sample(file, &sample, &event));
	FAILS(SPEMU_ERR_INVALID, frame, spemu_perf_sample_frame(&frame, &sample));
	FAILS(SPEMU_ERR_INVALID, copy, spemu_perf_get_copy(&copy, &event));
	FAILS(SPEMU_ERR_INVALID, totals, spemu_perf_get_totals(&totals, &event));
	FAILS(SPEMU_ERR_END, attr, spemu_perf_attr(file, &attr, 7));
	SPOIL(conv);
	FAILS(SPEMU_ERR_END, info, spemu_perf_find_spe(file, &info, &conv));
	ASSERT_ZERO(conv);
	FAILS(SPEMU_ERR_END, cpu, spemu_perf_spe_cpu(&cpu, &info, 0));
	SPOIL(size);
	FAILS(SPEMU_ERR_END, data, spemu__perf_feature(file, &data, &size, 999));
	ASSERT_ZERO(size);
	FAILS(SPEMU_ERR_END, text, spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_CPUDESC));
	FAILS(SPEMU_ERR_END, text, spemu_perf_cmdline(file, &text, 7));
	FAILS(SPEMU_ERR_END, entry, spemu_perf_next_build_id(file, &entry, &position));
	spemu_perf_close(file);
	SPOIL(size);
	FAILS(SPEMU_ERR_INVALID, none, spemu_perf_open_memory(&none, &size, "no recording", 12));
	ASSERT_ZERO(size);
	SPOIL(size);
	FAILS(SPEMU_ERR_IO, none, spemu_perf_open(&none, &size, "/dev/null/none"));
	ASSERT_ZERO(size);
	FAILS(SPEMU_ERR_INVALID, none, spemu_perf_open(&none, &size, NULL));
	free(image);
}

/* A sample claims a call stack of a million entries. */
static void damaged_event_defines_outputs(void **state)
{
	struct spemu_perf_head_config config = {
	        .size = sizeof(config), .version = "1", .callchains = true};
	uint8_t *image = calloc(1, SPEMU_PERF_HEAD_MAX + SPEMU_PERF_TABLE_MAX + 16);
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_file *file;
	struct spemu_perf_event event;
	struct spemu_perf_sample sample;
	struct spemu_perf_head head;
	int size = spemu_perf_put_head(image, SPEMU_PERF_HEAD_MAX, &head, &config);
	/* An event of type SAMPLE, misc 0, with 16 bytes. Then a COMM of 4 bytes, which is too
	 * short. */
	static const uint8_t events[] = {9, 0, 0, 0, 0, 0, 16, 0, 1, 2, 3, 4,
	                                 5, 6, 7, 8, 3, 0, 0,  0, 0, 0, 4, 0};

	(void)state;
	assert_true(size > 0);
	memcpy(image + size, events, sizeof(events));
	spemu_perf_put_sizes(image + SPEMU_PERF_SIZES_AT, sizeof(events), 0);
	assert_int_equal(spemu_perf_open_memory(&file, NULL, image, (size_t)size + sizeof(events)),
	                 SPEMU_OK);
	assert_int_equal(spemu_perf_next(file, &event, &cursor), SPEMU_OK);
	FAILS(SPEMU_ERR_CORRUPT, sample, spemu_perf_sample(file, &sample, &event));
	FAILS(SPEMU_ERR_CORRUPT, event, spemu_perf_next(file, &event, &cursor));
	spemu_perf_close(file);
	free(image);
}

static void failed_recording_writer_calls_define_their_outputs(void **state)
{
	struct spemu_perf_head_config config = {.size = sizeof(config)};
	struct spemu_perf_head head, too_large = {.table_size = UINT32_MAX};
	uint8_t id[SPEMU_PERF_BUILD_ID_MAX], bytes[64] = {0};
	struct spemu_perf_time_conv conv;
	struct spemu_perf_tail tail;
	uint64_t data_size;
	size_t id_size;
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	FAILS(SPEMU_ERR_NOSPACE, head, spemu_perf_put_head(bytes, sizeof(bytes), &head, &config));
	FAILS(SPEMU_ERR_INVALID, head, spemu_perf_put_head(bytes, sizeof(bytes), &head, NULL));
	SPOIL(data_size);
	FAILS(SPEMU_ERR_CORRUPT, head,
	      spemu_perf_get_head(&head, &data_size, bytes, sizeof(bytes)));
	ASSERT_ZERO(data_size);
	FAILS(SPEMU_ERR_CORRUPT, tail, spemu_perf_make_tail(&tail, &too_large, 0, bytes));
	FAILS(SPEMU_ERR_INVALID, conv, spemu_perf_time_conv_init(&conv, 0, 0));
	SPOIL(id_size);
	FAILS(SPEMU_ERR_INVALID, id, spemu__elf_build_id(id, &id_size, fd));
	ASSERT_ZERO(id_size);
	close(fd);
}

static void failed_timing_model_calls_define_their_outputs(void **state)
{
	struct uarch_profile profile = *uarch_profile("generic");
	size_t size = uarch_shared_size(&profile, 1), offset;
	void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
	struct uarch_shared *shared, *none;
	struct uarch_core *core;
	const char *why;

	(void)state;
	memset(memory, 0, size);
	FAILS(SPEMU_ERR_INVALID, none, uarch_shared_init(&none, NULL, 0, &profile, 1));
	FAILS(SPEMU_ERR_NOSPACE, none, uarch_shared_init(&none, memory, 1, &profile, 1));
	assert_int_equal(uarch_shared_init(&shared, memory, size, &profile, 1), SPEMU_OK);
	FAILS(SPEMU_ERR_INVALID, core, uarch_core_init(&core, NULL, 0, shared, 0));
	FAILS(SPEMU_ERR_NOSPACE, core, uarch_core_init(&core, memory, 1, shared, 0));
	FAILS(SPEMU_OK, why, uarch_check(&profile, &why));
	FAILS(SPEMU_ERR_INVALID, offset, uarch_parse(NULL, &offset, ""));
	FAILS(SPEMU_OK, offset, uarch_parse(&profile, &offset, "sockets=2"));
	SPOIL(offset);
	assert_int_equal(uarch_parse(&profile, &offset, "sockets=2,no=1"), SPEMU_ERR_INVALID);
	assert_int_equal(offset, 10);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(failed_pe_calls_define_their_outputs),
	        cmocka_unit_test(failed_choice_calls_define_their_outputs),
	        cmocka_unit_test(failed_register_reference_calls_define_their_outputs),
	        cmocka_unit_test(failed_spu_calls_define_their_outputs),
	        cmocka_unit_test(failed_pmu_calls_define_their_outputs),
	        cmocka_unit_test(failed_walker_calls_define_their_outputs),
	        cmocka_unit_test(failed_explanation_calls_define_their_outputs),
	        cmocka_unit_test(failed_codec_calls_define_their_outputs),
	        cmocka_unit_test(failed_recording_calls_define_their_outputs),
	        cmocka_unit_test(damaged_event_defines_outputs),
	        cmocka_unit_test(failed_recording_writer_calls_define_their_outputs),
	        cmocka_unit_test(failed_timing_model_calls_define_their_outputs),
	};
	return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
