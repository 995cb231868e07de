// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the NBD protocol, fixed newstyle: doc/proto.md of the NetworkBlockDevice project. All
// fields are big endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ssdvp::platform::nbd {

constexpr std::uint64_t GREETING = 0x4e42444d41474943;     // "NBDMAGIC"
constexpr std::uint64_t OPTION_MAGIC = 0x49484156454F5054; // "IHAVEOPT"
constexpr std::uint64_t OPTION_REPLY_MAGIC = 0x0003e889045565a9;
constexpr std::uint32_t REQUEST_MAGIC = 0x25609513;
constexpr std::uint32_t SIMPLE_REPLY_MAGIC = 0x67446698;
constexpr std::uint32_t STRUCTURED_REPLY_MAGIC = 0x668e33ef;

// Handshake flags, of the server and of the client alike.
constexpr std::uint16_t FIXED_NEWSTYLE = 1 << 0;
constexpr std::uint16_t NO_ZEROES = 1 << 1;

enum option : std::uint32_t {
    OPT_EXPORT_NAME = 1,
    OPT_ABORT = 2,
    OPT_LIST = 3,
    OPT_STARTTLS = 5,
    OPT_INFO = 6,
    OPT_GO = 7,
    OPT_STRUCTURED_REPLY = 8,
    OPT_LIST_META_CONTEXT = 9,
    OPT_SET_META_CONTEXT = 10
};

enum option_reply : std::uint32_t {
    REP_ACK = 1,
    REP_SERVER = 2,
    REP_INFO = 3,
    REP_META_CONTEXT = 4,
    REP_ERR_UNSUP = 0x80000001,
    REP_ERR_INVALID = 0x80000003,
    REP_ERR_UNKNOWN = 0x80000006,
    REP_ERR_TOO_BIG = 0x80000009
};

enum info : std::uint16_t {
    INFO_EXPORT = 0,
    INFO_NAME = 1,
    INFO_DESCRIPTION = 2,
    INFO_BLOCK_SIZE = 3
};

enum transmission_flag : std::uint16_t {
    FLAG_HAS_FLAGS = 1 << 0,
    FLAG_READ_ONLY = 1 << 1,
    FLAG_SEND_FLUSH = 1 << 2,
    FLAG_SEND_FUA = 1 << 3,
    FLAG_SEND_TRIM = 1 << 5,
    FLAG_SEND_WRITE_ZEROES = 1 << 6,
    FLAG_SEND_DF = 1 << 7,
    FLAG_CAN_MULTI_CONN = 1 << 8
};

enum command : std::uint16_t {
    CMD_READ = 0,
    CMD_WRITE = 1,
    CMD_DISC = 2,
    CMD_FLUSH = 3,
    CMD_TRIM = 4,
    CMD_WRITE_ZEROES = 6,
    CMD_BLOCK_STATUS = 7
};

enum command_flag : std::uint16_t {
    CMD_FLAG_FUA = 1 << 0,
    CMD_FLAG_NO_HOLE = 1 << 1,
    CMD_FLAG_DF = 1 << 2,
    CMD_FLAG_REQ_ONE = 1 << 3
};

constexpr std::uint16_t REPLY_FLAG_DONE = 1 << 0;
enum reply_type : std::uint16_t {
    REPLY_OFFSET_DATA = 1,
    REPLY_BLOCK_STATUS = 5,
    REPLY_ERROR = 0x8001
};

/// The one metadata context here, and what it says of an extent.
constexpr std::string_view ALLOCATION = "base:allocation";
constexpr std::uint32_t ALLOCATION_ID = 1; // ours to choose
constexpr std::uint32_t STATE_HOLE = 1 << 0;
constexpr std::uint32_t STATE_ZERO = 1 << 1;

enum error : std::uint32_t { OK = 0, EPERM_ = 1, EIO_ = 5, EINVAL_ = 22, ENOSPC_ = 28 };

constexpr std::size_t OPTION_HEADER = 16;
constexpr std::size_t REQUEST_HEADER = 28;

/// Reads big-endian fields; what lies behind the end reads as 0 and clears good().
class reader {
public:
    reader(const unsigned char* at, std::size_t length) : m_at(at), m_left(length) {}

    template <typename T>
    T take()
    {
        T value = 0;
        if (m_left < sizeof(T)) {
            m_good = false;
            m_left = 0;
            return value;
        }
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            value = static_cast<T>(value << 8 | m_at[i]);
        }
        m_at += sizeof(T);
        m_left -= sizeof(T);
        return value;
    }
    std::string_view text(std::size_t length)
    {
        if (m_left < length) {
            m_good = false;
            m_left = 0;
            return {};
        }
        const std::string_view view(reinterpret_cast<const char*>(m_at), length);
        m_at += length;
        m_left -= length;
        return view;
    }
    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] std::size_t left() const { return m_left; }

private:
    const unsigned char* m_at;
    std::size_t m_left;
    bool m_good = true;
};

template <typename T>
void put(std::vector<unsigned char>& to, T value)
{
    for (std::size_t i = sizeof(T); i-- > 0;) {
        to.push_back(static_cast<unsigned char>(value >> (8 * i)));
    }
}

} // namespace ssdvp::platform::nbd
