// SPDX-License-Identifier: Apache-2.0
#include "platform/control/array_run.h"

#include <algorithm>
#include <fmt/format.h>

#include "models/common/calendar.h"
#include "models/host/workload/stream_source.h"
#include "platform/config/derived.h"
#include "platform/control/pace.h"
#include "platform/control/precondition.h"
#include "platform/control/version.h"
#include "platform/report/counter_sums.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

constexpr std::uint32_t open_loop_slots = 1024; // requests under way of streams with a rate
constexpr std::size_t stages = 3;

std::vector<std::string> names_of(const named_array& plan, const std::vector<named_drive>& drives)
{
    std::vector<std::string> names;
    for (const std::size_t m : plan.members) {
        names.push_back(drives[m].name);
    }
    return names;
}

/// Sectors that hold version 1 when the run begins: see the rules of platform/config/arrays.cpp.
std::uint64_t filled_sectors(const named_array& plan, const std::vector<named_drive>& drives)
{
    const ssd_config& c = drives[plan.members.front()].resolved.config;
    if (c.precondition.fill == 0.0 || c.precondition.fill == 1.0) {
        return c.precondition.fill == 0.0 ? 0 : UINT64_MAX;
    }
    return units_to_fill(c) * (c.ftl.map_unit / sector_size);
}

} // namespace

array_requests requests_of(const host::workload_config& workload)
{
    array_requests most{open_loop_slots, 1};
    for (const host::stream_config& s : workload.streams) {
        most.slots += s.rate_iops > 0.0 ? 0 : s.queue_depth;
        most.sectors =
            std::max(most.sectors, static_cast<std::uint32_t>(s.block_size / sector_size));
    }
    return most;
}

array_run::array_run(const named_array& plan, const std::vector<named_drive>& drives,
                     lockstep& together, std::function<bool()> interrupted)
    : m_plan(plan), m_names(names_of(plan, drives)), m_filled(filled_sectors(plan, drives)),
      m_together(together), m_interrupted(std::move(interrupted)),
      m_statistics(streams_apart(plan.workload)), m_hub(m_statistics, nullptr),
      m_array(plan.config, &m_faults, &m_hub),
      m_runner(plan.config.name.c_str(), m_array, &m_faults), m_drives(plan.members.size())
{
    static_assert(std::tuple_size_v<decltype(m_reached)> == stages);
    for (std::uint32_t i = 0; i < plan.members.size(); ++i) {
        m_links.push_back(std::make_unique<link>(*this, i));
    }
}

/// All members are up and wait.
void array_run::start()
{
    std::vector<host::array::member> members;
    for (ssd* drive : m_drives) {
        members.push_back({&drive->host().drive(), drive->host().capacity()});
    }
    const array_requests most = requests_of(m_plan.workload);
    m_array.open(members, most.slots, most.sectors);
    m_array.check().set_preconditioned(0, std::min(m_filled, m_array.capacity()));
    for (std::size_t i = 0; i < m_plan.workload.streams.size(); ++i) {
        m_runner.add(std::make_unique<host::stream_source>(m_plan.workload.streams[i],
                                                           static_cast<std::uint16_t>(i),
                                                           m_array.capacity(), m_plan.run.seed));
    }
    const run_config& run = m_plan.run;
    host::run_limits limits;
    limits.requests = run.requests == 0 ? 0 : run.requests + run.warmup_requests;
    limits.duration = run.duration == sim_time() ? sim_time() : run.duration + run.warmup;
    m_started = true;
    m_warm_at = now() + run.warmup;
    if (run.warmup_requests != 0) {
        m_hub.pause_at(run.warmup_requests, m_reached[static_cast<std::size_t>(stage::warming_up)]);
    } else if (run.warmup == sim_time()) {
        reach(stage::warming_up);
        begin_measurement();
    }
    m_runner.start(limits, [this] { workload_done(); });
}

void array_run::workload_done()
{
    m_end = read();
    reach(stage::warming_up);
    reach(stage::measuring);
    calendar::get().pause();
}

void array_run::begin_measurement()
{
    if (m_measuring) {
        return;
    }
    m_measuring = true;
    m_statistics.begin_measurement();
    m_hub.measure(m_sinks);
    m_before = {m_array.check().sectors_checked(), m_array.check().mismatches()};
    m_array.check().reset_counters();
    m_begin = read();
}

host::array_member_counts array_run::counts_of(std::size_t member) const
{
    return m_started ? m_array.member_counts(member) : host::array_member_counts{};
}

array_run::reading array_run::read() const
{
    reading r;
    r.when = now();
    r.array = m_array.counts();
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        r.members.push_back(counts_of(i));
    }
    return r;
}

/// How long a member may simulate before the next look.
sim_time array_run::patience() const
{
    const bool timed = m_started && !m_reached[static_cast<std::size_t>(stage::warming_up)] &&
                       m_plan.run.warmup_requests == 0;
    return timed ? earlier(slice, m_warm_at - now()) : slice;
}

/// After a part of the simulation. False: the array cannot go on.
bool array_run::look(std::uint32_t index)
{
    if (m_started && !m_reached[static_cast<std::size_t>(stage::warming_up)] &&
        m_plan.run.warmup_requests == 0 && now() >= m_warm_at) {
        reach(stage::warming_up);
    }
    if (!m_stopped && m_interrupted && m_interrupted()) {
        m_stopped = true;
        m_failed = m_failed || !m_started;
        if (m_started) {
            m_runner.stop();
        }
    }
    const bool done = m_reached[static_cast<std::size_t>(stage::measuring)];
    if (m_started && !done && !m_failed && !sc_core::sc_pending_activity()) {
        m_failed = true;
        m_faults.record(m_plan.config.name,
                        fmt::format("nothing left to do, with {} requests under way (member {})",
                                    m_array.counts().in - m_array.counts().out, m_names[index]));
    }
    return !m_failed;
}

