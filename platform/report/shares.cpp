// SPDX-License-Identifier: Apache-2.0
#include "platform/report/shares.h"

#include <fmt/format.h>

namespace ssdvp::platform {

namespace {

void add_spare(std::vector<share>& out, const telemetry& t)
{
    out.push_back({"percent of the spare units of those at boot", t.spare_percent, 100});
}

void add_fetching(std::vector<share>& out, const counters& c)
{
    for (std::size_t i = 0; i < c.cpu.size(); ++i) {
        if (c.cpu[i].icache) {
            out.push_back({fmt::format("ps that core {} waited for code of those it was busy", i),
                           c.cpu[i].icache->stalled.ps(), c.cpu[i].busy.ps()});
        }
    }
}

void add_heat(std::vector<share>& out, const counters& c)
{
    sim_time sum;
    for (const sim_time t : c.thermal->time) {
        sum += t;
    }
    out.push_back({"ps at all levels of throttling of those measured", sum.ps(), c.when.ps()});
}

void add_states(std::vector<share>& out, const counters& c)
{
    sim_time sum;
    for (std::size_t i = 0; i < c.states->states.size(); ++i) {
        const power_state_statistics& s = c.states->states[i];
        sum += s.time;
        out.push_back(
            {fmt::format("ps asleep of those in power state {}", i), s.asleep.ps(), s.time.ps()});
    }
    out.push_back({"ps in all power states of those measured", sum.ps(), c.when.ps()});
}

} // namespace

share buffered_share(const measurement& m)
{
    share s{"units left in the write buffer of those put into it"};
    if (m.measured.ftl) {
        const telemetry& t = *m.measured.ftl;
        s.part = m.buffer_growth;
        s.whole = t.cache_write_hits + t.cache_write_misses + t.cache_padding_reads;
    }
    return s;
}

share unwritten_share(const measurement& m)
{
    share s{"sectors that nobody had written of those read"};
    if (m.measured.ftl) {
        const std::uint64_t engine =
            m.measured.nvme && m.measured.nvme->looked_up ? m.measured.nvme->looked_up_sectors : 0;
        s.part = m.measured.ftl->unwritten_sectors;
        s.whole = m.measured.ftl->read_sectors + engine;
    }
    return s;
}

std::vector<share> shares_of(const measurement& m)
{
    const counters& c = m.measured;
    std::vector<share> all = {buffered_share(m), unwritten_share(m)};
    if (c.ftl && m.drive.health) {
        add_spare(all, *c.ftl);
    }
    add_fetching(all, c);
    if (c.thermal) {
        add_heat(all, c);
    }
    if (c.states) {
        add_states(all, c);
    }
    return all;
}

} // namespace ssdvp::platform
