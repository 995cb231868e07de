// SPDX-License-Identifier: Apache-2.0
#include "bench/kernel.h"

#include <chrono>
#include <systemc>

namespace ssdvp::bench {

namespace {

const sc_core::sc_time tick(1, sc_core::SC_NS);

struct bare_method : sc_core::sc_module {
    sc_core::sc_event event;
    explicit bare_method(const sc_core::sc_module_name& name) : sc_module(name)
    {
        SC_HAS_PROCESS(bare_method);
        SC_METHOD(step);
        sensitive << event;
    }
    void step() { event.notify(tick); }
};

struct bare_thread : sc_core::sc_module {
    explicit bare_thread(const sc_core::sc_module_name& name) : sc_module(name)
    {
        SC_HAS_PROCESS(bare_thread);
        SC_THREAD(run);
    }
    void run()
    {
        for (;;) {
            wait(tick);
        }
    }
};

double seconds_per_activation(unsigned long activations)
{
    const auto begin = std::chrono::steady_clock::now();
    sc_core::sc_start(static_cast<double>(activations), sc_core::SC_NS);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return spent.count() / static_cast<double>(activations);
}

} // namespace

double bare_method_seconds(unsigned long activations)
{
    const bare_method design("bare_method");
    return seconds_per_activation(activations);
}

double bare_thread_seconds(unsigned long activations)
{
    const bare_thread design("bare_thread");
    return seconds_per_activation(activations);
}

} // namespace ssdvp::bench
