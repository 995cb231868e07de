# SPDX-License-Identifier: Apache-2.0
# `cpack -G DEB` in the build folder, which scripts/package calls: packages for Debian 12. What they
# depend on is found by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR ssdvp)
set(CPACK_PACKAGE_CONTACT "the authors of ssdvp <ssdvp@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF) # where firmware panicked is told by file and line
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_COMPONENTS_ALL program zsh_debian)
if(TARGET fwtime)
  list(APPEND CPACK_COMPONENTS_ALL firmware_kit)
endif()

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ssdvp)
set(CPACK_COMPONENT_PROGRAM_GROUP program)
set(CPACK_COMPONENT_ZSH_DEBIAN_GROUP program)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "virtual platform of an SSD controller
Real controller firmware, written in C, runs on models of the hardware (NVMe
or SATA front end, DRAM, flash channels, NAND dies) in SystemC/TLM-2.0. A run
gives the data, checked; the time, in picoseconds; and the cost of firmware.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS binutils) # addr2line: lines of firmware that panicked
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS
  "ssdvp-firmware-kit, qemu-system-x86, fio, gdb, gtkwave, bash-completion")

set(CPACK_DEBIAN_FIRMWARE_KIT_PACKAGE_NAME ssdvp-firmware-kit)
set(CPACK_COMPONENT_FIRMWARE_KIT_GROUP firmware_kit)
set(CPACK_COMPONENT_FIRMWARE_KIT_DESCRIPTION "what SSD firmware is built with for ssdvp
Headers and sources of the firmware, the registers, a template of a project,
and the program that times firmware by the instructions of its target.")
set(CPACK_DEBIAN_FIRMWARE_KIT_PACKAGE_DEPENDS
  "ssdvp (= ${PROJECT_VERSION}), bash, binutils, clang-14, gcc, make, python3")
set(CPACK_DEBIAN_FIRMWARE_KIT_PACKAGE_SUGGESTS
  "lld-14, binutils-riscv64-unknown-elf, gcc-arm-none-eabi, gcc-riscv64-unknown-elf, gdb")

include(CPack)
