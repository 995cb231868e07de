/* SPDX-License-Identifier: Apache-2.0
 *
 * States of zones, and what reads and writes may do in them. Zoned Namespace Command Set 1.1
 * sections 2.1.1 and 3.
 */
#include "firmware/host/zones/zones.h"

#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "models/regs/parts/zones.h"

enum { FIND_BUDGET = 4096 }; /* units that one round looks up */

static struct link* links_of(const struct env* e)
{
    return (struct link*)env_dram(e, zones_of(e)->links);
}

int zones_init(struct env* e)
{
    const struct boot_zones* told = e->told.zones;
    struct hil* h = e->hil;
    h->zoned = told->size != 0 && h->ata.on == 0 ? 1 : 0;
    h->zoned_mask = 0;
    if (h->zoned == 0) {
        return 0;
    }
    const uint32_t size = (uint32_t)(told->size >> ZONE_BLOCK_SHIFT);
    const uint32_t count = (uint32_t)(e->geo->sectors >> ZONE_SECTORS_SHIFT) / size;
    if (count == 0 || count > DRIVE_ZONES || e->geo->unit_sectors > ZONE_BLOCK_SECTORS ||
        !drive_state_fits(e) || h->trim == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "zones: at most, found", DRIVE_ZONES, count);
        return -1;
    }
    h->zones = dram_take(e, sizeof(struct zones));
    const uint64_t table = dram_take(e, (uint64_t)count * sizeof(struct zone));
    const uint64_t links = dram_take(e, (uint64_t)count * sizeof(struct link));
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    struct zones* zs = zones_of(e);
    mem_zero(zs, sizeof *zs);
    zs->table = table;
    zs->links = links;
    zs->count = count;
    zs->size = size;
    zs->capacity = (uint32_t)(told->capacity >> ZONE_BLOCK_SHIFT);
    zs->open_most = told->open;
    zs->active_most = told->active;
    zs->read_across = told->read_across;
    mem_zero(zone_at(e, 0), (uint64_t)count * sizeof(struct zone));
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        chain_init(&zs->implicit[i]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        zone_at(e, i)->state = ZONE_EMPTY;
    }
    FW_ASSERT(e, zs->capacity != 0 && zs->capacity <= size);
    return 0;
}

void zones_boot(struct env* e)
{
    struct drive_state* s = drive_state_of(e);
    if (e->hil->zoned == 0 || s->managed != 0) {
        return;
    }
    const struct zones* zs = zones_of(e);
    s->ns[0].sectors = (uint64_t)zs->count * zs->size << ZONE_SECTORS_SHIFT;
    s->ns[0].shift = ZONE_BLOCK_SHIFT;
    s->command_set[0] = NVME_CSI_ZONED;
    FW_ASSERT(e, s->ns[0].sectors <= e->geo->sectors);
}

/* ---- States ---- */

uint32_t zone_kept(const struct env* e, uint32_t zone)
{
    FW_ASSERT(e, zone < DRIVE_ZONES);
    return (uint32_t)drive_state_of(e)->zone[zone / 4] >> (zone % 4 * 2) & 3u;
}

void zone_keep(struct env* e, uint32_t zone, uint32_t kept)
{
    uint8_t* at = &drive_state_of(e)->zone[zone / 4];
    const uint32_t shift = zone % 4 * 2;
    FW_ASSERT(e, zone < DRIVE_ZONES && kept <= ZONE_KEPT_OFFLINE);
    *at = (uint8_t)((*at & ~(3u << shift)) | kept << shift);
}

/* A drive that writes nothing any more has no zone that can be written, or reset. */
uint32_t zone_state_of(const struct env* e, const struct zone* z)
{
    return e->telemetry->read_only != 0 && z->state != ZONE_OFFLINE ? (uint32_t)ZONE_READ_ONLY
                                                                    : z->state;
}

void zone_set_state(struct env* e, uint32_t ns, uint32_t zone, uint32_t state)
{
    struct zones* zs = zones_of(e);
    struct zone* z = zone_at(e, zone);
    FW_ASSERT(e, ns < DRIVE_NAMESPACES);
    zs->open[ns] += zone_is_open(state) - zone_is_open(z->state);
    zs->active[ns] += zone_is_active(state) - zone_is_active(z->state);
    if (z->state == ZONE_IMPLICIT) {
        chain_remove(&zs->implicit[ns], links_of(e), zone);
    }
    if (state == ZONE_IMPLICIT) {
        chain_append(&zs->implicit[ns], links_of(e), zone);
    }
    z->state = (uint8_t)state;
    FW_ASSERT(e, zs->open[ns] <= zs->active[ns] && zs->active[ns] <= zs->count);
}

