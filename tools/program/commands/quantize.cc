#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <sstream>

#include "checker/text/printable.h"
#include "reference/base/json.h"
#include "reference/numeric/quantized_scale.h"
#include "tools/program/ask/list.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

constexpr const char* kQuantizeFooter =
    "The scale of a convolution's accumulator is the product of the scales of its input and its\n"
    "weights. RESCALE multiplies by about multiplier * 2^-shift to reach the output's scale. One\n"
    "weight scale is per tensor, several are per channel. Write scales as 0.1 or 0x1.8p-7. The\n"
    "quotient is computed in fp64.\n\n"
    "  multiplier      normalized: 2^30 to 2^31-1, without scale32 2^14 to 2^15-1\n"
    "  shift           2 to 62; 62 for smaller scales, with a multiplier that is not normalized\n"
    "  scale           input scale * weight scale / output scale\n"
    "  relative_error  error of multiplier * 2^-shift relative to that scale\n"
    "  least, greatest accumulators (less the input's zero point) for which RESCALE is defined\n\n"
    "Exit code: 0 done, 2 usage or environment.";

struct QuantizeArguments {
  std::string input, weights, output;
  bool scale32 = true, json = false;
};

StatusOr<double> ParseScale(const std::string& text, const std::string& place) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error != std::errc{}) {
    const StatusOr<double> other = DoubleFromJson(Json(text));  // hexadecimal, nan, inf
    value = other.ok() ? *other : std::nan("");
  }
  if (value > 0 && std::isfinite(value)) return value;
  return InvalidArgument("quantize: ", place, ": found ", '"', Printable(text), '"',
                         ", expected a positive number that fp64 can hold");
}

// The requirements of apply_scale_32 for a value, and of apply_scale_16 for its result (section
// Scaling).
std::pair<int64_t, int64_t> DefinedFor(const QuantizedScale& scale, bool scale32) {
  const int shift = scale.shift;
  const int64_t limit = int64_t{1} << (scale32 ? 31 : 47);
  if (scale32) {
    const int64_t most = std::min(limit, int64_t{1} << (shift - 1));
    return {-most, most - 1};
  }
  if (shift > 30) return {-limit, limit - 1};  // products are below 2^62
  const int64_t edge = int64_t{1} << (31 + shift), half = int64_t{1} << (shift - 1);
  return {std::max(-limit, (-edge - half) / scale.multiplier),
          std::min(limit - 1, (edge - half - 1) / scale.multiplier)};
}

StatusOr<Json> Channel(double input, double weight, double output, bool scale32) {
  const double scale = ScaleOfProduct(input, weight, output);
  if (!std::isnormal(input * weight) || !std::isnormal(scale)) {  // digits are lost, or all of it
    return InvalidArgument("found ", FormatDouble(input), " * ", FormatDouble(weight), " / ",
                           FormatDouble(output),
                           ", expected a product and a quotient within the normal range of fp64");
  }
  const int bits = scale32 ? 32 : 16;
  const StatusOr<QuantizedScale> quantized = QuantizeScale(scale, bits, /*normalized=*/false);
  if (!quantized.ok()) {
    // 32 bits reach larger scales.
    const bool other = !scale32 && QuantizeScale(scale, 32).ok();
    return InvalidArgument(Message(quantized.status()), other ? "; --scale32 true can" : "");
  }
  // Numbers of fp64. None is more than twice the other: their difference is exact.
  const double value = std::ldexp(quantized->multiplier, -quantized->shift);
  const auto [least, greatest] = DefinedFor(*quantized, scale32);
  Json row = {{"weight_scale", weight},
              {"multiplier", quantized->multiplier},
              {"shift", quantized->shift},
              {"scale", scale},
              {"relative_error", (value - scale) / scale},
              {"least", least},
              {"greatest", greatest}};
  if (quantized->multiplier < 1 << (bits - 2)) {
    row["note"] = "not normalized: that would take a shift above 62";
  }
  return row;
}

StatusOr<int> Quantize(const QuantizeArguments& options) {
  CTS_ASSIGN_OR_RETURN(const double input, ParseScale(options.input, "--input-scale"));
  CTS_ASSIGN_OR_RETURN(const double output, ParseScale(options.output, "--output-scale"));
  Json rows = Json::array();
  std::istringstream weights(options.weights + ",");
  for (std::string text; std::getline(weights, text, ',');) {
    const std::string place = StrCat("--weight-scale, channel ", rows.size());
    CTS_ASSIGN_OR_RETURN(const double weight, ParseScale(text, place));
    StatusOr<Json> row = Channel(input, weight, output, options.scale32);
    if (!row.ok()) return Annotate(row.status(), StrCat("quantize: ", place));
    (*row)["channel"] = rows.size();
    rows.push_back(*std::move(row));
  }
  if (options.json) {
    CTS_RETURN_IF_ERROR(Say(FormatJson({{"input_scale", input},
                                        {"output_scale", output},
                                        {"scale32", options.scale32},
                                        {"per_channel", rows.size() > 1},
                                        {"channels", rows}})));
  } else {
    CTS_RETURN_IF_ERROR(
        Say(FormatTable(rows, {"channel", "weight_scale", "multiplier", "shift", "scale",
                               "relative_error", "least", "greatest", "note"})));
  }
  return kDone;
}

}  // namespace

void AddQuantize(CLI::App& app, Action& action) {
  auto options = std::make_shared<QuantizeArguments>();
  CLI::App* command = app.add_subcommand(
      "quantize", "Compute RESCALE's multiplier and shift from quantized scales");
  const auto scale = [&](const char* name, std::string& into, const char* help, const char* type) {
    command->add_option(name, into, help)->required()->type_name(type);
  };
  scale("--input-scale", options->input, "Scale of the convolution's input", "X");
  scale("--weight-scale", options->weights, "Scale of its weights, per tensor or per channel",
        "A[,B...]");
  scale("--output-scale", options->output, "Scale of the result", "Y");
  command
      ->add_option("--scale32", options->scale32, "Multipliers have 32 bits (true) or 16 (false)")
      ->default_str("true")
      ->type_name("true|false");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(kQuantizeFooter);
  command->callback(
      [&action, options] { action = [options]() -> StatusOr<int> { return Quantize(*options); }; });
}

}  // namespace cts
