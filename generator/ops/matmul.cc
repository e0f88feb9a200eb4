// MATMUL.
#include "generator/ops/convolution.h"
#include "generator/ops/non_finite.h"
#include "generator/ops/operands.h"

namespace cts::matmul_domain {
namespace {

constexpr char kFull[] = "1x2x33025x3";  // 33025 * 255 * 255 < 2^31

struct MatmulOperands {
  bool a_is_constant = false, b_is_constant = false;
  bool same = false;  // B is A
};
constexpr ListedAxis<MatmulOperands> kConstantsAxis{
    "b",
    "b",
    {{"run", {}}, {"const", {.b_is_constant = true}}},
    {{"same", {.same = true}},
     {"same-const", {.a_is_constant = true, .same = true}},
     {"a", {.a_is_constant = true}},
     {"all", {.a_is_constant = true, .b_is_constant = true}}}};

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, H, C, W. MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back(kShapeAxis.With(
      is_float ? std::vector<std::string>{"1x32x40x32", "3x20x17x18", "2x25x2x21", "1x8x90x130"}
               : std::vector<std::string>{"1x4x9x5", "2x7x30x6", "3x1x64x8", "1x13x1x11"},
      is_float ? std::vector<std::string>{"1x1x6x1021", "1009x1x4x3", "2x32x32x32", "1x2x64x512",
                                          "8x130x6x1"}
               : std::vector<std::string>{"5x1x8x1", "1x1x1x7", "2x16x16x16", "1x3x8x33", kFull}));
  axes.push_back(kConstantsAxis.All());
  AddZeroPointAxis(setting.Type("in_t"), setting.Type("in_t"), axes);
  AddParametersAxis(setting, {"A_zp", "B_zp"}, axes);
  axes.push_back(DotProductData(setting.Type("in_t")));
  return axes;
}

CaseDraft Build(const Choice& choice) {
  const Shape nhcw = choice[kShapeAxis];
  const Shape a = {nhcw[0], nhcw[1], nhcw[2]}, b = {nhcw[0], nhcw[2], nhcw[3]};
  const DType in_t = choice.Type("in_t"), out_t = choice.Type("out_t");
  const MatmulOperands operands = choice[kConstantsAxis];
  const int64_t a_zp = ZeroPoint(choice, in_t, true), b_zp = ZeroPoint(choice, in_t, false);
  CaseDraft draft;
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    // MATMUL accumulates in its output type.
    DotProductSet set(choice.setting.edition->features, s, nhcw[2], in_t, out_t, out_t);
    draft.Input("A", MatmulA(set, in_t, a), operands.a_is_constant);
    draft.Input("B", MatmulB(set, in_t, b), operands.b_is_constant);
  } else {
    draft.Input("A", FillIntegers(choice, "A", in_t, a, a_zp), operands.a_is_constant);
    draft.Input("B", FillIntegers(choice, "B", in_t, b, b_zp, b[2]), operands.b_is_constant);
  }
  if (operands.same) draft.Same("B", "A");
  draft.Set("A_zp", a_zp);
  draft.Set("B_zp", b_zp);
  SetParameters(choice, {"A_zp", "B_zp"}, draft);
  draft.output_type = out_t;
  draft.output_shape = {nhcw[0], nhcw[1], nhcw[3]};
  return draft;
}

CaseDraft At(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, Axes, Build, std::move(labels));
}

std::vector<DataCase> NonFinite() {
  return NonFiniteCases(At, {{"plain", {{"shape", "2x12x8x14"}}, 8},
                             {"constant", {{"shape", "1x16x9x20"}, {"b", "const"}}, 9}});
}

CaseDraft AtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  Shape shape = layer.input;
  shape.push_back(layer.output[2]);
  Labels labels = {{"shape", SizesLabel(shape)}, {"b", layer.constant ? "const" : "run"}};
  if (draft.built_from->setting.Type("in_t") == DType::kI8) labels.Set("zero_point", "mid");
  return At(draft, std::move(labels));
}

// See PoolLayerGeometries: heads of attention, a vector times a matrix, and the reverse.
std::vector<RelationCase> Layers() {
  std::vector<RelationCase> cases;
  for (const auto& [what, shape] : {std::pair("matrices", "2x37x70x45"),
                                    {"long_sums", "2x18x90x19"},
                                    {"row", "2x1x90x45"},
                                    {"column", "2x21x19x1"},
                                    {"outer_product", "2x9x1x21"}}) {
    cases.push_back({.what = StrCat("layer_", what),
                     .applies = nullptr,
                     .change =
                         [layer = shape](const Setting& setting, CaseDraft& draft) {
                           Labels labels = {{"shape", layer}};
                           if (setting.Type("in_t") == DType::kI8) labels.Set("zero_point", "mid");
                           draft = At(draft, std::move(labels));
                         },
                     .more = true});
  }
  return cases;
}

// As if a batch of one were broadcast.
DraftChange SetBatches(int64_t of_a, int64_t of_b) {
  return [=](const Setting&, CaseDraft& draft) {
    Shape a = draft.tensor("A").shape(), b = draft.tensor("B").shape();
    a[0] = of_a, b[0] = of_b;
    Reshape(draft.tensor("A"), a);
    Reshape(draft.tensor("B"), b);
    draft.output_shape[0] = 2;
  };
}

bool NotI8(const Setting& setting) { return setting.Type("in_t") != DType::kI8; }

}  // namespace

Domain MatmulDomain() {
  return {.axes = Axes,
          .constraints =
              {OnlyWith({"shape", kFull}, {{"data", "accumulator"}},
                        "a sum that fills the accumulator is for its data set"),
               {{"shape", "data"},
                "S2 and S3 of long sums in fp8 show no fault; the first special values are zeros",
                [](const Setting& setting, const Labels& labels) {
                  const Shape nhcw = labels[kShapeAxis];
                  const DataSet data = labels[kDataAxis];
                  if (data == DataSet::kSpecial) return nhcw[0] * nhcw[1] * nhcw[2] >= 10;
                  const DType in_t = setting.Type("in_t");
                  const bool fp8 = in_t == DType::kFp8E4M3 || in_t == DType::kFp8E5M2;
                  return !fp8 || nhcw[2] < 60 || (data != DataSet::kS2 && data != DataSet::kS3);
                }},
               {{"shape", "b"},
                "A and B are of one shape where they are one tensor",
                [](const Setting&, const Labels& labels) {
                  const Shape nhcw = labels[kShapeAxis];
                  return !labels[kConstantsAxis].same || (nhcw[1] == nhcw[2] && nhcw[2] == nhcw[3]);
                }},
               {{"b", "data"},
                "S0 to S5 have data of their own for each operand",
                [](const Setting&, const Labels& labels) {
                  return !labels[kConstantsAxis].same || DotProductSetNumber(labels[kDataAxis]) < 0;
                }}},
          .build = Build,
          .breakers = {{"matmul.zero_point",
                        {},
                        NotI8,
                        [](const Setting&, CaseDraft& d) { d.Set("A_zp", int64_t{1}); }},
                       {"matmul.zero_point",
                        {},
                        NotI8,
                        [](const Setting&, CaseDraft& d) { d.Set("B_zp", int64_t{1}); }},
                       More({"graph.shape", {}, nullptr, SetBatches(2, 1)}),
                       More({"graph.shape", {}, nullptr, SetBatches(1, 2)})},
          .data_cases = NonFinite(),
          .relations = Layers(),
          .at_layer = AtLayer};
}

}  // namespace cts::matmul_domain
