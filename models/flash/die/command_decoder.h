// SPDX-License-Identifier: Apache-2.0
//
// What a LUN makes of the cycle groups that the bus brings (ONFI, Command Definition): which are
// legal now, which planes they select, what goes into and out of the page registers, and when the
// array starts.
#pragma once

#include <tlm>
#include <vector>

#include "models/flash/die/array_engine.h"
#include "models/flash/die/registers.h"

namespace ssdvp::flash {

class command_decoder {
public:
    /// What is referred to outlives this.
    command_decoder(const die_config& config, const cycle_times& bus, cell_array& cells,
                    plane_bank& planes, array_engine& array)
        : m_config(config), m_cells(cells), m_planes(planes), m_array(array),
          m_registers(config, bus)
    {}

    /// A group whose last cycle is at `end`. False: the LUN does not take it in its state; then
    /// nothing starts. Precondition: the part has the plane of `g`.
    bool execute(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    /// What was wrong with the group that it did not take last.
    [[nodiscard]] const char* refusal() const { return m_refusal; }
    /// As at power-up.
    void reset();

private:
    bool carry_out(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    [[nodiscard]] const char* beside_reads(const onfi::extension& g) const;
    [[nodiscard]] bool reads_one_plane(const onfi::extension& g) const;
    [[nodiscard]] const char* snap_misuse(const tlm::tlm_generic_payload& gp,
                                          const onfi::extension& g) const;
    [[nodiscard]] const char* snap_command_misuse(const onfi::extension& g) const;
    [[nodiscard]] bool within_part(const tlm::tlm_generic_payload& gp,
                                   const onfi::extension& g) const;
    bool array_command(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    [[nodiscard]] bool in_part(const onfi::extension& g) const;
    void select(const onfi::extension& g);
    void start_array(array_operation what, onfi::extension& g, sim_time end);
    void start_cache(array_operation what, onfi::extension& g, sim_time end);

    // Reads
    bool read_command(onfi::extension& g, sim_time end);
    void start_read(onfi::extension& g, sim_time end);
    bool cache_command(onfi::extension& g, sim_time end);
    bool cache_read(onfi::extension& g, sim_time end);
    [[nodiscard]] bool continues_cache(const onfi::extension& g) const;
    bool data_out(tlm::tlm_generic_payload& gp, onfi::extension& g);

    // Programs
    bool prefix(flash_program_mode mode);
    void load(const tlm::tlm_generic_payload& gp, const onfi::extension& g);
    void put_in(const tlm::tlm_generic_payload& gp, const onfi::extension& g);
    bool confirm(onfi::extension& g, sim_time end);
    bool change_write(const tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    bool leave_slc();
    bool program_copy(const tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    void give_up_load();

    // Registers
    void status(tlm::tlm_generic_payload& gp, onfi::extension& g) const;
    bool register_command(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end);
    bool set_feature(std::uint32_t address, const unsigned char* value, std::size_t count);
    void get_feature(std::uint32_t address);

    const die_config& m_config;
    cell_array& m_cells;
    plane_bank& m_planes;
    array_engine& m_array;
    die_registers m_registers;
    const char* m_refusal = "";
    plane_set m_selected;                          // by the command being given
    flash_program_mode m_mode = FLASH_MODE_NORMAL; // that a prefix chose for the next command
    plane_set m_loading;                           // the plane whose 80h waits for its confirm
    plane_set m_copyback;                          // those whose register holds what 35h read
    bool m_leaves_slc = false;         // the next of them is programmed in the normal mode
    std::vector<unsigned char> m_copy; // a page between the two; from the first copyback on
};

} // namespace ssdvp::flash
