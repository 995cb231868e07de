// SPDX-License-Identifier: Apache-2.0
//
// Boot flash and boot loader: registers in models/regs/nor_regs.h, page in docs/models/nor.md.
#pragma once

#include <array>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/common/reservation.h"
#include "models/common/timed_queue.h"
#include "models/regs/nor_regs.h"

namespace ssdvp::nor {

/// What the loader does to the drive around it.
class image_loader {
public:
    virtual ~image_loader() = default;
    /// Makes the image in these bytes ready to start; false: it is none that can run here.
    virtual bool load(std::uint32_t area, const std::vector<unsigned char>& bytes) = 0;
    /// Cores leave what they do, and lose their memories.
    virtual void stop() = 0;
    /// All cores are at rest, and the flash.
    [[nodiscard]] virtual bool stopped() const = 0;
    /// They start with the image of the area, from reset or, warm, with memory as it is.
    virtual void start(std::uint32_t area, bool warm) = 0;
};

class nor_flash final : public block {
public:
    tlm_utils::simple_target_socket<nor_flash> regs; // offsets of nor_regs.h
    /// The areas as memory, one behind the other, to be read.
    tlm_utils::simple_target_socket_optional<nor_flash> code;
    sc_core::sc_port<irq_line_if> irq;

    nor_flash(const sc_core::sc_module_name& name, image_loader& loader, unsigned irq_line,
              fault_log* faults = nullptr);
    ~nor_flash() override;

    /// Power goes: what is under way is not done. The contents stay, and what runs at power-up.
    void power_off();
    /// Whose image runs, and at power-up will.
    [[nodiscard]] std::uint32_t active() const { return m_active; }
    [[nodiscard]] const std::vector<unsigned char>& area(std::uint32_t i) const
    {
        return m_areas.at(i);
    }
    /// Grows when an area changes, or which is active.
    [[nodiscard]] std::uint64_t changes() const { return m_changes; }
    /// What an area holds, of a drive without power.
    void restore(std::uint32_t area, std::vector<unsigned char> bytes);
    /// Whose image runs from power-up. False: that area holds none that can run here.
    bool restore_active(std::uint32_t area);

private:
    struct job {
        std::uint32_t generation;
    };

    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void read(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    bool write(std::uint32_t offset, std::uint32_t value, sim_time when);
    void check_command();
    template <typename Text>
    void misuse(std::uint32_t offset, const Text& text);
    [[nodiscard]] sim_time duration() const;
    void act();
    void perform();
    bool program();
    bool load();
    bool start();

    image_loader& m_loader;
    unsigned m_irq_line;
    fault_log* m_faults;
    timed_queue<job> m_agenda;
    std::array<std::vector<unsigned char>, NOR_AREAS> m_areas; // up to the last byte programmed
    std::vector<unsigned char> m_page;
    std::vector<unsigned char> m_read; // what was read last
    reservation m_reads;               // one at a time
    std::uint32_t m_status = 0, m_area = 0, m_offset = 0, m_length = 0;
    std::uint32_t m_command = 0;
    std::uint32_t m_active = NOR_AREA_BUILT_IN;
    std::uint32_t m_loaded = 0; // areas, bit n = area n
    std::uint32_t m_generation = 0;
    std::uint64_t m_changes = 0;
    bool m_stopping = false; // of a start: it waits for the cores
};

} // namespace ssdvp::nor
