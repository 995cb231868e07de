// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/fetches.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <vector>

namespace fwtime::fetches {

namespace {

using namespace llvm;

constexpr const char* first_name = "ssdvp_fw_first_block";

/// On the target a call whose value is returned is a jump; and a jump behind a call leads to a
/// block that tells for itself.
bool comes_back(const CallInst& call)
{
    const Instruction* next = call.getNextNonDebugInstruction();
    const auto* jump = dyn_cast<BranchInst>(next);
    const bool leaves = isa<UnreachableInst>(next) || (jump != nullptr && jump->isUnconditional());
    return !leaves && !(isa<ReturnInst>(next) && call.isTailCall());
}

/// Before what the block is told to be fetched.
std::vector<Instruction*> places(BasicBlock& b, const Value& mark)
{
    std::vector<Instruction*> before{&*b.getFirstInsertionPt()};
    for (Instruction& i : b) {
        const auto* call = dyn_cast<CallInst>(&i);
        if (call != nullptr && !isa<IntrinsicInst>(i) && call->getCalledOperand() != &mark &&
            comes_back(*call)) {
            before.push_back(i.getNextNode());
        }
    }
    return before;
}

} // namespace

GlobalVariable* first_block(Module& module)
{
    Type* number = Type::getInt64Ty(module.getContext());
    auto* first = cast<GlobalVariable>(module.getOrInsertGlobal(first_name, number));
    if (!first->hasInitializer()) {
        first->setInitializer(ConstantInt::get(number, 0));
        first->setLinkage(GlobalValue::InternalLinkage);
        first->setExternallyInitialized(true); // the platform writes it
    }
    return first;
}

void tell(Module& module, const Value& mark)
{
    LLVMContext& context = module.getContext();
    Type* number = Type::getInt64Ty(context);
    const FunctionCallee fetch = module.getOrInsertFunction(
        "ssdvp_fw_fetch", FunctionType::get(Type::getVoidTy(context), {number}, false));
    GlobalVariable* first = first_block(module);
    std::uint64_t k = 0;
    for (Function& f : module) {
        for (BasicBlock& b : f) {
            for (Instruction* before : places(b, mark)) {
                IRBuilder<> builder(before);
                builder.SetCurrentDebugLocation(DebugLoc()); // gdb must not stop here
                Value* block =
                    builder.CreateAdd(builder.CreateLoad(number, first), builder.getInt64(k));
                builder.CreateCall(fetch, {block})->addFnAttr(Attribute::NoMerge);
            }
            ++k;
        }
    }
}

} // namespace fwtime::fetches
