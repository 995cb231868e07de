// SPDX-License-Identifier: Apache-2.0
//
// How the driver formats namespace 1: metadata of its blocks, and protection information.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

option with_metadata(option o)
{
    return acts_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.driver.metadata.bytes != 0; },
        "host.nvme.metadata.bytes is above 0", "use host.nvme.metadata.bytes: 8, or leave it out");
}

} // namespace

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

} // namespace ssdvp::platform
