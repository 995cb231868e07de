/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counters.h: the host memory buffer.
 */
#ifndef SSDVP_REGS_COUNTERS_HMB_H
#define SSDVP_REGS_COUNTERS_HMB_H

#define COUNTERS_HMB(C)                                                                            \
    C(pages, GAUGE, HOST_BUFFER, "ftl.hmb.pages", "",                                              \
      "map pages that the memory which the host lends has room for")                               \
    C(hits, COUNTER, HOST_BUFFER, "ftl.hmb.hits", "host memory buffer: map pages read",            \
      "map pages that came from it instead of the flash")                                          \
    C(writes, COUNTER, HOST_BUFFER, "ftl.hmb.writes", "", "map pages copied into it")              \
    C(passed, COUNTER, HOST_BUFFER, "ftl.hmb.passed", "",                                          \
      "map pages not copied into it, for too many were under way")                                 \
    C(damaged, COUNTER, HOST_BUFFER, "ftl.hmb.damaged", "host memory buffer: damaged",             \
      "map pages that came back changed, and were read from the flash")

#endif
