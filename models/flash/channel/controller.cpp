// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/controller.h"

#include <algorithm>
#include <cstring>

#include "models/common/wait_parts.h"
#include "models/flash/channel/blockers.h"

namespace ssdvp::flash {

namespace {

bool is_program(const flash_desc& d)
{
    return d.op == FLASH_OP_PROGRAM;
}

bool is_host_read(const flash_desc& d)
{
    return d.op == FLASH_OP_READ && d.purpose == FLASH_PURPOSE_HOST;
}

} // namespace

controller::controller(const sc_core::sc_module_name& name, const channel_config& config,
                       const cycle_timing& timing, const flash_environment& environment)
    : block(name), late_device(environment.irq_line), regs("regs"), memory("memory"), onfi("onfi"),
      irq("irq"), m_config(config), m_environment(environment),
      m_dma(memory, this->name(), environment.faults, address_of(CHANNEL_REG_SQ_TAIL)),
      m_rings(m_dma),
      m_scheduler(find_order_policy(config.arbiter), config.luns, config.queue_entries,
                  {config.age_limit, config.join_planes, config.use_cache,
                   config.use_cache && !config.die.one_pass && !config.die.two_pass,
                   config.die.independent_plane_reads, config.starts == start_ready::idle,
                   config.die.geo.planes}),
      m_sequencer(onfi, m_dma, m_config, timing), m_functional_executor(m_config, m_dma),
      m_ops(config.queue_entries),
      m_work(config.luns, config.die.independent_plane_reads ? config.die.geo.planes : 0,
             config.queue_entries),
      m_polls(config.luns), m_plane_polls(config.luns)
{
    m_free.reserve(m_ops.size());
    m_unposted.reserve(m_ops.size());
    for (op_id op = config.queue_entries; op-- > 0;) {
        m_free.push_back(op);
    }
    ask_for(asked_at_reset());
    regs.register_b_transport(this, &controller::b_transport);
    memory.register_nb_transport_bw(this, &controller::nb_transport_bw);
    memory.register_invalidate_direct_mem_ptr(this, &controller::invalidate_direct_mem_ptr);
    onfi.register_nb_transport_bw(this, &controller::nb_transport_bw);
    m_agenda.wakes<&controller::process>(*this);
    follow(environment.trace);
}

controller::~controller() = default;

void controller::fault(const std::string& what)
{
    if (m_environment.faults != nullptr) {
        m_environment.faults->record(name(), what);
    }
}

void controller::stamp(const operation& o, latency_part part, sim_time t)
{
    if (m_environment.ledger == nullptr) {
        return;
    }
    if (o.desc.trace != FLASH_TRACE_NONE) {
        m_environment.ledger->stamp_slot(o.desc.trace, part, t, o.arrival);
    } else if (o.desc.op == FLASH_OP_PROGRAM) {
        m_environment.ledger->stamp_program(m_environment.program(o.desc.tag), part, t);
    }
}

latency_place* controller::place_of(const operation& o)
{
    if (m_environment.ledger == nullptr || o.desc.trace == FLASH_TRACE_NONE) {
        return nullptr;
    }
    return m_environment.ledger->place_of_slot(o.desc.trace, o.arrival);
}

tlm::tlm_sync_enum controller::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                               sc_core::sc_time&)
{
    fault("a target that does not complete early");
    return tlm::TLM_ACCEPTED;
}

void controller::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64)
{
    m_dma.invalidate();
}

void controller::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const sc_dt::uint64 address = gp.get_address();
    if (address > CHANNEL_REG_SUSPEND || address % 4 != 0) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (gp.get_data_length() != 4 || gp.get_byte_enable_ptr() != nullptr ||
        gp.get_command() == tlm::TLM_IGNORE_COMMAND) {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    const auto offset = static_cast<std::uint32_t>(address);
    std::uint32_t value = 0;
    if (gp.is_write()) {
        std::memcpy(&value, gp.get_data_ptr(), sizeof value);
        if (!m_functional && delay != sc_core::SC_ZERO_TIME) {
            ++m_writes_pending;
            m_agenda.push(now() + sim_time::from_sc(delay), {todo::write_register, offset, value});
            return;
        }
    }
    if (!m_functional) {
        drain(); // what is due at this instant comes first
    }
    if (gp.is_read()) {
        value = read_register(offset);
        std::memcpy(gp.get_data_ptr(), &value, sizeof value);
    } else {
        write_register(offset, value);
    }
    if (!m_functional) {
        arbitrate();
    }
}

