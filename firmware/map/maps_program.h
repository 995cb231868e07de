/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps: the way to the flash. A page that is put out is copied, so that the map may change while
 * the copy is programmed; the page stays at its old place until the program has ended.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_PROGRAM_H
#define SSDVP_FIRMWARE_MAP_MAPS_PROGRAM_H

#include "firmware/map/maps.h"

/* Puts a copy of a dirty page out to the flash. false = no buffer. */
bool maps_put(struct env* e, uint32_t level, uint64_t page);
/* A unit of a map superblock has to leave its place. false = not now. */
bool maps_relocate(struct env* e, uint64_t word, uint64_t address);
/* The spare word of the map page or journal unit at an address, 0 = there is none. word: what the
 * flash says, NULL = it cannot be believed. */
uint64_t maps_word(struct env* e, uint64_t address, const uint64_t* word);
void maps_step(struct env* e);
void maps_program_done(struct env* e, const struct flash_result* result);

#endif
