# SPDX-License-Identifier: Apache-2.0
"""What firmware can do wrongly to the hardware: a row for each register and each field of a
descriptor, with what has to be said. Statements for the template's C; see kit_test.py."""

FLASH = "ssd.channel0.controller"
FRONT = "ssd.front_end"

# In front of the template's answer(): one operation or move with a field spoiled by the statement.
HELPERS = """
static uint64_t everywhere_else(const struct fw* f)
{
    return MAP_DRAM_BASE + f->params->dram_size;
}

static struct flash_desc a_read(const struct fw* f)
{
    struct flash_desc op;
    mem_zero(&op, sizeof op);
    op.op = FLASH_OP_READ;
    op.plane_mask = 1;
    op.length = f->params->geometry.page_size;
    op.buffer = f->drive->buffer;
    op.trace = FLASH_TRACE_NONE;
    return op;
}

static struct fe_move a_move(const struct fw* f, const struct fe_command* c)
{
    struct fe_move move;
    mem_zero(&move, sizeof move);
    move.op = c->sqe.opcode == NVME_IO_WRITE ? FE_MOVE_FROM_HOST : FE_MOVE_TO_HOST;
    move.slot = c->slot;
    move.length = SECTOR;
    move.buffer = f->drive->buffer;
    return move;
}

/* Without a look at how it ends: what is refused has no end. */
static void order(struct fw* f, const struct fe_move* move)
{
    struct drive* d = f->drive;
    d->moves[d->move_tail] = *move;
    d->move_tail = (d->move_tail + 1) % MOVES;
    set(f, MAP_NVME_BASE, FE_REG_MOVE_TAIL, d->move_tail);
}
"""


def operation(spoil):
    return f"struct flash_desc op = a_read(f); {spoil}; (void)flash_run(f, 0, &op);"


def move(spoil):
    return f"struct fe_move move = a_move(f, c); {spoil}; order(f, &move);"


def window(block, register, value):
    return f"set(f, {block}, {register}, {value});"


def channel(register, value):
    return window("channel_base(0)", f"CHANNEL_REG_{register}", value)


def front(register, value):
    return window("MAP_NVME_BASE", f"FE_REG_{register}", value)


def nor(*writes):
    wait = "while (hal_read32(f->hal, MAP_NOR_BASE + NOR_REG_STATUS) & NOR_STATUS_BUSY) { }"
    return " ".join(window("MAP_NOR_BASE", f"NOR_REG_{r}", v) for r, v in writes) + " " + wait


MOVES = ("set_ring(f, MAP_NVME_BASE, FE_REG_MOVE_BASE_LO, f->drive->moves, MOVES); "
         "f->drive->move_tail = 0;")

