/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/metadata.h"

#include "firmware/host/nvme/metadata_blocks.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/nvme_read.h"
#include "firmware/host/nvme/nvme_write.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/telemetry.h"

static struct nvme_staging* staging_at(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < STAGINGS && e->hil->stagings != 0);
    return env_dram_entry(e, e->hil->stagings, i, sizeof(struct nvme_staging));
}

/* ---- Begin ---- */

int metadata_init(struct env* e)
{
    struct hil* h = e->hil;
    const uint32_t mdts = front_end_mdts(e);
    fifo_init(&h->staged);
    if (h->ata.on != 0 || metadata_formats(e) == 2) {
        return 0;
    }
    h->protections = dram_take(e, (uint64_t)front_end_slots(e) * sizeof(struct nvme_protection));
    h->stagings = dram_take(e, STAGINGS * sizeof(struct nvme_staging));
    const uint64_t areas = dram_take_pages(e, STAGINGS * (uint64_t)(mdts + mdts / 4));
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    mem_zero(env_dram(e, h->protections), front_end_slots(e) * sizeof(struct nvme_protection));
    for (uint32_t i = 0; i < STAGINGS; ++i) {
        struct nvme_staging* s = staging_at(e, i);
        mem_zero(s, sizeof *s);
        s->data = areas + i * (uint64_t)(mdts + mdts / 4);
        s->meta = s->data + mdts;
        s->kept = s->meta + mdts / 8;
    }
    FW_ASSERT(e, mdts / SECTOR_SIZE * STAGED_METADATA <= mdts / 8);
    return 0;
}

/* What is on its way to the host stays where it is until it has left. */
void metadata_reset(struct env* e)
{
    fifo_init(&e->hil->staged);
    for (uint32_t i = 0; e->hil->stagings != 0 && i < STAGINGS; ++i) {
        struct nvme_staging* s = staging_at(e, i);
        s->busy = s->busy && s->phase == STAGING_SEND;
        s->step = false;
    }
}

/* What the command was checked against is no more. */
static bool is_outdated(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    return n->sectors == 0 || metadata_form_key(n) != metadata_protection(e, slot)->form ||
           ((nvme_of(e)->formatting >> c->ns) & 1u) != 0;
}

void metadata_parse(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct nvme_protection* p = metadata_protection(e, slot);
    p->dword12 = q->cdw12;
    p->reference = q->cdw14;
    p->application = (uint16_t)q->cdw15;
    p->mask = (uint16_t)(q->cdw15 >> 16);
}

static uint32_t refuse(const struct protection_form* f, const struct nvme_protection* p,
                       uint32_t opcode, uint64_t block)
{
    const uint32_t prinfo = metadata_prinfo(p);
    if (f->type == 0) {
        return NVME_SC_SUCCESS; /* PRINFO says nothing */
    }
    if (opcode == NVME_IO_COPY) {
        const uint32_t source = (p->dword12 >> NVME_PRINFO_SOURCE_SHIFT) & 0xFu;
        if (((source ^ prinfo) & PRINFO_ACT) != 0) {
            return DNR(NVME_SC_INVALID_FIELD);
        }
    }
    if ((opcode == NVME_IO_COMPARE || opcode == NVME_IO_VERIFY) && (prinfo & PRINFO_ACT) != 0) {
        return DNR(NVME_SC_INVALID_PROTECTION);
    }
    if (opcode == NVME_IO_WRITE_ZEROES && (prinfo & PRINFO_CHECK) != 0) {
        return DNR(NVME_SC_INVALID_PROTECTION); /* there is nothing to check */
    }
    return protection_refuse(f->type, prinfo, p->reference, block);
}

/* Sources of a Copy. */
static uint32_t ranges_of(struct env* e, const struct nvme_staging* s)
{
    FW_ASSERT(e, s->opcode == NVME_IO_COPY);
    return (metadata_protection(e, s->slot)->dword12 & 0xFFu) + 1;
}

