// SPDX-License-Identifier: Apache-2.0
#include "platform/control/commands.h"

#include <ctime>
#include <iostream>
#include <optional>
#include <set>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "models/host/workload/trace.h"
#include "platform/control/cli.h"
#include "platform/control/drives_command.h"
#include "platform/control/exit_code.h"
#include "platform/control/firmware_profile.h"
#include "platform/control/output_files.h"
#include "platform/control/precondition.h"
#include "platform/control/run_results.h"
#include "platform/control/simulation.h"
#include "platform/guest/guest_error.h"
#include "platform/guest/session.h"
#include "platform/report/fio_json.h"
#include "platform/report/output.h"
#include "platform/report/progress.h"
#include "platform/report/requests_log.h"
#include "platform/serve/nbd_session.h"

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

/// Those who hear of every measured request.
class listeners final : public host::request_observer {
public:
    listeners(std::optional<requests_log>& log, std::optional<requests_log>& record,
              std::optional<fio_statistics>& fio)
        : m_log(log), m_record(record), m_fio(fio)
    {}
    void on_complete(const host::request_result& result) override
    {
        if (m_log) {
            m_log->on_complete(result);
        }
        if (m_record) {
            m_record->on_complete(result);
        }
        if (m_fio) {
            m_fio->on_complete(result);
        }
    }

private:
    std::optional<requests_log>& m_log;
    std::optional<requests_log>& m_record;
    std::optional<fio_statistics>& m_fio;
};

/// Options of the jobs that change nothing here, once each.
void list_notes(const command_line& line, const host::fio_config& fio)
{
    if (line.quiet) {
        return;
    }
    std::set<std::string> told;
    for (const host::fio_note& note : fio.notes) {
        if (told.insert(note.text).second) {
            std::cerr << "ssdvp: info: " << note.at << ": no effect: " << note.text << "\n";
        }
    }
}

/// Keys that a user gave, and that change nothing in this run.
void list_idle(const resolved_config& resolved)
{
    for (const std::string& text : resolved.idle) {
        spdlog::warn(text);
    }
}

std::optional<fio_statistics> fio_report(const command_line& line, const ssd_config& config)
{
    return line.output_format == "fio" ? std::make_optional<fio_statistics>(config.workload)
                                       : std::nullopt;
}

void write_fio(const std::filesystem::path& directory, const ssd_config& config,
               const std::optional<fio_statistics>& fio, simulation& sim)
{
    if (fio) {
        write_file_atomically(
            directory / "fio.json",
            fio_json(config.workload, *fio, sim.drive().host().workload(), std::time(nullptr)));
    }
}

ssd_options checks_of(const command_line& line)
{
    ssd_options checks;
    checks.check_onfi = line.check_onfi;
    checks.check_dram = line.check_dram;
    return checks;
}

/// As the files and options say, and as `instead` needs it.
resolved_config config_for(const command_line& line, session* instead)
{
    resolved_config resolved = resolve(line.sources);
    ssd_config& config = resolved.config;
    list_idle(resolved);
    if (instead != nullptr) {
        instead->adapt(config);
    }
    list_notes(line, config.workload.fio);
    if (line.check_dram && config.dram.model != dram::dram_model::bank) {
        fail({"--check-dram", 0, 0}, "dram.model", "bandwidth has no commands to check",
             "use --set dram.model=bank");
    }
    return resolved;
}

void open_logs(const command_line& line, std::optional<requests_log>& log,
               std::optional<requests_log>& record)
{
    if (!line.requests_log.empty()) {
        log.emplace(line.requests_log);
    }
    if (!line.record.empty()) {
        record.emplace(line.record, log_format::iolog, "--record");
    }
}

/// All or nothing: what is made for a run that is refused is taken back.
void prepare_outputs(const command_line& line, const std::filesystem::path& directory,
                     std::optional<requests_log>& log, std::optional<requests_log>& record)
{
    output_folders folders;
    folders.prepare(directory);
    if (!line.fw_profile.empty()) {
        folders.prepare(line.fw_profile, "--fw-profile DIR");
    }
    if (!line.ftl_series.empty()) {
        folders.prepare(std::filesystem::absolute(line.ftl_series).parent_path(),
                        "--ftl-series FILE");
    }
    open_logs(line, log, record);
    folders.keep();
}

void finish(std::optional<requests_log>& log)
{
    if (log) {
        log->finish();
    }
}

