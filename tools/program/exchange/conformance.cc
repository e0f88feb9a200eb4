#include "tools/program/exchange/conformance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "checker/rules/match.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "reference/graph/symbols.h"
#include "reference/numeric/elementary.h"
#include "reference/precision/precision.h"
#include "reference/spec/edition.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kTestFile = "test.tosa";

// The source of an output's bounds: an operator whose row of the edition's precision table makes a
// bound for each element.
struct BoundSource {
  const PrecisionRow* row = nullptr;
  const Block* block = nullptr;
  const GraphOperator* op = nullptr;
};

bool HasBoundPerElement(const PrecisionRow& row) {
  return row.Is<ElementwisePrecision>() || row.Is<RelativeAndAbsolutePrecision>() ||
         row.Is<PowerPrecision>() || row.Is<LargestInputPrecision>() || row.Is<ProductPrecision>();
}

// Goes from a tensor back through operators that only move elements, and through the graphs of
// control flow.
void FindSources(const Graph& graph, const Block& block, const std::string& tensor,
                 const PrecisionTable& precision, std::set<const GraphOperator*>& visited,
                 std::vector<BoundSource>& sources) {
  for (const GraphOperator& op : block.operators) {
    if (!Contains(op.outputs, tensor)) continue;
    if (!visited.insert(&op).second) return;
    const size_t before = sources.size();
    for (const PrecisionRow& row : precision.rows()) {
      if (row.op == op.op && HasBoundPerElement(row)) sources.push_back({&row, &block, &op});
    }
    if (sources.size() > before) return;
    for (const std::string& input : op.inputs) {
      FindSources(graph, block, input, precision, visited, sources);
    }
    for (const auto& [name, attribute] : op.attributes) {
      const auto* const region = std::get_if<std::string>(&attribute);
      const Block* const inner = region == nullptr ? nullptr : graph.FindGraph(*region);
      if (inner == nullptr) continue;
      for (const std::string& output : inner->outputs) {
        FindSources(graph, *inner, output, precision, visited, sources);
      }
    }
    return;
  }
}

// All have the same row; a tensor that was joined from several has one rule.
StatusOr<std::vector<BoundSource>> SourcesOf(const Case& c, const ExpectedOutput& output) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  CTS_ASSIGN_OR_RETURN(const PrecisionTable* precision, PrecisionOf(*edition));
  std::set<const GraphOperator*> visited;
  std::vector<BoundSource> sources;
  FindSources(c.graph, c.graph.main(), output.name, *precision, visited, sources);
  for (const BoundSource& source : sources) {
    if (source.row == sources.front().row) continue;
    return absl::UnimplementedError(StrCat("output ", output.name, ": found bounds of ",
                                           sources.front().op->op, " and of ", source.op->op,
                                           ", a compliance mode is of one"));
  }
  if (!sources.empty()) return sources;
  return absl::UnimplementedError(StrCat("output ", output.name, ": no operator of ", c.edition,
                                         " has a bound per element that could be its rule, ",
                                         output.rule.clause));
}

// The length of the products of REDUCE_PRODUCT.
StatusOr<int64_t> ProductLength(const BoundSource& source) {
  const auto axis = source.op->attributes.find("axis");
  if (source.op->inputs.empty() || axis == source.op->attributes.end() ||
      !std::holds_alternative<int64_t>(axis->second)) {
    return absl::UnimplementedError(StrCat(source.op->op, ": n is not known without an axis"));
  }
  const Shape& shape = source.block->Find(source.op->inputs[0])->shape;
  const auto at = static_cast<size_t>(std::get<int64_t>(axis->second));
  if (at >= shape.size()) {
    return InvalidArgument(source.op->op, ": found an axis beyond the rank");
  }
  return shape[at];
}

double GreatestMagnitude(const Tensor& tensor) {
  double greatest = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    greatest = std::max(greatest, std::fabs(tensor.Element(i)));
  }
  return greatest;
}

