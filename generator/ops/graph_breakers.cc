// Breakers of the argument tables of any operator: types, ranks, shapes, attributes and the number
// of operands, each by itself. Some shapes of results are in no table: they are conditions of the
// operators, or stand with them (graph.output_shape).
#include <algorithm>
#include <functional>
#include <optional>

#include "generator/ops/domain.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

// --- The argument tables.

// Argument `k` of a category, in the edition's order; null beyond the last.
const ArgumentSpec* Find(const Setting& setting, ArgumentCategory category, size_t k) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category == category && k-- == 0) return &argument;
  }
  return nullptr;
}

// Control flow and variables build their own graphs, and break them themselves.
bool BuildsItsGraph(const Setting& setting) {
  return setting.spec->group == "control-flow" || setting.spec->group == "variable";
}

// The value that CONST and CONST_SHAPE yield stands with the tensor, and is no attribute.
bool IsConstant(const Setting& setting) { return setting.Text().starts_with("CONST"); }

bool IsShape(const ArgumentSpec& argument) {
  return argument.type == "shape_t" || argument.type == "shape_list_t";
}

bool IsList(const ArgumentSpec& argument) {
  return argument.type.starts_with("tensor_list_t") || argument.type == "shape_list_t";
}

// The dimensions in "[N,IH,IW,IC]"; empty for a shape that only has a name.
const std::vector<Dimension>& Dimensions(const ArgumentSpec& argument) {
  return argument.pattern.dimensions;
}

bool IsFixedRank(const std::optional<RankBound>& bound) { return bound && !bound->plus_max_rank; }

// Whether dimension `d` of a list must be a number or that of another tensor. A product
// ("C*M") binds its own tensor, not the others.
bool IsBound(const Setting& setting, const ArgumentSpec& argument, size_t d) {
  const Dimension& dimension = Dimensions(argument)[d];
  if (dimension.size || !dimension.factors.empty()) return true;
  // Only the row knows TABLE_SIZE, and then it is a requirement.
  return std::any_of(setting.spec->arguments.begin(), setting.spec->arguments.end(),
                     [&](const ArgumentSpec& other) {
                       if (&other == &argument || IsList(other)) return false;
                       if (other.category == ArgumentCategory::kAttribute) return false;
                       const std::vector<Dimension>& others = Dimensions(other);
                       return std::any_of(others.begin(), others.end(), [&](const Dimension& each) {
                         return each.name == dimension.name;
                       });
                     });
}

// Whether the shape has a name that another tensor's has.
bool SharesShape(const Setting& setting, const ArgumentSpec& argument) {
  if (argument.pattern.kind != ShapePattern::Kind::kNamed || IsList(argument)) return false;
  return std::any_of(setting.spec->arguments.begin(), setting.spec->arguments.end(),
                     [&](const ArgumentSpec& other) {
                       return &other != &argument && other.shape == argument.shape &&
                              other.category != ArgumentCategory::kAttribute && !IsList(other);
                     });
}

// Whether another row of the table differs from this one in the type of `variable` only, and has
// `type` for it.
bool HasRowWith(const Setting& setting, const std::string& variable, DType type) {
  const auto& rows = setting.spec->type_rows;
  return std::any_of(rows.begin(), rows.end(), [&](const TypeRow& row) {
    return row.Type(variable) == type &&
           std::all_of(row.types.begin(), row.types.end(), [&](const auto& entry) {
             return entry.first == variable ||
                    row.Type(entry.first) == setting.row->Type(entry.first);
           });
  });
}

