#include "tools/program/ask/dot_product_judge.h"

#include <optional>
#include <string>
#include <utility>

#include "checker/rules/interval.h"
#include "checker/rules/match.h"
#include "reference/base/float_format.h"
#include "reference/base/npy.h"
#include "reference/precision/precision.h"
#include "tools/program/ask/judge_question.h"
#include "tools/program/ask/question_error.h"

namespace cts::judging {
namespace {

// A tensor of results of the dot-product rule.
StatusOr<Tensor> ReadTensor(const Json& json, const char* member, DType dtype, const Shape* shape) {
  CTS_ASSIGN_OR_RETURN(const std::string path, TextAt(json, member, "the name of a .npy file"));
  Shape found;
  if (shape == nullptr) {
    const auto read = ReadNpyShape(path);
    if (!read.ok()) return Annotate(read.status(), StrCat("/", member));
    found = *read;
    shape = &found;
  }
  auto tensor = ReadNpy(path, dtype, *shape);
  if (!tensor.ok()) return Annotate(tensor.status(), StrCat("/", member));
  return tensor;
}

}  // namespace

StatusOr<Json> JudgeDotProducts(const Json& json) {
  CTS_RETURN_IF_ERROR(CheckMembers(
      json, {"id", "edition", "operator", "KS", "S", "bias", "types", "ref", "bnd", "imp"}));
  CTS_ASSIGN_OR_RETURN(const Edition* edition, EditionAt(json));
  CTS_ASSIGN_OR_RETURN(const int64_t kernel_size, IntegerAt(json, "KS", 1, int64_t{1} << 40));
  const bool has_set = json.contains("S") && !json["S"].is_null();
  CTS_ASSIGN_OR_RETURN(const int64_t set, has_set ? IntegerAt(json, "S", -1, 5) : -1);
  if (json.contains("bias") && !json["bias"].is_boolean()) {
    return Bad("/bias", "found ", Found(json["bias"]),
               ", expected whether a bias is above zero: ", "true or false");
  }
  if (!json.contains("types") || !json["types"].is_object()) {
    return Bad("/types", "found ", FoundAt(json, "types"),
               ", expected an object of type names: out_t, and acc_t if it is another");
  }
  const Json& types = json["types"];
  const auto type = [&](const char* member) -> StatusOr<DType> {
    CTS_ASSIGN_OR_RETURN(const DType found, TypeAt(types, member, "/types"));
    if (IsFloat(found)) return found;
    return Bad(StrCat("/types/", member), "found ", Name(found), ", expected floating point");
  };
  CTS_ASSIGN_OR_RETURN(const DType out_t, type("out_t"));
  CTS_ASSIGN_OR_RETURN(const DType acc_t, types.contains("acc_t") ? type("acc_t") : out_t);
  if (Format(acc_t).fraction_bits < Format(out_t).fraction_bits) {
    return Bad("/types/acc_t", "found ", Name(acc_t), ", expected no narrower type than ",
               Name(out_t), ", which is out_t");
  }

  CTS_ASSIGN_OR_RETURN(Tensor reference, ReadTensor(json, "ref", DType::kFp64, nullptr));
  const Shape shape = reference.shape();
  CTS_ASSIGN_OR_RETURN(Tensor bound, ReadTensor(json, "bnd", DType::kFp64, &shape));
  CTS_ASSIGN_OR_RETURN(const Tensor result, ReadTensor(json, "imp", out_t, &shape));
  ExpectedOutput output{.name = "imp", .dtype = out_t, .shape = shape};
  const int64_t outputs = reference.size();
  const PrecisionTable& precision = *edition->precision;
  if (precision.dot_products() == nullptr) {
    return Bad("/edition", "found ", edition->id, ", which has no rule for dot products");
  }
  output.rule = DotProductLimits(*precision.dot_products(), precision.form(), kernel_size,
                                 json.value("bias", false), out_t, acc_t, outputs,
                                 outputs >= kMinDotProducts, static_cast<int>(set));
  const Answer answer{false, std::move(reference), std::move(bound), {}};
  CTS_RETURN_IF_ERROR(Annotate(ValidateAnswer(output, answer), "/bnd"));
  const TensorErrors errors = MeasureTensor(output, answer, result);
  const DotProductFigures& figures = *errors.figures;
  const auto figure = [](double value, const std::optional<double>& limit, bool met) {
    return Json{{"value", DoubleToJson(value)},
                {"limit", limit ? DoubleToJson(*limit) : Json(nullptr)},
                {"met", limit ? Json(met) : Json(nullptr)}};
  };
  const Rule& rule = output.rule;
  return Json{
      {"verdicts", {errors.accepted ? "accept" : "reject"}},
      {"rule", Name(rule.kind)},
      {"clause", rule.clause},
      {"ksb", rule.ksb},
      {"elements", outputs},
      {"unlimited", figures.unlimited},
      {"mismatches", errors.mismatches},
      {"first", errors.first < 0 ? Json(nullptr) : Json(Index(shape, errors.first))},
      {"absolute", figure(figures.worst_error, rule.absolute_limit, errors.mismatches == 0)},
      {"bias", figure(figures.error_sum, rule.bias_limit, figures.BiasAccepted(rule))},
      {"variance",
       figure(figures.squared_error_sum, rule.variance_limit, figures.VarianceAccepted(rule))}};
}

}  // namespace cts::judging
