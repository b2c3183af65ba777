/* SPDX-License-Identifier: MIT */
/*
 * The external, memory-mapped interface of the PMU.
 *
 * Arm ARM:     DDI 0487 M.a, I3.1 (Tables I3-1, I3-2), I5.2, I5.3. PMSSCR_EL1 is read-only in the
 *              tables and writable on its page, which decides.
 * Implements:  IMWDRP, Tables I3-1 and I3-2
 * Pseudocode:  AllowExternalPMUAccess(), AllowExternalPMSSAccess()
 * Choices:     reserved-epmssad
 */
#include "pmu/pmu_object.h"

enum kind {
	COUNTER,    /* counters; the argument is the number of the first one */
	TYPE,       /* type or filter registers of counters: the whole register or its lower half */
	TYPE_UPPER, /* upper half of type or filter registers */
	SNAPSHOT,
	FLAGS_SET, /* CNTEN, INTEN and OVS, selected by the argument */
	FLAGS_CLEAR,
	FLAGS,
	ZR,
	SWINC,
	CGCR0,
	CFGR,
	CR,
	CEID,
	SSCR,
	MIR,
	PCSCTL,
	PCSR,
	CID1SR,
	CID2SR,
	VIDSR,
	CCIDSR,
	VCIDSR,
	DEVID,
};

enum { EXT32 = 1, EXT64 = 2, BOTH = 3 };
enum { RO = 0, RW = 1, WO = 2 };
/* Controls that make an external access an error (Tables I3-1, I3-2). All registers also need
 * power. */
enum { OSLK = 1, EPMAD = 2, EPMSSAD = 4 };

struct row {
	uint16_t offset;
	uint8_t count, size;    /* number of registers, and size of each in bytes */
	uint8_t kind, argument; /* argument: a flags register, or the number of the first counter */
	uint8_t format, access, controls;
	int16_t feature; /* enum spemu_feature, or ALWAYS */
};
enum { WORD = 4, DOUBLE = 8 };
enum { NONE = 0, CYCLES = SPEMU_PMU_CYCLE_COUNTER, INSTRUCTIONS = SPEMU_PMU_INSTRUCTION_COUNTER };
enum { ALWAYS = -1 };

