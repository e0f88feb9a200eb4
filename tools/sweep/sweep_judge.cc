#include "tools/sweep/sweep_judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "checker/printable.h"
#include "checker/rules/clear_elements.h"
#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/operator_call.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Whether the text of an operator maps element to element. A publisher may call its groups as he
// likes, so that the group is that of the text in the default edition.
bool IsElementwise(const OperatorSpec& spec) {
  constexpr std::string_view kGroups[] = {"activation", "comparison", "elementwise-binary",
                                          "elementwise-unary"};
  if (spec.definition != nullptr) return false;
  const std::string& text = spec.Seen().name;
  const StatusOr<const Edition*> edition = FindEdition(kDefaultEdition);
  const OperatorSpec* const known = edition.ok() ? (*edition)->FindOperator(text) : nullptr;
  const bool group = Contains(kGroups, (known == nullptr ? spec : *known).group);
  return (group && text != "TABLE") || text == "CAST";
}

// Whether the text takes argument k for a zero point, a shift or a table.
bool IsParameter(const OperatorSpec& spec, size_t k) {
  const std::string& name = spec.Seen().arguments[k].name;
  return name.ends_with("_zp") || name == "shift" || name == "table";
}

StatusOr<DType> ParseSweptType(const char* option, const std::string& name,
                               const std::vector<DType>& known) {
  const std::optional<DType> dtype = ParseDType(name);
  if (dtype && (known.empty() || Contains(known, *dtype))) {
    return *dtype;
  }
  std::string names;
  for (const DTypeInfo& info : kDTypes) {
    const auto has = [&](DType type) { return Name(type) == info.name; };
    if (!known.empty() && std::none_of(known.begin(), known.end(), has)) continue;
    names += StrCat(names.empty() ? "" : ", ", info.name);
  }
  return InvalidArgument(option, ": found \"", Shortened(Printable(name), 60),
                         "\", expected one of ", names);
}

// Messages about a call begin with the place in its JSON. Nobody wrote that JSON, so the option is
// named instead.
Status InOptions(const Status& status) {
  const std::string message = Message(status);
  for (const auto& [place, option] :
       {std::pair("/arguments/", "--attribute "), std::pair("/operator:", "--operator:")}) {
    if (message.starts_with(place)) {
      return InvalidArgument(option, message.substr(std::string_view(place).size()));
    }
  }
  return status;
}

// Whether the given attributes are those that the operator has.
Status CheckAttributes(const OperatorSpec& spec, const std::string& edition,
                       const std::vector<std::string>& operands,
                       const std::map<std::string, std::string>& given) {
  std::vector<std::string> known;
  std::string names, missing;
  for (size_t k = 0; k < spec.arguments.size(); ++k) {
    const ArgumentSpec& argument = spec.arguments[k];
    if (argument.category == ArgumentCategory::kOutput || Contains(operands, argument.name)) {
      continue;
    }
    known.push_back(argument.name);
    names += StrCat(names.empty() ? "" : ", ", argument.name);
    if (!argument.optional && !IsParameter(spec, k) && !given.contains(argument.name)) {
      missing += StrCat(missing.empty() ? "" : ", ", argument.name);
    }
  }
  for (const auto& [name, text] : given) {
    if (Contains(known, name)) continue;
    return InvalidArgument("--attribute: found \"", Shortened(Printable(name), 60), "\", expected ",
                           known.empty()       ? "none"
                           : known.size() == 1 ? ""
                                               : "one of ",
                           names, ": ", spec.name, " of ", edition, " has no other");
  }
  if (missing.empty()) return absl::OkStatus();
  return InvalidArgument("--attribute: expected NAME=VALUE of ", missing, ": ", spec.name, " of ",
                         edition, " has ", names);
}

std::string Pattern(DType dtype, uint64_t bits) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 4 * ((Info(dtype).bits + 3) / 4) - 4; shift >= 0; shift -= 4) {
    text += kHex[bits >> shift & 15];
  }
  return text;
}

// Order of `worst`.
bool IsWorse(const SweepElement& a, const SweepElement& b) {
  return a.ulp != b.ulp ? a.ulp > b.ulp : a.input < b.input;
}

bool ComesFirst(const SweepElement& a, const SweepElement& b) { return a.input < b.input; }

