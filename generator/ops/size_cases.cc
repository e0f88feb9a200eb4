#include "generator/ops/size_cases.h"

#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "generator/ops/limits.h"
#include "reference/graph/call.h"
#include "reference/ops/axis.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// The sizes that a case is to have.
class Sizes {
 public:
  Sizes(const SizedDimension& dimension, const Rung& rung) : dimension_(dimension.name) {
    int64_t size = rung.above + 1;
    const bool is_exact = rung.up_to == size;
    std::vector<std::string> factors = dimension.factors;
    if (factors.empty()) factors = {dimension.name};
    for (size_t i = 0; i < dimension.together.size(); ++i) of_[factors[i]] = dimension.together[i];
    if (!dimension.together.empty()) return;
    // As equal as whole numbers can be, the greatest last. The factors of an exact product divide
    // it.
    for (size_t i = 0; i < factors.size(); ++i) {
      const auto left = static_cast<double>(factors.size() - i);
      int64_t factor = 1;
      while (std::pow(static_cast<double>(factor + 1), left) <= static_cast<double>(size)) ++factor;
      while (is_exact && size % factor != 0) --factor;
      if (i + 1 == factors.size()) factor = size;
      of_[factors[i]] = factor;
      size = (size + factor - 1) / factor;
    }
  }

  int64_t Of(const std::string& name, int64_t small) const {
    const auto found = of_.find(name);
    return found == of_.end() ? small : found->second;
  }
  // The label of a shape: the names of its dimensions, with the size of those that are small.
  std::string Label(const std::vector<std::pair<std::string, int64_t>>& shape) const {
    std::string label;
    for (const auto& [name, small] : shape)
      label += StrCat(label.empty() ? "" : "x", Of(name, small));
    return label;
  }
  bool IsFor(std::string_view dimension) const { return dimension_ == dimension; }

 private:
  std::string dimension_;
  std::map<std::string, int64_t> of_;
};

// The way in which an operator's domain has a case of these sizes.
struct SizeForm {
  std::function<Labels(const Sizes&)> labels;
  // Values that the labels do not say.
  std::function<void(const Sizes&, CaseDraft&)> change = nullptr;
};

Labels ImageWindow(std::string output, std::string kernel) {
  return {{"output", std::move(output)},
          {"kernel", std::move(kernel)},
          {"stride", "1x1"},
          {"pad", "0-0-0-0"}};
}

// The output's size is the input's where the kernel is 1, as it is where the input is asked for.
int64_t Positions(const Sizes& s, const std::string& axis) {
  return s.Of("O" + axis, s.Of("I" + axis, 2));
}

Labels ImageConvolution(const Sizes& s) {
  Labels labels = ImageWindow(
      StrCat(s.Of("N", 1), "x", Positions(s, "H"), "x", Positions(s, "W"), "x", s.Of("OC", 5)),
      s.Label({{"KH", 1}, {"KW", 1}, {"IC", 3}}));
  labels.Set("dilation", "1x1");
  return labels;
}

Labels Conv3d(const Sizes& s) {
  return {{"output", StrCat(s.Of("N", 1), "x", Positions(s, "D"), "x", Positions(s, "H"), "x",
                            Positions(s, "W"), "x", s.Of("OC", 5))},
          {"kernel", s.Label({{"KD", 1}, {"KH", 1}, {"KW", 1}, {"IC", 3}})},
          {"stride", "1x1x1"},
          {"pad", "0-0-0-0-0-0"},
          {"dilation", "1x1x1"}};
}

Labels Depthwise(const Sizes& s) {
  Labels labels = ImageWindow(StrCat(s.Of("N", 1), "x", Positions(s, "H"), "x", Positions(s, "W"),
                                     "x", s.Of("C", 3), "x", s.Of("M", 2)),
                              s.Label({{"KH", 1}, {"KW", 1}}));
  labels.Set("dilation", "1x1");
  return labels;
}

// With a kernel of 1 the output is as large as the input.
Labels Transposed(const Sizes& s) {
  const auto input = [&](const std::string& axis) { return s.Of("I" + axis, s.Of("O" + axis, 2)); };
  return {{"size", StrCat(s.Of("N", 1), "x", input("H"), "x", input("W"), "x", s.Of("OC", 5))},
          {"kernel", s.Label({{"KH", 1}, {"KW", 1}, {"IC", 3}})},
          {"stride", "1x1"},
          {"out_pad", "0-0-0-0"}};
}

Labels Pooling(const Sizes& s) {
  return ImageWindow(
      StrCat(s.Of("N", 1), "x", Positions(s, "H"), "x", Positions(s, "W"), "x", s.Of("C", 7)),
      s.Label({{"KH", 1}, {"KW", 1}}));
}

