/* SPDX-License-Identifier: Apache-2.0
 *
 * What the firmware of a drive holds on behalf of its host, read from its state in the drive's
 * memory. For tests that ask whether anything stayed behind.
 */
#ifndef SSDVP_TESTS_SUPPORT_DRIVE_HELD_H
#define SSDVP_TESTS_SUPPORT_DRIVE_HELD_H

#include <stdint.h>

struct drive_held {
    uint32_t commands;     /* not completed */
    uint32_t posted;       /* completed, but their completion's end not seen yet */
    uint32_t waiting;      /* in any list of those that lack something */
    uint32_t moving;       /* moves under way, or whose end was not seen yet */
    uint32_t backlog;      /* moves that wait for the ring */
    uint32_t meta;         /* metadata buffers */
    uint32_t read_buffers; /* page buffers of reads */
    uint32_t slot_moves;   /* moves to and from slots of the buffer */
    uint32_t slots_astray; /* slots neither free, dirty nor clean, or free and in no list */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Only while nothing is under way on the flash. */
void count_held(uint8_t* sram, uint8_t* dram, struct drive_held* held);

#ifdef __cplusplus
}
#endif

#endif
