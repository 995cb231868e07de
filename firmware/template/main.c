/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole controller firmware in one file: it polls the host's commands one after the other and
 * answers Identify, queue management, Read, Write and Flush.
 *
 * Each logical page has an entry in a map in DRAM: which flash page holds it. Writes append: the
 * next flash page of the drive is programmed, and the map points to it. Nothing is ever collected,
 * and the map is gone when power is: both are left to you. A logical page is as large as a flash
 * page; a write of less reads the rest first.
 *
 * Registers and rings: models/regs in the clone of ssdvp. What the port promises:
 * firmware/hal/hal.h.
 */
#include "firmware/hal/hal.h"
#include "firmware/lib/mem.h"
#include "models/regs/boot_params.h"
#include "models/regs/channel_regs.h"
#include "models/regs/irq_regs.h"
#include "models/regs/nvme_fe_regs.h"
#include "models/regs/telemetry.h"

enum { COMMANDS = 256, MOVES = 8, OPERATIONS = 4, SECTOR = 512, HOST_PAGE = 4096 };

/* All state. A copy per drive: nothing is static, so that several drives share this code. */
struct drive {
    struct fe_command commands[COMMANDS];
    struct fe_move moves[MOVES];
    struct fe_move_done dones[MOVES];
    struct flash_desc operations[MAP_CHANNEL_MAX][OPERATIONS];
    struct flash_completion completions[MAP_CHANNEL_MAX][OPERATIONS];
    uint32_t operation_tail[MAP_CHANNEL_MAX];
    uint32_t completion_head[MAP_CHANNEL_MAX];
    uint32_t completion_phase[MAP_CHANNEL_MAX];
    uint32_t command_head;
    uint32_t command_phase;
    uint32_t move_tail;
    uint32_t done_head;
    uint32_t done_phase;
    uint32_t csts;
    uint32_t columns;   /* planes of all LUNs: the flash pages that are side by side */
    uint64_t next_page; /* flash page that is programmed next */
    uint64_t flash_pages;
    uint64_t pages; /* logical ones */
    /* Controller addresses in DRAM. */
    uint64_t buffer; /* one flash page */
    uint64_t spare;  /* a spare byte */
    uint64_t map;    /* uint32_t per logical page: flash page + 1, 0 = never written */
    uint64_t skip;   /* uint8_t per column: 1 = its block is bad */
};

/* What every function needs. It lies on the stack and holds the pointers of this run. */
struct fw {
    struct hal* hal;
    const struct boot_params* params;
    struct drive* drive;
    struct telemetry* telemetry;
};

#define FW_ASSERT(f, condition) HAL_ASSERT((f)->hal, condition)
#define DNR(status) ((uint32_t)(status) | NVME_STATUS_DNR)

static uint64_t address_of(const struct fw* f, const void* in_sram)
{
    return MAP_SRAM_BASE + (uint64_t)((const uint8_t*)in_sram - f->hal->sram);
}

static void set(struct fw* f, uint64_t block, uint32_t reg, uint32_t value)
{
    hal_write32(f->hal, block + reg, value);
}

/* Base, low and high word, and size of a ring lie in consecutive registers of any block. */
static void set_ring(struct fw* f, uint64_t block, uint32_t reg, const void* ring, uint32_t entries)
{
    const uint64_t base = address_of(f, ring);
    set(f, block, reg, (uint32_t)base);
    set(f, block, reg + 4, (uint32_t)(base >> 32));
    set(f, block, reg + 8, entries);
}

/* ---- Flash ---------------------------------------------------------------------------------- */

static uint64_t channel_base(uint32_t channel)
{
    return MAP_CHANNEL_BASE + channel * MAP_CHANNEL_SIZE;
}

