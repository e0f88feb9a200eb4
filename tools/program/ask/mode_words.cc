#include "tools/program/ask/mode_words.h"

#include <set>
#include <string_view>

#include "checker/report/report.h"

namespace cts {
namespace {

// As the operators' pseudocode has it (apply_max_s, apply_min_s, apply_clip_s, ARGMAX's loop).
// Empty for an operator of another edition, which may mean something else.
std::string_view Demand(std::string_view op, std::string_view mode) {
  const bool ignore = mode == "IGNORE";
  if (!ignore && mode != "PROPAGATE") return "";
  if (op == "MAXIMUM" || op == "MINIMUM") {
    return ignore ? "where one operand is a NaN, the result is the other operand; only where both "
                    "are, it is a NaN"
                  : "where an operand is a NaN, the result is a NaN";
  }
  if (op == "REDUCE_MAX" || op == "REDUCE_MIN" || op == "MAX_POOL2D") {
    return ignore ? "a NaN counts as if it were not there; only where all elements are NaN, the "
                    "result is a NaN"
                  : "where any of the elements is a NaN, the result is a NaN";
  }
  if (op == "ARGMAX") {
    return ignore ? "a NaN is less than every number, also than -infinity; only where all elements "
                    "are NaN, the result is the first index"
                  : "a NaN is greater than every number: the result is the index of the first NaN";
  }
  if (op == "CLAMP") {
    return ignore ? "where the input is a NaN, the result is min_val"
                  : "where the input is a NaN, the result is a NaN";
  }
  return "";
}

}  // namespace

std::string NanModeText(const Case& c) {
  const Block& block = c.graph.main();
  std::set<std::string> texts;
  for (const GraphOperator& op : block.operators) {
    const auto found = op.attributes.find("nan_mode");
    const auto* const mode =
        found == op.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    const GraphTensor* const input = op.inputs.empty() ? nullptr : block.Find(op.inputs[0]);
    if (mode == nullptr || input == nullptr || !IsFloat(input->dtype)) continue;
    const std::string_view demand = Demand(op.op, *mode);
    if (demand.empty()) continue;
    texts.insert(Fold(StrCat("nan_mode ", *mode, " of ", op.op, ": ", demand), 2));
  }
  std::string text;
  for (const std::string& each : texts) text += "\n" + each + "\n";
  return text;
}

}  // namespace cts
