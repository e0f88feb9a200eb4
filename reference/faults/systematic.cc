#include "reference/faults/systematic.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/contains.h"
#include "reference/ops/conditions.h"
#include "reference/ops/facts.h"

namespace cts {
namespace {

constexpr FaultSource kSystematic = FaultSource::kSystematic;

std::string Prefix(const OperatorSpec& spec) {
  std::string prefix = spec.name;
  for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return prefix + ".";
}

// Operators that the graph or its executor performs; no text computes them.
bool IsComputed(const OperatorSpec& spec) {
  const GraphRole role = FactsOf(spec.name).role;
  return role == GraphRole::kComputes || role == GraphRole::kShape;
}

// Whether the text of the operator is defined for a changed call, even if its output has another
// shape than it should.
bool IsComputable(const Operator& op, const Call& call) {
  for (const Condition& condition : ConditionsOf(op, call.given(), call.edition())) {
    if (condition.broken == nullptr || condition.kind == ConditionKind::kLevel) continue;
    const std::string_view id = condition.id;
    const bool of_output = id.ends_with(".output_height") || id.ends_with(".output_width") ||
                           id.ends_with(".output_depth") || id.ends_with(".output_shape");
    if (!of_output && condition.broken(call)) return false;
  }
  return true;
}

// ByCall, if the text of the changed call is defined.
Wrong ByComputableCall(std::function<bool(CallEditor&)> edit) {
  return [edit = std::move(edit)](const Operator& op,
                                  const Call& call) -> std::optional<OperatorOutputs> {
    CallEditor editor(call);
    if (!edit(editor)) return std::nullopt;
    const Call* const other = editor.Make();
    if (other == nullptr || !IsComputable(op, *other)) return std::nullopt;
    return ComputeEdited(op, *other);
  };
}

// The length of a list of fixed length, "[4]"; 1 of a scalar; 0 of any other.
int64_t FixedLength(const ArgumentSpec& argument) {
  if (argument.pattern.kind == ShapePattern::Kind::kAny) return 1;
  const std::vector<Dimension>& dimensions = argument.pattern.dimensions;
  return dimensions.size() == 1 ? dimensions[0].size.value_or(0) : 0;
}

bool IsZeroPoint(const ArgumentSpec& argument) { return argument.name.ends_with("_zp"); }

// Whether an argument is an attribute: in 0.100 these are tensors of rank 0 or 1.
const std::string& TypeOf(const ArgumentSpec& argument) {
  const bool is_tensor =
      argument.category == ArgumentCategory::kAttribute && argument.type == "tensor_t";
  return is_tensor ? argument.element_type : argument.type;
}

// RESCALE's shifts are as many as its channels.
bool IsShiftOfMul(const ArgumentSpec& argument) {
  return argument.name == "shift" && FixedLength(argument) == 1;
}

// Compile-time constants of fixed length. 0.100 has the same, but does not mark them.
bool IsConstantOfFixedLength(const ArgumentSpec& argument) {
  static const std::set<std::string>& lists =
      *new std::set<std::string>{"scale", "offset", "border"};  // of RESIZE
  return IsShiftOfMul(argument) || (argument.type == "shape_t" && lists.count(argument.name) > 0);
}

// Whether an argument says how the operator computes, not on what: an attribute or a compile-time
// constant.
bool IsParameter(const ArgumentSpec& argument) {
  if (argument.category == ArgumentCategory::kAttribute) {
    return argument.type != "String" && argument.type != "tosa_graph_t" && argument.name != "uid" &&
           argument.name != "acc_type" && argument.name != "local_bound";
  }
  return argument.category == ArgumentCategory::kInput &&
         (!argument.ctc.empty() || IsConstantOfFixedLength(argument));
}

// Both operands of RESCALE are narrow. Otherwise neither can be unsigned, and a zero point of 16
// bits is always zero.
bool IsNarrowRescale(const TypeRow& row) {
  const auto narrow = [&](const char* variable) {
    return row.Type(variable) == DType::kI8 || row.Type(variable) == DType::kI16;
  };
  return narrow("in_t") && narrow("out_t");
}

// The rows in which an argument can differ from the value it is taken for; null: all. `by`: by how
// much greater it is taken; 0: it is taken for another value altogether.
std::function<bool(const TypeRow&)> RowsOf(const OperatorSpec& spec, const ArgumentSpec& argument,
                                           int64_t by) {
  const std::string& name = argument.name;
  if (IsZeroPoint(argument)) {
    // It is zero for all types but i8. RESCALE's of 16 bits is zero or 32768, and no neighbouring
    // number is allowed.
    auto bytes = Rows(argument.element_type, {DType::kI8});
    if (spec.name != "RESCALE" || by != 0) return bytes;
    const std::string variable = argument.element_type;
    return [bytes, variable](const TypeRow& row) {
      return bytes(row) || (row.Type(variable) == DType::kI16 && IsNarrowRescale(row));
    };
  }
  if (name == "input_unsigned" || name == "output_unsigned") return IsNarrowRescale;
  // Zero but for products of i32.
  if (IsShiftOfMul(argument)) return Rows("in_t", {DType::kI32});
  // Only rows of integers: one more is another kind of thing elsewhere.
  if (name == "pad_const" && by != 0) return IntegerRows();
  return nullptr;
}

// Whether an element of a list can change only the output's shape, which the graph states: an
// element about the end of a window or an image.
bool OnlyDecidesShape(const ArgumentSpec& argument, int64_t k) {
  const bool is_pad = argument.name == "pad" || argument.name == "out_pad";
  return (is_pad && k % 2 == 1) || argument.name == "border";
}

// Arguments whose every other value contradicts another argument or the stated shape, so that
// nothing can be computed. RESCALE's scale32 gives the multiplier's type, its per_channel the
// multiplier's length. A sum or list along another axis has another shape. RESCALE's double_round
// has faults of its own, as rounding_mode has.
bool IsFixedByOthers(const OperatorSpec& spec, const ArgumentSpec& argument) {
  if (argument.name == "axis") return spec.name == "CONCAT" || spec.name.starts_with("REDUCE_");
  return argument.name == "scale32" || argument.name == "per_channel" ||
         argument.name == "double_round";
}

// The value with which an argument has no effect.
int64_t Neutral(const ArgumentSpec& argument) {
  for (const char* name : {"stride", "dilation", "kernel", "multiples"}) {
    if (argument.name == name) return 1;
  }
  return 0;
}

// Changes an argument's integers by `change`, one of them or all (index -1), or the floating-point
// number that it is.
template <class Change>
Wrong ByNumbers(const std::string& argument, int64_t index, Change change) {
  return ByComputableCall([=](CallEditor& editor) {
    if (const std::optional<double> number = editor.Number(argument)) {
      const double after = change(*number);
      editor.SetNumber(argument, after);
      return after != *number;
    }
    const std::vector<int64_t> before = editor.Integers(argument);
    std::vector<int64_t> after = before;
    for (size_t k = 0; k < after.size(); ++k) {
      if (index == -1 || static_cast<size_t>(index) == k) after[k] = change(after[k]);
    }
    editor.Set(argument, after);
    return after != before;
  });
}

// Takes an operand of any type for zero.
Wrong ByZero(const std::string& argument) {
  return ByComputableCall([=](CallEditor& editor) {
    const Call& call = editor.original();
    // An attribute in 0.100.
    if (call.Count(argument) == 0) {
      if (IsFloat(call.Type("in_out_t"))) {
        editor.SetNumber(argument, 0);
      } else {
        editor.Set(argument, {0});
      }
      return true;
    }
    editor.SetOperand(argument, Tensor(call.dtype(argument), call.shape(argument)));
    return true;
  });
}

// Pads each axis with half of what it is to be padded with, as frameworks do that know only a sum.
void AddCenteredPads(const OperatorSpec& spec, Faults& faults) {
  const auto add = [&](const std::string& id, const std::string& sentence, int64_t odd) {
    faults.push_back({.id = Prefix(spec) + id,
                      .op = spec.name,
                      .source = FaultSource::kHardware,
                      .sentence = sentence,
                      .clause = StrCat(spec.name, ", argument pad"),
                      .does = ByComputableCall([odd](CallEditor& editor) {
                        const std::vector<int64_t> before = editor.Integers("pad");
                        std::vector<int64_t> after = before;
                        for (size_t k = 0; k + 1 < after.size(); k += 2) {
                          after[k] = (before[k] + before[k + 1] + odd) / 2;
                          after[k + 1] = before[k] + before[k + 1] - after[k];
                        }
                        editor.Set("pad", after);
                        return after != before;
                      })});
  };
  add("centers_pad", "pads as much before an axis as after it, and an odd one after it", 0);
  add("centers_pad_late", "pads as much before an axis as after it, and an odd one before it", 1);
}

// Ignores a zero point in the elements beyond the whole vectors of eight: the loop for the rest
// forgets it.
void AddZeroPointOfTail(const OperatorSpec& spec, const ArgumentSpec& argument, Faults& faults) {
  const std::string& name = argument.name;
  faults.push_back(
      {.id = StrCat(Prefix(spec), "ignores_", name, "_in_the_tail"),
       .op = spec.name,
       .source = FaultSource::kHardware,
       .sentence = StrCat("takes ", name, " for 0 in the elements beyond whole vectors of eight"),
       .clause = StrCat(spec.name, ", argument ", name),
       .touches = RowsOf(spec, argument, 0),
       .does = [wrong = ByNumbers(name, -1, [](auto x) { return decltype(x){0}; })](
                   const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
         std::optional<OperatorOutputs> others = wrong(op, call);
         if (!others) return std::nullopt;
         OperatorOutputs results = ComputeRight(op, call);
         for (auto& [output, tensor] : results) {
           const Tensor& other = *others->at(output);
           for (int64_t i = tensor->size() / 8 * 8; i < tensor->size(); ++i) {
             tensor->SetBits(i, other.Bits(i));
           }
         }
         return results;
       }});
}

void AddParameterFaults(const OperatorSpec& spec, const ArgumentSpec& argument, Faults& faults) {
  const std::string prefix = Prefix(spec), &name = argument.name;
  const auto add = [&](const std::string& id, const std::string& sentence, Wrong wrong,
                       int64_t by = 0) {
    faults.push_back({.id = prefix + id,
                      .op = spec.name,
                      .source = kSystematic,
                      .sentence = sentence,
                      .clause = StrCat(spec.name, ", argument ", name),
                      .touches = RowsOf(spec, argument, by),
                      .does = std::move(wrong)});
  };
  if (IsFixedByOthers(spec, argument)) return;
  if (argument.type == "nan_propagation_mode_t") {
    const auto always = [&](const char* id, const char* sentence, const std::string& mode) {
      faults.push_back({.id = prefix + id,
                        .op = spec.name,
                        .source = kSystematic,
                        .sentence = sentence,
                        .clause = StrCat(spec.name, ", argument ", name),
                        .touches = FloatRows(),
                        .does = ByComputableCall([mode](CallEditor& editor) {
                          const std::string before = editor.original().Enum("nan_mode");
                          editor.SetEnum("nan_mode", mode);
                          // PROPAGATE where it is left out.
                          return (before == "IGNORE") != (mode == "IGNORE");
                        })});
    };
    always("ignores_nan_mode", "propagates every NaN, whatever nan_mode says", "PROPAGATE");
    always("always_ignores_nan", "passes over every NaN, whatever nan_mode says", "IGNORE");
    return;
  }
  if (TypeOf(argument) == "bool_t") {
    add("ignores_" + name, StrCat("takes ", name, " for false"),
        ByNumbers(name, -1, [](auto x) { return decltype(x){0}; }));
    add("always_" + name, StrCat("takes ", name, " for true"),
        ByNumbers(name, -1, [](auto x) { return decltype(x){1}; }));
    return;
  }
  const int64_t length = FixedLength(argument);
  if (length == 0 || TypeOf(argument).ends_with("_mode_t")) return;
  if (IsZeroPoint(argument)) AddZeroPointOfTail(spec, argument, faults);
  const bool shifts_only = name == "axis" || name == "scale" || name == "kernel";
  for (int64_t k = 0; k < length; ++k) {
    if (OnlyDecidesShape(argument, k)) continue;
    const std::string place = length == 1 ? "" : StrCat("_", k);
    const std::string what = length == 1 ? name : StrCat(name, "[", k, "]");
    if (!shifts_only) {
      const int64_t neutral = Neutral(argument);
      add(StrCat("ignores_", name, place), StrCat("takes ", what, " for ", neutral),
          name == "pad_const" ? ByZero(name) : ByNumbers(name, k, [neutral](auto x) {
            return static_cast<decltype(x)>(neutral);
          }));
    }
    for (const int64_t by : {1, -1}) {
      add(StrCat(name, place, by > 0 ? "_one_more" : "_one_less"),
          StrCat("takes ", what, by > 0 ? " for one more" : " for one less"),
          ByNumbers(name, k, [by](auto x) { return x + static_cast<decltype(x)>(by); }), by);
    }
  }
  if (length > 1 && name != "scale" && name != "border") {
    // Neighbours within the list: y and x, top and bottom.
    const auto exchanged = [&](const std::string& id, const std::string& sentence,
                               const std::vector<size_t>& order) {
      add(id, sentence, ByComputableCall([=](CallEditor& editor) {
            const std::vector<int64_t> before = editor.Integers(name);
            std::vector<int64_t> after(before.size());
            for (size_t k = 0; k < after.size(); ++k) after[k] = before[order[k]];
            editor.Set(name, after);
            return after != before;
          }));
    };
    const bool is_pad = name == "pad" || name == "out_pad";
    if (is_pad) {
      // The padding before decides where windows stand. The padding at the end decides only their
      // number, which the output's shape states already.
      std::vector<size_t> ends, axes;
      for (size_t k = 0; k < static_cast<size_t>(length); ++k) {
        ends.push_back(k ^ 1);
        axes.push_back((k + 2) % static_cast<size_t>(length));
      }
      exchanged(StrCat("swaps_ends_of_", name),
                StrCat("takes the ends of ", name, " for each other"), ends);
      for (size_t k = 0; k < ends.size(); k += 2) {
        std::vector<size_t> one(ends.size());
        std::iota(one.begin(), one.end(), 0);
        std::swap(one[k], one[k + 1]);
        exchanged(StrCat("swaps_", name, "_", k, "_and_", k + 1),
                  StrCat("takes ", name, "[", k, "] and ", name, "[", k + 1, "] for each other"),
                  one);
      }
      // All beginnings, then all ends, as ONNX has them.
      std::vector<size_t> starts(static_cast<size_t>(length));
      for (size_t k = 0; k < starts.size(); ++k) {
        starts[k] = k / 2 + (k % 2) * (starts.size() / 2);
      }
      exchanged(StrCat("takes_starts_of_", name, "_first"),
                StrCat("takes ", name, " as all beginnings, then all ends"), starts);
      if (name == "pad") AddCenteredPads(spec, faults);
      exchanged(StrCat("swaps_axes_of_", name), StrCat("takes ", name, " of one axis for another"),
                axes);
    } else {
      std::vector<size_t> turned;
      for (size_t k = 0; k < static_cast<size_t>(length); ++k) {
        turned.push_back((k + 1) % static_cast<size_t>(length));
      }
      exchanged(StrCat("swaps_", name), StrCat("takes ", name, " of one axis for another"), turned);
    }
  }
}

// Gives operators of a name other constants than those of CONST: splats of their first value.
void FoldAsSplats(Block& block, const std::string& name, const std::vector<bool>& folded) {
  std::set<std::string> constants;
  for (const GraphOperator& op : block.operators) {
    if (op.op == "CONST") constants.insert(op.outputs[0]);
  }
  std::vector<GraphOperator> made;
  for (GraphOperator& op : block.operators) {
    if (op.op != name) continue;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (constants.count(op.inputs[k]) == 0 || !folded[std::min(k, folded.size() - 1)]) continue;
      GraphTensor splat = *block.Find(op.inputs[k]);
      Tensor values = *splat.values;
      for (int64_t i = 1; i < values.size(); ++i) values.SetBits(i, values.Bits(0));
      splat.name = StrCat("folded", block.tensors.size(), "_", splat.name);
      splat.values = std::make_shared<const Tensor>(std::move(values));
      op.inputs[k] = splat.name;
      made.push_back({"CONST", {}, {splat.name}, {}});
      block.tensors.push_back(std::move(splat));
    }
  }
  block.operators.insert(block.operators.begin(), made.begin(), made.end());
}

// Tensors with one element for each channel, of which the first serves for all.
void AddBroadcastFaults(const OperatorSpec& spec, Faults& faults) {
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.name != "bias" && argument.name != "multiplier" && argument.name != "shift" &&
        argument.name != "table") {
      continue;
    }
    if (IsShiftOfMul(argument) || argument.type != "tensor_t") continue;
    const std::string name = argument.name;
    faults.push_back({.id = StrCat(Prefix(spec), "first_of_", name),
                      .op = spec.name,
                      .source = kSystematic,
                      .sentence = StrCat("takes the first element of ", name, " for all"),
                      .clause = StrCat(spec.name, ", argument ", name),
                      .does = ByComputableCall([name](CallEditor& editor) {
                        Tensor values = *editor.original().values(name);
                        const Tensor before = values;
                        for (int64_t i = 1; i < values.size(); ++i)
                          values.SetBits(i, values.Bits(0));
                        editor.SetOperand(name, values);
                        return !(values == before);
                      })});
  }
}