// A type that no row allows for the argument together with the others: of its own family, if there
// is one.
std::optional<DType> WrongType(const Setting& setting, const ArgumentSpec& argument) {
  const std::string& variable = argument.element_type;
  if (IsShape(argument)) return DType::kI32;
  if (variable == "-") return std::nullopt;
  const std::optional<DType> right = setting.row->PlainType(variable);
  // i8_t, bool_t and the like have one type; so has RESCALE's mul_t, by its scale32.
  if (!right) return variable == "i8_t" ? DType::kI32 : DType::kI8;
  const auto& arguments = setting.spec->arguments;
  const bool shared =
      IsList(argument) || std::any_of(arguments.begin(), arguments.end(), [&](const auto& other) {
        return &other != &argument && other.element_type == variable &&
               other.category != ArgumentCategory::kAttribute;
      });
  std::vector<DType> types = {DType::kI32,  DType::kI16,  DType::kI8, DType::kFp16,
                              DType::kFp32, DType::kBool, DType::kI48};
  if (IsFloat(*right)) std::rotate(types.begin(), types.begin() + 3, types.end());
  for (DType type : types) {
    if (type != *right && (shared || !HasRowWith(setting, variable, type))) return type;
  }
  return std::nullopt;
}

// --- Changes to the graph.

GraphOperator& OperatorIn(const Setting& setting, Assembly& assembly) {
  auto& operators = assembly.graph.main().operators;
  return *std::find_if(operators.begin(), operators.end(),
                       [&](const GraphOperator& op) { return op.op == setting.spec->name; });
}

GraphTensor& TensorOf(Assembly& assembly, const std::string& name) {
  auto& tensors = assembly.graph.main().tensors;
  return *std::find_if(tensors.begin(), tensors.end(),
                       [&](const GraphTensor& tensor) { return tensor.name == name; });
}

// Numbers of another type and shape for an argument. They break no requirement about data, which
// would make the graph unpredictable: no divisor and no power's base is zero, no index of SCATTER
// stands twice in a line, RESCALE shifts by 2 to 62. Zeros do everywhere else.
Tensor Harmless(const Setting& setting, std::string_view argument, DType dtype,
                const Shape& shape) {
  Tensor tensor(dtype, shape);
  const std::string& op = setting.Text();
  const bool is_index = op == "SCATTER" && argument == "indices";
  const bool divides = op == "INTDIV" || op == "DIV_SHAPE" || op == "POW";
  const bool shifts = op == "RESCALE" && argument == "shift";
  const int64_t number = divides ? 1 : shifts ? 30 : 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t x = is_index && !shape.empty() ? i % shape.back() : number;
    IsFloat(dtype) ? tensor.SetValue(i, static_cast<double>(x)) : tensor.SetInteger(i, x);
  }
  return tensor;
}

// Gives a tensor, that of an argument, another type and shape, and other values where they are
// known. It stays a constant if CONST can yield it.
void Redeclare(const Setting& setting, Assembly& assembly, std::string_view argument,
               const std::string& name, DType dtype, const Shape& shape) {
  Block& block = assembly.graph.main();
  GraphTensor& tensor = TensorOf(assembly, name);
  const bool same_type = tensor.dtype == dtype;
  tensor.dtype = dtype, tensor.shape = shape;
  if (const auto input = assembly.inputs.find(name); input != assembly.inputs.end()) {
    input->second = Harmless(setting, argument, dtype, shape);
  }
  if (tensor.values == nullptr) return;
  tensor.values = std::make_shared<Tensor>(Harmless(setting, argument, dtype, shape));
  const auto producer =
      std::find_if(block.operators.begin(), block.operators.end(),
                   [&](const GraphOperator& op) { return op.outputs.front() == name; });
  const RankBound& least =
      *setting.edition->FindOperator("CONST")->FindArgument("output")->min_rank;
  if (static_cast<int64_t>(shape.size()) < least.constant) {
    tensor.values = nullptr;
    block.operators.erase(producer);
    block.inputs.push_back(name);
    assembly.inputs.emplace(name, Harmless(setting, argument, dtype, shape));
  } else if (!same_type) {
    producer->op = "CONST";
  }
}

