// SPDX-License-Identifier: Apache-2.0
//
// What a run has, for the sources of the simulation alone.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "platform/config/derived.h"
#include "platform/control/completion_hub.h"
#include "platform/control/kept_states.h"
#include "platform/control/pace.h"
#include "platform/control/power_cycle.h"
#include "platform/control/sampled_run.h"
#include "platform/control/simulation.h"
#include "platform/control/sink_listeners.h"
#include "platform/control/steady_rounds.h"
#include "platform/control/watchdog.h"
#include "platform/guest/ata_record.h"
#include "platform/guest/command_record.h"

namespace ssdvp::platform {

inline constexpr sim_time endless(UINT64_MAX / 2); // a workload may take any simulated time

class simulation::state {
public:
    state(const ssd_config& config, const loaded_firmware& firmware, const simulation_hooks& hooks,
          const ssd_options& options)
        : m_hooks(hooks), m_statistics(streams_apart(config.workload)), m_power(config),
          m_hub(m_statistics, config.power.any() ? &m_power : nullptr), m_guest_commands(m_hub),
          m_guest_ata_commands(m_hub), m_drive(hooks.name.c_str(), as_if_faster(config), firmware,
                                               m_hub, watched(options, config)),
          m_sampler(m_sample),
          m_steady(config, {m_hub, m_statistics, [this] { return read(); }, m_sample}),
          m_watchdog(m_drive, config.watchdog.progress)
    {
        if (config.driver.guest) {
            m_guest_commands.read(m_drive.ledger(), m_drive.host().guest());
            m_guest_ata_commands.read(m_drive.ledger());
        }
    }

    simulation_result run();

    request_statistics& statistics() { return m_statistics; }
    ssd& drive() { return m_drive; }
    [[nodiscard]] const precondition_result& preconditioning() const { return m_preconditioning; }

private:
    ssd_options watched(ssd_options options, const ssd_config& config)
    {
        const bool counts = config.power.cut_every != 0;
        options.watch = counts ? &m_power.schedule().operations() : options.watch;
        options.commands = config.driver.guest ? &m_guest_commands : nullptr;
        options.ata_commands = config.driver.guest ? &m_guest_ata_commands : nullptr;
        m_listeners.listen(m_hooks.sinks, options);
        return options;
    }

    /// Simulates until `flag`, a fault that stops the kernel, Ctrl-C, a power event, or `limit`
    /// simulated time.
    ending simulate(const bool& flag, sim_time limit, bool interruptible);
    bool advance(sim_time t);
    [[nodiscard]] bool unfit();
    bool advance_session(sim_time t);
    [[nodiscard]] bool power_due() const;
    ending power_cycle();
    [[nodiscard]] bool stopped_by_another() const;
    bool failed(const char* what, ending how);
    void wait_until_idle();
    bool bring_up();
    void prepare();
    precondition_result precondition_now();
    kept_states::steps state_steps();
    void tell(const char* phase, double share);
    std::string save_state();
    void warm_up();
    bool settle();
    ending run_measured();
    void measure();
    void stop_workload();
    void begin_measurement();
    void sample();
    window_result measure_window(load_walk::sources load, std::uint64_t warmup,
                                 std::uint64_t measured);
    [[nodiscard]] address_function named_by_host();
    void end_measurement();
    void serve();
    void shut_down();
    counters read() const;
    void put_sampled(measurement& m) const;
    simulation_result conclude();

    simulation_hooks m_hooks;
    sink_listeners m_listeners;
    request_statistics m_statistics;
    power_cycler m_power;
    completion_hub m_hub;
    command_record m_guest_commands;
    ata_record m_guest_ata_commands;
    ssd m_drive;
    sample_reading m_sample = sampling(m_statistics, [this] { return m_drive.flash_so_far(); });
    run_sampler m_sampler; // of the measured part
    steady_load m_steady;
    watchdog m_watchdog;
    precondition_result m_preconditioning;
    std::function<counters()> m_read = [this] { return m_drive.read(); }; // for the reports
    counters m_base;                                                      // after preconditioning
    counters m_begin;                                                     // of the measured part
    counters m_end;
    counters m_heard;                        // by the sinks
    std::optional<sampled_result> m_sampled; // of run.sampling
    bool m_workload_done = false;
    bool m_warm = false; // so many requests have completed, or there are no more
    bool m_workload_complete = false;
    bool m_interrupted = false;
    bool m_clean = false;  // shut down in order
    bool m_filled = false; // the cells hold what another run left
};

} // namespace ssdvp::platform
