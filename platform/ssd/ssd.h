// SPDX-License-Identifier: Apache-2.0
//
// The top module: owns every block, binds every socket, lays out the address map. No behaviour.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "models/common/at_checker.h"
#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/cpu/native_core.h"
#include "models/dram/dram.h"
#include "models/flash/flash_channel.h"
#include "models/host/host_system.h"
#include "models/interconnect/interconnect.h"
#include "models/irq/irq_controller.h"
#include "models/nor/nor_flash.h"
#include "models/nvme/front_end.h"
#include "models/pcie/link.h"
#include "models/sata/front_end.h"
#include "models/sata/link.h"
#include "models/sram/sram.h"
#include "models/thermal/thermal.h"
#include "models/timer/timer.h"
#include "platform/report/measurement.h"
#include "platform/ssd/access_tap.h"
#include "platform/ssd/fault_witness.h"
#include "platform/ssd/firmware_program.h"
#include "platform/ssd/progress.h"
#include "platform/ssd/register_guard.h"
#include "platform/ssd/ssd_options.h"

namespace ssdvp::platform {

struct ssd_config;

class ssd final : public sc_core::sc_module,
                  private nor::image_loader,
                  private thermal::energy_source {
public:
    ssd(const sc_core::sc_module_name& name, const ssd_config& config,
        const loaded_firmware& firmware, host::request_observer& observer,
        const ssd_options& options);
    ~ssd() override;

    [[nodiscard]] const ssd_config& config() const { return m_config; }
    [[nodiscard]] host::host_system& host() { return m_host; }
    /// FTLs, each on a core: one, but for cpu.ftl_cores.
    [[nodiscard]] std::uint32_t partitions() const;
    /// The program of the core that has the ftl role, or has it for this partition.
    [[nodiscard]] firmware_program& firmware(unsigned p = 0) { return *m_programs[m_ftl_core + p]; }
    [[nodiscard]] std::size_t cores() const { return m_cores.size(); }
    [[nodiscard]] cpu::native_core& core(std::size_t i = 0) { return *m_cores[i]; }
    /// The firmware has given up, on any core.
    [[nodiscard]] bool panicked() const;
    [[nodiscard]] firmware_program& program(std::size_t i) { return *m_programs[i]; }
    [[nodiscard]] sram::sram& sram() { return m_sram; }
    [[nodiscard]] dram::dram& dram() { return m_dram; }
    [[nodiscard]] each<flash::channel_index> channels() const { return m_channels.indices(); }
    [[nodiscard]] flash::flash_channel& channel(flash::channel_index i) { return *m_channels[i]; }
    /// Of a SATA drive: another host may attach to it before the simulation starts.
    [[nodiscard]] sata::link& sata_wire() { return *m_sata_link; }
    [[nodiscard]] fault_log& faults() { return m_faults; }
    [[nodiscard]] nor::nor_flash& boot_flash() { return m_nor; }
    /// Without power: the image of this area runs from power-up. False: it cannot run here.
    bool restore_firmware(std::uint32_t area);
    [[nodiscard]] const latency_ledger& ledger() const { return m_ledger; }

    /// Channels execute at once, in no simulated time. Only while the drive is idle.
    void set_functional(bool functional);
    /// The end of DRAM, where units wait that preconditioning writes: not firmware's, and closed to
    /// everybody else. Closed at first.
    void open_service_buffer(bool open);
    /// Where it begins, from the start of DRAM: a page of the host.
    [[nodiscard]] std::uint64_t service_buffer_begin() const;
    /// What preconditioning leaves: the cells, and firmware's memory. Precondition: idle.
    void keep(state_archive& a);
    /// All of the map is about to be looked at, in any order: large pages of the host save it most
    /// of the searches for where a page is.
    void expect_random_access();
    /// No flash operation queued or running, the core asleep.
    [[nodiscard]] bool idle() const;
    /// A flash operation is queued or runs.
    [[nodiscard]] bool flash_works() const;
    [[nodiscard]] drive_progress progress() const;

    /// Commands that firmware has and does not complete: as text, the oldest first; and a fault for
    /// each that is so old while it completes many others.
    [[nodiscard]] std::string open_commands() const;
    void look_for_forgotten(sim_time age);

    /// Power goes, now, everywhere at once: see docs/models/die.md for what is left.
    void power_off();
    /// Firmware starts from reset.
    void power_on();
    /// When firmware last did so; 0 = at the start of the run.
    [[nodiscard]] sim_time powered_since() const { return m_powered_since; }
    /// When the core that computes the longest without a wait is done with it.
    [[nodiscard]] sim_time busy_until() const;
    /// When CSTS.RDY last became 1, or the signature last went out.
    [[nodiscard]] sim_time ready_since() const;
    /// Before the first power_off(), while the drive is idle: see untold_statistics.
    void begin_accounts();

    /// All counters as they stand now, without wall time.
    [[nodiscard]] counters read() const;
    /// Of these, what the flash has done; quick.
    [[nodiscard]] flash_totals flash_so_far() const;
    [[nodiscard]] telemetry firmware_telemetry() const; // of all partitions
    [[nodiscard]] std::uint64_t activations() const;
    [[nodiscard]] std::uint64_t core_activations() const;
    [[nodiscard]] sim_time worst_blocking() const;
    /// Erases by this drive, and the blocks of the part that had so many, ascending: all but the
    /// bad ones of the factory, those of the anchor among them.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> erase_histogram() const;
    /// Of every block, by channel, LUN, plane and number.
    [[nodiscard]] std::vector<block_wear> wear() const;

private:
    static std::vector<interconnect::window> address_map(const ssd_config& config);
    void follow(timeline& to);
    void follow_lines(timeline& to);
    void build_cores(const loaded_firmware& firmware);
    /// What the core runs from now on takes what this firmware's instructions do.
    void charge(cpu::native_core& core, const loaded_firmware& firmware);
    void build_channels();
    void write_boot_block();
    void controller_off();
    // image_loader (images.cpp)
    bool load(std::uint32_t area, const std::vector<unsigned char>& bytes) override;
    void stop() override { controller_off(); }
    [[nodiscard]] bool stopped() const override;
    void start(std::uint32_t area, bool warm) override;
    void choose(std::uint32_t area); // for the cores' next power-up
    // energy_source (heat.cpp)
    void read(thermal::heat& joules) override;
    void divide_clock(unsigned exponent) override;
    void power_state(unsigned state, bool asleep) override;
    void age_cells(); // with the temperature of their die
    [[nodiscard]] untold_statistics untold_now(const telemetry& firmware) const;
    [[nodiscard]] power_statistics power_counts() const;
    void bind_host();
    void bind_front_end();
    void bind_controller();
    void interface_power(bool on);
    [[nodiscard]] counters read_blocks() const;
    [[nodiscard]] counters read_energy() const; // with power states
    void read_interface(counters& r) const;
    [[nodiscard]] std::uint64_t interface_activations() const;
    [[nodiscard]] drive_progress interface_progress() const;
    template <typename From, typename To>
    void bind_dma(From& from, To& to, const std::string& name);

    const std::unique_ptr<const ssd_config> m_config_held; // users of this need not know it
    const ssd_config& m_config;
    ssd_options m_options;
    fault_log m_faults;
    latency_ledger m_ledger;

    host::host_system m_host;
    std::unique_ptr<pcie::link> m_link; // these two, or the next two: host.interface
    std::unique_ptr<nvme::front_end> m_front_end;
    std::unique_ptr<sata::link> m_sata_link;
    std::unique_ptr<sata::front_end> m_sata_front_end;
    interconnect::interconnect m_interconnect;
    irq::irq_controller m_irq;
    std::vector<std::unique_ptr<timer::timer>> m_timers; // of each core with the ftl role
    nor::nor_flash m_nor;
    std::optional<power_account> m_states;
    thermal::thermal m_thermal;
    sram::sram m_sram;
    dram::dram m_dram;
    std::vector<std::uint32_t> m_roles; // BOOT_ROLE_* of each core
    std::size_t m_ftl_core = 0;         // of the first partition; the others follow
    std::uint64_t m_slice = 0;          // bytes of SRAM of a partition
    std::vector<std::unique_ptr<cpu::native_core>> m_cores;
    indexed<flash::channel_index, std::unique_ptr<flash::flash_channel>> m_channels;
    std::vector<std::unique_ptr<at_checker>> m_checkers;
    std::vector<std::unique_ptr<firmware_program>> m_programs;
    fault_witness m_witness;
    register_guard m_registers;
    std::unique_ptr<access_tap> m_accesses; // with ssd_options::accesses

    // Firmware: what the drive came with, and what was loaded of each area. They stay loaded, for
    // code of theirs may still be on a stack.
    const loaded_firmware& m_built_in;
    std::array<std::vector<std::unique_ptr<loaded_firmware>>, NOR_AREAS> m_images;
    timeline_level m_power;
    timeline_level m_link_up; // of PCIe: with power
    sim_time m_powered_since;
    bool m_restarted = false; // the image that runs was started by the one before

    telemetry m_past{};              // of the power cycles before this one
    untold_statistics m_untold;      // of the same
    untold_statistics m_untold_base; // when accounts began
};

} // namespace ssdvp::platform
