// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sinks/sink_set.h"

#include <fmt/format.h>

#include "platform/report/output_file.h"

namespace ssdvp::platform {

namespace fs = std::filesystem;

namespace {

#define SSDVP_SINK_MAKER(id, ...) make_##id,
constexpr std::array makers = {REPORT_SINKS(SSDVP_SINK_MAKER)};
#undef SSDVP_SINK_MAKER

/// What keeps nothing and asks not who writes, such as /dev/null, all of them may write to.
fs::path file_of(const sink_row& row, const std::string& value, const std::string& name)
{
    const output_place place = place_of(value, row.option);
    if (place.replaced) {
        return file_for(value, name);
    }
    if (place.open < 0 && fs::is_character_file(place.path)) {
        return value;
    }
    throw output_error(fmt::format("{}: takes what one drive writes, and there are several; name a "
                                   "file with {}",
                                   value, row.option));
}

/// The option names a file or folder.
bool names_place(const sink_row& row)
{
    return row.asked == sink_asked::by_file || row.asked == sink_asked::by_folder;
}

bool wanted(const sink_row& row, const std::string& chosen, const host::workload_config& workload)
{
    switch (row.asked) {
    case sink_asked::always:
        return true;
    case sink_asked::by_jobs:
        return workload.fio.logs();
    case sink_asked::by_word:
    case sink_asked::by_file:
    case sink_asked::by_folder:
    case sink_asked::by_count:
        break;
    }
    return !chosen.empty();
}

std::string value_for(const sink_row& row, const std::string& value, const std::string& name)
{
    if (name.empty() || !names_place(row)) {
        return value;
    }
    return row.asked == sink_asked::by_folder ? (fs::path(value) / name).string()
                                              : file_of(row, value, name).string();
}

/// What is told of each request, or of a time, is not told of windows. Throws output_error where
/// the user asked for it.
bool left_out_of_windows(const sink_row& row)
{
    if ((row.of & of_sampled) != 0) {
        return false;
    }
    if (row.asked != sink_asked::always) {
        throw output_error(
            fmt::format("{}: a run that is sampled does not tell it; leave it out, or "
                        "use run.sampling.windows=0",
                        row.option));
    }
    return true;
}

} // namespace

fs::path file_for(const fs::path& file, const std::string& name)
{
    fs::path stem = file.filename();
    std::string ending = stem.extension().string();
    stem = stem.stem();
    if (ending == ".zst" || ending == ".gz") {
        ending = stem.extension().string() + ending;
        stem = stem.stem();
    }
    return file.parent_path() / (stem.string() + "." + name + ending);
}

sink_set::sink_set(const sink_choice& chosen, const sink_subject& of) : m_name(of.name)
{
    for (std::size_t i = 0; i < std::size(sink_rows); ++i) {
        const sink_row& row = sink_rows[i];
        if (!wanted(row, chosen[i], of.workload) ||
            (of.page_size == 0 && (row.of & of_array) == 0) ||
            (of.sampled && left_out_of_windows(row))) {
            continue;
        }
        m_entries.push_back({&row, makers[i](value_for(row, chosen[i], of.name), of)});
        m_all.push_back(m_entries.back().sink.get());
    }
}

cpu::call_profile* sink_set::profile() const
{
    for (report_sink* s : m_all) {
        if (cpu::call_profile* p = s->profile(); p != nullptr) {
            return p;
        }
    }
    return nullptr;
}

std::vector<sink_set::file> sink_set::files() const
{
    std::vector<file> all;
    for (const entry& e : m_entries) {
        // What words, numbers and jobs ask for lies in the folder of results.
        const char* option = names_place(*e.row) ? e.row->option : "--out";
        for (fs::path& f : e.sink->files()) {
            all.push_back({option, std::move(f)});
        }
    }
    return all;
}

void sink_set::prepare(output_folders& folders) const
{
    for (const entry& e : m_entries) {
        for (const fs::path& f : e.sink->folders()) {
            folders.prepare(f, fmt::format("{} {}", e.row->option, e.row->value).c_str());
        }
    }
}

void sink_set::open()
{
    for (report_sink* s : m_all) {
        s->open();
    }
}

std::string sink_set::text() const
{
    std::string all;
    for (const report_sink* s : m_all) {
        all += s->text();
    }
    return all.empty() || m_name.empty() ? all : m_name + "\n" + all;
}

} // namespace ssdvp::platform
