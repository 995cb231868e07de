/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: the drive as a whole, and its maps.
 */
#ifndef SSDVP_REGS_COUNTERS_DRIVE_H
#define SSDVP_REGS_COUNTERS_DRIVE_H

#define COUNTERS_MEMORY(C)                                                                         \
    C(ram_bytes, OWN, GAUGE, ALWAYS, 110, "ftl.ram_bytes", "",                                     \
      "DRAM and SRAM that the scheme, the cache and their tables hold")

#define COUNTERS_DRIVE(C)                                                                          \
    C(mapped, STATS, GAUGE, ALWAYS, 0, "", "", "logical units with a physical address")            \
    C(valid, STATS, GAUGE, ALWAYS, 0, "", "", "physical units counted valid over all blocks")      \
    C(free_blocks, STATS, GAUGE, ALWAYS, 220, "ftl.free_blocks", "", "erased superblocks")         \
    C(bad_blocks, STATS, GAUGE, ALWAYS, 220, "ftl.bad_blocks", "", "blocks in the bad-block table")

#define COUNTERS_DIRTY(C)                                                                          \
    C(buffer_dirty, OWN, GAUGE, ALWAYS, 0, "", "", "buffered units not yet programmed")

#define COUNTERS_WEAR(C)                                                                           \
    C(erase_min, STATS, LEAST, WEAR, 200, "ftl.wear.min", "",                                      \
      "erases of the good block with the fewest, since the drive was made")                        \
    C(erase_max, STATS, MOST, WEAR, 202, "ftl.wear.max", "", "... with the most")                  \
    C(erase_sum, STATS, GAUGE, ALWAYS, 0, "", "", "erases of all good blocks")                     \
    C(erase_square_sum, STATS, GAUGE, ALWAYS, 0, "", "", "... squared")                            \
    C(erase_blocks, STATS, GAUGE, ALWAYS, 0, "", "", "blocks counted in the sums")                 \
    C(read_errors, STATS, COUNTER, ALWAYS, 0, "", "", "host reads completed with an error")        \
    C(read_only, STATS, FLAG, HEALTH, 259, "ftl.health.read_only", "",                             \
      "the drive accepts no more writes")

#define COUNTERS_MAPS(C)                                                                           \
    C(map_units, STATS, GAUGE, ALWAYS, 0, "", "",                                                  \
      "units of map pages and journal that are counted valid")                                     \
    C(map_units_written, STATS, COUNTER, ALWAYS, 0, "", "",                                        \
      "units of map pages and journal, padding included")                                          \
    C(checkpoints, STATS, COUNTER, ALWAYS, 210, "ftl.checkpoints", "",                             \
      "checkpoints of the maps saved")

/* What power-up found. */
#define COUNTERS_RECOVERY(C)                                                                       \
    C(recovery_kind, OWN, MOST, ALWAYS, 0, "", "", "power-up: 0 fresh, 1 clean, 2 lost power")     \
    C(recovery_pages, OWN, GAUGE, ALWAYS, 0, "", "", "... pages whose spare words it read")        \
    C(recovery_programs, OWN, GAUGE, ALWAYS, 0, "", "",                                            \
      "... programs behind the checkpoint that it found")

#define COUNTERS_PLACEMENT(C)                                                                      \
    C(strayed_units, STATS, COUNTER, PLACED, 160, "ftl.strayed_units", "placement: units strayed", \
      "map units of host and collection that did not land where their address says")

#endif
