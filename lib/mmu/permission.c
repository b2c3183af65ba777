/* SPDX-License-Identifier: MIT */
/*
 * Permissions of a privileged write, and of the accesses of a walk at stage 2. PSTATE.PAN is taken
 * as 0, and E0PDn does not apply (D17.8.3).
 *
 * Arm ARM:     DDI 0487 M.a, D8.4, D8.5 (dirty state), D8.2.7 (FEAT_THE), D8.15.5.1 (priorities)
 * Implements:  RWWYDL
 * Pseudocode:  AArch64.S1CheckPermissions(), AArch64.S1DirectBasePermissions(),
 *              AArch64.S1IndirectBasePermissions(), AArch64.S1OverlayPermissions(),
 *              AArch64.S2CheckPermissions(), AArch64.S2DirectBasePermissions(),
 *              AArch64.S2IndirectBasePermissions(), AArch64.S2OverlayPermissions()
 * Choices:     SCR_EL3.PIEn has no effect on the values of PIR_ELx, POR_ELx, S2PIR_EL2, S2POR_EL1
 */
#include "mmu/mmu.h"

static bool two_privileges(const struct request *r)
{
	return r->regime != REGIME_EL2;
}

/*
 * Return APTable[1]. APTable[0], PXNTable and XNTable concern execution and EL0. For a privileged
 * write, only SCTLR_ELx.WXN depends on them, and only with an overlay, which switches hierarchical
 * permissions off (RBVXDG, RQXXPC).
 */
bool spemu__stage1_table_read_only(const struct stage1 *p, uint64_t desc)
{
	return !p->hierarchy_off && bit_is_set(desc, 62);
}

struct permission {
	bool write;
	bool write_and_execute; /* with WXN, such memory is not executable */
	bool overlaid;
};

static struct permission direct(const struct request *r, const struct stage1 *p,
                                bool table_read_only, uint64_t desc)
{
	bool managed = p->format.hd && bit_is_set(desc, DESC_DBM);
	bool leaf_write = !bit_is_set(desc, DESC_READ_ONLY) || managed;
	bool write = leaf_write && !table_read_only;
	bool xn, unprivileged_write = false;

	if (two_privileges(r) && !p->nv1) {
		unprivileged_write = write && bit_is_set(desc, 6);
		xn = bit_is_set(desc, 53);
	} else {
		xn = bit_is_set(desc, 54);
	}
	return (struct permission){
	        .write = write,
	        .write_and_execute =
	                write && p->write_implies_no_execute && !xn && !unprivileged_write,
	        .overlaid = true,
	};
}

/* Permission sets of PIR_ELx and PIRE0_ELx, with bits for writable, executable and Guarded
 * Control Stack. */
enum { PI_WRITE = 1, PI_EXECUTE = 2, PI_GCS = 4 };
static const uint8_t indirect_sets[16] = {
        [0x2] = PI_EXECUTE,
        [0x3] = PI_EXECUTE,
        [0x5] = PI_WRITE,
        [0x6] = PI_WRITE | PI_EXECUTE,
        [0x7] = PI_WRITE | PI_EXECUTE,
        [0x9] = PI_GCS,
        [0xa] = PI_EXECUTE,
        [0xc] = PI_WRITE,
        [0xe] = PI_WRITE | PI_EXECUTE,
};

static unsigned pi_index(uint64_t desc)
{
	return (unsigned)(bits_get(desc, 54, 53) << 2 | bits_get(desc, 51, 51) << 1 |
	                  bits_get(desc, 6, 6));
}

static unsigned element(uint64_t reg, unsigned index)
{
	return (unsigned)(reg >> (4 * index)) & 15;
}

static struct permission indirect(const struct request *r, const struct stage1 *p, uint64_t desc)
{
	unsigned index = pi_index(desc);
	unsigned ppi = element(r->pe->reg[p->pir], index);
	unsigned upi = two_privileges(r) && !p->nv1 ? element(r->pe->reg[p->pire0], index) : 0;
	unsigned set = indirect_sets[ppi];

	/* If one privilege may execute and the other may write, neither has any permission. */
	if ((set & (PI_EXECUTE | PI_GCS)) && (indirect_sets[upi] & (PI_WRITE | PI_GCS)))
		set = 0;
	return (struct permission){
	        .write = set & PI_WRITE, .write_and_execute = ppi == 6, .overlaid = ppi < 8};
}

