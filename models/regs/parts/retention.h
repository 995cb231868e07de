/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of shallow writes (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_RETENTION_H
#define SSDVP_REGS_PARTS_RETENTION_H

#include <stdint.h>

struct boot_retention {
    uint64_t limit_ns;  /* how long a shallow page can be read; 0 = as long as any other */
    uint64_t margin_ns; /* data are written again, deep, so long before */
    uint32_t policy;    /* enum shallow_policy_id */
    uint32_t small;     /* bytes of the longest command that is short */
    uint32_t rewrite;   /* 1 = data are written again */
    uint32_t regions;   /* of the predictor */
    uint32_t threshold; /* thousandths of a region's units that may outlive the limit */
    uint32_t reserved;
};

#endif
