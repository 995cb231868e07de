// SPDX-License-Identifier: Apache-2.0
#include "platform/control/what_if.h"

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "platform/control/exit_code.h"
#include "platform/report/format.h"
#include "platform/report/output.h"

extern char** environ;

namespace ssdvp::platform {

namespace {

namespace json = boost::json;

/// Nothing of it is to be seen but its messages.
int run(std::vector<std::string> words)
{
    std::vector<char*> argv;
    for (std::string& w : words) {
        argv.push_back(w.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, "/proc/self/exe", &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    int status = 0;
    if (failed != 0 || ::waitpid(child, &status, 0) != child) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

json::value summary_in(const std::filesystem::path& directory)
{
    std::ifstream file(directory / "summary.json");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return json::parse(text);
}

double number_at(const json::value& summary, const char* pointer)
{
    boost::system::error_code ec;
    const json::value* const v = summary.find_pointer(pointer, ec);
    return v == nullptr ? 0.0 : v->to_number<double>();
}

/// "read IOPS: 48.2 k, then 57.8 k (+19.9 %)".
std::string change_of(const json::value& before, const json::value& after, const char* kind,
                      const char* key, const char* name)
{
    const std::string pointer = fmt::format("/host/{}/{}", kind, key);
    const double a = number_at(before, pointer.c_str());
    const double b = number_at(after, pointer.c_str());
    if (a == 0.0 || b == 0.0) {
        return {};
    }
    return fmt::format("              {} {}: {}, then {} ({:+.1f} %)\n", kind, name, text_rough(a),
                       text_rough(b), 100.0 * (b / a - 1.0));
}

} // namespace

std::string what_if(const command_line& line, const std::filesystem::path& directory,
                    const bottleneck& limit)
{
    const auto& [key, value] = limit.what_if;
    if (key.empty()) {
        return "  what if     no part of the drive limits it: nothing is tried\n";
    }
    const std::filesystem::path again = directory / "what_if";
    std::vector<std::string> words = {"ssdvp",
                                      "run",
                                      (directory / "config.resolved.yaml").string(),
                                      "--set",
                                      fmt::format("{}={}", key, value),
                                      "--out",
                                      again.string(),
                                      "--quiet"};
    const auto add = [&words](const char* option, const std::string& text) {
        if (!text.empty()) {
            words.emplace_back(option);
            words.push_back(text);
        }
    };
    add("--firmware", line.firmware);
    add("--load-state", line.states.load);
    if (!line.states.cache) {
        words.emplace_back("--no-state-cache");
    }
    if (const int code = run(words); code != EXIT_DONE && code != EXIT_FAILING) {
        throw write_error(fmt::format("--what-if: the run with {}={} did not end well; its command "
                                      "is: {}",
                                      key, value, fmt::join(words, " ")));
    }
    const json::value before = summary_in(directory);
    const json::value after = summary_in(again);
    std::string text =
        fmt::format("  what if     {}={}: 20 % faster, from the same state\n", key, value);
    for (const char* kind : {"read", "write"}) {
        text += change_of(before, after, kind, "iops", "IOPS");
        text += change_of(before, after, kind, "latency_ns/mean", "mean latency, ns");
        text += change_of(before, after, kind, "latency_ns/p99", "p99 latency, ns");
    }
    return text + fmt::format("              more in {}\n", again.string());
}

} // namespace ssdvp::platform
