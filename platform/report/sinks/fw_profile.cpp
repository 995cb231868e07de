// SPDX-License-Identifier: Apache-2.0
//
// `--fw-profile DIR`: where firmware spends during the measured part of a run.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "platform/report/command_costs.h"
#include "platform/report/output.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace {

using cpu::profile_node;

constexpr std::size_t parts_told = 5; // of a command, the dearest ones

/// Hands out whole ones of sums in 1/256, so that the sum of all stays what it is.
class whole_ones {
public:
    std::int64_t of(std::int64_t spent)
    {
        m_left += spent;
        const std::int64_t n = m_left < 0 ? 0 : m_left / cpu::spent_account::one;
        m_left -= n * cpu::spent_account::one;
        return n;
    }

private:
    std::int64_t m_left = 0;
};

std::string path_of(const std::vector<profile_node>& nodes, std::uint32_t at)
{
    std::string path = nodes[at].name;
    while (at != 0 && nodes[at].parent != 0) {
        at = nodes[at].parent;
        path = std::string(nodes[at].name) + ";" + path;
    }
    return path;
}

std::string folded(const std::vector<profile_node>& nodes, std::int64_t cpu::spent_account::*field)
{
    whole_ones w;
    std::string text;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const std::int64_t n = w.of(nodes[i].self.*field);
        if (n != 0) {
            text += fmt::format("{} {}\n", path_of(nodes, i), n);
        }
    }
    return text;
}

std::string functions_csv(const cpu::call_profile& profile)
{
    struct sums {
        std::uint64_t calls = 0;
        cpu::spent_account self{};
    };
    std::map<std::string, sums> functions;
    for (const profile_node& n : profile.nodes()) {
        sums& s = functions[n.name];
        s.calls += n.calls;
        s.self.instructions += n.self.instructions;
        s.self.cycles += n.self.cycles;
    }
    std::vector<std::pair<std::string, sums>> lines(functions.begin(), functions.end());
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
        return a.second.self.cycles > b.second.self.cycles;
    });
    std::string text = "function,calls,instructions,cycles\n";
    for (const auto& [name, s] : lines) {
        if (s.self.cycles != 0 || s.self.instructions != 0) {
            text += fmt::format("{},{},{:.1f},{:.1f}\n", name, s.calls,
                                static_cast<double>(s.self.instructions) / cpu::spent_account::one,
                                static_cast<double>(s.self.cycles) / cpu::spent_account::one);
        }
    }
    return text;
}

double sum_of(const command_costs::result& r, std::size_t kind)
{
    double sum = 0;
    for (const auto& group : r.cost) {
        sum += group[kind];
    }
    return sum;
}

std::string commands_csv(const command_costs::result& r, const std::vector<std::string>& groups)
{
    std::string text = "kind,requests,mean_bytes,part,instructions\n";
    for (std::size_t k = 0; k < command_kinds; ++k) {
        if (r.requests[k] == 0) {
            continue;
        }
        const auto line = [&](const std::string& part, double cost) {
            text += fmt::format("{},{},{:.0f},{},{:.1f}\n", command_kind_names[k], r.requests[k],
                                r.bytes[k], part, cost);
        };
        line("all", sum_of(r, k));
        for (std::size_t g = 0; g < r.cost.size(); ++g) {
            if (r.cost[g][k] >= 0.05) {
                line(groups[g], r.cost[g][k]);
            }
        }
    }
    return text;
}

class fw_profile_sink final : public report_sink, private host::request_observer {
public:
    explicit fw_profile_sink(std::filesystem::path directory) : m_directory(std::move(directory)) {}

