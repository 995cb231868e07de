// SPDX-License-Identifier: Apache-2.0
#include "platform/control/rerun.h"

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
#include "platform/report/output.h"

extern char** environ;

namespace ssdvp::platform {

namespace {

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

} // namespace

boost::json::value rerun(const command_line& line, const std::filesystem::path& directory,
                         const hypothesis& h)
{
    const std::filesystem::path again = directory / h.folder;
    std::vector<std::string> words = {"ssdvp",
                                      "run",
                                      (directory / "config.resolved.yaml").string(),
                                      "--set",
                                      fmt::format("{}={}", h.key, h.value),
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
        throw write_error(fmt::format("{}: the run with {}={} did not end well; its command is: {}",
                                      h.option, h.key, h.value, fmt::join(words, " ")));
    }
    return summary_in(again);
}

boost::json::value summary_in(const std::filesystem::path& directory)
{
    std::ifstream file(directory / "summary.json");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return boost::json::parse(text);
}

namespace {

double number_at(const boost::json::value& summary, const std::string& pointer)
{
    boost::system::error_code ec;
    const boost::json::value* const v = summary.find_pointer(pointer, ec);
    return v == nullptr ? 0.0 : v->to_number<double>();
}

} // namespace

ideal_run figures_of(const boost::json::value& summary)
{
    ideal_run run;
    for (std::size_t k = 0; k < host::request_kinds; ++k) {
        const std::string kind = fmt::format("/host/{}/", request_kind_names[k]);
        run[k].iops = number_at(summary, kind + "iops");
        for (std::size_t i = 0; i < ideal_figures.size(); ++i) {
            run[k].latency_ns[i] = number_at(summary, kind + "latency_ns/" + ideal_figures[i].name);
        }
    }
    return run;
}

} // namespace ssdvp::platform
