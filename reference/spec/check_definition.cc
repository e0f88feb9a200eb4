// Definitions: what can be said of their steps without a call.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reference/spec/check_edition.h"

namespace cts {
namespace {

using Tensors = std::map<std::string, std::string>;  // name -> variable or type

std::vector<const ArgumentSpec*> ArgumentsOf(const OperatorSpec& op, ArgumentCategory category) {
  std::vector<const ArgumentSpec*> arguments;
  for (const ArgumentSpec& argument : op.arguments) {
    if (argument.category == category) arguments.push_back(&argument);
  }
  return arguments;
}

bool IsListOfTensors(const ArgumentSpec& argument) {
  return argument.type == "tensor_list_t" || argument.type == "shape_list_t";
}

std::string NamesIn(const Tensors& tensors) {
  std::string names;
  for (const auto& [name, type] : tensors) names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::optional<DType> TypeOf(const TypeRow& row, const std::string& type) {
  const std::optional<DType> bound = row.PlainType(type);
  return bound ? bound : ParseDType(type);
}

Status CheckConstant(const DefinitionConstant& constant, const std::string& place) {
  if (IsFloat(constant.dtype)) return absl::OkStatus();
  for (size_t i = 0; i < constant.values.size(); ++i) {
    const double value = constant.values[i];
    const auto least = static_cast<double>(IntegerMin(constant.dtype));
    const auto greatest = static_cast<double>(IntegerMax(constant.dtype));
    if (value == std::floor(value) && value >= least && value <= greatest) continue;
    return WrongAt(StrCat(place, "/values/", i), "found ", value, ", expected an integer from ",
                   IntegerMin(constant.dtype), " to ", IntegerMax(constant.dtype), ", as ",
                   Name(constant.dtype), " has");
  }
  return absl::OkStatus();
}

// The constant of a name; null for another tensor.
const DefinitionConstant* FindConstant(const OperatorSpec& spec, const std::string& name) {
  for (const DefinitionConstant& constant : spec.definition->constants) {
    if (constant.name == name) return &constant;
  }
  return nullptr;
}

// A step and what stands around it.
struct Step {
  const DefinitionStep& step;
  const OperatorSpec& op;    // of the definition's edition
  const OperatorSpec& spec;  // that is defined
  const Edition& base;       // the definition's edition
  const Edition& edition;    // of `spec`
  const Tensors& tensors;    // before the step
  const std::string& place;
};

// The rank of a constant is known without a call.
Status CheckRanksOfConstants(const Step& s, const std::vector<const ArgumentSpec*>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DefinitionConstant* const constant = FindConstant(s.spec, s.step.inputs[i]);
    if (constant == nullptr || !inputs[i]->min_rank || !inputs[i]->max_rank) continue;
    const auto rank = static_cast<int64_t>(constant->shape.size());
    const RankBound &least = *inputs[i]->min_rank, &greatest = *inputs[i]->max_rank;
    const bool is_less = !least.plus_max_rank && rank < least.constant;
    const bool is_more = !greatest.plus_max_rank && rank > greatest.constant;
    if (!is_less && !is_more) continue;
    return WrongAt(StrCat(s.place, "/inputs/", i), "found ", constant->name, " of rank ", rank,
                   ", expected rank ", is_less ? "at least " : "at most ",
                   is_less ? least.constant : greatest.constant, ", as ", inputs[i]->name, " of ",
                   s.op.name, " has");
  }
  return absl::OkStatus();
}

Status CheckInputs(const Step& s) {
  const auto inputs = ArgumentsOf(s.op, ArgumentCategory::kInput);
  for (size_t i = 0; i < s.step.inputs.size(); ++i) {
    if (s.tensors.contains(s.step.inputs[i])) continue;
    return WrongAt(StrCat(s.place, "/inputs/", i), "found input ", s.step.inputs[i],
                   ", expected an input of ", s.spec.name,
                   ", a constant or the output of a step before: ", NamesIn(s.tensors));
  }
  const bool is_list = inputs.size() == 1 && IsListOfTensors(*inputs[0]);
  if (is_list) return absl::OkStatus();
  if (inputs.size() == s.step.inputs.size()) return CheckRanksOfConstants(s, inputs);
  std::string names;
  for (const ArgumentSpec* input : inputs) names += (names.empty() ? "" : ", ") + input->name;
  return WrongAt(s.place + "/inputs", "found ", s.step.inputs.size(), " inputs, expected ",
                 inputs.size(), ", those of ", s.op.name, ": ", names);
}

Status CheckAttribute(const Step& s, const std::string& name, const DescribedValue& value) {
  const std::string place = StrCat(s.place, "/attributes/", name);
  const ArgumentSpec* const attribute = s.op.FindArgument(name);
  if (attribute == nullptr || attribute->category != ArgumentCategory::kAttribute) {
    std::string known;
    for (const ArgumentSpec* each : ArgumentsOf(s.op, ArgumentCategory::kAttribute)) {
      known += (known.empty() ? "" : ", ") + each->name;
    }
    return WrongAt(place, "expected an attribute of ", s.op.name, " in ", s.base.id, ": ",
                   known.empty() ? "it has none" : known);
  }
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr || !text->starts_with('$')) {
    if (IsValueOf(value, *attribute, s.base)) return absl::OkStatus();
    return WrongAt(place, "found ", TextOf(value), ", expected ", ValuesOf(*attribute, s.base));
  }
  const ArgumentSpec* const own = s.spec.FindArgument(text->substr(1));
  if (own == nullptr || own->category != ArgumentCategory::kAttribute || own->optional) {
    return WrongAt(place, "found ", *text, ", expected an attribute of ", s.spec.name,
                   " that is always there");
  }
  const std::string wanted = ValuesOf(*attribute, s.base), given = ValuesOf(*own, s.edition);
  if (wanted == given) return absl::OkStatus();
  return WrongAt(place, "found ", *text, ", which is ", given, "; expected ", wanted);
}

Status CheckAttributes(const Step& s) {
  for (const auto& [name, value] : s.step.attributes) {
    CTS_RETURN_IF_ERROR(CheckAttribute(s, name, value));
  }
  for (const ArgumentSpec* attribute : ArgumentsOf(s.op, ArgumentCategory::kAttribute)) {
    if (attribute->optional || s.step.attributes.contains(attribute->name)) continue;
    return WrongAt(s.place, "found no attribute ", attribute->name, ", expected it: ", s.op.name,
                   " of ", s.base.id, " needs ", ValuesOf(*attribute, s.base));
  }
  return absl::OkStatus();
}

// Whether a type row of the step's operator is for its attributes: RESIZE's rows say a mode.
bool IsFor(const TypeRow& row, const DefinitionStep& step) {
  return std::all_of(row.attributes.begin(), row.attributes.end(), [&](const auto& wanted) {
    const auto given = step.attributes.find(wanted.first);
    const auto* const text =
        given == step.attributes.end() ? nullptr : std::get_if<std::string>(&given->second);
    return text == nullptr || text->starts_with('$') || *text == wanted.second;
  });
}

// With the types of one row of the operator that is defined.
Status CheckTypes(const Step& s, const TypeRow& row) {
  const auto inputs = ArgumentsOf(s.op, ArgumentCategory::kInput);
  const ArgumentSpec& output = *ArgumentsOf(s.op, ArgumentCategory::kOutput)[0];
  std::string found;
  std::vector<std::pair<const ArgumentSpec*, DType>> given;
  const auto give = [&](const ArgumentSpec& argument, const std::string& name,
                        const std::string& type) {
    const std::optional<DType> dtype = TypeOf(row, type);
    if (!dtype) return;
    given.emplace_back(&argument, *dtype);
    found += StrCat(found.empty() ? "" : ", ", name, " of ", Name(*dtype));
  };
  for (size_t i = 0; i < s.step.inputs.size(); ++i) {
    const std::string& name = s.step.inputs[i];
    give(*inputs[std::min(i, inputs.size() - 1)], name, s.tensors.at(name));
  }
  give(output, s.step.output, s.step.type);
  const auto fits = [&](const TypeRow& each) {
    return IsFor(each, s.step) && std::all_of(given.begin(), given.end(), [&](const auto& one) {
             const std::optional<DType> wanted = TypeIn(each, *one.first);
             return !wanted || *wanted == one.second;
           });
  };
  const std::vector<TypeRow>& rows = s.op.type_rows;
  if (rows.empty() ? fits(TypeRow()) : std::any_of(rows.begin(), rows.end(), fits)) {
    return absl::OkStatus();
  }
  std::set<std::string> known;
  for (const TypeRow& each : rows) {
    std::string text;
    for (const auto& [argument, type] : given) {
      const std::optional<DType> wanted = TypeIn(each, *argument);
      if (wanted) text += StrCat(text.empty() ? "" : ", ", argument->name, " ", Name(*wanted));
    }
    known.insert(text);
  }
  std::string expected;
  for (const std::string& text : known) expected += (expected.empty() ? "" : "; ") + text;
  return WrongAt(s.place, "in the type row \"", row.mode, "\" found ", found,
                 ", expected types that ", s.op.name, " of ", s.base.id, " has: ", expected);
}

Status CheckStep(const Step& s) {
  const auto outputs = ArgumentsOf(s.op, ArgumentCategory::kOutput);
  const bool is_one_call = outputs.size() == 1 && !IsListOfTensors(*outputs[0]) &&
                           !s.op.name.starts_with("CONST") && s.op.group != "control-flow" &&
                           s.op.group != "variable" && s.op.group != "custom";
  if (!is_one_call) {
    return WrongAt(s.place + "/operator", "found ", s.op.name,
                   ", expected an operator that makes one tensor of others");
  }
  CTS_RETURN_IF_ERROR(CheckInputs(s));
  const bool is_variable =
      std::any_of(s.spec.type_rows.begin(), s.spec.type_rows.end(),
                  [&](const TypeRow& row) { return row.types.contains(s.step.type); });
  if (!is_variable && !ParseDType(s.step.type)) {
    return WrongAt(s.place + "/type", "found type ", s.step.type,
                   ", expected a variable of the type rows or a type: ", TypesOfTensors());
  }
  CTS_RETURN_IF_ERROR(CheckAttributes(s));
  for (const TypeRow& row : s.spec.type_rows) CTS_RETURN_IF_ERROR(CheckTypes(s, row));
  return absl::OkStatus();
}

// Tensors have a type in every row, attributes values that ValuesOf knows.
Status CheckOwnArguments(const OperatorSpec& spec, const Edition& edition,
                         const std::string& place) {
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const ArgumentSpec& argument = spec.arguments[i];
    const std::string own = StrCat(place, "/arguments/", i);
    if (argument.category == ArgumentCategory::kAttribute) {
      const std::string& type = argument.type;
      const bool is_known = type == "tensor_t" || type == "i32_t" || type == "bool_t" ||
                            edition.FindEnum(type) != nullptr;
      if (is_known) continue;
      return WrongAt(own + "/type", "found ", type,
                     ", expected tensor_t, i32_t, bool_t or an enumeration of the edition");
    }
    if (argument.type != "tensor_t") {
      return WrongAt(own + "/type", "found ", argument.type, ", expected tensor_t");
    }
    for (const TypeRow& row : spec.type_rows) {
      if (TypeIn(row, argument)) continue;
      return WrongAt(own + "/element_type", "found ", argument.element_type,
                     ", expected a variable of the type rows or a type: ", TypesOfTensors());
    }
  }
  return absl::OkStatus();
}

