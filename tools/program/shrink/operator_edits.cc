#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/contains.h"
#include "reference/evaluate/native.h"
#include "tools/program/shrink/case_edits.h"
#include "tools/program/shrink/steps.h"

namespace cts {
namespace {

// If an operator stays and those before it are removed, their results become inputs, with the
// values that the embedded implementation computes.
bool TryOperators(Search& search, const std::vector<size_t>& keep) {
  Case c = search.best();
  const Block& from = search.best().graph.main();
  Block& block = c.graph.main();
  block.operators.clear();
  std::set<std::string> made, read, dropped;
  size_t position = 0, next = 0;
  for (const GraphOperator& op : from.operators) {
    bool stays = IsConstant(op);
    if (!stays) {
      stays = next < keep.size() && keep[next] == position;
      next += stays;
      ++position;
    }
    if (stays) block.operators.push_back(op);
    (stays ? made : dropped).insert(op.outputs.begin(), op.outputs.end());
    if (stays) read.insert(op.inputs.begin(), op.inputs.end());
  }
  std::erase_if(block.outputs, [&](const std::string& name) { return made.count(name) == 0; });
  for (const GraphOperator& op : block.operators) {
    if (IsConstant(op)) continue;
    for (const std::string& name : op.outputs) {
      if (read.count(name) == 0 && !Contains(block.outputs, name)) block.outputs.push_back(name);
    }
  }
  std::vector<std::string> wanted;
  for (const std::string& name : dropped) {
    if (read.count(name) > 0) wanted.push_back(name);
  }
  if (!wanted.empty()) {
    Case all = search.best();
    all.graph.main().outputs = wanted;
    const auto native = ExecuteNativeSequence(all.graph, all.InputsOfExecutions(), search.edition(),
                                              search.level());
    if (!native.ok() || native->size() != static_cast<size_t>(c.executions())) return false;
    for (const std::string& name : wanted) {
      for (size_t k = 0; k < native->size(); ++k) {
        const auto value = (*native)[k].outputs.find(name);
        if ((*native)[k].outcome != Outcome::kValid || value == (*native)[k].outputs.end()) {
          return false;
        }
        InputsOf(c)[k]->insert_or_assign(name, value->second);
      }
      block.inputs.push_back(name);
    }
  }
  return search.Try(std::move(c));
}

}  // namespace

void LeaveOutOperators(Search& search) {
  size_t count = 0;
  for (const GraphOperator& op : search.best().graph.main().operators) count += !IsConstant(op);
  if (count < 2) return;
  Reduce(count, 1, [&](const std::vector<size_t>& keep) { return TryOperators(search, keep); });
}

void LeaveOutExecutions(Search& search) {
  const int count = search.best().executions();
  if (count < 2) return;
  Reduce(static_cast<size_t>(count), 1, [&](const std::vector<size_t>& keep) {
    Case c = search.best();
    std::vector<std::map<std::string, Tensor>> all;
    all.reserve(keep.size());
    for (const size_t k : keep) all.push_back(*InputsOf(c)[k]);
    c.inputs = all.front();
    c.later_inputs.assign(all.begin() + 1, all.end());
    if (!search.best().bindings.empty()) {
      c.bindings.clear();
      for (const size_t k : keep) c.bindings.push_back(search.best().bindings[k]);
    }
    return search.Try(std::move(c));
  });
}

}  // namespace cts
