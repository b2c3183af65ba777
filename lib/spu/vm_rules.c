/* SPDX-License-Identifier: MIT */
/*
 * Restrictions that a hypervisor puts on its guest's use of the Profiling Buffer. The architecture
 * reserves values of PMBIDR_EL1 and BSC 0b000100 for that. Ignored writes are the behavior of
 * hypervisors that pin the buffer when it is enabled.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7.1, D24.7.5
 */
#include <spemu/strict.h>
#include "spu/spu_object.h"

bool spemu__vm_ignores(enum spemu_reg reg, uint64_t value, uint64_t limit)
{
	if (!(limit & 1))
		return false;
	return reg == SPEMU_REG_PMBPTR_EL1 || reg == SPEMU_REG_PMBMAR_EL1 ||
	       reg == SPEMU_REG_PMBSR_EL1 || (reg == SPEMU_REG_PMBLIMITR_EL1 && (value & 1));
}

bool spemu__vm_buffer_too_large(const struct spemu_spu *s)
{
	uint64_t pointer = s->pe->reg[SPEMU_REG_PMBPTR_EL1], limit = buffer_limit(s->pe);

	return limit > pointer && limit - pointer > spemu__vm_max_buff_size(s->vm.max_buff_size);
}

uint64_t spemu__vm_max_buff_size(uint16_t max_buff_size)
{
	unsigned exponent = (unsigned)bits_get(max_buff_size, 13, 9);
	uint64_t mantissa = bits_get(max_buff_size, 8, 0);

	if (!max_buff_size)
		return UINT64_MAX;
	return exponent ? (BIT64(9) | mantissa) << (exponent + 11) : mantissa << 12;
}
