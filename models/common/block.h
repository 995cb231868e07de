// SPDX-License-Identifier: Apache-2.0
//
// What every hardware block shares: it counts its activations, so that the cost of a request in
// events is a measured number, which no other block and no other drive changes. A block with
// sockets declares its destructor, and defines it in its source: else every file that uses the
// block compiles the sockets' templates.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/time.h"

namespace ssdvp {

class block : public sc_core::sc_module {
public:
    explicit block(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
    [[nodiscard]] std::uint64_t activations() const { return m_activations; }

protected:
    /// First statement of whatever the calendar runs, and of each resumption of a thread.
    void activated() { ++m_activations; }

private:
    std::uint64_t m_activations = 0;
};

/// A device part of whose work shows only in memory that firmware reads: entries of a ring. It need
/// not wake for it, if it is told to catch up before firmware looks.
class late_device {
public:
    static constexpr sim_time never{~std::uint64_t{0}};

    late_device(const late_device&) = delete;
    late_device& operator=(const late_device&) = delete;

    /// Does what was due until now, each as of its own time.
    virtual void catch_up() = 0;

    /// When the first of it is due.
    [[nodiscard]] sim_time late_from() const { return m_late_from; }
    /// When it raises the device's line, and which one that is.
    [[nodiscard]] sim_time raises_at() const { return m_raises_at; }
    [[nodiscard]] unsigned line() const { return m_line; }

    void set_late(sim_time from, sim_time raises)
    {
        m_late_from = from;
        m_raises_at = raises;
    }

protected:
    explicit late_device(unsigned line) : m_line(line) {}
    ~late_device() = default;

private:
    unsigned m_line;
    sim_time m_late_from = never;
    sim_time m_raises_at = never;
};

/// A line into the interrupt controller: a function call, not a signal, because nothing observes
/// the wire itself.
class irq_line_if : public virtual sc_core::sc_interface {
public:
    virtual void raise(unsigned line) = 0;
    /// From now on the device catches up before a core looks. False: nobody tells it to.
    virtual bool attend(late_device&) { return false; }
    /// An attended device has late work that raises the line at `when`.
    virtual void foresee(unsigned /*line*/, sim_time /*when*/) {}
};

} // namespace ssdvp
