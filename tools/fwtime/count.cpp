// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/count.h"

#include <cmath>
#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineInstr.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/GlobalValue.h>
#include <llvm/IR/InlineAsm.h>
#include <map>
#include <stdexcept>

namespace fwtime {

namespace {

using llvm::MachineBasicBlock;
using llvm::MachineFunction;
using llvm::MachineInstr;
using llvm::StringRef;

constexpr char mark_word[] = "ssdvp-mark ";
constexpr char length_word[] = "ssdvp-length ";
constexpr double negligible = 1.0 / 1024; // calls: below what the table can say
constexpr std::uint64_t no_length = ~0ull;

/// A library function and, for the memory functions, the length that the call has.
using called = std::pair<std::string, std::uint64_t>;

bool is_one_of(StringRef name, std::initializer_list<const char*> starts)
{
    for (const char* s : starts) {
        if (name.startswith(s)) {
            return true;
        }
    }
    return false;
}

cost_class class_of(const MachineInstr& i, StringRef name)
{
    if (i.isCall()) {
        return CLASS_CALL;
    }
    if (i.isReturn() || i.isBranch()) {
        return CLASS_BRANCH;
    }
    // Names of LLVM's instruction tables: AArch64, Arm (Thumb-2), RISC-V.
    if (is_one_of(name, {"SDIV", "UDIV", "t2SDIV", "t2UDIV", "DIV", "REM"})) {
        return CLASS_DIVIDE;
    }
    if (is_one_of(name, {"MADD", "MSUB", "SMADD", "UMADD", "SMSUB", "UMSUB", "SMULH", "UMULH",
                         "MUL", "tMUL", "t2MUL", "t2MLA", "t2MLS", "t2UMULL", "t2UMLAL", "t2SMULL",
                         "t2SMLAL", "t2UMAAL"})) {
        return CLASS_MULTIPLY;
    }
    if (is_one_of(name, {"DMB", "DSB", "ISB", "MRS", "MSR", "HINT", "FENCE", "CSR", "t2DMB",
                         "t2DSB", "t2MRS", "t2MSR"})) {
        return CLASS_SYSTEM;
    }
    if (i.mayStore()) {
        return CLASS_STORE;
    }
    return i.mayLoad() ? CLASS_LOAD : CLASS_ALU;
}

/// Of an inline assembly.
StringRef text_of(const MachineInstr& i)
{
    return i.getOperand(llvm::InlineAsm::MIOp_AsmString).getSymbolName();
}

class counter {
public:
    counter(MachineFunction& f, target_table& table) : m_f(f), m_table(table) {}
    void run();

private:
    void block(MachineBasicBlock& b);
    void marker(flow_block& to, const MachineInstr& i);
    void instruction(flow_block& to, const MachineInstr& i);
    void library(flow_block& to, const MachineInstr& i);
    void jumps(flow_block& to, MachineBasicBlock& b);
    void follow(flow_block& to, MachineBasicBlock& b);

