// SPDX-License-Identifier: Apache-2.0
#include "platform/report/compressed_file.h"

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <optional>
#include <string>

#include "platform/report/gzip_blocks.h"
#include "platform/report/output_file.h"

namespace ssdvp::platform {

namespace io = boost::iostreams;

/// The end of the chain. The file keeps an error of writing by itself, because closing a chain
/// swallows what its devices throw.
class chain_end {
public:
    using char_type = char;
    using category = io::sink_tag;
    explicit chain_end(output_file& file) : m_file(&file) {}

    std::streamsize write(const char* text, std::streamsize length)
    {
        m_file->write({text, static_cast<std::size_t>(length)});
        return length;
    }

private:
    output_file* m_file;
};

struct compressed_file::chain {
    chain(const std::filesystem::path& name, const char* option, int gzip_level)
        : file(name, option)
    {
        if (name.extension() == ".gz") {
            gzip.emplace([this](std::string_view bytes) { file.write(bytes); }, gzip_level);
        } else if (name.extension() == ".zst") {
            zstd.push(io::zstd_compressor());
            zstd.push(chain_end(file));
        }
    }
    /// As it is, in pieces of `plain_piece` and more.
    void put(std::string_view text)
    {
        if (plain.size() + text.size() < plain_piece) {
            plain += text;
            return;
        }
        file.write(plain);
        plain.clear();
        file.write(text);
    }

    static constexpr std::size_t plain_piece = 4096;
    output_file file;
    std::optional<gzip_blocks> gzip;
    io::filtering_ostream zstd;
    std::string plain; // with neither: not yet in the file
};

compressed_file::compressed_file(const std::filesystem::path& file, const char* option,
                                 int gzip_level)
    : m_chain(std::make_unique<chain>(file, option, gzip_level))
{}

compressed_file::~compressed_file() = default;

void compressed_file::write(std::string_view text)
{
    if (m_chain->gzip) {
        m_chain->gzip->write(text);
    } else if (!m_chain->zstd.empty()) {
        m_chain->zstd.write(text.data(), static_cast<std::streamsize>(text.size()));
    } else {
        m_chain->put(text);
    }
}

bool compressed_file::failed() const
{
    return m_chain->file.failed();
}

void compressed_file::finish()
{
    if (m_chain->gzip) {
        m_chain->gzip->finish();
    }
    m_chain->zstd.reset(); // ends the compressed frame
    m_chain->file.write(m_chain->plain);
    m_chain->file.finish();
}

} // namespace ssdvp::platform
