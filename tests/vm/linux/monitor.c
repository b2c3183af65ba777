/* SPDX-License-Identifier: MIT */
/*
 * A virtual machine monitor for KVM on arm64, with one vCPU, memory, a GICv3 and a console.
 *
 *   monitor IMAGE [INITRD TREE]
 *
 * IMAGE is a Linux "Image" or a flat program. It is loaded at MONITOR_IMAGE and entered there at
 * EL1 with the address of TREE, a device tree blob, in x0. A byte that the guest stores at
 * MONITOR_CONSOLE is printed. The exit status is 0 if the guest powers off (PSCI SYSTEM_OFF).
 * Anything else causes a message of one line and status 1.
 *
 * KVM's interface is described in Linux's Documentation/virt/kvm/api.rst.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "monitor.h"

#define CORE_REGISTER(MEMBER)                                  \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 offsetof(struct kvm_regs, MEMBER) / sizeof(uint32_t))
#define PSTATE_EL1H_MASKED 0x3c5 /* EL1 with its own stack pointer, D, A, I and F set */

static char *memory;

/* Call ioctl() and exit if it fails. */
static int command(int fd, unsigned long request, const void *argument, const char *name)
{
	int status = ioctl(fd, request, argument);

	if (status < 0)
		err(1, "%s", name);
	return status;
}

static void load(const char *path, uint64_t address, uint64_t room)
{
	int fd = open(path, O_RDONLY);
	uint64_t used = 0;
	ssize_t n;

	if (fd < 0)
		err(1, "%s", path);
	while ((n = read(fd, memory + (address - MONITOR_MEMORY) + used, room - used)) > 0)
		used += (uint64_t)n;
	if (n < 0 || used == room)
		errx(1, "%s: %s", path, n < 0 ? strerror(errno) : "too large");
	close(fd);
}

static void make_memory(int machine)
{
	struct kvm_userspace_memory_region region = {.guest_phys_addr = MONITOR_MEMORY,
	                                             .memory_size = MONITOR_MEMORY_SIZE};

	memory = mmap(NULL, MONITOR_MEMORY_SIZE, PROT_READ | PROT_WRITE,
	              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "memory");
	region.userspace_addr = (uintptr_t)memory;
	command(machine, KVM_SET_USER_MEMORY_REGION, &region, "KVM_SET_USER_MEMORY_REGION");
}

static void set_gic(int gic, uint32_t group, uint64_t attribute, const uint64_t *value)
{
	struct kvm_device_attr set = {.group = group, .attr = attribute, .addr = (uintptr_t)value};

	command(gic, KVM_SET_DEVICE_ATTR, &set, "the GIC");
}

/* Make the GIC. The vCPU must exist. */
static void make_gic(int machine)
{
	static const uint64_t distributor = MONITOR_GICD, redistributor = MONITOR_GICR;
	struct kvm_create_device device = {.type = KVM_DEV_TYPE_ARM_VGIC_V3};

	command(machine, KVM_CREATE_DEVICE, &device, "KVM_CREATE_DEVICE");
	set_gic((int)device.fd, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_DIST,
	        &distributor);
	set_gic((int)device.fd, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_REDIST,
	        &redistributor);
	set_gic((int)device.fd, KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, NULL);
}

static void set_register(int vcpu, uint64_t id, uint64_t value)
{
	struct kvm_one_reg set = {.id = id, .addr = (uintptr_t)&value};

	command(vcpu, KVM_SET_ONE_REG, &set, "KVM_SET_ONE_REG");
}

static int make_vcpu(int machine)
{
	struct kvm_vcpu_init init;
	int vcpu = command(machine, KVM_CREATE_VCPU, NULL, "KVM_CREATE_VCPU");

	command(machine, KVM_ARM_PREFERRED_TARGET, &init, "KVM_ARM_PREFERRED_TARGET");
	init.features[0] |= 1 << KVM_ARM_VCPU_PSCI_0_2;
	command(vcpu, KVM_ARM_VCPU_INIT, &init, "KVM_ARM_VCPU_INIT");
	set_register(vcpu, CORE_REGISTER(regs.pc), MONITOR_IMAGE);
	set_register(vcpu, CORE_REGISTER(regs.regs[0]), MONITOR_TREE);
	set_register(vcpu, CORE_REGISTER(regs.pstate), PSTATE_EL1H_MASKED);
	return vcpu;
}

/* Missing registers of the console read as 0. For a PL011, this means that it is ready. */
static void access_device(struct kvm_run *run)
{
	if (!run->mmio.is_write)
		memset(run->mmio.data, 0, sizeof(run->mmio.data));
	else if (run->mmio.phys_addr == MONITOR_CONSOLE)
		(void)!write(STDOUT_FILENO, run->mmio.data, 1);
}

static void run_until_off(int vcpu, struct kvm_run *run)
{
	for (;;) {
		if (ioctl(vcpu, KVM_RUN, 0) < 0) {
			if (errno == EINTR)
				continue;
			err(1, "KVM_RUN");
		}
		if (run->exit_reason == KVM_EXIT_MMIO)
			access_device(run);
		else if (run->exit_reason == KVM_EXIT_SYSTEM_EVENT &&
		         run->system_event.type == KVM_SYSTEM_EVENT_SHUTDOWN)
			return;
		else
			errx(1, "exit for the reason %u", run->exit_reason);
	}
}

int main(int argc, char **argv)
{
	int kvm, machine, vcpu, size;
	struct kvm_run *run;

	if (argc != 2 && argc != 4) {
		fprintf(stderr, "usage: monitor IMAGE [INITRD TREE]\n");
		return 2;
	}
	kvm = open("/dev/kvm", O_RDWR);
	if (kvm < 0)
		err(1, "/dev/kvm");
	machine = command(kvm, KVM_CREATE_VM, NULL, "KVM_CREATE_VM");
	make_memory(machine);
	load(argv[1], MONITOR_IMAGE, MONITOR_INITRD - MONITOR_IMAGE);
	if (argc == 4) {
		load(argv[2], MONITOR_INITRD, MONITOR_TREE - MONITOR_INITRD);
		load(argv[3], MONITOR_TREE, MONITOR_MEMORY + MONITOR_MEMORY_SIZE - MONITOR_TREE);
	}
	vcpu = make_vcpu(machine);
	make_gic(machine);
	size = command(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "KVM_GET_VCPU_MMAP_SIZE");
	run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (run == MAP_FAILED)
		err(1, "kvm_run");
	run_until_off(vcpu, run);
	return 0;
}