const std::string& NameOf(const Setting& setting, Assembly& assembly, ArgumentCategory category,
                          size_t k) {
  GraphOperator& op = OperatorIn(setting, assembly);
  return category == ArgumentCategory::kOutput ? op.outputs[k] : op.inputs[k];
}

// A change of the graph that the draft becomes.
using GraphChange = std::function<void(const Setting&, Assembly&)>;

DraftChange ToGraph(GraphChange change) {
  return [change = std::move(change)](const Setting&, CaseDraft& draft) {
    draft.change_graph = change;
  };
}

Breaker OfGraph(std::string condition, SettingTest applies, GraphChange change) {
  return {std::move(condition), {}, std::move(applies), ToGraph(std::move(change))};
}

// A breaker of tensor `k` of a category: `applies` by its argument, `change` of its type or shape.
using Applies = std::function<bool(const Setting&, const ArgumentSpec&)>;
using Change = std::function<void(const Setting&, const ArgumentSpec&, DType&, Shape&)>;

Breaker OfTensor(std::string condition, ArgumentCategory category, size_t k, Applies applies,
                 Change change) {
  return OfGraph(
      std::move(condition),
      [=, applies = std::move(applies)](const Setting& setting) {
        if (BuildsItsGraph(setting)) return false;
        const ArgumentSpec* argument = Find(setting, category, k);
        return argument != nullptr && applies(setting, *argument);
      },
      [=, change = std::move(change)](const Setting& setting, Assembly& assembly) {
        const std::string name = NameOf(setting, assembly, category, k);
        const GraphTensor& tensor = TensorOf(assembly, name);
        DType dtype = tensor.dtype;
        Shape shape = tensor.shape;
        const ArgumentSpec& argument = *Find(setting, category, k);
        change(setting, argument, dtype, shape);
        Redeclare(setting, assembly, argument.name, name, dtype, shape);
      });
}

// Types. The output of an operator that yields a shape can have no other type.
bool CanHaveWrongType(const Setting& setting, const ArgumentSpec& argument) {
  if (IsConstant(setting)) return false;
  if (argument.category == ArgumentCategory::kOutput && IsShape(argument)) return false;
  return WrongType(setting, argument).has_value();
}
void ToWrongType(const Setting& setting, const ArgumentSpec& argument, DType& dtype, Shape&) {
  dtype = *WrongType(setting, argument);
}

// Ranks. A shape has rank 1 wherever it comes from.
// The table of TABLE has TABLE_SIZE elements by a requirement as well, a scalar has one.
bool HasLeastRank(const Setting&, const ArgumentSpec& argument) {
  if (argument.shape == "[TABLE_SIZE]") return false;
  return !IsShape(argument) && IsFixedRank(argument.min_rank) && argument.min_rank->constant > 0;
}
void ToLessRank(const Setting&, const ArgumentSpec& argument, DType&, Shape& shape) {
  shape.erase(shape.begin(), shape.end() - static_cast<int64_t>(argument.min_rank->constant - 1));
}
bool HasGreatestRank(const Setting&, const ArgumentSpec& argument) {
  return !IsShape(argument) && IsFixedRank(argument.max_rank);
}
void ToMoreRank(const Setting&, const ArgumentSpec& argument, DType&, Shape& shape) {
  const int64_t more = argument.max_rank->constant + 1 - static_cast<int64_t>(shape.size());
  shape.insert(shape.begin(), static_cast<size_t>(more), 1);
}

// Shapes: one dimension more or less. CONST is left out: it has only one tensor.
bool HasBoundDimension(const Setting& setting, const ArgumentSpec& argument, size_t d) {
  if (IsShape(argument)) return false;
  // A named shape as a whole; its first dimension stands for it.
  if (d == 0 && SharesShape(setting, argument)) return true;
  return d < Dimensions(argument).size() && IsBound(setting, argument, d);
}
bool HasSharedShape(const Setting& setting, const ArgumentSpec& argument) {
  return !IsShape(argument) && SharesShape(setting, argument);
}
// The only dimension becomes another than by AddDimension.
void LastToMore(const Setting&, const ArgumentSpec&, DType&, Shape& shape) {
  if (shape.empty()) shape.push_back(0);
  shape.back() += shape.size() == 1 ? 2 : 1;
}
void ToOne(const Setting&, const ArgumentSpec&, DType&, Shape& shape) { shape.front() = 1; }

