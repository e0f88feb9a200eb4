#include "checker/report/case_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "checker/report/page_parts.h"
#include "checker/report/report.h"
#include "checker/rules/match.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

constexpr int64_t kMostSquares = 48;  // of a slice, in each direction
constexpr size_t kMostSlices = 4;
constexpr size_t kMostPoints = 1500;
constexpr size_t kMostOperators = 40;

double Value(const Tensor& tensor, int64_t i) {
  return IsFloat(tensor.dtype()) ? tensor.Element(i) : static_cast<double>(tensor.Integer(i));
}

// A number of SVG: the same text everywhere, short.
std::string Place(double value) { return FormatFigure(std::round(value * 10) / 10); }

// The distance of an element: the class of its square. 0 right, 1 to 3 within the rule (below a
// half, below all of the bound, anything goes), 4 and above refused.
enum Distance { kRight, kWithin, kNearBound, kAnything, kRefused, kFarOff, kDistances };

Distance DistanceOf(const ElementJudge& judge, int64_t i) {
  constexpr double kFar = 100;
  const ElementError error = judge.Measure(i);
  const double of_bound = error.of_bound.value_or(error.ulp);
  if (!judge.Accepts(i)) return of_bound > kFar ? kFarOff : kRefused;
  if (judge.Unlimited(i)) return kAnything;
  if (error.ulp == 0) return kRight;
  return of_bound <= 0.5 ? kWithin : kNearBound;
}

// Two axes of a shape that a slice shows, and where a slice begins.
struct Plane {
  Shape shape, strides;
  size_t row_axis = 0, column_axis = 0;
  int64_t rows = 1, columns = 1;
  int64_t slices = 1;

  // The element at a place of a slice.
  int64_t At(int64_t slice, int64_t row, int64_t column) const {
    int64_t offset = row * (row_axis == column_axis ? columns : strides[row_axis]) +
                     column * strides[column_axis];
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (axis == row_axis || axis == column_axis) continue;
      offset += slice % shape[axis] * strides[axis];
      slice /= shape[axis];
    }
    return offset;
  }
  // "[0,:,:,3]".
  std::string Name(int64_t slice) const {
    std::vector<std::string> places(shape.size(), ":");
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (axis == row_axis || axis == column_axis) continue;
      places[axis] = std::to_string(slice % shape[axis]);
      slice /= shape[axis];
    }
    std::string text;
    for (const std::string& place : places) text += (text.empty() ? "" : ",") + place;
    return StrCat("[", text, "]");
  }
};

// The two longest axes; a vector is folded into rows.
Plane PlaneOf(const Shape& shape) {
  Plane plane;
  plane.shape = shape;
  plane.strides.assign(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) {
    plane.strides[axis - 1] = plane.strides[axis] * shape[axis];
  }
  std::vector<size_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0U);
  // The longest axis comes first; of equal ones the later.
  std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) {
    return shape[a] != shape[b] ? shape[a] > shape[b] : a > b;
  });
  if (shape.size() == 1) {
    plane.columns = std::min(shape[0], kMostSquares);
    plane.rows = (shape[0] + plane.columns - 1) / plane.columns;
    return plane;
  }
  plane.row_axis = std::min(axes[0], axes[1]);
  plane.column_axis = std::max(axes[0], axes[1]);
  plane.rows = shape[plane.row_axis];
  plane.columns = shape[plane.column_axis];
  plane.slices = ElementCount(shape) / (plane.rows * plane.columns);
  return plane;
}

// Squares of one class each, drawn as one path a class.
class Squares {
 public:
  void Add(int64_t row, int64_t column, size_t level) {
    paths_[level] += StrCat("M", column, " ", row, "h1v1h-1z");
  }
  // `name(level)` is the class of a path.
  template <class Name>
  std::string Draw(int64_t rows, int64_t columns, const std::string& label,
                   const Name& name) const {
    constexpr int64_t kLeast = 5, kExtent = 240;
    const int64_t side = std::max(kLeast, kExtent / std::max({rows, columns, int64_t{1}}));
    std::string text = StrCat("<figure><svg role=\"img\" aria-label=\"", label, "\" width=\"",
                              columns * side, "\" height=\"", rows * side, "\" viewBox=\"0 0 ",
                              columns, " ", rows, "\" shape-rendering=\"crispEdges\">");
    for (const auto& [level, path] : paths_) {
      text += StrCat("<path ", name(level), " d=\"", path, "\"/>");
    }
    return StrCat(text, "</svg><figcaption>", label, "</figcaption></figure>");
  }

