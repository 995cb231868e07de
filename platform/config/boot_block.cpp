// SPDX-License-Identifier: Apache-2.0
#include "platform/config/boot_block.h"

#include <algorithm>

#include "models/regs/boot_params.h"
#include "platform/config/derived.h"
#include "platform/config/partition.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

void fill_cores(boot_params& p, const ssd_config& config)
{
    const std::vector<std::uint32_t> roles = roles_of_cores(config);
    p.cores.count = static_cast<std::uint32_t>(roles.size());
    std::copy(roles.begin(), roles.end(), p.cores.roles);
}

void fill_partition(boot_params& p, const ssd_config& config, std::uint32_t index)
{
    const std::uint32_t count = config.ftl_cores;
    p.ftl.user_units = user_units(config) / count;
    if (!is_divided(config)) {
        return;
    }
    p.partition.count = count;
    p.partition.index = index;
    p.partition.stripe_shift = exponent_of(static_cast<std::uint32_t>(stripe_bytes / sector_size));
    p.partition.channel = index * p.geometry.channels;
    p.partition.sram = index * p.sram_size;
    p.partition.dram = index * p.dram_size;
}

} // namespace

std::vector<std::uint32_t> roles_of_cores(const ssd_config& config)
{
    constexpr std::uint32_t h = BOOT_ROLE_HOST;
    constexpr std::uint32_t t = BOOT_ROLE_FTL;
    constexpr std::uint32_t f = BOOT_ROLE_FLASH;
    if (is_divided(config)) {
        std::vector<std::uint32_t> roles(config.ftl_cores + 1, t | f);
        roles[0] = h;
        return roles;
    }
    switch (config.roles) {
    case core_roles::host_apart:
        return {h, t | f};
    case core_roles::flash_apart:
        return {h | t, f};
    case core_roles::ftl_apart:
        return {h | f, t};
    case core_roles::each_apart:
        return {h, t, f};
    case core_roles::together:
        break;
    }
    return {BOOT_ROLE_ALL};
}

boot_params make_boot_params(const ssd_config& drive, std::uint32_t partition)
{
    boot_params p{};
    p.magic = BOOT_PARAMS_MAGIC;
    p.version = BOOT_PARAMS_VERSION;
    fill_parts(p, partition_of(drive));
    fill_cores(p, drive);
    fill_partition(p, drive, partition);
    return p;
}

} // namespace ssdvp::platform
