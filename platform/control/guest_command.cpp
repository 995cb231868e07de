// SPDX-License-Identifier: Apache-2.0
#include "platform/control/guest_command.h"

#include <fmt/format.h>
#include <iostream>
#include <optional>

#include "platform/control/run_results.h"
#include "platform/guest/guest_error.h"
#include "platform/guest/session.h"
#include "platform/report/output.h"
#include "platform/report/requests_log.h"

namespace ssdvp::platform {

namespace {

/// A drive that a guest may use: its data are real.
ssd_config guest_config(const config_sources& sources)
{
    config_sources s = sources;
    s.overrides.push_back({"data", "full", "ssdvp guest"});
    ssd_config c = resolve(s).config;
    c.driver.guest = true;
    return c;
}

ending serve(ssd& drive, const qemu_options& options)
{
    qemu machine(options);
    guest_session session(drive, machine);
    const guest_ending how = session.run(interrupted);
    if (how == guest_ending::interrupted) {
        return ending::interrupted;
    }
    if (how == guest_ending::stuck) {
        return ending::stuck;
    }
    const int code = machine.wait();
    if (code != 0) {
        drive.faults().record("guest", fmt::format("QEMU ended with code {}", code));
        return ending::stuck;
    }
    return ending::done;
}

} // namespace

int guest_command(const command_line& line)
{
    const ssd_config config = guest_config(line.sources);
    check_machine(line.machine);
    const loaded_firmware firmware(line.firmware, false);
    if (config.precondition.fill > 0.0) {
        firmware.need_precondition();
    }
    simulation_hooks hooks;
    hooks.interrupted = interrupted;
    hooks.client = [&](ssd& drive) { return serve(drive, line.machine); };
    std::optional<requests_log> log;
    if (!line.requests_log.empty()) {
        log.emplace(line.requests_log);
        hooks.log = &*log;
    }
    simulation sim(config, firmware, hooks);
    const auto directory = output_directory(line, config);
    prepare_output_dir(directory);
    heed_interrupts();
    const simulation_result result = guarded_run(sim, config);
    if (log) {
        log->finish();
    }
    return write_results(line, directory, config, sim, result);
}

} // namespace ssdvp::platform