// Folds operands that are constants as if all their values were the first.
void AddConstantFault(const OperatorSpec& given, Faults& faults) {
  const OperatorSpec& spec = given.Seen();
  std::vector<bool> folded;  // by position among the operands; the last for those of a list
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    // The graph has the operands that the edition has.
    if (given.arguments[i].category != ArgumentCategory::kInput) continue;
    const ArgumentSpec& argument = spec.arguments[i];
    // Compile-time constants and a bias have faults of their own; no CONST yields a shape.
    folded.push_back(argument.type != "shape_t" && argument.type != "shape_list_t" &&
                     argument.ctc.empty() && argument.name != "bias");
  }
  if (!FactsOf(spec.name).reads_values) return;
  if (!Contains(folded, true)) return;
  const std::string name = given.name;
  faults.push_back({.id = Prefix(spec) + "folds_constants_as_splats",
                    .op = spec.name,
                    .source = kSystematic,
                    .sentence = "takes the first value of a constant operand for all",
                    .clause = spec.name,
                    .does = [name, folded](Graph& graph) {
                      for (Region& region : graph.regions) {
                        for (Block& block : region.blocks) FoldAsSplats(block, name, folded);
                      }
                    }});
}

void AddSwappedOperands(const OperatorSpec& spec, Faults& faults) {
  // MATMUL's exchanged operands do not fit, unless all of their dimensions are equal.
  if (FactsOf(spec.name).commutes || spec.name == "MATMUL") return;
  std::vector<const ArgumentSpec*> operands;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category == ArgumentCategory::kInput && argument.type == "tensor_t" &&
        argument.ctc.empty() && argument.name != "bias") {
      operands.push_back(&argument);
    }
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t j = i + 1; j < operands.size(); ++j) {
      if (operands[i]->element_type != operands[j]->element_type) continue;
      const std::string first = operands[i]->name, second = operands[j]->name;
      faults.push_back({.id = StrCat(Prefix(spec), "swaps_", first, "_", second),
                        .op = spec.name,
                        .source = kSystematic,
                        .sentence = StrCat("takes ", first, " for ", second),
                        .clause = spec.name,
                        .does = ByComputableCall([=](CallEditor& editor) {
                          editor.Swap(first, second);
                          return true;
                        })});
    }
  }
}

