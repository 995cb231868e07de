// SPDX-License-Identifier: Apache-2.0
//
// A controller at register level without time inside: it takes commands `doorbell` writes
// announce, does them on host memory, and posts completion and message after a fixed latency.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/data_mode.h"
#include "models/common/latency_ledger.h"
#include "models/common/timed_queue.h"
#include "models/host/host_system.h"
#include "models/regs/nvme_regs.h"

namespace ssdvp::test {

using namespace ssdvp::literals;

class standin : public block {
public:
    struct options {
        sim_time ready_after = 30_us;
        bool never_ready = false;
        bool fatal = false;
        unsigned timeout_units = 2; // CAP.TO
        std::uint32_t entries = 1024;
        std::uint32_t queue_pairs = 64; // granted
        unsigned mdts = 5;              // 128 KiB
        unsigned lbads = 9;
        bool write_cache = true;           // Identify declares a volatile one
        std::uint64_t capacity = 1u << 20; // sectors
        sim_time latency = 10_us;          // doorbell arrives -> completion arrives
        sim_time trim_latency = 10_us;
        bool early_bytes = false; // completions are written at once, annotated with their time
        bool coalesce = false;    // one message for the completions of one instant
        bool shutdown_hangs = false;
        data_mode data = data_mode::tag;
        latency_ledger* ledger = nullptr;
        std::uint32_t ledger_entries = 0;
    };
    struct seen { // one I/O command
        nvme_sqe sqe;
        unsigned queue;
        std::vector<std::uint64_t> pages; // host addresses by the PRP rules
        sim_time when;
    };
    struct doorbell {
        unsigned queue;
        bool completion;
        std::uint32_t value;
        sim_time when;
    };

    tlm_utils::simple_target_socket<standin> registers;
    tlm_utils::simple_initiator_socket<standin> host;

    standin(const sc_core::sc_module_name& name, const options& o)
        : block(name), registers("registers"), host("host"), m_options(o)
    {
        registers.register_b_transport(this, &standin::access);
        m_agenda.wakes<&standin::act>(*this);
    }

    // What tests look at and set.
    std::vector<std::uint8_t> admin;            // opcodes
    std::vector<std::uint64_t> register_writes; // offsets, without doorbells
    std::vector<seen> commands;
    std::vector<doorbell> doorbells;
    std::map<std::uint64_t, std::uint64_t> tags;                 // sector -> first 8 bytes
    std::map<std::uint64_t, std::vector<unsigned char>> sectors; // mode full
    std::set<std::uint64_t> failing;           // sectors whose commands end in an error
    std::map<std::uint64_t, unsigned> spoiled; // sector -> commands yet to end in a transfer error
    std::uint64_t drop_writes_of = ~0ull;      // sector whose writes are acknowledged and lost
    std::uint32_t cc = 0;
    std::uint64_t messages = 0;
    std::map<unsigned, std::vector<sim_time>> latencies; // opcode -> one after the other
    bool zero_after_trim = true;

private:
    struct queue {
        std::uint64_t sq = 0, cq = 0;
        std::uint32_t sq_size = 0, cq_size = 0, head = 0, tail = 0, cq_tail = 0, phase = 1;
        unsigned cq_id = 0, vector = 0;
    };
    struct work {
        enum kind_t { doorbell, complete, ready } kind = doorbell;
        unsigned queue = 0;
        std::uint32_t tail = 0;
        nvme_cqe cqe{};
    };

    void access(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    std::uint64_t read(std::uint64_t at) const;
    void write(std::uint64_t at, std::uint64_t value, sim_time when);
    void write_cc(std::uint32_t value);
    void act();
    void fetch(unsigned id, std::uint32_t tail);
    unsigned do_admin(const nvme_sqe& sqe, nvme_cqe& cqe);
    unsigned do_io(unsigned id, const nvme_sqe& sqe);
    std::vector<std::uint64_t> walk(const nvme_sqe& sqe, std::uint64_t bytes);
    void move(bool write, std::uint64_t lba, std::uint64_t count,
              const std::vector<std::uint64_t>& pages);
    void post(unsigned id, nvme_cqe cqe, sim_time delay);
    void message(unsigned vector, sim_time delay);
    void memory_access(bool write, std::uint64_t at, void* bytes, unsigned length,
                       sim_time after = {});

    options m_options;
    timed_queue<work> m_agenda;
    std::map<unsigned, queue> m_queues;
    std::uint32_t m_csts = 0;
};

/// Remembers what completed.
struct recorder : host::request_observer {
    std::vector<host::request_result> results;
    void on_complete(const host::request_result& r) override { results.push_back(r); }
};

/// Host and stand-in, connected.
struct bench {
    host::driver_config drive;
    host::workload_config workload;
    standin::options device;
    fault_log faults;
    recorder done;
    std::uint64_t seed = 1;
    std::unique_ptr<latency_ledger> ledger;
    std::unique_ptr<host::host_system> host;
    std::unique_ptr<standin> drv;

    bench()
    {
        drive.queue_entries = 64;
        drive.submit_latency = 300_ns;
        drive.complete_latency = 700_ns;
    }
    void build();
    /// Runs until the controller is ready; true when it became so.
    bool start();
    bool run(const host::run_limits& limits = {})
    {
        bool ended = false;
        host->start_workload(limits, [&] { ended = true; });
        sc_core::sc_start();
        return ended;
    }
};

/// Submits by hand.
struct hand : host::request_client {
    std::vector<host::request_result> results;
    unsigned batches = 0;
    void on_done(std::uint64_t, const host::request_result& r) override { results.push_back(r); }
    void on_batch_end() override { ++batches; }
};

inline host::request make(host::request_kind kind, std::uint64_t lba, std::uint32_t sectors)
{
    host::request r;
    r.kind = kind;
    r.lba = lba;
    r.sectors = sectors;
    r.arrival = now();
    return r;
}

inline sim_time sum(const latency_split& parts)
{
    sim_time total;
    for (const sim_time part : parts) {
        total += part;
    }
    return total;
}

} // namespace ssdvp::test