void array_run::member_ended(std::uint32_t index, const ssd& drive)
{
    if (m_reached[static_cast<std::size_t>(stage::measuring)]) {
        return;
    }
    const bool first = !m_failed;
    m_failed = true;
    m_stopped = m_stopped || (m_interrupted && m_interrupted()); // while it was being filled, say
    const bool another = sc_core::sc_get_status() == sc_core::SC_STOPPED && !drive.panicked();
    if ((first && !another && !m_stopped) || drive.panicked()) {
        m_faults.record(m_plan.config.name, fmt::format("member {} died", m_names[index]));
    }
}

bool array_run::link::wait(stage s, const advance_function& advance)
{
    m_stage = static_cast<std::size_t>(s);
    while (!m_run.m_reached[m_stage]) {
        if (!advance(m_run.patience()) || !m_run.look(m_index)) {
            return false;
        }
    }
    return true;
}

bool array_run::link::prepare(ssd& drive, const advance_function& advance)
{
    m_run.m_drives[m_index] = &drive;
    if (++m_run.m_up == m_run.m_links.size()) {
        m_run.reach(stage::coming_up);
        m_run.m_together.advance(sim_time()); // the others learn of it at this instant
    }
    if (!wait(stage::coming_up, advance)) {
        return false;
    }
    if (++m_run.m_ready == m_run.m_links.size()) {
        m_run.start();
        m_run.m_together.advance(sim_time());
    }
    if (!wait(stage::warming_up, advance)) {
        return false;
    }
    m_run.begin_measurement();
    return true;
}

void array_run::link::serve(ssd&, const advance_function& advance)
{
    wait(stage::measuring, advance);
}

std::uint64_t array_run::link::address_of(std::uint64_t lba) const
{
    return host::array_address(m_run.m_plan.config, m_run.m_links.size(), m_index, lba);
}

std::string array_run::link::addresses() const
{
    const host::array_config& c = m_run.m_plan.config;
    return c.level == host::raid_level::mirror
               ? std::string()
               : fmt::format("member {} of {}, {} B each", m_index, m_run.m_links.size(), c.chunk);
}

session_counts array_run::link::requests() const
{
    const host::array_member_counts n = m_run.counts_of(m_index);
    return {n.in, n.out, 0};
}

void array_run::put_integrity(measurement& m) const
{
    if (!m_array.check().active()) {
        return;
    }
    m.measured.integrity = {m_array.check().sectors_checked(), m_array.check().mismatches()};
    m.lifetime.integrity = {m_before.sectors_checked + m.measured.integrity->sectors_checked,
                            m_before.mismatches + m.measured.integrity->mismatches};
}

/// What array, members and statistics say of one another.
void array_run::check_counts(array_report& r, const std::vector<std::uint64_t>& served) const
{
    const auto expect = [&r](const std::string& left, std::uint64_t a, const std::string& right,
                             std::uint64_t b) {
        if (a != b) {
            r.violations.push_back(fmt::format("{} ({}) differ from {} ({})", left, a, right, b));
        }
    };
    const host::array_counts& all = m_array.counts();
    expect("requests given to the array", all.in, "requests that it answered", all.out);
    expect("requests issued by the workload", m_runner.issued(), "requests given to the array",
           all.in);
    expect("requests that the array answered", all.out, "requests seen by the statistics",
           m_statistics.lifetime_requests());
    std::uint64_t pieces = 0;
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        const host::array_member_counts n = counts_of(i);
        pieces += n.in;
        expect("requests given to " + m_names[i], n.in, "those that it answered", n.out);
        expect("requests that " + m_names[i] + " answered", n.out, "those that it counted",
               served[i]);
    }
    expect("pieces of the array's requests", all.pieces, "requests given to its members", pieces);
    expect("requests whose parts do not sum to their latency", m_statistics.bad_splits(), "none",
           0);
}

array_report array_run::report(const std::vector<std::uint64_t>& served) const
{
    array_report r;
    const bool done = m_reached[static_cast<std::size_t>(stage::measuring)];
    reading end = done ? m_end : read();
    r.config = m_plan.config;
    r.measured = difference(end.array, m_measuring ? m_begin.array : end.array);
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        const host::array_member_counts begin = m_measuring ? m_begin.members[i] : end.members[i];
        r.members.push_back({m_names[i], difference(end.members[i], begin)});
    }
    r.degraded = m_started && m_array.degraded();
    r.run.config_name = "array " + m_plan.config.name;
    r.run.version = version;
    r.run.seed = m_plan.run.seed;
    r.run.complete = done && !m_failed && !m_stopped;
    r.run.measured.when =
        m_measuring && end.when > m_begin.when ? end.when - m_begin.when : sim_time();
    for (std::size_t i = 0; i < m_plan.workload.streams.size(); ++i) {
        r.run.streams.push_back(m_plan.workload.streams[i].name);
    }
    put_integrity(r.run);
    r.run.fault_count = m_faults.count();
    r.run.faults = m_faults.faults();
    r.run.drive.rows = {{"array", array_line(r)}, {"pieces", array_pieces(r)}};
    if (const std::string mirrors = array_mirrors(r); !mirrors.empty()) {
        r.run.drive.rows.emplace_back("mirrors", mirrors);
    }
    if (r.run.complete) { // otherwise the ends are loose and say nothing
        check_counts(r, served);
    }
    return r;
}

} // namespace ssdvp::platform
