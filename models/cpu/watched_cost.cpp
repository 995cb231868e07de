// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/watched_cost.h"

namespace ssdvp::cpu {

watched_cost::watched_cost(spent_accounts& accounts, std::shared_ptr<void> held, watch& from,
                           call_profile* profile)
    : table_cost(accounts, "full", std::move(held)), m_watch(from), m_profile(profile)
{
    resumed();
}

watched_cost::~watched_cost()
{
    if (m_watch.ctx == this) {
        m_watch = {};
    }
}

/// The program runs on this core now: what it tells is told here.
void watched_cost::resumed()
{
    m_watch = {};
    m_watch.ctx = this;
    if (m_profile != nullptr) {
        m_watch.enter = [](void* ctx, const char* function) {
            auto& self = *static_cast<watched_cost*>(ctx);
            self.collect();
            self.m_at = self.m_profile->enter(self.m_at, function);
        };
        m_watch.leave = [](void* ctx) {
            auto& self = *static_cast<watched_cost*>(ctx);
            self.collect();
            self.m_at = self.m_profile->leave(self.m_at);
        };
    }
    if (m_fetches != nullptr && !m_functional) {
        m_watch.fetch = fetched;
    }
}

void watched_cost::fetched(void* ctx, std::uint64_t block)
{
    static_cast<watched_cost*>(ctx)->m_fetches->fetch(block);
}

void watched_cost::tell_fetches(fetch_listener& to)
{
    m_fetches = &to;
    resumed();
}

void watched_cost::collect()
{
    const spent_account spent = m_accounts.take();
    if (m_functional) {
        return;
    }
    if (m_profile != nullptr) {
        m_profile->add(m_at, spent);
    }
    keep(spent);
}

void watched_cost::functional(bool on)
{
    m_accounts.take();
    m_functional = on;
    resumed();
}

void watched_cost::restarted()
{
    table_cost::restarted();
    resumed();
    m_at = 0;
}

void watched_cost::also(port_call call, std::uint64_t cycles)
{
    const char* name = nullptr;
    switch (call) {
    case port_call::read32:
        name = "[register read]";
        break;
    case port_call::write32:
        name = "[register write]";
        break;
    case port_call::wait_irq:
        name = "[interrupt]";
        break;
    case port_call::touch:
        name = "[tables in DRAM]";
        break;
    case port_call::fetch:
        name = "[instruction fetch]";
        break;
    case port_call::time:
    case port_call::log:
    case port_call::stopping:
    case port_call::fence:
        break;
    }
    if (name != nullptr && m_profile != nullptr && !m_functional) {
        const std::uint32_t at = m_profile->enter(m_at, name);
        m_profile->add(at, {0, static_cast<std::int64_t>(cycles) * spent_account::one});
    }
}

} // namespace ssdvp::cpu
