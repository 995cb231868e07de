// SPDX-License-Identifier: Apache-2.0
//
// The run of an array of drives. Each member runs as a drive whose host is this: they come up, the
// workload of the array starts when all of them have, and all are done when it is.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/host/raid/array.h"
#include "models/host/workload/runner.h"
#include "platform/config/loader.h"
#include "platform/control/completion_hub.h"
#include "platform/control/lockstep.h"
#include "platform/report/array_report.h"
#include "platform/serve/session.h"

namespace ssdvp::platform {

/// Requests of an array that are under way at a time, at most, and the sectors of the largest.
struct array_requests {
    std::uint32_t slots;
    std::uint32_t sectors;
};
[[nodiscard]] array_requests requests_of(const host::workload_config& workload);

class array_run {
public:
    /// Before the kernel starts.
    array_run(const named_array& plan, const std::vector<named_drive>& drives, lockstep& together,
              std::function<bool()> interrupted);
    /// Before the run: reports that hear of the requests of its measured part.
    void tell(std::vector<report_sink*> sinks) { m_sinks = std::move(sinks); }

    [[nodiscard]] const named_array& plan() const { return m_plan; }
    /// For the simulation of the member at `i` in the plan.
    [[nodiscard]] session& member(std::size_t i) { return *m_links[i]; }
    [[nodiscard]] const request_statistics& requests() const { return m_statistics; }
    [[nodiscard]] const host::runner& runner() const { return m_runner; }
    [[nodiscard]] bool interrupted() const { return m_stopped; }
    /// Afterwards. `served`: requests that the drives say they have completed, by member.
    [[nodiscard]] array_report report(const std::vector<std::uint64_t>& served) const;

private:
    enum class stage { coming_up, warming_up, measuring };

    /// What the simulation of a member sees of the array.
    class link final : public session {
    public:
        link(array_run& run, std::uint32_t index) : m_run(run), m_index(index) {}
        void check(const ssd_config&) override {}
        bool fill(ssd&) override { return false; }
        bool prepare(ssd& drive, const advance_function& advance) override;
        void serve(ssd& drive, const advance_function& advance) override;
        void ended(ssd& drive) override { m_run.member_ended(m_index, drive); }
        [[nodiscard]] std::uint64_t address_of(std::uint64_t lba) const override;
        [[nodiscard]] std::string addresses() const override;
        [[nodiscard]] const bool& over() const override { return m_run.m_reached[m_stage]; }
        [[nodiscard]] session_counts requests() const override;
        [[nodiscard]] bool asked_to_end() const override { return false; }
        [[nodiscard]] bool interrupted() const override { return m_run.m_stopped; }

    private:
        bool wait(stage s, const advance_function& advance);

        array_run& m_run;
        std::uint32_t m_index;
        std::size_t m_stage = 0;
    };

    void reach(stage s) { m_reached[static_cast<std::size_t>(s)] = true; }
    void start();
    void begin_measurement();
    void workload_done();
    void member_ended(std::uint32_t index, const ssd& drive);
    [[nodiscard]] sim_time patience() const;
    bool look(std::uint32_t index);
    [[nodiscard]] host::array_member_counts counts_of(std::size_t member) const;

    struct reading {
        sim_time when;
        host::array_counts array;
        std::vector<host::array_member_counts> members;
        integrity_statistics integrity;
    };
    [[nodiscard]] reading read() const;
    void put_integrity(measurement& m) const;
    void check_counts(array_report& r, const std::vector<std::uint64_t>& served) const;

    named_array m_plan;
    std::vector<std::string> m_names; // of the members
    std::uint64_t m_filled = 0;       // sectors of the array that preconditioning fills
    lockstep& m_together;
    std::function<bool()> m_interrupted;
    std::vector<report_sink*> m_sinks;
    fault_log m_faults;
    request_statistics m_statistics;
    completion_hub m_hub;
    host::array m_array;
    host::runner m_runner;
    std::vector<std::unique_ptr<link>> m_links;
    std::vector<ssd*> m_drives; // those that are up
    std::size_t m_up = 0;
    std::size_t m_ready = 0;
    std::array<bool, 3> m_reached{}; // the end of each stage
    bool m_started = false;
    bool m_measuring = false;
    bool m_failed = false;
    bool m_stopped = false; // by Ctrl-C
    sim_time m_warm_at;     // end of a warm-up by time
    reading m_begin;
    reading m_end;
    integrity_statistics m_before; // of the warm-up
};

} // namespace ssdvp::platform
