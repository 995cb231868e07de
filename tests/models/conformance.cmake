# SPDX-License-Identifier: Apache-2.0
# What NVMe answers, command by command, on whole drives.
ssdvp_test(nvme_conformance SYSTEMC TIMEOUT 120
           SOURCES nvme/conformance_*_test.cpp nvme/conformance_bench.cpp
           LIBS ssdvp_control Catch2::Catch2)

# The firmware once more, of another revision, as a host downloads it: only the file that tells the
# revision is compiled again.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_library(ssdvp_fw_next MODULE ${PROJECT_SOURCE_DIR}/firmware/run/main.c)
target_compile_options(ssdvp_fw_next PRIVATE -g -ffreestanding -fno-common -fexceptions
                       -fvisibility=hidden)
target_compile_definitions(ssdvp_fw_next PRIVATE "FIRMWARE_REVISION=\"9.9     \"")
target_link_libraries(ssdvp_fw_next PRIVATE ssdvp_firmware_static)
set_target_properties(ssdvp_fw_next PROPERTIES PREFIX "" LINKER_LANGUAGE C)
set(package ${CMAKE_CURRENT_BINARY_DIR}/ssdvp_fw_next.fw)
set(pack ${PROJECT_SOURCE_DIR}/scripts/lib/fw_package.py)
add_custom_command(OUTPUT ${package} DEPENDS ssdvp_fw_next ${pack} VERBATIM
  COMMAND ${Python3_EXECUTABLE} -B ${pack} $<TARGET_FILE:ssdvp_fw_next> ${package})
add_custom_target(ssdvp_fw_next_package DEPENDS ${package})
add_dependencies(nvme_conformance ssdvp_fw_next_package)
target_compile_definitions(nvme_conformance PRIVATE "SSDVP_NEXT_PACKAGE=\"${package}\"")
