/* SPDX-License-Identifier: Apache-2.0
 *
 * Set Features and Get Features. NVM Express base 1.4 sections 5.13 and 5.21. A value has a
 * default, a current and, where it can be saved, a saved value, which a reset makes the current
 * one. Saved values are in struct drive_state.
 */
#include "firmware/host/nvme/features.h"

#include "firmware/host/nvme/namespaces.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/mem.h"

enum { SAVEABLE = 1, PER_NAMESPACE = 2, CHANGEABLE = 4 }; /* as Get Features tells them */
enum { SELECT_CURRENT = 0, SELECT_DEFAULT = 1, SELECT_SAVED = 2, SELECT_CAPABILITIES = 3 };
enum { EXTENDED_HOST_ID = 1 };
#define ALL_SENSORS 0xFu
#define NO_THRESHOLD 0xFFFFu

#define NO_VALUE 0xFFu

struct feature {
    uint8_t id;
    uint8_t index; /* enum feature_index, NO_VALUE = kept elsewhere */
    uint8_t abilities;
    uint16_t bytes; /* of data, 0 = the value is in the command */
    uint32_t mask;  /* bits of dword 11 that mean something */
    uint32_t initial;
};

static const struct feature features[] = {
    {.id = NVME_FEATURE_ARBITRATION,
     .index = FEATURE_ARBITRATION,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = 0xFFFFFF07u,
     .initial = FE_ARBITRATION_RESET},
    {.id = NVME_FEATURE_POWER_MANAGEMENT,
     .index = FEATURE_POWER,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = 0xFFu},
    {.id = NVME_FEATURE_TEMPERATURE_THRESHOLD,
     .index = FEATURE_OVER,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = 0xFFFFu,
     .initial = NO_THRESHOLD},
    {.id = NVME_FEATURE_THERMAL_MANAGEMENT,
     .index = FEATURE_HEAT,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = 0xFFFFFFFFu},
    {.id = NVME_FEATURE_ERROR_RECOVERY,
     .index = NO_VALUE,
     .abilities = PER_NAMESPACE | CHANGEABLE,
     .mask = 0xFFFFu},
    {.id = NVME_FEATURE_VOLATILE_WRITE_CACHE,
     .index = FEATURE_CACHE,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = 1,
     .initial = 1},
    {.id = NVME_FEATURE_NUMBER_OF_QUEUES,
     .index = NO_VALUE,
     .abilities = CHANGEABLE,
     .mask = 0xFFFFFFFFu},
    {.id = NVME_FEATURE_COALESCING,
     .index = FEATURE_COALESCING,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = 0xFFFFu},
    {.id = NVME_FEATURE_VECTOR, .index = NO_VALUE, .abilities = CHANGEABLE, .mask = 0x1FFFFu},
    {.id = NVME_FEATURE_WRITE_ATOMICITY,
     .index = FEATURE_ATOMICITY,
     .abilities = CHANGEABLE,
     .mask = 1},
    {.id = NVME_FEATURE_ASYNC_EVENTS,
     .index = FEATURE_EVENTS,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = EVENTS_KNOWN},
    {.id = NVME_FEATURE_AUTONOMOUS_POWER,
     .index = NO_VALUE,
     .abilities = CHANGEABLE,
     .bytes = POWER_TABLE_SIZE,
     .mask = 1},
    {.id = NVME_FEATURE_HOST_MEMORY, .index = NO_VALUE, .abilities = CHANGEABLE, .mask = 3},
    {.id = NVME_FEATURE_TIMESTAMP, .index = NO_VALUE, .abilities = CHANGEABLE, .bytes = 8},
    {.id = NVME_FEATURE_COMMAND_SETS, .index = NO_VALUE, .abilities = CHANGEABLE, .mask = 0x1FFu},
    {.id = NVME_FEATURE_SOFTWARE_PROGRESS,
     .index = NO_VALUE,
     .abilities = SAVEABLE | CHANGEABLE,
     .mask = 0xFF},
    {.id = NVME_FEATURE_HOST_IDENTIFIER, .index = NO_VALUE, .abilities = CHANGEABLE, .bytes = 8},
};

