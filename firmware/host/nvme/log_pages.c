/* SPDX-License-Identifier: Apache-2.0
 *
 * Get Log Page. NVM Express base 1.4 section 5.14; offsets are those of its figures 194 to 215.
 */
#include "firmware/host/nvme/events.h"
#include "firmware/host/nvme/health.h"
#include "firmware/host/nvme/namespaces.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"

enum { TELEMETRY_BLOCK = 512, TELEMETRY_CREATE = 1 };

_Static_assert(ERRORS_MOST * 64 <= META_SIZE && TELEMETRY_SIZE <= META_SIZE, "a log is a page");
_Static_assert(TELEMETRY_SIZE % TELEMETRY_BLOCK == 0, "whole blocks");

/* Newest first. */
static uint32_t error_log(const struct env* e, uint8_t* page)
{
    const struct nvme* n = nvme_of(e);
    const uint32_t count = n->errors < ERRORS_MOST ? n->errors : ERRORS_MOST;
    for (uint32_t i = 0; i < count; ++i) {
        const struct nvme_error* r = &n->error[(n->errors - 1 - i) % ERRORS_MOST];
        uint8_t* at = page + 64 * i;
        put64(at, r->count);
        put16(at + 8, r->sq);
        put16(at + 10, r->cid);
        put16(at + 12, r->status);
        put16(at + 14, 0xFFFF); /* which field is not told */
        put64(at + 16, r->lba);
        put32(at + 24, r->nsid);
    }
    return ERRORS_MOST * 64;
}

static uint32_t firmware_log(const struct env* e, uint8_t* page)
{
    const struct drive_state* s = drive_state_of(e);
    page[0] = (uint8_t)((s->slot + 1) | (s->next_slot != s->slot ? (s->next_slot + 1) << 4 : 0));
    for (uint32_t i = 0; i < FIRMWARE_SLOTS; ++i) {
        if (i == 0 || s->image[i].size != 0) {
            nvme_fw_revision(e, i, page + 8 + 8 * i);
        }
    }
    return 512;
}

static uint32_t changed_log(const struct env* e, uint8_t* page)
{
    const uint32_t changed = nvme_of(e)->changed;
    uint8_t* at = page;
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        if (((changed >> i) & 1u) != 0) {
            put32(at, i + 1);
            at += 4;
        }
    }
    return 4096;
}

enum sets { ALL_SETS, NO_ZONES, ZONES_ONLY };

struct effect {
    uint8_t opcode;
    uint16_t condition; /* of an admin command its bit of OACS, of an I/O command enum sets */
    uint32_t what;      /* enum nvme_effect */
};

#define EFFECT_OF(ID, opcode, handler, landed, data, effects, oacs) {opcode, oacs, effects},
static const struct effect admin_effects[] = {NVME_ADMIN_COMMANDS(EFFECT_OF)};
#undef EFFECT_OF

static const struct effect io_effects[] = {
    {NVME_IO_FLUSH, ALL_SETS, NVME_EFFECT_NONE},
    {NVME_IO_WRITE, ALL_SETS, NVME_EFFECT_DATA},
    {NVME_IO_READ, ALL_SETS, NVME_EFFECT_NONE},
    {NVME_IO_WRITE_UNCORRECTABLE, NO_ZONES, NVME_EFFECT_DATA},
    {NVME_IO_COMPARE, ALL_SETS, NVME_EFFECT_NONE},
    {NVME_IO_WRITE_ZEROES, ALL_SETS, NVME_EFFECT_DATA},
    {NVME_IO_DSM, ALL_SETS, NVME_EFFECT_DATA},
    {NVME_IO_VERIFY, ALL_SETS, NVME_EFFECT_NONE},
    {NVME_IO_COPY, ALL_SETS, NVME_EFFECT_DATA},
    {NVME_IO_ZONE_SEND, ZONES_ONLY, NVME_EFFECT_DATA},
    {NVME_IO_ZONE_RECEIVE, ZONES_ONLY, NVME_EFFECT_NONE},
    {NVME_IO_ZONE_APPEND, ZONES_ONLY, NVME_EFFECT_DATA},
};

static uint32_t effects_log(const struct env* e, uint32_t set, uint8_t* page)
{
    enum { SUPPORTED = 1, IO_TABLE = 1024 };
    const uint32_t other = set == NVME_CSI_ZONED ? NO_ZONES : ZONES_ONLY;
    const uint32_t oacs = nvme_oacs(e);
    for (uint32_t i = 0; i < sizeof admin_effects / sizeof admin_effects[0]; ++i) {
        const struct effect* f = &admin_effects[i];
        if (f->condition == 0 || (oacs & f->condition) != 0) {
            put32(page + f->opcode * 4u, SUPPORTED | f->what);
        }
    }
    for (uint32_t i = 0; i < sizeof io_effects / sizeof io_effects[0]; ++i) {
        const struct effect* f = &io_effects[i];
        if (f->condition != other) {
            put32(page + IO_TABLE + f->opcode * 4u, SUPPORTED | f->what);
        }
    }
    return 4096;
}