// The greatest magnitude of RESIZE's input if a file or a constant has the input; otherwise the
// magnitude that gives the edition's bound.
double GreatestInputOfResize(const Case& c, const ExpectedOutput& output,
                             const LargestInputPrecision& numbers,
                             const std::vector<BoundSource>& sources) {
  if (sources.size() == 1 && !sources[0].op->inputs.empty()) {
    const std::string& name = sources[0].op->inputs[0];
    const auto inputs = c.InputsOfExecutions()[static_cast<size_t>(output.execution)];
    const auto given = inputs->find(name);
    if (sources[0].block == &c.graph.main() && given != inputs->end()) {
      return GreatestMagnitude(given->second);
    }
    if (const auto& values = sources[0].block->Find(name)->values) {
      return GreatestMagnitude(*values);
    }
  }
  return output.answers[0].bound->Element(0) / numbers.relative;
}

// The mode that the public generator gives a row that makes a bound of numbers: ULP, or ABS_ERROR
// with figures. The public checker combines the figures with values that the public reference
// computes. There the figures have the scale of the part that grows with the reference, and the
// slope.
std::optional<Json> BoundMode(const ElementwisePrecision& numbers, DType type) {
  if (numbers.magnitude == Magnitude::kBinade) {
    return Json{{"mode", "ULP"}, {"ulp_info", {{"ulp", numbers.scale}}}};
  }
  if (numbers.magnitude == Magnitude::kReference) return std::nullopt;
  Json info = Json::object();
  if (numbers.least > 0) info["lower_bound"] = numbers.least;
  // err_base of 1.0, which differs from type to type.
  if (!numbers.constants.empty()) info["base_bound"] = numbers.scale * numbers.Constant(type);
  if (numbers.magnitude == Magnitude::kOne) {
    info["bound_as_magnitude"] = true;
    info["normal_divisor"] = numbers.half_of_the_fraction ? 2 : 1;
    info["base_bound"] = numbers.scale;
    if (numbers.least_normal_min > 0) {
      info["max_compare"] = numbers.least_normal_min * Format(type).normal_min();
    }
  }
  Json json = {{"mode", "ABS_ERROR"}};
  if (!info.empty()) json["abs_error_info"] = std::move(info);
  return json;
}

// The public reference writes a bound of each element. Where the edition asks nothing of an element
// the mode has no word for that.
StatusOr<Json> PrecomputedMode(const ExpectedOutput& output) {
  for (const Answer& answer : output.answers) {
    for (int64_t i = 0; i < answer.bound->size(); ++i) {
      if (std::isfinite(answer.bound->Element(i))) continue;
      return absl::UnimplementedError(StrCat(
          "output ", output.name,
          ": mode PRECOMPUTED has no word for an element of which nothing is asked, such as ",
          ToString(Index(answer.bound->shape(), i))));
    }
  }
  return Json{{"mode", "PRECOMPUTED"}};
}

Json DotProductMode(const ExpectedOutput& output) {
  const Rule& rule = output.rule;
  const auto limit = static_cast<int64_t>(rule.absolute_limit);
  const double count = static_cast<double>(ElementCount(output.shape));
  // The public checker always looks at the variance, and from set 3 on at the bias. Where the
  // edition does not, they get values that no error within the limit exceeds.
  const bool bias = rule.bias_limit.has_value() || rule.data_set < 3;
  const double variance = rule.variance_limit ? *rule.variance_limit / count
                                              : rule.absolute_limit * rule.absolute_limit;
  return {{"mode", "DOT_PRODUCT"},
          {"dot_product_info",
           {{"s", bias ? rule.data_set : -1},
            {"ksb", rule.ksb},
            {"abs_bound", limit},
            {"variance_error_bound", variance}}}};
}

