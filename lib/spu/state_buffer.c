/* SPDX-License-Identifier: MIT */
/*
 * The part of a saved SPU for the buffer: the rules that software must follow, pending events, and
 * the injections.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.4, D17.8
 */
#include <string.h>

#include "base/image.h"
#include "spu/spu_object.h"

#define INJECTIONS 64

#define FAULT_FLAG(name, bit) IMAGE_FLAG(struct spemu_fault, name, 3, bit)
static const struct image_field fault_fields[] = {
        IMAGE_FIELD(struct spemu_fault, kind, 0),
        IMAGE_FIELD(struct spemu_fault, fsc, 2),
        FAULT_FLAG(top_level, 0),
        FAULT_FLAG(assured_only, 1),
        FAULT_FLAG(overlay, 2),
        FAULT_FLAG(dirty_bit, 3),
        FAULT_FLAG(external, 4),
        IMAGE_FIELD(struct spemu_fault, written, 4),
};
#define INJECTION(name, at) IMAGE_FIELD(struct injection, name, at)
static const struct image_field injection_fields[] = {
        INJECTION(rule.when, 0),  INJECTION(rule.kind, 1),   INJECTION(rule.mss, 2),
        INJECTION(rule.mss2, 4),  INJECTION(rule.times, 8),  INJECTION(rule.rate, 12),
        INJECTION(rule.nth, 16),  INJECTION(rule.first, 24), INJECTION(rule.last, 32),
        INJECTION(countdown, 48), INJECTION(happened, 56),
};
#define SPU(name, at) IMAGE_FIELD(struct spemu_spu, name, at)
static const struct image_field buffer_fields[] = {
        IMAGE_FLAG(struct spemu_spu, restart_check_due, 0, 0),
        IMAGE_FLAG(struct spemu_spu, asynchronous_abort, 0, 1),
        SPU(violations, 1),
        SPU(ended.how, 2),
        SPU(ended.pointer, 8),
        SPU(ended.limit, 16),
        SPU(inject_prng, 32),
};

static void get_fault(struct spemu_fault *f, const uint8_t *p)
{
	*f = (struct spemu_fault){0};
	image_get(f, p, IMAGE_FIELDS(fault_fields));
}

static void get_injection(struct injection *i, const uint8_t *p)
{
	*i = (struct injection){.rule.size = sizeof(i->rule)};
	image_get(i, p, IMAGE_FIELDS(injection_fields));
	get_fault(&i->rule.fault, p + 40);
}

void spemu__state_put_buffer(uint8_t *p, const struct spemu_spu *s)
{
	memset(p, 0, STATE_BUFFER_SIZE);
	image_put(p, s, IMAGE_FIELDS(buffer_fields));
	p[3] = (uint8_t)s->injections;
	image_put(p + 24, &s->late_fault, IMAGE_FIELDS(fault_fields));
	p += INJECTIONS;
	for (unsigned i = 0; i < s->injections; i++, p += STATE_INJECTION_SIZE) {
		image_put(p, &s->injection[i], IMAGE_FIELDS(injection_fields));
		image_put(p + 40, &s->injection[i].rule.fault, IMAGE_FIELDS(fault_fields));
	}
}

bool spemu__state_buffer_is_valid(const uint8_t *p)
{
	struct spemu_fault late;

	get_fault(&late, p + 24);
	if (p[0] > 3 || p[1] > 7 || p[2] > ENDED_LOSS || p[3] > SPEMU_INJECTIONS_MAX ||
	    (late.kind && !spemu__fault_is_valid(&late)))
		return false;
	for (unsigned i = 0; i < p[3]; i++) {
		struct injection one;

		get_injection(&one, p + INJECTIONS + i * STATE_INJECTION_SIZE);
		if (!spemu__injection_is_valid(&one.rule) ||
		    (one.rule.when == SPEMU_INJECT_NTH && !one.countdown))
			return false;
	}
	return true;
}

void spemu__state_get_buffer(struct spemu_spu *s, const uint8_t *p)
{
	image_get(s, p, IMAGE_FIELDS(buffer_fields));
	s->injections = p[3];
	get_fault(&s->late_fault, p + 24);
	for (unsigned i = 0; i < s->injections; i++)
		get_injection(&s->injection[i], p + INJECTIONS + i * STATE_INJECTION_SIZE);
}
