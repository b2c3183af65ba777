/* SPDX-License-Identifier: MIT */
/*
 * Profiling Buffer management events by name, and the meanings of PMBSR_ELx.{EC, FSC, BSC}.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7 (PMBSR_EL1), D17.8
 */
#include "explain/explain.h"

enum { OTHER = 0, GPC = 0x1e, IMPDEF = 0x1f, STAGE1 = 0x24, STAGE2 = 0x25 };

static const struct spemu_management_event_description events[] = {
        {"buffer full", OTHER, 0x01},
        {"access not allowed", OTHER, 0x00},
        {"buffer too large", OTHER, 0x04},
        {"collision", OTHER, 0x00, .collision = true},
        {"stage 1 address size fault", STAGE1, 0x03},
        {"stage 1 translation fault", STAGE1, 0x07},
        {"stage 1 access flag fault", STAGE1, 0x0b},
        {"stage 1 permission fault", STAGE1, 0x0f},
        {"stage 1 alignment fault", STAGE1, 0x21},
        {"stage 1 tlb conflict", STAGE1, 0x30},
        {"stage 1 unsupported atomic update", STAGE1, 0x31},
        {"stage 2 address size fault", STAGE2, 0x03},
        {"stage 2 translation fault", STAGE2, 0x07},
        {"stage 2 access flag fault", STAGE2, 0x0b},
        {"stage 2 permission fault", STAGE2, 0x0f},
        {"stage 2 alignment fault", STAGE2, 0x21},
        {"stage 2 tlb conflict", STAGE2, 0x30},
        {"stage 2 unsupported atomic update", STAGE2, 0x31},
        {"external abort on write", STAGE1, 0x10},
        {"asynchronous external abort", STAGE1, 0x11},
        {"external abort on walk", STAGE1, 0x17},
        {"stage 1 external abort on walk", STAGE1, 0x17},
        {"stage 2 external abort on walk", STAGE2, 0x17},
        {"gpc fault", GPC, 0x00},
        {"gpf", STAGE1, 0x28},
        {"gpf on walk", STAGE1, 0x27},
        {"stage 2 gpf", STAGE2, 0x28},
        {"stage 2 gpf on walk", STAGE2, 0x27},
        {"implementation defined", IMPDEF, 0x00},
};

int spemu_management_event_describe(struct spemu_management_event_description *out, unsigned index)
{
	*out = (struct spemu_management_event_description){0};
	if (index >= sizeof(events) / sizeof(*events))
		return SPEMU_ERR_END;
	*out = events[index];
	return SPEMU_OK;
}

const char *spemu_management_event_class_text(unsigned ec)
{
	switch (ec) {
	case OTHER:
		return "other management event";
	case GPC:
		return "Granule Protection Check fault other than a GPF";
	case IMPDEF:
		return "IMPLEMENTATION DEFINED management event";
	case STAGE1:
		return "stage 1 Data Abort";
	case STAGE2:
		return "stage 2 Data Abort";
	}
	return "reserved";
}

/* Names of faults, indexed by FSC. Other values are reserved. */
static const char *const faults[64] = {
        [0x00] = "Address size fault, level 0",
        [0x01] = "Address size fault, level 1",
        [0x02] = "Address size fault, level 2",
        [0x03] = "Address size fault, level 3",
        [0x04] = "Translation fault, level 0",
        [0x05] = "Translation fault, level 1",
        [0x06] = "Translation fault, level 2",
        [0x07] = "Translation fault, level 3",
        [0x08] = "Access flag fault, level 0",
        [0x09] = "Access flag fault, level 1",
        [0x0a] = "Access flag fault, level 2",
        [0x0b] = "Access flag fault, level 3",
        [0x0c] = "Permission fault, level 0",
        [0x0d] = "Permission fault, level 1",
        [0x0e] = "Permission fault, level 2",
        [0x0f] = "Permission fault, level 3",
        [0x10] = "synchronous External abort on the write",
        [0x11] = "asynchronous External abort",
        [0x12] = "synchronous External abort on a table walk, level -2",
        [0x13] = "synchronous External abort on a table walk, level -1",
        [0x14] = "synchronous External abort on a table walk, level 0",
        [0x15] = "synchronous External abort on a table walk, level 1",
        [0x16] = "synchronous External abort on a table walk, level 2",
        [0x17] = "synchronous External abort on a table walk, level 3",
        [0x1b] = "synchronous parity or ECC error on a table walk, level -1",
        [0x21] = "Alignment fault",
        [0x22] = "Granule Protection Fault on a table walk, level -2",
        [0x23] = "Granule Protection Fault on a table walk, level -1",
        [0x24] = "Granule Protection Fault on a table walk, level 0",
        [0x25] = "Granule Protection Fault on a table walk, level 1",
        [0x26] = "Granule Protection Fault on a table walk, level 2",
        [0x27] = "Granule Protection Fault on a table walk, level 3",
        [0x28] = "Granule Protection Fault on the write",
        [0x29] = "Address size fault, level -1",
        [0x2a] = "Translation fault, level -2",
        [0x2b] = "Translation fault, level -1",
        [0x2c] = "Address size fault, level -2",
        [0x30] = "TLB conflict abort",
        [0x31] = "unsupported atomic hardware update",
};

const char *spemu_management_event_status_text(unsigned ec, unsigned status)
{
	static const char *const buffer[64] = {
	        [0] = "access to the Profiling Buffer not allowed",
	        [1] = "Profiling Buffer filled",
	        [4] = "Profiling Buffer too large",
	};
	const char *text = "reserved";

	status &= 0x3f;
	if (ec == OTHER && buffer[status])
		text = buffer[status];
	if ((ec == STAGE1 || ec == STAGE2) && faults[status])
		text = faults[status];
	return text;
}
