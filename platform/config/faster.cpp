// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"

#include <cmath>

namespace ssdvp::platform {

namespace {

class speed_up {
public:
    explicit speed_up(double by) : m_by(by) {}

    void operator()(sim_time& t) const
    {
        t = sim_time(static_cast<std::uint64_t>(std::llround(static_cast<double>(t.ps()) / m_by)));
    }
    void operator()(std::vector<sim_time>& times) const
    {
        for (sim_time& t : times) {
            (*this)(t);
        }
    }
    void operator()(rate& r) const
    {
        r = rate(
            static_cast<std::uint64_t>(std::llround(static_cast<double>(r.per_second()) * m_by)));
    }
    [[nodiscard]] std::uint32_t percent() const
    {
        return static_cast<std::uint32_t>(std::lround(100.0 * m_by));
    }

private:
    double m_by;
};

/// nand.read_levels have had their say: they would add their times again.
void arrays(ssd_config& c, const speed_up& faster)
{
    c.channel.die = part_as_built(c);
    c.read_levels.clear();
    c.tR_level = sim_time();
    flash::array_timing& t = c.channel.die.timing;
    faster(t.tR);
    faster(t.tPROG);
    faster(t.tRSNAP);
    for (sim_time* one :
         {&t.tDBSY, &t.tRST, &t.tR_retry, &t.tRCBSY, &t.tCBSY, &t.slc.tR, &t.slc.tPROG,
          &t.slc.tBERS, &t.tPROG_shallow, &t.tPROG_word_line, &t.tPROG_coarse, &t.tPROG_fine}) {
        faster(*one);
    }
    flash::erase_timing& e = c.channel.die.erase;
    for (sim_time* one :
         {&e.loop_time, &e.suspend_overhead, &e.resume_overhead, &e.ramp, &e.recovery}) {
        faster(*one);
    }
    faster(c.channel.die.program_loop);
}

void memory(ssd_config& c, const speed_up& faster)
{
    faster(c.dram_rate);
    faster(c.dram.bandwidth);
    faster(c.dram.transfers);
    faster(c.dram.latency);
    faster(c.dram.controller_latency);
    dram::timing_figures& t = c.dram.timing;
    for (sim_time* one : {&t.tRCD, &t.tCL, &t.tCWL, &t.tRP, &t.tRAS, &t.tRC, &t.tRRD, &t.tRRD_L,
                          &t.tFAW, &t.tCCD, &t.tCCD_L, &t.tWR, &t.tWTR, &t.tRTP, &t.tRTW}) {
        faster(*one);
    }
}

void link(ssd_config& c, const speed_up& faster)
{
    c.pcie.speed = faster.percent();
    c.sata.speed = faster.percent();
    faster(c.pcie.propagation);
    faster(c.pcie.host_latency);
    faster(c.sata.latency);
}

void cooling(ssd_config& c, const speed_up& faster)
{
    for (thermal::part_config* part : {&c.thermal.die, &c.thermal.controller, &c.thermal.chassis}) {
        part->resistance /= faster.percent() / 100.0;
    }
}

/// A flat core, of which nothing takes a cycle.
void free_firmware(cpu::core_config& c)
{
    c.core = "flat";
    c.instructions_per_call = 0;
    c.mmio_read_cycles = c.mmio_write_cycles = c.interrupt_cycles = 0;
    c.dcache.size = c.icache.cache.size = 0;
    c.tlb.entries = 0;
}

} // namespace

ssd_config as_if_faster(ssd_config c)
{
    if (c.run.ideal != ideal_part::none) {
        free_firmware(c.cpu);
    }
    const speed_up faster(c.run.faster_by);
    switch (c.run.faster) {
    case faster_part::none:
        break;
    case faster_part::luns:
        arrays(c, faster);
        break;
    case faster_part::channels:
        faster(c.channel.bus.transfer_rate);
        faster(c.channel.ecc_latency);
        faster(c.channel.ecc.soft_latency);
        break;
    case faster_part::cores:
        faster(c.cpu.clock);
        break;
    case faster_part::dram:
        memory(c, faster);
        break;
    case faster_part::link:
        link(c, faster);
        break;
    case faster_part::host:
        faster(c.driver.submit_latency);
        faster(c.driver.complete_latency);
        break;
    case faster_part::engine:
        faster(c.nvme.lookup_time);
        break;
    case faster_part::heat:
        cooling(c, faster);
        break;
    case faster_part::power:
        for (double& watts : c.states.max_power) {
            watts *= c.run.faster_by;
        }
        faster(c.states.entry);
        faster(c.states.exit);
        break;
    }
    return c;
}

} // namespace ssdvp::platform
