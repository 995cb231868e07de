// SPDX-License-Identifier: Apache-2.0
//
// Host memory as the drive sees it through the link: RAM above 4 GiB, and the window where a
// 4-byte write is a message-signalled interrupt.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/block.h"
#include "models/common/time.h"

namespace ssdvp::host {

/// Told of what the drive writes where a driver looks.
class memory_listener {
public:
    virtual ~memory_listener() = default;
    /// A write into the watched range; its bytes count from `when` on.
    virtual void on_watched_write(std::uint64_t address, std::uint64_t length, sim_time when) = 0;
    /// An interrupt message that arrives at `when`.
    virtual void on_msi(std::uint32_t data, sim_time when) = 0;
};

class memory : public block, private tlm::tlm_fw_transport_if<> {
public:
    static constexpr std::uint64_t page_size = 4096;
    static constexpr std::uint64_t base = 1ull << 32;     // address of the first byte of RAM
    static constexpr std::uint64_t reserved = 1ull << 35; // bytes of address space for allocations
    static constexpr std::uint64_t msi_base = 0xFEE00000;
    static constexpr std::uint64_t msi_size = 0x100000;

    tlm::tlm_target_socket<> from_link;

    explicit memory(const sc_core::sc_module_name& name);
    ~memory() override;
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    /// Page-aligned, zeroed, `bytes` rounded up to pages. Pages cost memory when first touched.
    std::uint64_t allocate(std::uint64_t bytes);
    /// Where the host itself reaches `address`, which must be allocated.
    [[nodiscard]] unsigned char* at(std::uint64_t address) { return m_bytes + (address - base); }

    void listen(memory_listener* listener) { m_listener = listener; }
    void watch(std::uint64_t first, std::uint64_t length);

    [[nodiscard]] std::uint64_t allocated() const { return m_used; }

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& gp) override;

    void access(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay);
    void interrupt(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay);
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t length) const;

    unsigned char* m_bytes = nullptr;
    std::uint64_t m_used = 0; // bytes allocated so far
    memory_listener* m_listener = nullptr;
    std::uint64_t m_watch_first = 0;
    std::uint64_t m_watch_length = 0;
};

} // namespace ssdvp::host
