/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/memory_map.rdl by scripts/generate-registers: do not edit.
 *
 * Memory map. Address map of the controller as its cores and DMA masters see it, and the lines of
 * the interrupt controller. Both sides share it.
 */
#ifndef SSDVP_REGS_MEMORY_MAP_H
#define SSDVP_REGS_MEMORY_MAP_H

/* clang-format off */
#include <stdint.h>

/* static memory; the part that exists is boot_params.sram_size */
#define MAP_SRAM_BASE UINT64_C(0x20000000)
#define MAP_SRAM_MAX  UINT64_C(0x10000000) /* of the window */

#define MAP_NVME_BASE UINT64_C(0x40000000) /* NVMe front end, device side */
#define MAP_NVME_SIZE UINT64_C(0x1000)

#define MAP_IRQ_BASE UINT64_C(0x40001000) /* Interrupt controller */
#define MAP_IRQ_SIZE UINT64_C(0x1000)

#define MAP_SATA_BASE UINT64_C(0x40003000) /* SATA front end, device side */
#define MAP_SATA_SIZE UINT64_C(0x1000)

#define MAP_NOR_BASE UINT64_C(0x40004000) /* Boot flash */
#define MAP_NOR_SIZE UINT64_C(0x1000)

#define MAP_THERMAL_BASE UINT64_C(0x40005000) /* Thermal unit */
#define MAP_THERMAL_SIZE UINT64_C(0x1000)

#define MAP_TIMER_BASE UINT64_C(0x40010000) /* timer n at MAP_TIMER_BASE + n * MAP_TIMER_SIZE */
#define MAP_TIMER_SIZE UINT64_C(0x1000)
#define MAP_TIMER_MAX  8u

/* channel n at MAP_CHANNEL_BASE + n * MAP_CHANNEL_SIZE */
#define MAP_CHANNEL_BASE UINT64_C(0x40100000)
#define MAP_CHANNEL_SIZE UINT64_C(0x1000)
#define MAP_CHANNEL_MAX  64u

/* boot flash as memory, to be read: area n at n * NOR_AREA_SIZE */
#define MAP_NOR_CODE_BASE UINT64_C(0x50000000)
#define MAP_NOR_CODE_MAX  UINT64_C(0x1000000)  /* of the window */

/* above 4 GiB: a drive may carry many GiB of DRAM (dram.capacity) */
#define MAP_DRAM_BASE UINT64_C(0x100000000)

/* Interrupt lines of the interrupt controller. */
#define IRQ_LINE_NVME     0u
#define IRQ_LINE_SATA     0u
#define IRQ_LINE_CHANNEL0 2u  /* line of channel n is IRQ_LINE_CHANNEL0 + n % IRQ_CHANNEL_LINES */
#define IRQ_LINE_NOR      37u
#define IRQ_LINE_THERMAL  38u
#define IRQ_LINE_MAILBOX0 39u /* of core n: IRQ_LINE_MAILBOX0 + n */
#define IRQ_LINE_TIMER0   48u /* line of timer n is IRQ_LINE_TIMER0 + n */
#define IRQ_CHANNEL_LINES 32u
#define IRQ_LINES         64u

#define MAP_CORES_MAX 9u

#endif
