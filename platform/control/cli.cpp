// SPDX-License-Identifier: Apache-2.0
#include "platform/control/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "platform/control/completion.h"
#include "platform/control/exit_code.h"
#include "platform/control/manual.h"
#include "platform/control/messages.h"
#include "platform/control/report_values.h"
#include "platform/control/version.h"
#include "platform/input/presets.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

constexpr int most_jobs = 1024;
constexpr int most_counted = 100000; // requests that --worst keeps

struct raw_options {
    std::string requests;
    std::string duration;
    std::string seed;
    std::string pace;
    bool presets = false;
    bool policies = false;
    bool counters = false;
    bool summary_keys = false;
    bool ideal = false;
    bool option_tables = false;
    bool options = false;
    std::string completion; // shell
    bool manual = false;
};

void add_sources(CLI::App& app, config_sources& sources, bool required)
{
    auto* configs = app.add_option(
        "CONFIG", sources.files,
        "configuration files, merged left to right; a bare name is looked up under configs/");
    if (required) {
        configs->required();
    }
    app.add_option("--set", sources.sets, "override one key: --set flash.channels=8")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false) // what follows is the next word's own
        ->take_all();
}

void add_stop(CLI::App& app, command_line& line)
{
    app.add_flag("--stop-on-fault", line.stop_on_fault,
                 "the first fault ends the run; in a debugger each is a breakpoint, where firmware "
                 "stands");
}

std::vector<std::string> words_of(const std::string& list)
{
    std::vector<std::string> words;
    std::istringstream text(list + ","); // so that the last one may be empty
    for (std::string word; std::getline(text, word, ',');) {
        words.push_back(word);
    }
    return words;
}

/// Empty, or what is wrong with a list of reports: each is known, and named once.
std::string check_words(const std::string& list, const std::vector<std::string>& known)
{
    std::set<std::string> once;
    for (const std::string& word : words_of(list)) {
        if (std::find(known.begin(), known.end(), word) == known.end() ||
            !once.insert(word).second) {
            return fmt::format("{} not in {{{}}}", list, fmt::join(known, ","));
        }
    }
    return {};
}

/// The option that takes a list of reports, of which summary.json is always one.
void add_words(CLI::App& app, sink_choice& sinks, sink_of command)
{
    const char* option = nullptr;
    std::vector<std::string> words = {"summary"};
    std::string about;
    for (const sink_row& row : sink_rows) {
        if (row.asked == sink_asked::by_word && (row.of & command) != 0) {
            option = row.option;
            words.emplace_back(row.value);
            about += fmt::format("{}{}: {}", about.empty() ? "" : "; ", row.value, row.about);
        }
    }
    if (option == nullptr) {
        return;
    }
    const auto choose = [&sinks](const std::string& list) {
        const std::vector<std::string> asked = words_of(list);
        for (const sink_row& row : sink_rows) {
            if (row.asked == sink_asked::by_word &&
                std::find(asked.begin(), asked.end(), row.value) != asked.end()) {
                sinks[static_cast<std::size_t>(row.id)] = row.value;
            }
        }
    };
    app.add_option_function<std::string>(option, choose, about)
        ->type_name(fmt::format("{}|{}", fmt::join(words, "|"), fmt::join(words, ",")))
        ->check([words](const std::string& list) { return check_words(list, words); });
}

/// The reports that runs of this command have.
void add_sinks(CLI::App& app, sink_choice& sinks, sink_of command)
{
    add_words(app, sinks, command);
    for (const sink_row& row : sink_rows) {
        const bool named = row.asked == sink_asked::by_file || row.asked == sink_asked::by_folder;
        if (named && (row.of & command) != 0) {
            app.add_option(row.option, sinks[static_cast<std::size_t>(row.id)], row.about)
                ->type_name(row.value);
        } else if (row.asked == sink_asked::by_count && (row.of & command) != 0) {
            app.add_option(row.option, sinks[static_cast<std::size_t>(row.id)], row.about)
                ->type_name(row.value)
                ->check(CLI::Range(1, most_counted));
        }
    }
}

/// Empty, or why `parse` refuses the text.
template <typename Parse>
std::string check_by(Parse parse, const std::string& text)
{
    try {
        (void)parse(text);
    } catch (const value_error& e) {
        return fmt::format("{}; {}", e.what(), e.remedy());
    }
    return {};
}

CLI::Option* add_scopes(CLI::App& app, const char* name, std::vector<std::string>& scopes,
                        const char* about)
{
    return app.add_option(name, scopes, about)
        ->type_name("PATTERN")
        ->delimiter(',')
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
}

