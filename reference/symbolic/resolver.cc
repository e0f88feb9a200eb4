#include "reference/symbolic/resolver.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "reference/ops/computation.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

int64_t NumberOf(const GraphOperator& op, std::string_view attribute) {
  return std::get<int64_t>(op.attributes.at(std::string(attribute)));
}

void Violate(std::string_view condition, const std::string& where, std::string message,
             std::vector<Violation>& violations) {
  violations.push_back({std::string(condition), where, std::move(message)});
}

// "[N,OH,OW,OC]" as the argument tables have it: the names of the dimensions.
std::vector<std::string> SplitList(std::string_view shape) {
  std::vector<std::string> names;
  if (!shape.starts_with('[')) return names;
  for (const char c : shape.substr(1)) {
    if (names.empty() || c == ',') names.emplace_back();
    if (c != ',' && c != ']') names.back() += c;
  }
  return names;
}

// Shapes of the operands that broadcast: "shape1", "shape2".
bool Broadcasts(const OperatorSpec& spec) {
  return spec.group == "elementwise-binary" || spec.group == "elementwise-ternary" ||
         spec.group == "comparison";
}

}  // namespace

Resolver::Resolver(const Graph& program, const Edition& edition, const Level& level)
    : program_(program), edition_(edition), level_(level) {
  graph_.regions.push_back({program.regions.front().name, {Block{.name = program.main().name}}});
  block().inputs = program.main().inputs;
  block().outputs = program.main().outputs;
  for (const GraphTensor& tensor : program.main().tensors) names_.insert(tensor.name);
}

Shape Resolver::ShapeOf(const GraphTensor& tensor) const {
  Shape shape = tensor.shape;
  for (size_t i = 0; i < tensor.symbols.size(); ++i) {
    if (tensor.symbols[i].empty()) continue;
    const auto known = symbols_.find(tensor.symbols[i]);
    shape[i] = known == symbols_.end() ? 1 : known->second;
  }
  return shape;
}

int64_t Resolver::IndexOf(const std::string& name) const { return constants_.at(name)->Integer(0); }

std::string Resolver::NewName(const std::string& output, std::string_view argument) {
  // As long as a case may have it.
  constexpr size_t kLongest = 100;
  std::string tail = StrCat("_", argument);
  for (int way = 2;; ++way) {
    std::string name = output.substr(0, kLongest - tail.size()) + tail;
    if (names_.insert(name).second) return name;
    tail = StrCat("_", argument, "_", way);
  }
}

void Resolver::AddConstant(const std::string& name, Tensor values) {
  const DType dtype = values.dtype();
  const auto shared = std::make_shared<const Tensor>(std::move(values));
  block().tensors.push_back({name, dtype, shared->shape(), shared});
  block().operators.push_back({dtype == DType::kShape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
  constants_[name] = shared;
}

void Resolver::Bind(const Binding& binding, const std::map<std::string, Tensor>& inputs,
                    std::vector<Violation>& violations) {
  const Block& main = program_.main();
  for (const std::string& symbol : InputSymbols(program_)) {
    if (binding.contains(symbol)) continue;
    Violate("symbol.unbound", "binding", StrCat("found no value for ", symbol), violations);
  }
  for (const auto& [symbol, value] : binding) {
    if (value < 1) {
      Violate("symbol.not_positive", "binding", StrCat(symbol, ": found ", value), violations);
    }
    symbols_[symbol] = value;
  }
  if (!violations.empty()) return;
  for (const std::string& name : main.inputs) {
    const GraphTensor& declared = *main.Find(name);
    GraphTensor tensor{name, declared.dtype, ShapeOf(declared), nullptr};
    // Operators refuse such an operand themselves, helpers do not.
    if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t n) { return n < 1; })) {
      Violate("graph.dimension", "binding",
              StrCat(name, ": found ", Describe(declared), ", expected dimensions of at least 1"),
              violations);
    }
    const auto given = inputs.find(name);
    if (given != inputs.end() && given->second.shape() != tensor.shape) {
      Violate("symbol.contradiction", "binding",
              StrCat(name, ": found shape ", ToString(given->second.shape()), ", expected ",
                     Describe(declared), " = ", ToString(tensor.shape)),
              violations);
    }
    block().tensors.push_back(std::move(tensor));
  }
}

const std::string& Resolver::WantedBy(size_t position) const {
  static const std::string none;
  const GraphOperator& op = program_.main().operators[position];
  if (op.op != "EXTRACT_DIM" || constants_.contains(op.inputs[0])) return none;
  return op.inputs[0];
}

