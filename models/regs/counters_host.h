/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: what the host asks for, the collection and the buffer that follow, zones and
 * shallow pages.
 */
#ifndef SSDVP_REGS_COUNTERS_HOST_H
#define SSDVP_REGS_COUNTERS_HOST_H

#define COUNTERS_UNITS(C)                                                                          \
    C(host_units_written, COUNTER, ALWAYS, "", "",                                                 \
      "units that host data programmed, by buffer eviction or directly")                           \
    C(pad_units, COUNTER, ALWAYS, "", "", "units programmed without data to fill a write unit")

#define COUNTERS_GC(C)                                                                             \
    C(gc_runs, COUNTER, ALWAYS, "ftl.gc.runs", "gc: runs", "victims collected to the end")         \
    C(gc_units_moved, COUNTER, ALWAYS, "", "", "map units that collection moved")                  \
    C(gc_pages_moved, COUNTER, ALWAYS, "ftl.gc.pages_moved", "gc: pages moved",                    \
      "pages that the moved map units fill, rounded up at the end")                                \
    C(wear_units_moved, COUNTER, ALWAYS, "", "", "map units that static wear levelling moved")     \
    C(trimmed_units, COUNTER, ALWAYS, "", "", "map units that the host trimmed")

#define COUNTERS_LOOKUPS(C)                                                                        \
    C(map_hits, COUNTER, PAGED_MAP, "ftl.map.hits", "",                                            \
      "lookups that found their part of the map in RAM")                                           \
    C(map_misses, COUNTER, PAGED_MAP, "ftl.map.misses", "",                                        \
      "lookups that did not find their part of the map in RAM")                                    \
    C(map_evictions, COUNTER, PAGED_MAP, "ftl.map.evictions", "",                                  \
      "parts of the map that left RAM for others")

#define COUNTERS_HITS(C)                                                                           \
    C(cache_read_hits, COUNTER, CACHE, "cache.read_hits", "", "units read that the buffer had")    \
    C(cache_read_misses, COUNTER, CACHE, "cache.read_misses", "",                                  \
      "units read that the buffer had not")                                                        \
    C(cache_write_hits, COUNTER, CACHE, "cache.write_hits", "",                                    \
      "units written that the buffer had")                                                         \
    C(cache_write_misses, COUNTER, CACHE, "cache.write_misses", "",                                \
      "units written that the buffer had not")                                                     \
    C(cache_evictions_clean, COUNTER, CACHE, "cache.evictions_clean", "",                          \
      "units that left the buffer, and the flash had them")                                        \
    C(cache_evictions_dirty, COUNTER, CACHE, "cache.evictions_dirty", "",                          \
      "units that left the buffer and were programmed first")

#define COUNTERS_WORK(C) COUNTERS_UNITS(C) COUNTERS_GC(C) COUNTERS_LOOKUPS(C) COUNTERS_HITS(C)

/* Shallow programs of the host whose pages have a limited retention. */
#define COUNTERS_RETENTION(C)                                                                      \
    C(tracked, GAUGE, RETENTION, "ftl.retention.tracked", "",                                      \
      "superblocks with pages that are to be rewritten one day")                                   \
    C(shallow_pages, COUNTER, RETENTION, "ftl.retention.shallow_pages",                            \
      "retention: pages shallow", "pages of the host programmed shallow")                          \
    C(deep_pages, COUNTER, RETENTION, "ftl.retention.deep_pages", "retention: deep;",              \
      "pages of the host programmed as usual")                                                     \
    C(rewritten_units, COUNTER, RETENTION, "ftl.retention.rewritten_units",                        \
      "retention: units rewritten", "shallow units programmed again because of their limit")       \
    C(late_units, COUNTER, RETENTION, "ftl.retention.late", "retention: late",                     \
      "shallow units programmed again after the limit, as far as ages are known")                  \
    C(shallow_died, COUNTER, RETENTION, "ftl.retention.overwritten_units", "",                     \
      "shallow units that the host overwrote or trimmed in time")                                  \
    C(deep_died, COUNTER, ALWAYS, "", "",                                                          \
      "deep units of a predictor that shallow programs would have done for")                       \
    C(deep_lived, COUNTER, ALWAYS, "", "",                                                         \
      "deep units of a predictor that shallow programs would not have done for")

/* Zoned namespaces. */
#define COUNTERS_ZONES(C)                                                                          \
    C(opened, COUNTER, ZONES, "ftl.zones.opened", "zones: opened",                                 \
      "zones that went from another state to an open one")                                         \
    C(closed, COUNTER, ZONES, "ftl.zones.closed_by_controller", "zones: closed for them;",         \
      "zones closed to open another one (`host.nvme.zns.max_open`)")                               \
    C(full, COUNTER, ZONES, "ftl.zones.filled", "zones: filled;", "zones that writes have filled") \
    C(too_many_open, COUNTER, ZONES, "ftl.zones.too_many_open", "",                                \
      "commands refused for `host.nvme.zns.max_open`")                                             \
    C(too_many_active, COUNTER, ZONES, "ftl.zones.too_many_active", "",                            \
      "commands refused for `host.nvme.zns.max_active`")

#endif
