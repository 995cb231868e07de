// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/nvme_drives.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ssdvp::fuzz {

using namespace ssdvp::literals;

namespace {

constexpr const char* after = "after a reset";
constexpr std::uint32_t all_namespaces = 0xFFFFFFFF;
constexpr std::uint32_t all_command_sets = 6u << NVME_CC_CSS_SHIFT;
enum : std::uint32_t { create = 0, remove = 1, attach = 0 }; // SEL of dword 10

/// A drive that has room for the table of namespaces in its records: pages of 2 KiB.
std::vector<std::string> managed(const std::vector<std::string>& more)
{
    std::vector<std::string> sets = {"nand.page_size=2KiB", "nand.oob_size=64B",
                                     "ftl.map_unit=2KiB", "cache.capacity=16KiB"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

const std::vector<nvme_choice>& nvme_choices()
{
    static const std::vector<nvme_choice> choices = {
        {"plain", {}, 0, false, {}},
        {"zoned",
         managed({"host.nvme.zns.zone_size=32KiB", "host.nvme.zns.zone_capacity=28KiB",
                  "host.nvme.zns.max_open=2", "host.nvme.zns.max_active=3"}),
         all_command_sets,
         false,
         {{64, 1, 0, NVME_CSI_ZONED}}},
        {"streams", managed({"ftl.streams=3"}), 0, false, {{512, 0, 0, 0}}},
        {"metadata", managed({}), 0, true, {{192, 0x12, 1, 0}, {96, 3, 3, 0}}},
        {"namespaces", managed({}), 0, true, {{128, 0, 0, 0}, {16, 1, 0, 0}, {64, 2, 1, 0}}},
        {"unbuffered", {"cache.policy=none"}, 0, false, {}},
    };
    return choices;
}

nvme_drive::nvme_drive(const nvme_choice& choice)
    : m_choice(choice), m_host(choice.name, choice.sets)
{}

void nvme_drive::recover()
{
    restart();
    if (m_new && m_choice.laid_out) {
        lay_out();
    }
    m_new = false;
    std::uint32_t status = access_when_ready(NVME_IO_READ);
    const bool managed = !m_choice.namespaces.empty();
    if (managed && (status == NVME_SC_INVALID_FIELD || status == NVME_SC_INVALID_NAMESPACE)) {
        lay_out(); // it was told to delete or to detach namespace 1
        status = access_when_ready(NVME_IO_READ);
    } else if (status == NVME_SC_UNRECOVERED_READ_ERROR) { // Write Uncorrectable
        status = access_when_ready(NVME_IO_WRITE);
        status = status != 0 ? status : access_when_ready(NVME_IO_READ);
    }
    if (status != NVME_SC_SUCCESS) {
        char text[48];
        std::snprintf(text, sizeof text, "a read fails with status %03x", status);
        fail(text, after);
    }
    save_something();
    check(after);
}

void nvme_drive::restart()
{
    if (!m_host.disable()) {
        fail("CSTS.RDY does not go", after);
    }
    enable();
}

void nvme_drive::enable()
{
    if (!m_host.enable(m_choice.cc) || m_host.read32(NVME_REG_CSTS) != NVME_CSTS_RDY) {
        fail("CSTS.RDY does not come", after);
    }
    for (const std::uint32_t status : m_host.create_queues()) {
        if (status != NVME_SC_SUCCESS) {
            fail("a queue is not created", after);
        }
    }
}

/// A command that ends when the drive's state is on the flash: the slot that runs is to run.
void nvme_drive::save_something()
{
    nvme_sqe sqe{};
    sqe.opcode = NVME_ADMIN_FW_COMMIT;
    sqe.cdw10 = 2 << 3 | 1;
    if (m_host.command(0, sqe) == test::raw_host::no_completion) {
        fail("the drive's state is never saved", after);
    }
}

/// One block, whatever its size and metadata: a page, one more and one for metadata.
std::uint32_t nvme_drive::access(std::uint8_t opcode)
{
    nvme_sqe sqe{};
    sqe.opcode = opcode;
    sqe.nsid = 1;
    sqe.prp1 = m_host.page(0);
    sqe.prp2 = m_host.page(1);
    sqe.mptr = m_host.page(2);
    return m_host.command(1, sqe);
}

/// A format or a deletion that the reset found goes on.
std::uint32_t nvme_drive::access_when_ready(std::uint8_t opcode)
{
    std::uint32_t status = access(opcode);
    for (int i = 0; i < 1000 && status == NVME_SC_FORMAT_IN_PROGRESS; ++i) {
        m_host.run(1_ms);
        status = access(opcode);
    }
    return status;
}

void nvme_drive::lay_out()
{
    nvme_sqe sqe{};
    sqe.opcode = NVME_ADMIN_NS_MANAGEMENT;
    sqe.nsid = all_namespaces;
    sqe.cdw10 = remove;
    if (const std::uint32_t status = m_host.command(0, sqe);
        status != NVME_SC_SUCCESS && status != NVME_SC_INVALID_NAMESPACE) {
        fail("namespaces are not deleted", after);
    }
    std::uint32_t nsid = 0;
    for (const nvme_namespace& ns : m_choice.namespaces) {
        auto* page = &m_host.at<std::uint8_t>(m_host.page(0));
        std::memset(page, 0, 4096);
        std::memcpy(page, &ns.blocks, sizeof ns.blocks);     // NSZE
        std::memcpy(page + 8, &ns.blocks, sizeof ns.blocks); // NCAP
        page[26] = ns.flbas;
        page[29] = ns.protection;
        sqe = {};
        sqe.opcode = NVME_ADMIN_NS_MANAGEMENT;
        sqe.prp1 = m_host.page(0);
        sqe.cdw10 = create;
        sqe.cdw11 = std::uint32_t{ns.command_set} << 24;
        if (m_host.command(0, sqe) != NVME_SC_SUCCESS) {
            fail("a namespace is not created", after);
        }
        std::memset(page, 0, 4096);
        page[0] = 1; // controllers in the list
        page[2] = 1; // the only one
        sqe.opcode = NVME_ADMIN_NS_ATTACHMENT;
        sqe.nsid = ++nsid;
        sqe.cdw10 = attach;
        sqe.cdw11 = 0;
        if (m_host.command(0, sqe) != NVME_SC_SUCCESS) {
            fail("a namespace is not attached", after);
        }
    }
}

void nvme_drive::check(const char* when)
{
    if (const std::string trouble = m_host.trouble(); !trouble.empty()) {
        fail(trouble, when);
    }
}

void nvme_drive::fail(const std::string& what, const char* when) const
{
    std::fprintf(stderr, "nvme_fuzz: drive '%s': %s %s\n", m_choice.name, what.c_str(), when);
    std::abort();
}

} // namespace ssdvp::fuzz
