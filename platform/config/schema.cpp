// SPDX-License-Identifier: Apache-2.0
//
// JSON Schema (draft 2020-12) of configuration files, from the tables of options.
#include "platform/config/loader.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <stdexcept>

#include "platform/config/option.h"

namespace ssdvp::platform {
namespace {

namespace json = boost::json;

constexpr const char* number_pattern = "[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]{1,3})?";

json::object text_matching(const std::string& pattern)
{
    return {{"type", "string"}, {"pattern", "^" + pattern + "$"}};
}

json::object integer_schema(const value_spec& spec)
{
    json::object o{{"type", "integer"}};
    if (!spec.allowed.empty()) {
        o["enum"] = json::value_from(spec.allowed);
    } else {
        o["minimum"] = spec.min;
        if (spec.max != UINT64_MAX) {
            o["maximum"] = spec.max;
        }
    }
    return o;
}

json::object plain_real_schema(const value_spec& spec)
{
    json::object plain{{"type", "number"}, {"maximum", spec.high}};
    plain[spec.low_open ? "exclusiveMinimum" : "minimum"] = spec.low;
    return plain;
}

json::object real_schema(const value_spec& spec)
{
    json::object plain = plain_real_schema(spec);
    if (spec.kind == value_kind::number) {
        return plain;
    }
    return {{"anyOf", json::array{plain, text_matching(std::string(number_pattern) + " *%")}}};
}

struct quantity {
    value_kind kind;
    const char* name; // in $defs
};

constexpr quantity quantities[] = {
    {value_kind::time, "time"},
    {value_kind::size, "size"},
    {value_kind::transfer_rate, "transfer_rate"},
    {value_kind::frequency, "frequency"},
    {value_kind::request_rate, "request_rate"},
    {value_kind::current, "current"},
    {value_kind::voltage, "voltage"},
    {value_kind::power, "power"},
};

/// The forms of quantities, each said once.
json::object definitions()
{
    json::object all;
    for (const quantity& q : quantities) {
        // Zero needs no unit.
        all[q.name] = {{"anyOf", json::array{text_matching(fmt::format("{} *{}", number_pattern,
                                                                       unit_pattern(q.kind))),
                                             json::object{{"const", 0}}}}};
    }
    return all;
}

json::object quantity_schema(value_kind kind)
{
    for (const quantity& q : quantities) {
        if (q.kind == kind) {
            return {{"$ref", fmt::format("#/$defs/{}", q.name)}};
        }
    }
    throw std::logic_error("a quantity without a form");
}

json::object one_or_list(const json::object& one)
{
    return {{"anyOf",
             json::array{one, json::object{{"type", "array"}, {"minItems", 1}, {"items", one}}}}};
}

json::object base_schema(const value_spec& spec)
{
    switch (spec.kind) {
    case value_kind::count:
        return integer_schema(spec);
    case value_kind::fraction:
    case value_kind::number:
        return real_schema(spec);
    case value_kind::boolean:
        return {{"type", "boolean"}};
    case value_kind::choice: {
        json::array names;
        for (const choice_name& c : spec.choices) {
            names.emplace_back(c.name);
        }
        return {{"type", "string"}, {"enum", names}};
    }
    case value_kind::text:
        return {{"type", "string"}, {"minLength", 1}};
    case value_kind::time_list:
        return one_or_list(quantity_schema(value_kind::time));
    case value_kind::step_list: {
        const json::object count{{"type", "integer"}, {"minimum", 0}};
        const json::object step{
            {"type", "object"},
            {"properties", json::object{{"pe_cycles", count}, {"safe_points", count}}},
            {"required", json::array{"pe_cycles", "safe_points"}},
            {"additionalProperties", false}};
        return {{"anyOf",
                 json::array{count,
                             json::object{{"type", "array"}, {"minItems", 1}, {"items", step}}}}};
    }
    case value_kind::count_list:
        return one_or_list(integer_schema(spec));
    case value_kind::number_list:
        return one_or_list(plain_real_schema(spec));
    case value_kind::count_or_time:
        return {{"anyOf", json::array{json::object{{"type", "integer"}, {"minimum", 0}},
                                      quantity_schema(value_kind::time)}}};
    default:
        return quantity_schema(spec.kind);
    }
}

template <class Target>
json::object option_schema(const basic_option<Target>& o)
{
    json::array forms{base_schema(o.spec)};
    if (!o.spec.word.name.empty()) {
        forms.emplace_back(json::object{{"const", o.spec.word.name}});
    }
    if (o.spec.kind != value_kind::text) {
        forms.emplace_back(json::object{{"const", "default"}});
    }
    const std::string fallback = o.fallback.empty() ? o.computed : o.fallback;
    json::object schema{
        {"description", fmt::format("{} [{}; default: {}]", o.about, describe(o.spec), fallback)}};
    if (forms.size() == 1) {
        for (const auto& member : forms[0].as_object()) {
            schema[member.key()] = member.value();
        }
    } else {
        schema["anyOf"] = forms;
    }
    return schema;
}

json::object group_schema()
{
    return {{"type", "object"}, {"properties", json::object{}}, {"additionalProperties", false}};
}

/// Places `schema` at the dotted key below `root`, making the groups on the way.
void place(json::object& root, const std::string& key, json::object schema)
{
    json::object* group = &root;
    std::size_t from = 0;
    for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', from)) {
        json::object& properties = (*group)["properties"].as_object();
        const std::string head = key.substr(from, dot - from);
        if (!properties.contains(head)) {
            properties[head] = group_schema();
        }
        group = &properties[head].as_object();
        from = dot + 1;
    }
    (*group)["properties"].as_object()[key.substr(from)] = std::move(schema);
}

template <class Target>
json::object table_schema(const std::vector<basic_option<Target>>& table)
{
    json::object root = group_schema();
    for (const auto& o : table) {
        place(root, o.key, option_schema(o));
    }
    return root;
}

/// Two spaces per level; objects keep the order of the tables.
void print(const json::value& v, std::size_t indent, std::string& out)
{
    const bool is_object = v.is_object() && !v.as_object().empty();
    const bool is_array = v.is_array() && !v.as_array().empty();
    if (!is_object && !is_array) {
        out += json::serialize(v);
        return;
    }
    const std::string line = "\n" + std::string(indent + 2, ' ');
    bool first = true;
    const auto begin = [&] {
        out += first ? "" : ",";
        out += line;
        first = false;
    };
    out += is_object ? "{" : "[";
    if (is_object) {
        for (const auto& member : v.as_object()) {
            begin();
            out += json::serialize(json::value(member.key())) + ": ";
            print(member.value(), indent + 2, out);
        }
    } else {
        for (const auto& item : v.as_array()) {
            begin();
            print(item, indent + 2, out);
        }
    }
    out += "\n" + std::string(indent, ' ') + (is_object ? "}" : "]");
}

} // namespace

