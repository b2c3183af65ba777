/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing the private parts of QEMU that are used with the running QEMU. */
#ifndef QEMU_VERIFY_H
#define QEMU_VERIFY_H

/* On a vCPU's thread outside of guest code, before any vCPU has executed an instruction. NULL, or
 * what differs from the series that was selected, which is valid until the next call. */
const char *qemu_verify(void);

/* The result of qemu_verify() if the structure of registers differs. */
extern const char qemu_register_layout_differs[];

#endif
