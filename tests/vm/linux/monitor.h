/* SPDX-License-Identifier: MIT */
/* Physical addresses of the machine that monitor.c makes. This file contains only constants,
 * because test_kvm.py reads it, too. */
#ifndef MONITOR_H
#define MONITOR_H

#define MONITOR_GICD 0x08000000
#define MONITOR_GICR 0x080a0000
#define MONITOR_CONSOLE 0x09000000
#define MONITOR_MEMORY 0x40000000
#define MONITOR_MEMORY_SIZE 0x10000000
#define MONITOR_IMAGE 0x40200000
#define MONITOR_INITRD 0x4a000000
#define MONITOR_TREE 0x4c000000

#endif
