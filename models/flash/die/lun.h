// SPDX-License-Identifier: Apache-2.0
//
// One LUN: command decoder, page registers of its planes, array engine. It receives cycle groups
// from the bus with the delay of their last cycle and drives R/B#: low tWB after that cycle, high
// when the array is done. Contents change at the moment R/B# rises.
#pragma once

#include <array>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/common/time.h"
#include "models/flash/bus/interface_modes.h"
#include "models/flash/die/array_time.h"
#include "models/flash/die/array_watch.h"
#include "models/flash/die/cell_array.h"
#include "models/flash/die/pulse_train.h"
#include "models/flash/die/registers.h"
#include "models/flash/die/suspend/suspend_policy.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

/// Plain counters: the difference of two snapshots is what happened between them.
struct lun_stats {
    std::uint64_t reads = 0;    // pages
    std::uint64_t programs = 0; // pages
    std::uint64_t erases = 0;   // blocks
    std::uint64_t suspends = 0;
    sim_time busy; // array at work until now (all planes together), suspend overhead included
    std::array<array_time, array_uses> arrays{}; // index: enum array_use; part of `busy`
};

class lun final : public block, public onfi::ready_line {
public:
    tlm_utils::simple_target_socket<lun> in; // ONFI cycle groups
    sc_core::sc_out<bool> rb;                // R/B#: true = ready; with trace()

    /// Of the bus, tWB and tFEAT count.
    lun(const sc_core::sc_module_name& name, const die_config& config, const cycle_times& bus,
        fault_log* faults, die_index die);
    ~lun() override;

