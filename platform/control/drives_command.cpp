// SPDX-License-Identifier: Apache-2.0
#include "platform/control/drives_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "platform/control/array_run.h"
#include "platform/control/exit_code.h"
#include "platform/control/firmware_guard.h"
#include "platform/control/memory_plan.h"
#include "platform/control/output_files.h"
#include "platform/control/run_results.h"
#include "platform/report/latency_csv.h"
#include "platform/report/output.h"
#include "platform/report/summary_json.h"
#include "platform/report/text_summary.h"

namespace ssdvp::platform {

namespace {

/// A drive, its firmware and what became of it.
struct member {
    std::string name;
    ssd_config config;
    std::shared_ptr<loaded_firmware> firmware; // of all with cores that take the same cycles
    std::unique_ptr<simulation> sim;
    simulation_result result;
    const array_run* array = nullptr; // that it is a member of
};

using arrays = std::vector<std::unique_ptr<array_run>>;

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

/// Host totals: sums over what streams name, drives and arrays; `seconds` of what took longest.
class totals {
public:
    void add(const request_statistics& s, sim_time measured)
    {
        m_requests += s.requests();
        m_read += s.kind(host::request_kind::read).bytes;
        m_written += s.kind(host::request_kind::write).bytes;
        m_errors += s.overall().errors;
        m_longest = std::max(m_longest, measured);
    }
    [[nodiscard]] std::string text() const
    {
        return fmt::format("{{\"requests\": {}, \"read_bytes\": {}, \"written_bytes\": {}, "
                           "\"errors\": {}, \"simulated_ns\": {}}}",
                           m_requests, m_read, m_written, m_errors, m_longest.ns());
    }

private:
    std::uint64_t m_requests = 0;
    std::uint64_t m_read = 0;
    std::uint64_t m_written = 0;
    std::uint64_t m_errors = 0;
    sim_time m_longest;
};

/// What its members have served, and the array as it stands.
array_report report_of(const array_run& array, const std::vector<member>& members)
{
    std::vector<std::uint64_t> served;
    for (const std::size_t m : array.plan().members) {
        served.push_back(members[m].sim->requests().lifetime_requests());
    }
    return array.report(served);
}

std::string whole_summary(const std::vector<member>& members, const arrays& all)
{
    totals sums;
    std::string drives;
    for (const member& m : members) {
        if (m.array == nullptr) {
            sums.add(m.sim->requests(), m.result.measured.measured.when);
        }
        drives += fmt::format("{}\n{{\"name\": \"{}\", \"summary\":\n",
                              &m == &members[0] ? "" : ",", m.name);
        drives += summary_text(m.result.measured, m.sim->requests(), m.result.violations) + "}";
    }
    std::string listed;
    for (const auto& a : all) {
        const array_report r = report_of(*a, members);
        sums.add(a->requests(), r.run.measured.when);
        listed +=
            fmt::format("{}\n{{\"name\": \"{}\", \"summary\":\n{}}}", listed.empty() ? "" : ",",
                        r.config.name, array_summary(r, a->requests()));
    }
    return "{\n\"schema\": \"ssdvp-drives-1\",\n\"totals\": " + sums.text() +
           (all.empty() ? "" : ",\n\"arrays\": [" + listed + "]") + ",\n\"drives\": [" + drives +
           "]\n}\n";
}

/// Writes and prints what an array did; returns its exit code.
int write_array(const command_line& line, const std::filesystem::path& directory,
                const array_run& array, const std::vector<member>& members)
{
    const array_report r = report_of(array, members);
    losses lost;
    lost.attempt([&] {
        write_file_atomically(directory / "summary.json", array_summary(r, array.requests()));
    });
    lost.attempt([&] { write_latencies(directory, array.requests()); });
    std::cout << array_text(r.run, array.requests(), r.violations, style_for(stdout));
    if (!line.quiet) {
        std::cout << "\nresults in " << directory.string() << "\n";
    }
    const bool mismatches = r.run.lifetime.integrity && r.run.lifetime.integrity->mismatches != 0;
    if (!r.violations.empty() || r.run.fault_count != 0 || mismatches) {
        return EXIT_RUN_FAILED;
    }
    if (array.interrupted()) {
        return lost.code(EXIT_INTERRUPTED);
    }
    return lost.code(r.run.complete ? EXIT_DONE : EXIT_RUN_FAILED);
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
                                 const arrays& all, lockstep& together)
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
        for (const auto& a : all) {
            const auto& of = a->plan().members;
            const auto it = std::find(of.begin(), of.end(), members.size());
            if (it != of.end()) {
                m.array = a.get();
                hooks.instead = &a->member(static_cast<std::size_t>(it - of.begin()));
            }
        }
        ssd_options checks;
        checks.check_onfi = line.check_onfi;
        checks.check_dram = line.check_dram;
        checks.stop_on_fault = line.stop_on_fault;
        m.sim = std::make_unique<simulation>(m.config, *m.firmware, hooks, checks);
        members.push_back(std::move(m));
    }
    return members;
}

