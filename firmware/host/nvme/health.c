/* SPDX-License-Identifier: Apache-2.0
 *
 * Health of the drive as its host sees it: the SMART / Health Information log (NVM Express base 1.4
 * section 5.14.1.2) and a vendor's log with what firmware did about errors.
 */
#include "firmware/host/nvme/health.h"

#include "firmware/drv/lookup.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/slc.h"

enum { SPARE_THRESHOLD = 10 }; /* percent; below it the host is warned */

#define NS_PER_HOUR UINT64_C(3600000000000)
#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MINUTE UINT64_C(60000000000)

/* 1000 units of 512 bytes, rounded up. */
static uint64_t data_units(uint64_t sectors)
{
    return (sectors + 999) / 1000;
}

static bool is_beyond(uint32_t kelvin, uint32_t over, uint32_t under)
{
    return kelvin >= over || kelvin <= under;
}

static bool too_hot_or_cold(const struct env* e)
{
    const struct nvme* n = nvme_of(e);
    const struct heat* h = &e->hil->heat;
    bool is = is_beyond(heat_kelvin(h), n->feature[FEATURE_OVER], n->feature[FEATURE_UNDER]);
    for (uint32_t i = 0; i < HEAT_SENSORS && h->looked != 0; ++i) {
        is |= is_beyond(h->sensor[i] / HEAT_KELVIN, n->feature[FEATURE_SENSOR_OVER + i],
                        n->feature[FEATURE_SENSOR_UNDER + i]);
    }
    return is;
}

/* Base 1.4, figure 194, from byte 192 on. */
static void put_heat(const struct env* e, const struct drive_life* l, uint8_t* page)
{
    const struct heat* h = &e->hil->heat;
    if (h->setup.on == 0) {
        return;
    }
    put32(page + 192, (uint32_t)(l->hot_ns[0] / NS_PER_MINUTE));
    put32(page + 196, (uint32_t)(l->hot_ns[1] / NS_PER_MINUTE));
    for (uint32_t i = 0; i < HEAT_SENSORS; ++i) {
        put16(page + 200 + 2 * i, h->sensor[i] / HEAT_KELVIN);
    }
    put32(page + 216, (uint32_t)l->throttled[0]);
    put32(page + 220, (uint32_t)l->throttled[1]);
    put32(page + 224, (uint32_t)(l->throttled_ns[0] / NS_PER_SECOND));
    put32(page + 228, (uint32_t)(l->throttled_ns[1] / NS_PER_SECOND));
}

static uint32_t own_warnings(const struct env* e)
{
    const struct telemetry* s = e->telemetry;
    return (s->spare_percent < SPARE_THRESHOLD ? (uint32_t)WARN_SPARE : 0u) |
           (too_hot_or_cold(e) ? (uint32_t)WARN_TEMPERATURE : 0u) |
           (s->lost_units != 0 ? (uint32_t)WARN_DEGRADED : 0u) |
           (s->read_only != 0 ? (uint32_t)WARN_READ_ONLY : 0u);
}

/* The drive as a whole: what a divided one's partitions tell. */
struct whole {
    struct drive_life life;
    uint32_t warnings;
    uint64_t spare; /* percent, the least */
    uint64_t used;  /* percent, the most */
};

static void add_partition(const struct env* e, uint32_t index, struct whole* w)
{
    struct hal hal;
    struct env other;
    e->of_partition(e, index, &hal, &other);
    const struct drive_life l = drive_life_now(&other);
    const uint64_t used = slc_worse_used(&other);
    w->life.read_sectors += l.read_sectors;
    w->life.write_sectors += l.write_sectors;
    w->life.read_commands += l.read_commands;
    w->life.write_commands += l.write_commands;
    w->life.media_errors += l.media_errors;
    w->life.error_entries += l.error_entries;
    w->life.busy_ns = l.busy_ns > w->life.busy_ns ? l.busy_ns : w->life.busy_ns;
    w->warnings |= own_warnings(&other);
    w->spare =
        other.telemetry->spare_percent < w->spare ? other.telemetry->spare_percent : w->spare;
    w->used = used > w->used ? used : w->used;
}

