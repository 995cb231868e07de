// SPDX-License-Identifier: Apache-2.0
#include "platform/control/drives_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "platform/control/array_run.h"
#include "platform/control/describe.h"
#include "platform/control/exit_code.h"
#include "platform/control/firmware_guard.h"
#include "platform/control/kept_states.h"
#include "platform/control/memory_plan.h"
#include "platform/control/output_files.h"
#include "platform/control/run_results.h"
#include "platform/report/output.h"
#include "platform/report/sinks/sink_set.h"
#include "platform/report/summary_json.h"
#include "platform/report/text_summary.h"
#include "platform/report/validity.h"
#include "platform/state/state_error.h"

namespace ssdvp::platform {

namespace {

/// Where the results of a drive or an array go.
struct output {
    std::filesystem::path directory;
    sink_set sinks;
};

/// Those of the run in the order of its plan.
struct outputs {
    std::filesystem::path directory;
    std::vector<output> drives, arrays;

    [[nodiscard]] std::vector<result_place> places() const
    {
        std::vector<result_place> all = {{directory, nullptr}};
        for (const std::vector<output>* some : {&drives, &arrays}) {
            for (const output& o : *some) {
                all.push_back({o.directory, &o.sinks});
            }
        }
        return all;
    }
};

struct array_part {
    std::unique_ptr<array_run> run;
    output* out;
};

/// A drive, its firmware and what became of it.
struct member {
    std::string name;
    output* out;
    ssd_config config;
    std::shared_ptr<loaded_firmware> firmware; // of all with cores that take the same cycles
    std::unique_ptr<kept_states> states;
    std::unique_ptr<simulation> sim;
    simulation_result result;
    const array_part* array = nullptr; // that it is a member of
};

using arrays = std::vector<array_part>;

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
    for (const array_part& a : all) {
        const array_report r = report_of(*a.run, members);
        sums.add(a.run->requests(), r.run.measured.when);
        listed +=
            fmt::format("{}\n{{\"name\": \"{}\", \"summary\":\n{}}}", listed.empty() ? "" : ",",
                        r.config.name, array_summary(r, a.run->requests()));
    }
    return "{\n\"schema\": \"ssdvp-drives-1\",\n\"totals\": " + sums.text() +
           (all.empty() ? "" : ",\n\"arrays\": [" + listed + "]") + ",\n\"drives\": [" + drives +
           "]\n}\n";
}

/// Writes and prints what an array did; returns its exit code.
int write_array(const command_line& line, const array_part& part,
                const std::vector<member>& members)
{
    const array_run& array = *part.run;
    const std::filesystem::path& directory = part.out->directory;
    const array_report r = report_of(array, members);
    losses lost;
    finish_sinks(part.out->sinks, {array.requests(), array.plan().workload, &array.runner()}, lost);
    lost.attempt([&] {
        write_file_atomically(directory / "summary.json", array_summary(r, array.requests()));
    });
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
    const bool failing = failed_share(array.requests()) > members.front().config.run.failed_limit;
    return lost.code(!r.run.complete ? EXIT_RUN_FAILED : failing ? EXIT_FAILING : EXIT_DONE);
}

int worse(int a, int b)
{
    const auto rank = [](int code) {
        return code == EXIT_RUN_FAILED    ? 3
               : code == EXIT_INTERRUPTED ? 2
               : code == EXIT_FAILING     ? 1
                                          : 0;
    };
    return rank(b) > rank(a) ? b : a;
}

/// An image has one set of tables: drives whose cores take other cycles get a copy, and those whose
/// cores listen to what it does.
class images {
public:
    images(std::string path, bool profiled) : m_path(std::move(path)), m_profiled(profiled) {}
    std::shared_ptr<loaded_firmware> of(const ssd_config& c)
    {
        const image_use use = image_use_for(c.cpu, m_profiled);
        std::shared_ptr<loaded_firmware>& image =
            m_images[{timing_key(c.cpu.core, c.cpu.timing), use}];
        if (!image) {
            image = std::make_shared<loaded_firmware>(m_path,
                                                      m_images.size() == 1 ? use : image_use::own);
        }
        return image;
    }

private:
    std::string m_path;
    bool m_profiled;
    std::map<std::pair<std::uint64_t, image_use>, std::shared_ptr<loaded_firmware>> m_images;
};

arrays make_arrays(const run_plan& plan, std::vector<output>& outs, lockstep& together)
{
    arrays all;
    for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
        all.push_back(
            {std::make_unique<array_run>(plan.arrays[i], plan.drives, together, interrupted),
             &outs[i]});
        all.back().run->tell(outs[i].sinks.all());
    }
    return all;
}

