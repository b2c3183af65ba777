/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of ID registers; see id_registers.h. */
#include <pthread.h>

#include "events.h"
#include "id_registers.h"
#include "vcpu.h"

#define REGISTERS_MAX (MAX_VCPUS * 6) /* ID_AA64DFR<n>_EL1, ID_AA64PFR1_EL1, PMCEID0_EL0, PMCEID2 */

static struct {
	struct private_reg *reg;
	uint64_t own, shown;
} registers[REGISTERS_MAX];
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* vCPUs start in parallel */

void id_register_show(struct private_reg *reg, uint64_t value)
{
	unsigned i = 0;

	pthread_mutex_lock(&lock);
	while (i < count && registers[i].reg != reg)
		i++;
	if (i == REGISTERS_MAX)
		events_refuse("more ID registers than known", "report this");
	if (i == count) {
		registers[i].reg = reg;
		registers[i].own = reg->resetvalue;
		count++;
	}
	registers[i].shown = value;
	reg->resetvalue = value;
	pthread_mutex_unlock(&lock);
}

void id_registers_run(bool running)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < count; i++)
		registers[i].reg->resetvalue = running ? registers[i].shown : registers[i].own;
	pthread_mutex_unlock(&lock);
}
