// SPDX-License-Identifier: Apache-2.0
#include "platform/control/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace ssdvp::platform {
namespace {

bool begins(const std::string& text, const std::string& with)
{
    return text.compare(0, with.size(), with) == 0;
}

/// Adds what begins with `written`, each once.
void offer(completion& c, const std::string& written, const candidate& what)
{
    if (begins(what.text, written) &&
        std::find(c.words.begin(), c.words.end(), what) == c.words.end()) {
        c.words.push_back(what);
    }
}

/// A name of several parts is written part by part: what comes before the next `mark`.
candidate next_part(const std::string& written, const std::string& name, char mark,
                    const std::string& about)
{
    const auto end = name.find(mark, written.size());
    return end == std::string::npos ? candidate{name, about} : candidate{name.substr(0, end + 1)};
}

/// Keys that `--set` takes. Of a stream by its name or number when one is written.
std::vector<key_help> keys_for(const std::string& written)
{
    std::vector<key_help> keys = help_of_tree();
    const auto add = [&keys](const std::string& prefix, const std::vector<key_help>& more) {
        for (key_help k : more) {
            k.key.insert(0, prefix);
            keys.push_back(std::move(k));
        }
    };
    const std::string workload = "workload.";
    for (const auto& table : {help_of_streams(), help_of_traces(), help_of_fio()}) {
        add(workload, table);
    }
    const auto dot = written.find('.', workload.size());
    if (begins(written, workload) && dot != std::string::npos) {
        add(written.substr(0, dot + 1), help_of_streams());
    }
    return keys;
}

/// KEY=VALUE
void offer_setting(completion& c, const std::string& written)
{
    const auto equals = written.find('=');
    for (const key_help& k : keys_for(written)) {
        if (equals == std::string::npos) {
            candidate part = next_part(written, k.key, '.', k.about);
            part.text += part.text.back() == '.' ? "" : "=";
            offer(c, written, part);
        } else if (written.substr(0, equals) == k.key) {
            for (const choice_name& word : words_of(k.spec)) {
                offer(c, written, {k.key + "=" + word.name, word.about});
            }
        }
    }
}

/// The words of "timed|asap|scaled=F"; F is for the user to write.
void offer_words(completion& c, const std::string& written, const std::string& type)
{
    std::size_t from = 0;
    while (from <= type.size()) {
        const std::size_t bar = std::min(type.find('|', from), type.size());
        std::string word = type.substr(from, bar - from);
        const auto equals = word.find('=');
        word.resize(equals == std::string::npos ? word.size() : equals + 1);
        offer(c, written, {std::move(word), {}});
        from = bar + 1;
    }
}

/// The value of an option, of which `written` is there.
completion complete_value(const CLI::Option& option, const std::string& written)
{
    completion c;
    const std::string type = argument_of(option);
    if (type == "KEY=VALUE") {
        offer_setting(c, written);
    } else if (begins(type, "FILE") || type == "PATH" || type == "PROGRAM") {
        c.also = completion_files::files;
    } else if (type == "DIR") {
        c.also = completion_files::folders;
    } else if (type.find('|') != std::string::npos) {
        offer_words(c, written, type);
    }
    return c;
}

const CLI::Option* option_named(const CLI::App& command, const std::string& name)
{
    for (const CLI::Option* o : command.get_options()) {
        if (o->nonpositional() && "--" + o->get_single_name() == name) {
            return o;
        }
    }
    return nullptr;
}

completion complete_option(const CLI::App& command, const std::string& written)
{
    completion c;
    for (const CLI::Option* o : command.get_options()) {
        if (o->nonpositional()) {
            offer(c, written, {"--" + o->get_single_name(), o->get_description()});
        }
    }
    return c;
}

completion complete_command(const CLI::App& app, const std::string& written)
{
    if (begins(written, "-")) {
        return complete_option(app, written);
    }
    completion c;
    for (const CLI::App* command : commands_of(app)) {
        offer(c, written, {command->get_name(), command->get_description()});
    }
    return c;
}

completion complete_config(const CLI::App& command, const std::string& written,
                           const std::vector<std::string>& presets)
{
    completion c;
    const auto options = command.get_options();
    if (std::none_of(options.begin(), options.end(),
                     [](const CLI::Option* o) { return o->get_positional(); })) {
        return c;
    }
    for (const std::string& name : presets) {
        offer(c, written, next_part(written, name, '/', ""));
    }
    c.also = completion_files::files;
    return c;
}

} // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string argument_of(const CLI::Option& option)
{
    if (option.get_expected_max() == 0) {
        return {};
    }
    std::string type = option.get_type_name();
    const auto check = type.find(':'); // behind it is what its checks say of themselves: a range
    if (check != std::string::npos && type.find(" in ", check) != std::string::npos) {
        type.resize(check);
    }
    return type;
}

completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const std::vector<std::string>& presets)
{
    if (words.size() < 2) {
        return complete_command(app, words.empty() ? std::string() : words.front());
    }
    const CLI::App* command = nullptr;
    for (const CLI::App* known : commands_of(app)) {
        command = known->get_name() == words.front() ? known : command;
    }
    if (command == nullptr) {
        return {};
    }
    const CLI::Option* open = nullptr; // the next word is its value
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        const CLI::Option* named = open == nullptr ? option_named(*command, words[i]) : nullptr;
        open = named != nullptr && !argument_of(*named).empty() ? named : nullptr;
    }
    const std::string& written = words.back();
    if (open != nullptr) {
        return complete_value(*open, written);
    }
    const auto equals = written.find('=');
    if (begins(written, "--") && equals != std::string::npos) {
        const CLI::Option* named = option_named(*command, written.substr(0, equals));
        completion c;
        if (named != nullptr) {
            c = complete_value(*named, written.substr(equals + 1));
        }
        for (candidate& word : c.words) {
            word.text.insert(0, written, 0, equals + 1);
        }
        return c;
    }
    return begins(written, "-") ? complete_option(*command, written)
                                : complete_config(*command, written, presets);
}

std::string completion_lines(const completion& c)
{
    std::string lines = c.also == completion_files::files     ? "files\n"
                        : c.also == completion_files::folders ? "folders\n"
                                                              : "nothing\n";
    for (const candidate& word : c.words) {
        lines += word.text + "\t" + word.about + "\n";
    }
    return lines;
}

} // namespace ssdvp::platform
