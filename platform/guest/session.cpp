// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/session.h"

#include <fmt/format.h>
#include <utility>

#include "platform/config/config.h"
#include "platform/guest/bus.h"
#include "platform/guest/guest_error.h"

namespace ssdvp::platform {

namespace {

constexpr auto keep_interval = std::chrono::seconds(1);
constexpr auto look_interval = std::chrono::milliseconds(1);

} // namespace

guest_session::guest_session(qemu_options machine, std::string image,
                             std::function<bool()> interrupted, logger log)
    : m_options(std::move(machine)), m_image_path(std::move(image)),
      m_interrupted(std::move(interrupted)), m_log(std::move(log))
{}

guest_session::~guest_session() = default;

void guest_session::adapt(ssd_config& config)
{
    config.driver.guest = true;
    if (config.power.cut_at.size() == 1) {
        m_cut_at = config.power.cut_at.front();
        config.power.cut_at.clear();
    }
    std::swap(m_cut_after, config.power.cut_every);
}

void guest_session::check(const ssd_config& config)
{
    if (config.power.any() || !config.reset_at.empty()) {
        throw guest_error("guest: of power.* and reset_at only one power.cut.at or power.cut.every "
                          "has a meaning here; remove the others, or use --power-cut at=T or "
                          "every=N");
    }
    check_machine(m_options);
    if (!m_image_path.empty()) {
        m_image = std::make_unique<drive_image>(m_image_path, config, m_log);
    }
}

bool guest_session::fill(ssd& drive)
{
    if (m_image == nullptr) {
        return false;
    }
    const bool filled = m_image->fill(drive);
    if (!m_image->remark().empty()) {
        m_log(fmt::format("warning: image {}: {}", m_image_path, m_image->remark()));
    }
    m_log(fmt::format("image {}: {}", m_image_path,
                      filled ? fmt::format("{} bytes", m_image->bytes()) : "new"));
    return filled;
}

void guest_session::keep(ssd& drive)
{
    const auto wall = std::chrono::steady_clock::now();
    if (m_image != nullptr && wall - m_kept >= keep_interval) {
        m_kept = wall;
        m_image->commit(drive, [](bool) {});
    }
}

void guest_session::serve(ssd& drive, const advance_function& advance)
{
    qemu machine(m_options);
    guest_bus bus(drive, machine, advance);
    guest_bus::state state = guest_bus::state::serves;
    const sim_time begin = now();
    while (state == guest_bus::state::serves && !m_interrupted()) {
        if (cut_due(drive, begin)) {
            cut(drive, machine);
            return;
        }
        state = bus.turn();
        keep(drive);
    }
    if (state != guest_bus::state::left) {
        return;
    }
    const int code = machine.wait();
    if (code != 0) {
        drive.faults().record("guest", fmt::format("QEMU ended with code {}", code));
    }
}

/// Operations are counted every now and then: a cut by count is late by a millisecond at most.
bool guest_session::cut_due(const ssd& drive, sim_time begin)
{
    if (m_cut_at && now() - begin >= *m_cut_at) {
        return true;
    }
    const auto wall = std::chrono::steady_clock::now();
    if (m_cut_after == 0 || wall - m_looked < look_interval) {
        return false;
    }
    m_looked = wall;
    const flash_statistics flash = drive.read().flash;
    return flash.programs + flash.erases >= m_cut_after;
}

/// Machine and drive lose power, at once: nothing of either ends in order.
void guest_session::cut(ssd& drive, qemu& machine)
{
    machine.kill();
    drive.power_off();
    m_log(fmt::format("power was cut at {} ms of simulated time", now().ns() / 1000000));
}

void guest_session::ended(ssd& drive)
{
    if (m_image == nullptr) {
        return;
    }
    m_image->commit(drive, [](bool) {});
    if (!m_image->finish()) {
        drive.faults().record("image", m_image_path + " is not up to date");
    }
    m_log(fmt::format("image {}: {} bytes", m_image_path, m_image->bytes()));
}

} // namespace ssdvp::platform
