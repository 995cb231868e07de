// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/lower.h"

#include <algorithm>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <map>
#include <stdexcept>
#include <vector>

#include "tools/fwtime/count.h"
#include "tools/fwtime/tellings.h"

namespace fwtime {

namespace {

using namespace llvm;

/// What clang says of an argument depends on the target's calling convention. AArch64 leaves the
/// extension of small integers to the callee (AAPCS64); RV64 wants 32-bit integers sign-extended
/// (RISC-V ELF psABI, "Integer calling convention"); x86-64, where the IR is from, neither.
AttributeList convention(AttributeList a, FunctionType& type, const Triple& triple,
                         LLVMContext& context)
{
    const auto adapt = [&](unsigned index, Type* of) {
        if (triple.isAArch64()) {
            a = a.removeAttributeAtIndex(context, index, Attribute::ZExt);
            a = a.removeAttributeAtIndex(context, index, Attribute::SExt);
        } else if (triple.getArch() == Triple::riscv64 && of->isIntegerTy(32)) {
            a = a.addAttributeAtIndex(context, index, Attribute::SExt);
        }
    };
    adapt(AttributeList::ReturnIndex, type.getReturnType());
    for (unsigned i = 0; i < type.getNumParams(); ++i) {
        adapt(AttributeList::FirstArgIndex + i, type.getParamType(i));
    }
    return a;
}

/// Whether all that a loop's counter starts from and is compared with had 32 bits in the source,
/// with a sign or without.
bool is_narrow(const Value* v, bool has_sign)
{
    if (const auto* constant = dyn_cast<ConstantInt>(v)) {
        return has_sign ? constant->getValue().isSignedIntN(32) : constant->getValue().isIntN(32);
    }
    const auto* extended = dyn_cast<CastInst>(v);
    return extended != nullptr &&
           extended->getOpcode() == (has_sign ? Instruction::SExt : Instruction::ZExt) &&
           extended->getSrcTy()->getIntegerBitWidth() <= 32;
}

/// The step of a counter: %next = add %counter, constant.
BinaryOperator* step_of(PHINode& counter, unsigned& start)
{
    for (unsigned i = 0; i < 2; ++i) {
        auto* add = dyn_cast<BinaryOperator>(counter.getIncomingValue(i));
        if (add != nullptr && add->getOpcode() == Instruction::Add &&
            add->getOperand(0) == &counter && isa<ConstantInt>(add->getOperand(1))) {
            start = 1 - i;
            return add;
        }
    }
    return nullptr;
}

bool compared_narrow(const Value& v, bool has_sign)
{
    return std::all_of(v.user_begin(), v.user_end(), [&](const User* u) {
        const auto* compare = dyn_cast<ICmpInst>(u);
        return compare == nullptr ||
               is_narrow(compare->getOperand(compare->getOperand(0) == &v), has_sign);
    });
}

/// The host's optimiser makes 64 bits of a loop's counter of 32, which index its addresses without
/// another instruction. A 32-bit core's would not: back to 32. Nobody runs this copy.
void narrow_counters(Function& f)
{
    std::vector<PHINode*> counters;
    for (BasicBlock& block : f) {
        for (PHINode& phi : block.phis()) {
            if (phi.getType()->isIntegerTy(64) && phi.getNumIncomingValues() == 2) {
                counters.push_back(&phi);
            }
        }
    }
    for (PHINode* wide : counters) {
        unsigned start = 0;
        BinaryOperator* next = step_of(*wide, start);
        const bool has_sign = next != nullptr && isa<SExtInst>(wide->getIncomingValue(start));
        if (next == nullptr || !is_narrow(wide->getIncomingValue(start), has_sign) ||
            !compared_narrow(*wide, has_sign) || !compared_narrow(*next, has_sign)) {
            continue;
        }
        const auto extension = has_sign ? Instruction::SExt : Instruction::ZExt;
        IRBuilder<> builder(wide);
        Type* word = builder.getInt32Ty();
        PHINode* phi = builder.CreatePHI(word, 2);
        builder.SetInsertPoint(next);
        Value* add = builder.CreateAdd(phi, builder.CreateTrunc(next->getOperand(1), word));
        Value* next_wide = builder.CreateCast(extension, add, wide->getType());
        builder.SetInsertPoint(&*wide->getParent()->getFirstInsertionPt());
        Value* phi_wide = builder.CreateCast(extension, phi, wide->getType());
        builder.SetInsertPoint(wide->getIncomingBlock(start)->getTerminator());
        phi->addIncoming(builder.CreateTrunc(wide->getIncomingValue(start), word),
                         wide->getIncomingBlock(start));
        phi->addIncoming(add, wide->getIncomingBlock(1 - start));
        next->replaceAllUsesWith(next_wide);
        wide->replaceAllUsesWith(phi_wide);
        next->eraseFromParent();
        wide->eraseFromParent();
    }
}

/// Likewise of other numbers that loops carry from round to round.
void narrow_carried(Function& f)
{
    std::vector<PHINode*> carried;
    for (BasicBlock& block : f) {
        for (PHINode& phi : block.phis()) {
            const bool narrow = std::all_of(
                phi.incoming_values().begin(), phi.incoming_values().end(), [](const Use& u) {
                    return is_narrow(u.get(), false) && !isa<UndefValue>(u.get());
                });
            if (phi.getType()->isIntegerTy(64) && narrow) {
                carried.push_back(&phi);
            }
        }
    }
    for (PHINode* wide : carried) {
        IRBuilder<> builder(wide);
        PHINode* phi = builder.CreatePHI(builder.getInt32Ty(), wide->getNumIncomingValues());
        for (unsigned i = 0; i < wide->getNumIncomingValues(); ++i) {
            builder.SetInsertPoint(wide->getIncomingBlock(i)->getTerminator());
            phi->addIncoming(builder.CreateTrunc(wide->getIncomingValue(i), phi->getType()),
                             wide->getIncomingBlock(i));
        }
        builder.SetInsertPoint(&*wide->getParent()->getFirstInsertionPt());
        wide->replaceAllUsesWith(builder.CreateZExt(phi, wide->getType()));
        wide->eraseFromParent();
    }
}

/// A loop's end asks on the host whether the counter has become its last value. Where 32 bits are
/// no native width (RV64: data layout n64) it stays as the source has it: whether the value before
/// is below the last one, which a register more keeps.
void compare_before(Function& f)
{
    for (BasicBlock& block : f) {
        for (PHINode& phi : block.phis()) {
            if (!phi.getType()->isIntegerTy(32) || phi.getNumIncomingValues() != 2) {
                continue;
            }
            unsigned start = 0;
            BinaryOperator* next = step_of(phi, start);
            if (next == nullptr || !isa<ConstantInt>(phi.getIncomingValue(start)) ||
                !cast<ConstantInt>(next->getOperand(1))->isOne()) {
                continue;
            }
            for (User* user : SmallVector<User*, 4>(next->users())) {
                auto* compare = dyn_cast<ICmpInst>(user);
                const auto* last = compare != nullptr && compare->isEquality()
                                       ? dyn_cast<ConstantInt>(compare->getOperand(1))
                                       : nullptr;
                if (last != nullptr && !last->isZero()) {
                    const bool leaves = compare->getPredicate() == CmpInst::ICMP_EQ;
                    compare->setPredicate(leaves ? CmpInst::ICMP_UGE : CmpInst::ICMP_ULT);
                    compare->setOperand(0, &phi);
                    compare->setOperand(
                        1, ConstantInt::get(last->getType(), last->getZExtValue() - 1));
                }
            }
        }
    }
}

/// An empty inline assembly: `text` as a comment.
void put(Instruction& before, const std::string& text)
{
    FunctionType* type = FunctionType::get(Type::getVoidTy(before.getContext()), false);
    IRBuilder<> builder(&before);
    builder.CreateCall(type, InlineAsm::get(type, text, "", true))->setDoesNotThrow();
}

void mark(BasicBlock& block, unsigned k, const std::string& comment)
{
    for (Instruction& i : block) {
        const auto* memory = dyn_cast<MemIntrinsic>(&i);
        if (memory == nullptr) {
            continue;
        }
        if (const auto* bytes = dyn_cast<ConstantInt>(memory->getLength())) {
            put(i, comment + length_text(bytes->getZExtValue()));
        }
    }
    put(*block.getFirstInsertionPt(), comment + marker_text(k));
}

/// What a block that does nothing but return returns to one that comes there: its own value, or
/// nothing. Null if it does more.
ReturnInst* only_returns(BasicBlock& block)
{
    auto* leave = dyn_cast<ReturnInst>(block.getTerminator());
    const Instruction* first = block.getFirstNonPHIOrDbg();
    const Value* value = leave != nullptr ? leave->getReturnValue() : nullptr;
    const auto* phi = dyn_cast_or_null<PHINode>(value);
    const bool simple = value == nullptr || (phi != nullptr && phi->getParent() == &block);
    return leave == first && simple ? leave : nullptr;
}

/// The call that ends `block` but for the jump to `exit`, if what it returns is returned there.
CallInst* last_call(BasicBlock& block, BasicBlock& exit, const ReturnInst& leave)
{
    auto* jump = dyn_cast<BranchInst>(block.getTerminator());
    if (jump == nullptr || jump->isConditional()) {
        return nullptr;
    }
    auto* call = dyn_cast_or_null<CallInst>(jump->getPrevNonDebugInstruction());
    if (call == nullptr || !call->isTailCall() || isa<IntrinsicInst>(call)) {
        return nullptr;
    }
    const auto* phi = dyn_cast_or_null<PHINode>(leave.getReturnValue());
    const Value* value = phi != nullptr ? phi->getIncomingValueForBlock(&block) : nullptr;
    const bool same = phi == nullptr || value == call || isa<UndefValue>(value);
    return same && &exit != &block ? call : nullptr;
}

/// A call whose value is returned is a jump on the targets: the code generator puts the return
/// right behind it for that. It would not where the return, in a block of several such calls, has a
/// marker before it: so it is done here, and each copy's marker stands before the call.
template <class Mark>
void return_behind_calls(Function& f, Mark mark)
{
    for (BasicBlock& exit : f) {
        ReturnInst* leave = only_returns(exit);
        if (leave == nullptr) {
            continue;
        }
        const SmallVector<BasicBlock*, 8> before(predecessors(&exit));
        for (BasicBlock* block : before) {
            CallInst* call = last_call(*block, exit, *leave);
            if (call == nullptr) {
                continue;
            }
            auto* phi = dyn_cast_or_null<PHINode>(leave->getReturnValue());
            Value* value = phi != nullptr ? phi->getIncomingValueForBlock(block) : nullptr;
            exit.removePredecessor(block, true);
            mark(*call, exit);
            block->getTerminator()->eraseFromParent();
            ReturnInst::Create(f.getContext(), value, block);
        }
    }
}

void prepare(Module& m, TargetMachine& machine)
{
    const Triple& triple = machine.getTargetTriple();
    StripDebugInfo(m);
    drop_tellings(m);
    m.setTargetTriple(triple.str());
    m.setDataLayout(machine.createDataLayout());
    if (NamedMDNode* flags = m.getModuleFlagsMetadata()) {
        m.eraseNamedMetadata(flags); // PIC level, unwind tables: of the host
    }
    const Align stack = m.getDataLayout().getStackAlignment();
    const std::string comment = machine.getMCAsmInfo()->getCommentString().str();
    unsigned k = 0;
    for (Function& f : m) {
        for (const char* name : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"}) {
            f.removeFnAttr(name);
        }
        f.removeFnAttr(Attribute::UWTable);
        f.setDoesNotThrow();
        if (triple.isAArch64()) { // AAPCS64, "The Frame Pointer": compilers keep it in x29
            f.addFnAttr("frame-pointer", "non-leaf");
        }
        if (!f.isIntrinsic()) {
            f.setAttributes(
                convention(f.getAttributes(), *f.getFunctionType(), triple, m.getContext()));
        }
        f.setDSOLocal(true);
        if (triple.isArch32Bit()) {
            narrow_counters(f);
            narrow_carried(f);
        } else if (triple.isRISCV()) {
            compare_before(f);
        }
        std::map<const BasicBlock*, unsigned> number;
        for (const BasicBlock& block : f) {
            number.emplace(&block, k++);
        }
        return_behind_calls(f, [&](Instruction& before, const BasicBlock& exit) {
            put(before, comment + marker_text(number.at(&exit)));
        });
        for (BasicBlock& block : f) {
            for (Instruction& i : block) {
                auto* call = dyn_cast<CallBase>(&i);
                if (call != nullptr && !isa<IntrinsicInst>(i)) {
                    call->setAttributes(convention(call->getAttributes(), *call->getFunctionType(),
                                                   triple, m.getContext()));
                }
                auto* slot = dyn_cast<AllocaInst>(&i);
                if (slot != nullptr && slot->getAlign() > stack) {
                    slot->setAlignment(stack); // else the frame would be aligned anew
                }
            }
            mark(block, number.at(&block), comment);
        }
    }
    for (GlobalVariable& g : m.globals()) {
        g.setDSOLocal(true);
    }
}

std::unique_ptr<TargetMachine> machine_for(const target_core& core)
{
    std::string error;
    const Target* target = TargetRegistry::lookupTarget(core.triple, error);
    if (target == nullptr) {
        throw std::runtime_error(std::string(core.name) + ": " + error);
    }
    TargetOptions options;
    options.EABIVersion = EABI::GNU; // Arm: memcpy and memset by their own names, as GCC has them
    return std::unique_ptr<TargetMachine>(target->createTargetMachine(
        core.triple, core.cpu, core.features, options, Reloc::Static,
        Triple(core.triple).isRISCV() ? CodeModel::Medium : CodeModel::Small, CodeGenOpt::Default));
}

/// With the order in which each value lists its uses, which code generators go by when two ways of
/// a loop cost the same. CloneModule has an order of its own.
std::unique_ptr<Module> copy_of(const Module& module)
{
    SmallVector<char, 0> bytes;
    raw_svector_ostream out(bytes);
    WriteBitcodeToFile(module, out, true);
    return cantFail(
        parseBitcodeFile({{bytes.data(), bytes.size()}, module.getName()}, module.getContext()));
}

} // namespace

const std::vector<target_core>& target_cores()
{
    // A real-time core has no vector unit to speak of: integer registers move what is copied.
    // Triples are whole ones: where a part is left out, "eabi" is taken for an operating system.
    static const std::vector<target_core> cores = {
        {"cortex-r82", "aarch64-none-unknown-elf", "cortex-r82", ""},
        {"rv64", "riscv64-unknown-unknown-elf", "generic-rv64", "+m,+a,+c"},
        // As -mfloat-abi=soft: no floating-point registers to copy by; aligned accesses alone.
        {"cortex-r52", "thumbv8r-none-unknown-eabi", "cortex-r52",
         "+strict-align,+soft-float,-fpregs"},
        {"rv32", "riscv32-unknown-unknown-elf", "generic-rv32", "+m,+a,+c"},
    };
    return cores;
}

target_table count_on(const target_core& core, const Module& module)
{
    const std::unique_ptr<TargetMachine> machine = machine_for(core);
    const std::unique_ptr<Module> copy = copy_of(module);
    prepare(*copy, *machine);
    target_table table;
    table.name = core.name;
    std::size_t blocks = 0;
    for (const Function& f : module) {
        blocks += f.size();
    }
    table.cost.assign(blocks, class_costs(CLASS_COUNT, 0.0));
    table.code.blocks.resize(blocks);

    auto& generator = static_cast<LLVMTargetMachine&>(*machine);
    legacy::PassManager passes;
    passes.add(new TargetLibraryInfoWrapperPass(machine->getTargetTriple()));
    // The host divides and takes the remainder at once, and its IR asks for both; what has no such
    // instruction multiplies and subtracts, as clang's last pass over the IR does for it.
    passes.add(createTargetTransformInfoWrapperPass(machine->getTargetIRAnalysis()));
    passes.add(createDivRemPairsPass());
    if (machine->getTargetTriple().isArch32Bit()) {
        passes.add(createInstructionCombiningPass()); // what 32 bits of an address make simpler
    }
    TargetPassConfig* steps = generator.createPassConfig(passes);
    steps->setDisableVerify(true);
    passes.add(steps);
    passes.add(new MachineModuleInfoWrapperPass(&generator));
    if (steps->addISelPasses()) {
        throw std::runtime_error(std::string(core.name) + ": no code generator");
    }
    steps->addMachinePasses();
    steps->setInitialized();
    passes.add(create_count_pass(table));
    passes.add(createFreeMachineFunctionPass());
    passes.run(*copy);
    return table;
}

} // namespace fwtime
