// VARIABLE, VARIABLE_WRITE and VARIABLE_READ, always together: what one writes, another execution
// reads.
#include "generator/ops/domain.h"
#include "generator/ops/limits.h"

namespace cts::variable_domain {
namespace {

constexpr ParsedAxis<int64_t> kExecutionsAxis{"executions", "n", ParseNumber};
constexpr ListedAxis<bool> kInitialAxis{"initial", "initial-", {{"given", true}, {"none", false}}};

std::vector<Axis> Axes(const Setting& setting) {
  // Without an initial value nothing may be read in the first execution. Such a case can only show
  // that declaring and writing are accepted.
  Axis initial = kInitialAxis.All();
  if (setting.Text() == "VARIABLE_READ") initial.values.pop_back();
  return {kShapeAxis.With({"9x14", "scalar", WithMaxRank(setting, "2x3x1x2x4x3")},
                          {"61", "1", "3x5x7", "2x3x4x5", "2x1x3x4x5"}),
          kExecutionsAxis.With({"3", "1", "2"}, {"7"}), std::move(initial),
          kDataAxis.With({"full-range", "special"})};
}

// The one type of the row, whatever the operator calls it.
DType RowType(const Setting& setting) { return *ParseDType(setting.row->types.begin()->second); }

// Names the variable as the edition does.
GraphOperator OfVariable(const Setting& setting, std::string_view op) {
  GraphOperator node{.op = std::string(op), .inputs = {}, .outputs = {}, .attributes = {}};
  if (setting.edition->FindOperator(op)->FindArgument("uid") != nullptr) {
    node.attributes["uid"] = int64_t{7};
  } else {
    node.attributes["name"] = std::string("state");
  }
  return node;
}

CaseDraft Build(const Choice& choice) {
  const Setting& setting = choice.setting;
  const DType type = RowType(setting);
  const Shape shape = choice[kShapeAxis];
  const bool initial = choice[kInitialAxis];
  Assembly assembly;
  assembly.graph = EmptyGraph();
  assembly.extensions = {
      "EXT-VARIABLE",
      setting.edition->ProfileOf(IsFloat(type) ? NumberKind::kFloats : NumberKind::kIntegers)};
  Block& block = assembly.graph.main();
  const auto constant = [&](std::string name, const Tensor& values) {
    const DType dtype = values.dtype();
    block.tensors.push_back(
        {std::move(name), dtype, values.shape(), std::make_shared<const Tensor>(values)});
  };

  GraphOperator declare = OfVariable(setting, "VARIABLE");
  declare.attributes["var_shape"] = shape;
  declare.attributes["type"] = std::string(type == DType::kI8     ? "INT8"
                                           : type == DType::kFp16 ? "FP16"
                                                                  : "FP32");
  if (initial) {
    constant("initial", Filled(choice, "initial", type, shape));
    declare.attributes["initial_value"] = std::string("initial");
  }
  block.operators.push_back(std::move(declare));

  block.inputs = {"input"};
  block.tensors.push_back({"input", type, shape, nullptr});
  const int64_t executions = choice[kExecutionsAxis];
  for (int64_t k = 0; k < executions; ++k) {
    Tensor given = Filled(choice, StrCat("input", k), type, shape);
    if (k == 0) {
      assembly.inputs.emplace("input", std::move(given));
    } else {
      assembly.later_inputs.push_back({{"input", std::move(given)}});
    }
  }

  GraphOperator write = OfVariable(setting, "VARIABLE_WRITE");
  if (initial) {
    // The new state depends on the old one: only a tensor decides on the order. SELECT takes some
    // elements of either, exactly, in every type of the table.
    GraphOperator read = OfVariable(setting, "VARIABLE_READ");
    read.outputs = {"before"};
    block.tensors.push_back({"before", type, shape, nullptr});
    block.operators.push_back(std::move(read));
    constant("mask", FullRange(choice.Stream("mask"), DType::kBool, shape));
    block.operators.push_back({"CONST", {}, {"mask"}, {}});
    block.tensors.push_back({"after", type, shape, nullptr});
    block.operators.push_back({"SELECT", {"mask", "input", "before"}, {"after"}, {}});
    write.inputs = {"after"};
    block.outputs = {"before", "after"};
  } else {
    block.tensors.push_back({"output", type, shape, nullptr});
    block.operators.push_back({"IDENTITY", {"input"}, {"output"}, {}});
    write.inputs = {"input"};
    block.outputs = {"output"};
  }
  block.operators.push_back(std::move(write));

  CaseDraft draft;
  draft.whole = std::move(assembly);
  return draft;
}

// The variable gets a type that no row has; everything else stays.
void WrongType(const Setting&, CaseDraft& draft) {
  Block& block = draft.Whole().graph.main();
  block.operators[0].attributes["type"] = std::string("INT16");
  for (GraphTensor& tensor : block.tensors) {
    if (tensor.name != "initial") continue;
    tensor.dtype = DType::kI16;
    tensor.values = std::make_shared<const Tensor>(DType::kI16, tensor.shape);
  }
}

std::vector<LimitCase> RankLimit() {
  return {{"MAX_RANK", "", {}, nullptr, [](const Setting& setting, CaseDraft& draft) {
             draft = BuildAt(draft, Axes, Build, {{"shape", WithMaxRank(setting, "7x4x3")}});
           }}};
}

}  // namespace

Domain VariableDomain() {
  return {.axes = Axes,
          .constraints = {RoomForSpecials()},
          .build = Build,
          .breakers = {{"graph.type_row",
                        {{"initial", "given"}, {"executions", "1"}},
                        [](const Setting& setting) { return !IsFloat(RowType(setting)); },
                        WrongType}},
          .limits = RankLimit()};
}
Domain VariableWriteDomain() {
  return {.axes = Axes, .constraints = {RoomForSpecials()}, .build = Build, .limits = RankLimit()};
}
Domain VariableReadDomain() {
  return {.axes = Axes, .constraints = {RoomForSpecials()}, .build = Build, .limits = RankLimit()};
}

}  // namespace cts::variable_domain
