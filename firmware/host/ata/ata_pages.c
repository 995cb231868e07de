/* SPDX-License-Identifier: Apache-2.0
 *
 * What ATA commands return: IDENTIFY DEVICE (ACS-2 section 7.12.7), log pages (annex A), SMART data
 * with attributes of our counters.
 */
#include "firmware/host/ata/ata_pages.h"

#include "firmware/drv/front_end.h"
#include "firmware/durable/drive_state.h"
#include "firmware/host/core/hil.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/slc.h"

/* IDENTIFY DEVICE, by word. */
enum {
    W76_NCQ = 1 << 8,
    W76_READ_LOG_DMA = 1 << 15, /* READ LOG DMA EXT does what READ LOG EXT does */
    W78_AUTO_ACTIVATE = 1 << 2,
    W78_PRESERVATION = 1 << 6,
    W82_SMART = 1 << 0,
    W82_POWER = 1 << 3,
    W82_WRITE_CACHE = 1 << 5,
    W82_LOOK_AHEAD = 1 << 6,
    W83_LBA48 = 1 << 10,
    W83_FLUSH = 1 << 12,
    W83_FLUSH_EXT = 1 << 13,
    W84_GPL = 1 << 5,
    W84_FUA_EXT = 1 << 6,
    W84_WWN = 1 << 8,
    VALID = 1 << 14, /* of words 83, 84, 87, 106, 119, 120, 209 */
    W86_MORE = 1 << 15,
    W69_ZEROES = 1 << 5, /* reads of trimmed sectors */
    W69_DETERMINISTIC = 1 << 14,
    W106_LARGER = 1 << 13, /* several logical sectors in a physical one */
    W119_READ_LOG_DMA = 1 << 3
};

#define LBA28_MOST 0x0FFFFFFFu

static void put_word(uint8_t* page, uint32_t word, uint32_t value)
{
    put16(page + (size_t)word * 2, value);
}

/* Two characters a word, the first in the high byte. */
static void put_text(uint8_t* page, uint32_t word, const char* text, uint32_t length)
{
    uint8_t* at = page + (size_t)word * 2;
    bool ended = false;
    for (uint32_t i = 0; i < length; ++i) {
        ended |= text[i] == 0;
        at[i ^ 1u] = (uint8_t)(ended ? ' ' : text[i]);
        if (ended) {
            for (; i < length; ++i) {
                at[i ^ 1u] = ' ';
            }
        }
    }
}

void ata_checksum(uint8_t* page)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < ATA_PAGE - 1; ++i) {
        sum += page[i];
    }
    page[ATA_PAGE - 1] = (uint8_t)(0u - sum);
}

/* Cylinders, heads, sectors of the largest drive that has them, modes, and what the drive can. */
static void identify_general(struct env* e, uint8_t* page)
{
    const struct ata* a = &e->hil->ata;
    const uint64_t sectors = e->geo->sectors;
    put_word(page, 0, 0x0040); /* an ATA device that stays where it is */
    put_word(page, 1, 16383);
    put_word(page, 2, 0xC837); /* complete, needs no spin-up */
    put_word(page, 3, 16);
    put_word(page, 6, 63);
    put_text(page, 10, "SSDVP0001", 20);
    put_text(page, 23, "0.1", 8);
    put_text(page, 27, "ssdvp", 40);
    put_word(page, 47, 0x8000); /* no READ MULTIPLE */
    put_word(page, 48, VALID);
    put_word(page, 49, 0x2F00); /* LBA, DMA, IORDY, standby timer as in the standard */
    put_word(page, 50, VALID);
    put_word(page, 53, 0x0006); /* words 64 to 70 and 88 are valid */
    put32(page + 60 * 2, (uint32_t)(sectors < LBA28_MOST ? sectors : LBA28_MOST));
    put_word(page, 63, (a->transfer_mode >> 3) == 4 ? 7u | 0x100u << (a->transfer_mode & 7u) : 7u);
    put_word(page, 64, 3); /* PIO 3 and 4 */
    for (uint32_t word = 65; word <= 68; ++word) {
        put_word(page, word, 120); /* ns a cycle */
    }
    put_word(page, 88,
             (a->transfer_mode >> 3) == 8 ? 0x7Fu | 0x100u << (a->transfer_mode & 7u) : 0x7Fu);
    put64(page + 100 * 2, sectors);
}