void AddOutputFaults(const OperatorSpec& spec, Faults& faults) {
  const std::string clause = StrCat(spec.name, ", every element of the output");
  const auto add = [&](const char* id, const char* sentence, Wrong wrong) {
    faults.push_back({.id = Prefix(spec) + id,
                      .op = spec.name,
                      .source = FaultSource::kHardware,
                      .sentence = sentence,
                      .clause = clause,
                      .does = std::move(wrong)});
  };
  add("loses_the_tail", "computes whole vectors of eight, the rest stays zero",
      ByElement([](const Call&, Tensor& out, int64_t i) {
        if (i >= out.size() / 8 * 8) out.SetBits(i, 0);
      }));
  if (spec.name == "DIM") return;  // yields one element
  add("repeats_the_last_but_one", "stores the last element but one in the place of the last",
      ByElement([](const Call&, Tensor& out, int64_t i) {
        if (i > 0 && i == out.size() - 1) out.SetBits(i, out.Bits(i - 1));
      }));
}

// The operands of an elementwise operator whose memory its result may take.
std::vector<const ArgumentSpec*> OperandsInPlace(const OperatorSpec& spec) {
  std::vector<const ArgumentSpec*> operands;
  for (const ArgumentSpec& argument : spec.arguments) {
    const bool is_operand = argument.category == ArgumentCategory::kInput &&
                            argument.type == "tensor_t" && argument.ctc.empty() &&
                            argument.name != "table";
    if (is_operand) operands.push_back(&argument);
  }
  return operands;
}

