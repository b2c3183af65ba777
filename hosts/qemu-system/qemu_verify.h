/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The check of the private parts of QEMU that the plugin uses against the running QEMU. */
#ifndef QEMU_VERIFY_H
#define QEMU_VERIFY_H

/* Return NULL, or a text that is valid until the next call and names the difference from the
 * selected series. Called on a vCPU's thread outside guest code, before any vCPU has executed an
 * instruction. */
const char *qemu_verify(void);

/* The result of qemu_verify() if the structure of registers differs. */
extern const char qemu_register_layout_differs[];

#endif
