/* SPDX-License-Identifier: MIT */
/*
 * Pairs of a Load-Exclusive and a Store-Exclusive, one per round, each repeated until it succeeds
 * (D17.7.9). The exit status is the number of failed Store-Exclusives, at most 250, or 251 if the word
 * is not the number of rounds. A round has 6 instructions, so an interval of 257 operations samples
 * each of them in turn.
 */
	.equ ROUNDS, 100000
	.global _start, the_ldxr, the_stxr
	.text
_start:
	ldr x0, =ROUNDS
	mov x6, x0
	adr x1, word
	mov x5, #0
again:
the_ldxr:
	ldxr x2, [x1]
	add x2, x2, #1
the_stxr:
	stxr w3, x2, [x1]
	cbnz w3, failed
	subs x0, x0, #1
	b.ne again
	ldr x2, [x1]
	mov x0, #250
	cmp x5, x0
	csel x0, x5, x0, lo
	cmp x2, x6
	mov x3, #251
	csel x0, x0, x3, eq
	mov x8, #93
	svc #0
failed:
	add x5, x5, #1
	b again
	.ltorg
	.data
	.balign 8
word:
	.quad 0
