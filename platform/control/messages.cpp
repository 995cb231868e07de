// SPDX-License-Identifier: Apache-2.0
#include "platform/control/messages.h"

#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <string_view>

#include "platform/control/exit_code.h"
#include "platform/report/printable.h"

namespace ssdvp::platform {

namespace {

class line_formatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override
    {
        const auto level = spdlog::level::to_string_view(message.level);
        const std::string line =
            fmt::format("ssdvp: {}: {}\n", std::string_view(level.data(), level.size()),
                        printable({message.payload.data(), message.payload.size()}));
        out.append(line.data(), line.data() + line.size());
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override
    {
        return std::make_unique<line_formatter>();
    }
};

} // namespace

void open_messages()
{
    spdlog::set_default_logger(spdlog::stderr_logger_mt("ssdvp"));
    spdlog::set_formatter(std::make_unique<line_formatter>());
}

void tell_error(const std::string& text)
{
    spdlog::error("{}", text);
}

int flushed(int code)
{
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.good()) {
        tell_error("standard output could not be written: it is closed or full, or its reader has "
                   "gone; what was printed is lost in part");
    } else if (std::ferror(stderr) == 0) { // else warnings are lost, which nobody can be told
        return code;
    }
    return code == EXIT_DONE ? EXIT_RUN_FAILED : code;
}

} // namespace ssdvp::platform
