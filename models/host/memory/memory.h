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
    static constexpr std::uint64_t base = 1ull << 32; // address of the first byte of RAM
    static constexpr std::uint64_t reserved = 1ull
                                              << 35; // bytes that a driver may ask for, at most
    static constexpr std::uint64_t msi_base = 0xFEE00000;
    static constexpr std::uint64_t msi_size = 0x100000;

    tlm::tlm_target_socket<> from_link;

    /// Address space for allocations of `size` bytes, until reserve() makes more.
    explicit memory(const sc_core::sc_module_name& name, std::uint64_t size = 1u << 30);
    ~memory() override;
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    /// Once: what is allocated from here on has `size` bytes of address space of its own; what goes
    /// beyond takes what is left of the first.
    void reserve(std::uint64_t size);
    /// Page-aligned, zeroed, `bytes` rounded up to pages. Pages cost memory when first touched.
    /// Throws std::length_error where no room was reserved for them.
    std::uint64_t allocate(std::uint64_t bytes);
    /// Where the host itself reaches `address`, which must be allocated.
    [[nodiscard]] unsigned char* at(std::uint64_t address)
    {
        const area& a = address >= m_second.begin ? m_second : m_first;
        return a.bytes + (address - a.begin);
    }

    void listen(memory_listener* listener) { m_listener = listener; }
    void watch(std::uint64_t first, std::uint64_t length);

    [[nodiscard]] std::uint64_t allocated() const { return m_first.used + m_second.used; }
    [[nodiscard]] static std::uint64_t page_up(std::uint64_t bytes)
    {
        return (bytes + page_size - 1) / page_size * page_size;
    }

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& gp) override;

    void access(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay);
    void interrupt(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay);
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t length) const;

    struct area {
        std::uint64_t begin = ~std::uint64_t{0}; // address
        std::uint64_t size = 0;
        std::uint64_t used = 0; // bytes allocated so far
        unsigned char* bytes = nullptr;
    };
    static area map(std::uint64_t begin, std::uint64_t size);

    area m_first;
    area m_second; // of reserve()
    memory_listener* m_listener = nullptr;
    std::uint64_t m_watch_first = 0;
    std::uint64_t m_watch_length = 0;
};

} // namespace ssdvp::host