// --- Attributes.

const AttributeValue* AttributeOf(const Setting& setting, Assembly& assembly, size_t k) {
  const auto& attributes = OperatorIn(setting, assembly).attributes;
  const auto found = attributes.find(Find(setting, ArgumentCategory::kAttribute, k)->name);
  return found == attributes.end() ? nullptr : &found->second;
}

void SetAttribute(const Setting& setting, Assembly& assembly, size_t k, AttributeValue value) {
  OperatorIn(setting, assembly).attributes[Find(setting, ArgumentCategory::kAttribute, k)->name] =
      std::move(value);
}

bool HasAttribute(const Setting& setting, size_t k) {
  return !IsConstant(setting) && Find(setting, ArgumentCategory::kAttribute, k) != nullptr;
}

bool MustHaveAttribute(const Setting& setting, size_t k) {
  return HasAttribute(setting, k) && !Find(setting, ArgumentCategory::kAttribute, k)->optional;
}
void RemoveAttribute(const Setting& setting, Assembly& assembly, size_t k) {
  OperatorIn(setting, assembly)
      .attributes.erase(Find(setting, ArgumentCategory::kAttribute, k)->name);
}

// A number in place of a name, a name in place of anything else.
void MistypeAttribute(const Setting& setting, Assembly& assembly, size_t k) {
  const AttributeValue* value = AttributeOf(setting, assembly, k);
  const bool is_name = value != nullptr && std::holds_alternative<std::string>(*value);
  SetAttribute(setting, assembly, k,
               is_name ? AttributeValue(int64_t{1}) : AttributeValue("wrong"));
}

bool HasEnumeration(const Setting& setting, size_t k) {
  if (!HasAttribute(setting, k)) return false;
  const ArgumentSpec& argument = *Find(setting, ArgumentCategory::kAttribute, k);
  return setting.edition->FindEnum(argument.type) != nullptr ||
         setting.edition->FindEnum(argument.element_type) != nullptr;
}
void UnknownValue(const Setting& setting, Assembly& assembly, size_t k) {
  SetAttribute(setting, assembly, k, std::string("NO_SUCH_VALUE"));
}

// Whether an attribute has an element for each of RESCALE's channels.
bool HasChannels(const Setting& setting, size_t attribute) {
  return Find(setting, ArgumentCategory::kAttribute, attribute)->shape == "[NC]";
}

bool HasListOfFixedLength(const Setting& setting, size_t k) {
  if (!HasAttribute(setting, k)) return false;
  const auto& dimensions = Dimensions(*Find(setting, ArgumentCategory::kAttribute, k));
  return dimensions.size() == 1 && (dimensions[0].size || HasChannels(setting, k));
}
void ChangeLength(const Setting& setting, Assembly& assembly, size_t k, bool longer) {
  auto list = std::get<std::vector<int64_t>>(*AttributeOf(setting, assembly, k));
  // A shift of 1 breaks a requirement of RESCALE.
  list.resize(longer ? list.size() + 1 : list.size() - 1, HasChannels(setting, k) ? 2 : 1);
  SetAttribute(setting, assembly, k, std::move(list));
}

// --- The number of operands and results.

bool HasOperand(const Setting& setting) {
  const ArgumentSpec* first = Find(setting, ArgumentCategory::kInput, 0);
  return !BuildsItsGraph(setting) && first != nullptr && !IsList(*first);
}
// A list takes any number of operands.
bool HasNoList(const Setting& setting) {
  const ArgumentSpec* first = Find(setting, ArgumentCategory::kInput, 0);
  return setting.spec->group != "control-flow" && (first == nullptr || !IsList(*first));
}

