// SPDX-License-Identifier: Apache-2.0
//
// A host that writes, reads and loses power, and compares all that it reads with the shadow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/regs/choices/host_interface.h"
#include "tests/powercut/durable_shadow.h"
#include "tests/support/ram_nand.h"

namespace ssdvp::test {

struct host_op {
    std::uint8_t opcode = 0; // NVME_IO_*
    bool fua = false;
    std::uint64_t lba = 0;
    std::uint32_t sectors = 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ranges; // Deallocate
};

/// What a host found out.
struct findings {
    std::uint64_t checked = 0; // sectors
    std::uint64_t lost = 0;    // ... that held what they may not hold, or could not be read
    std::uint64_t unread = 0;  // ... of them those that the drive said it cannot read
    std::uint64_t stale = 0;   // sectors that held an older value of their own
    std::uint64_t held = 0;    // ... that held anything
    std::uint64_t refused = 0; // writes
    std::string first;         // what was wrong first; empty = nothing
    [[nodiscard]] bool good() const { return first.empty(); }
    void wrong(const std::string& what) { first = first.empty() ? what : first; }
};

class cut_host {
public:
    cut_host(ram_nand& nand, durable_shadow& shadow);

    /// Posts a command. False: no slot is free, or there is no power.
    bool start(const host_op& op);
    /// One step of the drive. False: nothing is under way, or there is no power.
    bool pump();
    /// Until every command has ended. False: the power went, or the drive is stuck.
    bool drain();
    /// Lets the drive finish what it does for itself, then lets its timer ring so often.
    bool idle(std::uint32_t rings);
    /// Power on, enable, create queues. False: the power went again, or the drive does not come up.
    bool power_up();
    /// CC.SHN until CSTS.SHST says complete; SATA: STANDBY IMMEDIATE.
    bool shut_down();
    /// The same, and nobody waits for it.
    bool begin_shutdown();
    /// CC.EN 0, then 1; SATA: COMRESET. What is under way is given up, the drive comes back. False:
    /// as power_up().
    bool reset();
    [[nodiscard]] bool sata() const
    {
        return m_nand.config.params.host.interface == HOST_INTERFACE_SATA;
    }
    bool check_everything();
    /// The power has gone: nobody will complete what is under way.
    void power_lost();

    /// An error status of a read counts as a finding; where the flash itself is damaged it need
    /// not.
    bool errors_allowed = false;
    /// Likewise an older value of the same sector: counted apart.
    bool stale_allowed = false;
    /// Called after every step of the drive.
    std::function<void()> stepped;
    findings found;

private:
    struct request {
        bool busy = false;
        std::uint32_t id = 0;
        std::uint64_t begun = 0;
        host_op op;
        std::vector<std::uint8_t> data;
    };

    request* free_request();
    request* free_slot(bool queued);
    bool post_nvme(const host_op& op);
    bool post_ata(const host_op& op);
    void occupy(request& r, const host_op& op);
    void prepare(request& r);
    void prepare_trim(request& r);
    void begin_zero(std::uint64_t lba, std::uint64_t sectors, std::uint64_t begun);
    void finish(const host_completion& c);
    void end_write(const request& r, durable_shadow::outcome how);
    void finish_write(const request& r, bool good);
    void finish_read(const request& r, std::uint16_t status);
    void check_sector(const request& r, std::uint32_t i);
    bool admin(std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t cdw11);
    bool await(std::int64_t id);
    bool await_ready(bool ready, const char* where);
    bool enable();
    bool has_memory() const { return m_nand.config.host_memory != 0; }
    bool set_memory(bool lend);
    bool m_lent = false; // memory, to the drive
    bool flush_and_stop();
    bool begin_standby();
    [[nodiscard]] bool is_good(std::uint16_t status) const;
    bool stuck(const char* where);

    ram_nand& m_nand;
    durable_shadow& m_shadow;
    std::vector<request> m_requests;
    std::uint32_t m_under_way = 0;
    std::uint64_t m_posted = 0;
};

} // namespace ssdvp::test
