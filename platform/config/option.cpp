// SPDX-License-Identifier: Apache-2.0
#include "platform/config/option.h"

#include "platform/config/option_tables.h"

namespace ssdvp::platform {

value_spec count_of(std::uint64_t min, std::uint64_t max, std::string note)
{
    value_spec spec;
    spec.min = min;
    spec.max = max;
    spec.limit_note = std::move(note);
    return spec;
}

value_spec count_out_of(std::vector<std::uint64_t> allowed)
{
    value_spec spec;
    spec.allowed = std::move(allowed);
    return spec;
}

value_spec size_of(std::uint64_t min, std::uint64_t max)
{
    return rate_of(value_kind::size, min, max);
}

value_spec whole_pages(std::uint64_t min, std::uint64_t max)
{
    value_spec spec = size_of(min, max);
    spec.multiple_of = 4096;
    return spec;
}

value_spec size_out_of(std::vector<std::uint64_t> allowed)
{
    value_spec spec = count_out_of(std::move(allowed));
    spec.kind = value_kind::size;
    return spec;
}

value_spec time_of(std::uint64_t min_ps, std::uint64_t max_ps)
{
    return rate_of(value_kind::time, min_ps, max_ps);
}

value_spec rate_of(value_kind kind, std::uint64_t min, std::uint64_t max)
{
    value_spec spec = count_of(min, max);
    spec.kind = kind;
    return spec;
}

value_spec real_of(value_kind kind, double low, double high, bool low_open)
{
    value_spec spec;
    spec.kind = kind;
    spec.low = low;
    spec.high = high;
    spec.low_open = low_open;
    return spec;
}

value_spec flag()
{
    value_spec spec;
    spec.kind = value_kind::boolean;
    return spec;
}

value_spec words(std::vector<choice_name> choices)
{
    value_spec spec;
    spec.kind = value_kind::choice;
    spec.choices = std::move(choices);
    return spec;
}

value_spec words_free()
{
    value_spec spec;
    spec.kind = value_kind::text;
    return spec;
}

option make_fixed_option(const option_text& text, value_spec spec)
{
    option o;
    o.key = text.key;
    o.fallback = text.fallback;
    o.about = text.about;
    o.spec = std::move(spec);
    o.set = [](ssd_config&, const option_value&) {};
    o.get = [only = o.fallback](const ssd_config&) -> option_value { return only; };
    return o;
}

std::vector<std::uint64_t> powers_of_two(std::uint64_t first, std::uint64_t last)
{
    std::vector<std::uint64_t> list;
    for (std::uint64_t v = first; v <= last; v *= 2) {
        list.push_back(v);
    }
    return list;
}

} // namespace ssdvp::platform
