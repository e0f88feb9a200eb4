#include "generator/graphs/graphs.h"

#include <algorithm>
#include <map>

#include "reference/base/contains.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

DType FirstType(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    if (const auto type = setting.row->PlainType(argument.element_type)) return *type;
  }
  return DType::kBool;
}

}  // namespace

const std::vector<GraphDomain>& GraphDomains() {
  static const std::vector<GraphDomain> domains = [] {
    std::vector<GraphDomain> all;
    for (const auto family :
         {QuantizedGraphs, BlockGraphs, FoldedGraphs, DataflowGraphs, RewriteGraphs, ConstantGraphs,
          ControlFlowGraphs, LayoutGraphs, SplitGraphs, SecondReaderGraphs, MovedGraphs,
          MergedGraphs, HandedOnGraphs}) {
      const std::vector<GraphDomain> some = family();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return domains;
}

std::function<Domain()> Plain(std::vector<Axis> (*axes)(const Setting&),
                              CaseDraft (*build)(const Choice&),
                              std::vector<Constraint> constraints) {
  return [=] { return Domain{.axes = axes, .constraints = constraints, .build = build}; };
}

Domain DomainOf(const GraphDomain& graph) {
  Domain domain = graph.domain();
  DeclareAxes(StrCat("graph ", graph.name), graph.op, graph.applies,
              OwnDomain(graph.op).declared.get(), domain);
  return domain;
}

const Domain& OwnDomain(std::string_view op) {
  static const std::map<std::string_view, Domain> domains = [] {
    std::map<std::string_view, Domain> all;
    for (const OperatorDomain& known : OperatorDomains()) {
      Domain& domain = all.emplace(known.name, known.domain()).first->second;
      DeclareAxes(std::string(known.name), known.name, nullptr, nullptr, domain);
    }
    return all;
  }();
  return domains.at(op);
}

std::vector<Axis> OwnAxes(const Setting& setting, const std::vector<std::string_view>& without,
                          size_t most) {
  std::vector<Axis> axes = OwnDomain(setting.spec->name).axes(setting);
  std::erase_if(axes, [&](const Axis& axis) { return Contains(without, axis.name); });
  for (Axis& axis : axes) {
    axis.more.clear();
    if (axis.name == "zero_point" || axis.name == "data") continue;
    axis.values.resize(std::min(axis.values.size(), most));
  }
  return axes;
}

std::vector<Axis> ShapeAndData() {
  return {kShapeAxis.With({"2x3x4x5", "61"}), kDataAxis.With({"full-range", "special"})};
}
std::vector<Axis> PlainAxes(const Setting&) { return ShapeAndData(); }

std::vector<Axis> AxesWith(Axis axis) { return {std::move(axis), kDataAxis.With({"full-range"})}; }

void AddAxis(std::vector<Axis>& axes, Axis axis) { axes.insert(axes.end() - 1, std::move(axis)); }

bool IsIntegerRow(const Setting& setting) {
  const DType type = FirstType(setting);
  return !IsFloat(type) && type != DType::kBool;
}
bool IsI8Row(const Setting& setting) { return FirstType(setting) == DType::kI8; }

Tensor WithoutShownZeros(Tensor values, std::string_view reader) {
  if (!IsFloat(values.dtype()) || (reader != "RECIPROCAL" && reader != "RSQRT")) return values;
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.Value(i) == 0 || IsSubnormal(values.dtype(), values.Value(i))) values.SetValue(i, 1);
  }
  return values;
}

bool HasIntegers(const Setting& setting) {
  return setting.Has(setting.edition->ProfileOf(NumberKind::kIntegers));
}

}  // namespace cts
