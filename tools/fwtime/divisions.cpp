// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/divisions.h"

#include "firmware/port/native/timing.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <optional>

namespace fwtime {

namespace {

using namespace llvm;

std::optional<fw_timing_operation> operation_of(const Instruction& i)
{
    switch (i.getOpcode()) {
    case Instruction::UDiv:
        return FW_TIMING_UDIV;
    case Instruction::URem:
        return FW_TIMING_UREM;
    case Instruction::SDiv:
        return FW_TIMING_SDIV;
    case Instruction::SRem:
        return FW_TIMING_SREM;
    default:
        return std::nullopt;
    }
}

/// Shifts and masks do those.
bool by_power_of_two(const Instruction& i)
{
    const auto* d = dyn_cast<ConstantInt>(i.getOperand(1));
    return d != nullptr && (d->getValue().isPowerOf2() || (-d->getValue()).isPowerOf2());
}

/// Quotient and remainder of the same numbers: one call makes both.
bool told_before(const Instruction& i)
{
    const bool is_signed = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
    const unsigned quotient = is_signed ? Instruction::SDiv : Instruction::UDiv;
    const unsigned rest = is_signed ? Instruction::SRem : Instruction::URem;
    for (const Instruction* j = i.getPrevNode(); j != nullptr; j = j->getPrevNode()) {
        if ((j->getOpcode() == quotient || j->getOpcode() == rest) &&
            j->getOperand(0) == i.getOperand(0) && j->getOperand(1) == i.getOperand(1)) {
            return true;
        }
    }
    return false;
}

void tell(Instruction& i, fw_timing_operation operation)
{
    LLVMContext& context = i.getContext();
    IRBuilder<> builder(&i);
    Value* all = builder.CreateOr(i.getOperand(0), i.getOperand(1));
    Value* large = builder.CreateICmpUGT(all, builder.getInt64(0xFFFFFFFFu));
    constexpr unsigned often = 1000;
    MDNode* rarely = MDBuilder(context).createBranchWeights(1, often);
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(large, &i, false, rarely));
    builder.SetCurrentDebugLocation(i.getDebugLoc());
    FunctionType* type = FunctionType::get(
        Type::getVoidTy(context),
        {builder.getInt32Ty(), builder.getInt64Ty(), builder.getInt64Ty()}, false);
    builder
        .CreateCall(i.getModule()->getOrInsertFunction(divide_name, type),
                    {builder.getInt32(operation), i.getOperand(0), i.getOperand(1)})
        ->setDoesNotThrow();
}

} // namespace

void tell_divisions(Function& f)
{
    std::vector<std::pair<Instruction*, fw_timing_operation>> found;
    for (Instruction& i : instructions(f)) {
        const auto operation = operation_of(i);
        if (operation && i.getType()->isIntegerTy(64) && !by_power_of_two(i) && !told_before(i)) {
            found.emplace_back(&i, *operation);
        }
    }
    for (const auto& [i, operation] : found) {
        tell(*i, operation);
    }
}

} // namespace fwtime
