// SPDX-License-Identifier: Apache-2.0
#include "models/host/driver/bring_up.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ssdvp::host {

using namespace ssdvp::literals;

namespace {

/// CAP.TO bounds CSTS.RDY. A shutdown writes back all that the drive holds, however slow it is.
constexpr std::uint64_t shutdown_ms = 600000;

constexpr std::uint64_t cap_mqes(std::uint64_t cap)
{
    return (cap & NVME_CAP_MQES_MASK) + 1;
}
constexpr std::uint64_t cap_timeout_ms(std::uint64_t cap)
{
    return ((cap & NVME_CAP_TO_MASK) >> NVME_CAP_TO_SHIFT) * 500; // CAP.TO counts 500 ms
}
constexpr std::uint32_t cap_ams(std::uint64_t cap)
{
    return static_cast<std::uint32_t>((cap & NVME_CAP_AMS_MASK) >> NVME_CAP_AMS_SHIFT);
}
constexpr std::uint32_t cap_mpsmin(std::uint64_t cap)
{
    return static_cast<std::uint32_t>((cap & NVME_CAP_MPSMIN_MASK) >> NVME_CAP_MPSMIN_SHIFT);
}

template <typename T>
T load(const unsigned char* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

} // namespace

bring_up::bring_up(const driver_config& config, registers& regs, memory& mem, bring_up_owner& owner)
    : m_config(config), m_regs(regs), m_memory(mem), m_owner(owner),
      m_admin(0, admin_entries, mem, mem.allocate(admin_entries * sizeof(nvme_cqe))),
      m_data(mem.allocate(memory::page_size)), m_loan(config.hmb, mem)
{}

const std::vector<bring_up::step>& bring_up::init_table()
{
    using self = bring_up;
    static const std::vector<step> table = {
        {"reset", &self::disable, nullptr, NVME_CSTS_RDY, 0, false},
        {"enable", &self::enable, nullptr, NVME_CSTS_RDY, NVME_CSTS_RDY, false},
        {"identify controller", &self::identify_controller, &self::read_controller, 0, 0, false},
        {"identify namespace", &self::identify_namespace, &self::read_namespace, 0, 0, false},
        {"format", &self::format, nullptr, 0, 0, false, &self::wants_format},
        {"identify namespace", &self::identify_namespace, &self::read_namespace, 0, 0, false,
         &self::wants_format},
        {"identify zones", &self::identify_zones, &self::read_zones, 0, 0, false,
         &self::wants_zones},
        {"number of queues", &self::set_queue_count, &self::read_queue_count, 0, 0, false},
        {"arbitration", &self::set_arbitration, nullptr, 0, 0, false, &self::wants_arbitration},
        {"interrupt coalescing", &self::set_coalescing, nullptr, 0, 0, false,
         &self::wants_coalescing},
        {"power state", &self::set_power_state, nullptr, 0, 0, false, &self::wants_power_state},
        {"autonomous power states", &self::set_apst, nullptr, 0, 0, false, &self::wants_apst},
        {"streams directive", &self::enable_streams, nullptr, 0, 0, false, &self::wants_streams},
        {"host memory buffer", &self::lend, nullptr, 0, 0, false, &self::wants_lending},
        {"create completion queue", &self::create_cq, nullptr, 0, 0, true},
        {"create submission queue", &self::create_sq, nullptr, 0, 0, true},
    };
    return table;
}

const std::vector<bring_up::step>& bring_up::shutdown_table()
{
    using self = bring_up;
    static const std::vector<step> table = {
        {"delete submission queue", &self::delete_sq, nullptr, 0, 0, true},
        {"delete completion queue", &self::delete_cq, nullptr, 0, 0, true},
        {"shut down", &self::notify_shutdown, nullptr, NVME_CSTS_SHST_MASK, NVME_CSTS_SHST_COMPLETE,
         false},
    };
    return table;
}

const std::vector<bring_up::step>& bring_up::lend_table()
{
    static const std::vector<step> table = {
        {"host memory buffer, again", &bring_up::lend, nullptr, 0, 0, false}};
    return table;
}

const std::vector<bring_up::step>& bring_up::take_back_table()
{
    static const std::vector<step> table = {
        {"host memory buffer, taken back", &bring_up::take_back, nullptr, 0, 0, false}};
    return table;
}

void bring_up::lend_memory(bool lend)
{
    run(lend ? lend_table() : take_back_table());
}

void bring_up::initialise()
{
    run(init_table());
}

void bring_up::shut_down()
{
    run(shutdown_table());
}

void bring_up::abandon()
{
    m_table = nullptr;
    ++m_generation;
    m_admin.reset();
}

void bring_up::run(const std::vector<step>& table)
{
    m_table = &table;
    m_step = 0;
    m_repeat = 0;
    m_failed = false;
    m_formats = false;
    begin_step();
}

std::uint64_t bring_up::timeout_ms() const
{
    const step& s = (*m_table)[m_step];
    const bool long_one = s.csts_mask == NVME_CSTS_SHST_MASK || s.begin == &bring_up::format;
    return long_one ? shutdown_ms : std::max<std::uint64_t>(cap_timeout_ms(m_cap), 500);
}

void bring_up::begin_step()
{
    const step& s = (*m_table)[m_step];
    m_skew = {};
    m_poll_interval.restart();
    m_advance_pending = false;
    nvme_sqe sqe{};
    (this->*s.begin)(sqe);
    if (m_failed) {
        return;
    }
    ++m_generation;
    m_owner.watch_after(m_skew + timeout_ms() * 1_ms, m_generation);
    if (s.csts_mask == 0) {
        issue(sqe);
    } else {
        m_owner.poll_after(m_skew + m_poll_interval.now());
    }
}

void bring_up::advance()
{
    const step& s = (*m_table)[m_step];
    if (s.per_queue && ++m_repeat < m_config.queue_pairs) {
        begin_step();
        return;
    }
    m_repeat = 0;
    do {
        ++m_step;
    } while (m_step != m_table->size() && (*m_table)[m_step].wanted != nullptr &&
             !(this->*(*m_table)[m_step].wanted)());
    if (m_step == m_table->size()) {
        finish(true, {});
    } else {
        begin_step();
    }
}

void bring_up::finish(bool ok, const std::string& why)
{
    m_table = nullptr;
    ++m_generation;
    m_owner.sequence_ended(ok, why);
}

void bring_up::fail(const std::string& why)
{
    m_failed = true;
    finish(false, fmt::format("step \"{}\": {}", (*m_table)[m_step].name, why));
}

void bring_up::on_poll()
{
    if (!running()) {
        return;
    }
    if (m_advance_pending) {
        advance();
        return;
    }
    const step& s = (*m_table)[m_step];
    const auto [csts, delay] = m_regs.read32(NVME_REG_CSTS);
    if (m_regs.errors() != 0) {
        fail("the controller refuses accesses to its registers");
    } else if ((csts & NVME_CSTS_CFS) != 0 && m_step != 0) {
        // Step 0 is the reset, which is the way out of a fatal state.
        fail("controller fatal status (CSTS.CFS)");
    } else if ((csts & s.csts_mask) == s.csts_value) {
        m_advance_pending = true;
        m_owner.poll_after(delay);
    } else {
        m_poll_interval.grow();
        m_owner.poll_after(delay + m_poll_interval.now());
    }
}

void bring_up::on_watchdog(std::uint32_t generation)
{
    if (!running() || generation != m_generation) {
        return;
    }
    const auto csts = static_cast<std::uint32_t>(m_regs.read32(NVME_REG_CSTS).value);
    fail(fmt::format("{} within {} ms, CSTS {:#x}{}",
                     (*m_table)[m_step].csts_mask == 0 ? "no completion" : "state not reached",
                     timeout_ms(), csts, (csts & NVME_CSTS_CFS) != 0 ? ": fatal status" : ""));
}

void bring_up::issue(nvme_sqe sqe)
{
    sqe.cid = m_cid = m_admin.take_cid();
    m_admin.push(sqe);
    m_admin.take_sq_dirty();
    m_regs.write32(NVME_REG_DOORBELL + NVME_DOORBELL_SQTDBL, m_admin.sq_tail());
}

void bring_up::on_interrupt()
{
    nvme_cqe cqe{};
    while (m_admin.pop(now(), cqe)) {
        m_regs.write32(NVME_REG_DOORBELL + NVME_DOORBELL_CQHDBL, m_admin.cq_head());
        if (m_admin.release_cid(cqe.cid) && running() && cqe.cid == m_cid) {
            complete(cqe);
        }
    }
}

void bring_up::complete(const nvme_cqe& cqe)
{
    const step& s = (*m_table)[m_step];
    const auto status = static_cast<std::uint32_t>(cqe.status >> 1) & 0x7FF;
    if (status != 0) {
        fail(fmt::format("command failed with status {:#x}", status));
        return;
    }
    if (s.end != nullptr) {
        (this->*s.end)(cqe);
    }
    if (!m_failed) {
        advance();
    }
}

void bring_up::disable(nvme_sqe&)
{
    const auto [cap, delay] = m_regs.read64(NVME_REG_CAP);
    m_cap = cap;
    m_skew = delay;
    if (m_regs.errors() != 0) {
        fail("the controller refuses accesses to its registers");
    } else if (cap_mqes(cap) < m_config.queue_entries) {
        fail(fmt::format("queues of {} entries asked for, the controller takes {} (CAP.MQES)",
                         m_config.queue_entries, cap_mqes(cap)));
    } else if (cap_mpsmin(cap) != 0) {
        fail("the controller does not take pages of 4 KiB (CAP.MPSMIN)");
    } else if (weighted() && (cap_ams(cap) & 1u) == 0) {
        fail("the controller has no weighted round robin (CAP.AMS)");
    } else {
        m_cc = 0;
        m_regs.write32(NVME_REG_CC, m_cc, m_skew);
    }
}

void bring_up::write_vectors()
{
    for (std::uint32_t v = 0; v <= m_config.queue_pairs; ++v) {
        const std::uint64_t entry = NVME_REG_MSIX_TABLE + std::uint64_t{v} * NVME_MSIX_TABLE_STRIDE;
        m_regs.write32(entry + NVME_MSIX_TABLE_ADDRESS_LO,
                       static_cast<std::uint32_t>(memory::msi_base));
        m_regs.write32(entry + NVME_MSIX_TABLE_ADDRESS_HI, 0);
        m_regs.write32(entry + NVME_MSIX_TABLE_DATA, v);
        m_regs.write32(entry + NVME_MSIX_TABLE_CONTROL, 0); // unmasked
    }
}

void bring_up::enable(nvme_sqe&)
{
    m_admin.reset();
    m_owner.controller_disabled();
    write_vectors();
    m_regs.write32(NVME_REG_AQA, (admin_entries - 1) << 16 | (admin_entries - 1));
    m_regs.write64(NVME_REG_ASQ, m_admin.sq_address());
    m_regs.write64(NVME_REG_ACQ, m_admin.cq_address());
    m_cc = weighted() ? 1u << NVME_CC_AMS_SHIFT : 0;
    m_cc |= m_config.zone_size != 0 ? 6u << NVME_CC_CSS_SHIFT : 0; // all command sets
    m_cc |= NVME_CC_EN | 6u << NVME_CC_IOSQES_SHIFT | 4u << NVME_CC_IOCQES_SHIFT;
    m_regs.write32(NVME_REG_CC, m_cc);
    if (m_regs.errors() != 0) {
        fail("the controller refuses accesses to its registers");
    }
}

void bring_up::identify_controller(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_IDENTIFY;
    sqe.prp1 = m_data;
    sqe.cdw10 = 1; // CNS: controller
}

void bring_up::read_controller(const nvme_cqe&)
{
    const unsigned char* data = m_memory.at(m_data);
    const unsigned mdts = data[77]; // log2, in pages of 4 KiB; 0 = no limit
    m_info.max_transfer = mdts == 0 || mdts > 8
                              ? largest_transfer
                              : static_cast<std::uint32_t>(memory::page_size) << mdts;
    const bool sgls = (load<std::uint32_t>(data + 536) & 0x3u) != 0; // SGLS
    if (m_config.sgl && !sgls) {
        fail("the controller takes no SGLs (SGLS of Identify)");
    }
    m_info.deallocate = (load<std::uint16_t>(data + 520) & 0x4u) != 0; // ONCS bit 2
    m_info.write_cache = (data[525] & 1u) != 0;                        // VWC: present
    m_info.model.assign(reinterpret_cast<const char*>(data + 24), 40);
    m_info.model.erase(m_info.model.find_last_not_of(std::string(" \0", 2)) + 1);
    m_loan.hear(data);
}

void bring_up::identify_namespace(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_IDENTIFY;
    sqe.nsid = 1;
    sqe.prp1 = m_data;
    sqe.cdw10 = 0; // CNS: namespace
}

void bring_up::read_namespace(const nvme_cqe&)
{
    const unsigned char* data = m_memory.at(m_data);
    const unsigned format = data[26] & 0xFu;                            // FLBAS
    const unsigned shift = data[128 + 4 * format + 2];                  // LBAF.LBADS
    m_info.capacity = load<std::uint64_t>(data);                        // NSZE
    const auto metadata = load<std::uint16_t>(data + 128 + 4 * format); // LBAF.MS
    const metadata_config& wanted = m_config.metadata;
    const bool as_wanted = metadata == wanted.bytes &&
                           (metadata == 0 || (((data[26] >> 4) & 1u) != 0) == wanted.extended) &&
                           (data[29] & 0xFu) == wanted.protection; // DPS: type, in the last bytes
    if (!as_wanted && !m_formats) {
        choose_format(data);
        return;
    }
    if (!as_wanted) {
        fail("the namespace is not as it was to be formatted");
    } else if (m_config.zone_size != 0 &&
               shift == 12) { // its zones side by side, as far as they go
        m_info.capacity = m_info.capacity * 8 / m_config.zone_size * m_config.zone_capacity;
    } else if (shift != 9) {
        fail(fmt::format("namespace formatted with blocks of 2^{} bytes, this driver takes 512",
                         shift));
    }
    if (m_failed) {
        return;
    }
    if (m_info.capacity == 0) {
        fail("namespace 1 has no capacity");
    }
}

/// Zoned Namespace Command Set 1.1, section 4.1.5.1.
void bring_up::identify_zones(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_IDENTIFY;
    sqe.nsid = 1;
    sqe.prp1 = m_data;
    sqe.cdw10 = 5; // CNS: namespace, of a command set
    sqe.cdw11 = std::uint32_t{NVME_CSI_ZONED} << 24;
}

void bring_up::read_zones(const nvme_cqe&)
{
    m_info.read_across = (load<std::uint16_t>(m_memory.at(m_data) + 2) & 1u) != 0; // OZCS
}

/// Blocks of 512 bytes with the metadata that were asked for, if the drive has such a format.
void bring_up::choose_format(const unsigned char* data)
{
    const unsigned count = data[25] + 1u; // NLBAF
    for (unsigned i = 0; i < count; ++i) {
        if (data[128 + 4 * i + 2] == 9 &&
            load<std::uint16_t>(data + 128 + 4 * i) == m_config.metadata.bytes) {
            m_formats = true;
            m_format = i;
            return;
        }
    }
    fail(fmt::format("namespace 1 cannot be formatted with {} bytes of metadata",
                     m_config.metadata.bytes));
}

bool bring_up::wants_format() const
{
    return m_formats;
}

/// A new drive's; after a loss of power or a reset it is as it was formatted.
void bring_up::format(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_FORMAT;
    sqe.nsid = 1;
    sqe.cdw10 = m_format | (m_config.metadata.extended ? 1u << 4 : 0u) |
                m_config.metadata.protection << 5; // PI; PIL 0: the last bytes
}

void bring_up::set_queue_count(nvme_sqe& sqe)
{
    const std::uint32_t asked = m_config.queue_pairs - 1;
    sqe.opcode = NVME_ADMIN_SET_FEATURES;
    sqe.cdw10 = NVME_FEATURE_NUMBER_OF_QUEUES;
    sqe.cdw11 = asked << 16 | asked;
}

void bring_up::read_queue_count(const nvme_cqe& cqe)
{
    m_info.queue_pairs = std::min(cqe.dw0 & 0xFFFF, cqe.dw0 >> 16) + 1;
    if (m_info.queue_pairs < m_config.queue_pairs) {
        fail(fmt::format("{} I/O queue pairs asked for, the controller grants {}",
                         m_config.queue_pairs, m_info.queue_pairs));
    }
}

bool bring_up::weighted() const
{
    return m_config.arbitration == arbitration_kind::weighted_round_robin;
}

/// What the controller starts with needs no command.
bool bring_up::wants_arbitration() const
{
    return weighted() || m_config.burst != driver_config().burst;
}

void bring_up::set_arbitration(nvme_sqe& sqe)
{
    constexpr std::uint32_t no_limit = 7;
    std::uint32_t ab = 0;
    while (m_config.burst >> (ab + 1) != 0) {
        ++ab;
    }
    sqe.opcode = NVME_ADMIN_SET_FEATURES;
    sqe.cdw10 = NVME_FEATURE_ARBITRATION;
    sqe.cdw11 = m_config.burst == 0 ? no_limit : ab;
    if (weighted()) { // zero-based
        sqe.cdw11 |= (m_config.weight_high - 1) << 24 | (m_config.weight_medium - 1) << 16 |
                     (m_config.weight_low - 1) << 8;
    }
}

bool bring_up::wants_coalescing() const
{
    return m_config.coalescing_threshold > 1;
}

void bring_up::set_coalescing(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_SET_FEATURES;
    sqe.cdw10 = NVME_FEATURE_COALESCING;
    sqe.cdw11 = static_cast<std::uint32_t>(m_config.coalescing_time.ps() / (100_us).ps()) << 8 |
                (m_config.coalescing_threshold - 1);
}

void bring_up::set_power_state(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_SET_FEATURES;
    sqe.cdw10 = NVME_FEATURE_POWER_MANAGEMENT;
    sqe.cdw11 = m_config.power_state;
}

/// From each state into the next non-operational one, as far as times are given.
void bring_up::set_apst(nvme_sqe& sqe)
{
    constexpr std::size_t table_bytes = 256;
    unsigned char* const table = m_memory.at(m_data);
    std::fill_n(table, table_bytes, static_cast<unsigned char>(0));
    for (std::uint32_t state = 0; state + 1 < m_config.power_states; ++state) {
        const std::uint32_t target = std::max(state + 1, m_config.operational_states);
        const std::size_t which = target - m_config.operational_states;
        if (which < m_config.apst.size()) {
            const auto ms = static_cast<std::uint32_t>(m_config.apst[which].ps() / (1_ms).ps());
            const std::uint32_t entry = ms << 8 | target << 3;
            std::memcpy(table + std::size_t{8} * state, &entry, sizeof entry);
        }
    }
    sqe.opcode = NVME_ADMIN_SET_FEATURES;
    sqe.cdw10 = NVME_FEATURE_AUTONOMOUS_POWER;
    sqe.cdw11 = 1; // APSTE
    sqe.prp1 = m_data;
}

bool bring_up::wants_streams() const
{
    const auto& ids = m_config.stream_ids;
    return std::any_of(ids.begin(), ids.end(), [](std::uint16_t id) { return id != 0; });
}

/// Streams are opened by the first write that names them, of what all namespaces share.
void bring_up::enable_streams(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_DIRECTIVE_SEND;
    sqe.nsid = 1;
    sqe.cdw11 = std::uint32_t{NVME_DIRECTIVE_IDENTIFY} << 8 | NVME_IDENTIFY_SEND_ENABLE;
    sqe.cdw12 = std::uint32_t{NVME_DIRECTIVE_STREAMS} << 8 | 1; // target, ENDIR
}

void bring_up::create_cq(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_CREATE_CQ;
    sqe.prp1 = m_owner.io_queue(m_repeat).cq_address();
    sqe.cdw10 = (m_config.queue_entries - 1) << 16 | queue_id();
    sqe.cdw11 = queue_id() << 16 | 3; // vector; interrupts enabled, physically contiguous
}

void bring_up::create_sq(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_CREATE_SQ;
    sqe.prp1 = m_owner.io_queue(m_repeat).sq_address();
    sqe.cdw10 = (m_config.queue_entries - 1) << 16 | queue_id();
    const auto priority = static_cast<std::uint32_t>(m_owner.io_queue(m_repeat).priority());
    // Its completion queue; its class, where there are any; physically contiguous.
    sqe.cdw11 = queue_id() << 16 | (weighted() ? priority << 1 : 0u) | 1;
}

void bring_up::delete_sq(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_DELETE_SQ;
    sqe.cdw10 = queue_id();
}

void bring_up::delete_cq(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_DELETE_CQ;
    sqe.cdw10 = queue_id();
}

void bring_up::notify_shutdown(nvme_sqe&)
{
    m_cc |= 1u << NVME_CC_SHN_SHIFT; // normal shutdown
    m_regs.write32(NVME_REG_CC, m_cc);
}

} // namespace ssdvp::host