// Computes in the memory of an operand, and leaves a part of it as it was.
void AddHandedThrough(const OperatorSpec& spec, Faults& faults) {
  const std::vector<const ArgumentSpec*> operands = OperandsInPlace(spec);
  const auto output = std::find_if(
      spec.arguments.begin(), spec.arguments.end(),
      [](const auto& argument) { return argument.category == ArgumentCategory::kOutput; });
  for (const ArgumentSpec* const operand : operands) {
    const std::string name = operand->name;
    const auto add = [&](const std::string& where, const std::string& sentence,
                         std::function<int64_t(int64_t size)> from) {
      faults.push_back(
          {.id = StrCat(Prefix(spec), "hands_", name, "_through_in_the_", where),
           .op = spec.name,
           .source = FaultSource::kHardware,
           .sentence = StrCat("leaves ", name, " as it is ", sentence),
           .clause = StrCat(spec.name, ", every element of the output"),
           .touches = [in = operand->element_type, out = output->element_type](
                          const TypeRow& row) { return row.PlainType(in) == row.PlainType(out); },
           .does = [name, from = std::move(from)](
                       const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
             const Tensor& given = *call.values(name);
             if (given.shape() != call.shape("output") || given.dtype() != call.dtype("output")) {
               return std::nullopt;
             }
             OperatorOutputs results = ComputeRight(op, call);
             Tensor& out = *results.at("output");
             for (int64_t i = from(out.size()); i < out.size(); ++i) out.SetBits(i, given.Bits(i));
             return results;
           }});
    };
    add("tail", "beyond whole vectors of eight", [](int64_t size) { return size / 8 * 8; });
    add("second_half", "in the second half", [](int64_t size) { return (size + 1) / 2; });
  }
}

