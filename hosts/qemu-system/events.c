/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of JSON lines; see events.h. Most texts are constants without characters that JSON
 * escapes. Other texts go through put_string().
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "config.h"
#include "events.h"

struct line {
	char text[2048];
	size_t used;
};

static __attribute__((format(printf, 2, 0))) void put_list(struct line *line, const char *format,
                                                           va_list args)
{
	size_t room = sizeof(line->text) - line->used;
	int n = vsnprintf(line->text + line->used, room, format, args);

	if (n > 0 && (size_t)n < room)
		line->used += (size_t)n;
}

static __attribute__((format(printf, 2, 3))) void put(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_list(line, format, args);
	va_end(args);
}

static void put_string(struct line *line, const char *key, const char *value)
{
	put(line, ",\"%s\":\"", key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			put(line, "\\%c", *value);
		else if ((unsigned char)*value >= 0x20)
			put(line, "%c", *value);
	}
	put(line, "\"");
}

/*
 * Write the line with one write(), which is atomic up to PIPE_BUF. QEMU may interrupt the call with
 * a signal while the pipe is full, so retry then. After any other error drop this line and all
 * later ones, because the reader is gone.
 */
static void send(struct line *line)
{
	ssize_t n;

	put(line, "}\n");
	do
		n = config.events_fd < 0 ? 0 : write(config.events_fd, line->text, line->used);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		config.events_fd = -1;
}

static void begin(struct line *line, const char *type)
{
	line->used = 0;
	put(line, "{\"type\":\"%s\"", type);
}

static void begin_vcpu(struct line *line, const char *type, const struct vcpu *vcpu)
{
	begin(line, type);
	put(line, ",\"vcpu\":%u,\"time\":%" PRIu64, vcpu->index, private_time());
}

/* The JSON member with the address of an instruction. */
#define PC ",\"pc\":\"0x%" PRIx64 "\""

static const char *truth(bool value)
{
	return value ? "true" : "false";
}

static const char *security(const struct vcpu *vcpu)
{
	static const char *const names[] = {"Secure", "Non-secure", "Root", "Realm"};

	return names[private_security(vcpu->env) & 3];
}

/* Write a line of the trace about the vCPU if the trace is enabled. `format` makes the members
 * after the time. */
static __attribute__((format(printf, 3, 4))) void trace(const struct vcpu *vcpu, const char *type,
                                                        const char *format, ...)
{
	struct line line;
	va_list args;

	if (!config.trace)
		return;
	begin_vcpu(&line, type, vcpu);
	va_start(args, format);
	put_list(&line, format, args);
	va_end(args);
	send(&line);
}

_Noreturn void events_refuse(const char *cause, const char *remedy)
{
	struct line line;
	char text[512];

	snprintf(text, sizeof(text), "%s; %s", cause, remedy);
	if (config.events_fd < 0) {
		fprintf(stderr, "spemu-qemu-system: %s\n", text);
	} else {
		begin(&line, "error");
		put_string(&line, "text", text);
		send(&line);
	}
	_exit(1);
}

void events_warning(const struct vcpu *vcpu, const char *cause, const char *remedy)
{
	struct line line;
	char text[512];

	snprintf(text, sizeof(text), "%s; %s", cause, remedy);
	begin_vcpu(&line, "warning", vcpu);
	put(&line, PC, vcpu->pc);
	put_string(&line, "text", text);
	send(&line);
}

void events_ready(unsigned count)
{
	struct line line;

	begin(&line, "ready");
	put(&line, ",\"vcpus\":%u,\"spe\":\"v1p%u\"", count, config.spe_minor);
	send(&line);
}

void events_register_access(const struct vcpu *vcpu, const char *reg, bool write, uint64_t value,
                            const struct spemu_access_result *result)
{
	static const char *const outcomes[] = {"ok",       "undefined", "trap-el2",
	                                       "trap-el3", "nvmem",     "trap-el1"};
	struct line line;

	if (!config.trace)
		return;
	begin_vcpu(&line, "access", vcpu);
	put(&line, PC, vcpu->pc);
	put(&line, ",\"el\":%u,\"security\":\"%s\",\"write\":%s,\"register\":\"%s\"",
	    vcpu->state.el, security(vcpu), truth(write), reg);
	if (result->outcome == SPEMU_ACCESS_OK)
		put(&line, ",\"value\":\"0x%" PRIx64 "\"", value);
	put(&line, ",\"outcome\":\"%s\"", outcomes[result->outcome]);
	if (result->outcome != SPEMU_ACCESS_OK && result->rule)
		put_string(&line, "rule", result->rule);
	send(&line);
}