std::string schema_json()
{
    const json::object names{
        {"anyOf", json::array{json::object{{"type", "string"}},
                              json::object{{"type", "array"},
                                           {"minItems", 1},
                                           {"items", json::object{{"type", "string"}}}}}}};
    json::object root = table_schema(option_table());
    json::object& properties = root["properties"].as_object();
    properties["extends"] = names;
    properties["description"] = json::object{{"type", "string"}};
    json::object drive = group_schema();
    const json::object tree = table_schema(option_table());
    for (const auto& member : tree.at("properties").as_object()) {
        drive["properties"].as_object()[member.key()] =
            json::object{{"$ref", "#/properties/" + std::string(member.key())}};
    }
    drive["properties"].as_object()["config"] = json::object{{"type", "string"}};
    drive["required"] = json::array{"name"};
    drive["patternProperties"] = json::object{{"^[a-z]+(\\.[A-Za-z_]+)+$", true}};
    properties["drives"] =
        json::object{{"type", "array"}, {"minItems", 1}, {"maxItems", 16}, {"items", drive}};
    json::object array = table_schema(raid_table());
    array["properties"].as_object()["drives"] =
        json::object{{"type", "array"},
                     {"minItems", 2},
                     {"maxItems", host::array_members_max},
                     {"items", json::object{{"type", "string"}}}};
    array["required"] = json::array{"name", "level", "drives"};
    properties["raid"] = json::object{{"type", "array"}, {"minItems", 1}, {"items", array}};
    json::object trace = table_schema(trace_table());
    trace["required"] = json::array{"trace"};
    json::object fio = table_schema(fio_table());
    fio["required"] = json::array{"fio"};
    json::object stream = table_schema(stream_table());
    stream["properties"].as_object()["drive"] = json::object{
        {"type", "string"},
        {"description",
         "drive of the list `drives`, or array of the list `raid` [default: the first drive]"}};
    const json::object streams{{"type", "array"}, {"minItems", 1}, {"items", stream}};
    properties["workload"] = json::object{{"oneOf", json::array{streams, trace, fio}}};
    // A key may also be written with dots: `flash.channels: 8`.
    root["patternProperties"] = json::object{{"^[a-z]+(\\.[A-Za-z_]+)+$", true}};
    json::object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "ssdvp configuration"},
                        {"$defs", definitions()}};
    for (const auto& member : root) {
        schema[member.key()] = member.value();
    }
    std::string out;
    print(schema, 0, out);
    return out + "\n";
}

} // namespace ssdvp::platform
