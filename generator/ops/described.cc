#include "generator/ops/described.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "generator/ops/operands.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/graph/call.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/relation.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  std::vector<Axis> axes;
  for (const DescribedAxis& axis : setting.spec->domain->axes) {
    axes.push_back({axis.name, axis.prefix, axis.values});
  }
  const bool is_free = std::none_of(axes.begin(), axes.end(),
                                    [](const Axis& axis) { return axis.name == "constant"; });
  if (is_free && setting.edition->FindOperator("CONST") != nullptr) axes.push_back(ConstantAxis());
  axes.push_back(kDataAxis.With(setting.spec->domain->data_sets));
  return axes;
}

// A label as the value of an attribute.
AttributeValue ValueOf(const Setting& setting, const ArgumentSpec& argument,
                       const std::string& label) {
  if (setting.edition->FindEnum(argument.type) != nullptr) return label;
  if (argument.type == "bool_t") return label == "true";
  if (argument.shape.starts_with('[')) return ParseNumbers(label);
  return ParseNumbers(label).front();
}

using Values = std::map<std::string, std::shared_ptr<const Tensor>>;

// The values of constants; null for other tensors.
Values ValuesOf(const Block& block) {
  Values values;
  for (const GraphTensor& tensor : block.tensors) values[tensor.name] = tensor.values;
  return values;
}

// Gives the draft the output shape that follows from its inputs and attributes. An error if none
// does.
Status SettleOutputShape(const Setting& setting, CaseDraft& draft) {
  const StatusOr<Assembly> assembly = AssembleGraph(setting, draft);
  if (!assembly.ok()) return draft.failure = assembly.status();
  const Block& block = assembly->graph.main();
  const GraphOperator& op = block.operators.back();
  const StatusOr<std::map<std::string, Shape>> shapes =
      InferShapes(op, block, ValuesOf(block), *setting.edition, *setting.level);
  if (!shapes.ok()) return shapes.status();
  const std::string& output = op.outputs.front();
  for (size_t i = 0; i < setting.spec->arguments.size(); ++i) {
    const ArgumentSpec& argument = setting.spec->arguments[i];
    if (argument.category != ArgumentCategory::kOutput) continue;
    // A draft has shapes as the operator's text sees them.
    draft.output_shape = Permute(shapes->at(output), argument.view_axes);
    break;
  }
  return absl::OkStatus();
}

CaseDraft Build(const Choice& choice) {
  const Setting& setting = choice.setting;
  CaseDraft draft;
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category == ArgumentCategory::kInput) {
      const std::optional<DType> type = TypeOfElements(setting, argument);
      if (!type) {
        draft.failure = InvalidArgument(setting.spec->name, ": no type for ", argument.name);
        return draft;
      }
      draft.Input(argument.name, Filled(choice, argument.name, *type, choice[kShapeAxis]));
    } else if (argument.category == ArgumentCategory::kAttribute &&
               choice.labels.Has(argument.name)) {
      draft.Set(argument.name, ValueOf(setting, argument, choice[argument.name].text()));
    } else if (argument.category == ArgumentCategory::kOutput) {
      draft.output_type = TypeOfElements(setting, argument).value_or(DType::kBool);
    }
  }
  // An edition of a user may have an attribute of this name, with other values.
  if (choice.labels.Has(kConstantAxis.name) &&
      kConstantAxis.Lists(choice.labels[kConstantAxis.name].text())) {
    SetConstants(choice, draft);
  }
  draft.output_shape = {1};  // any, before it is known
  draft.failure = SettleOutputShape(setting, draft);
  return draft;
}

}  // namespace

Domain DescribedDomain() { return {.axes = Axes, .build = Build}; }

std::vector<Breaker> DescribedBreakers(const OperatorSpec& spec) {
  std::vector<Breaker> breakers;
  for (const DescribedCondition& condition : spec.conditions) {
    if (!condition.is_error || condition.example.empty()) continue;
    breakers.push_back(
        {condition.id, {}, nullptr, [&condition](const Setting& setting, CaseDraft& draft) {
           for (const auto& [name, value] : condition.example) {
             const auto& arguments = setting.spec->arguments;
             for (size_t i = 0; i < arguments.size(); ++i) {
               if (arguments[i].name != name) continue;
               draft.Set(setting.spec->Seen().arguments[i].name, value);
             }
           }
           // A call that breaks the condition may have no shape of its output.
           SettleOutputShape(setting, draft).IgnoreError();
         }});
  }
  return breakers;
}

namespace {

// Calls `f` with each call of the setting's operator in what the draft makes, as long as they fit
// the argument tables.
template <class F>
void ForEachCall(const Setting& setting, const CaseDraft& draft, F f) {
  const StatusOr<Assembly> assembly = AssembleGraph(setting, draft);
  if (!assembly.ok()) return;  // the error comes when the case is made
  const Block& block = assembly->graph.main();
  for (const GraphOperator& op : block.operators) {
    if (op.op != setting.spec->name) continue;
    const Call call(*setting.edition, *setting.spec, *setting.level, block, op, ValuesOf(block));
    if (!call.fits()) return;
    f(call);
  }
}

}  // namespace

const DescribedCondition* ForbiddenBy(const Setting& setting, const CaseDraft& draft) {
  const OperatorSpec& spec = *setting.spec;
  if (spec.conditions.empty()) return nullptr;
  const Conditions known = ConditionsOf(*OperatorFor(spec), spec, *setting.edition);
  const DescribedCondition* first = nullptr;
  ForEachCall(setting, draft, [&](const Call& call) {
    for (const DescribedCondition& described : spec.conditions) {
      for (const Condition& condition : known) {
        if (first != nullptr || condition.id != described.id) continue;
        if (condition.broken(call)) first = &described;
      }
    }
  });
  return first;
}

std::vector<std::string> RelationsIn(const Setting& setting, const CaseDraft& draft) {
  std::vector<std::string> names;
  ForEachCall(setting, draft, [&](const Call& call) {
    for (const Relation& relation : RelationsOf(setting.spec->Seen().name)) {
      if (relation.holds(call)) names.push_back(relation.name);
    }
  });
  return names;
}

}  // namespace cts
