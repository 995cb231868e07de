// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/interned_names.h"

#include <algorithm>

#include "platform/report/timeline/packet_bytes.h"

namespace ssdvp::platform {

using namespace packet_bytes;
using protozero::pbf_writer;

void interned_names::look_up(known& k, const char* name, std::uint64_t on)
{
    if (k.name != name) {
        k.name = name;
        k.number = m_all.try_emplace(name, m_all.size() + 1).first->second;
        char* at = k.start.data();
        at = put_key<track_event::annotation, pbf_wire_type::length_delimited>(at) + 1;
        at = put_number<annotation::name_iid>(at, k.number);
        at = put_key<annotation::uint_value, pbf_wire_type::varint>(at);
        k.length = static_cast<std::size_t>(at - k.start.data());
    }
    k.told_on = on;
    if (on < m_told.size() && k.number < m_told[on].size() && m_told[on][k.number]) {
        return;
    }
    m_told.resize(std::max<std::size_t>(m_told.size(), on + 1));
    m_told[on].resize(std::max<std::size_t>(m_told[on].size(), k.number + 1));
    m_told[on][k.number] = true;
    m_fresh.emplace_back(name, k.number);
}

void interned_names::put_fresh(pbf_writer& data)
{
    for (const auto& [name, number] : m_fresh) {
        pbf_writer one(data, m_field);
        one.add_uint64(interned_name::iid, number);
        one.add_string(interned_name::name, name);
    }
    m_fresh.clear();
}

} // namespace ssdvp::platform
