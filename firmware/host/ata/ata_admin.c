/* SPDX-License-Identifier: Apache-2.0
 *
 * ACS-2 section 7; what stops and starts the queue: Serial
 * ATA 3.x section 13.6.4. At most one of them is under way.
 */
#include "firmware/host/ata/ata_admin.h"

#include "firmware/gc/gc.h"
#include "firmware/gc/patrol.h"
#include "firmware/host/ata/ata_pages.h"
#include "firmware/host/nvme/nvme_io.h"
#include "firmware/lib/mem.h"

enum { POWER_STANDBY = 0x00, POWER_ACTIVE = 0xFF }; /* count of CHECK POWER MODE */

static const struct sata_fe_request* request_of(const struct nvme_sqe* q)
{
    return (const struct sata_fe_request*)(const void*)q;
}

static void refuse(struct env* e, uint32_t slot)
{
    hil_complete(e, slot, NVME_SC_INVALID_FIELD, 0);
}

static void answer(struct env* e, uint32_t slot, uint64_t lba, uint32_t count)
{
    FW_ASSERT(e, slot == SFE_SLOT_SINGLE);
    FW_ASSERT(e, lba <= SFE_RESULT_LBA && count <= 0xFFFFu);
    e->hil->ata.result = SFE_RESULT(lba, count);
    hil_complete(e, slot, NVME_SC_SUCCESS, 0);
}

/* A page that firmware makes, or NULL, and the command has ended. */
static uint8_t* take_page(struct env* e, uint32_t slot)
{
    uint8_t* page = hil_page(e, slot);
    if (page == NULL) {
        hil_complete(e, slot, NVME_SC_INTERNAL_ERROR, 0);
    }
    return page;
}

static void send_pages(struct env* e, uint32_t slot, uint32_t bytes, uint8_t flags)
{
    struct fe_move move = {.length = bytes, .flags = flags};
    FW_ASSERT(e, bytes != 0);
    hil_send_page(e, slot, &move);
}

static void identify(struct env* e, uint32_t slot)
{
    uint8_t* page = take_page(e, slot);
    if (page != NULL) {
        ata_identify(e, page);
        send_pages(e, slot, ATA_PAGE, 0);
    }
}

/* Pages from one on: number in LBA bits 15..8 and 39..32, log address in bits 7..0. */
static void read_log(struct env* e, uint32_t slot, const struct sata_fe_request* r)
{
    const uint32_t log = r->fis[4];
    const uint32_t first = r->fis[5] | (uint32_t)r->fis[9] << 8;
    const uint32_t pages = ata_fis_count(r->fis);
    uint8_t* page = NULL;
    if (pages == 0 || pages > META_SIZE / ATA_PAGE) {
        refuse(e, slot);
        return;
    }
    page = take_page(e, slot);
    if (page == NULL) {
        return;
    }
    for (uint32_t i = 0; i < pages; ++i) {
        if (!ata_log_page(e, log, first + i, page + (size_t)i * ATA_PAGE)) {
            refuse(e, slot); /* gives the buffer back */
            return;
        }
    }
    send_pages(e, slot, pages * ATA_PAGE, log == ATA_LOG_QUEUE_ERROR ? SFE_MOVE_CLEAN : 0);
}

static void smart(struct env* e, uint32_t slot, const struct sata_fe_request* r)
{
    struct ata* a = &e->hil->ata;
    const uint32_t key = r->fis[5] | (uint32_t)r->fis[6] << 8;
    const uint32_t what = r->fis[3];
    uint8_t* page = NULL;
    if (key != ATA_SMART_KEY || (a->smart == 0 && what != ATA_SMART_ENABLE)) {
        refuse(e, slot);
        return;
    }
    switch (what) {
    case ATA_SMART_READ_DATA:
    case ATA_SMART_READ_THRESHOLDS:
        page = take_page(e, slot);
        if (page == NULL) {
            return;
        }
        if (what == ATA_SMART_READ_DATA) {
            ata_smart_data(e, page);
        } else {
            ata_smart_thresholds(e, page);
        }
        send_pages(e, slot, ATA_PAGE, 0);
        return;
    case ATA_SMART_ENABLE:
    case ATA_SMART_DISABLE:
        a->smart = what == ATA_SMART_ENABLE;
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    case ATA_SMART_AUTOSAVE: /* nothing is stored: attributes are the counters of now */
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    case ATA_SMART_RETURN_STATUS:
        answer(e, slot, (uint64_t)(ata_smart_exceeded(e) ? ATA_SMART_EXCEEDED : ATA_SMART_KEY) << 8,
               0);
        return;
    default:
        refuse(e, slot);
        return;
    }
}

/* ---- SET FEATURES ---- */

/* PIO default and 0..4, multiword DMA 0..2, Ultra DMA 0..6: ACS-2 table 61. */
static bool transfer_mode(uint32_t mode)
{
    return mode <= 1 || (mode >= 0x08 && mode <= 0x0C) || (mode >= 0x20 && mode <= 0x22) ||
           (mode >= 0x40 && mode <= 0x46);
}