void OneOperandLess(const Setting& setting, Assembly& assembly) {
  OperatorIn(setting, assembly).inputs.pop_back();
}

void OneOperandMore(const Setting& setting, Assembly& assembly) {
  const std::vector<std::string>& outputs = OperatorIn(setting, assembly).outputs;
  DType dtype = outputs.empty() ? DType::kI32 : TensorOf(assembly, outputs[0]).dtype;
  if (dtype == DType::kShape) dtype = DType::kI32;  // no graph is given a shape
  Block& block = assembly.graph.main();
  block.tensors.push_back({"extra", dtype, {1}, nullptr});
  block.inputs.push_back("extra");
  assembly.inputs.emplace("extra", Tensor(dtype, {1}));
  OperatorIn(setting, assembly).inputs.push_back("extra");
}

bool IsNoControlFlow(const Setting& setting) {
  return !BuildsItsGraph(setting) && Find(setting, ArgumentCategory::kOutput, 0) != nullptr;
}
void OneResultMore(const Setting& setting, Assembly& assembly) {
  Block& block = assembly.graph.main();
  GraphTensor extra = TensorOf(assembly, OperatorIn(setting, assembly).outputs[0]);
  extra.name = "extra", extra.values = nullptr;
  block.tensors.push_back(std::move(extra));
  OperatorIn(setting, assembly).outputs.push_back("extra");
}

bool HasSeveralResults(const Setting& setting) {
  return !BuildsItsGraph(setting) && Find(setting, ArgumentCategory::kOutput, 1) != nullptr;
}
void OneResultLess(const Setting& setting, Assembly& assembly) {
  OperatorIn(setting, assembly).outputs.pop_back();
  assembly.graph.main().outputs.pop_back();
}

// --- What a lenient validator lets pass; of full domains alone.

// The variable of the first operand that has one in the row; null if none has.
const std::string* FirstVariable(const Setting& setting) {
  if (BuildsItsGraph(setting) || IsConstant(setting)) return nullptr;
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    if (setting.row->PlainType(argument.element_type)) return &argument.element_type;
  }
  return nullptr;
}

// The `nth` type that no row has for the variable of the first operand: of the row's kind first.
std::optional<DType> UnsupportedType(const Setting& setting, size_t nth) {
  const std::string* const variable = FirstVariable(setting);
  if (variable == nullptr) return std::nullopt;
  const DType right = *setting.row->PlainType(*variable);
  std::vector<DType> types = {DType::kI8,   DType::kI16,  DType::kI32, DType::kI48,
                              DType::kBool, DType::kFp16, DType::kFp32};
  if (IsFloat(right)) std::rotate(types.begin(), types.begin() + 5, types.end());
  // GATHER and SCATTER have booleans from 1.1 on.
  const bool moves_by_index = setting.spec->group == "scatter-gather";
  std::erase_if(types, [&](DType type) {
    if (type == DType::kBool && moves_by_index) return true;
    const auto& rows = setting.spec->type_rows;
    return std::any_of(rows.begin(), rows.end(),
                       [&](const TypeRow& row) { return row.PlainType(*variable) == type; });
  });
  return nth < types.size() ? std::optional(types[nth]) : std::nullopt;
}

// Whether a wrong type also breaks a requirement of the operator. Shifts require less than the
// width of one of their types, TABLE requires the number of elements of the row. A case that breaks
// a requirement is unpredictable, whatever else is wrong with it.
bool RequiresItsTypes(const Setting& setting) {
  return setting.Text() == "TABLE" || setting.Text().ends_with("_SHIFT");
}

