// SPDX-License-Identifier: Apache-2.0
//
// ONFI on TLM: one generic payload per bus cycle group, with this extension. The channel
// controller sends it to the bus with BEGIN_REQ; the bus times the cycles, hands it to the LUN and
// returns TLM_COMPLETED with the delay annotated up to the group's last cycle.
//
// A group is: first command cycle, column and row address cycles, data in or out (gp data, gp
// length on the bus), second command cycle. What is absent takes no cycles.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/time.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::onfi {

enum opcode : std::uint8_t {
    READ_1 = 0x00,
    READ_2 = 0x30,
    SNAP_READ = 0x20, // vendor: the array reads the part of the page that the column lies in
    READ_MULTI_PLANE = 0x32,
    READ_CACHE = 0x31,     // after an address: random; alone: the next page
    READ_CACHE_END = 0x3F, // the last page of the sequence
    COPYBACK_READ = 0x35,  // the register's page may then be programmed by 85h c r
    CHANGE_READ_COLUMN_1 = 0x05,
    CHANGE_READ_COLUMN_ENHANCED_1 = 0x06,
    CHANGE_READ_COLUMN_2 = 0xE0,
    PROGRAM_1 = 0x80,
    PROGRAM_2 = 0x10,
    PROGRAM_MULTI_PLANE = 0x11,
    PROGRAM_CACHE = 0x15,
    CHANGE_WRITE_COLUMN = 0x85, // with a row address: change row address
    ERASE_1 = 0x60,
    ERASE_2 = 0xD0,
    ERASE_MULTI_PLANE = 0xD1,
    STATUS = 0x70,
    STATUS_ENHANCED = 0x78,
    READ_ID = 0x90,
    READ_PARAMETER_PAGE = 0xEC,
    GET_FEATURES = 0xEE,
    SET_FEATURES = 0xEF,
    RESET_LUN = 0xFA,
    SUSPEND = 0x61,      // vendor: erase suspend, then a row address
    RESUME = 0xD2,       // vendor: erase resume
    MODE_SLC = 0xDA,     // vendor: the next 00h, 80h or 60h works in SLC mode
    MODE_NORMAL = 0xDF,  // vendor: the next 85h c r programs in the normal mode
    MODE_SHALLOW = 0xDC, // vendor: the next 80h is a fast program with less margin
    NO_COMMAND = 0xFF
};

/// Status byte of 70h/78h.
constexpr std::uint8_t STATUS_FAIL = 0x01;
constexpr std::uint8_t STATUS_FAILC = 0x02; // the operation before the last, in a cache program
constexpr std::uint8_t STATUS_ARDY = 0x20;
constexpr std::uint8_t STATUS_RDY = 0x40;
constexpr std::uint8_t STATUS_NOT_PROTECTED = 0x80;

/// Told of each edge of R/B# as it happens, and of each plane that has read by itself.
class ready_observer {
public:
    virtual ~ready_observer() = default;
    virtual void ready_edge(flash::lun_index lun, bool rises, sim_time at) = 0;
    virtual void plane_ready(flash::lun_index lun, flash::plane_index plane, sim_time at) = 0;
};

/// What becomes ready in a die at one instant.
struct ready_change {
    bool line = false;       // R/B# rises
    flash::plane_set planes; // the independent reads of these planes have ended
};

/// Who keeps the time of a channel's dies: one agenda serves them all.
class edge_clock {
public:
    virtual ~edge_clock() = default;
    /// R/B# of `lun` may change at `when`: ready_line::edge() is called then, or in vain.
    virtual void edge_at(flash::lun_index lun, sim_time when) = 0;
};

/// R/B# of a die, as its channel sees it: low while any part of its array is at work.
class ready_line {
public:
    virtual ~ready_line() = default;
    /// What the die does at this instant.
    virtual ready_change edge() = 0;
    [[nodiscard]] virtual bool high() const = 0;
};

struct extension : tlm::tlm_extension<extension> {
    opcode first = NO_COMMAND;
    opcode second = NO_COMMAND;
    std::uint8_t column_cycles = 0; // 0 or 2
    std::uint8_t row_cycles = 0;    // 0, 3 or 4; for features 1
    bool data_in = false;           // gp carries data to the LUN
    bool data_out = false;          // gp receives data from the LUN
    flash::lun_index lun;
    flash::plane_index plane;
    flash::block_index block;
    flash::page_index page;
    std::uint32_t column = 0;     // of 90h, ECh, EEh, EFh: the one address cycle
    unsigned char* oob = nullptr; // out-of-band bytes that travel with the data
    std::uint32_t oob_length = 0;
    /// Bytes beside data and out-of-band bytes that take their cycles too, without contents here:
    /// parity of the data's code words, and what of these words is none of the data.
    std::uint32_t beside = 0;
    /// READ: level of the read retry (a vendor feature, set without bus cycles here).
    std::uint8_t retry = 0;
    /// Data out: the LUN errs in units of code words of this many bytes, a power of two; 0 = not
    /// at all. `word_errors` has a place for each code word of a page.
    std::uint32_t codeword = 0;
    std::uint16_t* word_errors = nullptr;
    /// Data out, result: wrong bits in the code words that the data touch, all together. Not 0:
    /// `word_errors` holds them one by one, from the first touched on, and `error_key` names the
    /// places of the wrong bits. This stands for what a decoder computes from the parity.
    std::uint32_t bit_errors = 0;
    std::uint64_t error_key = 0;
    /// Data out, result: a power cut hit the page; what it gives is no code word.
    bool torn = false;
    /// SUSPEND, result: the erase or program stops; false = it runs to its end.
    bool suspended = false;
    /// Whose work it is: slot of the front end (FLASH_TRACE_NONE: nobody's), enum flash_purpose.
    std::uint16_t trace = 0xFFFF;
    std::uint8_t purpose = 0;
    /// Result of a group that makes the array busy: when R/B# rises if nothing intervenes. Serves
    /// only to order what happens at one instant.
    sim_time ready_at;
    /// Likewise: when the array is done with what the group starts; in a cache sequence that is
    /// later than R/B# rises.
    sim_time array_at;
    /// Result of a group that programs: this is the first of two passes, or a page loaded for it.
    bool coarse = false;
    /// Result of a status group (or of an empty group, which takes no bus time): how the last
    /// array operation ended (enum flash_status), and the planes that failed.
    std::uint8_t result = 0;
    flash::plane_set plane_fail;
    /// The same of the program before the last one of a cache sequence (FAILC).
    std::uint8_t previous_result = 0;
    flash::plane_set previous_fail;

    [[nodiscard]] tlm_extension_base* clone() const override { return new extension(*this); }
    void copy_from(const tlm_extension_base& other) override
    {
        *this = static_cast<const extension&>(other);
    }
};

} // namespace ssdvp::onfi