#define PMU OSLK | EPMAD
static const struct row rows[] = {
        {0x000, 31, DOUBLE, COUNTER, 0, BOTH, RW, PMU, ALWAYS},
        {0x0f8, 1, DOUBLE, COUNTER, CYCLES, BOTH, RW, PMU, ALWAYS},
        {0x100, 1, DOUBLE, COUNTER, INSTRUCTIONS, BOTH, RW, PMU, SPEMU_FEAT_PMUV3_ICNTR},
        {0x200, 1, DOUBLE, PCSR, NONE, BOTH, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x208, 1, WORD, CID1SR, NONE, EXT32, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x20c, 1, WORD, VIDSR, NONE, EXT32, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x208, 1, DOUBLE, VCIDSR, NONE, EXT64, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x220, 1, DOUBLE, PCSR, NONE, BOTH, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x228, 1, WORD, CID1SR, NONE, EXT32, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x22c, 1, WORD, CID2SR, NONE, EXT32, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x228, 1, DOUBLE, CCIDSR, NONE, EXT64, RO, OSLK, SPEMU_FEAT_PCSRV8P2},
        {0x400, 31, WORD, TYPE, 0, EXT32, RW, PMU, ALWAYS},
        {0x47c, 1, WORD, TYPE, CYCLES, EXT32, RW, PMU, ALWAYS},
        {0x480, 1, WORD, TYPE, INSTRUCTIONS, EXT32, RW, PMU, SPEMU_FEAT_PMUV3_ICNTR},
        {0xa00, 31, WORD, TYPE_UPPER, 0, EXT32, RW, PMU, SPEMU_FEAT_PMUV3P8},
        {0xa7c, 1, WORD, TYPE_UPPER, CYCLES, EXT32, RW, PMU, SPEMU_FEAT_PMUV3P8},
        {0xa80, 1, WORD, TYPE_UPPER, INSTRUCTIONS, EXT32, RW, PMU, SPEMU_FEAT_PMUV3_ICNTR},
        {0x400, 31, DOUBLE, TYPE, 0, EXT64, RW, PMU, ALWAYS},
        {0x4f8, 1, DOUBLE, TYPE, CYCLES, EXT64, RW, PMU, ALWAYS},
        {0x500, 1, DOUBLE, TYPE, INSTRUCTIONS, EXT64, RW, PMU, SPEMU_FEAT_PMUV3_ICNTR},
        {0x600, 31, DOUBLE, SNAPSHOT, 0, BOTH, RO, EPMSSAD, SPEMU_FEAT_PMUV3_SS},
        {0x6f8, 1, DOUBLE, SNAPSHOT, CYCLES, BOTH, RO, EPMSSAD, SPEMU_FEAT_PMUV3_SS},
        {0x700, 1, DOUBLE, SNAPSHOT, INSTRUCTIONS, BOTH, RO, EPMSSAD, SPEMU_FEAT_PMUV3_SS},
        {0xc00, 1, DOUBLE, FLAGS_SET, SPEMU_REG_PMCNTENSET_EL0, BOTH, RW, PMU, ALWAYS},
        {0xc10, 1, DOUBLE, FLAGS, SPEMU_REG_PMCNTENSET_EL0, EXT64, RW, PMU, ALWAYS},
        {0xc20, 1, DOUBLE, FLAGS_CLEAR, SPEMU_REG_PMCNTENSET_EL0, BOTH, RW, PMU, ALWAYS},
        {0xc40, 1, DOUBLE, FLAGS_SET, SPEMU_REG_PMINTENSET_EL1, BOTH, RW, PMU, ALWAYS},
        {0xc50, 1, DOUBLE, FLAGS, SPEMU_REG_PMINTENSET_EL1, EXT64, RW, PMU, ALWAYS},
        {0xc60, 1, DOUBLE, FLAGS_CLEAR, SPEMU_REG_PMINTENSET_EL1, BOTH, RW, PMU, ALWAYS},
        {0xc80, 1, DOUBLE, FLAGS_CLEAR, SPEMU_REG_PMOVSSET_EL0, BOTH, RW, PMU, ALWAYS},
        {0xc90, 1, DOUBLE, FLAGS, SPEMU_REG_PMOVSSET_EL0, EXT64, RW, PMU, ALWAYS},
        {0xca0, 1, DOUBLE, ZR, NONE, BOTH, WO, PMU, SPEMU_FEAT_PMUV3P9},
        {0xca0, 1, WORD, SWINC, NONE, EXT32, WO, PMU, ALWAYS},
        {0xcc0, 1, DOUBLE, FLAGS_SET, SPEMU_REG_PMOVSSET_EL0, BOTH, RW, PMU, ALWAYS},
        {0xce0, 1, DOUBLE, CGCR0, NONE, BOTH, RO, PMU, SPEMU_FEAT_PMUV3_ICNTR},
        {0xe00, 1, WORD, CFGR, NONE, EXT32, RO, PMU, ALWAYS},
        {0xe00, 1, DOUBLE, CFGR, NONE, EXT64, RO, PMU, ALWAYS},
        {0xe04, 1, WORD, CR, NONE, EXT32, RW, PMU, ALWAYS},
        {0xe10, 1, DOUBLE, CR, NONE, EXT64, RW, PMU, ALWAYS},
        {0xe20, 4, WORD, CEID, NONE, EXT32, RO, PMU, ALWAYS},
        {0xe30, 1, DOUBLE, SSCR, NONE, BOTH, RW, EPMSSAD, SPEMU_FEAT_PMUV3_SS},
        {0xe40, 1, DOUBLE, MIR, NONE, BOTH, RO, PMU, SPEMU_FEAT_PMUV3P4},
        {0xe50, 1, DOUBLE, PCSCTL, NONE, BOTH, RW, OSLK, SPEMU_FEAT_PCSRV8P9},
        {0xfc8, 1, WORD, DEVID, NONE, BOTH, RO, 0, ALWAYS},
};

