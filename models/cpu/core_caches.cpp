// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/core_caches.h"

#include "models/common/data_mode.h"

namespace ssdvp::cpu {

cache_line::cache_line(std::uint32_t bytes) : m_bytes(bytes)
{
    set_byte_enables(m_payload, data_mode::none);
    m_payload.set_data_ptr(m_bytes.data());
    m_payload.set_data_length(bytes);
    m_payload.set_streaming_width(bytes);
}

tlm::tlm_generic_payload& cache_line::at(std::uint64_t address, tlm::tlm_command command)
{
    m_payload.set_command(command);
    m_payload.set_address(address);
    m_payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return m_payload;
}

core_caches::core_caches(const core_config& config)
    : has_dcache(config.dcache.size != 0), has_tlb(config.tlb.entries != 0),
      has_icache(config.icache.cache.size != 0), dcache(config.dcache),
      tlb({std::uint64_t{config.tlb.entries} * config.tlb.page_size, config.tlb.entries,
           config.tlb.page_size}),
      icache(config.icache.cache), of_table(config.dcache.line), of_code(config.icache.cache.line)
{}

void core_caches::clear()
{
    dcache.clear();
    tlb.clear();
    icache.clear();
}

} // namespace ssdvp::cpu