// Floats have few types besides those that most rows have, and a second one would be an integer.
// A number of CLAMP is one of its kind. An edition that follows another has no types of its own.
bool HasUnsupportedType(const Setting& setting, size_t nth) {
  if (!setting.edition->follows.empty() || RequiresItsTypes(setting)) return false;
  const std::optional<DType> type = UnsupportedType(setting, nth);
  if (!type) return false;
  const std::string& variable = *FirstVariable(setting);
  const bool is_float = IsFloat(*setting.row->PlainType(variable));
  const auto& arguments = setting.spec->arguments;
  const bool has_numbers =
      std::any_of(arguments.begin(), arguments.end(), [&](const ArgumentSpec& argument) {
        return argument.category == ArgumentCategory::kAttribute &&
               (argument.type == variable || argument.element_type == variable);
      });
  return (nth == 0 || !is_float) && (!has_numbers || is_float == IsFloat(*type));
}

// All operands and results of the first operand's type get one that the operator lacks: they agree
// with one another as before.
void ToUnsupportedType(const Setting& setting, Assembly& assembly, size_t nth) {
  const std::string& variable = *FirstVariable(setting);
  const DType right = *setting.row->PlainType(variable);
  const GraphOperator op = OperatorIn(setting, assembly);
  const DType wrong = *UnsupportedType(setting, nth);
  const auto change = [&](ArgumentCategory category, const std::vector<std::string>& names) {
    for (size_t k = 0; k < names.size(); ++k) {
      const ArgumentSpec* argument = Find(setting, category, k);
      if (argument == nullptr) argument = Find(setting, category, 0);  // of a list
      const Shape shape = TensorOf(assembly, names[k]).shape;
      // An operand of a fixed type keeps it.
      if (setting.row->PlainType(argument->element_type) != right) continue;
      Redeclare(setting, assembly, argument->name, names[k], wrong, shape);
      const auto input = assembly.inputs.find(names[k]);
      if (input == assembly.inputs.end()) continue;
      for (int64_t i = 0; i < input->second.size(); ++i) {
        IsFloat(wrong) ? input->second.SetValue(i, 1) : input->second.SetInteger(i, 1);
      }
    }
  };
  change(ArgumentCategory::kInput, op.inputs);
  change(ArgumentCategory::kOutput, op.outputs);
}

// The values of acc_type that no row has together with the row's other types. Rows of fp8 are left
// out: 1.1 adds accumulators to them, and for TRANSPOSE_CONV2D 0.100 does not name any.
std::vector<std::string> WrongAccumulators(const Setting& setting) {
  const EnumSpec* const known = setting.edition->FindEnum("acc_type_t");
  const std::optional<DType> right = setting.row->PlainType("acc_t");
  std::vector<std::string> wrong;
  if (known == nullptr || !right || setting.spec->FindArgument("acc_type") == nullptr) return wrong;
  if (const auto in = setting.row->PlainType("in_t");
      in && IsFloat(*in) && StorageBytes(*in) == 1) {
    return wrong;
  }
  for (const EnumValue& value : known->values) {
    const std::optional<DType> type = TypeOfEnumerator(value.name);
    if (type && type != right && !HasRowWith(setting, "acc_t", *type)) wrong.push_back(value.name);
  }
  return wrong;
}
bool HasWrongAccumulator(const Setting& setting, size_t nth) {
  return WrongAccumulators(setting).size() > nth;
}
void ToWrongAccumulator(const Setting& setting, Assembly& assembly, size_t nth) {
  OperatorIn(setting, assembly).attributes["acc_type"] = WrongAccumulators(setting)[nth];
}

