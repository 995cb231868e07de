// SPDX-License-Identifier: Apache-2.0
//
// The SLC cache of the firmware (ftl.slc_cache.*).
#include <fmt/format.h>

#include "platform/config/boxed_value.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"
#include "platform/config/parts/slc.h"

namespace ssdvp::platform {

namespace {

using namespace units;

option of_slc_cache(option o)
{
    return acts_when<ssd_config>(std::move(o), has_slc_cache,
                                 "ftl.slc_cache.static or dynamic is above 0",
                                 "give ftl.slc_cache.static or ftl.slc_cache.dynamic");
}

/// One that only policies with the flags heed.
option of_policies(option o, std::uint32_t flags)
{
    return acts_when<ssd_config>(
        std::move(o),
        [flags](const ssd_config& c) {
            return has_slc_cache(c) && (flags_of(c.ftl.slc->policy) & flags) != 0;
        },
        "ftl.slc_cache.policy is " + names_of<slc_policy>(flags), "use such a policy");
}

option of_dynamic(option o)
{
    return acts_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.ftl.slc->dynamic != 0; },
        "ftl.slc_cache.dynamic is above 0", "give ftl.slc_cache.dynamic");
}

option part_of_cache(option o)
{
    o.relevant = has_slc_cache;
    o.relevant_when = "ftl.slc_cache.static or dynamic is above 0";
    return o;
}

std::vector<option> slc_cache_options()
{
    return {
        part_of_cache(basic(make_option<ssd_config>(
            {"ftl.slc_cache.static", "0B",
             "data that the static part of an SLC cache takes, in whole superblocks, which come on "
             "top of the capacity; 0B: none"},
            size_of(0, TiB), FIELD(ftl.slc->fixed)))),
        part_of_cache(basic(make_option<ssd_config>(
            {"ftl.slc_cache.dynamic", "0B",
             "data that its dynamic part takes at most, in superblocks that are free otherwise; "
             "0B: none"},
            size_of(0, TiB), FIELD(ftl.slc->dynamic)))),
        of_slc_cache(
            basic(make_option<ssd_config>({"ftl.slc_cache.policy", "idle",
                                           "when data leave the SLC cache for the rest of the "
                                           "drive"},
                                          words_of<slc_policy>(), FIELD(ftl.slc->policy)))),
        of_slc_cache(make_option<ssd_config>(
            {"ftl.slc_cache.idle", "10ms",
             "without a command of the host, after which data leave the SLC cache"},
            time_of(1 * us, 3600 * s), FIELD(ftl.slc->idle))),
        of_slc_cache(make_option<ssd_config>(
            {"ftl.slc_cache.close", "1s",
             "without a command of the host, after which the superblock of the SLC cache that is "
             "being filled leaves it too, so that all of it is free; 0s: never"},
            time_of(0, 3600 * s), FIELD(ftl.slc->close))),
        of_policies(make_option<ssd_config>({"ftl.slc_cache.goal", "1",
                                             "share of the SLC cache that idle time makes free"},
                                            real_of(value_kind::fraction, 0.0, 1.0),
                                            FIELD(ftl.slc->goal)),
                    SLC_HAS_GOAL),
        of_policies(make_option<ssd_config>({"ftl.slc_cache.low", "0.25",
                                             "share of the SLC cache below which data leave it "
                                             "beside writes of the host; policy "
                                             "full: that is made free once it is full"},
                                            real_of(value_kind::fraction, 0.0, 1.0),
                                            FIELD(ftl.slc->low)),
                    SLC_DRAINS),
        of_policies(
            make_option<ssd_config>(
                {"ftl.slc_cache.drain", "0.5",
                 "bytes that leave the SLC cache beside writes of the host, per byte written"},
                real_of(value_kind::number, 0.0, 16.0), FIELD(ftl.slc->drain)),
            SLC_DRAINS),
        of_policies(make_option<ssd_config>({"ftl.slc_cache.taper", "0.5",
                                             "share of the SLC cache; with f of it free, below "
                                             "that, only f / taper of the writes "
                                             "go there, so that speed falls in a slope"},
                                            real_of(value_kind::fraction, 0.0, 1.0),
                                            FIELD(ftl.slc->taper)),
                    SLC_TAPERS),
        of_slc_cache(make_option<ssd_config>(
            {"ftl.slc_cache.copyback", "false",
             "whole pages leave the SLC cache inside their LUN where they can, by copyback, "
             "without the bus (needs nand.slc_mode.copyback)"},
            flag(), FIELD(ftl.slc->copyback))),
        of_dynamic(make_option<ssd_config>(
            {"ftl.slc_cache.reclaim", "0.1",
             "superblocks with more than that share of garbage are collected in idle time, so that "
             "the dynamic part grows back; 1: none"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(ftl.slc->reclaim))),
    };
}

} // namespace

bool has_slc_cache(const ssd_config& c)
{
    return c.ftl.slc->fixed != 0 || c.ftl.slc->dynamic != 0;
}

