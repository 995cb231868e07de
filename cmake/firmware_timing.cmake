# SPDX-License-Identifier: Apache-2.0
# How firmware that runs natively is timed (docs/timing.md): by its own instructions where clang and
# LLVM 14 are there, else as the fallback says.
set(SSDVP_FW_TIMING "auto" CACHE STRING "timing of native firmware: auto, full, host_size, flat")
set_property(CACHE SSDVP_FW_TIMING PROPERTY STRINGS auto full host_size flat)

find_program(SSDVP_CLANG clang-14)
find_path(SSDVP_LLVM_INCLUDE llvm/IR/Module.h PATHS /usr/lib/llvm-14/include NO_DEFAULT_PATH)
find_library(SSDVP_LLVM_LIBRARY LLVM-14 PATHS /usr/lib/llvm-14/lib)
find_path(SSDVP_EIGEN_INCLUDE Eigen/Dense PATH_SUFFIXES eigen3)

set(SSDVP_FW_TIMING_LEVEL flat)
set(fw_timing_lacks "")
foreach(need SSDVP_CLANG SSDVP_LLVM_INCLUDE SSDVP_LLVM_LIBRARY SSDVP_EIGEN_INCLUDE)
  if(NOT ${need})
    list(APPEND fw_timing_lacks ${need})
  endif()
endforeach()
set(fw_host ON)
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(fw_host OFF)
  list(APPEND fw_timing_lacks "an x86-64 host")
endif()
# Sanitizers and coverage look at firmware as the host's own compiler makes it.
set(fw_flags "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_DEBUG}")
string(REGEX MATCH "-fsanitize|--coverage" fw_instrumented "${fw_flags}")
if(SSDVP_FW_TIMING STREQUAL "full" AND fw_timing_lacks)
  message(FATAL_ERROR "SSDVP_FW_TIMING=full lacks: ${fw_timing_lacks}. Install clang-14, "
    "llvm-14-dev and libeigen3-dev, or configure with -DSSDVP_FW_TIMING=auto")
elseif(SSDVP_FW_TIMING STREQUAL "full" OR
       (SSDVP_FW_TIMING STREQUAL "auto" AND NOT fw_timing_lacks AND NOT fw_instrumented))
  set(SSDVP_FW_TIMING_LEVEL full)
elseif(SSDVP_FW_TIMING STREQUAL "host_size" AND (NOT fw_host OR NOT CMAKE_C_COMPILER_ID STREQUAL
                                                                 "GNU"))
  message(FATAL_ERROR "SSDVP_FW_TIMING=host_size needs GCC on an x86-64 host; configure with "
    "-DSSDVP_FW_TIMING=auto")
elseif(SSDVP_FW_TIMING STREQUAL "host_size" OR
       (SSDVP_FW_TIMING STREQUAL "auto" AND fw_host AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
        NOT fw_instrumented))
  set(SSDVP_FW_TIMING_LEVEL host_size)
elseif(NOT SSDVP_FW_TIMING MATCHES "^(auto|flat)$")
  message(FATAL_ERROR "SSDVP_FW_TIMING=${SSDVP_FW_TIMING}: one of auto, full, host_size, flat")
endif()
message(STATUS "Timing of native firmware: ${SSDVP_FW_TIMING_LEVEL}")

# What clang is told of a source. Loops stay as they are written: what the host's heuristics would
# make of them (vectors, unrolling) is nothing that the target's compiler would do. scripts/fw-build
# reads the same file.
file(STRINGS ${PROJECT_SOURCE_DIR}/firmware/port/native/clang_flags.txt SSDVP_FW_CLANG_FLAGS)

# With the order in which values list their uses, which code generators go by.
# scripts/lib/fw_image.sh has the same.
set(SSDVP_FW_BITCODE -emit-llvm -Xclang -emit-llvm-uselists)

# What each target links beside the firmware, and an image runs to know what it takes: under names
# of its own, for the host's stay what they are. scripts/lib/fw_image.sh has the same list.
set(SSDVP_FW_PORT_SOURCES ${PROJECT_SOURCE_DIR}/firmware/port/memory.c
  ${PROJECT_SOURCE_DIR}/firmware/port/divide.c)
