# SPDX-License-Identifier: Apache-2.0
# Installs the program of the build folder `built` to `inside`, with the shared libraries that it
# needs and that no other machine is sure to have: all but those of the C and C++ compiler.
if(NOT EXISTS ${built}/package/ssdvp.1)
  message(FATAL_ERROR "${built} has no ssdvp that can be installed; build its target "
    "ssdvp_installed, or leave SSDVP_BUILT out")
endif()
execute_process(COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET
  COMMAND ${CMAKE_COMMAND} --install ${built} --prefix ${inside} --component program)
# The loader finds what it needs in lib/ssdvp: the programs were installed with that RPATH.
# What one looks for elsewhere, or asks the program for.
file(REMOVE_RECURSE ${inside}/share/doc ${inside}/share/man ${inside}/share/bash-completion)
file(GLOB programs ${inside}/bin/*)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs}
  RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc[+][+]))[.]so[.]")
if(missing)
  message(FATAL_ERROR "the program needs libraries that are not here: ${missing}")
endif()
file(INSTALL ${libraries} DESTINATION ${inside}/lib/ssdvp FOLLOW_SYMLINK_CHAIN)
