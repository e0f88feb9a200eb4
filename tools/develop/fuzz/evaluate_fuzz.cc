// The reference on strange graphs. An input names a case of a small recipe, and then random changes
// to its graph, one after the other (generator/mutate.h): the fuzzer mutates choices, so that every
// input is a graph.
#include <optional>
#include <string>
#include <vector>

#include "generator/mutate.h"
#include "generator/plan/plan.h"
#include "reference/evaluate/evaluate.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {
namespace {

// A change makes a tensor at most five times as large.
constexpr int64_t kMaxElementsToMutate = 1 << 11;
constexpr int kMaxChanges = 8;

struct Bases {
  Plan plan;
  std::vector<std::optional<Assembly>> made;  // in step with the items
};

Bases& BasesOf(size_t i) {
  static const auto& all = *[] {
    auto* bases = new std::vector<Bases>;
    for (const char* edition : {"tosa-1.0", "tosa-0.100", "rvtensor"}) {
      Recipe recipe;
      recipe.name = "fuzz";
      recipe.edition = edition;
      recipe.level = "8K";
      recipe.error_cases = false;
      StatusOr<Plan> plan = MakePlan(recipe);
      Assert(plan.ok(), Message(plan.status()).c_str());
      bases->emplace_back().plan = *std::move(plan);
      bases->back().made.resize(bases->back().plan.items.size());
    }
    return bases;
  }();
  return const_cast<Bases&>(all[i % all.size()]);
}

bool IsSmall(const Graph& graph) {
  int64_t left = kMaxElementsToMutate;
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        const StatusOr<int64_t> count = CheckedElementCount(tensor.shape);
        if (!count.ok() || (left -= *count) < 0) return false;
      }
    }
  }
  return true;
}

}  // namespace

void FuzzEvaluate(std::string_view bytes) {
  Bases& bases = BasesOf(TakeByte(&bytes));
  const size_t high = TakeByte(&bytes);
  const size_t at = (high << 8 | TakeByte(&bytes)) % bases.plan.items.size();
  std::optional<Assembly>& base = bases.made[at];
  if (!base) {
    const Item& item = bases.plan.items[at];
    CaseDraft draft = item.domain->build(item.choice);
    draft.built_from = &item.choice;
    StatusOr<Assembly> assembly = AssembleGraph(item.choice.setting, draft);
    Assert(assembly.ok(), "a case of a plan has a graph");
    base = *std::move(assembly);
  }
  Assembly assembly = *base;
  for (int i = 0; i < kMaxChanges && !bytes.empty() && IsSmall(assembly.graph); ++i) {
    const uint64_t low = TakeByte(&bytes);
    Random random(low << 8 | TakeByte(&bytes), "fuzz", "mutation");
    Mutate(random, *bases.plan.edition, assembly);
  }
  if (!IsSmall(assembly.graph)) return;
  const TimeLimit limit;
  const StatusOr<Evaluation> evaluation =
      Evaluate(assembly.graph, assembly.inputs, *bases.plan.edition, *bases.plan.level);
  if (!evaluation.ok()) {
    Assert(!Message(evaluation.status()).empty(), "a refusal has a reason");
    return;
  }
  switch (evaluation->outcome) {
    case Outcome::kValid:
      Assert(evaluation->outputs.size() == assembly.graph.main().outputs.size(),
             "every output has an answer");
      for (const ExpectedOutput& output : evaluation->outputs) {
        Assert(!output.answers.empty() && output.answers[0].expected.shape() == output.shape,
               "an answer has the output's shape");
      }
      break;
    case Outcome::kUnsupported:
      Assert(!evaluation->message.empty(), "what is not supported is named");
      break;
    default:
      Assert(!evaluation->violations.empty(), "what is wrong is named");
  }
}

}  // namespace cts
