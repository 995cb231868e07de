/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/port/target.h"

#include "firmware/hal/hal.h"
#include "models/regs/irq_regs.h"
#include "models/regs/timer_regs.h"

extern const struct firmware_image ssdvp_firmware;

volatile struct target_panic target_panic_record; /* target.ld places it; nothing clears it */

static volatile uint32_t* at(uint64_t address)
{
    return (volatile uint32_t*)(uintptr_t)address;
}

static uint32_t target_read32(void* ctx, uint64_t address)
{
    (void)ctx;
    return *at(address);
}

static void target_write32(void* ctx, uint64_t address, uint32_t value)
{
    (void)ctx;
    /* Rings and descriptors must be in memory before the doorbell that announces them. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    *at(address) = value;
}

static uint64_t target_wait_irq(void* ctx)
{
    uint64_t pending = 0;
    (void)ctx;
    for (;;) {
        pending = *at(MAP_IRQ_BASE + IRQ_REG_PENDING_LO) & *at(MAP_IRQ_BASE + IRQ_REG_ENABLE_LO);
        pending |= (uint64_t)(*at(MAP_IRQ_BASE + IRQ_REG_PENDING_HI) &
                              *at(MAP_IRQ_BASE + IRQ_REG_ENABLE_HI))
                   << 32;
        if (pending != 0) {
            break;
        }
        target_wait();
    }
    *at(MAP_IRQ_BASE + IRQ_REG_PENDING_LO) = (uint32_t)pending;
    *at(MAP_IRQ_BASE + IRQ_REG_PENDING_HI) = (uint32_t)(pending >> 32);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return pending;
}

static uint64_t target_time_ns(void* ctx)
{
    (void)ctx;
    const uint32_t low = *at(MAP_TIMER_BASE + TIMER_REG_NOW_LO);
    return ((uint64_t)*at(MAP_TIMER_BASE + TIMER_REG_NOW_HI) << 32) | low;
}

static void target_log(void* ctx, int level, const char* message, uint64_t a, uint64_t b)
{
    (void)ctx;
    (void)level;
    (void)message;
    (void)a;
    (void)b;
}

static __attribute__((noreturn)) void target_panic(void* ctx, const char* file, int line,
                                                   const char* message)
{
    (void)ctx;
    target_panic_record.file = file;
    target_panic_record.line = line;
    target_panic_record.message = message;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    target_panic_record.magic = TARGET_PANIC_MAGIC;
    target_halt();
}

static int target_stopping(void* ctx)
{
    (void)ctx;
    return 0;
}

static void target_fence(void* ctx)
{
    (void)ctx;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static const struct hal_ops ops = {
    .read32 = target_read32,
    .write32 = target_write32,
    .wait_irq = target_wait_irq,
    .time_ns = target_time_ns,
    .log = target_log,
    .panic = target_panic,
    .stopping = target_stopping,
    .core = NULL, /* start-up code parks all but the first */
    .fence = target_fence,
    .touch = NULL,
    .mark = NULL,
};

/* Where this core sees DRAM: at its bus address, or for a 32-bit core through a window. */
#if UINTPTR_MAX > 0xFFFFFFFFu
#define DRAM_WINDOW MAP_DRAM_BASE
#else
#define DRAM_WINDOW UINT64_C(0x80000000)
#endif

void target_main(void)
{
    struct hal hal;
    hal.ops = &ops;
    hal.ctx = NULL;
    hal.sram = (uint8_t*)(uintptr_t)MAP_SRAM_BASE;
    hal.dram = (uint8_t*)(uintptr_t)DRAM_WINDOW;
    ssdvp_firmware.main(&hal);
    target_halt();
}
