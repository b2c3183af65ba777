/* SPDX-License-Identifier: MIT */
/*
 * The parser of the words that describe an operation.
 *
 * Arm ARM: DDI 0487 M.a, D17.2, D18.2.6 (events), D18.2.7 (Operation Type).
 */
#include <spemu/codec.h>
#include "timing/a64.h"

#include "script.h"
#include "values.h"

#include <string.h>

static uint64_t parse_event(struct parser *parser, struct slice name)
{
	uint64_t bit;

	for (unsigned i = 0; spemu_event_names[i]; i++)
		if (slice_is(name, spemu_event_names[i]))
			return UINT64_C(1) << spemu_event_bits[i];
	if (name.size > 3 && !memcmp(name.text, "bit", 3) &&
	    parse_u64(&bit, slice_part(name, 3, name.size)) && bit < 64)
		return UINT64_C(1) << bit;
	refuse_word(parser, name, "event", spemu_event_names);
}

uint64_t parse_events(struct parser *parser, struct slice list)
{
	uint64_t events;

	if (parse_u64(&events, list))
		return events;
	for (events = 0;;) {
		size_t comma = slice_find(list, ',');

		events |= parse_event(parser, slice_part(list, 0, comma));
		if (comma == list.size)
			return events;
		list = slice_part(list, comma + 1, list.size);
	}
}

/* Effects of words that set types and flags. */
enum word_effect { SET_TYPE, SET_LDST, SET_FLAG, SET_EXTENDED, SET_ACCESS, SET_OTHER };
enum other_word { TAKEN, NOT_TAKEN, DIRECT, NOT_RETIRED, EXCEPTION, ATOMIC, SME_REGISTERS };
static const struct {
	const char *name;
	enum word_effect effect;
	uint32_t value;
} op_words[] = {
        {"other", SET_TYPE, SPEMU_OP_OTHER},
        {"sve", SET_TYPE, SPEMU_OP_OTHER_SVE},
        {"sme", SET_TYPE, SPEMU_OP_OTHER_SME},
        {"load", SET_TYPE, SPEMU_OP_LOAD},
        {"store", SET_TYPE, SPEMU_OP_STORE},
        {"branch", SET_TYPE, SPEMU_OP_BRANCH},
        {"atomic", SET_OTHER, ATOMIC},
        {"regs=general", SET_LDST, SPEMU_LDST_GENERAL},
        {"regs=extended", SET_LDST, SPEMU_LDST_EXTENDED},
        {"regs=simdfp", SET_LDST, SPEMU_LDST_SIMDFP},
        {"regs=sve", SET_LDST, SPEMU_LDST_SVESME},
        {"regs=sme", SET_OTHER, SME_REGISTERS},
        {"regs=unspecified", SET_LDST, SPEMU_LDST_UNSPECIFIED},
        {"regs=tags", SET_LDST, SPEMU_LDST_TAGS},
        {"regs=nv2", SET_LDST, SPEMU_LDST_NV2},
        {"regs=memcopy", SET_LDST, SPEMU_LDST_MEMCOPY},
        {"regs=memset", SET_LDST, SPEMU_LDST_MEMSET},
        {"regs=gcs", SET_LDST, SPEMU_LDST_GCS},
        {"cond", SET_FLAG, SPEMU_OPF_CONDITIONAL},
        {"fp", SET_FLAG, SPEMU_OPF_FP},
        {"simd", SET_FLAG, SPEMU_OPF_SIMD},
        {"acquire", SET_EXTENDED, SPEMU_OPF_ACQUIRE_RELEASE},
        {"release", SET_EXTENDED, SPEMU_OPF_ACQUIRE_RELEASE},
        {"exclusive", SET_EXTENDED, SPEMU_OPF_EXCLUSIVE},
        {"predicated", SET_FLAG, SPEMU_OPF_PREDICATED},
        {"gather", SET_FLAG, SPEMU_OPF_GATHER_SCATTER},
        {"scatter", SET_FLAG, SPEMU_OPF_GATHER_SCATTER},
        {"indirect", SET_FLAG, SPEMU_OPF_INDIRECT},
        {"link", SET_FLAG, SPEMU_OPF_LINK},
        {"return", SET_FLAG, SPEMU_OPF_RETURN},
        {"gcs", SET_FLAG, SPEMU_OPF_GCS},
        {"eret", SET_FLAG, SPEMU_OPF_ERET},
        {"isb", SET_FLAG, SPEMU_OPF_ISB},
        {"pair", SET_FLAG, SPEMU_OPF_PAIR},
        {"prefetch", SET_FLAG, SPEMU_OPF_PREFETCH},
        {"status", SET_FLAG, SPEMU_OPF_STATUS_RESULT},
        {"zt", SET_FLAG, SPEMU_OPF_ZT},
        {"whole-za", SET_FLAG, SPEMU_OPF_WHOLE_ZA},
        {"tag-checked", SET_ACCESS, SPEMU_OPM_TAG_CHECKED},
        {"no-tbi", SET_ACCESS, SPEMU_OPM_NO_TBI},
        {"memory-tagging", SET_ACCESS, SPEMU_OPM_MEMORY_TAGGING},
        {"not-performed", SET_ACCESS, SPEMU_OPM_NOT_PERFORMED},
        {"direct", SET_OTHER, DIRECT},
        {"taken", SET_OTHER, TAKEN},
        {"not-taken", SET_OTHER, NOT_TAKEN},
        {"not-retired", SET_OTHER, NOT_RETIRED},
        {"exception", SET_OTHER, EXCEPTION},
};
#define OP_WORDS (sizeof(op_words) / sizeof(*op_words))

