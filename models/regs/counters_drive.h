/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: the drive as a whole, and its maps.
 */
#ifndef SSDVP_REGS_COUNTERS_DRIVE_H
#define SSDVP_REGS_COUNTERS_DRIVE_H

#define COUNTERS_MEMORY(C)                                                                         \
    C(ram_bytes, GAUGE, ALWAYS, "ftl.ram_bytes", "",                                               \
      "DRAM and SRAM that the scheme, the cache and their tables hold")

#define COUNTERS_DRIVE(C)                                                                          \
    C(mapped, GAUGE, ALWAYS, "", "", "logical units with a physical address")                      \
    C(valid, GAUGE, ALWAYS, "", "", "physical units counted valid over all blocks")                \
    C(free_blocks, GAUGE, ALWAYS, "ftl.free_blocks", "", "erased superblocks")                     \
    C(bad_blocks, GAUGE, ALWAYS, "ftl.bad_blocks", "", "blocks in the bad-block table")

#define COUNTERS_DIRTY(C)                                                                          \
    C(buffer_dirty, GAUGE, ALWAYS, "", "", "buffered units not yet programmed")

#define COUNTERS_ERASES(C)                                                                         \
    C(erase_min, LEAST, WEAR, "ftl.wear.min", "",                                                  \
      "erases of the good block with the fewest, since the drive was made")                        \
    C(erase_max, MOST, WEAR, "ftl.wear.max", "",                                                   \
      "erases of the good block with the most, since the drive was made")                          \
    C(erase_sum, GAUGE, ALWAYS, "", "", "erases of all good blocks")                               \
    C(erase_square_sum, GAUGE, ALWAYS, "", "", "erases of all good blocks, each squared")          \
    C(erase_blocks, GAUGE, ALWAYS, "", "", "blocks counted in the sums")

#define COUNTERS_STATE(C)                                                                          \
    C(read_errors, COUNTER, ALWAYS, "", "", "host reads completed with an error")                  \
    C(read_only, FLAG, HEALTH, "ftl.health.read_only", "", "the drive accepts no more writes")

#define COUNTERS_WEAR(C) COUNTERS_ERASES(C) COUNTERS_STATE(C)

#define COUNTERS_MAPS(C)                                                                           \
    C(map_units, GAUGE, ALWAYS, "", "", "units of map pages and journal that are counted valid")   \
    C(map_units_written, COUNTER, ALWAYS, "", "",                                                  \
      "units of map pages and journal, padding included")                                          \
    C(checkpoints, COUNTER, ALWAYS, "ftl.checkpoints", "", "checkpoints of the maps saved")

/* What power-up found. */
#define COUNTERS_RECOVERY(C)                                                                       \
    C(recovery_kind, MOST, ALWAYS, "", "", "power-up: 0 fresh, 1 clean, 2 lost power")             \
    C(recovery_pages, GAUGE, ALWAYS, "", "", "pages whose spare words power-up read")              \
    C(recovery_programs, GAUGE, ALWAYS, "", "",                                                    \
      "programs behind the checkpoint that power-up found")

#define COUNTERS_PLACEMENT(C)                                                                      \
    C(strayed_units, COUNTER, PLACED, "ftl.strayed_units", "placement: units strayed",             \
      "map units of host and collection that did not land where their address says")

#endif