/* Some drives lack some features. */
static bool is_there(const struct env* e, uint32_t id)
{
    switch (id) {
    case NVME_FEATURE_THERMAL_MANAGEMENT:
        return heat_is_known(e);
    case NVME_FEATURE_HOST_MEMORY:
        return host_buffer_wanted(e);
    case NVME_FEATURE_AUTONOMOUS_POWER:
        return power_has_states(e);
    default:
        return true;
    }
}

static const struct feature* find(const struct env* e, uint32_t id)
{
    for (uint32_t i = 0; i < sizeof features / sizeof features[0]; ++i) {
        if (features[i].id == id) {
            return is_there(e, id) ? &features[i] : NULL;
        }
    }
    return NULL;
}

/* Base 1.4 section 5.21.1.4: over WCTEMP, sensors over FFFFh, under 0. */
static uint32_t initial_of(const struct env* e, const struct feature* f, uint32_t index)
{
    switch (index) {
    case FEATURE_UNDER:
    case FEATURE_SENSOR_UNDER:
    case FEATURE_SENSOR_UNDER + 1:
        return 0;
    case FEATURE_OVER:
        return e->hil->heat.setup.warning;
    case FEATURE_HEAT:
        return e->hil->heat.managed;
    default:
        return f->initial;
    }
}

static uint32_t saved_of(const struct env* e, const struct feature* f, uint32_t index)
{
    const struct drive_state* s = drive_state_of(e);
    return ((s->saved >> index) & 1u) != 0 ? s->feature[index] : initial_of(e, f, index);
}

static void apply(struct env* e, uint32_t index)
{
    const uint32_t value = nvme_of(e)->feature[index];
    switch (index) {
    case FEATURE_CACHE:
        e->hil->write_cache = value;
        break;
    case FEATURE_EVENTS:
        e->hil->watch =
            (e->hil->watch & WATCH_UPDATE) | ((value & EVENTS_SMART) != 0 ? WATCH_HEALTH : 0);
        break;
    case FEATURE_ARBITRATION:
        front_end_arbitration(e, value);
        break;
    case FEATURE_COALESCING:
        front_end_coalescing(e, value);
        break;
    case FEATURE_HEAT:
        heat_manage(e, value);
        break;
    case FEATURE_POWER:
        power_choose(e, value & POWER_STATE_MASK);
        break;
    default:
        break;
    }
}

/* As the hardware is after a reset, of what it carries out. */
static bool is_hardware_s(uint32_t index)
{
    return index == FEATURE_ARBITRATION || index == FEATURE_COALESCING;
}

void nvme_default_features(struct env* e)
{
    struct nvme* n = nvme_of(e);
    if (e->hil->ata.on != 0) {
        return; /* what SET FEATURES set is its own business */
    }
    for (uint32_t i = 0; i < sizeof features / sizeof features[0]; ++i) {
        const struct feature* f = &features[i];
        if (f->index == NO_VALUE) {
            continue;
        }
        n->feature[f->index] = saved_of(e, f, f->index);
        if (f->index == FEATURE_OVER) {
            n->feature[FEATURE_UNDER] = saved_of(e, f, FEATURE_UNDER);
            for (uint32_t k = FEATURE_SENSOR_OVER; k < FEATURE_SENSOR_UNDER + HEAT_SENSORS; ++k) {
                n->feature[k] = saved_of(e, f, k);
            }
        }
        if (!is_hardware_s(f->index) || n->feature[f->index] != initial_of(e, f, f->index)) {
            apply(e, f->index);
        }
    }
    mem_zero(n->recovery, sizeof n->recovery);
    mem_zero(n->alone, sizeof n->alone);
    mem_zero(n->host_id, sizeof n->host_id);
}

static uint32_t sensor_of(uint32_t dword11)
{
    return (dword11 >> 16) & 0xFu;
}