StatusOr<Json> ModeOf(const Case& c, const ExpectedOutput& output) {
  const Rule& rule = output.rule;
  switch (rule.kind) {
    case RuleKind::kExact:
      return Json{{"mode", "EXACT"}};
    case RuleKind::kUlp:
      return Json{{"mode", "ULP"}, {"ulp_info", {{"ulp", rule.ulp}}}};
    case RuleKind::kDotProduct:
      return DotProductMode(output);
    case RuleKind::kInterval:
      if (rule.enclosure) {
        return absl::UnimplementedError(
            StrCat("output ", output.name, ": no compliance mode for an enclosure"));
      }
      if (IsFloat(output.dtype)) {  // CAST: rounded to nearest or toward zero
        return Json{{"mode", "ULP"}, {"ulp_info", {{"ulp", 0.5}, {"ulp_lower", 1.0}}}};
      }
      return Json{{"mode", "RESCALE_INEXACT"},
                  {"rescale_inexact_info", {{"unsigned_data", rule.is_unsigned}}}};
    case RuleKind::kUnchecked:
      return absl::UnimplementedError(
          StrCat("output ", output.name, ": no compliance mode for an unchecked output"));
    case RuleKind::kAbsoluteBound:
      break;
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<BoundSource> sources, SourcesOf(c, output));
  const PrecisionRow& row = *sources.front().row;
  if (row.Is<ProductPrecision>()) {
    CTS_ASSIGN_OR_RETURN(const int64_t n, ProductLength(sources.front()));
    return Json{{"mode", "REDUCE_PRODUCT"}, {"reduce_product_info", {{"n", n}}}};
  }
  if (const auto* const numbers = row.As<LargestInputPrecision>()) {
    return Json{{"mode", "MAX_RELATIVE"},
                {"max_relative_info",
                 {{"max", GreatestInputOfResize(c, output, *numbers, sources)},
                  {"scale", numbers->relative},
                  {"ulp_bound", numbers->scale}}}};
  }
  if (row.Is<PowerPrecision>()) return PrecomputedMode(output);
  if (const auto* const numbers = row.As<ElementwisePrecision>()) {
    if (std::optional<Json> mode = BoundMode(*numbers, output.dtype)) return *std::move(mode);
  }
  return absl::UnimplementedError(
      StrCat("output ", output.name, ": no compliance mode for the rule of ", row.op));
}

// --- From desc.json to a rule. ------------------------------------------------------------------

Status NoOneValue(const ExpectedOutput& output, const std::string& mode) {
  return absl::UnimplementedError(
      StrCat("output ", output.name, ": found mode ", mode, ", but by ", output.rule.clause,
             " the reference has an interval and no one value to compare with; --edition-rules "
             "judges by that"));
}

// A bound for every element of an answer, computed from its reference.
template <class Bound>
void SetBounds(ExpectedOutput& output, const Bound& bound) {
  output.rule = {.kind = RuleKind::kAbsoluteBound, .form = output.rule.form};
  for (Answer& answer : output.answers) {
    Tensor bounds(DType::kFp64, answer.expected.shape());
    for (int64_t i = 0; i < bounds.size(); ++i) {
      const double ref = answer.expected.Element(i);
      if (!std::isnan(ref)) bounds.SetElement(i, bound(ref));
    }
    answer.bound = std::move(bounds);
    answer.upper.reset();
  }
}

// Other limits below and above: toward zero `lower` units in the last place, away from it `upper`.
void SetUlps(ExpectedOutput& output, double upper, double lower) {
  if (upper == lower) {
    output.rule = {.kind = RuleKind::kUlp, .form = output.rule.form, .ulp = upper};
    for (Answer& answer : output.answers) answer.bound.reset(), answer.upper.reset();
    return;
  }
  output.rule = {.kind = RuleKind::kInterval, .form = output.rule.form};
  for (Answer& answer : output.answers) {
    Tensor greatest = answer.expected;
    for (int64_t i = 0; i < greatest.size(); ++i) {
      const double ref = answer.expected.Element(i);
      if (std::isnan(ref)) continue;
      const double toward = UlpErrorBound(output.dtype, ref, lower);
      const double away = UlpErrorBound(output.dtype, ref, upper);
      const bool negative = std::signbit(ref);
      answer.expected.SetElement(i, ref - (negative ? away : toward));
      greatest.SetElement(i, ref + (negative ? toward : away));
    }
    answer.bound.reset();
    answer.upper = std::move(greatest);
  }
}