template <class Before>
void InsertExample(const SweepElement& element, Before before, std::vector<SweepElement>& list) {
  if (list.size() == SweepTotals::kExamples && !before(element, list.back())) return;
  list.insert(std::upper_bound(list.begin(), list.end(), element, before), element);
  if (list.size() > SweepTotals::kExamples) list.pop_back();
}

void KeepFirst(const SweepElement& element, std::optional<SweepElement>& first) {
  if (!first || element.input < first->input) first = element;
}

// The error in ulp below which an element is no candidate any more.
double LeastWorst(const SweepTotals& totals, double least_worst) {
  if (totals.worst.size() < SweepTotals::kExamples) return least_worst;
  return std::max(least_worst, totals.worst.back().ulp);
}

// Whether all results are those of the numbers' bits, and no number is subnormal or a NaN. `T` has
// as many bits as the type.
template <class T>
bool HaveBits(const FloatFormat& format, bool negate, const Tensor& operand, const Tensor& result) {
  const T sign = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  const T normal = static_cast<T>(T{1} << format.fraction_bits);
  const T infinity = static_cast<T>(sign - normal);
  const char* const in = reinterpret_cast<const char*>(operand.bytes().data());
  const char* const out = reinterpret_cast<const char*>(result.bytes().data());
  const auto size = static_cast<size_t>(result.size()) * sizeof(T);
  T wrong = 0;
  bool special = false;
  for (size_t i = 0; i < size; i += sizeof(T)) {
    T x, y;
    std::memcpy(&x, in + i, sizeof(T));
    std::memcpy(&y, out + i, sizeof(T));
    const T magnitude = static_cast<T>(x & static_cast<T>(~sign));
    wrong = static_cast<T>(wrong | (y ^ (negate ? static_cast<T>(x ^ sign) : magnitude)));
    // Zero wraps around to the greatest number.
    special |= (magnitude > infinity) | (static_cast<T>(magnitude - 1) < normal - 1);
  }
  return wrong == 0 && !special;
}

}  // namespace

// ---- Totals -------------------------------------------------------------------------------------

void SweepTotals::AddWorst(const SweepElement& element) {
  if (element.ulp > 0 && std::isfinite(element.ulp)) InsertExample(element, IsWorse, worst);
}
void SweepTotals::AddRefused(const SweepElement& element) {
  InsertExample(element, ComesFirst, refused);
}
void SweepTotals::AddKept(const SweepElement& element) { KeepFirst(element, kept); }
void SweepTotals::AddFlushed(const SweepElement& element) { KeepFirst(element, flushed); }

void SweepTotals::Add(const SweepTotals& other) {
  inputs += other.inputs, accepted += other.accepted, rejected += other.rejected;
  undefined += other.undefined, unanswered += other.unanswered;
  by_filter += other.by_filter, by_reference += other.by_reference;
  ulps.Add(other.ulps);
  curve.Add(other.curve);
  for (const SweepElement& element : other.worst) AddWorst(element);
  for (const SweepElement& element : other.refused) AddRefused(element);
  if (other.kept) AddKept(*other.kept);
  if (other.flushed) AddFlushed(*other.flushed);
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
  std::sort(faults.begin(), faults.end(),
            [](const SweepFault& a, const SweepFault& b) { return a.first < b.first; });
}

// ---- Domain -------------------------------------------------------------------------------------

