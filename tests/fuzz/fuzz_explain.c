/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: states of a PE, given field by field or as text, and every query about them.
 *
 * Invariants: a decision is the fold of its trace and equals the decision of an SPU in the same
 * state. A remedy enables profiling; where none exists, the queried state does not change. A
 * rejected text changes nothing and names its faulty part. An accepted text describes the resulting
 * state.
 */
#include <string.h>

#include <spemu/explain.h>
#include "fuzz_world.h"

enum { MACHINE_SIZE = 8192, TEXT_MAX = 64 };

static _Alignas(max_align_t) uint8_t memory[2][MACHINE_SIZE];
static struct spemu_machine *made[FUZZ_FEATURE_SETS], *machine, *other;
static bool altered; /* the features or choices differ from those of the world */

static int no_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                    const void *data, size_t size)
{
	(void)ctx, (void)fault, (void)access, (void)data, (void)size;
	return 0;
}
static const struct spemu_spu_host host = {.size = sizeof(host), .buffer_write = no_write};

/* The registers that decisions depend on, and a few more. */
static const uint16_t registers[] = {
        SPEMU_REG_SCR_EL3,       SPEMU_REG_HCR_EL2,     SPEMU_REG_MDCR_EL2,
        SPEMU_REG_MDCR_EL3,      SPEMU_REG_PMSCR_EL1,   SPEMU_REG_PMSCR_EL2,
        SPEMU_REG_PMBSR_EL1,     SPEMU_REG_PMBSR_EL2,   SPEMU_REG_PMBSR_EL3,
        SPEMU_REG_PMBLIMITR_EL1, SPEMU_REG_PMCR_EL0,    SPEMU_REG_PMECR_EL1,
        SPEMU_REG_HDFGRTR_EL2,   SPEMU_REG_HDFGWTR_EL2, SPEMU_REG_HCRX_EL2,
        SPEMU_REG_PMUSERENR_EL0,
};
enum { REGISTERS = sizeof(registers) / sizeof(*registers) };

/* Begin an input. There is a machine for each feature set, which is made once and copied for each
 * input. */
static void begin(unsigned set)
{
	static _Alignas(max_align_t) uint8_t first[FUZZ_FEATURE_SETS][MACHINE_SIZE];

	REQUIRE(spemu_machine_size() <= MACHINE_SIZE);
	if (!machine) {
		REQUIRE(spemu_machine_init(&machine, memory[0], MACHINE_SIZE) == SPEMU_OK);
		REQUIRE(spemu_machine_init(&other, memory[1], MACHINE_SIZE) == SPEMU_OK);
	}
	if (!made[set]) {
		struct spemu_refusal_detail detail;
		char text[128] = "features=";

		REQUIRE(strlen(fuzz_world_features(set)) < sizeof(text) - sizeof("features="));
		strcat(text, fuzz_world_features(set));
		REQUIRE(spemu_machine_init(&made[set], first[set], MACHINE_SIZE) == SPEMU_OK);
		REQUIRE(spemu_machine_set(made[set], &detail, text, strlen(text)) == SPEMU_OK);
	}
	spemu_machine_copy(machine, made[set]);
	altered = false;
}

static const struct spemu_pe *pe(void)
{
	return spemu_machine_pe(machine);
}

/* ---- traces ---- */

struct folded {
	bool any, all, decided;
	unsigned value;
};

static struct folded fold(const struct spemu_question *question)
{
	struct folded f = {.all = true};
	struct spemu_trace_step step;
	unsigned position = 0, steps = 0;
	int status;

	while ((status = spemu_explain_trace(pe(), &step, &position, question)) == SPEMU_OK) {
		REQUIRE(step.rule && step.rule[0] && step.text && step.text[0]);
		REQUIRE(step.field_count <= SPEMU_TRACE_FIELDS && ++steps < 64);
		for (unsigned i = 0; i < step.field_count; i++)
			REQUIRE(step.field[i].width >= 1 && step.field[i].width <= 64 &&
			        (step.field[i].width == 64 ||
			         step.field[i].value >> step.field[i].width == 0));
		f.any |= step.holds;
		f.all = f.all && step.holds;
		if (step.decides && !f.decided) {
			f.decided = true;
			f.value = step.value;
		}
	}
	REQUIRE(status == SPEMU_ERR_END);
	return f;
}

