# SPDX-License-Identifier: MIT
"""The files of Linux's arm_spe_0 device and the register fields that they control, from D24.7 and
the driver's names of fields. FORMATS lists the attributes of an event (format/), and CAPS the
properties of the SPU (caps/). They contain all files of Linux 6.1 to 7.2. If a kernel has another
file, extend these lists.
"""
import collections

PMSCR_E0, PMSCR_E1, PMSCR_CX, PMSCR_PA, PMSCR_TS, PMSCR_PCT = (1 << bit for bit in (0, 1, 3, 4, 5, 6))
PMSFCR_FE, PMSFCR_FT, PMSFCR_FL, PMSFCR_FNE, PMSFCR_FDS = (1 << bit for bit in range(5))
PMSFCR_B, PMSFCR_LD, PMSFCR_ST, PMSFCR_FP, PMSFCR_SIMD = (1 << bit for bit in range(16, 21))
PMSFCR_BM, PMSFCR_LDM, PMSFCR_STM, PMSFCR_FPM, PMSFCR_SIMDM = (1 << bit for bit in range(48, 53))
PMSIRR_RND = 1
PMBLIMITR_E, PMBLIMITR_FM, PMBLIMITR_DISCARD = 1, 3 << 1, 2 << 1
ALL = (1 << 64) - 1
RETIRED = 1 << 1  # D18.2.6


def field(value, high, low):
    return value >> low & (1 << (high - low + 1)) - 1


def accesses(trace, write):
    """Yield (register, value, Exception level) of each register access by the kernel. For a kernel
    with E2H, PMSCR_EL1 in the trace means PMSCR_EL2."""
    for e in trace:
        if e["type"] == "access" and e["write"] == write and e["outcome"] == "ok":
            yield e["register"].replace("PMSCR_EL2", "PMSCR_EL1"), int(e["value"], 16), e["el"]


def last_read(trace, register):
    return [value for name, value, _ in accesses(trace, False) if name == register][-1]


def events(trace):
    """Return {interval: [{register: value}]}. For each time that the driver starts an event, there
    is a dictionary with the registers as written."""
    now, begun = {"PMSNEVFR_EL1": 0, "PMSDSFR_EL1": ALL}, collections.defaultdict(list)
    for register, value, _ in accesses(trace, True):
        now[register] = value
        if register == "PMSCR_EL1" and value & (PMSCR_E0 | PMSCR_E1):
            limit = now["PMBLIMITR_EL1"]
            begun[field(now["PMSIRR_EL1"], 31, 8) << 8].append(
                {**{name: now[name] for name in WRITTEN}, "PMBLIMITR_EL1": limit & (PMBLIMITR_E | PMBLIMITR_FM)})
    return begun


WRITTEN = ("PMSCR_EL1", "PMSFCR_EL1", "PMSEVFR_EL1", "PMSNEVFR_EL1", "PMSLATFR_EL1", "PMSDSFR_EL1", "PMSIRR_EL1")
# Registers for an event with exclude_kernel, of a privileged user, who may see the context.
PLAIN = {"PMSCR_EL1": PMSCR_E0 | PMSCR_CX, "PMSFCR_EL1": 0, "PMSEVFR_EL1": 0, "PMSNEVFR_EL1": 0, "PMSLATFR_EL1": 0,
         "PMSDSFR_EL1": ALL, "PMBLIMITR_EL1": PMBLIMITR_E}


def expected(changes, interval):
    """Return the expected registers of an event: those of a plain event with the bits of `changes`
    inverted."""
    return {name: value ^ changes.get(name, 0) for name, value in {**PLAIN, "PMSIRR_EL1": interval}.items()}


def is_load(r):
    return r["op"].startswith(("load", "atomic"))


def is_store(r):
    return r["op"].startswith(("store", "atomic"))


def is_branch(r):
    return r["op"].startswith("branch")


def has_retired(r):
    return bool(int(r["event_bits"], 16) & RETIRED)


def has(bit):
    """Return a predicate that tests a bit of PMSIDR_EL1."""
    return lambda pmsidr, minor: pmsidr >> bit & 1


FNE, FDS, EFT = has(6), has(7), has(26)


def has_discard(_, minor):
    return minor >= 2  # FEAT_SPEv1p2 (D17.6)


