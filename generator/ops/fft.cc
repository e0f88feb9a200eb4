// FFT2D and RFFT2D.
#include <bit>

#include "generator/ops/limits.h"
#include "generator/ops/operands.h"

namespace cts::fft_domain {
namespace {

constexpr ListedAxis<bool> kInverseAxis{"direction", "", {{"forward", false}, {"inverse", true}}};

std::vector<Axis> Axes(const Setting& setting) {
  // N, H, W. MIN_DOT_PRODUCTS of appendix A: at least 1000 results, also of the W / 2 + 1 columns
  // that RFFT2D has.
  std::vector<Axis> axes = {
      kShapeAxis.With({"8x16x16", "2x32x32", "100x4x4", "300x2x2", "2x1x1024", "1024x1x1"},
                      {"1x16x64", "1x1024x1", "67x2x8", "67x16x1", "1009x1x2", "1009x2x1"})};
  if (setting.Takes("inverse")) axes.push_back(kInverseAxis.All());
  axes.push_back(kLocalBoundAxis.All());
  axes.push_back(ConstantAxis(setting.Takes("input_imag") ? 2 : 0));
  axes.push_back(kDataAxis.With({"S0", "S1", "S2", "S3", "S4", "S5"}));
  return axes;
}

// One element of an image: k is always 0.
bool HasRandomData(const Setting&, const Labels& labels) {
  return !labels.Is(kShapeAxis, "1024x1x1") ||
         (labels[kDataAxis] != DataSet::kS2 && labels[kDataAxis] != DataSet::kS3);
}

bool IsComplex(const Setting& setting, const Labels& labels) {
  const Shape shape = labels[kShapeAxis];
  return setting.Takes("input_imag") || shape[1] > 2 || shape[2] > 2;
}

CaseDraft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const Shape shape = choice[kShapeAxis];
  const bool complex = choice.setting.Takes("input_imag");
  DotProductSet set(choice.setting.edition->features, DotProductSetNumber(choice.data_set()),
                    (complex ? 2 : 1) * shape[1] * shape[2], type, type, type);
  CaseDraft draft;
  draft.Input("input_real", FftInput(set, type, shape, 0));
  if (complex) {
    draft.Input("input_imag", FftInput(set, type, shape, 1));
    draft.Set("inverse", choice[kInverseAxis]);
  }
  if (choice[kLocalBoundAxis]) draft.Set("local_bound", true);
  draft.output_type = type;
  draft.output_shape = complex ? shape : Shape{shape[0], shape[1], shape[2] / 2 + 1};
  draft.more_outputs = {{type, draft.output_shape}};
  SetConstants(choice, draft);
  return draft;
}

// Makes every tensor one of N x height x width; RFFT2D's outputs are narrower.
void Resize(CaseDraft& draft, int64_t height, int64_t width) {
  const Shape shape = {2, height, width};
  const bool complex = draft.arguments.contains("input_imag");
  Reshape(draft.tensor("input_real"), shape);
  if (complex) Reshape(draft.tensor("input_imag"), shape);
  draft.output_shape = complex ? shape : Shape{2, height, width / 2 + 1};
  draft.more_outputs[0].second = draft.output_shape;
}

// The text takes a product for each pair of elements. There are no more of them than level 8K asks
// for.
bool IsAffordable(const Setting& setting) { return setting.level->Max("MAX_KERNEL") <= 8192; }

DraftChange AtLimit(bool is_height) {
  return [=](const Setting& setting, CaseDraft& draft) {
    // A power of two.
    const auto limit = std::bit_floor(static_cast<uint64_t>(setting.level->Max("MAX_KERNEL")));
    draft = BuildAt(draft, Axes, Build,
                    {{"shape", is_height ? StrCat("1x", limit, "x1") : StrCat("1x1x", limit)}});
  };
}

// The powers of two next to the sizes that break the conditions.
void LegalSize(const Setting&, CaseDraft& draft) {
  draft = BuildAt(draft, Axes, Build, {{"shape", "2x4x4"}});
}

void BreakHeight(const Setting&, CaseDraft& draft) { Resize(draft, 6, 4); }
void BreakWidth(const Setting&, CaseDraft& draft) { Resize(draft, 4, 6); }

// Several images, higher than wide and wider than high, with other numbers of steps in each
// direction.
std::vector<RelationCase> Layers(bool has_inverse) {
  std::vector<RelationCase> cases;
  for (const char* const shape : {"2x16x8", "2x8x64"}) {
    for (const bool inverse : {false, true}) {
      if (inverse && !has_inverse) continue;
      Labels labels = {{"shape", shape}};
      if (has_inverse) labels.Set("direction", inverse ? "inverse" : "forward");
      cases.push_back(
          RelationAt(StrCat("layer_", shape, inverse ? "_inverse" : ""), Axes, Build, labels));
    }
  }
  return cases;
}

}  // namespace

Domain Fft2dDomain() {
  return {
      .axes = Axes,
      .constraints =
          {{{"shape", "data"}, "S2 and S3 have nothing random in an image of one", HasRandomData},
           {{"shape"}, "output_imag of a real image of at most 2 x 2 is zero", IsComplex}},
      .build = Build,
      .breakers = {{"fft2d.height", {}, nullptr, BreakHeight, LegalSize},
                   {"fft2d.width", {}, nullptr, BreakWidth, LegalSize},
                   {"graph.shape",
                    {},
                    nullptr,
                    [](const Setting&, CaseDraft& d) { d.more_outputs[0].second[2] += 1; }}},
      .limits = {{"MAX_KERNEL", "height", {}, IsAffordable, AtLimit(true)},
                 {"MAX_KERNEL", "width", {}, IsAffordable, AtLimit(false)}},
      .relations = Layers(true)};
}

Domain Rfft2dDomain() {
  return {
      .axes = Axes,
      .constraints =
          {{{"shape", "data"}, "S2 and S3 have nothing random in an image of one", HasRandomData},
           {{"shape"}, "output_imag of a real image of at most 2 x 2 is zero", IsComplex}},
      .build = Build,
      .breakers = {{"rfft2d.height", {}, nullptr, BreakHeight, LegalSize},
                   {"rfft2d.width", {}, nullptr, BreakWidth, LegalSize},
                   {"graph.shape",
                    {},
                    nullptr,
                    [](const Setting&, CaseDraft& d) { d.more_outputs[0].second[2] += 1; }},
                   // As many columns as the input has.
                   {"graph.output_shape",
                    {},
                    nullptr,
                    [](const Setting&, CaseDraft& d) {
                      d.output_shape[2] = d.tensor("input_real").shape()[2];
                      d.more_outputs[0].second = d.output_shape;
                    }}},
      .limits = {{"MAX_KERNEL", "height", {}, IsAffordable, AtLimit(true)},
                 {"MAX_KERNEL", "width", {}, IsAffordable, AtLimit(false)}},
      .relations = Layers(false)};
}

}  // namespace cts::fft_domain
