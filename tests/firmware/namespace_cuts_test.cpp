// SPDX-License-Identifier: Apache-2.0
//
// Power goes at every operation of the flash while namespaces are made, formatted and deleted:
// afterwards each of them is as it was before the command under way, or as after it.
#include <functional>

#include "tests/firmware/flash_reader.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::namespace_cuts_test {
namespace {

using bytes = std::vector<std::uint8_t>;

struct ns_state {
    std::uint64_t blocks = 0; // 0 = there is none
    std::uint8_t format = 0;
    bool attached = false;
    bool operator==(const ns_state& o) const
    {
        return blocks == o.blocks && format == o.format && attached == o.attached;
    }
};
using drive_namespaces = std::vector<ns_state>;

drive_namespaces look(drive& d)
{
    drive_namespaces all(4);
    bytes page(4096);
    for (std::uint32_t nsid = 1; nsid <= all.size(); ++nsid) {
        REQUIRE(d.nand.execute(0, identify(0x11, nsid), &page).status == 0);
        ns_state& s = all[nsid - 1];
        s.blocks = get(page, 0, 8);
        s.format = page[26];
        REQUIRE(d.nand.execute(0, identify(0, nsid), &page).status == 0);
        s.attached = get(page, 0, 8) != 0;
    }
    return all;
}

struct operation {
    std::function<std::uint16_t(drive&)> act;
    std::function<void(drive_namespaces&)> then;
};

operation create(std::uint32_t nsid, std::uint64_t blocks, std::uint8_t format)
{
    return {[=](drive& d) {
                bytes data(4096);
                put(data, 0, blocks);
                put(data, 8, blocks);
                data[26] = format;
                return d.nand.execute(0, admin(NVME_ADMIN_NS_MANAGEMENT, 0), &data).status;
            },
            [=](drive_namespaces& n) {
                n[nsid - 1] = {blocks, format, false};
            }};
}

operation remove(std::uint32_t nsid)
{
    return {[=](drive& d) {
                nvme_sqe q = admin(NVME_ADMIN_NS_MANAGEMENT, 1);
                q.nsid = nsid;
                return d.nand.execute(0, q).status;
            },
            [=](drive_namespaces& n) { n[nsid - 1] = {}; }};
}

operation attach(std::uint32_t nsid, bool on)
{
    return {[=](drive& d) {
                bytes data(4096);
                put(data, 0, 1 | 1 << 16);
                nvme_sqe q = admin(NVME_ADMIN_NS_ATTACHMENT, on ? 0 : 1);
                q.nsid = nsid;
                return d.nand.execute(0, q, &data).status;
            },
            [=](drive_namespaces& n) { n[nsid - 1].attached = on; }};
}

operation format(std::uint32_t nsid, std::uint8_t to, std::uint64_t blocks)
{
    return {[=](drive& d) {
                nvme_sqe q = admin(NVME_ADMIN_FORMAT, to);
                q.nsid = nsid;
                return d.nand.execute(0, q).status;
            },
            [=](drive_namespaces& n) {
                n[nsid - 1].format = to;
                n[nsid - 1].blocks = blocks;
            }};
}

/// Of namespace 2, which is written once and then is nobody's business.
std::uint16_t block_io(drive& d, std::uint8_t opcode, bytes& data)
{
    nvme_sqe q = io(opcode, 10, static_cast<std::uint32_t>(data.size() / 512), true);
    q.nsid = 2;
    return d.nand.execute(1, q, &data).status;
}

bytes kept()
{
    bytes data(16384);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::uint8_t>(i * 7 + i / 512);
    }
    return data;
}

operation write_kept()
{
    return {[](drive& d) {
                bytes data = kept();
                return block_io(d, NVME_IO_WRITE, data);
            },
            [](drive_namespaces&) {}};
}

std::vector<operation> story()
{
    return {remove(1),        create(1, 2000, 0), create(2, 1000, 0), attach(2, true),
            write_kept(),     create(3, 50, 1),   attach(3, true),    format(3, 0, 400),
            attach(1, true),  format(1, 1, 250),  attach(3, false),   remove(3),
            create(3, 88, 0), attach(3, true)};
}

/// Runs the story and cuts the power at the n-th point; false = it was over before.
bool cut_at(std::uint64_t n, bool shut_down_before)
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2;
    std::uint64_t points = 0;
    bool armed = false;
    c.on_point = [&](const flash_point&) { return armed && ++points == n; };
    drive d(c);
    if (shut_down_before) { // a clean drive writes a record before its first program
        shut_down(d);
        restart(d);
    }
    drive_namespaces before(4);
    before[0] = {d.sectors(), 0, true};
    REQUIRE(look(d) == before);
    d.create_queues();
    armed = true;
    drive_namespaces after = before;
    for (const operation& o : story()) {
        before = after;
        o.then(after);
        try {
            const std::uint16_t status = o.act(d); // outside of REQUIRE, which would catch
            REQUIRE(status == 0);
        } catch (const std::runtime_error&) {
            REQUIRE_FALSE(d.nand.powered());
            break;
        }
        before = after;
    }
    const bool cut = !d.nand.powered();
    armed = false;
    if (!cut) {
        d.nand.power_cut();
    }
    d.nand.power_on();
    REQUIRE(d.nand.enable());
    const drive_namespaces now = look(d);
    INFO("cut at point " << n);
    CHECK((now == before || now == after));
    if (now[2].blocks != 0 || now[0].format != 0) { // behind the write
        d.create_queues();
        bytes data(16384);
        REQUIRE(block_io(d, NVME_IO_READ, data) == 0);
        CHECK(data == kept());
    }
    d.check_rules();
    return cut;
}

} // namespace

TEST_CASE("power cuts while namespaces change leave the old ones or the new ones")
{
    const bool clean = GENERATE(false, true);
    std::uint64_t n = 1;
    while (cut_at(n, clean)) {
        ++n;
    }
    CHECK(n > 50); // operations of the flash in the story
}

} // namespace ssdvp::test::namespace_cuts_test
