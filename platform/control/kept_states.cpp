// SPDX-License-Identifier: Apache-2.0
#include "platform/control/kept_states.h"

#include <chrono>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <utility>

#include "platform/state/state_error.h"
#include "platform/state/state_writer.h"

namespace ssdvp::platform {

namespace {

// To fill and overwrite fewer units takes less time than to look for their state.
constexpr std::uint64_t fewest_units = 1u << 18;

constexpr const char* of_file = "make it again with --save-state";
constexpr const char* of_cache = "remove it with `ssdvp states --clear`, and run again";

void keep_result(state_archive& a, precondition_result& r)
{
    a.value(r.units_written);
    a.value(r.units_filled);
    a.value(r.pages);
    a.value(r.by_counts);
    a.value(r.units_settled);
    a.value(r.settled);
    a.value(r.never_steady);
    a.list(r.levels);
    a.value(r.level_units);
}

} // namespace

kept_states::kept_states(state_options options, const ssd_config& config,
                         const std::string& addresses)
    : m_options(std::move(options)), m_config(config), m_addresses(addresses)
{
    if (!m_options.load.empty()) {
        m_from = std::make_unique<state_reader>(m_options.load, of_file);
        const std::string difference = identity().difference(m_from->identity());
        if (!difference.empty()) {
            throw state_error(fmt::format("{}: is the state of another drive: {}; use the same, or "
                                          "{} (`ssdvp states --keys` lists what may differ)",
                                          m_options.load, difference, of_file));
        }
    } else if (m_options.cache && worth_keeping()) {
        m_cache = state_cache::of_user();
    }
}

kept_states::~kept_states() = default;

bool kept_states::worth_keeping() const
{
    return units_to_fill(m_config) + units_to_overwrite(m_config) >= fewest_units;
}

const state_identity& kept_states::identity()
{
    if (!m_identity) {
        m_identity.emplace(m_config, m_options.firmware, m_addresses);
    }
    return *m_identity;
}

/// Nothing of a state is trusted before all of it has been held against its checksums. Throws
/// state_error when they do not hold.
bool kept_states::look_through(state_reader& from, const steps& s)
{
    constexpr std::chrono::milliseconds between_looks{20};
    s.phase("reading the state");
    while (!from.looked_through(between_looks)) {
        if (s.interrupted()) {
            return false;
        }
    }
    from.need_whole();
    return true;
}

bool kept_states::begin_loading(state_reader& from, const steps& s)
{
    if (!look_through(from, s)) {
        return false;
    }
    from.value(m_kept_when);
    return true;
}

precondition_result kept_states::load(state_reader& from, ssd& drive, const steps& s)
{
    sim_time saved;
    precondition_result result;
    from.value(saved);
    keep_result(from, result);
    if (m_kept_when == save_when::at_end) { // its times count from the start of that run
        s.wait_until(saved);
    }
    drive.keep(from);
    return result;
}

bool kept_states::before_host(ssd& drive, const steps& s)
{
    if (m_from == nullptr) {
        return true;
    }
    if (!begin_loading(*m_from, s)) {
        return false;
    }
    if (m_kept_when == save_when::at_end) {
        if (!m_options.save.empty() && !saves_at_end()) {
            throw state_error(fmt::format("--save-state {}: {} was kept at the end of a run, so "
                                          "nothing is preconditioned; add --save-at end",
                                          m_options.save, m_options.load));
        }
        m_result = load(*m_from, drive, s);
    }
    return true;
}

void kept_states::save(const std::string& file, const std::string& remedy, save_when when,
                       ssd& drive)
{
    state_writer to(file, identity().text(), remedy);
    sim_time time = now();
    to.value(when);
    to.value(time);
    keep_result(to, m_result);
    drive.keep(to);
    if (when == save_when::at_end) {
        drive.host().check().keep(to);
    }
    to.finish();
}

/// Opens the cached state. What is wrong with it is a warning, and it is made again.
void kept_states::find_cached(const steps& s)
{
    const std::string key = identity().key();
    if (!std::filesystem::exists(m_cache->file(key))) {
        return;
    }
    try {
        m_from = std::make_unique<state_reader>(m_cache->file(key), of_cache);
        if (!identity().difference(m_from->identity()).empty()) {
            throw state_error(m_cache->file(key).string() + ": is the state of another drive");
        }
        (void)look_through(*m_from, s);
        m_cached = key;
        m_cache->used(key);
    } catch (const state_error& e) {
        spdlog::warn("{}; it is made again", e.what());
        m_from = nullptr;
        m_cache->remove(key);
    }
}

precondition_result kept_states::make(ssd& drive, const steps& s)
{
    state_lock lock;
    try {
        if (m_cache) {
            m_cache->open();
            lock = m_cache->lock(identity().key(), [&] {
                s.phase("waiting for another run that makes the same state");
                return !s.interrupted();
            });
            find_cached(s);
        }
    } catch (const state_error& e) {
        spdlog::warn("{}; this run goes on without kept states", e.what());
        m_cache.reset();
    }
    if (m_from != nullptr) { // what fails from here on leaves half a drive: it ends the run
        precondition_result interrupted;
        interrupted.interrupted = true;
        return begin_loading(*m_from, s) ? load(*m_from, drive, s) : interrupted;
    }
    m_result = s.precondition();
    if (m_cache && !m_result.interrupted) {
        try {
            s.phase("keeping the state");
            const std::string key = identity().key();
            save(m_cache->file(key).string(), "this run goes on without", save_when::preconditioned,
                 drive);
            m_cache->shrink();
        } catch (const state_error& e) {
            spdlog::warn("{}", e.what());
        }
    }
    return m_result;
}

precondition_result kept_states::prepare(ssd& drive, const steps& s)
{
    const bool keeps = m_from != nullptr || m_cache || !m_options.save.empty();
    const bool given = m_from != nullptr;
    if (!given) {
        m_result = make(drive, s);
    } else if (m_kept_when == save_when::preconditioned) {
        m_result = load(*m_from, drive, s);
    } else { // its size is known once the host has asked for the drive's
        drive.host().check().keep(*m_from);
        m_knows_sectors = true;
    }
    if (m_from != nullptr && !m_result.interrupted) {
        m_from->finish();
    }
    if (m_result.units_written != 0 || given) {
        const char* from = given ? "file" : m_cached.empty() ? "preconditioned" : "cache";
        const bool used = given && m_kept_when != save_when::preconditioned;
        m_origin = {from, keeps ? identity().key() : std::string(), used};
    }
    if (!m_options.save.empty() && m_options.when == save_when::preconditioned &&
        !m_result.interrupted) {
        save(m_options.save, "name another file with --save-state", m_options.when, drive);
    }
    return m_result;
}

std::string kept_states::save_at_end(ssd& drive, bool in_order, const steps& s)
{
    s.phase("keeping the state");
    if (in_order) {
        drive.power_off();
        drive.power_on();
        s.wait_until(now()); // idle
    }
    if (!in_order || !drive.idle() || drive.panicked()) {
        return "the drive's state was not kept: the run did not end in order; see what it reports, "
               "and run it again";
    }
    try {
        save(m_options.save, "name another file with --save-state", save_when::at_end, drive);
    } catch (const state_error& e) {
        return e.what();
    }
    return {};
}

} // namespace ssdvp::platform
