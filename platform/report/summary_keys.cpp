// SPDX-License-Identifier: Apache-2.0
#include "platform/report/summary_keys.h"

#include <fmt/format.h>

namespace ssdvp::platform {

namespace {

using keys = std::vector<summary_key>;

const keys about_the_run = {
    {"schema", "id of this layout; its version is the number at its end", ""},
    {"version", "of the program", ""},
    {"complete", "false when the run was stopped before its end", ""},
    {"config", "name of the configuration", ""},
    {"config_sha256", "SHA-256 of `config.resolved.yaml`", ""},
    {"seed", "`run.seed`", ""},
    {"overrides.<key>", "value, as text, of a key that an option of the command line gave",
     "such options"},
    {"precondition.method", "`units` or `counts` ([design](DESIGN.md#preconditioning-by-counts))",
     "a drive that was filled before the run"},
    {"precondition.filled_bytes", "written once, in order", "as above"},
    {"precondition.overwritten_bytes", "then written over these", "as above"},
    {"precondition.programmed_bytes", "by the flash for both, collection included", "as above"},
    {"precondition.simulated_ns", "0: it takes no simulated time", "as above"},
    {"precondition.steady", "whether write amplification, or the state, was steady at the end",
     "`precondition.until: steady` or `settled`"},
    {"precondition.settled_bytes",
     "of those overwritten: the last ones, as the load writes, until the state was steady",
     "`precondition.until: settled`"},
    {"geometry.channels", "of the flash", ""},
    {"geometry.luns_per_channel", "of the flash", ""},
    {"geometry.luns", "of all channels", ""},
    {"geometry.planes", "of a LUN", ""},
    {"geometry.blocks_per_plane", "of the part", ""},
    {"geometry.pages_per_block", "as they are used: fewer in SLC mode", ""},
    {"geometry.page_bytes", "data bytes of a page", ""},
    {"geometry.oob_bytes", "spare bytes of a page", ""},
    {"geometry.superblock_bytes", "data bytes of a superblock", ""},
    {"geometry.physical_bytes", "data bytes of all pages", ""},
    {"geometry.capacity_bytes", "what the host sees", ""},
    {"trace.requests", "requests of the trace's file, of the devices that are replayed", "a trace"},
    {"trace.repeat", "times that it is replayed", "a trace"},
    {"trace.raised_times", "times in it earlier than the one before, to which they were raised",
     "a trace"},
    {"trace.folded", "requests of it beyond the drive's end, which `fit: wrap` folds", "a trace"},
};

const keys about_trust = {
    {"validity.warnings[].code",
     "what makes the numbers say less than they seem to: "
     "[codes](#what-the-numbers-are-worth)",
     ""},
    {"validity.warnings[].text", "the same in a sentence", ""},
    {"validity.gc_cycles", "victims collected to the end in the measured part", ""},
    {"validity.superblocks_written", "superblocks' worth of data that the host wrote", ""},
    {"validity.superblocks_erased", "erases, in superblocks", ""},
    {"validity.steady",
     "IOPS of five slices of the measured part are steady ([rule](workloads.md)), or differ by "
     "chance alone, and free space does not fall",
     "160 requests or more"},
    {"validity.rounds", "complete ones that are reported", "`run.until: steady`, stopped early"},
    {"confidence.<metric>.mean", "the value of the run", "requests enough for an interval"},
    {"confidence.<metric>.low", "lower end of the interval of 95 %", "as above"},
    {"confidence.<metric>.high", "upper end", "a run long enough to say how large it may be"},
    {"bottleneck.resource", "what limits the drive: [names](#what-the-numbers-are-worth)",
     "requests"},
    {"bottleneck.by", "how it limits: [words](#what-the-numbers-are-worth)", "requests"},
    {"bottleneck.busy", "of that resource, or of the busiest one", "requests"},
    {"bottleneck.share", "of the requests' time that it takes, with `by: time`", "requests"},
    {"bottleneck.text", "the same in a sentence", "requests"},
    {"bottleneck.chain.<part>", "share of all requests' time, the largest first", "requests"},
    {"bottleneck.work.<purpose>", "what the arrays of the LUNs did, as shares of their time",
     "LUNs are the limit"},
    {"bottleneck.what_if.key", "key that makes it 20 % faster, for `ssdvp run --what-if`",
     "there is one"},
    {"bottleneck.what_if.value", "its value", "there is one"},
    {"run.ideal.<kind>.iops",
     "the same load with firmware that costs nothing ([below](#ideal-firmware))", "--beside-ideal"},
    {"run.ideal.<kind>.latency_ns.<figure>", "`mean`, `p50`, `p99`, `p99.9` of that", "as above"},
    {"run.ideal.<kind>.firmware_share.<figure>",
     "of the run's own figure, what is missing there; only where that is more than its "
     "interval",
     "as above"},
    {"sim.simulated_ns", "the measured part", ""},
    {"sim.wall_s", "seconds of the host for it", ""},
    {"sim.requests_per_wall_s", "speed of the simulation", ""},
    {"sim.kernel_activations",
     "how often blocks and cores had something to do. The kernel itself is entered less often, as "
     "the blocks share a process ([design](DESIGN.md#time-is-annotated-not-slept))",
     ""},
    {"sim.peak_rss_bytes", "most memory the process held", ""},
    {"sim.total_simulated_ns", "since power-on: the first start and the last shutdown included",
     ""},
};

const keys about_the_host = {
    {"host.<kind>.requests", "completed, failed ones included", "such requests"},
    {"host.<kind>.bytes", "of requests that succeeded", "as above"},
    {"host.<kind>.errors", "requests that failed", "as above"},
    {"host.<kind>.iops", "`requests` per simulated second", "as above"},
    {"host.<kind>.bytes_per_s", "`bytes` per simulated second", "as above"},
    {"host.<kind>.latency_ns.<percentile>",
     "from the moment the workload wanted the request to its completion in the driver: `min`, "
     "`mean`, `stdev`, `p50` ... `p99.9999`, `max` ([latency](#latency))",
     "as above"},
    {"host.<kind>.parts_ns.<part>", "mean per request; the parts sum to the mean latency",
     "as above"},
    {"host.streams[].name", "of a stream of the workload", "streams"},
    {"host.streams[].<kind>.<key>", "as of `host`, of the stream alone", "streams"},
    {"host.streams[].<kind>.latency_ns.<percentile>", "as of `host`, of the stream alone",
     "streams"},
    {"host.streams[].<kind>.parts_ns.<part>", "as of `host`, of the stream alone", "streams"},
};

const keys about_the_flash = {
    {"flash.reads", "pages read, per plane", ""},
    {"flash.programs", "pages programmed, per plane", ""},
    {"flash.erases", "blocks erased, per plane", ""},
    {"flash.suspends", "erases and programs that were suspended", "`flash.suspend.policy`"},
    {"flash.resumes", "erases and programs that were resumed", "`flash.suspend.policy`"},
    {"flash.multi_plane", "operations on more than one plane", "several planes"},
    {"flash.joined", "operations that joined another's multi-plane sequence",
     "`flash.join_planes`"},
    {"flash.cached", "operations that followed one by cache read or program", "`flash.use_cache`"},
    {"flash.overlapped", "reads that began while another plane of their LUN read",
     "`nand.independent_plane_reads`"},
    {"flash.snap_reads", "reads for which the array sensed a part of their page",
     "`nand.snap_read.tR`"},
    {"flash.copybacks", "pages copied within a LUN", "`gc.copyback`"},
    {"flash.ecc.corrected_bits", "wrong bits that the decoder corrected", "an ECC"},
    {"flash.ecc.uncorrectable", "code words that it could not correct", "an ECC"},
    {"flash.ecc.soft_decodes", "decodings with soft information", "an ECC"},
    {"flash.ecc.retries", "reads at a level of read retry", "an ECC"},
    {"flash.bytes_read",
     "data bytes; parity and spare bytes take time of the bus "
     "([channel](models/channel.md#bytes-on-the-bus)), and do not count",
     ""},
    {"flash.bytes_programmed", "data bytes, as of `flash.bytes_read`", ""},
    {"flash.by_purpose.<purpose>.reads", "why pages were read; only purposes this drive has", ""},
    {"flash.by_purpose.<purpose>.programs", "why pages were programmed", ""},
    {"flash.by_purpose.<purpose>.erases", "why blocks were erased", ""},
    {"flash.by_purpose.<purpose>.bytes_programmed", "data bytes of these pages", ""},
    {"channels[].busy", "the bus in use, with parity and spare bytes", ""},
    {"channels[].polling", "cycles of status polls, which may overlap `busy`",
     "`flash.status_poll_period`"},
    {"channels[].luns[].busy", "the array at work, of any plane", ""},
    {"channels[].luns[].held",
     "by operations, from the first command cycle to the last byte on the bus; mean of its planes",
     ""},
    {"channels[].luns[].reads", "pages, per plane", ""},
    {"channels[].luns[].programs", "pages, per plane", ""},
    {"channels[].luns[].erases", "blocks, per plane", ""},
};

const keys about_the_firmware = {
    {"ftl.scheme", "as configured", ""},
    {"ftl.write_amplification",
     "flash bytes programmed (all purposes but `precondition`) per byte written by the host; a "
     "write in the buffer has cost nothing yet, so short runs show less than 1",
     "writes"},
    {"ftl.worst_blocking_ns",
     "longest that a read of the host waited behind the firmware's own "
     "work",
     "such reads"},
    {"ftl.map.share", "of the map, what memory has room for (`ftl.map_cache`)",
     "schemes that look their map up in flash"},
    {"ftl.merges.associativity.mean", "logical blocks that a merge of a log block took",
     "block and hybrid mapping, once a log block was merged"},
    {"ftl.wear.mean", "erases per good block since the drive was made",
     "once blocks have been counted"},
    {"ftl.wear.stdev", "standard deviation of the erases of good blocks", "as above"},
    {"ftl.wear.histogram[].erases", "by this drive", "block and hybrid mapping"},
    {"ftl.wear.histogram[].blocks", "of the part that had so many, the anchor's included",
     "block and hybrid mapping"},
    {"ftl.retention.predicted.right", "units of the host, shallow or not as was best",
     "`write.shallow.policy: predicted`"},
    {"ftl.retention.predicted.wrong", "units of the host, shallow or not where the other was best",
     "`write.shallow.policy: predicted`"},
    {"ftl.retention.speed", "of retention ([shallow writes](shallow.md))",
     "shallow pages with a limit"},
    {"ftl.health.retries[]", "reads at level 1, 2, ... of read retry, at most 8 entries",
     "parts with levels of read retry"},
    {"cache.policy", "as configured", "a buffer: not with `cache.policy: none`"},
    {"cache.read_hit_ratio", "hits / (hits + misses), in units", "a buffer, and reads"},
    {"cache.write_hit_ratio", "hits / (hits + misses), in units", "a buffer, and writes"},
    {"cpu[].instructions", "of the target", ""},
    {"cpu[].cycles", "of the core", ""},
    {"cpu[].busy", "executing firmware", ""},
    {"cpu[].timing", "name of the instruction cost model", "a timed core"},
    {"cpu[].core", "the core whose instructions these are", "a timed core"},
    {"cpu[].role", "which of host, ftl, flash it has, as in `ftl+flash`", "several cores"},
    {"cpu[].dcache.hits", "lines touched in tables in DRAM that were there", "a data cache"},
    {"cpu[].dcache.misses", "lines touched in tables in DRAM that were not there", "a data cache"},
    {"cpu[].dcache.writebacks", "lines written back", "a data cache"},
    {"cpu[].icache.hits", "lines of code that blocks touched, and that were there",
     "an instruction cache"},
    {"cpu[].icache.misses", "lines of code that blocks touched, and that were not there",
     "an instruction cache"},
    {"cpu[].icache.stall", "share of the time that the core waited for lines",
     "an instruction cache"},
    {"cpu[].tlb.hits", "pages touched there that the TLB knew", "a TLB"},
    {"cpu[].tlb.misses", "pages touched there that the TLB did not know", "a TLB"},
};

const keys about_dram_and_link = {
    {"dram.bytes_read", "by cores and DMA", ""},
    {"dram.bytes_written", "by cores and DMA", ""},
    {"dram.busy", "its bus in use", ""},
    {"dram.row_hits", "parts of transfers that found their row open", "`dram.model: bank`"},
    {"dram.row_misses", "parts of transfers that found no row open", "`dram.model: bank`"},
    {"dram.row_conflicts", "parts of transfers that found another row open", "`dram.model: bank`"},
    {"dram.activates", "commands", "`dram.model: bank`"},
    {"dram.refreshes", "commands", "`dram.model: bank`"},
    {"link.bytes_up", "to the host: TLPs, or frames, with all overhead on the wire", "a link"},
    {"link.bytes_down", "to the drive: TLPs, or frames, with all overhead on the wire", "a link"},
    {"link.tlps_up", "packets to the host", "PCIe"},
    {"link.tlps_down", "packets to the drive", "PCIe"},
    {"link.frames_up", "FISes to the host", "SATA"},
    {"link.frames_down", "FISes to the drive", "SATA"},
    {"link.busy_up", "share of the measured part in which bytes cross the wire to the host",
     "a link"},
    {"link.busy_down", "share of the measured part in which bytes cross the wire to the drive",
     "a link"},
    {"link.dllp_bytes_up", "ACKs and flow-control updates to the host, not in `link.bytes_up`",
     "PCIe"},
    {"link.dllp_bytes_down", "ACKs and flow-control updates to the drive, not in `link.bytes_down`",
     "PCIe"},
    {"link.credit_stalls_up", "TLPs to the host that waited for credits of the receiver", "PCIe"},
    {"link.credit_stalls_down", "TLPs to the drive that waited for credits of the receiver",
     "PCIe"},
    {"link.credit_stall_ns_up", "how long TLPs to the host did, in all", "PCIe"},
    {"link.credit_stall_ns_down", "how long TLPs to the drive did, in all", "PCIe"},
    {"link.replays_up", "TLPs to the host that arrived wrong and were sent again", "PCIe"},
    {"link.replays_down", "TLPs to the drive that arrived wrong and were sent again", "PCIe"},
    {"link.tag_stalls", "read requests of the drive that waited for a tag", "PCIe"},
    {"link.tag_stall_ns", "how long, in all", "PCIe"},
    {"link.tags_out_ns", "while any of them waited", "PCIe"},
    {"nvme.commands", "that the front end fetched", "NVMe"},
    {"nvme.completions", "that it wrote", "NVMe"},
    {"nvme.interrupts", "messages that it sent", "NVMe"},
    {"nvme.slot_wait_ns", "while entries waited, all slots (`host.nvme.slots`) being taken",
     "NVMe"},
    {"nvme.lookup.reads", "reads that the look-up engine began", "host.nvme.lookup"},
    {"nvme.lookup.passed_on", "reads that it looked up and left to firmware", "host.nvme.lookup"},
    {"sata.commands", "that the front end took", "SATA"},
    {"sata.completions", "of them", "SATA"},
    {"sata.set_device_bits", "FISes that complete queued commands", "SATA"},
    {"sata.interrupts", "of the host adapter", "SATA"},
    {"sata.r_errs", "frames that the receiver refused", "SATA"},
    {"sata.crc_errors", "frames that arrived wrong", "SATA"},
    {"sata.collisions", "times that both sides wanted to send", "SATA"},
    {"sata.comresets", "resets of the link", "SATA"},
    {"sata.recoveries", "times that the driver recovered from an error", "SATA"},
    {"sata.retries", "commands sent again", "SATA"},
};

const keys about_energy = {
    {"energy_j.nand.<part>",
     "joules ([energy](energy.md)): `array_read`, `array_program`, `array_erase`, `bus`, `io`, "
     "`idle`",
     "figures of what parts draw"},
    {"energy_j.dram.<part>", "`activate`, `read`, `write`, `refresh`, `background`",
     "such figures"},
    {"energy_j.dram_phy.<part>", "`active`, `idle`: the controller's side of the DRAM",
     "such figures"},
    {"energy_j.channels.<part>", "`active`, `idle`: the controller's side of the flash channels",
     "such figures"},
    {"energy_j.ecc.<part>", "`active`, `idle`", "such figures"},
    {"energy_j.link.<part>", "`active`, `idle`", "such figures"},
    {"energy_j.cores.<part>", "`active`, `idle`", "such figures"},
    {"energy_j.asleep",
     "drawn in non-operational [power states](power_states.md), in place of all that the parts "
     "would have drawn",
     "`power.states.max_power`"},
    {"energy_j.total", "the sum", "such figures"},
    {"energy_j.mean_w", "`total` per second of simulated time, in watts", "such figures"},
    {"energy_j.per_request", "`total` per request that completed", "such figures, and requests"},
    {"energy_j.per_host_gb", "`total` per 10^9 bytes that the host read or wrote",
     "such figures, and data"},
};

const keys about_the_end = {
    {"thermal.<sensor>.end",
     "degrees Celsius of the drive (`composite_c`), of its controller (`controller_c`), of its "
     "hottest die (`nand_c`)",
     "`thermal.model: rc`"},
    {"thermal.<sensor>.max", "at most, since power-on", "as above"},
    {"thermal.heat_j.taken", "joules that heated the drive in the measured part ([heat](heat.md))",
     "as above"},
    {"thermal.heat_j.stored", "of them, still there", "as above"},
    {"thermal.heat_j.given_off", "of them, to the air", "as above"},
    {"thermal.<level>.entries",
     "times that throttling (`light`, `heavy`, `stopped`) began from a lower level", "as above"},
    {"thermal.<level>.time_ns", "how long, in all", "as above"},
    {"power_states[].time_ns",
     "time in each NVMe power state, from 0 on ([power states](power_states.md))",
     "`power.states.max_power`"},
    {"power_states[].asleep_ns", "of that, asleep: the drive draws the state's idle power",
     "as above"},
    {"power_states[].entries", "times that it became the drive's state", "as above"},
    {"power_states[].energy_j", "drawn in it", "as above"},
    {"integrity.sectors_checked",
     "sectors of reads compared with the shadow copy, or with what [clients](serve.md) wrote",
     "not with `data: none`"},
    {"integrity.mismatches", "of them, not as written", "as above"},
    {"integrity.total_sectors_checked", "since power-on", "as above"},
    {"integrity.total_mismatches", "since power-on", "as above"},
    {"power.cuts", "power cuts", "`power` keys"},
    {"power.shutdowns", "clean shutdowns", "`power` keys"},
    {"power.torn_pages", "whose program a cut broke off", "`power` keys"},
    {"power.torn_blocks", "whose erase a cut broke off", "`power` keys"},
    {"power.lost_requests", "of the workload: no completion before a cut; not in `host`",
     "`power` keys"},
    {"power.verified_sectors",
     "read after power-ups by `power.verify`, outside `host`; they count in `integrity`",
     "`power` keys"},
    {"power.ready_ns.mean",
     "from power-on to CSTS.RDY = 1; power-ups that a cut ended sooner do not count", "power-ups"},
    {"power.ready_ns.max", "the longest of these", "power-ups"},
    {"power.first_read_ns.mean",
     "from power-on to the end of the first read, of the workload or the verification",
     "power-ups"},
    {"power.first_read_ns.max", "the longest of these", "power-ups"},
    {"resets", "by the host, that happened", "`host.nvme.reset_at`, `host.sata.reset_at`"},
    {"state.from", "`preconditioned`, `cache` or `file` ([states](states.md))",
     "a preconditioned drive"},
    {"state.key", "of the kept state", "a kept state"},
    {"faults.count", "modelled errors since power-on", ""},
    {"faults.first[].when_ns", "of the first of them", "faults"},
    {"faults.first[].who", "the block or core", "faults"},
    {"faults.first[].what", "in words", "faults"},
    {"faults.first[].stack[]", "where firmware was", "faults that firmware was the reason of"},
    {"violations[]", "[identities](#identities) that do not hold; empty in a run to be trusted",
     ""},
};

} // namespace

const std::vector<summary_key>& summary_keys()
{
    static const keys all = [] {
        keys joined;
        for (const keys* part :
             {&about_the_run, &about_trust, &about_the_host, &about_the_flash, &about_the_firmware,
              &about_dram_and_link, &about_energy, &about_the_end}) {
            joined.insert(joined.end(), part->begin(), part->end());
        }
        return joined;
    }();
    return all;
}

std::string list_summary_keys()
{
    std::string out = "| key | meaning | only with |\n|---|---|---|\n";
    std::string_view before; // what "as above" stands for is said in full: rows are read alone
    for (const summary_key& k : summary_keys()) {
        before = k.only_with == "as above" ? before : k.only_with;
        out += fmt::format("| `{}` | {} |{}\n", k.path, k.meaning,
                           before.empty() ? " |" : fmt::format(" {} |", before));
    }
    return out;
}

} // namespace ssdvp::platform
