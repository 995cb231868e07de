// SPDX-License-Identifier: Apache-2.0
#include "platform/control/commands.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "models/common/address_space.h"
#include "models/common/data_mode.h"
#include "models/host/workload/trace.h"
#include "platform/config/derived.h"
#include "platform/config/ideal.h"
#include "platform/config/shaping.h"
#include "platform/control/cli.h"
#include "platform/control/describe.h"
#include "platform/control/drives_command.h"
#include "platform/control/exit_code.h"
#include "platform/control/kept_states.h"
#include "platform/control/memory_plan.h"
#include "platform/control/messages.h"
#include "platform/control/output_files.h"
#include "platform/control/precondition.h"
#include "platform/control/run_results.h"
#include "platform/control/simulation.h"
#include "platform/guest/guest_error.h"
#include "platform/guest/session.h"
#include "platform/input/value.h"
#include "platform/report/counter_table.h"
#include "platform/report/output.h"
#include "platform/report/progress.h"
#include "platform/report/sinks/sink_set.h"
#include "platform/report/summary_keys.h"
#include "platform/serve/nbd_session.h"
#include "platform/state/state_error.h"

namespace ssdvp::platform {

namespace {

progress_options progress_for(const command_line& line, const ssd_config& config)
{
    progress_options o = progress_options_for(stderr);
    o.quiet = line.quiet;
    o.total_requests =
        config.run.requests == 0 ? 0 : config.run.requests + config.run.warmup_requests;
    o.total_time = config.run.duration;
    return o;
}

/// Options of the jobs that change nothing here, once each.
void list_notes(const host::fio_config& fio)
{
    std::set<std::string> told;
    for (const host::fio_note& note : fio.notes) {
        if (told.insert(note.text).second) {
            spdlog::info("{}: no effect: {}", note.at, note.text);
        }
    }
}

/// Keys that a user gave, and that change nothing in this run; `served`: others send the requests.
std::vector<std::string> notices(const resolved_config& resolved, bool served)
{
    std::vector<std::string> texts = resolved.idle;
    for (const resolved_key& k : resolved.keys) {
        if (k.key == "serve.pacing" && !served && resolved.config.serve_pacing > 0.0) {
            texts.push_back(fmt::format("{}: {} has no effect: it is used only by `ssdvp serve`",
                                        k.from, k.key));
        }
        const run_config& run = resolved.config.run;
        const bool of_load = (k.key == "run.until" && run.until == run_until::steady) ||
                             (k.key == "run.sampling.windows" && run.sampling.windows != 0);
        if (served && of_load) {
            texts.push_back(
                fmt::format("{}: {} has no effect: others send the requests", k.from, k.key));
        }
    }
    return texts;
}

void list_idle(const resolved_config& resolved, bool served = false)
{
    for (const std::string& text : notices(resolved, served)) {
        spdlog::warn("{}", text);
    }
}

/// What holds for all drives is said once, else of whom it holds.
void list_idle(const std::vector<named_drive>& drives)
{
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::string>> whose;
    for (const named_drive& d : drives) {
        for (const std::string& text : notices(d.resolved, false)) {
            std::vector<std::string>& names = whose[text];
            if (names.empty()) {
                order.push_back(text);
            }
            names.push_back(d.name);
        }
    }
    for (const std::string& text : order) {
        const std::vector<std::string>& names = whose[text];
        const std::string of =
            names.size() == drives.size() ? "" : fmt::format("drive {}: ", fmt::join(names, ", "));
        spdlog::warn("{}{}", of, text);
    }
}

/// What a run that is measured in windows does not do.
void check_sampled(const command_line& line, const ssd_config& config)
{
    const auto refuse = [&](bool asked, const char* option, const char* why, const char* remedy) {
        if (config.run.sampling.windows != 0 && asked) {
            fail({option, 0, 0}, "run.sampling.windows", why, remedy);
        }
    };
    constexpr const char* exact = "leave it out, or use run.sampling.windows=0";
    refuse(!line.states.save.empty() && line.states.when == save_when::at_end, "--save-at",
           "the drive of a sampled run is at no time at its end",
           "use --save-at preconditioned, or run.sampling.windows=0");
    refuse(line.what_if, "--what-if", "what differs may be chance of the windows", exact);
    refuse(line.beside_ideal, "--beside-ideal", "what differs may be chance of the windows", exact);
}

/// As the files and options say, and as `instead` needs it.
resolved_config config_for(const command_line& line, const config_sources& sources,
                           session* instead)
{
    resolved_config resolved = resolve(sources);
    ssd_config& config = resolved.config;
    list_idle(resolved, instead != nullptr);
    if (instead != nullptr) {
        instead->adapt(config);
    }
    list_notes(config.workload.fio);
    if (line.check_dram && config.dram.model != dram::dram_model::bank) {
        fail({"--check-dram", 0, 0}, "dram.model", "bandwidth has no commands to check",
             "use --set dram.model=bank");
    }
    check_sampled(line, config);
    return resolved;
}

/// All or nothing: what is made for a run that is refused is taken back.
void prepare_outputs(const std::filesystem::path& directory, sink_set& sinks)
{
    output_folders folders;
    folders.prepare(directory);
    sinks.prepare(folders);
    sinks.open();
    folders.keep();
}

using firmware_image_file = std::shared_ptr<loaded_firmware>;

/// The one that planned; of the built-in one the copy that tells what it does, where it has to.
firmware_image_file image_to_run(firmware_image_file planned, const std::string& path,
                                 image_use use)
{
    return use == image_use::watched && path.empty() ? std::make_shared<loaded_firmware>(path, use)
                                                     : std::move(planned);
}

/// `instead` takes the place of the workload; null: none does.
int run_command(const command_line& line, session* instead = nullptr)
{
    const auto planned = std::make_shared<loaded_firmware>(line.firmware, image_use::shared);
    const firmware_planner planner = planned->planner();
    config_sources sources = line.sources;
    sources.firmware = &planner;
    if (instead == nullptr) {
        const run_plan plan = resolve_run(sources);
        if (!plan.drives.front().name.empty()) {
            if (line.beside_ideal) {
                fail({"--beside-ideal", 0, 0}, "drives",
                     "runs of several drives are not done again", "run one of them by itself");
            }
            list_idle(plan.drives);
            return run_drives(line, plan);
        }
    }
    const resolved_config resolved = config_for(line, sources, instead);
    const ssd_config& config = resolved.config;
    const std::filesystem::path directory = output_directory(line, config);
    sink_set sinks(line.sinks, subject_of(config, {}, directory, line));
    const auto firmware =
        image_to_run(planned, line.firmware, image_use_for(config.cpu, sinks.profile() != nullptr));
    if (config.precondition.fill > 0.0) {
        firmware->need_precondition();
    }
    const std::vector<result_place> places = {{directory, &sinks}};
    check_output_files(line, {&resolved}, places);

    progress_reporter progress(progress_for(line, config));
    simulation_hooks hooks;
    hooks.instead = instead;
    hooks.interrupted = [instead] {
        return instead != nullptr ? instead->asked_to_end() : interrupted();
    };
    hooks.progress = [&](sim_time t, std::uint64_t requests) { progress.update(requests, t); };
    std::string phase;
    hooks.phase = [&](const char* name, double share) {
        if (phase != name) {
            phase = name;
            progress.begin(phase);
        }
        progress.update(share);
    };
    hooks.sinks = sinks.all();
    hooks.processes = line.jobs;
    hooks.overrides = overrides_of(resolved);
    // The last checks of the input, a trace among it, come before any file is written.
    if (instead != nullptr) {
        instead->check(config);
    }
    need_memory(memory_parts(config, instead != nullptr));
    if (line.states.load.empty()) { // pages of a file are no memory until they are written to
        need_filled(memory_filled(config));
    }
    kept_states states(line.states, config, instead != nullptr ? instead->addresses() : "");
    hooks.states = &states;
    simulation sim(config, *firmware, hooks, checks_of(line));
    prepare_outputs(directory, sinks);
    const unfinished_files parts(partial_names(line, places));
    if (instead == nullptr) {
        heed_interrupts();
    }
    const bool in_order = instead != nullptr && instead->ends_in_order();
    const simulation_result result =
        guarded_run(sim, config, {hooks.interrupted, in_order, end_at_once});
    progress.finish();
    return write_results(line, {directory, config, sinks, sim, result});
}

int guest_command(const command_line& line)
{
    heed_interrupts();
    guest_session guest(line.machine, line.serve.image, interrupted,
                        [](const std::string& text) { spdlog::info("{}", text); });
    return run_command(line, &guest);
}

int serve_command(const command_line& line)
{
    serve_options options = line.serve;
    options.second_signal = end_at_once;
    nbd_session server(options, [](const std::string& text) { spdlog::info("{}", text); });
    return run_command(line, &server);
}

int show_command(const command_line& line)
{
    switch (line.show) {
    case show_what::presets:
        std::cout << list_presets();
        break;
    case show_what::policies:
        std::cout << list_policies();
        break;
    case show_what::counters:
        std::cout << list_counters();
        break;
    case show_what::summary_keys:
        std::cout << list_summary_keys();
        break;
    case show_what::ideal:
        std::cout << list_ideal();
        break;
    case show_what::options:
        std::cout << list_options();
        break;
    case show_what::option_tables:
        std::cout << options_markdown();
        break;
    case show_what::configuration:
        std::cout << show(resolve(line.sources));
        break;
    }
    return EXIT_DONE;
}

/// Options of its jobs without effect are told, and a trace is read to its end. Throws trace_error.
void check_workload(const ssd_config& config)
{
    list_notes(config.workload.fio);
    if (!config.workload.trace.file.empty()) {
        (void)host::scan_trace(config.workload.trace, logical_bytes(config) / sector_size);
    }
}

int check_command(const command_line& line)
{
    const loaded_firmware firmware(line.firmware, image_use::shared);
    const firmware_planner planner = firmware.planner();
    config_sources sources = line.sources;
    sources.firmware = &planner;
    const std::vector<named_drive> drives = resolve_run(sources).drives;
    list_idle(drives);
    std::vector<memory_part> filled;
    for (const named_drive& d : drives) {
        check_workload(d.resolved.config);
        const std::vector<memory_part> more = memory_filled(d.resolved.config);
        filled.insert(filled.end(), more.begin(), more.end());
    }
    if (const std::string lack = memory_lack(filled, memory_there()); !lack.empty()) {
        spdlog::warn("{}", lack); // another machine may have it
    }
    std::cout << "ok: " << drives.front().resolved.config.name << "\n";
    return EXIT_DONE;
}

int states_command(const command_line& line)
{
    if (line.keys) {
        for (const std::string& key : free_keys()) {
            std::cout << key << (key.back() == '.' ? "*" : "") << "\n";
        }
        return EXIT_DONE;
    }
    const state_cache cache = state_cache::of_user();
    std::uint64_t sum = 0;
    for (const state_cache::entry& e : cache.list()) {
        sum += e.bytes;
        if (line.clear) {
            cache.remove(e.key);
        } else {
            std::cout << fmt::format("{}  {}\n", e.key, format_size(e.bytes));
        }
    }
    std::cout << fmt::format("{}{} of {} in {}\n", line.clear ? "removed " : "", format_size(sum),
                             format_size(cache.limit()), cache.folder().string());
    return EXIT_DONE;
}

int dispatch(int argc, char* argv[])
{
    const command_line line = parse_command_line(argc, argv);
    switch (line.what) {
    case command::run:
        return run_command(line);
    case command::serve:
        return serve_command(line);
    case command::guest:
        return guest_command(line);
    case command::check:
        return check_command(line);
    case command::show:
        return show_command(line);
    case command::schema:
        std::cout << schema_json();
        break;
    case command::states:
        return states_command(line);
    }
    return EXIT_DONE;
}

int bad_input(const std::exception& error)
{
    tell_error(error.what());
    return EXIT_BAD_INPUT;
}

/// What cannot be written is an error of write(), not the end of the process; and no file that is
/// opened takes the number of a standard stream that somebody closed. Their place is taken by what
/// cannot be written, so that text for them is missed.
void prepare_process()
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) != stream) {
            throw output_error(fmt::format(
                "descriptor {} is closed, and /dev/null cannot be opened in its place: {}; open "
                "the three standard streams",
                stream, std::strerror(errno)));
        }
    }
}

