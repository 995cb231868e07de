// SPDX-License-Identifier: Apache-2.0
//
// A table as an Apache Parquet file, for pandas, polars, DuckDB. Debian 12 has no library for it in
// C++, and of the format only this much is needed: one row group, a page per column, values as they
// are, no compression (parquet.thrift of format 2.x; Thrift's compact protocol).
#pragma once

#include <string>
#include <string_view>

namespace ssdvp::platform {

/// The columns of a CSV table with a header and numbers: DOUBLE where a value has a point, INT64
/// otherwise; an empty value is null. Throws std::invalid_argument for anything else.
[[nodiscard]] std::string parquet_of(std::string_view csv);

} // namespace ssdvp::platform
