# SPDX-License-Identifier: MIT
"""The A64 classifier agrees with GNU objdump.

Instructions come from two sources: the AArch64 C libraries of the cross toolchain, and opcodes
drawn at random (fixed seed) from the whole encoding space, mainly loads and stores. The expected
classes follow from the mnemonic and the operands alone. Opcodes that objdump does not know are
skipped, because it may be older than the classifier.
"""
import random
import re
import shutil
import struct
import subprocess

import pytest

from clilib import BUILD

OBJDUMP = "aarch64-linux-gnu-objdump"
LIBRARIES = ["libc.so.6", "libm.so.6"]
COMPILER = "aarch64-linux-gnu-gcc"
if not shutil.which(OBJDUMP) or not shutil.which(COMPILER):
    pytest.skip(f"{OBJDUMP} or {COMPILER} is not installed", allow_module_level=True)
RANDOM_EVERYWHERE, RANDOM_MEMORY, RANDOM_SVE = 60000, 90000, 90000

OTHER, OTHER_SVE, OTHER_SME, LOAD, STORE, LOAD_ATOMIC, BRANCH = range(7)
COND, FP, SIMD, AR, EX, AT, PRED, GS, IND, LINK, RET = (1 << i for i in range(11))
ERET, EXC = 1 << 12, 1 << 14

ATOMIC_OP = r"(add|clr|eor|set|smax|smin|umax|umin)"
ATOMIC = re.compile(rf"(ld{ATOMIC_OP}p?(a|l|al)?[bh]?|swpp?(a|l|al)?[bh]?|casp?(a|l|al)?[bh]?)$")
ATOMIC_STORE = re.compile(rf"st{ATOMIC_OP}l?[bh]?$")
EXCLUSIVE = re.compile(r"(ld|st)(a|l)?x[rp][bh]?$")
ORDERED = re.compile(r"(lda(p?u?r|xr|xp)|ldlar|stlu?r|stllr|stlx[rp])(s?[bhw])?$")
ORDERED_ATOMIC = re.compile(rf"((ld{ATOMIC_OP}|swp|cas)p?(a|l|al)|st{ATOMIC_OP}l)[bh]?$")
CONDITIONAL = re.compile(r"(cs(el|inc|inv|neg|et|etm)|c(inc|inv|neg)|ccm[np]|fcsel|fccmpe?)$")
CONDITIONAL_BRANCH = re.compile(r"(bc?\.\w+|cbn?z|tbn?z)$")
COPY = re.compile(r"cpyf?[pme]([rw]?t?(rn|wn|n)?|[rw]t(rn|wn|n)?)$")
SETS = re.compile(r"setg?[pme]t?n?$")
FLOAT = re.compile(r"(f(?!irst)|[su]cvtf|bf(add|cvt|dot|mm|ml|mop|sub|mul|clamp|max|min)|bmop)")
REGISTER = {"b": 1, "h": 2, "w": 4, "s": 4, "x": 8, "d": 8, "q": 16}

# ADDRESSED matches loads and stores whose address can be calculated from registers. NOT_ADDRESSED matches those for
# which the classifier must not give an address; for example, a store exclusive may access no memory.
ADDRESSED = re.compile(r"((ld|st)n?p|ldpsw|(ld|st)(r|ur|tr)(s?[bh]|sw)?|(ldapu|stlu)r(s?[bh]|sw)?|"
                       r"(ldl?ar|stll?r|ldapr)[bh]?|lda?xr[bh]?|lda?xp)$")
NOT_ADDRESSED = re.compile(r"(stl?x[rp][bh]?|prf\w*|ldra[ab]|stz?2?g|stgp|ldg|cpy\w*|setg?[pme]\w*)$")
PLAIN = re.compile(r"((ld|st)n?p|ldpsw|(ld|st)(r|ur|tr)(s?[bh]|sw)?)$")
ADDRESS = re.compile(r"\[(x\d+|sp)(?:, (?:#(-?\w+)|([wx])(\d+|zr)(?:, (?:lsl|[us]xt[wx])(?: #(\d+))?)?))?\](!|, #-?\w+)?")
# Instructions that write only one register: the first operand, a general register.
WRITES_FIRST = re.compile(r"((add|sub|adc|sbc|and|bic|orr|orn|eor|eon|neg|ngc)s?|mov[zkn]?|mvn|adrp?|bfi|bfxil|bfc|extr|ror|"
                          r"lsl|lsr|asr|[su]xt[bhw]|[su]bfi?[xz]|madd|msub|mul|mneg|[su]m(add|sub|ul|neg)l|"
                          r"[su]mulh|[su]div|cls|clz|rbit|rev(16|32)?|cs(el|inc|inv|neg|etm?)|c(inc|inv|neg))$")
