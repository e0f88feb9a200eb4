// RESIZE.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "generator/ops/limits.h"
#include "generator/ops/operands.h"

namespace cts::resize_domain {
namespace {

// One of the two directions.
struct Direction {
  int64_t in, out, scale_n, scale_d, offset = 0, border = 0;
};

constexpr ParsedAxis<std::vector<int64_t>> kScaleAxis{"scale", "s", ParseNumbers};
constexpr ParsedAxis<Shape> kBatchChannelsAxis{"batch_channels", "nc", ParseShape};
// Whether the mode is BILINEAR.
constexpr ListedAxis<bool> kBilinearAxis{"mode", "", {{"bilinear", true}, {"nearest", false}}};
// An offset and a border, of the scale's numerator.
using OfNumerator = int64_t (*)(int64_t n);
constexpr ListedAxis<OfNumerator> kOffsetAxis{"offset",
                                              "o",
                                              {{"0", [](int64_t) { return int64_t{0}; }},
                                               {"lo", [](int64_t n) { return -n; }},
                                               {"mid", [](int64_t n) { return n / 2; }},
                                               {"hi", [](int64_t n) { return 16 * n - 1; }}},
                                              {{"below", [](int64_t n) { return -(n + 1) / 2; }},
                                               {"one", [](int64_t) { return int64_t{1}; }}}};
constexpr ListedAxis<OfNumerator> kBorderAxis{
    "border",
    "b",
    {{"0", [](int64_t) { return int64_t{0}; }},
     {"lo", [](int64_t n) { return -16 * n; }},
     {"hi", [](int64_t n) { return n - 1; }}},
    {{"mid", [](int64_t n) { return -3 * n; }},
     {"one", [](int64_t n) { return std::min<int64_t>(1, n - 1); }}}};

// The sizes that fit a scale and an offset, with the border that is asked for. If that border does
// not divide, one near it is used. Nothing if there is none.
std::optional<Direction> Plan(int64_t n, int64_t d, int64_t offset, int64_t wish) {
  const int64_t lowest = -16 * n, highest = n - 1;
  for (int64_t distance = 0; distance < d; ++distance) {
    for (int64_t border : {wish - distance, wish + distance}) {
      if (border < lowest || border > highest) continue;
      for (int64_t in = 3; in <= 64; ++in) {
        const int64_t numerator = (in - 1) * n - offset + border;
        if (numerator < d || numerator % d != 0) continue;
        return Direction{in, numerator / d + 1, n, d, offset, border};
      }
    }
  }
  return std::nullopt;
}

// Scale: numerator and denominator of y, then of x.
std::pair<std::optional<Direction>, std::optional<Direction>> PlanBoth(const Labels& labels) {
  const std::vector<int64_t> scale = labels[kScaleAxis];
  const OfNumerator offset = labels[kOffsetAxis], border = labels[kBorderAxis];
  return {Plan(scale[0], scale[1], offset(scale[0]), border(scale[0])),
          Plan(scale[2], scale[3], offset(scale[2]), border(scale[2]))};
}

std::vector<Axis> Axes(const Setting& setting) {
  // The mode of integers stands in the type row.
  std::vector<std::string> modes = {"bilinear", "nearest"};
  const bool is_float = IsFloat(setting.Type("in_t"));
  if (!is_float) {
    modes = {setting.row->attributes.at("mode") == "BILINEAR" ? "bilinear" : "nearest"};
  }
  Axis data = kDataAxis.With({"full-range", "special"});
  if (is_float) data = kDataAxis.With({"unit", "full-range", "special"}, {"large"});
  return {kBilinearAxis.With(std::move(modes)),
          {"scale",
           "s",
           {"2-1-2-1", "1-1-1-1", "3-2-5-7", "16-1-1-15", "1-3-4-2",
            StrCat(std::min<int64_t>(setting.level->Max("MAX_SCALE"), 2048), "-1-1-2")},
           // Shrinks by a little less than 16, with the largest numerator.
           {"2-3-3-2", "4-1-2-31", "100-101-7-1", "2048-2047-2048-1024", "1-15-8-1", "2-4-6-3"}},
          kOffsetAxis.All(),
          kBorderAxis.All(),
          kBatchChannelsAxis.With({"1x1", "2x3"}, {"4x1", "1x16"}),
          ConstantAxis(),
          std::move(data)};
}

// Whether the outputs of a direction lie at more than one element of the input.
bool Varies(const Direction& d) {
  const auto nearest = [&](int64_t out) {
    const int64_t position = 2 * (out * d.scale_d + d.offset) + d.scale_n;
    return std::clamp<int64_t>(position < 0 ? 0 : position / (2 * d.scale_n), 0, d.in - 1);
  };
  return nearest(0) != nearest(d.out - 1);
}

bool Allowed(const Setting&, const Labels& labels) {
  const auto [y, x] = PlanBoth(labels);
  if (y && x && labels.Is(kBatchChannelsAxis, "1x1") && !Varies(*y) && !Varies(*x)) return false;
  // Large images in one channel only.
  return y && x && (labels.Is(kBatchChannelsAxis, "1x1") || y->out * x->out <= 1500);
}

CaseDraft Build(const Choice& choice) {
  const auto [y, x] = PlanBoth(choice.labels);
  const Shape nc = choice[kBatchChannelsAxis];
  CaseDraft draft;
  // The bound of floats is a part of the greatest input: an infinity would make every result
  // acceptable.
  const DType in_t = choice.Type("in_t");
  const Shape shape = {nc[0], y->in, x->in, nc[1]};
  if (choice.data_set() == DataSet::kLarge) {
    // Near the greatest number: with a weight above 1 it leaves the type.
    const double max = Format(in_t).max;
    draft.Input("input", FloatsBetween(choice.Stream("input"), in_t, shape, max / 2, max / 8 * 7));
  } else {
    draft.Input("input", Filled(choice, "input", in_t, shape, Specials::kFinite));
  }
  draft.Set("scale", std::vector<int64_t>{y->scale_n, y->scale_d, x->scale_n, x->scale_d});
  draft.Set("offset", std::vector<int64_t>{y->offset, x->offset});
  draft.Set("border", std::vector<int64_t>{y->border, x->border});
  draft.Set("mode", choice[kBilinearAxis] ? "BILINEAR" : "NEAREST_NEIGHBOR");
  draft.output_type = choice.Type("out_t");
  draft.output_shape = {nc[0], y->out, x->out, nc[1]};
  SetConstants(choice, draft);
  return draft;
}

template <bool kBilinear>
bool HasMode(const Setting& setting) {
  const auto own = setting.row->attributes.find("mode");
  return own == setting.row->attributes.end() || (own->second == "BILINEAR") == kBilinear;
}

// Gives both directions these values. `nc`: batch and channels.
void SetDirections(const Direction& y, const Direction& x, const Shape& nc, const Random& random,
                   CaseDraft& draft) {
  Tensor& input = draft.tensor("input");
  const Shape shape = {nc[0], y.in, x.in, nc[1]};
  input = IsFloat(input.dtype()) ? FloatsBetween(random, input.dtype(), shape, -1, 1)
                                 : FullRange(random, input.dtype(), shape);
  draft.Set("scale", std::vector<int64_t>{y.scale_n, y.scale_d, x.scale_n, x.scale_d});
  draft.Set("offset", std::vector<int64_t>{y.offset, x.offset});
  draft.Set("border", std::vector<int64_t>{y.border, x.border});
  draft.output_shape = {nc[0], y.out, x.out, nc[1]};
}

// Gives a direction these values, and makes the other direction trivial.
void SetDirection(CaseDraft& draft, bool is_y, const Direction& direction) {
  const Direction other = {.in = 1, .out = 1, .scale_n = 1, .scale_d = 1};
  SetDirections(is_y ? direction : other, is_y ? other : direction, {1, 1}, Random(0, "input", ""),
                draft);
}

// Small cases that together have every relation of ResizeRelations.
struct RelationGeometry {
  std::string_view what;
  Direction y, x;
  Shape nc;
  bool more = false;  // see RelationCase
};

const std::vector<RelationGeometry>& Geometries() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"copy", {5, 5, 1, 1, 0, 0}, {4, 4, 1, 1, 0, 0}, {1, 3}},
      {"scale_2", {4, 7, 2, 1, 0, 0}, {3, 6, 2, 1, 0, 1}, {2, 5}},
      {"half_pixel_2", {3, 6, 4, 2, -1, 1}, {4, 8, 4, 2, -1, 1}, {1, 4}},
      {"scale_half", {7, 4, 1, 2, 0, 0}, {5, 3, 1, 2, 0, 0}, {1, 8}},
      {"scale_3_halves", {5, 7, 3, 2, 0, 0}, {3, 4, 3, 2, 0, 0}, {1, 16}},
      {"scale_8", {3, 17, 8, 1, 0, 0}, {2, 16, 8, 1, 0, 7}, {1, 1}},
      {"align_corners", {3, 7, 6, 2, 0, 0}, {4, 6, 5, 3, 0, 0}, {1, 3}},
      {"one_element", {1, 4, 4, 1, 0, 3}, {1, 4, 3, 1, -1, 2}, {1, 6}},
      {"one_row", {1, 4, 4, 1, 0, 3}, {4, 7, 2, 1, 0, 0}, {1, 3}},
      {"one_column", {5, 9, 2, 1, 0, 0}, {1, 4, 4, 1, 0, 3}, {2, 3}},
      // More results than 16 bits number.
      {"many_outputs", {101, 201, 2, 1, 0, 0}, {100, 199, 2, 1, 0, 0}, {1, 1}},
      {"one_output", {3, 1, 1, 1, 2, 0}, {3, 1, 2, 1, 4, 0}, {2, 7}},
      // See PoolLayerGeometries: both directions alike, several images, a vector of channels and a
      // rest.
      {"layer_2", {5, 10, 2, 1, 0, 1}, {7, 14, 2, 1, 0, 1}, {2, 11}, true},
      {"layer_2_half_pixel", {5, 10, 4, 2, -1, 1}, {6, 12, 4, 2, -1, 1}, {2, 11}, true},
      {"layer_3", {4, 12, 3, 1, 0, 2}, {5, 15, 3, 1, 0, 2}, {2, 11}, true},
      {"layer_4", {3, 12, 4, 1, 0, 3}, {5, 20, 4, 1, 0, 3}, {2, 11}, true},
      {"layer_4_half_pixel", {3, 12, 8, 2, -3, 3}, {4, 16, 8, 2, -3, 3}, {2, 11}, true},
      {"layer_8", {3, 24, 8, 1, 0, 7}, {4, 32, 8, 1, 0, 7}, {2, 11}, true},
      {"layer_half", {8, 4, 2, 4, 1, -1}, {12, 6, 2, 4, 1, -1}, {2, 11}, true},
      {"layer_2_thirds", {9, 6, 2, 3, 0, -1}, {12, 8, 2, 3, 0, -1}, {2, 11}, true}};
  return geometries;
}

