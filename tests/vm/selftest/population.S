/* SPDX-License-Identifier: MIT */
/* Code that leaves its blocks in the middle, and handlers of known lengths. It does not use a
 * stack. */
#include "layout.h"

	.text
/*
 * POPULATION_POSITIONS functions, each with POPULATION_POSITIONS instructions and a RET. In the nth function, the nth
 * instruction is the tested one.
 */
	.macro	positions name, insn:vararg
	.balign	4
	.global	\name
\name:
	.set	position, 0
	.rept	POPULATION_POSITIONS
	.set	at, 0
	.rept	POPULATION_POSITIONS
	.if	at == position
	\insn
	.else
	add	x9, x9, #1
	.endif
	.set	at, at + 1
	.endr
	ret
	.set	position, position + 1
	.endr
	.endm

	positions population_nop, nop
	positions population_load, ldr w1, [x0]
	positions population_pair, ldp w1, w2, [x0]
	positions population_mrs, mrs x1, pmccntr_el0
	positions population_udf, .inst 0
	positions population_brk, brk #1
	positions population_counter, mrs x0, S3_0_C9_C9_2
	positions population_event, mrs x0, pmevcntr0_el0
	positions population_overflow, mrs x0, pmovsset_el0

/* u64 population_rounds(u64 rounds): execute all functions, for a number of rounds. */
	.global	population_rounds, population_begin, population_fault, population_trap, population_undefined
	.global	population_end
population_rounds:
	mov	x1, #(POPULATION_HOLE & 0xffff0000)
	movk	x1, #(POPULATION_HOLE & 0xffff)
	mov	x2, #UART
population_begin:
	add	x9, x9, #1
population_fault:
	ldr	x3, [x1]
	add	x9, x9, #1
	add	x9, x9, #1
	ldr	w3, [x2, #UART_FLAGS]
	add	x9, x9, #1
population_trap:
	mrs	x3, pmccntr_el0
	ldp	w3, w4, [x2, #UART_FLAGS]
population_undefined:
	.inst	0
	add	x9, x9, #1
	subs	x0, x0, #1
	b.ne	population_begin
population_end:
	ret

/* An exception from the same level: POPULATION_HANDLER instructions, which skip the instruction
 * that faulted. */
	.macro	handler el
	mrs	x10, elr_el\el
	add	x10, x10, #4
	msr	elr_el\el, x10
	eret
	.endm

	.macro	short_vectors el
	.balign	0x800
	.global	population_vectors_el\el
population_vectors_el\el:
	b	.
	.balign	0x200
	handler	\el
	.balign	0x200
	/* An exception from a lower level. An SVC leaves that level. */
	mrs	x10, esr_el\el
	lsr	x10, x10, #26
	cmp	x10, #0x15
	b.eq	1f
	handler	\el
1:	smc	#LEAVE
	.balign	0x200
	b	.
	.endm

	short_vectors 1
	short_vectors 2
