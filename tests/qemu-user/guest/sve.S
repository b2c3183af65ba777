/* SPDX-License-Identifier: MIT */
/*
 * SVE operations whose predicates are known: the program executes ROUNDS rounds with each vector
 * length of 16, 32 and 64 bytes. The predicates of a round have the first n elements, where n is
 * x0 modulo 32, and x0 counts down from ROUNDS. All predicates are written in the block that uses
 * them.
 */
	.arch armv8-a+sve
	.equ ROUNDS, 20000
	.equ PR_SVE_SET_VL, 50
	.global _start, next_length, round_begin, round_end, finish, array
	.text
_start:
	adr x1, array
	adr x4, scratch
	mov x19, #16
next_length:
	mov x0, #PR_SVE_SET_VL
	mov x1, x19
	mov x8, #167
	svc #0
	adr x1, array
	mov x0, #ROUNDS
round_begin:
	and x9, x0, #31
	whilelo p1.s, xzr, x9
	ld1w {z0.s}, p1/z, [x1]
	fmla z1.s, p1/m, z0.s, z0.s
	st1w {z0.s}, p1, [x4]
	whilelo p2.d, xzr, x9
	add z3.d, p2/m, z3.d, z4.d
	ptrue p3.b
	ld1b {z5.b}, p3/z, [x1]
	and p4.b, p1/z, p3.b, p3.b
	uaddv d6, p2, z3.d
	ld1rqw {z7.s}, p1/z, [x1]
	eor z8.d, z8.d, z0.d
	nop
	subs x0, x0, #1
	b.ne round_begin
round_end:
	lsl x19, x19, #1
	cmp x19, #128
	b.ne next_length
finish:
	mov x0, #44
	mov x8, #93
	svc #0
	.data
	.balign 4096
array:
	.skip 256
scratch:
	.skip 256
