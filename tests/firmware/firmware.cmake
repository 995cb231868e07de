# SPDX-License-Identifier: Apache-2.0
add_library(ssdvp_ram_nand STATIC
  ${PROJECT_SOURCE_DIR}/tests/support/ram_board.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/ram_nand.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/ram_power.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/ram_cells.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/schemes.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/superblocks.c
  ${PROJECT_SOURCE_DIR}/tests/support/ram_front_end.cpp
  drive_bench.cpp flash_reader.cpp)
target_link_libraries(ssdvp_ram_nand PUBLIC ssdvp_firmware_static Catch2::Catch2)
# These two need Catch2, which programs that use the other sources do not link.
set_source_files_properties(drive_bench.cpp flash_reader.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)

file(GLOB firmware_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_test.cpp)
list(REMOVE_ITEM firmware_tests shy_test.cpp parked_test.cpp)
ssdvp_test(fw PLAIN TIMEOUT 300 SOURCES ${firmware_tests} LIBS ssdvp_ram_nand)

# Two with another map beside the firmware.
ssdvp_test(fw_shy PLAIN TIMEOUT 240
           SOURCES shy_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/shy_map.c LIBS ssdvp_ram_nand)
ssdvp_test(fw_parked PLAIN TIMEOUT 60
           SOURCES parked_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/counting_map.c
           LIBS ssdvp_ram_nand)

add_executable(fw_target_panic target_panic_test.c ${PROJECT_SOURCE_DIR}/firmware/port/target.c)
target_link_options(fw_target_panic PRIVATE -fno-lto)
add_test(NAME fw_target_panic COMMAND fw_target_panic)
set_tests_properties(fw_target_panic PROPERTIES TIMEOUT 30)

# The same sources for each core, linked with the port's start-up; the linker script refuses
# file-scope mutable state. Sizes stay below their ceilings.
foreach(target aarch64 rv64 armv8r rv32)
  add_test(NAME fw_elf_${target}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/lib/fw_elf.sh ${target} ${PROJECT_SOURCE_DIR}/firmware
            ${CMAKE_CURRENT_BINARY_DIR}/elf ${CMAKE_CURRENT_SOURCE_DIR}/size_budget.txt)
  set_tests_properties(fw_elf_${target} PROPERTIES TIMEOUT 240 ENVIRONMENT FW_CFLAGS=-Werror
                       FIXTURES_SETUP fw_elf_${target})
  ssdvp_long_test(20 fw_elf_${target})
  # The same bytes wherever the clone lies: none of its path is in the image.
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/elf/${target}.elf)
  add_test(NAME fw_elf_paths_${target}
    COMMAND sh -c "test -s '${elf}' && ! grep -qF '${PROJECT_SOURCE_DIR}/' '${elf}'")
  # docs/firmware_kit.md: gdb knows what a panic leaves, and where.
  add_test(NAME fw_elf_panic_${target} COMMAND gdb -nx -batch -ex "print target_panic_record"
    -ex "print &target_panic_record" ${elf})
  set_tests_properties(fw_elf_paths_${target} fw_elf_panic_${target} PROPERTIES
    FIXTURES_REQUIRED fw_elf_${target})
  if(target MATCHES "aarch64|rv32") # one of each width, one of each family: the others tell
    ssdvp_nightly_test(fw_elf_${target} fw_elf_paths_${target} fw_elf_panic_${target})
  endif()
  set_tests_properties(fw_elf_panic_${target} PROPERTIES TIMEOUT 30 PASS_REGULAR_EXPRESSION
    "{magic = 0, line = 0, .*message.*struct target_panic \\*\\) 0x100000 <target_panic_record>")
endforeach()