void Resolver::Declare(const GraphTensor& tensor, const Shape& shape, bool must_fit,
                       const std::string& where, std::vector<Violation>& violations) {
  GraphTensor declared{tensor.name, tensor.dtype, tensor.shape, nullptr};
  bool fits = shape.size() == tensor.shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    const std::string& symbol = SymbolOf(tensor, i);
    if (symbol.empty()) {
      fits = !must_fit || shape[i] == tensor.shape[i];
    } else if (shape[i] < 1) {
      Violate("symbol.not_positive", where, StrCat(tensor.name, ": ", symbol, " is ", shape[i]),
              violations);
    } else if (const auto [known, added] = symbols_.emplace(symbol, shape[i]);
               !added && known->second != shape[i]) {
      Violate("symbol.contradiction", where,
              StrCat(tensor.name, ": ", symbol, " is ", known->second, ", the operator makes ",
                     shape[i]),
              violations);
    }
  }
  if (!fits && must_fit) {
    Violate("graph.output_shape", where,
            StrCat(tensor.name, ": found ", Describe(tensor), ", expected ", ToString(shape)),
            violations);
  }
  declared.shape = ShapeOf(tensor);
  block().tensors.push_back(std::move(declared));
}

Status Resolver::AppendConstant(const GraphOperator& op, const std::string& where,
                                const Tensor* wanted, std::vector<Violation>& violations) {
  const GraphTensor& output = *program_.main().Find(op.outputs[0]);
  const auto index = [&](int64_t value) {
    AddConstant(output.name, Tensor::OfIntegers(DType::kShape, {1}, {value}));
  };
  if (op.op == "INDEX_CONST") {
    index(NumberOf(op, "value"));
  } else if (op.op == "GET_DIM") {
    const Shape& shape = block().Find(op.inputs[0])->shape;
    const int64_t i = NumberOf(op, "dim_index");
    if (i < 0 || i >= static_cast<int64_t>(shape.size())) {
      Violate("get_dim.dim_index", where,
              StrCat("found ", i, " for ", op.inputs[0], " of shape ", ToString(shape)),
              violations);
      return absl::OkStatus();
    }
    index(shape[static_cast<size_t>(i)]);
  } else if (op.op == "EXTRACT_DIM") {
    if (wanted == nullptr) wanted = constants_.at(op.inputs[0]).get();
    const int64_t i = NumberOf(op, "dim_index");
    if (i < 0 || i >= wanted->size()) {
      Violate("extract_dim.dim_index", where,
              StrCat("found ", i, " for ", op.inputs[0], " of ", wanted->size(), " elements"),
              violations);
      return absl::OkStatus();
    }
    index(wanted->Integer(i));
  } else if (op.op == "DIMS_TO_TENSOR") {
    Tensor values(output.dtype, {static_cast<int64_t>(op.inputs.size())});
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const int64_t value = IndexOf(op.inputs[i]);
      if (value < IntegerMin(output.dtype) || value > IntegerMax(output.dtype)) {
        Violate("symbol.value_range", where,
                StrCat(op.inputs[i], " is ", value, ", which ", Name(output.dtype), " has not"),
                violations);
        return absl::OkStatus();
      }
      values.SetInteger(static_cast<int64_t>(i), value);
    }
    Declare(output, values.shape(), true, where, violations);
    block().tensors.pop_back();
    if (violations.empty()) AddConstant(output.name, std::move(values));
  } else {
    assert(op.op == "IOTA");
    // Like Python's range: one value is the limit, two are start and limit, three are start, limit
    // and step.
    using Wide = __int128;
    const size_t n = op.inputs.size();
    const Wide start = n == 1 ? 0 : IndexOf(op.inputs[0]);
    const Wide limit = IndexOf(op.inputs[n == 1 ? 0 : 1]);
    const Wide step = n == 3 ? IndexOf(op.inputs[2]) : 1;
    const Wide count = step > 0   ? (limit - start + step - 1) / step
                       : step < 0 ? (start - limit - step - 1) / -step
                                  : Wide{0};
    if (step == 0 || count < 1) {
      Violate("iota.range", where, "found no element", violations);
      return absl::OkStatus();
    }
    if (count > static_cast<Wide>(kMaxElements)) {
      // Callers look at its size before anything else.
      const auto size = static_cast<int64_t>(std::min<Wide>(count, INT64_MAX));
      block().tensors.push_back({output.name, output.dtype, {size}, nullptr});
      return absl::OkStatus();
    }
    Tensor values(output.dtype, {static_cast<int64_t>(count)});
    Wide value = start;
    for (int64_t i = 0; i < values.size(); ++i, value += step) {
      const auto number = static_cast<int64_t>(value);
      bool fits = true;
      if (IsFloat(output.dtype)) {
        values.SetElement(i, static_cast<double>(number));
        // Beyond 2^53 no type has every integer.
        fits = number > -(int64_t{1} << 53) && number < (int64_t{1} << 53) &&
               values.Element(i) == static_cast<double>(number);
      } else {
        values.SetInteger(i, number);
        fits = number >= IntegerMin(output.dtype) && number <= IntegerMax(output.dtype);
      }
      if (fits) continue;
      Violate("iota.range", where, StrCat(Name(output.dtype), " does not have ", number),
              violations);
      return absl::OkStatus();
    }
    Declare(output, values.shape(), true, where, violations);
    block().tensors.pop_back();
    if (violations.empty()) AddConstant(output.name, std::move(values));
  }
  return absl::OkStatus();
}

