/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constants of the guest: system calls (AArch64 has Linux's generic numbers), flags of their
 * arguments, and pages.
 */
#ifndef GUEST_ABI_H
#define GUEST_ABI_H

#include <asm-generic/unistd.h>
#include <stdint.h>

#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef __NR_futex_wait /* Linux 6.7 */
#define __NR_futex_wait 455
#endif

#define GUEST_CLONE_VM 0x100
#define GUEST_CLONE_CHILD_CLEARTID 0x200000
#define GUEST_F_SETLKW 7
#define GUEST_F_OFD_SETLKW 38
#define GUEST_MAP_SHARED 0x01
#define GUEST_MAP_ANONYMOUS 0x20
#define GUEST_MAP_STACK 0x20000
#define GUEST_MAP_HUGETLB 0x40000
#define GUEST_MAP_HUGE_SHIFT 26
#define GUEST_MREMAP_DONTUNMAP 4
#define GUEST_MADV_DONTNEED 4
#define GUEST_MADV_FREE 8
#define GUEST_MADV_HUGEPAGE 14
#define GUEST_MADV_NOHUGEPAGE 15
#define GUEST_MADV_COLLAPSE 25
#define GUEST_PR_SET_THP_DISABLE 41
#define GUEST_PR_SET_NAME 15
#define GUEST_PROT_DATA 3
#define GUEST_PROT_EXEC 4

#define GUEST_PAGE 4096u
#define GUEST_ADDRESS_MASK ((UINT64_C(1) << 56) - 1) /* user mode ignores the top byte */

/* Return the address of the page that contains addr. */
static inline uint64_t guest_page(uint64_t addr)
{
	return addr & ~(uint64_t)(GUEST_PAGE - 1);
}

/* Return the end of the last page of len bytes at start. It is less than start if it is beyond the
 * address space. */
static inline uint64_t guest_page_end(uint64_t start, uint64_t len)
{
	return guest_page(start + len + GUEST_PAGE - 1);
}

#endif
