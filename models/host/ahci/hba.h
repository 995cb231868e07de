// SPDX-License-Identifier: Apache-2.0
//
// AHCI host bus adapter with one port: registers, command list, DMA by PRDT, received FIS,
// interrupt message. Serial ATA AHCI 1.3.1. Page in docs/models/ahci.md.
#pragma once

#include <array>
#include <cstdint>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/timed_queue.h"
#include "models/common/timeline.h"
#include "models/host/ahci/config.h"
#include "models/protocols/sata.h"
#include "models/regs/ahci_regs.h"

namespace ssdvp::ahci {

/// Counters since construction.
struct hba_stats {
    std::uint64_t commands = 0; // Register FIS sent
    std::uint64_t interrupts = 0;
    std::uint64_t bytes_to_memory = 0;
    std::uint64_t bytes_from_memory = 0;
    std::uint64_t ignored_writes = 0; // to PxCI, PxSACT, PxCMD.ST where they have no effect
    std::uint64_t errors = 0;         // PxIS: IFS, HBDS, HBFS, TFES
};

class hba final : public block, public sata::transport_if {
public:
    static constexpr std::uint32_t window = 0x180; // bytes of registers

    tlm_utils::simple_target_socket<hba> regs;      // LT: the driver's register accesses
    tlm_utils::simple_initiator_socket<hba> memory; // LT: host memory, and its message window
    sc_core::sc_port<sata::link_if> link;

    /// `message`: where an interrupt message goes, four bytes of 0.
    hba(const sc_core::sc_module_name& name, const hba_config& config, std::uint64_t message);
    ~hba() override;

    /// Its interrupts are told to `to`.
    void follow(timeline& to)
    {
        m_interrupts = timeline_level(to, "host", "interrupts", level_form::number);
        m_interrupts.set(sim_time(), 0);
    }
    [[nodiscard]] const hba_stats& stats() const { return m_stats; }

private:
    friend struct hba_peek; // of the tests
    static constexpr std::uint32_t no_slot = AHCI_SLOTS;

    enum class job_kind : std::uint8_t {
        register_write,
        task_file,
        bits,
        pio,
        pio_end,
        dma_setup,
        data_done,
        send_data,
        command_sent,
        proceed,
        link_error
    };
    struct job {
        job_kind kind;
        std::uint32_t value = 0;   // of a register; status; bytes; bits of PxSERR
        std::uint32_t session = 0; // of the link; register writes have none
        std::uint32_t offset = 0;  // of a register; pio_end: it interrupts; bits of PxIS
        std::array<unsigned char, 20> fis{};
    };
    /// Where the next data of a direction belong.
    struct transfer {
        std::uint32_t slot = no_slot;
        std::uint32_t offset = 0; // bytes from the start of the command's data
        std::uint32_t left = 0;   // bytes still to come, at most
        bool metadata = false;
        bool due = false; // to the device: activated
    };
    struct run {
        std::uint64_t address;
        std::uint32_t length;
        bool interrupt; // it ends a descriptor with I
    };

    // sata::transport_if (receive.cpp)
    bool on_frame(const sata::frame& f, sim_time arrival) override;
    void on_sent(const sata::frame& f, const sata::sent& s) override;
    void on_phy(bool up) override;