static bool set_sata(struct env* e, uint32_t which, uint32_t enable)
{
    struct ata* a = &e->hil->ata;
    switch (which) {
    case ATA_SATA_AUTO_ACTIVATE:
        a->auto_activate = enable;
        front_end_option(e, enable != 0 ? SFE_OPTIONS_AUTO_ACTIVATE : 0);
        return true;
    case ATA_SATA_PRESERVATION:
        a->preserves = enable;
        return true;
    default:
        return false;
    }
}

static void flush(struct env* e, uint32_t slot)
{
    struct host_request r;
    mem_zero(&r, sizeof r);
    r.opcode = NVME_IO_FLUSH;
    command_of(e, slot)->nsid = 1;
    hil_io(e, slot, &r);
}

static void set_features(struct env* e, uint32_t slot, const struct sata_fe_request* r)
{
    struct ata* a = &e->hil->ata;
    const uint32_t count = r->fis[12];
    bool known = true;
    switch (r->fis[3]) {
    case ATA_FEATURE_WRITE_CACHE:
        e->hil->write_cache = 1;
        break;
    case ATA_FEATURE_NO_WRITE_CACHE:
        e->hil->write_cache = 0;
        flush(e, slot); /* what it holds goes to the medium first */
        return;
    case ATA_FEATURE_TRANSFER_MODE:
        known = transfer_mode(count);
        a->transfer_mode = known ? count : a->transfer_mode;
        break;
    case ATA_FEATURE_LOOK_AHEAD:
        cache_look_ahead(e, true);
        break;
    case ATA_FEATURE_NO_LOOK_AHEAD:
        cache_look_ahead(e, false);
        break;
    case ATA_FEATURE_SATA:
    case ATA_FEATURE_NO_SATA:
        known = set_sata(e, count, r->fis[3] == ATA_FEATURE_SATA);
        break;
    default:
        known = false;
        break;
    }
    hil_complete(e, slot, known ? NVME_SC_SUCCESS : NVME_SC_INVALID_FIELD, 0);
}

/* ---- Power ---- */

/* Data and tables to the flash, then the record that says so: as the shutdown of NVMe. */
static void stop(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->ata.stopper == 0 && h->shutting == 0);
    if (h->ata.standby != 0) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    gc_patrol_run(e, 0);
    h->ata.standby = 1;
    h->ata.stopper = slot + 1;
    h->shutdown_ticket = cache_flush(e);
    h->shutting = SHUTTING_FLUSHES;
    h->more = 1; /* the flush starts in a round of its own: nothing else may wake us */
}

void ata_stopped(struct env* e)
{
    struct ata* a = &e->hil->ata;
    const uint32_t slot = a->stopper - 1;
    FW_ASSERT(e, a->stopper != 0);
    a->stopper = 0;
    hil_complete(e, slot, NVME_SC_SUCCESS, 0);
}

/* ---- Dispatch ---- */

/* The queue has stopped, or stops because of this command: only the log page that tells why ends
 * that. */
static bool refused(const struct sata_fe_request* r)
{
    const uint32_t command = r->fis[2];
    const bool asks = (command == ATA_READ_LOG_EXT || command == ATA_READ_LOG_DMA_EXT) &&
                      r->fis[4] == ATA_LOG_QUEUE_ERROR;
    return (r->notes & (SFE_NOTE_MIXED | SFE_NOTE_TAG)) != 0 || (r->notes != 0 && !asks);
}

void ata_admin(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    const struct sata_fe_request* r = request_of(q);
    if (slot != SFE_SLOT_SINGLE || refused(r)) {
        refuse(e, slot);
        return;
    }
    switch (r->fis[2]) {
    case ATA_IDENTIFY_DEVICE:
        identify(e, slot);
        return;
    case ATA_SET_FEATURES:
        set_features(e, slot, r);
        return;
    case ATA_READ_LOG_EXT:
    case ATA_READ_LOG_DMA_EXT:
        read_log(e, slot, r);
        return;
    case ATA_SMART:
        smart(e, slot, r);
        return;
    case ATA_STANDBY_IMMEDIATE:
    case ATA_STANDBY:
        stop(e, slot);
        return;
    case ATA_IDLE_IMMEDIATE:
    case ATA_IDLE:
        flush(e, slot);
        return;
    case ATA_CHECK_POWER_MODE:
        answer(e, slot, 0, e->hil->ata.standby != 0 ? POWER_STANDBY : POWER_ACTIVE);
        return;
    case ATA_EXECUTE_DEVICE_DIAGNOSTIC:
        e->hil->ata.result_error = ATA_DIAGNOSTIC_PASSED;
        answer(e, slot, 1, 1); /* the signature */
        return;
    default:
        refuse(e, slot);
        return;
    }
}