void add_wave_details(CLI::App& app, command_line& line)
{
    app.add_option_function<std::string>(
           "--vcd-window",
           [&line](const std::string& text) { line.waves.window = window_of(text); },
           "what --vcd shows, as of --timeline-window; default requests=0..1000")
        ->type_name(window_forms)
        ->check([](const std::string& text) { return check_by(window_of, text); })
        ->needs("--vcd");
    add_scopes(app, "--vcd-scope", line.waves.scopes,
               "only these scopes and signals of --vcd, with all below them: channel0.bus, "
               "channel*.lun0; may be repeated")
        ->needs("--vcd");
}

/// How reports are made that other options ask for.
void add_report_details(CLI::App& app, command_line& line)
{
    app.add_option_function<std::string>(
           "--series-interval",
           [&line](const std::string& text) { line.series_interval = interval_of(text); },
           "pieces of --series so long, in simulated time, instead of 1,000 at most")
        ->type_name("T")
        ->check([](const std::string& text) { return check_by(interval_of, text); })
        ->needs("--series");
    app.add_option_function<std::string>(
           "--timeline-window", [&line](const std::string& text) { line.window = window_of(text); },
           "what --timeline shows: requests by number, a time since the measured part began, or "
           "what went on around the slowest requests; default requests=0..10000")
        ->type_name(window_forms)
        ->check([](const std::string& text) { return check_by(window_of, text); })
        ->needs("--timeline");
    add_scopes(app, "--timeline-scope", line.timeline_scopes,
               "only these tracks of --timeline, beside the requests: channel*, cores.core0, link; "
               "may be repeated")
        ->needs("--timeline");
    add_wave_details(app, line);
    app.add_option_function<std::string>(
           "--trace-window",
           [&line](const std::string& text) { line.traced = trace_window_of(text); },
           "what --mmio-trace, --onfi-trace and --tlp-trace hold: the measured part, or what "
           "--timeline-window would show; default the whole run")
        ->type_name(trace_window_forms)
        ->check([](const std::string& text) { return check_by(trace_window_of, text); });
}

void add_cache(CLI::App& app, command_line& line)
{
    app.add_flag("!--no-state-cache", line.states.cache,
                 "precondition the drive anew, and do not keep its state in the cache folder");
}

void add_states(CLI::App& run, command_line& line)
{
    const std::map<std::string, save_when> when = {{"preconditioned", save_when::preconditioned},
                                                   {"end", save_when::at_end}};
    auto* save = run.add_option("--save-state", line.states.save,
                                "keep the drive in this file: after preconditioning, or where "
                                "--save-at says")
                     ->type_name("FILE");
    run.add_option("--save-at", line.states.when,
                   "when: preconditioned, or at the end of the run, shut down and powered up again")
        ->type_name("preconditioned|end")
        ->transform(CLI::CheckedTransformer(when))
        ->needs(save);
    run.add_option("--load-state", line.states.load,
                   "begin with the drive that --save-state kept, instead of preconditioning")
        ->type_name("FILE");
    add_cache(run, line);
}

/// What takes the place of the configuration's workload.
void add_workload(CLI::App& app, config_sources& sources)
{
    app.add_option("--trace", sources.trace, "replay a block trace instead of the workload")
        ->type_name("FILE[,format=F]");
    app.add_option(
           "--fio", sources.fio,
           "run the jobs of a fio job file instead of the workload; or those of fio's command line "
           "behind `--`: -- --name=a --rw=randread")
        ->type_name("FILE");
    app.add_option("--trace-replay", sources.trace_replay, "when requests are issued")
        ->type_name("timed|asap|scaled=F");
    app.add_option("--trace-device", sources.trace_device, "replay one device of the trace")
        ->type_name("N");
    app.add_option("--trace-fit", sources.trace_fit,
                   "what to do with addresses past the drive's end")
        ->type_name("wrap|scale|error");
}

