// Every operator with only constants as operands: a compiler folds it by other code than the code
// that runs it. And every operator between others that read its operands behind it: a result that
// is written over an operand shows there.
#include <algorithm>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "reference/ops/facts.h"

namespace cts {
namespace {

enum Family { kInteger, kFloat, kBoolean };

Family FamilyOf(const OperatorSpec& spec, const TypeRow& row) {
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    const auto type = row.PlainType(argument.element_type);
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

// Whether an operand of the type may be the result of a REVERSE and of an IDENTITY.
bool IsMovable(const Setting& setting, DType type) {
  return operand_rows::HasRow(setting, "REVERSE", type) &&
         operand_rows::HasRow(setting, "IDENTITY", type);
}

constexpr ListedAxis<bool> kViewsAxis{"reads", "", {{"results", false}, {"views", true}}};

std::vector<Axis> ReadAgainAxes(const Setting& setting) {
  std::vector<Axis> axes = ConstantsAxes(setting);
  AddAxis(axes, kViewsAxis.All());
  return axes;
}

Tensor Reversed(const Tensor& values) {
  Tensor reversed = values;
  const int64_t inner = values.size() / values.shape()[0];
  for (int64_t i = 0; i < values.size(); ++i) {
    reversed.SetBits(i, values.Bits(values.size() - inner - i / inner * inner + i % inner));
  }
  return reversed;
}

// Each operand is the result of a REVERSE, or an IDENTITY of it, which shares its memory. Another
// REVERSE reads the same result behind the operator.
CaseDraft BuildReadAgain(const Choice& choice) {
  GraphBuilder builder(choice);
  CaseDraft own = OwnDomain(choice.setting.spec->name).build(choice);
  GraphBuilder::Names results;
  for (auto& [name, argument] : own.arguments) {
    auto* const operand = std::get_if<TensorArgument>(&argument);
    if (operand == nullptr || operand->constant) continue;
    GraphBuilder::Names read;
    for (const Tensor& values : operand->tensors) {
      if (values.shape().empty() || !IsMovable(choice.setting, values.dtype())) continue;
      const GraphBuilder::Name given =
          builder.Input(StrCat("given_", results.size()),
                        Reversed(WithoutShownZeros(values, choice.setting.spec->name)));
      results.push_back(builder.Apply("REVERSE", {given}, {{"axis", int64_t{0}}}));
      read.push_back(choice[kViewsAxis] ? builder.Apply("IDENTITY", {results.back()})
                                        : results.back());
    }
    if (read.empty() || read.size() != operand->tensors.size()) continue;
    operand->tensors.clear();
    operand->known = std::move(read);
  }
  GraphBuilder::Names outputs = builder.Append(choice.setting, own);
  for (const GraphBuilder::Name& result : results) {
    outputs.push_back(builder.Apply("REVERSE", {result}, {{"axis", int64_t{0}}}));
  }
  CaseDraft draft = builder.Finish(outputs);
  draft.one_value = own.one_value;
  return draft;
}

// Whether there are graphs of the row: the first operand of the row's types may be reversed.
bool IsReadAgain(const Setting& setting) {
  if (!IsFirstOfItsFamily(setting)) return false;
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    const auto type = setting.row->PlainType(argument.element_type);
    if (type) return IsMovable(setting, *type);
  }
  return false;
}

// Whether the operator computes something from tensors, by itself.
bool Computes(std::string_view op) {
  const OperatorFacts& facts = FactsOf(op);
  return facts.role == GraphRole::kComputes && facts.reads_values;
}
Domain ReadAgainDomain() { return {.axes = ReadAgainAxes, .build = BuildReadAgain}; }

std::string GraphName(std::string_view op, std::string_view end) {
  std::string name = StrCat(op, end);
  for (char& c : name) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

}  // namespace

std::vector<GraphDomain> ConstantGraphs() {
  struct Names {
    std::string of_constants, read_again;
  };
  // Graphs are named by string views; this keeps the strings.
  static const std::vector<Names> names = [] {
    std::vector<Names> all;
    for (const OperatorDomain& op : OperatorDomains()) {
      all.push_back({GraphName(op.name, "-of-constants"), GraphName(op.name, "-read-again")});
    }
    return all;
  }();
  std::vector<GraphDomain> graphs;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view op = OperatorDomains()[i].name;
    if (!Computes(op)) continue;
    graphs.push_back(
        {names[i].of_constants, op, IsFirstOfItsFamily, Plain(ConstantsAxes, BuildConstants)});
    graphs.push_back({names[i].read_again, op, IsReadAgain, ReadAgainDomain});
  }
  return graphs;
}

}  // namespace cts
