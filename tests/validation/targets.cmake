# SPDX-License-Identifier: Apache-2.0
# The firmware as a target runs it: plain, without a marker, around it the replay. clang 14 and lld
# 14 know all targets. No library is linked: what is called is the port's, or is refused.
ssdvp_test_program(SSDVP_LLD ld.lld-14 lld-14)

# What the tables are made with, but what makes code for the host alone.
set(truth_options ${SSDVP_FW_CLANG_FLAGS})
list(FILTER truth_options EXCLUDE REGEX "^(-g.*|-fPIC|-fexceptions|-fvisibility=.*|-W.*)$")
list(APPEND truth_options -fno-asynchronous-unwind-tables)

set(truth_targets cortex-r82 rv64 cortex-r52 rv32)
ssdvp_test_program(SSDVP_QEMU_cortex-r82 qemu-aarch64 qemu-user)
ssdvp_test_program(SSDVP_QEMU_rv64 qemu-riscv64 qemu-user)
ssdvp_test_program(SSDVP_QEMU_cortex-r52 qemu-arm qemu-user)
ssdvp_test_program(SSDVP_QEMU_rv32 qemu-riscv32 qemu-user)
set(truth_options_cortex-r82 --target=aarch64-none-elf -mcpu=cortex-r82)
set(truth_options_rv64 --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mcmodel=medany)
set(truth_options_cortex-r52 --target=armv8r-none-eabi -mcpu=cortex-r52 -mthumb -mfloat-abi=soft
  -meabi gnu -fomit-frame-pointer) # memcpy and memset by their own names; no frame, as GCC has it
set(truth_options_rv32 --target=riscv32-unknown-elf -march=rv32imac -mabi=ilp32 -mcmodel=medany)
# RISC-V: GNU as and ld make one instruction of a call that reaches, as in any RISC-V firmware; the
# objects of clang 14 do not let the linker, and lld does so from version 15 on.
set(truth_assembler_rv64 riscv64-unknown-elf-as -march=rv64imac -mabi=lp64)
set(truth_assembler_rv32 riscv64-unknown-elf-as -march=rv32imac -mabi=ilp32)
set(truth_linker_rv64 riscv64-unknown-elf-ld -melf64lriscv)
set(truth_linker_rv32 riscv64-unknown-elf-ld -melf32lriscv)
# 64-bit cores divide by themselves.
set(truth_port_cortex-r82 ${PROJECT_SOURCE_DIR}/firmware/port/memory.c)
set(truth_port_rv64 ${truth_port_cortex-r82})
set(truth_port_rv32 ${SSDVP_FW_PORT_SOURCES})
set(truth_port_cortex-r52 ${SSDVP_FW_PORT_SOURCES}
  ${PROJECT_SOURCE_DIR}/firmware/port/arm/divide.c)

# ssdvp_truth_object(TARGET SOURCE PREFIX OUT ARGS...): one object; OUT is the list that it joins.
function(ssdvp_truth_object target source prefix out)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  string(REPLACE "/" "_" name ${name})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}/${prefix}${name}.o)
  set(compile ${SSDVP_CLANG} ${truth_options_${target}} ${truth_options} ${ARGN}
    -I${PROJECT_SOURCE_DIR} -MD -MT ${object} -MF ${object}.d ${source})
  if(truth_assembler_${target})
    set(commands COMMAND ${compile} -S -fno-addrsig -o ${object}.s
      COMMAND ${truth_assembler_${target}} ${object}.s -o ${object})
  else()
    set(commands COMMAND ${compile} -c -o ${object})
  endif()
  add_custom_command(OUTPUT ${object} ${commands} DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "${name} for ${target}" VERBATIM)
  set(${out} ${${out}} ${object} PARENT_SCOPE)
endfunction()

# ssdvp_truth_program(TARGET NAME OBJECTS...): links NAME_TARGET.elf, which qemu-user runs.
function(ssdvp_truth_program target name)
  set(linker ${SSDVP_LLD})
  if(truth_linker_${target})
    set(linker ${truth_linker_${target}})
  endif()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}_${target}.elf)
  add_custom_command(OUTPUT ${elf}
    COMMAND ${linker} -static -T ${CMAKE_CURRENT_SOURCE_DIR}/target.ld ${ARGN} -o ${elf}
    DEPENDS ${ARGN} ${CMAKE_CURRENT_SOURCE_DIR}/target.ld
    COMMENT "${name}_${target}.elf" VERBATIM)
  set(all)
  # What ctest runs: the kernels on every core, the firmware on the default one.
  if(SSDVP_FW_TIMING_LEVEL STREQUAL "full" AND
     (name STREQUAL "kernels" OR target STREQUAL "cortex-r82"))
    set(all ALL)
  endif()
  add_custom_target(ssdvp_fw_${name}_${target} ${all} DEPENDS ${elf})
  add_dependencies(ssdvp_timing_validation ssdvp_fw_${name}_${target})
