// SPDX-License-Identifier: Apache-2.0
//
// Level "full" of a program that was built to tell what it does: a profile hears of its functions,
// an instruction cache of its blocks.
#pragma once

#include "models/cpu/call_profile.h"
#include "models/cpu/table_cost.h"

namespace ssdvp::cpu {

class watched_cost final : public table_cost {
public:
    struct watch { // of the image: whoever runs it is told
        void (*enter)(void* ctx, const char* function);
        void (*leave)(void* ctx);
        void (*fetch)(void* ctx, std::uint64_t block);
        void* ctx;
    };
    /// `profile`: null for none.
    watched_cost(spent_accounts& accounts, std::shared_ptr<void> held, watch& from,
                 call_profile* profile);
    ~watched_cost() override;
    watched_cost(const watched_cost&) = delete;
    watched_cost& operator=(const watched_cost&) = delete;

    void functional(bool on) override;
    void restarted() override;
    void resumed() override;
    void also(port_call call, std::uint64_t cycles) override;
    void tell_fetches(fetch_listener& to) override;
    /// What the program calls for each block: `ctx` is the cost of its core.
    static void fetched(void* ctx, std::uint64_t block);

private:
    void collect() override;

    watch& m_watch;
    call_profile* m_profile;
    fetch_listener* m_fetches = nullptr;
    std::uint32_t m_at = 0; // of the profile: what runs
    bool m_functional = false;
};

} // namespace ssdvp::cpu
