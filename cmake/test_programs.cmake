# SPDX-License-Identifier: Apache-2.0
# Programs without which tests are left out. scripts/test installs them, and nothing is left out
# there: it sets SSDVP_ALL_TESTS.
option(SSDVP_ALL_TESTS "A test that would be left out is an error" OFF)

# ssdvp_left_out(WHAT WHY): what is said where tests are left out.
function(ssdvp_left_out what why)
  if(SSDVP_ALL_TESTS)
    message(FATAL_ERROR "${what} would be left out: ${why}. scripts/test installs what tests need; "
      "-DSSDVP_ALL_TESTS=OFF goes on without them")
  endif()
  message(STATUS "Left out: ${what}: ${why}")
endfunction()

# ssdvp_test_program(VARIABLE NAME PACKAGE): find_program, for tests.
function(ssdvp_test_program variable name package)
  find_program(${variable} ${name})
  if(NOT ${variable})
    ssdvp_left_out("tests that run ${name}" "it was not found (package ${package})")
  endif()
endfunction()
