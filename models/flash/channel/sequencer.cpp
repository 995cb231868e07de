// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/sequencer.h"

#include "models/flash/bus/onfi_bus.h"

namespace ssdvp::flash {

namespace {

/// Cycles of a row address: pages, blocks and planes of one LUN (a LUN has a chip enable of its
/// own).
std::uint8_t row_address(const geometry& geo)
{
    const auto bits = [](std::uint64_t values) {
        unsigned n = 0;
        while ((std::uint64_t{1} << n) < values) {
            ++n;
        }
        return n;
    };
    const unsigned total =
        bits(geo.pages_per_block) + bits(geo.blocks_per_plane) + bits(geo.planes);
    return total > 24 ? 4 : 3;
}

} // namespace

sequencer::sequencer(socket& onfi, dma& memory, const channel_config& config,
                     const cycle_timing& timing)
    : m_onfi(onfi), m_memory(memory), m_config(config), m_timing(timing), m_decoder(config),
      m_words(config), m_row_cycles(row_address(config.die.geo)), m_next_command(config.luns),
      m_out(config.luns), m_last_read(config.luns), m_page(config.die.geo.page_size),
      m_oob(config.die.stored_oob)
{
    m_payload.set_extension(&m_group);
}

sequencer::~sequencer()
{
    m_payload.clear_extension(&m_group);
}

/// A group of `d` on `plane` without cycles yet.
void sequencer::prepare(const flash_desc& d, plane_index plane)
{
    m_group = onfi::extension();
    m_group.lun = lun_of(d);
    m_group.plane = plane;
    m_group.block = block_index(d.block);
    m_group.page = page_index(d.page);
    m_group.column = d.column;
    m_group.trace = d.trace;
    m_group.purpose = d.purpose;
    m_payload.set_command(tlm::TLM_IGNORE_COMMAND);
    m_payload.set_address(0);
    m_payload.set_data_ptr(&m_byte);
    m_payload.set_data_length(1);
    m_payload.set_streaming_width(1);
    m_payload.set_byte_enable_ptr(nullptr);
    m_payload.set_byte_enable_length(0);
}

void sequencer::carry_data(tlm::tlm_command command, const flash_desc& d)
{
    (command == tlm::TLM_WRITE_COMMAND ? m_group.data_in : m_group.data_out) = true;
    m_group.oob = m_oob.data();
    m_group.oob_length = d.oob_length;
    m_group.beside = is_register_op(d) ? 0 : m_words.beside(d.column, d.length);
    set_byte_enables(m_payload, mode_of(d, m_config.die.data));
    if (d.length != 0) {
        m_payload.set_command(command);
        m_payload.set_data_ptr(m_page.data());
        m_payload.set_data_length(d.length);
        m_payload.set_streaming_width(d.length);
    }
}

bool sequencer::send(sim_time at, sim_time& end)
{
    m_payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    m_payload.set_dmi_allowed(false);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const sim_time present = now();
    sc_core::sc_time delay = (at - present).to_sc();
    const tlm::tlm_sync_enum sync = m_onfi->nb_transport_fw(m_payload, phase, delay);
    end = present + sim_time::from_sc(delay);
    return sync == tlm::TLM_COMPLETED && m_payload.is_response_ok();
}

dma::plane_move sequencer::plane_of_page(tlm::tlm_command command, const flash_desc& d,
                                         std::uint32_t index)
{
    return {command, index, m_page.data(), m_oob.data(), mode_of(d, m_config.die.data)};
}

/// 80h, addresses, data in.
bool sequencer::send_program(const flash_desc& d, std::uint32_t index, sim_time& at)
{
    m_group.first = onfi::PROGRAM_1;
    m_group.column_cycles = column_address;
    return spare_apart(d) ? send_data_apart(d, index, at) : send_data_in(d, index, at);
}

/// The data come from memory cut-through: the last byte leaves no earlier than memory gave it, so
/// the group starts that much later.
bool sequencer::send_data_in(const flash_desc& d, std::uint32_t index, sim_time& at)
{
    carry_data(tlm::TLM_WRITE_COMMAND, d);
    const auto fetched = m_memory.move_plane(d, plane_of_page(tlm::TLM_READ_COMMAND, d, index), at);
    if (!fetched) {
        return false;
    }
    const sim_time length = m_timing.group(m_group, onfi_bus::bytes_of(m_payload, m_group));
    return send(later(at, *fetched - length), at);
}

/// One plane's group of a start phase.
bool sequencer::send_start(const flash_desc& d, const plane_start& p, sim_time& at)
{
    if (is_register_op(d)) {
        return send_register(d, at);
    }
    m_group.row_cycles = m_row_cycles;
    switch (d.op) {
    case FLASH_OP_READ:
        m_group.first = onfi::READ_1;
        m_group.retry = d.retry;
        m_group.second = !p.last      ? onfi::READ_MULTI_PLANE
                         : p.by_cache ? onfi::READ_CACHE
                         : p.snap     ? onfi::SNAP_READ
                                      : onfi::READ_2;
        m_group.column_cycles = column_address;
        return send(at, at);
    case FLASH_OP_COPYBACK:
        m_group.first = onfi::READ_1;
        m_group.second = p.last ? onfi::COPYBACK_READ : onfi::READ_MULTI_PLANE;
        m_group.column_cycles = column_address;
        return send(at, at);
    case FLASH_OP_PROGRAM:
        m_group.second = !p.last      ? onfi::PROGRAM_MULTI_PLANE
                         : p.by_cache ? onfi::PROGRAM_CACHE
                                      : onfi::PROGRAM_2;
        return send_program(d, p.index, at);
    case FLASH_OP_ERASE:
        m_group.first = onfi::ERASE_1;
        m_group.second = p.last ? onfi::ERASE_2 : onfi::ERASE_MULTI_PLANE;
        m_group.page = page_index(0);
        return send(at, at);
    default:
        m_group.first = onfi::RESET_LUN;
        m_group.block = block_index(0);
        m_group.page = page_index(0);
        return send(at, at);
    }
}

/// Command and address of a register of the LUN, and what is written to it.
bool sequencer::send_register(const flash_desc& d, sim_time& at)
{
    m_group.row_cycles = 1;
    switch (d.op) {
    case FLASH_OP_SET_FEATURES:
        m_group.first = onfi::SET_FEATURES;
        return send_data_in(d, 0, at);
    case FLASH_OP_GET_FEATURES:
        m_group.first = onfi::GET_FEATURES;
        return send(at, at);
    default:
        m_group.first = onfi::READ_PARAMETER_PAGE;
        return send(at, at);
    }
}

/// Is `d` the page after the latest one, so that 31h needs no address?
bool sequencer::follows_last_read(const flash_desc& d) const
{
    const page_place& last = m_last_read[lun_of(d)];
    return planes_of(d).size() == 1 && planes_of(d) == last.planes &&
           block_index(d.block) == last.block && page_index(d.page) == last.page.next();
}

sequencer::started sequencer::start(const op_group& g, bool by_cache)
{
    started result;
    const flash_desc& first = *g.desc[0];
    result.snap = g.count == 1 && !by_cache && fits_snap_read(first, m_config.die);
    sim_time at =
        later(now(), m_next_command[lun_of(first)]); // another plane's read has just begun
    const bool planeless = first.op == FLASH_OP_RESET || is_register_op(first);
    bool more = false; // than the first plane
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const flash_desc& d = *g.desc[i];
        plane_set left = planeless ? plane_set::only(plane_index(0)) : planes_of(d);
        for (plane_start p{false, by_cache, result.snap}; !left.empty(); ++p.index) {
            const plane_index plane = left.first();
            left.erase(plane);
            p.last = left.empty() && i + 1 == g.count;
            if (more) {
                at += m_timing.times().tWB + m_config.die.timing.tDBSY;
            }
            more = true;
            // 31h alone keeps the mode of the page before.
            const bool sequential = by_cache && d.op == FLASH_OP_READ && follows_last_read(d);
            if (!sequential && !send_mode(d, plane, at)) {
                result.end = later(at, now());
                return result;
            }
            prepare(d, plane);
            m_group.first = sequential ? onfi::READ_CACHE : m_group.first;
            if (!(sequential ? send(at, at) : send_start(d, p, at))) {
                result.end = later(at, now());
                return result;
            }
        }
    }
    m_next_command[lun_of(first)] = at + m_timing.times().tWB;
    m_out[lun_of(first)] = m_group.plane;
    m_last_read[lun_of(first)] = {g.planes(), block_index(first.block), page_index(first.page)};
    result.ok = true;
    result.end = at;
    result.expected = m_group.ready_at;
    result.array_done = m_group.array_at;
    result.coarse = m_group.coarse;
    return result;
}