static void fetch(struct env* e, struct nvme_staging* s)
{
    struct fe_move move;
    const bool meta = s->phase == STAGING_META;
    hil_clear_move(&move, meta ? FE_MOVE_META_FROM_HOST : FE_MOVE_FROM_HOST, s->slot);
    move.flags = FE_MOVE_IRQ | FE_MOVE_METADATA;
    move.buffer = meta ? s->meta : s->opcode == NVME_IO_COPY ? s->kept : s->data;
    move.length = meta ? s->left * s->form.metadata
                  : s->opcode == NVME_IO_COPY
                      ? ranges_of(e, s) * (uint32_t)sizeof(struct nvme_copy_range)
                      : s->left * (s->form.block + (s->joined ? s->form.metadata : 0u));
    move.tag = ((uint32_t)MOVE_META_IN << MOVE_KIND_SHIFT) | s->slot;
    FW_ASSERT(e, move.length != 0 && move.length <= front_end_mdts(e));
    hil_finish_move(e, &move, false);
}

/* ---- Runs ---- */

/* Reads or writes the next blocks: no more than a transfer of sectors at a time, which is what
 * rings and lists of a command are made for. */
static void begin_run(struct env* e, struct nvme_staging* s, enum staging_phase phase)
{
    struct command* c = command_of(e, s->slot);
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    const uint32_t up = drive_ns_up(n);
    const uint32_t most = e->hil->max_sectors >> up;
    const uint64_t lba = n->start + (s->block << up);
    FW_ASSERT(e, most != 0 && s->left != 0);
    if (is_outdated(e, s->slot)) { /* it is formatted in the midst of it */
        s->phase = STAGING_OVER;
        hil_complete(e, s->slot, NVME_SC_FORMAT_IN_PROGRESS, 0);
        return;
    }
    s->run = s->left < most ? s->left : most;
    s->left -= s->run;
    s->phase = (uint8_t)phase;
    c->lba = lba;
    c->sectors = s->run << up;
    c->done = 0;
    const uint64_t beside = c->sectors - (s->run << (n->shift - SECTOR_SHIFT)); /* not data */
    if (phase == STAGING_READ) {
        c->state = COMMAND_READ;
        e->smart->host_read_sectors -= beside;
        hil_start_read(e, s->slot);
    } else {
        c->state = COMMAND_WRITE;
        e->smart->host_write_sectors -= beside;
        hil_begin_write(e, s->slot);
    }
}

/* The blocks [first, first + count) of the staging. */
static uint32_t check(struct env* e, const struct nvme_staging* s, uint32_t first, uint32_t count)
{
    struct protection_tags t = s->tags;
    if (s->form.type == 0) {
        return NVME_SC_SUCCESS;
    }
    for (uint32_t i = first; i < first + count; ++i) {
        const uint8_t* meta =
            s->phase == STAGING_READ ? metadata_read(e, s, i) : metadata_of(e, s, i);
        const uint32_t status = protection_check(e, &s->form, metadata_data(e, s, i), meta, &t);
        if (status != NVME_SC_SUCCESS) {
            return status;
        }
        t.reference += s->form.type != 3 ? 1u : 0u;
    }
    return NVME_SC_SUCCESS;
}

static void make(struct env* e, const struct nvme_staging* s, uint32_t count)
{
    struct protection_tags t = s->tags;
    FW_ASSERT(e, s->form.type != 0);
    for (uint32_t i = 0; i < count; ++i) {
        protection_make(e, &s->form, metadata_data(e, s, i), metadata_of(e, s, i), &t);
        t.reference += s->form.type != 3 ? 1u : 0u;
    }
    FW_ASSERT(e, count != 0);
}

static struct protection_tags tags_of(const struct nvme_protection* p)
{
    return (struct protection_tags){.reference = p->reference,
                                    .application = p->application,
                                    .mask = p->mask,
                                    .check = metadata_prinfo(p) & PRINFO_CHECK};
}

/* All that is to be written, `blocks` of it, is staged: nothing is written if it is wrong. */
static void begin_write(struct env* e, struct nvme_staging* s, uint32_t blocks, uint64_t to)
{
    const struct nvme_protection* p = metadata_protection(e, s->slot);
    uint32_t status = NVME_SC_SUCCESS;
    s->phase = STAGING_OVER;
    s->tags = tags_of(p);
    if (s->form.type != 0 && (metadata_prinfo(p) & PRINFO_ACT) != 0) {
        make(e, s, blocks);
    } else {
        status = check(e, s, 0, blocks);
    }
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, s->slot, status, 0);
        return;
    }
    s->base = 0;
    s->left = blocks;
    s->block = to;
    begin_run(e, s, STAGING_WRITE);
}

