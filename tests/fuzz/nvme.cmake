# SPDX-License-Identifier: Apache-2.0
# The corpus through a plain main, with any compiler; with SSDVP_FUZZ (clang) the fuzzer too.
add_executable(nvme_replay nvme_fuzz.cpp nvme_target.cpp nvme_drives.cpp replay_main.cpp)
target_link_libraries(nvme_replay PRIVATE ssdvp_raw_host)
target_compile_options(nvme_replay PRIVATE ${SSDVP_TEST_OPTIONS})
add_test(NAME "fuzz: NVMe corpus" COMMAND nvme_replay ${CMAKE_CURRENT_SOURCE_DIR}/nvme)
set_tests_properties("fuzz: NVMe corpus" PROPERTIES TIMEOUT 120)
if(SSDVP_FUZZ)
  add_executable(nvme_fuzz nvme_fuzz.cpp nvme_target.cpp nvme_drives.cpp)
  target_link_libraries(nvme_fuzz PRIVATE ssdvp_raw_host)
  target_link_options(nvme_fuzz PRIVATE -fsanitize=fuzzer)
endif()
