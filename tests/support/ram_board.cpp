// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ram_board.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

namespace ssdvp::test {

ram_board::ram_board(const ram_config& c) : config(c)
{
    void* dram =
        mmap(nullptr, config.params.dram_size + dram_spare, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); // only what is touched costs
    if (dram == MAP_FAILED) {
        throw std::runtime_error("no memory for the drive");
    }
    m_sram.resize(config.params.sram_size);
    m_hal.sram = m_sram.data();
    m_hal.dram = static_cast<std::uint8_t*>(dram);
    std::memcpy(m_sram.data() + BOOT_PARAMS_OFFSET, &config.params, sizeof config.params);
}

ram_board::~ram_board()
{
    munmap(m_hal.dram, config.params.dram_size + dram_spare);
}

void ram_board::wipe_memory()
{
    std::fill(m_sram.begin(), m_sram.end(), std::uint8_t{0});
    // Pages that nobody touched since need no zeroes.
    if (madvise(m_hal.dram, config.params.dram_size + dram_spare, MADV_DONTNEED) != 0) {
        throw std::runtime_error("the drive's memory cannot be wiped");
    }
    std::memcpy(m_sram.data() + BOOT_PARAMS_OFFSET, &config.params, sizeof config.params);
}

} // namespace ssdvp::test
