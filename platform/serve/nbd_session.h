// SPDX-License-Identifier: Apache-2.0
//
// The simulation's side of the NBD server: runs the drive as long as requests are under way and
// sleeps while nothing is.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "platform/serve/drive_image.h"
#include "platform/serve/nbd_server.h"
#include "platform/serve/pacer.h"
#include "platform/serve/serve_options.h"
#include "platform/serve/session.h"

namespace ssdvp::platform {

class nbd_session final : public session {
public:
    /// `log` gets what a user should hear of; called by several threads, one at a time each.
    nbd_session(serve_options options, std::function<void(const std::string&)> log);
    ~nbd_session() override;

    void check(const ssd_config& config) override;
    bool fill(ssd& drive) override;
    void serve(ssd& drive, const advance_function& advance) override;
    void ended(ssd& drive) override;
    [[nodiscard]] session_counts requests() const override;
    [[nodiscard]] bool asked_to_end() const override;
    [[nodiscard]] bool ends_in_order() const override { return true; }
    [[nodiscard]] bool interrupted() const override;

private:
    void open_image(const ssd_config& config);
    void keep(ssd& drive);
    void announce(const ssd& drive, std::uint64_t bytes);
    bool turn(ssd& drive, const advance_function& advance, pacer& pace);

    serve_options m_options;
    std::function<void(const std::string&)> m_log;
    double m_pace = 0.0;
    wall_clock::time_point m_kept; // when the image was last brought up to date
    gate m_gate;
    std::unique_ptr<nbd_server> m_server; // from check() on
    std::unique_ptr<drive_image> m_image; // likewise; null: there is none
};

} // namespace ssdvp::platform
