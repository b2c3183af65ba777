/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holding what is private to QEMU against the running one. */
#ifndef QEMU_VERIFY_H
#define QEMU_VERIFY_H

/* On a vCPU's thread outside of guest code, before any vCPU has executed an instruction. NULL, or
 * what differs from the series that was selected, which is valid until the next call. */
const char *qemu_verify(void);

/* What qemu_verify() says if it is a register that looks otherwise. */
extern const char qemu_register_layout_differs[];

#endif