// Only class and sign count. A finite reference allows every finite number of its sign and zero, an
// infinite reference that infinity, NaN a NaN. A bound that is NaN allows anything, as for the dot
// product itself.
void SetFpSpecial(ExpectedOutput& output) {
  const double max = Format(output.dtype).max;
  output.rule = {.kind = RuleKind::kAbsoluteBound, .form = output.rule.form};
  for (Answer& answer : output.answers) {
    const bool has_bound = answer.bound.has_value();
    Tensor bounds(DType::kFp64, answer.expected.shape());
    for (int64_t i = 0; i < bounds.size(); ++i) {
      const double ref = answer.expected.Element(i);
      if (has_bound && std::isnan(answer.bound->Element(i)) && !std::isnan(ref)) {
        bounds.SetElement(i, kInfinity);
      } else if (std::isfinite(ref)) {
        // From 0 to the greatest number; where the reference is beyond it, to infinity.
        const double middle = std::fabs(ref) > max ? max : max / 2;
        answer.expected.SetElement(i, std::copysign(middle, ref));
        bounds.SetElement(i, middle);
      }
    }
    answer.bound = std::move(bounds);
    answer.upper.reset();
  }
}

void SetDotProduct(const Json& info, ExpectedOutput& output) {
  Rule& rule = output.rule;
  const double count = static_cast<double>(ElementCount(output.shape));
  rule.ksb = info["ksb"].get<int64_t>();
  const double ksb = static_cast<double>(rule.ksb);
  const auto positive = [&](const char* name, double otherwise) {
    const double value = info.value(name, 0.0);
    return value > 0 ? value : otherwise;
  };
  rule.absolute_limit = positive("abs_bound", 2 * ksb);
  const double variance = positive("variance_error_bound", 4 * 0.4 * ksb);
  // The edition decides whether the statistics mean anything.
  if (rule.variance_limit) rule.variance_limit = variance * count;
  if (rule.bias_limit) rule.bias_limit = std::sqrt(10 * variance * count);
}

// The accepted values of an element: the ends, for a dot product in units of its rule.
struct Ends {
  double least, greatest;
};
Ends EndsOf(const ExpectedOutput& output, const Answer& answer, int64_t i) {
  const double ref = answer.expected.Element(i);
  double limit = 0;
  switch (output.rule.kind) {
    case RuleKind::kExact:
      break;
    case RuleKind::kUlp:
      limit = UlpErrorBound(output.dtype, ref, output.rule.ulp);
      break;
    case RuleKind::kAbsoluteBound:
      limit = answer.bound->Element(i);
      break;
    case RuleKind::kDotProduct:
      return {-output.rule.absolute_limit, output.rule.absolute_limit};
    case RuleKind::kInterval:
      return {ref, answer.upper->Element(i)};
    case RuleKind::kUnchecked:
      break;  // has no answer
  }
  return {ref - limit, ref + limit};
}

std::string Relation(const ExpectedOutput& own, const ExpectedOutput& theirs) {
  const auto dot_product = [](const ExpectedOutput& output) {
    return output.rule.kind == RuleKind::kDotProduct;
  };
  if (!IsFloat(own.dtype) || dot_product(own) != dot_product(theirs)) return "other";
  bool looser = own.rule.variance_limit < theirs.rule.variance_limit;
  bool tighter = own.rule.variance_limit > theirs.rule.variance_limit;
  for (size_t k = 0; k < own.answers.size(); ++k) {
    for (int64_t i = 0; i < own.answers[k].expected.size(); ++i) {
      const Ends a = EndsOf(own, own.answers[k], i), b = EndsOf(theirs, theirs.answers[k], i);
      looser = looser || b.least < a.least || b.greatest > a.greatest;
      tighter = tighter || b.least > a.least || b.greatest < a.greatest;
    }
  }
  return looser == tighter ? "other" : looser ? "looser" : "tighter";
}

