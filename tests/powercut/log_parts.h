// SPDX-License-Identifier: Apache-2.0
//
// State and parts of the reference firmware: log_drive.cpp has the hardware and the host,
// log_store.cpp the log and its recovery.
#pragma once

#include "tests/powercut/log_drive.h"

namespace ssdvp::test::log_parts {

inline constexpr std::uint32_t units_most = 2048, blocks_most = 512, buffer_most = 8,
                               slots_most = 8;
inline constexpr std::uint32_t ring = 16, commands = 64;              // entries
inline constexpr std::uint64_t pages_at = MAP_DRAM_BASE + (1u << 20); // one page being read
inline constexpr std::uint64_t gathered_at =
    MAP_DRAM_BASE + (2u << 20); // units for the next program
inline constexpr std::uint64_t oob_at = MAP_DRAM_BASE + (3u << 20);
inline constexpr std::uint64_t host_at = MAP_DRAM_BASE + (4u << 20);
inline constexpr std::uint64_t buffer_at = MAP_DRAM_BASE + (5u << 20); // write buffer
inline constexpr std::uint64_t unit_at = MAP_DRAM_BASE + (6u << 20);
inline constexpr std::uint64_t kept_at = MAP_DRAM_BASE + (7u << 20); // a block, with a flaw

inline constexpr std::uint64_t submissions_at = MAP_SRAM_BASE + BOOT_FREE_OFFSET;
inline constexpr std::uint64_t completions_at = submissions_at + 32 * ring * sizeof(flash_desc);
inline constexpr std::uint64_t commands_at = completions_at + 32 * ring * sizeof(flash_completion);
inline constexpr std::uint64_t moves_at = commands_at + commands * sizeof(fe_command);
inline constexpr std::uint64_t dones_at = moves_at + ring * sizeof(fe_move);

struct stop {}; // the bench ends

struct block_info {
    std::uint32_t next, valid; // page; units
    bool bad, clean;
};

/// All state, at the start of DRAM: zeroes after power-up.
struct log_state {
    std::uint32_t map[units_most]; // address plus one
    std::uint64_t sequence_of[units_most];
    block_info blocks[blocks_most];
    std::uint64_t sequence;
    std::uint32_t open; // block plus one
    std::uint32_t buffered;
    std::uint32_t buffer[buffer_most]; // units
    std::uint32_t gathered;
    std::uint32_t gather[slots_most];
    std::uint32_t tail[32], head[32], phase[32]; // of the channels
    std::uint32_t command_head, command_phase, move_tail, done_head, done_phase, csts;
};

class log_drive {
public:
    explicit log_drive(hal* h)
        : m_hal(h), m_p(*at<boot_params>(MAP_SRAM_BASE + BOOT_PARAMS_OFFSET)),
          m_s(*at<log_state>(MAP_DRAM_BASE)), m_slots(m_p.geometry.page_size / m_p.ftl.map_unit),
          m_blocks(m_p.geometry.channels * m_p.geometry.luns_per_channel * m_p.geometry.planes *
                   m_p.geometry.blocks_per_plane),
          m_flaw(static_cast<log_flaw>(m_p.retention.reserved))
    {}
    void run();

private:
    template <typename T>
    T* at(std::uint64_t address)
    {
        return static_cast<T*>(hal_pointer(m_hal, address));
    }
    void wait();
    void channel_set(std::uint32_t channel, std::uint32_t reg, std::uint64_t value);
    void fe_set(std::uint32_t reg, std::uint64_t value);
    void start_hardware();
    std::uint8_t execute(flash_op op, std::uint32_t block, flash_desc d);
    bool read_page(std::uint32_t block, std::uint32_t page, flash_desc d);
    void scan_block(std::uint32_t block);
    void rewrite_some_block();
    void recover();
    bool program(std::uint32_t block);
    void open_block(bool collecting);
    void write_gathered();
    void gather(std::uint32_t unit, std::uint64_t from);
    std::uint32_t clean_blocks() const;
    bool collect();
    void drop(std::uint32_t unit);
    void drain();
    bool read_unit(std::uint32_t unit);
    void buffer_unit(std::uint32_t unit);
    fe_move move(const fe_command& c, fe_move_op op);
    void carry_out(fe_move m);
    void complete(const fe_command& c, bool good);
    bool write(const fe_command& c, std::uint64_t lba, std::uint32_t sectors, bool zeroes);
    bool read(const fe_command& c);
    bool trim(const fe_command& c);
    bool admin(const fe_command& c);
    void serve(const fe_command& c);
    void control();

    hal* m_hal;
    const boot_params& m_p;
    log_state& m_s;
    std::uint32_t m_slots, m_blocks;
    log_flaw m_flaw;
};

} // namespace ssdvp::test::log_parts