Status CheckSteps(const OperatorSpec& spec, const Edition& edition, const std::string& place) {
  const Definition& definition = *spec.definition;
  const StatusOr<const Edition*> found = FindEdition(definition.edition);
  if (!found.ok()) return WrongAt(place + "/edition", Message(found.status()));
  const Edition& base = **found;
  if (!base.Has(Feature::kExecuted)) {
    return WrongAt(place + "/edition", "found ", base.id,
                   ", whose operators are not executed; expected one of: ",
                   EditionsThatHave(Feature::kExecuted));
  }
  Tensors tensors;
  for (const ArgumentSpec* input : ArgumentsOf(spec, ArgumentCategory::kInput)) {
    tensors[input->name] = IsShapeArgument(*input) ? "shape" : input->element_type;
  }
  for (size_t i = 0; i < definition.constants.size(); ++i) {
    const DefinitionConstant& constant = definition.constants[i];
    const std::string own = StrCat(place, "/constants/", i);
    if (!tensors.emplace(constant.name, Name(constant.dtype)).second) {
      return WrongAt(own + "/name", "found ", constant.name,
                     ", which another tensor has; expected a name of its own");
    }
    CTS_RETURN_IF_ERROR(CheckConstant(constant, own));
  }
  for (size_t i = 0; i < definition.steps.size(); ++i) {
    const DefinitionStep& step = definition.steps[i];
    const std::string own = StrCat(place, "/steps/", i);
    const OperatorSpec* const op = base.FindOperator(step.op);
    if (op == nullptr) {
      return WrongAt(own + "/operator", "found ", step.op, ", an operator that ", base.id,
                     " does not have; tensor-cts list operators --edition ", base.id,
                     " shows those that it has");
    }
    CTS_RETURN_IF_ERROR(CheckStep({step, *op, spec, base, edition, tensors, own}));
    if (!tensors.emplace(step.output, step.type).second) {
      return WrongAt(own + "/output", "found ", step.output,
                     ", which another tensor has; expected a name of its own");
    }
  }
  std::string made;
  for (const DefinitionStep& step : definition.steps) {
    made += (made.empty() ? "" : ", ") + step.output;
  }
  const auto outputs = ArgumentsOf(spec, ArgumentCategory::kOutput);
  if (outputs.empty()) return WrongAt(place, "found no output of ", spec.name, ", expected one");
  for (const ArgumentSpec* output : outputs) {
    const auto step = std::find_if(definition.steps.begin(), definition.steps.end(),
                                   [&](const auto& each) { return each.output == output->name; });
    if (step == definition.steps.end()) {
      return WrongAt(place + "/steps", "no step makes output ", output->name,
                     ", expected one; the steps make ", made);
    }
    for (const TypeRow& row : spec.type_rows) {
      if (TypeOf(row, step->type) == TypeIn(row, *output)) continue;
      return WrongAt(StrCat(place, "/steps/", step - definition.steps.begin(), "/type"), "found ",
                     step->type, ", expected ", output->element_type, ", the type of output ",
                     output->name);
    }
  }
  return absl::OkStatus();
}

