// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/cut_drive.h"

namespace ssdvp::test {

bool cut_points::operator()(const flash_point& p)
{
    const bool read = p.op == FLASH_OP_READ;
    if (!read && p.op != FLASH_OP_PROGRAM && p.op != FLASH_OP_COPYBACK && p.op != FLASH_OP_ERASE) {
        return false;
    }
    ++all;
    if (!read) {
        ++passed;
        if (watch) {
            watch(p);
        }
    }
    if (left == never || (read && !count_reads) || --left != 0) {
        return false;
    }
    left = never;
    last = p;
    return true;
}

cut_drive::cut_drive(const cut_setup& s)
    : setup(s), shadow(s.sectors()), nand(with_faults()), host(nand, shadow)
{
    m_faults = true;
}

ram_config cut_drive::with_faults()
{
    ram_config c = setup.config;
    c.on_program = [this](const nand_place& p, const flash_desc& d) { return program_fails(p, d); };
    c.on_erase = [this](const nand_place& p, const flash_desc&) { return erase_fails(p); };
    c.on_read = [this](const nand_place& p, const flash_desc& d) { return read_result(p, d); };
    c.on_point = [this](const flash_point& p) { return points(p); };
    return c;
}

void cut_drive::become(const ram_image& cells, const durable_shadow& of)
{
    nand.power_cut();
    nand.insert(cells);
    shadow = of;
    host.power_lost();
}

std::uint64_t cut_drive::dice(const nand_place& p, std::uint32_t page, int what) const
{
    const boot_params& g = setup.config.params;
    std::uint64_t x =
        (std::uint64_t{p.channel} * g.geometry.luns_per_channel + p.lun) * g.geometry.planes +
        p.plane;
    x = x * g.geometry.blocks_per_plane + p.block;
    x = x * g.geometry.pages_per_block + page;
    x = x * 100003 + nand.erases(p);
    return scramble(x * 4 + static_cast<std::uint64_t>(what) + (setup.config.seed << 40));
}

bool cut_drive::program_fails(const nand_place& p, const flash_desc& d) const
{
    const nand_place to{p.channel, p.lun, p.plane,
                        d.op == FLASH_OP_COPYBACK ? d.to_block : d.block};
    const std::uint32_t page = d.op == FLASH_OP_COPYBACK ? d.to_page : d.page;
    const fault_rates& f = setup.faults;
    return m_faults && f.program != 0 && nand.failed_blocks() < f.failed_max &&
           dice(to, page, 1) % f.program == 0;
}

bool cut_drive::erase_fails(const nand_place& p) const
{
    const fault_rates& f = setup.faults;
    return m_faults && f.erase != 0 && nand.failed_blocks() < f.failed_max &&
           dice(p, 0, 2) % f.erase == 0;
}

ram_config::read_result cut_drive::read_result(const nand_place& p, const flash_desc& d) const
{
    const std::uint64_t x = dice(p, d.page, 3);
    const bool weak = setup.faults.retry != 0 && x % setup.faults.retry == 0;
    const std::uint32_t level = 1 + static_cast<std::uint32_t>(x >> 40) % 3;
    return {m_faults && weak && d.retry < level, 0, (x >> 50) % 2 != 0};
}

} // namespace ssdvp::test
