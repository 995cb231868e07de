# SPDX-License-Identifier: Apache-2.0
"""What the SystemRDL files say, as plain records. PeakRDL's compiler reads them."""
import dataclasses
import pathlib
import typing

from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, MemNode, Node, RegfileNode, RegNode
from systemrdl.rdltypes import AccessType, OnReadType, OnWriteType


@dataclasses.dataclass
class Member:
    """A value of a field that has a name."""
    name: str
    value: int
    desc: str


@dataclasses.dataclass
class Field:
    """Bits low..high of a register."""
    name: str
    low: int
    high: int
    desc: str
    access: str
    reset: typing.Optional[int]
    configured_by: str
    legal: typing.Tuple[typing.Optional[int], typing.Optional[int]]
    acts: bool
    enum: str
    enum_prefix: typing.Optional[str]
    members: typing.List[Member]

    @property
    def width(self) -> int:
        return self.high - self.low + 1

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.low


@dataclasses.dataclass
class Register:
    """Offset from the start of its block, or of its group."""
    name: str
    title: str
    desc: str
    offset: int
    width: int
    c_fields: str
    fields: typing.List[Field]

    @property
    def access(self) -> str:
        """That of its fields, where they agree, else that of each."""
        return "/".join(dict.fromkeys(f.access for f in self.fields))

    @property
    def reset(self) -> int:
        """Bits that the configuration decides are 0 here."""
        return sum((f.reset or 0) << f.low for f in self.fields)

    def mask(self, *access: str) -> int:
        return sum(f.mask for f in self.fields if f.access in access)

    @property
    def configured(self) -> int:
        """Bits whose reset value is not a constant."""
        return sum(f.mask for f in self.fields if f.reset is None and f.access != "WO")


@dataclasses.dataclass
class Group:
    """Registers that repeat: doorbells, table entries."""
    name: str
    desc: str
    offset: int
    count: int
    stride: int
    registers: typing.List[Register]
    is_bank: bool
    c_count: str
    irq_line: typing.Optional[int]
    irq_line_name: str


@dataclasses.dataclass
class Window:
    """A part of the memory map. A count above 1 with `size` as the distance; size 0 = no bound."""
    name: str
    what: str
    base: int
    size: int
    count: int
    is_memory: bool
    irq_line: typing.Optional[int]
    irq_line_count: typing.Optional[int]
    block: typing.Optional["Block"]


@dataclasses.dataclass
class Block:
    """One RDL file: registers, groups of them, or windows of the memory map."""
    source: str
    name: str
    title: str
    desc: str
    header: str
    prefix: str
    records: str
    size: int
    irq_lines: typing.Optional[int]
    registers: typing.List[Register]
    groups: typing.List[Group]
    windows: typing.List[Window]


ONWRITE = {OnWriteType.woclr: "RW1C", OnWriteType.woset: "RW1S"}
ACCESS = {AccessType.r: "RO", AccessType.w: "WO", AccessType.rw: "RW"}


def words(node: Node) -> str:
    return " ".join((node.get_property("desc") or "").split())


def field_of(node: FieldNode) -> Field:
    onwrite = node.get_property("onwrite")
    encode = node.get_property("encode")
    members = [Member(m.name, m.value, " ".join((m.rdl_desc or "").split())) for m in encode or ()]
    reset = node.get_property("reset")
    configured_by = node.get_property("configured_by", default="")
    access = ONWRITE[onwrite] if onwrite else ACCESS[node.get_property("sw")]
    if (reset is None) != bool(configured_by) and access != "WO":
        raise ValueError(f"{node.get_path()}: give either `reset` or `configured_by`")
    return Field(node.inst_name, node.low, node.high, words(node), access, reset, configured_by,
                 (node.get_property("legal_min"), node.get_property("legal_max")),
                 node.get_property("acts", default=False), encode.type_name if encode else "",
                 node.get_property("c_enum_prefix"), members)


def read_effect(node: RegNode) -> bool:
    return any(f.get_property("onread") == OnReadType.ruser for f in node.fields())


def register_of(node: RegNode, prefix: str, offset: int) -> Register:
    fields = sorted((field_of(f) for f in node.fields()), key=lambda f: f.low)
    c_fields = node.get_property("c_fields", default=f"{prefix}_{node.inst_name}")
    if read_effect(node) and "reading" not in words(node):
        raise ValueError(f"{node.get_path()}: the description says what reading does")
    if not words(node):
        raise ValueError(f"{node.get_path()}: no description")
    title = node.get_property("name") if "name" in node.list_properties() else ""
    return Register(node.inst_name, title, words(node), offset, node.get_property("regwidth"),
                    c_fields, fields)


def group_of(node: RegfileNode, prefix: str) -> Group:
    is_bank = node.get_property("c_bank", default=False)
    inner = prefix if is_bank else f"{prefix}_{node.inst_name}"
    registers = [register_of(r, inner, r.raw_address_offset)
                 for r in node.children() if isinstance(r, RegNode)]
    return Group(node.inst_name, words(node), node.raw_address_offset, node.array_dimensions[0],
                 node.array_stride, registers, is_bank, node.get_property("c_count", default=""),
                 node.get_property("irq_line"), node.get_property("irq_line_name", default=""))


def window_of(node: typing.Union[MemNode, AddrmapNode]) -> Window:
    count = node.array_dimensions[0] if node.is_array else 1
    if isinstance(node, MemNode):
        open_ended = node.get_property("open_ended", default=False)
        return Window(node.inst_name, words(node), node.raw_address_offset,
                      0 if open_ended else node.size, count, True, None, None, None)
    size = node.get_property("window")
    if size is None:
        raise ValueError(f"{node.get_path()}: give its `window`, in bytes")
    if node.size > size and not node.is_array:
        raise ValueError(f"{node.get_path()}: {node.size} bytes of registers, window {size}")
    block = block_of(node, f"{node.get_property('c_header')}")
    return Window(node.inst_name, block.title, node.raw_address_offset, size, count, False,
                  node.get_property("irq_line"), node.get_property("irq_line_count"), block)


def block_of(top: AddrmapNode, source: str) -> Block:
    prefix = top.get_property("c_prefix")
    if not prefix or not top.get_property("c_header"):
        raise ValueError(f"{source}: addrmap {top.inst_name} wants `c_prefix` and `c_header`")
    block = Block(source, top.orig_type_name, top.get_property("name"), words(top),
                  top.get_property("c_header"), prefix, top.get_property("c_records", default=""),
                  top.size, top.get_property("irq_lines"), [], [], [])
    for node in top.children():
        if isinstance(node, RegNode):
            block.registers.append(register_of(node, prefix, node.raw_address_offset))
        elif isinstance(node, RegfileNode):
            block.groups.append(group_of(node, prefix))
        elif isinstance(node, (MemNode, AddrmapNode)):
            block.windows.append(window_of(node))
    return block


def load(root: pathlib.Path, source: str) -> Block:
    """The block that a file of models/regs describes. Raises RDLCompileError, which the compiler
    has explained on stderr, with file and line."""
    compiler = RDLCompiler()
    compiler.compile_file(str(root / source))
    return block_of(compiler.elaborate().top, source)
