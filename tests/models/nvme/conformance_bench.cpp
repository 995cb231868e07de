// SPDX-License-Identifier: Apache-2.0
#include "tests/models/nvme/conformance_bench.h"

#include <algorithm>

#include "platform/config/derived.h"
#include "platform/config/loader.h"

namespace ssdvp::test {

namespace {

struct nobody final : host::request_observer {
    void on_complete(const host::request_result&) override {}
};

constexpr std::uint32_t page_size = 4096;
constexpr std::uint64_t poll = 1000; // ns

platform::ssd_config small_drive(const std::vector<std::string>& sets)
{
    platform::config_sources sources;
    sources.files = {"device/small", "workload/random-read"};
    sources.sets = {"cpu.core=flat",
                    "data=full",
                    "nand.page_size=4KiB",
                    "nand.oob_size=128B",
                    "nand.pages_per_block=32",
                    "nand.blocks_per_plane=32",
                    "nand.tR=2us",
                    "nand.tPROG=5us",
                    "nand.tBERS=20us",
                    "ftl.over_provisioning=0.4",
                    "cache.capacity=256KiB",
                    "host.nvme.queue_pairs=4",
                    "host.nvme.queue_entries=64"};
    sources.sets.insert(sources.sets.end(), sets.begin(), sets.end());
    return platform::load(sources);
}

} // namespace

bytes pattern(std::size_t size, std::uint32_t seed)
{
    bytes data(size);
    for (std::size_t i = 0; i < size; ++i) {
        data[i] = static_cast<std::uint8_t>((i / 512 * 37 + i % 512 * 11 + seed * 5) ^ (i >> 3));
    }
    return data;
}

conformance_bench::conformance_bench(const std::vector<std::string>& sets)
    : m_firmware(std::make_unique<platform::loaded_firmware>("")),
      m_observer(std::make_unique<nobody>()),
      m_drive(std::make_unique<platform::ssd>("ssd", small_drive(sets), *m_firmware, *m_observer,
                                              platform::ssd_options{true, true, true}))
{
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    m_data = allocate(data_size);
    m_list = allocate(page_size);
    m_sectors = platform::user_units(m_drive->config()) * m_drive->config().ftl.map_unit / 512;
}

conformance_bench::~conformance_bench()
{
    for (const fault_log::fault& f : m_drive->faults().faults()) {
        CHECK(f.who + ": " + f.what == "no fault");
    }
}

void conformance_bench::access(tlm::tlm_command command, std::uint64_t offset, void* value,
                               unsigned size)
{
    tlm::tlm_generic_payload gp;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    gp.set_command(command);
    gp.set_address(offset);
    gp.set_data_ptr(static_cast<unsigned char*>(value));
    gp.set_data_length(size);
    gp.set_streaming_width(size);
    dynamic_cast<host::driver&>(m_drive->host().drive()).mmio->b_transport(gp, delay);
    REQUIRE(gp.is_response_ok());
}

std::uint32_t conformance_bench::read32(std::uint64_t offset)
{
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, offset, &value, sizeof value);
    return value;
}

std::uint64_t conformance_bench::read64(std::uint64_t offset)
{
    std::uint64_t value = 0;
    access(tlm::TLM_READ_COMMAND, offset, &value, sizeof value);
    return value;
}

