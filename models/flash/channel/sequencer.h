// SPDX-License-Identifier: Apache-2.0
//
// Turns phases of operations into ONFI cycle groups, with the memory transfers that feed or drain
// them. A phase is sent at once, each group annotated with its start; the bus is held in between.
#pragma once

#include <array>
#include <tlm>
#include <vector>

#include "models/flash/bus/cycle_timing.h"
#include "models/flash/channel/descriptor.h"
#include "models/flash/channel/dma.h"
#include "models/flash/channel/ecc/code_words.h"
#include "models/flash/channel/ecc/page_decoder.h"
#include "models/flash/config.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

/// Operations that share one command sequence: the same kind and page, other planes. Often one.
struct op_group {
    std::array<const flash_desc*, 8> desc{};
    std::uint32_t count = 0;

    void add(const flash_desc& d) { desc[count++] = &d; }
    [[nodiscard]] plane_set planes() const
    {
        plane_set all;
        for (std::uint32_t i = 0; i < count; ++i) {
            all = all | planes_of(*desc[i]);
        }
        return all;
    }
};

class sequencer {
public:
    using socket = tlm::tlm_initiator_socket<>;
    static constexpr std::uint8_t column_address = 2; // cycles

    struct started {
        bool ok = false;
        sim_time end;        // last bus cycle
        sim_time expected;   // R/B# high, if nothing intervenes
        sim_time array_done; // with a cache register: after R/B# is high
        bool snap = false;   // the array senses a part of the page
        bool coarse = false; // a program: the first of two passes
    };
    struct finished {
        flash_status status = FLASH_STATUS_OK;
        plane_set plane_fail;
        std::uint32_t corrected_bits = 0;
        std::uint32_t uncorrectable = 0; // pages
        std::uint32_t soft_steps = 0;    // of all pages
        sim_time bus_end;                // last bus cycle
        sim_time ecc_end;                // last codeword decoded
        sim_time done;                   // everything in memory
    };
    struct suspended {
        bool accepted = false;
        sim_time end;
        sim_time expected;
    };

    sequencer(socket& onfi, dma& memory, const channel_config& config, const cycle_timing& timing);
    sequencer(const sequencer&) = delete;
    sequencer& operator=(const sequencer&) = delete;
    ~sequencer();

    /// Forgets what the LUNs were told.
    void reset();
    /// Command and address cycles (and data in) of `g`, from now on; `by_cache`: with 31h or 15h.
    started start(const op_group& g, bool by_cache);
    /// 3Fh: the last page of a cache sequence.
    started end_cache(const flash_desc& last);
    using results = std::array<finished, std::tuple_size_v<decltype(op_group::desc)>>;
    /// What is not the data of a page, from now on; a result for each of `g`: the status of
    /// programs and erases, a register. `previous`: of the program before the last one of a cache
    /// sequence.
    void complete(const op_group& g, bool previous, results& r);
    /// One page of a read goes out.
    struct page_out {
        plane_index plane;
        std::uint32_t index = 0; // of the plane in its descriptor
        bool select = false;     // the plane has to be named: the sequence has several
        bool ask = false;        // R/B# does not tell that it is ready: 78h does
    };
    /// From `at` on; adds to what the pages of `d` before it gave.
    void read_out(const flash_desc& d, const page_out& page, sim_time at, finished& f);
    /// 90h as a whole, from now on: R/B# stays high.
    finished read_id(const flash_desc& d);
    /// Second bus phase of a copyback, from now on: the page's data out when they are asked for,
    /// then the program. `check` tells how the data out ended; not ok when nothing is programmed.
    started write_back(const flash_desc& d, finished& check);
    /// 70h, or 78h: cycles of one poll.
    [[nodiscard]] sim_time poll_time(bool enhanced) const;
    /// The first poll after a command's last cycle.
    [[nodiscard]] sim_time first_poll(sim_time end) const { return end + m_timing.times().tWB; }
    suspended suspend(const flash_desc& erase);
    started resume(const flash_desc& erase);

private:
    void prepare(const flash_desc& d, plane_index plane);
    void carry_data(tlm::tlm_command command, const flash_desc& d);
    bool send(sim_time at, sim_time& end);
    struct plane_start {
        bool last = false; // of the command sequence
        bool by_cache = false;
        bool snap = false;
        std::uint32_t index = 0; // of the plane in its descriptor
    };
    bool send_start(const flash_desc& d, const plane_start& p, sim_time& at);
    [[nodiscard]] bool follows_last_read(const flash_desc& d) const;
    dma::plane_move plane_of_page(tlm::tlm_command command, const flash_desc& d,
                                  std::uint32_t index);
    bool send_program(const flash_desc& d, std::uint32_t index, sim_time& at);
    bool send_mode(const flash_desc& d, plane_index plane, sim_time& at);
    bool leave_slc(const flash_desc& d, plane_index plane, sim_time& at);
    [[nodiscard]] bool spare_apart(const flash_desc& d) const;
    void at_spare(const flash_desc& d, onfi::opcode first, onfi::opcode second);
    bool send_data_apart(const flash_desc& d, std::uint32_t index, sim_time& at);
    bool spare_out(const flash_desc& d, sim_time& at);
    bool send_register(const flash_desc& d, sim_time& at);
    bool send_data_in(const flash_desc& d, std::uint32_t index, sim_time& at);
    finished register_out(const flash_desc& d);
    sim_time decode(plane_index plane, sim_time at, finished& f) const;
    void poll(const op_group& g, bool previous, results& r);
    bool status_group(const flash_desc& d, plane_index plane, onfi::opcode command, sim_time& at);

    socket& m_onfi;
    dma& m_memory;
    const channel_config& m_config;
    cycle_timing m_timing;
    page_decoder m_decoder;
    code_words m_words;
    std::uint8_t m_row_cycles;
    /// When R/B# is low, so that status and suspend make sense.
    indexed<lun_index, sim_time> m_next_command;
    struct page_place {
        plane_set planes;
        block_index block;
        page_index page;
    };
    indexed<lun_index, plane_index> m_out;      // plane that gives data where none is named
    indexed<lun_index, page_place> m_last_read; // what the latest read command asked for
    std::vector<unsigned char> m_page;          // one plane's data on its way
    std::vector<unsigned char> m_oob;
    unsigned char m_byte = 0; // status byte; data pointer of groups without data
    tlm::tlm_generic_payload m_payload;
    onfi::extension m_group;
};

} // namespace ssdvp::flash