std::uint32_t controller::read_register(std::uint32_t offset) const
{
    switch (offset) {
    case CHANNEL_REG_INT_ENABLE:
        return m_int_enable;
    case CHANNEL_REG_LUNS:
        return m_config.luns;
    case CHANNEL_REG_SUSPEND:
        return m_suspend;
    default:
        return m_rings.read(offset);
    }
}

void controller::write_register(std::uint32_t offset, std::uint32_t value)
{
    if (offset == CHANNEL_REG_INT_ENABLE) {
        m_int_enable = value & CHANNEL_INT_ENABLE_POSTED;
        return;
    }
    if (offset == CHANNEL_REG_SUSPEND) {
        if ((value & ~(CHANNEL_SUSPEND_ERASES | CHANNEL_SUSPEND_PROGRAMS)) != 0) {
            refuse_write(offset, value);
            return;
        }
        ask_for(value);
        return;
    }
    if (offset == CHANNEL_REG_CQ_HEAD && m_rings.beyond_posted(value)) {
        head_beyond(value);
        return;
    }
    if (!m_rings.write(offset, value)) {
        refuse_write(offset, value);
        return;
    }
    if (offset == CHANNEL_REG_CQ_HEAD) {
        post(now());
    }
    if (m_functional) {
        run_functional();
    } else {
        fetch();
    }
}

/// What is worth asking dies of their power-up setting for.
std::uint32_t controller::asked_at_reset() const
{
    const suspend_config& s = m_config.die.suspend;
    const std::uint32_t erases = s.kind != suspend_kind::none ? CHANNEL_SUSPEND_ERASES : 0;
    return erases | (s.programs ? CHANNEL_SUSPEND_PROGRAMS : 0);
}

void controller::ask_for(std::uint32_t what)
{
    m_suspend = what;
    m_scheduler.set_suspend({(what & CHANNEL_SUSPEND_ERASES) != 0,
                             (what & CHANNEL_SUSPEND_PROGRAMS) != 0,
                             m_config.die.suspend.reads_per_stop});
}

void controller::process()
{
    activated();
    drain();
    see_polls();
    arbitrate();
}

void controller::drain()
{
    agenda_entry e;
    sim_time when;
    while (m_agenda.pop_due(e, when)) {
        if (e.what == todo::write_register) {
            --m_writes_pending;
            write_register(e.a, e.b);
        } else if (e.what == todo::complete) {
            finish(e.a, when);
        } else if (e.what == todo::edge) {
            see_edge(lun_index(e.a));
        }
    }
    note_late();
}

/// R/B# is high at `t`: the array may have ended the operation before.
sim_time controller::array_end(const operation& o, sim_time t)
{
    return o.programmed != sim_time() ? earlier(o.programmed, t) : t;
}

/// What the die tells is known at once with R/B# lines, by the next poll without them.
void controller::see_edge(lun_index lun)
{
    const onfi::ready_change ready = m_lines[lun]->edge();
    if (m_config.poll_period != sim_time()) {
        return;
    }
    for (const plane_index p : ready.planes& m_scheduler.sensing(lun)) {
        see_plane(lun, p);
    }
    if (ready.line) {
        see_ready(lun);
    }
}

/// R/B# of a LUN has risen, or a poll found it high.
void controller::see_ready(lun_index lun)
{
    if (!m_scheduler.array_busy(lun)) {
        return;
    }
    const sim_time t = now();
    const op_id first = m_scheduler.array_ready(lun, t);
    if (first == scheduler::none) { // it has stopped for reads, or waits for its next operation
        note_work(lun, t);
    }
    charge_polls(lun, t, first);
    for (op_id op = first; op != scheduler::none; op = m_ops[op].partner) {
        stamp(m_ops[op], latency_part::array, array_end(m_ops[op], t));
    }
}

void controller::arbitrate()
{
    while (const auto g = m_scheduler.choose(now())) {
        switch (g->phase) {
        case bus_phase::start:
            start(*g);
            break;
        case bus_phase::completion:
            complete(*g);
            break;
        case bus_phase::suspend:
            suspend(*g);
            break;
        case bus_phase::resume:
            resume(*g);
            break;
        case bus_phase::cache_end:
            end_cache(*g);
            break;
        }
    }
    // Nothing to grant now: wake when the bus is free, but only if somebody waits for it then.
    const sim_time free = m_scheduler.bus_free();
    if (free > now() && m_wake != free && m_scheduler.is_wanted(free)) {
        m_wake = free;
        m_agenda.push(free, {todo::wake, 0, 0});
    }
}

