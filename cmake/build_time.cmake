# SPDX-License-Identifier: Apache-2.0
# What shortens a build and changes no result: most of a build from nothing was headers of
# libraries, read again by each source, and optimisation of what runs once.
#
# Preset release alone compiles some sources of a library as one. With the other presets each is
# compiled by itself, and one that forgets an include does not compile. Names in anonymous
# namespaces are unique in their library.
option(SSDVP_UNITY "Compile several C++ sources of a library at once" OFF)
set(CMAKE_UNITY_BUILD ${SSDVP_UNITY})
# 24: two thirds of the time that 8 take. The largest libraries are still three, for several cores.
set(SSDVP_UNITY_SIZE 24 CACHE STRING "so many sources at most; 0 = all of a library")
set(CMAKE_UNITY_BUILD_BATCH_SIZE ${SSDVP_UNITY_SIZE})

# ssdvp_runs_once(TARGET): reads, checks, prints: nothing of it is on the path of a request.
function(ssdvp_runs_once target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> -fno-lto)
endfunction()
