/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of map pages end, whether they come from the flash or from the host's memory; what is not
 * counted yet is read in the background.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_READS_H
#define SSDVP_FIRMWARE_MAP_MAPS_READS_H

#include "firmware/map/maps_load.h"

void maps_read_done(struct env* e, const struct flash_result* result);
/* Whether the page that tells of the unit of a spare word has been counted; if not it is fetched:
 * ask again. may: as many are being fetched as may be at a time, if 0. */
bool maps_told(struct env* e, uint64_t word);
bool maps_may_tell(struct env* e);
/* Loads what is not counted yet, some pages at a time. true = it goes on in the next round. */
bool maps_load_all(struct env* e);
/* A move from or to the host's memory has ended. What did not come back as it was is read from the
 * flash. */
void maps_host_moved(struct env* e, uint32_t move, bool failed);
void maps_host_step(struct env* e);

#endif
