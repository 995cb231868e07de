// SPDX-License-Identifier: Apache-2.0
#include "platform/report/compressed_file.h"

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

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
    chain(const std::filesystem::path& name, const char* option) : file(name, option) {}
    output_file file;
    io::filtering_ostream stream;
};

compressed_file::compressed_file(const std::filesystem::path& file, const char* option)
    : m_chain(std::make_unique<chain>(file, option))
{
    if (file.extension() == ".zst") {
        m_chain->stream.push(io::zstd_compressor());
    } else if (file.extension() == ".gz") {
        m_chain->stream.push(io::gzip_compressor());
    }
    m_chain->stream.push(chain_end(m_chain->file));
}

compressed_file::~compressed_file() = default;

void compressed_file::write(std::string_view text)
{
    m_chain->stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

bool compressed_file::failed() const
{
    return m_chain->file.failed();
}

void compressed_file::finish()
{
    m_chain->stream.reset(); // ends the compressed frame
    m_chain->file.finish();
}

} // namespace ssdvp::platform