set(SSDVP_FW_RENAMES "")
foreach(rename memcpy=memcpy memset=memset memmove=memmove memcmp=memcmp __udivmoddi4=udivmod
        __divmoddi4=divmod __udivdi3=udiv __umoddi3=umod __divdi3=div __moddi3=mod)
  string(REPLACE "=" "=ssdvp_port_" rename ${rename})
  list(APPEND SSDVP_FW_RENAMES --rename ${rename})
endforeach()
set(SSDVP_FW_GCC_FLAGS -std=c11 -O2 -ffreestanding -fno-common -fexceptions -fvisibility=hidden
  -fPIC)

# ssdvp_marked_objects(MAKE OBJECTS RECORDS FOLDER): the firmware's sources and the port's, marked;
# MAKE(STEM NAME SOURCE OPTIONS) is the function that does it.
function(ssdvp_marked_objects make objects_variable records_variable folder)
  if(make STREQUAL "ssdvp_sized_object") # once: it starts Python to ask who it is
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
  endif()
  set(objects "")
  set(records "")
  foreach(source ${SSDVP_FW_SOURCES} ${SSDVP_FW_PORT_SOURCES})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" stem ${name})
    set(stem ${folder}/${stem})
    set(options "")
    if(source IN_LIST SSDVP_FW_PORT_SOURCES)
      set(options ${SSDVP_FW_RENAMES})
    endif()
    cmake_language(CALL ${make} ${stem} ${name} ${source} ${options})
    list(APPEND objects ${stem}.o)
    list(APPEND records ${stem}.timing)
  endforeach()
  file(MAKE_DIRECTORY ${folder})
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${objects_variable} ${objects} PARENT_SCOPE)
  set(${records_variable} ${records} PARENT_SCOPE)
endfunction()

# Level full.
function(ssdvp_timed_object stem name source)
  add_custom_command(OUTPUT ${stem}.o ${stem}.timing ${stem}.bc
    COMMAND ${SSDVP_CLANG} ${SSDVP_FW_CLANG_FLAGS} -I${PROJECT_SOURCE_DIR}
            -MD -MF ${stem}.d -MT ${stem}.o ${SSDVP_FW_BITCODE} -c ${source} -o ${stem}.bc
    COMMAND fwtime ${stem}.bc --name ${name} --object ${stem}.o --record ${stem}.timing ${ARGN}
    DEPENDS ${source} fwtime DEPFILE ${stem}.d
    COMMENT "Timing ${name}" VERBATIM)
endfunction()

# Level host_size: GCC's markers, made into the same additions.
function(ssdvp_sized_object stem name source)
  set(host_size ${PROJECT_SOURCE_DIR}/tools/host_size/host_size.py)
  add_custom_command(OUTPUT ${stem}.o ${stem}.timing
    COMMAND ${CMAKE_C_COMPILER} ${SSDVP_FW_GCC_FLAGS} -I${PROJECT_SOURCE_DIR}
            -MD -MF ${stem}.d -MT ${stem}.o -fsanitize-coverage=trace-pc -S ${source}
            -o ${stem}.s
    COMMAND ${Python3_EXECUTABLE} ${host_size} ${stem}.s --name ${name}
            --assembly ${stem}.marked.s --record ${stem}.timing ${ARGN}
    COMMAND ${CMAKE_C_COMPILER} -c ${stem}.marked.s -o ${stem}.o
    DEPENDS ${source} ${host_size} DEPFILE ${stem}.d
    COMMENT "Sizing ${name}" VERBATIM)
endfunction()

# ssdvp_watched_objects(OBJECTS FOLDER): what ssdvp_marked_objects made in FOLDER, once more, with
# functions that tell when they are entered and left, and blocks that tell when they run.
function(ssdvp_watched_objects objects_variable folder)
  set(objects "")
  foreach(source ${SSDVP_FW_SOURCES} ${SSDVP_FW_PORT_SOURCES})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" stem ${name})
    set(stem ${folder}/${stem})
    set(options --profile)
    if(source IN_LIST SSDVP_FW_PORT_SOURCES)
      set(options --fetch ${SSDVP_FW_RENAMES})
    endif()
    add_custom_command(OUTPUT ${stem}.watched.o DEPENDS ${stem}.bc fwtime VERBATIM
      COMMAND fwtime ${stem}.bc --name ${name} --object ${stem}.watched.o ${options}
      COMMENT "Watching ${name}")
    list(APPEND objects ${stem}.watched.o)
  endforeach()
  set(${objects_variable} ${objects} PARENT_SCOPE)
endfunction()