/* Zeroes with protection information of each block: as many as a staging takes at a time. */
static void write_zeroes(struct env* e, struct nvme_staging* s)
{
    const uint32_t most = front_end_mdts(e) / (2 * s->form.block);
    const uint32_t blocks = s->left < most ? s->left : most;
    FW_ASSERT(e, !s->joined && blocks != 0);
    mem_zero(env_dram(e, s->data), (size_t)blocks * s->form.block);
    mem_zero(env_dram(e, s->meta), (size_t)blocks * s->form.metadata);
    make(e, s, blocks);
    begin_run(e, s, STAGING_WRITE);
}

/* ---- Copy ---- */

static const struct nvme_copy_range* range_of(struct env* e, const struct nvme_staging* s)
{
    FW_ASSERT(e, s->next < COPY_RANGES_MOST);
    return (const struct nvme_copy_range*)env_dram(e, s->kept) + s->next;
}

static uint32_t wrong_ranges(struct env* e, struct nvme_staging* s)
{
    const struct command* c = command_of(e, s->slot);
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    const uint64_t size = n->sectors >> drive_ns_up(n);
    const uint64_t to = c->ns_lba;
    uint64_t total = 0;
    for (s->next = 0; s->next < ranges_of(e, s); ++s->next) {
        const struct nvme_copy_range* r = range_of(e, s);
        const uint64_t blocks = (uint64_t)r->blocks + 1;
        total += blocks;
        if (total > front_end_mdts(e) >> n->shift) {
            return DNR(NVME_SC_COPY_SIZE_LIMIT);
        }
        if (r->slba >= size || blocks > size - r->slba) {
            return DNR(NVME_SC_LBA_OUT_OF_RANGE);
        }
        const uint32_t source =
            (metadata_protection(e, s->slot)->dword12 >> NVME_PRINFO_SOURCE_SHIFT) & 0xFu;
        if (s->form.type != 0 &&
            protection_refuse(s->form.type, source, r->reference, r->slba) != NVME_SC_SUCCESS) {
            return DNR(NVME_SC_INVALID_PROTECTION);
        }
    }
    FW_ASSERT(e, s->next != 0);
    return to >= size || total > size - to ? DNR(NVME_SC_LBA_OUT_OF_RANGE)
                                           : (uint32_t)NVME_SC_SUCCESS;
}

static void read_source(struct env* e, struct nvme_staging* s)
{
    const struct nvme_copy_range* r = range_of(e, s);
    const struct nvme_protection* p = metadata_protection(e, s->slot);
    s->left = r->blocks + 1u;
    s->block = r->slba;
    s->tags.reference = r->reference;
    s->tags.application = r->application;
    s->tags.mask = r->mask;
    s->tags.check = (p->dword12 >> NVME_PRINFO_SOURCE_SHIFT) & PRINFO_CHECK;
    begin_run(e, s, STAGING_READ);
}

static void begin_copy(struct env* e, struct nvme_staging* s)
{
    struct command* c = command_of(e, s->slot);
    const uint32_t status = wrong_ranges(e, s);
    FW_ASSERT(e, s->opcode == NVME_IO_COPY);
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, s->slot, status, 0);
        return;
    }
    c->io.copy_to = c->ns_lba; /* the runs have lba */
    s->next = 0;
    s->base = 0;
    read_source(e, s);
}

/* ---- Commands ---- */

static void start(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    const struct nvme_protection* p = metadata_protection(e, slot);
    uint32_t i = 0;
    if (is_outdated(e, slot)) { /* it was formatted while the command waited */
        hil_complete(e, slot, NVME_SC_FORMAT_IN_PROGRESS, 0);
        return;
    }
    while (i < STAGINGS && staging_at(e, i)->busy) {
        ++i;
    }
    if (i == STAGINGS) {
        fifo_push(&e->hil->staged, hil_wait_links(e), slot);
        return;
    }
    struct nvme_staging* s = staging_at(e, i);
    s->busy = true;
    s->opcode = c->io.opcode;
    s->slot = (uint16_t)slot;
    s->step = false;
    s->form = metadata_form(n);
    s->act = metadata_is_stripped(&s->form, metadata_prinfo(p));
    const bool moves =
        s->opcode == NVME_IO_READ || s->opcode == NVME_IO_WRITE || s->opcode == NVME_IO_COMPARE;
    s->joined = moves && !s->act && (n->flags & NS_EXTENDED) != 0;
    s->tags = tags_of(p);
    s->base = 0;
    s->next = 0;
    s->block = (c->lba - n->start) >> drive_ns_up(n);
    s->left = c->sectors >> drive_ns_up(n);
    s->phase = STAGING_DATA;
    c->io.staging = (uint16_t)i;
    switch (s->opcode) {
    case NVME_IO_READ:
    case NVME_IO_VERIFY:
        begin_run(e, s, STAGING_READ);
        break;
    case NVME_IO_WRITE_ZEROES:
        write_zeroes(e, s);
        break;
    case NVME_IO_COPY:
        fetch(e, s);
        break;
    default:
        s->phase = s->joined || s->act ? STAGING_DATA : STAGING_META;
        fetch(e, s);
        break;
    }
}

