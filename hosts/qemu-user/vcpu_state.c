/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process and its threads' countdowns; see vcpu.h. */
#include "vcpu.h"

struct process process;
struct countdown countdown[MAX_VCPUS];
struct qemu_plugin_scoreboard *counted;
