/* SPDX-License-Identifier: Apache-2.0
 *
 * The schemes. One file per scheme, and one line in models/regs/choices/ftl_scheme.h.
 */
#ifndef SSDVP_FIRMWARE_MAP_SCHEMES_H
#define SSDVP_FIRMWARE_MAP_SCHEMES_H

#include "firmware/map/ftl.h"
#include "models/regs/choices/ftl_scheme.h"

#define FTL_SCHEME_OPS(ID, id, ...) extern const struct ftl_ops ftl_##id;
FTL_SCHEMES(FTL_SCHEME_OPS)
#undef FTL_SCHEME_OPS

#endif
