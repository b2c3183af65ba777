/* SPDX-License-Identifier: MIT */
/*
 * From issue to completion, of operations that access no memory.
 *
 * Arm ARM: DDI 0487 M.a, C4.1 (encodings)
 */
#ifndef SPEMU_OP_CYCLES_H
#define SPEMU_OP_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "uarch.h"

static inline bool opcode_is(uint32_t opcode, uint32_t mask, uint32_t value)
{
	return opcode && (opcode & mask) == value;
}

static inline uint32_t scalar_cycles(const struct uarch_profile *p, uint32_t opcode)
{
	if (opcode_is(opcode, 0x7f000000, 0x1b000000)) /* three sources: MADD, SMULH, ... */
		return p->mul_cycles;
	if (opcode_is(opcode, 0x7fe0f800, 0x1ac00800)) /* UDIV, SDIV */
		return p->div_cycles;
	if (opcode_is(opcode, 0xfffff09f, 0xd503309f)) /* DSB, DMB, ISB, SB */
		return p->barrier_cycles;
	return p->int_cycles;
}

static inline uint32_t fp_cycles(const struct uarch_profile *p, uint32_t opcode)
{
	static const struct {
		uint32_t mask, value;
	} slow[] = {
	        {0xff20fc00, 0x1e201800}, /* FDIV, scalar */
	        {0xff3ffc00, 0x1e21c000}, /* FSQRT, scalar */
	        {0xbfa0fc00, 0x2e20fc00}, /* FDIV, vector */
	        {0xbfbffc00, 0x2ea1f800}, /* FSQRT, vector */
	};

	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (opcode_is(opcode, slow[i].mask, slow[i].value))
			return p->fdiv_cycles;
	}
	if (opcode_is(opcode, 0xff000000, 0x1f000000) || /* FMADD and kin */
	    opcode_is(opcode, 0xbf20fc00, 0x0e20cc00))   /* FMLA, FMLS, vector */
		return p->fma_cycles;
	return p->fp_cycles;
}

#endif
