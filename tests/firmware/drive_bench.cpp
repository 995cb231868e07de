// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/drive_bench.h"

namespace ssdvp::test {

void drive::create_queues()
{
    nvme_sqe cq = admin(NVME_ADMIN_CREATE_CQ, 1 | (63u << 16), 3u);
    REQUIRE(nand.execute(0, cq).status == 0);
    nvme_sqe sq = admin(NVME_ADMIN_CREATE_SQ, 1 | (63u << 16), 1u | (1u << 16));
    REQUIRE(nand.execute(0, sq).status == 0);
    if (streams != 0) {
        nvme_sqe q = admin(NVME_ADMIN_DIRECTIVE_SEND, 0, NVME_IDENTIFY_SEND_ENABLE);
        q.nsid = 1;
        q.cdw12 = NVME_DIRECTIVE_STREAMS << 8 | 1;
        REQUIRE(nand.execute(0, q).status == 0);
    }
}

bool drive::start_trim(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& ranges)
{
    auto r = std::make_unique<request>();
    r->opcode = NVME_IO_DSM;
    r->ranges = ranges;
    r->data.resize(ranges.size() * sizeof(nvme_dsm_range));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const nvme_dsm_range d{0, ranges[i].second, ranges[i].first};
        std::memcpy(r->data.data() + i * sizeof d, &d, sizeof d);
    }
    nvme_sqe q{};
    q.opcode = NVME_IO_DSM;
    q.nsid = 1;
    q.cdw10 = static_cast<std::uint32_t>(ranges.size() - 1);
    q.cdw11 = NVME_DSM_DEALLOCATE;
    return post(std::move(r), q);
}

bool drive::pump()
{
    const bool moved = nand.step();
    host_completion c;
    while (nand.completion(c)) {
        finish(c);
    }
    return moved;
}

void drive::drain()
{
    while (!m_requests.empty()) {
        if (!pump() && !nand.elapse()) {
            FAIL("commands never complete: " << m_requests.size() << " left, first opcode "
                                             << int(m_requests.begin()->second->opcode) << " "
                                             << nand.panic_text());
        }
    }
}

void drive::check_everything()
{
    for (std::uint64_t lba = 0; lba < sectors(); lba += 8) {
        while (!start_read(
            lba, static_cast<std::uint32_t>(std::min<std::uint64_t>(8, sectors() - lba)))) {
            REQUIRE(pump());
        }
    }
    drain();
}

void drive::check_rules()
{
    CHECK_FALSE(nand.panicked());
    for (const std::string& s : nand.broken()) {
        FAIL_CHECK(s);
    }
    CHECK(mismatches == 0);
}

void drive::check_identities(std::uint64_t anchor_pages)
{
    idle();
    const telemetry& t = nand.counters();
    const std::uint32_t slots =
        nand.config.params.geometry.page_size / nand.config.params.ftl.map_unit;
    CHECK(t.mapped == t.valid);
    std::uint64_t programs = 0;
    for (int p = 0; p < FLASH_PURPOSES; ++p) {
        if (p != FLASH_PURPOSE_RECOVERY) { // anchor records are no units
            programs += nand.count(static_cast<flash_purpose>(p)).programs;
        }
    }
    programs -= anchor_pages;
    CHECK(programs * slots == t.host_units_written + t.pad_units + t.gc_units_moved +
                                  t.wear_units_moved + t.refresh_units_moved + t.copy_page_writes +
                                  t.map_units_written + t.slc.folded);
    CHECK(nand.count(FLASH_PURPOSE_MAP).programs * slots <= t.map_units_written);
}

void drive::forget()
{
    for (auto& r : m_requests) {
        for (std::uint32_t i = 0; i < r.second->expected.size(); ++i) {
            copy.end_read(r.second->lba + i, r.second->expected[i], 0);
        }
    }
    m_requests.clear();
}

bool drive::start(std::uint8_t opcode, std::uint64_t lba, std::uint32_t n, bool fua)
{
    auto r = std::make_unique<request>();
    r->opcode = opcode;
    r->lba = lba;
    r->sectors = n;
    if (opcode == NVME_IO_READ || opcode == NVME_IO_WRITE) {
        r->data.resize(std::size_t{n} * 512, 0xAA);
    }
    nvme_sqe q = io(opcode, lba, n, fua);
    if (streams != 0 && opcode == NVME_IO_WRITE) {
        q.cdw12 |= std::uint32_t{NVME_DIRECTIVE_STREAMS} << NVME_RW_DTYPE_SHIFT;
        q.cdw13 = std::uint32_t{stream} << NVME_RW_DSPEC_SHIFT;
    }
    const bool posted = post(std::move(r), q);
    if (streams != 0 && posted && opcode == NVME_IO_WRITE) {
        stream = static_cast<std::uint16_t>(stream % streams + 1);
    }
    return posted;
}

bool drive::post(std::unique_ptr<request> r, const nvme_sqe& q)
{
    if (nand.free_slots() == 0) {
        return false;
    }
    for (std::uint32_t i = 0; i < r->sectors; ++i) {
        if (r->opcode == NVME_IO_WRITE) {
            const std::uint64_t t = copy.tag(r->lba + i);
            std::memcpy(r->data.data() + std::size_t{i} * 512, &t, 8);
            copy.begin_write(r->lba + i, t);
        } else if (r->opcode == NVME_IO_WRITE_ZEROES) {
            copy.begin_write(r->lba + i, 0);
        } else if (r->opcode == NVME_IO_READ) {
            r->expected.push_back(copy.begin_read(r->lba + i));
        }
    }
    if (nand.config.params.host.trim != 0) {
        for (const auto& range : r->ranges) {
            for (std::uint32_t i = 0; i < range.second; ++i) {
                copy.begin_write(range.first + i, 0);
            }
        }
    }
    const std::int64_t id = nand.submit(1, q, &r->data);
    m_requests[static_cast<std::uint32_t>(id)] = std::move(r);
    return true;
}

void drive::finish(const host_completion& c)
{
    const auto it = m_requests.find(c.id);
    if (it == m_requests.end()) {
        return;
    }
    request& r = *it->second;
    ++completed;
    ++statuses[c.status];
    ++waits[c.wait];
    for (std::uint32_t i = 0; i < r.sectors; ++i) {
        if (r.opcode == NVME_IO_READ) {
            std::uint64_t value = 0;
            std::memcpy(&value, r.data.data() + std::size_t{i} * 512, 8);
            if (!copy.end_read(r.lba + i, r.expected[i], value) && c.status == 0) {
                if (++mismatches <= 5) {
                    UNSCOPED_INFO("lba " << r.lba + i << " got " << std::hex << value
                                         << " expected " << r.expected[i]->front());
                    CHECK(mismatches == 0);
                }
            }
        } else if (c.status == 0 &&
                   (r.opcode == NVME_IO_WRITE || r.opcode == NVME_IO_WRITE_ZEROES)) {
            copy.end_write(r.lba + i);
        }
    }
    if (nand.config.params.host.trim != 0 && c.status == 0) {
        for (const auto& range : r.ranges) {
            for (std::uint32_t i = 0; i < range.second; ++i) {
                copy.end_write(range.first + i);
            }
        }
    }
    m_requests.erase(it);
}

} // namespace ssdvp::test
