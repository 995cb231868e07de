/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/directives.h"

#include "firmware/host/nvme/namespaces.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"
#include "firmware/space/blocks.h"

enum { PARAMETERS_BYTES = 32 };

static struct nvme_directives* state_of(const struct env* e)
{
    return &nvme_of(e)->directives;
}

/* ---- Resources ---- */

/* Streams that no namespace has for itself. */
static uint32_t shared_of(const struct env* e)
{
    const struct nvme_directives* d = state_of(e);
    uint32_t left = e->hil->streams;
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        FW_ASSERT(e, d->allocated[i] <= left);
        left -= d->allocated[i];
    }
    return left;
}

/* Whose resources a namespace uses: its own, or with all others those that are shared. */
static bool same_owner(const struct nvme_directives* d, uint32_t a, uint32_t b)
{
    return a == b || (d->allocated[a] == 0 && d->allocated[b] == 0);
}

static uint32_t limit_of(const struct env* e, uint32_t index)
{
    const uint32_t own = state_of(e)->allocated[index];
    return own != 0 ? own : shared_of(e);
}

/* Open streams that use the same resources as a namespace, and the one that was written longest
 * ago. */
static uint32_t open_beside(const struct env* e, uint32_t index, uint32_t* oldest)
{
    const struct nvme_directives* d = state_of(e);
    uint32_t count = 0;
    *oldest = INDEX_NONE;
    for (uint32_t i = 0; i < e->hil->streams; ++i) {
        const struct nvme_stream* s = &d->stream[i];
        if (s->open && same_owner(d, s->ns, index)) {
            const bool older =
                *oldest == INDEX_NONE || d->clock - s->used > d->clock - d->stream[*oldest].used;
            *oldest = older ? i : *oldest;
            ++count;
        }
    }
    FW_ASSERT(e, count <= e->hil->streams);
    return count;
}

/* Closes what has been idle longest until so many are left. */
static void close_down_to(struct env* e, uint32_t index, uint32_t most)
{
    uint32_t oldest;
    while (open_beside(e, index, &oldest) > most) {
        FW_ASSERT(e, oldest < e->hil->streams);
        state_of(e)->stream[oldest].open = false;
    }
}

static uint32_t count_open(const struct env* e, uint32_t index)
{
    const struct nvme_directives* d = state_of(e);
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->hil->streams; ++i) {
        count += d->stream[i].open && d->stream[i].ns == index ? 1u : 0u;
    }
    return count;
}

static uint32_t find(const struct env* e, uint32_t index, uint32_t id)
{
    const struct nvme_directives* d = state_of(e);
    for (uint32_t i = 0; i < e->hil->streams; ++i) {
        if (d->stream[i].open && d->stream[i].ns == index && d->stream[i].id == id) {
            return i;
        }
    }
    return INDEX_NONE;
}

/* A stream of the drive for a new identifier. One whose superblock is not begun comes first, so
 * that data of streams that were closed are not among others'. INDEX_NONE = there are none. */
static uint32_t open_one(struct env* e, uint32_t index, uint32_t id)
{
    struct nvme_directives* d = state_of(e);
    const uint32_t most = limit_of(e, index);
    uint32_t best = INDEX_NONE;
    if (most == 0) {
        return INDEX_NONE;
    }
    close_down_to(e, index, most - 1);
    for (uint32_t i = 0; i < e->hil->streams; ++i) {
        const bool begun = blocks_open_of(e, STREAM_DIRECTED + i) != INDEX_NONE;
        if (!d->stream[i].open && (best == INDEX_NONE || !begun)) {
            best = i;
            if (!begun) {
                break;
            }
        }
    }
    FW_ASSERT(e, best != INDEX_NONE);
    d->stream[best].id = (uint16_t)id;
    d->stream[best].ns = (uint8_t)index;
    d->stream[best].open = true;
    return best;
}

void nvme_directives_forget(struct env* e, uint32_t index)
{
    struct nvme_directives* d = state_of(e);
    FW_ASSERT(e, index < DRIVE_NAMESPACES);
    for (uint32_t i = 0; i < e->hil->streams; ++i) {
        d->stream[i].open &= d->stream[i].ns != index;
    }
    d->allocated[index] = 0;
    d->enabled &= ~(1u << index);
    FW_ASSERT(e, count_open(e, index) == 0);
}

void nvme_directives_reset(struct env* e)
{
    FW_ASSERT(e, e->hil->streams <= RESERVE_DIRECTED_MOST);
    mem_zero(state_of(e), sizeof *state_of(e));
}

/* ---- Writes ---- */

