# SPDX-License-Identifier: Apache-2.0
# For CMAKE_PROJECT_INCLUDE: a target more, when all of the project's are there.
function(ssdvp_add_host)
  add_executable(send EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tests/extension/host/send.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/raw_host.cpp)
  target_link_libraries(send PRIVATE ssdvp_control)
endfunction()
cmake_language(DEFER CALL ssdvp_add_host)
