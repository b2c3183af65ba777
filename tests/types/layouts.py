# SPDX-License-Identifier: MIT
"""Read the types and functions of a program from its debugging information, with pyelftools.

This reader is independent of spemu. It answers which members of a type are at an offset.
"""
import bisect

from elftools.common.exceptions import DWARFError
from elftools.elf.elffile import ELFFile

AGGREGATES = {"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"}
POINTERS = {"DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type", "DW_TAG_ptr_to_member_type"}
SCALARS = {"DW_TAG_base_type", "DW_TAG_enumeration_type"}
WRAPPERS = {"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type"}
SCOPES = AGGREGATES | {"DW_TAG_namespace", "DW_TAG_enumeration_type"}
VARIABLES = {"DW_TAG_variable", "DW_TAG_formal_parameter"}
KEYWORDS = ("struct ", "class ", "union ", "enum ")
STORAGE = ("__aligned_membuf", "__aligned_buffer")  # the object of libstdc++'s nodes, as bytes
INTEGERS = {"long", "unsigned", "signed", "short", "int", "char"}
DEEPEST = 24


def plain(name):
    """Return the name of a type without its keyword and blanks, to compare it. Compilers write `long unsigned int` or
    `unsigned long`."""
    for word in KEYWORDS:
        name = name[len(word):] if f"{name} ".startswith(word) else name
    name = name.replace("(anonymous namespace)::", "").replace("{anonymous}::", "")
    words = name.split()
    if INTEGERS.issuperset(words):
        return " ".join(sorted(w for w in words if w != "int" or len(words) == 1))
    return name.replace(" ", "")


class Type:
    """A type without typedefs and qualifiers. `members` are (name, offset, type, optional): an optional name may be
    absent from a path, as for base classes and the variants of an enum."""

    def __init__(self, die, name, size):
        self.die, self.name, self.size = die, name, size
        self.kind = ("aggregate" if die.tag in AGGREGATES else "pointer" if die.tag in POINTERS else
                     "array" if die.tag == "DW_TAG_array_type" else "scalar")
        self.members, self.element, self.flexible, self.contents = [], None, False, None

    def same(self, other):
        if self is other:
            return True
        if self.kind != other.kind or self.size != other.size:
            return False
        return self.kind in ("scalar", "pointer") or self.name == other.name is not None