std::optional<Shape> Resolver::ReshapedTo(const GraphOperator& op, const std::string& where,
                                          std::vector<Violation>& violations) const {
  const GraphTensor& declared = *program_.main().Find(op.inputs[0]);
  const Shape& input = block().Find(op.inputs[0])->shape;
  const auto rank = static_cast<int64_t>(input.size());
  if (op.op == kReshape) {
    Shape shape = *IntegerList(op, kNewShape);
    size_t next = 1;
    for (int64_t& size : shape) {
      if (size == -1) size = IndexOf(op.inputs[next++]);
    }
    return shape;
  }
  const bool expands = op.op == "EXPAND_DIMS";
  const std::vector<int64_t>& indices = *IntegerList(op, "indices");
  for (size_t i = 0; i < indices.size(); ++i) {
    const bool ordered = i == 0 || indices[i - 1] < indices[i];
    if (ordered && indices[i] >= 0 && indices[i] < rank + (expands ? 1 : 0)) continue;
    Violate(expands ? "expand_dims.indices" : "collapse_dims.indices", where,
            StrCat("found ", ToString(indices), " for ", op.inputs[0], " of rank ", rank),
            violations);
    return std::nullopt;
  }
  Shape shape;
  auto next = indices.begin();
  for (int64_t i = 0; i <= rank; ++i) {
    const bool here = next != indices.end() && *next == i;
    if (here) ++next;
    if (expands && here) shape.push_back(1);
    if (i == rank || (here && !expands)) continue;
    shape.push_back(input[static_cast<size_t>(i)]);
  }
  if (expands) return shape;
  for (const int64_t i : indices) {
    if (declared.shape[static_cast<size_t>(i)] == 1) continue;  // a symbol is -1
    Violate("collapse_dims.not_one", where,
            StrCat("dimension ", i, " of ", op.inputs[0], ": ", Describe(declared)), violations);
    return std::nullopt;
  }
  return shape;
}