StatusOr<SweepDomain> SweepDomain::Of(const SweepQuestion& question) {
  SweepDomain domain;
  const StatusOr<const Edition*> edition = FindEdition(question.edition);
  if (!edition.ok()) return Annotate(edition.status(), "--edition");
  domain.edition_ = *edition;
  if (!domain.edition_->Has(Feature::kExecuted)) {
    return InvalidArgument("--edition: the reference does not cover ", question.edition, " yet");
  }
  const OperatorSpec* const spec = domain.edition_->FindOperator(question.op);
  if (spec == nullptr) {
    // For its message, which names the nearest.
    return InOptions(OperatorCallFromJson({{"edition", question.edition},
                                           {"operator", question.op},
                                           {"arguments", Json::object()}})
                         .status());
  }
  if (!IsElementwise(*spec)) {
    return InvalidArgument("--operator: ", question.op,
                           " cannot be swept; expected an operator that makes one element of one "
                           "or two, such as EXP, ADD or CAST");
  }
  domain.op_ = spec->name;
  domain.level_ = domain.edition_->NarrowestLevel().name;
  Json arguments = Json::object();
  std::string in_variable, out_variable;
  for (size_t k = 0; k < spec->arguments.size(); ++k) {
    const ArgumentSpec& argument = spec->arguments[k];
    if (argument.category == ArgumentCategory::kOutput) {
      domain.output_ = argument.name;
      out_variable = argument.element_type;
    } else if (argument.category == ArgumentCategory::kInput && !IsParameter(*spec, k)) {
      domain.names_.push_back(argument.name);
      in_variable = argument.element_type;
    } else if (IsParameter(*spec, k)) {
      arguments[argument.name] = 0;
    }
  }
  CTS_RETURN_IF_ERROR(CheckAttributes(*spec, question.edition, domain.names_, question.attributes));
  std::vector<DType> out_types;
  for (const TypeRow& row : spec->type_rows) {
    if (const std::optional<DType> out = row.Type(out_variable)) out_types.push_back(*out);
  }
  CTS_ASSIGN_OR_RETURN(domain.type_, ParseSweptType("--type", question.type, out_types));
  // The type of the operands: the given one, or the only one, or that of the result.
  if (!question.in_type.empty()) {
    CTS_ASSIGN_OR_RETURN(domain.in_type_, ParseSweptType("--in-type", question.in_type, {}));
  } else {
    std::vector<DType> types;
    for (const TypeRow& row : spec->type_rows) {
      const std::optional<DType> in = row.Type(in_variable), out = row.Type(out_variable);
      if (!in || out.value_or(domain.type_) != domain.type_) continue;
      if (!Contains(types, *in)) types.push_back(*in);
    }
    if (types.size() == 1) {
      domain.in_type_ = types[0];
    } else if (Contains(types, domain.type_) || types.empty()) {
      domain.in_type_ = domain.type_;
    } else {
      return InvalidArgument(question.op, " to ", question.type,
                             ": takes more than one type; say which with --in-type");
    }
  }
  const int bits = Info(domain.in_type_).bits;
  if ((bits != 8 && bits != 16 && bits != 32) || domain.operands() * bits > 32) {
    return InvalidArgument(question.op, " of ", Name(domain.in_type_), ": ", domain.operands(),
                           domain.operands() == 1 ? " operand" : " operands", " of ", bits,
                           " bits; a sweep has 2^32 inputs at most, of operands with 8, 16 or 32 "
                           "bits");
  }
  for (const auto& [name, text] : question.attributes) {
    // Numbers, true and false as in JSON; anything else is a name.
    const StatusOr<Json> value = ParseJson(text, "value");
    arguments[name] = value.ok() ? *value : Json(text);
  }
  // Conditions of kind require.
  domain.partial_ = spec->Seen().name == "POW" && domain.edition_->Has(Feature::kPowDomain);
  domain.arguments_ = std::make_shared<const Json>(std::move(arguments));
  // Whether the edition has an answer at all.
  CTS_RETURN_IF_ERROR(InOptions(domain.Expect(domain.Operands(1, 1)).status()));
  return domain;
}

StatusOr<OperatorCall> SweepDomain::CallOf(int64_t count) const {
  Json arguments = *arguments_;
  for (const std::string& name : names_) {
    arguments[name] = {{"dtype", Name(in_type_)}, {"shape", {count}}, {"data", nullptr}};
  }
  return OperatorCallFromJson({{"edition", edition_->id},
                               {"level", level_},
                               {"operator", op_},
                               {"arguments", std::move(arguments)},
                               {"output_types", {{output_, {{"dtype", Name(type_)}}}}}});
}

std::string SweepDomain::Describe(uint64_t i) const {
  std::string text;
  for (int k = 0; k < operands(); ++k) {
    text += StrCat(k == 0 ? "" : " ", Pattern(in_type_, Bits(i, k)));
  }
  return text;
}

bool SweepDomain::Defined(uint64_t i) const {
  if (!partial_) return true;
  const double x = DecodeFloat(in_type_, Bits(i, 0)), y = DecodeFloat(in_type_, Bits(i, 1));
  return std::isfinite(x) && std::isfinite(y) && x >= 0 && (x > 0 || y > 0);
}

std::vector<Tensor> SweepDomain::Operands(const std::vector<uint64_t>& inputs) const {
  std::vector<Tensor> tensors;
  for (int k = 0; k < operands(); ++k) {
    Tensor& tensor = tensors.emplace_back(in_type_, Shape{static_cast<int64_t>(inputs.size())});
    for (size_t j = 0; j < inputs.size(); ++j) {
      tensor.SetBits(static_cast<int64_t>(j), Bits(inputs[j], k));
    }
  }
  return tensors;
}

