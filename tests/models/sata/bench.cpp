// SPDX-License-Identifier: Apache-2.0
#include "tests/models/sata/bench.h"

#include <algorithm>

namespace ssdvp::test {

namespace {

constexpr front_end_bench::ring_sizes sata_rings = {128, 256, 256};

sata::front_end_config bench_config()
{
    sata::front_end_config c;
    c.decode_latency = sata_bench::decode_latency;
    c.move_latency = sata_bench::move_latency;
    c.data = data_mode::full;
    return c;
}

sata::front_end_environment environment(sata_bench& b)
{
    sata::front_end_environment e;
    e.ledger = &b.ledger;
    e.faults = &b.faults;
    e.irq_line = 3;
    return e;
}

} // namespace

sata_bench::sata_bench(const sc_core::sc_module_name& name)
    : front_end_bench(name, sata_rings, 4 << 20), wire("wire", sata::link_config()),
      dut("dut", bench_config(), environment(*this))
{
    wire.attach(sata::side::host, *this);
    wire.attach(sata::side::device, dut);
    dut.link.bind(wire);
    bind_device_side(dut);
}

// ---- The host ----

void sata_bench::put_raw(const std::vector<std::uint8_t>& header,
                         const std::vector<std::uint8_t>& data)
{
    m_out.push_back({header, data, 0});
    send_next(now());
}

void sata_bench::put(const fis::register_h2d& f, std::uint8_t slot)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&f);
    if ((f.flags & fis::FLAG_COMMAND) != 0) {
        m_sent[sata::single] = 0;
    }
    m_out.push_back({{bytes, bytes + sizeof f}, {}, slot});
    send_next(now());
}

void sata_bench::send_next(sim_time earliest)
{
    if (m_sending || m_out.empty()) {
        return;
    }
    sata::frame f;
    const outgoing& o = m_out.front();
    f.header = o.header.data();
    f.header_length = static_cast<std::uint32_t>(o.header.size());
    f.data = o.data.data();
    f.data_length = static_cast<std::uint32_t>(o.data.size());
    f.slot = o.slot;
    m_sending = wire.send(sata::side::host, f, earliest);
    if (!m_sending) {
        m_out.clear(); // the link is down
    }
}

void sata_bench::on_sent(const sata::frame&, const sata::sent& s)
{
    r_ok.push_back(s.ok);
    m_out.pop_front();
    m_sending = false;
    send_next(s.end);
}

void sata_bench::comreset()
{
    m_out.clear();
    m_sending = false;
    wire.comreset(true);
    run(10_us);
    wire.comreset(false);
}

bool sata_bench::on_frame(const sata::frame& f, sim_time arrival)
{
    received r;
    std::memcpy(r.header.data(), f.header, f.header_length);
    r.data.assign(f.data, f.data + f.data_length);
    r.metadata = f.metadata;
    r.arrival = arrival;
    got.push_back(r);
    if (f.type() == fis::DATA) {
        return takes_data;
    }
    if (answers_data) {
        answer_request(r);
    }
    return true;
}

void sata_bench::answer_request(const received& r)
{
    if (r.type() == fis::DMA_SETUP) {
        const auto f = r.as<fis::dma_setup>();
        m_tag = f.buffer_low;
        m_offset = f.offset;
        m_left = f.count;
        if ((f.flags & (fis::FLAG_TO_HOST | fis::FLAG_AUTO_ACTIVATE)) == fis::FLAG_AUTO_ACTIVATE) {
            send_data(std::min(m_left, fis::DATA_MAX), r.arrival);
        }
    } else if (r.type() == fis::DMA_ACTIVATE) {
        if (m_left == 0) { // not queued
            m_tag = sata::single;
            m_offset = m_sent[m_tag];
            m_left = static_cast<std::uint32_t>(from_host[m_tag].size()) - m_offset;
        }
        send_data(std::min(m_left, fis::DATA_MAX), r.arrival);
    } else if (r.type() == fis::PIO_SETUP) {
        const auto f = r.as<fis::pio_setup>();
        if ((f.flags & fis::FLAG_TO_HOST) == 0) {
            m_tag = sata::single;
            m_offset = m_sent[m_tag];
            m_left = f.transfer_count;
            send_data(m_left, r.arrival);
        }
    }
}

void sata_bench::send_data(std::uint32_t length, sim_time earliest)
{
    const std::vector<std::uint8_t>& source = from_host[m_tag];
    REQUIRE(m_offset + length <= source.size());
    const auto begin = source.begin() + m_offset;
    m_out.push_back({{fis::DATA, 0, 0, 0}, {begin, begin + length}, 0});
    m_offset += length;
    m_sent[m_tag] = m_offset;
    m_left -= length;
    send_next(earliest);
}

received sata_bench::next()
{
    REQUIRE(looked_at < got.size());
    return got[looked_at++];
}

fis::register_d2h sata_bench::expect_register(std::uint8_t status, std::uint8_t error)
{
    const auto f = next().as<fis::register_d2h>();
    CHECK(int{f.status} == int{status});
    CHECK(int{f.error} == int{error});
    CHECK((f.flags & fis::FLAG_INTERRUPT) != 0);
    return f;
}