static void other_word(struct spemu_op *op, enum other_word word)
{
	switch (word) {
	case ATOMIC: /* a type alone; a modifier after "load" or "store" */
		if (op->kind.type != SPEMU_OP_STORE)
			op->kind.type = SPEMU_OP_LOAD_ATOMIC;
		op->kind.ldst = SPEMU_LDST_EXTENDED;
		op->kind.flags |= SPEMU_OPF_ATOMIC;
		break;
	case TAKEN:
		op->cond_pass = true;
		break;
	case NOT_TAKEN:
		op->kind.flags |= SPEMU_OPF_CONDITIONAL;
		op->cond_pass = false;
		break;
	case NOT_RETIRED:
		op->retired = false;
		break;
	case EXCEPTION:
		op->exception = true;
		break;
	case SME_REGISTERS:
		op->kind.ldst = SPEMU_LDST_SVESME;
		op->kind.flags |= SPEMU_OPF_SME;
		break;
	case DIRECT:
		break;
	}
}

static bool take_op_word(struct spemu_op *op, struct slice word)
{
	size_t i = 0;

	while (i < OP_WORDS && !slice_is(word, op_words[i].name))
		i++;
	if (i == OP_WORDS)
		return false;
	switch (op_words[i].effect) {
	case SET_TYPE:
		op->kind.type = (uint8_t)op_words[i].value;
		break;
	case SET_LDST:
		op->kind.ldst = (uint8_t)op_words[i].value;
		break;
	case SET_EXTENDED:
		op->kind.ldst = SPEMU_LDST_EXTENDED;
		op->kind.flags |= op_words[i].value;
		break;
	case SET_FLAG:
		op->kind.flags |= op_words[i].value;
		break;
	case SET_ACCESS:
		op->memory_access |= (uint8_t)op_words[i].value;
		break;
	case SET_OTHER:
		other_word(op, (enum other_word)op_words[i].value);
		break;
	}
	return true;
}

/* Parse an address with an optional step, like "0x8000", "0x8000+64" and "0x8000-64". */
static void parse_stepping(struct parser *parser, uint64_t *value, uint64_t *step, struct slice s)
{
	size_t plus = slice_find(s, '+'), minus = slice_find(s, '-');
	size_t at = plus < minus ? plus : minus;

	*value = need_u64(parser, slice_part(s, 0, at), "an address");
	if (at == s.size)
		return;
	*step = need_u64(parser, slice_part(s, at + 1, s.size), "the step");
	if (at == minus)
		*step = 0 - *step;
}

enum key_kind { KEY_ADDRESS, KEY_NUMBER, KEY_EVENTS, KEY_OPCODE, KEY_VECTORS, KEY_NAME };
static const char *const pa_space_names[] = {"own", "Secure", "Non-secure", "Realm", NULL};

