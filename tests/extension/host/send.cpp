// SPDX-License-Identifier: Apache-2.0
//
// A host that sends admin commands without data: an opcode for each argument. It prints status and
// dword 0 of each completion.
#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "tests/support/raw_host.h"

using namespace ssdvp;
using namespace ssdvp::literals;

int sc_main(int argc, char* argv[])
{
    test::raw_host host({});
    if (!host.enable()) {
        return 1;
    }
    for (int i = 1; i < argc; ++i) {
        nvme_sqe sqe{};
        sqe.opcode = static_cast<std::uint8_t>(std::strtoul(argv[i], nullptr, 16));
        host.put(0, sqe);
        host.ring(0);
        nvme_cqe cqe{};
        for (int tries = 0; !host.reap(0, cqe); ++tries) {
            if (tries == 1000) {
                return 1;
            }
            host.run(20_us);
        }
        host.ring_head(0);
        std::printf("%u %u\n", (cqe.status >> 1U) & 0x7FFU, cqe.dw0);
    }
    return host.trouble().empty() ? 0 : 1;
}