// Each kind of results, for any window, however large: see FillWindows.
Labels MaxPooling(const Sizes& s) {
  Labels labels = Pooling(s);
  labels.Set("data", "windows");
  return labels;
}

// --- Reductions.

std::string ReducedShape(const Sizes& s) {
  if (s.IsFor("first")) return s.Label({{"first", 1}, {"a", 5}, {"b", 7}});
  if (s.IsFor("middle")) return s.Label({{"a", 5}, {"middle", 1}, {"b", 7}});
  return s.Label({{"a", 5}, {"b", 7}, {"last", 1}});
}
std::string ReducedPlace(const Sizes& s) {
  return s.IsFor("first") ? "first" : s.IsFor("middle") ? "middle" : "last";
}

Labels Reduction(const Sizes& s) {
  return {{"shape", StrCat(ReducedShape(s), "-", ReducedPlace(s))}};
}
Labels ArgmaxLabels(const Sizes& s) {
  return {{"shape", ReducedShape(s)}, {"axis", ReducedPlace(s)}};
}

int64_t AxisOf(const CaseDraft& draft) {
  return std::get<int64_t>(std::get<AttributeValue>(draft.arguments.find("axis")->second));
}

// Puts the greatest element of every second line, or the least, at its end: elsewhere a random line
// seldom depends on what lies beyond a block.
template <int kSign>
void EndWithTheExtremum(const Sizes&, CaseDraft& draft) {
  Tensor& input = draft.tensor("input");
  const AxisView view(input.shape(), AxisOf(draft));
  const auto value = [&](int64_t offset) {
    return kSign * (IsFloat(input.dtype()) ? input.Value(offset)
                                           : static_cast<double>(input.Integer(offset)));
  };
  for (int64_t line = 0; line < input.size() / view.size; line += 2) {
    const int64_t end = view.Offset(line, view.size - 1);
    int64_t extremum = view.Offset(line, 0);
    for (int64_t k = 1; k < view.size; ++k) {
      if (value(view.Offset(line, k)) > value(extremum)) extremum = view.Offset(line, k);
    }
    const uint64_t bits = input.Bits(end);
    input.SetBits(end, input.Bits(extremum));
    input.SetBits(extremum, bits);
    if (IsFloat(input.dtype())) continue;
    for (int64_t k = 0; k + 1 < view.size; ++k) {  // of 8 bits there are others as great
      const int64_t offset = view.Offset(line, k);
      if (input.Bits(offset) == input.Bits(end)) {
        input.SetInteger(offset, input.Integer(offset) - kSign);
      }
    }
  }
}

// Lines of false, every second of which ends with true.
void EndWithTrue(const Sizes&, CaseDraft& draft) {
  Tensor& input = draft.tensor("input");
  const AxisView view(input.shape(), AxisOf(draft));
  for (int64_t i = 0; i < input.size(); ++i) input.SetInteger(i, 0);
  for (int64_t line = 0; line < input.size() / view.size; line += 2) {
    input.SetInteger(view.Offset(line, view.size - 1), 1);
  }
}

// Lines of true, but for one element in every second.
void TrueButForOne(const Sizes&, CaseDraft& draft) {
  Tensor& input = draft.tensor("input");
  const AxisView view(input.shape(), AxisOf(draft));
  for (int64_t i = 0; i < input.size(); ++i) input.SetInteger(i, 1);
  for (int64_t line = 0; line < input.size() / view.size; line += 2) {
    input.SetInteger(view.Offset(line, line % view.size), 0);
  }
}

// --- Moving data.

// As many indices as asked for, the first of them the last value.
void SetIndices(const Sizes& s, CaseDraft& draft) {
  const Shape& values = draft.tensor("values").shape();
  const int64_t count = s.Of("W", 6);
  Tensor indices = IntegersBetween(draft.built_from->Stream("indices"), DType::kI32,
                                   {values[0], count}, 0, values[1] - 1);
  for (int64_t n = 0; n < values[0]; ++n) indices.SetInteger(n * count, values[1] - 1);
  draft.tensor("indices") = std::move(indices);
  draft.output_shape[1] = count;
}

std::string TransposedShape(const Sizes& s) {
  const auto side = [&](const char* axes, int64_t small) {
    const int64_t size = s.Of(axes, 0);
    return size == 0 ? small : size;
  };
  const int64_t a = side("axes01", 0), b = side("axes12", 0), c = side("axes02", 0);
  // The other of the two is nearly twice as large, of whole blocks twice.
  const auto other = [](int64_t size) { return 2 * size - size % 2; };
  if (a > 0) return StrCat(a, "x", other(a), "x3");
  if (b > 0) return StrCat("3x", b, "x", other(b));
  return StrCat(c, "x3x", other(c));
}

Labels TwoAxes(const Sizes& s) { return {{"shape", s.Label({{"first", 3}, {"last", 3}})}}; }

