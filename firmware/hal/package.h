/* SPDX-License-Identifier: Apache-2.0
 *
 * A firmware image as the host downloads it: this header, the image, and what its instructions
 * cost. scripts/fw-build --package makes it; firmware checks it at Firmware Commit, the platform
 * again when it loads it. Numbers are little endian.
 *
 * For a target with an instruction set of its own the image would be the bytes that its boot
 * loader copies to where they run; natively it is the shared object.
 */
#ifndef SSDVP_FIRMWARE_HAL_PACKAGE_H
#define SSDVP_FIRMWARE_HAL_PACKAGE_H

#include <stdint.h>

#define FIRMWARE_PACKAGE_MAGIC 0x4B505753u /* "SWPK" */
#define FIRMWARE_PACKAGE_VERSION 1u
#define FIRMWARE_PACKAGE_HEADER 64u
#define FIRMWARE_ABOUT_SYMBOL "ssdvp_firmware_about"

struct firmware_package {
    uint32_t magic;
    uint32_t version; /* of this header */
    uint32_t size;    /* bytes of header and body */
    uint32_t crc;     /* CRC-32 of the body */
    uint32_t abi;     /* HAL_ABI_VERSION */
    uint8_t revision[8];
    uint32_t layout;     /* of firmware_about */
    uint32_t machine;    /* EM_* of the ELF standard: whose instructions these are */
    uint32_t image;      /* bytes of the image, directly behind the header */
    uint32_t timing;     /* bytes of its timing file behind that, 0 = none */
    uint8_t build[16];   /* of the SHA-256 of the body: tells builds apart */
    uint32_t header_crc; /* CRC-32 of what is above */
};

/* What an image exports beside struct firmware_image, so that it can be packaged. */
struct firmware_about {
    uint8_t revision[8]; /* as Identify tells it, padded with spaces */
    uint32_t layout;     /* images of the same layout can take over each other's memory; 0 = none */
};

#endif
