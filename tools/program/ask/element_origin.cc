#include "tools/program/ask/element_origin.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <variant>

#include "reference/base/contains.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/trace.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/facts.h"
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

// How an operator moves a window over the spatial axes of its input, which are its second and
// later ones.
struct WindowWalk {
  std::vector<int64_t> size, kernel, stride, dilation, pad;  // pad: two for each axis
  // The distance of the input's elements along each axis, with zeros between them, for
  // TRANSPOSE_CONV2D. Empty for other operators.
  std::vector<int64_t> spread = {};
};

std::vector<int64_t> Numbers(const GraphOperator& op, const std::string& attribute) {
  const auto found = op.attributes.find(attribute);
  if (found == op.attributes.end()) return {};
  const auto* const numbers = std::get_if<std::vector<int64_t>>(&found->second);
  return numbers == nullptr ? std::vector<int64_t>() : *numbers;
}

Shape ShapeOf(const Block& block, const std::string& tensor) {
  const GraphTensor* const found = block.Find(tensor);
  return found == nullptr ? Shape() : found->shape;
}

// The kernel's extents; empty for an operator without a window.
std::vector<int64_t> KernelOf(const Block& block, const GraphOperator& op) {
  if (op.op == "AVG_POOL2D" || op.op == "MAX_POOL2D") return Numbers(op, "kernel");
  const bool depthwise = op.op == "DEPTHWISE_CONV2D";
  const bool is_convolution =
      depthwise || op.op == "CONV2D" || op.op == "CONV3D" || op.op == "TRANSPOSE_CONV2D";
  if (!is_convolution || op.inputs.size() < 2) return {};
  const Shape weight = ShapeOf(block, op.inputs[1]);
  const size_t rank = op.op == "CONV3D" ? 3 : 2, first = depthwise ? 0 : 1;
  if (weight.size() < first + rank) return {};
  return {weight.begin() + static_cast<ptrdiff_t>(first),
          weight.begin() + static_cast<ptrdiff_t>(first + rank)};
}

// A symbolic program has dimensions without a size: -1.
bool HasSize(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent >= 0; });
}

// A transposed convolution reads windows, too: of the input with zeros between its elements, one
// step at a time. Its first window ends at the first element.
void Turn(WindowWalk* walk) {
  walk->spread = walk->stride;
  for (size_t axis = 0; axis < walk->size.size(); ++axis) {
    const int64_t reach = walk->kernel[axis] - 1;
    walk->size[axis] = (walk->size[axis] - 1) * walk->stride[axis] + 1;
    walk->stride[axis] = 1;
    walk->pad[2 * axis] += reach;
    walk->pad[2 * axis + 1] += reach;
  }
}

// The operator with a window that makes a tensor, perhaps by way of elementwise ones.
std::optional<WindowWalk> WalkOf(const Block& block, const std::string& tensor) {
  for (const GraphOperator& op : block.operators) {
    if (!Contains(op.outputs, tensor) || op.inputs.empty()) continue;
    const Shape input = ShapeOf(block, op.inputs[0]);
    WindowWalk walk{.kernel = KernelOf(block, op),
                    .stride = Numbers(op, "stride"),
                    .dilation = Numbers(op, "dilation"),
                    .pad = Numbers(op, op.op == "TRANSPOSE_CONV2D" ? "out_pad" : "pad")};
    const size_t axes = walk.kernel.size();
    if (axes == 0) {
      const bool same = IsElementwise(op.op) && input == ShapeOf(block, tensor);
      return same ? WalkOf(block, op.inputs[0]) : std::nullopt;
    }
    if (walk.dilation.empty()) walk.dilation.assign(axes, 1);
    if (input.size() != axes + 2 || walk.stride.size() != axes || walk.dilation.size() != axes ||
        walk.pad.size() != 2 * axes || !HasSize(input) || !HasSize(walk.kernel)) {
      return std::nullopt;
    }
    walk.size.assign(input.begin() + 1, input.end() - 1);
    if (op.op == "TRANSPOSE_CONV2D") Turn(&walk);
    return walk;
  }
  return std::nullopt;
}

// Whether the window of an output's index on an axis has no element of the input.
bool IsEmpty(const WindowWalk& walk, size_t axis, int64_t index) {
  const int64_t first = index * walk.stride[axis] - walk.pad[2 * axis];
  for (int64_t k = 0; k < walk.kernel[axis]; ++k) {
    const int64_t in = first + k * walk.dilation[axis];
    if (in >= 0 && in < walk.size[axis] && in % walk.spread[axis] == 0) return false;
  }
  return true;
}

// Whether the window of an output's index on an axis begins before the input, or ends behind it.
bool MeetsPadding(const WindowWalk& walk, size_t axis, int64_t index, bool end) {
  const int64_t first = index * walk.stride[axis] - walk.pad[2 * axis];
  const int64_t last = first + (walk.kernel[axis] - 1) * walk.dilation[axis];
  return end ? last >= walk.size[axis] : first < 0;
}

}  // namespace

std::vector<NamedSet> WindowSetsOf(const Case& c, const ExpectedOutput& output) {
  const std::optional<WindowWalk> walk = WalkOf(c.graph.main(), output.name);
  if (!walk || output.shape.size() != walk->size.size() + 2) return {};
  std::vector<std::string> sides = {"front", "back", "top", "bottom", "left", "right"};
  sides.erase(sides.begin(), sides.end() - static_cast<ptrdiff_t>(2 * walk->size.size()));
  const auto elements = static_cast<size_t>(ElementCount(output.shape));
  std::vector<NamedSet> sets = {{"windows that meet the padding", std::vector<bool>(elements)}};
  for (const std::string& side : sides) {
    sets.push_back(
        {StrCat("windows that meet the padding at the ", side), std::vector<bool>(elements)});
  }
  for (size_t i = 0; i < elements; ++i) {
    const Shape index = Index(output.shape, static_cast<int64_t>(i));
    for (size_t side = 0; side < sides.size(); ++side) {
      if (!MeetsPadding(*walk, side / 2, index[1 + side / 2], side % 2 == 1)) continue;
      sets[0].has[i] = true;
      sets[1 + side].has[i] = true;
    }
  }
  NamedSet without{"windows that meet no padding", sets[0].has};
  without.has.flip();
  sets.push_back(std::move(without));
  if (!walk->spread.empty()) {
    NamedSet bias{"windows without an element of the input, which get the bias alone",
                  std::vector<bool>(elements)};
    for (size_t i = 0; i < elements; ++i) {
      const Shape index = Index(output.shape, static_cast<int64_t>(i));
      for (size_t axis = 0; axis < walk->size.size(); ++axis) {
        if (IsEmpty(*walk, axis, index[1 + axis])) bias.has[i] = true;
      }
    }
    sets.push_back(std::move(bias));
  }
  return sets;
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