/* The thresholds of feature 04h, of the composite temperature or a sensor, or the only value. */
static uint32_t index_of(const struct feature* f, uint32_t dword11)
{
    const uint32_t sensor = sensor_of(dword11);
    const bool under = ((dword11 >> 20) & 3u) == 1;
    if (f->index != FEATURE_OVER) {
        return f->index;
    }
    if (sensor == 0 || sensor == ALL_SENSORS) {
        return under ? FEATURE_UNDER : FEATURE_OVER;
    }
    return (under ? FEATURE_SENSOR_UNDER : FEATURE_SENSOR_OVER) + sensor - 1;
}

/* Of a threshold that there is; all at once can be set. */
static bool has_threshold(const struct env* e, uint32_t value, bool set)
{
    const uint32_t sensors = heat_is_known(e) ? HEAT_SENSORS : 0;
    const bool sensor = sensor_of(value) <= sensors || (set && sensor_of(value) == ALL_SENSORS);
    return sensor && ((value >> 20) & 3u) <= 1;
}

/* What is wrong with dword 11, if anything. */
static uint32_t check_value(const struct env* e, const struct feature* f, uint32_t value, bool set)
{
    bool good = true;
    switch (f->id) {
    case NVME_FEATURE_POWER_MANAGEMENT:
        good = (value & POWER_STATE_MASK) < power_states(e);
        break;
    case NVME_FEATURE_TEMPERATURE_THRESHOLD:
        good = has_threshold(e, value, set);
        break;
    case NVME_FEATURE_THERMAL_MANAGEMENT:
        good = !set || heat_can_manage(value);
        break;
    case NVME_FEATURE_ERROR_RECOVERY: /* DULBE: namespaces do not say that they can */
        good = (value & 0x10000u) == 0;
        break;
    case NVME_FEATURE_VOLATILE_WRITE_CACHE:
        good = !cache_writes_through(e);
        break;
    case NVME_FEATURE_NUMBER_OF_QUEUES:
        good = (value & 0xFFFFu) != 0xFFFFu && value >> 16 != 0xFFFFu;
        break;
    case NVME_FEATURE_VECTOR:
        good = (value & 0xFFFFu) < front_end_queues(e)->vectors &&
               (value & 0xFFFFu) < VECTORS_MOST &&
               ((value & 0x10000u) == 0 || (value & 0xFFFFu) != 0); /* admin's: never coalesced */
        break;
    case NVME_FEATURE_COMMAND_SETS: /* of one combination; CC.CSS says whether it counts */
        if ((value & 0x1FFu) != 0) {
            return DNR(NVME_SC_COMMAND_SETS_REJECTED);
        }
        good = command_sets_chosen(e) != 0;
        break;
    case NVME_FEATURE_HOST_IDENTIFIER: /* 64 bits: CTRATT bit 0 */
        good = (value & EXTENDED_HOST_ID) == 0;
        break;
    default:
        break;
    }
    return good ? (uint32_t)NVME_SC_SUCCESS : DNR(NVME_SC_INVALID_FIELD);
}

static uint32_t check_namespace(const struct env* e, const struct feature* f, uint32_t nsid)
{
    const bool exists = nvme_ns_active(e, nsid) != NS_NONE;
    if ((f->abilities & PER_NAMESPACE) != 0) {
        return exists || nsid == NSID_ALL ? (uint32_t)NVME_SC_SUCCESS
                                          : DNR(NVME_SC_INVALID_NAMESPACE);
    }
    if (nsid == 0 || nsid == NSID_ALL) {
        return NVME_SC_SUCCESS;
    }
    return nsid > DRIVE_NAMESPACES ? DNR(NVME_SC_INVALID_NAMESPACE)
                                   : DNR(NVME_SC_FEATURE_NOT_NAMESPACE);
}

static bool has_io_queues(const struct hil* h)
{
    bool any = false;
    for (uint32_t i = 1; i <= h->queue_pairs; ++i) {
        any |= h->cq_exists[i];
    }
    return any;
}

static uint32_t queues_of(const struct hil* h)
{
    return ((h->queue_pairs - 1) << 16) | (h->queue_pairs - 1);
}

