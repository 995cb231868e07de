// SPDX-License-Identifier: Apache-2.0
//
// The timing file of the built-in firmware, as part of the program.
#include "platform/ssd/firmware_timing.h"

#ifdef SSDVP_TIMING_FILE

extern "C" {
extern const fw_timing ssdvp_fw_timing;
extern const char ssdvp_timing_file_begin[];
extern const char ssdvp_timing_file_end[];
extern const char ssdvp_profile_image_begin[];
extern const char ssdvp_profile_image_end[];
}

// clang-format off
asm(".section .rodata\n"
    ".global ssdvp_timing_file_begin\n"
    "ssdvp_timing_file_begin:\n"
    ".incbin \"" SSDVP_TIMING_FILE "\"\n"
    ".global ssdvp_timing_file_end\n"
    "ssdvp_timing_file_end:\n"
    ".global ssdvp_profile_image_begin\n"
    "ssdvp_profile_image_begin:\n"
    ".incbin \"" SSDVP_PROFILE_IMAGE "\"\n"
    ".global ssdvp_profile_image_end\n"
    "ssdvp_profile_image_end:\n"
    ".byte 0\n"
    ".previous\n");
// clang-format on

namespace ssdvp::platform {

std::string_view builtin_timing_file()
{
    return {ssdvp_timing_file_begin,
            static_cast<std::size_t>(ssdvp_timing_file_end - ssdvp_timing_file_begin)};
}

std::string_view builtin_profile_image()
{
    return {ssdvp_profile_image_begin,
            static_cast<std::size_t>(ssdvp_profile_image_end - ssdvp_profile_image_begin)};
}

const fw_timing* builtin_timing()
{
    return &::ssdvp_fw_timing;
}

} // namespace ssdvp::platform

#else

namespace ssdvp::platform {

std::string_view builtin_timing_file()
{
    return {};
}

std::string_view builtin_profile_image()
{
    return {};
}

const fw_timing* builtin_timing()
{
    return nullptr;
}

} // namespace ssdvp::platform

#endif
