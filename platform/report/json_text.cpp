// SPDX-License-Identifier: Apache-2.0
#include "platform/report/json_text.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

/// boost::json would write 0.5 as 5E-1.
void append_number(std::string& out, double v)
{
    if (!std::isfinite(v)) {
        throw std::logic_error("a report holds a number that is not finite");
    }
    fmt::format_to(std::back_inserter(out), "{}", v);
}

void append(std::string& out, const json::value& value, std::size_t indent);

void append_line(std::string& out, std::size_t indent)
{
    out.push_back('\n');
    out.append(indent, ' ');
}

void append_object(std::string& out, const json::object& object, std::size_t indent)
{
    const char* separator = "{";
    for (const json::key_value_pair& member : object) {
        out.append(separator);
        append_line(out, indent + 2);
        out.append(json::serialize(json::string(member.key())));
        out.append(": ");
        append(out, member.value(), indent + 2);
        separator = ",";
    }
    if (object.empty()) {
        out.append("{");
    } else {
        append_line(out, indent);
    }
    out.append("}");
}

void append_array(std::string& out, const json::array& array, std::size_t indent)
{
    const char* separator = "[";
    for (const json::value& element : array) {
        out.append(separator);
        append_line(out, indent + 2);
        append(out, element, indent + 2);
        separator = ",";
    }
    if (array.empty()) {
        out.append("[");
    } else {
        append_line(out, indent);
    }
    out.append("]");
}

void append(std::string& out, const json::value& value, std::size_t indent)
{
    if (const json::object* object = value.if_object()) {
        append_object(out, *object, indent);
    } else if (const json::array* array = value.if_array()) {
        append_array(out, *array, indent);
    } else if (const double* number = value.if_double()) {
        append_number(out, *number);
    } else {
        out.append(json::serialize(value));
    }
}

} // namespace

std::string to_text(const json::value& value)
{
    std::string out;
    append(out, value, 0);
    out.push_back('\n');
    return out;
}

} // namespace ssdvp::platform