uint32_t nvme_direct(struct env* e, struct command* c)
{
    struct nvme_directives* d = state_of(e);
    const uint32_t type = c->request.directive >> 16;
    const uint32_t id = c->request.directive & 0xFFFFu;
    FW_ASSERT(e, e->hil->streams != 0 && c->ns < DRIVE_NAMESPACES);
    c->stream = 0;
    if (type == NVME_DIRECTIVE_IDENTIFY) {
        return NVME_SC_SUCCESS; /* no directive at all */
    }
    if (type != NVME_DIRECTIVE_STREAMS || ((d->enabled >> c->ns) & 1u) == 0) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (id == 0) {
        return NVME_SC_SUCCESS; /* of no stream */
    }
    uint32_t i = find(e, c->ns, id);
    i = i != INDEX_NONE ? i : open_one(e, c->ns, id);
    if (i != INDEX_NONE) { /* else it is written like any other */
        d->stream[i].used = ++d->clock;
        c->stream = (uint8_t)(i + 1);
    }
    FW_ASSERT(e, c->stream <= e->hil->streams);
    return NVME_SC_SUCCESS;
}

/* ---- Directive Send ---- */

/* Namespaces that an identifier names, bit n = index n. */
static uint32_t named(const struct env* e, uint32_t nsid)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        const bool is = nsid == NSID_ALL || nsid == i + 1;
        mask |= is && nvme_ns_active(e, i + 1) != NS_NONE ? 1u << i : 0u;
    }
    return mask;
}

static uint32_t enable(struct env* e, const struct nvme_sqe* q)
{
    struct nvme_directives* d = state_of(e);
    const uint32_t mask = named(e, q->nsid);
    FW_ASSERT(e, mask != 0);
    if (((q->cdw12 >> 8) & 0xFFu) != NVME_DIRECTIVE_STREAMS) { /* Identify is always enabled */
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if ((q->cdw12 & 1u) != 0) {
        d->enabled |= mask;
        return NVME_SC_SUCCESS;
    }
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        if (((mask >> i) & 1u) != 0) {
            nvme_directives_forget(e, i);
        }
    }
    return NVME_SC_SUCCESS;
}

static uint32_t release_identifier(struct env* e, const struct nvme_sqe* q)
{
    const uint32_t id = q->cdw11 >> 16;
    if (id == 0 || q->nsid == NSID_ALL) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    const uint32_t i = find(e, q->nsid - 1, id);
    if (i != INDEX_NONE) { /* one that is not open is released already */
        state_of(e)->stream[i].open = false;
    }
    FW_ASSERT(e, find(e, q->nsid - 1, id) == INDEX_NONE);
    return NVME_SC_SUCCESS;
}

/* What the namespace has for itself is everybody's again, and its streams are closed. */
static uint32_t release_resources(struct env* e, const struct nvme_sqe* q)
{
    struct nvme_directives* d = state_of(e);
    if (q->nsid == NSID_ALL) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    const uint32_t index = q->nsid - 1;
    const uint32_t enabled = d->enabled;
    FW_ASSERT(e, index < DRIVE_NAMESPACES);
    if (d->allocated[index] != 0) {
        nvme_directives_forget(e, index);
        d->enabled = enabled;
    }
    return NVME_SC_SUCCESS;
}

/* What is wrong with type and namespace. */
static uint32_t check(const struct env* e, const struct nvme_sqe* q)
{
    const uint32_t type = (q->cdw11 >> 8) & 0xFFu;
    const uint32_t mask = named(e, q->nsid);
    FW_ASSERT(e,
              q->opcode == NVME_ADMIN_DIRECTIVE_SEND || q->opcode == NVME_ADMIN_DIRECTIVE_RECEIVE);
    if (mask == 0) {
        return q->nsid == NSID_ALL ? DNR(NVME_SC_INVALID_FIELD) : nvme_ns_missing(q->nsid);
    }
    if (type > NVME_DIRECTIVE_STREAMS ||
        (type == NVME_DIRECTIVE_STREAMS && (state_of(e)->enabled & mask) == 0)) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    return NVME_SC_SUCCESS;
}

static uint32_t operation_of(const struct nvme_sqe* q) /* type, operation */
{
    return q->cdw11 & 0xFFFFu;
}
#define OPERATION(type, operation) ((uint32_t)(type) << 8 | (uint32_t)(operation))

uint32_t nvme_directive_send(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)slot;
    (void)dw0;
    const uint32_t status = check(e, q);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    switch (operation_of(q)) {
    case OPERATION(NVME_DIRECTIVE_IDENTIFY, NVME_IDENTIFY_SEND_ENABLE):
        return enable(e, q);
    case OPERATION(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_SEND_RELEASE_IDENTIFIER):
        return release_identifier(e, q);
    case OPERATION(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_SEND_RELEASE_RESOURCES):
        return release_resources(e, q);
    default:
        return DNR(NVME_SC_INVALID_FIELD);
    }
}

/* ---- Directive Receive ---- */

