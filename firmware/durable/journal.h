/* SPDX-License-Identifier: Apache-2.0
 *
 * Journal of trims: what was trimmed since the base of the last checkpoint.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_JOURNAL_H
#define SSDVP_FIRMWARE_DURABLE_JOURNAL_H

#include <stdbool.h>

#include "firmware/lib/env.h"

struct place;

/* For those who trim. room: false = it is full until the next checkpoint has ended, else one trim
 * fits. */
bool journal_room(struct env* e);
void journal_trim(struct env* e, uint64_t unit, uint64_t count);
/* A ticket for what was trimmed so far; whether it is on the flash. */
uint64_t journal_flush(struct env* e);
bool journal_flushed(const struct env* e, uint64_t ticket);

/* For the maps (map/maps.h). */
void journal_written(struct env* e, uint64_t index, uint64_t address);
bool journal_relocate(struct env* e, uint64_t index, uint64_t address);
uint64_t journal_at(struct env* e, uint64_t address); /* the unit there, UINT64_MAX = none */

/* For recovery. */
int journal_init(struct env* e);
void journal_step(struct env* e);
/* Numbers go on from a record's: units of before may still be found. */
void journal_resume(struct env* e, uint32_t number);
/* true = a checkpoint with this base releases half of what makes one due. */
bool journal_gains(struct env* e, uint64_t base);
void journal_release(struct env* e, uint64_t base); /* what a checkpoint of that base knows */
void journal_found(struct env* e, uint64_t index, uint64_t address);
/* Reads the units found. reader: as boot_read (scan.h). */
typedef const uint64_t* (*page_reader)(struct env* e, const struct place* p, uint64_t buffer);
void journal_load(struct env* e, page_reader read);
/* Units that are not on the flash go along with an anchor record, as many as its page for them
 * takes; the record is written; what a record brought along. */
void journal_pack(struct env* e, void* page);
void journal_packed(struct env* e);
void journal_unpack(struct env* e, const void* page);

struct trim_record {
    uint64_t first;
    uint64_t count;
    uint64_t sequence; /* trimmed after the programs up to this one were submitted */
};
uint32_t journal_records(struct env* e, uint64_t index);
const struct trim_record* journal_record(struct env* e, uint64_t index, uint32_t n);

#endif
