# SPDX-License-Identifier: Apache-2.0
# The kernels as an image that is timed, linked into the program that runs it. Those of floating
# point are in a second one, which cores without it refuse.
set(kernel_sources)
foreach(name control data memory numbers)
  list(APPEND kernel_sources ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${name}.c)
endforeach()
set(kernel_floats_cortex-r82 ${CMAKE_CURRENT_SOURCE_DIR}/kernels/floats.c)
foreach(target rv64 cortex-r52 rv32)
  set(kernel_floats_${target} ${CMAKE_CURRENT_SOURCE_DIR}/kernels/no_floats.c)
endforeach()

# ssdvp_kernels_program(NAME SOURCES...): an executable and NAME.timing.
function(ssdvp_kernels_program name)
  set(objects)
  set(records)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.parts)
  file(MAKE_DIRECTORY ${folder})
  foreach(source ${ARGN} ${SSDVP_FW_PORT_SOURCES})
    file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" stem ${file})
    set(options)
    if(source IN_LIST SSDVP_FW_PORT_SOURCES)
      set(options ${SSDVP_FW_RENAMES})
    endif()
    ssdvp_timed_object(${folder}/${stem} ${file} ${source} ${options})
    list(APPEND objects ${folder}/${stem}.o)
    list(APPEND records ${folder}/${stem}.timing)
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(timing ${CMAKE_CURRENT_BINARY_DIR}/${name}.timing)
  add_custom_command(OUTPUT ${timing} DEPENDS ${records} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E cat ${records} > ${timing})
  add_executable(${name} kernels/host_main.cpp ${objects} ${timing}
                 ${PROJECT_SOURCE_DIR}/firmware/port/native/timing.c)
  target_link_options(${name} PRIVATE -fno-lto)
  target_link_libraries(${name} PRIVATE ssdvp_timing)
endfunction()

if(SSDVP_FW_TIMING_LEVEL STREQUAL "full")
  ssdvp_kernels_program(ssdvp_fw_kernels ${kernel_sources}
                        ${CMAKE_CURRENT_SOURCE_DIR}/kernels/no_floats.c)
  ssdvp_kernels_program(ssdvp_fw_kernels_floats ${kernel_sources}
                        ${CMAKE_CURRENT_SOURCE_DIR}/kernels/floats.c)
endif()
