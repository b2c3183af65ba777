/* SPDX-License-Identifier: MIT */
/* SPE's registers for assembly and C. */
#ifndef CONFORMANCE_SPE_REGISTERS_H
#define CONFORMANCE_SPE_REGISTERS_H

/* X(name, op1, CRm, op2): op0 is 3, CRn is 9. */
#define SPE_REGISTERS(X)           \
	X(PMSCR_EL1, 0, 9, 0)      \
	X(PMSNEVFR_EL1, 0, 9, 1)   \
	X(PMSICR_EL1, 0, 9, 2)     \
	X(PMSIRR_EL1, 0, 9, 3)     \
	X(PMSFCR_EL1, 0, 9, 4)     \
	X(PMSEVFR_EL1, 0, 9, 5)    \
	X(PMSLATFR_EL1, 0, 9, 6)   \
	X(PMSIDR_EL1, 0, 9, 7)     \
	X(PMBLIMITR_EL1, 0, 10, 0) \
	X(PMBPTR_EL1, 0, 10, 1)    \
	X(PMBSR_EL1, 0, 10, 3)     \
	X(PMSDSFR_EL1, 0, 10, 4)   \
	X(PMBMAR_EL1, 0, 10, 5)    \
	X(PMBIDR_EL1, 0, 10, 7)    \
	X(PMSCR_EL2, 4, 9, 0)      \
	X(PMSCR_EL12, 5, 9, 0)

#endif