/* Queue, link and command sets. */
static void identify_sets(struct env* e, uint8_t* page)
{
    const struct hil* h = e->hil;
    const struct ata* a = &h->ata;
    const uint32_t speed = front_end_speed(e);
    const uint32_t cached = cache_writes_through(e) ? 0 : W82_WRITE_CACHE;
    const uint32_t ahead = cache_can_look_ahead(e) ? W82_LOOK_AHEAD : 0;
    const uint32_t set84 = VALID | W84_WWN | W84_FUA_EXT | W84_GPL;
    FW_ASSERT(e, speed >= 1 && speed <= 3);
    put_word(page, 75, 31);                                                /* 32 tags */
    put_word(page, 76, W76_NCQ | W76_READ_LOG_DMA | ((2u << speed) - 2u)); /* and slower ones */
    put_word(page, 77, speed << 1);
    put_word(page, 78, W78_AUTO_ACTIVATE | W78_PRESERVATION);
    put_word(page, 79,
             (a->auto_activate != 0 ? W78_AUTO_ACTIVATE : 0) |
                 (a->preserves != 0 ? W78_PRESERVATION : 0));
    put_word(page, 80, 0x03F0); /* ATA/ATAPI-4 to ACS-2 */
    put_word(page, 82, W82_SMART | W82_POWER | cached | ahead);
    put_word(page, 83, VALID | W83_LBA48 | W83_FLUSH | W83_FLUSH_EXT);
    put_word(page, 84, set84);
    put_word(page, 85,
             (a->smart != 0 ? W82_SMART : 0) | W82_POWER | (h->write_cache != 0 ? cached : 0) |
                 (cache_ahead_units(e) != 0 ? ahead : 0));
    put_word(page, 86, W86_MORE | W83_LBA48 | W83_FLUSH | W83_FLUSH_EXT);
    put_word(page, 87, set84);
    put_word(page, 119, VALID | W119_READ_LOG_DMA);
    put_word(page, 120, VALID | W119_READ_LOG_DMA);
}

void ata_identify(struct env* e, uint8_t* page)
{
    const uint32_t shift = e->geo->sector_shift;
    identify_general(e, page);
    identify_sets(e, page);
    if (e->hil->trim != 0) {
        put_word(page, 69, W69_DETERMINISTIC | W69_ZEROES);
        put_word(page, 105, ATA_DSM_BLOCKS);
        put_word(page, 169, 1);
    }
    put_word(page, 106, VALID | (shift != 0 ? W106_LARGER | shift : 0));
    put_word(page, 108, 0x5000); /* world wide name: IEEE, no organization */
    put_word(page, 111, 1);
    put_word(page, 209, VALID);
    put_word(page, 217, 1);      /* turns no disk */
    put_word(page, 222, 0x103F); /* Serial ATA to 3.0 */
    page[510] = 0xA5;
    ata_checksum(page);
}

/* ---- SMART ---- */

struct attribute {
    uint8_t id;
    uint8_t flags; /* 1: below its threshold the drive fails; 2: grows while it works */
    uint8_t threshold;
    uint8_t value; /* 100 is new, 1 is worst */
    uint64_t raw;
};

enum { ATTRIBUTES = 14, HEALTHY = 100, WARRANTY = 1, ONLINE = 2 };
#define NS_PER_HOUR UINT64_C(3600000000000)

static uint8_t left_of(uint64_t percent)
{
    return (uint8_t)(percent >= HEALTHY ? 1 : HEALTHY - percent);
}

/* Degrees Celsius; freezing is as cold as it tells. */
static uint32_t celsius_of(const struct env* e)
{
    const uint32_t kelvin = heat_kelvin(&e->hil->heat);
    return kelvin > 273 ? kelvin - 273 : 0;
}

/* Numbers as drives of several makers use them; docs/models/sata_front_end.md tells what each is.
 */
static void attributes_of(const struct env* e, struct attribute* to)
{
    const struct telemetry* s = e->telemetry;
    const struct drive_life l = drive_life_now(e);
    const uint64_t mean = s->erase_blocks != 0 ? s->erase_sum / s->erase_blocks : 0;
    const uint32_t celsius = celsius_of(e);
    const uint64_t spare = s->spare_percent > 1 ? s->spare_percent : 1;
    const struct attribute list[ATTRIBUTES] = {
        {.id = 1, .flags = ONLINE, .value = HEALTHY, .raw = l.media_errors},
        {.id = 5,
         .flags = WARRANTY | ONLINE,
         .threshold = 10,
         .value = (uint8_t)spare,
         .raw = s->bad_blocks},
        {.id = 9, .flags = ONLINE, .value = HEALTHY, .raw = l.power_on_ns / NS_PER_HOUR},
        {.id = 12, .flags = ONLINE, .value = HEALTHY, .raw = l.power_cycles},
        {.id = 171, .flags = ONLINE, .value = HEALTHY, .raw = s->retired[RETIRE_PROGRAM]},
        {.id = 172, .flags = ONLINE, .value = HEALTHY, .raw = s->retired[RETIRE_ERASE]},
        {.id = 173, .flags = ONLINE, .value = left_of(slc_worse_used(e)), .raw = mean},
        {.id = 174, .flags = ONLINE, .value = HEALTHY, .raw = l.unsafe_shutdowns},
        {.id = 187, .flags = ONLINE, .value = HEALTHY, .raw = s->read_errors},
        {.id = 194, .flags = ONLINE, .value = left_of(celsius), .raw = celsius},
        {.id = 197, .flags = ONLINE, .value = HEALTHY, .raw = s->lost_units},
        {.id = 232,
         .flags = WARRANTY | ONLINE,
         .threshold = 10,
         .value = (uint8_t)spare,
         .raw = s->spare_percent},
        {.id = 241, .flags = ONLINE, .value = HEALTHY, .raw = l.write_sectors},
        {.id = 242, .flags = ONLINE, .value = HEALTHY, .raw = l.read_sectors},
    };
    mem_copy(to, list, sizeof list);
}