void add_run(CLI::App& run, command_line& line, raw_options& raw)
{
    add_sources(run, line.sources, true);
    add_workload(run, line.sources);
    run.add_option("--firmware", line.firmware, "firmware image instead of the built-in one")
        ->type_name("FILE.so");
    run.add_option("--requests", raw.requests, "run.requests")->type_name("N");
    run.add_option("--duration", raw.duration, "run.duration, simulated")->type_name("T");
    run.add_option("--seed", raw.seed, "run.seed")->type_name("N");
    run.add_option("--power-cut", line.sources.power_cut,
                   "cut power at a simulated time, after so many flash operations, or so often per "
                   "simulated second")
        ->type_name("at=T|every=N|random=RATE");
    run.add_option("--out", line.out,
                   "folder for summary.json, latency.csv and config.resolved.yaml")
        ->type_name("DIR");
    add_sinks(run, line.sinks, of_run);
    add_report_details(run, line);
    run.add_flag("--check-onfi", line.check_onfi,
                 "hold every flash bus against the ONFI timing constraints; a violation fails the "
                 "run");
    run.add_flag("--check-dram", line.check_dram,
                 "hold the DRAM's commands (dram.model: bank) against the timing rules of its "
                 "standard; a violation fails the run");
    add_states(run, line);
    add_stop(run, line);
    run.add_option("--jobs", line.jobs,
                   "processes that the windows of run.sampling may take at a time; the results are "
                   "the same with any number")
        ->type_name("N")
        ->check(CLI::Range(1, most_jobs));
    run.add_flag(
        "--what-if", line.what_if,
        "runs the drive again, from the same state, as if what limits it were 20 % faster, "
        "and tells what that brings; results in the folder what_if of --out");
    run.add_flag(
        "--beside-ideal", line.beside_ideal,
        "runs the load again on the drive with ideal firmware (show --ideal), and tells what "
        "of the latencies is firmware; results in the folder ideal of --out");
    run.add_flag("--quiet", line.quiet, "no progress on stderr");
}

void add_guest(CLI::App& guest, command_line& line)
{
    add_sources(guest, line.sources, true);
    qemu_options& m = line.machine;
    guest
        .add_option("--kernel", m.kernel,
                    "kernel to start; without one the guest boots from the drive")
        ->type_name("FILE");
    guest.add_option("--initrd", m.initrd, "its initial RAM disk")->type_name("FILE");
    guest.add_option("--append", m.append, "its command line")->type_name("TEXT");
    guest.add_option("--bios", m.bios, "firmware of the machine instead of SeaBIOS")
        ->type_name("FILE");
    guest.add_option("--memory", m.memory, "of the guest, as QEMU spells it")
        ->type_name("SIZE")
        ->capture_default_str();
    guest.add_option("--processors", m.processors, "of the guest")
        ->type_name("N")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    guest.add_option("--qemu", m.program, "QEMU, 7.0 or newer")
        ->type_name("PROGRAM")
        ->capture_default_str();
    guest.add_option("--qemu-arg", m.extra, "handed on to QEMU as it is; may be repeated")
        ->type_name("ARG")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    guest.add_option("--firmware", line.firmware, "firmware image instead of the built-in one")
        ->type_name("FILE.so");
    guest.add_option("--out", line.out, "folder for summary.json and config.resolved.yaml")
        ->type_name("DIR");
    guest.add_option("--image", line.serve.image, "keep what the drive holds in this file")
        ->type_name("FILE");
    add_sinks(guest, line.sinks, of_guest);
    add_report_details(guest, line);
    guest
        .add_option("--power-cut", line.sources.power_cut,
                    "machine and drive lose power at a simulated time, or after so many programs "
                    "and erases")
        ->type_name("at=T|every=N");
    add_cache(guest, line);
    add_stop(guest, line);
    guest.add_flag("--quiet", line.quiet, "no progress on stderr");
}

void add_serve(CLI::App& serve, command_line& line, raw_options& raw)
{
    add_sources(serve, line.sources, true);
    auto* nbd_unix =
        serve.add_option("--nbd-unix", line.serve.unix_path, "listen at a Unix socket")
            ->type_name("PATH");
    auto* nbd_tcp = serve.add_option("--nbd-tcp", line.serve.tcp, "listen at a TCP port")
                        ->type_name("127.0.0.1:PORT")
                        ->excludes(nbd_unix);
    (void)nbd_tcp;
    serve.add_flag("--nbd-allow-remote", line.serve.allow_remote,
                   "let --nbd-tcp listen where other machines reach it");
    serve.add_option("--image", line.serve.image, "keep what the drive holds in this file")
        ->type_name("FILE");
    serve.add_option("--pace", raw.pace, "serve.pacing: 1 is real time")->type_name("X");
    serve.add_option("--firmware", line.firmware, "firmware image instead of the built-in one")
        ->type_name("FILE.so");
    serve.add_option("--seed", raw.seed, "run.seed")->type_name("N");
    serve.add_option("--out", line.out, "folder for summary.json and config.resolved.yaml")
        ->type_name("DIR");
    add_sinks(serve, line.sinks, of_serve);
    add_report_details(serve, line);
    add_cache(serve, line);
    add_stop(serve, line);
    serve.add_flag("--quiet", line.quiet, "no progress on stderr");
}

