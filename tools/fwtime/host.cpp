// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/host.h"

#include "firmware/port/native/timing.h"
#include "tools/fwtime/accounts.h"
#include "tools/fwtime/divisions.h"
#include "tools/fwtime/fetches.h"
#include "tools/fwtime/tellings.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
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
    void function(Function& f, unsigned first);
    void hooks(Function& f);
    void memory(BasicBlock& b);
    void forget_memory_effects();

    Module& m_module;
    const host_options& m_options;
    LLVMContext& m_context;
    unsigned m_markers;
    GlobalVariable* m_table;
    FunctionCallee m_mark;
    unsigned m_used = 0; // markers, so far
};

marker::marker(Module& module, const host_options& options)
    : m_module(module), m_options(options), m_context(module.getContext()),
      m_markers(
          static_cast<unsigned>(std::count(options.counted.begin(), options.counted.end(), true))),
      m_table(accounts::table(module, m_markers)), m_mark(accounts::mark(module))
{}

/// Where blocks are counted: calls of a function that touches nothing the firmware has, until all
/// else is optimised. Each stays what it is; inlined ones go along with their blocks.
void marker::function(Function& f, unsigned first)
{
    unsigned k = first;
    for (BasicBlock& b : f) {
        if (m_options.counted[k++]) {
            IRBuilder<> builder(&*b.getFirstInsertionPt());
            builder.SetCurrentDebugLocation(DebugLoc()); // gdb must not stop here
            builder.CreateCall(m_mark, {builder.getInt32(m_used++)})->addFnAttr(Attribute::NoMerge);
        }
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
                (name == "memcpy" || name == "memset" || name == "memmove" || name == "memcmp")) {
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
        builder
            .CreateCall(
                m_module.getOrInsertFunction(name, pointer, pointer, value->getType(), size),
                {call->getArgOperand(0), value, last})
            ->setTailCall(call->isTailCall());
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
        if (!f.isIntrinsic() && &f != m_mark.getCallee()) {
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
    StructType* type =
        StructType::get(m_context, {pointer, size, size, pointer, size, pointer, size});
    IRBuilder<> builder(m_context);
    GlobalVariable* name = builder.CreateGlobalString(m_options.name, "", 0, &m_module);
    Constant* fields[] = {ConstantExpr::getBitCast(name, pointer),
                          ConstantInt::get(size, m_options.hash),
                          ConstantInt::get(size, m_markers),
                          ConstantExpr::getBitCast(m_table, pointer),
                          ConstantInt::get(size, m_options.profile ? FW_TIMING_WATCHED : 0),
                          m_options.fetch
                              ? ConstantExpr::getBitCast(fetches::first_block(m_module), pointer)
                              : ConstantPointerNull::get(cast<PointerType>(pointer)),
                          ConstantInt::get(size, m_options.counted.size())};
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
    if (m_options.fetch) {
        fetches::tell(m_module, *m_mark.getCallee()); // while blocks are those that were numbered
    }
    for (Function* f : functions) {
        f->addFnAttr(Attribute::UWTable);
        f->removeFnAttr(Attribute::NoUnwind); // power cuts and panics leave through every frame
        tell_divisions(*f);
        call_tellings(*f);
        if (m_options.profile) {
            hooks(*f);
        }
    }
    describe();
}

std::unique_ptr<TargetMachine> host_machine(const Module& module, bool debug)
{
    std::string error;
    const Target* target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
    if (target == nullptr) {
        throw std::runtime_error(error);
    }
    return std::unique_ptr<TargetMachine>(target->createTargetMachine(
        module.getTargetTriple(), "x86-64", "", TargetOptions(), Reloc::PIC_, None,
        debug ? CodeGenOpt::None : CodeGenOpt::Default));
}

/// A call of a mark counts as one that will be made: 25 and 5 for its argument, of the 225 up to
/// which the compiler inlines. So that as much is inlined as without them, and somewhat more, for
/// what is inlined need not put on account what was spent before it.
void inline_marked()
{
    const char* const options[] = {"fwtime", "-inline-threshold=900"};
    cl::ParseCommandLineOptions(2, options);
}

void optimise(Module& module, TargetMachine& machine, bool debug)
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
    ModulePassManager passes = debug ? builder.buildO0DefaultPipeline(OptimizationLevel::O0)
                                     : builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
    passes.run(module, modules);
}

} // namespace

void compile_for_host(Module& module, const host_options& options, const std::string& object)
{
    marker(module, options).run();
    const std::unique_ptr<TargetMachine> machine = host_machine(module, options.debug);
    inline_marked();
    optimise(module, *machine, options.debug);
    accounts::spend(module);
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
