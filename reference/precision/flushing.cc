#include "reference/precision/flushing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/float_format.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

// The evidence that an operator gives by keeping subnormal numbers.
enum class Keeping {
  kTells,   // that it keeps them: its text lets them be flushed
  kMoves,   // the same, but its result is one of its operands, perhaps with another sign
  kSilent,  // nothing
  kAside,   // nothing, and it is silent about no other operator: it has no such numbers
};

const std::map<std::string_view, Keeping>& KnownOperators() {
  static const auto& operators = *new std::map<std::string_view, Keeping>{
      {"ABS", Keeping::kMoves},
      {"ADD", Keeping::kTells},
      {"ADD_SHAPE", Keeping::kAside},
      {"ARGMAX", Keeping::kSilent},
      {"ARITHMETIC_RIGHT_SHIFT", Keeping::kAside},
      {"AVG_POOL2D", Keeping::kTells},
      {"BITWISE_AND", Keeping::kAside},
      {"BITWISE_NOT", Keeping::kAside},
      {"BITWISE_OR", Keeping::kAside},
      {"BITWISE_XOR", Keeping::kAside},
      {"CAST", Keeping::kTells},  // but to bool: see Shows
      {"CEIL", Keeping::kTells},
      {"CLAMP", Keeping::kMoves},
      {"CLZ", Keeping::kAside},
      {"CONCAT", Keeping::kSilent},
      {"CONCAT_SHAPE", Keeping::kAside},
      {"COND_IF", Keeping::kSilent},
      {"CONST", Keeping::kSilent},  // but as an operand: see Shows
      {"CONST_SHAPE", Keeping::kAside},
      {"CONV2D", Keeping::kTells},
      {"CONV3D", Keeping::kTells},
      {"COS", Keeping::kTells},
      {"CUSTOM", Keeping::kSilent},
      {"DEPTHWISE_CONV2D", Keeping::kTells},
      {"DIM", Keeping::kAside},
      {"DIV_SHAPE", Keeping::kAside},
      {"EQUAL", Keeping::kTells},
      {"ERF", Keeping::kTells},
      {"EXP", Keeping::kTells},
      {"FFT2D", Keeping::kTells},
      {"FLOOR", Keeping::kTells},
      {"FULLY_CONNECTED", Keeping::kTells},
      {"GATHER", Keeping::kSilent},
      {"GREATER", Keeping::kTells},
      {"GREATER_EQUAL", Keeping::kTells},
      {"IDENTITY", Keeping::kSilent},
      {"INTDIV", Keeping::kAside},
      {"LOG", Keeping::kTells},
      {"LOGICAL_AND", Keeping::kAside},
      {"LOGICAL_LEFT_SHIFT", Keeping::kAside},
      {"LOGICAL_NOT", Keeping::kAside},
      {"LOGICAL_OR", Keeping::kAside},
      {"LOGICAL_RIGHT_SHIFT", Keeping::kAside},
      {"LOGICAL_XOR", Keeping::kAside},
      {"MATMUL", Keeping::kTells},
      {"MAXIMUM", Keeping::kMoves},
      {"MAX_POOL2D", Keeping::kMoves},
      {"MINIMUM", Keeping::kMoves},
      {"MUL", Keeping::kTells},
      {"MUL_SHAPE", Keeping::kAside},
      {"NEGATE", Keeping::kMoves},
      {"PAD", Keeping::kSilent},
      {"POW", Keeping::kTells},
      {"RECIPROCAL", Keeping::kTells},
      {"REDUCE_ALL", Keeping::kAside},
      {"REDUCE_ANY", Keeping::kAside},
      {"REDUCE_MAX", Keeping::kMoves},
      {"REDUCE_MIN", Keeping::kMoves},
      {"REDUCE_PRODUCT", Keeping::kTells},
      {"REDUCE_SUM", Keeping::kSilent},
      {"RESCALE", Keeping::kAside},
      {"RESHAPE", Keeping::kSilent},
      {"RESIZE", Keeping::kSilent},
      {"REVERSE", Keeping::kSilent},
      {"RFFT2D", Keeping::kTells},
      {"RSQRT", Keeping::kTells},
      {"SCATTER", Keeping::kSilent},
      {"SELECT", Keeping::kMoves},
      {"SIGMOID", Keeping::kTells},
      {"SIN", Keeping::kTells},
      {"SLICE", Keeping::kSilent},
      {"SUB", Keeping::kTells},
      {"SUB_SHAPE", Keeping::kAside},
      {"TABLE", Keeping::kAside},
      {"TANH", Keeping::kTells},
      {"TILE", Keeping::kSilent},
      {"TRANSPOSE", Keeping::kSilent},
      {"TRANSPOSE_CONV2D", Keeping::kTells},
      {"VARIABLE", Keeping::kSilent},
      {"VARIABLE_READ", Keeping::kSilent},
      {"VARIABLE_WRITE", Keeping::kSilent},
      {"WHILE_LOOP", Keeping::kSilent},
  };
  return operators;
}

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
  // A constant operand is no result of an operator under test.
  if (text == "CONST" && block.operators.size() > 1) return Keeping::kAside;
  if (text == "CAST") {
    // To bool, the text knows zero and not zero only.
    const bool to_bool = std::any_of(op.outputs.begin(), op.outputs.end(), [&](const auto& name) {
      const GraphTensor* const output = block.Find(name);
      return output != nullptr && output->dtype == DType::kBool;
    });
    if (to_bool) return Keeping::kSilent;
  }
  const RunTimeForm* const form = FindRunTimeForm(op.op);
  const auto known = KnownOperators().find(form != nullptr ? form->base : text);
  return known == KnownOperators().end() ? Keeping::kSilent : known->second;
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
  const bool cast = text == "CAST";
  // Multiplying and adding fp16 numbers gives no subnormal of the wider types.
  if (*read.begin() == DType::kFp16 && (cast || text == "MATMUL" || text == "FULLY_CONNECTED")) {
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

bool HasFlushingEvidence(std::string_view op) { return KnownOperators().contains(op); }

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
