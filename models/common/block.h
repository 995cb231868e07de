// SPDX-License-Identifier: Apache-2.0
//
// What every hardware block shares: it counts its kernel activations, so that the cost of a
// request in kernel work is a measured number. A block with sockets declares its destructor, and
// defines it in its source: else every file that uses the block compiles the sockets' templates.
#pragma once

#include <cstdint>
#include <systemc>

namespace ssdvp {

class block : public sc_core::sc_module {
public:
    explicit block(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
    [[nodiscard]] std::uint64_t activations() const { return m_activations; }

protected:
    /// First statement of each process body (each resumption of a thread).
    void activated() { ++m_activations; }

private:
    std::uint64_t m_activations = 0;
};

/// A line into the interrupt controller: a function call, not a signal, because nothing observes
/// the wire itself.
class irq_line_if : public virtual sc_core::sc_interface {
public:
    virtual void raise(unsigned line) = 0;
};

} // namespace ssdvp
