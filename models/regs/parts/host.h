/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of what the host is offered (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_HOST_H
#define SSDVP_REGS_PARTS_HOST_H

#include <stdint.h>

struct boot_host {
    uint32_t interface;   /* enum host_interface_id */
    uint32_t queue_pairs; /* I/O queue pairs to offer the host */
    uint32_t mdts;        /* largest transfer, bytes: power of two times 4096 */
    uint32_t data_mode;   /* 0 none, 1 tag, 2 full: how much of a buffer is meaningful */
    uint32_t trim;        /* 1 = Deallocate and Write Zeroes unmap; 0 = Deallocate is ignored */
    uint32_t lookup;      /* 1 = the front end has a look-up engine, for page_map */
    uint32_t streams;     /* that the host may have open by directive; 0 = none */
    uint32_t reserved;
};

#endif