// Each in the modes that the type row has.
std::vector<RelationCase> RelationCasesOfGeometries() {
  std::vector<RelationCase> cases;
  for (const RelationGeometry& g : Geometries()) {
    for (const bool bilinear : {true, false}) {
      const char* const mode = bilinear ? "BILINEAR" : "NEAREST_NEIGHBOR";
      const auto change = [&g, mode](const Setting&, CaseDraft& draft) {
        draft.Set("mode", mode);
        SetDirections(g.y, g.x, g.nc, draft.built_from->Stream("input"), draft);
      };
      cases.push_back({StrCat(g.what, bilinear ? "-bilinear" : "-nearest"),
                       bilinear ? HasMode<true> : HasMode<false>, change});
      cases.back().more = g.more;
    }
  }
  return cases;
}

// Everything that the condition is not about stays consistent: the output's size comes out right,
// and a border takes back the excess of an offset.
DraftChange Become(bool is_y, const Direction& direction) {
  return [=](const Setting&, CaseDraft& draft) { SetDirection(draft, is_y, direction); };
}

CaseDraft AtLayer(const CaseDraft& before, const NetworkLayer& layer) {
  CaseDraft draft = before;
  const Choice& choice = *before.built_from;
  draft.Input("input",
              Filled(choice, "input", choice.Type("in_t"), layer.input, Specials::kFinite));
  draft.Set("scale", layer.scale);
  draft.Set("offset", layer.offset);
  draft.Set("border", layer.border);
  draft.Set("mode", layer.mode);
  draft.output_shape = layer.output;
  return draft;
}

