# SPDX-License-Identifier: Apache-2.0
# fio job files, and traces of every format: the corpus with any compiler, with SSDVP_FUZZ (clang)
# the fuzzers too.
add_executable(fio_replay fio_fuzz.cpp replay_main.cpp)
target_link_libraries(fio_replay PRIVATE ssdvp_fio ssdvp_host)
add_test(NAME "fuzz: fio job corpus" COMMAND fio_replay ${CMAKE_CURRENT_SOURCE_DIR}/fio)
set_tests_properties("fuzz: fio job corpus" PROPERTIES TIMEOUT 120)
if(SSDVP_FUZZ)
  add_executable(fio_fuzz fio_fuzz.cpp)
  target_link_libraries(fio_fuzz PRIVATE ssdvp_fio ssdvp_host)
  target_link_options(fio_fuzz PRIVATE -fsanitize=fuzzer)
endif()

file(GLOB formats CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/traces
  ${CMAKE_CURRENT_SOURCE_DIR}/traces/*)
foreach(format ${formats})
  add_executable(trace_${format}_replay trace_fuzz.cpp replay_main.cpp)
  target_link_libraries(trace_${format}_replay PRIVATE ssdvp_host)
  target_compile_definitions(trace_${format}_replay PRIVATE SSDVP_TRACE_FORMAT="${format}")
  add_test(NAME "fuzz: ${format} trace corpus"
    COMMAND trace_${format}_replay ${CMAKE_CURRENT_SOURCE_DIR}/traces/${format})
  set_tests_properties("fuzz: ${format} trace corpus" PROPERTIES TIMEOUT 120)
  if(SSDVP_FUZZ)
    add_executable(trace_${format}_fuzz trace_fuzz.cpp)
    target_link_libraries(trace_${format}_fuzz PRIVATE ssdvp_host)
    target_compile_definitions(trace_${format}_fuzz PRIVATE SSDVP_TRACE_FORMAT="${format}")
    target_link_options(trace_${format}_fuzz PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()
