/* SPDX-License-Identifier: MIT */
/*
 * Test hosts/qemu-user/call_site.c alone: the effects of blocks on the call stack, according to the
 * descriptions of their instructions (DDI 0487 M.a, C6.2). The opcodes come from binutils.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "call_site.h"

/* The stack pointer at the end: bytes relative to its old value, bytes relative to x29, or
 * unknown. */
#define SP(bytes) true, false, bytes
#define FRAME(bytes) true, true, bytes
#define LOST false, false, 0

static const struct {
	const char *text;
	uint32_t opcode[4];
	enum call_site_kind kind;
	bool exact, frame;
	int64_t offset;
} blocks[] = {
        {"stp x29, x30, [sp, #-32]!; mov x29, sp; bl .",
         {0xa9be7bfd, 0x910003fd, 0x94000000},
         CALL_SITE_CALL,
         SP(-32)},
        {"ldp x29, x30, [sp], #32; ret", {0xa8c27bfd, 0xd65f03c0}, CALL_SITE_RETURN, SP(32)},
        {"stp x29, x30, [sp, #-512]!", {0xa9a07bfd}, CALL_SITE_NONE, SP(-512)},
        {"stp w0, w1, [sp, #-8]!", {0x29bf07e0}, CALL_SITE_NONE, SP(-8)},
        {"ldpsw x0, x1, [sp], #16", {0x68c207e0}, CALL_SITE_NONE, SP(16)},
        {"stgp x0, x1, [sp, #-32]!", {0x69bf07e0}, CALL_SITE_NONE, SP(-32)},
        {"stp s0, s1, [sp, #-8]!", {0x2dbf07e0}, CALL_SITE_NONE, SP(-8)},
        {"stp d8, d9, [sp, #-16]!", {0x6dbf27e8}, CALL_SITE_NONE, SP(-16)},
        {"ldp q0, q1, [sp], #64", {0xacc207e0}, CALL_SITE_NONE, SP(64)},
        {"stp x0, x1, [sp, #16]", {0xa90107e0}, CALL_SITE_NONE, SP(0)},
        {"stp x0, x1, [x2, #-16]!", {0xa9bf0440}, CALL_SITE_NONE, SP(0)},
        {"str x0, [sp, #-16]!; str x1, [sp, #-16]!",
         {0xf81f0fe0, 0xf81f0fe1},
         CALL_SITE_NONE,
         SP(-32)},
        {"ldr x0, [sp], #255", {0xf84ff7e0}, CALL_SITE_NONE, SP(255)},
        {"str x0, [sp, #-256]!", {0xf8100fe0}, CALL_SITE_NONE, SP(-256)},
        {"ldr q0, [sp], #16", {0x3cc107e0}, CALL_SITE_NONE, SP(16)},
        {"str xzr, [sp, #8]; str xzr, [x0]", {0xf90007ff, 0xf900001f}, CALL_SITE_NONE, SP(0)},
        {"ldur x0, [sp, #-8]", {0xf85f83e0}, CALL_SITE_NONE, SP(0)},
        {"ld1 {v0.16b}, [sp], #16", {0x4cdf73e0}, CALL_SITE_NONE, LOST},
        {"sub sp, sp, #16", {0xd10043ff}, CALL_SITE_NONE, SP(-16)},
        {"sub sp, sp, #1, lsl #12", {0xd14007ff}, CALL_SITE_NONE, SP(-4096)},
        {"add sp, sp, #4095", {0x913fffff}, CALL_SITE_NONE, SP(4095)},
        {"add sp, sp, #16; ret", {0x910043ff, 0xd65f03c0}, CALL_SITE_RETURN, SP(16)},
        {"add sp, x29, #16", {0x910043bf}, CALL_SITE_NONE, FRAME(16)},
        {"sub sp, x29, #16; ldp x29, x30, [sp], #32; ret",
         {0xd10043bf, 0xa8c27bfd, 0xd65f03c0},
         CALL_SITE_RETURN,
         FRAME(16)},
        {"ldp x29, x30, [sp], #32; mov sp, x29", {0xa8c27bfd, 0x910003bf}, CALL_SITE_LEAVE, LOST},
        {"add sp, sp, x1", {0x8b2163ff}, CALL_SITE_NONE, LOST},
        {"sub sp, sp, x1; ret", {0xcb2163ff, 0xd65f03c0}, CALL_SITE_LEAVE, LOST},
        {"mov sp, x1", {0x9100003f}, CALL_SITE_LEAVE, LOST},
        {"mov sp, x1; mov sp, x29", {0x9100003f, 0x910003bf}, CALL_SITE_NONE, FRAME(0)},
        {"mov x1, sp; mov sp, x1", {0x910003e1, 0x9100003f}, CALL_SITE_NONE, LOST},
        {"add x1, sp, #64; and sp, x1, #-16", {0x910103e1, 0x927cec3f}, CALL_SITE_NONE, LOST},
        {"sub x9, sp, x1; and sp, x9, #-16", {0xcb2163e9, 0x927ced3f}, CALL_SITE_NONE, LOST},
        {"mov x1, sp; ldr x1, [x0]; mov sp, x1",
         {0x910003e1, 0xf9400001, 0x9100003f},
         CALL_SITE_LEAVE,
         LOST},
        {"mov x1, sp; add x2, x1, x3; mov sp, x2",
         {0x910003e1, 0x8b030022, 0x9100005f},
         CALL_SITE_NONE,
         LOST},
        {"mov x1, sp; ldr x2, [x1]; mov sp, x2",
         {0x910003e1, 0xf9400022, 0x9100005f},
         CALL_SITE_LEAVE,
         LOST},
        {"orr sp, x1, #1", {0xb240003f}, CALL_SITE_LEAVE, LOST},
        {"addg sp, sp, #16, #0", {0x918103ff}, CALL_SITE_NONE, LOST},
        {"subg sp, sp, #16, #0; ret", {0xd18103ff, 0xd65f03c0}, CALL_SITE_LEAVE, LOST},
        {"addvl sp, sp, #-1", {0x043f57ff}, CALL_SITE_NONE, LOST},
        {"addpl sp, sp, #1; ret", {0x047f503f, 0xd65f03c0}, CALL_SITE_LEAVE, LOST},
        {"cmp x0, #1; cmp x0, x1; cmp sp, #16; ret",
         {0xf100041f, 0xeb01001f, 0xf10043ff, 0xd65f03c0},
         CALL_SITE_RETURN,
         SP(0)},
        {"cmp sp, x1; cmn x0, x1; tst x0, #1; tst x0, x1",
         {0xeb2163ff, 0xab01001f, 0xf240001f, 0xea01001f},
         CALL_SITE_NONE,
         SP(0)},
        {"movz xzr, #1; add xzr, x0, x1; prfm pldl1keep, [x0]",
         {0xd280003f, 0x8b01001f, 0xf9800000},
         CALL_SITE_NONE,
         SP(0)},
        {"blr x1", {0xd63f0020}, CALL_SITE_CALL, SP(0)},
        {"br x1", {0xd61f0020}, CALL_SITE_NONE, SP(0)},
        {"b .", {0x14000000}, CALL_SITE_NONE, SP(0)},
};

static void stack_pointer(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct call_site site;
		unsigned n = 0;

		while (n < 4 && blocks[i].opcode[n])
			n++;
		call_site_find(&site, blocks[i].opcode, n);
		if (site.kind != blocks[i].kind || site.exact != blocks[i].exact)
			fail_msg("%s: kind %d, exact %d", blocks[i].text, (int)site.kind,
			         (int)site.exact);
		if (site.exact &&
		    (site.frame != blocks[i].frame || site.offset != blocks[i].offset))
			fail_msg("%s: frame %d, offset %lld", blocks[i].text, (int)site.frame,
			         (long long)site.offset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stack_pointer),
	};

	return cmocka_run_group_tests_name("call_site", tests, NULL, NULL);
}
