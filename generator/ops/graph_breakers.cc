// What breaks the argument tables of any operator.
#include <algorithm>
#include <array>
#include <optional>

#include "generator/ops/domain.h"

namespace cts {
namespace {

const ArgumentSpec* OutputOf(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) return &argument;
  }
  return nullptr;
}

// Control flow and variables build their own graphs, and break them themselves.
bool BuildsItsGraph(const Setting& setting) {
  return setting.spec->group == "control-flow" || setting.spec->group == "variable";
}

// Operators that yield a shape are left out: no graph can give their output another type.
bool HasInputs(const Setting& setting) {
  if (BuildsItsGraph(setting)) return false;
  const ArgumentSpec* output = OutputOf(setting);
  if (output != nullptr && output->type == "shape_t") return false;
  const auto& arguments = setting.spec->arguments;
  return std::any_of(arguments.begin(), arguments.end(), [](const ArgumentSpec& argument) {
    return argument.category == ArgumentCategory::kInput;
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

// A type that no row allows for the output beside these inputs.
void WrongOutputType(const Setting& setting, Draft& draft) {
  const std::string& variable = OutputOf(setting)->element_type;
  const auto& arguments = setting.spec->arguments;
  const bool shared = std::any_of(arguments.begin(), arguments.end(), [&](const ArgumentSpec& a) {
    return a.category == ArgumentCategory::kInput && a.element_type == variable;
  });
  for (DType type : {DType::kI16, DType::kI8, DType::kFp16, DType::kFp32, DType::kBool}) {
    if (type == draft.output_type || (!shared && HasRowWith(setting, variable, type))) continue;
    draft.output_type = type;
    return;
  }
}

// The output's shape is that of an input by name, or has N as its first dimension as they do.
bool SharesShape(const Setting& setting) {
  if (BuildsItsGraph(setting)) return false;
  const ArgumentSpec& output = *OutputOf(setting);
  return std::any_of(
      setting.spec->arguments.begin(), setting.spec->arguments.end(),
      [&](const ArgumentSpec& argument) {
        return argument.category == ArgumentCategory::kInput && argument.shape != "-" &&
               (argument.shape == output.shape ||
                (argument.shape.starts_with("[N,") && output.shape.starts_with("[N,")));
      });
}

bool HasFixedRank(const Setting& setting) {
  if (BuildsItsGraph(setting)) return false;
  const ArgumentSpec& output = *OutputOf(setting);
  return output.min_rank && !output.min_rank->plus_max_rank && output.max_rank &&
         !output.max_rank->plus_max_rank && output.min_rank->constant > 0;
}

}  // namespace

const std::vector<Breaker>& GraphBreakers() {
  static const std::vector<Breaker> breakers = {
      {"graph.type_row", {}, HasInputs, WrongOutputType},
      {"graph.shape",
       {},
       SharesShape,
       [](const Setting&, Draft& draft) { draft.output_shape[0] += 1; }},
      {"graph.rank", {}, HasFixedRank, [](const Setting&, Draft& draft) {
         draft.output_shape.erase(draft.output_shape.begin());
       }}};
  return breakers;
}

}  // namespace cts