void controller::fetch()
{
    m_fetching = true;
    if (!m_direct.empty()) {
        admit_direct();
    }
    while (!m_free.empty() && m_rings.has_descriptor()) {
        const op_id op = m_free.back();
        m_ops[op] = operation();
        if (!m_rings.take(m_ops[op].desc)) {
            break;
        }
        m_free.pop_back();
        admit(op);
    }
    m_fetching = false;
    tell_queue();
    m_agenda.heed_late(!m_attended || (m_free.empty() && is_asked_for()));
    note_late();
}

void controller::admit(op_id op)
{
    operation& o = m_ops[op];
    o.arrival = now();
    o.begin = o.arrival;
    o.to_come = planes_of(o.desc);
    const bool bad = bad_descriptor(o.desc);
    if (m_environment.ledger != nullptr && !bad && !o.direct) {
        hand_on(o);
    }
    if (bad) {
        refuse(op);
        post(o.arrival);
        return;
    }
    const scheduler::request r = request_of(o.desc);
    if (is_charged(o)) {
        m_work.arrive(op, r, m_scheduler.lun_is_wanted(r.lun), o.arrival);
    }
    m_scheduler.arrive(op, r, o.arrival);
}

/// It has come from a core: the command that it is part of, or the data of a program.
void controller::hand_on(const operation& o)
{
    latency_ledger& ledger = *m_environment.ledger;
    const latency_part held = part_of_wait(o.desc.wait);
    if (o.desc.op == FLASH_OP_PROGRAM && o.desc.trace == FLASH_TRACE_NONE) {
        ledger.begin_program(m_environment.program(o.desc.tag), m_environment.desk, o.arrival,
                             held);
    } else {
        ledger.hand_on(o.desc.trace, m_environment.desk, o.arrival, held);
    }
}

/// The fault is on record.
void controller::refuse(op_id op)
{
    m_ops[op].status = FLASH_STATUS_BAD_DESCRIPTOR;
    end(op);
}

void controller::start(const scheduler::grant& g)
{
    operation& o = m_ops[g.op];
    const lun_index lun = lun_of(o.desc);
    const sim_time t = now();
    begin(g.op, t);
    const op_id overtaken = m_scheduler.suspended(lun);
    if (overtaken != scheduler::none && is_host_read(o.desc)) {
        const sim_time waited = t - later(o.arrival, m_ops[overtaken].segment);
        m_stats.worst_blocking = later(m_stats.worst_blocking, waited);
    }
    if (o.desc.op == FLASH_OP_READ_ID) { // one phase: its LUN is never busy
        m_scheduler.begin_start(g, t, t, t);
        m_scheduler.array_ready(lun, t);
        note_work(lun, t);
        const sequencer::finished f = m_sequencer.read_id(o.desc);
        m_scheduler.begin_completion(g.op, f.bus_end);
        left(o.desc, f.bus_end);
        end_bus_phase(g.op, f);
        return;
    }
    const op_id before = g.follows ? m_scheduler.active(lun) : scheduler::none;
    const op_group group = gather(g);
    const sequencer::started s = m_sequencer.start(group, g.keeps_open);
    if (!s.ok) {
        m_scheduler.abandon(g.op, s.end);
        refuse(g.op);
        for (op_id op = o.partner; op != scheduler::none; op = m_ops[op].partner) {
            m_scheduler.finish_partner();
            refuse(op);
        }
        post(t);
        return;
    }
    o.array_done = s.array_done;
    o.coarse = s.coarse;
    if (is_program(o.desc) && (g.follows || g.keeps_open)) {
        o.programmed = s.array_done; // R/B# may tell of it later
    }
    o.shares = o.partner != scheduler::none;
    stamp(o, latency_part::bus, s.end);
    if (is_program(o.desc) && before != scheduler::none) {
        stamp(o, latency_part::wait_program, m_ops[before].programmed);
    }
    for (op_id op = o.partner; op != scheduler::none; op = m_ops[op].partner) {
        m_ops[op].shares = true;
        m_ops[op].coarse = s.coarse;
        begin(op, t);
        stamp(m_ops[op], latency_part::bus, s.end);
    }
    m_stats.snap_reads += s.snap ? 1 : 0;
    m_stats.cached += g.follows ? 1 : 0;
    m_stats.joined += group.count - 1;
    m_scheduler.begin_start(g, t, s.end, expect(g.op, s));
    if (m_scheduler.active(lun) == g.op) {
        note_work(lun, t);
    } else {
        m_work.plane_does(lun, planes_of(o.desc).first(), work_of(o.desc), t);
    }
}

