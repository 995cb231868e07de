# SPDX-License-Identifier: Apache-2.0
# Namespaces are made, attached, listed, formatted, used and removed.
case $DRIVE in /dev/nvme*) ;; *) echo "guest: SATA has no namespaces"; exit 0 ;; esac
nvme list-ns /dev/nvme0 --all