bool metadata_io(struct env* e, uint32_t slot, uint32_t opcode)
{
    struct command* c = command_of(e, slot);
    if (opcode == NVME_IO_FLUSH || opcode == NVME_IO_DSM || opcode == NVME_IO_WRITE_UNCORRECTABLE ||
        drive_namespace_at(e, c->ns)->metadata == 0) {
        return false;
    }
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    const struct nvme_protection* p = metadata_protection(e, slot);
    const struct protection_form f = metadata_form(n);
    const uint64_t block =
        opcode == NVME_IO_COPY ? c->ns_lba : (c->lba - n->start) >> drive_ns_up(n);
    uint32_t status = refuse(&f, p, opcode, block);
    if (status == NVME_SC_SUCCESS && opcode == NVME_IO_WRITE_ZEROES &&
        (f.type == 0 || (metadata_prinfo(p) & PRINFO_ACT) == 0)) {
        return false; /* zeroes without protection information are as deallocated */
    }
    if (status == NVME_SC_SUCCESS && opcode == NVME_IO_COPY) {
        status = ((p->dword12 >> 8) & 0xFu) != 0            ? DNR(NVME_SC_INVALID_FIELD)
                 : (p->dword12 & 0xFFu) >= COPY_RANGES_MOST ? DNR(NVME_SC_COPY_SIZE_LIMIT)
                                                            : (uint32_t)NVME_SC_SUCCESS;
    }
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
        return true;
    }
    c->divert = DIVERT_META;
    metadata_protection(e, slot)->form = metadata_form_key(n);
    c->io.opcode = (uint8_t)opcode;
    c->stream = 0; /* whatever its stream was: it goes with the others */
    c->io.staging = STAGING_NONE;
    start(e, slot);
    return true;
}

/* ---- What has been read ---- */

