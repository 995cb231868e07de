// SPDX-License-Identifier: Apache-2.0
//
// A stock QEMU as a child process, with a PCI device that answers from here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "platform/guest/proxy_channel.h"
#include "platform/guest/qtest.h"

namespace ssdvp::platform {

struct qemu_options {
    std::string program = "qemu-system-x86_64";
    std::string memory = "512M"; // of the guest, as QEMU spells it
    /// QEMU 7.2 loses an access to a BAR while another processor's is under way ("Blocked
    /// re-entrant IO"): more than one makes drivers time out now and then.
    unsigned processors = 1;
    std::string kernel; // empty: the firmware boots from the drive
    std::string initrd;
    std::string append;             // the kernel's command line
    std::string bios;               // empty: SeaBIOS
    std::vector<std::string> extra; // handed on as they are
};

/// Throws guest_error when QEMU is missing or too old, a file is not there, or options make no
/// sense.
void check_machine(const qemu_options& options);

class qemu {
public:
    /// Starts it, checked before. Throws guest_error.
    explicit qemu(const qemu_options& options);
    /// Ends it, if it still runs.
    ~qemu();
    qemu(const qemu&) = delete;
    qemu& operator=(const qemu&) = delete;

    [[nodiscard]] proxy_channel& channel() { return *m_channel; }
    /// Delivers an interrupt message.
    void interrupt(std::uint64_t address, std::uint32_t data);
    /// Ends it now, as if its power went.
    void kill();
    /// How it ended, once it has: its exit code, or 128 + signal.
    std::optional<int> ended();
    /// Waits for its end.
    int wait();

private:
    std::vector<std::string> arguments(const qemu_options& options, int socket) const;

    std::string m_folder; // of the qtest socket
    std::optional<proxy_channel> m_channel;
    qtest m_qtest;
    bool m_connected = false;
    pid_t m_child = -1;
    std::optional<int> m_code;
};

} // namespace ssdvp::platform