std::vector<Tensor> SweepDomain::Operands(uint64_t first, int64_t count) const {
  std::vector<Tensor> tensors;
  for (int k = 0; k < operands(); ++k) {
    Tensor& tensor = tensors.emplace_back(in_type_, Shape{count});
    for (int64_t j = 0; j < count; ++j) {
      tensor.SetBits(j, Bits(first + static_cast<uint64_t>(j), k));
    }
  }
  return tensors;
}

StatusOr<ExpectedOutput> SweepDomain::Expect(const std::vector<Tensor>& operands) const {
  CTS_ASSIGN_OR_RETURN(OperatorCall call, CallOf(operands[0].size()));
  CTS_RETURN_IF_ERROR(call.withheld);
  CTS_RETURN_IF_ERROR(call.undetermined);
  for (size_t k = 0; k < operands.size(); ++k) call.inputs.at(names_[k]) = operands[k];
  CTS_ASSIGN_OR_RETURN(Evaluation evaluation, EvaluateCall(call));
  if (evaluation.outcome != Outcome::kValid || evaluation.outputs.size() != 1) {
    std::string why = evaluation.message;
    for (const Violation& violation : evaluation.violations) {
      why += StrCat(why.empty() ? "" : "; ", violation.condition, ": ", violation.message);
    }
    return InvalidArgument(op_, " of ", Name(in_type_), ": ", edition_->id,
                           " has no result for every input: the outcome is ",
                           Name(evaluation.outcome), " (", why,
                           "); a sweep covers operators that are defined everywhere, and POW");
  }
  return std::move(evaluation.outputs[0]);
}

// ---- Judging ------------------------------------------------------------------------------------

SweepJudge::SweepJudge(const SweepDomain& domain)
    : domain_(domain),
      segment_inputs_(SweepCurve::Inputs(domain.size())),
      filter_(domain.type() == domain.in_type()
                  ? SweepFilter::For(domain.op(), domain.edition().id, domain.type())
                  : std::nullopt) {
  const OperatorSpec* const spec = domain.edition().FindOperator(domain.op());
  const DType type = domain.type();
  const bool is_known = type == DType::kFp16 || type == DType::kBf16 || type == DType::kFp32;
  if (spec->definition != nullptr || type != domain.in_type() || !is_known) return;
  if (spec->Seen().name == "ABS") bits_ = BitFunction::kAbs;
  if (spec->Seen().name == "NEGATE") bits_ = BitFunction::kNegate;
}

bool SweepJudge::AcceptedByBits(const Tensor& operand, const Tensor& result,
                                SweepTotals* totals) const {
  if (bits_ == BitFunction::kNone) return false;
  const FloatFormat& format = Format(domain_.type());
  const bool negate = bits_ == BitFunction::kNegate;
  const bool accepted = StorageBytes(domain_.type()) == 4
                            ? HaveBits<uint32_t>(format, negate, operand, result)
                            : HaveBits<uint16_t>(format, negate, operand, result);
  if (!accepted) return false;
  const auto count = static_cast<uint64_t>(result.size());
  totals->by_filter += count;
  totals->accepted += count;
  totals->ulps.counts[0] += result.size();
  return true;
}

Status SweepJudge::Judge(uint64_t first, const std::vector<Tensor>& operands, const Tensor& result,
                         double least_worst, SweepTotals* totals) {
  totals->inputs += static_cast<uint64_t>(result.size());
  if (totals->curve.empty()) totals->curve = SweepCurve(domain_.size());
  if (filter_) {
    // An input that must not be asked is recognized by its own value, not by the value that was
    // asked in its place.
    return JudgeByFilter(first,
                         domain_.partial() ? domain_.Operands(first, result.size()) : operands,
                         result, least_worst, totals);
  }
  if (AcceptedByBits(operands[0], result, totals)) return absl::OkStatus();
  std::vector<uint64_t> inputs;
  inputs.reserve(static_cast<size_t>(result.size()));
  for (int64_t i = 0; i < result.size(); ++i) {
    if (domain_.Defined(first + static_cast<uint64_t>(i))) {
      inputs.push_back(first + static_cast<uint64_t>(i));
    }
  }
  if (static_cast<int64_t>(inputs.size()) == result.size()) {
    return JudgeByReference(inputs, operands, result, least_worst, totals);
  }
  totals->undefined += static_cast<uint64_t>(result.size()) - inputs.size();
  if (inputs.empty()) return absl::OkStatus();
  Tensor asked(result.dtype(), {static_cast<int64_t>(inputs.size())});
  for (size_t k = 0; k < inputs.size(); ++k) {
    asked.SetBits(static_cast<int64_t>(k), result.Bits(static_cast<int64_t>(inputs[k] - first)));
  }
  return JudgeByReference(inputs, domain_.Operands(inputs), asked, least_worst, totals);
}

