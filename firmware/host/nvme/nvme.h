/* SPDX-License-Identifier: Apache-2.0
 *
 * What admin commands of NVMe share: what the controller knows that does not outlive power, and
 * pages of data. NVM Express base 1.4. All of it is the ftl role's. What outlives power is struct
 * drive_state.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NVME_H
#define SSDVP_FIRMWARE_HOST_NVME_NVME_H

#include <stdbool.h>

#include "firmware/durable/drive_state.h"
#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/directives.h"
#include "firmware/host/nvme/firmware_update.h"
#include "firmware/host/nvme/host_buffer.h"

#define DNR(status) ((uint32_t)(status) | NVME_STATUS_DNR)
#define NSID_ALL 0xFFFFFFFFu
#define NS_NONE 0xFFu
#define NSID_SHORT_NONE 0xFFFEu /* one that is too large to be any */
#define NSID_SHORT_ALL 0xFFFFu

#define NVME_LATER 0xFFFFFFFFu   /* in place of a status: the command ends later */
#define NVME_NO_PAGE 0xFFFFFFFEu /* ... nothing is done: it goes again when a page is free */
#define AERS_MOST 4u             /* outstanding: AERL + 1 */
#define ABORTS_MOST 4u           /* ACL + 1; each is over at once */
#define EVENTS_MOST 16u
#define ERRORS_MOST 64u /* ELPE + 1 */
#define VECTORS_MOST 256u
#define CONTROLLER_ID 1u
#define TELEMETRY_SIZE 3584u /* header of 512 bytes and six blocks of 512 */
#define EVENTS_SMART 0x1Fu   /* feature 0Bh: critical warnings */
#define EVENTS_KNOWN 0x31Fu  /* ... and notices of namespaces and firmware */
#define COPY_RANGES_MOST 16u

enum feature_index { /* current and saved values of 32 bits */
                     FEATURE_ARBITRATION,
                     FEATURE_POWER,
                     FEATURE_OVER, /* temperature threshold */
                     FEATURE_UNDER,
                     FEATURE_RECOVERY,
                     FEATURE_CACHE,
                     FEATURE_COALESCING,
                     FEATURE_ATOMICITY,
                     FEATURE_EVENTS,
                     FEATURE_HEAT,        /* host controlled thermal management */
                     FEATURE_SENSOR_OVER, /* temperature thresholds of the sensors: */
                     FEATURE_SENSOR_UNDER = FEATURE_SENSOR_OVER + HEAT_SENSORS,
                     FEATURE_VALUES = FEATURE_SENSOR_UNDER + HEAT_SENSORS
};

struct nvme_error {
    uint64_t count;
    uint64_t lba;
    uint16_t sq;
    uint16_t cid;
    uint16_t status;
    uint16_t reserved;
    uint32_t nsid;
    uint32_t reserved2;
};

struct nvme_event {
    uint8_t type;
    uint8_t info;
    uint8_t log; /* whose reading lets the next one of its kind be told */
};

enum transfer_phase { TRANSFER_FETCH = 0, TRANSFER_READ = 1, TRANSFER_WRITE = 2 };

struct nvme_transfer { /* Compare or Copy */
    uint32_t busy;     /* 1 = slot has it */
    uint32_t slot;
    uint32_t phase; /* enum transfer_phase */
    uint32_t step;  /* 1 = the source that was read is complete */
    uint32_t next;  /* Copy: source that is read */
    uint32_t ranges;
    uint32_t filled; /* bytes of the sources before */
    uint32_t reserved;
    uint64_t to;   /* Copy: first sector of the drive */
    uint64_t data; /* a transfer of the largest size */
    struct drive_spoilt source[COPY_RANGES_MOST];
};

struct nvme {
    uint32_t feature[FEATURE_VALUES];
    uint32_t recovery[DRIVE_NAMESPACES]; /* feature 05h */
    uint8_t alone[VECTORS_MOST];         /* feature 09h: no coalescing */
    uint64_t timestamp;                  /* ms, at ... */
    uint64_t timestamp_at;               /* ... the drive's time, ms */
    uint32_t timestamp_set;              /* 1 = by Set Features */
    uint32_t warned;                     /* SMART warnings as the host knows them */
    uint8_t host_id[8];

    uint32_t aers;
    uint32_t events;
    uint32_t masked;         /* logs that are to be read first, bit n = log n */
    uint32_t changed;        /* namespaces, bit n = index n */
    uint16_t aer[AERS_MOST]; /* slots */
    struct nvme_event event[EVENTS_MOST];

    uint32_t errors;     /* since power-up */
    uint32_t formatting; /* namespaces, bit n = index n */
    struct nvme_error error[ERRORS_MOST];

    uint8_t telemetry[TELEMETRY_SIZE];

    uint32_t format[DRIVE_NAMESPACES]; /* as the front end knows it, 0 = 9 */
    struct nvme_transfer transfer;
    struct nvme_download download;
    struct nvme_update update;
    struct nvme_directives directives;
    struct host_buffer host_buffer;
    struct nvme_sqe waiting[META_BUFFERS]; /* admin commands whose data are on their way */
};

static inline uint32_t nvme_short_nsid(uint32_t nsid)
{
    return nsid == NSID_ALL ? NSID_SHORT_ALL : nsid < NSID_SHORT_NONE ? nsid : NSID_SHORT_NONE;
}

static inline struct nvme* nvme_of(const struct env* e)
{
    return (struct nvme*)env_dram(e, e->hil->nvme);
}

/* An error, for the log of them. */
void nvme_note_error(struct env* e, const struct command* c);
uint32_t nvme_oacs(const struct env* e); /* the optional commands that this drive has */

/* Data of an admin command from the host, a page at most: NVME_LATER or NVME_NO_PAGE. */
uint32_t nvme_fetch(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t bytes);
/* Of hil_page(); without one: NVME_NO_PAGE. */
void nvme_send_page(struct env* e, uint32_t slot, uint32_t offset, uint32_t length);
/* From its beginning, with dword 0 of the completion. */
void nvme_send_answer(struct env* e, uint32_t slot, uint32_t length, uint32_t dw0);

/* The functions of the table of admin commands. A handler answers with the status, with dword 0 of
 * the completion in *dw0, or NVME_LATER or NVME_NO_PAGE; what landed is a page of data, and dword 0
 * is 0. */
#define NVME_ADMIN_FUNCTIONS(ID, opcode, handler, landed, ...)                                     \
    uint32_t nvme_##handler(struct env* e, uint32_t slot, const struct nvme_sqe* q,                \
                            uint32_t* dw0);                                                        \
    uint32_t nvme_##landed(struct env* e, uint32_t slot, const struct nvme_sqe* q,                 \
                           const uint8_t* data);
NVME_ADMIN_COMMANDS(NVME_ADMIN_FUNCTIONS)
#undef NVME_ADMIN_FUNCTIONS

#endif