uint32_t zone_open(struct env* e, uint32_t ns, uint32_t zone, uint32_t state)
{
    struct zones* zs = zones_of(e);
    const uint32_t now = zone_at(e, zone)->state;
    FW_ASSERT(e, state == ZONE_IMPLICIT || state == ZONE_EXPLICIT);
    if (!zone_is_active(now) && zs->active_most != 0 && zs->active[ns] >= zs->active_most) {
        ++e->telemetry->zones.too_many_active;
        return NVME_SC_ZONE_TOO_MANY_ACTIVE;
    }
    if (!zone_is_open(now) && zs->open_most != 0 && zs->open[ns] >= zs->open_most) {
        if (zs->implicit[ns].first == INDEX_NONE) {
            ++e->telemetry->zones.too_many_open;
            return NVME_SC_ZONE_TOO_MANY_OPEN;
        }
        zone_set_state(e, ns, zs->implicit[ns].first, ZONE_CLOSED); /* the controller may */
        ++e->telemetry->zones.closed;
    }
    e->telemetry->zones.opened += zone_is_open(now) == 0;
    zone_set_state(e, ns, zone, now == ZONE_EXPLICIT ? (uint32_t)ZONE_EXPLICIT : state);
    return NVME_SC_SUCCESS;
}

/* What is left of a zone that power, or a reset of the controller, took from a command. */
static void settle(struct env* e, uint32_t ns, uint32_t zone)
{
    struct zones* zs = zones_of(e);
    struct zone* z = zone_at(e, zone);
    const uint32_t kept = zone_kept(e, zone);
    uint32_t state = ZONE_CLOSED;
    FW_ASSERT(e, z->written <= zs->capacity);
    if (kept != ZONE_KEPT_NOT) {
        state = kept == ZONE_KEPT_FULL ? ZONE_FULL : ZONE_OFFLINE;
    } else if (z->written == zs->capacity) {
        state = ZONE_FULL;
    } else if (z->written == 0) {
        state = ZONE_EMPTY;
        z->attributes = 0;
    } else if (!zone_is_active(z->state) && zs->active_most != 0 &&
               zs->active[ns] >= zs->active_most) { /* no room for one more */
        state = ZONE_FULL;
        z->attributes = ZONE_FINISHED_BY_CONTROLLER;
        zone_keep(e, zone, ZONE_KEPT_FULL);
        (void)drive_state_save(e);
    } else if (zone_is_active(z->state)) {
        state = z->state;
    }
    zone_set_state(e, ns, zone, state);
}

void zones_clear(struct env* e, uint32_t ns)
{
    const uint32_t end = zones_end(e, ns);
    FW_ASSERT(e, is_zoned(e, ns));
    for (uint32_t zone = zones_first(e, ns); zone < end; ++zone) {
        struct zone* z = zone_at(e, zone);
        zone_set_state(e, ns, zone, ZONE_EMPTY);
        zone_keep(e, zone, ZONE_KEPT_NOT);
        z->written = 0;
        z->attributes = 0;
    }
    FW_ASSERT(e, zones_of(e)->active[ns] == 0);
}

void zones_close(struct env* e)
{
    if (e->hil->zoned == 0) {
        return;
    }
    for (uint32_t ns = 0; ns < DRIVE_NAMESPACES; ++ns) {
        const uint32_t end = is_zoned(e, ns) ? zones_end(e, ns) : 0;
        for (uint32_t zone = end != 0 ? zones_first(e, ns) : 0; zone < end; ++zone) {
            const struct zone* z = zone_at(e, zone);
            if (zone_is_active(z->state)) {
                zone_set_state(e, ns, zone, z->written != 0 ? ZONE_CLOSED : ZONE_EMPTY);
            }
        }
        FW_ASSERT(e, zones_of(e)->open[ns] == 0);
    }
}

static void unreset(struct env* e, uint32_t ns, uint32_t zone)
{
    struct zone* z = zone_at(e, zone);
    FW_ASSERT(e, z->resets != 0);
    --z->resets;
    settle(e, ns, zone);
}