bool ata_smart_exceeded(struct env* e)
{
    struct attribute list[ATTRIBUTES];
    attributes_of(e, list);
    for (uint32_t i = 0; i < ATTRIBUTES; ++i) {
        if ((list[i].flags & WARRANTY) != 0 && list[i].value <= list[i].threshold) {
            return true;
        }
    }
    return e->telemetry->read_only != 0;
}

void ata_smart_data(struct env* e, uint8_t* page)
{
    struct attribute list[ATTRIBUTES];
    attributes_of(e, list);
    put16(page, 0x0010); /* revision of the structure */
    for (uint32_t i = 0; i < ATTRIBUTES; ++i) {
        uint8_t* at = page + 2 + (size_t)i * 12;
        at[0] = list[i].id;
        put16(at + 1, list[i].flags);
        at[3] = list[i].value;
        at[4] = list[i].value; /* worst */
        put32(at + 5, (uint32_t)list[i].raw);
        put16(at + 9, (uint32_t)(list[i].raw >> 32) & 0xFFFFu);
    }
    put16(page + 368, 0x0002); /* attributes are saved when power goes down in order */
    page[370] = 1;             /* the drive has logs */
    ata_checksum(page);
}

void ata_smart_thresholds(struct env* e, uint8_t* page)
{
    struct attribute list[ATTRIBUTES];
    attributes_of(e, list);
    put16(page, 0x0010);
    for (uint32_t i = 0; i < ATTRIBUTES; ++i) {
        uint8_t* at = page + 2 + (size_t)i * 12;
        at[0] = list[i].id;
        at[1] = list[i].threshold;
    }
    ata_checksum(page);
}

/* ---- General purpose logs ---- */

/* IDENTIFY DEVICE DATA: which pages, the copy, capacity. Fields are qwords with bit 63 = valid. */
static bool identify_log(struct env* e, uint32_t number, uint8_t* page)
{
    const uint64_t valid = UINT64_C(1) << 63;
    const uint64_t head = valid | (uint64_t)number << 16 | 1;
    switch (number) {
    case 0:
        put64(page, 1); /* revision; page 0 */
        page[8] = 3;    /* pages that follow: */
        page[9] = 0;
        page[10] = 1;
        page[11] = 2;
        return true;
    case 1:
        ata_identify(e, page);
        return true;
    case 2:
        put64(page, head);
        put64(page + 8, valid | e->geo->sectors);
        put64(page + 16, valid | UINT64_C(3) << 61 | (uint64_t)e->geo->sector_shift << 16);
        put64(page + 24, valid | ATA_SECTOR_BYTES / 2);
        return true;
    default:
        return false;
    }
}

/* What the hardware knows of the command that stopped the queue: Serial ATA 3.x section 13.6.4. */
static void queue_error(struct env* e, uint8_t* page)
{
    const uint32_t error = front_end_register(e, SFE_REG_QUEUE_ERROR);
    const uint32_t low = front_end_register(e, SFE_REG_ERROR_LBA_LO);
    const uint32_t high = front_end_register(e, SFE_REG_ERROR_LBA_HI);
    page[0] =
        (uint8_t)((error & SFE_QUEUE_ERROR_SINGLE) != 0 ? 0x80u : error & SFE_QUEUE_ERROR_TAG_MASK);
    page[2] = (uint8_t)(error >> SFE_QUEUE_ERROR_STATUS_SHIFT);
    page[3] = (uint8_t)(error >> SFE_QUEUE_ERROR_ERROR_SHIFT);
    put16(page + 4, low & 0xFFFFu);
    page[6] = (uint8_t)(low >> 16);
    page[7] = ATA_DEVICE_LBA;
    page[8] = (uint8_t)(low >> 24);
    put16(page + 9, high & 0xFFFFu);
    ata_checksum(page);
    FW_ASSERT(e, (high & ~SFE_ERROR_LBA_HI_BITS_MASK) == 0);
}

bool ata_log_page(struct env* e, uint32_t log, uint32_t number, uint8_t* page)
{
    if (log == ATA_LOG_IDENTIFY) {
        return identify_log(e, number, page);
    }
    if (number != 0) {
        return false;
    }
    if (log == ATA_LOG_DIRECTORY) {
        put16(page, 1); /* version */
        put16(page + (size_t)ATA_LOG_QUEUE_ERROR * 2, 1);
        put16(page + (size_t)ATA_LOG_IDENTIFY * 2, 3);
        return true;
    }
    if (log == ATA_LOG_QUEUE_ERROR) {
        queue_error(e, page);
        return true;
    }
    return false;
}
