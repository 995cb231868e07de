// SPDX-License-Identifier: Apache-2.0
//
// The declarative tables of options. Loading, the check for unknown keys, `show`, the schema and
// the documentation all read these tables and nothing else.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/config/config.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

/// Who needs the key: whoever describes a drive and a load, or whoever looks into a part of it.
enum class option_level { expert, basic };

template <class Target>
struct basic_option {
    std::string key;
    value_spec spec;
    std::string fallback; // text of the default; empty: computed, as `computed` says
    std::string computed; // how the default follows from other keys
    std::string about;
    std::function<void(Target&, const option_value&)> set;
    std::function<option_value(const Target&)> get;
    /// Whether the option acts beside the others; empty: always. Who gives one that does not is
    /// told (idle_keys.h): refused where there is a remedy, else named in a notice.
    std::function<bool(const Target&)> relevant;
    std::string relevant_when; // the same in words
    /// Whether it acts in firmware of one's own, where the one that is built in has no use for it.
    std::function<bool(const Target&)> relevant_to_own;
    std::string remedy;
    /// A resolved configuration says it nonetheless: then only another value than the default is
    /// worth a word, for resolved configurations can be run again.
    bool kept = false;
    std::function<option_value(const Target&)> usual; // of one that is kept: a computed default
    /// Whether it shapes the state of a preconditioned drive (shaping.h); empty: always. One that
    /// does not say that it leaves it alone costs time, not correctness.
    std::function<bool(const Target&)> shapes;
    option_level level = option_level::expert;
};

/// One of the keys that a drive and a load are described with; all others are for experts.
template <class Target>
basic_option<Target> basic(basic_option<Target> o)
{
    o.level = option_level::basic;
    return o;
}

/// An option that acts only beside others, and is named or, with a remedy, refused without them.
template <class Target>
basic_option<Target> acts_when(basic_option<Target> o, std::function<bool(const Target&)> relevant,
                               const std::string& when, const std::string& remedy = {})
{
    o.relevant = std::move(relevant);
    o.relevant_when = when;
    o.remedy = remedy;
    return o;
}

/// The same of one that every resolved configuration says.
template <class Target>
basic_option<Target> kept_when(basic_option<Target> o, std::function<bool(const Target&)> relevant,
                               const std::string& when, const std::string& remedy = {})
{
    basic_option<Target> kept = acts_when(std::move(o), std::move(relevant), when, remedy);
    kept.kept = true;
    return kept;
}

using option = basic_option<ssd_config>;

/// Of times of hardware, what moves data, what the host asks for, what is counted: preconditioning
/// takes no simulated time and uses none of it. Where firmware is told of one of them, its boot
/// parameters say so.
inline bool leaves_state(const ssd_config& /*c*/)
{
    return false;
}

using option_switch = bool (*)(const ssd_config&);

inline option only_when(option o, option_switch relevant, const std::string& when,
                        const std::string& remedy = {})
{
    return acts_when<ssd_config>(std::move(o), relevant, when, remedy);
}

using stream_option = basic_option<host::stream_config>;
using trace_option = basic_option<host::trace_config>;
using fio_option = basic_option<host::fio_config>;
using raid_option = basic_option<host::array_config>;

/// Every key of the tree except `workload`. The order is that in which values are set.
const std::vector<option>& option_table();
/// Keys of one entry of the list `workload`.
const std::vector<stream_option>& stream_table();
/// Keys of `workload` when it is a trace.
const std::vector<trace_option>& trace_table();
/// Keys of `workload` when it is a fio job file.
const std::vector<fio_option>& fio_table();
/// Keys of one entry of the list `raid`.
const std::vector<raid_option>& raid_table();

template <class Target>
const basic_option<Target>* find_option(const std::vector<basic_option<Target>>& table,
                                        const std::string& key)
{
    for (const auto& o : table) {
        if (o.key == key) {
            return &o;
        }
    }
    return nullptr;
}

namespace detail {

template <class Field>
void store(Field& field, const value_spec& spec, const option_value& value)
{
    if constexpr (std::is_enum_v<Field>) {
        for (const choice_name& c : spec.choices) {
            if (c.name == std::get<std::string>(value)) {
                field = static_cast<Field>(c.value);
            }
        }
    } else if constexpr (std::is_same_v<Field, rate>) {
        field = rate(std::get<std::uint64_t>(value));
    } else if constexpr (std::is_integral_v<Field> && !std::is_same_v<Field, bool>) {
        field = spec.kind == value_kind::boolean // as boot structs have a flag
                    ? static_cast<Field>(std::get<bool>(value) ? 1 : 0)
                    : static_cast<Field>(std::get<std::uint64_t>(value));
    } else {
        field = std::get<Field>(value);
    }
}

template <class Field>
option_value fetch(const Field& field, const value_spec& spec)
{
    if constexpr (std::is_enum_v<Field>) {
        for (const choice_name& c : spec.choices) {
            if (c.value == static_cast<int>(field)) {
                return c.name;
            }
        }
        return std::string();
    } else if constexpr (std::is_same_v<Field, rate>) {
        return field.per_second();
    } else if constexpr (std::is_integral_v<Field> && !std::is_same_v<Field, bool>) {
        return spec.kind == value_kind::boolean ? option_value(field != 0)
                                                : option_value(static_cast<std::uint64_t>(field));
    } else {
        return field;
    }
}

} // namespace detail

/// Text parts of an option: key, default (empty: computed), description.
struct option_text {
    const char* key;
    const char* fallback;
    const char* about;
    const char* computed = "";
};

/// An option carried by one field; `field` returns a reference to it.
template <class Target, class Access>
basic_option<Target> make_option(const option_text& text, const value_spec& spec, Access field,
                                 bool (*shapes)(const Target&) = nullptr)
{
    basic_option<Target> o;
    o.key = text.key;
    o.fallback = text.fallback;
    o.computed = text.computed;
    o.about = text.about;
    o.spec = spec;
    o.shapes = shapes;
    o.set = [field, s = o.spec](Target& t, const option_value& v) {
        detail::store(field(t), s, v);
    };
    o.get = [field, s = o.spec](const Target& t) { return detail::fetch(field(t), s); };
    return o;
}

// Specifications, for the tables.
value_spec count_of(std::uint64_t min, std::uint64_t max, std::string note = {});
value_spec count_out_of(std::vector<std::uint64_t> allowed);
value_spec size_of(std::uint64_t min, std::uint64_t max);
value_spec whole_pages(std::uint64_t min, std::uint64_t max); // of 4 KiB
value_spec size_out_of(std::vector<std::uint64_t> allowed);
value_spec time_of(std::uint64_t min_ps, std::uint64_t max_ps);
value_spec rate_of(value_kind kind, std::uint64_t min, std::uint64_t max);
value_spec real_of(value_kind kind, double low, double high, bool low_open = false);
value_spec flag();
value_spec words_free();
value_spec words(std::vector<choice_name> choices);

} // namespace ssdvp::platform
