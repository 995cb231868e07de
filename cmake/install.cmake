# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts below a prefix, which may be moved as a whole afterwards. Component
# `program`: what one runs. `firmware_kit`: what firmware of one's own is built with, laid out as a
# clone is, so that its scripts and projects find there what they find in one.
include(GNUInstallDirs)
set(SSDVP_DOCS ${CMAKE_INSTALL_DATADIR}/doc/ssdvp)
set(SSDVP_LIB lib/ssdvp) # programs and their RPATH count on it
set(SSDVP_KIT ${SSDVP_LIB}/kit)

# ssdvp_spoken(FILE OPTION...): what the program says of itself.
set(spoken_files "")
function(ssdvp_spoken file)
  set(path ${PROJECT_BINARY_DIR}/package/${file})
  add_custom_command(OUTPUT ${path} DEPENDS ssdvp VERBATIM
    COMMAND ssdvp show ${ARGN} > ${path} COMMENT "Writing ${file}")
  set(spoken_files ${spoken_files} ${path} PARENT_SCOPE)
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
ssdvp_spoken(ssdvp.1 --man)
ssdvp_spoken(ssdvp.bash --completion bash)
ssdvp_spoken(_ssdvp --completion zsh)

# What has to be built before `cmake --install`, and no test.
add_custom_target(ssdvp_installed ALL DEPENDS ${spoken_files})
set(programs ssdvp)
if(TARGET ssdvp_onfi_replay)
  list(APPEND programs ssdvp_onfi_replay)
endif()
add_dependencies(ssdvp_installed ${programs})

# A wheel carries the libraries of Debian beside the program (python/CMakeLists.txt). RPATH, not
# RUNPATH: also for what those libraries need. From the start: a place kept free for it would mean
# the working folder.
foreach(program ${programs})
  set_target_properties(${program} PROPERTIES BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../${SSDVP_LIB}")
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endforeach()

install(TARGETS ${programs} COMPONENT program)
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/ssdvp COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/package/ssdvp.1 COMPONENT program
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/package/ssdvp.bash COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ssdvp)
# Debian's zsh looks elsewhere for what a package has than for what was installed by hand.
install(FILES ${PROJECT_BINARY_DIR}/package/_ssdvp COMPONENT zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/package/_ssdvp COMPONENT zsh_debian EXCLUDE_FROM_ALL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES README.md CHANGELOG.md LICENSE cmake/package/copyright DESTINATION ${SSDVP_DOCS}
  COMPONENT program)
install(DIRECTORY docs DESTINATION ${SSDVP_DOCS} COMPONENT program)

if(TARGET fwtime)
  add_dependencies(ssdvp_installed ssdvp_fw fwtime)
  set(kit_build ${SSDVP_KIT}/build/release)
  # The firmware that is built in, as --firmware takes it.
  install(FILES $<TARGET_FILE:ssdvp_fw> $<TARGET_FILE:ssdvp_fw>.timing
    DESTINATION ${SSDVP_LIB} COMPONENT firmware_kit)
  install(TARGETS fwtime DESTINATION ${kit_build}/tools/fwtime COMPONENT firmware_kit)
  install(DIRECTORY firmware DESTINATION ${SSDVP_KIT} COMPONENT firmware_kit)
  install(DIRECTORY models/regs DESTINATION ${SSDVP_KIT}/models COMPONENT firmware_kit
    FILES_MATCHING PATTERN "*.h")
  install(PROGRAMS scripts/fw-build scripts/new-firmware DESTINATION ${SSDVP_KIT}/scripts
    COMPONENT firmware_kit)
  file(GLOB kit_parts CONFIGURE_DEPENDS scripts/lib/fw_*)
  list(FILTER kit_parts EXCLUDE REGEX "fw_elf[.]sh$")
  install(FILES ${kit_parts} scripts/lib/common.sh scripts/lib/setup.sh scripts/lib/build.sh
    scripts/lib/packages.txt DESTINATION ${SSDVP_KIT}/scripts/lib COMPONENT firmware_kit)
  install(PROGRAMS scripts/lib/fw_elf.sh DESTINATION ${SSDVP_KIT}/scripts/lib
    COMPONENT firmware_kit)
  install(PROGRAMS cmake/package/kit_run DESTINATION ${SSDVP_KIT}/scripts RENAME run
    COMPONENT firmware_kit)
  install(FILES cmake/package/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ssdvp-firmware-kit
    COMPONENT firmware_kit)
  # Where a clone has the program; relative, so that the prefix can be moved.
  file(RELATIVE_PATH up /${kit_build} /${CMAKE_INSTALL_BINDIR}/ssdvp)
  install(CODE "file(CREATE_LINK ${up} \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${kit_build}/ssdvp
    SYMBOLIC)" COMPONENT firmware_kit)
endif()