static struct folded ask(uint8_t topic, unsigned el)
{
	return fold(&(struct spemu_question){.topic = topic, .el = (uint8_t)el});
}

static void check_decisions(const struct spemu_decisions *d)
{
	REQUIRE(ask(SPEMU_TOPIC_STOPPED, 0).any == d->stopped);
	REQUIRE(ask(SPEMU_TOPIC_BUFFER, 0).all == d->buffer_enabled);
	for (unsigned el = 0; el < 4; el++) {
		bool enabled = ask(SPEMU_TOPIC_ENABLED, el).all;

		REQUIRE(d->available[el] || !d->enabled[el]);
		if (d->available[el])
			REQUIRE(enabled == d->enabled[el]);
	}
	REQUIRE(ask(SPEMU_TOPIC_OWNER_SECURITY, 0).value == d->owner.security);
	REQUIRE(ask(SPEMU_TOPIC_OWNER_EL, 0).value == d->owner.el);
	REQUIRE(ask(SPEMU_TOPIC_CAPTURE, 0).value == d->capture);
	REQUIRE(d->regime && d->capture_name);
	REQUIRE(spemu_security_name(d->security));
}

/* Check that an SPU whose PE is in the same state makes the same decisions. */
static void check_model(const struct fuzz_world *w, const struct spemu_decisions *d)
{
	struct spemu_decisions same;
	struct spemu_pe_state state;
	struct spemu_owner owner;
	uint64_t value, there;

	/* Write all registers twice, because MDCR_EL2.E2PB determines the writable bits of
	 * PMSCR_EL2. */
	for (unsigned n = 0; n < 2 * SPEMU_REG_COUNT; n++) {
		unsigned r = n % SPEMU_REG_COUNT;

		REQUIRE(spemu_reg_get(pe(), &value, (enum spemu_reg)r) == SPEMU_OK);
		REQUIRE(spemu_reg_get(w->pe, &there, (enum spemu_reg)r) == SPEMU_OK);
		if (value != there)
			REQUIRE(spemu_reg_set(w->pe, (enum spemu_reg)r, value) == SPEMU_OK);
	}
	spemu_machine_get_state(machine, &state);
	if (state.aarch32) /* for a machine, AArch32 at the lower levels is implied */
		state.el_aarch32 |= (uint8_t)((2u << state.el) - 1);
	if (spemu_pe_set(w->pe, &state) != SPEMU_OK)
		return; /* the PE does not have this Exception level */
	spemu_spu_buffer_owner(w->spu, &owner);
	REQUIRE(owner.el == d->owner.el && owner.security == d->owner.security);
	spemu_explain_decide(w->pe, &same);
	REQUIRE(same.stopped == d->stopped && same.buffer_enabled == d->buffer_enabled);
	REQUIRE(spemu_spu_profiling_enabled(w->spu, state.el) == d->enabled[state.el]);
	REQUIRE(spemu_pmu_capture(w->pmu) == d->capture);
}