std::vector<member> make_members(const command_line& line, const std::vector<named_drive>& drives,
                                 std::vector<output>& outs, const arrays& all, lockstep& together)
{
    const bool profiled = outs.front().sinks.profile() != nullptr;
    images firmware(line.firmware, profiled);
    std::vector<member> members;
    for (const named_drive& d : drives) {
        member m;
        m.name = d.name;
        m.out = &outs[members.size()];
        m.config = d.resolved.config;
        m.firmware = firmware.of(m.config);
        if (m.config.precondition.fill > 0.0) {
            m.firmware->need_precondition();
        }
        simulation_hooks hooks;
        hooks.interrupted = interrupted;
        hooks.overrides = overrides_of(d.resolved);
        hooks.together = &together;
        hooks.name = d.name;
        hooks.sinks = m.out->sinks.all();
        for (const array_part& a : all) {
            const auto& of = a.run->plan().members;
            const auto it = std::find(of.begin(), of.end(), members.size());
            if (it != of.end()) {
                m.array = &a;
                hooks.instead = &a.run->member(static_cast<std::size_t>(it - of.begin()));
            }
        }
        m.states = std::make_unique<kept_states>(
            line.states, m.config, hooks.instead != nullptr ? hooks.instead->addresses() : "");
        hooks.states = m.states.get();
        m.sim = std::make_unique<simulation>(m.config, *m.firmware, hooks, checks_of(line));
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
    const firmware_guard guard(ssds, shortest_hang(members), {interrupted, false, end_at_once});
    run_begins();
    together.run(bodies);
}

/// Every array before the first of its members.
int write_all(const command_line& line, const std::vector<member>& members)
{
    int code = EXIT_DONE;
    std::vector<const array_part*> told;
    for (const member& m : members) {
        std::cout << (&m == &members[0] ? "" : "\n");
        if (m.array != nullptr && std::find(told.begin(), told.end(), m.array) == told.end()) {
            told.push_back(m.array);
            std::cout << "array " << m.array->run->plan().config.name << "\n";
            code = worse(code, write_array(line, *m.array, members));
            std::cout << "\n";
        }
        std::cout << "drive " << m.name << "\n";
        const int one =
            write_results(line, {m.out->directory, m.config, m.out->sinks, *m.sim, m.result});
        // What a member of an array cannot read another one may have: the array tells.
        code = worse(code, one == EXIT_FAILING && m.array != nullptr ? EXIT_DONE : one);
    }
    return code;
}

outputs outputs_of(const command_line& line, const run_plan& plan)
{
    outputs all;
    all.directory = output_directory(line, plan.drives.front().resolved.config);
    for (const named_drive& d : plan.drives) {
        const std::filesystem::path directory = all.directory / d.name;
        const ssd_config& c = d.resolved.config;
        all.drives.push_back(
            {directory, sink_set(line.sinks, subject_of(c, d.name, directory, line))});
    }
    for (const named_array& a : plan.arrays) {
        const std::filesystem::path directory = all.directory / a.config.name;
        all.arrays.push_back(
            {directory, sink_set(line.sinks, {a.config.name, directory, a.workload})});
    }
    return all;
}

/// Before anything is written.
void check_outputs(const command_line& line, const run_plan& plan, const outputs& out)
{
    std::vector<const resolved_config*> read;
    for (const named_drive& d : plan.drives) {
        read.push_back(&d.resolved);
    }
    check_output_files(line, read, out.places());
}

/// All or nothing: what is made for a run that is refused is taken back.
void prepare_outputs(outputs& out)
{
    output_folders folders;
    for (const result_place& p : out.places()) {
        folders.prepare(p.directory);
        if (p.sinks != nullptr) {
            p.sinks->prepare(folders);
        }
    }
    for (std::vector<output>* some : {&out.drives, &out.arrays}) {
        for (output& o : *some) {
            o.sinks.open();
        }
    }
    folders.keep();
}

std::vector<memory_part> filled_by(const std::vector<named_drive>& drives)
{
    std::vector<memory_part> filled;
    for (const named_drive& d : drives) {
        for (memory_part& p : memory_filled(d.resolved.config)) {
            filled.push_back({d.name + ": " + p.what, p.bytes});
        }
    }
    return filled;
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
    for (const named_drive& d : plan.drives) {
        if (line.check_dram && d.resolved.config.dram.model != dram::dram_model::bank) {
            fail({"--check-dram", 0, 0}, "dram.model", "bandwidth has no commands to check",
                 "use --set dram.model=bank");
        }
    }
    if (!line.states.load.empty() || !line.states.save.empty()) {
        const bool load = !line.states.load.empty();
        throw state_error(fmt::format(
            "{}: a state file is of one drive, and this run has {}; leave {} out: each drive's "
            "state is kept in the cache",
            load ? line.states.load : line.states.save, plan.drives.size(),
            load ? "--load-state" : "--save-state"));
    }
    outputs out = outputs_of(line, plan);
    check_outputs(line, plan, out);
    need_memory(memory_of(plan));
    need_filled(filled_by(plan.drives));
    lockstep together;
    const arrays all = make_arrays(plan, out.arrays, together);
    std::vector<member> members = make_members(line, plan.drives, out.drives, all, together);
    prepare_outputs(out);
    const unfinished_files parts(partial_names(line, out.places()));
    heed_interrupts();
    run_all(members, together);
    losses lost;
    const int code = write_all(line, members);
    lost.attempt([&] {
        write_file_atomically(out.directory / "summary.json", whole_summary(members, all));
    });
    return lost.code(code);
}

} // namespace ssdvp::platform