#define MEMBER(name) offsetof(struct operation, op.name), sizeof(((struct spemu_op *)0)->name)
#define ADDRESS(name) KEY_ADDRESS, MEMBER(name), .step = offsetof(struct operation, name##_step)
#define NUMBER(name, max) KEY_NUMBER, MEMBER(name), .most = (max)
#define NAME(name, of, words) KEY_NAME, MEMBER(name), .what = (of), .names = (words)
static const struct op_key {
	const char *name;
	enum key_kind kind;
	size_t at, size; /* place of the value in struct operation */
	uint32_t valid;  /* SPEMU_OPV_ */
	size_t step;     /* place of an address's step */
	uint64_t most;
	const char *what; /* KEY_NAME: the kind of names */
	const char *const *names;
} op_keys[] = {
        {"pc=", ADDRESS(pc)},
        {"va=", ADDRESS(va), .valid = SPEMU_OPV_VA},
        {"pa=", ADDRESS(pa), .valid = SPEMU_OPV_PA},
        {"target=", ADDRESS(target), .valid = SPEMU_OPV_TARGET},
        {"size=", NUMBER(kind.access_size, UINT16_MAX)},
        {"total=", NUMBER(total_latency, UINT32_MAX), .valid = SPEMU_OPV_TOTAL_LATENCY},
        {"issue=", NUMBER(issue_latency, UINT32_MAX), .valid = SPEMU_OPV_ISSUE_LATENCY},
        {"xlat=", NUMBER(translation_latency, UINT32_MAX), .valid = SPEMU_OPV_TRANSLATION_LATENCY},
        {"source=", NUMBER(data_source, UINT16_MAX), .valid = SPEMU_OPV_DATA_SOURCE},
        {"events=", KEY_EVENTS},
        {"vl=", NUMBER(kind.vector_bits, 65536)},
        {"opcode=", KEY_OPCODE},
        {"alt-issue=", NUMBER(alt_issue_latency, UINT32_MAX), .valid = SPEMU_OPV_ALT_ISSUE_LATENCY},
        {"store-va=", ADDRESS(store_va), .valid = SPEMU_OPV_STORE_VA},
        {"store-pa=", ADDRESS(store_pa), .valid = SPEMU_OPV_STORE_PA},
        {"target-el=", NUMBER(target_el, 2), .valid = SPEMU_OPV_TARGET_CONTEXT},
        {"target-security=", NAME(target_security, "Security state", security_names)},
        {"pa-space=", NAME(pa_space, "physical address space", pa_space_names)},
        {"vectors=", KEY_VECTORS},
};
#define OP_KEYS (sizeof(op_keys) / sizeof(*op_keys))

static uint64_t up_to(struct parser *parser, struct slice value, uint64_t max)
{
	uint64_t v = need_u64(parser, value, "the value");

	if (v > max)
		refuse(parser, value.at, "at most %#llx expected", (unsigned long long)max);
	return v;
}

static uint32_t parse_vectors(struct parser *parser, struct slice value)
{
	uint64_t n = up_to(parser, value, 16);

	if (!n)
		refuse(parser, value.at, "an operation has at least one vector");
	return SPEMU_OPF_VECTORS(n);
}

static void put_events(struct spemu_op *op, uint64_t events)
{
	op->events = events;
	op->exception |= events >> SPEMU_EV_EXCEPTION & 1;
	if (events >> SPEMU_EV_NOT_TAKEN & 1)
		other_word(op, NOT_TAKEN);
}

static void put_key(struct parser *parser, struct operation *o, const struct op_key *key,
                    struct slice value)
{
	struct spemu_op *op = &o->op;
	void *at = (char *)o + key->at;

	switch (key->kind) {
	case KEY_ADDRESS:
		parse_stepping(parser, at, (uint64_t *)(void *)((char *)o + key->step), value);
		break;
	case KEY_NUMBER:
		put_number(at, key->size, up_to(parser, value, key->most));
		break;
	case KEY_NAME:
		put_number(at, key->size, need_name(parser, value, key->what, key->names));
		break;
	case KEY_EVENTS:
		put_events(op, parse_events(parser, value));
		break;
	case KEY_VECTORS:
		op->kind.flags |= parse_vectors(parser, value);
		break;
	case KEY_OPCODE:
		a64_classify(&op->kind, (uint32_t)up_to(parser, value, UINT32_MAX), 0);
		break;
	}
	op->valid |= key->valid;
}

static bool take_key(struct parser *parser, struct operation *o, struct slice word)
{
	for (const struct op_key *key = op_keys; key < op_keys + OP_KEYS; key++) {
		if (!slice_begins(word, key->name))
			continue;
		put_key(parser, o, key, slice_part(word, strlen(key->name), word.size));
		return true;
	}
	return false;
}

static _Noreturn void refuse_op_word(struct parser *parser, struct slice word)
{
	const char *names[OP_WORDS + OP_KEYS + 1];
	size_t eq = slice_find(word, '=');
	unsigned n = 0;

	for (unsigned i = 0; i < OP_WORDS; i++)
		names[n++] = op_words[i].name;
	for (unsigned i = 0; i < OP_KEYS; i++)
		names[n++] = op_keys[i].name;
	names[n] = NULL;
	if (eq < word.size && !slice_begins(word, "regs="))
		word = slice_part(word, 0, eq + 1);
	refuse_word(parser, word, "property of an operation", names);
}

void parse_operation(struct parser *parser, struct operation *operation, uint64_t *count)
{
	struct slice word;

	*operation = (struct operation){
	        .op = {.retired = true, .cond_pass = true, .target_security = SPEMU_SS_NON_SECURE}};
	*count = 1;
	while (take_text(parser, &word)) {
		if (word.text[0] == 'x' && word.size > 1 &&
		    parse_u64(count, slice_part(word, 1, word.size)))
			continue;
		if (!take_op_word(&operation->op, word) && !take_key(parser, operation, word))
			refuse_op_word(parser, word);
	}
}