// Whether two rules accept the same: everything but the clause is equal.
bool SameRule(const ExpectedOutput& a, const ExpectedOutput& b) {
  Rule rule = a.rule;
  rule.clause = b.rule.clause;
  // The modes of desc.json do not say whether signs of zeros are told apart.
  rule.zero_sign = b.rule.zero_sign;
  if (rule != b.rule) return false;
  for (size_t k = 0; k < a.answers.size(); ++k) {
    if (a.answers[k].expected != b.answers[k].expected ||
        a.answers[k].bound != b.answers[k].bound || a.answers[k].upper != b.answers[k].upper) {
      return false;
    }
  }
  return true;
}

Status Judge(const std::string& mode, const Json& entry, ExpectedOutput& output) {
  const Rule own = output.rule;
  const auto info = [&](const char* name) { return entry.value(name, Json::object()); };
  const auto contradicts = [&](const auto&... why) {
    return InvalidArgument("output ", output.name, ": found mode ", mode, ": ", why...);
  };
  if (mode == "RESCALE_INEXACT") {
    if (own.kind != RuleKind::kInterval || IsFloat(output.dtype)) {
      return contradicts("expected it for a RESCALE with INEXACT_ROUND only");
    }
    if (info("rescale_inexact_info").value("unsigned_data", false) != own.is_unsigned) {
      return contradicts("/rescale_inexact_info/unsigned_data is not what the graph says");
    }
    return absl::OkStatus();
  }
  if (!IsFloat(output.dtype)) {
    if (mode != "EXACT") return contradicts("expected EXACT for ", Name(output.dtype));
    return own.kind == RuleKind::kExact ? absl::OkStatus() : NoOneValue(output, mode);
  }
  if (own.kind == RuleKind::kInterval) {
    for (const Answer& answer : output.answers) {
      if (answer.expected != *answer.upper) return NoOneValue(output, mode);
    }
  }
  const auto needs = [&](const char* name) {
    return entry.contains(name) ? absl::OkStatus() : contradicts("expected /", name, " with it");
  };
  if (mode == "EXACT") {
    output.rule = {.kind = RuleKind::kExact, .form = own.form};
    for (Answer& answer : output.answers) answer.bound.reset(), answer.upper.reset();
  } else if (mode == "ULP") {
    CTS_RETURN_IF_ERROR(needs("ulp_info"));
    const Json& ulp = entry["ulp_info"];
    const double upper = ulp["ulp"].get<double>();
    SetUlps(output, upper, ulp.value("ulp_lower", upper));
  } else if (mode == "REDUCE_PRODUCT") {
    CTS_RETURN_IF_ERROR(needs("reduce_product_info"));
    const FloatFormat& format = Format(output.dtype);
    const double n = entry["reduce_product_info"]["n"].get<double>();
    const double relative = Pow(1 + std::ldexp(1, -format.fraction_bits - 1), n) - 1;
    SetBounds(output, [&](double ref) {
      if (std::isinf(ref)) return 0.0;
      const double error = std::max(std::fabs(ref), format.normal_min()) * relative;
      return Positive(std::min(error, std::numeric_limits<double>::max()));
    });
  } else if (mode == "MAX_RELATIVE") {
    CTS_RETURN_IF_ERROR(needs("max_relative_info"));
    const Json& relative = entry["max_relative_info"];
    const double error = relative["max"].get<double>() * relative["scale"].get<double>();
    const double ulps = relative["ulp_bound"].get<double>();
    SetBounds(output, [&](double ref) {
      return Positive(std::max(error, UlpErrorBound(output.dtype, ref, ulps)));
    });
  } else if (mode == "FP_SPECIAL") {
    SetFpSpecial(output);
  } else if (mode == "DOT_PRODUCT") {
    CTS_RETURN_IF_ERROR(needs("dot_product_info"));
    if (own.kind != RuleKind::kDotProduct) {
      return contradicts("expected it for dot products only, but the rule is ", own.clause);
    }
    SetDotProduct(entry["dot_product_info"], output);
  } else if (mode == "PRECOMPUTED") {
    // The bound of each element is one that the public reference writes beside its result.
    if (own.kind == RuleKind::kAbsoluteBound) return absl::OkStatus();
    return contradicts(
        "expected it where the reference makes a bound for each element, but the rule is ",
        own.clause);
  } else if (mode == "FROM_BLOCK") {
    return contradicts(
        "expected it for values of block-scaled tensors, which the edition does not have");
  } else {  // ABS_ERROR
    // The figures are half of a formula; the other half stands in the public reference. Only the
    // figures that give the edition's own bound together with that half are known.
    return absl::UnimplementedError(StrCat("output ", output.name, ": found mode ABS_ERROR with ",
                                           info("abs_error_info").dump(),
                                           ", which is not how the public tests write ", own.clause,
                                           "; --edition-rules judges by that"));
  }
  return absl::OkStatus();
}

