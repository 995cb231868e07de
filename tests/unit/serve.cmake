# SPDX-License-Identifier: Apache-2.0
ssdvp_test(serve_test SYSTEMC
           SOURCES serve_boot_flash_test.cpp serve_content_check_test.cpp serve_hole_map_test.cpp
                   serve_image_file_test.cpp serve_nbd_server_test.cpp
           LIBS ssdvp_serve)
