// SPDX-License-Identifier: Apache-2.0
//
// Between the transport layer of a side (the host's HBA, the device's front end) and the Serial ATA
// link. Calls, not signals: a frame is timed when it is asked for, and each side hears of it ahead
// of time, with the moment at which it counts.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/time.h"
#include "models/protocols/fis.h"

namespace ssdvp::sata {

enum class side : std::uint8_t { host, device };

/// One FIS. The pointers are its sender's: the device's are good during the call of send() alone,
/// the host's until on_sent().
struct frame {
    const void* header = nullptr; // the FIS; of a Data FIS its first DW
    std::uint32_t header_length = 0;
    const unsigned char* data = nullptr; // of a Data FIS
    std::uint32_t data_length = 0;       // bytes, a multiple of 4, at most fis::DATA_MAX
    /// The bytes matter in every data mode (IDENTIFY, logs, ranges): they are never reduced to
    /// tags. Of DMA Setup and DMA Activate: those of the data asked for.
    bool metadata = false;
    bool damaged = false; // set by the link: the CRC is wrong
    /// Of the host's Register FIS: the command slot of the HBA, which is the command's place in the
    /// latency ledger.
    std::uint8_t slot = 0;
    sim_time issued; // of the same FIS: when the host wrote PxCI

    [[nodiscard]] std::uint8_t type() const { return *static_cast<const std::uint8_t*>(header); }
};

/// How a frame went.
struct sent {
    sim_time begin;   // X_RDY on the wire
    sim_time arrival; // its CRC is checked: it counts at the other side
    sim_time end;     // R_OK or R_ERR is here and the wire is idle
    bool ok = false;  // R_OK
};

/// A side's transport layer.
class transport_if {
public:
    virtual ~transport_if() = default;
    /// A frame that counts from `arrival` on, not before now. R_OK: true. A damaged one is answered
    /// by R_ERR whatever this returns; of those, only Data FIS are handed over.
    virtual bool on_frame(const frame& f, sim_time arrival) = 0;
    /// One's own frame is timed. Called from within the device's send(), for the host's later.
    virtual void on_sent(const frame& f, const sent& s) = 0;
    /// The link is up (PhyRdy), now, or went down, now. The host's COMRESET comes to the device as
    /// down, and as up when OOB and speed negotiation are done. Frames not yet arrived are void.
    virtual void on_phy(bool up) = 0;
};

class link_if : public virtual sc_core::sc_interface {
public:
    /// A frame to the other side, from `earliest` on, not before now. False: the link is down and
    /// nothing was sent. Host: not again before on_sent() of the last one.
    virtual bool send(side from, const frame& f, sim_time earliest) = 0;
    /// Whether PhyRdy.
    [[nodiscard]] virtual bool up() const = 0;
    /// Rate as SStatus.SPD says it: 1, 2, 3 for 1.5, 3 and 6 Gb/s.
    [[nodiscard]] virtual std::uint32_t generation() const = 0;
    /// Of the host, in SControl.DET: 1 holds the line in reset, 0 lets the sequence begin, 4 turns
    /// the Phy off.
    virtual void comreset(bool hold) = 0;
    virtual void disable() = 0;
};

} // namespace ssdvp::sata
