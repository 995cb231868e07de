/* SPDX-License-Identifier: Apache-2.0
 *
 * ATA commands: codes, fields of the Register FIS, status and error. ATA/ATAPI Command Set 2
 * (ACS-2), Serial ATA 3.x sections 10.5.5 and 13.6. No registers: frames carry all of it.
 */
#ifndef SSDVP_REGS_ATA_RECORDS_H
#define SSDVP_REGS_ATA_RECORDS_H

#include <stdint.h>

enum ata_command {
    ATA_NOP = 0x00,
    ATA_DATA_SET_MANAGEMENT = 0x06,
    ATA_READ_SECTORS = 0x20,
    ATA_READ_SECTORS_EXT = 0x24,
    ATA_READ_DMA_EXT = 0x25,
    ATA_READ_LOG_EXT = 0x2F,
    ATA_WRITE_SECTORS = 0x30,
    ATA_WRITE_SECTORS_EXT = 0x34,
    ATA_WRITE_DMA_EXT = 0x35,
    ATA_WRITE_DMA_FUA_EXT = 0x3D,
    ATA_READ_VERIFY = 0x40,
    ATA_READ_VERIFY_EXT = 0x42,
    ATA_READ_LOG_DMA_EXT = 0x47,
    ATA_READ_FPDMA_QUEUED = 0x60,
    ATA_WRITE_FPDMA_QUEUED = 0x61,
    ATA_NCQ_NON_DATA = 0x63,
    ATA_SEND_FPDMA_QUEUED = 0x64,
    ATA_RECEIVE_FPDMA_QUEUED = 0x65,
    ATA_EXECUTE_DEVICE_DIAGNOSTIC = 0x90,
    ATA_SMART = 0xB0,
    ATA_READ_DMA = 0xC8,
    ATA_WRITE_DMA = 0xCA,
    ATA_STANDBY_IMMEDIATE = 0xE0,
    ATA_IDLE_IMMEDIATE = 0xE1,
    ATA_STANDBY = 0xE2,
    ATA_IDLE = 0xE3,
    ATA_CHECK_POWER_MODE = 0xE5,
    ATA_FLUSH_CACHE = 0xE7,
    ATA_FLUSH_CACHE_EXT = 0xEA,
    ATA_IDENTIFY_DEVICE = 0xEC,
    ATA_SET_FEATURES = 0xEF,
    ATA_SECURITY_FREEZE_LOCK = 0xF5
};

enum ata_smart { /* features of SMART */
                 ATA_SMART_READ_DATA = 0xD0,
                 ATA_SMART_READ_THRESHOLDS = 0xD1,
                 ATA_SMART_AUTOSAVE = 0xD2,
                 ATA_SMART_ENABLE = 0xD8,
                 ATA_SMART_DISABLE = 0xD9,
                 ATA_SMART_RETURN_STATUS = 0xDA
};
#define ATA_SMART_KEY 0xC24Fu      /* LBA bits 23..8 of each SMART command; of a healthy drive */
#define ATA_SMART_EXCEEDED 0x2CF4u /* ... of one with an attribute at its threshold */

enum ata_feature { /* features of SET FEATURES */
                   ATA_FEATURE_WRITE_CACHE = 0x02,
                   ATA_FEATURE_TRANSFER_MODE = 0x03,
                   ATA_FEATURE_SATA = 0x10,
                   ATA_FEATURE_NO_LOOK_AHEAD = 0x55,
                   ATA_FEATURE_NO_WRITE_CACHE = 0x82,
                   ATA_FEATURE_NO_SATA = 0x90,
                   ATA_FEATURE_LOOK_AHEAD = 0xAA
};
enum ata_sata_feature { /* count of SET FEATURES 10h and 90h */
                        ATA_SATA_AUTO_ACTIVATE = 0x02,
                        ATA_SATA_PRESERVATION = 0x06 /* of software settings over a COMRESET */
};

#define ATA_LOG_DIRECTORY 0x00u
#define ATA_LOG_QUEUE_ERROR 0x10u
#define ATA_LOG_IDENTIFY 0x30u

#define ATA_STATUS_ERR 0x01u
#define ATA_STATUS_DRQ 0x08u
#define ATA_STATUS_SEEK 0x10u /* as drives have always set it */
#define ATA_STATUS_DF 0x20u
#define ATA_STATUS_DRDY 0x40u
#define ATA_STATUS_BSY 0x80u
#define ATA_STATUS_GOOD (ATA_STATUS_DRDY | ATA_STATUS_SEEK)

#define ATA_ERROR_ABRT 0x04u
#define ATA_ERROR_IDNF 0x10u
#define ATA_ERROR_UNC 0x40u
#define ATA_ERROR_ICRC 0x80u /* interface CRC */
#define ATA_DIAGNOSTIC_PASSED 0x01u

#define ATA_DEVICE_LBA 0x40u
#define ATA_DEVICE_FUA 0x80u /* of the queued commands */
#define ATA_CONTROL_SRST 0x04u
#define ATA_DSM_TRIM 0x01u /* features of DATA SET MANAGEMENT */
#define ATA_SECTOR_BYTES 512u
#define ATA_DSM_RANGE_BYTES 8u /* LBA in 48 bits, sectors in 16 */

#define ATA_FIS_COMMAND 0x80u /* byte 1 of a Register FIS: C */
#define ATA_FIS_REGISTER_H2D 0x27u

/* Fields of a Register FIS from the host, 20 bytes. */
static inline uint64_t ata_fis_lba28(const uint8_t* f)
{
    return (uint64_t)f[4] | (uint64_t)f[5] << 8 | (uint64_t)f[6] << 16 |
           (uint64_t)(f[7] & 15u) << 24;
}

static inline uint64_t ata_fis_lba48(const uint8_t* f)
{
    return (uint64_t)f[4] | (uint64_t)f[5] << 8 | (uint64_t)f[6] << 16 | (uint64_t)f[8] << 24 |
           (uint64_t)f[9] << 32 | (uint64_t)f[10] << 40;
}

static inline uint32_t ata_fis_features(const uint8_t* f)
{
    return (uint32_t)f[3] | (uint32_t)f[11] << 8;
}

static inline uint32_t ata_fis_count(const uint8_t* f)
{
    return (uint32_t)f[12] | (uint32_t)f[13] << 8;
}

static inline uint32_t ata_fis_tag(const uint8_t* f) /* of a queued command */
{
    return (uint32_t)f[12] >> 3;
}

#endif