    // Agenda and registers (hba.cpp, registers.cpp)
    void act();
    void perform(const job& j);
    void access(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    [[nodiscard]] std::uint32_t read(std::uint32_t offset) const;
    void write(std::uint32_t offset, std::uint32_t value);
    void write_port(std::uint32_t offset, std::uint32_t value);
    void note_issued(std::uint32_t slots);
    void write_ghc(std::uint32_t value);
    void write_command(std::uint32_t value);
    void write_control(std::uint32_t value);
    [[nodiscard]] std::uint32_t port_status() const;
    void stop();
    void reset();
    void update_irq();
    void raise(std::uint32_t bits) { m_port.is |= bits; }
    void fail(std::uint32_t bits);

    // Frames from the device (receive.cpp)
    void push_fis(job_kind kind, const sata::frame& f, sim_time arrival);
    bool take_transfer(const sata::frame& f, sim_time arrival);
    bool take_setup(const sata::frame& f, sim_time arrival);
    bool take_pio(const sata::frame& f, sim_time arrival);
    bool take_data(const sata::frame& f, sim_time arrival);
    bool refuse(std::uint32_t error_bits, sim_time arrival);
    void task_file(const job& j);
    void device_bits(const job& j);
    void store(std::uint32_t place, const void* fis, std::uint32_t length);
    void set_status(std::uint8_t status, std::uint8_t error);
    void end_command();

    // Frames to the device (send.cpp)
    void kick();
    void issue(std::uint32_t slot);
    void send_command(std::uint32_t slot, const ahci_command_header& h);
    void activate(std::uint32_t length);
    void send_data(sim_time earliest);
    /// The next run of memory of a command's data from `offset` on. False: the PRDT ends there.
    bool next_run(std::uint32_t slot, std::uint32_t offset, run& r);
    [[nodiscard]] std::uint32_t prdt_bytes(std::uint32_t slot);
    /// Moves data between `bytes` and the memory of a command; false: no descriptor or no memory.
    bool move(tlm::tlm_command direction, const transfer& t, unsigned char* bytes,
              std::uint32_t length, bool& interrupt);
    bool bus(tlm::tlm_command direction, std::uint64_t address, void* bytes, std::uint32_t length);
    void set_enables(const transfer& t, std::uint32_t at, std::uint32_t length);

    [[nodiscard]] std::uint64_t command_list() const
    {
        return std::uint64_t{m_port.clbu} << 32 | m_port.clb;
    }
    [[nodiscard]] bool busy() const { return (m_port.tfd & 0x88u) != 0; } // BSY or DRQ
    [[nodiscard]] bool running() const { return (m_port.cmd & AHCI_PXCMD_CR) != 0; }

    struct port {
        std::uint32_t clb = 0, clbu = 0, fb = 0, fbu = 0;
        std::uint32_t is = 0, ie = 0;
        std::uint32_t cmd = AHCI_PXCMD_RESET;
        std::uint32_t tfd = AHCI_PXTFD_RESET;
        std::uint32_t sig = AHCI_PXSIG_RESET;
        std::uint32_t ssts = 0, sctl = 0, serr = 0, sact = 0, ci = 0;
    };
    struct slot_state { // of commands sent
        std::uint64_t table = 0;
        std::uint32_t prdtl = 0;
        std::uint32_t prd = 0;   // cursor into the PRDT: a descriptor ...
        std::uint32_t start = 0; // ... and the data before it
        std::uint32_t moved = 0; // PRDBC
    };

    hba_config m_config;
    std::uint64_t m_message;
    timed_queue<job> m_agenda;
    hba_stats m_stats;
    std::uint32_t m_ghc = AHCI_GHC_RESET;
    std::uint32_t m_is = 0;
    bool m_asserted = false;
    port m_port;
    std::array<slot_state, AHCI_SLOTS> m_slots{};
    std::array<sim_time, AHCI_SLOTS> m_issued{}; // when PxCI was written
    std::uint32_t m_current = no_slot;           // its FIS is sent, BSY not yet cleared
    std::uint32_t m_last = AHCI_SLOTS - 1;
    bool m_fatal = false;    // nothing more until PxCMD.ST is cleared
    bool m_signature = true; // the next D2H Register FIS tells it
    bool m_sending = false;  // the link has a frame of ours
    bool m_clears = false;   // the command sent is done by its R_OK
    std::uint32_t m_session = 0;
    transfer m_in, m_out;
    std::uint8_t m_pio_end = 0;
    std::uint32_t m_pio_left = 0;
    bool m_pio_interrupts = false;
    timeline_level m_interrupts;
    std::array<unsigned char, fis::DATA_MAX> m_staging{};
    fis::data_header m_data_header;
    std::uint32_t m_sent_length = 0;
    tlm::tlm_generic_payload m_gp;
};

} // namespace ssdvp::ahci
