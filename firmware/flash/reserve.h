/* SPDX-License-Identifier: Apache-2.0
 *
 * How many superblocks the firmware needs beyond the user's data.
 */
#ifndef SSDVP_FIRMWARE_FLASH_RESERVE_H
#define SSDVP_FIRMWARE_FLASH_RESERVE_H

#define RESERVE_FREE 1u        /* free superblocks that only collection may open */
#define RESERVE_REFRESH 1u     /* ... and so many more while it refreshes: blocks may fail then */
#define RESERVE_SUPERBLOCKS 3u /* open for host and collection, and the free one */

#endif