    [[nodiscard]] std::vector<std::filesystem::path> files() const override
    {
        return {m_directory / "instructions.folded", m_directory / "cycles.folded",
                m_directory / "functions.csv", m_directory / "commands.csv"};
    }
    [[nodiscard]] std::vector<std::filesystem::path> folders() const override
    {
        return {m_directory};
    }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    [[nodiscard]] cpu::call_profile* profile() override { return &m_live; }
    void begin(const counters& now, const std::function<counters()>& read) override;
    void end(const counters& now) override;
    [[nodiscard]] std::vector<std::string> violations(const counters& measured) const override;
    void finish(const sink_results& results) override;
    /// What commands of each kind cost.
    [[nodiscard]] std::string text() const override;

private:
    void on_complete(const host::request_result& result) override;

    std::filesystem::path m_directory;
    cpu::call_profile m_live;
    cpu::call_profile m_end;
    command_costs m_costs;
};

void fw_profile_sink::begin(const counters&, const std::function<counters()>&)
{
    m_live.clear();
    m_costs.begin(m_live.group_instructions());
}

void fw_profile_sink::on_complete(const host::request_result& result)
{
    if (m_costs.completed(result)) {
        m_costs.close(m_live.group_instructions());
    }
}

void fw_profile_sink::end(const counters&)
{
    m_end = m_live;
}

// What a core has not charged yet, or has charged ahead, may be on either side of the measured
// part.
std::vector<std::string> fw_profile_sink::violations(const counters& measured) const
{
    std::int64_t counted = 0;
    for (const core_statistics& core : measured.cpu) {
        counted += static_cast<std::int64_t>(core.instructions) * cpu::spent_account::one;
        counted += core.uncharged;
    }
    const std::int64_t profiled = m_end.total().instructions;
    if (profiled == counted) {
        return {};
    }
    const auto whole = [](std::int64_t n) {
        return static_cast<double>(n) / cpu::spent_account::one;
    };
    return {fmt::format("the profile has {:.3f} instructions, the cores counted {:.3f}",
                        whole(profiled), whole(counted))};
}

void fw_profile_sink::finish(const sink_results&)
{
    write_file_atomically(m_directory / "instructions.folded",
                          folded(m_end.nodes(), &cpu::spent_account::instructions));
    write_file_atomically(m_directory / "cycles.folded",
                          folded(m_end.nodes(), &cpu::spent_account::cycles));
    write_file_atomically(m_directory / "functions.csv", functions_csv(m_end));
    write_file_atomically(m_directory / "commands.csv",
                          commands_csv(m_costs.fit(), m_end.groups()));
}

std::string fw_profile_sink::text() const
{
    static constexpr std::array<const char*, command_kinds> names = {
        "read from flash", "read from the buffer", "write", "trim", "flush"};
    const command_costs::result r = m_costs.fit();
    std::string text;
    for (std::size_t k = 0; k < command_kinds; ++k) {
        const double sum = sum_of(r, k);
        if (r.requests[k] == 0 || sum == 0) {
            continue;
        }
        std::vector<std::pair<double, std::string>> shares;
        for (std::size_t g = 0; g < r.cost.size(); ++g) {
            shares.emplace_back(r.cost[g][k] / sum, m_end.groups()[g]);
        }
        std::sort(shares.rbegin(), shares.rend());
        text += fmt::format("a {} ({:.1f} KiB) costs {:.0f} instructions:", names[k],
                            r.bytes[k] / 1024, sum);
        for (std::size_t i = 0; i < std::min(parts_told, shares.size()); ++i) {
            if (shares[i].first >= 0.005) {
                text += fmt::format("{} {:.0f} % {}", i == 0 ? "" : ",", 100 * shares[i].first,
                                    shares[i].second);
            }
        }
        text += "\n";
    }
    return text + fmt::format("fitted to {} windows of {} requests, which it misses by {:.1f} %\n",
                              r.windows, command_costs::window, 100 * r.error);
}

} // namespace

std::unique_ptr<report_sink> make_fw_profile(const std::string& value, const sink_subject&)
{
    return std::make_unique<fw_profile_sink>(value);
}

} // namespace ssdvp::platform