static void send(struct env* e, struct nvme_staging* s, uint32_t blocks)
{
    const uint32_t pitch = s->form.block + (s->joined ? s->form.metadata : 0u);
    const uint32_t index = META_BUFFERS + command_of(e, s->slot)->io.staging;
    struct fe_move move;
    FW_ASSERT(e, blocks != 0 && s->opcode == NVME_IO_READ);
    s->phase = STAGING_SEND;
    if (!s->joined && !s->act) {
        hil_clear_move(&move, FE_MOVE_META_TO_HOST, s->slot);
        move.buffer = s->meta;
        move.length = blocks * s->form.metadata;
        move.tag = (uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT;
        hil_finish_move(e, &move, false);
    }
    hil_clear_move(&move, FE_MOVE_TO_HOST, s->slot);
    move.flags = FE_MOVE_METADATA | FE_MOVE_IRQ; /* others may wait for the staging */
    move.buffer = s->data;
    move.length = blocks * pitch;
    move.tag = ((uint32_t)MOVE_META_OUT << MOVE_KIND_SHIFT) | index;
    hil_finish_move(e, &move, true);
}

/* The run has been read, and nothing is wrong with the flash. */
static void after_read(struct env* e, struct nvme_staging* s)
{
    const struct command* c = command_of(e, s->slot);
    const uint32_t status = check(e, s, s->base, s->run);
    if (status != NVME_SC_SUCCESS) {
        ++e->telemetry->media_errors; /* as SMART counts them (section 5.14.1.2) */
        hil_complete(e, s->slot, status, 0);
        return;
    }
    s->tags.reference += s->form.type != 3 ? s->run : 0u;
    s->block += s->run;
    s->base += s->opcode != NVME_IO_VERIFY ? s->run : 0u;
    if (s->left != 0) {
        begin_run(e, s, STAGING_READ);
    } else if (s->opcode == NVME_IO_READ) {
        send(e, s, s->base);
    } else if (s->opcode == NVME_IO_COPY) {
        if (++s->next < ranges_of(e, s)) {
            read_source(e, s);
        } else {
            begin_write(e, s, s->base, c->io.copy_to);
        }
    } else {
        s->phase = STAGING_OVER;
        hil_complete(e, s->slot, NVME_SC_SUCCESS, 0);
    }
}

/* Units of the next run would land as those of this one: they begin when all of them have. */
static void await_landing(struct env* e, const struct nvme_staging* s)
{
    struct fe_move move;
    FW_ASSERT(e, s->phase == STAGING_WRITE && s->left != 0);
    hil_clear_move(&move, FE_MOVE_COMPLETE, s->slot);
    move.flags = FE_MOVE_IRQ;
    move.tag = ((uint32_t)MOVE_META_IN << MOVE_KIND_SHIFT) | s->slot;
    hil_finish_move(e, &move, false);
}

static void after_write(struct env* e, struct nvme_staging* s)
{
    FW_ASSERT(e, s->left != 0);
    s->block += s->run;
    if (s->opcode == NVME_IO_WRITE_ZEROES) {
        s->tags.reference += s->form.type != 3 ? s->run : 0u;
        write_zeroes(e, s);
    } else {
        s->base += s->run;
        begin_run(e, s, STAGING_WRITE);
    }
}

void metadata_landed(struct env* e, uint32_t slot)
{
    struct nvme_staging* s = staging_at(e, command_of(e, slot)->io.staging);
    FW_ASSERT(e, s->busy && s->slot == slot);
    if (s->phase == STAGING_META) {
        s->phase = STAGING_DATA;
        fetch(e, s);
    } else if (s->phase == STAGING_WRITE) {
        after_write(e, s);
    } else if (s->opcode == NVME_IO_WRITE) {
        begin_write(e, s, s->left, s->block);
    } else if (s->opcode == NVME_IO_COPY) {
        begin_copy(e, s);
    } else {
        begin_run(e, s, STAGING_READ);
    }
    FW_ASSERT(e, s->phase != STAGING_META);
}

void metadata_step(struct env* e)
{
    for (uint32_t i = 0; e->hil->stagings != 0 && i < STAGINGS; ++i) {
        struct nvme_staging* s = staging_at(e, i);
        if (!s->busy && e->hil->staged.count != 0) {
            start(e, fifo_pop(&e->hil->staged, hil_wait_links(e)));
        } else if (s->step) {
            s->step = false;
            if (s->phase == STAGING_READ) {
                after_read(e, s);
            } else {
                await_landing(e, s);
            }
        }
    }
}

static void release(struct env* e, struct nvme_staging* s)
{
    FW_ASSERT(e, s->busy);
    s->busy = false;
    s->step = false;
    if (e->hil->staged.count != 0) {
        hil_steps_on(e);
    }
}

void metadata_left(struct env* e, uint32_t index)
{
    FW_ASSERT(e, index < META_BUFFERS + STAGINGS);
    if (index < META_BUFFERS) {
        hil_meta_free(e, index);
    } else {
        release(e, staging_at(e, index - META_BUFFERS));
    }
}

bool metadata_divert(struct env* e, struct command* c, struct fe_move* move, bool last)
{
    FW_ASSERT(e, c->divert == DIVERT_META);
    if (c->io.staging == STAGING_NONE) { /* it ends before its turn has come */
        return last;
    }
    struct nvme_staging* s = staging_at(e, c->io.staging);
    const bool runs = s->phase == STAGING_READ || s->phase == STAGING_WRITE;
    FW_ASSERT(e, s->busy && s->slot == move->slot);
    if (runs && move->op != FE_MOVE_COMPLETE) {
        metadata_carry(e, s, move);
        move->op = FE_MOVE_COMPLETE;
    }
    if (!last) {
        return false;
    }
    if (runs && c->status == NVME_SC_SUCCESS && (s->phase == STAGING_READ || s->left != 0)) {
        s->step = true;
        hil_steps_on(e);
        return false;
    }
    if (s->phase != STAGING_SEND) {
        release(e, s);
    }
    return true;
}
