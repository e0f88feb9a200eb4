// Every operator with only constants as operands: a compiler folds it by other code than the code
// that runs it.
#include <algorithm>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

enum Family { kInteger, kFloat, kBoolean };

Family FamilyOf(const OperatorSpec& spec, const TypeRow& row) {
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    const auto type = row.Type(argument.element_type);
    if (!type) continue;
    return *type == DType::kBool ? kBoolean : IsFloat(*type) ? kFloat : kInteger;
  }
  return kBoolean;
}

bool NeedsNoExtension(const TypeRow& row) {
  return std::any_of(row.profiles.begin(), row.profiles.end(), [](const auto& alternative) {
    return std::none_of(alternative.begin(), alternative.end(),
                        [](const std::string& name) { return name.starts_with("EXT-"); });
  });
}

// Whether the row stands for its family: it is of the base profiles, where the operator is in any
// of them (FFT2D is not). A CAST of random integers to bool gives nothing but true.
bool Serves(const OperatorSpec& spec, const TypeRow& row) {
  if (spec.name == "CAST" && row.Type("out_t") == DType::kBool) return false;
  return NeedsNoExtension(row) ||
         std::none_of(spec.type_rows.begin(), spec.type_rows.end(), NeedsNoExtension);
}

// The first such row of each family: folding has the same code for all.
bool IsFirstOfItsFamily(const Setting& setting) {
  if (!Serves(*setting.spec, *setting.row)) return false;
  const Family family = FamilyOf(*setting.spec, *setting.row);
  for (const TypeRow& row : setting.spec->type_rows) {
    if (&row == setting.row) return true;
    if (Serves(*setting.spec, row) && FamilyOf(*setting.spec, row) == family) return false;
  }
  return false;
}

bool Allows(const std::vector<Constraint>& constraints, const Setting& setting,
            const Labels& labels) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
    const bool decided = std::none_of(constraint.axes.begin(), constraint.axes.end(),
                                      [&](std::string_view axis) { return !labels.Has(axis); });
    return !decided || constraint.holds(setting, labels);
  });
}

// The operator's own cases vary the parameters. Here each parameter has the first value that fits
// those before it.
std::vector<Axis> ConstantsAxes(const Setting& setting) {
  const std::vector<Constraint>& constraints = OwnDomain(setting.spec->name).constraints;
  std::vector<Axis> axes = OwnAxes(setting, {}, 99);
  Labels labels;
  for (Axis& axis : axes) {
    for (const std::string& value : axis.values) {
      labels.Set(axis.name, value);
      if (Allows(constraints, setting, labels)) break;
    }
    axis.values = {labels[axis.name].text()};
  }
  return axes;
}

CaseDraft BuildConstants(const Choice& choice) {
  GraphBuilder builder(choice);
  CaseDraft own = OwnDomain(choice.setting.spec->name).build(choice);
  for (auto& [name, argument] : own.arguments) {
    if (auto* operand = std::get_if<TensorArgument>(&argument)) operand->constant = true;
  }
  CaseDraft draft = builder.Finish(builder.Append(choice.setting, own));
  draft.one_value = own.one_value;
  return draft;
}

// Whether the operator computes something from tensors, by itself.
bool Computes(std::string_view op) {
  constexpr std::string_view kOthers[] = {
      "COND_IF",   "WHILE_LOOP",  "VARIABLE", "VARIABLE_WRITE", "VARIABLE_READ", "CUSTOM",
      "CONST",     "CONST_SHAPE", "DIM",      "ADD_SHAPE",      "CONCAT_SHAPE",  "DIV_SHAPE",
      "MUL_SHAPE", "SUB_SHAPE"};
  return !Contains(kOthers, op);
}

Domain ConstantsDomain() { return {ConstantsAxes, {}, BuildConstants}; }

}  // namespace

std::vector<GraphDomain> ConstantGraphs() {
  // Graphs are named by string views; this keeps the strings.
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const OperatorDomain& op : OperatorDomains()) {
      std::string name = StrCat(op.name, "-of-constants");
      for (char& c : name) {
        if (c == '_') c = '-';
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      }
      all.push_back(std::move(name));
    }
    return all;
  }();
  std::vector<GraphDomain> graphs;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view op = OperatorDomains()[i].name;
    if (Computes(op)) graphs.push_back({names[i], op, IsFirstOfItsFamily, ConstantsDomain});
  }
  return graphs;
}

}  // namespace cts
