/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The saved state of the SPUs; see machine_state.h.
 *
 * The section consists of its length, a struct header, and for each vCPU a struct saved with the
 * library's images after it. The library defines the layout of the images.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spemu/pmu.h>
#include <spemu/strict.h>
#include <spemu/version.h>

#include "buffer_memory.h"
#include "config.h"
#include "events.h"
#include "id_registers.h"
#include "machine_state.h"
#include "pmu_events.h"
#include "profiling_exception.h"
#include "regime.h"
#include "serror.h"
#include "timing_pages.h"
#include "vcpu_count.h"

#define MAGIC UINT64_C(0x3156554d45505300) /* "\0SPEMUV1" */
#define SECTION_MAX (64u << 20)
#define SECTION_VERSION 1

struct header {
	uint64_t magic, checksum; /* checksum of everything after it */
	uint64_t options;         /* config.fingerprint */
	char version[32];         /* version of the library, whose build determines the structs */
	uint32_t vcpus, saved_size;
};

enum { IMAGE_PE, IMAGE_SPU, IMAGE_PMU_PE, IMAGE_PMU, IMAGES };

struct saved {
	uint32_t size[IMAGES]; /* 0 if there is no image */
	uint8_t present, serror;
	uint8_t pm, illegal; /* see profiling_exception.h */
	struct vcpu_kept kept;
};

struct bytes {
	unsigned char *data;
	size_t size;
};

static void (*attach)(unsigned index);

/* The loaded section, until each vCPU has taken its part. */
static struct {
	struct bytes bytes;
	bool here; /* a section was loaded since the machine stopped */
	bool taken[MAX_VCPUS];
} loaded;
static bool restoring;

static _Noreturn void out_of_memory(void)
{
	events_refuse("out of memory", "close other programs");
}