// Reads one operand where another is due, as if both had one buffer. A shift has a range that few
// numbers are in.
void AddAliasedOperands(const OperatorSpec& spec, Faults& faults) {
  if (spec.name.find("_SHIFT") != std::string::npos) return;
  const std::vector<const ArgumentSpec*> operands = OperandsInPlace(spec);
  for (const ArgumentSpec* const from : operands) {
    for (const ArgumentSpec* const to : operands) {
      if (from == to || from->element_type != to->element_type) continue;
      const std::string source = from->name, target = to->name;
      faults.push_back({.id = StrCat(Prefix(spec), "reads_", source, "_for_", target),
                        .op = spec.name,
                        .source = FaultSource::kHardware,
                        .sentence = StrCat("reads ", source, " also in the place of ", target),
                        .clause = StrCat(spec.name, ", argument ", target),
                        .does = ByComputableCall([=](CallEditor& editor) {
                          const Call& call = editor.original();
                          if (call.shape(source) != call.shape(target)) return false;
                          editor.SetOperand(target, *call.values(source));
                          return true;
                        })});
    }
  }
}

// Whether an integer greater by `by` makes the check of a level's limit stricter, so that a legal
// call can show it. Beyond a limit anything may happen.
bool IsStricter(const OperatorSpec& spec, std::string_view condition, int64_t k, int64_t by) {
  // A pool's padding is less than its kernel, which is no greater than the same limit.
  if (spec.name.ends_with("_POOL2D") && condition.find(".level_pad") != condition.npos) {
    return false;
  }
  // The quotient of scale_n and scale_d.
  const bool is_denominator = spec.name == "RESIZE" && k % 2 == 1;
  return by == (is_denominator ? -1 : 1);
}

