// SPDX-License-Identifier: Apache-2.0
//
// Which reports hear of what a drive does.
#pragma once

#include <vector>

#include "platform/report/sinks/sink.h"
#include "platform/report/timeline/hub.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

class sink_listeners {
public:
    /// What a drive that is built with `options` tells goes to those of `sinks` that want it.
    void listen(const std::vector<report_sink*>& sinks, ssd_options& options)
    {
        for (report_sink* s : sinks) {
            take(options.profile, s->profile());
            take(options.accesses, s->accesses());
            take(options.flash_buses, s->flash_buses());
            take(options.tlps, s->tlps());
            m_tracing.attach(s->trace());
        }
        options.trace = m_tracing.source();
    }

private:
    template <typename Listener>
    static void take(Listener*& to, Listener* from)
    {
        to = from != nullptr ? from : to;
    }

    timeline_hub m_tracing;
};

} // namespace ssdvp::platform
