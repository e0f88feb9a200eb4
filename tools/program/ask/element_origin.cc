#include "tools/program/ask/element_origin.h"

#include <cstdio>

#include "reference/base/contains.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/trace.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/operator.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

std::string Figure(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string Value(const ReadElement& element) {
  return IsFloat(element.dtype) ? Figure(element.value) : std::to_string(element.integer);
}

double Number(const ReadElement& element) {
  return IsFloat(element.dtype) ? element.value : static_cast<double>(element.integer);
}

std::string Input(const ReadElement& element) {
  std::string text = StrCat(element.tensor, ToString(element.index), " = ", Value(element));
  if (IsFloat(element.dtype)) {
    char hex[64];
    std::snprintf(hex, sizeof hex, " (%a)", element.value);
    text += hex;
  }
  return text;
}

// An element as a factor: what was multiplied differs by the zero point.
std::string Factor(const ReadElement& element, double factor) {
  std::string text = StrCat(element.tensor, ToString(element.index), " ", Value(element));
  const double zero_point = Number(element) - factor;
  if (IsFloat(element.dtype) || zero_point == 0) return text;
  return StrCat("(", text, zero_point < 0 ? " + " : " - ", Figure(std::abs(zero_point)), ")");
}

// The terms in the order of the text. A product ends with the element that has its factors.
std::vector<std::string> Terms(const std::vector<ReadElement>& elements) {
  std::vector<std::string> terms;
  std::vector<const ReadElement*> read;  // since the last term
  const auto add_alone = [&](const ReadElement& element) {
    terms.push_back(StrCat(element.tensor, ToString(element.index), " ", Value(element)));
  };
  for (const ReadElement& element : elements) {
    read.push_back(&element);
    if (!element.factors) continue;
    while (read.size() > 2) {
      add_alone(*read.front());
      read.erase(read.begin());
    }
    const auto& [x, y] = *element.factors;
    terms.push_back(read.size() == 2 ? StrCat(Factor(*read[0], x), " * ", Factor(*read[1], y))
                                     : StrCat(Factor(element, x), " * ", Figure(y)));
    read.clear();
  }
  for (const ReadElement* element : read) add_alone(*element);
  return terms;
}

// The operator of the main block that makes a tensor; empty if a nested graph makes it.
std::string_view MakerOf(const Case& c, const std::string& tensor) {
  for (const GraphOperator& op : c.graph.main().operators) {
    if (Contains(op.outputs, tensor)) return op.op;
  }
  return "";
}

}  // namespace

ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset) {
  const StatusOr<const Edition*> edition = FindEdition(c.edition);
  if (!edition.ok()) return {};
  const Level* level = (*edition)->FindLevel(c.level);
  if (level == nullptr) return {};
  const auto elements = TraceSequence(c.graph, c.InputsOfExecutions(output.execution + 1),
                                      **edition, *level, output.name, offset);
  if (!elements.ok()) return {};
  ElementOrigin made;
  for (const ReadElement& element : *elements) made.inputs.push_back(Input(element));
  std::string_view maker = MakerOf(c, output.name);
  // A form that takes its parameters at run time computes the same as the operator.
  constexpr std::string_view kAtRunTime = "DATA_DEPENDENT_";
  if (maker.starts_with(kAtRunTime)) maker.remove_prefix(kAtRunTime.size());
  if (const DotProductPrecision* const sum = (*edition)->precision->FindDotProduct(maker)) {
    made.terms = Terms(*elements);
    // The mean of what lies within the image.
    const bool is_mean = sum->length == DotProductLength::kKernel;
    if (is_mean) made.divisor = static_cast<int64_t>(elements->size());
  }
  return made;
}

namespace {

// Remarks on operands that the argument table wants with one element, and on a table that it wants
// with TABLE_SIZE: Arm's reference model takes other shapes (schemas/editions/notes.md). The
// verdict is the table's.
std::string Leniency(const Violation& violation, const Case& c) {
  if (violation.condition != "graph.shape" && violation.condition != "graph.rank") return "";
  const std::string argument = violation.message.substr(0, violation.message.find(':'));
  const bool known = argument.ends_with("_zp") || (c.op == "MUL" && argument == "shift") ||
                     (c.op == "TABLE" && argument == "table");
  if (!known) return "";
  return StrCat("; the argument table of ", c.op, " in ", c.edition,
                " says so, where Arm's reference model is lenient");
}

}  // namespace

std::string MeaningOf(const Case& c) {
  const StatusOr<const Edition*> edition = FindEdition(c.edition);
  if (c.condition.empty() || !edition.ok()) return "";
  if (const Level* const level = (*edition)->FindLevel(c.level)) {
    const auto evaluations = EvaluateSequence(c.graph, c.InputsOfExecutions(), **edition, *level);
    if (evaluations.ok()) {
      for (const Evaluation& evaluation : *evaluations) {
        for (const Violation& violation : evaluation.violations) {
          if (violation.condition != c.condition) continue;
          return StrCat(violation.message, Leniency(violation, c));
        }
      }
    }
  }
  // The case does not break it, or not any more.
  const Condition* const condition = FindCondition(c.condition, **edition);
  return condition == nullptr ? "" : Paraphrase(**edition, *condition);
}

}  // namespace cts
