#include "reference/faults/graph_rewrites.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "reference/base/contains.h"
#include "reference/ops/facts.h"

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

// MAXIMUM(MINIMUM(x, c), c) is c.
void Absorb(Block& block, size_t at) {
  GraphOperator& op = block.operators[at];
  const GraphOperator* const maker = MakerOf(block, op.inputs[0]);
  if (maker != nullptr && maker->op == "MINIMUM" && maker->inputs[1] == op.inputs[1]) {
    TakeOver(block, op.inputs[1], op);
  }
}

// The padding of a PAD before becomes the operator's own, whatever the value.
void TakeInPad(Block& block, size_t at) {
  GraphOperator& op = block.operators[at];
  const GraphOperator* const maker = MakerOf(block, op.inputs[0]);
  if (maker == nullptr || maker->op != "PAD") return;
  const GraphTensor* const padding = block.Find(maker->inputs[1]);
  if (padding == nullptr || padding->values == nullptr) return;
  auto& pad = std::get<std::vector<int64_t>>(op.attributes.at("pad"));
  // The axes of the image among N, H, W and C.
  for (size_t side = 0; side < pad.size(); ++side) {
    pad[side] += padding->values->Integer(static_cast<int64_t>(2 + side));
  }
  op.inputs[0] = maker->inputs[0];
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

bool HaveEqualValues(const Block& block, const std::string& a, const std::string& b) {
  const GraphTensor *first = block.Find(a), *second = block.Find(b);
  return first->values != nullptr && second->values != nullptr && *first->values == *second->values;
}

// RESCALE(x) + RESCALE(y) with one scale is RESCALE(x + y).
void AddBeforeRescaling(Block& block, size_t at) {
  const GraphOperator op = block.operators[at];
  const GraphOperator* const left = MakerOf(block, op.inputs[0]);
  const GraphOperator* const right = MakerOf(block, op.inputs[1]);
  for (const GraphOperator* const maker : {left, right}) {
    if (maker == nullptr || maker->op != "RESCALE") return;
    if (MakerOf(block, maker->inputs[0]) != nullptr) return;  // the sum is made before all others
    if (!IsOfOneKind(block, maker->inputs[0], op.outputs[0])) return;
  }
  if (left->attributes != right->attributes) return;
  for (size_t k = 1; k < left->inputs.size(); ++k) {
    if (!HaveEqualValues(block, left->inputs[k], right->inputs[k])) return;
  }
  GraphTensor sum = *block.Find(op.outputs[0]);
  sum.name += "_folded";
  const GraphOperator first = {
      op.op, {left->inputs[0], right->inputs[0]}, {sum.name}, op.attributes};
  GraphOperator last = *left;
  last.inputs[0] = sum.name;
  last.outputs = op.outputs;
  block.operators[at] = std::move(last);
  block.operators.insert(block.operators.begin(), first);
  block.tensors.push_back(std::move(sum));
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

// The same where the operand is an IDENTITY's result that shares the memory of what it views.
void WriteThroughView(Block& block, size_t at) {
  const GraphOperator& op = block.operators[at];
  const GraphOperator* const maker = MakerOf(block, op.inputs[0]);
  if (maker == nullptr || maker->op != "IDENTITY") return;
  const std::string viewed = maker->inputs[0], result = op.outputs[0];
  if (!IsOfOneKind(block, viewed, result)) return;
  for (size_t k = at + 1; k < block.operators.size(); ++k) {
    std::vector<std::string>& inputs = block.operators[k].inputs;
    std::replace(inputs.begin(), inputs.end(), viewed, result);
  }
}

// The same where the operand is a constant.
void WriteOverConstant(Block& block, size_t at) {
  const GraphTensor* const operand = block.Find(block.operators[at].inputs[0]);
  if (operand != nullptr && operand->values != nullptr) WriteOverOperand(block, at);
}

// A CLAMP that is computed together with the operator before it passes over NaN.
void FuseWithoutNanMode(Block& block, size_t at) {
  GraphOperator& op = block.operators[at];
  const GraphOperator* const maker = MakerOf(block, op.inputs[0]);
  const auto mode = op.attributes.find("nan_mode");
  if (maker == nullptr || maker->op == "CONST" || mode == op.attributes.end()) return;
  mode->second = std::string("IGNORE");
}

using Change = void (*)(Block& block, size_t at);

struct Entry {
  const char *op, *id, *sentence;
  std::function<bool(const TypeRow&)> touches;
  Change change;
  std::function<bool(const OperatorSpec&, const TypeRow&)> shows = nullptr;
};

bool IsI8OrI16(const TypeRow& row) { return HasType(row, DType::kI8) || HasType(row, DType::kI16); }

bool HasI32(const TypeRow& row) { return HasType(row, DType::kI32); }

// Whether graphs read the operand of such a row again: the first row of floating point, of integers
// and of booleans. SELECT's first operand is a condition, whose type only booleans have.
bool IsOverwritten(const OperatorSpec& spec, const TypeRow& row) {
  const auto type = row.PlainType("in_out_t");
  if (!type || (spec.Seen().name == "SELECT" && *type != DType::kBool)) return false;
  const auto is_alike = [&](const TypeRow& other) {
    return HasFloat(other) == HasFloat(row) && HasInteger(other) == HasInteger(row);
  };
  return &*std::find_if(spec.type_rows.begin(), spec.type_rows.end(), is_alike) == &row;
}

// Whether a CAST back does not give what was there; no graph has both CASTs for i16.
bool CastLoses(const TypeRow& row) {
  const DType in = *row.PlainType("in_t"), out = *row.PlainType("out_t");
  if (IsFloat(in) || IsFloat(out)) return IsFloat(in) && !IsFloat(out);
  return in != DType::kI16 && out != DType::kI16 && Info(in).bits > Info(out).bits;
}

const std::vector<Entry>& Entries() {
  static const auto& entries = *new std::vector<Entry>{
      {"NEGATE", "removes_pairs", "takes NEGATE of NEGATE for the tensor itself", IsI8OrI16,
       RemovePair},
      {"REVERSE", "removes_pairs", "takes REVERSE of REVERSE for the tensor itself", nullptr,
       RemovePair},
      {"TRANSPOSE", "removes_pairs", "takes TRANSPOSE of TRANSPOSE for the tensor itself", nullptr,
       RemovePair},
      {"CAST", "removes_pairs", "takes CAST of CAST back for the tensor itself", CastLoses,
       RemovePair},
      {"CONV2D", "takes_in_pad", "takes in the padding of a PAD before it, whatever the value",
       IsI8OrI16, TakeInPad},
      {"AVG_POOL2D", "takes_in_pad", "takes in the padding of a PAD before it, whatever the value",
       IsI8OrI16, TakeInPad},
      {"MAX_POOL2D", "takes_in_pad", "takes in the padding of a PAD before it, whatever the value",
       IsI8OrI16, TakeInPad},
      {"MAXIMUM", "absorbs", "takes MAXIMUM(MINIMUM(x, c), c) for c", HasFloat, Absorb},
      {"ADD", "adds_before_rescaling", "takes the sum of two RESCALEs for the RESCALE of a sum",
       HasI32, AddBeforeRescaling},
      {"ADD", "writes_over_a_constant", "writes its result over a constant that is read again",
       nullptr, WriteOverConstant},
      {"CLAMP", "keeps_the_outer", "leaves out the inner of two CLAMPs", nullptr, RemoveInner},
      {"CLAMP", "passes_over_nan_behind_another",
       "passes over NaN, whatever nan_mode says, where another operator gives its input", HasFloat,
       FuseWithoutNanMode,
       [](const OperatorSpec& spec, const TypeRow&) {
         return spec.FindArgument("nan_mode") != nullptr;
       }},
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
  std::vector<Entry> entries;
  for (const Entry& entry : Entries()) {
    if (name == entry.op) entries.push_back(entry);
  }
  if (IsElementwise(name)) {
    if (std::none_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.change == WriteOverOperand; })) {
      entries.push_back({name.c_str(), "writes_over_its_operand",
                         "writes its result over an operand that is read again", nullptr,
                         WriteOverOperand, IsOverwritten});
    }
    entries.push_back({name.c_str(), "writes_through_a_view",
                       "writes its result over what its operand is a view of", nullptr,
                       WriteThroughView, IsOverwritten});
  }
  for (const Entry& entry : entries) {
    faults.push_back({.id = StrCat(absl::AsciiStrToLower(name), ".graph.", entry.id),
                      .op = name,
                      .sentence = entry.sentence,
                      .clause = name,
                      .touches = entry.touches,
                      .shows = entry.shows,
                      .does = [op = name, change = entry.change](Graph& graph) {
                        ChangeAll(op, change, graph);
                      }});
  }
  return faults;
}

}  // namespace cts