_Static_assert(TELEMETRY_BLOCK + 16 + sizeof(struct telemetry) + sizeof(struct drive_life) <=
                   TELEMETRY_SIZE,
               "the counters fit the log");

/* Header, then version 1 and the time in ns, the counters of models/regs/telemetry.h, and the
 * drive's life (struct drive_life), those of all its partitions. */
static void take_telemetry(const struct env* e, uint8_t* page)
{
    const struct drive_life l = nvme_life(e);
    uint8_t* at = page + TELEMETRY_BLOCK;
    struct telemetry* all = (struct telemetry*)(void*)(at + 16);
    mem_zero(page, TELEMETRY_SIZE);
    for (uint32_t area = 0; area < 3; ++area) {
        put16(page + 8 + 2 * area, TELEMETRY_SIZE / TELEMETRY_BLOCK - 1); /* last block */
    }
    put64(at, 1);
    put64(at + 8, hal_time_ns(e->hal));
    mem_copy(all, e->telemetry, sizeof *all);
    for (uint32_t i = 1; i < 1u << e->geo->partition.bits; ++i) {
        struct hal hal;
        struct env other;
        e->of_partition(e, i, &hal, &other);
        telemetry_join(all, other.telemetry);
    }
    mem_copy(at + 16 + sizeof(struct telemetry), &l, sizeof l);
}

static uint32_t telemetry_log(struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    struct nvme* n = nvme_of(e);
    const bool host = (q->cdw10 & 0xFFu) == NVME_LOG_TELEMETRY_HOST;
    if (!host) {
        take_telemetry(e, page);
    } else {
        if (((q->cdw10 >> 8) & TELEMETRY_CREATE) != 0) {
            take_telemetry(e, n->telemetry);
        }
        mem_copy(page, n->telemetry, TELEMETRY_SIZE);
    }
    page[0] = (uint8_t)q->cdw10;
    /* The controller has something to tell once data have been lost or writes are refused. */
    page[382] = (nvme_warnings(e) & (WARN_DEGRADED | WARN_READ_ONLY)) != 0 ? 1 : 0;
    page[383] = page[382];
    return TELEMETRY_SIZE;
}

static uint32_t fill(struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    switch (q->cdw10 & 0xFFu) {
    case NVME_LOG_ERROR:
        return error_log(e, page);
    case NVME_LOG_SMART:
        return nvme_log_smart(e, page);
    case NVME_LOG_FIRMWARE_SLOT:
        return firmware_log(e, page);
    case NVME_LOG_CHANGED_NAMESPACES:
        return changed_log(e, page);
    case NVME_LOG_EFFECTS:
        return effects_log(e, q->cdw14 >> 24, page);
    case NVME_LOG_TELEMETRY_HOST:
    case NVME_LOG_TELEMETRY_CONTROLLER:
        return telemetry_log(e, q, page);
    case NVME_LOG_VENDOR:
        return nvme_log_vendor(e, page);
    default:
        return 0;
    }
}

/* Offsets are multiples of 4, addresses of moves multiples of 8: what begins between them goes down
 * by 4. Returns where it begins. */
static uint32_t align(uint8_t* page, uint32_t offset, uint32_t length)
{
    const uint32_t begin = offset & ~7u;
    for (uint32_t i = 0; i < length && begin != offset; i += 4) {
        put32(page + begin + i, get32(page + offset + i));
    }
    return begin;
}

uint32_t nvme_get_log_page(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    const uint32_t log = q->cdw10 & 0xFFu;
    const uint64_t words = (((uint64_t)(q->cdw11 & 0xFFFFu) << 16) | (q->cdw10 >> 16)) + 1;
    const uint64_t offset = ((uint64_t)q->cdw13 << 32) | q->cdw12;
    const bool keeps = (q->cdw10 & 0x8000u) != 0; /* RAE */
    if (q->nsid != 0 && q->nsid != NSID_ALL) {    /* LPA bit 0: none of one namespace */
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (log == NVME_LOG_EFFECTS && !command_set_known(e, q->cdw14 >> 24)) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    uint8_t* page = hil_page(e, slot);
    if (page == NULL) {
        return NVME_NO_PAGE;
    }
    const uint32_t size = fill(e, q, page);
    if (size == 0) {
        return DNR(NVME_SC_INVALID_LOG_PAGE);
    }
    if (offset > size || (offset & 3u) != 0 || words > front_end_mdts(e) / 4) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    const uint32_t rest = size - (uint32_t)offset;
    const uint32_t length = words * 4 < rest ? (uint32_t)words * 4 : rest;
    nvme_send_page(e, slot, align(page, (uint32_t)offset, length), length);
    if (!keeps && log == NVME_LOG_CHANGED_NAMESPACES) {
        nvme_of(e)->changed = 0;
    }
    if (!keeps) {
        nvme_log_read(e, log);
    }
    return NVME_LATER;
}