 private:
  std::map<size_t, std::string> paths_;
};

// Values in nine steps between the least and the greatest finite one that was added.
class Steps {
 public:
  static constexpr size_t kSteps = 8, kNan = 9, kInfinite = 10;
  void Add(double value) {
    if (!std::isfinite(value)) return;
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }
  size_t operator()(double value) const {
    if (std::isnan(value)) return kNan;
    if (std::isinf(value)) return kInfinite;
    if (!(greatest_ > least_)) return kSteps / 2;
    // Halves: the difference of the two may be infinite.
    const double share = (value / 2 - least_ / 2) / (greatest_ / 2 - least_ / 2);
    return static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kSteps));
  }
  std::string Range() const {
    if (!(greatest_ >= least_)) return "no finite value is expected";
    return StrCat("from ", FormatFigure(least_), " to ", FormatFigure(greatest_));
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

std::string StepClass(size_t level) {
  if (level == Steps::kNan) return "class=\"nan\"";
  if (level == Steps::kInfinite) return "class=\"infinite\"";
  return StrCat("class=\"ink\" fill-opacity=\"",
                FormatFigure(0.06 + 0.11 * static_cast<double>(level)), "\"");
}

std::string DistanceClass(size_t level) { return StrCat("class=\"d", level, "\""); }

// Draws the three pictures of one slice.
std::string SlicePictures(const Plane& plane, int64_t slice, const Answer& answer,
                          const Tensor& result, const std::vector<uint8_t>& distances) {
  const int64_t rows_each = (plane.rows + kMostSquares - 1) / kMostSquares;
  const int64_t columns_each = (plane.columns + kMostSquares - 1) / kMostSquares;
  Steps steps;
  for (int64_t row = 0; row < plane.rows; ++row) {
    for (int64_t column = 0; column < plane.columns; ++column) {
      const int64_t i = plane.At(slice, row, column);
      if (i < result.size()) steps.Add(Value(answer.expected, i));
    }
  }
  Squares expected, got, off, scale;
  for (size_t step = 0; step <= Steps::kSteps; ++step) {
    scale.Add(0, static_cast<int64_t>(step), step);
  }
  int64_t refused = 0, all = 0;
  for (int64_t row = 0; row < plane.rows; row += rows_each) {
    for (int64_t column = 0; column < plane.columns; column += columns_each) {
      int64_t worst = -1;
      for (int64_t r = row; r < std::min(row + rows_each, plane.rows); ++r) {
        for (int64_t k = column; k < std::min(column + columns_each, plane.columns); ++k) {
          const int64_t i = plane.At(slice, r, k);
          if (i >= result.size()) continue;  // behind the end of a vector
          ++all;
          refused += distances[static_cast<size_t>(i)] >= kRefused ? 1 : 0;
          if (worst < 0 ||
              distances[static_cast<size_t>(i)] > distances[static_cast<size_t>(worst)]) {
            worst = i;
          }
        }
      }
      if (worst < 0) continue;
      const int64_t y = row / rows_each, x = column / columns_each;
      expected.Add(y, x, steps(Value(answer.expected, worst)));
      got.Add(y, x, steps(Value(result, worst)));
      off.Add(y, x, distances[static_cast<size_t>(worst)]);
    }
  }
  const int64_t rows = (plane.rows + rows_each - 1) / rows_each;
  const int64_t columns = (plane.columns + columns_each - 1) / columns_each;
  std::string text = StrCat(
      "<h4>", plane.Name(slice), ": ", refused, " of ", all, " elements are refused",
      rows_each * columns_each == 1
          ? ""
          : StrCat("; each square is the worst of ", rows_each, " x ", columns_each, " elements"),
      "</h4>\n<div class=\"pictures\">");
  text += expected.Draw(rows, columns, "expected", StepClass);
  text += got.Draw(rows, columns, "got", StepClass);
  text += off.Draw(rows, columns, "difference", DistanceClass);
  text += scale.Draw(1, Steps::kSteps + 1, steps.Range(), StepClass);
  return text + "</div>\n";
}

// Signed, as a share of the bound; nothing where there is none or where the two do not compare.
std::optional<double> ShareOfBound(const ElementJudge& judge, const Answer& answer,
                                   const Tensor& result, int64_t i) {
  const ElementError error = judge.Measure(i);
  if (!error.of_bound || judge.Unlimited(i)) return std::nullopt;
  const double expected = Value(answer.expected, i), got = Value(result, i);
  if (std::isnan(expected) || std::isnan(got)) return std::nullopt;
  return got < expected ? -*error.of_bound : *error.of_bound;
}

// The one operand of an elementwise operator, if the graph is no more than that.
const Tensor* OnlyOperand(const Case& c, const ExpectedOutput& output) {
  if (output.execution != 0 || c.inputs.size() != 1) return nullptr;
  const Tensor& operand = c.inputs.begin()->second;
  size_t operators = 0;
  for (const GraphOperator& op : c.graph.main().operators) operators += IsConstant(op) ? 0 : 1;
  const bool alike = operand.shape() == output.shape && IsFloat(operand.dtype());
  return operators == 1 && alike ? &operand : nullptr;
}

// A line of numbers whose middle is linear and whose ends are logarithmic.
class Axis {
 public:
  explicit Axis(const std::vector<double>& values) {
    double least = std::numeric_limits<double>::infinity(), greatest = 0;
    for (const double value : values) {
      if (value != 0) least = std::min(least, std::fabs(value));
      greatest = std::max(greatest, std::fabs(value));
    }
    logarithmic_ = greatest > 1000 * least;
    unit_ = logarithmic_ ? least : 1;
    for (const double value : values) {
      from_ = std::min(from_, Scaled(value));
      to_ = std::max(to_, Scaled(value));
    }
  }
  // In 0 to 1.
  double operator()(double value) const {
    return to_ > from_ ? (Scaled(value) - from_) / (to_ - from_) : 0.5;
  }
  bool logarithmic() const { return logarithmic_; }

 private:
  double Scaled(double value) const {
    if (!logarithmic_) return value;
    return std::copysign(std::log10(1 + std::fabs(value) / unit_), value);
  }

  bool logarithmic_ = false;
  double unit_ = 1;
  double from_ = std::numeric_limits<double>::infinity();
  double to_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::string SlicesPicture(const ExpectedOutput& output, const Answer& answer,
                          const Tensor& result) {
  if (result.size() < 2) return "";
  const ElementJudge judge(output, answer, result);
  const Plane plane = PlaneOf(output.shape);
  std::vector<uint8_t> distances(static_cast<size_t>(result.size()));
  std::vector<bool> has_refused(static_cast<size_t>(plane.slices));
  for (int64_t i = 0; i < result.size(); ++i) {
    distances[static_cast<size_t>(i)] = static_cast<uint8_t>(DistanceOf(judge, i));
  }
  std::vector<int64_t> shown;
  int64_t more = 0;
  for (int64_t slice = 0; slice < plane.slices; ++slice) {
    bool refused = false;
    for (int64_t row = 0; row < plane.rows && !refused; ++row) {
      for (int64_t column = 0; column < plane.columns && !refused; ++column) {
        const int64_t i = plane.At(slice, row, column);
        refused = i < result.size() && distances[static_cast<size_t>(i)] >= kRefused;
      }
    }
    if (!refused) continue;
    if (shown.size() < kMostSlices) {
      shown.push_back(slice);
    } else {
      ++more;
    }
  }
  std::string which = shown.empty() ? ", the first"
                      : more > 0
                          ? StrCat(", the first of ", more + kMostSlices, " with refused elements")
                          : ", those with refused elements";
  if (plane.slices == 1) which.clear();
  if (shown.empty()) shown.push_back(0);
  std::string text =
      StrCat("<p class=\"soft\">", plane.slices, plane.slices == 1 ? " slice" : " slices", which,
             ". Each has a scale of its own. Infinities and NaN have colours of "
             "their own.</p>\n");
  for (const int64_t slice : shown) {
    text += SlicePictures(plane, slice, answer, result, distances);
  }
  return text +
         "<p class=\"legend\"><span class=\"b0\">right</span><span class=\"b1\">within half of the "
         "bound</span><span class=\"b2\">within the bound</span><span class=\"b3\">anything is "
         "accepted</span><span class=\"b4\">refused</span><span class=\"b5\">100 times too far, or "
         "not to be compared</span></p>\n";
}

std::string ErrorsPicture(const Case& c, const ExpectedOutput& output, const Answer& answer,
                          const Tensor& result) {
  constexpr double kWidth = 640, kHeight = 200, kMargin = 8, kMostShare = 2;
  const ElementJudge judge(output, answer, result);
  const Tensor* const operand = OnlyOperand(c, output);
  struct Point {
    double x, share;
    bool refused;
  };
  std::vector<Point> points;
  const size_t step = static_cast<size_t>(result.size()) / kMostPoints + 1;
  size_t refused_points = 0;
  for (int64_t i = 0; i < result.size(); ++i) {
    const bool refused = !judge.Accepts(i);
    // Every refused element until there are many, and some of the others.
    if (refused ? ++refused_points > kMostPoints : static_cast<size_t>(i) % step != 0) continue;
    const std::optional<double> share = ShareOfBound(judge, answer, result, i);
    const double x = operand != nullptr ? operand->Element(i) : Value(answer.expected, i);
    if (share && std::isfinite(x)) points.push_back({x, *share, refused});
  }
  if (points.size() < 2) return "";
  std::vector<double> xs;
  xs.reserve(points.size());
  for (const Point& point : points) xs.push_back(point.x);
  const Axis axis(xs);
  const auto [least, greatest] = std::minmax_element(xs.begin(), xs.end());
  const auto y = [&](double share) {
    const double clamped = std::clamp(share, -kMostShare, kMostShare);
    return kHeight / 2 - clamped / kMostShare * (kHeight / 2 - kMargin);
  };
  std::string good, bad;
  for (const Point& point : points) {
    const double x = kMargin + axis(point.x) * (kWidth - 2 * kMargin);
    (point.refused ? bad : good) += StrCat("M", Place(x), " ", Place(y(point.share)), "h0");
  }
  std::string text = StrCat("<svg class=\"plot\" role=\"img\" aria-label=\"errors\" viewBox=\"0 0 ",
                            kWidth, " ", kHeight, "\">");
  for (const double share : {-1.0, 0.0, 1.0}) {
    text += StrCat("<path class=\"", share == 0 ? "axis" : "bound", "\" d=\"M0 ", Place(y(share)),
                   "H", kWidth, "\"/>");
  }
  return StrCat(
      "<h4>Errors as shares of the bound</h4>\n", text, "<path class=\"points\" d=\"", good,
      "\"/><path class=\"points refused\" d=\"", bad, "\"/></svg>\n<p class=\"soft\">Over ",
      operand != nullptr ? "the input" : "the expected value", ", from ", FormatFigure(*least),
      " to ", FormatFigure(*greatest), axis.logarithmic() ? " (logarithmic)" : "",
      "; the dashed lines are the bound, and what is more than twice as far stands at the "
      "edge. ",
      points.size(), " of ", result.size(), " elements.</p>\n");
}

std::string HistogramPicture(const UlpHistogram& ulps, DType dtype) {
  const int64_t most = *std::max_element(ulps.counts.begin(), ulps.counts.end());
  std::string head, cells;
  for (size_t slot = 0; slot < ulps.counts.size(); ++slot) {
    const bool between_integers = slot > 0 && slot < ulps.kEnds.size() && ulps.kEnds[slot] < 1;
    if (between_integers && !IsFloat(dtype)) continue;
    const int64_t count = ulps.counts[slot];
    head += StrCat("<th scope=\"col\">", UlpSlotName(slot), "</th>");
    cells += StrCat("<td>", BarOf(count, most), "</td>");
  }
  return StrCat(
      "<h4>", IsFloat(dtype) ? "Errors in ulp" : "Errors", "</h4>\n",
      PageScroll("Errors", StrCat("<table class=\"bars one\"><thead><tr>", head,
                                  "</tr></thead><tbody><tr>", cells, "</tr></tbody></table>")));
}

std::string GraphPicture(const Graph& graph) {
  constexpr int kWidth = 170, kHeight = 30, kGapX = 14, kGapY = 34;
  const Block& block = graph.main();
  struct Node {
    std::string label;
    bool is_operator = false;
    int layer = 0, column = 0;
    std::vector<size_t> from;
  };
  std::vector<Node> nodes;
  std::map<std::string, size_t> maker;  // tensor -> node
  const auto named = [&](const std::string& name) {
    const GraphTensor* const tensor = block.Find(name);
    return tensor == nullptr ? name
                             : StrCat(name, " ", Name(tensor->dtype), ToString(tensor->shape));
  };
  for (const std::string& input : block.inputs) {
    maker[input] = nodes.size();
    nodes.push_back({named(input), false, 0, 0, {}});
  }
  for (const GraphOperator& op : block.operators) {
    Node node{IsConstant(op) && !op.outputs.empty() ? "CONST " + named(op.outputs.front()) : op.op,
              !IsConstant(op),
              0,
              0,
              {}};
    for (const std::string& input : op.inputs) {
      const auto found = maker.find(input);
      if (found == maker.end()) continue;
      node.from.push_back(found->second);
      node.layer = std::max(node.layer, nodes[found->second].layer + 1);
    }
    for (const std::string& output : op.outputs) maker[output] = nodes.size();
    nodes.push_back(std::move(node));
  }
  for (const std::string& output : block.outputs) {
    const auto found = maker.find(output);
    if (found == maker.end()) continue;
    nodes.push_back({named(output), false, nodes[found->second].layer + 1, 0, {found->second}});
  }
  if (nodes.empty() || nodes.size() > kMostOperators) return "";
  std::map<int, int> used;
  int columns = 1;
  for (Node& node : nodes) {
    node.column = used[node.layer]++;
    columns = std::max(columns, used[node.layer]);
  }
  const int layers = used.rbegin()->first + 1;
  const auto left = [&](const Node& node) {
    // Each layer in the middle.
    return (columns - used[node.layer]) * (kWidth + kGapX) / 2 + node.column * (kWidth + kGapX) + 1;
  };
  const auto top = [&](const Node& node) { return node.layer * (kHeight + kGapY) + 1; };
  const int width = columns * (kWidth + kGapX), height = layers * (kHeight + kGapY) - kGapY + 2;
  std::string edges, boxes;
  for (const Node& node : nodes) {
    for (const size_t from : node.from) {
      edges += StrCat("M", left(nodes[from]) + kWidth / 2, " ", top(nodes[from]) + kHeight, "L",
                      left(node) + kWidth / 2, " ", top(node));
    }
    constexpr size_t kMostLetters = 24;
    boxes += StrCat("<g class=\"", node.is_operator ? "operator" : "tensor", "\"><title>",
                    Markup(node.label), "</title><rect x=\"", left(node), "\" y=\"", top(node),
                    "\" width=\"", kWidth, "\" height=\"", kHeight, "\" rx=\"",
                    node.is_operator ? 4 : 15, "\"/><text x=\"", left(node) + kWidth / 2, "\" y=\"",
                    top(node) + 20, "\">", Markup(Shortened(Printable(node.label), kMostLetters)),
                    "</text></g>");
  }
  return PageScroll("Graph",
                    StrCat("<svg class=\"graph\" role=\"img\" aria-label=\"graph\" width=\"", width,
                           "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
                           "\"><path d=\"", edges, "\"/>", boxes, "</svg>"));
}

}  // namespace cts
