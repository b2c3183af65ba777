/* SPDX-License-Identifier: MIT */
/* Checks and exceptions. */
#include "runtime.h"

struct cpu cpus[CPUS];

/* ---- printing -------------------------------------------------------------------------------- */

void put(char c)
{
	*(volatile u32 *)UART = (u8)c;
}

void check(bool ok, const char *format, ...)
{
	va_list list;

	print(ok ? "ok - " : "not ok - ");
	va_start(list, format);
	print_list(format, list);
	va_end(list);
	put('\n');
}

void note(const char *format, ...)
{
	va_list list;

	print("# ");
	va_start(list, format);
	print_list(format, list);
	va_end(list);
	put('\n');
}

void skip(const char *name, const char *why)
{
	print("ok - %s # SKIP %s\n", name, why);
}

bool told(const char *word)
{
	char line[128] = "";
	u64 block[2] = {(u64)line, sizeof(line)};

	if (semihosting(0x15, block) != 0) /* SYS_GET_CMDLINE */
		return false;
	for (const char *p = line; *p; p++) {
		const char *q = word, *r = p;

		while (*q && *q == *r)
			q++, r++;
		if (!*q)
			return true;
	}
	return false;
}

void dump(const char *name, u64 from, u64 bytes)
{
	u64 length = 0;

	while (name[length])
		length++;
	u64 open[3] = {(u64)name, 5, length}; /* SYS_OPEN, "wb" */
	u64 handle = semihosting(0x01, open);
	u64 write[3] = {handle, from, bytes};

	if ((int64_t)handle < 0 || semihosting(0x05, write) != 0)
		die("semihosting cannot write %s", name);
	semihosting(0x02, &handle); /* SYS_CLOSE */
}

/* SYS_EXIT_EXTENDED, ADP_Stopped_ApplicationExit */
static void __attribute__((noreturn)) stop(u64 status)
{
	u64 block[2] = {0x20026, status};

	for (;;)
		semihosting(0x20, block);
}

void finish(void)
{
	print("done\n");
	stop(0);
}

void die(const char *format, ...)
{
	va_list list;

	print("\nBail out! ");
	va_start(list, format);
	print_list(format, list);
	va_end(list);
	put('\n');
	stop(1);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

struct cpu *this_cpu(void)
{
	return &cpus[READ(mpidr_el1) & (CPUS - 1)];
}

enum { EC_ILLEGAL_STATE = 0x0e, EC_PROFILING = 0x3d };
enum { EC_SVC32 = 0x11, EC_SMC32 = 0x13, EC_SVC64 = 0x15, EC_SMC64 = 0x17 };

unsigned exception(u64 vector, u64 el, u64 esr, u64 far, struct frame *frame);

/* Handle an exception. The vectors of every level call this function. Return an ACTION_. */
unsigned exception(u64 vector, u64 el, u64 esr, u64 far, struct frame *frame)
{
	struct cpu *cpu = this_cpu();
	u64 ec = (esr >> 26) & 63;
	bool leaving =
	        (esr & 0xffff) == LEAVE || ec == EC_SMC32; /* SMC from AArch32: no immediate */
	unsigned kind = vector & 3;
	bool profiling = kind == 0 && ec == EC_PROFILING && cpu->profiling;

	if (kind == 1 && cpu->irq) {
		cpu->irq(cpu, (unsigned)el);
		return ACTION_RESUME;
	}
	if (kind == 0 && vector >= 8 && leaving &&
	    (el == 3 ? ec == EC_SMC64 || ec == EC_SMC32 : ec == EC_SVC64 || ec == EC_SVC32))
		return ACTION_LEAVE;
	if (kind == 3 ? !cpu->serrors : kind != 0 || !(cpu->expecting || profiling))
		die("PE %u: unexpected exception at EL%u: vector %u ESR %x FAR %x ELR %x SPSR %x",
		    (u64)cpu->index, el, vector, esr, far, frame->elr, frame->spsr);
	if (cpu->taken_count < COUNT(cpu->taken))
		cpu->taken[cpu->taken_count] =
		        (struct taken){.el = (u8)el,
		                       .vector = (u8)vector,
		                       .pm = machine.has_exceptions && READ(S3_0_C4_C3_1),
		                       .esr = esr,
		                       .far = far,
		                       .elr = frame->elr,
		                       .spsr = frame->spsr};
	cpu->taken_count++;
	if (profiling) {
		cpu->profiling(cpu, (unsigned)el);
		return ACTION_RESUME;
	}
	if (ec == EC_ILLEGAL_STATE && kind == 0) { /* PSTATE.IL */
		frame->spsr &= ~BIT(20);
		return ACTION_RESUME;
	}
	/* The return address of an SVC, HVC or SMC is already after the instruction. Other kinds
	 * skip the instruction. */
	frame->elr += kind == 3 ? 0 : 4;
	return ACTION_RESUME;
}
