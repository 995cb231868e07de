/* SPDX-License-Identifier: Apache-2.0
 *
 * I/O command sets (NVM Express base 2.0) and zones (Zoned Namespace Command Set 1.1): what they
 * add to the opcodes and the status of nvme_records.h.
 */
#ifndef SSDVP_REGS_NVME_ZONE_RECORDS_H
#define SSDVP_REGS_NVME_ZONE_RECORDS_H

enum nvme_command_set { NVME_CSI_NVM = 0, NVME_CSI_ZONED = 2 }; /* CSI; base 2.0 figure 271 */

enum nvme_zone_opcode { /* I/O commands; section 3.4 */
                        NVME_IO_ZONE_SEND = 0x79,
                        NVME_IO_ZONE_RECEIVE = 0x7A,
                        NVME_IO_ZONE_APPEND = 0x7D
};

enum nvme_zone_status {
    NVME_SC_COMMAND_SET_NOT_SUPPORTED = 0x129, /* base 2.0 figure 93 */
    NVME_SC_COMMAND_SET_NOT_ENABLED = 0x12A,
    NVME_SC_COMMAND_SETS_REJECTED = 0x12B,
    NVME_SC_INVALID_COMMAND_SET = 0x12C,
    NVME_SC_ZONE_BOUNDARY = 0x1B8, /* section 3.1 */
    NVME_SC_ZONE_FULL = 0x1B9,
    NVME_SC_ZONE_READ_ONLY = 0x1BA,
    NVME_SC_ZONE_OFFLINE = 0x1BB,
    NVME_SC_ZONE_INVALID_WRITE = 0x1BC,
    NVME_SC_ZONE_TOO_MANY_ACTIVE = 0x1BD,
    NVME_SC_ZONE_TOO_MANY_OPEN = 0x1BE,
    NVME_SC_ZONE_INVALID_TRANSITION = 0x1BF
};

#endif