    /// Power goes, now: what ends at this instant has ended, what the array works on is torn, and
    /// everything but the cells is as at power-up, R/B# high.
    void power_off();
    /// Told of every program and erase at the moment its array begins.
    void watch(array_watch* watch) { m_watch = watch; }
    /// `clock` calls edge() when it is time, as LUN `number`.
    void keep_time(onfi::edge_clock& clock, lun_index number)
    {
        m_clock = &clock;
        m_number = number;
    }
    /// Who hears of each edge of R/B#.
    void attach(onfi::ready_observer& observer) { m_observer = &observer; }
    /// `rb` follows R/B#.
    void trace() { m_traced = true; }
    bool edge() override;
    [[nodiscard]] bool high() const override { return !busy() || now() < m_low; }
    [[nodiscard]] cell_array& cells() { return m_cells; }
    [[nodiscard]] const cell_array& cells() const { return m_cells; }
    [[nodiscard]] lun_stats stats() const;
    [[nodiscard]] bool busy() const { return m_array != array_state::idle; }

private:
    enum class array_state : std::uint8_t {
        idle,
        read,
        program,
        erase,
        reset,
        stopping,
        cache_read,    // tRCBSY of 31h: the page behind comes forward, the next one starts
        cache_end,     // tRCBSY of 3Fh: the page behind comes forward
        cache_program, // tCBSY of 15h: the data go to the array, which programs behind
        parameter_page,
        features
    };
    struct plane_slot {
        plane_slot(std::uint32_t page_size, std::uint32_t stored_oob)
            : page(page_size, stored_oob), behind_page(page_size, stored_oob)
        {}
        page_register page; // to program
        cell_address address;
        bool holds_page = false;   // a read left `address` in the register
        cell_address target;       // of the program or erase in progress or suspended
        std::uint32_t retry = 0;   // read retry level of `address`
        page_noise noise;          // of the page that the register holds
        double carried = 0.0;      // error rate of the page that was copied into `page`
        bool carried_torn = false; // and whether it was torn
        bool latched = false;      // one-pass part: `latch` waits for its word line's last page
        cell_address latch;
        cell_address next;   // of the read command being given
        cell_address behind; // cache sequence: what the array works on behind the register
        page_register behind_page;
        flash_program_mode mode = FLASH_MODE_NORMAL;        // of the command for `address`
        flash_program_mode target_mode = FLASH_MODE_NORMAL; // of that for `target`
        flash_program_mode next_mode = FLASH_MODE_NORMAL;   // likewise, for `next`
        flash_program_mode behind_mode = FLASH_MODE_NORMAL; // and for `behind`
    };

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool execute(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    bool array_command(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    bool data_out(tlm::tlm_generic_payload& gp, onfi::extension& g);
    bool register_command(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    void err(tlm::tlm_generic_payload& gp, onfi::extension& g, const page_noise& noise) const;
    void load(const tlm::tlm_generic_payload& gp, const onfi::extension& g);
    void put_in(const tlm::tlm_generic_payload& gp, const onfi::extension& g);
    bool confirm(onfi::extension& g, sim_time end);
    bool change_write(const tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    void give_up_load();
    bool program_copy(const tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    bool prefix(onfi::opcode command);
    [[nodiscard]] sim_time special_length(array_state what, const onfi::extension& g) const;
    void status(tlm::tlm_generic_payload& gp, onfi::extension& g) const;
    void select(const onfi::extension& g);
    void start_array(array_state what, onfi::extension& g, sim_time end);
    [[nodiscard]] pulse_train train_of(array_state what, sim_time begin, sim_time length) const;
    [[nodiscard]] std::uint32_t pe_cycles() const;
    [[nodiscard]] bool may_suspend() const;
    bool set_feature(std::uint32_t address, const unsigned char* value, std::size_t count);
    void get_feature(std::uint32_t address);
    void suspend(onfi::extension& g, sim_time end);
    bool resume(onfi::extension& g, sim_time end);
    void run(sim_time begin, sim_time wait, sim_time length, onfi::extension& g);
    [[nodiscard]] std::size_t use_of(array_state what) const;
    [[nodiscard]] array_time& array_of(array_state what) { return m_stats.arrays[use_of(what)]; }
    [[nodiscard]] sim_time length_of(array_state what, const onfi::extension& g) const;
    bool read_command(onfi::extension& g, sim_time end);
    bool cache_command(onfi::extension& g, sim_time end);
    bool cache_read(onfi::extension& g, sim_time end);
    void start_cache(array_state what, onfi::extension& g, sim_time end);
    [[nodiscard]] bool continues_cache(const onfi::extension& g) const;
    void bring_forward();
    void end_behind_program();
    void put_behind();
    void cut_array();
    void cut_behind();
    void cut_latches();
    void tear_word_line(const cell_address& last);
    [[nodiscard]] bool only_latched(const cell_address& a, flash_program_mode mode) const;
    void reset_registers();
    void fall();
    void show(bool high);
    void prefetch() const;
    void finish();
    void commit();
    void fail(plane_index plane, flash_status result);

    die_config m_config;
    sim_time m_tWB;
    sim_time m_tFEAT;
    fault_log* m_faults;
    cell_array m_cells;
    die_registers m_registers;
    onfi::edge_clock* m_clock = nullptr;
    onfi::ready_observer* m_observer = nullptr;
    bool m_traced = false;
    array_watch* m_watch = nullptr;
    lun_index m_number;
    indexed<plane_index, plane_slot> m_planes;

    array_state m_array = array_state::idle;
    plane_set m_selected;                          // planes of the command being given
    flash_program_mode m_mode = FLASH_MODE_NORMAL; // that a prefix chose for the next command
    plane_set m_loading;                           // the plane whose 80h waits for its confirm
    plane_set m_copyback;                          // planes whose register holds what 35h read
    std::vector<unsigned char> m_copy; // a page between the two; from the first copyback on
    plane_set m_working;               // planes of the array operation
    sim_time m_low;                    // R/B# falls, or fell
    bool m_fallen = false;             // its fall was on the agenda, and has come
    sim_time m_finish;
    sim_time m_work_from; // and `busy` has all from here to m_finish
    // A program or erase in progress or suspended, and the planes it is for.
    pulse_train m_train;
    array_state m_pulsed = array_state::idle; // program, erase; idle = none
    plane_set m_train_planes;
    std::uint32_t m_train_suspends = 0;
    std::uint32_t m_erase_suspends = 0; // of the last erase
    suspend_setting m_suspend;
    bool m_suspended = false;
    // A read or program that goes on behind a high R/B#, within a cache sequence.
    array_state m_behind = array_state::idle;
    sim_time m_behind_end;
    sim_time m_next_length; // array time of what 31h or 15h starts behind
    plane_set m_behind_planes;
    flash_status m_result = FLASH_STATUS_OK;
    plane_set m_failed;                               // planes
    flash_status m_previous_result = FLASH_STATUS_OK; // of the program before the last
    plane_set m_previous_failed;
    lun_stats m_stats;
};

} // namespace ssdvp::flash
