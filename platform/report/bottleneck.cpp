// SPDX-License-Identifier: Apache-2.0
#include "platform/report/bottleneck.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "platform/report/format.h"
#include "platform/report/occupancy.h"
#include "platform/report/overload.h"
#include "platform/report/trends.h"

namespace ssdvp::platform {

namespace {

constexpr double served = 0.98;     // of the rate that is asked for ...
constexpr double rate_noise = 3.0;  // ... but for so many standard errors of random arrivals
constexpr double told_share = 0.05; // a part of the chain that is worth a word
constexpr double most_of_it = 0.5;  // of a request's time
constexpr double restrained = 0.2;  // of the time: heat holds back
constexpr double told_work = 0.25;  // of the arrays' time, by other than the host
constexpr double what_if_by = 1.2;  // as run.faster_by

/// Whose a part of a request's time is. `drain`: a write waits for whoever empties the buffer;
/// `collection`: for whoever holds that up.
enum class place {
    luns,
    channels,
    cores,
    dram,
    front_end,
    link,
    host,
    sleep,
    drain,
    collection,
    places
};
constexpr std::size_t place_count = static_cast<std::size_t>(place::places);

place place_of_part(latency_part part)
{
    switch (part) {
    case latency_part::link:
        return place::link;
    case latency_part::completion:
        return place::host;
    case latency_part::front_end:
        return place::front_end;
    case latency_part::firmware:
    case latency_part::wait_core:
        return place::cores;
    case latency_part::wait_power:
        return place::sleep;
    case latency_part::wait_buffer:
        return place::drain;
    case latency_part::wait_gc:
        return place::collection;
    case latency_part::queue:
    case latency_part::bus:
    case latency_part::ecc:
        return place::channels;
    case latency_part::dram:
        return place::dram;
    default:
        return place::luns;
    }
}

/// Whose a resource that serves is; `sleep`: of none that collection needs.
place place_of(const std::string& resource)
{
    const auto is = [&resource](const char* begin) { return resource.rfind(begin, 0) == 0; };
    return is("lun")       ? place::luns
           : is("channel") ? place::channels
           : is("core")    ? place::cores
           : is("dram")    ? place::dram
                           : place::sleep;
}

class judgement {
public:
    judgement(const measurement& m, const request_statistics& requests)
        : m_run(m), m_all(requests.overall()), m_occupied(occupancies_of(m))
    {
        for (std::size_t i = 0; i < latency_parts; ++i) {
            m_shares[static_cast<std::size_t>(place_of_part(static_cast<latency_part>(i)))] +=
                part_share(static_cast<latency_part>(i));
        }
        give_collection_away();
        leave_driver_out();
        m_top = busiest(resource_kind::serves);
    }

    bottleneck find();

private:
    [[nodiscard]] double part_share(latency_part part) const
    {
        const auto total = static_cast<double>(m_all.latency.sum());
        return total == 0.0
                   ? 0.0
                   : static_cast<double>(m_all.parts[static_cast<std::size_t>(part)]) / total;
    }
    double& at(place p) { return m_shares[static_cast<std::size_t>(p)]; }
    [[nodiscard]] double at(place p) const { return m_shares[static_cast<std::size_t>(p)]; }
    void leave_driver_out();
    void leave_out(double waits);
    [[nodiscard]] occupancy busiest(resource_kind kind) const;
    [[nodiscard]] const occupancy* named(const char* resource, resource_kind kind) const;
    [[nodiscard]] double share_of(const char* resource, resource_kind kind) const
    {
        const occupancy* o = named(resource, kind);
        return o == nullptr ? 0.0 : o->share;
    }
    [[nodiscard]] bool load_is_served() const;
    [[nodiscard]] bool trace_keeps_time() const;
    [[nodiscard]] double in_flight() const;
    [[nodiscard]] std::string nearest() const
    {
        return fmt::format("nearest to a limit: {}, {}", m_top.text, text_percent(m_top.share));
    }
    /// What a share is of.
    [[nodiscard]] const char* words_of_time() const
    {
        return m_waits < told_share ? "a request's time"
                                    : "a request's time, without waits for a free entry,";
    }
    [[nodiscard]] std::string words_of_chain() const;
    [[nodiscard]] std::string words_of_work() const;
    [[nodiscard]] std::string words_of_depth() const
    {
        const std::uint32_t depth = m_run.drive.load.depth;
        return depth == 0 ? "" : fmt::format(", with {} in flight at most", depth);
    }
    [[nodiscard]] occupancy drain() const;

