// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/code.h"

#include <algorithm>
#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>
#include <map>
#include <set>

#include "tools/fwtime/count.h"

namespace fwtime {

namespace {

using llvm::MachineBasicBlock;
using llvm::MachineFunction;
using llvm::MachineInstr;

// RISC-V, what assembler and linker make shorter: a call is one instruction (relaxation), jumps and
// comparisons with zero have compressed forms that reach less far ("C" extension: C.J, C.BEQZ).
constexpr std::uint32_t call_bytes = 4;
constexpr std::uint32_t compressed = 2;
constexpr std::int64_t jump_reach = 2048;
constexpr std::int64_t compare_reach = 256;

std::uint32_t aligned(std::uint32_t at, llvm::Align alignment)
{
    return static_cast<std::uint32_t>(llvm::alignTo(at, alignment));
}

/// Where `b` begins, behind code that ends at `at`.
std::uint32_t begin_of(const MachineBasicBlock& b, std::uint32_t at)
{
    const std::uint32_t begin = aligned(at, b.getAlignment());
    const unsigned most = b.getMaxBytesForAlignment(); // 0: any
    return most != 0 && begin - at > most ? at : begin;
}

/// x8 to x15 alone have room in the compressed forms.
bool compares_with_zero(const MachineInstr& i, llvm::StringRef name)
{
    if (name != "BEQ" && name != "BNE") {
        return false;
    }
    const llvm::TargetRegisterInfo& info = *i.getMF()->getSubtarget().getRegisterInfo();
    unsigned number = 0;
    const bool known = !llvm::StringRef(info.getName(i.getOperand(0).getReg()))
                            .drop_front()
                            .getAsInteger(10, number);
    return known && number >= 8 && number < 16 &&
           llvm::StringRef(info.getName(i.getOperand(1).getReg())) == "X0";
}

/// Of one function: where its machine blocks lie, and which blocks of the IR they hold.
class layout {
public:
    layout(MachineFunction& f, source_code& to) : m_f(f), m_to(to) {}
    void run();

private:
    struct piece { // of a machine block: from one mark to the next
        unsigned block;
        code_copy code;
    };
    struct machine_block {
        code_range all;
        std::vector<piece> pieces; // none: it has no mark
    };
    void place_all();
    machine_block place(MachineBasicBlock& b);
    [[nodiscard]] std::uint32_t bytes_of(const MachineInstr& i) const;
    [[nodiscard]] bool reaches(const MachineInstr& i, std::int64_t most) const;
    void add_unmarked(const MachineBasicBlock& from);
    void tell();

    MachineFunction& m_f;
    source_code& m_to;
    std::uint32_t m_at = 0;
    std::map<const MachineBasicBlock*, machine_block> m_blocks;
    std::map<const MachineBasicBlock*, std::uint32_t> m_begin; // with all jumps long
};

/// Where the block lies that `i` jumps to, once that is known.
bool layout::reaches(const MachineInstr& i, std::int64_t most) const
{
    for (const llvm::MachineOperand& o : i.operands()) {
        const auto to = o.isMBB() ? m_begin.find(o.getMBB()) : m_begin.end();
        if (to != m_begin.end()) {
            const std::int64_t apart = std::int64_t{to->second} - m_begin.at(i.getParent());
            return apart > -most && apart < most;
        }
    }
    return false;
}

std::uint32_t layout::bytes_of(const MachineInstr& i) const
{
    if (i.isInlineAsm() || i.isMetaInstruction() || i.isBundle()) {
        return 0;
    }
    const llvm::TargetInstrInfo& info = *m_f.getSubtarget().getInstrInfo();
    const std::uint32_t bytes = info.getInstSizeInBytes(i);
    if (!m_f.getTarget().getTargetTriple().isRISCV()) {
        return bytes;
    }
    const llvm::StringRef name = info.getName(i.getOpcode());
    if (name == "PseudoRET" || (name == "PseudoBR" && reaches(i, jump_reach)) ||
        (compares_with_zero(i, name) && reaches(i, compare_reach))) {
        return compressed;
    }
    return i.isPseudo() && i.isCall() ? std::min(bytes, call_bytes) : bytes;
}

layout::machine_block layout::place(MachineBasicBlock& b)
{
    m_at = begin_of(b, m_at);
    machine_block m{{m_at, 0}, {}};
    for (const MachineInstr& i : b.instrs()) {
        if (const std::optional<unsigned> block = marked_block(i)) {
            // What comes before the first mark (a prologue) is fetched with what follows.
            const std::uint32_t begin = m.pieces.empty() ? m.all.at : m_at;
            m.pieces.push_back({*block, {{begin, m_at - begin}}});
        }
        const std::uint32_t bytes = bytes_of(i);
        m_at += bytes;
        if (!m.pieces.empty()) {
            m.pieces.back().code.front().bytes += bytes;
        }
    }
    m.all.bytes = m_at - m.all.at;
    return m;
}

/// Blocks that the code generator made (of an edge, an end that others share) are fetched with
/// those that go on there.
void layout::add_unmarked(const MachineBasicBlock& from)
{
    code_copy& code = m_blocks.at(&from).pieces.back().code;
    std::set<const MachineBasicBlock*> seen;
    std::vector<const MachineBasicBlock*> open{&from};
    while (!open.empty()) {
        const MachineBasicBlock* b = open.back();
        open.pop_back();
        for (const MachineBasicBlock* next : b->successors()) {
            const machine_block& m = m_blocks.at(next);
            if (m.pieces.empty() && seen.insert(next).second) {
                code.push_back(m.all);
                open.push_back(next);
            }
        }
    }
}

/// Ranges that touch each other become one.
code_copy joined(code_copy code)
{
    std::sort(code.begin(), code.end(),
              [](const code_range& a, const code_range& b) { return a.at < b.at; });
    code_copy out;
    for (const code_range& r : code) {
        if (r.bytes == 0) {
            continue;
        }
        if (!out.empty() && out.back().at + out.back().bytes == r.at) {
            out.back().bytes += r.bytes;
        } else {
            out.push_back(r);
        }
    }
    return out;
}

void layout::tell()
{
    for (const MachineBasicBlock& b : m_f) {
        if (!m_blocks.at(&b).pieces.empty()) {
            add_unmarked(b);
        }
        for (piece& p : m_blocks.at(&b).pieces) {
            code_copy code = joined(std::move(p.code));
            if (!code.empty()) {
                m_to.blocks.at(p.block).push_back(std::move(code));
            }
        }
    }
}

void layout::place_all()
{
    m_at = aligned(m_to.bytes, m_f.getAlignment());
    for (MachineBasicBlock& b : m_f) {
        m_blocks[&b] = place(b);
    }
}

void layout::run()
{
    place_all();
    for (const auto& [block, placed] : m_blocks) {
        m_begin[block] = placed.all.at;
    }
    place_all(); // now that it is known how far jumps go
    const std::uint32_t begin = aligned(m_to.bytes, m_f.getAlignment());
    tell();
    m_to.functions.push_back({m_f.getName().str(), begin, m_at - begin});
    m_to.bytes = m_at;
    m_to.alignment =
        std::max(m_to.alignment, static_cast<std::uint32_t>(m_f.getAlignment().value()));
}

} // namespace

void lay_out(MachineFunction& f, source_code& to)
{
    layout(f, to).run();
}

} // namespace fwtime
