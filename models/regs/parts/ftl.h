/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of the flash translation layer (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_FTL_H
#define SSDVP_REGS_PARTS_FTL_H

#include <stdint.h>

struct boot_ftl {
    uint32_t scheme;      /* enum ftl_scheme_id */
    uint32_t map_unit;    /* bytes that one map entry covers: divides page_size, multiple of 512 */
    uint64_t user_units;  /* logical capacity in map units, after over-provisioning */
    uint32_t stripe;      /* enum stripe_id */
    uint32_t multi_plane; /* 1 = program and erase all planes of a LUN at once */
};

#endif