# changes: bits of the registers that differ from those of a plain event. records: a predicate for each record, or False
# if there are no records. needs: a predicate of the SPU that is true if the driver has the file. since: the first
# version of Linux with the file.
Format = collections.namedtuple("Format", "name value changes records needs since", defaults=(None, (6, 1)))
# Without a timing model, the only event of EVENTS that an operation has is RETIRED, and it has no
# latency.
EVENTS, LATENCY, SOURCES = 0xaa, 0xa5a, 0x1234


def type_filter(name, bits, records, **more):
    return Format(name, 1, {"PMSFCR_EL1": PMSFCR_FT | bits}, records, **more)


FORMATS = (
    Format("ts_enable", 1, {"PMSCR_EL1": PMSCR_TS}, lambda r: "timestamp" in r),
    Format("pa_enable", 1, {"PMSCR_EL1": PMSCR_PA}, lambda r: ("pa" in r) == ("va" in r)),
    Format("pct_enable", 1, {"PMSCR_EL1": PMSCR_PCT}, None),
    Format("jitter", 1, {"PMSIRR_EL1": PMSIRR_RND}, None),
    type_filter("branch_filter", PMSFCR_B, is_branch),
    type_filter("load_filter", PMSFCR_LD, is_load),
    type_filter("store_filter", PMSFCR_ST, is_store),
    Format("event_filter", RETIRED, {"PMSFCR_EL1": PMSFCR_FE, "PMSEVFR_EL1": RETIRED}, has_retired),
    Format("event_filter", EVENTS, {"PMSFCR_EL1": PMSFCR_FE, "PMSEVFR_EL1": EVENTS}, False),
    Format("min_latency", LATENCY, {"PMSFCR_EL1": PMSFCR_FL, "PMSLATFR_EL1": LATENCY}, False),
    Format("inv_event_filter", EVENTS, {"PMSFCR_EL1": PMSFCR_FNE, "PMSNEVFR_EL1": EVENTS}, False, FNE, (6, 3)),
    Format("inv_event_filter", EVENTS ^ RETIRED, {"PMSFCR_EL1": PMSFCR_FNE, "PMSNEVFR_EL1": EVENTS ^ RETIRED},
           has_retired, FNE, (6, 3)),
    Format("discard", 1, {"PMBLIMITR_EL1": PMBLIMITR_DISCARD}, False, has_discard, (6, 14)),
    type_filter("simd_filter", PMSFCR_SIMD, None, needs=EFT, since=(6, 18)),
    type_filter("float_filter", PMSFCR_FP, None, needs=EFT, since=(6, 18)),
    type_filter("branch_filter_mask", PMSFCR_BM, lambda r: not is_branch(r), needs=EFT, since=(6, 18)),
    type_filter("load_filter_mask", PMSFCR_LDM, lambda r: not is_load(r), needs=EFT, since=(6, 18)),
    type_filter("store_filter_mask", PMSFCR_STM, lambda r: not is_store(r), needs=EFT, since=(6, 18)),
    type_filter("simd_filter_mask", PMSFCR_SIMDM, None, needs=EFT, since=(6, 18)),
    type_filter("float_filter_mask", PMSFCR_FPM, None, needs=EFT, since=(6, 18)),
    Format("inv_data_src_filter", SOURCES, {"PMSFCR_EL1": PMSFCR_FDS, "PMSDSFR_EL1": SOURCES}, None, FDS, (6, 19)),
)

INTERVALS = {0: 256, 2: 512, 3: 768, 4: 1024, 5: 1536, 6: 2048, 7: 3072, 8: 4096}  # PMSIDR_EL1.Interval
COUNTERS = {2: 12, 3: 16}  # PMSIDR_EL1.CountSize


def caps(trace, linux):
    """Return {file: text}, the properties that the driver must show for an SPU with the registers
    that it has read."""
    pmsidr = last_read(trace, "PMSIDR_EL1")
    said = {"arch_inst": field(pmsidr, 3, 3), "ernd": field(pmsidr, 5, 5),
            "count_size": COUNTERS[field(pmsidr, 19, 16)], "min_interval": INTERVALS[field(pmsidr, 11, 8)]}
    texts = {name: str(value) for name, value in said.items()}
    if linux >= (6, 18):
        # Writing all ones shows the implemented bits.
        texts["event_filter"] = f"{last_read(trace, 'PMSEVFR_EL1'):#x}"
    return texts
