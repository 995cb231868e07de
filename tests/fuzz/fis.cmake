# SPDX-License-Identifier: Apache-2.0
# The corpus through a plain main, with any compiler; with SSDVP_FUZZ (clang) the fuzzer too.
add_executable(fis_replay fis_fuzz.cpp fis_target.cpp replay_main.cpp)
target_link_libraries(fis_replay PRIVATE ssdvp_control)
target_compile_options(fis_replay PRIVATE ${SSDVP_TEST_OPTIONS})
add_test(NAME "fuzz: FIS corpus" COMMAND fis_replay ${CMAKE_CURRENT_SOURCE_DIR}/fis)
set_tests_properties("fuzz: FIS corpus" PROPERTIES TIMEOUT 120)
if(SSDVP_FUZZ)
  add_executable(fis_fuzz fis_fuzz.cpp fis_target.cpp)
  target_link_libraries(fis_fuzz PRIVATE ssdvp_control)
  target_link_options(fis_fuzz PRIVATE -fsanitize=fuzzer)
endif()
