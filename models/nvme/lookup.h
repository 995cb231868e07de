// SPDX-License-Identifier: Apache-2.0
//
// Look-up engine: reads of one map unit are looked up in firmware's map, read from the flash and
// completed without firmware. What it cannot do goes to firmware as any other command.
// Registers FE_REG_LOOKUP_*; page in docs/models/lookup.md.
#pragma once

#include <optional>
#include <vector>

#include "models/nvme/fetch.h"
#include "models/nvme/lookup_registers.h"
#include "models/nvme/mover.h"
#include "models/protocols/page_reads.h"

namespace ssdvp::nvme {

class lookup_engine final : public read_taker, public page_read_client {
public:
    lookup_engine(front_end_shared& shared, command_fetch& fetch, data_mover& mover);

    /// The next channel, in order. Without any there is no engine.
    void attach(page_read_port& channel) { m_channels.push_back(&channel); }

    bool take(std::uint16_t slot, sim_time ready) override;
    /// The agenda: the look-up of the slot's command has ended.
    void start(std::uint16_t slot);
    void page_arrived(std::uint16_t tag, flash_status status) override;
    /// A submission queue is gone: its reads end without the host.
    void drop_queue(std::uint32_t sq);
    /// Power is gone.
    void reset();

    /// False: none of its registers.
    [[nodiscard]] bool read(std::uint32_t offset, std::uint32_t& value) const;
    bool write(std::uint32_t offset, std::uint32_t value);

private:
    struct flash_read {       // of the command in a slot
        bool flies = false;   // from the look-up on until its data are in the buffer
        bool before = false;  // ... since before the fence
        bool dropped = false; // its queue is gone
        std::uint32_t generation = 0;
        std::uint32_t channel = 0;
        flash_desc desc{};
    };
    struct word {
        std::uint64_t value;
        sim_time end;
    };
    [[nodiscard]] bool is_candidate(const command_slot& c) const;
    [[nodiscard]] std::uint64_t unit_of(const command_slot& c) const;
    word fetch_word(std::uint64_t address, sim_time from);
    std::optional<std::uint64_t> look_up(std::uint64_t unit, sim_time from, sim_time& end);
    void describe(std::uint16_t slot, std::uint64_t address);
    void land(flash_read& r);
    void give_to_firmware(std::uint16_t slot, sim_time when);
    void to_host(std::uint16_t slot);

    front_end_shared& m_shared;
    command_fetch& m_fetch;
    data_mover& m_mover;
    lookup_registers m_regs;
    std::vector<page_read_port*> m_channels;
    std::vector<flash_read> m_reads; // by slot
    std::uint32_t m_before = 0;      // flash reads that the fence waits for
    sim_time m_free;                 // the engine has ended its last look-up
    tlm::tlm_generic_payload m_gp;
    std::uint64_t m_word = 0;
};

} // namespace ssdvp::nvme
