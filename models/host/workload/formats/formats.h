// SPDX-License-Identifier: Apache-2.0
//
// workload.format: the formats of traces. A row is an enumerator, which is also the word of the
// configuration and the ending of a file's name, the fields of a line for messages, and what
// `ssdvp show --policies` says of it. A format is make_<id>() in <id>.cpp.
#pragma once

#include <cstdint>

#define HOST_TRACE_FORMATS(ROW)                                                                    \
    ROW(msr, "timestamp,host,disk,Read|Write,offset,size,response",                                \
        "CSV of MSR Cambridge: times in 100 ns, offset and size in bytes")                         \
    ROW(spc, "asu,lba,size,r|w,seconds",                                                           \
        "SPC-1 of the Storage Performance Council: lba in sectors, size in bytes")                 \
    ROW(disksim, "milliseconds device sector sectors flags",                                       \
        "DiskSim's ASCII format: bit 0 of the hexadecimal flags is a read")                        \
    ROW(ssdsim, "nanoseconds device sector sectors 0|1", "SSDSim's: 0 is a write, 1 a read")       \
    ROW(mqsim, "nanoseconds device sector sectors 0|1", "MQSim's: 0 is a write, 1 a read")         \
    ROW(blkparse, "major,minor cpu number seconds pid Q R|W|D|F... sector + sectors [process]",    \
        "what blkparse prints of Linux's block layer; records with action Q are replayed")         \
    ROW(csv, "fields as workload.csv says",                                                        \
        "any columns, by name or number: workload.csv tells which, and their units")               \
    ROW(fio, "[microseconds] file read|write|trim|sync|wait|... [offset length]",                  \
        "fio's log of requests, version 2 or 3")

namespace ssdvp::host {

#define SSDVP_TRACE_FORMAT_ID(id, fields, about) id,
enum class trace_format : std::uint8_t { HOST_TRACE_FORMATS(SSDVP_TRACE_FORMAT_ID) automatic };
#undef SSDVP_TRACE_FORMAT_ID

} // namespace ssdvp::host
