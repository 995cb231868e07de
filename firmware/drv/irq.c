/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/irq.h"

#include "models/regs/irq_regs.h"

void irq_enable(struct env* e, uint32_t channels, int timer)
{
    uint64_t lines = UINT64_C(1) << IRQ_LINE_NVME;
    FW_ASSERT(e, channels <= MAP_CHANNEL_MAX);
    lines |= timer ? UINT64_C(1) << IRQ_LINE_TIMER : 0;
    for (uint32_t c = 0; c < channels; ++c) {
        lines |= UINT64_C(1) << (IRQ_LINE_CHANNEL0 + c);
    }
    FW_ASSERT(e, channels + IRQ_LINE_CHANNEL0 <= IRQ_LINES);
    hal_write32(e->hal, MAP_IRQ_BASE + IRQ_REG_ENABLE_LO, (uint32_t)lines);
    hal_write32(e->hal, MAP_IRQ_BASE + IRQ_REG_ENABLE_HI, (uint32_t)(lines >> 32));
}
