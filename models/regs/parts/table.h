/* SPDX-License-Identifier: Apache-2.0
 *
 * What firmware is told, part by part: <id>.h of this folder has struct boot_<id>.
 */
#ifndef SSDVP_REGS_PARTS_TABLE_H
#define SSDVP_REGS_PARTS_TABLE_H

/* clang-format off */
#define BOOT_PARTS(PART) \
    PART(geometry) \
    PART(flash) \
    PART(ftl) \
    PART(gc) \
    PART(wear) \
    PART(refresh) \
    PART(cache) \
    PART(map) \
    PART(placement) \
    PART(host) \
    PART(cores) \
    PART(partition) \
    PART(slc) \
    PART(retention) \
    PART(zones) \
    PART(thermal) \
    PART(power)
/* clang-format on */

#endif