// Twice the size of the input, less one.
void SetResize(const Sizes& s, CaseDraft& draft) {
  if (!s.IsFor("IH") && !s.IsFor("IW")) return;
  const Random random = draft.built_from->Stream("input");
  Tensor& input = draft.tensor("input");
  const Shape shape = {1, s.Of("IH", 3), s.Of("IW", 3), 2};
  input = IsFloat(input.dtype()) ? FloatsBetween(random, input.dtype(), shape, -1, 1)
                                 : FullRange(random, input.dtype(), shape);
  draft.Set("scale", std::vector<int64_t>{2, 1, 2, 1});
  draft.Set("offset", std::vector<int64_t>{0, 0});
  draft.Set("border", std::vector<int64_t>{0, 0});
  draft.output_shape = {1, 2 * shape[1] - 1, 2 * shape[2] - 1, 2};
}

// Powers of two.
Labels Transform(const Sizes& s) {
  const auto power = [&](const char* axis) {
    return std::bit_ceil(static_cast<uint64_t>(s.Of(axis, 4)));
  };
  return {{"shape", StrCat(s.Of("N", 1), "x", power("H"), "x", power("W"))}};
}

Labels ElementwiseOfOne(const Sizes& s) { return {{"shape", s.Label({{"elements", 1}})}}; }
Labels OfFunction(const Sizes& s) {
  Labels labels = ElementwiseOfOne(s);
  labels.Set("data", "finite");  // others are mostly infinite, or all one
  return labels;
}
Labels ElementwiseOfTwo(const Sizes& s) {
  const std::string shape = s.Label({{"elements", 1}});
  return {{"shapes", shape + "+" + shape}};
}

// Random numbers; two of them may differ either way.
Labels Comparison(const Sizes& s) {
  Labels labels = ElementwiseOfTwo(s);
  labels.Set("data", "full-range");
  return labels;
}

// The last result is true.
void EndWithTrueResult(const Sizes&, CaseDraft& draft) {
  Tensor &input1 = draft.tensor("input1"), &input2 = draft.tensor("input2");
  const bool both = draft.built_from->setting.Text() == "LOGICAL_AND";
  input1.SetInteger(input1.size() - 1, 1);
  input2.SetInteger(input2.size() - 1, both);
}

Labels RescaleLabels(const Sizes& s) {
  if (s.IsFor("channels")) {
    return {{"shape", s.Label({{"a", 7}, {"channels", 1}})}, {"channels", "per-channel"}};
  }
  return {{"shape", s.Label({{"elements", 1}})}, {"channels", "per-tensor"}};
}

using Forms = std::map<std::string_view, SizeForm>;