/* Those with a place of their own. */
static uint32_t set_other(struct env* e, const struct nvme_sqe* q, uint32_t* dw0)
{
    struct nvme* n = nvme_of(e);
    const uint32_t vector = q->cdw11 & 0xFFFFu;
    switch (q->cdw10 & 0xFFu) {
    case NVME_FEATURE_NUMBER_OF_QUEUES:
        if (has_io_queues(e->hil)) {
            return DNR(NVME_SC_COMMAND_SEQUENCE);
        }
        *dw0 = queues_of(e->hil); /* what is allocated, whatever was asked for */
        break;
    case NVME_FEATURE_VECTOR:
        n->alone[vector] = (uint8_t)((q->cdw11 >> 16) & 1u);
        front_end_vector(e, q->cdw11 & 0x1FFFFu);
        break;
    case NVME_FEATURE_COMMAND_SETS: /* the only one it may be is the one it is */
        break;
    case NVME_FEATURE_SOFTWARE_PROGRESS:
        drive_state_of(e)->progress = q->cdw11 & 0xFFu;
        break;
    default:
        FW_ASSERT(e, (q->cdw10 & 0xFFu) == NVME_FEATURE_ERROR_RECOVERY);
        for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
            if (q->nsid == NSID_ALL || q->nsid == i + 1) {
                n->recovery[i] = q->cdw11 & 0xFFFFu;
            }
        }
        break;
    }
    return NVME_SC_SUCCESS;
}

static void set_one(struct env* e, const struct feature* f, uint32_t value, bool save)
{
    struct drive_state* s = drive_state_of(e);
    const uint32_t index = index_of(f, value);
    nvme_of(e)->feature[index] = value & f->mask;
    apply(e, index);
    if (save) {
        s->feature[index] = value & f->mask;
        s->saved |= 1u << index;
    }
}

static void set_value(struct env* e, const struct feature* f, uint32_t value, bool save)
{
    const bool all = f->index == FEATURE_OVER && sensor_of(value) == ALL_SENSORS;
    set_one(e, f, value, save);
    for (uint32_t i = 1; all && i <= HEAT_SENSORS && heat_is_known(e); ++i) {
        set_one(e, f, (value & ~(ALL_SENSORS << 16)) | i << 16, save);
    }
    FW_ASSERT(e, f->index != NO_VALUE);
}

uint32_t nvme_set_features(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    const struct feature* f = find(e, q->cdw10 & 0xFFu);
    const bool save = (q->cdw10 & 0x80000000u) != 0;
    if (f == NULL) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (save && (f->abilities & SAVEABLE) == 0) {
        return DNR(NVME_SC_FEATURE_NOT_SAVEABLE);
    }
    uint32_t status = check_namespace(e, f, q->nsid);
    status = status == NVME_SC_SUCCESS ? check_value(e, f, q->cdw11, true) : status;
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (f->id == NVME_FEATURE_HOST_MEMORY) {
        return host_buffer_set(e, slot, q);
    }
    if (f->bytes != 0) {
        return nvme_fetch(e, slot, q, f->bytes);
    }
    if (f->index != NO_VALUE) {
        set_value(e, f, q->cdw11, save);
    } else {
        status = set_other(e, q, dw0);
    }
    /* The progress marker is kept whether it says so or not: boot software counts with it. */
    if (status == NVME_SC_SUCCESS && (save || f->id == NVME_FEATURE_SOFTWARE_PROGRESS)) {
        hil_save(e, slot, 0);
        return NVME_LATER;
    }
    return status;
}

static uint64_t now_ms(const struct env* e)
{
    return hal_time_ns(e->hal) / 1000000u;
}

uint32_t nvme_feature_landed(struct env* e, uint32_t slot, const struct nvme_sqe* q,
                             const uint8_t* data)
{
    (void)slot;
    struct nvme* n = nvme_of(e);
    if ((q->cdw10 & 0xFFu) == NVME_FEATURE_TIMESTAMP) {
        n->timestamp = get64(data) & ((UINT64_C(1) << 48) - 1);
        n->timestamp_at = now_ms(e);
        n->timestamp_set = 1;
        return NVME_SC_SUCCESS;
    }
    if ((q->cdw10 & 0xFFu) == NVME_FEATURE_AUTONOMOUS_POWER) {
        return power_take_table(e, data, q->cdw11 & 1u) ? (uint32_t)NVME_SC_SUCCESS
                                                        : DNR(NVME_SC_INVALID_FIELD);
    }
    FW_ASSERT(e, (q->cdw10 & 0xFFu) == NVME_FEATURE_HOST_IDENTIFIER);
    if (get64(n->host_id) != 0) {
        return DNR(NVME_SC_COMMAND_SEQUENCE); /* it is set once */
    }
    mem_copy(n->host_id, data, sizeof n->host_id);
    return NVME_SC_SUCCESS;
}