static const struct row *find(const struct spemu_pmu *p, unsigned offset, unsigned *n,
                              unsigned *byte)
{
	unsigned format = pmu_has(p, SPEMU_FEAT_PMUV3_EXT64) ? EXT64 : EXT32;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];

		if (!(r->format & format) || offset < r->offset ||
		    offset >= r->offset + (unsigned)r->count * r->size ||
		    (r->feature != ALWAYS && !pmu_has(p, (enum spemu_feature)r->feature)))
			continue;
		*n = (offset - r->offset) / r->size;
		*byte = (offset - r->offset) % r->size;
		return r;
	}
	return NULL;
}

/* Return true if the controls permit the access. Every PE is assumed to have Debug architecture
 * v8.4, which FEAT_PMUv3_SS and FEAT_RME require. */
static bool pmu_access_allowed(const struct spemu_pe *pe, unsigned pas)
{
	bool epmad = REG_FIELD(pe, MDCR_EL3, EPMAD), epmade = REG_FIELD(pe, MDCR_EL3, EPMADE);

	if (!pe_has(pe, SPEMU_EL3))
		return pas == SPEMU_SS_SECURE || !pe_has(pe, SPEMU_SECUREONLY);
	if (!pe_has(pe, SPEMU_FEAT_RME))
		return pas == SPEMU_SS_SECURE || !epmad;
	if (pas == SPEMU_SS_ROOT || (!epmad && !epmade))
		return true;
	return pas == (epmade ? SPEMU_SS_REALM : SPEMU_SS_SECURE) && !(epmad && epmade);
}

static bool snapshot_access_allowed(const struct spemu_pe *pe, unsigned pas)
{
	unsigned epmssad = (unsigned)REG_FIELD(pe, MDCR_EL3, EPMSSAD);

	if (!pe_has(pe, SPEMU_EL3) || epmssad == SPEMU_MDCR_EL3_EPMSSAD_ALL)
		return true;
	if (!pe_has(pe, SPEMU_FEAT_RME)) {
		if (epmssad &&
		    pe_choice(pe, SPEMU_CHOICE_RESERVED_EPMSSAD) == SPEMU_RESERVED_EPMSSAD_EVERY)
			return true;
		return pas == SPEMU_SS_SECURE;
	}
	if (pas == SPEMU_SS_ROOT)
		return true;
	return (epmssad == SPEMU_MDCR_EL3_EPMSSAD_ROOT_REALM && pas == SPEMU_SS_REALM) ||
	       (epmssad == SPEMU_MDCR_EL3_EPMSSAD_ROOT_SECURE && pas == SPEMU_SS_SECURE);
}

static bool is_error(const struct spemu_pmu *p, const struct row *r, unsigned pas)
{
	return !p->powered || ((r->controls & OSLK) && REG_FIELD(p->pe, OSLSR_EL1, OSLK)) ||
	       ((r->controls & EPMAD) && !pmu_access_allowed(p->pe, pas)) ||
	       ((r->controls & EPMSSAD) && !snapshot_access_allowed(p->pe, pas));
}

static uint64_t pmcfgr(const struct spemu_pmu *p)
{
	uint64_t icntr = pmu_has(p, SPEMU_FEAT_PMUV3_ICNTR);

	return icntr << 28 | (uint64_t)pmu_has(p, SPEMU_FEAT_PMUV3_SS) << 22 |
	       (uint64_t)pmu_has(p, SPEMU_FEAT_PMUV3P7) << 21 |
	       (uint64_t)pmu_has(p, SPEMU_FEAT_AA32) << 15 | 1u << 14 | 0x3f << 8 |
	       (spemu__pe_pmu_counters(p->pe) + icntr);
}

