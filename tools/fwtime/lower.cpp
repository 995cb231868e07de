// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/lower.h"

#include <algorithm>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
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
#include <llvm/Transforms/Utils/Cloning.h>
#include <stdexcept>
#include <vector>

#include "tools/fwtime/count.h"

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

/// Whether all that a loop's counter starts from and is compared with had 32 bits in the source.
bool is_narrow(const Value* v)
{
    const auto* constant = dyn_cast<ConstantInt>(v);
    const auto* extended = dyn_cast<ZExtInst>(v);
    return (constant != nullptr && constant->getValue().getActiveBits() <= 32) ||
           (extended != nullptr && extended->getSrcTy()->getIntegerBitWidth() <= 32);
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

bool compared_narrow(const Value& v)
{
    return std::all_of(v.user_begin(), v.user_end(), [&v](const User* u) {
        const auto* compare = dyn_cast<ICmpInst>(u);
        return compare == nullptr || is_narrow(compare->getOperand(compare->getOperand(0) == &v));
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
        if (next == nullptr || !is_narrow(wide->getIncomingValue(start)) ||
            !compared_narrow(*wide) || !compared_narrow(*next)) {
            continue;
        }
        IRBuilder<> builder(wide);
        Type* word = builder.getInt32Ty();
        PHINode* phi = builder.CreatePHI(word, 2);
        builder.SetInsertPoint(next);
        Value* add = builder.CreateAdd(phi, builder.CreateTrunc(next->getOperand(1), word));
        Value* next_wide = builder.CreateZExt(add, wide->getType());
        builder.SetInsertPoint(&*wide->getParent()->getFirstInsertionPt());
        Value* phi_wide = builder.CreateZExt(phi, wide->getType());
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

void mark(BasicBlock& block, unsigned k, const std::string& comment)
{
    FunctionType* type = FunctionType::get(Type::getVoidTy(block.getContext()), false);
    const auto put = [&](Instruction& before, const std::string& text) {
        IRBuilder<> builder(&before);
        builder.CreateCall(type, InlineAsm::get(type, comment + text, "", true))->setDoesNotThrow();
    };
    for (Instruction& i : block) {
        const auto* memory = dyn_cast<MemIntrinsic>(&i);
        if (memory == nullptr) {
            continue;
        }
        if (const auto* bytes = dyn_cast<ConstantInt>(memory->getLength())) {
            put(i, length_text(bytes->getZExtValue()));
        }
    }
    put(*block.getFirstInsertionPt(), marker_text(k));
}

void prepare(Module& m, TargetMachine& machine)
{
    const Triple& triple = machine.getTargetTriple();
    StripDebugInfo(m);
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
        }
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
            mark(block, k++, comment);
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
    const std::unique_ptr<Module> copy = CloneModule(module);
    prepare(*copy, *machine);
    target_table table;
    table.name = core.name;
    std::size_t blocks = 0;
    for (const Function& f : module) {
        blocks += f.size();
    }
    table.cost.assign(blocks, class_costs(CLASS_COUNT, 0.0));

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