# Instructions that binutils learned after 2.40 (Debian 12), which the expectations here do not cover: GCS, SME2,
# SVE2.1, LRCPC3 and LSE128. For the last two, 2.44 also prints encodings that DDI 0487 leaves unallocated.
AFTER_2_40 = re.compile(r"gcs|smst(art|op)|[a-z]\w* (.*\bpn\d|\{z|.*, \{z)|ldiapp|stilp|"
                        r"ld(clr|set)p|swpp|(ldapr|stlr) .*\]!|ldapr .*\], #|(ldapu|stlu)r [bhsdq]\d|(ldap|stl)1")
PC = 0x40000


def disassemble(path, *options):
    """Yield (address, opcode, mnemonic, operands)."""
    out = subprocess.run([OBJDUMP, "-d", "-z", *options, path], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        part = line.split("\t")
        if len(part) < 3 or not re.fullmatch(r"[0-9a-f]{8} ?", part[1]):
            continue
        operands = part[3] if len(part) > 3 else ""
        operands = re.sub(r"\s*//.*|\s*<.*?>", "", operands).strip()
        yield int(part[0].strip().rstrip(":"), 16), int(part[1], 16), part[2].strip(), operands


def destination_is_zero(operands):
    return len(operands.split(",")) > 1 and operands.split(",")[1].strip() in ("xzr", "wzr")


def type_of(name, operands):
    """Return the type of the operation, or None if the mnemonic does not decide it."""
    if re.fullmatch("prf[bhwd]", name):  # prefetches of SVE (RBHKSC)
        return OTHER_SVE
    if name.startswith(("prf", "rprfm")):
        return OTHER
    if ATOMIC.match(name):
        if name.startswith("ld") and destination_is_zero(operands):
            return STORE
        return LOAD_ATOMIC
    if COPY.match(name):
        return LOAD
    if SETS.match(name):
        return STORE
    if name == "dc":
        return STORE if re.match(r"g?z?va,", operands) else OTHER
    if name.startswith("ld"):
        return LOAD
    if name.startswith("st"):
        return STORE
    if re.match(r"(bl?|br|blr|bra[ab]z?|blra[ab]z?|ret(a[ab])?|eret(a[ab])?)$", name):
        return BRANCH
    if CONDITIONAL_BRANCH.match(name):
        return BRANCH
    return None


def types_left(name, operands):
    """Return the possible types of an operation that is not a load, store or branch."""
    if re.search(r"(?<!\w)z\d+", operands) or "za" in operands:
        return (OTHER_SVE, OTHER_SME)
    if is_scalable(operands) or name == "setffr":
        return (OTHER_SVE,)
    return (OTHER,)


def is_scalable(operands):
    return re.search(r"(?<![\w])(z\d+|p\d+|za\w*)\b", operands) is not None


def size_of(name, operands):
    """Return the number of bytes that a plain load or store of registers accesses, or None."""
    if is_scalable(operands) or "{" in operands or COPY.match(name) or SETS.match(name):
        return None
    if name in ("ldpsw", "stgp"):
        return 8 if name == "ldpsw" else 16
    suffix = re.match(r"(?:ldr|ldur|ldtr|ldapur|str|stur|sttr|stlur)(?:s?([bh])|s(w))$", name)
    if suffix:
        return {"b": 1, "h": 2, "w": 4}[suffix.group(1) or suffix.group(2)]
    plain = re.match(r"(ld|st)(r|ur|tr|p|np|apur|lur|apr|ar|lr|xr|axr|lxr|xp|axp|lxp|raa|rab)$", name)
    if not plain:
        return None
    first = operands.split(",")[0].strip()
    if name.startswith("st") and "x" in name[2:]:
        first = operands.split(",")[1].strip()
    register = {"sp": "x", "wsp": "w"}.get(first, first[0])
    return REGISTER[register] * (2 if name.endswith("p") else 1)


def expected_flags(name, operands, kind):
    """Return (flags that must be set, flags that must be clear)."""
    on = off = 0

    def want(flag, value):
        nonlocal on, off
        on, off = (on | flag, off) if value else (on, off | flag)

    if kind in (LOAD, STORE, LOAD_ATOMIC):
        if not is_scalable(operands):
            atomic = ATOMIC.match(name) or ATOMIC_STORE.match(name)
            want(AT, atomic)
            want(EX, EXCLUSIVE.match(name))
            ordered = ORDERED_ATOMIC.match(name) if atomic else ORDERED.match(name)
            if not (atomic and re.search(r"\b[wx]zr\b", operands)):
                want(AR, ordered)
            vector = re.match(r"[bhsdq]\d+\b", operands)
            want(FP, vector and operands[0] != "q")
            want(SIMD, "{" in operands or vector and operands[0] == "q")
        else:
            want(SIMD, True)
            whole = name in ("ldr", "str")
            want(PRED, not whole)
            address = operands[operands.rfind("["):] if "[" in operands else ""
            want(GS, re.search(r"\bz\d+\.[sd]", address))
        return on, off
    want(COND, CONDITIONAL.match(name) or CONDITIONAL_BRANCH.match(name))
    if kind == BRANCH:
        want(IND, re.match(r"(br|blr|ret|eret)", name))
        want(LINK, name.startswith("bl") and not name.startswith("bl."))
        want(RET, name.startswith("ret"))
        want(ERET, name.startswith("eret"))
        return on, off
    want(EXC, name in ("svc", "hvc", "smc", "brk", "hlt", "udf", "dcps1", "dcps2", "dcps3"))
    if kind == OTHER:
        vector = re.search(r"(?<!\w)v\d+\.\d*[bhsdq]", operands)
        lane_move = name == "fmov" and re.search(r"v\d+\.d\[1\]", operands)
        scalar = re.match(r"[bhsdq]\d+\b", operands)
        if vector and not lane_move:
            want(SIMD, True)
        if not vector and not scalar and not name.startswith("f"):
            want(SIMD | FP, False)
    if kind == OTHER_SVE:
        selects = name == "mov" and re.match(r"z\d+\.\w, p\d+/m, z", operands)  # an alias of SEL
        predicated = not selects and re.match(r"z\d+\.?\w*, *p\d+/[mz]", operands)
        if predicated or not re.search(r"(?<!\w)p\d", operands):
            want(PRED, predicated)
    # For an SVE move of an immediate or a register, objdump may print the alias of an FP
    # instruction.
    if kind != OTHER_SME and not (kind == OTHER_SVE and name == "mov"):
        want(FP, FLOAT.match(name) and (kind == OTHER_SVE or re.search(r"\b[vbhsdq]\d", operands)))
    return on, off


def register(number):
    """Return the value that a64_classes gives the register; 31 is the stack pointer."""
    return (number + 1) * 0x123456789abcdef1 % (1 << 64)


def number_of(name):
    """Return the number of a general register (31 for sp), or None for the zero register and other registers."""
    if name in ("sp", "wsp"):
        return 31
    return int(name[1:]) if re.fullmatch(r"[wx]\d+", name) else None


def address_of(address, operands):
    """Return (registers that the address uses, address) for operands with an address."""
    literal = re.search(r", (?:0x)?([0-9a-f]+)$", operands)
    if "[" not in operands and literal:
        return 0, (PC + int(literal.group(1), 16) - address) % (1 << 64)
    m = ADDRESS.search(operands)
    base = number_of(m.group(1))
    uses, value = 1 << base, register(base)
    if m.group(2):
        value += int(m.group(2), 0)
    if m.group(3) and m.group(4) != "zr":
        index = register(int(m.group(4)))
        uses |= 1 << int(m.group(4))
        if m.group(3) == "w":
            index &= 0xffffffff
            if "sxtw" in operands and index >> 31:
                index -= 1 << 32
        value += index << int(m.group(5) or 0)
    return uses, value % (1 << 64)


def written_by(name, operands):
    """Return the registers that an instruction writes, or None if this test cannot decide."""
    words = [w.strip() for w in operands.split(",")]
    if WRITES_FIRST.match(name):
        first = number_of(words[0])
        return None if first is None else 1 << first
    if not PLAIN.match(name) or is_scalable(operands):
        return None
    registers = set()
    if name.startswith("ld"):
        registers |= {number_of(w) for w in words[:2 if name in ("ldp", "ldnp", "ldpsw") else 1]}
    m = ADDRESS.search(operands)
    if m and m.group(6):
        registers.add(number_of(m.group(1)))
    return sum(1 << n for n in registers if n is not None)


def wrong_registers(address, name, operands, said):
    """Return the addresses and written registers that the classifier reports and the operands contradict."""
    mode, uses, value, written = said
    scalable = is_scalable(operands)
    if NOT_ADDRESSED.match(name) and not scalable and mode:
        yield "an address"
    if ADDRESSED.match(name) and not scalable:
        if not mode:
            yield "no address"
        elif (uses, value) != address_of(address, operands):
            yield f"address: {uses:#x}, {value:#x}"
    expected = written_by(name, operands)
    if expected is not None and written != expected:
        yield f"written: {written:#x}, not {expected:#x}"


# Operands that govern nothing: selections (SEL of vectors, SPLICE, PNEXT), and the counting of predicates' elements.
NOT_GOVERNED = re.compile(r"(sel z|mov z\d+\.\w, p\d+/m, z|splice|pnext|psel|ldr|str|rdffr p\d+\.b$|wrffr)")
CONVERSION = re.compile(r"(bf|f|[su])cvt")
BYTES = dict(zip("bhsdq", (1, 2, 4, 8, 16)))


def governing_predicate(name, operands):
    """Return (number, bytes of an element) of the Governing predicate of an SVE instruction, or (-1, 0).
    Return None for aliases that omit the predicate."""
    whole = f"{name} {operands}"
    governing = re.search(r"(?<!\w)p(\d+)(?:/[mz]|(?![\d.]))", operands)
    if re.match(r"movs? p\d+\.b, p\d+\.b$", whole):
        return None
    if not is_scalable(operands) or NOT_GOVERNED.match(whole) or not governing or "za" in operands:
        return (-1, 0)
    if name.startswith("prf"):
        vector = re.search(r"z\d+\.([sd])", operands)
        return (int(governing.group(1)), BYTES[vector.group(1) if vector else {"w": "s"}.get(name[3], name[3])])
    sizes = re.findall(r"(?<!\w)[zp]\d+\.([bhsdq])", operands.replace(governing.group(0), "", 1))
    size = max(map(BYTES.get, sizes)) if CONVERSION.match(name) else BYTES[sizes[0]]
    return (int(governing.group(1)), size)


def disagreements(instructions, said):
    """Return a text for each disagreement, but only one for each mnemonic."""
    seen = {}
    for (address, opcode, name, operands), what in zip(instructions, said):
        kind, _, size, flags, vector_bits, offset = what[:6]
        expected = type_of(name, operands)
        wrong = list(wrong_registers(address, name, operands, what[6:10]))
        predicate = governing_predicate(name, operands)
        if predicate and what[10:] != predicate:
            wrong.append(f"predicate {what[10:]}, not {predicate}")
        if expected is None:
            if kind not in types_left(name, operands):
                wrong.append(f"type {kind}")
            expected = kind
        elif kind != expected:
            wrong.append(f"type {kind}, not {expected}")
        bytes_ = size_of(name, operands) if expected in (LOAD, STORE) else None
        if bytes_ is not None and size != bytes_:
            wrong.append(f"size {size}, not {bytes_}")
        on, off = expected_flags(name, operands, expected)
        if on & ~flags or off & flags:
            wrong.append(f"flags {flags:#x}: lacks {on & ~flags:#x}, must not have {off & flags:#x}")
        target = re.search(r"(?:^|[\s,])(?:0x)?([0-9a-f]+)$", operands)
        if expected == BRANCH and not flags & IND:
            distance = int(target.group(1), 16) - address
            if (distance - offset) % (1 << 64):
                wrong.append(f"offset {offset}, not {distance}")
        if wrong:
            seen.setdefault((name, tuple(w.split(":")[0] for w in wrong)),
                            f"{opcode:08x} {name} {operands}: {'; '.join(wrong)}")
    return list(seen.values())


def classify(opcodes):
    text = "".join(f"{o:08x}\n" for o in opcodes)
    out = subprocess.run([BUILD / "tests/interop/a64_classes"], input=text, capture_output=True, text=True, check=True).stdout
    return [tuple(map(int, line.split())) for line in out.splitlines()]


def is_too_new(instruction):
    """Return true if binutils learned the instruction after 2.40, by its mnemonic. Loads and stores
    of vector lists are older."""
    _, _, name, operands = instruction
    return AFTER_2_40.match(f"{name} {operands}") and not (name.startswith(("ld", "st")) and "{" in operands)


def compare(instructions):
    instructions = [i for i in instructions if i[2] not in (".inst", ".word") and
                    "undefined" not in i[2] + i[3] and not is_too_new(i)]
    said = classify([i[1] for i in instructions])
    bad = disagreements(instructions, said)
    assert len(said) == len(instructions) and instructions and not bad, f"{len(instructions)} instructions\n" + "\n".join(bad)


def random_opcodes():
    rng = random.Random(20240)
    for _ in range(RANDOM_EVERYWHERE):
        yield rng.getrandbits(32)
    for _ in range(RANDOM_MEMORY):
        yield rng.getrandbits(32) & ~(1 << 25) | 1 << 27
    for _ in range(RANDOM_SVE):
        yield rng.getrandbits(32) & ~(0xf << 25) | 2 << 25


@pytest.mark.parametrize("name", LIBRARIES)
def test_library(name):
    path = subprocess.run([COMPILER, "-print-file-name=" + name], check=True, capture_output=True, text=True).stdout.strip()
    unique = {}
    for instruction in disassemble(path):
        if type_of(instruction[2], instruction[3]) == BRANCH:
            unique[instruction[:2]] = instruction
        else:
            unique[instruction[1]] = instruction
    compare(unique.values())


def test_random_opcodes(tmp_path):
    path = tmp_path / "random.bin"
    path.write_bytes(b"".join(struct.pack("<I", opcode) for opcode in random_opcodes()))
    compare(disassemble(path, "-b", "binary", "-m", "aarch64", "-D"))