bool spemu__stage1_refuses(const struct request *r, const struct stage1 *p, bool table_read_only,
                           uint64_t desc)
{
	struct permission base =
	        p->pie ? indirect(r, p, desc) : direct(r, p, table_read_only, desc);

	if (base.overlaid && p->poe) {
		unsigned po = element(r->pe->reg[p->por], (unsigned)bits_get(desc, 62, 60));
		bool write = po < 8 && (po & 4);
		bool execute = po < 8 && (po & 2);

		if (!write || (base.write_and_execute && execute)) {
			r->fault->overlay = true;
			return true;
		}
	}
	if (!base.write)
		return true;
	if (p->pie && !p->format.hd && bit_is_set(desc, DESC_READ_ONLY)) {
		r->fault->dirty_bit = true;
		return true;
	}
	return false;
}

/* The permissions in elements of S2PIR_EL2 and S2POR_EL1, and in S2AP. */
struct stage2_set {
	bool read, write, mmu_write, top_level0, top_level1;
};

static struct stage2_set indirect_set(unsigned pi)
{
	bool mro = pi == 2 || pi == 3 || pi == 6 || pi == 7;
	bool rw = pi >= 12;

	return (struct stage2_set){
	        .read = mro || pi >= 8,
	        .write = pi == 4 || rw,
	        .mmu_write = mro || rw,
	        .top_level0 = pi == 6 || pi == 7,
	        .top_level1 = pi == 3 || pi == 7,
	};
}

static struct stage2_set base_set(const struct request *r, const struct stage2 *p, uint64_t desc)
{
	bool write;

	if (p->pie)
		return indirect_set(element(r->pe->reg[SPEMU_REG_S2PIR_EL2], pi_index(desc)));
	write = bit_is_set(desc, 7) || (p->format.hd && bit_is_set(desc, DESC_DBM));
	return (struct stage2_set){.read = bit_is_set(desc, 6), .write = write, .mmu_write = write};
}

static bool top_level_refuses(const struct stage2 *p, const struct stage2_access *a,
                              const struct stage2_set *set)
{
	if (!a->walk || !a->top_level)
		return false;
	if (a->upper)
		return (p->top_level1 && !set->top_level1) ||
		       (p->top_level0 && set->top_level0 && !set->top_level1);
	return (p->top_level0 && !set->top_level0) ||
	       (p->top_level1 && set->top_level1 && !set->top_level0);
}

/* Return true if the rules for walks or the base permissions forbid the access. */
static bool base_refuses(const struct request *r, const struct stage2 *p, uint8_t output_pas,
                         const struct stage2_access *a, const struct stage2_set *set, uint64_t desc)
{
	if (!a->walk)
		return !set->write;
	if (p->protect_walks && spemu__stage2_is_device(r, p, desc))
		return true;
	if (r->security == SPEMU_SS_REALM && output_pas != SPEMU_SS_REALM)
		return true;
	return !set->read || (a->write && !set->mmu_write);
}

static bool overlay_refuses(const struct stage2_access *a, const struct stage2_set *overlay)
{
	if (!a->walk)
		return !overlay->write;
	return !overlay->read || (a->write && !overlay->mmu_write);
}

struct stage2_permission spemu__stage2_check(const struct request *r, const struct stage2 *p,
                                             const struct location *ipa, uint8_t output_pas,
                                             const struct stage2_access *a, uint64_t desc)
{
	struct stage2_set set = base_set(r, p, desc), overlay = {true, true, true, false, false};
	struct stage2_permission out = {.refused = true};
	bool only_assured = p->assured_only && bit_is_set(desc, 58) && !ipa->assured;

	if (p->poe)
		overlay = indirect_set(
		        element(r->pe->reg[SPEMU_REG_S2POR_EL1], (unsigned)bits_get(desc, 62, 59)));
	out.mmu_read_only =
	        p->pie && !(set.write && overlay.write) && set.mmu_write && overlay.mmu_write;
	if (p->poe) {
		set.top_level0 = out.mmu_read_only && (set.top_level0 || overlay.top_level0);
		set.top_level1 = out.mmu_read_only && (set.top_level1 || overlay.top_level1);
	}
	if (top_level_refuses(p, a, &set))
		out.top_level = true;
	else if (only_assured)
		out.assured_only = true;
	else if (p->poe && overlay_refuses(a, &overlay))
		out.overlay = true;
	else if (base_refuses(r, p, output_pas, a, &set, desc))
		return out;
	else if ((!a->walk || a->write) && p->pie && !p->format.hd && !bit_is_set(desc, 7))
		out.dirty_bit = true;
	else
		out.refused = false;
	return out;
}