// Whether a graph can break a condition of all graphs by this operator.
bool IsBreakableBy(const OperatorSpec& spec, std::string_view condition) {
  if (condition != "graph.shape_interface") return true;
  return std::any_of(spec.arguments.begin(), spec.arguments.end(), [](const auto& argument) {
    return argument.category == ArgumentCategory::kOutput && argument.type == "shape_t";
  });
}

void AddConditionFaults(const Edition& edition, const OperatorSpec& given, const Operator& op,
                        Faults& faults) {
  const OperatorSpec& spec = given.Seen();
  for (const Condition& condition : ConditionsOf(op, given, edition)) {
    if (condition.kind == ConditionKind::kRequire) continue;
    const std::string id(condition.id);
    if (condition.kind == ConditionKind::kErrorIf) {
      faults.push_back({.id = id + ".accepted",
                        .op = spec.name,
                        .source = kSystematic,
                        .sentence = StrCat("accepts: ", condition.paraphrase),
                        .clause = StrCat(spec.name, ", ", id),
                        .does = MissedCondition{id}});
    }
    // A bound that is a NaN has no one more or less.
    if (condition.broken == nullptr || id.ends_with(".nan_bounds")) continue;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (!IsParameter(argument) || TypeOf(argument) == "bool_t") continue;
      for (int64_t k = 0; k < FixedLength(argument); ++k) {
        for (const int64_t by : {1, -1}) {
          if (condition.kind == ConditionKind::kLevel && !IsStricter(spec, id, k, by)) continue;
          faults.push_back(
              {.id = StrCat(id, ".", argument.name, "_", k, by > 0 ? "_one_more" : "_one_less"),
               .op = spec.name,
               .source = kSystematic,
               .sentence = StrCat("checks with ", argument.name, "[", k, "] ",
                                  by > 0 ? "+ 1: " : "- 1: ", condition.paraphrase),
               .clause = StrCat(spec.name, ", ", id),
               .does = ShiftedBound{id, argument.name, k, by}});
        }
      }
    }
  }
  for (const Condition& condition : GraphConditions()) {
    if (!StandsIn(condition, edition) || condition.kind != ConditionKind::kErrorIf) continue;
    const std::string id(condition.id);
    if (!IsBreakableBy(spec, id)) continue;
    faults.push_back({.id = StrCat(Prefix(spec), id, ".accepted"),
                      .op = spec.name,
                      .source = kSystematic,
                      .sentence = StrCat("accepts: ", condition.paraphrase),
                      .clause = StrCat("the argument tables and rules for graphs, ", id),
                      .does = MissedCondition{id}});
  }
}

