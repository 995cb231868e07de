// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/counted.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <map>
#include <tuple>

namespace fwtime {

namespace {

std::vector<graph_block> graph_of(const llvm::Function& f)
{
    std::map<const llvm::BasicBlock*, unsigned> number;
    for (const llvm::BasicBlock& b : f) {
        number.emplace(&b, static_cast<unsigned>(number.size()));
    }
    std::vector<graph_block> blocks;
    for (const llvm::BasicBlock& b : f) {
        graph_block& to = blocks.emplace_back();
        to.dead = llvm::isa<llvm::UnreachableInst>(b.getTerminator());
        for (const llvm::BasicBlock* next : llvm::successors(&b)) {
            to.next.push_back(number.at(next));
        }
    }
    return blocks;
}

} // namespace

block_basis counted_blocks(const llvm::Module& module)
{
    block_basis all;
    for (const llvm::Function& f : module) {
        if (f.empty()) {
            continue;
        }
        const auto first = static_cast<unsigned>(all.from.size());
        block_basis basis = choose_counted(graph_of(f));
        all.counted.insert(all.counted.end(), basis.counted.begin(), basis.counted.end());
        for (auto& from : basis.from) {
            for (auto& [block, times] : from) {
                block += first;
            }
            all.from.push_back(std::move(from));
        }
    }
    return all;
}

std::vector<unsigned> markers_before(const block_basis& basis)
{
    std::vector<unsigned> before{0};
    for (const bool counted : basis.counted) {
        before.push_back(before.back() + (counted ? 1 : 0));
    }
    return before;
}

void move_to_counted(target_table& table, const block_basis& basis)
{
    const std::vector<unsigned> marker = markers_before(basis);
    std::vector<class_costs> cost(marker.back(), class_costs(CLASS_COUNT, 0.0));
    for (std::size_t i = 0; i < basis.from.size(); ++i) {
        for (const auto& [block, times] : basis.from[i]) {
            for (unsigned c = 0; c < CLASS_COUNT; ++c) {
                cost[marker[block]][c] += times * table.cost[i][c];
            }
        }
    }
    table.cost = std::move(cost);
    std::map<std::tuple<unsigned, std::string, std::uint64_t>, double> calls;
    for (const library_call& call : table.calls) {
        for (const auto& [block, times] : basis.from[call.marker]) {
            calls[{marker[block], call.name, call.bytes}] += times * call.count;
        }
    }
    table.calls.clear();
    for (const auto& [what, count] : calls) {
        table.calls.push_back({std::get<0>(what), std::get<1>(what), std::get<2>(what), count});
    }
}

} // namespace fwtime