/// `instead` takes the place of the workload; null: none does.
int run_command(const command_line& line, session* instead = nullptr)
{
    if (instead == nullptr) {
        const run_plan plan = resolve_run(line.sources);
        if (!plan.drives.front().name.empty()) {
            return run_drives(line, plan);
        }
    }
    const resolved_config resolved = config_for(line, instead);
    const ssd_config& config = resolved.config;
    const loaded_firmware firmware(line.firmware, line.fw_profile.empty() ? image_use::shared
                                                                          : image_use::profiled);
    if (config.precondition.fill > 0.0) {
        firmware.need_precondition();
    }
    const std::filesystem::path directory = output_directory(line, config);
    check_output_files(line, resolved, directory);

    progress_reporter progress(progress_for(line, config));
    simulation_hooks hooks;
    hooks.instead = instead;
    hooks.interrupted = [instead] {
        return instead != nullptr ? instead->asked_to_end() : interrupted();
    };
    hooks.progress = [&](sim_time t, std::uint64_t requests) { progress.update(requests, t); };
    std::string phase;
    hooks.phase = [&](const char* name, double) {
        if (phase != name) {
            phase = name;
            progress.begin(phase);
        }
    };
    // The last checks of the input, a trace among it, come before any file is written.
    std::optional<requests_log> log, record;
    std::optional<fio_statistics> fio = fio_report(line, config);
    listeners all(log, record, fio);
    hooks.log = line.requests_log.empty() && line.record.empty() && !fio ? nullptr : &all;
    ftl_series series(config.channel.die.geo.page_size);
    hooks.series = line.ftl_series.empty() ? nullptr : &series;

    firmware_profile profile;
    hooks.profile = line.fw_profile.empty() ? nullptr : &profile;

    if (instead != nullptr) {
        instead->check(config);
    }
    simulation sim(config, firmware, hooks, checks_of(line));
    prepare_outputs(line, directory, log, record);
    if (instead == nullptr) {
        heed_interrupts();
    }
    const simulation_result result = guarded_run(sim, config);
    progress.finish();
    finish(log);
    finish(record);
    if (hooks.series != nullptr) {
        write_series(line.ftl_series, series);
    }
    if (hooks.profile != nullptr) {
        profile.write(line.fw_profile);
        std::cerr << profile.text();
    }
    write_fio(directory, config, fio, sim);
    return write_results(line, directory, config, sim, result);
}

int guest_command(const command_line& line)
{
    heed_interrupts();
    guest_session guest(line.machine, line.serve.image, interrupted,
                        [](const std::string& text) { spdlog::info(text); });
    return run_command(line, &guest);
}

int serve_command(const command_line& line)
{
    nbd_session server(line.serve, [](const std::string& text) { spdlog::info(text); });
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
    case show_what::options:
        std::cout << list_options();
        break;
    case show_what::configuration:
        std::cout << show(resolve(line.sources));
        break;
    }
    return EXIT_DONE;
}

int check_command(const command_line& line)
{
    const std::vector<named_drive> drives = resolve_run(line.sources).drives;
    std::cout << "ok: " << drives.front().resolved.config.name << "\n";
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
    }
    return EXIT_DONE;
}

int bad_input(const std::exception& error)
{
    std::cerr << "ssdvp: error: " << error.what() << "\n";
    return EXIT_BAD_INPUT;
}

} // namespace

int main_command(int argc, char* argv[])
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    spdlog::set_default_logger(spdlog::stderr_logger_mt("ssdvp"));
    spdlog::set_pattern("ssdvp: %l: %v");
    try {
        return dispatch(argc, argv);
    } catch (const early_exit& e) {
        return e.code;
    } catch (const config_error& e) {
        return bad_input(e);
    } catch (const firmware_error& e) {
        return bad_input(e);
    } catch (const serve_error& e) {
        return bad_input(e);
    } catch (const output_error& e) {
        return bad_input(e);
    } catch (const guest_error& e) {
        return bad_input(e);
    } catch (const host::trace_error& e) {
        return bad_input(e);
    } catch (const precondition_error& e) {
        return bad_input(e);
    } catch (const std::exception& e) {
        std::cerr << "ssdvp: the run failed: " << e.what() << "\n";
        return EXIT_RUN_FAILED;
    }
}

} // namespace ssdvp::platform