bool uses_slc_mode(const ssd_config& c)
{
    return c.write == write_mode::slc || has_slc_cache(c) || c.channel.die.two_pass;
}

std::uint64_t slc_superblock_bytes(const ssd_config& c)
{
    return superblock_luns(c) * superblock_planes(c) * flash::slc_pages(c.channel.die) *
           c.channel.die.geo.page_size;
}

namespace {

std::uint64_t superblocks_of(const ssd_config& c, std::uint64_t bytes)
{
    const std::uint64_t one = slc_superblock_bytes(c) * c.ftl_cores; // one in each partition
    return one == 0 ? 0 : (bytes + one - 1) / one * c.ftl_cores;
}

} // namespace

std::uint64_t slc_superblocks(const ssd_config& c)
{
    return superblocks_of(c, c.ftl.slc->fixed);
}

std::uint64_t slc_turning_superblocks(const ssd_config& c)
{
    return superblocks_of(c, c.ftl.slc->dynamic);
}

namespace {

void check_slc_size(const raw_tree& raw, const ssd_config& c)
{
    if (slc_superblocks(c) >= superblocks(c)) {
        rejection{raw}(
            "ftl.slc_cache.static",
            fmt::format("{} superblocks of {} bytes in SLC mode are more than the drive has ({})",
                        slc_superblocks(c), slc_superblock_bytes(c), superblocks(c)),
            "use a smaller one, or more nand.blocks_per_plane");
    }
}

void check_slc_cache(const raw_tree& raw, const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    if (!has_slc_cache(c)) {
        return;
    }
    const char* key = c.ftl.slc->fixed != 0 ? "ftl.slc_cache.static" : "ftl.slc_cache.dynamic";
    const auto reject = [&](const char* of, const std::string& what, const char* remedy) {
        rejection{raw}(of, what, remedy);
    };
    if (die.cell == flash::cell_type::slc || die.timing.slc.tPROG == sim_time()) {
        reject(key, "the part has no SLC mode",
               "give nand.slc_mode.tR, nand.slc_mode.tPROG and nand.slc_mode.tBERS of a part with "
               "nand.cell of two bits or more");
    }
    if (die.one_pass || c.write != write_mode::normal) {
        reject(key, "what is not in the cache is programmed page by page in the part's normal mode",
               "use write.mode: normal and nand.one_pass: false");
    }
    if (c.ftl.slc->copyback && !die.slc_copyback) {
        reject(
            "ftl.slc_cache.copyback", "the part's copyback stays in the mode in which it has read",
            "use ftl.slc_cache.copyback: false, or nand.slc_mode.copyback: true with a part that "
            "can");
    }
    if (c.ftl.slc->copyback && die.errors.rber > 0.0 &&
        c.channel.ecc.kind == flash::ecc_kind::none) {
        reject("ftl.slc_cache.copyback",
               "without a code nothing tells how many wrong bits a copy carries along",
               "use flash.ecc.kind: bch or ldpc, or ftl.slc_cache.copyback: false");
    }
    if (maps_blocks(c) || places_pages(c)) {
        reject(
            "ftl.slc_cache.static",
            fmt::format("ftl.scheme {} says where each page of a logical block lies, in blocks of "
                        "all their pages",
                        word_of(c.ftl.scheme)),
            "use ftl.scheme: page_map, dftl, vm_map or log_set with ftl.log_set.unit: page");
    }
    if (superblocks_are_narrow(c) || !c.ftl.place.is_stripe()) {
        reject(key, "its superblocks are striped over the drive",
               "use ftl.stripe: drive and ftl.placement: stripe");
    }
}

void complete_slc_cache(const raw_tree& /*raw*/, ssd_config& c, preset_fit& /*fit*/)
{
    c.channel.die.slc_endurance = has_slc_cache(c) ? c.ftl.slc->endurance : 0;
}

void fill_slc_cache(boot_params& p, const ssd_config& c)
{
    if (!has_slc_cache(c)) {
        return;
    }
    const slc_cache_config& s = *c.ftl.slc;
    p.slc.fixed = static_cast<std::uint32_t>(slc_superblocks(c));
    p.slc.dynamic = static_cast<std::uint32_t>(slc_turning_superblocks(c));
    p.slc.pages = flash::slc_pages(c.channel.die);
    p.slc.policy = value_of(s.policy);
    p.slc.goal_permille = permille(s.goal);
    p.slc.low_permille = permille(s.low);
    p.slc.drain_permille = permille(s.drain);
    p.slc.taper_permille = permille(s.taper);
    p.slc.idle_ns = s.idle.ps() / 1000;
    p.slc.reclaim_permille = permille(s.reclaim);
    p.slc.copyback = s.copyback ? 1 : 0;
    p.slc.close_ns = s.close.ps() / 1000;
    p.slc.endurance = s.endurance;
}

} // namespace

template class boxed<slc_cache_config>;

const config_part parts::slc = {slc_cache_options, complete_slc_cache, check_slc_cache,
                                fill_slc_cache, check_slc_size};

} // namespace ssdvp::platform