static uint32_t put_identify(const struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    const uint32_t mask = named(e, q->nsid);
    const bool enabled = (state_of(e)->enabled & mask) == mask;
    FW_ASSERT(e, mask != 0);
    page[0] = (1u << NVME_DIRECTIVE_IDENTIFY) | (1u << NVME_DIRECTIVE_STREAMS);
    page[32] =
        (uint8_t)((1u << NVME_DIRECTIVE_IDENTIFY) | (enabled ? 1u << NVME_DIRECTIVE_STREAMS : 0u));
    return META_SIZE;
}

/* Sizes in blocks of the namespace: what is programmed at once, and as many of that as a superblock
 * has. */
static void put_namespace(const struct env* e, uint32_t index, uint8_t* page)
{
    const struct geometry* g = e->geo;
    const uint32_t shift = drive_namespace_at(e, index)->shift;
    const uint32_t units = g->luns * g->pages;
    put32(page + 16, (g->group << g->unit_shift) >> shift); /* SWS */
    put16(page + 20, units < 0xFFFFu ? units : 0xFFFFu);    /* SGS */
    put16(page + 22, state_of(e)->allocated[index]);        /* NSA */
    put16(page + 24, count_open(e, index));                 /* NSO */
}

static uint32_t put_parameters(const struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    const struct nvme_directives* d = state_of(e);
    uint32_t open = 0;
    for (uint32_t i = 0; i < e->hil->streams; ++i) {
        open += d->stream[i].open && d->allocated[d->stream[i].ns] == 0 ? 1u : 0u;
    }
    FW_ASSERT(e, open <= shared_of(e));
    put16(page, e->hil->streams);  /* MSL */
    put16(page + 2, shared_of(e)); /* NSSA */
    put16(page + 4, open);         /* NSSO */
    if (q->nsid != NSID_ALL) {
        put_namespace(e, q->nsid - 1, page);
    }
    return PARAMETERS_BYTES;
}

/* Number of identifiers, then they, from the lowest on. */
static uint32_t put_status(const struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    const struct nvme_directives* d = state_of(e);
    const uint32_t mask = named(e, q->nsid);
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->hil->streams; ++i) {
        const struct nvme_stream* s = &d->stream[i];
        uint32_t at = count;
        if (!s->open || ((mask >> s->ns) & 1u) == 0) {
            continue;
        }
        for (; at != 0 && get16(page + 2 * at) > s->id; --at) {
            put16(page + 2 * at + 2, get16(page + 2 * at));
        }
        put16(page + 2 * at + 2, s->id);
        ++count;
    }
    FW_ASSERT(e, 2 * count + 2 <= META_SIZE);
    put16(page, count);
    return META_SIZE;
}

static uint32_t allocate(struct env* e, const struct nvme_sqe* q, uint32_t* dw0)
{
    struct nvme_directives* d = state_of(e);
    const uint32_t asked = q->cdw12 & 0xFFFFu;
    const uint32_t index = q->nsid - 1;
    const uint32_t shared = shared_of(e);
    if (q->nsid == NSID_ALL || asked == 0 || d->allocated[index] != 0) {
        return DNR(NVME_SC_INVALID_FIELD); /* more than one has is asked for after its release */
    }
    if (shared == 0) {
        return DNR(NVME_SC_STREAM_ALLOCATION_FAILED);
    }
    const uint32_t given = asked < shared ? asked : shared;
    d->allocated[index] = (uint16_t)given;
    close_down_to(e, index, given);
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) { /* of what is shared there is less */
        if (d->allocated[i] == 0) {
            close_down_to(e, i, shared - given);
            break;
        }
    }
    FW_ASSERT(e, count_open(e, index) <= given);
    *dw0 = given;
    return NVME_SC_SUCCESS;
}

uint32_t nvme_directive_receive(struct env* e, uint32_t slot, const struct nvme_sqe* q,
                                uint32_t* dw0)
{
    const uint64_t asked = ((uint64_t)q->cdw10 + 1) * 4; /* NUMD, 0-based dwords */
    uint32_t (*put)(const struct env*, const struct nvme_sqe*, uint8_t*) = NULL;
    const uint32_t status = check(e, q);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    switch (operation_of(q)) {
    case OPERATION(NVME_DIRECTIVE_IDENTIFY, NVME_IDENTIFY_RECEIVE_PARAMETERS):
        put = put_identify;
        break;
    case OPERATION(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_RECEIVE_PARAMETERS):
        put = put_parameters;
        break;
    case OPERATION(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_RECEIVE_STATUS):
        put = put_status;
        break;
    case OPERATION(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_RECEIVE_ALLOCATE):
        return allocate(e, q, dw0);
    default:
        return DNR(NVME_SC_INVALID_FIELD);
    }
    uint8_t* page = hil_page(e, slot);
    if (page == NULL) {
        return NVME_NO_PAGE;
    }
    const uint32_t size = put(e, q, page);
    nvme_send_page(e, slot, 0, asked < size ? (uint32_t)asked : size);
    return NVME_LATER;
}
