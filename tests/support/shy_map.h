/* SPDX-License-Identifier: Apache-2.0
 *
 * The page map, but as a scheme whose map is not all in memory: look-ups and pins that have to be
 * repeated. Linked in front of the firmware's archive it takes the place of ftl_page_map.
 */
#ifndef SSDVP_TESTS_SUPPORT_SHY_MAP_H
#define SSDVP_TESTS_SUPPORT_SHY_MAP_H

#include <stdint.h>

/* Of 100 questions that may go unanswered so many do; forgets all pins. */
void shy_begin(uint32_t percent, uint32_t seed);
uint64_t shy_refusals(void);
uint64_t shy_pins(void); /* held now */

#endif
