// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/group_name.h"

namespace ssdvp::flash {

const char* group_name(const onfi::extension& g)
{
    using namespace onfi;
    switch (g.first) {
    case READ_1:
        return "READ 00h";
    case READ_CACHE:
        return "READ CACHE 31h";
    case READ_CACHE_END:
        return "READ CACHE END 3Fh";
    case CHANGE_READ_COLUMN_1:
        return "CHANGE READ COLUMN 05h";
    case CHANGE_READ_COLUMN_ENHANCED_1:
        return "CHANGE READ COLUMN ENHANCED 06h";
    case PROGRAM_1:
        return "PROGRAM 80h";
    case CHANGE_WRITE_COLUMN:
        return "CHANGE WRITE COLUMN 85h";
    case ERASE_1:
        return "ERASE 60h";
    case STATUS:
    case STATUS_ENHANCED:
        return "READ STATUS";
    case READ_ID:
        return "READ ID 90h";
    case READ_PARAMETER_PAGE:
        return "READ PARAMETER PAGE ECh";
    case GET_FEATURES:
        return "GET FEATURES EEh";
    case SET_FEATURES:
        return "SET FEATURES EFh";
    case RESET_LUN:
        return "RESET FAh";
    case SUSPEND:
        return "SUSPEND 61h";
    case RESUME:
        return "RESUME D2h";
    case MODE_SLC:
    case MODE_NORMAL:
    case MODE_SHALLOW:
        return "MODE";
    default:
        return g.data_in ? "DATA IN" : "DATA OUT";
    }
}

} // namespace ssdvp::flash
