// SPDX-License-Identifier: Apache-2.0
#include "platform/plan/firmware_planner.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "models/regs/memory_map.h"
#include "models/regs/nvme_fe_regs.h"
#include "models/regs/sata_fe_regs.h"
#include "platform/plan/image_trap.h"

extern "C" {
extern const firmware_image ssdvp_firmware; // the built-in image
#ifdef SSDVP_FIRMWARE_COUNTS
extern const fw_timing ssdvp_fw_timing;
#endif
}

namespace ssdvp::platform {
namespace {

constexpr std::uint64_t map_page = 4096; // what the map has is a piece of whole pages

/// What the functions of the port get: there is no drive behind them.
struct planning {
    const front_end_limits& front_end;
    std::string reason; // the first error
};

/// The firmware cannot go on.
struct panicked {};

std::uint32_t port_read32(void* ctx, std::uint64_t address)
{
    const front_end_limits& f = static_cast<planning*>(ctx)->front_end;
    if (f.sata) {
        return address == MAP_SATA_BASE + SFE_REG_SLOTS ? f.slots : 0;
    }
    switch (address - MAP_NVME_BASE) {
    case FE_REG_SLOTS:
        return f.slots;
    case FE_REG_QUEUE_MAX:
        return f.queues;
    case FE_REG_VECTORS:
        return f.vectors;
    case FE_REG_QUEUE_ENTRIES:
        return f.queue_entries;
    default:
        return 0;
    }
}

void port_write32(void*, std::uint64_t, std::uint32_t) {}

void port_log(void* ctx, int level, const char* message, std::uint64_t a, std::uint64_t b)
{
    std::string& reason = static_cast<planning*>(ctx)->reason;
    if (level >= HAL_LOG_ERROR && reason.empty()) {
        reason = fmt::format("{} ({}, {})", message, a, b);
    }
}

void port_panic(void* ctx, const char* file, int line, const char* message)
{
    static_cast<planning*>(ctx)->reason = fmt::format("{}:{}: {}", file, line, message);
    throw panicked();
}

std::uint64_t port_wait_irq(void* ctx)
{
    static_cast<planning*>(ctx)->reason = "its plan waits for an interrupt";
    throw panicked();
}

std::uint64_t port_time_ns(void*)
{
    return 0;
}

int port_stopping(void*)
{
    return 0;
}

constexpr hal_ops port = {port_read32, port_write32, port_wait_irq, port_time_ns,
                          port_log,    port_panic,   port_stopping, nullptr,
                          nullptr,     nullptr,      nullptr};

/// What planning costs is no part of a run.
class uncounted {
public:
    explicit uncounted(const fw_timing* timing) : m_timing(timing)
    {
        if (timing != nullptr) {
            std::copy_n(timing->spent, m_spent.size(), m_spent.begin());
        }
    }
    ~uncounted()
    {
        if (m_timing != nullptr) {
            std::copy(m_spent.begin(), m_spent.end(), m_timing->spent);
        }
    }
    uncounted(const uncounted&) = delete;
    uncounted& operator=(const uncounted&) = delete;

private:
    const fw_timing* m_timing;
    std::array<fw_timing_cost, FW_TIMING_ACCOUNTS> m_spent{};
};

int plan_of(const firmware_image& image, hal& h, firmware_plan& plan)
{
    try {
        return image.plan(&h, &plan);
    } catch (const panicked&) {
        return -1;
    }
}

} // namespace

memory_share firmware_needs::share(const std::string& name) const
{
    const auto it = std::find_if(shares.begin(), shares.end(),
                                 [&name](const memory_share& s) { return s.name == name; });
    return it == shares.end() ? memory_share{name, 0, 0} : *it;
}

firmware_planner::firmware_planner()
#ifdef SSDVP_FIRMWARE_COUNTS
    : firmware_planner(::ssdvp_firmware, &::ssdvp_fw_timing)
#else
    : firmware_planner(::ssdvp_firmware, nullptr)
#endif
{}

firmware_needs firmware_planner::plan(const boot_params& params,
                                      const front_end_limits& front_end) const
{
    std::vector<unsigned char> sram(FIRMWARE_PLAN_SRAM);
    std::memcpy(sram.data() + BOOT_PARAMS_OFFSET, &params, sizeof params);
    planning ctx{front_end, {}};
    hal h{&port, &ctx, sram.data(), nullptr, 0};
    firmware_plan plan{};
    firmware_needs needs;
    const uncounted quiet(m_timing);
    const image_trap trap(m_path, "its plan");
    if (plan_of(*m_image, h, plan) != 0) {
        needs.reason = ctx.reason.empty() ? "it does not say why" : ctx.reason;
        return needs;
    }
    needs.map = (plan.map + map_page - 1) / map_page * map_page;
    needs.sram = plan.sram - plan.map + needs.map;
    needs.dram = plan.dram;
    needs.superblocks = plan.superblocks;
    needs.open = plan.open;
    needs.overhead = plan.overhead;
    needs.gc_low = plan.gc_low;
    needs.gc_high = plan.gc_high;
    const std::uint32_t shares = std::min(plan.shares, FIRMWARE_SHARES_MOST);
    for (std::uint32_t i = 0; i < shares; ++i) {
        const firmware_share& s = plan.share[i];
        needs.shares.push_back({s.name == nullptr ? "?" : s.name, s.sram, s.dram});
    }
    return needs;
}

} // namespace ssdvp::platform
