// SPDX-License-Identifier: Apache-2.0
//
// The whole drive loses power and gets it back. Firmware's counters lie in SRAM: the platform adds
// them up over the power cycles, so that reports count from the first power-on.
#include <cstring>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/report/counter_sums.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

void ssd::power_off()
{
    for (const auto& c : m_channels) {
        c->power_off();
    }
    controller_off();
    interface_power(false);
    m_nor.power_off();
    m_restarted = false;
    m_host.power_lost();
}

/// Of a loss of power, and of a restart with another firmware image: all but the host's side, and
/// the flash, which stays powered then.
void ssd::controller_off()
{
    const telemetry t = firmware_telemetry();
    if (t.magic == TELEMETRY_MAGIC) {
        m_past = sum(m_past, t);
    }
    for (const auto& c : m_cores) {
        c->power_off();
    }
    for (const auto& timer : m_timers) {
        timer->power_off();
    }
    m_thermal.power_off();
    m_irq.power_off();
    m_interconnect.power_off();
    m_sram.power_off();
    m_dram.power_off();
    m_untold = difference(untold_now(m_past), m_untold_base);
}

void ssd::power_on()
{
    m_powered_since = now();
    write_boot_block();
    interface_power(true);
    for (const auto& c : m_cores) {
        c->power_on();
    }
}

void ssd::write_boot_block()
{
    nor_boot n{};
    n.area = m_nor.active() == NOR_AREA_BUILT_IN ? 0 : m_nor.active() + 1;
    n.again = m_restarted ? 1 : 0;
    for (std::uint32_t i = 0; i < partitions(); ++i) {
        const boot_params p = make_boot_params(m_config, i);
        static_assert(BOOT_PARAMS_OFFSET + sizeof p <= NOR_BOOT_OFFSET &&
                      NOR_BOOT_OFFSET + sizeof n <= BOOT_TELEMETRY_OFFSET);
        unsigned char* const block = m_sram.data() + i * m_slice;
        std::memcpy(block + BOOT_PARAMS_OFFSET, &p, sizeof p);
        std::memcpy(block + NOR_BOOT_OFFSET, &n, sizeof n);
    }
}

void ssd::begin_accounts()
{
    m_untold_base = untold_now(sum(m_past, firmware_telemetry()));
}

/// Differences of counts that only mean something as differences of their own: they wrap.
untold_statistics ssd::untold_now(const telemetry& firmware) const
{
    untold_statistics u;
    std::uint64_t programmed = 0;
    for (const auto& c : m_channels) {
        const flash::channel_stats s = c->stats();
        for (std::size_t p = 0; p < s.by_purpose.size(); ++p) {
            u.reads -= s.by_purpose[p].reads;
            u.programs -= s.by_purpose[p].programs;
            u.erases -= s.by_purpose[p].erases;
            const bool ordered = p == FLASH_PURPOSE_HOST || p == FLASH_PURPOSE_GC ||
                                 p == FLASH_PURPOSE_MERGE || p == FLASH_PURPOSE_REFRESH ||
                                 p == FLASH_PURPOSE_WEAR || p == FLASH_PURPOSE_FOLD ||
                                 p == FLASH_PURPOSE_MAP;
            programmed += ordered ? s.by_purpose[p].bytes_programmed : 0;
        }
        for (const flash::lun_index l : c->luns()) {
            u.reads += c->lun(l).stats().reads;
            u.programs += c->lun(l).stats().programs;
            u.erases += c->lun(l).stats().erases;
        }
    }
    u.bytes = units_ordered(firmware) * m_config.ftl.map_unit - programmed;
    return u;
}

power_statistics ssd::power_counts() const
{
    power_statistics p;
    for (const auto& c : m_channels) {
        for (const flash::lun_index l : c->luns()) {
            p.torn_pages += c->lun(l).cells().torn_pages();
            p.torn_blocks += c->lun(l).cells().torn_blocks();
        }
    }
    p.lost_requests = m_host.workload().lost();
    p.verified_sectors = m_host.verified_sectors();
    return p;
}

} // namespace ssdvp::platform