void run_all(std::vector<member>& members, lockstep& together)
{
    std::vector<std::function<void()>> bodies;
    std::vector<ssd*> ssds;
    for (member& m : members) {
        bodies.emplace_back([&m] { m.result = m.sim->run(); });
        ssds.push_back(&m.sim->drive());
    }
    const firmware_guard guard(ssds, shortest_hang(members));
    run_begins();
    together.run(bodies);
}

/// Every array before the first of its members.
int write_all(const command_line& line, const std::filesystem::path& directory,
              const std::vector<member>& members)
{
    int code = EXIT_DONE;
    std::vector<const array_run*> told;
    for (const member& m : members) {
        std::cout << (&m == &members[0] ? "" : "\n");
        if (m.array != nullptr && std::find(told.begin(), told.end(), m.array) == told.end()) {
            told.push_back(m.array);
            const std::string& name = m.array->plan().config.name;
            std::cout << "array " << name << "\n";
            code = worse(code, write_array(line, directory / name, *m.array, members));
            std::cout << "\n";
        }
        std::cout << "drive " << m.name << "\n";
        code = worse(code, write_results(line, directory / m.name, m.config, *m.sim, m.result));
    }
    return code;
}

/// The folders of results: of the run, and one for each drive and array.
std::vector<std::filesystem::path> places_of(const run_plan& plan,
                                             const std::filesystem::path& directory)
{
    std::vector<std::filesystem::path> places = {directory};
    for (const named_drive& d : plan.drives) {
        places.push_back(directory / d.name);
    }
    for (const named_array& a : plan.arrays) {
        places.push_back(directory / a.config.name);
    }
    return places;
}

/// The names of their files until they are whole.
std::vector<std::filesystem::path> prepare_all(const command_line& line,
                                               const std::vector<std::filesystem::path>& places)
{
    output_folders folders;
    std::vector<std::filesystem::path> partial;
    for (const std::filesystem::path& place : places) {
        folders.prepare(place);
        const std::vector<std::filesystem::path> names = partial_names(line, place);
        partial.insert(partial.end(), names.begin(), names.end());
    }
    folders.keep();
    return partial;
}

std::vector<memory_part> memory_of(const run_plan& plan)
{
    std::vector<memory_part> taken = {memory_of_threads(plan.drives.size())};
    for (const named_drive& d : plan.drives) {
        for (memory_part& p : memory_parts(d.resolved.config, false)) {
            taken.push_back({d.name + ": " + p.what, p.bytes});
        }
    }
    for (const named_array& a : plan.arrays) {
        taken.push_back(memory_of_array(a, plan.drives[a.members.front()].resolved.config));
    }
    return taken;
}

} // namespace

int run_drives(const command_line& line, const run_plan& plan)
{
    refuse_outputs(line);
    for (const named_drive& d : plan.drives) {
        if (line.check_dram && d.resolved.config.dram.model != dram::dram_model::bank) {
            fail({"--check-dram", 0, 0}, "dram.model", "bandwidth has no commands to check",
                 "use --set dram.model=bank");
        }
    }
    const std::filesystem::path directory =
        output_directory(line, plan.drives.front().resolved.config);
    const std::vector<std::filesystem::path> places = places_of(plan, directory);
    for (const named_drive& d : plan.drives) {
        for (const std::filesystem::path& place : places) {
            check_output_files(line, d.resolved, place);
        }
    }
    need_memory(memory_of(plan));
    lockstep together;
    arrays all;
    for (const named_array& a : plan.arrays) {
        all.push_back(std::make_unique<array_run>(a, plan.drives, together, interrupted));
    }
    std::vector<member> members = make_members(line, plan.drives, all, together);
    const unfinished_files parts(prepare_all(line, places));
    heed_interrupts();
    run_all(members, together);
    losses lost;
    const int code = write_all(line, directory, members);
    lost.attempt(
        [&] { write_file_atomically(directory / "summary.json", whole_summary(members, all)); });
    return lost.code(code);
}

} // namespace ssdvp::platform