# C statement, who, what is said of it.
OPERATIONS = [
    (operation("op.op = 77"), FLASH, "op is 77: unknown operation (op 77 (?), LUN 0"),
    (operation("op.lun = 99"), FLASH, "lun is 99: LUN out of range (op 1 (READ), LUN 99"),
    (operation("op.plane_mask = 0"), FLASH, "plane_mask is 0: plane mask out of range"),
    (operation("op.flags = 0x40"), FLASH, "flags is 64: unknown flags"),
    (operation("op.purpose = 42"), FLASH, "purpose is 42: unknown purpose"),
    (operation("op.wait = 8"), FLASH, "wait is 8: unknown reason to wait"),
    (operation("op.program_mode = 5"), FLASH, "program_mode is 5: unknown program mode"),
    (operation("op.program_mode = FLASH_MODE_SHALLOW"), FLASH, "program_mode is 1: program mode "
     "that this part or operation does not have"),
    (operation("op.retry = 200"), FLASH, "retry is 200: read retry level"),
    (operation("op.block = 70000"), FLASH, "block is 0x11170: block out of range"),
    (operation("op.page = 9999"), FLASH, "page is 9999: page out of range"),
    (operation("op.column = 512"), FLASH, "column + length is 16896: data beyond the page"),
    (operation("op.length -= SECTOR; op.column = 8"), FLASH, "column is 8: column that is not at"),
    (operation("op.length = 100"), FLASH, "length is 100: data that are not whole sectors"),
    (operation("op.length = 0"), FLASH, "length is 0: no bytes to move"),
    (operation("op.oob_length = 200; op.oob = f->drive->spare"), FLASH,
     "oob_length is 200: more out-of-band bytes"),
    (operation("op.oob_length = 1"), FLASH, "oob is 0: out-of-band bytes without an address"),
    (operation("op.oob_length = 8; op.oob = 0x1000"), FLASH, "oob is 4096: out-of-band bytes that "
     "are not all SRAM or DRAM of firmware's"),
    (operation("op.buffer += 4"), FLASH, "address that is not a multiple of 8 (op 1 (READ)"),
    (operation("op.buffer = 0x30000000"), FLASH, "buffer is 0x30000000: bytes from there on that "
     "are not all SRAM or DRAM"),
    (operation("op.buffer = everywhere_else(f) - 8"), FLASH, "bytes from there on that are not"),
    (operation("op.flags = FLASH_FLAG_SG; op.sg_unit = 100"), FLASH,
     "sg_unit is 100: scatter-gather unit is not whole sectors"),
    (operation("uint64_t* list = hal_pointer(f->hal, op.buffer); list[0] = f->drive->map; "
               "list[1] = 12; op.flags = FLASH_FLAG_SG; op.sg_unit = 8192"), FLASH,
     "entry 1 of the list at buffer 0x100000000 is 0xc: address that is not a multiple of 8"),
    (operation("op.op = FLASH_OP_COPYBACK; op.length = 0; op.to_page = 9999"), FLASH,
     "to_page is 9999: destination page out of range"),
    (operation("op.op = FLASH_OP_COPYBACK; op.length = 0; op.to_block = 9999"), FLASH,
     "to_block is 9999: destination block out of range"),
    (operation("op.op = FLASH_OP_READ_ID"), FLASH, "length is 16384: length that the register"),
    (operation("op.op = FLASH_OP_PROGRAM; op.block = 20; op.page = 7"), "ssd.channel0.lun0",
     "program out of page order: plane 0 block 20 page 7"),
]
CHANNEL = [
    (channel("SQ_TAIL", 9), FLASH, "SQ_TAIL does not take 9: SQ_SIZE is 4"),
    (channel("CQ_HEAD", 7), FLASH, "CQ_HEAD does not take 7: CQ_SIZE is 4"),
    (channel("CQ_HEAD", "(f->drive->completion_head[0] + 1) % OPERATIONS"), FLASH,
     "of CQ_SIZE 4 are there to be read"),
    (channel("SQ_SIZE", 1), FLASH, "SQ_SIZE does not take 1: a ring has 2 to 65536 entries"),
    (channel("CQ_SIZE", 70000), FLASH, "CQ_SIZE does not take 70000"),
    (channel("INT_ENABLE", 3), "ssd.channel0", "INT_ENABLE does not take 0x3: its bits are 0x1"),
    (channel("LUNS", 5), FLASH, "LUNS is read-only; 5 was written"),
    (channel("SUSPEND", 4), FLASH, "SUSPEND does not take 0x4: bits 0 and 1 are"),
]
HOST = [
    (move("move.op = 9"), FRONT, "op is 9: unknown operation (move "),
    (move("move.slot = 9999"), FRONT, "slot is 9999: there are 512"),
    (move("move.slot = 500"), FRONT, "slot 500 has no command of firmware's"),
    (move("move.flags = 0x40"), FRONT, "flags are 0x40: unknown are 0x40"),
    (move("move.wait = 8"), FRONT, "wait is 8: unknown reason"),
    (move("move.buffer += 2"), FRONT, "address that is not a multiple of 8 (move "),
    (move("move.buffer = 0x1000"), FRONT, "buffer is 0x1000: the 512 bytes from there on are not"),
    (move("move.buffer = everywhere_else(f)"), FRONT, "the 512 bytes from there on are not all"),
    (move("move.offset = 1 << 20"), FRONT, "offset 1048576 and length 512 lie beyond the comman"),
    ("complete(f, c->slot, DNR(NVME_SC_INVALID_FIELD), 0); "
     "complete(f, c->slot, DNR(NVME_SC_INVALID_FIELD), 0); return 1;", FRONT,
     "has no command of firmware's: its last one, CID "),
    (front("MOVE_TAIL", 8), FRONT, "MOVE_TAIL does not take 8: MOVE_SIZE is 8"),
    (front("CMD_HEAD", 300), FRONT, "CMD_HEAD does not take 300: entries "),
    (front("DONE_HEAD", "(f->drive->done_head + 1) % MOVES"), FRONT, "DONE_HEAD does not take "),
    (front("CMD_SIZE", 1), FRONT, "CMD_SIZE does not take 1: a ring has 2 entries at least"),
    (front("MOVE_BASE_HI", 0x50) + front("MOVE_SIZE", 8) + MOVES, FRONT, "MOVE_BASE is 0x50"),
    (front("INT_ENABLE", "0x80 | FE_INT_COMMAND | FE_INT_DONE | FE_INT_CC"), FRONT,
     "INT_ENABLE does not take 0x8b: its bits are 0x1f"),
    (front("CC", 1), FRONT, "CC is read-only; 0x1 was written"),
    (front("Q_PRIORITY", 4), FRONT, "Q_PRIORITY does not take 0x4: its bits are 0x3"),
    (front("Q_ID", 1) + front("Q_COMMAND", "FE_Q_CREATE_CQ"), FRONT,
     "Q_COMMAND 3 (CREATE_CQ) cannot be done: Q_ID 1 of 1 to "),
    (front("VEC_ID", 999) + front("VEC_CONTROL", 1), FRONT, "goes nowhere: VEC_ID is 999"),
    (front("NS_ID", 99) + front("NS_FORMAT", 9), FRONT, "goes nowhere: NS_ID is 99, of 1 to 64"),
    (nor(("AREA", 9), ("COMMAND", "NOR_LOAD")), "ssd.nor", "COMMAND 2 for AREA 9: areas are 0 "),
    (nor(("AREA", 0), ("OFFSET", 0), ("LENGTH", 64), ("COMMAND", "NOR_PROGRAM")), "ssd.nor",
     "COMMAND 1 with LENGTH 64: the page buffer holds 0 bytes"),
    (nor(("LENGTH", 0), ("COMMAND", "NOR_LOAD")), "ssd.nor",
     "COMMAND 2 with LENGTH 0: an image has 1 to 4194304 bytes"),
    (nor(("LENGTH", "NOR_AREA_SIZE + 1"), ("COMMAND", "NOR_LOAD")), "ssd.nor",
     "COMMAND 2 with LENGTH 4194305: an image has 1 to "),
    (nor(("OFFSET", 12), ("LENGTH", 0), ("COMMAND", "NOR_PROGRAM")), "ssd.nor",
     "COMMAND 1 with OFFSET 0xc: no multiple of 4096"),
    ("for (uint32_t i = 0; i < NOR_PAGE / 4; ++i) { "
     + window("MAP_NOR_BASE", "NOR_REG_DATA", "i") + " } "
     + window("MAP_NOR_BASE", "NOR_REG_DATA", 77), "ssd.nor", "DATA 0x4d is lost: the page"),
    (window("MAP_IRQ_BASE + 2 * IRQ_CORE_STRIDE", "IRQ_REG_DOORBELL", 1), "ssd.irq",
     "DOORBELL of core 2: there is 1"),
]


def source(rows):
    """The function that does the n-th of them; 1: the command is answered."""
    cases = "".join(f"    case {n}: {{ {row[0]} }} break;\n" for n, row in enumerate(rows))
    return (HELPERS + "\nstatic int misuse(struct fw* f, const struct fe_command* c, uint32_t n)\n"
            "{\n    switch (n) {\n" + cases + "    default:\n        break;\n    }\n"
            "    return 0;\n}\n\n")