// --- The domain.

bool IsNumbers(std::string_view text, char separator, bool may_be_negative) {
  bool begins = true;  // a number
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (begins && may_be_negative && text[i] == 'm' && i + 1 < text.size()) continue;
    if (!is_digit && (begins || text[i] != separator)) return false;
    begins = !is_digit;
  }
  return !begins && text.size() <= 100;
}

Status CheckShapes(const OperatorSpec& spec, const Edition& edition,
                   const std::vector<std::string>& values, const std::string& place) {
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string own = StrCat(place, "/values/", i);
    const bool is_scalar = values[i] == "scalar";
    if (!is_scalar && !IsNumbers(values[i], 'x', false)) {
      return WrongAt(own, "found ", values[i], ", expected sizes such as 61x2, or scalar");
    }
    const int64_t rank = is_scalar ? 0 : 1 + std::count(values[i].begin(), values[i].end(), 'x');
    for (const ArgumentSpec* input : ArgumentsOf(spec, ArgumentCategory::kInput)) {
      if (!input->min_rank || !input->max_rank) continue;
      for (const Level& level : edition.levels) {
        const auto in_level = [&](const RankBound& bound) {
          return bound.constant + (bound.plus_max_rank ? level.Max("MAX_RANK") : 0);
        };
        const int64_t least = in_level(*input->min_rank), most = in_level(*input->max_rank);
        if (rank >= least && rank <= most) continue;
        return WrongAt(own, "found ", values[i], ", rank ", rank, ", expected rank ", least, " to ",
                       most, ", that of input ", input->name, " at level ", level.name);
      }
    }
  }
  return absl::OkStatus();
}

