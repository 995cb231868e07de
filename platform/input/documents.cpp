// SPDX-License-Identifier: Apache-2.0
#include "platform/input/documents.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "platform/input/presets.h"
#include "platform/input/text_file.h"

namespace ssdvp::platform {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t deepest_extends = 64; // files

origin place_in(const std::string& path, const YAML::Node& n)
{
    return {path, n.Mark().line + 1, n.Mark().column + 1};
}

/// The files in the opposite order: then the first time that one is met is the one that counts, and
/// none is read twice.
class collector {
public:
    explicit collector(std::string folder) : m_folder(std::move(folder)) {}

    void visit(const std::string& path)
    {
        const std::string canonical = fs::weakly_canonical(path).string();
        m_seen.insert(canonical);
        m_stack.push_back(canonical);
        const YAML::Node root = load_document(path);
        m_files.push_back({path, root});
        if (root.IsMap() && root["extends"]) {
            visit_bases(root["extends"], path);
        }
        m_stack.pop_back();
    }

    /// By copies: to assign a YAML node changes what it stood for.
    [[nodiscard]] std::vector<document> merged_order() const
    {
        return {m_files.rbegin(), m_files.rend()};
    }

private:
    static std::vector<YAML::Node> names_in(const YAML::Node& extends, const std::string& path)
    {
        std::vector<YAML::Node> names;
        if (extends.IsScalar()) {
            names.push_back(extends);
        } else if (extends.IsSequence()) {
            for (const auto& name : extends) {
                names.push_back(name);
            }
        }
        if (names.empty()) {
            fail(place_in(path, extends), "extends", "names nothing",
                 "write the name of a preset or file, or a list of names");
        }
        return names;
    }

    void visit_bases(const YAML::Node& extends, const std::string& path)
    {
        std::vector<std::string> bases;
        for (const YAML::Node& name : names_in(extends, path)) {
            const origin at = place_in(path, name);
            if (!name.IsScalar()) {
                fail(at, "extends", "has an entry that is not a name",
                     "write the name of a preset or file");
            }
            bases.push_back(find_config(name.Scalar(), fs::path(path).parent_path().string(),
                                        m_folder, at, "extends"));
            const std::string canonical = fs::weakly_canonical(bases.back()).string();
            if (std::find(m_stack.begin(), m_stack.end(), canonical) != m_stack.end()) {
                fail(at, "extends", "'" + name.Scalar() + "' extends itself in a cycle",
                     "remove one of the `extends` of the cycle");
            }
            if (m_stack.size() == deepest_extends) {
                fail(at, "extends", fmt::format("more than {} files deep", deepest_extends),
                     "write what the files say into fewer of them");
            }
        }
        for (auto base = bases.rbegin(); base != bases.rend(); ++base) {
            if (m_seen.count(fs::weakly_canonical(*base).string()) == 0) {
                visit(*base);
            }
        }
    }

    std::string m_folder;
    std::vector<document> m_files;
    std::set<std::string> m_seen;     // canonical
    std::vector<std::string> m_stack; // files being read, canonical
};

} // namespace

void syntax_error(const origin& at, const YAML::Exception& e)
{
    fail(at, "", "not YAML: " + e.msg, "correct the text there");
}

YAML::Node load_document(const std::string& path)
{
    const std::string text =
        read_text_file(path, {path, 0, 0}, "give a YAML file, and check its permissions");
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(text);
        if (documents.size() > 1) {
            const YAML::Mark second = documents[1].Mark();
            fail({path, second.line + 1, second.column + 1}, "", "a second YAML document",
                 "keep one document per file");
        }
        return documents.empty() ? YAML::Node() : documents.front();
    } catch (const YAML::Exception& e) {
        syntax_error({path, e.mark.line + 1, e.mark.column + 1}, e);
    }
}

std::vector<document> documents_of(const std::string& path, const std::string& folder)
{
    collector files(folder);
    files.visit(path);
    return files.merged_order();
}

} // namespace ssdvp::platform