void add_check(CLI::App& check, command_line& line)
{
    add_sources(check, line.sources, true);
    add_workload(check, line.sources);
    check.add_option("--firmware", line.firmware, "image to ask whether the drive has room for it")
        ->type_name("FILE.so");
}

void add_show(CLI::App& show, command_line& line, raw_options& raw)
{
    add_sources(show, line.sources, false);
    show.add_flag("--presets", raw.presets, "files that a bare name finds");
    show.add_flag("--policies", raw.policies, "policies by the key that picks them");
    show.add_flag("--counters", raw.counters, "counters of the firmware: key, field, meaning");
    show.add_flag("--summary-keys", raw.summary_keys, "keys of summary.json and their meaning");
    show.add_flag("--ideal", raw.ideal, "what run.ideal and run --beside-ideal change of a drive");
    show.add_flag("--options", raw.options, "every key with unit, range and default");
    show.add_flag("--option-tables", raw.option_tables, "the same as tables of Markdown");
    show.add_option("--completion", raw.completion,
                    "what a shell has to read to complete command lines of ssdvp")
        ->type_name("bash|zsh")
        ->check([](const std::string& shell) {
            return shell == "bash" || shell == "zsh" ? std::string() : shell + " not in {bash,zsh}";
        });
    show.add_flag("--man", raw.manual, "the manual page ssdvp(1)");
}

void add_state_list(CLI::App& states, command_line& line)
{
    auto* clear = states.add_flag("--clear", line.clear, "remove them");
    states
        .add_flag("--keys", line.keys,
                  "list instead the keys that may differ from those of a state that is loaded")
        ->excludes(clear);
}

/// What a server needs whatever the files say: real bytes.
void complete_serve(command_line& line)
{
    line.what = command::serve;
    if (line.serve.unix_path.empty() && line.serve.tcp.empty()) {
        tell_error("serve needs a place to listen: --nbd-unix PATH or --nbd-tcp 127.0.0.1:PORT");
        throw early_exit{EXIT_BAD_INPUT};
    }
    line.sources.overrides.push_back({"data", "full", "ssdvp serve"});
}

/// Nothing, where something is to be named, is a variable of a script that is not set.
void refuse_empty(CLI::App& command)
{
    for (CLI::Option* o : command.get_options()) {
        const std::string name = o->get_name(true);
        if (o->get_expected_max() == 0 || name == "--append" || name == "--qemu-arg") {
            continue; // a flag, or a text for others
        }
        const std::string what = o->get_positional() ? "a name" : o->get_type_name();
        o->check([what](const std::string& value) {
            return value.empty() ? "is empty; give " + what + ", or leave it out" : std::string();
        });
    }
}

/// A window of something.
void check_traces(const command_line& line)
{
    const auto asked = [&](sink_id id) {
        return !line.sinks[static_cast<std::size_t>(id)].empty();
    };
    if (line.traced && !asked(sink_id::mmio_trace) && !asked(sink_id::onfi_trace) &&
        !asked(sink_id::tlp_trace)) {
        tell_error("--trace-window requires --mmio-trace, --onfi-trace or --tlp-trace");
        throw early_exit{EXIT_BAD_INPUT};
    }
}

void override_key(config_sources& sources, const char* key, const char* option,
                  const std::string& value)
{
    if (!value.empty()) {
        sources.overrides.push_back({key, value, std::string(option) + " " + value});
    }
}

/// What there is to be given, with places in `line` and `raw` for it.
void add_commands(CLI::App& app, command_line& line, raw_options& raw)
{
    app.set_version_flag("--version", std::string("ssdvp ") + version);
    app.require_subcommand(1);
    auto* run = app.add_subcommand("run", "run a workload on a modelled drive");
    add_run(*run, line, raw);
    auto* serve = app.add_subcommand(
        "serve", "offer the drive as a block device: an NBD server (docs/serve.md)");
    add_serve(*serve, line, raw);
    auto* guest = app.add_subcommand("guest", "start a guest (QEMU) on the drive's registers");
    add_guest(*guest, line);
    auto* check =
        app.add_subcommand("check", "validate a configuration, and its fio job file or trace");
    add_check(*check, line);
    auto* show = app.add_subcommand(
        "show", "print the resolved configuration, or what there is to choose from");
    add_show(*show, line, raw);
    app.add_subcommand("schema", "print the JSON Schema of a configuration");
    auto* states = app.add_subcommand(
        "states", "list the preconditioned drives that are kept in the cache folder");
    add_state_list(*states, line);
    for (CLI::App* command : {run, serve, guest, check, show}) {
        refuse_empty(*command);
    }
}

