// Tables of precision: that results have rows, and rows have bounds that the program can compute.
#include <algorithm>
#include <map>
#include <set>

#include "reference/spec/check_edition.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

// Classes whose bounds are made of operands and attributes that a text knows by name.
bool NeedsItsText(const PrecisionRow& row) {
  return row.Is<PowerPrecision>() || row.Is<LargestInputPrecision>() ||
         row.Is<ProductPrecision>() || row.Is<IntervalPrecision>() || row.Is<DotProductPrecision>();
}

// Whether the rows have the same class, and the same ends or length.
bool AreAlike(const PrecisionRow& a, const PrecisionRow& b) {
  if (a.precision.index() != b.precision.index()) return false;
  if (const auto* const interval = a.As<IntervalPrecision>()) {
    return interval->ends == b.As<IntervalPrecision>()->ends;
  }
  const auto* const sum = a.As<DotProductPrecision>();
  return sum == nullptr || sum->length == b.As<DotProductPrecision>()->length;
}

// Whether an embedded edition that is executed has a row like this one for the text.
bool IsKnownOf(const std::string& text, const PrecisionRow& row) {
  for (const Edition* edition : ExecutedEditions()) {
    if (edition->precision == nullptr) continue;
    for (const PrecisionRow& known : edition->precision->rows()) {
      if (!AreAlike(known, row)) continue;
      if (edition->FindOperator(known.op)->Seen().name == text) return true;
    }
  }
  return false;
}

Status CheckRow(const OperatorSpec& spec, const PrecisionRow& row, const std::string& place) {
  const OperatorSpec& seen = spec.Seen();
  if (NeedsItsText(row) && (spec.definition != nullptr || !IsKnownOf(seen.name, row))) {
    return WrongAt(
        place + "/class", "found a class whose bound the program cannot compute for ", spec.name,
        ", expected exact, ulp, elementwise or relative_and_absolute",
        spec.definition != nullptr
            ? ""
            : StrCat(", or a class, ends and length that an edition has for ", seen.name));
  }
  const auto* const bound = row.As<ElementwisePrecision>();
  if (bound != nullptr && bound->NeedsArgument()) {
    std::string inputs;
    size_t count = 0;
    for (const ArgumentSpec& argument : seen.arguments) {
      if (argument.category != ArgumentCategory::kInput) continue;
      inputs += (inputs.empty() ? "" : ", ") + argument.name;
      ++count;
    }
    if (count != 1 || (inputs != "input" && inputs != "input1")) {
      return WrongAt(place + (bound->table ? "/table" : "/slope"),
                     "found a bound that depends on the ", "operand of ", spec.name,
                     ", expected an operator with one operand, which its ",
                     "text calls input or input1; found ", inputs.empty() ? "none" : inputs);
    }
  }
  const auto* const sum = row.As<DotProductPrecision>();
  if (sum == nullptr) return absl::OkStatus();
  std::vector<std::string> operands = sum->whole_inputs;
  if (!sum->counted.empty()) operands.push_back(sum->counted);
  for (const std::string& operand : operands) {
    if (seen.FindArgument(operand) != nullptr) continue;
    return WrongAt(place, "found the operand ", operand, ", expected one of ", spec.name, ": ",
                   NamesOf(seen.arguments));
  }
  return absl::OkStatus();
}

// The values that attributes have by which rows of an operator differ, in every combination.
std::vector<std::map<std::string, std::string>> Combinations(const OperatorSpec& spec,
                                                             const Edition& edition) {
  std::set<std::string> names;
  for (const PrecisionRow& row : edition.precision->rows()) {
    if (row.op != spec.name) continue;
    for (const auto& [name, value] : row.attributes) names.insert(name);
  }
  std::vector<std::map<std::string, std::string>> combinations = {{}};
  for (const std::string& name : names) {
    const ArgumentSpec* const attribute = spec.Seen().FindArgument(name);
    const EnumSpec* const values = edition.FindEnum(attribute->type);
    if (values == nullptr) continue;
    std::vector<std::map<std::string, std::string>> more;
    for (const auto& combination : combinations) {
      for (const EnumValue& value : values->values) {
        more.push_back(combination);
        more.back()[name] = value.name;
      }
    }
    combinations = std::move(more);
  }
  return combinations;
}

// Adds the rows that results of the operator have.
Status CheckResults(const OperatorSpec& spec, const Edition& edition,
                    std::set<const PrecisionRow*>& used) {
  for (const auto& attributes : Combinations(spec, edition)) {
    const auto value = [&](const std::string& name) {
      const auto found = attributes.find(name);
      return found == attributes.end() ? std::string() : found->second;
    };
    for (const TypeRow& row : spec.type_rows) {
      for (const ArgumentSpec& argument : spec.arguments) {
        if (argument.category != ArgumentCategory::kOutput) continue;
        const std::optional<DType> type = TypeIn(row, argument);
        if (type == DType::kShape) continue;
        if (type) {
          CTS_ASSIGN_OR_RETURN(const PrecisionRow* const binding,
                               edition.precision->Find(spec.name, row, *type, value));
          used.insert(binding);
          continue;
        }
        // The elements of a list may be of any type.
        for (const DTypeInfo& any : kDTypes) {
          if (any.dtype == DType::kShape) continue;
          const auto binding = edition.precision->Find(spec.name, row, any.dtype, value);
          if (binding.ok()) used.insert(*binding);
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckPrecision(const Edition& edition, const std::string& file) {
  const PrecisionTable& table = *edition.precision;
  std::set<std::string> forms;
  for (const Edition* known : ExecutedEditions()) {
    if (known->precision != nullptr) forms.insert(known->precision->form());
  }
  if (!forms.contains(table.form())) {
    std::string names;
    for (const std::string& form : forms) names += (names.empty() ? "" : ", ") + form;
    return WrongAt(file + ": /form", "found ", table.form(),
                   ", expected a comparing function: ", names);
  }
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const PrecisionRow& row = table.rows()[i];
    CTS_RETURN_IF_ERROR(CheckRow(*edition.FindOperator(row.op), row, StrCat(file, ": /rows/", i)));
  }
  std::set<const PrecisionRow*> used;
  for (const OperatorSpec& spec : edition.operators) {
    CTS_RETURN_IF_ERROR(CheckResults(spec, edition, used));
  }
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const PrecisionRow& row = table.rows()[i];
    if (used.contains(&row)) continue;
    return WrongAt(StrCat(file, ": /rows/", i), "found a row that binds no result of ", row.op,
                   ", expected its results, types and attributes to be some that ", row.op,
                   " has; correct them, or take the row out");
  }
  return absl::OkStatus();
}

}  // namespace cts
