/* SPDX-License-Identifier: Apache-2.0
 *
 * In the place of floats.c, for cores without floating point.
 */
#include "tests/validation/kernels/kernels.h"

const struct kernel_list kernels_last = {NULL, 0};
