// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/nbd_session.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <utility>

#include "platform/config/config.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

constexpr sim_time slice = 10_us; // between looks at the gate
constexpr auto idle_look = std::chrono::seconds(1);
constexpr auto keep_interval = std::chrono::seconds(5); // without a flush
constexpr auto paced_look = std::chrono::milliseconds(5);
constexpr auto longest_lag = std::chrono::milliseconds(50); // that is made up for when paced

} // namespace

nbd_session::nbd_session(serve_options options, std::function<void(const std::string&)> log)
    : m_options(std::move(options)), m_log(std::move(log))
{}

nbd_session::~nbd_session() = default;

void nbd_session::check(const ssd_config& config)
{
    m_pace = config.serve_pacing;
    if (config.power.any() || !config.reset_at.empty()) {
        throw serve_error("serve: power.* and reset_at are of a workload, and none is run; remove "
                          "them");
    }
    if (!m_options.image.empty()) {
        open_image(config);
    }
    nbd_server_options options;
    options.address = m_options.tcp.empty() ? unix_address(m_options.unix_path)
                                            : tcp_address(m_options.tcp, m_options.allow_remote);
    options.log = m_log;
    options.second_signal = m_options.second_signal;
    if (options.address.remote) {
        m_log(fmt::format("warning: {} can be reached from other machines: anyone there reads and "
                          "writes the drive",
                          m_options.tcp));
    }
    m_server = std::make_unique<nbd_server>(options, m_gate);
}

void nbd_session::open_image(const ssd_config& config)
{
    if (config.channel.die.one_pass) {
        throw serve_error("--image: the pages of a word line are kept only with its last one "
                          "(nand.one_pass), and a flush does not fill word lines up; use "
                          "nand.one_pass: false");
    }
    m_image = std::make_unique<drive_image>(m_options.image, config, [this](const auto& why) {
        m_log(why + "; the drive is read-only from now on");
        m_server->make_read_only();
    });
}

bool nbd_session::fill(ssd& drive)
{
    if (m_image == nullptr) {
        return false;
    }
    m_server->door().hold_durable(true);
    const bool filled = m_image->fill(drive);
    if (!m_image->remark().empty()) {
        m_log(fmt::format("warning: image {}: {}", m_options.image, m_image->remark()));
    }
    m_log(fmt::format("image {}: {}", m_options.image,
                      filled ? fmt::format("{} bytes", m_image->bytes()) : "new"));
    return filled;
}

/// What waits to be durable is written with all that the cells hold at this moment.
void nbd_session::keep(ssd& drive)
{
    block_door& door = m_server->door();
    const auto wall = wall_clock::now();
    if (!door.has_durable() && wall - m_kept < keep_interval) {
        return;
    }
    m_kept = wall;
    m_image->commit(drive, [&door, held = door.take_durable()](bool ok) {
        for (block_request* r : held) {
            r->image_failed = !ok;
        }
        door.answer(held);
    });
}

void nbd_session::announce(const ssd& drive, std::uint64_t bytes)
{
    nbd_export what;
    what.name = drive.config().name;
    what.description = "a drive simulated by ssdvp";
    what.bytes = bytes;
    m_server->open(what);
    m_log(fmt::format("serving {} bytes at {}", bytes, m_server->uri()));
}

/// One look at the gate and what follows from it. False: the drive is dead.
bool nbd_session::turn(ssd& drive, const advance_function& advance, pacer& pace)
{
    m_gate.let_in();
    m_server->door().ring();
    if (m_image != nullptr) {
        keep(drive);
    }
    const bool work = m_server->door().under_way() != 0 || !drive.idle();
    const auto wall = wall_clock::now();
    if (!pace.paced()) {
        if (!work) {
            m_gate.wait(wall + idle_look);
            return true;
        }
        return advance(slice);
    }
    pace.forgive(now(), wall, longest_lag);
    const auto due = pace.due(now() + slice);
    if (wall < due) {
        m_gate.wait(work ? due : std::max(due, wall + paced_look));
        return true;
    }
    const sim_time goal = pace.target(now(), wall);
    return advance(work ? slice : later(slice, goal - now()));
}

void nbd_session::serve(ssd& drive, const advance_function& advance)
{
    block_door& door = m_server->door();
    const std::uint64_t capacity = drive.host().capacity();
    door.open(drive.host().drive(), capacity, drive.faults(),
              std::string(drive.host().name()) + ".clients");
    announce(drive, capacity * sector_size);
    pacer pace(m_pace, now(), wall_clock::now());
    bool alive = true;
    while (alive && !(m_gate.ended() && door.under_way() == 0)) {
        alive = turn(drive, advance, pace);
    }
    if (!alive) {
        m_log("the drive has failed: every request from now on gets an error");
        door.close();
        m_server->drain();
        while (!m_gate.ended()) {
            m_gate.let_in();
            m_gate.wait(wall_clock::now() + idle_look);
        }
    }
}

void nbd_session::ended(ssd& drive)
{
    if (m_image != nullptr) {
        m_image->commit(drive, [](bool) {});
        if (!m_image->finish()) {
            drive.faults().record("image", m_options.image + " is not up to date: it holds what "
                                                             "was flushed before it failed");
        }
        m_log(fmt::format("image {}: {} bytes", m_options.image, m_image->bytes()));
    }
    const nbd_server_counts n = m_server->counts();
    m_log(fmt::format("{} connections, {} requests; {} connections refused, {} broken off",
                      n.connections, n.requests, n.refused, n.broken));
}

session_counts nbd_session::requests() const
{
    return m_server->door().counts();
}

bool nbd_session::asked_to_end() const
{
    return m_server->signal() != 0;
}

bool nbd_session::interrupted() const
{
    return m_server->signal() == SIGINT;
}

} // namespace ssdvp::platform