void zones_unreset(struct env* e, const struct command* c)
{
    const uint32_t end = c->zones.end;
    FW_ASSERT(e, e->hil->zoned != 0 && c->ns < DRIVE_NAMESPACES);
    for (uint32_t zone = c->zones.first; zone < end; ++zone) {
        unreset(e, c->ns, zone);
    }
}

void zones_reset(struct env* e)
{
    if (e->hil->zoned == 0) {
        return;
    }
    for (uint32_t ns = 0; ns < DRIVE_NAMESPACES; ++ns) {
        const uint32_t end = is_zoned(e, ns) ? zones_end(e, ns) : 0;
        for (uint32_t zone = end != 0 ? zones_first(e, ns) : 0; zone < end; ++zone) {
            if (zone_at(e, zone)->resets != 0) {
                zone_at(e, zone)->resets = 1;
                unreset(e, ns, zone);
            }
        }
        FW_ASSERT(e, zones_of(e)->open[ns] <= zones_of(e)->count);
    }
}

/* ---- Power-up ---- */

/* Whether the block below `below` of the zone may hold data. FTL_UNKNOWN = not known as yet. */
static uint64_t has_data(struct env* e, uint32_t zone, uint32_t below, uint32_t* budget)
{
    const uint32_t shift = e->geo->sector_shift;
    const uint64_t block = (uint64_t)zone * zones_of(e)->size + below - 1;
    const uint64_t end = ((block + 1) << ZONE_SECTORS_SHIFT) >> shift;
    FW_ASSERT(e, below != 0);
    for (uint64_t unit = (block << ZONE_SECTORS_SHIFT) >> shift; unit < end; ++unit) {
        const uint64_t address = ftl_ops_of(e)->lookup(e, unit);
        *budget -= *budget != 0 ? 1u : 0u;
        if (address != FTL_NONE) {
            return address == FTL_UNKNOWN ? FTL_UNKNOWN : 1;
        }
    }
    return 0;
}

/* The write pointer is behind the last unit that is mapped: whatever the host was told to be on the
 * flash lies below. */
static bool find_pointer(struct env* e, uint32_t zone, uint32_t* budget)
{
    struct zones* zs = zones_of(e);
    FW_ASSERT(e, zs->below <= zs->capacity);
    while (zs->below != 0) {
        if (*budget == 0) {
            e->hil->more = 1;
            return false;
        }
        const uint64_t found = has_data(e, zone, zs->below, budget);
        if (found != 0) {
            if (found == FTL_UNKNOWN) {
                return false;
            }
            break;
        }
        --zs->below;
    }
    zone_at(e, zone)->written = zs->below;
    return true;
}

static uint32_t namespace_of(const struct env* e, uint32_t zone)
{
    for (uint32_t ns = 0; ns < DRIVE_NAMESPACES; ++ns) {
        if (is_zoned(e, ns) && drive_namespace_at(e, ns)->sectors != 0 &&
            zone >= zones_first(e, ns) && zone < zones_end(e, ns)) {
            return ns;
        }
    }
    FW_ASSERT(e, zone < zones_of(e)->count);
    return NS_NONE;
}

bool zones_find(struct env* e)
{
    uint32_t budget = FIND_BUDGET;
    if (e->hil->zoned == 0 || zones_of(e)->found != 0) {
        return true;
    }
    struct zones* zs = zones_of(e);
    for (; zs->next < zs->count; ++zs->next) {
        const uint32_t ns = namespace_of(e, zs->next);
        if (ns == NS_NONE) {
            continue;
        }
        if (zs->below == 0 && (e->telemetry->mapped != 0 || !maps_all_counted(e))) {
            zs->below = zs->capacity;
        }
        if (!find_pointer(e, zs->next, &budget)) {
            return false;
        }
        zs->below = 0;
        settle(e, ns, zs->next);
    }
    zs->found = 1;
    return true;
}

/* ---- Reads and writes ---- */

