# SPDX-License-Identifier: Apache-2.0
# Sources by folder: a file that is added, or taken away, is noticed when something is built next.

# ssdvp_firmware_sources(VARIABLE FOLDER): every C file of the image below FOLDER, in the order of
# their names. The port and the template are no part of it; build and elf are where scripts/fw-build
# writes; a dot begins the files of editors.
function(ssdvp_firmware_sources variable folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "^(port|template|build|elf)/|(^|/)\\.")
  list(TRANSFORM sources PREPEND ${folder}/)
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# ssdvp_sources(VARIABLE): every C++ file of the current folder and those below it.
function(ssdvp_sources variable)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
  list(FILTER sources EXCLUDE REGEX "(^|/)\\.")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
