// SPDX-License-Identifier: Apache-2.0
//
// A flash channel on a test bench: memory with known latency, an interrupt that notes the time, and
// firmware's side of the rings. Base-protocol checkers sit on every AT socket; the bench's
// destructor fails the test when one of them, or the flash, recorded a fault that the test did not
// expect.
#pragma once

#include "tests/models/flash_bench_parts.h"

namespace ssdvp::flash {

class bench final : public irq_line_if {
public:
    static constexpr std::uint64_t sq_base = 0x1000;
    static constexpr std::uint64_t cq_base = 0x40000;
    static constexpr std::uint64_t data_base = 0x100000;
    static constexpr std::uint32_t ring_entries = 1024;

    fault_log faults;
    latency_ledger ledger{64, 64};
    std::uint64_t expected_faults = 0;
    unsigned interrupts = 0;
    std::map<unsigned, sim_time> posted;          // by tag
    std::map<unsigned, flash_completion> answers; // by tag
    late_device* late = nullptr;                  // the controller, if firmware says that it looks
    std::vector<sim_time> foreseen;               // interrupts
    bench_modules modules;
    bench_memory& memory = modules.memory;
    flash_channel& channel = modules.channel;

    explicit bench(const channel_config& config, const cycle_timing* timing = nullptr,
                   std::size_t memory_size = std::size_t{16} << 20, bool watched = true,
                   bool looks = false)
        : modules("bench", config, environment(timing, watched), *this, memory_size), m_looks(looks)
    {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        setup_rings(ring_entries);
    }
    ~bench() override
    {
        for (const fault_log::fault& f : faults.faults()) {
            UNSCOPED_INFO(f.who << ": " << f.what);
        }
        CHECK(faults.count() == expected_faults);
    }

    void setup_rings(std::uint32_t entries)
    {
        m_entries = entries;
        m_tail = m_head = 0;
        m_phase = 1;
        std::memset(memory.at(cq_base), 0, entries * sizeof(flash_completion));
        write(CHANNEL_REG_SQ_BASE_LO, sq_base);
        write(CHANNEL_REG_SQ_SIZE, entries);
        write(CHANNEL_REG_CQ_BASE_LO, cq_base);
        write(CHANNEL_REG_CQ_SIZE, entries);
        write(CHANNEL_REG_INT_ENABLE, 1);
    }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset,
                                    std::uint32_t& value, sim_time delay = sim_time(),
                                    unsigned length = 4)
    {
        tlm::tlm_generic_payload gp;
        gp.set_command(command);
        gp.set_address(offset);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        gp.set_data_length(length);
        gp.set_streaming_width(length);
        sc_core::sc_time t = delay.to_sc();
        modules.master->b_transport(gp, t);
        return gp.get_response_status();
    }
    void write(std::uint64_t offset, std::uint64_t value, sim_time delay = sim_time())
    {
        auto v = static_cast<std::uint32_t>(value);
        REQUIRE(access(tlm::TLM_WRITE_COMMAND, offset, v, delay) == tlm::TLM_OK_RESPONSE);
    }
    std::uint32_t read(std::uint64_t offset)
    {
        std::uint32_t v = 0;
        REQUIRE(access(tlm::TLM_READ_COMMAND, offset, v) == tlm::TLM_OK_RESPONSE);
        return v;
    }

    /// Puts a descriptor into the ring; ring() lets the controller see it.
    void put(const flash_desc& d)
    {
        std::memcpy(memory.at(sq_base + m_tail * sizeof d), &d, sizeof d);
        m_tail = (m_tail + 1) % m_entries;
    }
    void ring(sim_time delay = sim_time()) { write(CHANNEL_REG_SQ_TAIL, m_tail, delay); }
    void submit(const flash_desc& d)
    {
        put(d);
        ring();
    }
    /// Lets time pass until the channel is idle.
    void run()
    {
        for (unsigned i = 0; i < 1000000 && !channel.idle(); ++i) {
            sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
        }
        REQUIRE(channel.idle());
    }
    void run_to(sim_time t) { sc_core::sc_start((t - now()).to_sc()); }
    flash_completion execute(const flash_desc& d)
    {
        submit(d);
        run();
        REQUIRE(answers.count(d.tag) == 1);
        const flash_completion c = answers.at(d.tag);
        answers.erase(d.tag);
        return c;
    }
    /// Takes what is in the completion ring.
    void reap()
    {
        for (;;) {
            flash_completion c;
            std::memcpy(&c, memory.at(cq_base + m_head * sizeof c), sizeof c);
            if ((c.phase & 1) != m_phase) {
                break;
            }
            answers[c.tag] = c;
            posted[c.tag] = now();
            if (++m_head == m_entries) {
                m_head = 0;
                m_phase ^= 1;
            }
        }
    }
    void return_entries() { write(CHANNEL_REG_CQ_HEAD, m_head); }
    /// Carries the descriptor out, at once on a functional channel, and gives its status.
    auto status_of(const flash_desc& d)
    {
        submit(d);
        run();
        reap();
        return_entries();
        return answers.at(d.tag).status;
    }
    void raise(unsigned line) override
    {
        REQUIRE(line == 7);
        ++interrupts;
        reap();
    }
    bool attend(late_device& device) override
    {
        late = &device;
        return m_looks;
    }
    void foresee(unsigned line, sim_time when) override
    {
        CHECK(line == 7);
        foreseen.push_back(when);
    }

private:
    flash_environment environment(const cycle_timing* timing, bool watched)
    {
        flash_environment e;
        e.ledger = &ledger;
        e.faults = &faults;
        e.irq_line = 7;
        e.timing = timing;
        e.check_protocol = e.check_onfi = e.trace_ready = watched;
        return e;
    }
    std::uint32_t m_entries = ring_entries;
    std::uint32_t m_tail = 0;
    std::uint32_t m_head = 0;
    unsigned m_phase = 1;
    bool m_looks;
};

inline flash_desc descriptor(flash_op op, unsigned tag, unsigned lun = 0)
{
    flash_desc d{};
    d.op = static_cast<std::uint8_t>(op);
    d.tag = static_cast<std::uint16_t>(tag);
    d.lun = static_cast<std::uint8_t>(lun);
    d.plane_mask = 1;
    d.trace = FLASH_TRACE_NONE;
    d.buffer = bench::data_base;
    if (op == FLASH_OP_READ || op == FLASH_OP_PROGRAM) {
        d.length = 4096;
    }
    return d;
}

} // namespace ssdvp::flash
