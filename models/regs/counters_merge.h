/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: pages read and programmed by why, and the merges of block and hybrid mapping
 * (struct boot_placed).
 */
#ifndef SSDVP_REGS_COUNTERS_MERGE_H
#define SSDVP_REGS_COUNTERS_MERGE_H

/* By what the merges took. */
#define COUNTERS_MERGE_KINDS(C)                                                                    \
    C(merges_switch, COUNTER, MERGES, "ftl.merges.switch", "merges: switch",                       \
      "merges that copied nothing; with `superblock`, blocks given up without a copy")             \
    C(merges_partial, COUNTER, MERGES, "ftl.merges.partial", "merges: partial",                    \
      "merges that completed a log block by copies; with `superblock`, blocks given up with them") \
    C(merges_full, COUNTER, MERGES, "ftl.merges.full", "merges: full",                             \
      "merges that copied everything to another block")

#define COUNTERS_READS(C)                                                                          \
    C(host_page_reads, COUNTER, ALWAYS, "", "", "pages read for the host")                         \
    C(map_page_reads, COUNTER, ALWAYS, "", "", "pages read of maps")                               \
    C(scan_page_reads, COUNTER, MERGES, "ftl.scan_reads", "",                                      \
      "pages that a search for the newest copy looks into, whether it reads them or has an index")

#define COUNTERS_MERGES(C)                                                                         \
    C(copy_page_reads, COUNTER, MERGES, "ftl.merges.pages_read", "",                               \
      "pages that merges read to copy them")                                                       \
    C(copy_page_writes, COUNTER, MERGES, "ftl.merges.pages_programmed", "",                        \
      "pages that merges programmed, without what the host wrote into their blocks")               \
    C(merged_logs, COUNTER, ALWAYS, "", "", "merges, one for a log block whatever it takes")       \
    C(merged_logical_blocks, COUNTER, ALWAYS, "", "",                                              \
      "logical blocks that merges of log blocks took")                                             \
    C(merged_logical_blocks_max, MAXIMUM, MERGED_LOGS, "ftl.merges.associativity.max", "",         \
      "logical blocks that the merge of a log block took")                                         \
    C(blocking_max_ns, MAXIMUM, MERGES, "ftl.merges.longest_wait_ns", "",                          \
      "wait of a page of the host for merges")                                                     \
    C(erases_data, COUNTER, MERGES, "ftl.erases.data", "", "data blocks given up to be erased")    \
    C(erases_log, COUNTER, MERGES, "ftl.erases.log", "",                                           \
      "spare, replacement, moving and log blocks given up to be erased")                           \
    C(erases_map, COUNTER, MERGES, "ftl.erases.map", "",                                           \
      "superblocks of maps given up to be erased")

#endif
