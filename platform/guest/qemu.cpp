// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/qemu.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <regex>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>

#include "platform/guest/guest_error.h"

extern char** environ;

namespace ssdvp::platform {

namespace {

constexpr int oldest_major = 7; // the oldest that this was tried with

int exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void need_file(const std::string& file, const char* option)
{
    std::error_code e;
    if (!file.empty() && !std::filesystem::is_regular_file(file, e)) {
        throw guest_error(
            fmt::format("{} {}: there is no such file; scripts/guest makes one", option, file));
    }
}

/// That it runs, and is new enough.
void need_program(const std::string& program)
{
    const std::string command = "'" + program + "' --version 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> out(::popen(command.c_str(), "r"), ::pclose);
    std::array<char, 256> line{};
    std::array<char, 32> version{};
    if (!out || std::fgets(line.data(), line.size(), out.get()) == nullptr ||
        std::sscanf(line.data(), "QEMU emulator version %31[0-9.]", version.data()) != 1) {
        throw guest_error(fmt::format("{} does not run; install the package qemu-system-x86, or "
                                      "name another program with --qemu",
                                      program));
    }
    if (std::atoi(version.data()) < oldest_major) {
        throw guest_error(fmt::format("{} is version {}, {}.0 or newer is needed", program,
                                      version.data(), oldest_major));
    }
}

/// What QEMU itself would say only after the drive was built and files were written.
void check_usage(const qemu_options& o)
{
    static const std::regex size("[1-9][0-9]*[kmgtKMGT]");
    if (!std::regex_match(o.memory, size)) {
        throw guest_error(
            fmt::format("--memory {}: is no size; give a number and K, M, G or T: 512M", o.memory));
    }
    for (const auto& [option, value] : {std::pair("--initrd", o.initrd), {"--append", o.append}}) {
        if (!value.empty() && o.kernel.empty()) {
            throw guest_error(fmt::format("{} is for a kernel that QEMU starts; name one with "
                                          "--kernel, or leave {} out",
                                          option, option));
        }
    }
}

/// With the signals that this process ignores, and a child would ignore too, as they were.
int spawn(pid_t& child, char* const* argv)
{
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGPIPE);
    ::sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int error = ::posix_spawnp(&child, argv[0], nullptr, &attributes, argv, environ);
    ::posix_spawnattr_destroy(&attributes);
    return error;
}

} // namespace

void check_machine(const qemu_options& options)
{
    check_usage(options);
    need_program(options.program);
    need_file(options.kernel, "--kernel");
    need_file(options.initrd, "--initrd");
    need_file(options.bios, "--bios");
}

std::vector<std::string> qemu::arguments(const qemu_options& o, int socket) const
{
    std::vector<std::string> a = {
        o.program,
        "-accel",
        "tcg",
        "-machine",
        "pc",
        "-m",
        o.memory,
        "-smp",
        fmt::format("{}", o.processors),
        "-object",
        fmt::format("memory-backend-memfd,id=ram,size={},share=on", o.memory),
        "-numa",
        "node,memdev=ram",
        "-nographic",
        "-no-reboot",
        "-nic",
        "none",
        "-qtest",
        fmt::format("unix:{}/qtest,server=on,wait=off", m_folder),
        "-qtest-log",
        "none",
        "-device",
        fmt::format("x-pci-proxy-dev,id=drive,fd={}", socket)};
    const auto add = [&a](const char* option, const std::string& value) {
        if (!value.empty()) {
            a.insert(a.end(), {option, value});
        }
    };
    add("-kernel", o.kernel);
    add("-initrd", o.initrd);
    add("-append", o.append);
    add("-bios", o.bios);
    a.insert(a.end(), o.extra.begin(), o.extra.end());
    return a;
}

qemu::qemu(const qemu_options& options)
{
    std::string folder = (std::filesystem::temp_directory_path() / "ssdvp-XXXXXX").string();
    std::array<int, 2> ends{};
    if (::mkdtemp(folder.data()) == nullptr ||
        ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw guest_error(fmt::format("{}: {}", folder, std::strerror(errno)));
    }
    m_folder = folder;
    m_channel.emplace(file_handle(ends[0]));
    const file_handle theirs(ends[1]);
    ::fcntl(theirs.get(), F_SETFD, 0); // it inherits this one
    const std::vector<std::string> texts = arguments(options, theirs.get());
    std::vector<char*> argv;
    for (const std::string& t : texts) {
        argv.push_back(const_cast<char*>(t.c_str()));
    }
    argv.push_back(nullptr);
    const int error = spawn(m_child, argv.data());
    if (error != 0) {
        throw guest_error(fmt::format("{}: {}", options.program, std::strerror(error)));
    }
}

qemu::~qemu()
{
    kill();
    std::error_code e;
    std::filesystem::remove_all(m_folder, e);
}

void qemu::interrupt(std::uint64_t address, std::uint32_t data)
{
    using namespace std::chrono_literals;
    for (int tries = 0; !m_connected && tries < 100 && !ended(); ++tries) {
        m_connected = m_qtest.connect(m_folder + "/qtest");
        if (!m_connected) {
            std::this_thread::sleep_for(10ms);
        }
    }
    m_qtest.write_long(address, data);
}

void qemu::kill()
{
    if (m_child > 0 && !ended()) {
        ::kill(m_child, SIGKILL);
        wait();
    }
}

std::optional<int> qemu::ended()
{
    int status = 0;
    if (!m_code && m_child > 0 && ::waitpid(m_child, &status, WNOHANG) == m_child) {
        m_code = exit_code(status);
    }
    return m_code;
}

int qemu::wait()
{
    int status = 0;
    while (!m_code) {
        const pid_t p = ::waitpid(m_child, &status, 0);
        if (p == m_child) {
            m_code = exit_code(status);
        } else if (p < 0 && errno != EINTR) {
            m_code = -1;
        }
    }
    return *m_code;
}

} // namespace ssdvp::platform
