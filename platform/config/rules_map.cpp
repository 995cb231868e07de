// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: superblocks, and the map in DRAM.
#include <fmt/format.h>

#include "firmware/flash/reserve.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

constexpr double invalid_least = 0.05; // what is padded at the end of a superblock is garbage too

} // namespace

void check_superblocks(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    check_placement(raw, c);
    constexpr std::uint64_t pages_max = 0xFFFFFFFF; // one word of firmware's addresses
    if (!superblocks_are_narrow(c)) {
        return;
    }
    if (superblocks(c) * block_pages(c) > pages_max) {
        reject("ftl.stripe",
               fmt::format("{} pages are more than the {} that superblocks of one block can name",
                           superblocks(c) * block_pages(c), pages_max),
               "use ftl.stripe: drive, or fewer blocks");
    }
    if (c.ftl.gc_copyback) {
        reject("gc.copyback",
               "a copyback stays in its plane, superblocks of one block lie in different ones",
               "use gc.copyback: false, or ftl.stripe: drive");
    }
}

namespace {

/// Logical blocks, and the log beside them.
void check_log_unit(const rejection& reject, const ssd_config& c)
{
    const std::uint64_t page = c.channel.die.geo.page_size;
    const bool blocks = c.ftl.log_set_unit == log_unit::block;
    if (blocks && c.ftl.scheme != ftl_scheme::log_set) {
        reject("ftl.log_set.unit", "only log_set has a log of blocks",
               "use ftl.scheme: log_set, or leave it out");
    }
    if (blocks && !superblocks_are_narrow(c)) {
        reject("ftl.log_set.unit", "a logical block is mapped to one block of the part",
               "use ftl.stripe: block");
    }
    if (blocks && c.ftl.map_unit != page) {
        reject("ftl.log_set.unit",
               fmt::format("the units of a logical block are pages of {}B", page),
               fmt::format("use ftl.map_unit: {}B", page));
    }
    if (!blocks && c.ftl.log_set_w_log != 0) {
        reject("ftl.log_set.w_log", "where data are mapped by pages small writes need no other log",
               "use ftl.log_set.unit: block, or leave it out");
    }
    if (c.ftl.log_set_w_threshold != 0 && c.ftl.log_set_w_log == 0) {
        reject("ftl.log_set.w_threshold", "there is no W-log to pass by",
               "set ftl.log_set.w_log, or leave it out");
    }
    if (c.ftl.log_set_w_threshold > block_pages(c)) {
        reject("ftl.log_set.w_threshold",
               fmt::format("a block has no more than {} pages", block_pages(c)),
               fmt::format("use {} or less", block_pages(c)));
    }
    if (blocks && c.ftl.log_set_policy != map_policy::lru) {
        reject("ftl.log_set.map_policy", "the map of blocks lies in DRAM as a whole",
               "use ftl.log_set.unit: page, or leave it out");
    }
    if (blocks && c.ftl.log_set_streams != map_streams::shared) {
        reject("ftl.log_set.map_streams",
               "a superblock is one block, a checkpoint of the map of blocks fills few of them",
               "use ftl.log_set.unit: page, or leave it out");
    }
}

/// The buffer of level 2.
void check_upper(const rejection& reject, const ssd_config& c)
{
    const bool paged = c.ftl.scheme == ftl_scheme::log_set && !maps_blocks(c);
    const std::uint64_t least = MAP_FRAMES_LEAST * c.ftl.map_unit;
    if (!paged && c.ftl.log_set_upper != 0) {
        reject("ftl.log_set.upper_cache", "only log_set with pages has a buffer of M2",
               "use ftl.scheme: log_set and ftl.log_set.unit: page, or leave it out");
    }
    if (c.ftl.log_set_upper != 0 && c.ftl.log_set_upper < least) {
        reject(
            "ftl.log_set.upper_cache",
            fmt::format("{} bytes are fewer than {} pages", c.ftl.log_set_upper, MAP_FRAMES_LEAST),
            fmt::format("use {}B or more", least));
    }
    if (c.ftl.log_set_upper == 0 && c.ftl.log_set_upper_policy != map_policy::lru) {
        reject("ftl.log_set.upper_policy", "all of M2 is in DRAM",
               "set ftl.log_set.upper_cache, or leave it out");
    }
}

} // namespace

void check_map(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    check_log_unit(reject, c);
    const bool vm_map = scheme_has(c, SCHEME_HAS_SEGMENTS);
    if (!map_is_paged(c) && c.ftl.map_cache != 0) {
        reject("ftl.map_cache",
               fmt::format("the whole map of {} lies in DRAM",
                           maps_blocks(c) || places_pages(c) ? "blocks" : "page_map"),
               "use ftl.scheme: dftl, vm_map or log_set, or leave it out");
    }
    if (c.ftl.scheme != ftl_scheme::dftl && !c.ftl.dftl_batch) {
        reject("ftl.dftl.batch", "only dftl has map pages with some entries elsewhere",
               "use ftl.scheme: dftl, or leave it out");
    }
    if (!vm_map && c.ftl.vm_segments != 0) {
        reject("ftl.vm_map.segments", "only the map of vm_map has segments",
               "use ftl.scheme: vm_map, or leave it out");
    }
    if (vm_map && c.ftl.vm_segments == 0 && c.ftl.map_cache < segment_bytes(c)) {
        reject("ftl.map_cache", fmt::format("{} bytes hold no segment of the map", c.ftl.map_cache),
               fmt::format("use {}B or more", segment_bytes(c)));
    }
    if (c.ftl.scheme != ftl_scheme::log_set && c.ftl.log_set_policy != map_policy::lru) {
        reject("ftl.log_set.map_policy", "only log_set has a buffer of map pages",
               "use ftl.scheme: log_set, or leave it out");
    }
    if (c.ftl.scheme != ftl_scheme::log_set && c.ftl.log_set_streams != map_streams::shared) {
        reject("ftl.log_set.map_streams", "only log_set has logs of maps with blocks of their own",
               "use ftl.scheme: log_set, or leave it out");
    }
    check_upper(reject, c);
    const double invalid = c.ftl.log_set_invalid;
    if (c.ftl.scheme != ftl_scheme::log_set && invalid != 0.0) {
        reject("ftl.log_set.invalid_threshold", "only log_set watches garbage",
               "use ftl.scheme: log_set, or leave it out");
    }
    if (invalid != 0.0 && invalid < invalid_least) {
        reject("ftl.log_set.invalid_threshold",
               fmt::format("collecting so little garbage writes {:.0f} times of it", 1.0 / invalid),
               fmt::format("use 0, or {} and more", invalid_least));
    }
    if (map_has_frames(c) && c.ftl.map_cache < map_cache_least(c)) {
        reject("ftl.map_cache",
               fmt::format("{} bytes are too few for what maps a write unit", c.ftl.map_cache),
               fmt::format("use {}B or more", map_cache_least(c)));
    }
}

} // namespace ssdvp::platform
