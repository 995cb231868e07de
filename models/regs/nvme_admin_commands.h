/* SPDX-License-Identifier: Apache-2.0
 *
 * Admin commands: NVM Express base 1.4 section 5. A row has
 *
 *   an identifier, NVME_ADMIN_<ID>, and the opcode;
 *   the firmware's function for it, nvme_<handler>();
 *   the one that takes a page of the host's data which nvme_fetch() brought, nvme_<landed>();
 *   what its data are, by which the hardware knows their size: enum nvme_data;
 *   what the log of commands supported and effects says: enum nvme_effect;
 *   the bit of OACS in Identify Controller that declares it, 0 = none: enum nvme_oacs.
 */
#ifndef SSDVP_REGS_NVME_ADMIN_COMMANDS_H
#define SSDVP_REGS_NVME_ADMIN_COMMANDS_H

#define NVME_ADMIN_COMMANDS(ROW)                                                                   \
    ROW(DELETE_SQ, 0x00, delete_sq, no_data, NONE, NVME_EFFECT_NONE, 0)                            \
    ROW(CREATE_SQ, 0x01, create_sq, no_data, NONE, NVME_EFFECT_NONE, 0)                            \
    ROW(GET_LOG_PAGE, 0x02, get_log_page, no_data, LOG, NVME_EFFECT_NONE, 0)                       \
    ROW(DELETE_CQ, 0x04, delete_cq, no_data, NONE, NVME_EFFECT_NONE, 0)                            \
    ROW(CREATE_CQ, 0x05, create_cq, no_data, NONE, NVME_EFFECT_NONE, 0)                            \
    ROW(IDENTIFY, 0x06, identify, no_data, PAGE, NVME_EFFECT_NONE, 0)                              \
    ROW(ABORT, 0x08, abort, no_data, NONE, NVME_EFFECT_NONE, 0)                                    \
    ROW(SET_FEATURES, 0x09, set_features, feature_landed, PAGE, NVME_EFFECT_NONE, 0)               \
    ROW(GET_FEATURES, 0x0A, get_features, no_data, PAGE, NVME_EFFECT_NONE, 0)                      \
    ROW(ASYNC_EVENT, 0x0C, await_event, no_data, NONE, NVME_EFFECT_NONE, 0)                        \
    ROW(NS_MANAGEMENT, 0x0D, ns_management, ns_landed, PAGE, NVME_EFFECT_INVENTORY,                \
        NVME_OACS_NAMESPACES)                                                                      \
    ROW(FW_COMMIT, 0x10, fw_commit, no_data, NONE, NVME_EFFECT_CAPABILITIES, NVME_OACS_FIRMWARE)   \
    ROW(FW_DOWNLOAD, 0x11, fw_download, fw_landed, DWORDS, NVME_EFFECT_NONE, NVME_OACS_FIRMWARE)   \
    ROW(NS_ATTACHMENT, 0x15, ns_attachment, ns_landed, PAGE, NVME_EFFECT_INVENTORY,                \
        NVME_OACS_NAMESPACES)                                                                      \
    ROW(DIRECTIVE_SEND, 0x19, directive_send, no_data, DWORDS, NVME_EFFECT_NONE,                   \
        NVME_OACS_DIRECTIVES)                                                                      \
    ROW(DIRECTIVE_RECEIVE, 0x1A, directive_receive, no_data, DWORDS, NVME_EFFECT_NONE,             \
        NVME_OACS_DIRECTIVES)                                                                      \
    ROW(FORMAT, 0x80, format, no_data, NONE,                                                       \
        NVME_EFFECT_DATA | NVME_EFFECT_NAMESPACE | NVME_EFFECT_ALONE, NVME_OACS_FORMAT)

#define NVME_ADMIN_ID(ID, opcode, ...) NVME_ADMIN_##ID = (opcode),
enum nvme_admin_opcode { NVME_ADMIN_COMMANDS(NVME_ADMIN_ID) };
#undef NVME_ADMIN_ID

enum nvme_data {
    NVME_DATA_NONE,
    NVME_DATA_PAGE,   /* 4 KiB */
    NVME_DATA_DWORDS, /* so many, zero-based, in dword 10 */
    NVME_DATA_LOG     /* NUMDL and NUMDU of Get Log Page */
};

enum nvme_effect { /* figure 204, beside CSUPP */
                   NVME_EFFECT_NONE = 0,
                   NVME_EFFECT_DATA = 1 << 1,         /* LBCC, of logical blocks */
                   NVME_EFFECT_NAMESPACE = 1 << 2,    /* NCC */
                   NVME_EFFECT_INVENTORY = 1 << 3,    /* NIC */
                   NVME_EFFECT_CAPABILITIES = 1 << 4, /* CCC */
                   NVME_EFFECT_ALONE = 2
                                       << 16 /* CSE: no other command of the namespace meanwhile */
};

enum nvme_oacs {
    NVME_OACS_FORMAT = 1 << 1,
    NVME_OACS_FIRMWARE = 1 << 2,
    NVME_OACS_NAMESPACES = 1 << 3,
    NVME_OACS_DIRECTIVES = 1 << 5
};

#endif