// scale_n / scale_d of the level's greatest, of which scale_n is at most 2048; the denominator is
// `denominator`: the limit is one of the quotient.
DraftChange ScaleAtLimit(bool is_y, int64_t denominator = 1) {
  return [=](const Setting& setting, CaseDraft& draft) {
    const int64_t quotient = std::min<int64_t>(setting.level->Max("MAX_SCALE"), 2048 / denominator);
    const std::string scale = StrCat(quotient * denominator, "-", denominator);
    draft = BuildAt(draft, Axes, Build,
                    {{"scale", is_y ? StrCat(scale, "-1-1") : StrCat("1-1-", scale)}});
  };
}

constexpr bool kY = true, kX = false;

// What breaks a condition in one direction, and its nearest legal neighbour, if that is not the
// draft.
struct Wrong {
  std::string_view of_y, of_x;  // the conditions of the directions, if they have such a one
  Direction broken;
  std::optional<Direction> legal = std::nullopt;
};

const std::vector<Wrong>& Wrongs() {
  static const auto& wrongs = *new std::vector<Wrong>{
      {.of_y = "resize.size_limit",
       .broken = {.in = 16384, .out = 16384, .scale_n = 1, .scale_d = 1},
       .legal = {{.in = 16383, .out = 16383, .scale_n = 1, .scale_d = 1}}},
      {.of_x = "resize.size_limit",
       .broken = {.in = 4096, .out = 16384, .scale_n = 4, .scale_d = 1, .border = 3},
       .legal = {{.in = 4096, .out = 16383, .scale_n = 4, .scale_d = 1, .border = 2}}},
      // A denominator of -1 divides 0 as 1 does.
      {.of_y = "resize.scale_positive",
       .of_x = "resize.scale_positive",
       .broken = {.in = 1, .out = 1, .scale_n = 1, .scale_d = -1},
       .legal = {{.in = 1, .out = 1, .scale_n = 1, .scale_d = 1}}},
      // Zero is not positive either; each of the four by itself.
      {.of_y = "resize.scale_positive",
       .of_x = "resize.scale_positive",
       .broken = {.in = 1, .out = 1, .scale_n = 1, .scale_d = 0}},
      {.of_y = "resize.scale_positive",
       .of_x = "resize.scale_positive",
       .broken = {.in = 1, .out = 1, .scale_n = 0, .scale_d = 1}},
      {.of_y = "resize.scale_numerator_limit",
       .of_x = "resize.scale_numerator_limit",
       .broken = {.in = 2, .out = 2, .scale_n = 2049, .scale_d = 2049},
       .legal = {{.in = 2, .out = 2, .scale_n = 2048, .scale_d = 2048}}},
      {.of_y = "resize.downscale_limit",
       .of_x = "resize.downscale_limit",
       .broken = {.in = 17, .out = 2, .scale_n = 1, .scale_d = 16},
       .legal = {{.in = 16, .out = 2, .scale_n = 1, .scale_d = 15}}},
      {.of_y = "resize.offset_y",
       .of_x = "resize.offset_x",
       .broken = {.in = 4, .out = 7, .scale_n = 2, .scale_d = 1, .offset = -3, .border = -3},
       .legal = {{.in = 4, .out = 7, .scale_n = 2, .scale_d = 1, .offset = -2, .border = -2}}},
      {.of_y = "resize.offset_y",
       .of_x = "resize.offset_x",
       .broken = {.in = 17, .out = 2, .scale_n = 2, .scale_d = 1, .offset = 32, .border = 1},
       .legal = {{.in = 17, .out = 2, .scale_n = 2, .scale_d = 1, .offset = 31}}},
      {.of_y = "resize.border_y",
       .of_x = "resize.border_x",
       .broken = {.in = 4, .out = 7, .scale_n = 2, .scale_d = 1, .offset = 2, .border = 2},
       .legal = {{.in = 4, .out = 7, .scale_n = 2, .scale_d = 1, .offset = 1, .border = 1}}},
      {.of_y = "resize.border_y",
       .of_x = "resize.border_x",
       .broken = {.in = 18, .out = 2, .scale_n = 2, .scale_d = 1, .border = -33},
       .legal = {{.in = 18, .out = 3, .scale_n = 2, .scale_d = 1, .border = -32}}},
      {.of_y = "resize.output_height",
       .of_x = "resize.output_width",
       .broken = {.in = 4, .out = 8, .scale_n = 2, .scale_d = 1},
       .legal = {{.in = 4, .out = 7, .scale_n = 2, .scale_d = 1}}},
      {.of_y = "resize.output_height",
       .of_x = "resize.output_width",
       .broken = {.in = 4, .out = 4, .scale_n = 2, .scale_d = 2, .border = 1},  // does not divide
       .legal = {{.in = 4, .out = 4, .scale_n = 2, .scale_d = 2}}}};
  return wrongs;
}