// The result has as many elements as the operands of its shape, in another shape.
bool ResultSharesShape(const Setting& setting) {
  if (BuildsItsGraph(setting) || IsConstant(setting)) return false;
  // RESCALE has a multiplier for each element of the last dimension, or one.
  if (setting.spec->FindArgument("per_channel") != nullptr) return false;
  const ArgumentSpec* const output = Find(setting, ArgumentCategory::kOutput, 0);
  return output != nullptr && HasSharedShape(setting, *output);
}
void ToOtherShape(const Setting& setting, Assembly& assembly, const Shape& result) {
  const GraphOperator op = OperatorIn(setting, assembly);
  const std::string& shape = Find(setting, ArgumentCategory::kOutput, 0)->shape;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const ArgumentSpec* const argument = Find(setting, ArgumentCategory::kInput, k);
    if (argument == nullptr || argument->shape != shape) continue;
    const DType dtype = TensorOf(assembly, op.inputs[k]).dtype;
    Redeclare(setting, assembly, argument->name, op.inputs[k], dtype, {4, 6});
  }
  TensorOf(assembly, op.outputs[0]).shape = result;
}

// Lists that are operands: more elements than there are dimensions, or fewer.
bool HasShapeOperand(const Setting& setting, size_t k) {
  const ArgumentSpec* const argument = Find(setting, ArgumentCategory::kInput, k);
  return argument != nullptr && argument->category == ArgumentCategory::kInput &&
         argument->type == "shape_t" && argument->shape.starts_with('[');
}
void ChangeShapeOperand(const Setting& setting, Assembly& assembly, size_t k, bool longer) {
  GraphTensor& tensor = TensorOf(assembly, NameOf(setting, assembly, ArgumentCategory::kInput, k));
  if (tensor.values == nullptr) return;
  std::vector<int64_t> list = tensor.values->Integers();
  const std::string& name = Find(setting, ArgumentCategory::kInput, k)->name;
  // An element that changes nothing for those who overlook it.
  const bool is_size = name == "size" || name == "multiples" || name == "shape";
  longer ? list.push_back(is_size ? 1 : 0) : list.pop_back();
  tensor.shape = {std::ssize(list)};
  tensor.values = std::make_shared<Tensor>(Tensor::OfIntegers(DType::kShape, tensor.shape, list));
}

// ADD behind one legal operator and before another. The last dimension of its result is one more
// if it is to be illegal.
bool IsAddBesideIdentity(const Setting& setting) {
  return setting.Text() == "ADD" && setting.edition->FindOperator("IDENTITY") != nullptr;
}
void BetweenIdentities(const Setting& setting, Assembly& assembly, bool legal) {
  Block& block = assembly.graph.main();
  const GraphOperator add = OperatorIn(setting, assembly);
  const std::string from = add.inputs[0], to = add.outputs[0];
  if (!legal) TensorOf(assembly, to).shape.back() += 1;
  GraphTensor before = TensorOf(assembly, from), after = TensorOf(assembly, to);
  before.name += "_before", after.name += "_after";
  std::replace(block.inputs.begin(), block.inputs.end(), from, before.name);
  assembly.inputs.insert({before.name, assembly.inputs.at(from)});
  assembly.inputs.erase(from);
  block.operators.insert(block.operators.begin(), {"IDENTITY", {before.name}, {from}, {}});
  block.operators.push_back({"IDENTITY", {to}, {after.name}, {}});
  block.outputs = {after.name};
  block.tensors.insert(block.tensors.end(), {before, after});
}

// --- All of them.

// One more of dimension `d`.
Breaker AddDimension(ArgumentCategory category, size_t k, size_t d) {
  return OfTensor(
      "graph.shape", category, k,
      [=](const Setting& setting, const ArgumentSpec& argument) {
        return HasBoundDimension(setting, argument, d);
      },
      [=](const Setting&, const ArgumentSpec&, DType&, Shape& shape) { shape[d] += 1; });
}

void AddTensor(std::vector<Breaker>& breakers, ArgumentCategory category, size_t k) {
  const auto add = [&](const std::string& condition, Applies applies, Change change) {
    breakers.push_back(OfTensor(condition, category, k, std::move(applies), std::move(change)));
  };
  add("graph.type_row", CanHaveWrongType, ToWrongType);
  add("graph.rank", HasLeastRank, ToLessRank);
  add("graph.rank", HasGreatestRank, ToMoreRank);
  for (size_t d = 0; d < 5; ++d) breakers.push_back(AddDimension(category, k, d));
  add("graph.shape", HasSharedShape, LastToMore);
  if (category == ArgumentCategory::kOutput) add("graph.shape", HasSharedShape, ToOne);
}