/* Return the FNV-1a hash of the data. */
static uint64_t checksum(const unsigned char *data, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static unsigned char *extend(struct bytes *bytes, size_t more)
{
	unsigned char *data = realloc(bytes->data, bytes->size + more);

	if (!data)
		out_of_memory();
	bytes->data = data;
	memset(data + bytes->size, 0, more);
	bytes->size += more;
	return data + bytes->size - more;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static void size_images(struct saved *saved, const struct vcpu *vcpu)
{
	bool pmu = vcpu->snapshot.pmu;

	saved->size[IMAGE_PE] = (uint32_t)spemu_pe_save_size();
	saved->size[IMAGE_SPU] = (uint32_t)spemu_spu_save_size(config.strict);
	saved->size[IMAGE_PMU_PE] = pmu ? (uint32_t)spemu_pe_save_size() : 0;
	saved->size[IMAGE_PMU] = pmu ? (uint32_t)spemu_pmu_save_size() : 0;
}

static bool save_image(const struct vcpu *vcpu, unsigned image, void *to, size_t size)
{
	switch (image) {
	case IMAGE_PE:
		return !spemu_pe_save(vcpu->pe, to, size);
	case IMAGE_SPU:
		return !spemu_spu_save(vcpu->spu, to, size);
	case IMAGE_PMU_PE:
		return !spemu_pe_save(vcpu->snapshot.pe, to, size);
	default:
		return !spemu_pmu_save(vcpu->snapshot.pmu, to, size);
	}
}

static void save_vcpu(struct bytes *bytes, struct vcpu *vcpu)
{
	struct saved saved;

	memset(&saved, 0, sizeof(saved));
	saved.present = vcpu->spu != NULL;
	if (saved.present) {
		count_quiesce(vcpu); /* in case quiesce() did not recognize the run state */
		size_images(&saved, vcpu);
		saved.serror = config.serror && serror_pending(vcpu);
		saved.pm = vcpu->exception.pm;
		saved.illegal = vcpu->exception.illegal;
		saved.kept = vcpu->saved;
	}
	memcpy(extend(bytes, sizeof(saved)), &saved, sizeof(saved));
	for (unsigned i = 0; i < IMAGES; i++)
		if (saved.size[i] &&
		    !save_image(vcpu, i, extend(bytes, saved.size[i]), saved.size[i]))
			events_refuse("the state of an SPU cannot be saved", "report this");
}

static void fill_header(struct header *header)
{
	memset(header, 0, sizeof(*header));
	header->magic = MAGIC;
	header->options = config.fingerprint;
	snprintf(header->version, sizeof(header->version), "%s", SPEMU_VERSION);
	header->vcpus = MAX_VCPUS;
	header->saved_size = sizeof(struct saved);
}

static void save(struct QEMUFile *file, void *opaque)
{
	struct bytes bytes = {0};
	struct header header;
	const size_t covered = offsetof(struct header, options);

	(void)opaque;
	fill_header(&header);
	memcpy(extend(&bytes, sizeof(header)), &header, sizeof(header));
	for (unsigned i = 0; i < MAX_VCPUS; i++)
		save_vcpu(&bytes, &vcpus[i]);
	header.checksum = checksum(bytes.data + covered, bytes.size - covered);
	memcpy(bytes.data, &header, sizeof(header));
	private_file_put(file, bytes.data, bytes.size);
	free(bytes.data);
}

/* ---- loading --------------------------------------------------------------------------------- */

#define SAVED_HERE "save it again, with this spemu vm"

static void check_header(const struct bytes *bytes)
{
	const size_t covered = offsetof(struct header, options);
	struct header header, own;

	fill_header(&own);
	if (bytes->size < sizeof(header))
		events_refuse("the saved state of the SPUs is truncated", SAVED_HERE);
	memcpy(&header, bytes->data, sizeof(header));
	if (header.magic != own.magic ||
	    header.checksum != checksum(bytes->data + covered, bytes->size - covered))
		events_refuse("the saved state of the SPUs is damaged", SAVED_HERE);
	header.version[sizeof(header.version) - 1] = '\0';
	if (strcmp(header.version, own.version) != 0 || header.vcpus != own.vcpus ||
	    header.saved_size != own.saved_size)
		events_refuse("the saved state of the SPUs is of another version of spemu",
		              SAVED_HERE);
	if (header.options != own.options)
		events_refuse("the machine was saved with other options of spemu vm",
		              "use the same options");
}

static int load(struct QEMUFile *file, void *opaque, int version)
{
	(void)opaque;
	(void)version;
	free(loaded.bytes.data);
	memset(&loaded, 0, sizeof(loaded));
	loaded.bytes.data = private_file_get(file, &loaded.bytes.size, SECTION_MAX);
	if (!loaded.bytes.data)
		events_refuse("the saved state of the SPUs is truncated", SAVED_HERE);
	check_header(&loaded.bytes);
	loaded.here = true;
	return 0;
}

/* Return the images of the vCPU with this index, or NULL if the section does not contain all of
 * them. */
static const unsigned char *part_of(struct saved *saved, unsigned index)
{
	size_t at = sizeof(struct header);

	for (unsigned i = 0;; i++) {
		size_t end = at + sizeof(*saved);

		if (end > loaded.bytes.size)
			return NULL;
		memcpy(saved, loaded.bytes.data + at, sizeof(*saved));
		at = end;
		for (unsigned image = 0; image < IMAGES; image++)
			end += saved->size[image];
		if (end > loaded.bytes.size)
			return NULL;
		if (i == index)
			return loaded.bytes.data + at;
		at = end;
	}
}

static int load_image(struct vcpu *vcpu, unsigned image, const void *from, size_t size)
{
	switch (image) {
	case IMAGE_PE:
		return spemu_pe_load(vcpu->pe, from, size);
	case IMAGE_SPU:
		return spemu_spu_load(vcpu->spu, from, size);
	case IMAGE_PMU_PE:
		return vcpu->snapshot.pmu ? spemu_pe_load(vcpu->snapshot.pe, from, size) : 1;
	default:
		return vcpu->snapshot.pmu ? spemu_pmu_load(vcpu->snapshot.pmu, from, size) : 1;
	}
}

/* Restore the plugin's own state. Derive the rest from the registers of the model and QEMU. */
static void restore(struct vcpu *vcpu, const struct saved *saved)
{
	count_forget(vcpu);
	vcpu->saved = saved->kept;
	memory_reset(vcpu);
	timing_pages_reset(vcpu);
	vcpu->exception.pm = saved->pm;
	vcpu->exception.illegal = saved->illegal;
	regime_reset(vcpu);
	pmu_events_refresh(vcpu);
	if (saved->serror && config.serror)
		serror_pend(vcpu);
	if (config.profiling_exceptions)
		profiling_exception_pend(vcpu, spemu_spu_profiling_exception_target(vcpu->spu));
	vcpu->until = spemu_spu_ops_until_sample(vcpu->spu);
	count_changed(vcpu);
	private_ppi_set(vcpu->irq, spemu_spu_pmbirq(vcpu->spu));
}

void machine_state_resume(struct vcpu *vcpu)
{
	struct saved saved;
	const unsigned char *from;

	if (!loaded.here && config.restored && !restoring)
		events_refuse("what was saved has no state of SPUs", "save it under spemu vm");
	if (!loaded.bytes.data || loaded.taken[vcpu->index])
		return;
	loaded.taken[vcpu->index] = true;
	from = part_of(&saved, vcpu->index);
	if (!from)
		events_refuse("the saved state of the SPUs is damaged", SAVED_HERE);
	if (!saved.present)
		return;
	for (unsigned i = 0; i < IMAGES; from += saved.size[i++])
		if (saved.size[i] && load_image(vcpu, i, from, saved.size[i]))
			events_refuse("the saved state of an SPU is of another machine",
			              "use the same options of spemu vm and QEMU");
	restore(vcpu, &saved);
}

/* Resume a vCPU that has its SPU. Give any other its SPU, which resumes it too. */
static void resume_on_its_thread(struct CPUState *cpu, void *index)
{
	struct vcpu *vcpu = &vcpus[(uintptr_t)index];

	(void)cpu;
	if (vcpu->spu)
		machine_state_resume(vcpu);
	else
		attach((unsigned)(uintptr_t)index);
}

/*
 * Schedule the resumption of a vCPU on its thread. A vCPU that has not run in this process may be
 * awake already, for a task of QEMU during the load. Then it does not wake up again before its
 * first instruction.
 */
static void resume(unsigned index)
{
	struct CPUState *cpu = vcpus[index].spu ? vcpus[index].cpu : qemu_get_cpu((int)index);

	if (cpu && !loaded.taken[index])
		async_run_on_cpu(cpu, resume_on_its_thread, (void *)(uintptr_t)index);
}

/* End the operation in flight before QEMU saves the guest's memory, so that the memory has its
 * record. */
static void quiesce(int state)
{
	for (unsigned i = 0; i < MAX_VCPUS && private_may_save(state); i++)
		if (vcpus[i].spu)
			count_quiesce(&vcpus[i]);
}

static void machine_runs(void *opaque, bool running, int state)
{
	(void)opaque;
	id_registers_run(running);
	if (!running) {
		quiesce(state);
		restoring = private_restores(state);
		loaded.here &= !restoring;
		return;
	}
	if (restoring && !loaded.here)
		events_refuse("what was saved has no state of SPUs", "save it under spemu vm");
	for (unsigned i = 0; i < MAX_VCPUS && loaded.bytes.data; i++)
		resume(i);
}

void machine_state_start(void (*attach_vcpu)(unsigned index))
{
	attach = attach_vcpu;
	private_save_register("spemu", SECTION_VERSION, save, load);
	qemu_add_vm_change_state_handler(machine_runs, NULL);
}
