/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of zoned namespaces (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_ZONES_H
#define SSDVP_REGS_PARTS_ZONES_H

#include <stdint.h>

struct boot_zones {       /* of zoned namespaces */
    uint64_t size;        /* bytes of a zone, a multiple of 4096; 0 = there are none */
    uint64_t capacity;    /* bytes of it that can be written */
    uint32_t open;        /* zones of a namespace at a time; 0 = no limit */
    uint32_t active;      /* likewise */
    uint32_t read_across; /* 1 = a read may cross the end of a zone */
    uint32_t reserved;
};

#endif
