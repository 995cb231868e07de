// SPDX-License-Identifier: Apache-2.0
#include "platform/config/shaping.h"

#include <algorithm>
#include <iterator>

namespace ssdvp::platform {

namespace {

// Times of hardware, what moves data, what the host asks for, what is counted: preconditioning
// takes no simulated time and uses none of it. Where firmware is told of one of them, its boot
// parameters say so. A name that ends in a dot is a group.
constexpr const char* free_of_shape[] = {
    "name",
    "workload",
    "workload.",
    "run.requests",
    "run.duration",
    "run.warmup",
    "run.warmup_requests",
    "run.until",
    "run.steady.",
    "host.pcie.",
    "host.driver.submit_latency",
    "host.driver.complete_latency",
    "host.nvme.decode_latency",
    "host.nvme.fetch_burst",
    "host.nvme.lookup_time",
    "host.nvme.move_latency",
    "host.nvme.reset_at",
    "host.sata.command_latency",
    "host.sata.crc_error_rate",
    "host.sata.data_latency",
    "host.sata.decode_latency",
    "host.sata.handshake",
    "host.sata.latency",
    "host.sata.move_latency",
    "host.sata.reset_at",
    "cpu.clock",
    "cpu.core",
    "cpu.cycles_per_instruction",
    "cpu.dcache.",
    "cpu.hang_limit",
    "cpu.icache.",
    "cpu.instructions_per_call",
    "cpu.interrupt_cycles",
    "cpu.mmio_read_cycles",
    "cpu.mmio_write_cycles",
    "cpu.timing.",
    "cpu.tlb.",
    "cpu.watchdog",
    "interconnect.",
    "dram.banks",
    "dram.controller_latency",
    "dram.efficiency",
    "dram.interleave",
    "dram.latency",
    "dram.mapping",
    "dram.model",
    "dram.page_policy",
    "dram.rate",
    "dram.refresh_group",
    "dram.row_size",
    "dram.standard",
    "dram.timing.",
    "dram.width",
    "flash.age_limit",
    "flash.arbiter",
    "flash.ecc.soft_latency",
    "flash.ecc_latency",
    "flash.ecc_parity",
    "flash.erase.loop_time",
    "flash.erase.ramp",
    "flash.erase.recovery",
    "flash.erase.resume_overhead",
    "flash.erase.suspend_overhead",
    "flash.program.loop_time",
    "flash.start_ready",
    "flash.status_poll",
    "flash.status_poll_period",
    "nand.independent_plane_reads",
    "nand.interface.",
    "nand.read_levels",
    "nand.snap_read.",
    "nand.tBERS",
    "nand.tCBSY",
    "nand.tDBSY",
    "nand.tPROG",
    "nand.tPROG_coarse",
    "nand.tPROG_fine",
    "nand.tR",
    "nand.tRCBSY",
    "nand.tRST",
    "nand.tR_level",
    "nand.tR_retry",
    "nand.current.",
    "nand.voltage",
    "nand.io_voltage",
    "energy.",
    "power.",
    "serve.",
};

bool is_free(const std::string& key)
{
    return std::any_of(std::begin(free_of_shape), std::end(free_of_shape), [&](const char* text) {
        const std::string name = text;
        return name.back() == '.' ? key.rfind(name, 0) == 0 : key == name;
    });
}

/// Keys of the run that shape how the drive was overwritten: its own streams, where they were those
/// of the overwrites, and when they were steady.
bool shapes_overwrites(const ssd_config& c, const std::string& key)
{
    return (c.precondition.source == overwrite_source::own && key.rfind("workload.", 0) == 0) ||
           (c.precondition.until == precondition_until::steady &&
            (key == "run.steady.rounds" || key == "run.steady.range" || key == "run.steady.slope"));
}

} // namespace

bool shapes_state(const std::string& key)
{
    return !is_free(key);
}

std::vector<key_text> shaping_keys(const ssd_config& c)
{
    std::vector<key_text> keys = tree_of(c);
    keys.erase(std::remove_if(keys.begin(), keys.end(),
                              [&c](const key_text& k) {
                                  return !shapes_state(k.key) && !shapes_overwrites(c, k.key);
                              }),
               keys.end());
    return keys;
}

std::vector<std::string> free_keys()
{
    return {std::begin(free_of_shape), std::end(free_of_shape)};
}

} // namespace ssdvp::platform
