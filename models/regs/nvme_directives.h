/* SPDX-License-Identifier: Apache-2.0
 *
 * Directives: fields of commands, types, operations. NVM Express base 1.4 section 9.
 */
#ifndef SSDVP_REGS_NVME_DIRECTIVES_H
#define SSDVP_REGS_NVME_DIRECTIVES_H

#define NVME_RW_DTYPE_SHIFT 20u /* CDW12 of Write: directive type, 4 bits */
#define NVME_RW_DSPEC_SHIFT 16u /* CDW13 of Write: of that type; streams: identifier */

/* Types, and operations in CDW11 bits 7:0. */
enum nvme_directive { NVME_DIRECTIVE_IDENTIFY = 0x00, NVME_DIRECTIVE_STREAMS = 0x01 };
enum nvme_directive_operation {
    NVME_IDENTIFY_RECEIVE_PARAMETERS = 0x01,
    NVME_IDENTIFY_SEND_ENABLE = 0x01,
    NVME_STREAMS_RECEIVE_PARAMETERS = 0x01,
    NVME_STREAMS_RECEIVE_STATUS = 0x02,
    NVME_STREAMS_RECEIVE_ALLOCATE = 0x03,
    NVME_STREAMS_SEND_RELEASE_IDENTIFIER = 0x01,
    NVME_STREAMS_SEND_RELEASE_RESOURCES = 0x02
};

#endif
