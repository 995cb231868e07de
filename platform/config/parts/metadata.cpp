// SPDX-License-Identifier: Apache-2.0
//
// Metadata of blocks, and what a drive needs that is to keep them.
#include <fmt/format.h>

#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

option with_metadata(option o)
{
    return acts_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.driver.metadata.bytes != 0; },
        "host.nvme.metadata.bytes is above 0", "use host.nvme.metadata.bytes: 8, or leave it out");
}

std::vector<option> metadata_options()
{
    option bytes = make_option<ssd_config>(
        {"host.nvme.metadata.bytes", "0",
         "metadata of each block of 512 bytes: the driver formats namespace 1 so, writes what "
         "follows from data and address, and checks what it reads"},
        count_out_of({0, 8, 16, 64}), FIELD(driver.metadata.bytes));
    value_spec types = count_out_of({1, 2, 3});
    types.word = {"none", 0};
    bytes.relevant = [](const ssd_config& c) { return c.driver.metadata.bytes != 0; };
    bytes.relevant_when = "it is above 0";
    return {bytes,
            with_metadata(make_option<ssd_config>(
                {"host.nvme.metadata.protection", "none",
                 "type of the end-to-end protection information in the last 8 bytes of the "
                 "metadata; drive and driver check all of it"},
                types, FIELD(driver.metadata.protection))),
            with_metadata(make_option<ssd_config>(
                {"host.nvme.metadata.extended", "false",
                 "metadata follow the data of each block, instead of a buffer of their own (MPTR)"},
                flag(), FIELD(driver.metadata.extended)))};
}

void check_metadata(const raw_tree& raw, const ssd_config& c)
{
    constexpr std::uint64_t unit_least = 1024; // a block of 512 bytes, and as much beside it
    const rejection reject{raw};
    const char* const key = "host.nvme.metadata.bytes";
    if (c.driver.metadata.bytes == 0) {
        return;
    }
    if (c.data != data_mode::full) {
        reject(key, "the drive keeps metadata only where it keeps all bytes of the data",
               "use data: full");
    }
    if (c.precondition.fill > 0.0) {
        reject(key, "the format of the namespace would undo precondition.fill",
               "use precondition.fill: 0");
    }
    if (c.ftl.map_unit < unit_least) {
        reject(key,
               fmt::format("units of {} cannot hold a block with its metadata",
                           format_size(c.ftl.map_unit)),
               "use ftl.map_unit of 1KiB or more");
    }
}

} // namespace

const config_part parts::metadata = {metadata_options, nullptr, check_metadata};

} // namespace ssdvp::platform