/* One operation on one channel, to its end. Returns an enum flash_status. */
static uint32_t flash_run(struct fw* f, uint32_t channel, const struct flash_desc* operation)
{
    struct drive* d = f->drive;
    uint32_t* tail = &d->operation_tail[channel];
    uint32_t* head = &d->completion_head[channel];
    const struct flash_completion* done = &d->completions[channel][*head];
    FW_ASSERT(f, channel < f->params->geometry.channels);
    d->operations[channel][*tail] = *operation;
    *tail = (*tail + 1) % OPERATIONS;
    set(f, channel_base(channel), CHANNEL_REG_SQ_TAIL, *tail);
    while ((done->phase & 1u) != d->completion_phase[channel]) {
        (void)hal_wait_irq(f->hal);
        if (hal_stopping(f->hal)) {
            return FLASH_STATUS_UNCORRECTABLE;
        }
    }
    *head = (*head + 1) % OPERATIONS;
    d->completion_phase[channel] ^= *head == 0;
    set(f, channel_base(channel), CHANNEL_REG_CQ_HEAD, *head);
    return done->status;
}

/* Flash page number -> where it is: neighbours lie on different channels, then LUNs, then planes.
 */
static uint32_t locate(const struct fw* f, uint64_t page, struct flash_desc* to)
{
    const struct boot_params* p = f->params;
    const uint32_t column = (uint32_t)(page % f->drive->columns);
    const uint64_t row = page / f->drive->columns;
    mem_zero(to, sizeof *to);
    to->lun = (uint8_t)(column / p->geometry.channels % p->geometry.luns_per_channel);
    to->plane_mask =
        (uint8_t)(1u << (column / p->geometry.channels / p->geometry.luns_per_channel));
    to->page = (uint32_t)(row % p->geometry.pages_per_block);
    to->block = (uint32_t)(row / p->geometry.pages_per_block);
    to->trace = FLASH_TRACE_NONE;
    return column % p->geometry.channels;
}

/* Sectors of a logical page into the buffer, at their place there. Returns an NVMe status. */
static uint32_t read_sectors(struct fw* f, uint64_t page, uint32_t first, uint32_t sectors,
                             uint16_t slot)
{
    const uint32_t* map = hal_pointer(f->hal, f->drive->map);
    struct flash_desc op;
    FW_ASSERT(f, page < f->drive->pages);
    if (map[page] == 0) {
        uint8_t* to = hal_pointer(f->hal, f->drive->buffer);
        mem_zero(to + first * SECTOR, (size_t)sectors * SECTOR);
        return NVME_SC_SUCCESS;
    }
    const uint32_t channel = locate(f, map[page] - 1, &op);
    op.op = FLASH_OP_READ;
    op.column = first * SECTOR;
    op.length = sectors * SECTOR;
    op.buffer = f->drive->buffer + first * SECTOR;
    op.trace = slot;
    return flash_run(f, channel, &op) == FLASH_STATUS_OK ? NVME_SC_SUCCESS
                                                         : DNR(NVME_SC_UNRECOVERED_READ_ERROR);
}

/* The factory marks a bad block by 00h in the first spare byte of its first page. */
static int is_bad(struct fw* f, uint64_t page)
{
    uint8_t* mark = hal_pointer(f->hal, f->drive->spare);
    struct flash_desc op;
    const uint32_t channel = locate(f, page, &op);
    FW_ASSERT(f, op.page == 0);
    op.op = FLASH_OP_READ;
    op.purpose = FLASH_PURPOSE_SCAN;
    op.oob = f->drive->spare;
    op.oob_length = 1;
    mark[0] = 0xFF;
    const uint32_t status = flash_run(f, channel, &op);
    return mark[0] == 0 && (status == FLASH_STATUS_OK || status == FLASH_STATUS_UNCORRECTABLE);
}

