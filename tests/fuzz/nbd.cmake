# SPDX-License-Identifier: Apache-2.0
# The corpus through a plain main, with any compiler; with SSDVP_FUZZ (clang) the fuzzer too.
add_executable(nbd_replay nbd_fuzz.cpp replay_main.cpp)
target_link_libraries(nbd_replay PRIVATE ssdvp_serve)
target_compile_options(nbd_replay PRIVATE ${SSDVP_TEST_OPTIONS})
add_test(NAME "fuzz: NBD corpus" COMMAND nbd_replay ${CMAKE_CURRENT_SOURCE_DIR}/nbd)
set_tests_properties("fuzz: NBD corpus" PROPERTIES TIMEOUT 120)
if(SSDVP_FUZZ)
  add_executable(nbd_fuzz nbd_fuzz.cpp)
  target_link_libraries(nbd_fuzz PRIVATE ssdvp_serve)
  target_link_options(nbd_fuzz PRIVATE -fsanitize=fuzzer)
endif()