void AddAttribute(std::vector<Breaker>& breakers, size_t k) {
  const auto add = [&](bool (*applies)(const Setting&, size_t),
                       std::function<void(const Setting&, Assembly&, size_t)> change) {
    breakers.push_back(OfGraph(
        "graph.attribute", [=](const Setting& setting) { return applies(setting, k); },
        [k, change = std::move(change)](const Setting& setting, Assembly& assembly) {
          change(setting, assembly, k);
        }));
  };
  add(MustHaveAttribute, RemoveAttribute);
  add(HasAttribute, MistypeAttribute);
  add(HasEnumeration, UnknownValue);
  for (const bool longer : {true, false}) {
    add(HasListOfFixedLength, [=](const Setting& setting, Assembly& assembly, size_t attribute) {
      ChangeLength(setting, assembly, attribute, longer);
    });
  }
}

void AddLenient(std::vector<Breaker>& breakers) {
  const auto add = [&](const std::string& condition, SettingTest applies, GraphChange change) {
    breakers.push_back(More(OfGraph(condition, std::move(applies), std::move(change))));
  };
  for (size_t nth = 0; nth < 2; ++nth) {
    add(
        "graph.type_row", [=](const Setting& setting) { return HasUnsupportedType(setting, nth); },
        [=](const Setting& setting, Assembly& assembly) {
          ToUnsupportedType(setting, assembly, nth);
        });
  }
  for (size_t nth = 0; nth < 2; ++nth) {
    add(
        "graph.type_row", [=](const Setting& setting) { return HasWrongAccumulator(setting, nth); },
        [=](const Setting& setting, Assembly& assembly) {
          ToWrongAccumulator(setting, assembly, nth);
        });
  }
  for (const Shape& shape : {Shape{6, 4}, Shape{24}}) {
    add("graph.shape", ResultSharesShape, [=](const Setting& setting, Assembly& assembly) {
      ToOtherShape(setting, assembly, shape);
    });
  }
  for (size_t k = 1; k < 4; ++k) {
    for (const bool longer : {true, false}) {
      add(
          "graph.shape", [=](const Setting& setting) { return HasShapeOperand(setting, k); },
          [=](const Setting& setting, Assembly& assembly) {
            ChangeShapeOperand(setting, assembly, k, longer);
          });
    }
  }
  const auto between = [](bool legal) {
    return [=](const Setting& setting, Assembly& assembly) {
      BetweenIdentities(setting, assembly, legal);
    };
  };
  add("add.broadcast", IsAddBesideIdentity, between(false));
  breakers.back().legal = ToGraph(between(true));
}

}  // namespace

const std::vector<Breaker>& GraphBreakers() {
  static const std::vector<Breaker> breakers = [] {
    std::vector<Breaker> all;
    for (size_t k = 0; k < 2; ++k) AddTensor(all, ArgumentCategory::kOutput, k);
    for (size_t k = 0; k < 5; ++k) AddTensor(all, ArgumentCategory::kInput, k);
    for (size_t k = 0; k < 8; ++k) AddAttribute(all, k);
    all.push_back(OfGraph("graph.operand_count", HasOperand, OneOperandLess));
    all.push_back(OfGraph("graph.operand_count", HasNoList, OneOperandMore));
    all.push_back(OfGraph("graph.operand_count", IsNoControlFlow, OneResultMore));
    all.push_back(OfGraph("graph.operand_count", HasSeveralResults, OneResultLess));
    AddLenient(all);
    return all;
  }();
  return breakers;
}

}  // namespace cts
