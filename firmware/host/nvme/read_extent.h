/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a read one flash operation brings: what follows on the page, and on the same page of
 * the other planes.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_READ_EXTENT_H
#define SSDVP_FIRMWARE_HOST_NVME_READ_EXTENT_H

#include "firmware/host/core/hil.h"

/* The slot of the buffer that the command may read the unit from, INDEX_NONE. */
uint32_t read_buffered_slot(struct env* e, const struct command* c, uint64_t unit);
/* Sectors of the piece, and of the following units that lie behind it in the same physical page. */
uint32_t read_extend(struct env* e, const struct command* c, const struct piece* p,
                     uint64_t address);
/* Pages that one read can bring: that of `address`, and whole pages with the same number on the
 * next planes of its LUN, which hold what follows in the command. */
uint32_t read_pages(struct env* e, const struct command* c, const struct piece* p,
                    uint64_t address);

#endif
