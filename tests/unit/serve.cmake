# SPDX-License-Identifier: Apache-2.0
ssdvp_test(serve_test SYSTEMC
  SOURCES serve_boot_flash.cpp serve_content_check.cpp serve_hole_map.cpp serve_image_file.cpp
          serve_nbd_server.cpp
  LIBS ssdvp_serve)