static void check_access(const struct fuzz_world *w, struct fuzz_input *in)
{
	unsigned form = fuzz_u8(in);
	struct spemu_question q = {.topic = SPEMU_TOPIC_ACCESS,
	                           .el = form & 3,
	                           .write = form >> 2 & 1,
	                           .encoding = (uint32_t)fuzz_uint(in, 2)};
	int by_name =
	        spemu_reg_encoding(spemu_reg_name((enum spemu_reg)(q.encoding % SPEMU_REG_COUNT)));
	struct spemu_access_result result, model;
	struct spemu_pe_state state;
	enum spemu_reg reg;

	if (form & 8 && by_name >= 0)
		q.encoding = (uint32_t)by_name;
	if (spemu_explain_access(pe(), &result, &reg, q.encoding, q.write, q.el) != SPEMU_OK)
		return;
	REQUIRE(fold(&q).value == result.outcome);
	spemu_pe_get(w->pe, &state);
	state.el = q.el;
	if (spemu_pe_set(w->pe, &state) != SPEMU_OK)
		return;
	if (spemu_spu_access_check(w->spu, &model, q.encoding, q.write) != SPEMU_OK)
		REQUIRE(spemu_pmu_access_check(w->pmu, &model, q.encoding, q.write) == SPEMU_OK);
	REQUIRE(model.outcome == result.outcome && model.iss == result.iss);
}

/* Check the texts shown beside decisions. */
static void check_rest(struct fuzz_input *in)
{
	struct spemu_question q = {.topic = SPEMU_TOPIC_EVENT, .ec = fuzz_u8(in) & 63};
	struct spemu_effective e;
	struct folded f;

	q.fsc = fuzz_u8(in) & 63;
	f = fold(&q);
	REQUIRE(f.decided && f.value >= 1 && f.value <= 3);
	REQUIRE(spemu_management_event_class_text(q.ec));
	REQUIRE(spemu_management_event_status_text(q.ec, q.fsc));
	for (unsigned i = 0; spemu_explain_effective(pe(), &e, i) == SPEMU_OK; i++) {
		REQUIRE(e.name && e.width >= 1 && e.width <= 64);
		REQUIRE((e.why != NULL) == (e.raw != e.effective));
	}
	REQUIRE(!(spemu_explain_pmbidr(pe(), q.ec & 3) & ~UINT64_C(0xd0)));
}

/* ---- remedies ---- */

static void check_remedy(unsigned el)
{
	struct spemu_remedy remedy;
	struct spemu_decisions d;

	spemu_explain_decide(pe(), &d);
	spemu_explain_remedy(pe(), &remedy, el);
	REQUIRE(remedy.count <= SPEMU_REMEDY_MAX);
	REQUIRE(!d.enabled[el] || (remedy.count == 0 && !remedy.never_text));
	if (d.enabled[el] || !remedy.count) {
		REQUIRE(d.enabled[el] || remedy.never_text);
		return;
	}
	for (unsigned i = 0; i < remedy.count; i++) {
		const struct spemu_remedy_write *write = &remedy.write[i];
		struct spemu_refusal_detail detail;
		char text[96], digits[24];
		unsigned n = sizeof(digits);
		uint64_t value = write->value;

		REQUIRE(write->length + sizeof(digits) < sizeof(text) && write->el <= 3);
		do {
			digits[--n] = (char)('0' + value % 10);
		} while (value /= 10);
		memcpy(text, write->field, write->length);
		text[write->length] = '=';
		memcpy(text + write->length + 1, digits + n, sizeof(digits) - n);
		REQUIRE(spemu_machine_set(machine, &detail, text,
		                          write->length + 1 + sizeof(digits) - n) == SPEMU_OK);
	}
	spemu_explain_decide(pe(), &d);
	REQUIRE(d.enabled[el]);
}

/* ---- text ---- */

static void check_same(struct spemu_machine *a, struct spemu_machine *b)
{
	struct spemu_pe_state state[2];
	uint64_t value[2];

	spemu_machine_get_state(a, &state[0]);
	spemu_machine_get_state(b, &state[1]);
	REQUIRE(memcmp(&state[0], &state[1], sizeof(state[0])) == 0);
	REQUIRE(memcmp(spemu_pe_features(spemu_machine_pe(a)),
	               spemu_pe_features(spemu_machine_pe(b)), sizeof(struct spemu_features)) == 0);
	for (unsigned r = 0; r < SPEMU_REG_COUNT; r++) {
		REQUIRE(spemu_reg_get(spemu_machine_pe(a), &value[0], (enum spemu_reg)r) ==
		        SPEMU_OK);
		REQUIRE(spemu_reg_get(spemu_machine_pe(b), &value[1], (enum spemu_reg)r) ==
		        SPEMU_OK);
		REQUIRE(value[0] == value[1]);
	}
}

