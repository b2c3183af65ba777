/* SPDX-License-Identifier: MIT */
/*
 * Ground truth without a C library: every executed instruction is known.
 *
 * 3 instructions, then COUNT rounds of 8, then 3:
 *   a load (8 bytes, walking the array upwards, wrapping at 4096), a store (4 bytes), an addition,
 *   a conditional branch that is taken in every even round, a no-op that the taken branch skips ...
 */
	.equ COUNT, 400000
	.global _start
	.global loop_begin, loop_end
	.global the_load, the_store, the_cond, the_back, the_skip, the_join
	.global array, scratch
	.text
_start:
	ldr x0, =COUNT
	adr x1, array
	adr x4, scratch
	mov x2, #0
loop_begin:
the_load:
	ldr x3, [x1, x2]
the_store:
	str w0, [x4, #16]
	add x2, x2, #8
	and x2, x2, #4095
the_cond:
	tbz x0, #0, the_join
the_skip:
	nop
the_join:
	subs x0, x0, #1
the_back:
	b.ne loop_begin
loop_end:
	mov x0, #42
	mov x8, #93
	svc #0
	.ltorg
	.data
	.balign 4096
array:
	.skip 4096
scratch:
	.skip 64