void conformance_bench::write32(std::uint64_t offset, std::uint32_t value)
{
    access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

void conformance_bench::write64(std::uint64_t offset, std::uint64_t value)
{
    access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

void conformance_bench::run(std::uint64_t ns)
{
    if (ns != 0) {
        sc_core::sc_start(sim_time(ns * 1000).to_sc(), sc_core::SC_RUN_TO_TIME);
    }
    REQUIRE_FALSE(m_drive->panicked());
}

bool conformance_bench::await_csts(std::uint32_t mask, std::uint32_t value, unsigned most_us)
{
    for (unsigned us = 0; us < most_us; ++us) {
        if ((read32(NVME_REG_CSTS) & mask) == value) {
            return true;
        }
        run(poll);
    }
    return false;
}

void conformance_bench::reset_queue(std::uint32_t id, std::uint32_t entries)
{
    queue& q = m_queues[id];
    if (q.entries < entries) {
        q.sq = allocate(std::uint64_t{entries} * sizeof(nvme_sqe));
        q.cq = allocate(std::uint64_t{entries} * sizeof(nvme_cqe));
    }
    q.entries = entries;
    q.tail = q.head = 0;
    q.phase = 1;
    q.kept.clear();
    std::memset(host(q.cq), 0, std::size_t{entries} * sizeof(nvme_cqe));
}

void conformance_bench::enable(std::uint32_t admin_entries)
{
    reset_queue(0, admin_entries);
    write32(NVME_REG_AQA, (admin_entries - 1) << 16 | (admin_entries - 1));
    write64(NVME_REG_ASQ, m_queues[0].sq);
    write64(NVME_REG_ACQ, m_queues[0].cq);
    write32(NVME_REG_CC, NVME_CC_EN | command_sets << NVME_CC_CSS_SHIFT |
                             6u << NVME_CC_IOSQES_SHIFT | 4u << NVME_CC_IOCQES_SHIFT);
    REQUIRE(await_csts(NVME_CSTS_RDY, NVME_CSTS_RDY));
}

void conformance_bench::disable()
{
    write32(NVME_REG_CC, 0);
    REQUIRE(await_csts(NVME_CSTS_RDY, 0));
}

void conformance_bench::shut_down(std::uint32_t how)
{
    write32(NVME_REG_CC, (read32(NVME_REG_CC) & ~NVME_CC_SHN_MASK) | how);
    REQUIRE(await_csts(NVME_CSTS_SHST_MASK, NVME_CSTS_SHST_COMPLETE));
}

void conformance_bench::power_cycle()
{
    m_drive->power_off();
    run(1000000);
    m_drive->power_on();
    run(poll);
    enable();
}

void conformance_bench::create_queues(std::uint32_t id, std::uint32_t entries)
{
    reset_queue(id, entries);
    nvme_sqe cq = command(NVME_ADMIN_CREATE_CQ, id | (entries - 1) << 16, 1);
    cq.prp1 = m_queues[id].cq;
    REQUIRE(status(0, cq) == 0);
    nvme_sqe sq = command(NVME_ADMIN_CREATE_SQ, id | (entries - 1) << 16, id << 16 | 1);
    sq.prp1 = m_queues[id].sq;
    REQUIRE(status(0, sq) == 0);
}

std::uint16_t conformance_bench::submit(std::uint32_t sq, nvme_sqe sqe, bool ring_it)
{
    queue& q = m_queues.at(sq);
    sqe.cid = m_next_cid++;
    std::memcpy(host(q.sq + std::uint64_t{q.tail} * sizeof sqe), &sqe, sizeof sqe);
    q.tail = (q.tail + 1) % q.entries;
    if (ring_it) {
        ring(sq);
    }
    return sqe.cid;
}

void conformance_bench::ring(std::uint32_t sq)
{
    write32(NVME_REG_DOORBELL + sq * NVME_DOORBELL_STRIDE + NVME_DOORBELL_SQTDBL,
            m_queues.at(sq).tail);
}

bool conformance_bench::reap(std::uint32_t cq, nvme_cqe& cqe)
{
    queue& q = m_queues.at(cq);
    std::memcpy(&cqe, host(q.cq + std::uint64_t{q.head} * sizeof cqe), sizeof cqe);
    if ((cqe.status & 1u) != q.phase) {
        return false;
    }
    if (++q.head == q.entries) {
        q.head = 0;
        q.phase ^= 1u;
    }
    write32(NVME_REG_DOORBELL + cq * NVME_DOORBELL_STRIDE + NVME_DOORBELL_CQHDBL, q.head);
    return true;
}

std::map<std::uint16_t, nvme_cqe> conformance_bench::completed(std::uint32_t cq, std::uint64_t ns)
{
    std::map<std::uint16_t, nvme_cqe> all;
    all.swap(m_queues.at(cq).kept);
    for (std::uint64_t at = 0; at < ns; at += poll) {
        run(poll);
        for (nvme_cqe c; reap(cq, c);) {
            REQUIRE(all.emplace(c.cid, c).second);
        }
    }
    return all;
}

nvme_cqe conformance_bench::await(std::uint32_t sq, std::uint16_t cid)
{
    auto& kept = m_queues.at(sq).kept;
    for (unsigned us = 0; us < 1000000; ++us) {
        for (nvme_cqe c; reap(sq, c);) {
            REQUIRE(kept.emplace(c.cid, c).second);
        }
        const auto found = kept.find(cid);
        if (found != kept.end()) {
            const nvme_cqe c = found->second;
            kept.erase(found);
            REQUIRE(c.sq_id == sq);
            return c;
        }
        run(us < 2000 ? poll : 100 * poll);
    }
    FAIL("no completion");
    return {};
}

void conformance_bench::point(nvme_sqe& sqe, std::size_t size, std::uint32_t offset)
{
    const std::size_t pages = (offset + size + page_size - 1) / page_size;
    REQUIRE(pages * page_size <= data_size);
    sqe.prp1 = m_data + offset;
    sqe.prp2 = pages < 2 ? 0 : pages == 2 ? m_data + page_size : m_list;
    for (std::size_t i = 1; i < pages; ++i) {
        const std::uint64_t entry = m_data + i * page_size;
        std::memcpy(host(m_list) + (i - 1) * sizeof entry, &entry, sizeof entry);
    }
}

nvme_cqe conformance_bench::execute(std::uint32_t sq, nvme_sqe sqe, bytes* data)
{
    if (data != nullptr) {
        point(sqe, data->size());
        std::copy(data->begin(), data->end(), host(m_data));
    }
    const nvme_cqe c = await(sq, submit(sq, sqe));
    if (data != nullptr) {
        std::copy_n(host(m_data), data->size(), data->begin());
    }
    return c;
}

bytes conformance_bench::identify(std::uint32_t cns, std::uint32_t nsid)
{
    bytes page(page_size);
    REQUIRE(status(0, of(nsid, command(NVME_ADMIN_IDENTIFY, cns)), &page) == 0);
    return page;
}

bytes conformance_bench::log_page(std::uint32_t dword10, std::uint32_t size)
{
    bytes page(size);
    REQUIRE(status(0, command(NVME_ADMIN_GET_LOG_PAGE, dword10 | (size / 4 - 1) << 16), &page) ==
            0);
    return page;
}

nvme_cqe conformance_bench::get_feature(std::uint32_t dword10, std::uint32_t dword11)
{
    return execute(0, command(NVME_ADMIN_GET_FEATURES, dword10, dword11));
}

std::uint16_t conformance_bench::set_feature(std::uint32_t dword10, std::uint32_t dword11)
{
    return status(0, command(NVME_ADMIN_SET_FEATURES, dword10, dword11));
}

} // namespace ssdvp::test
