// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/host.h"

#include "firmware/port/native/timing.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <stdexcept>

namespace fwtime {

namespace {

using namespace llvm;

class marker {
public:
    marker(Module& module, const host_options& options);
    void run();

private:
    void describe();
    void block(BasicBlock& b, unsigned k, AllocaInst* since);
    void tell(Instruction* before, AllocaInst* since);
    void function(Function& f, unsigned first);
    void hooks(Function& f);
    void memory(BasicBlock& b);
    void forget_memory_effects();
    [[nodiscard]] MDNode* tag(const char* name);

    Module& m_module;
    const host_options& m_options;
    LLVMContext& m_context;
    VectorType* m_pair; // {instructions, cycles}, 1/256
    ArrayType* m_table_type;
    GlobalVariable* m_spent; // of the image, in firmware/port/native/timing.c
    GlobalVariable* m_table;
    unsigned m_markers = 0;
    unsigned m_used = 0;      // of them, so far
    unsigned m_functions = 0; // marked so far
};

marker::marker(Module& module, const host_options& options)
    : m_module(module), m_options(options), m_context(module.getContext()),
      m_pair(FixedVectorType::get(Type::getInt64Ty(m_context), 2))
{
    m_markers =
        static_cast<unsigned>(std::count(options.counted.begin(), options.counted.end(), true));
    m_table_type = ArrayType::get(m_pair, m_markers);
    m_spent = cast<GlobalVariable>(
        module.getOrInsertGlobal("ssdvp_fw_spent", ArrayType::get(m_pair, FW_TIMING_ACCOUNTS)));
    m_spent->setVisibility(GlobalValue::HiddenVisibility);
    m_table = cast<GlobalVariable>(module.getOrInsertGlobal("ssdvp_fw_table", m_table_type));
    m_table->setInitializer(ConstantAggregateZero::get(m_table_type));
    m_table->setLinkage(GlobalValue::InternalLinkage);
    for (GlobalVariable* g : {m_spent, m_table}) {
        g->setAlignment(Align(16));
        g->setDSOLocal(true);
    }
}

/// A sibling of C's char below the root of C's types: nothing that firmware accesses is it, not
/// even through a pointer to char. So what a loop spends stays in a register.
MDNode* marker::tag(const char* name)
{
    MDBuilder builder(m_context);
    MDNode* type =
        builder.createTBAAScalarTypeNode(name, builder.createTBAARoot("Simple C/C++ TBAA"));
    return builder.createTBAAStructTagNode(type, type, 0);
}

/// What the block costs, on top of what the function has spent since it last told.
void marker::block(BasicBlock& b, unsigned k, AllocaInst* since)
{
    IRBuilder<> builder(&*b.getFirstInsertionPt());
    if (&b == &b.getParent()->getEntryBlock()) {
        builder.SetInsertPoint(since->getNextNode()->getNextNode()); // behind the zero
    }
    builder.SetCurrentDebugLocation(DebugLoc()); // gdb must not stop here
    Value* from = builder.CreateConstInBoundsGEP2_64(m_table_type, m_table, 0, k);
    LoadInst* cost = builder.CreateAlignedLoad(m_pair, from, Align(16));
    cost->setMetadata(LLVMContext::MD_tbaa, tag("ssdvp cost"));
    Value* sum = builder.CreateAdd(builder.CreateLoad(m_pair, since), cost);
    builder.CreateStore(sum, since);
}

/// Puts on account what was spent since the last time.
void marker::tell(Instruction* before, AllocaInst* since)
{
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value* account = builder.CreateConstInBoundsGEP2_64(m_spent->getValueType(), m_spent, 0,
                                                        m_functions % FW_TIMING_ACCOUNTS);
    LoadInst* spent = builder.CreateAlignedLoad(m_pair, account, Align(16));
    spent->setMetadata(LLVMContext::MD_tbaa, tag("ssdvp spent"));
    Value* sum = builder.CreateAdd(spent, builder.CreateLoad(m_pair, since));
    StoreInst* store = builder.CreateAlignedStore(sum, account, Align(16));
    store->setMetadata(LLVMContext::MD_tbaa, tag("ssdvp spent"));
    builder.CreateStore(ConstantAggregateZero::get(m_pair), since);
}

/// A function adds up what it spends in a register, and puts it on account before whoever it calls,
/// or returns to, may look: an addition per block in between instead of three instructions.
void marker::function(Function& f, unsigned first)
{
    IRBuilder<> builder(&*f.getEntryBlock().getFirstInsertionPt());
    builder.SetCurrentDebugLocation(DebugLoc());
    AllocaInst* since = builder.CreateAlloca(m_pair);
    builder.CreateStore(ConstantAggregateZero::get(m_pair), since);
    std::vector<Instruction*> tellers;
    for (BasicBlock& b : f) {
        for (Instruction& i : b) {
            if ((isa<CallBase>(i) && !isa<IntrinsicInst>(i)) || isa<ReturnInst>(i)) {
                tellers.push_back(&i);
            }
        }
    }
    ++m_functions;
    unsigned k = first;
    for (BasicBlock& b : f) {
        if (m_options.counted[k++]) {
            block(b, m_used++, since);
        }
    }
    for (Instruction* i : tellers) {
        tell(i, since);
    }
}

/// Memory functions of a length that is not known in advance go to those that charge it.
void marker::memory(BasicBlock& b)
{
    Type* pointer = Type::getInt8PtrTy(m_context);
    Type* size = Type::getInt64Ty(m_context);
    for (auto at = b.begin(); at != b.end();) {
        auto* call = dyn_cast<CallInst>(&*at++);
        Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
        if (callee == nullptr) {
            continue;
        }
        auto* intrinsic = dyn_cast<MemIntrinsic>(call);
        if (intrinsic == nullptr) {
            const StringRef name = callee->getName();
            if (callee->isDeclaration() &&
                (name == "memcpy" || name == "memset" || name == "memmove")) {
                call->setCalledFunction(m_module.getOrInsertFunction(("ssdvp_fw_" + name).str(),
                                                                     callee->getFunctionType()));
            }
            continue;
        }
        if (isa<ConstantInt>(intrinsic->getLength())) {
            continue;
        }
        IRBuilder<> builder(call);
        Value* last = builder.CreateZExtOrTrunc(intrinsic->getLength(), size);
        Value* value = call->getArgOperand(1);
        const bool set = isa<MemSetInst>(intrinsic);
        if (set) {
            value = builder.CreateZExt(value, Type::getInt32Ty(m_context));
        }
        const char* name = set                           ? "ssdvp_fw_memset"
                           : isa<MemMoveInst>(intrinsic) ? "ssdvp_fw_memmove"
                                                         : "ssdvp_fw_memcpy";
        builder.CreateCall(
            m_module.getOrInsertFunction(name, pointer, pointer, value->getType(), size),
            {call->getArgOperand(0), value, last});
        call->eraseFromParent();
    }
}

/// Every function writes what it spends now.
void marker::forget_memory_effects()
{
    const auto forget = [](auto& of) {
        for (const Attribute::AttrKind kind :
             {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ArgMemOnly,
              Attribute::InaccessibleMemOnly, Attribute::InaccessibleMemOrArgMemOnly,
              Attribute::Speculatable}) {
            of.removeFnAttr(kind);
        }
    };
    for (Function& f : m_module) {
        if (!f.isIntrinsic()) {
            forget(f);
        }
        for (BasicBlock& b : f) {
            for (Instruction& i : b) {
                auto* call = dyn_cast<CallBase>(&i);
                if (call != nullptr && !isa<IntrinsicInst>(i)) {
                    forget(*call);
                }
            }
        }
    }
}

/// Calls around everything that the function does, for the profile.
void marker::hooks(Function& f)
{
    IRBuilder<> builder(&*f.getEntryBlock().getFirstInsertionPt());
    builder.SetCurrentDebugLocation(DebugLoc());
    const auto call = [&](const char* name, ArrayRef<Value*> arguments, FunctionType* type) {
        builder.CreateCall(m_module.getOrInsertFunction(name, type), arguments);
    };
    Type* none = Type::getVoidTy(m_context);
    Type* pointer = Type::getInt8PtrTy(m_context);
    const auto location = [&] {
        if (DISubprogram* s = f.getSubprogram()) { // calls of a function that may be inlined
            builder.SetCurrentDebugLocation(DILocation::get(m_context, s->getLine(), 0, s));
        }
    };
    location();
    Value* name = builder.CreateGlobalStringPtr(m_options.name + ":" + f.getName().str());
    call("ssdvp_fw_enter", {name}, FunctionType::get(none, {pointer}, false));
    for (BasicBlock& b : f) {
        if (auto* leave = dyn_cast<ReturnInst>(b.getTerminator())) {
            builder.SetInsertPoint(leave);
            location();
            call("ssdvp_fw_leave", {}, FunctionType::get(none, false));
        }
    }
}

/// struct fw_timing_module (firmware/port/native/timing.h), in the section that the linker makes
/// one table of.
void marker::describe()
{
    Type* size = Type::getInt64Ty(m_context);
    Type* pointer = Type::getInt8PtrTy(m_context);
    StructType* type = StructType::get(m_context, {pointer, size, size, pointer, size});
    IRBuilder<> builder(m_context);
    GlobalVariable* name = builder.CreateGlobalString(m_options.name, "", 0, &m_module);
    Constant* fields[] = {ConstantExpr::getBitCast(name, pointer),
                          ConstantInt::get(size, m_options.hash), ConstantInt::get(size, m_markers),
                          ConstantExpr::getBitCast(m_table, pointer),
                          ConstantInt::get(size, m_options.profile ? 1 : 0)};
    auto* entry = cast<GlobalVariable>(m_module.getOrInsertGlobal("ssdvp_fw_timing_module", type));
    entry->setInitializer(ConstantStruct::get(type, fields));
    entry->setLinkage(GlobalValue::InternalLinkage);
    entry->setSection("ssdvp_fw_timing");
    entry->setAlignment(Align(8));
    appendToUsed(m_module, {entry});
}

void marker::run()
{
    forget_memory_effects();
    std::vector<Function*> functions;
    unsigned k = 0;
    for (Function& f : m_module) {
        for (BasicBlock& b : f) {
            memory(b);
        }
        if (!f.empty()) {
            function(f, k);
            functions.push_back(&f);
        }
        k += static_cast<unsigned>(f.size());
    }
    for (Function* f : functions) {
        f->addFnAttr(Attribute::UWTable);
        f->removeFnAttr(Attribute::NoUnwind); // power cuts and panics leave through every frame
        if (m_options.profile) {
            hooks(*f);
        }
    }
    describe();
}

std::unique_ptr<TargetMachine> host_machine(const Module& module)
{
    std::string error;
    const Target* target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
    if (target == nullptr) {
        throw std::runtime_error(error);
    }
    return std::unique_ptr<TargetMachine>(
        target->createTargetMachine(module.getTargetTriple(), "x86-64", "", TargetOptions(),
                                    Reloc::PIC_, None, CodeGenOpt::Default));
}

void optimise(Module& module, TargetMachine& machine)
{
    PipelineTuningOptions tuning;
    tuning.LoopVectorization = false;
    tuning.SLPVectorization = false;
    tuning.LoopUnrolling = false;
    PassBuilder builder(&machine, tuning);
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(module, modules);
}

} // namespace

void compile_for_host(Module& module, const host_options& options, const std::string& object)
{
    marker(module, options).run();
    const std::unique_ptr<TargetMachine> machine = host_machine(module);
    optimise(module, *machine);
    std::error_code error;
    raw_fd_ostream out(object, error, sys::fs::OF_None);
    if (error) {
        throw std::runtime_error(object + ": " + error.message());
    }
    legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, out, nullptr, CGFT_ObjectFile)) {
        throw std::runtime_error(object + ": no code generator for the host");
    }
    passes.run(module);
}

} // namespace fwtime