fis::set_device_bits sata_bench::expect_bits(std::uint32_t active, std::uint8_t status,
                                             std::uint8_t error)
{
    const auto f = next().as<fis::set_device_bits>();
    CHECK(f.active == active);
    CHECK(int{f.status} == int{status});
    CHECK(int{f.error} == int{error});
    return f;
}

void sata_bench::expect_release()
{
    const auto f = next().as<fis::register_d2h>();
    CHECK(int{f.status} == ATA_STATUS_GOOD);
    CHECK((f.flags & fis::FLAG_INTERRUPT) == 0);
}

// ---- Firmware ----

sata_fe_request sata_bench::take_request(std::uint16_t slot)
{
    fe_command c;
    REQUIRE(take(c));
    CHECK(c.slot == slot);
    CHECK(c.sq_id == SFE_SQ_ID);
    sata_fe_request r;
    std::memcpy(&r, &c.sqe, sizeof r);
    return r;
}

std::uint32_t sata_bench::dones()
{
    fe_move_done d;
    std::uint32_t n = 0;
    while (done(d)) {
        ++n;
    }
    return n;
}

void sata_bench::firmware_follows()
{
    if ((reg_read(SFE_REG_LINK) & SFE_LINK_ENABLE) == 0) {
        reg_write(SFE_REG_READY, 0);
    }
    fe_command c;
    while (take(c)) { // of before
    }
    (void)dones();
    if ((reg_read(SFE_REG_LINK) & SFE_LINK_ENABLE) != 0) {
        reg_write(SFE_REG_READY, SFE_READY_RDY);
    }
}

void sata_bench::start()
{
    run({}); // elaborates
    power_up();
}

void sata_bench::power_up()
{
    open_rings();
    reg_write(SFE_REG_MDTS, mdts);
    reg_write(SFE_REG_INT_ENABLE, SFE_INT_COMMAND | SFE_INT_DONE | SFE_INT_LINK);
    wire.device_power(true);
    run(sata::link::oob_time() + 1_us);
    REQUIRE((reg_read(SFE_REG_INT_STATUS) & SFE_INT_LINK) != 0);
    REQUIRE(reg_read(SFE_REG_LINK) == (SFE_LINK_ENABLE | SFE_LINK_HARD));
    REQUIRE(nothing_more());
    reg_write(SFE_REG_READY, SFE_READY_RDY);
    run(5_us);
    const auto f = next().as<fis::register_d2h>(); // the signature of an ATA device
    CHECK(int{f.flags} == 0);
    CHECK(int{f.status} == 0x50);
    CHECK(int{f.error} == 1);
    CHECK(fis::lba_of(f) == 1);
    CHECK(fis::count_of(f) == 1);
    CHECK(int{f.device} == 0);
    irqs.clear();
}

fis::register_h2d command(std::uint8_t code, std::uint64_t lba, std::uint16_t count)
{
    fis::register_h2d f;
    f.flags = fis::FLAG_COMMAND;
    f.command = code;
    f.device = ATA_DEVICE_LBA;
    fis::set_lba(f, lba);
    f.count = static_cast<std::uint8_t>(count);
    f.count_high = static_cast<std::uint8_t>(count >> 8);
    return f;
}

namespace {

fis::register_h2d queued(std::uint8_t code, std::uint32_t tag, std::uint64_t lba,
                         std::uint16_t sectors)
{
    fis::register_h2d f = command(code, lba, static_cast<std::uint16_t>(tag << 3));
    f.features = static_cast<std::uint8_t>(sectors);
    f.features_high = static_cast<std::uint8_t>(sectors >> 8);
    return f;
}

} // namespace

fis::register_h2d read_queued(std::uint32_t tag, std::uint64_t lba, std::uint16_t sectors)
{
    return queued(ATA_READ_FPDMA_QUEUED, tag, lba, sectors);
}

fis::register_h2d write_queued(std::uint32_t tag, std::uint64_t lba, std::uint16_t sectors)
{
    return queued(ATA_WRITE_FPDMA_QUEUED, tag, lba, sectors);
}

fis::register_h2d read_log10()
{
    return command(ATA_READ_LOG_EXT, ATA_LOG_QUEUE_ERROR, 1);
}

fe_move sata_move(fe_move_op op, std::uint16_t slot, std::uint32_t length, std::uint8_t flags,
                  std::uint32_t offset)
{
    fe_move m{};
    m.op = static_cast<std::uint8_t>(op);
    m.flags = static_cast<std::uint8_t>(flags | FE_MOVE_NOTIFY);
    m.slot = slot;
    m.status = good;
    m.length = length;
    m.offset = offset;
    m.tag = slot;
    m.buffer = sata_bench::buffers + slot * sata_bench::mdts + offset;
    return m;
}

fe_move end_move(std::uint16_t slot, std::uint16_t status, std::uint64_t result)
{
    fe_move m = sata_move(FE_MOVE_COMPLETE, slot, 0, FE_MOVE_CQE);
    m.status = status;
    m.result = result;
    return m;
}

} // namespace ssdvp::test
