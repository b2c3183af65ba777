/* SPDX-License-Identifier: MIT */
/* What strict mode has to be told. */
#include "run_state.h"

void execute_strict(struct run *run, const struct command *c)
{
	struct spemu_spu *spu = run->machine.spu;

	switch (c->kind) {
	case COMMAND_STRICT:
		(void)spemu_spu_set_strict(spu, true,
		                           run->options->has_strict_seed ? run->options->strict_seed
		                                                         : c->strict);
		break;
	case COMMAND_VM_RULES:
		(void)spemu_spu_set_vm_rules(spu, &c->vm_rules);
		break;
	case COMMAND_PC:
		run->has_pc = true;
		run->pc = c->pc;
		break;
	case COMMAND_WAIT:
		spemu_spu_drain(spu);
		break;
	case COMMAND_READ:
		spemu_spu_report_memory(spu, SPEMU_SOFTWARE_READS, c->range.address, c->range.size);
		break;
	case COMMAND_WRITE:
		spemu_spu_report_memory(spu, SPEMU_SOFTWARE_WRITES, c->range.address, c->range.size);
		break;
	case COMMAND_CHANGED:
		spemu_spu_report_memory(spu, SPEMU_TRANSLATION_CHANGED, c->range.address, c->range.size);
		break;
	case COMMAND_MAINTAINED:
		spemu_spu_report_memory(spu, SPEMU_TRANSLATION_MAINTAINED, c->range.address, c->range.size);
		break;
	default:
		break;
	}
}

/* After "pc" each command that is an instruction is one of 4 bytes. */
void count_instruction(struct run *run, const struct command *c)
{
	if (!run->has_pc ||
	    (c->kind != COMMAND_MSR && c->kind != COMMAND_MRS && c->kind != COMMAND_BARRIER &&
	     c->kind != COMMAND_READ && c->kind != COMMAND_WRITE))
		return;
	spemu_spu_set_pc(run->machine.spu, run->pc);
	run->pc += 4;
}