std::vector<Breaker> Breakers() {
  std::vector<Breaker> breakers;
  for (const Wrong& wrong : Wrongs()) {
    for (const bool is_y : {kY, kX}) {
      const std::string condition(is_y ? wrong.of_y : wrong.of_x);
      if (condition.empty()) continue;
      breakers.push_back({condition, {}, nullptr, Become(is_y, wrong.broken)});
      if (wrong.legal) breakers.back().legal = Become(is_y, *wrong.legal);
    }
  }
  return breakers;
}

// The mode of the row that has this one's input with another result; null if there is none.
const std::string* OtherMode(const Setting& setting) {
  const auto own = setting.row->attributes.find("mode");
  if (own == setting.row->attributes.end()) return nullptr;
  for (const TypeRow& row : setting.spec->type_rows) {
    const auto mode = row.attributes.find("mode");
    if (mode == row.attributes.end() || row.Type("in_t") != setting.row->Type("in_t")) continue;
    if (mode->second != own->second) return &mode->second;
  }
  return nullptr;
}
template <bool kWider>
bool HasOtherMode(const Setting& setting) {
  return (setting.Type("in_t") != setting.Type("out_t")) == kWider && OtherMode(setting) != nullptr;
}
void SetOtherMode(const Setting& setting, CaseDraft& draft) {
  draft.Set("mode", *OtherMode(setting));
}

