// SPDX-License-Identifier: Apache-2.0
//
// The parts of the drive that have options. In this order
// - options are shown, group by group,
// - defaults are computed: from options, and from what parts above have computed,
// - rules are checked, so that the first error told is that of the upper part.
#pragma once

// clang-format off
#define CONFIG_PARTS(PART) \
    PART(interface) \
    PART(pcie) \
    PART(host) \
    PART(geometry) \
    PART(timing) \
    PART(channel) \
    PART(suspend) \
    PART(modes) \
    PART(passes) \
    PART(snap_read) \
    PART(levels) \
    PART(shallow) \
    PART(errors) \
    PART(refresh) \
    PART(memory) \
    PART(cpu) \
    PART(cores) \
    PART(core_timing) \
    PART(watchdog) \
    PART(interconnect) \
    PART(ftl)         /* the map unit and what superblocks are, in which those below count */ \
    PART(cache) \
    PART(map) \
    PART(write) \
    PART(ecc)         /* its room is what the words of each map unit leave of the spare bytes */ \
    PART(blocks) \
    PART(placement) \
    PART(directives) \
    PART(slc) \
    PART(map_memory) \
    PART(run) \
    PART(sampling) \
    PART(power) \
    PART(serve) \
    PART(energy)      /* for the generation that pcie has */ \
    PART(thermal) \
    PART(power_states) \
    PART(nvme) \
    PART(zones) \
    PART(metadata) \
    PART(sata)
// clang-format on
