# SPDX-License-Identifier: Apache-2.0
# Everything comes from Debian packages; scripts/lib/packages.txt lists them.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json iostreams)
find_package(yaml-cpp REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Catch2 2 REQUIRED)

find_path(LIBDEFLATE_INCLUDE libdeflate.h REQUIRED)
find_library(LIBDEFLATE_LIBRARY deflate REQUIRED)
add_library(libdeflate INTERFACE)
target_include_directories(libdeflate SYSTEM INTERFACE ${LIBDEFLATE_INCLUDE})
target_link_libraries(libdeflate INTERFACE ${LIBDEFLATE_LIBRARY})

find_path(SYSTEMC_INCLUDE systemc REQUIRED)
find_library(SYSTEMC_LIBRARY systemc REQUIRED)
add_library(systemc INTERFACE)
target_include_directories(systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE})
target_link_libraries(systemc INTERFACE ${SYSTEMC_LIBRARY} Threads::Threads)