std::optional<GraphOperator> Resolver::StaticForm(const GraphOperator& op, const std::string& where,
                                                  std::vector<Violation>& violations) {
  const std::string& output = op.outputs[0];
  const RunTimeForm* form = FindRunTimeForm(op.op);
  if (form == nullptr) {
    const std::optional<Shape> shape = ReshapedTo(op, where, violations);
    if (!shape) return std::nullopt;
    const std::string name = NewName(output, "shape");
    AddConstant(name,
                Tensor::OfIntegers(DType::kShape, {static_cast<int64_t>(shape->size())}, *shape));
    return GraphOperator{std::string(kReshape), {op.inputs[0], name}, {output}, {}};
  }

  const OperatorSpec& spec = *edition_.FindOperator(form->base);
  GraphOperator made{spec.name, {}, {output}, op.attributes};
  size_t next = 0;  // of the operands that are tensors
  size_t first = 0;
  for (const ArgumentSpec& argument : spec.arguments) {
    first += argument.category == ArgumentCategory::kInput && !TakesAtRunTime(*form, argument.name);
  }
  size_t at = first;  // of the index values
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category == ArgumentCategory::kOutput) continue;
    const auto taken =
        std::find_if(form->arguments.begin(), form->arguments.end(),
                     [&](const auto& entry) { return entry.first == argument.name; });
    if (taken == form->arguments.end()) {
      if (argument.category == ArgumentCategory::kInput) made.inputs.push_back(op.inputs[next++]);
      continue;
    }
    const Shape& leading = block().Find(op.inputs[0])->shape;
    size_t count = 0;
    switch (taken->second) {
      case IndexCount::kRank:
        count = leading.size();
        break;
      case IndexCount::kTwiceRank:
        count = 2 * leading.size();
        break;
      case IndexCount::kTwo:
        count = 2;
        break;
      case IndexCount::kThree:
        count = 3;
        break;
      case IndexCount::kFour:
        count = 4;
        break;
      case IndexCount::kSix:
        count = 6;
        break;
      case IndexCount::kRest:
        count = op.inputs.size() - first;
        break;
    }
    const bool is_last = taken + 1 == form->arguments.end();
    const size_t left = op.inputs.size() - at;
    if (is_last ? left != count : left < count) {
      Violate("symbol.index_count", where,
              StrCat(argument.name, ": found ", left, " index values, expected ", count),
              violations);
      return std::nullopt;
    }
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i) values.push_back(IndexOf(op.inputs[at + i]));
    at += count;
    const auto length = static_cast<int64_t>(count);
    if (argument.category == ArgumentCategory::kInput && argument.type == "shape_t") {
      const std::string name = NewName(output, argument.name);
      AddConstant(name, Tensor::OfIntegers(DType::kShape, {length}, values));
      made.inputs.push_back(name);
      continue;
    }
    // The others are 32 bits wide.
    for (const int64_t value : values) {
      if (value >= IntegerMin(DType::kI32) && value <= IntegerMax(DType::kI32)) continue;
      Violate("symbol.value_range", where,
              StrCat(argument.name, ": found ", value, ", which i32 has not"), violations);
      return std::nullopt;
    }
    if (argument.category == ArgumentCategory::kAttribute) {
      made.attributes[argument.name] = values;
      continue;
    }
    // Indices: as many for each batch.
    const int64_t batches = leading.empty() ? 1 : std::max<int64_t>(leading[0], 1);
    if (length % batches != 0) {
      Violate("symbol.index_count", where,
              StrCat(argument.name, ": found ", length, " index values for ", batches,
                     " batches, expected as many for each"),
              violations);
      return std::nullopt;
    }
    const std::string name = NewName(output, argument.name);
    AddConstant(name, Tensor::OfIntegers(DType::kI32, {batches, length / batches}, values));
    made.inputs.push_back(name);
  }
  return made;
}

void Resolver::CheckBroadcast(const GraphOperator& op, const std::string& where,
                              std::vector<Violation>& violations) const {
  const OperatorSpec& spec = *edition_.FindOperator(op.op);
  if (!Broadcasts(spec)) return;
  std::vector<const GraphTensor*> operands;
  size_t next = 0;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput || next == op.inputs.size()) continue;
    const std::string& name = op.inputs[next++];
    if (argument.pattern.kind == ShapePattern::Kind::kNamed) {
      operands.push_back(program_.main().Find(name));
    }
  }
  for (const GraphTensor* operand : operands) {
    for (size_t i = 0; i < operand->symbols.size(); ++i) {
      if (operand->symbols[i].empty() || ShapeOf(*operand)[i] != 1) continue;
      for (const GraphTensor* other : operands) {
        const Shape shape = ShapeOf(*other);
        if (shape.size() != operand->shape.size() || shape[i] <= 1) continue;
        Violate("symbol.broadcast", where,
                StrCat(operand->name, ": ", operand->symbols[i], " is 1, ", other->name, " has ",
                       shape[i]),
                violations);
        return;
      }
    }
  }
}

std::map<std::string, int64_t> Resolver::SizesByName(const GraphOperator& op,
                                                     const OperatorSpec& spec) const {
  std::map<std::string, int64_t> sizes;
  size_t next = 0;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput || next == op.inputs.size()) continue;
    const GraphTensor* const tensor = block().Find(op.inputs[next++]);
    const std::vector<std::string> names = SplitList(argument.shape);
    if (tensor == nullptr || names.size() != tensor->shape.size()) continue;
    for (size_t i = 0; i < names.size(); ++i) sizes.emplace(names[i], tensor->shape[i]);
  }
  return sizes;
}

