// SPDX-License-Identifier: Apache-2.0
//
// Modelled errors that make a run fail: firmware broke the flash's physics, firmware panicked,
// data came back wrong. Blocks record them here; the platform turns them into exit code 1.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

class fault_log {
public:
    struct fault {
        sim_time when;
        std::string who;                     // hierarchical block name
        std::string what;                    // one sentence
        std::vector<std::string> stack = {}; // where firmware ordered it, innermost first
    };
    static constexpr std::size_t kept = 32;

    /// Who knows of firmware, which the blocks do not.
    class witness {
    public:
        virtual ~witness() = default;
        /// Firmware has used the hardware wrongly. `order`: address of the register whose write
        /// told the block to, at this time; 0 = unknown. Fills in the stack.
        virtual void on_misuse(fault& f, std::uint64_t order) = 0;
        /// A fault is on record, of whatever kind: may leave by an exception.
        virtual void recorded(const fault& f) = 0;
    };
    /// Null: nobody.
    void call(witness* w) { m_witness = w; }

    void record(std::string who, std::string what)
    {
        record_at(now(), std::move(who), std::move(what));
    }
    /// For those whose time is ahead of the kernel's.
    void record_at(sim_time when, std::string who, std::string what)
    {
        keep({when, std::move(who), std::move(what), {}}, nullptr);
    }
    /// Firmware has used the block wrongly: `text()` says how, with the field's name and value. Not
    /// asked for when there are `kept` faults already.
    template <typename Text>
    void misuse(const char* who, std::uint64_t order, const Text& text)
    {
        if (m_faults.size() >= kept) {
            ++m_count;
            return;
        }
        keep({now(), who, text(), {}}, &order);
    }
    [[nodiscard]] std::uint64_t count() const { return m_count; }
    [[nodiscard]] const std::vector<fault>& faults() const { return m_faults; }

private:
    void keep(fault&& f, const std::uint64_t* order)
    {
        ++m_count;
        if (m_faults.size() >= kept) {
            return;
        }
        if (m_witness != nullptr && order != nullptr) {
            m_witness->on_misuse(f, *order);
        }
        m_faults.push_back(std::move(f));
        if (m_witness != nullptr) {
            m_witness->recorded(m_faults.back());
        }
    }

    std::uint64_t m_count = 0;
    std::vector<fault> m_faults; // the first `kept`
    witness* m_witness = nullptr;
};

} // namespace ssdvp
