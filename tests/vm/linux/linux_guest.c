/* SPDX-License-Identifier: MIT */
/*
 * The first program of a Linux guest of monitor.c. It loads the SPE driver, looks for the device,
 * loops LOOPS times, and powers off. It reports through the kernel log. It is linked at a unique
 * address, so that any samples of it could be identified.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOPS 20000000

static void say(const char *text)
{
	char line[128];
	int fd = open("/dev/kmsg", O_WRONLY);
	int n = snprintf(line, sizeof(line), "<3>guest: %s\n",
	                 text); /* level <3> is printed even by a quiet kernel */

	if (fd >= 0 && write(fd, line, (size_t)n) == n)
		close(fd);
}

static void load_driver(void)
{
	int fd = open("/arm_spe_pmu.ko", O_RDONLY);

	if (fd < 0)
		say("no module");
	else if (syscall(SYS_finit_module, fd, "", 0))
		say("the module is not taken");
	else
		say("the module is loaded");
}

static void loop(void)
{
	uint64_t left = LOOPS;

	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left)::"cc");
}

int main(void)
{
	mkdir("/dev", 0755);
	mkdir("/sys", 0755);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	load_driver();
	say(access("/sys/bus/event_source/devices/arm_spe_0", F_OK) ? "no arm_spe_0"
	                                                            : "arm_spe_0 is there");
	loop();
	say("end");
	sync();
	return reboot(RB_POWER_OFF);
}