/* Features that answer with data. */
static uint32_t get_data(struct env* e, uint32_t slot, const struct feature* f, bool current)
{
    uint32_t dw0 = 0;
    const struct nvme* n = nvme_of(e);
    uint8_t* page = hil_page(e, slot);
    if (page == NULL) {
        return NVME_NO_PAGE;
    }
    if (f->id == NVME_FEATURE_TIMESTAMP) {
        put64(page, (n->timestamp + now_ms(e) - n->timestamp_at) & ((UINT64_C(1) << 48) - 1));
        page[6] = (uint8_t)(n->timestamp_set << 1); /* origin: reset, or Set Features */
        page[7] = 0;
    } else if (f->id == NVME_FEATURE_AUTONOMOUS_POWER) {
        dw0 = current ? e->hil->power.autonomous : 0; /* the default is an empty table */
        if (current) {
            power_put_table(e, page);
        }
    } else {
        mem_copy(page, n->host_id, sizeof n->host_id);
    }
    nvme_send_answer(e, slot, f->bytes, dw0);
    return NVME_LATER;
}

static uint32_t get_other(const struct env* e, const struct feature* f, const struct nvme_sqe* q,
                          bool current)
{
    const struct nvme* n = nvme_of(e);
    FW_ASSERT(e, f->index == NO_VALUE);
    switch (f->id) {
    case NVME_FEATURE_NUMBER_OF_QUEUES:
        return queues_of(e->hil);
    case NVME_FEATURE_VECTOR:
        return (q->cdw11 & 0xFFFFu) | (current ? (uint32_t)n->alone[q->cdw11 & 0xFFFFu] << 16 : 0u);
    case NVME_FEATURE_COMMAND_SETS:
        return 0;
    case NVME_FEATURE_SOFTWARE_PROGRESS:
        return drive_state_of(e)->progress;
    default:
        FW_ASSERT(e, f->id == NVME_FEATURE_ERROR_RECOVERY);
        return current ? n->recovery[q->nsid - 1] : 0u;
    }
}

uint32_t nvme_get_features(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    const struct feature* f = find(e, q->cdw10 & 0xFFu);
    const uint32_t select = (q->cdw10 >> 8) & 7u;
    uint32_t status;
    if (f == NULL || select > SELECT_CAPABILITIES) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (select == SELECT_CAPABILITIES) {
        *dw0 = f->abilities;
        return NVME_SC_SUCCESS;
    }
    if ((f->abilities & PER_NAMESPACE) != 0 && nvme_ns_active(e, q->nsid) == NS_NONE) {
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    status = f->id == NVME_FEATURE_NUMBER_OF_QUEUES ? (uint32_t)NVME_SC_SUCCESS
                                                    : check_value(e, f, q->cdw11, false);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (f->id == NVME_FEATURE_HOST_MEMORY) {
        return host_buffer_get(e, slot, select == SELECT_CURRENT);
    }
    if (f->bytes != 0) {
        return get_data(e, slot, f, select == SELECT_CURRENT);
    }
    if (f->index == NO_VALUE) {
        *dw0 = get_other(e, f, q, select == SELECT_CURRENT);
        return NVME_SC_SUCCESS;
    }
    const uint32_t index = index_of(f, q->cdw11);
    *dw0 = select == SELECT_CURRENT   ? nvme_of(e)->feature[index]
           : select == SELECT_DEFAULT ? initial_of(e, f, index)
                                      : saved_of(e, f, index);
    return NVME_SC_SUCCESS;
}