/* Programs the buffer to the next flash page that takes it. Returns an NVMe status. */
static uint32_t append_page(struct fw* f, uint64_t page, uint16_t slot)
{
    struct drive* d = f->drive;
    uint8_t* skip = hal_pointer(f->hal, d->skip);
    uint32_t* map = hal_pointer(f->hal, d->map);
    struct flash_desc op;
    FW_ASSERT(f, page < d->pages);
    while (d->next_page < d->flash_pages) {
        const uint64_t to = d->next_page++;
        const uint32_t column = (uint32_t)(to % d->columns);
        const uint32_t channel = locate(f, to, &op);
        if (op.page == 0) {
            skip[column] = (uint8_t)is_bad(f, to);
        }
        if (skip[column]) {
            continue;
        }
        op.op = FLASH_OP_PROGRAM;
        op.length = f->params->geometry.page_size;
        op.buffer = d->buffer;
        op.trace = slot;
        if (hal_stopping(f->hal)) {
            break;
        }
        f->telemetry->host_units_written += f->params->geometry.page_size / f->params->ftl.map_unit;
        if (flash_run(f, channel, &op) == FLASH_STATUS_OK) {
            f->telemetry->mapped += map[page] == 0;
            f->telemetry->valid = f->telemetry->mapped;
            map[page] = (uint32_t)to + 1;
            return NVME_SC_SUCCESS;
        }
        skip[column] = 1; /* what the block holds already stays readable */
    }
    return DNR(NVME_SC_WRITE_FAULT); /* every page has been programmed: nothing collects here */
}

/* ---- Host ----------------------------------------------------------------------------------- */

/* One order to the data mover, to its end. Returns 0, or 1 when the transfer failed. */
static int move_run(struct fw* f, const struct fe_move* move)
{
    struct drive* d = f->drive;
    const struct fe_move_done* done = &d->dones[d->done_head];
    FW_ASSERT(f, d->move_tail < MOVES);
    d->moves[d->move_tail] = *move;
    d->moves[d->move_tail].flags |= FE_MOVE_NOTIFY | FE_MOVE_IRQ;
    d->move_tail = (d->move_tail + 1) % MOVES;
    set(f, MAP_NVME_BASE, FE_REG_MOVE_TAIL, d->move_tail);
    while ((done->phase & 1u) != d->done_phase) {
        (void)hal_wait_irq(f->hal);
        if (hal_stopping(f->hal)) {
            return 1;
        }
    }
    d->done_head = (d->done_head + 1) % MOVES;
    d->done_phase ^= d->done_head == 0;
    set(f, MAP_NVME_BASE, FE_REG_DONE_HEAD, d->done_head);
    return done->status != FE_DONE_OK;
}

static void complete(struct fw* f, uint16_t slot, uint32_t status, uint32_t dw0)
{
    struct fe_move move;
    mem_zero(&move, sizeof move);
    move.op = FE_MOVE_COMPLETE;
    move.flags = FE_MOVE_CQE;
    move.slot = slot;
    move.status = (uint16_t)status;
    move.dw0 = dw0;
    (void)move_run(f, &move);
}

/* A Read or Write, logical page by logical page. Returns an NVMe status. */
static uint32_t transfer(struct fw* f, const struct fe_command* c)
{
    const uint32_t page_sectors = f->params->geometry.page_size / SECTOR;
    const int writes = c->sqe.opcode == NVME_IO_WRITE;
    uint64_t lba = ((uint64_t)c->sqe.cdw11 << 32) | c->sqe.cdw10;
    uint32_t left = (c->sqe.cdw12 & 0xFFFFu) + 1;
    uint32_t status = c->status; /* of its data pointers */
    struct fe_move move;
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (lba >= f->drive->pages * page_sectors || left > f->drive->pages * page_sectors - lba) {
        return DNR(NVME_SC_LBA_OUT_OF_RANGE);
    }
    mem_zero(&move, sizeof move);
    move.slot = c->slot;
    move.op = writes ? FE_MOVE_FROM_HOST : FE_MOVE_TO_HOST;
    while (left != 0 && status == NVME_SC_SUCCESS) {
        const uint64_t page = lba / page_sectors;
        const uint32_t first = (uint32_t)(lba % page_sectors);
        const uint32_t n = left < page_sectors - first ? left : page_sectors - first;
        if (!writes) {
            status = read_sectors(f, page, first, n, c->slot);
        } else if (n < page_sectors) {
            status = read_sectors(f, page, 0, page_sectors, c->slot);
        }
        move.buffer = f->drive->buffer + first * SECTOR;
        move.length = n * SECTOR;
        if (status == NVME_SC_SUCCESS && move_run(f, &move) != 0) {
            status = NVME_SC_DATA_TRANSFER_ERROR;
        }
        if (status == NVME_SC_SUCCESS && writes) {
            status = append_page(f, page, c->slot);
        }
        move.offset += n * SECTOR;
        lba += n;
        left -= n;
    }
    return status;
}