void AddRefusals(const OperatorSpec& spec, Faults& faults) {
  const auto add = [&](const std::string& id, const std::string& sentence,
                       std::function<bool(const Call&)> refuses) {
    faults.push_back({.id = Prefix(spec) + id,
                      .op = spec.name,
                      .source = kSystematic,
                      .sentence = sentence,
                      .clause = StrCat(spec.name, ", ranks of the arguments"),
                      .does = std::move(refuses)});
  };
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput || argument.type != "tensor_t" ||
        !argument.max_rank || !argument.max_rank->plus_max_rank || !argument.ctc.empty()) {
      continue;
    }
    const std::string name = argument.name;
    const int64_t below = argument.max_rank->constant;
    add("refuses_greatest_rank_of_" + name, StrCat("refuses ", name, " of the greatest legal rank"),
        [name, below](const Call& call) {
          return static_cast<int64_t>(call.shape(name).size()) ==
                 call.level().Max("MAX_RANK") + below;
        });
    if (!argument.min_rank) continue;
    const int64_t least = argument.min_rank->constant;
    add("refuses_least_rank_of_" + name, StrCat("refuses ", name, " of the least legal rank"),
        [name, least](const Call& call) {
          return static_cast<int64_t>(call.shape(name).size()) == least;
        });
  }
}

