/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters of firmware, one row each. From the rows come struct telemetry (telemetry.h), in
 * which firmware counts, the difference over the measured part of a run, their keys in
 * summary.json, the lines of counts in the text summary, and the table in docs/results.md. A row is
 *
 *     C(field, kind, where, key, text, description)
 *
 *     kind         enum counter_kind: what is told of a measured part
 *     where        enum counter_where: drives that have the key
 *     key          in summary.json, dotted; "" = not there
 *     text         "ROW: WORDS" = "<count> WORDS" in that row of the text summary, in the order of
 *                  the rows; "" = not there, or in a sentence of text_summary.cpp
 *     description  tells all by itself: reports may show a row without the one above it
 *
 * Arrays are rows A(field, length, kind, description), their elements, where these have
 * names, rows E(field, index, where, key, description) with an enumerator as index.
 *
 * The order of the rows in a group is that of summary.json and of the table, and the layout in
 * memory. Groups have an order in memory, below, and one in reports, in counter_rows() of
 * platform/report/counter_table.cpp.
 */
#ifndef SSDVP_REGS_COUNTERS_H
#define SSDVP_REGS_COUNTERS_H

#include <stdint.h>

#include "models/regs/counters_buffer.h"
#include "models/regs/counters_drive.h"
#include "models/regs/counters_health.h"
#include "models/regs/counters_hmb.h"
#include "models/regs/counters_host.h"
#include "models/regs/counters_merge.h"
#include "models/regs/counters_slc.h"

/* K(kind, word). Of a measured part a counter tells the difference, a gauge and a flag (true or
 * false) what they are at its end, a maximum the most since power-on. Gauges of the partitions of a
 * drive add up, but for those of which the drive has the least or the most. Each kind needs lines
 * in platform/report/measurement.cpp. */
#define COUNTER_KINDS(K)                                                                           \
    K(COUNTER, "counter")                                                                          \
    K(GAUGE, "gauge")                                                                              \
    K(LEAST, "gauge")                                                                              \
    K(MOST, "gauge")                                                                               \
    K(FLAG, "flag")                                                                                \
    K(MAXIMUM, "maximum")

/* W(where, description): drives that have a counter, as has() of platform/report/counter_table.cpp
 * decides. */
#define COUNTER_PLACES(W)                                                                          \
    W(ALWAYS, "")                                                                                  \
    W(PAGED_MAP, "schemes that look their map up in flash")                                        \
    W(PLACED, "static orders and `channel_rr`")                                                    \
    W(MERGES, "block and hybrid mapping")                                                          \
    W(MERGED_LOGS, "block and hybrid mapping, once a log block was merged")                        \
    W(WEAR, "once blocks have been counted")                                                       \
    W(ZONES, "zoned namespaces")                                                                   \
    W(RETENTION, "shallow pages with a limit")                                                     \
    W(PREDICTED, "`write.shallow.policy: predicted`")                                              \
    W(SLC_CACHE, "an SLC cache")                                                                   \
    W(HOST_BUFFER, "`ftl.map_memory: hmb`")                                                        \
    W(HEALTH, "parts that can err, or firmware that looks for errors")                             \
    W(RETRIES, "parts with levels of read retry")                                                  \
    W(CACHE, "a buffer: not with `cache.policy: none`")                                            \
    W(PADDING, "`cache.policy: bplru`")                                                            \
    W(READ_AHEAD, "`cache.read_ahead`")

/* The rows of struct telemetry itself, before its reserved words and after them. */
#define COUNTERS_FIRST(C, A)                                                                       \
    COUNTERS_MEMORY(C)                                                                             \
    COUNTERS_DRIVE(C)                                                                              \
    COUNTERS_DIRTY(C)                                                                              \
    COUNTERS_WORK(C)                                                                               \
    COUNTERS_MERGE_KINDS(C)                                                                        \
    COUNTERS_WEAR(C)                                                                               \
    COUNTERS_HEALTH(C, A)                                                                          \
    COUNTERS_MAPS(C)                                                                               \
    COUNTERS_RECOVERY(C)                                                                           \
    COUNTERS_PLACEMENT(C)
#define COUNTERS_LATER(C)                                                                          \
    COUNTERS_READS(C)                                                                              \
    COUNTERS_MERGES(C)                                                                             \
    COUNTERS_BUFFER(C)

#endif
