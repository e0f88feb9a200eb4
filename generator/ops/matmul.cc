// MATMUL.
#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, H, C, W. MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back(
      {"shape", "",
       is_float ? std::vector<std::string>{"1x32x40x32", "3x20x17x18", "2x25x2x21", "1x8x90x130"}
                : std::vector<std::string>{"1x4x9x5", "2x7x30x6", "3x1x64x8", "1x13x1x11"}});
  axes.push_back({"b", "b", {"run", "const"}});
  if (setting.Type("in_t") == DType::kI8) axes.push_back({"zero_point", "z", {"0", "lo", "hi"}});
  axes.push_back({"data", "",
                  is_float ? std::vector<std::string>{"S0", "S1", "S2", "S3", "S4", "S5"}
                           : std::vector<std::string>{"full-range", "special"}});
  return axes;
}

Draft Build(const Choice& choice) {
  const Shape nhcw = ParseShape(choice["shape"]);
  const Shape a = {nhcw[0], nhcw[1], nhcw[2]}, b = {nhcw[0], nhcw[2], nhcw[3]};
  const DType in_t = choice.Type("in_t"), out_t = choice.Type("out_t");
  const bool constant = choice["b"] == "const";
  Draft draft;
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    // MATMUL accumulates in its output type.
    DotProductSet set(choice.setting.edition->id, s, nhcw[2], in_t, out_t, out_t);
    draft.Input("A", MatmulA(set, in_t, a));
    draft.Input("B", MatmulB(set, in_t, b), constant);
  } else {
    draft.Input("A", Filled(choice, "A", in_t, a));
    draft.Input("B", Filled(choice, "B", in_t, b), constant);
  }
  const std::string& zp = choice["zero_point"];
  draft.Set("A_zp", int64_t{zp == "lo" ? -128 : zp == "hi" ? 127 : 0});
  draft.Set("B_zp", int64_t{zp == "lo" ? 127 : zp == "hi" ? -128 : 0});
  draft.output_type = out_t;
  draft.output_shape = {nhcw[0], nhcw[1], nhcw[3]};
  return draft;
}

bool NotI8(const Setting& setting) { return setting.Type("in_t") != DType::kI8; }

}  // namespace

Domain MatmulDomain() {
  return {Axes,
          {},
          Build,
          {{"matmul.zero_point",
            {},
            NotI8,
            [](const Setting&, Draft& d) { d.Set("A_zp", int64_t{1}); }},
           {"matmul.zero_point", {}, NotI8, [](const Setting&, Draft& d) {
              d.Set("B_zp", int64_t{1});
            }}}};
}

}  // namespace cts