// The conditions do not depend on the mode: one way of each in the mode that the others are not in.
void AddInNearest(std::vector<Breaker>& breakers) {
  std::set<std::string> seen;
  for (Breaker breaker : std::vector<Breaker>(breakers)) {
    if (!seen.insert(breaker.condition).second) continue;
    breaker.labels = {{"mode", "nearest"}};
    breakers.push_back(More(std::move(breaker)));
  }
  breakers.push_back(More({"graph.type_row", {}, HasOtherMode<false>, SetOtherMode}));
  breakers.push_back(More({"graph.type_row", {}, HasOtherMode<true>, SetOtherMode}));
}

}  // namespace

Domain ResizeDomain() {
  std::vector<Breaker> breakers = Breakers();
  AddInNearest(breakers);
  return {
      .axes = Axes,
      .constraints =
          {{{"mode", "data"},
            "the bound of floats is a part of the greatest number, and hides a fault among most "
            "others",
            [](const Setting& setting, const Labels& labels) {
              const DType in_t = setting.Type("in_t");
              const bool wide =
                  in_t == DType::kBf16 || in_t == DType::kFp32;  // exponents of 8 bits
              if (labels[kDataAxis] == DataSet::kFullRange) return !wide;
              return labels[kDataAxis] != DataSet::kSpecial || !labels[kBilinearAxis] ||
                     !IsFloat(in_t);
            }},
           {{"mode", "scale"},
            "the position between two elements may round to the middle in a narrow type",
            [](const Setting& setting, const Labels& labels) {
              const DType in_t = setting.Type("in_t");
              if (labels[kBilinearAxis] || !IsFloat(in_t)) return true;
              const std::vector<int64_t> scale = labels[kScaleAxis];
              return std::max(scale[0], scale[2]) <= int64_t{1} << Format(in_t).fraction_bits;
            }},
           {{"mode", "offset", "data"},
            "the weights of an element that lies before the first one are what large numbers ask",
            [](const Setting&, const Labels& labels) {
              return labels[kDataAxis] != DataSet::kLarge ||
                     (labels[kBilinearAxis] && labels[kOffsetAxis](1) < 0);
            }},
           {{"batch_channels", "data"},
            "beyond the borders a single channel is the same element again and again",
            [](const Setting&, const Labels& labels) {
              return labels[kDataAxis] != DataSet::kSpecial ||
                     labels.Is(kBatchChannelsAxis, "2x3") || labels.Is(kBatchChannelsAxis, "1x16");
            }},
           {{"scale", "offset", "border", "batch_channels"},
            "no whole number of outputs, large images in several channels, or one element again "
            "and again",
            Allowed}},
      .build = Build,
      .breakers = std::move(breakers),
      .limits = {{"MAX_SCALE", "scale_y", {}, nullptr, ScaleAtLimit(kY)},
                 {"MAX_SCALE", "scale_x", {}, nullptr, ScaleAtLimit(kX)},
                 {"MAX_SCALE", "scale_y_reduced", {}, nullptr, ScaleAtLimit(kY, 2)},
                 {"MAX_SCALE", "scale_x_reduced", {}, nullptr, ScaleAtLimit(kX, 2)}},
      .relations = RelationCasesOfGeometries(),
      .at_layer = AtLayer};
}

}  // namespace cts::resize_domain
