/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of stage 1 (Arm ARM DDI 0487 M.a, D8.3, D8.4). The attribute index 0 is Normal
 * memory, and 1 is Device memory.
 */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include "spe.h"

#define TABLE 3
#define PAGE_DESCRIPTOR 3
#define ATTR(n) ((u64)(n) << 2)
#define AP(n) ((u64)(n) << 6)
#define INNER (UINT64_C(3) << 8)
#define AF BIT(10)
#define PXN BIT(53)
#define UXN BIT(54)
/* AP[1] is RES1 in a regime with one privilege level. In the other regimes it permits EL0. */
#define DATA (ATTR(0) | AP(1) | INNER | AF | PXN | UXN)
#define CODE (ATTR(0) | AP(3) | INNER | AF)
#define DEVICE (ATTR(1) | AP(1) | AF | PXN | UXN)

#endif