static uint64_t devid(const struct spemu_pmu *p)
{
	unsigned pcsr = pmu_has(p, SPEMU_FEAT_PCSRV8P9) ? 2 : pmu_has(p, SPEMU_FEAT_PCSRV8P2);

	return (uint64_t)pmu_has(p, SPEMU_FEAT_PMUV3_SS) << 4 | pcsr;
}

/* Return PMCEID0..3, which are the halves of PMCEID0_EL0 and PMCEID1_EL0. */
static uint64_t pmceid(const struct spemu_pmu *p, unsigned n)
{
	return spemu__pmu_identify(p,
	                           n & 1 ? SPEMU_SYSREG_PMCEID1_EL0 : SPEMU_SYSREG_PMCEID0_EL0) >>
	       (n & 2 ? 32 : 0);
}

/* Return the whole register. samples is true if the read includes bits 31:0 of PMPCSR. */
static uint64_t value_of(struct spemu_pmu *p, const struct row *r, unsigned n, bool samples)
{
	unsigned counter = r->argument + n;

	switch ((enum kind)r->kind) {
	case COUNTER:
		return pmu_has_counter(p, counter) ? spemu__pmu_counter_read(p, counter) : 0;
	case TYPE:
		return pmu_has_counter(p, counter) ? pmu_type(p, counter) : 0;
	case TYPE_UPPER:
		return pmu_has_counter(p, counter) ? pmu_type(p, counter) >> 32 : 0;
	case SNAPSHOT:
		return pmu_has_counter(p, counter) ? p->saved[counter] : 0;
	case FLAGS_SET:
	case FLAGS_CLEAR:
	case FLAGS:
		return p->pe->reg[r->argument] & pmu_mask(p);
	case ZR:
	case SWINC:
		return 0;
	case CGCR0:
		return 1u << 8 | (spemu__pe_pmu_counters(p->pe) + 1);
	case CFGR:
		return pmcfgr(p);
	case CR:
		return p->pe->reg[SPEMU_REG_PMCR_EL0] |
		       (pmu_has(p, SPEMU_FEAT_AA32) ? 0 : BIT64(SPEMU_PMCR_EL0_LC_LSB));
	case CEID:
		return pmceid(p, n);
	case SSCR:
		return spemu__pmu_pmsscr(p, false);
	case MIR:
		return spemu__pmu_identify(p, SPEMU_SYSREG_PMMIR_EL1);
	case PCSCTL:
		return spemu__pcsample_control(p);
	case PCSR:
		return spemu__pcsample_read(p, samples);
	case CID1SR:
		return p->sample.contextidr_el1;
	case CID2SR:
		return p->sample.contextidr_el2;
	case VIDSR:
		return p->sample.vmid;
	case CCIDSR:
		return (uint64_t)p->sample.contextidr_el2 << 32 | p->sample.contextidr_el1;
	case VCIDSR:
		return (uint64_t)p->sample.vmid << 32 | p->sample.contextidr_el1;
	case DEVID:
		return devid(p);
	}
	return 0;
}

/* Write the bits in mask. For registers where writing 1 has an effect (set and clear registers),
 * all other bits of value are 0. */