Status SweepJudge::JudgeByReference(const std::vector<uint64_t>& inputs,
                                    const std::vector<Tensor>& operands, const Tensor& result,
                                    double least_worst, SweepTotals* totals) {
  CTS_ASSIGN_OR_RETURN(const ExpectedOutput expected, domain_.Expect(operands));
  const auto count = static_cast<uint64_t>(result.size());
  totals->by_reference += count;
  const auto element = [&](int64_t i) {
    return SweepElement{inputs[static_cast<size_t>(i)], result.Bits(i)};
  };
  // Most tensors are right as a whole; then nobody needs to look at their elements.
  const TensorErrors kept = MeasureTensor(expected, expected.answers[0], result);
  std::optional<TensorErrors> flushed;
  if (expected.answers.size() > 1) {
    flushed = MeasureTensor(expected, expected.answers[1], result);
  }
  const bool candidates = kept.worst_ulp > least_worst;
  // The segment of an error is known as well where all elements belong to one segment.
  const bool placed = kept.worst_ulp == 0 || Segment(inputs.front()) == Segment(inputs.back());
  if (kept.mismatches == 0 && !candidates && placed) {
    totals->accepted += count;
    totals->ulps.Add(kept.ulps);
    totals->curve.Add(Segment(inputs.front()), kept.worst_ulp, false);
    if (flushed && flushed->mismatches > 0) totals->AddKept(element(flushed->first));
    return absl::OkStatus();
  }
  std::vector<ElementJudge> judges;
  for (const Answer& answer : expected.answers) judges.emplace_back(expected, answer, result);
  for (int64_t i = 0; i < result.size(); ++i) {
    const bool by_kept = judges[0].Accepts(i);
    const bool by_flushed = judges.size() > 1 ? judges[1].Accepts(i) : by_kept;
    SweepElement found = element(i);
    found.ulp = judges[0].Measure(i).ulp;
    if (!by_kept && judges.size() > 1) {
      const double other = judges[1].Measure(i).ulp;
      found.ulp = by_flushed ? other : std::min(found.ulp, other);
    }
    if (by_kept || by_flushed) {
      ++totals->accepted;
    } else {
      ++totals->rejected;
      totals->AddRefused(found);
    }
    if (by_kept && !by_flushed) totals->AddKept(found);
    if (by_flushed && !by_kept) totals->AddFlushed(found);
    totals->ulps.Add(found.ulp);
    totals->curve.Add(Segment(found.input), found.ulp, !by_kept && !by_flushed);
    totals->AddWorst(found);
  }
  return absl::OkStatus();
}

StatusOr<bool> SweepJudge::FlushedAccepts(uint64_t input, uint64_t result) {
  if (domain_.operands() > 1) {
    // For a base or an exponent of zero the result is exactly 1 or 0, or nothing is said.
    const DType type = domain_.type();
    const auto flush = [&](int k) {
      const double value = DecodeFloat(type, domain_.Bits(input, k));
      return IsSubnormal(type, value) ? 0 : value;
    };
    const double x = flush(0), y = flush(1), r = DecodeFloat(type, result);
    if (x > 0 && y == 0 && r == 1) return true;
    if (x == 0 && (y <= 0 || r == 0)) return true;
    CTS_ASSIGN_OR_RETURN(const ExpectedOutput expected, domain_.Expect(domain_.Operands({input})));
    Tensor tensor(type, {1});
    tensor.SetBits(0, result);
    return ElementJudge(expected, expected.answers.back(), tensor).Accepts(0);
  }
  const int bits = Info(domain_.in_type()).bits;
  const uint64_t sign = input >> (bits - 1);
  Known& known = known_[sign];
  if (known.result == result) return known.accepts;
  if (!of_zeros_) {
    CTS_ASSIGN_OR_RETURN(of_zeros_,
                         domain_.Expect(domain_.Operands({0, uint64_t{1} << (bits - 1)})));
  }
  Tensor tensor(domain_.type(), {2});
  tensor.SetBits(static_cast<int64_t>(sign), result);
  known.accepts =
      ElementJudge(*of_zeros_, of_zeros_->answers[0], tensor).Accepts(static_cast<int64_t>(sign));
  known.result = result;
  return known.accepts;
}

