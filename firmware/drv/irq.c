/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/irq.h"

#include "models/regs/irq_regs.h"

void irq_enable(struct env* e, uint64_t lines)
{
    const uint64_t base = MAP_IRQ_BASE + hal_core(e->hal) * IRQ_CORE_STRIDE;
    FW_ASSERT(e, base < MAP_IRQ_BASE + MAP_CORES_MAX * IRQ_CORE_STRIDE);
    hal_write32(e->hal, base + IRQ_REG_ENABLE_LO, (uint32_t)lines);
    hal_write32(e->hal, base + IRQ_REG_ENABLE_HI, (uint32_t)(lines >> 32));
}
