# SPDX-License-Identifier: Apache-2.0
# ssdvp_check_firmware_sources(FOLDER SOURCES...): every C file below FOLDER is among SOURCES, and
# every one of these is there. A file that was forgotten would show at the last link.
function(ssdvp_check_firmware_sources folder)
  foreach(source ${ARGN})
    if(NOT EXISTS ${source})
      message(FATAL_ERROR "${source} is not there, but ${folder}/CMakeLists.txt lists it: take it "
        "out of SSDVP_FW_SOURCES")
    endif()
  endforeach()
  file(GLOB_RECURSE present RELATIVE ${folder} ${folder}/*.c)
  # The port and the template are no part of the image; build and elf are where scripts/fw-build
  # writes; a dot begins the files of editors.
  list(FILTER present EXCLUDE REGEX "^(port|template|build|elf)/|(^|/)\\.")
  foreach(source ${present})
    if(NOT "${folder}/${source}" IN_LIST ARGN)
      message(FATAL_ERROR "${folder}/${source} is in no list: add it to SSDVP_FW_SOURCES in "
        "${folder}/CMakeLists.txt")
    endif()
  endforeach()
endfunction()