/// SystemC hands on what a process throws as text.
int report(const sc_core::sc_report& error)
{
    const std::string text = error.what();
    if (text.find(std::bad_alloc().what()) != std::string::npos ||
        text.find(address_space_error::begins) != std::string::npos) {
        return out_of_memory(text.c_str());
    }
    tell_error("the run failed: " + text);
    return EXIT_RUN_FAILED;
}

int guarded_dispatch(int argc, char* argv[])
{
    try {
        prepare_process();
        return dispatch(argc, argv);
    } catch (const early_exit& e) {
        return e.code;
    } catch (const config_error& e) {
        return bad_input(e);
    } catch (const firmware_error& e) {
        return bad_input(e);
    } catch (const serve_error& e) {
        return bad_input(e);
    } catch (const write_error& e) {
        tell_error(e.what());
        return EXIT_RUN_FAILED;
    } catch (const output_error& e) {
        return bad_input(e);
    } catch (const guest_error& e) {
        return bad_input(e);
    } catch (const host::trace_error& e) {
        return bad_input(e);
    } catch (const precondition_error& e) {
        return bad_input(e);
    } catch (const state_error& e) {
        return bad_input(e);
    } catch (const memory_error& e) {
        return bad_input(e);
    } catch (const std::bad_alloc& e) {
        return out_of_memory(e.what());
    } catch (const sc_core::sc_report& e) {
        return report(e);
    } catch (const std::exception& e) {
        tell_error(fmt::format("the run failed: {}", e.what()));
        return EXIT_RUN_FAILED;
    }
}

} // namespace

int main_command(int argc, char* argv[])
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    open_messages();
    name_memory();
    return flushed(guarded_dispatch(argc, argv));
}

} // namespace ssdvp::platform
