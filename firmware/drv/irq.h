/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of the interrupt controller.
 */
#ifndef SSDVP_FIRMWARE_DRV_IRQ_H
#define SSDVP_FIRMWARE_DRV_IRQ_H

#include "firmware/lib/env.h"

/* Which lines wake the core that runs. */
void irq_enable(struct env* e, uint64_t lines);

#endif
