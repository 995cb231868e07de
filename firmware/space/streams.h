/* SPDX-License-Identifier: Apache-2.0
 *
 * Who writes: each stream has a superblock open of its own (blocks.h).
 */
#ifndef SSDVP_FIRMWARE_SPACE_STREAMS_H
#define SSDVP_FIRMWARE_SPACE_STREAMS_H

#include "firmware/space/reserve.h"

/* Maps have the last stream, or so many of them. */
enum block_stream { STREAM_HOST = 0, STREAM_GC = 1, STREAM_WEAR = 2, STREAM_MAP = 3, STREAMS = 4 };
#define STREAMS_MOST (STREAM_MAP + 6u)
/* Behind all of these: what the host keeps apart by directive, its stream n - 1
 * (host/nvme/directives.h). The tables of a record do not tell of them; what they had open is full
 * after a shutdown. */
#define STREAM_DIRECTED STREAMS_MOST
/* What goes to the SLC cache first (slc.h). Likewise no record tells of it. */
#define STREAM_SLC (STREAM_DIRECTED + RESERVE_DIRECTED_MOST)
#define STREAMS_ALL (STREAM_SLC + 1u)

/* The host's n-th stream by directive, 0 = what it writes without one. */
static inline uint32_t blocks_host_stream(uint32_t n)
{
    return n == 0 ? (uint32_t)STREAM_HOST : STREAM_DIRECTED + n - 1;
}

#endif