endfunction()

# ssdvp_truth(TARGET): the replay of the firmware, and the kernels.
function(ssdvp_truth target)
  set(port)
  set(replay)
  set(kernels)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target})
  foreach(source ${truth_port_${target}})
    ssdvp_truth_object(${target} ${source} firmware_ port)
  endforeach()
  foreach(source ${SSDVP_FW_SOURCES})
    ssdvp_truth_object(${target} ${source} firmware_ replay)
  endforeach()
  foreach(source replay.c target_main.c) # which must not call what is counted
    ssdvp_truth_object(${target} ${CMAKE_CURRENT_SOURCE_DIR}/${source} replay_ replay
                       -fno-builtin)
  endforeach()
  ssdvp_truth_program(${target} replay ${replay} ${port})
  foreach(source ${kernel_sources} ${kernel_floats_${target}})
    ssdvp_truth_object(${target} ${source} firmware_ kernels)
  endforeach()
  ssdvp_truth_object(${target} ${CMAKE_CURRENT_SOURCE_DIR}/kernels/target_main.c replay_ kernels
                     -fno-builtin)
  ssdvp_truth_program(${target} kernels ${kernels} ${port})
endfunction()

# The division alone, on a 32-bit core.
function(ssdvp_divide_test target qemu)
  set(objects)
  ssdvp_truth_object(${target} ${CMAKE_CURRENT_SOURCE_DIR}/divide_test.c divide_ objects)
  foreach(source ${truth_port_${target}})
    ssdvp_truth_object(${target} ${source} divide_ objects)
  endforeach()
  ssdvp_truth_program(${target} divide ${objects})
  set_target_properties(ssdvp_fw_divide_${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
  add_test(NAME "fw_divide: ${target}" COMMAND ${qemu} ${ARGN}
           ${CMAKE_CURRENT_BINARY_DIR}/divide_${target}.elf)
endfunction()

# The firmware for the host, without a marker, by the same compiler: what timing is compared with.
function(ssdvp_plain_image)
  set(objects)
  set(truth_options_host -fPIC -fvisibility=hidden)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/host)
  foreach(source ${SSDVP_FW_SOURCES})
    ssdvp_truth_object(host ${source} firmware_ objects -USSDVP_FW_TIMED) # fwtime does not see it
  endforeach()
  set(image ${CMAKE_CURRENT_BINARY_DIR}/firmware_plain.so)
  add_custom_command(OUTPUT ${image}
    COMMAND ${SSDVP_CLANG} -shared ${objects} -o ${image}
    DEPENDS ${objects} COMMENT "firmware_plain.so" VERBATIM)
  add_custom_target(ssdvp_fw_plain ALL DEPENDS ${image}) # or nobody notices that it fails
  add_dependencies(ssdvp_timing_validation ssdvp_fw_plain)
endfunction()

# All that scripts/validate-timing runs.
add_custom_target(ssdvp_timing_validation
  DEPENDS ssdvp_fw_record ssdvp_fw_replay ssdvp_count_plugin)

if(SSDVP_CLANG AND SSDVP_LLD)
  ssdvp_plain_image()
  foreach(target ${truth_targets})
    set(all TRUE)
    foreach(command ${truth_linker_${target}})
      if(command MATCHES "^[^-]")
        string(REGEX REPLACE "-(as|ld|gcc)$" "" tools ${command})
        ssdvp_test_program(SSDVP_FOUND_${command} ${command} gcc-${tools})
        if(NOT SSDVP_FOUND_${command})
          set(all FALSE)
        endif()
      endif()
    endforeach()
    if(all)
      ssdvp_truth(${target})
    endif()
  endforeach()
  if(SSDVP_QEMU_cortex-r52)
    ssdvp_divide_test(cortex-r52 ${SSDVP_QEMU_cortex-r52} -cpu max)
  endif()
  if(TARGET ssdvp_fw_replay_rv32 AND SSDVP_QEMU_rv32)
    ssdvp_divide_test(rv32 ${SSDVP_QEMU_rv32} -cpu rv32)
  endif()
endif()