void Resolver::InferAndDeclare(GraphOperator op, const std::string& where,
                               std::vector<Violation>& violations) {
  const Block& main = program_.main();
  CheckBroadcast(op, where, violations);
  if (!violations.empty()) return;
  const OperatorSpec& spec = *edition_.FindOperator(op.op);
  Shapes shapes;
  {
    // A call passes over outputs that are not declared.
    const Call call(edition_, spec, level_, block(), op, constants_, {&graph_});
    const auto infer = FactsOf(spec.Seen().name).infer;
    if (call.fits() && infer != nullptr) {
      if (StatusOr<Shapes> inferred = infer(call); inferred.ok()) shapes = *std::move(inferred);
    }
  }
  // A bias of one element is for all channels.
  size_t operand = 0;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput || operand == op.inputs.size()) continue;
    const GraphTensor* const tensor = main.Find(op.inputs[operand++]);
    if (argument.name != "bias" || tensor == nullptr || tensor->symbols.empty()) continue;
    if (shapes.empty() || shapes[0].empty() || shapes[0].back() <= 1) continue;
    if (ShapeOf(*tensor) != Shape{1}) continue;
    Violate("symbol.broadcast", where,
            StrCat(tensor->name, ": ", tensor->symbols[0], " is 1, there are ", shapes[0].back(),
                   " channels"),
            violations);
    return;
  }
  // If no shape follows, conditions tell why, on a shape as near to a legal one as possible.
  const std::map<std::string, int64_t> sizes = SizesByName(op, spec);
  size_t next = 0;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kOutput || next == op.outputs.size()) continue;
    const GraphTensor& output = *main.Find(op.outputs[next]);
    Shape shape(output.shape.size(), 1);
    if (next < shapes.size()) {
      shape = shapes[next];
    } else {
      const std::vector<std::string> names = SplitList(argument.shape);
      for (size_t i = 0; i < shape.size(); ++i) {
        const auto size = names.size() == shape.size() ? sizes.find(names[i]) : sizes.end();
        if (size != sizes.end()) shape[i] = size->second;
        // It is not known to differ.
        const auto known = symbols_.find(SymbolOf(output, i));
        if (known != symbols_.end()) shape[i] = known->second;
      }
    }
    // The operator's own conditions say more about the dimensions.
    Declare(output, shape, false, where, violations);
    ++next;
  }
  // More than there are arguments are an error of the static graph, too.
  for (; next < op.outputs.size(); ++next) {
    const GraphTensor& output = *main.Find(op.outputs[next]);
    Declare(output, ShapeOf(output), false, where, violations);
  }
  block().operators.push_back(std::move(op));
}

Status Resolver::Append(size_t position, const Tensor* wanted, std::vector<Violation>& violations) {
  const GraphOperator& op = program_.main().operators[position];
  const std::string where = Place(program_, program_.main(), position);
  if (IsConstant(op)) {
    for (const std::string& name : op.outputs) {
      const GraphTensor& tensor = *program_.main().Find(name);
      block().tensors.push_back(tensor);
      if (tensor.values != nullptr) constants_[name] = tensor.values;
    }
    block().operators.push_back(op);
    return absl::OkStatus();
  }
  if (!IsSymbolic(op)) {
    InferAndDeclare(op, where, violations);
    return absl::OkStatus();
  }
  const SymbolicHelper* const helper = FindSymbolicHelper(op.op);
  if (helper != nullptr && op.op != "EXPAND_DIMS" && op.op != "COLLAPSE_DIMS") {
    return AppendConstant(op, where, wanted, violations);
  }
  if (std::optional<GraphOperator> made = StaticForm(op, where, violations)) {
    InferAndDeclare(*std::move(made), where, violations);
  }
  return absl::OkStatus();
}

Graph Resolver::Finish(const std::vector<std::string>& outputs) const {
  Graph graph = graph_;
  Block& made = graph.main();
  made.outputs = outputs;
  std::set<std::string> read(made.outputs.begin(), made.outputs.end());
  for (const GraphOperator& op : made.operators) read.insert(op.inputs.begin(), op.inputs.end());
  std::set<std::string> unread;
  for (const GraphOperator& op : made.operators) {
    const bool constant = IsConstant(op);
    // Constants that the program itself leaves unread stay.
    if (!constant || read.contains(op.outputs[0])) continue;
    const GraphTensor* const declared = program_.main().Find(op.outputs[0]);
    if (declared != nullptr && declared->values != nullptr) continue;
    unread.insert(op.outputs[0]);
  }
  std::erase_if(made.operators, [&](const GraphOperator& op) {
    return !op.outputs.empty() && unread.contains(op.outputs[0]);
  });
  std::erase_if(made.tensors,
                [&](const GraphTensor& tensor) { return unread.contains(tensor.name); });
  return graph;
}

}  // namespace cts
