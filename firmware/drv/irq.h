/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of the interrupt controller.
 */
#ifndef SSDVP_FIRMWARE_DRV_IRQ_H
#define SSDVP_FIRMWARE_DRV_IRQ_H

#include "firmware/lib/env.h"

/* Lets the lines of the front end and of the first channels wake the core. */
void irq_enable(struct env* e, uint32_t channels, int timer);

#endif
