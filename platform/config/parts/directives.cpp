// SPDX-License-Identifier: Apache-2.0
//
// Streams by directive: what the drive offers, what a stream of requests names, and what they need.
#include <fmt/format.h>

#include "firmware/space/reserve.h"
#include "models/regs/boot_params.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

std::vector<option> directive_options()
{
    option o = make_option<ssd_config>(
        {"ftl.streams", "0",
         "streams of writes that the host may have open by directive, each with a superblock of "
         "its own; 0: the drive has no directives"},
        count_of(0, RESERVE_DIRECTED_MOST), FIELD(ftl.streams));
    o.relevant = [](const ssd_config& c) { return c.ftl.streams != 0; };
    o.relevant_when = "it is not 0";
    return {o};
}

} // namespace

std::vector<stream_option> directive_stream_options()
{
    stream_option o = make_option<host::stream_config>(
        {"stream_id", "0",
         "stream that writes name by directive, opened by the first of them; 0: none"},
        count_of(0, 65535), FIELD(stream_id));
    o.relevant = [](const host::stream_config& c) { return c.stream_id != 0; };
    o.relevant_when = "it is not 0, and ftl.streams is above 0";
    return {o};
}

namespace {

void check_streams(const raw_tree& raw, const ssd_config& c)
{
    const auto& streams = c.workload.streams;
    for (std::size_t i = 0; i < streams.size() && c.ftl.streams == 0; ++i) {
        if (streams[i].stream_id == 0) {
            continue;
        }
        origin at = raw.workload.at;
        if (i < raw.workload.streams.size()) {
            const raw_map& fields = raw.workload.streams[i];
            const auto it = fields.find("stream_id");
            at = it == fields.end() ? at : it->second.at;
        }
        fail(at, fmt::format("workload.{}.stream_id", i), "the drive has no streams by directive",
             "use ftl.streams of 1 or more");
    }
}

void check_directives(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    check_streams(raw, c);
    if (c.ftl.streams == 0) {
        return;
    }
    if (c.driver.interface == host::interface_kind::sata) {
        reject("ftl.streams", "directives are commands of NVMe",
               "use host.interface: nvme, or leave it out");
    }
    if (maps_blocks(c) || places_pages(c) || superblocks_are_narrow(c)) {
        reject("ftl.streams",
               "only schemes that map pages to superblocks of the drive keep streams apart",
               "use ftl.scheme: page_map, dftl, vm_map or log_set with ftl.stripe: drive, or leave "
               "it out");
    }
    if (!c.ftl.place.is_stripe()) {
        reject("ftl.streams", "streams are striped, ftl.placement says where pages go instead",
               "use ftl.placement: stripe, or leave it out");
    }
    if (tracks_retention(c)) {
        reject("ftl.streams", "what is written shallow has superblocks by how long it is kept",
               "use write.mode: normal or slc, or leave it out");
    }
}

void fill_directives(boot_params& p, const ssd_config& c)
{
    p.host.streams = c.ftl.streams;
}

} // namespace

const config_part parts::directives = {directive_options, nullptr, check_directives,
                                       fill_directives};

} // namespace ssdvp::platform
