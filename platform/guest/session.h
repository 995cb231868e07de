// SPDX-License-Identifier: Apache-2.0
//
// A guest instead of a workload: QEMU is started, and the drive serves its bus until it leaves.
// Page in docs/guest.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "platform/guest/qemu.h"
#include "platform/serve/drive_image.h"
#include "platform/serve/session.h"

namespace ssdvp::platform {

class guest_session final : public session {
public:
    using logger = std::function<void(const std::string&)>;

    /// `image`: the file that keeps what the drive holds; empty: none. `interrupted`: asked between
    /// looks at the guest. `log` gets what a user should hear of.
    guest_session(qemu_options machine, std::string image, std::function<bool()> interrupted,
                  logger log);
    ~guest_session() override;

    /// Takes power.cut.at or .every out: then the machine loses power together with the drive.
    void adapt(ssd_config& config) override;
    void check(const ssd_config& config) override;
    bool fill(ssd& drive) override;
    /// Until the guest leaves, or the power. Throws proxy_error.
    void serve(ssd& drive, const advance_function& advance) override;
    void ended(ssd& drive) override;
    [[nodiscard]] session_counts requests() const override { return {}; } // none by our driver
    [[nodiscard]] bool asked_to_end() const override { return m_interrupted(); }
    [[nodiscard]] bool interrupted() const override { return m_interrupted(); }

private:
    void keep(ssd& drive);
    [[nodiscard]] bool cut_due(const ssd& drive, sim_time begin);
    void cut(ssd& drive, qemu& machine);

    qemu_options m_options;
    std::string m_image_path;
    std::function<bool()> m_interrupted;
    logger m_log;
    std::optional<sim_time> m_cut_at;               // from the machine's start on
    std::uint64_t m_cut_after = 0;                  // programs and erases since then; 0 = never
    std::unique_ptr<drive_image> m_image;           // from check() on; null: there is none
    std::chrono::steady_clock::time_point m_kept;   // when it was last brought up to date
    std::chrono::steady_clock::time_point m_looked; // when operations were last counted
};

} // namespace ssdvp::platform
