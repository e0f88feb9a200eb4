#include "reference/faults/graph_rewrites.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

const GraphOperator* MakerOf(const Block& block, const std::string& tensor) {
  for (const GraphOperator& op : block.operators) {
    if (Contains(op.outputs, tensor)) return &op;
  }
  return nullptr;
}

bool IsOfOneKind(const Block& block, const std::string& a, const std::string& b) {
  const GraphTensor *first = block.Find(a), *second = block.Find(b);
  return first != nullptr && second != nullptr && first->dtype == second->dtype &&
         first->shape == second->shape;
}

// The operator gives its result the values of another tensor.
void TakeOver(const Block& block, const std::string& from, GraphOperator& op) {
  if (IsOfOneKind(block, from, op.outputs[0])) op = {"IDENTITY", {from}, op.outputs, {}};
}

// OP(OP(x)) is x.
void RemovePair(Block& block, size_t at) {
  GraphOperator& op = block.operators[at];
  const GraphOperator* const maker = MakerOf(block, op.inputs[0]);
  if (maker != nullptr && maker->op == op.op) TakeOver(block, maker->inputs[0], op);
}

// OP(OP(x)) is the outer OP(x).
void RemoveInner(Block& block, size_t at) {
  GraphOperator& op = block.operators[at];
  const GraphOperator* const maker = MakerOf(block, op.inputs[0]);
  if (maker != nullptr && maker->op == op.op) op.inputs[0] = maker->inputs[0];
}

// A SLICE of CONCAT of the first input's shape is the first input.
void SliceFirstInput(Block& block, size_t at) {
  const GraphOperator concat = block.operators[at];
  for (GraphOperator& op : block.operators) {
    if (op.op == "SLICE" && op.inputs[0] == concat.outputs[0]) {
      TakeOver(block, concat.inputs[0], op);
    }
  }
}

// A product with a constant of zeros is that constant.
void FoldToZero(Block& block, size_t at) {
  GraphOperator& op = block.operators[at];
  for (const std::string& name : {op.inputs[0], op.inputs[1]}) {
    const GraphTensor* const factor = block.Find(name);
    if (factor == nullptr || factor->values == nullptr) continue;
    bool zeros = true;
    for (int64_t i = 0; i < factor->values->size(); ++i) {
      zeros = zeros && factor->values->Bits(i) == 0;
    }
    if (!zeros) continue;
    TakeOver(block, name, op);
    return;
  }
}

// x - x is zero.
void FoldDifference(Block& block, size_t at) {
  const GraphOperator op = block.operators[at];
  if (op.inputs[0] != op.inputs[1]) return;
  GraphTensor zero = *block.Find(op.outputs[0]);
  zero.name += "_folded";
  zero.values = std::make_shared<const Tensor>(zero.dtype, zero.shape);
  block.operators[at] = {"IDENTITY", {zero.name}, op.outputs, {}};
  block.operators.insert(block.operators.begin(), {"CONST", {}, {zero.name}, {}});
  block.tensors.push_back(std::move(zero));
}

// The result takes the place of the first operand: operators behind that read the operand read the
// result.
void WriteOverOperand(Block& block, size_t at) {
  const std::string operand = block.operators[at].inputs[0];
  const std::string result = block.operators[at].outputs[0];
  if (!IsOfOneKind(block, operand, result)) return;
  for (size_t k = at + 1; k < block.operators.size(); ++k) {
    std::vector<std::string>& inputs = block.operators[k].inputs;
    std::replace(inputs.begin(), inputs.end(), operand, result);
  }
}

using Change = void (*)(Block& block, size_t at);

struct Entry {
  const char *op, *id, *sentence;
  std::function<bool(const TypeRow&)> touches;
  Change change;
};

bool IsI8OrI16(const TypeRow& row) { return HasType(row, DType::kI8) || HasType(row, DType::kI16); }

const std::vector<Entry>& Entries() {
  static const auto& entries = *new std::vector<Entry>{
      {"NEGATE", "removes_pairs", "takes NEGATE of NEGATE for the tensor itself", IsI8OrI16,
       RemovePair},
      {"REVERSE", "removes_pairs", "takes REVERSE of REVERSE for the tensor itself", nullptr,
       RemovePair},
      {"CLAMP", "keeps_the_outer", "leaves out the inner of two CLAMPs", nullptr, RemoveInner},
      {"CONCAT", "slices_the_first_input",
       "takes a SLICE of CONCAT with the shape of the first input for the first input", nullptr,
       SliceFirstInput},
      {"MUL", "folds_zero", "takes a product with a constant of zeros for zeros", HasFloat,
       FoldToZero},
      {"SUB", "folds_difference", "takes the difference of a tensor and itself for zeros", HasFloat,
       FoldDifference},
      {"ABS", "writes_over_its_operand", "writes its result over an operand that is read again",
       nullptr, WriteOverOperand},
      {"CLAMP", "writes_over_its_operand", "writes its result over an operand that is read again",
       nullptr, WriteOverOperand},
      {"MAXIMUM", "writes_over_its_operand", "writes its result over an operand that is read again",
       nullptr, WriteOverOperand}};
  return entries;
}

// Counts from the end: a change may add operators before all others.
void ChangeAll(const std::string& op, Change change, Graph& graph) {
  for (Region& region : graph.regions) {
    for (Block& block : region.blocks) {
      for (size_t left = block.operators.size(); left > 0; --left) {
        const size_t at = block.operators.size() - left;
        if (block.operators[at].op == op) change(block, at);
      }
    }
  }
}

}  // namespace

Faults GraphRewriteFaults(const Edition& edition, const OperatorSpec& spec) {
  Faults faults;
  if (!edition.follows.empty()) return faults;  // no graphs are made for it
  const std::string& name = spec.Seen().name;
  for (const Entry& entry : Entries()) {
    if (name != entry.op) continue;
    faults.push_back({.id = StrCat(absl::AsciiStrToLower(name), ".graph.", entry.id),
                      .op = name,
                      .sentence = entry.sentence,
                      .clause = name,
                      .touches = entry.touches,
                      .rewrite = [op = name, change = entry.change](Graph& graph) {
                        ChangeAll(op, change, graph);
                      }});
  }
  return faults;
}

}  // namespace cts
