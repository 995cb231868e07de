// SPDX-License-Identifier: Apache-2.0
#include "platform/control/manual.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "platform/control/completion.h"
#include "platform/control/exit_code.h"
#include "platform/control/version.h"

namespace ssdvp::platform {
namespace {

constexpr const char* description = R"(.SH DESCRIPTION
.B ssdvp
is a virtual SSD: real controller firmware, written in C, runs on models of the hardware (NVMe or
SATA front end, DRAM, flash channels, NAND dies) in SystemC/TLM\-2.0.
One run gives the data, which are compared with what was written; the time, in picoseconds; and
what the firmware costs in memory and instructions.
The same configuration, seed and input give the same results on any machine.
.PP
A
.I CONFIG
is a YAML file, or the name of a preset, such as
.IR device/small .
Several are merged from left to right; later values replace earlier ones, key by key.
.B ssdvp show \-\-presets
lists the presets,
.B ssdvp show \-\-policies
the algorithms to choose from.
)";

constexpr const char* environment = R"(.SH ENVIRONMENT
.TP
.B SSDVP_CONFIGS
The folder of presets, in place of the one that belongs to the program.
.TP
.B SSDVP_STATE_CACHE
The folder of preconditioned drives that are kept, in place of
.IR $XDG_CACHE_HOME/ssdvp ,
which is
.I ~/.cache/ssdvp
by default.
.TP
.B SSDVP_STATE_CACHE_SIZE
So much of it is kept at most: 20GiB.
.TP
.B NO_COLOR
The summary has no colours.
.SH FILES
Presets are in
.I ../share/ssdvp/configs
of the folder that the program is in, and those of a program that was not installed in
.I configs
of its sources.
Results go to
.IR out/NAME\-TIME ,
unless
.B \-\-out
names a folder:
.IR summary.json ,
.IR latency.csv ,
.I config.resolved.yaml
and what options ask for.
)";

constexpr const char* examples = R"(.SH EXAMPLES
.TP
.B ssdvp run device/small \-\-set flash.channels=4 \-\-requests 10000
A small drive with another number of channels.
.TP
.B ssdvp run device/nvme\-tlc workload/random\-read \-\-series out.csv
A drive under one of the workloads that come along.
.TP
.B ssdvp check my.yaml
Is it right? Exit status 2, and what is wrong where, if it is not.
.SH SEE ALSO
.BR fio (1),
.BR gdb (1),
.BR gtkwave (1)
.PP
The guide of each part is in
.IR /usr/share/doc/ssdvp ,
or
.I docs
of the sources.
)";

/// Text as it is meant: no character of it is an order to the formatter.
std::string plain(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if ((c == '.' || c == '\'') && out.empty()) {
            out += std::string("\\&") + c;
        } else {
            out += c == '\n' ? ' ' : c;
        }
    }
    return out;
}

std::string positional_of(const CLI::App& command)
{
    for (const CLI::Option* o : command.get_options()) {
        if (o->get_positional()) {
            const std::string name = o->get_name(true) + "...";
            return o->get_required() ? " " + name : " [" + name + "]";
        }
    }
    return {};
}

std::string options_of(const CLI::App& command)
{
    std::string out;
    for (const CLI::Option* o : command.get_options()) {
        std::string label;
        if (o->get_positional()) {
            label = fmt::format("\\fI{}\\fR", plain(o->get_name(true)));
        } else {
            label = fmt::format("\\fB{}\\fR", plain("--" + o->get_single_name()));
            const std::string argument = argument_of(*o);
            label += argument.empty() ? "" : fmt::format(" \\fI{}\\fR", plain(argument));
        }
        out += fmt::format(".TP\n{}\n{}\n", label, plain(o->get_description()));
    }
    return out;
}

std::string synopsis(const CLI::App& app)
{
    std::string out = ".SH SYNOPSIS\n";
    for (const CLI::App* command : commands_of(app)) {
        out += fmt::format("{}\\fBssdvp {}\\fR [\\fIoption\\fR...]{}\n",
                           command == commands_of(app).front() ? "" : ".br\n", command->get_name(),
                           plain(positional_of(*command)));
    }
    return out;
}

std::string commands(const CLI::App& app)
{
    std::string out = ".SH COMMANDS\n";
    for (const CLI::App* command : commands_of(app)) {
        out += fmt::format(".SS {}\n{}\n{}", plain(command->get_name()),
                           plain(command->get_description()), options_of(*command));
    }
    return out;
}

std::string keys(const std::string& prefix, const std::vector<key_help>& table)
{
    std::string out;
    for (const key_help& k : table) {
        out += fmt::format(".TP\n\\fB{}\\fR\n{}\n.br\n{}\n", plain(prefix + k.key), plain(k.about),
                           plain(fmt::format("{}; default: {}{}", describe(k.spec), k.fallback,
                                             k.only_when.empty() ? "" : "; only when ") +
                                 k.only_when));
    }
    return out;
}

std::string all_keys()
{
    return ".SH CONFIGURATION KEYS\nIn a file as groups, or with dots; behind\n"
           ".B \\-\\-set\nwith dots.\n" +
           keys("", help_of_tree()) + ".SS Of a stream, an entry of the list workload\n" +
           keys("workload.<stream>.", help_of_streams()) + ".SS Of a trace as the workload\n" +
           keys("workload.", help_of_traces()) + ".SS Of fio jobs as the workload\n" +
           keys("workload.", help_of_fio()) + ".SS Of an array, an entry of the list raid\n" +
           keys("raid.<array>.", help_of_raid());
}

std::string exit_status()
{
    struct status {
        exit_code code;
        const char* about;
    };
    constexpr status all[] = {
        {EXIT_DONE, "Done, and all that is checked held."},
        {EXIT_RUN_FAILED, "The run failed: data differ, a sum does not add up, the firmware "
                          "stopped, a result cannot be written."},
        {EXIT_BAD_INPUT, "What was asked for is wrong: the command line, a configuration, an input "
                         "file. Nothing ran."},
        {EXIT_FAILING, "Done, but more requests failed than run.failed_limit lets: 1 % of them."},
        {EXIT_INTERRUPTED, "Stopped by Ctrl\\-C. What had run by then is in the results."}};
    std::string out = ".SH EXIT STATUS\n";
    for (const status& s : all) {
        out += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(s.code), s.about);
    }
    return out;
}

} // namespace

std::string manual_page(const CLI::App& app)
{
    return fmt::format(".TH SSDVP 1 \"\" \"ssdvp {}\" \"User commands\"\n.SH NAME\n"
                       "ssdvp \\- a virtual platform of an SSD controller\n",
                       version) +
           synopsis(app) + description + commands(app) + exit_status() + environment + examples +
           all_keys();
}

} // namespace ssdvp::platform