class Layouts:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.elf = ELFFile(self.file)
        self.dwarf = self.elf.get_dwarf_info(relocate_dwarf_sections=False)
        self.by_name, self.variables, self.functions = {}, {}, []
        self.types, self.names = {}, {}
        for unit in self.dwarf.iter_CUs():
            self.read_unit(unit)
        self.functions.sort()
        self.starts = [f[0] for f in self.functions]

    def close(self):
        self.file.close()

    # ---- names and functions, which are read at once ----
    def read_unit(self, unit):
        """Note the names of the unit's types and its functions. A unit without variables has only lines."""
        top, functions, typed = unit.get_top_DIE(), [], False
        if "library/" in text(top, "DW_AT_name") or "/rustc/" in text(top, "DW_AT_comp_dir"):
            return  # the standard library of Rust, as it is distributed
        stack = [(top, "")]
        while stack:
            die, scope = stack.pop()
            name, tag = text(die, "DW_AT_name"), die.tag
            inner = scope
            if tag in SCOPES:
                inner = f"{scope}::{name}" if scope else name
            if name and (tag in AGGREGATES or tag in SCALARS or tag in POINTERS or tag == "DW_TAG_typedef"):
                full = f"{scope}::{name}" if scope else name
                self.names[die.offset] = full
                if "DW_AT_declaration" not in die.attributes:
                    self.by_name.setdefault(plain(full), []).append(die)
            elif tag in VARIABLES:
                typed = typed or "DW_AT_location" in die.attributes
                if name and tag == "DW_TAG_variable":
                    self.variables.setdefault(name, die)
            elif tag == "DW_TAG_subprogram":
                functions += self.ranges(die)
            if die.has_children:
                stack += [(child, inner) for child in die.iter_children()]
        if typed:
            self.functions += functions

    def ranges(self, die):
        low, high = die.attributes.get("DW_AT_low_pc"), die.attributes.get("DW_AT_high_pc")
        if low and high:
            return [(low.value, high.value + (0 if high.form == "DW_FORM_addr" else low.value))]
        if "DW_AT_ranges" not in die.attributes:
            return []
        try:
            lists, found = self.dwarf.range_lists(), []
            base = die.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
            base = base.value if base else 0
            for entry in lists.get_range_list_at_offset(die.attributes["DW_AT_ranges"].value, cu=die.cu):
                if hasattr(entry, "base_address"):
                    base = entry.base_address
                elif getattr(entry, "is_absolute", False):
                    found.append((entry.begin_offset, entry.end_offset))
                else:
                    found.append((base + entry.begin_offset, base + entry.end_offset))
            return found
        except DWARFError:
            return []

    def has_code(self, address):
        """Return true if the address is in a function whose unit describes variables."""
        at = bisect.bisect_right(self.starts, address) - 1
        return any(low <= address < high for low, high in self.functions[max(at - 3, 0):at + 1])

    # ---- types ----
    def referred(self, die):
        for _ in range(DEEPEST):
            if "DW_AT_type" in die.attributes:
                return die.get_DIE_from_attribute("DW_AT_type")
            link = next((a for a in ("DW_AT_specification", "DW_AT_abstract_origin") if a in die.attributes), None)
            if link is None:
                return None
            die = die.get_DIE_from_attribute(link)
        return None

    def type_of(self, die):
        """Return the Type of a type's DIE, or None for void and functions."""
        for _ in range(DEEPEST):
            if die is None or die.tag not in WRAPPERS:
                break
            die = self.referred(die)
        if die is None or die.tag == "DW_TAG_subroutine_type":
            return None
        if die.offset in self.types:
            return self.types[die.offset]
        name = self.names.get(die.offset)
        if "DW_AT_declaration" in die.attributes:
            found = [d for d in self.by_name.get(plain(name or ""), []) if d.tag in AGGREGATES]
            return self.type_of(found[0]) if found else None
        made = self.types[die.offset] = Type(die, plain(name) if name else None, number(die, "DW_AT_byte_size", 0))
        if made.kind == "pointer":
            made.size = made.size or 8
        elif made.kind == "array":
            self.fill_array(made)
        elif made.kind == "aggregate":
            self.fill_aggregate(made)
        return made

    def fill_array(self, made):
        made.element, count = self.type_of(self.referred(made.die)), 1
        for child in made.die.iter_children():
            if child.tag == "DW_TAG_subrange_type":
                length = number(child, "DW_AT_count", None)
                if length is None:
                    bound = number(child, "DW_AT_upper_bound", None)
                    length = 0 if bound is None or bound >= 1 << 62 else bound + 1
                count *= length
        made.size = made.size or count * (made.element.size if made.element else 0)
        made.flexible = count == 0

    def fill_aggregate(self, made):
        for child in made.die.iter_children():
            if child.tag in ("DW_TAG_member", "DW_TAG_inheritance"):
                self.add_member(made, child, child.tag == "DW_TAG_inheritance")
            elif child.tag == "DW_TAG_variant_part":
                for variant in child.iter_children():
                    for member in variant.iter_children() if variant.tag == "DW_TAG_variant" else (variant,):
                        if member.tag == "DW_TAG_member":
                            self.add_member(made, member, True)
        if (made.name or "").split("<")[0].endswith(STORAGE):
            argument = next((c for c in made.die.iter_children() if c.tag == "DW_TAG_template_type_param"), None)
            made.contents = self.type_of(self.referred(argument)) if argument else None
        last = max(made.members, key=lambda m: m[1], default=None)
        made.flexible = bool(last and (last[2].flexible or last[2].kind == "array" and not last[2].size))

    def add_member(self, made, child, optional):
        if "DW_AT_external" in child.attributes or "DW_AT_declaration" in child.attributes:
            return  # a static member
        if child.tag == "DW_TAG_inheritance" and number(child, "DW_AT_virtuality", 0):
            return  # its offset depends on the most derived class
        bits = number(child, "DW_AT_data_bit_offset", None)
        offset = number(child, "DW_AT_data_member_location", 0) if bits is None else bits // 8
        type_ = self.type_of(self.referred(child))
        if type_ is None:
            return
        name = text(child, "DW_AT_name")
        size = type_.size if bits is None else (bits + number(child, "DW_AT_bit_size", 1) + 7) // 8 - offset
        made.members.append((name, offset, type_, optional or not name, size))

    def find(self, name):
        """Return the types of this name. A name without its scopes is accepted."""
        wanted = plain(name)
        if not wanted:
            return []
        dies = self.by_name.get(wanted)
        if not dies:
            dies = [d for full, list_ in self.by_name.items() if full.endswith("::" + wanted) and
                    not set(full[:-len(wanted)]) & set("<&*") for d in list_]
        found = {id(t): t for t in map(self.type_of, dies) if t is not None}
        if not found and wanted[-1] in "*&":
            found = {0: Type.__new__(Type)}
            found[0].__dict__.update(die=None, name=None, size=8, kind="pointer", members=[], element=None,
                                     flexible=False, contents=None)
        return list(found.values())


def text(die, attribute):
    value = die.attributes.get(attribute)
    return value.value.decode("utf-8", "replace") if value and isinstance(value.value, bytes) else ""


def number(die, attribute, default):
    value = die.attributes.get(attribute)
    return value.value if value and isinstance(value.value, int) else default


def at_offset(type_, offset, depth=0):
    """Yield (paths, type, offset) of the type and of everything inside it at this offset. `paths` are names of the
    place."""
    yield {""}, type_, offset
    if depth > DEEPEST:
        return
    if type_.contents is not None:
        yield from at_offset(type_.contents, offset, depth + 1)
    if type_.kind == "array" and type_.element is not None and type_.element.size:
        for paths, inner, at in at_offset(type_.element, offset % type_.element.size, depth + 1):
            yield {joined("[]", p) for p in paths}, inner, at
    for name, start, member, optional, size in type_.members:
        if not start <= offset < start + max(size, 1) and not (member.flexible and offset >= start):
            continue
        for paths, inner, at in at_offset(member, offset - start, depth + 1):
            yield {joined(name, p) for p in paths} | (paths if optional else set()), inner, at


def joined(name, path):
    if not name or not path:
        return name or path
    return name + path if path.startswith("[]") else f"{name}.{path}"


def contains(outer, offset, inner, inner_offset):
    """Return true if `outer` has `inner` at its offset, with the same byte of `inner`."""
    if inner.size and inner.kind in ("scalar", "pointer"):
        inner_offset %= inner.size
    return any(t.same(inner) and (at % t.size if t.size and t.kind in ("scalar", "pointer") else at) == inner_offset
               for _, t, at in at_offset(outer, offset))


def within(outer, inner, depth=0):
    """Return true if `outer` is or has `inner`, at any offset."""
    if outer is None or depth > DEEPEST:
        return False
    parts = [outer.element, outer.contents, *(m[2] for m in outer.members)]
    return outer.same(inner) or any(within(p, inner, depth + 1) for p in parts if p is not None)


def paths_at(type_, offset):
    """Return every name of the member at the offset."""
    return {p.replace("[][]", "[]") for paths, _, _ in at_offset(type_, offset) for p in paths}