// --- Export. -------------------------------------------------------------------------------------

std::string PublicName(std::string_view profile) {
  std::string name = "tosa-";
  for (const char c : profile) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

// Returns the name that the public tools give to the elements of a .npy file, where that is not our
// name.
std::string_view PublicDescr(DType dtype) {
  if (dtype == DType::kFp8E4M3) return "<V1";
  if (dtype == DType::kFp8E5M2) return "|u1";
  return {};
}

// Any of these profiles and all of these extensions: those of our alternatives that need the same
// extensions as the first.
Json Requirements(const Case& c, const Edition& edition, bool bounds) {
  std::set<std::string> profiles;
  std::set<std::string> first;
  for (const std::vector<std::string>& alternative : c.profiles) {
    std::set<std::string> base, extensions;
    for (const std::string& name : alternative) {
      const auto spec = std::find_if(edition.profiles.begin(), edition.profiles.end(),
                                     [&](const ProfileSpec& p) { return p.name == name; });
      const bool extension = spec != edition.profiles.end() && spec->extension;
      (extension ? extensions : base).insert(PublicName(name));
      if (!extension) continue;
      // An extension comes with any of the profiles that it extends.
      for (const std::string& extended : spec->base) base.insert(PublicName(extended));
    }
    if (&alternative == &c.profiles.front()) first = extensions;
    if (extensions == first) profiles.insert(base.begin(), base.end());
  }
  if (profiles.empty()) profiles = {"tosa-pro-int", "tosa-pro-fp"};
  Json json = {{"profiles_supported", profiles}, {"bounds_file_required", bounds}};
  if (!first.empty()) json["extensions_required"] = first;
  return json;
}

// Modes for which the public reference writes a second tensor.
bool NeedsBounds(const std::string& mode) {
  return mode == "DOT_PRODUCT" || mode == "ABS_ERROR" || mode == "FP_SPECIAL" ||
         mode == "RESCALE_INEXACT" || mode == "PRECOMPUTED";
}

}  // namespace

