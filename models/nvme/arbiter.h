// SPDX-License-Identifier: Apache-2.0
//
// Which submission queue is fetched from next. NVM Express base 1.4 section 4.13: round robin, or
// weighted round robin with urgent priority class. A choice costs the same for any number of
// queues.
#pragma once

#include <array>
#include <cstdint>

#include "models/regs/nvme_fe_regs.h"

namespace ssdvp::nvme {

class arbiter {
public:
    static constexpr std::uint32_t queues_max = 256; // admin included

    struct turn {
        std::uint32_t queue;
        std::uint32_t limit; // commands it may take before it is another's turn
    };

    /// No queue has entries. `weighted`: CC.AMS.
    void reset(bool weighted);
    /// FE_REG_ARBITRATION.
    void configure(std::uint32_t arbitration);
    /// Of a queue without entries: enum fe_queue_priority.
    void set_priority(std::uint32_t queue, std::uint32_t priority);

    void filled(std::uint32_t queue);
    void emptied(std::uint32_t queue);

    /// Who is next. Precondition: a queue has entries.
    [[nodiscard]] turn next();
    /// So many were taken of the queue that next() named.
    void took(std::uint32_t count);

private:
    /// Under round robin all queues are in the first class.
    enum class_index : std::uint32_t { first, urgent, high, medium, low };
    static constexpr std::uint32_t classes = 5;
    static constexpr std::uint32_t words = queues_max / 64;
    struct queue_class {
        std::array<std::uint64_t, words> has_entries{};
        std::uint32_t filled = 0;  // queues
        std::uint32_t current = 0; // queue that has the turn
        std::uint32_t left = 0;    // of its turn
        std::uint32_t credit = 0;  // commands left in this round
        std::uint32_t weight = 1;
    };
    [[nodiscard]] std::uint32_t choose_class();
    static void advance(queue_class& c);

    std::array<queue_class, classes> m_classes;
    std::array<std::uint8_t, queues_max> m_class_of{};
    std::uint32_t m_burst = 1;  // commands of a turn
    std::uint32_t m_chosen = 0; // class of the last next()
    bool m_weighted = false;
};

} // namespace ssdvp::nvme
