// SPDX-License-Identifier: Apache-2.0
#include "platform/report/parquet.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace ssdvp::platform {

namespace {

// Numbers of parquet.thrift.
constexpr int parquet_int64 = 2;
constexpr int parquet_double = 5;
constexpr int parquet_optional = 1;
constexpr int parquet_plain = 0;
constexpr int parquet_rle = 3;
constexpr int parquet_data_page = 0;
constexpr int parquet_uncompressed = 0;
constexpr char parquet_magic[] = "PAR1";

/// Little endian, as the values of a page are.
template <typename T>
void put_plain(std::string& out, T value)
{
    std::uint64_t bits = 0;
    static_assert(sizeof(value) <= sizeof(bits));
    std::memcpy(&bits, &value, sizeof(value));
    for (std::size_t i = 0; i < sizeof(value); ++i) {
        out += static_cast<char>(bits >> (8 * i) & 0xff);
    }
}

void put_varint(std::string& out, std::uint64_t n)
{
    for (; n >= 0x80; n >>= 7) {
        out += static_cast<char>((n & 0x7f) | 0x80);
    }
    out += static_cast<char>(n);
}

/// A struct of Thrift's compact protocol. Fields are added in the order of their ids.
class thrift_struct {
public:
    void put(int id, std::int64_t value) { put_int(id, 6, value); }
    void put(int id, int value) { put_int(id, 5, value); }
    void put(int id, std::string_view text)
    {
        field(id, 8);
        put_text(text);
    }
    void put(int id, const thrift_struct& inner)
    {
        field(id, 12);
        m_bytes += inner.bytes();
    }
    void put(int id, const std::vector<thrift_struct>& inner)
    {
        list(id, 12, inner.size());
        for (const thrift_struct& one : inner) {
            m_bytes += one.bytes();
        }
    }
    void put_ints(int id, const std::vector<int>& values)
    {
        list(id, 5, values.size());
        for (const int value : values) {
            put_varint(m_bytes, zigzag(value));
        }
    }
    void put_texts(int id, const std::vector<std::string>& texts)
    {
        list(id, 8, texts.size());
        for (const std::string& text : texts) {
            put_text(text);
        }
    }
    [[nodiscard]] std::string bytes() const { return m_bytes + '\0'; }

private:
    static std::uint64_t zigzag(std::int64_t n)
    {
        return static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63);
    }
    void put_text(std::string_view text)
    {
        put_varint(m_bytes, text.size());
        m_bytes += text;
    }
    void put_int(int id, int type, std::int64_t value)
    {
        field(id, type);
        put_varint(m_bytes, zigzag(value));
    }
    void field(int id, int type) // ids are close to each other here: the short form always fits
    {
        m_bytes += static_cast<char>((id - m_last) << 4 | type);
        m_last = id;
    }
    void list(int id, int type, std::size_t size)
    {
        field(id, 9);
        if (size < 15) {
            m_bytes += static_cast<char>(size << 4 | static_cast<unsigned>(type));
            return;
        }
        m_bytes += static_cast<char>(0xf0 | type);
        put_varint(m_bytes, size);
    }

    std::string m_bytes;
    int m_last = 0;
};

struct parquet_column {
    std::string name;
    std::vector<std::string_view> values;

    [[nodiscard]] bool fractions() const
    {
        for (const std::string_view v : values) {
            if (v.find('.') != std::string_view::npos) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] int type() const { return fractions() ? parquet_double : parquet_int64; }
};

template <typename T>
void put_parsed(std::string& out, std::string_view text)
{
    T value{};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end) {
        throw std::invalid_argument("'" + std::string(text) + "' is no number");
    }
    put_plain(out, value);
}

/// Which values are there (1) or null (0), as runs.
std::string definition_levels(const std::vector<std::string_view>& values)
{
    std::string runs;
    for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
        const bool there = !values[begin].empty();
        while (end < values.size() && values[end].empty() != there) {
            ++end;
        }
        put_varint(runs, (end - begin) << 1);
        runs += static_cast<char>(there);
    }
    std::string levels;
    put_plain(levels, static_cast<std::uint32_t>(runs.size()));
    return levels + runs;
}