std::string PublicTypeName(DType dtype) {
  std::string name(Name(dtype));
  if (name[0] == 'i') name = "int" + name.substr(1);
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

StatusOr<Json> ComplianceOf(const Case& c, const ExpectedOutput& output) {
  CTS_ASSIGN_OR_RETURN(Json entry, ModeOf(c, output));
  entry["data_type"] = PublicTypeName(output.dtype);
  entry["shape"] = output.shape;
  return entry;
}

StatusOr<Compliance> HonourCompliance(const Json& given, const Case& c, ExpectedOutput& output) {
  Json entry = given;
  if (entry["mode"] == "RELATIVE") {  // its name until 2026
    entry["mode"] = "MAX_RELATIVE";
    if (given.contains("relative_info")) entry["max_relative_info"] = given["relative_info"];
    entry.erase("relative_info");
  }
  const std::string type = entry["data_type"].get<std::string>();
  if (type != PublicTypeName(output.dtype)) {
    return InvalidArgument("output ", output.name, ": /data_type: found ", type, ", the graph has ",
                           PublicTypeName(output.dtype));
  }
  if (entry.contains("shape") && entry["shape"] != Json(output.shape)) {
    return InvalidArgument("output ", output.name, ": /shape: found ", entry["shape"].dump(),
                           ", the graph has ", ToString(output.shape));
  }
  const std::string mode = entry["mode"].get<std::string>();
  if (const StatusOr<Json> own = ComplianceOf(c, output); own.ok()) {
    // Absent figures are the mode's own.
    Json same = *own;
    if (!entry.contains("shape")) same.erase("shape");
    if (same == entry) return Compliance{};
  }
  ExpectedOutput theirs = output;
  CTS_RETURN_IF_ERROR(Judge(mode, entry, theirs));
  if (SameRule(theirs, output)) return Compliance{};
  Json figures = entry;
  for (const char* name : {"mode", "data_type", "shape"}) figures.erase(name);
  theirs.rule.clause = StrCat("desc.json: ", mode);
  for (const auto& item : figures) theirs.rule.clause += StrCat(" ", item.dump());
  const std::string relation = Relation(output, theirs);
  theirs.rule.clause +=
      StrCat("; ", relation == "other" ? "other" : relation, " than ", output.rule.clause);
  // Such an answer would fail everybody, or be no answer at all.
  for (const Answer& answer : theirs.answers) {
    if (const Status status = ValidateAnswer(theirs, answer); !status.ok()) {
      return absl::UnimplementedError(StrCat("mode ", mode, ": ", Message(status),
                                             "; --edition-rules judges by ", output.rule.clause));
    }
  }
  output = std::move(theirs);
  return Compliance{false, relation};
}

StatusOr<std::vector<BundleFile>> EncodeConformance(const Case& c, const TosaVersion& version) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  const Block& block = c.graph.main();
  if (block.outputs.empty()) {
    return absl::UnimplementedError("desc.json names at least one output, the graph has none");
  }
  if (const Status status = RequireStatic(c.graph); !status.ok()) {
    return absl::UnimplementedError(Message(status));
  }
  if (c.executions() > 1) {
    return absl::UnimplementedError(
        StrCat("a test is one execution, the case has ", c.executions()));
  }
  std::vector<BundleFile> files;
  CTS_ASSIGN_OR_RETURN(std::string tosa, EncodeTosa(c.graph, *edition, version));
  files.push_back({std::string(kTestFile), std::move(tosa)});

  Json beside = CaseHeadToJson(c);
  beside["format"] = "tensor-cts-conformance-1";
  Json desc = {{"tosa_file", kTestFile},    {"ifm_name", block.inputs},
               {"ifm_file", Json::array()}, {"ofm_name", block.outputs},
               {"ofm_file", Json::array()}, {"expected_failure", c.outcome == Outcome::kError}};
  for (const std::string& name : block.inputs) {
    const auto value = c.inputs.find(name);
    if (value == c.inputs.end()) {
      return absl::UnimplementedError(
          StrCat("input ", name, " has no values, desc.json wants a file for every input"));
    }
    files.push_back({name + ".npy", EncodeNpy(value->second, PublicDescr(value->second.dtype()))});
    desc["ifm_file"].push_back(files.back().path);
  }
  for (const std::string& name : block.outputs) desc["ofm_file"].push_back(name + ".result.npy");

  bool bounds = false;
  if (c.outcome == Outcome::kError) {
    desc["expected_failure_desc"] = c.condition;
  } else {
    Json tensors = Json::object();
    for (const ExpectedOutput& output : c.outputs) {
      CTS_ASSIGN_OR_RETURN(tensors[output.name], ComplianceOf(c, output));
      bounds = bounds || NeedsBounds(tensors[output.name]["mode"].get<std::string>());
    }
    desc["meta"]["compliance"] = {{"version", "0.1"}, {"tensors", std::move(tensors)}};
  }
  desc["test_requirements"] = Requirements(c, *edition, bounds);
  files.push_back({std::string(kDescFile), FormatJson(desc)});
  files.push_back({std::string(kBesideFile), FormatJson(beside)});
  return files;
}

}  // namespace cts
