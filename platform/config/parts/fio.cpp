// SPDX-License-Identifier: Apache-2.0
//
// Keys of `workload` when it is a fio job file.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

const std::vector<fio_option>& fio_table()
{
    static const std::vector<fio_option> table = {
        basic(make_option<host::fio_config>(
            {"fio", "", "fio job file, or fio's command line: \"--name=a --rw=randread\"", "none"},
            words_free(), FIELD(file))),
    };
    return table;
}

} // namespace ssdvp::platform