bool IsLabelOf(const std::string& label, const ArgumentSpec& attribute, const Edition& edition) {
  if (edition.FindEnum(attribute.type) != nullptr) return IsValueOf(label, attribute, edition);
  if (attribute.type == "bool_t") return label == "true" || label == "false";
  if (attribute.shape.starts_with('[')) return IsNumbers(label, '-', true);
  return IsNumbers(label, '\0', true) && label.size() < 18;
}

Status CheckDomain(const OperatorSpec& spec, const Edition& edition, const std::string& place) {
  std::set<std::string> varied;
  const std::vector<DescribedAxis>& axes = spec.domain->axes;
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::string own = StrCat(place, "/axes/", i);
    if (!varied.insert(axes[i].name).second) {
      return WrongAt(own + "/name", "found ", axes[i].name, " a second time, expected it once");
    }
    if (axes[i].name == "shape") {
      CTS_RETURN_IF_ERROR(CheckShapes(spec, edition, axes[i].values, own));
      continue;
    }
    const ArgumentSpec* const attribute = spec.FindArgument(axes[i].name);
    if (attribute == nullptr || attribute->category != ArgumentCategory::kAttribute) {
      return WrongAt(own + "/name", "found ", axes[i].name, ", expected shape or an attribute of ",
                     spec.name);
    }
    for (size_t k = 0; k < axes[i].values.size(); ++k) {
      if (IsLabelOf(axes[i].values[k], *attribute, edition)) continue;
      return WrongAt(StrCat(own, "/values/", k), "found ", axes[i].values[k], ", expected ",
                     ValuesOf(*attribute, edition),
                     ", written as labels are: m3 for -3, 1-0-2 for a list");
    }
  }
  if (!varied.contains("shape")) {
    return WrongAt(place + "/axes",
                   "found no axis shape, expected one: it gives inputs their shape");
  }
  for (const ArgumentSpec* attribute : ArgumentsOf(spec, ArgumentCategory::kAttribute)) {
    if (attribute->optional || varied.contains(attribute->name)) continue;
    return WrongAt(place + "/axes", "found no axis ", attribute->name,
                   ", expected one: ", spec.name, " needs the attribute");
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckDefinition(const OperatorSpec& spec, const Edition& edition, const std::string& place) {
  if (spec.domain == nullptr) {
    return WrongAt(place, "found a definition without a domain, expected both");
  }
  if (spec.type_rows.empty()) return WrongAt(place + "/type_rows", "found none, expected a row");
  CTS_RETURN_IF_ERROR(CheckOwnArguments(spec, edition, place));
  CTS_RETURN_IF_ERROR(CheckSteps(spec, edition, place + "/definition"));
  return CheckDomain(spec, edition, place + "/domain");
}

}  // namespace cts