sequencer::started sequencer::end_cache(const flash_desc& last)
{
    started s;
    prepare(last, planes_of(last).first());
    m_group.first = onfi::READ_CACHE_END;
    s.ok = send(now(), s.end);
    s.expected = s.array_done = m_group.ready_at;
    return s;
}

void sequencer::complete(const op_group& g, bool previous, results& r)
{
    const flash_desc& d = *g.desc[0];
    if (d.op == FLASH_OP_PARAMETER_PAGE || d.op == FLASH_OP_GET_FEATURES) {
        prepare(d, plane_index(0));
        r[0] = register_out(d);
    } else if (d.op == FLASH_OP_RESET || d.op == FLASH_OP_SET_FEATURES) {
        r[0] = finished();
        r[0].bus_end = r[0].ecc_end = r[0].done = now();
    } else {
        poll(g, previous, r);
    }
}

sequencer::finished sequencer::read_id(const flash_desc& d)
{
    prepare(d, plane_index(0));
    m_group.first = onfi::READ_ID;
    m_group.row_cycles = 1;
    return register_out(d);
}

/// Data out of the group as it is, without ECC.
sequencer::finished sequencer::register_out(const flash_desc& d)
{
    finished f;
    sim_time at = now();
    carry_data(tlm::TLM_READ_COMMAND, d);
    const bool ok = send(at, at);
    const auto stored = m_memory.move_plane(d, plane_of_page(tlm::TLM_WRITE_COMMAND, d, 0), at);
    f.bus_end = f.ecc_end = at;
    f.done = stored.value_or(at);
    f.status = ok && stored ? FLASH_STATUS_OK : FLASH_STATUS_BAD_DESCRIPTOR;
    return f;
}

