// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/accounts.h"

#include "firmware/port/native/timing.h"
#include "tools/fwtime/divisions.h"
#include "tools/fwtime/telling.h"

#include <algorithm>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <map>

namespace fwtime::accounts {

namespace {

using namespace llvm;

constexpr const char* mark_name = "ssdvp_fw_mark";
constexpr const char* table_name = "ssdvp_fw_table";

VectorType* pair_type(LLVMContext& context)
{
    return FixedVectorType::get(Type::getInt64Ty(context), 2);
}

/// A function adds up what it spends in a register, and puts it on account before whoever it calls,
/// or returns to, may look.
class spender {
public:
    spender(Function& f, unsigned account);
    void run();

private:
    [[nodiscard]] event kind(const Instruction& i) const;
    void zero(IRBuilder<>& builder) const;
    void add(CallInst* mark) const;
    void tell(Instruction* before) const;
    void tell_within(BasicBlock& b, bool pending);

    Function& m_function;
    unsigned m_account;
    VectorType* m_pair;
    Function* m_mark;
    GlobalVariable* m_table;
    GlobalVariable* m_spent;
    AllocaInst* m_since = nullptr;
    std::vector<CallInst*> m_marks;
};

spender::spender(Function& f, unsigned account)
    : m_function(f), m_account(account), m_pair(pair_type(f.getContext())),
      m_mark(f.getParent()->getFunction(mark_name)),
      m_table(f.getParent()->getGlobalVariable(table_name, true)),
      m_spent(cast<GlobalVariable>(f.getParent()->getOrInsertGlobal(
          "ssdvp_fw_spent", ArrayType::get(m_pair, FW_TIMING_ACCOUNTS))))
{
    m_spent->setVisibility(GlobalValue::HiddenVisibility);
    m_spent->setAlignment(Align(16));
    m_spent->setDSOLocal(true);
}

event spender::kind(const Instruction& i) const
{
    if (const auto* call = dyn_cast<CallBase>(&i)) {
        const Function* callee = call->getCalledFunction();
        const bool adds = callee != nullptr && callee->getName() == divide_name; // but looks not
        return isa<IntrinsicInst>(i) || adds ? event::none
               : callee == m_mark            ? event::spend
                                             : event::tell;
    }
    return isa<ReturnInst>(i) ? event::tell : event::none;
}

void spender::zero(IRBuilder<>& builder) const
{
    builder.CreateStore(ConstantAggregateZero::get(m_pair), m_since);
}

void spender::add(CallInst* mark) const
{
    IRBuilder<> builder(mark);
    builder.SetCurrentDebugLocation(DebugLoc()); // gdb must not stop here
    const std::uint64_t k = cast<ConstantInt>(mark->getArgOperand(0))->getZExtValue();
    Value* from = builder.CreateConstInBoundsGEP2_64(m_table->getValueType(), m_table, 0, k);
    LoadInst* cost = builder.CreateAlignedLoad(m_pair, from, Align(16));
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(m_pair, m_since), cost), m_since);
    mark->eraseFromParent();
}

void spender::tell(Instruction* before) const
{
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value* account =
        builder.CreateConstInBoundsGEP2_64(m_spent->getValueType(), m_spent, 0, m_account);
    Value* spent = builder.CreateAlignedLoad(m_pair, account, Align(16));
    Value* sum = builder.CreateAdd(spent, builder.CreateLoad(m_pair, m_since));
    builder.CreateAlignedStore(sum, account, Align(16));
    zero(builder);
}

void spender::tell_within(BasicBlock& b, bool pending)
{
    std::vector<Instruction*> tellers;
    for (Instruction& i : b) {
        const event what = kind(i);
        if (what == event::tell && pending) {
            tellers.push_back(&i);
        }
        pending = what == event::none ? pending : what == event::spend;
    }
    for (Instruction* i : tellers) {
        tell(i);
    }
}

void spender::run()
{
    std::map<const BasicBlock*, unsigned> number;
    std::vector<BasicBlock*> all;
    for (BasicBlock& b : m_function) {
        number.emplace(&b, static_cast<unsigned>(all.size()));
        all.push_back(&b);
    }
    std::vector<telling_block> blocks(all.size());
    for (std::size_t n = 0; n < all.size(); ++n) {
        telling_block& to = blocks[n];
        for (const BasicBlock* next : successors(all[n])) {
            to.next.push_back(number.at(next));
        }
        to.splits = isa<BranchInst>(all[n]->getTerminator()) &&
                    (to.next.size() != 2 || to.next[0] != to.next[1]);
        for (Instruction& i : *all[n]) {
            const event what = kind(i);
            to.first = to.first == event::none ? what : to.first;
            to.last = what == event::none ? to.last : what;
            if (what == event::spend) {
                m_marks.push_back(cast<CallInst>(&i));
            }
        }
    }
    IRBuilder<> builder(&*m_function.getEntryBlock().getFirstInsertionPt());
    m_since = builder.CreateAlloca(m_pair);
    zero(builder);
    const telling how = place_telling(blocks);
    for (std::size_t n = 0; n < all.size(); ++n) {
        tell_within(*all[n], how.pending[n]);
    }
    for (const auto& [from, to] : how.early) {
        BasicBlock* at = blocks[from].next.size() > 1 ? SplitEdge(all[from], all[to]) : all[from];
        tell(at->getTerminator());
    }
    for (CallInst* mark : m_marks) {
        add(mark);
    }
    DominatorTree dominators(m_function);
    PromoteMemToReg({m_since}, dominators);
}

} // namespace

GlobalVariable* table(Module& module, unsigned places)
{
    ArrayType* type = ArrayType::get(pair_type(module.getContext()), places);
    auto* found = cast<GlobalVariable>(module.getOrInsertGlobal(table_name, type));
    found->setInitializer(ConstantAggregateZero::get(type));
    found->setLinkage(GlobalValue::InternalLinkage);
    found->setAlignment(Align(16));
    found->setDSOLocal(true);
    return found;
}

FunctionCallee mark(Module& module)
{
    LLVMContext& context = module.getContext();
    FunctionCallee callee =
        module.getOrInsertFunction(mark_name, Type::getVoidTy(context), Type::getInt32Ty(context));
    auto* f = cast<Function>(callee.getCallee());
    for (const Attribute::AttrKind kind :
         {Attribute::InaccessibleMemOnly, Attribute::NoUnwind, Attribute::WillReturn,
          Attribute::NoSync, Attribute::NoFree, Attribute::NoCallback, Attribute::NoRecurse}) {
        f->addFnAttr(kind);
    }
    return callee;
}

void spend(Module& module)
{
    Function* called = module.getFunction(mark_name);
    if (called == nullptr) { // a source without a function, or all of whose blocks are dead: the
        return;              // optimiser has dropped what nobody calls, and nothing is spent
    }
    unsigned functions = 0;
    for (Function& f : module) {
        if (!f.empty()) {
            spender(f, ++functions % FW_TIMING_ACCOUNTS).run();
        }
    }
    called->eraseFromParent();
}

} // namespace fwtime::accounts
