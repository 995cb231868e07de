# SPDX-License-Identifier: Apache-2.0
add_library(ssdvp_ram_nand STATIC
  ${PROJECT_SOURCE_DIR}/tests/support/ram_board.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/ram_nand.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/ram_power.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/ram_cells.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/schemes.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/ram_front_end.cpp
  drive_bench.cpp flash_reader.cpp)
target_link_libraries(ssdvp_ram_nand PUBLIC ssdvp_firmware_static Catch2::Catch2)

ssdvp_test(fw_random PLAIN TIMEOUT 300 SOURCES random_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_nvme PLAIN TIMEOUT 120 SOURCES nvme_test.cpp nvme_admin_test.cpp
           nvme_metadata_test.cpp nvme_namespace_test.cpp namespace_cuts_test.cpp
           format_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_zones PLAIN TIMEOUT 120 SOURCES zones_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_ata PLAIN TIMEOUT 120 SOURCES ata_test.cpp ata_pages_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_errors PLAIN TIMEOUT 240 SOURCES errors_test.cpp lost_power_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_cost_benefit PLAIN TIMEOUT 120 SOURCES cost_benefit_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_copyback PLAIN TIMEOUT 240 SOURCES copyback_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_health PLAIN TIMEOUT 120 SOURCES health_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_page_map PLAIN TIMEOUT 30 SOURCES page_map_test.cpp
           LIBS ssdvp_firmware_static Catch2::Catch2)
# Its own ftl_page_map is found before the archive's.
ssdvp_test(fw_shy PLAIN TIMEOUT 240
           SOURCES shy_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/shy_map.c LIBS ssdvp_ram_nand)
# Likewise.
ssdvp_test(fw_parked PLAIN TIMEOUT 60
           SOURCES parked_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/counting_map.c
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_recovery PLAIN TIMEOUT 120
           SOURCES maps_test.cpp recovery_test.cpp recovery_lost_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_replay PLAIN TIMEOUT 30 SOURCES maps_count_test.cpp replay_test.cpp
           LIBS ssdvp_firmware_static Catch2::Catch2)
ssdvp_test(fw_dftl PLAIN TIMEOUT 240 SOURCES dftl_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_policies PLAIN TIMEOUT 120 SOURCES policies_test.cpp policies_work_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_rw_lru PLAIN TIMEOUT 60 SOURCES rw_lru_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_vm_map PLAIN TIMEOUT 240
           SOURCES vm_map_test.cpp vm_map_faults_test.cpp vm_map_wear_test.cpp
                   vm_map_early_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_log_set PLAIN TIMEOUT 240 SOURCES log_set_test.cpp log_set_upper_test.cpp
                   log_set_block_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_blockmap PLAIN TIMEOUT 240
           SOURCES blockmap_test.cpp blockmap_memory_test.cpp blockmap_work_test.cpp
                   localities_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_superblock PLAIN TIMEOUT 240 SOURCES superblock_test.cpp superblock_work_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_placement PLAIN TIMEOUT 240 SOURCES placement_test.cpp lanes_test.cpp
           LIBS ssdvp_ram_nand)
ssdvp_test(fw_streams PLAIN TIMEOUT 120 SOURCES streams_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_starve PLAIN TIMEOUT 240 SOURCES starve_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_narrow PLAIN TIMEOUT 120 SOURCES narrow_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_tell PLAIN TIMEOUT 240 SOURCES tell_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_spare PLAIN TIMEOUT 30 SOURCES spare_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_flash_request PLAIN TIMEOUT 30 SOURCES flash_request_test.cpp
           LIBS ssdvp_firmware_static Catch2::Catch2)
ssdvp_test(fw_mailbox PLAIN TIMEOUT 30 SOURCES mailbox_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_together PLAIN TIMEOUT 240 SOURCES together_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_shallow PLAIN TIMEOUT 120 SOURCES shallow_test.cpp LIBS ssdvp_ram_nand)
ssdvp_test(fw_flash PLAIN TIMEOUT 120 SOURCES boot_test.cpp flash_test.cpp LIBS ssdvp_ram_nand)

add_executable(fw_target_panic target_panic_test.c ${PROJECT_SOURCE_DIR}/firmware/port/target.c)
target_compile_options(fw_target_panic PRIVATE -fno-lto)
target_link_options(fw_target_panic PRIVATE -fno-lto)
add_test(NAME fw_target_panic COMMAND fw_target_panic)
set_tests_properties(fw_target_panic PROPERTIES TIMEOUT 30)

# The same sources for each core, linked with the port's start-up; the linker script refuses
# file-scope mutable state. Sizes stay below their ceilings.
foreach(target aarch64 rv64 armv8r rv32)
  add_test(NAME fw_elf_${target}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/lib/fw_elf.sh ${target} ${PROJECT_SOURCE_DIR}/firmware
            ${CMAKE_CURRENT_BINARY_DIR}/elf ${CMAKE_CURRENT_SOURCE_DIR}/size_budget.txt)
  set_tests_properties(fw_elf_${target} PROPERTIES TIMEOUT 240 ENVIRONMENT FW_CFLAGS=-Werror)
endforeach()
