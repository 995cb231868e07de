/* SPDX-License-Identifier: Apache-2.0
 *
 * What the bare-metal ports share: hal_ops by volatile accesses, and the entry that start-up code
 * calls. A port supplies target_wait and target_halt.
 */
#ifndef SSDVP_FIRMWARE_PORT_TARGET_H
#define SSDVP_FIRMWARE_PORT_TARGET_H

#include <stdint.h>

void target_main(void); /* from start-up code, with a stack and memory as it came up */
void target_wait(void); /* sleeps until an interrupt is pending */
_Noreturn void target_halt(void);

#endif