void controller::complete(const scheduler::grant& g)
{
    const operation& first = m_ops[g.op];
    if (first.desc.op == FLASH_OP_COPYBACK && !first.programs) {
        stamp(first, latency_part::queue, now());
        copy_back(g.op);
        return;
    }
    if (first.desc.op == FLASH_OP_READ) {
        data_out(g);
        return;
    }
    const bool previous = m_scheduler.active(lun_of(first.desc)) != g.op;
    const op_group group = group_of(g.op);
    m_sequencer.complete(group, previous, m_results);
    m_results[0].corrected_bits += first.out.corrected_bits;
    m_results[0].soft_steps += first.out.soft_steps;
    m_results[0].done = later(m_results[0].done, first.out.done);
    m_stats.multi_plane += group.planes().several() ? 1 : 0;
    m_scheduler.begin_completion(g.op, m_results[group.count - 1].bus_end);
    left(first.desc, m_results[group.count - 1].bus_end);
    op_id op = g.op;
    for (std::uint32_t i = 0; i < group.count; ++i) {
        const op_id next = m_ops[op].partner; // `op` may be gone when its completion is posted
        if (m_ops[op].programmed != sim_time()) {
            stamp(m_ops[op], latency_part::array, array_end(m_ops[op], now()));
        }
        stamp(m_ops[op], latency_part::queue, now());
        if (i != 0) {
            m_scheduler.finish_partner();
        }
        end_bus_phase(op, m_results[i]);
        op = next;
    }
}

/// The last bus phase of `op` is sent.
void controller::end_bus_phase(op_id op, const sequencer::finished& f)
{
    operation& o = m_ops[op];
    o.status = f.status;
    o.plane_fail = f.plane_fail;
    o.corrected_bits = f.corrected_bits;
    m_stats.corrected_bits += f.corrected_bits;
    m_stats.uncorrectable += f.uncorrectable;
    m_stats.soft_decodes += f.soft_steps;
    m_stats.retries += o.desc.retry != 0 ? planes_of(o.desc).size() : 0;
    stamp(o, latency_part::bus, f.bus_end);
    stamp(o, latency_part::ecc, f.ecc_end);
    stamp(o, latency_part::dram, f.done);
    if (latency_place* place = place_of(o); place != nullptr) {
        place->visit(static_cast<std::uint16_t>(m_environment.channel.value()),
                     static_cast<std::uint16_t>(lun_of(o.desc).value()), f.done);
    }
    blocked_until(op, f.bus_end);
    if (f.done > now()) {
        end_at(op, f.done);
    } else {
        finish(op, now());
    }
}

/// The operation leaves its LUN at `end`: how long did the oldest host read behind it wait for it?
void controller::blocked_until(op_id holder, sim_time end)
{
    const operation& b = m_ops[holder];
    if (class_of(work_of(b.desc)) == latency_part::wait_read) {
        return;
    }
    for (op_id op = m_scheduler.first_waiting(lun_of(b.desc)); op != scheduler::none;
         op = m_scheduler.next_waiting(op)) {
        if (is_host_read(m_ops[op].desc) && m_scheduler.waits_for(op, holder)) {
            const sim_time waited = end - later(m_ops[op].arrival, b.segment);
            m_stats.worst_blocking = later(m_stats.worst_blocking, waited);
            return;
        }
    }
}

void controller::suspend(const scheduler::grant& g)
{
    operation& o = m_ops[g.op];
    const auto s = m_sequencer.suspend(o.desc);
    sim_time expected = s.expected;
    if (s.accepted) {
        charge_polls(lun_of(o.desc), now(), scheduler::none);
        expected = poll_until(lun_of(o.desc), s.end, s.expected);
        ++o.suspends;
        ++m_stats.suspends;
    }
    m_scheduler.begin_suspend(g.op, s.end, s.accepted, expected);
}

void controller::resume(const scheduler::grant& g)
{
    operation& o = m_ops[g.op];
    o.segment = now();
    const sequencer::started s = m_sequencer.resume(o.desc);
    m_scheduler.begin_resume(g.op, s.end, poll_until(lun_of(o.desc), s.end, s.expected));
    note_work(lun_of(o.desc), o.segment);
    ++m_stats.resumes;
}

bool controller::idle() const
{
    return m_free.size() == m_ops.size() && m_writes_pending == 0 && !m_rings.has_descriptor() &&
           m_direct.empty();
}

} // namespace ssdvp::flash