/// What a shell offers for the words behind `ssdvp complete`.
void tell_completion(const CLI::App& app, int argc, char* argv[])
{
    const std::vector<std::string> words(argv + 2, argv + argc);
    std::cout << completion_lines(complete(app, words, preset_names(presets_folder(""))));
}

/// What the program says of itself as a program.
void tell_of(const CLI::App& app, const raw_options& raw)
{
    if (raw.manual) {
        std::cout << manual_page(app);
    } else if (!raw.completion.empty()) {
        std::cout << completion_script(raw.completion);
    } else {
        return;
    }
    throw early_exit{EXIT_DONE};
}

show_what shown(const raw_options& raw)
{
    return raw.presets         ? show_what::presets
           : raw.policies      ? show_what::policies
           : raw.counters      ? show_what::counters
           : raw.summary_keys  ? show_what::summary_keys
           : raw.ideal         ? show_what::ideal
           : raw.options       ? show_what::options
           : raw.option_tables ? show_what::option_tables
                               : show_what::configuration;
}

void parse(CLI::App& app, int argc, char* argv[])
{
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream wrong;
        const int code = app.exit(error, std::cout, wrong);
        std::istringstream lines(wrong.str());
        for (std::string line_of_it; std::getline(lines, line_of_it);) {
            tell_error(line_of_it);
        }
        throw early_exit{code == 0 ? EXIT_DONE : EXIT_BAD_INPUT};
    }
}

void complete_command_line(const CLI::App& app, command_line& line, const raw_options& raw)
{
    if (app.got_subcommand("serve")) {
        complete_serve(line);
    } else if (app.got_subcommand("guest")) {
        line.what = command::guest;
        line.sources.overrides.push_back({"data", "full", "ssdvp guest"});
        line.sources.guest = true;
    } else if (app.got_subcommand("check")) {
        line.what = command::check;
    } else if (app.got_subcommand("show")) {
        line.what = command::show;
        line.show = shown(raw);
    } else if (app.got_subcommand("schema")) {
        line.what = command::schema;
    } else if (app.got_subcommand("states")) {
        line.what = command::states;
    }
    line.states.firmware = line.firmware;
    line.sources.own_firmware = !line.firmware.empty();
    override_key(line.sources, "run.requests", "--requests", raw.requests);
    override_key(line.sources, "run.duration", "--duration", raw.duration);
    override_key(line.sources, "run.seed", "--seed", raw.seed);
    override_key(line.sources, "serve.pacing", "--pace", raw.pace);
}

/// `-- --name=a --rw=read`: fio's jobs, which are not words of this command line.
void take_fio_arguments(const CLI::App& app, config_sources& sources,
                        const std::vector<std::string>& words)
{
    const std::vector<CLI::App*> commands = app.get_subcommands();
    if (commands.empty() || commands.front()->get_option_no_throw("--fio") == nullptr) {
        tell_error("-- is followed by jobs of fio, which this command does not run");
        throw early_exit{EXIT_BAD_INPUT};
    }
    if (!sources.fio.empty() || words.empty() || words.front()[0] != '-') {
        tell_error("-- is followed by jobs of fio: write -- --name=a --rw=randread, or --fio FILE");
        throw early_exit{EXIT_BAD_INPUT};
    }
    sources.fio_arguments = words;
}

} // namespace

command_line parse_command_line(int argc, char* argv[])
{
    command_line line;
    raw_options raw;
    CLI::App app("ssdvp: a virtual platform of an SSD controller");
    add_commands(app, line, raw);
    if (argc > 1 && std::string(argv[1]) == completion_word) {
        tell_completion(app, argc, argv);
        throw early_exit{EXIT_DONE};
    }
    char** const end = argv + argc;
    char** const dashes = std::find(argv, end, std::string("--"));
    parse(app, static_cast<int>(dashes - argv), argv);
    tell_of(app, raw);
    if (dashes != end) {
        take_fio_arguments(app, line.sources, {dashes + 1, end});
    }
    check_traces(line);
    complete_command_line(app, line, raw);
    return line;
}

} // namespace ssdvp::platform
