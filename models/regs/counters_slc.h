/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: the SLC cache.
 */
#ifndef SSDVP_REGS_COUNTERS_SLC_H
#define SSDVP_REGS_COUNTERS_SLC_H

#define COUNTERS_SLC(C)                                                                            \
    C(superblocks, GAUGE, SLC_CACHE, "ftl.slc_cache.superblocks", "",                              \
      "superblocks of the SLC cache")                                                              \
    C(free, GAUGE, SLC_CACHE, "ftl.slc_cache.free", "",                                            \
      "superblocks of the SLC cache that are erased")                                              \
    C(hits, COUNTER, SLC_CACHE, "ftl.slc_cache.hits", "SLC cache: units written",                  \
      "map units of the host programmed into it")                                                  \
    C(bypassed, COUNTER, SLC_CACHE, "ftl.slc_cache.bypassed", "SLC cache: passed by",              \
      "map units of the host programmed past it, for it was full or by policy")                    \
    C(tapered, COUNTER, SLC_CACHE, "ftl.slc_cache.tapered", "SLC cache: tapered off",              \
      "those of them that passed it by though it had room: policy taper")                          \
    C(folded, COUNTER, SLC_CACHE, "ftl.slc_cache.folded", "SLC cache: folded",                     \
      "map units that folding moved to the rest of the drive")                                     \
    C(folds, COUNTER, SLC_CACHE, "ftl.slc_cache.folds", "", "superblocks folded to the end")       \
    C(erase_min, LEAST, SLC_CACHE, "ftl.slc_cache.wear.min", "",                                   \
      "erases of the good block of it with the fewest")                                            \
    C(erase_max, MOST, SLC_CACHE, "ftl.slc_cache.wear.max", "",                                    \
      "erases of the good block of it with the most")                                              \
    C(used_percent, MOST, SLC_CACHE, "ftl.slc_cache.percentage_used", "",                          \
      "its mean P/E cycles in % of those that the part bears in SLC mode")

#endif