void sequencer::read_out(const flash_desc& d, const page_out& page, sim_time at, finished& f)
{
    plane_index& selected = m_out[lun_of(d)];
    at = later(at, m_next_command[lun_of(d)]);
    if (page.ask) {
        status_group(d, page.plane, onfi::STATUS_ENHANCED, at);
    }
    prepare(d, page.plane);
    if (page.select || page.ask || selected != page.plane) {
        selected = page.plane;
        m_group.first = onfi::CHANGE_READ_COLUMN_ENHANCED_1;
        m_group.second = onfi::CHANGE_READ_COLUMN_2;
        m_group.column_cycles = column_address;
        m_group.row_cycles = m_row_cycles;
    }
    carry_data(tlm::TLM_READ_COMMAND, d);
    m_decoder.prepare(m_group);
    m_group.oob_length = spare_apart(d) ? 0 : d.oob_length;
    bool ok = send(at, at);
    sim_time decoded = decode(page.plane, at, f);
    if (spare_apart(d)) {
        ok = spare_out(d, at) && ok;
        decoded = later(decoded, at);
    }
    const auto stored =
        m_memory.move_plane(d, plane_of_page(tlm::TLM_WRITE_COMMAND, d, page.index), decoded);
    ok = ok && stored.has_value();
    f.done = later(f.done, stored.value_or(decoded));
    if (!ok) {
        f.status = FLASH_STATUS_BAD_DESCRIPTOR;
    }
    f.bus_end = at;
    f.ecc_end = later(f.ecc_end, at);
}

