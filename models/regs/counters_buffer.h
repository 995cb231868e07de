/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: what the buffer reads, and what nobody need read.
 */
#ifndef SSDVP_REGS_COUNTERS_BUFFER_H
#define SSDVP_REGS_COUNTERS_BUFFER_H

#define COUNTERS_BUFFER(C)                                                                         \
    C(cache_padding_reads, COUNTER, PADDING, "cache.padding_reads", "",                            \
      "units that `bplru` read to complete blocks")                                                \
    C(cache_ahead_units, COUNTER, READ_AHEAD, "cache.read_ahead_units", "",                        \
      "units read ahead of streams")                                                               \
    C(cache_ahead_hits, COUNTER, READ_AHEAD, "cache.read_ahead_hits", "",                          \
      "units read ahead that the host read then")                                                  \
    C(cache_ahead_wasted, COUNTER, READ_AHEAD, "cache.read_ahead_wasted", "",                      \
      "units read ahead that left the buffer unread")                                              \
    C(unwritten_sectors, COUNTER, ALWAYS, "", "",                                                  \
      "sectors read that nothing was written to, or that were trimmed since")                      \
    C(read_sectors, COUNTER, ALWAYS, "", "",                                                       \
      "sectors that firmware read for commands, written or not; the look-up engine's are apart")

#endif