static void write(struct spemu_pmu *p, const struct row *r, unsigned n, uint64_t value,
                  uint64_t mask)
{
	unsigned counter = r->argument + n, shift = r->kind == TYPE_UPPER ? 32 : 0;
	uint64_t *flags = &p->pe->reg[r->argument], bits = value & mask & pmu_mask(p);

	switch ((enum kind)r->kind) {
	case COUNTER:
		if (pmu_has_counter(p, counter))
			spemu__pmu_counter_write(p, counter,
			                         (spemu__pmu_counter_read(p, counter) & ~mask) |
			                                 (value & mask));
		break;
	case TYPE:
	case TYPE_UPPER:
		if (pmu_has_counter(p, counter))
			p->type[counter] =
			        ((p->type[counter] & ~(mask << shift)) | (value & mask) << shift) &
			        spemu__pmu_type_mask(p, counter);
		break;
	case FLAGS_SET:
		*flags |= bits;
		break;
	case FLAGS_CLEAR:
		*flags &= ~bits;
		break;
	case FLAGS:
		*flags = (*flags & ~mask) | bits;
		break;
	case ZR:
		for (unsigned i = 0; i < SPEMU_PMU_COUNTERS; i++)
			if (bit_is_set(bits, i))
				spemu__pmu_counter_write(p, i, 0);
		break;
	case SWINC:
		spemu__pmu_software_increment(p, bits);
		break;
	case CR:
		spemu__pmu_write_pmcr(
		        p, (value & mask) | (p->pe->reg[SPEMU_REG_PMCR_EL0] & ~mask & ~UINT64_C(6)),
		        ~UINT64_C(0));
		break;
	case SSCR:
		spemu__pmu_capture_write(p, value, mask, false);
		break;
	case PCSCTL:
		if (mask & UINT32_MAX)
			spemu__pcsample_set_control(p, value);
		break;
	default:
		break;
	}
}

static int check(const struct spemu_pmu *p, uint32_t offset, unsigned size)
{
	if ((size != 4 && size != 8) || offset % size || offset > 0x1000 - size)
		return SPEMU_ERR_INVALID;
	return pmu_has(p, SPEMU_FEAT_PMUV3_EXT) ? SPEMU_OK : SPEMU_ERR_NOT_SUPPORTED;
}

/* Return true if size bytes at offset are two registers, so that the access is split in two. */
static bool in_two(const struct spemu_pmu *p, uint32_t offset, unsigned size)
{
	unsigned n, byte;
	const struct row *r = find(p, offset, &n, &byte);

	return size == 8 && (!r || r->size == 4);
}

/* Read a register into *value, which is 0 before, or write *value, which the call may change. */
static int external_access(struct spemu_pmu *p, bool *error, uint64_t *value, uint32_t offset,
                           unsigned size, unsigned security, bool is_write)
{
	int status = check(p, offset, size);
	const struct row *r;
	unsigned n, byte;

	*error = false;
	if (status)
		return status;
	*error = !p->powered;
	if (in_two(p, offset, size)) {
		uint64_t low = *value & UINT32_MAX, high = *value >> 32;
		bool high_error = false;

		external_access(p, error, &low, offset, 4, security, is_write);
		external_access(p, &high_error, &high, offset + 4, 4, security, is_write);
		*error = *error || high_error;
		*value = low | high << 32;
		return SPEMU_OK;
	}
	r = find(p, offset, &n, &byte);
	if (!r)
		return SPEMU_OK;
	*error = is_error(p, r, security);
	if (*error || r->access == (is_write ? RO : WO))
		return SPEMU_OK;
	if (is_write) {
		write(p, r, n, *value << (byte * 8),
		      (size == 4 ? UINT32_MAX : ~UINT64_C(0)) << (byte * 8));
		p->pe->generation++;
		spemu__pmu_update(p);
		return SPEMU_OK;
	}
	*value = value_of(p, r, n, byte == 0) >> (byte * 8);
	if (size == 4)
		*value &= UINT32_MAX;
	return SPEMU_OK;
}

int spemu_pmu_external_read(struct spemu_pmu *p, bool *error, uint64_t *value, uint32_t offset,
                            unsigned size, unsigned security)
{
	*value = 0;
	return external_access(p, error, value, offset, size, security, false);
}

int spemu_pmu_external_write(struct spemu_pmu *p, bool *error, uint32_t offset, unsigned size,
                             unsigned security, uint64_t value)
{
	return external_access(p, error, &value, offset, size, security, true);
}
