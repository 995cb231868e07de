/* SPDX-License-Identifier: Apache-2.0
 *
 * Namespaces: which there are, of which command set, and where their blocks lie. Index = identifier
 * - 1; NS_NONE = there is none.
 *
 * A namespace is one run of sectors of the drive, which begins at a logical unit of the map. What
 * no namespace has is unmapped. All of it is kept in struct drive_state.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NAMESPACES_H
#define SSDVP_FIRMWARE_HOST_NVME_NAMESPACES_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

/* I/O command sets. NVM Express base 2.0 section 3.1.3.5. A host that asks for the NVM command set
 * alone (CC.CSS 0) does not see zoned namespaces: they are inactive. */
uint32_t command_sets_chosen(const struct env* e); /* the host takes all that there are */
uint32_t command_set_enabled(const struct env* e, uint32_t set);
uint32_t command_set_known(const struct env* e, uint32_t set); /* the drive has it */

uint32_t nvme_ns_of(const struct env* e, uint32_t nsid);
uint32_t nvme_ns_active(const struct env* e, uint32_t nsid); /* ... attached */
/* Status of a command for one that is not there: invalid, or only inactive (section 6.1.5). */
uint32_t nvme_ns_missing(uint32_t nsid);
uint64_t nvme_unallocated(const struct env* e); /* sectors */
void nvme_ns_changed(struct env* e);
/* Where the command's sectors lie, and what is wrong with them. */
uint32_t nvme_translate(struct env* e, struct command* c, uint32_t opcode, bool ranged,
                        bool bounded);

#endif