std::string page_of(const parquet_column& column)
{
    std::string values = definition_levels(column.values);
    const bool fractions = column.fractions();
    for (const std::string_view v : column.values) {
        if (!v.empty()) {
            fractions ? put_parsed<double>(values, v) : put_parsed<std::int64_t>(values, v);
        }
    }
    thrift_struct data;
    data.put(1, static_cast<int>(column.values.size()));
    data.put(2, parquet_plain);
    data.put(3, parquet_rle); // definition levels
    data.put(4, parquet_rle); // repetition levels: there are none
    thrift_struct head;
    head.put(1, parquet_data_page);
    head.put(2, static_cast<int>(values.size()));
    head.put(3, static_cast<int>(values.size())); // compressed: the same
    head.put(5, data);
    return head.bytes() + values;
}

std::vector<std::string_view> between(std::string_view text, char at)
{
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(at, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::vector<parquet_column> columns_of(std::string_view csv)
{
    std::vector<parquet_column> columns;
    if (!csv.empty() && csv.back() == '\n') {
        csv.remove_suffix(1);
    }
    for (const std::string_view line : between(csv, '\n')) {
        const auto cells = between(line, ',');
        if (columns.empty()) {
            for (const std::string_view name : cells) {
                columns.push_back({std::string(name), {}});
            }
            continue;
        }
        if (cells.size() != columns.size()) {
            throw std::invalid_argument("a line has another number of values than the header");
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns[i].values.push_back(cells[i]);
        }
    }
    return columns;
}

thrift_struct chunk_of(const parquet_column& column, std::size_t offset, std::size_t size)
{
    thrift_struct meta;
    meta.put(1, column.type());
    meta.put_ints(2, {parquet_plain, parquet_rle});
    meta.put_texts(3, {column.name});
    meta.put(4, parquet_uncompressed);
    meta.put(5, static_cast<std::int64_t>(column.values.size()));
    meta.put(6, static_cast<std::int64_t>(size));
    meta.put(7, static_cast<std::int64_t>(size)); // compressed: the same
    meta.put(9, static_cast<std::int64_t>(offset));
    thrift_struct chunk;
    chunk.put(2, static_cast<std::int64_t>(offset));
    chunk.put(3, meta);
    return chunk;
}

std::vector<thrift_struct> schema_of(const std::vector<parquet_column>& columns)
{
    std::vector<thrift_struct> schema(1);
    schema[0].put(4, std::string_view("series"));
    schema[0].put(5, static_cast<int>(columns.size()));
    for (const parquet_column& column : columns) {
        schema.emplace_back();
        schema.back().put(1, column.type());
        schema.back().put(3, parquet_optional);
        schema.back().put(4, std::string_view(column.name));
    }
    return schema;
}

} // namespace

std::string parquet_of(std::string_view csv)
{
    const std::vector<parquet_column> columns = columns_of(csv);
    const auto rows = static_cast<std::int64_t>(columns.front().values.size());
    std::string file = parquet_magic;
    std::size_t data = 0;
    std::vector<thrift_struct> chunks;
    for (const parquet_column& column : columns) {
        const std::string page = page_of(column);
        chunks.push_back(chunk_of(column, file.size(), page.size()));
        file += page;
        data += page.size();
    }
    thrift_struct group;
    group.put(1, chunks);
    group.put(2, static_cast<std::int64_t>(data));
    group.put(3, rows);
    thrift_struct meta;
    meta.put(1, 1); // version
    meta.put(2, schema_of(columns));
    meta.put(3, rows);
    meta.put(4, std::vector{group});
    meta.put(6, std::string_view("ssdvp"));
    const std::string footer = meta.bytes();
    file += footer;
    put_plain(file, static_cast<std::uint32_t>(footer.size()));
    return file + parquet_magic;
}

} // namespace ssdvp::platform