/* Return the meaning of PMBSR_ELx.{EC, BSC} (D24.7.5). */
static const char *meaning(uint64_t pmbsr)
{
	switch (pmbsr >> 26 & 0x3f) {
	case 0x00:
		return (pmbsr & 0x3f) == 1   ? "buffer full"
		       : (pmbsr & 0x3f) == 4 ? "buffer size"
		                             : "access not allowed";
	case 0x1e:
		return "granule protection check fault";
	case 0x1f:
		return "implementation defined";
	case 0x24:
		return "stage 1 fault";
	case 0x25:
		return "stage 2 fault";
	default:
		return "reserved";
	}
}

void events_management(const struct vcpu *vcpu, const char *reg, uint64_t value)
{
	trace(vcpu, "event",
	      PC ",\"register\":\"%s\",\"value\":\"0x%" PRIx64 "\",\"meaning\":\"%s\"", vcpu->pc,
	      reg, value, meaning(value));
}

void events_interrupt(const struct vcpu *vcpu, bool level)
{
	trace(vcpu, "interrupt", ",\"level\":%s", truth(level));
}

void events_injection(const struct vcpu *vcpu, unsigned index)
{
	trace(vcpu, "injection", PC ",\"inject\":%u", vcpu->pc, index + 1);
}

void events_control(const struct vcpu *vcpu, uint64_t pc, const char *reg, uint64_t value)
{
	trace(vcpu, "control",
	      PC ",\"el\":%u,\"security\":\"%s\",\"register\":\"%s\",\"value\":\"0x%" PRIx64 "\"",
	      pc, private_el(vcpu->env), security(vcpu), reg, value);
}

void events_change_of_el(const struct vcpu *vcpu, const struct change_of_el *change)
{
	struct line line;

	begin_vcpu(&line, change->entry ? "exception" : "return", vcpu);
	put(&line, PC ",\"from\":%u,\"el\":%u,\"security\":\"%s\",\"target\":\"0x%" PRIx64 "\"",
	    change->pc, change->from, change->to, security(vcpu), change->target);
	if (change->kind)
		put(&line, ",\"kind\":\"%s\"", change->kind);
	if (change->has_syndrome)
		put(&line, ",\"syndrome\":\"0x%" PRIx64 "\"", change->syndrome);
	send(&line);
}

void events_sampling(const struct vcpu *vcpu, bool on)
{
	trace(vcpu, "sampling", ",\"on\":%s", truth(on));
}

void events_collision(const struct vcpu *vcpu)
{
	trace(vcpu, "collision", PC, vcpu->pc);
}

void events_diagnostic(void *vcpu, const struct spemu_diagnostic *d)
{
	struct line line;

	begin_vcpu(&line, "diagnostic", vcpu);
	if (d->has_pc)
		put(&line, PC, d->pc);
	put_string(&line, "name", d->name);
	put_string(&line, "rule", d->rule);
	put_string(&line, "cause", d->cause);
	put_string(&line, "cure", d->cure);
	put(&line, ",\"values\":{");
	for (unsigned i = 0; i < d->values; i++)
		put(&line, "%s\"%s\":\"0x%" PRIx64 "\"", i ? "," : "", d->value[i].name,
		    d->value[i].value);
	put(&line, "}");
	send(&line);
}

void events_reset(const struct vcpu *vcpu)
{
	trace(vcpu, "reset", "%s", "");
}

void events_summary(const struct vcpu *vcpu)
{
	struct line line;

	begin_vcpu(&line, "summary", vcpu);
	put(&line,
	    ",\"samples\":%" PRIu64 ",\"recorded\":%" PRIu64 ",\"filtered\":%" PRIu64
	    ",\"collisions\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"discarded\":%" PRIu64
	    ",\"events\":%" PRIu64 ",\"interrupts\":%" PRIu64 ",\"captures\":%" PRIu64
	    ",\"population\":%" PRIu64,
	    vcpu->saved.total.samples, vcpu->saved.total.recorded, vcpu->saved.total.filtered,
	    vcpu->saved.total.collided, vcpu->saved.total.lost, vcpu->saved.total.discarded,
	    vcpu->saved.total.events, vcpu->saved.total.interrupts, vcpu->saved.total.captures,
	    vcpu->saved.total.population);
	if (config.injections)
		put(&line, ",\"injected\":%" PRIu64, vcpu->saved.total.injected);
	if (config.previous_target)
		put(&line, ",\"previous_missing\":%" PRIu64, vcpu->saved.total.previous_missing);
	send(&line);
}