Status SweepJudge::JudgeByFilter(uint64_t first, const std::vector<Tensor>& operands,
                                 const Tensor& result, double least_worst, SweepTotals* totals) {
  const DType type = domain_.type();
  const double normal_min = Format(type).normal_min();
  const bool all_defined = !filter_->binary();
  alignas(64) double x[kFilterBlock] = {}, y[kFilterBlock] = {}, results[kFilterBlock] = {};
  FilterFigures figures;
  std::vector<uint64_t> doubtful;
  bool seeks_evidence = !totals->kept || totals->kept->input > first;
  const int64_t bytes = StorageBytes(type);
  for (int64_t start = 0; start < result.size(); start += kFilterBlock) {
    const int64_t count = std::min(kFilterBlock, result.size() - start);
    WidenFloats(type, operands[0].bytes().data() + start * bytes, count, x);
    if (filter_->binary()) WidenFloats(type, operands[1].bytes().data() + start * bytes, count, y);
    WidenFloats(type, result.bytes().data() + start * bytes, count, results);
    filter_->Look(x, y, results, count, LeastWorst(*totals, least_worst), figures);
    const auto input = [&](int64_t k) { return first + static_cast<uint64_t>(start + k); };
    const auto element = [&](int64_t k) {
      return SweepElement{input(k), result.Bits(start + k), figures.errors[k]};
    };
    totals->by_filter += static_cast<uint64_t>(figures.clear);
    totals->accepted += static_cast<uint64_t>(figures.clear);
    // The elements above one end, less those above the next.
    int64_t above = figures.clear;
    for (size_t k = 0; k < UlpHistogram::kEnds.size(); ++k) {
      totals->ulps.counts[k] += above - figures.above[k];
      above = figures.above[k];
    }
    totals->ulps.counts.back() += above;
    for (int64_t k = 0; k < count;) {
      const size_t segment = Segment(input(k));
      const auto next = static_cast<int64_t>((segment + 1) * segment_inputs_ - input(0));
      const int64_t end = std::min(count, next);
      totals->curve.Add(segment, *std::max_element(figures.errors + k, figures.errors + end),
                        false);
      k = end;
    }
    for (int64_t k = 0; k < figures.candidate_count; ++k) {
      totals->AddWorst(element(figures.candidates[k]));
    }
    for (int64_t k = 0; k < figures.doubtful_count; ++k) {
      const uint64_t i = input(figures.doubtful[k]);
      if (all_defined || domain_.Defined(i)) {
        doubtful.push_back(i);
      } else {
        ++totals->undefined;
      }
    }
    if (!seeks_evidence) continue;
    // An implementation that flushes subnormal numbers might have to give another result.
    bool any = false;
    for (int64_t k = 0; k < count; ++k) {
      const bool x_flushes = (std::fabs(x[k]) < normal_min) & (x[k] != 0);
      const bool y_flushes = (std::fabs(y[k]) < normal_min) & (y[k] != 0);
      any |= x_flushes | y_flushes;
    }
    for (int64_t k = 0, next = 0; any && seeks_evidence && k < count; ++k) {
      if (next < figures.doubtful_count && figures.doubtful[next] == k) {
        ++next;
        continue;
      }
      if (!IsSubnormal(type, x[k]) && !(filter_->binary() && IsSubnormal(type, y[k]))) continue;
      CTS_ASSIGN_OR_RETURN(const bool accepts, FlushedAccepts(input(k), result.Bits(start + k)));
      if (accepts) continue;
      totals->AddKept(element(k));
      seeks_evidence = false;
    }
  }
  if (doubtful.empty()) return absl::OkStatus();
  Tensor asked(type, {static_cast<int64_t>(doubtful.size())});
  for (size_t k = 0; k < doubtful.size(); ++k) {
    asked.SetBits(static_cast<int64_t>(k), result.Bits(static_cast<int64_t>(doubtful[k] - first)));
  }
  return JudgeByReference(doubtful, domain_.Operands(doubtful), asked, least_worst, totals);
}

}  // namespace cts
