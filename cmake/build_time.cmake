# SPDX-License-Identifier: Apache-2.0
# What shortens a build and changes no result: most of a build from nothing was headers of
# libraries, read again by each source, and optimisation of what runs once.
#
# Preset release alone precompiles headers, and only libraries' own: with the other presets a source
# that forgets an include does not compile.
option(SSDVP_PRECOMPILE "Compile the headers of libraries once" OFF)

set(SSDVP_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional>
  <map> <memory> <optional> <stdexcept> <string> <string_view> <utility> <vector> <fmt/format.h>)

# ssdvp_headers(NAME HEADERS ... OPTIONS ...): for targets that are compiled with these options.
function(ssdvp_headers name)
  cmake_parse_arguments(arg "" "" "HEADERS;OPTIONS" ${ARGN})
  if(SSDVP_PRECOMPILE)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Only headers.\n")
    add_library(${name} OBJECT ${source})
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_link_libraries(${name} PRIVATE systemc fmt::fmt)
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# ssdvp_use_headers(TARGET NAME): compiled with the options of NAME. Nothing, without sources.
function(ssdvp_use_headers target name)
  if(SSDVP_PRECOMPILE AND TARGET ${target})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      target_precompile_headers(${target} REUSE_FROM ${name})
      target_link_libraries(${target} PRIVATE fmt::fmt) # what it defines is a part of the options
      get_target_property(sources ${target} SOURCES)
      list(FILTER sources INCLUDE REGEX "\\.c$")
      set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endif()
endfunction()

# ssdvp_runs_once(TARGET): reads, checks, prints: nothing of it is on the path of a request.
set(SSDVP_ONCE_OPTIONS $<$<CONFIG:Release>:-O1> -fno-lto)
function(ssdvp_runs_once target)
  target_compile_options(${target} PRIVATE ${SSDVP_ONCE_OPTIONS})
endfunction()