    MachineFunction& m_f;
    target_table& m_table;
    std::vector<flow_block> m_blocks;
    std::map<int, unsigned> m_number;      // block -> index
    std::map<unsigned, unsigned> m_marker; // marker of the module -> of the function
    std::map<called, unsigned> m_callees;  // -> index behind the classes
    std::uint64_t m_length = no_length;    // of the memory intrinsic that is about to begin
};

void counter::marker(flow_block& to, const MachineInstr& i)
{
    const StringRef text = text_of(i);
    const std::size_t length = text.find(length_word);
    if (const std::optional<unsigned> k = marked_block(i)) {
        to.markers.push_back(m_marker.try_emplace(*k, m_marker.size()).first->second);
    } else if (length != StringRef::npos) {
        text.substr(length + sizeof length_word - 1).getAsInteger(10, m_length);
    } else {
        throw std::runtime_error("inline assembly in " + m_f.getName().str() +
                                 ": what it costs cannot be told; write it in C, or move it to the "
                                 "port of its target");
    }
}

/// Calls that the code generator made of IR that was no call: memory functions, arithmetic.
void counter::library(flow_block& to, const MachineInstr& i)
{
    for (const llvm::MachineOperand& o : i.operands()) {
        // Atomics that are too wide become calls before there are machine instructions.
        const bool atomic = o.isGlobal() && o.getGlobal()->getName().startswith("__atomic_");
        if (!o.isSymbol() && !atomic) {
            continue;
        }
        const std::string name = atomic ? o.getGlobal()->getName().str() : o.getSymbolName();
        const bool memory = name == "memcpy" || name == "memset" || name == "memmove" ||
                            StringRef(name).startswith("__aeabi_mem");
        // A length that is not known in advance is charged when the call is made.
        if (!memory || m_length != no_length) {
            const called c(name, memory ? m_length : 0);
            const auto index = static_cast<unsigned>(CLASS_COUNT + m_callees.size());
            const unsigned at = m_callees.try_emplace(c, index).first->second;
            to.cost.resize(std::max<std::size_t>(to.cost.size(), at + 1), 0.0);
            to.cost[at] += 1;
        }
        m_length = memory ? no_length : m_length;
    }
}

void counter::instruction(flow_block& to, const MachineInstr& i)
{
    if (i.isInlineAsm()) {
        marker(to, i);
        return;
    }
    if (i.isMetaInstruction() || i.isBundle()) {
        return;
    }
    const llvm::TargetInstrInfo& info = *m_f.getSubtarget().getInstrInfo();
    const StringRef name = info.getName(i.getOpcode());
    unsigned count = 1;
    if (i.isPseudo() && !i.isCall() && !i.isBranch() && !i.isReturn()) {
        // What is left of pseudos at the end stands for several instructions of 4 bytes each; a
        // call that the linker makes one instruction of (RISC-V: relaxation) counts as one.
        count = (info.getInstSizeInBytes(i) + 3) / 4;
    }
    to.cost[class_of(i, name)] += count;
    if (i.isCall()) {
        library(to, i);
    }
}

/// What runs behind the first jump of `b` runs only where that was not taken: it belongs to the
/// ways that go on from there.
void counter::jumps(flow_block& to, MachineBasicBlock& b)
{
    flow_block since;
    since.cost.assign(CLASS_COUNT, 0.0);
    to.way.assign(b.succ_size() + 1, since.cost);
    std::vector<bool> known(to.way.size(), false);
    bool first = true;
    for (auto i = b.getFirstInstrTerminator(); i != b.instr_end(); ++i) {
        instruction(first ? to : since, *i);
        first = first && (i->isMetaInstruction() || i->isBundle() || i->isBundledWithSucc());
        for (const llvm::MachineOperand& o : i->operands()) {
            const auto next =
                o.isMBB() ? std::find(b.succ_begin(), b.succ_end(), o.getMBB()) : b.succ_end();
            const auto n = static_cast<std::size_t>(next - b.succ_begin());
            if (next != b.succ_end() && !known[n]) {
                known[n] = true;
                to.way[n] = since.cost;
            }
        }
    }
    for (std::size_t n = 0; n < known.size(); ++n) { // falls through, jumps by a table, returns
        if (!known[n]) {
            to.way[n] = since.cost;
        }
    }
}

void counter::follow(flow_block& to, MachineBasicBlock& b)
{
    for (const MachineBasicBlock* next : b.successors()) {
        to.next.push_back(m_number.at(next->getNumber()));
        to.taken.push_back(!b.isLayoutSuccessor(next));
    }
    for (const MachineInstr& i : b.instrs()) {
        to.returns = to.returns || i.isReturn();
    }
    to.leaves = to.returns;
}

void counter::block(MachineBasicBlock& b)
{
    flow_block& to = m_blocks[m_number.at(b.getNumber())];
    to.cost.assign(CLASS_COUNT, 0.0);
    for (auto i = b.instr_begin(); i != b.getFirstInstrTerminator(); ++i) {
        instruction(to, *i);
    }
    jumps(to, b);
    follow(to, b);
}

void counter::run()
{
    for (const MachineBasicBlock& b : m_f) {
        m_number.emplace(b.getNumber(), static_cast<unsigned>(m_number.size()));
    }
    m_blocks.resize(m_number.size());
    for (MachineBasicBlock& b : m_f) {
        block(b);
    }
    const auto costs = static_cast<unsigned>(CLASS_COUNT + m_callees.size());
    for (flow_block& b : m_blocks) {
        b.cost.resize(costs, 0.0);
    }
    const auto markers = static_cast<unsigned>(m_marker.size());
    const flow_solution s = solve_flow(m_blocks, markers, costs);
    for (const auto& [k, at] : m_marker) {
        class_costs& cost = m_table.cost.at(k);
        std::copy_n(s.weight[at].begin(), static_cast<std::size_t>(CLASS_COUNT), cost.begin());
        for (const auto& [to, index] : m_callees) {
            if (std::fabs(s.weight[at][index]) > negligible) {
                m_table.calls.push_back({k, to.first, to.second, s.weight[at][index]});
            }
        }
    }
}

class count_pass final : public llvm::MachineFunctionPass {
public:
    static char id;
    explicit count_pass(target_table& table) : MachineFunctionPass(id), m_table(table) {}
    bool runOnMachineFunction(MachineFunction& f) override
    {
        counter(f, m_table).run();
        lay_out(f, m_table.code);
        return false;
    }
    StringRef getPassName() const override { return "ssdvp instruction counts"; }

private:
    target_table& m_table;
};

char count_pass::id = 0;

} // namespace

std::optional<unsigned> marked_block(const llvm::MachineInstr& i)
{
    const StringRef text = i.isInlineAsm() ? text_of(i) : StringRef();
    const std::size_t mark = text.find(mark_word);
    unsigned k = 0;
    if (mark == StringRef::npos || text.substr(mark + sizeof mark_word - 1).getAsInteger(10, k)) {
        return std::nullopt;
    }
    return k;
}

std::string marker_text(unsigned marker)
{
    return mark_word + std::to_string(marker);
}

std::string length_text(std::uint64_t bytes)
{
    return length_word + std::to_string(bytes);
}

llvm::MachineFunctionPass* create_count_pass(target_table& table)
{
    return new count_pass(table); // the pass manager owns it
}

} // namespace fwtime