    void occupied(const occupancy& o);
    bool held();
    bool asked_for_no_more();
    bool held_back();
    bool few_slots();
    void give_drain_away();
    void give_collection_away();
    void name_outside(double outside);
    void name_place(std::size_t top);
    bool by_time();
    void none_alone();
    void name_work();
    void name_what_if();

    const measurement& m_run;
    const kind_statistics m_all;
    const std::vector<occupancy> m_occupied;
    std::array<double, place_count> m_shares{};
    double m_waits = 0.0; // share of the time, for a free entry or slot: left out
    occupancy m_top;
    bottleneck m_found;
};

/// Of `queue`: until the driver has rung is the host's. A wait for an entry of the driver's queue
/// is nobody's: it is as long as those that are in the drive take.
void judgement::leave_driver_out()
{
    const auto total = static_cast<double>(m_all.latency.sum());
    if (total == 0.0) {
        return;
    }
    const double queue = part_share(latency_part::queue);
    const double submit = m_run.drive.submit_ns * 1e3 * static_cast<double>(m_all.requests) / total;
    const double host = std::min(submit, queue);
    const double waits =
        std::clamp(static_cast<double>(m_all.in_driver) / total - host, 0.0, queue - host);
    at(place::channels) -= host + waits;
    at(place::host) += host;
    leave_out(waits);
}

/// So much of the shares has been taken from them: the others become shares of what is left.
void judgement::leave_out(double waits)
{
    const double left = std::max(1.0 - waits, 1e-9);
    for (double& share : m_shares) {
        share /= left;
    }
    m_waits += waits * (1.0 - m_waits);
}

occupancy judgement::busiest(resource_kind kind) const
{
    occupancy top;
    for (const occupancy& o : m_occupied) {
        if (o.kind == kind && (top.resource.empty() || o.share > top.share)) {
            top = o;
        }
    }
    return top;
}

const occupancy* judgement::named(const char* resource, resource_kind kind) const
{
    const auto found = std::find_if(m_occupied.begin(), m_occupied.end(), [&](const occupancy& o) {
        return o.kind == kind && o.resource.rfind(resource, 0) == 0;
    });
    return found == m_occupied.end() ? nullptr : &*found;
}

/// Shares of the time of all requests, largest first.
std::vector<std::pair<const char*, double>> chain_of(const kind_statistics& all)
{
    const auto total = static_cast<double>(all.latency.sum());
    std::vector<std::pair<const char*, double>> shares;
    for (std::size_t i = 0; i < latency_parts; ++i) {
        if (all.parts[i] != 0) {
            shares.emplace_back(latency_part_names[i], static_cast<double>(all.parts[i]) / total);
        }
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return shares;
}

std::string judgement::words_of_chain() const
{
    std::string text;
    for (const auto& [name, share] : m_found.chain) {
        if (share >= told_share) {
            text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100.0 * share);
        }
    }
    return text;
}

/// What keeps the arrays busy, where that is not the host's own work alone.
std::string judgement::words_of_work() const
{
    const auto top = std::max_element(m_found.work.begin() + 1, m_found.work.end());
    if (*top < told_work) {
        return {};
    }
    return fmt::format(", {:.0f} % of their work for {}", 100.0 * *top,
                       purpose_names[static_cast<std::size_t>(top - m_found.work.begin())]);
}

/// On average.
double judgement::in_flight() const
{
    return m_run.measured.when == sim_time() ? 0.0
                                             : static_cast<double>(m_all.latency.sum()) /
                                                   static_cast<double>(m_run.measured.when.ps());
}

/// The trace has not fallen behind: few of those that may be in flight are.
bool judgement::trace_keeps_time() const
{
    return m_run.drive.load.timed && in_flight() < 0.5 * m_run.drive.load.depth;
}

bool judgement::load_is_served() const
{
    const double asked = m_run.drive.load.rate;
    const double got = m_run.measured.when == sim_time()
                           ? 0.0
                           : static_cast<double>(m_all.requests) * 1e12 /
                                 static_cast<double>(m_run.measured.when.ps());
    const double chance =
        rate_noise / std::sqrt(static_cast<double>(std::max<std::uint64_t>(m_all.requests, 1)));
    return asked > 0.0 && m_run.drive.load.depth == 0 && got >= (served - chance) * asked &&
           !overload_of(m_run) && wanders(m_run).empty();
}

void judgement::occupied(const occupancy& o)
{
    m_found.resource = o.resource;
    m_found.by = "occupancy";
    m_found.busy = o.share;
    m_found.on_host_side = o.resource.rfind("link", 0) == 0;
    name_work();
    m_found.text =
        fmt::format("{}, {} for {}{}", o.text, o.kind == resource_kind::holds ? "held" : "busy",
                    text_percent(o.share), words_of_work());
}

/// A LUN is held while a page in its register waits for the bus: the bus itself has come before.
bool judgement::held()
{
    const occupancy* lun = named("lun", resource_kind::holds);
    if (lun == nullptr || lun->share < resource_limit) {
        return false;
    }
    occupied(*lun);
    return true;
}

bool judgement::asked_for_no_more()
{
    if (load_is_served()) {
        m_found.text = fmt::format("the workload asks for no more than {} requests per second; {}",
                                   text_rough(m_run.drive.load.rate), nearest());
    } else if (trace_keeps_time()) {
        m_found.text =
            fmt::format("the trace asks for no more: {:.2f} requests in flight on average; {}",
                        in_flight(), nearest());
    } else {
        return false;
    }
    m_found.resource = m_found.by = "load";
    return true;
}

bool judgement::held_back()
{
    const occupancy* heat = named("heat", resource_kind::restrains);
    const occupancy* power = named("power", resource_kind::restrains);
    const occupancy* who = heat != nullptr && heat->share >= restrained     ? heat
                           : power != nullptr && power->share >= at_the_cap ? power
                                                                            : nullptr;
    if (who == nullptr) {
        return false;
    }
    m_found.resource = who->resource;
    m_found.by = "restraint";
    m_found.busy = who->share;
    m_found.text = who == heat ? fmt::format("{}, for {} of the run; {}", who->text,
                                             text_percent(who->share), nearest())
                               : fmt::format("{}: {} of it was drawn; {}", who->text,
                                             text_percent(who->share), nearest());
    return true;
}

/// Who empties the write buffer: the one that has the least time left.
occupancy judgement::drain() const
{
    occupancy top = busiest(resource_kind::serves);
    for (const char* held : {"lun", "tags"}) { // ... or keeps what is on its way into it
        const occupancy* o = named(held, resource_kind::holds);
        top = o != nullptr && o->share > top.share ? *o : top;
    }
    return top;
}

/// Places for commands: with `u` of the busiest resource in use a share 1 - u of more places comes
/// through as a higher rate. Where a faster drive brings more, what passes before a command is in
/// the drive is as long as those in it take, and is left out.
bool judgement::few_slots()
{
    const occupancy* slots = named("slots", resource_kind::holds);
    if (slots == nullptr || slots->share < most_of_it) {
        return false;
    }
    const double outside = at(place::front_end);
    const double most = *std::max_element(m_shares.begin(), m_shares.begin() + 4);
    if (1.0 - drain().share <= most / std::max(1.0 - outside, 1e-9)) {
        at(place::front_end) = 0.0;
        leave_out(outside);
        return false;
    }
    if (slots->share < resource_limit || outside < most_of_it) {
        return false;
    }
    occupied(*slots);
    return true;
}

/// Waits for a slot of the buffer are whose who empties it.
void judgement::give_drain_away()
{
    const place p = place_of(drain().resource);
    at(p == place::sleep ? place::link : p) += std::exchange(at(place::drain), 0.0);
}

/// Waits for collection are whose who holds that up: the busiest, for there is always more to
/// collect. A LUN that holds a page for the bus waits itself.
void judgement::give_collection_away()
{
    const occupancy* top = nullptr;
    for (const occupancy& o : m_occupied) {
        if (o.kind == resource_kind::serves && place_of(o.resource) != place::sleep &&
            (top == nullptr || o.share > top->share)) {
            top = &o;
        }
    }
    at(top == nullptr ? place::luns : place_of(top->resource)) +=
        std::exchange(at(place::collection), 0.0);
}

void judgement::name_outside(double outside)
{
    const bool tags = share_of("tags", resource_kind::holds) > most_of_it;
    m_found.resource = tags ? "tags" : at(place::link) > at(place::host) ? "link" : "host";
    m_found.share = outside;
    m_found.on_host_side = true;
    m_found.text = fmt::format("{}: {:.0f} % of {} passes in its driver and on the link; {}",
                               tags ? "the tags of the drive's reads on the link (host.pcie.tags)"
                                    : "the host side",
                               100.0 * outside, words_of_time(), nearest());
}

void judgement::name_place(std::size_t top)
{
    static constexpr std::array<std::pair<const char*, const char*>, 8> names = {{
        {"luns", "the LUNs"},
        {"channels", "the channels"},
        {"cores", "the cores"},
        {"dram", "the DRAM"},
        {"front_end", "the front end"},
        {"link", "the link"},
        {"host", "the host"},
        {"power_states", "the way out of power states"},
    }};
    const bool looks_up = static_cast<place>(top) == place::front_end &&
                          share_of("engine", resource_kind::serves) > most_of_it;
    m_found.resource = looks_up ? "engine" : names[top].first;
    m_found.share = m_shares[top];
    name_work();
    m_found.text = fmt::format("{}: {:.0f} % of {} ({}{}){}; {}", names[top].second,
                               100.0 * m_found.share, words_of_time(), words_of_chain(),
                               words_of_depth(), words_of_work(), nearest());
}

/// In a closed loop the rate is that of requests in flight over their time: whoever takes most of
/// it helps most when it is faster.
bool judgement::by_time()
{
    if (few_slots()) {
        return true;
    }
    give_drain_away();
    const double outside = at(place::link) + at(place::host);
    const auto top = std::max_element(m_shares.begin(), m_shares.end());
    if (std::max(outside, *top) <= most_of_it) {
        return false;
    }
    if (outside >= *top) {
        name_outside(outside);
    } else {
        name_place(static_cast<std::size_t>(top - m_shares.begin()));
    }
    m_found.by = "time";
    return true;
}

void judgement::none_alone()
{
    m_found.resource = m_found.by = "chain";
    m_found.text = fmt::format("no resource alone; a request's time is {}{}; {}", words_of_chain(),
                               words_of_depth(), nearest());
}

void judgement::name_work()
{
    if (m_found.resource.rfind("lun", 0) == 0) {
        m_found.work = array_shares(m_run.measured);
    }
}

/// Of a count 20 % more, one at least: of few that is a larger share.
better_part more(const char* key, std::uint32_t count)
{
    const double then = std::ceil(count * what_if_by);
    return {key, fmt::format("{:.0f}", then), then / count - 1.0, true};
}

void judgement::name_what_if()
{
    const std::string& r = m_found.resource;
    const auto is = [&r](const char* begin) { return r.rfind(begin, 0) == 0; };
    const char* part = is("lun")             ? "luns"
                       : is("channel")       ? "channels"
                       : is("core")          ? "cores"
                       : is("link")          ? "link"
                       : r == "power_states" ? "power"
                       : r == "dram" || r == "engine" || r == "host" || r == "heat" || r == "power"
                           ? r.c_str()
                           : nullptr;
    if (r == "tags") {
        m_found.what_if = more("host.pcie.tags", m_run.drive.tags);
    } else if (r == "slots") {
        m_found.what_if = more("host.nvme.slots", m_run.drive.slots);
    } else if (part != nullptr) {
        m_found.what_if = {"run.faster", part, what_if_by - 1.0};
    }
}

bottleneck judgement::find()
{
    m_found.chain = chain_of(m_all);
    m_found.busy = m_top.share;
    if (m_top.share >= resource_limit) {
        occupied(m_top);
    } else if (!held() && !asked_for_no_more() && !held_back() && !by_time()) {
        none_alone();
    }
    name_what_if();
    return m_found;
}

} // namespace

bottleneck bottleneck_of(const measurement& m, const request_statistics& requests)
{
    return judgement(m, requests).find();
}

} // namespace ssdvp::platform