/* Read the rest of the input's line as text. Its memory has the exact size. */
static void take_text(struct fuzz_input *in)
{
	const char *text = (const char *)in->p;
	size_t length = 0, name;
	struct spemu_refusal_detail detail;
	struct spemu_field_value value;

	while (length < TEXT_MAX && in->p + length < in->end && text[length] != '\n')
		length++;
	in->p += length;
	in->p += in->p < in->end;
	spemu_machine_copy(other, machine);
	if (spemu_machine_set(machine, &detail, text, length) != SPEMU_OK) {
		REQUIRE(detail.kind >= SPEMU_REFUSED_FORM && detail.kind <= SPEMU_REFUSED_MACHINE);
		REQUIRE(detail.offset <= length && detail.length <= length - detail.offset);
		REQUIRE(detail.kind != SPEMU_REFUSED_MACHINE || detail.rule);
		check_same(machine, other);
		return;
	}
	name = (size_t)((const char *)memchr(text, '=', length) - text);
	if (name == 8 && (text[0] | 32) == 'f') { /* features are not a value */
		altered = true;
		return;
	}
	REQUIRE(spemu_explain_value(pe(), &value, text, name) == SPEMU_OK);
	REQUIRE(value.length == name && value.width >= 1);
	/* Writing back the current value changes nothing. */
	spemu_machine_copy(other, machine);
	REQUIRE(spemu_machine_set(machine, &detail, text, length) == SPEMU_OK);
	check_same(machine, other);
}

/* ---- the states ---- */

static void change(struct fuzz_input *in)
{
	unsigned what = fuzz_u8(in), form;
	const struct spemu_choice_description *known;
	struct spemu_pe_state state;
	enum spemu_choice choice;

	switch (what % 8) {
	case 0:
		take_text(in);
		break;
	case 1:
		form = fuzz_u8(in);
		state = (struct spemu_pe_state){.el = form & 3,
		                                .aarch32 = (form & 0x1c) == 0x1c,
		                                .debug = (form & 0xe0) == 0xe0,
		                                .pm = form >> 5 & 1,
		                                .el_aarch32 = (form & 0x1c) == 0x18 ? 2 : 0};
		spemu_machine_set_state(machine, &state);
		break;
	case 2:
		choice = (enum spemu_choice)fuzz_below(in, SPEMU_CHOICE_COUNT + 1);
		form = fuzz_below(in, 33);
		altered = true;
		known = spemu_choice_describe(choice);
		REQUIRE(spemu_machine_choose(machine, choice, form) ==
		        (known && form < known->option_count ? SPEMU_OK : SPEMU_ERR_INVALID));
		break;
	case 3:
		REQUIRE(spemu_machine_set_reg(machine, (enum spemu_reg)fuzz_u8(in),
		                              fuzz_value(in)) != SPEMU_ERR_NOSPACE);
		break;
	default:
		REQUIRE(spemu_machine_set_reg(machine, (enum spemu_reg)registers[what >> 3 & 15],
		                              fuzz_value(in)) == SPEMU_OK);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, data + size};
	unsigned number = fuzz_below(&in, FUZZ_FEATURE_SETS), form = fuzz_u8(&in);
	struct fuzz_world w = fuzz_world(number, 0, &host, NULL);
	struct spemu_decisions d;

	begin(number);
	while (!fuzz_ended(&in) && *in.p < 0xf8)
		change(&in);
	(void)fuzz_u8(&in);
	spemu_explain_decide(pe(), &d);
	check_decisions(&d);
	if (form >> 6 == 3 && !altered) {
		check_model(&w, &d);
		check_access(&w, &in);
	}
	check_rest(&in);
	if ((form & 0x1c) == 0)
		check_remedy(form & 3);
	return 0;
}