Forms MakeForms() {
  Forms forms = {
      {"MATMUL", {[](const Sizes& s) -> Labels {
         return {{"shape", s.Label({{"N", 1}, {"H", 3}, {"C", 4}, {"W", 5}})}};
       }}},
      {"FULLY_CONNECTED", {[](const Sizes& s) -> Labels {
         return {{"shape", s.Label({{"N", 3}, {"IC", 4}, {"OC", 5}})}};
       }}},
      {"CONV2D", {ImageConvolution}},
      {"CONV3D", {Conv3d}},
      {"DEPTHWISE_CONV2D", {Depthwise}},
      {"TRANSPOSE_CONV2D", {Transposed}},
      {"AVG_POOL2D", {Pooling}},
      {"MAX_POOL2D", {MaxPooling}},
      {"ARGMAX", {ArgmaxLabels, EndWithTheExtremum<1>}},
      {"REDUCE_MAX", {Reduction, EndWithTheExtremum<1>}},
      {"REDUCE_MIN", {Reduction, EndWithTheExtremum<-1>}},
      {"REDUCE_ANY", {Reduction, EndWithTrue}},
      {"REDUCE_ALL", {Reduction, TrueButForOne}},
      {"REDUCE_PRODUCT", {Reduction}},
      {"REDUCE_SUM", {Reduction}},
      {"GATHER",
       {[](const Sizes& s) -> Labels {
          return {{"values", s.Label({{"N", 2}, {"K", 5}, {"C", 3}})}};
        },
        SetIndices}},
      // W different indices have as many values.
      {"SCATTER", {[](const Sizes& s) -> Labels {
         const int64_t w = s.Of("W", 0);
         return {{"values", StrCat(s.Of("N", 2), "x", w > 0 ? w : s.Of("K", 5), "x", s.Of("C", 3))},
                 {"count", w > 0 ? "all" : "few"}};
       }}},
      {"CONCAT", {[](const Sizes& s) -> Labels {
         if (s.IsFor("inputs")) return {{"inputs", StrCat(s.Of("inputs", 2))}};
         const bool outer = s.IsFor("outer");
         return {{"inputs", "2"},
                 {"shape", s.Label({{"outer", 3}, {"inner", 3}})},
                 {"axis", outer ? "last" : "first"}};
       }}},
      {"TRANSPOSE", {[](const Sizes& s) -> Labels {
         return {{"shape", TransposedShape(s)},
                 {"perms", s.IsFor("axes01")   ? "swapped-first"
                           : s.IsFor("axes12") ? "swapped"
                                               : "reversed"}};
       }}},
      {"FFT2D", {Transform}},
      {"RFFT2D", {Transform}},
      {"RESIZE",
       {[](const Sizes& s) -> Labels {
          return {{"scale", "2-1-2-1"},
                  {"offset", "0"},
                  {"border", "0"},
                  {"batch_channels", s.Label({{"N", 1}, {"C", 2}})}};
        },
        SetResize}},
      {"PAD", {TwoAxes}},
      {"TILE", {[](const Sizes& s) {
         Labels labels = TwoAxes(s);
         labels.Set("multiples", s.IsFor("first") ? "first" : "last");
         return labels;
       }}},
      {"RESHAPE", {[](const Sizes& s) -> Labels {
         return {{"shape", s.Label({{"elements", 1}})}, {"to", "max-rank"}};
       }}},
      {"SLICE", {[](const Sizes& s) -> Labels {
         return {{"shape", s.Label({{"elements", 1}})}, {"part", "all"}};
       }}},
      {"SELECT", {[](const Sizes& s) -> Labels {
         const std::string shape = s.Label({{"elements", 1}});
         return {{"shapes", StrCat(shape, "+", shape, "+", shape)}};
       }}},
      {"POW", {[](const Sizes& s) -> Labels {
         Labels labels = ElementwiseOfTwo(s);
         labels.Set("data", "finite");
         return labels;
       }}},
      {"RESCALE", {RescaleLabels}}};
  for (const std::string_view op : {"GREATER", "GREATER_EQUAL"}) {
    forms.emplace(op, SizeForm{Comparison});
  }
  for (const std::string_view op : {"LOGICAL_AND", "LOGICAL_OR", "LOGICAL_XOR"}) {
    forms.emplace(op, SizeForm{ElementwiseOfTwo, EndWithTrueResult});
  }
  for (const Operator& op : Operators()) {
    const OperatorFacts facts = op.facts();
    const bool is_function = facts.dimensions == FunctionDimensions;
    if (!is_function && facts.dimensions != ElementwiseDimensions) continue;
    const bool of_two = facts.infer == InferBroadcast;
    const auto labels = of_two ? ElementwiseOfTwo : is_function ? OfFunction : ElementwiseOfOne;
    forms.emplace(op.name, SizeForm{labels});  // but for those above
  }
  return forms;
}

const SizeForm* FindForm(std::string_view op) {
  static const Forms& forms = *new Forms(MakeForms());
  const auto found = forms.find(op);
  return found == forms.end() ? nullptr : &found->second;
}

}  // namespace

bool HasSizeCases(std::string_view op) { return FindForm(op) != nullptr; }

CaseDraft BuildAtSize(const Domain& domain, const SizedDimension& dimension, const Rung& rung,
                      const CaseDraft& start) {
  const SizeForm& form = *FindForm(start.built_from->setting.spec->Seen().name);
  const Sizes sizes(dimension, rung);
  // All others as in the start: a recipe may need the extension of one of them.
  Labels labels;
  for (const auto& [axis, label] : start.built_from->labels.all()) labels.Set(axis, label);
  const Labels of_size = form.labels(sizes);
  for (const auto& [axis, label] : of_size.all()) labels.Set(axis, label);
  CaseDraft draft = BuildAt(start, domain.axes, domain.build, std::move(labels));
  draft.built_from = start.built_from;
  if (form.change != nullptr) form.change(sizes, draft);
  return draft;
}

Status CheckSize(const Setting& setting, const SizedDimension& dimension, const Rung& rung,
                 const Graph& graph) {
  const auto wrong = [&](const std::string& found) {
    return absl::InternalError(StrCat("generator/ops/size_cases.cc: ", setting.spec->Seen().name,
                                      ": found ", found, ", expected the dimension ",
                                      dimension.name, " to be ", Text(rung)));
  };
  for (const GraphOperator& op : graph.main().operators) {
    if (op.op != setting.spec->name) continue;
    const Call call(*setting.edition, *setting.spec, *setting.level, graph.main(), op, {});
    if (!call.fits()) return wrong("a call that does not fit the argument tables");
    const int64_t size = dimension.size(call);
    if (!rung.Has(size)) return wrong(StrCat(size));
    return absl::OkStatus();
  }
  return wrong("no such operator in the graph");
}

}  // namespace cts
