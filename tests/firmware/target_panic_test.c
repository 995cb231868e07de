/* SPDX-License-Identifier: Apache-2.0
 *
 * firmware/port/target.c on the host: a panic leaves file, line and message where target.ld puts
 * the record, and halts. Exit code 0 = it does.
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "firmware/hal/hal.h"
#include "firmware/port/target.h"

static jmp_buf halted;
static int panic_line;

void target_wait(void) {}

_Noreturn void target_halt(void)
{
    longjmp(halted, 1);
}

static void panicking(struct hal* hal)
{
    panic_line = __LINE__ + 1;
    HAL_PANIC(hal, "no such unit");
}

extern const struct firmware_image ssdvp_firmware;
const struct firmware_image ssdvp_firmware = {
    .magic = FIRMWARE_IMAGE_MAGIC,
    .abi_version = HAL_ABI_VERSION,
    .name = "panicking",
    .main = panicking,
};

int main(void)
{
    if (setjmp(halted) == 0) {
        target_main();
    }
    const struct target_panic left = target_panic_record;
    const int right = left.magic == TARGET_PANIC_MAGIC && left.line == panic_line &&
                      left.file != NULL && strstr(left.file, "target_panic_test.c") != NULL &&
                      left.message != NULL && strcmp(left.message, "no such unit") == 0;
    if (!right) {
        fprintf(stderr, "magic %#x, line %d of %d\n", left.magic, (int)left.line, panic_line);
    }
    return right ? 0 : 1;
}
