/* SPDX-License-Identifier: Apache-2.0
 *
 * A recording: everything that one run of the firmware got from outside, in order. Whoever answers
 * the same calls with the same values, and puts the same bytes into memory, makes the firmware do
 * the same again: on any machine, without the drive, without a C library.
 *
 * The file: the header, then records to the end. Numbers are little-endian, nothing is aligned. A
 * record is a kind (one byte) and its fields. Records of MEMORY and MARK come before the record of
 * the call that they happened in.
 */
#ifndef SSDVP_TESTS_VALIDATION_RECORDING_H
#define SSDVP_TESTS_VALIDATION_RECORDING_H

#define RECORDING_MAGIC 0x52445653u /* "SVDR" */
#define RECORDING_VERSION 1u

/* Header: u32 magic, u32 version, u32 bytes of SRAM, u32 bytes of DRAM. */

enum recording_kind {
    RECORDING_READ = 1,     /* u64 address, u32 value */
    RECORDING_WRITE = 2,    /* u64 address, u32 value */
    RECORDING_WAIT = 3,     /* u64 pending lines */
    RECORDING_TIME = 4,     /* u64 ns */
    RECORDING_STOPPING = 5, /* u32 answer */
    RECORDING_LOG = 6,      /* u32 level */
    RECORDING_MEMORY = 7,   /* u64 address, u32 size, bytes: a device wrote them */
    RECORDING_EXPECT = 8,   /* u64 address, u32 size, bytes: firmware must have written them */
    RECORDING_MARK = 9,     /* u32 enum recording_mark */
    RECORDING_RESET = 10,   /* memory is as firmware finds it at reset; it starts */
    RECORDING_END = 11      /* firmware has returned */
};

enum recording_mark { RECORDING_START = 1, RECORDING_STOP = 2 };

#endif
