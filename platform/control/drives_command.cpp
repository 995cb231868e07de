// SPDX-License-Identifier: Apache-2.0
#include "platform/control/drives_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "platform/control/exit_code.h"
#include "platform/control/firmware_guard.h"
#include "platform/control/run_results.h"
#include "platform/report/output.h"
#include "platform/report/summary_json.h"

namespace ssdvp::platform {

namespace {

/// A drive, its firmware and what became of it.
struct member {
    std::string name;
    ssd_config config;
    std::shared_ptr<loaded_firmware> firmware; // of all with cores that take the same cycles
    std::unique_ptr<simulation> sim;
    simulation_result result;
};

/// What writes one file for one drive has no place for several.
void refuse_outputs(const command_line& line)
{
    const std::pair<bool, const char*> outputs[] = {
        {!line.requests_log.empty(), "--requests-log"},
        {!line.ftl_series.empty(), "--ftl-series"},
        {!line.fw_profile.empty(), "--fw-profile"},
        {line.output_format == "fio", "--output-format fio"},
    };
    for (const auto& [given, option] : outputs) {
        if (given) {
            fail({option, 0, 0}, "drives", "this option is of runs of one drive",
                 "leave it out, or remove `drives`");
        }
    }
}

sim_time shortest_hang(const std::vector<member>& members)
{
    sim_time shortest; // 0 = any
    for (const member& m : members) {
        const sim_time t = m.config.watchdog.hang;
        if (t != sim_time() && (shortest == sim_time() || t < shortest)) {
            shortest = t;
        }
    }
    return shortest;
}

/// Host totals: sums over the drives; `seconds` of the drive that took longest.
std::string totals(const std::vector<member>& members)
{
    std::uint64_t requests = 0;
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    std::uint64_t errors = 0;
    sim_time longest;
    for (const member& m : members) {
        const request_statistics& s = m.sim->requests();
        requests += s.requests();
        read += s.kind(host::request_kind::read).bytes;
        written += s.kind(host::request_kind::write).bytes;
        errors += s.overall().errors;
        longest = std::max(longest, m.result.measured.measured.when);
    }
    return fmt::format("{{\"requests\": {}, \"read_bytes\": {}, \"written_bytes\": {}, "
                       "\"errors\": {}, \"simulated_ns\": {}}}",
                       requests, read, written, errors, longest.ns());
}

std::string whole_summary(const std::vector<member>& members)
{
    std::string text =
        "{\n\"schema\": \"ssdvp-drives-1\",\n\"totals\": " + totals(members) + ",\n\"drives\": [";
    for (const member& m : members) {
        text += fmt::format("{}\n{{\"name\": \"{}\", \"summary\":\n", &m == &members[0] ? "" : ",",
                            m.name);
        text += summary_text(m.result.measured, m.sim->requests(), m.result.violations) + "}";
    }
    return text + "]\n}\n";
}

int worse(int a, int b)
{
    const auto rank = [](int code) {
        return code == EXIT_RUN_FAILED ? 2 : code == EXIT_INTERRUPTED ? 1 : 0;
    };
    return rank(b) > rank(a) ? b : a;
}

/// An image has one set of tables: drives whose cores take other cycles get a copy.
class images {
public:
    explicit images(std::string path) : m_path(std::move(path)) {}
    std::shared_ptr<loaded_firmware> of(const ssd_config& c)
    {
        std::shared_ptr<loaded_firmware>& image = m_images[timing_key(c.cpu.core, c.cpu.timing)];
        if (!image) {
            image = std::make_shared<loaded_firmware>(
                m_path, m_images.size() == 1 ? image_use::shared : image_use::own);
        }
        return image;
    }

private:
    std::string m_path;
    std::map<std::uint64_t, std::shared_ptr<loaded_firmware>> m_images;
};

std::vector<member> make_members(const command_line& line, const std::vector<named_drive>& drives,
                                 lockstep& together)
{
    images firmware(line.firmware);
    std::vector<member> members;
    for (const named_drive& d : drives) {
        member m;
        m.name = d.name;
        m.config = d.resolved.config;
        m.firmware = firmware.of(m.config);
        if (m.config.precondition.fill > 0.0) {
            m.firmware->need_precondition();
        }
        simulation_hooks hooks;
        hooks.interrupted = interrupted;
        hooks.together = &together;
        hooks.name = d.name;
        ssd_options checks;
        checks.check_onfi = line.check_onfi;
        checks.check_dram = line.check_dram;
        m.sim = std::make_unique<simulation>(m.config, *m.firmware, hooks, checks);
        members.push_back(std::move(m));
    }
    return members;
}

} // namespace

int run_drives(const command_line& line, const std::vector<named_drive>& drives)
{
    refuse_outputs(line);
    for (const named_drive& d : drives) {
        if (line.check_dram && d.resolved.config.dram.model != dram::dram_model::bank) {
            fail({"--check-dram", 0, 0}, "dram.model", "bandwidth has no commands to check",
                 "use --set dram.model=bank");
        }
    }
    const std::filesystem::path directory = output_directory(line, drives.front().resolved.config);
    lockstep together;
    std::vector<member> members = make_members(line, drives, together);
    prepare_output_dir(directory);
    heed_interrupts();
    std::vector<std::function<void()>> bodies;
    std::vector<ssd*> ssds;
    for (member& m : members) {
        prepare_output_dir(directory / m.name);
        bodies.emplace_back([&m] { m.result = m.sim->run(); });
        ssds.push_back(&m.sim->drive());
    }
    {
        const firmware_guard guard(ssds, shortest_hang(members));
        together.run(bodies);
    }
    int code = EXIT_DONE;
    for (const member& m : members) {
        std::cout << (&m == &members[0] ? "" : "\n") << "drive " << m.name << "\n";
        code = worse(code, write_results(line, directory / m.name, m.config, *m.sim, m.result));
    }
    write_file_atomically(directory / "summary.json", whole_summary(members));
    return code;
}

} // namespace ssdvp::platform
