/* SPDX-License-Identifier: Apache-2.0
 *
 * flash.suspend.policy: where an erase may stop for a read. A row's number is the value of the
 * boot parameters and of Set Features (FLASH_FEATURE_SUSPEND_POLICY). A policy is the die's
 * suspend_<id>() in models/flash/die/suspend/<id>.cpp.
 */
#ifndef SSDVP_REGS_CHOICES_SUSPEND_POLICY_H
#define SSDVP_REGS_CHOICES_SUSPEND_POLICY_H

#define FLASH_SUSPENDS(ROW)                                                                        \
    ROW(NONE, none, "an erase ends first")                                                         \
    ROW(IMMEDIATE, immediate, "at once; the pulse it stops is done again")                         \
    ROW(DEFERRED, deferred, "behind the pulse")                                                    \
    ROW(SAFE_POINT_STATIC, safe_point_static, "at safe points, the same number at each age")       \
    ROW(SAFE_POINT_DYNAMIC, safe_point_dynamic, "at safe points, their number by P/E cycles")

#define FLASH_SUSPEND_ID(ID, ...) FLASH_SUSPEND_##ID,
enum flash_suspend_policy { FLASH_SUSPENDS(FLASH_SUSPEND_ID) };
#undef FLASH_SUSPEND_ID

#endif
