/* SPDX-License-Identifier: MIT */
/*
 * Blocks of the maximum length: 600 loads of successive words, in 3000 rounds. With a small period a
 * block has two samples.
 */
	.equ ROUNDS, 3000
	.global _start, straight, straight_end, array
	.text
_start:
	mov x0, #ROUNDS
	adr x1, array
straight:
	.set offset, 0
	.rept 600
	ldr x2, [x1, #offset]
	.set offset, offset + 8
	.endr
	subs x0, x0, #1
	b.ne straight
straight_end:
	mov x0, #43
	mov x8, #93
	svc #0
	.data
	.balign 4096
array:
	.skip 4800
