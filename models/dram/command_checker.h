// SPDX-License-Identifier: Apache-2.0
//
// Holds the commands of a DRAM, in the order of time, against the rules of its standard. No
// module, no clock.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "models/dram/rules.h"

namespace ssdvp::dram {

struct violation {
    const char* rule = nullptr;
    command at;
    dram_command since = dram_command::PREA; // the command that it is too close to
    sim_time off;                            // by how much; 0: a command in a wrong state
    sim_time limit;                          // what the rule asks for
};

/// "tRCD of bank 3 broken at 1000 ps: RD 250 ps earlier than 13750 ps after ACT"
[[nodiscard]] std::string describe(const violation& v);

class command_checker {
public:
    using report = std::function<void(const violation&)>;

    command_checker(const bank_timing& timing, report on_violation);

    void observe(const command& c);
    /// Forgets what happened so far.
    void restart();
    [[nodiscard]] std::uint64_t violations() const { return m_violations; }
    [[nodiscard]] std::uint64_t commands() const { return m_commands; }

private:
    static constexpr auto kinds = static_cast<std::size_t>(dram_command::count);
    struct last_of { // a kind of command
        sim_time when;
        bool seen = false;
    };
    struct bank {
        std::array<last_of, kinds> last;
        bool open = false;
        std::uint64_t row = 0;
    };
    struct timed_rule {
        const rule* what;
        sim_time value;
    };

    void check(const timed_rule& r, const command& c);
    void check_state(const command& c);
    void check_window(const command& c);
    void check_refresh(const command& c);
    void note(const command& c);
    void violated(const violation& v);

    bank_timing m_timing;
    std::vector<timed_rule> m_rules;
    std::vector<bank> m_banks;
    std::vector<std::array<last_of, kinds>> m_groups;
    std::array<last_of, kinds> m_all;
    std::array<sim_time, 4> m_acts; // the last four
    std::uint64_t m_act_count = 0;
    report m_report;
    std::uint64_t m_violations = 0;
    std::uint64_t m_commands = 0;
};

} // namespace ssdvp::dram
