/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameter block: straps and part data that firmware finds at the start of SRAM when it
 * starts. The platform fills it from the configuration.
 */
#ifndef SSDVP_REGS_BOOT_PARAMS_H
#define SSDVP_REGS_BOOT_PARAMS_H

#include <stdint.h>

#include "models/regs/boot_layout.h"
#include "models/regs/parts/cache.h"
#include "models/regs/parts/cores.h"
#include "models/regs/parts/flash.h"
#include "models/regs/parts/ftl.h"
#include "models/regs/parts/gc.h"
#include "models/regs/parts/geometry.h"
#include "models/regs/parts/host.h"
#include "models/regs/parts/map.h"
#include "models/regs/parts/partition.h"
#include "models/regs/parts/placement.h"
#include "models/regs/parts/power.h"
#include "models/regs/parts/refresh.h"
#include "models/regs/parts/retention.h"
#include "models/regs/parts/slc.h"
#include "models/regs/parts/table.h"
#include "models/regs/parts/thermal.h"
#include "models/regs/parts/wear.h"
#include "models/regs/parts/zones.h"

#define BOOT_PARAMS_MAGIC 0x50444253u /* "SBDP" */
#define BOOT_PARAMS_VERSION 2u

#define BOOT_MEMBER(id) struct boot_##id id;
struct boot_params {
    uint32_t magic;
    uint32_t version;
    uint64_t sram_size; /* bytes */
    uint64_t dram_size; /* bytes */
    BOOT_PARTS(BOOT_MEMBER)
};
#undef BOOT_MEMBER

#endif
