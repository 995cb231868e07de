// SPDX-License-Identifier: Apache-2.0
#include "platform/report/bottleneck.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "platform/report/format.h"

namespace ssdvp::platform {

namespace {

constexpr double served = 0.98;     // of the rate that is asked for
constexpr double told_share = 0.05; // a part of the chain that is worth a word
constexpr double most_of_it = 0.5;

struct candidate {
    std::string resource;
    double busy = 0.0;
    std::string text; // who it is, in a sentence
};

/// Several of a kind count as one resource by their mean, a single one that stands out by itself.
class resources {
public:
    void add(candidate c)
    {
        if (m_busiest.resource.empty() || c.busy > m_busiest.busy) {
            m_busiest = std::move(c);
        }
    }
    void add_all(const std::string& plural, const char* what, const std::vector<candidate>& each)
    {
        if (each.empty()) {
            return;
        }
        double sum = 0.0;
        const candidate* top = &each.front();
        for (const candidate& c : each) {
            sum += c.busy;
            top = c.busy > top->busy ? &c : top;
        }
        const double mean = sum / static_cast<double>(each.size());
        const bool stands_out = top->busy >= resource_limit && mean < resource_limit;
        if (stands_out) {
            add({top->resource, top->busy,
                 fmt::format("{}, while all have {} on average", top->text, text_percent(mean))});
        } else {
            add({plural, mean, fmt::format("the {} {} on average", each.size(), what)});
        }
    }
    [[nodiscard]] const candidate& busiest() const { return m_busiest; }

private:
    candidate m_busiest;
};

std::vector<candidate> luns_of(const counters& c)
{
    std::vector<candidate> all;
    for (std::size_t i = 0; i < c.channels.size(); ++i) {
        for (std::size_t l = 0; l < c.channels[i].luns.size(); ++l) {
            all.push_back({fmt::format("lun {}/{}", i, l),
                           fraction(c.channels[i].luns[l].busy, c.when),
                           fmt::format("LUN {} of channel {}", l, i)});
        }
    }
    return all;
}

std::vector<candidate> channels_of(const counters& c)
{
    std::vector<candidate> all;
    for (std::size_t i = 0; i < c.channels.size(); ++i) {
        all.push_back({fmt::format("channel {}", i), fraction(c.channels[i].busy, c.when),
                       fmt::format("the bus of channel {}", i)});
    }
    return all;
}

candidate busiest_of(const counters& c)
{
    resources r;
    r.add_all("luns", "LUNs", luns_of(c));
    r.add_all("channels", "channel buses", channels_of(c));
    for (std::size_t i = 0; i < c.cpu.size(); ++i) {
        r.add(
            {fmt::format("core {}", i), fraction(c.cpu[i].busy, c.when),
             fmt::format("core {}{}", i, c.cpu[i].role.empty() ? "" : " (" + c.cpu[i].role + ")")});
    }
    if (c.dram) {
        r.add({"dram", fraction(c.dram->busy, c.when), "the DRAM"});
    }
    if (c.link) {
        r.add({"link_up", fraction(c.link->busy_up, c.when), "the link towards the host"});
        r.add({"link_down", fraction(c.link->busy_down, c.when), "the link towards the drive"});
    }
    return r.busiest();
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

double share_of(const kind_statistics& all, latency_part part)
{
    const auto total = static_cast<double>(all.latency.sum());
    return total == 0.0 ? 0.0
                        : static_cast<double>(all.parts[static_cast<std::size_t>(part)]) / total;
}

std::string words_of(const std::vector<std::pair<const char*, double>>& chain)
{
    std::string text;
    for (const auto& [name, share] : chain) {
        if (share >= told_share) {
            text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100.0 * share);
        }
    }
    return text;
}

/// On average.
double in_flight(const measurement& m, const kind_statistics& all)
{
    return m.measured.when == sim_time()
               ? 0.0
               : static_cast<double>(all.latency.sum()) / static_cast<double>(m.measured.when.ps());
}

/// The trace has not fallen behind: few of those that may be in flight are.
bool trace_keeps_time(const measurement& m, const kind_statistics& all)
{
    return m.drive.load.timed && in_flight(m, all) < 0.5 * m.drive.load.depth;
}

bool load_is_served(const measurement& m, const kind_statistics& all)
{
    const double asked = m.drive.load.rate;
    const double got =
        m.measured.when == sim_time()
            ? 0.0
            : static_cast<double>(all.requests) * 1e12 / static_cast<double>(m.measured.when.ps());
    return asked > 0.0 && m.drive.load.depth == 0 && got >= served * asked;
}

} // namespace

bottleneck bottleneck_of(const measurement& m, const request_statistics& requests)
{
    const kind_statistics all = requests.overall();
    const candidate top = busiest_of(m.measured);
    bottleneck b;
    b.busy = top.busy;
    b.chain = chain_of(all);
    const double outside =
        share_of(all, latency_part::link) + share_of(all, latency_part::completion);
    const std::string nearest =
        fmt::format("nearest to a limit: {}, {}", top.text, text_percent(top.busy));
    if (top.busy >= resource_limit) {
        b.resource = top.resource;
        b.text = fmt::format("{}, busy for {}", top.text, text_percent(top.busy));
        b.on_host_side = top.resource.rfind("link", 0) == 0;
    } else if (load_is_served(m, all)) {
        b.resource = "load";
        b.text = fmt::format("the workload asks for no more than {} requests per second; {}",
                             text_rough(m.drive.load.rate), nearest);
    } else if (trace_keeps_time(m, all)) {
        b.resource = "load";
        b.text = fmt::format("the trace asks for no more: {:.2f} requests in flight on average; {}",
                             in_flight(m, all), nearest);
    } else if (outside > most_of_it) {
        b.resource = "host";
        b.text = fmt::format("the host side: {:.0f} % of a request's time passes in its driver "
                             "and on the link; {}",
                             100.0 * outside, nearest);
        b.on_host_side = true;
    } else {
        b.resource = "chain";
        b.text = fmt::format("no resource alone; a request's time is {}{}; {}", words_of(b.chain),
                             m.drive.load.depth == 0
                                 ? ""
                                 : fmt::format(", with {} in flight at most", m.drive.load.depth),
                             nearest);
    }
    return b;
}

} // namespace ssdvp::platform