uint32_t nvme_warnings(const struct env* e)
{
    uint32_t warnings = own_warnings(e);
    for (uint32_t i = 1; i < 1u << e->geo->partition.bits; ++i) {
        struct hal hal;
        struct env other;
        e->of_partition(e, i, &hal, &other);
        warnings |= own_warnings(&other);
    }
    return warnings;
}

static struct whole whole_of(const struct env* e)
{
    struct whole w = {drive_life_now(e), own_warnings(e), e->telemetry->spare_percent,
                      slc_worse_used(e)};
    for (uint32_t i = 1; i < 1u << e->geo->partition.bits; ++i) {
        add_partition(e, i, &w);
    }
    return w;
}

struct drive_life nvme_life(const struct env* e)
{
    return whole_of(e).life;
}

uint32_t nvme_log_smart(struct env* e, uint8_t* page)
{
    if (lookup_is_there(e)) {
        lookup_count(e);
    }
    const struct whole w = whole_of(e);
    const struct drive_life l = w.life;
    const uint64_t busy = e->hil->active != 0 ? hal_time_ns(e->hal) - e->hil->busy_since : 0;
    page[0] = (uint8_t)w.warnings;
    put16(page + 1, heat_kelvin(&e->hil->heat)); /* composite temperature */
    page[3] = (uint8_t)w.spare;
    page[4] = SPARE_THRESHOLD;
    page[5] = (uint8_t)(w.used > 255 ? 255 : w.used);
    put64(page + 32, data_units(l.read_sectors));
    put64(page + 48, data_units(l.write_sectors));
    put64(page + 64, l.read_commands);
    put64(page + 80, l.write_commands);
    put64(page + 96, (l.busy_ns + busy) / NS_PER_MINUTE);
    put64(page + 112, l.power_cycles);
    put64(page + 128, l.power_on_ns / NS_PER_HOUR);
    put64(page + 144, l.unsafe_shutdowns);
    put64(page + 160, l.media_errors);
    put64(page + 176, l.error_entries);
    put_heat(e, &l, page);
    return 512;
}

enum { VENDOR_NUMBERS = 1 + TELEMETRY_RETRY_LEVELS + 3 + REFRESH_REASONS + 3 + RETIRE_REASONS + 2 };

/* Those behind the version. */
static void add_vendor_numbers(const struct env* e, uint64_t* n)
{
    const struct telemetry* s = e->telemetry;
    const uint64_t* const begin = n++;
    for (uint32_t i = 0; i < TELEMETRY_RETRY_LEVELS; ++i) {
        *n++ += s->retries[i];
    }
    *n++ += s->recovered_reads;
    *n++ += s->lost_units;
    *n++ += s->units_lost;
    for (uint32_t i = 0; i < REFRESH_REASONS; ++i) {
        *n++ += s->refresh_reasons[i];
    }
    *n++ += s->refresh_runs;
    *n++ += s->refresh_units_moved;
    *n++ += s->patrol_reads;
    for (uint32_t i = 0; i < RETIRE_REASONS; ++i) {
        *n++ += s->retired[i];
    }
    *n++ += s->bad_blocks;
    *n++ += s->suspends;
    FW_ASSERT(e, n - begin == VENDOR_NUMBERS);
}

/* Vendor log D9h of the whole drive, all numbers 64 bits: version 1; retries at level 1 .. 8 and
 * beyond; reads that a retry recovered; units lost now, and ever; superblocks that asked for a
 * refresh because of corrected bits, reads, retries, failed blocks; superblocks refreshed; units
 * moved by refresh; pages read by the patrol; blocks retired because of a program, an erase,
 * refreshes; blocks in the bad-block table; suspends of programs and erases. */
uint32_t nvme_log_vendor(struct env* e, uint8_t* page)
{
    uint64_t n[VENDOR_NUMBERS] = {1};
    add_vendor_numbers(e, n);
    for (uint32_t i = 1; i < 1u << e->geo->partition.bits; ++i) {
        struct hal hal;
        struct env other;
        e->of_partition(e, i, &hal, &other);
        add_vendor_numbers(&other, n);
    }
    for (uint32_t i = 0; i < VENDOR_NUMBERS; ++i) {
        put64(page + 8u * i, n[i]);
    }
    return 512;
}
