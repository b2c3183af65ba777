/* SPDX-License-Identifier: MIT */
/*
 * Fault Status Codes.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7.5 (FSC)
 * Pseudocode:  EncodeLDFSC()
 */
#include <spemu/memory.h>

/* The codes of a fault type at levels -2 to 3; -1 if a code does not exist. */
struct codes {
	int8_t level[6];
};

static const struct codes leveled[] = {
        [SPEMU_FT_ADDRESS_SIZE] = {{0x2c, 0x29, 0x00, 0x01, 0x02, 0x03}},
        [SPEMU_FT_TRANSLATION] = {{0x2a, 0x2b, 0x04, 0x05, 0x06, 0x07}},
        [SPEMU_FT_ACCESS_FLAG] = {{-1, -1, 0x08, 0x09, 0x0a, 0x0b}},
        [SPEMU_FT_PERMISSION] = {{-1, -1, 0x0c, 0x0d, 0x0e, 0x0f}},
        [SPEMU_FT_EXTERNAL_ON_WALK] = {{0x12, 0x13, 0x14, 0x15, 0x16, 0x17}},
        [SPEMU_FT_PARITY_ON_WALK] = {{-1, 0x1b, -1, -1, -1, -1}},
        [SPEMU_FT_GPF_ON_WALK] = {{0x22, 0x23, 0x24, 0x25, 0x26, 0x27}},
};

int spemu_fsc(enum spemu_fault_type type, int level)
{
	switch (type) {
	case SPEMU_FT_GPF:
		return 0x28;
	case SPEMU_FT_ALIGNMENT:
		return 0x21;
	case SPEMU_FT_TLB_CONFLICT:
		return 0x30;
	case SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE:
		return 0x31;
	case SPEMU_FT_EXTERNAL:
		return 0x10;
	case SPEMU_FT_EXTERNAL_ASYNC:
		return 0x11;
	default:
		break;
	}
	if ((unsigned)type > SPEMU_FT_GPF_ON_WALK || level < -2 || level > 3)
		return -1;
	return leveled[type].level[level + 2];
}
