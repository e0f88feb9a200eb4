#include "reference/precision/flushing.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/float_format.h"
#include "reference/graph/symbols.h"
#include "reference/ops/facts.h"

namespace cts {
namespace {

// The operator whose text holds, whatever the edition calls it: an edition of another publisher may
// have TOSA's operators under names of its own. Empty if a graph defines it, whose steps are not
// visible.
std::string_view TextOf(const GraphOperator& op, const Edition& edition) {
  const OperatorSpec* const spec = edition.FindOperator(op.op);
  if (spec == nullptr) return op.op;  // a form of symbolic programs
  return spec->definition != nullptr ? std::string_view() : spec->Seen().name;
}

Keeping Shows(const GraphOperator& op, const Edition& edition, const Block& block) {
  // Sizes and index values; EXPAND_DIMS and COLLAPSE_DIMS are forms of RESHAPE.
  if (const SymbolicHelper* const helper = FindSymbolicHelper(op.op); helper != nullptr) {
    return helper->tensors > 0 && !helper->yields_index ? Keeping::kSilent : Keeping::kAside;
  }
  const std::string_view text = TextOf(op, edition);
  const RunTimeForm* const form = FindRunTimeForm(op.op);
  const OperatorFacts& facts = FactsOf(form != nullptr ? form->base : text);
  // A constant operand is no result of an operator under test.
  if (facts.role == GraphRole::kConstant && block.operators.size() > 1) return Keeping::kAside;
  if (facts.keeping == Keeping::kConverts) {
    const bool to_bool = std::any_of(op.outputs.begin(), op.outputs.end(), [&](const auto& name) {
      const GraphTensor* const output = block.Find(name);
      return output != nullptr && output->dtype == DType::kBool;
    });
    return to_bool ? Keeping::kSilent : Keeping::kTells;
  }
  return facts.keeping == Keeping::kUnstated ? Keeping::kSilent : facts.keeping;
}

// The types of tensors whose subnormals may be flushed.
std::set<DType> TypesOf(const Block& block, const std::vector<std::string>& names) {
  std::set<DType> types;
  for (const std::string& name : names) {
    const GraphTensor* const tensor = block.Find(name);
    if (tensor != nullptr && Info(tensor->dtype).may_flush) types.insert(tensor->dtype);
  }
  return types;
}

// For an operator that reads one of two types and yields the other: the one that decides between
// the answers.
void Narrow(const Graph& graph, const Edition& edition, FlushingEvidence& evidence) {
  const Block& block = graph.main();
  const GraphOperator* only = nullptr;
  for (const GraphOperator& op : block.operators) {
    if (IsConstant(op)) continue;
    if (only != nullptr) return;
    only = &op;
  }
  if (only == nullptr || graph.regions.size() != 1 || evidence.flushed.size() != 2) return;
  const std::set<DType> read = TypesOf(block, only->inputs);
  const std::set<DType> yielded = TypesOf(block, only->outputs);
  if (read.size() != 1 || yielded.size() != 1 || read == yielded) return;
  const std::string_view text = TextOf(*only, edition);
  const bool cast = FactsOf(text).keeping == Keeping::kConverts;
  const bool sums = text == "MATMUL" || text == "FULLY_CONNECTED";
  // Multiplying and adding fp16 numbers gives no subnormal of the wider types.
  if (*read.begin() == DType::kFp16 && (cast || sums)) {
    evidence.flushed = read;
    if (!evidence.kept.empty()) evidence.kept = read;
  }
  // bf16 and fp32 have the same exponents: an implementation that flushes what it reads yields the
  // zeros of the answer without subnormals.
  if (cast && *read.begin() != DType::kFp16 && *yielded.begin() != DType::kFp16) {
    if (!evidence.kept.empty()) evidence.kept = read;
  }
}

}  // namespace

FlushingEvidence FlushingEvidenceOf(const Graph& graph, const Edition& edition) {
  FlushingEvidence evidence;
  bool silent = false;
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        if (Info(tensor.dtype).may_flush) evidence.flushed.insert(tensor.dtype);
      }
      for (const GraphOperator& op : block.operators) {
        const Keeping shows = Shows(op, edition, block);
        silent = silent || shows == Keeping::kSilent;
        evidence.moved = evidence.moved || shows == Keeping::kMoves;
      }
    }
  }
  if (!silent) evidence.kept = evidence.flushed;
  evidence.moved = evidence.moved && !evidence.kept.empty();
  // 0.100 lets subnormals be flushed and does not say all or none.
  evidence.all_or_none = !edition.Has(Feature::kMixedFlushing);
  Narrow(graph, edition, evidence);
  return evidence;
}

std::optional<FlushingEvidence> EvidenceOfResult(const Graph& graph, const Edition& edition,
                                                 const ExpectedOutput& output) {
  const RuleKind kind = output.rule.kind;
  const bool has_room =
      kind == RuleKind::kUlp || kind == RuleKind::kAbsoluteBound || kind == RuleKind::kInterval;
  // An edition that allows a mixture also takes zero for any number below the normal ones.
  if (!has_room || !Info(output.dtype).may_flush || edition.Has(Feature::kMixedFlushing)) {
    return std::nullopt;
  }
  const Answer& answer = output.answers.front();
  const double normal_min = Format(output.dtype).normal_min();
  const auto is_small = [&](const Tensor& tensor, int64_t i) {
    const double x = std::fabs(tensor.Element(i));
    return x > 0 && x < normal_min;
  };
  for (int64_t i = 0; i < answer.expected.size(); ++i) {
    if (!is_small(answer.expected, i) && !(answer.upper && is_small(*answer.upper, i))) continue;
    FlushingEvidence evidence = FlushingEvidenceOf(graph, edition);
    evidence.flushed = {output.dtype};
    if (!evidence.kept.empty()) evidence.kept = {output.dtype};
    return evidence;
  }
  return std::nullopt;
}

}  // namespace cts
