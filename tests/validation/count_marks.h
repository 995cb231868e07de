/* SPDX-License-Identifier: Apache-2.0
 *
 * How the program under qemu-user talks to the counting plugin: by writes to files that it has not
 * opened. The file's number is the mark.
 */
#ifndef SSDVP_TESTS_VALIDATION_COUNT_MARKS_H
#define SSDVP_TESTS_VALIDATION_COUNT_MARKS_H

enum count_mark {
    COUNT_MARK_TEXT = 0x5DF0,  /* the other arguments: first byte of firmware's text, its end */
    COUNT_MARK_START = 0x5DF1, /* counts from here */
    COUNT_MARK_STOP = 0x5DF2   /* ... to here */
};

#endif
