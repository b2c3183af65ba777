/* SPDX-License-Identifier: MIT */
/* Code to be sampled. It does not use a stack, so it runs at every level. */
#include "numbers.h"

	.text
	.balign	64
/*
 * u64 work(u64 rounds | u64 line << 56): execute eight operations per round. One is a load and one a store, both of
 * work_data[line][0].
 */
	.global work, work_begin, work_end
work:
work_begin:
	lsr	x4, x0, #56
	and	x0, x0, #0xffffffff
	adrp	x1, work_data
	add	x1, x1, :lo12:work_data
	add	x1, x1, x4, lsl #6
1:	ldr	x2, [x1]
	add	x2, x2, #1
	str	x2, [x1]
	eor	x3, x3, x2
	add	x3, x3, #3
	csel	x4, x3, x2, eq
	subs	x0, x0, #1
	b.ne	1b
	mov	x0, x2
	ret
work_end:

/*
 * u64 exclusives(u64 rounds): count up with one pair of Load-Exclusive and Store-Exclusive per round. Each pair is
 * repeated until it succeeds. Returns the number of failed Store-Exclusives.
 */
	.global exclusives, exclusives_word
exclusives:
	adrp	x1, exclusives_word
	add	x1, x1, :lo12:exclusives_word
	mov	x5, #0
1:	ldxr	x2, [x1]
	add	x2, x2, #1
	stxr	w3, x2, [x1]
	cbz	w3, 2f
	add	x5, x5, #1
	b	1b
2:	subs	x0, x0, #1
	b.ne	1b
	mov	x0, x5
	ret

/* u64 atomics(u64 rounds): execute one LDADD per round. */
	.arch_extension lse
	.global atomics, exclusives_ldxr, exclusives_stxr, atomics_ldadd
	.set	exclusives_ldxr, exclusives + 12
	.set	exclusives_stxr, exclusives + 20
	.set	atomics_ldadd, atomics + 12
atomics:
	adrp	x1, exclusives_word
	add	x1, x1, :lo12:exclusives_word
	mov	x2, #1
1:	ldadd	x2, x3, [x1]
	subs	x0, x0, #1
	b.ne	1b
	ret

/* void touch(u64 address): load and store the doubleword at the address, TOUCHES times. */
	.global touch, touch_ldr, touch_str
touch:
	mov	x1, #TOUCHES
touch_ldr:
	ldr	x2, [x0]
touch_str:
	str	x2, [x0]
	subs	x1, x1, #1
	b.ne	touch_ldr
	ret

/* void calls(u64 rounds): execute one SVC per round. The handler skips the NOP, like any
 * instruction except SVC. */
	.global calls, calls_svc, calls_end
calls:
calls_svc:
	svc	#1
	nop
	subs	x0, x0, #1
	b.ne	calls
	ret
calls_end:

/* void straight(u64 rounds): execute STRAIGHT_OPERATIONS per round, of which the last is a taken
 * branch. All are in one page, because an emulator may end a translated block at the end of a
 * page. */
	.balign	256
	.global straight, straight_end
straight:
	.rept	STRAIGHT_OPERATIONS - 2
	nop
	.endr
	subs	x0, x0, #1
	b.ne	straight
straight_end:
	ret

	.bss
	.balign	4096
	.global work_data
work_data:
	.skip	WORK_LINES * 64
	.balign	64
exclusives_word:
	.skip	64
