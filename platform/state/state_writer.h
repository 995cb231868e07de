// SPDX-License-Identifier: Apache-2.0
//
// Writes a kept state beside its name, and gives it the name when it is whole.
#pragma once

#include <filesystem>
#include <vector>

#include "models/common/state_archive.h"
#include "platform/state/state_format.h"

namespace ssdvp::platform {

class state_writer final : public state_archive {
public:
    /// Throws state_error when the file cannot be made. `remedy`: what a user does about it.
    state_writer(std::filesystem::path file, std::string identity, std::string remedy);
    /// What was not finished is gone.
    ~state_writer() override;

    [[nodiscard]] bool loading() const override { return false; }
    /// Throws state_error when any of it could not be written, a full disk among the reasons.
    void finish();

protected:
    void bytes(void* at, std::size_t count) override;
    void pages(unsigned char* at, std::size_t used) override;

private:
    void stretch(state_section& s, const unsigned char* from, std::uint64_t offset,
                 std::uint64_t bytes);
    void put(const void* from, std::size_t bytes);
    void fill_page();
    void sum_blocks();
    [[noreturn]] void failed(int error) const;

    std::filesystem::path m_name;    // as it was given, for messages
    std::filesystem::path m_target;  // where its links end
    std::filesystem::path m_partial; // beside it
    std::string m_remedy;
    state_index m_index;
    int m_file = -1;
    std::uint64_t m_end = 0;             // of what is written, buffer included
    std::vector<unsigned char> m_buffer; // the block that is being filled
};

} // namespace ssdvp::platform
