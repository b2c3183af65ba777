/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vCPUs and their threads; see vcpu.h. */
#include "vcpu.h"

struct vcpu vcpus[MAX_VCPUS];

static __thread struct vcpu *current __attribute__((tls_model("initial-exec")));

struct vcpu *vcpu_current(void)
{
	return current;
}

struct vcpu *vcpu_of(const struct CPUArchState *env)
{
	struct vcpu *vcpu = vcpus;

	while (vcpu->env != env)
		vcpu++;
	return vcpu;
}

struct vcpu *vcpu_attach(unsigned index)
{
	current = &vcpus[index];
	current->index = index;
	current->cpu = private_current_cpu();
	current->env = qemu_env(current->cpu);
	return current;
}
