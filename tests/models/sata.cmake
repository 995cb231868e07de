# SPDX-License-Identifier: Apache-2.0
ssdvp_test(sata_link SYSTEMC SOURCES sata/link_test.cpp LIBS ssdvp_sata)
ssdvp_test(sata_front_end SYSTEMC
  SOURCES sata/protocol_test.cpp sata/queue_test.cpp sata/reset_test.cpp
          sata/misuse_test.cpp sata/bench.cpp
          front_end_bench.cpp
  LIBS ssdvp_sata)
ssdvp_test(sata_hba SYSTEMC SOURCES sata/hba_test.cpp sata/hba_errors_test.cpp
           LIBS ssdvp_host ssdvp_sata)
ssdvp_test(sata_driver SYSTEMC SOURCES sata/driver_test.cpp sata/ata_standin.cpp
           LIBS ssdvp_host ssdvp_sata)
