// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/tellings.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <vector>

namespace fwtime {

namespace {

using namespace llvm;

constexpr const char* word = "ssdvp_tell"; // firmware/hal/hal.h

std::vector<CallInst*> tellings(Function& f)
{
    std::vector<CallInst*> all;
    for (BasicBlock& b : f) {
        for (Instruction& i : b) {
            auto* call = dyn_cast<CallInst>(&i);
            const auto* text =
                call != nullptr ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
            if (text != nullptr && text->getAsmString() == word) {
                all.push_back(call);
            }
        }
    }
    return all;
}

} // namespace

void drop_tellings(Module& module)
{
    for (Function& f : module) {
        for (CallInst* telling : tellings(f)) {
            const SmallVector<Value*, 8> told(telling->args());
            telling->eraseFromParent();
            SmallVector<WeakTrackingVH, 8> unused(told.begin(), told.end());
            RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
        }
    }
}

void call_tellings(Function& f)
{
    for (CallInst* telling : tellings(f)) {
        Value* to = telling->getArgOperand(0);
        const SmallVector<Value*, 8> arguments(drop_begin(telling->args()));
        auto* type = cast<FunctionType>(to->getType()->getPointerElementType());
        IRBuilder<> builder(telling);
        Instruction* then =
            SplitBlockAndInsertIfThen(builder.CreateIsNotNull(to), telling, false,
                                      MDBuilder(f.getContext()).createBranchWeights(1, 1000));
        builder.SetInsertPoint(then);
        builder.CreateCall(type, to, arguments);
        telling->eraseFromParent();
    }
}

} // namespace fwtime