static void put(uint8_t* at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* Identify controller (CNS 01h) or namespace (00h): NVM Express base 1.4, figures 247 and 245. */
static uint32_t identify(struct fw* f, const struct fe_command* c)
{
    uint8_t* page = hal_pointer(f->hal, f->drive->buffer);
    const uint64_t sectors = f->drive->pages * (f->params->geometry.page_size / SECTOR);
    struct fe_move move;
    mem_zero(page, HOST_PAGE);
    if ((c->sqe.cdw10 & 0xFFu) == 1) {
        mem_fill(page + 4, 0x20, 68); /* serial number, model, revision */
        mem_copy(page + 24, "@NAME@", sizeof "@NAME@" - 1);
        for (uint32_t most = f->params->host.mdts / HOST_PAGE; most > 1; most /= 2) {
            ++page[77]; /* MDTS: log2 of the largest transfer in pages of the host */
        }
        put(page + 80, NVME_VS_RESET, 4);
        page[512] = 0x66;      /* SQES: 64 bytes */
        page[513] = 0x44;      /* CQES: 16 bytes */
        put(page + 516, 1, 4); /* NN: one namespace */
    } else if ((c->sqe.cdw10 & 0xFFu) == 0 && c->sqe.nsid == 1) {
        put(page + 0, sectors, 8);  /* NSZE */
        put(page + 8, sectors, 8);  /* NCAP */
        put(page + 16, sectors, 8); /* NUSE */
        page[128 + 2] = 9;          /* LBAF0: sectors of 2^9 bytes */
    } else {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    mem_zero(&move, sizeof move);
    move.op = FE_MOVE_TO_HOST;
    move.flags = FE_MOVE_METADATA;
    move.slot = c->slot;
    move.buffer = f->drive->buffer;
    move.length = HOST_PAGE;
    return move_run(f, &move) == 0 ? NVME_SC_SUCCESS : NVME_SC_DATA_TRANSFER_ERROR;
}

/* Create or Delete an I/O queue: the front end does the work. */
static uint32_t queue(struct fw* f, const struct nvme_sqe* q, uint32_t what)
{
    const uint32_t id = q->cdw10 & 0xFFFFu;
    if (id == 0 || id > f->params->host.queue_pairs) {
        return DNR(NVME_SC_QID_INVALID);
    }
    set(f, MAP_NVME_BASE, FE_REG_Q_ID, id);
    set(f, MAP_NVME_BASE, FE_REG_Q_BASE_LO, (uint32_t)q->prp1);
    set(f, MAP_NVME_BASE, FE_REG_Q_BASE_HI, (uint32_t)(q->prp1 >> 32));
    set(f, MAP_NVME_BASE, FE_REG_Q_SIZE, (q->cdw10 >> 16) + 1);
    set(f, MAP_NVME_BASE, FE_REG_Q_CQID, q->cdw11 >> 16);
    set(f, MAP_NVME_BASE, FE_REG_Q_VECTOR, q->cdw11 >> 16 | (q->cdw11 & 2u) << 15);
    set(f, MAP_NVME_BASE, FE_REG_Q_COMMAND, what);
    while (hal_read32(f->hal, MAP_NVME_BASE + FE_REG_Q_COMMAND) != 0) {
    }
    return NVME_SC_SUCCESS;
}

static uint32_t admin(struct fw* f, const struct fe_command* c, uint32_t* dw0)
{
    const uint32_t pairs = f->params->host.queue_pairs - 1;
    switch (c->sqe.opcode) {
    case NVME_ADMIN_IDENTIFY:
        return identify(f, c);
    case NVME_ADMIN_CREATE_CQ:
        return queue(f, &c->sqe, FE_Q_CREATE_CQ);
    case NVME_ADMIN_CREATE_SQ:
        return queue(f, &c->sqe, FE_Q_CREATE_SQ);
    case NVME_ADMIN_DELETE_SQ:
        return queue(f, &c->sqe, FE_Q_DELETE_SQ);
    case NVME_ADMIN_DELETE_CQ:
        return queue(f, &c->sqe, FE_Q_DELETE_CQ);
    case NVME_ADMIN_SET_FEATURES:
        if ((c->sqe.cdw10 & 0xFFu) != NVME_FEATURE_NUMBER_OF_QUEUES) {
            return DNR(NVME_SC_INVALID_FIELD);
        }
        *dw0 = pairs << 16 | pairs;
        return NVME_SC_SUCCESS;
    default:
        return DNR(NVME_SC_INVALID_OPCODE);
    }
}

static void answer(struct fw* f, const struct fe_command* c)
{
    uint32_t status = DNR(NVME_SC_INVALID_OPCODE);
    uint32_t dw0 = 0;
    if (c->sq_id == 0) {
        status = admin(f, c, &dw0);
    } else if (c->sqe.opcode == NVME_IO_READ || c->sqe.opcode == NVME_IO_WRITE) {
        status = transfer(f, c);
    } else if (c->sqe.opcode == NVME_IO_FLUSH) {
        status = NVME_SC_SUCCESS; /* a write is on the flash before it is answered */
    }
    complete(f, c->slot, status, dw0);
}

/* Empty rings: at power-up, and when the host resets the controller. */
static void reset_rings(struct fw* f)
{
    struct drive* d = f->drive;
    mem_zero(d->commands, sizeof d->commands);
    mem_zero(d->dones, sizeof d->dones);
    d->command_head = d->move_tail = d->done_head = 0;
    d->command_phase = d->done_phase = 1;
    set_ring(f, MAP_NVME_BASE, FE_REG_CMD_BASE_LO, d->commands, COMMANDS);
    set_ring(f, MAP_NVME_BASE, FE_REG_MOVE_BASE_LO, d->moves, MOVES);
    set_ring(f, MAP_NVME_BASE, FE_REG_DONE_BASE_LO, d->dones, MOVES);
}

/* The host wrote CC: enable, disable (a reset), or shutdown. */
static void control(struct fw* f)
{
    const uint32_t cc = hal_read32(f->hal, MAP_NVME_BASE + FE_REG_CC);
    uint32_t csts = (cc & NVME_CC_EN) != 0 ? NVME_CSTS_RDY : 0;
    if (csts != 0 && (cc & NVME_CC_SHN_MASK) != 0) {
        csts |= NVME_CSTS_SHST_COMPLETE;
    }
    if (csts == f->drive->csts) {
        return;
    }
    if (csts == 0) {
        reset_rings(f);
    }
    f->drive->csts = csts;
    set(f, MAP_NVME_BASE, FE_REG_CSTS, csts);
}

static const struct fe_command* next_command(struct fw* f)
{
    struct drive* d = f->drive;
    const struct fe_command* c = &d->commands[d->command_head];
    if ((c->phase & 1u) != d->command_phase) {
        return NULL;
    }
    d->command_head = (d->command_head + 1) % COMMANDS;
    d->command_phase ^= d->command_head == 0;
    return c;
}

/* ---- Start ---------------------------------------------------------------------------------- */

static uint64_t take(uint64_t* next, uint64_t bytes)
{
    const uint64_t at = *next;
    *next = (at + bytes + 63) & ~UINT64_C(63);
    return at;
}

/* Where everything lies. Returns the bytes of DRAM that it takes. */
static uint64_t lay_out(struct fw* f)
{
    const struct boot_params* p = f->params;
    struct drive* d = f->drive;
    uint64_t next = MAP_DRAM_BASE;
    d->columns = p->geometry.channels * p->geometry.luns_per_channel * p->geometry.planes;
    d->flash_pages =
        (uint64_t)d->columns * p->geometry.blocks_per_plane * p->geometry.pages_per_block;
    d->pages = p->ftl.user_units / (p->geometry.page_size / p->ftl.map_unit);
    d->buffer = take(&next, p->geometry.page_size < HOST_PAGE ? HOST_PAGE : p->geometry.page_size);
    d->spare = take(&next, 8);
    d->skip = take(&next, d->columns);
    d->map = take(&next, d->pages * sizeof(uint32_t));
    HAL_ASSERT(f->hal, d->flash_pages < UINT32_MAX);
    return next - MAP_DRAM_BASE;
}

static void start_hardware(struct fw* f)
{
    const struct boot_params* p = f->params;
    uint64_t lines = UINT64_C(1) << IRQ_LINE_NVME;
    reset_rings(f);
    for (uint32_t c = 0; c < p->geometry.channels; ++c) {
        struct drive* d = f->drive;
        d->completion_phase[c] = 1;
        set_ring(f, channel_base(c), CHANNEL_REG_SQ_BASE_LO, d->operations[c], OPERATIONS);
        set_ring(f, channel_base(c), CHANNEL_REG_CQ_BASE_LO, d->completions[c], OPERATIONS);
        set(f, channel_base(c), CHANNEL_REG_INT_ENABLE, 1);
        lines |= UINT64_C(1) << (IRQ_LINE_CHANNEL0 + c % IRQ_CHANNEL_LINES);
    }
    set(f, MAP_NVME_BASE, FE_REG_LBA_SHIFT, 9);
    set(f, MAP_NVME_BASE, FE_REG_MDTS, p->host.mdts);
    set(f, MAP_NVME_BASE, FE_REG_INT_ENABLE, FE_INT_COMMAND | FE_INT_DONE | FE_INT_CC);
    set(f, MAP_IRQ_BASE, IRQ_REG_ENABLE_LO, (uint32_t)lines);
    set(f, MAP_IRQ_BASE, IRQ_REG_ENABLE_HI, (uint32_t)(lines >> 32));
}

static void bind(struct fw* f, struct hal* hal)
{
    f->hal = hal;
    f->params = (const struct boot_params*)(const void*)(hal->sram + BOOT_PARAMS_OFFSET);
    f->drive = (struct drive*)(void*)(hal->sram + BOOT_FREE_OFFSET);
    f->telemetry = (struct telemetry*)(void*)(hal->sram + BOOT_TELEMETRY_OFFSET);
    HAL_ASSERT(hal, f->params->magic == BOOT_PARAMS_MAGIC);
}

static int firmware_plan_of(struct hal* hal, struct firmware_plan* plan)
{
    struct fw fw;
    bind(&fw, hal);
    plan->sram = BOOT_FREE_OFFSET + sizeof *fw.drive;
    plan->dram = lay_out(&fw);
    return 0;
}

static void firmware_main(struct hal* hal)
{
    struct fw fw;
    bind(&fw, hal);
    HAL_ASSERT(hal, BOOT_FREE_OFFSET + sizeof *fw.drive <= fw.params->sram_size);
    const uint64_t dram = lay_out(&fw);
    HAL_ASSERT(hal, dram <= fw.params->dram_size);
    start_hardware(&fw);
    fw.telemetry->magic = TELEMETRY_MAGIC;
    fw.telemetry->ready = 1;
    hal_log(hal, HAL_LOG_INFO, "up: logical pages, flash pages", fw.drive->pages,
            fw.drive->flash_pages);
    while (!hal_stopping(hal)) {
        const struct fe_command* c = next_command(&fw);
        if (c != NULL) {
            answer(&fw, c);
            set(&fw, MAP_NVME_BASE, FE_REG_CMD_HEAD, fw.drive->command_head);
        } else {
            control(&fw);
            (void)hal_wait_irq(hal);
        }
    }
}

/* What the platform looks for. */
__attribute__((visibility("default"))) extern const struct firmware_image ssdvp_firmware;
const struct firmware_image ssdvp_firmware = {
    .magic = FIRMWARE_IMAGE_MAGIC,
    .abi_version = HAL_ABI_VERSION,
    .name = "@NAME@",
    .main = firmware_main,
    .plan = firmware_plan_of, /* what it needs of a drive; leave it out, and nobody checks */
};
