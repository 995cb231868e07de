// SPDX-License-Identifier: Apache-2.0
//
// fwtime: one firmware source, as LLVM IR that clang-14 made for the host, becomes an object for
// the host that counts what it would cost, and the record of what that is on each target core.
// What it does and why: docs/timing.md.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "tools/fwtime/counted.h"
#include "tools/fwtime/host.h"
#include "tools/fwtime/lower.h"

namespace fwtime {

namespace {

constexpr int exit_bad_input = 2;

struct arguments {
    std::string input;
    std::string object; // empty: none is made
    std::string record; // empty: none is made
    std::string name;
    std::vector<std::pair<std::string, std::string>> renames;
    bool profile = false; // functions and blocks tell when they run
    bool fetch = false;   // blocks do
    bool debug = false;
};

const char usage[] =
    "usage: fwtime INPUT.bc --name SOURCE [--object FILE.o] [--record FILE.timing]\n"
    "              [--rename OLD=NEW]... [--profile | --fetch] [--debug]\n";

bool parse(int argc, char* argv[], arguments& a)
{
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--profile") {
            a.profile = true;
        } else if (word == "--fetch") {
            a.fetch = true;
        } else if (word == "--debug") {
            a.debug = true;
        } else if (word.rfind("--", 0) != 0) {
            a.input = word;
        } else if (i + 1 == argc) {
            return false;
        } else if (const std::string value = argv[++i]; word == "--object") {
            a.object = value;
        } else if (word == "--record") {
            a.record = value;
        } else if (word == "--name") {
            a.name = value;
        } else if (word == "--rename" && value.find('=') != std::string::npos) {
            a.renames.emplace_back(value.substr(0, value.find('=')),
                                   value.substr(value.find('=') + 1));
        } else {
            return false;
        }
    }
    return !a.input.empty() && !a.name.empty();
}

/// Of the text of the IR without its debug information: paths and lines are no part of it.
std::uint64_t hash_of(const llvm::Module& module)
{
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    llvm::StripDebugInfo(*copy);
    copy->setModuleIdentifier("");
    copy->setSourceFileName("");
    std::string text;
    llvm::raw_string_ostream out(text);
    copy->print(out, nullptr);
    std::uint64_t hash = 0xCBF29CE484222325u; // FNV-1a
    for (const char c : out.str()) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    }
    return hash;
}

/// Code lies in the order of the functions of the IR.
void check_functions(const module_record& r, const source_code& code)
{
    const auto same = [](const auto& symbol, const function_code& f) {
        return symbol.first == f.name;
    };
    if (!std::equal(r.symbols.begin(), r.symbols.end(), code.functions.begin(),
                    code.functions.end(), same)) {
        throw std::runtime_error("code of other functions than those of the IR");
    }
}

module_record record_of(const llvm::Module& module, const std::string& name, std::uint64_t hash,
                        const block_basis& basis)
{
    module_record r;
    r.name = name;
    r.hash = hash;
    const std::vector<unsigned> marker = markers_before(basis);
    r.markers = marker.back();
    r.blocks = static_cast<unsigned>(basis.counted.size());
    std::size_t block = 0;
    for (const llvm::Function& f : module) {
        if (!f.empty()) {
            r.symbols.emplace_back(f.getName().str(), marker[block]);
            block += f.size();
        }
    }
    for (const target_core& core : target_cores()) {
        r.targets.push_back(count_on(core, module));
        check_functions(r, r.targets.back().code);
        move_to_counted(r.targets.back(), basis);
    }
    return r;
}

/// A block before each loop, which says how often it is entered: where the loop is skipped
/// sometimes, no other block tells. The targets' code generators put one there too.
void count_entries(llvm::Module& module)
{
    for (llvm::Function& f : module) {
        if (f.empty()) {
            continue;
        }
        llvm::DominatorTree dominators(f);
        llvm::LoopInfo loops(dominators);
        for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
            if (loop->getLoopPreheader() == nullptr) {
                llvm::InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, false);
            }
        }
    }
}

void initialise()
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTarget();
    LLVMInitializeARMTargetMC();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
}

void run(const arguments& a)
{
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(a.input, error, context);
    if (!module) {
        throw std::runtime_error(a.input + ": " + error.getMessage().str() +
                                 "; it has to be bitcode of clang-14");
    }
    for (const auto& [from, to] : a.renames) {
        if (llvm::Function* f = module->getFunction(from)) {
            f->setName(to);
        }
    }
    if (!a.debug) {
        count_entries(*module);
    }
    const std::uint64_t hash = hash_of(*module);
    const block_basis basis = counted_blocks(*module);
    if (!a.record.empty()) {
        std::ofstream out(a.record, std::ios::binary);
        out << encode(record_of(*module, a.name, hash, basis));
        if (!out.flush()) {
            throw std::runtime_error(a.record + ": cannot be written");
        }
    }
    if (!a.object.empty()) {
        compile_for_host(*module,
                         {a.name, hash, a.profile, a.profile || a.fetch, basis.counted, a.debug},
                         a.object);
    }
}

} // namespace

} // namespace fwtime

int main(int argc, char* argv[])
{
    fwtime::arguments a;
    if (!fwtime::parse(argc, argv, a)) {
        std::cerr << fwtime::usage;
        return fwtime::exit_bad_input;
    }
    try {
        fwtime::initialise();
        fwtime::run(a);
    } catch (const std::exception& error) {
        std::cerr << "fwtime: " << a.name << ": " << error.what() << "\n";
        return fwtime::exit_bad_input;
    }
    return 0;
}
