/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: what the flash did wrong, and what firmware did about it.
 */
#ifndef SSDVP_REGS_COUNTERS_HEALTH_H
#define SSDVP_REGS_COUNTERS_HEALTH_H

#define TELEMETRY_RETRY_LEVELS 8 /* the last counts all beyond */

/* Why data of superblocks were to move. */
#define COUNTERS_REFRESH(E)                                                                        \
    E(refresh_reasons, REFRESH_CORRECTED, HEALTH, "ftl.health.refresh.corrected_bits",             \
      "superblocks that asked for a refresh: many corrected bits")                                 \
    E(refresh_reasons, REFRESH_READS, HEALTH, "ftl.health.refresh.reads",                          \
      "superblocks that asked for a refresh: read disturb")                                        \
    E(refresh_reasons, REFRESH_RETRY, HEALTH, "ftl.health.refresh.retry_level",                    \
      "superblocks that asked for a refresh: a high level of read retry, or none was enough")      \
    E(refresh_reasons, REFRESH_FAILED, HEALTH, "ftl.health.refresh.failed_blocks",                 \
      "superblocks that asked for a refresh: a block of it has left service, its data follow")

/* Why blocks left service. */
#define COUNTERS_RETIRED(E)                                                                        \
    E(retired, RETIRE_PROGRAM, HEALTH, "ftl.health.retired.program",                               \
      "blocks that left service: a program failed")                                                \
    E(retired, RETIRE_ERASE, HEALTH, "ftl.health.retired.erase",                                   \
      "blocks that left service: an erase failed")                                                 \
    E(retired, RETIRE_REFRESHED, HEALTH, "ftl.health.retired.refresh",                             \
      "blocks that left service: too many refreshes")

#define COUNTERS_ENUMERATOR(field, index, ...) index,
enum refresh_reason { COUNTERS_REFRESH(COUNTERS_ENUMERATOR) REFRESH_REASONS };
enum retire_reason { COUNTERS_RETIRED(COUNTERS_ENUMERATOR) RETIRE_REASONS };
#undef COUNTERS_ENUMERATOR

#define COUNTERS_HEALTH(C, A)                                                                      \
    A(retries, TELEMETRY_RETRY_LEVELS, COUNTER,                                                    \
      "reads at level n + 1 of read retry; the last: and beyond")                                  \
    C(recovered_reads, COUNTER, RETRIES, "ftl.health.recovered_reads", "",                         \
      "reads that a level above the plain read put right")                                         \
    C(media_errors, COUNTER, HEALTH, "ftl.health.media_errors", "",                                \
      "reads that no level could correct, of host and firmware")                                   \
    C(lost_units, GAUGE, HEALTH, "ftl.health.lost_units", "", "map units whose data are gone now") \
    C(units_lost, COUNTER, HEALTH, "ftl.health.units_lost", "",                                    \
      "map units that became unreadable for good")                                                 \
    A(refresh_reasons, REFRESH_REASONS, COUNTER, "requests for a refresh, by why")                 \
    C(refresh_runs, COUNTER, HEALTH, "ftl.health.refresh.runs", "",                                \
      "superblocks refreshed to the end")                                                          \
    C(refresh_units_moved, COUNTER, HEALTH, "ftl.health.refresh.units_moved", "",                  \
      "map units that refreshes moved")                                                            \
    C(patrol_reads, COUNTER, HEALTH, "ftl.health.patrol_reads", "", "pages that the patrol read")  \
    A(retired, RETIRE_REASONS, COUNTER, "blocks that left service, by why")                        \
    C(spare_percent, LEAST, HEALTH, "ftl.health.available_spare", "",                              \
      "spare units in % of those at boot, as in the SMART log")                                    \
    C(used_percent, MOST, HEALTH, "ftl.health.percentage_used", "",                                \
      "mean P/E cycles in % of the rated ones, as in the SMART log")                               \
    C(suspends, COUNTER, ALWAYS, "", "",                                                           \
      "suspends of programs and erases, as their completions told")

#endif
