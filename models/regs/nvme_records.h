/* SPDX-License-Identifier: Apache-2.0
 *
 * NVMe commands: queue entries and what they hold. NVM Express base 1.4 sections 4.2 (SQE), 4.6
 * (CQE), 5 (admin), 6 (I/O). The registers are in nvme.rdl, whose header includes this one.
 */
#ifndef SSDVP_REGS_NVME_RECORDS_H
#define SSDVP_REGS_NVME_RECORDS_H

#include <stdint.h>

#include "models/regs/nvme_admin_commands.h"
#include "models/regs/nvme_directives.h"
#include "models/regs/nvme_status.h"
#include "models/regs/nvme_zone_records.h"

enum nvme_io_opcode {
    NVME_IO_FLUSH = 0x00,
    NVME_IO_WRITE = 0x01,
    NVME_IO_READ = 0x02,
    NVME_IO_WRITE_UNCORRECTABLE = 0x04,
    NVME_IO_COMPARE = 0x05,
    NVME_IO_WRITE_ZEROES = 0x08,
    NVME_IO_DSM = 0x09,
    NVME_IO_VERIFY = 0x0C,
    NVME_IO_COPY = 0x19
};

enum nvme_feature {
    NVME_FEATURE_ARBITRATION = 0x01,
    NVME_FEATURE_POWER_MANAGEMENT = 0x02,
    NVME_FEATURE_TEMPERATURE_THRESHOLD = 0x04,
    NVME_FEATURE_ERROR_RECOVERY = 0x05,
    NVME_FEATURE_VOLATILE_WRITE_CACHE = 0x06,
    NVME_FEATURE_NUMBER_OF_QUEUES = 0x07,
    NVME_FEATURE_COALESCING = 0x08,
    NVME_FEATURE_VECTOR = 0x09,
    NVME_FEATURE_WRITE_ATOMICITY = 0x0A,
    NVME_FEATURE_ASYNC_EVENTS = 0x0B,
    NVME_FEATURE_AUTONOMOUS_POWER = 0x0C, /* APST */
    NVME_FEATURE_HOST_MEMORY = 0x0D,      /* host memory buffer */
    NVME_FEATURE_TIMESTAMP = 0x0E,
    NVME_FEATURE_THERMAL_MANAGEMENT = 0x10, /* host controlled */
    NVME_FEATURE_COMMAND_SETS = 0x19,       /* I/O Command Set Profile */
    NVME_FEATURE_SOFTWARE_PROGRESS = 0x80,
    NVME_FEATURE_HOST_IDENTIFIER = 0x81
};

#define NVME_LOG_ERROR 0x01u
#define NVME_LOG_SMART 0x02u
#define NVME_LOG_FIRMWARE_SLOT 0x03u
#define NVME_LOG_CHANGED_NAMESPACES 0x04u
#define NVME_LOG_EFFECTS 0x05u
#define NVME_LOG_TELEMETRY_HOST 0x07u
#define NVME_LOG_TELEMETRY_CONTROLLER 0x08u
/* What firmware did about errors. Tools take C0h to CFh for logs of the Open Compute Project and of
 * other vendors. */
#define NVME_LOG_VENDOR 0xD9u

#define NVME_RW_FUA (1u << 30)        /* CDW12 of Read and Write */
#define NVME_PRINFO_SHIFT 26u         /* ... protection: PRACT 8, PRCHK 4, 2, 1 */
#define NVME_PRINFO_SOURCE_SHIFT 12u  /* of the sources of Copy */
#define NVME_DSM_DEALLOCATE (1u << 2) /* CDW11 of Dataset Management */

#define NVME_STATUS_DNR 0x4000u /* do not retry */

/* Asynchronous events: what a completion of Asynchronous Event Request says in dword 0. */
enum nvme_event_type { NVME_EVENT_ERROR = 0, NVME_EVENT_SMART = 1, NVME_EVENT_NOTICE = 2 };
enum nvme_event_error {
    NVME_EVENT_INVALID_DOORBELL = 0,
    NVME_EVENT_INVALID_DOORBELL_VALUE = 1,
    NVME_EVENT_FIRMWARE_LOAD = 5
};
enum nvme_event_smart {
    NVME_EVENT_RELIABILITY = 0,
    NVME_EVENT_TEMPERATURE = 1,
    NVME_EVENT_SPARE = 2
};
enum nvme_event_notice { NVME_EVENT_NAMESPACE_ATTRIBUTE = 0, NVME_EVENT_FIRMWARE_ACTIVATION = 1 };

#define NVME_PSDT_SHIFT 6 /* of nvme_sqe.flags: what prp1, prp2 and mptr hold */
enum nvme_psdt {
    NVME_PSDT_PRP = 0,     /* PRPs; mptr: address of metadata */
    NVME_PSDT_SGL = 1,     /* an SGL descriptor; mptr: address of metadata */
    NVME_PSDT_SGL_MPTR = 2 /* an SGL descriptor; mptr: address of one for metadata */
};

enum nvme_sgl_type { /* upper half of nvme_sgl.type; the lower, the subtype, is 0: an address */
                     NVME_SGL_DATA = 0,
                     NVME_SGL_BIT_BUCKET = 1, /* data to the host: so many bytes go nowhere */
                     NVME_SGL_SEGMENT = 2,
                     NVME_SGL_LAST_SEGMENT = 3
};

struct nvme_sgl { /* SGL descriptor, 16 bytes; section 4.4 */
    uint64_t address;
    uint32_t length;
    uint8_t reserved[3];
    uint8_t type; /* bits 7:4 enum nvme_sgl_type, 3:0 subtype */
};

struct nvme_sqe { /* submission queue entry, 64 bytes */
    uint8_t opcode;
    uint8_t flags; /* bits 1:0 fused, 7:6 enum nvme_psdt */
    uint16_t cid;
    uint32_t nsid;
    uint32_t cdw2;
    uint32_t cdw3;
    uint64_t mptr;
    uint64_t prp1;
    uint64_t prp2;
    uint32_t cdw10;
    uint32_t cdw11;
    uint32_t cdw12;
    uint32_t cdw13;
    uint32_t cdw14;
    uint32_t cdw15;
};

struct nvme_cqe { /* completion queue entry, 16 bytes */
    uint32_t dw0;
    uint32_t dw1;
    uint16_t sq_head;
    uint16_t sq_id;
    uint16_t cid;
    uint16_t status; /* bit 0 phase, bits 15:1 status field */
};

struct nvme_host_descriptor { /* 16 bytes: host memory buffer descriptor entry */
    uint64_t address;         /* BADD */
    uint32_t pages;           /* BSIZE */
    uint32_t reserved;
};

struct nvme_host_memory { /* dwords 12 to 15 of feature 0Dh, and what Get Features tells */
    uint32_t size;        /* HSIZE, memory pages */
    uint32_t list_lo;     /* HMDLAL */
    uint32_t list_hi;     /* HMDLAU */
    uint32_t entries;     /* HMDLEC */
};

struct nvme_dsm_range { /* 16 bytes */
    uint32_t attributes;
    uint32_t blocks;
    uint64_t slba;
};

struct nvme_copy_range { /* 32 bytes, format 0 */
    uint64_t reserved0;
    uint64_t slba;
    uint16_t blocks; /* 0-based */
    uint16_t reserved1;
    uint32_t reserved2;
    uint32_t reference;   /* EILBRT */
    uint16_t application; /* ELBAT */
    uint16_t mask;        /* ELBATM */
};

#endif
