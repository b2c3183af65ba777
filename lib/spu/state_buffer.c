/* SPDX-License-Identifier: MIT */
/*
 * The part of a saved SPU that is about the buffer: what software has to hold to, events that are
 * still to come, and the injections.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.4, D17.8
 */
#include <string.h>

#include "spu/spu_object.h"

#define INJECTIONS 64

static void put_fault(uint8_t *p, const struct spemu_fault *f)
{
	le_store16(p, f->kind);
	p[2] = f->fsc;
	p[3] = (uint8_t)(f->top_level | f->assured_only << 1 | f->overlay << 2 | f->dirty_bit << 3 |
	                 f->external << 4);
	le_store32(p + 4, f->written);
}

static void get_fault(struct spemu_fault *f, const uint8_t *p)
{
	*f = (struct spemu_fault){
	        .kind = le_load16(p),
	        .fsc = p[2],
	        .top_level = p[3] & 1,
	        .assured_only = p[3] >> 1 & 1,
	        .overlay = p[3] >> 2 & 1,
	        .dirty_bit = p[3] >> 3 & 1,
	        .external = p[3] >> 4 & 1,
	        .written = le_load32(p + 4),
	};
}

static void put_injection(uint8_t *p, const struct injection *i)
{
	p[0] = i->rule.when;
	p[1] = i->rule.kind;
	le_store16(p + 2, i->rule.mss);
	le_store32(p + 4, i->rule.mss2);
	le_store32(p + 8, i->rule.times);
	le_store32(p + 12, i->rule.rate);
	le_store64(p + 16, i->rule.nth);
	le_store64(p + 24, i->rule.first);
	le_store64(p + 32, i->rule.last);
	put_fault(p + 40, &i->rule.fault);
	le_store64(p + 48, i->countdown);
	le_store64(p + 56, i->happened);
}

static void get_injection(struct injection *i, const uint8_t *p)
{
	*i = (struct injection){.rule = {.size = sizeof(i->rule),
	                                 .when = p[0],
	                                 .kind = p[1],
	                                 .mss = le_load16(p + 2),
	                                 .mss2 = le_load32(p + 4),
	                                 .times = le_load32(p + 8),
	                                 .rate = le_load32(p + 12),
	                                 .nth = le_load64(p + 16),
	                                 .first = le_load64(p + 24),
	                                 .last = le_load64(p + 32)},
	                        .countdown = le_load64(p + 48),
	                        .happened = le_load64(p + 56)};
	get_fault(&i->rule.fault, p + 40);
}

void spemu__state_put_buffer(uint8_t *p, const struct spemu_spu *s)
{
	memset(p, 0, STATE_BUFFER_SIZE);
	p[0] = (uint8_t)(s->restart_check_due | s->asynchronous_abort << 1);
	p[1] = s->violations;
	p[2] = s->ended.how;
	p[3] = (uint8_t)s->injections;
	le_store64(p + 8, s->ended.pointer);
	le_store64(p + 16, s->ended.limit);
	put_fault(p + 24, &s->late_fault);
	le_store64(p + 32, s->inject_prng);
	for (unsigned i = 0; i < s->injections; i++)
		put_injection(p + INJECTIONS + i * STATE_INJECTION_SIZE, &s->injection[i]);
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
	s->restart_check_due = p[0] & 1;
	s->asynchronous_abort = p[0] >> 1 & 1;
	s->violations = p[1];
	s->ended.how = p[2];
	s->injections = p[3];
	s->ended.pointer = le_load64(p + 8);
	s->ended.limit = le_load64(p + 16);
	get_fault(&s->late_fault, p + 24);
	s->inject_prng = le_load64(p + 32);
	for (unsigned i = 0; i < s->injections; i++)
		get_injection(&s->injection[i], p + INJECTIONS + i * STATE_INJECTION_SIZE);
}