/// Decodes the page whose last byte came at `at`; when its data are ready.
sim_time sequencer::decode(plane_index plane, sim_time at, finished& f) const
{
    const data_form form = form_of(m_payload);
    const page_piece piece{m_payload.get_data_ptr(), m_group.column, m_payload.get_data_length(),
                           form};
    const page_decoder::outcome page = m_decoder.decode(m_group, piece);
    f.corrected_bits += page.corrected_bits;
    f.soft_steps += page.soft_steps;
    if (page.uncorrectable) {
        ++f.uncorrectable;
        f.status = FLASH_STATUS_UNCORRECTABLE;
        f.plane_fail.insert(plane);
    }
    const sim_time decoded = at + page.latency;
    f.ecc_end = later(f.ecc_end, decoded);
    return decoded;
}

bool sequencer::status_group(const flash_desc& d, plane_index plane, onfi::opcode command,
                             sim_time& at)
{
    prepare(d, plane);
    m_group.first = command;
    if (command != onfi::NO_COMMAND) {
        m_group.row_cycles = command == onfi::STATUS_ENHANCED ? m_row_cycles : std::uint8_t{0};
        m_group.data_out = true;
        m_payload.set_command(tlm::TLM_READ_COMMAND);
    }
    return send(at, at);
}

/// 70h; when it says FAIL on a multi-plane operation, 78h on each plane tells which. Of a cache
/// sequence the program before the last is told by FAILC.
void sequencer::poll(const op_group& g, bool previous, results& r)
{
    const flash_desc& d = *g.desc[0];
    sim_time at = now();
    const plane_set planes = g.planes();
    status_group(d, planes.first(), m_config.status_poll ? onfi::STATUS : onfi::NO_COMMAND, at);
    const auto status =
        static_cast<flash_status>(previous ? m_group.previous_result : m_group.result);
    plane_set failed = previous ? m_group.previous_fail : m_group.plane_fail;
    if (m_config.status_poll && status != FLASH_STATUS_OK && planes.several()) {
        const unsigned bit = previous ? onfi::STATUS_FAILC : onfi::STATUS_FAIL;
        for (const plane_index plane : planes) {
            status_group(d, plane, onfi::STATUS_ENHANCED, at);
            failed.set(plane, (m_byte & bit) != 0);
        }
    }
    for (std::uint32_t i = 0; i < g.count; ++i) {
        finished& f = r[i];
        f = finished();
        f.plane_fail = failed & planes_of(*g.desc[i]);
        f.status = g.count == 1 || !f.plane_fail.empty() ? status : FLASH_STATUS_OK;
        f.bus_end = f.ecc_end = f.done = at;
    }
}

sequencer::suspended sequencer::suspend(const flash_desc& erase)
{
    suspended s;
    prepare(erase, planes_of(erase).first());
    m_group.first = onfi::SUSPEND;
    m_group.row_cycles = m_row_cycles;
    const sim_time at = later(now(), m_next_command[lun_of(erase)]);
    s.accepted = send(at, s.end) && m_group.suspended;
    s.expected = m_group.ready_at;
    return s;
}

sequencer::started sequencer::resume(const flash_desc& erase)
{
    started s;
    prepare(erase, planes_of(erase).first());
    m_group.first = onfi::RESUME;
    s.ok = send(now(), s.end);
    s.expected = m_group.ready_at;
    m_next_command[lun_of(erase)] = s.end + m_timing.times().tWB;
    return s;
}

} // namespace ssdvp::flash
