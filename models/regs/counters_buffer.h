/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: what the buffer reads, and what nobody need read.
 */
#ifndef SSDVP_REGS_COUNTERS_BUFFER_H
#define SSDVP_REGS_COUNTERS_BUFFER_H

#define COUNTERS_BUFFER(C)                                                                         \
    C(cache_padding_reads, STATS, COUNTER, PADDING, 330, "cache.padding_reads", "",                \
      "units that `bplru` read to complete blocks")                                                \
    C(cache_ahead_units, STATS, COUNTER, READ_AHEAD, 330, "cache.read_ahead_units", "",            \
      "units read ahead of streams")                                                               \
    C(cache_ahead_hits, STATS, COUNTER, READ_AHEAD, 330, "cache.read_ahead_hits", "",              \
      "... of these, read by the host")                                                            \
    C(cache_ahead_wasted, STATS, COUNTER, READ_AHEAD, 330, "cache.read_ahead_wasted", "",          \
      "... of these, left unread")                                                                 \
    C(unwritten_sectors, READS, COUNTER, ALWAYS, 0, "", "",                                        \
      "sectors read that nothing was written to, or that were trimmed since")                      \
    C(read_sectors, READS, COUNTER, ALWAYS, 0, "", "",                                             \
      "... of all that firmware read for commands, without those of the look-up engine")

#endif
