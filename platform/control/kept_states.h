// SPDX-License-Identifier: Apache-2.0
//
// Where a run's preconditioned drive comes from: a file that the user names, the cache, or
// preconditioning itself, whose result then goes to either.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "platform/config/config.h"
#include "platform/control/precondition.h"
#include "platform/report/measurement.h"
#include "platform/ssd/ssd.h"
#include "platform/state/state_cache.h"
#include "platform/state/state_identity.h"
#include "platform/state/state_reader.h"

namespace ssdvp::platform {

enum class save_when { preconditioned, at_end };

struct state_options {
    std::string load; // a file; empty: none
    std::string save; // likewise
    save_when when = save_when::preconditioned;
    bool cache = true;
    std::string firmware; // path of the image; empty: built in
};

class kept_states {
public:
    /// What a run does on the way. All in no simulated time, but for wait_until.
    struct steps {
        std::function<precondition_result()> precondition;
        std::function<bool()> interrupted;        // Ctrl-C?
        std::function<void(const char*)> phase;   // what takes a while
        std::function<void(sim_time)> wait_until; // until then, and it is idle
    };

    /// `addresses`: see state_identity. Opens the file that is to be loaded, and throws state_error
    /// when the run cannot go on from it.
    kept_states(state_options options, const ssd_config& config, const std::string& addresses);
    ~kept_states();

    /// Loads the drive of a file that another run kept at its end. Precondition: no host has spoken
    /// to this drive yet. False: interrupted.
    bool before_host(ssd& drive, const steps& s);
    /// Loads one that was preconditioned, or preconditions this one; of one kept at the end of a
    /// run, loads what its host knows. Precondition: the drive is
    /// idle, as it was brought up.
    precondition_result prepare(ssd& drive, const steps& s);
    [[nodiscard]] bool saves_at_end() const
    {
        return !m_options.save.empty() && m_options.when == save_when::at_end;
    }
    /// The drive is switched off and on again after its shutdown, if that was `in_order`: a run
    /// that loads the state finds it as any drive that has booted. What a host lends or sets is in
    /// no state, and a used drive's bring-up is another than a new one's: that run does it itself.
    /// Returns why it was not kept; empty: it was.
    std::string save_at_end(ssd& drive, bool in_order, const steps& s);
    /// The sectors that the run's own preconditioning fills are the shadow copy's to be told.
    [[nodiscard]] bool knows_sectors() const { return m_knows_sectors; }
    /// Of a drive that was preconditioned, by whomever.
    [[nodiscard]] const std::optional<state_origin>& origin() const { return m_origin; }

private:
    [[nodiscard]] bool worth_keeping() const;
    const state_identity& identity();
    /// Up to when it was kept. False: interrupted.
    bool begin_loading(state_reader& from, const steps& s);
    precondition_result load(state_reader& from, ssd& drive, const steps& s);
    void save(const std::string& file, const std::string& remedy, save_when when, ssd& drive);
    void find_cached(const steps& s);
    /// False: interrupted before it is known.
    [[nodiscard]] static bool look_through(state_reader& from, const steps& s);
    precondition_result make(ssd& drive, const steps& s);

    state_options m_options;
    ssd_config m_config;
    std::string m_addresses;
    std::optional<state_identity> m_identity; // once somebody asked
    std::unique_ptr<state_reader> m_from;     // whose pages the drive has
    std::optional<state_cache> m_cache;       // null: none, or no more
    std::string m_cached;                     // key of the state that came from it
    precondition_result m_result;
    std::optional<state_origin> m_origin;
    save_when m_kept_when = save_when::preconditioned; // what m_from holds
    bool m_knows_sectors = false;
};

} // namespace ssdvp::platform
