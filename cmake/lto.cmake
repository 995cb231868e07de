# SPDX-License-Identifier: Apache-2.0
# The programs whose speed counts are optimised as a whole at link time; the many test programs are
# linked from the same objects in the normal way, which is much quicker.
set(SSDVP_LTO OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(SSDVP_LTO ON)
  add_compile_options(-flto=auto -ffat-lto-objects)
  add_link_options(-fno-lto)
endif()

# ssdvp_whole_program(TARGET): link-time optimisation, where the build has it.
function(ssdvp_whole_program target)
  if(SSDVP_LTO)
    get_target_property(options ${target} LINK_OPTIONS)
    list(REMOVE_ITEM options -fno-lto)
    set_target_properties(${target} PROPERTIES LINK_OPTIONS "${options};-flto=auto;-O3")
  endif()
endfunction()