// Faults that adapters, or repairs, have shown in real implementations, by id.
void AddReports(Faults& faults) {
  constexpr const char *kSlice = "llvm/llvm-project#181889", *kShapes = "llvm/llvm-project#193961",
                       *kMlirShape =
                           "tools/findings/mlir/deviations.json, "
                           "convolution-and-pooling-shape",
                       *kOnnx = "tools/findings/onnxruntime/deviations.json",
                       *kResize = "pytorch/executorch#19069",
                       *kOneDnn = "tools/adapters/onednn/README.md";
  static const auto& reports = *new std::map<std::string_view, std::string>{
      {"slice.start_negative.accepted", kSlice},
      {"slice.size_not_positive.accepted", kSlice},
      {"slice.end_range.accepted", kSlice},
      {"slice.output_dimension.accepted", kSlice},
      {"tile.output_dimension.accepted", "tools/findings/mlir/deviations.json, tile-output-shape"},
      {"rescale.graph.shape.accepted", "llvm/llvm-project#193952"},
      {"identity.graph.shape.accepted", kShapes},
      {"reverse.graph.shape.accepted", kShapes},
      {"matmul.graph.shape.accepted", "llvm/llvm-project#191300"},
      {"conv2d.graph.shape.accepted", kMlirShape},
      {"conv3d.graph.shape.accepted", kMlirShape},
      {"depthwise_conv2d.graph.shape.accepted", kMlirShape},
      {"transpose_conv2d.graph.shape.accepted", kMlirShape},
      {"avg_pool2d.graph.shape.accepted", kMlirShape},
      {"max_pool2d.graph.shape.accepted", kMlirShape},
      {"resize.graph.shape.accepted", "tools/findings/mlir/deviations.json, resize-batch"},
      {"variable.graph.attribute.accepted",
       "tools/findings/mlir/deviations.json, variable-initial-value"},
      // A scale of exactly one sixteenth.
      {"resize.downscale_limit.scale_1_one_less", kResize},
      {"resize.downscale_limit.scale_3_one_less", kResize},
      {"mul.broadcast.accepted", "llvm/llvm-project#193952"},
      {"add.broadcast.accepted", kOnnx},
      {"bitwise_and.broadcast.accepted", kOnnx},
      {"bitwise_or.broadcast.accepted", kOnnx},
      {"bitwise_xor.broadcast.accepted", kOnnx},
      {"equal.broadcast.accepted", kOnnx},
      {"greater.broadcast.accepted", kOnnx},
      {"greater_equal.broadcast.accepted", kOnnx},
      {"intdiv.broadcast.accepted", kOnnx},
      {"logical_and.broadcast.accepted", kOnnx},
      {"logical_or.broadcast.accepted", kOnnx},
      {"logical_xor.broadcast.accepted", kOnnx},
      {"maximum.broadcast.accepted", kOnnx},
      {"minimum.broadcast.accepted", kOnnx},
      {"pow.broadcast.accepted", kOnnx},
      {"select.broadcast.accepted", kOnnx},
      {"sub.broadcast.accepted", kOnnx},
      {"avg_pool2d.output_height.accepted", kOnnx},
      {"avg_pool2d.output_width.accepted", kOnnx},
      {"max_pool2d.output_height.accepted", kOnnx},
      {"max_pool2d.output_width.accepted", kOnnx},
      {"conv2d.output_height.accepted", kOneDnn},
      {"conv2d.output_width.accepted", kOneDnn},
      {"depthwise_conv2d.output_height.accepted", kOnnx},
      {"depthwise_conv2d.output_width.accepted", kOnnx},
      {"conv3d.output_depth.accepted", kOnnx},
      {"conv3d.output_width.accepted", kOnnx},
      {"transpose_conv2d.out_pad_x.accepted", kOnnx},
      {"transpose_conv2d.out_pad_y.accepted", kOnnx},
      {"pad.padding_negative.accepted", kOnnx},
      {"concat.axis_range.accepted", kOnnx},
      {"reverse.axis_range.accepted", kOnnx},
      {"clamp.bounds_order.accepted", kOnnx},
      {"clamp.nan_bounds.accepted", kOnnx},
      {"cond_if.nesting.accepted", kOnnx},
      {"while_loop.nesting.accepted", kOnnx},
      {"maximum.graph.operand_count.accepted", kOnnx},
      {"minimum.graph.operand_count.accepted", kOnnx},
      {"matmul.graph.rank.accepted", kOnnx},
      {"argmax.graph.type_row.accepted", kOnnx},
      {"cast.graph.type_row.accepted", kOnnx},
      {"pow.graph.type_row.accepted", kOnnx}};
  for (Fault& fault : faults) {
    const auto found = reports.find(fault.id);
    if (found == reports.end()) continue;
    fault.source = FaultSource::kReported;
    fault.report = found->second;
  }
}

}  // namespace

Faults SystematicFaults(const Edition& edition, const OperatorSpec& given, const Operator& op) {
  Faults faults;
  const OperatorSpec& spec = given.Seen();
  if (IsComputed(spec)) {
    for (const ArgumentSpec& argument : spec.arguments) {
      if (IsParameter(argument)) AddParameterFaults(spec, argument, faults);
    }
    AddBroadcastFaults(spec, faults);
    AddConstantFault(given, faults);
    AddSwappedOperands(spec, faults);
    AddOutputFaults(spec, faults);
    if (IsElementwise(spec.name)) {
      AddHandedThrough(spec, faults);
      AddAliasedOperands(spec, faults);
    }
    AddRefusals(spec, faults);
  }
  AddConditionFaults(edition, given, op, faults);
  AddReports(faults);
  return faults;
}

}  // namespace cts
