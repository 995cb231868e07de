/* SPDX-License-Identifier: Apache-2.0
 *
 * The page map, which counts how often it is asked for an entry: by a pin, or by a look-up.
 */
#ifndef SSDVP_TESTS_SUPPORT_COUNTING_MAP_H
#define SSDVP_TESTS_SUPPORT_COUNTING_MAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void counting_begin(void);
uint64_t counted_pins(void);    /* since then */
uint64_t counted_lookups(void); /* likewise */
uint64_t counted_runs(void);    /* ... for many units at a time */

#ifdef __cplusplus
}
#endif

#endif
