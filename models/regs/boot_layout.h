/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in SRAM the platform and firmware find what they tell each other.
 */
#ifndef SSDVP_REGS_BOOT_LAYOUT_H
#define SSDVP_REGS_BOOT_LAYOUT_H

#define BOOT_PARAMS_OFFSET 0u        /* struct boot_params, from the start of SRAM */
#define BOOT_TELEMETRY_OFFSET 0x400u /* struct telemetry, telemetry.h */
#define BOOT_FREE_OFFSET 0x2000u     /* first SRAM byte that firmware may use */

#endif