/* Moves the write pointer of the zone; `at`: block of the zone. */
static uint32_t take(struct env* e, uint32_t ns, uint32_t zone, uint32_t at, uint32_t blocks)
{
    struct zones* zs = zones_of(e);
    struct zone* z = zone_at(e, zone);
    FW_ASSERT(e, blocks != 0 && z->written <= zs->capacity);
    switch (zone_state_of(e, z)) {
    case ZONE_FULL:
        return NVME_SC_ZONE_FULL;
    case ZONE_READ_ONLY:
        return NVME_SC_ZONE_READ_ONLY;
    case ZONE_OFFLINE:
        return NVME_SC_ZONE_OFFLINE;
    default:
        break;
    }
    if (at != z->written || z->resets != 0) {
        return NVME_SC_ZONE_INVALID_WRITE;
    }
    if (blocks > zs->capacity - at) {
        return NVME_SC_ZONE_BOUNDARY;
    }
    const uint32_t status = zone_open(e, ns, zone, ZONE_IMPLICIT);
    if (status == NVME_SC_SUCCESS) {
        z->written += blocks;
        if (z->written == zs->capacity) {
            zone_set_state(e, ns, zone, ZONE_FULL);
            ++e->telemetry->zones.full;
        }
    }
    return status;
}

uint32_t zone_take(struct env* e, uint32_t ns, uint64_t sector, uint64_t sectors)
{
    const uint32_t block = (uint32_t)(sector >> ZONE_SECTORS_SHIFT);
    const uint32_t size = zones_of(e)->size;
    FW_ASSERT(e, (sector & (ZONE_BLOCK_SECTORS - 1)) == 0 && sectors <= UINT32_MAX);
    return take(e, ns, block / size, block % size, (uint32_t)(sectors >> ZONE_SECTORS_SHIFT));
}

static uint32_t check_read(const struct env* e, const struct command* c)
{
    const struct zones* zs = zones_of(e);
    const uint32_t block = (uint32_t)(c->lba >> ZONE_SECTORS_SHIFT);
    const uint32_t blocks = c->sectors >> ZONE_SECTORS_SHIFT;
    const uint32_t first = block / zs->size;
    const uint32_t last = (block + blocks - 1) / zs->size;
    FW_ASSERT(e, blocks != 0 && last < zs->count);
    if (first != last && zs->read_across == 0) {
        return NVME_SC_ZONE_BOUNDARY;
    }
    for (uint32_t zone = first; zone <= last; ++zone) {
        if (zone_at(e, zone)->state == ZONE_OFFLINE) {
            return NVME_SC_ZONE_OFFLINE;
        }
    }
    return NVME_SC_SUCCESS;
}

/* To where the zone's write pointer is; the first block of a zone names it. */
static uint32_t append(struct env* e, struct command* c)
{
    const struct zones* zs = zones_of(e);
    const uint32_t block = (uint32_t)(c->lba >> ZONE_SECTORS_SHIFT);
    const uint32_t zone = block / zs->size;
    const uint64_t start = drive_namespace_at(e, c->ns)->start >> ZONE_SECTORS_SHIFT;
    if (block != zone * zs->size) {
        return NVME_SC_INVALID_FIELD;
    }
    const uint32_t written = zone_at(e, zone)->written;
    const uint64_t lba = ((uint64_t)block + written) << ZONE_SECTORS_SHIFT;
    FW_ASSERT(e, block >= start);
    c->lba = lba;
    c->io.dw0 = (uint32_t)(block - start) + written;
    return take(e, c->ns, zone, written, c->sectors >> ZONE_SECTORS_SHIFT);
}

uint32_t zone_access(struct env* e, struct command* c, uint32_t opcode)
{
    uint32_t status = NVME_SC_SUCCESS;
    FW_ASSERT(e, is_zoned(e, c->ns));
    switch (opcode) {
    case NVME_IO_READ:
    case NVME_IO_COMPARE:
    case NVME_IO_VERIFY:
        status = check_read(e, c);
        break;
    case NVME_IO_WRITE_UNCORRECTABLE: /* it maps nothing */
        status = NVME_SC_INVALID_OPCODE;
        break;
    case NVME_IO_ZONE_APPEND:
        status = append(e, c);
        break;
    default:
        FW_ASSERT(e, opcode == NVME_IO_WRITE || opcode == NVME_IO_WRITE_ZEROES);
        status = zone_take(e, c->ns, c->lba, c->sectors);
        break;
    }
    /* Limits, and a zone's being reset, pass; all else is so until the host does something. */
    return status == NVME_SC_SUCCESS || status == NVME_SC_ZONE_TOO_MANY_ACTIVE ||
                   status == NVME_SC_ZONE_TOO_MANY_OPEN
               ? status
               : DNR(status);
}
