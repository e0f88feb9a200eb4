#include "tools/program/sweep/sweep_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "checker/judge/across_cases.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"
#include "reference/calls/operator_call.h"
#include "reference/graph/disputed.h"
#include "reference/precision/flushing.h"

namespace cts {
namespace {

constexpr const char* kFormat = "tensor-cts-sweep-1";

uint64_t CountOf(const std::vector<SweepRange>& ranges) {
  uint64_t count = 0;
  for (const SweepRange& range : ranges) count += range.last - range.first + 1;
  return count;
}

bool Finished(const SweepReport& report) {
  return report.done == std::vector<SweepRange>{report.assigned};
}

double ValueOf(const Tensor& tensor, int64_t i) {
  return IsFloat(tensor.dtype()) ? tensor.Element(i) : static_cast<double>(tensor.Integer(i));
}

StatusOr<std::vector<SweepReport::Example>> ExamplesOf(const SweepDomain& domain,
                                                       const std::vector<SweepElement>& elements,
                                                       SweepReport* report) {
  std::vector<SweepReport::Example> examples;
  if (elements.empty()) return examples;
  std::vector<uint64_t> inputs;
  Tensor result(domain.type(), {static_cast<int64_t>(elements.size())});
  for (const SweepElement& element : elements) {
    result.SetBits(static_cast<int64_t>(inputs.size()), element.result);
    inputs.push_back(element.input);
  }
  CTS_ASSIGN_OR_RETURN(const ExpectedOutput expected, domain.Expect(domain.Operands(inputs)));
  std::vector<ElementJudge> judges;
  for (const Answer& answer : expected.answers) judges.emplace_back(expected, answer, result);
  for (int64_t i = 0; i < result.size(); ++i) {
    SweepReport::Example& example = examples.emplace_back();
    example.element = elements[static_cast<size_t>(i)];
    const bool kept = judges.front().Accepts(i);
    example.accepted = kept || judges.back().Accepts(i);
    example.value = ValueOf(result, i);
    example.reference = ValueOf(expected.answers[0].expected, i);
    // As in judging: by the answer that accepts it, or by the smaller error.
    ElementError error = judges.front().Measure(i);
    if (!kept) {
      const ElementError other = judges.back().Measure(i);
      if (example.accepted || other.ulp < error.ulp) error = other;
    }
    example.ulp = error.ulp;
    example.of_bound = error.of_bound.value_or(-1);
  }
  report->rule = Name(expected.rule.kind);
  report->clause = expected.rule.clause;
  return examples;
}

// Whether subnormal numbers are kept here and flushed there, as checker/judge/across_cases.h has
// it.
Status FindMixture(const SweepDomain& domain, SweepReport* report) {
  const SweepTotals& totals = report->totals;
  CTS_ASSIGN_OR_RETURN(const OperatorCall call, domain.CallOf(1));
  Report checked;
  const FlushingEvidence evidence = FlushingEvidenceOf(call.graph, *call.edition);
  const auto add = [&](const std::optional<SweepElement>& element, const char* answer) {
    if (!element) return;
    CaseReport c;
    c.id = StrCat("input ", domain.Describe(element->input));
    OutputReport output;
    output.answer = answer;
    output.flushing = evidence;
    c.outputs.push_back(std::move(output));
    checked.cases.push_back(std::move(c));
  };
  add(totals.kept, "unflushed");
  add(totals.flushed, "flushed");
  FindChoices(&checked);
  for (const Finding& finding : checked.findings) report->findings.push_back(finding.message);
  report->notes = checked.notes;
  return absl::OkStatus();
}

std::string Hex(uint64_t bits, DType dtype) {
  Tensor tensor(dtype, {1});
  tensor.SetBits(0, bits);
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 8 * StorageBytes(dtype) - 4; shift >= 0; shift -= 4) {
    text += kHex[tensor.Bits(0) >> shift & 15];
  }
  return text;
}

// Words an input by the domain; by its index, if a report that was read names no domain.
struct Namer {
  std::optional<SweepDomain> domain;
  explicit Namer(const SweepReport& report) {
    StatusOr<SweepDomain> made = SweepDomain::Of(report.question);
    if (made.ok()) domain = *std::move(made);
  }
  std::string Input(uint64_t i) const { return domain ? domain->Describe(i) : StrCat(i); }
};

Json RangesToJson(const std::vector<SweepRange>& ranges) {
  Json json = Json::array();
  for (const SweepRange& range : ranges) json.push_back({range.first, range.last});
  return json;
}

SweepRange RangeFromJson(const Json& json) {
  return {json.at(0).get<uint64_t>(), json.at(1).get<uint64_t>()};
}

Json ElementToJson(const SweepElement& element, const Namer& words) {
  Json json = {{"index", element.input},
               {"input", words.Input(element.input)},
               {"result", words.domain ? Hex(element.result, words.domain->type()) : ""},
               {"bits", element.result},
               {"measured_ulp", DoubleToJson(element.ulp)}};
  return json;
}

StatusOr<SweepElement> ElementFromJson(const Json& json) {
  SweepElement element{json.at("index").get<uint64_t>(), json.at("bits").get<uint64_t>()};
  CTS_ASSIGN_OR_RETURN(element.ulp, DoubleFromJson(json.at("measured_ulp")));
  return element;
}

Json ExamplesToJson(const std::vector<SweepReport::Example>& examples, const Namer& words) {
  Json list = Json::array();
  for (const SweepReport::Example& example : examples) {
    Json json = ElementToJson(example.element, words);
    json["accepted"] = example.accepted;
    json["value"] = DoubleToJson(example.value);
    json["reference"] = FormatHex(example.reference);
    json["ulp"] = DoubleToJson(example.ulp);
    if (example.of_bound >= 0) json["of_bound"] = DoubleToJson(example.of_bound);
    list.push_back(std::move(json));
  }
  return list;
}

Json CurveToJson(const SweepReport& report) {
  const SweepCurve curve =
      report.totals.curve.empty() ? SweepCurve(report.size) : report.totals.curve;
  Json greatest = Json::array();
  for (const double ulp : curve.greatest) greatest.push_back(DoubleToJson(ulp));
  return {{"inputs_each", SweepCurve::Inputs(report.size)},
          {"greatest_ulp", std::move(greatest)},
          {"rejected", curve.rejected}};
}

std::string Row(std::string_view label, const std::string& text) {
  std::string line = "  " + std::string(label);
  line.resize(std::max<size_t>(line.size() + 1, 16), ' ');
  return line + Fold(text, 16) + "\n";
}

std::string Grouped(uint64_t number) { return WithCommas(static_cast<int64_t>(number)); }

std::string Percent(uint64_t part, uint64_t whole) {
  if (whole == 0 || part == 0) return "";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.01 ? " (below 0.01 %)" : StrCat(" (", std::round(percent * 100) / 100, " %)");
}

std::string FormatExamples(const std::vector<SweepReport::Example>& examples, const Namer& words) {
  std::string text;
  for (const SweepReport::Example& example : examples) {
    const std::string of_bound =
        example.of_bound < 0 ? "" : StrCat(", ", FormatFigure(example.of_bound), " of the bound");
    text += StrCat("  ", words.Input(example.element.input), "  ->  ",
                   words.domain ? Hex(example.element.result, words.domain->type()) : "", " (",
                   FormatDouble(example.value), "), reference ", FormatDouble(example.reference),
                   ": ", FormatFigure(example.ulp), " ulp", of_bound,
                   example.accepted ? "" : ", rejected", "\n");
  }
  return text;
}

}  // namespace

void AddRange(const SweepRange& range, std::vector<SweepRange>* ranges) {
  ranges->push_back(range);
  std::sort(ranges->begin(), ranges->end(),
            [](const SweepRange& a, const SweepRange& b) { return a.first < b.first; });
  std::vector<SweepRange> joined;
  for (const SweepRange& next : *ranges) {
    if (!joined.empty() && next.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, next.last);
    } else {
      joined.push_back(next);
    }
  }
  *ranges = std::move(joined);
}

Status Complete(SweepReport* report) {
  CTS_ASSIGN_OR_RETURN(const SweepDomain domain, SweepDomain::Of(report->question));
  const std::vector<SweepElement> any = {{1, 0}};
  CTS_RETURN_IF_ERROR(ExamplesOf(domain, any, report).status());  // for the rule
  CTS_ASSIGN_OR_RETURN(report->worst, ExamplesOf(domain, report->totals.worst, report));
  CTS_ASSIGN_OR_RETURN(report->refused, ExamplesOf(domain, report->totals.refused, report));
  report->findings.clear();
  CTS_RETURN_IF_ERROR(FindMixture(domain, report));
  if (report->totals.first_disputed) {
    report->notes.push_back(StrCat(report->totals.disputed, " results are disputed and decide ",
                                   "nothing, the first that of ",
                                   domain.Describe(report->totals.first_disputed->input),
                                   ". The point is ", kSignallingNanPoint));
  }
  return absl::OkStatus();
}

SweepVerdict VerdictOf(const SweepReport& report) {
  const SweepTotals& totals = report.totals;
  if (totals.rejected > 0 || totals.unanswered > 0 || !totals.faults.empty() ||
      !report.findings.empty()) {
    return SweepVerdict::kNonconforming;
  }
  if (!Finished(report) || totals.accepted == 0) return SweepVerdict::kUnfinished;
  return CountOf(report.done) == report.size ? SweepVerdict::kConformant : SweepVerdict::kPassed;
}

std::string_view Name(SweepVerdict verdict) {
  switch (verdict) {
    case SweepVerdict::kConformant:
      return "conformant";
    case SweepVerdict::kPassed:
      return "passed";
    case SweepVerdict::kNonconforming:
      return "not_conformant";
    case SweepVerdict::kUnfinished:
      return "unfinished";
  }
  return "";
}

Json QuestionToJson(const SweepQuestion& question) {
  return {{"operator", question.op},
          {"type", question.type},
          {"in_type", question.in_type},
          {"edition", question.edition},
          {"attributes", question.attributes}};
}

SweepQuestion QuestionFromJson(const Json& json) {
  return {json.at("operator"), json.at("type"), json.at("in_type"), json.at("edition"),
          json.at("attributes").get<std::map<std::string, std::string>>()};
}

Json SweepReportToJson(const SweepReport& report) {
  const Namer words(report);
  const SweepTotals& totals = report.totals;
  Json ulps = Json::array();
  for (size_t slot = 0; slot < totals.ulps.counts.size(); ++slot) {
    ulps.push_back({{"error", UlpSlotName(slot)}, {"count", totals.ulps.counts[slot]}});
  }
  Json faults = Json::array();
  for (const SweepFault& fault : totals.faults) {
    faults.push_back({{"block", {fault.first, fault.last}},
                      {"inputs", {fault.guilty_first, fault.guilty_last}},
                      {"input", words.Input(fault.guilty_first)},
                      {"kind", Name(fault.kind)},
                      {"message", fault.message}});
  }
  Json json = {{"format", kFormat},
               {"generator", CTS_VERSION},
               {"question", QuestionToJson(report.question)},
               {"implementation",
                {{"name", report.implementation.name},
                 {"version", report.implementation.version},
                 {"about", report.implementation.about},
                 {"digest", report.implementation.digest}}},
               {"verdict", Name(VerdictOf(report))},
               {"size", report.size},
               {"assigned", {report.assigned.first, report.assigned.last}},
               {"done", RangesToJson(report.done)},
               {"rule", report.rule},
               {"clause", report.clause},
               {"inputs", totals.inputs},
               {"accepted", totals.accepted},
               {"rejected", totals.rejected},
               {"undefined", totals.undefined},
               {"unanswered", totals.unanswered},
               {"by_filter", totals.by_filter},
               {"by_reference", totals.by_reference},
               {"ulps", std::move(ulps)},
               {"filter_resolution_ulp", kFilterResolution},
               {"curve", CurveToJson(report)},
               {"worst", ExamplesToJson(report.worst, words)},
               {"refused", ExamplesToJson(report.refused, words)},
               {"faults", std::move(faults)},
               {"findings", report.findings},
               {"notes", report.notes}};
  if (totals.first_disputed) {
    json["disputed"] = totals.disputed;
    json["first_disputed"] = ElementToJson(*totals.first_disputed, words);
  }
  if (totals.kept) json["keeps_subnormals"] = ElementToJson(*totals.kept, words);
  if (totals.flushed) json["flushes_subnormals"] = ElementToJson(*totals.flushed, words);
  return json;
}

namespace {

// The requirements for a report from outside, so that a sweep can resume from it. `report` is the
// part that was read, completed. Messages begin with the place in the file.
class ReportChecker {
 public:
  ReportChecker(const Json& json, const SweepReport& report, const SweepDomain& domain)
      : json_(json), report_(report), totals_(report.totals), domain_(domain) {}

  Status Check() const {
    // Rules, filter and examples are those of one version.
    if (const std::string version = json_["generator"]; version != CTS_VERSION) {
      return Bad("/generator", Printable(version), CTS_VERSION, ", this tensor-cts");
    }
    CTS_RETURN_IF_ERROR(CheckRanges());
    CTS_RETURN_IF_ERROR(CheckSums());
    CTS_RETURN_IF_ERROR(CheckExamples());
    CTS_RETURN_IF_ERROR(CheckFaults());
    CTS_RETURN_IF_ERROR(CheckCurve());
    if (json_["verdict"] != Name(VerdictOf(report_))) {
      return Bad("/verdict", json_["verdict"].get<std::string>(), Name(VerdictOf(report_)),
                 " by what the report holds");
    }
    return absl::OkStatus();
  }

 private:
  template <class Found, class... Expected>
  static Status Bad(const std::string& place, const Found& found, const Expected&... expected) {
    return InvalidArgument(place, ": found ", found, ", expected ", expected...,
                           "; sweep again, or take the file as sweep wrote it");
  }
  static std::string Text(const SweepRange& range) {
    return StrCat(range.first, " to ", range.last);
  }
  static bool Within(const SweepRange& range, const SweepRange& of) {
    return of.first <= range.first && range.first <= range.last && range.last <= of.last;
  }
  bool IsDone(const SweepRange& range) const {
    return std::any_of(report_.done.begin(), report_.done.end(),
                       [&](const SweepRange& of) { return Within(range, of); });
  }
  // The errors of disputed results are not measured.
  uint64_t Measured() const { return totals_.accepted + totals_.rejected; }
  uint64_t Judged() const { return Measured() + totals_.disputed; }

  Status CheckRanges() const {
    if (json_["size"] != domain_.size()) {
      return Bad("/size", json_["size"].dump(), domain_.size(), ", the inputs of ", domain_.op());
    }
    if (!Within(report_.assigned, {0, report_.size - 1})) {
      return Bad("/assigned", Text(report_.assigned), "some of 0 to ", report_.size - 1);
    }
    for (size_t k = 0; k < report_.done.size(); ++k) {
      const SweepRange& range = report_.done[k];
      const uint64_t least = k == 0 ? report_.assigned.first : report_.done[k - 1].last + 2;
      if (!Within(range, {least, report_.assigned.last})) {
        return Bad(StrCat("/done/", k), Text(range), "some of ", least, " to ",
                   report_.assigned.last, " (the assigned ones, in order, none touching the next)");
      }
    }
    return absl::OkStatus();
  }

  Status CheckSums() const {
    if (totals_.inputs != CountOf(report_.done)) {
      return Bad("/inputs", totals_.inputs, CountOf(report_.done), ", as many as `done` has");
    }
    if (totals_.inputs != Judged() + totals_.undefined + totals_.unanswered) {
      return Bad("/inputs", totals_.inputs, Judged() + totals_.undefined + totals_.unanswered,
                 ", the sum of accepted, rejected, disputed, undefined and unanswered");
    }
    if (Judged() != totals_.by_filter + totals_.by_reference) {
      return Bad("/by_filter", totals_.by_filter, "with by_reference ", Judged(),
                 ", the sum of accepted, rejected and disputed");
    }
    if (totals_.first_disputed && !domain_.Disputed(totals_.first_disputed->input)) {
      return Bad("/first_disputed", domain_.Describe(totals_.first_disputed->input),
                 "an input about which the edition's clauses disagree");
    }
    if ((totals_.disputed > 0) != totals_.first_disputed.has_value()) {
      return Bad("/disputed", totals_.disputed, "a count above 0, beside first_disputed");
    }
    if (totals_.undefined > 0 && !domain_.partial()) {
      return Bad("/undefined", totals_.undefined, "0: ", domain_.op(), " is defined everywhere");
    }
    uint64_t measured = 0;
    for (size_t slot = 0; slot < totals_.ulps.counts.size(); ++slot) {
      const std::string name = json_["ulps"][slot]["error"];
      if (name != UlpSlotName(slot)) {
        return Bad(StrCat("/ulps/", slot, "/error"), Printable(name), UlpSlotName(slot));
      }
      measured += static_cast<uint64_t>(totals_.ulps.counts[slot]);
    }
    if (measured != Measured()) {
      return Bad("/ulps", StrCat(measured, " errors"), Measured(),
                 ", the sum of accepted and rejected");
    }
    if (json_["filter_resolution_ulp"] != kFilterResolution) {
      return Bad("/filter_resolution_ulp", json_["filter_resolution_ulp"].dump(), kFilterResolution,
                 ", that of this tensor-cts");
    }
    return absl::OkStatus();
  }

  Status CheckCurve() const {
    const SweepCurve& curve = totals_.curve;
    if (json_["curve"]["inputs_each"] != SweepCurve::Inputs(report_.size)) {
      return Bad("/curve/inputs_each", json_["curve"]["inputs_each"].dump(),
                 SweepCurve::Inputs(report_.size), " of ", report_.size, " inputs");
    }
    const uint64_t rejected = std::accumulate(curve.rejected.begin(), curve.rejected.end(), 0UL);
    if (rejected != totals_.rejected) {
      return Bad("/curve/rejected", StrCat(rejected, " in all"), totals_.rejected,
                 ", as many as were rejected");
    }
    const double most = totals_.worst.empty() ? 0 : totals_.worst.front().ulp;
    for (size_t k = 0; k < curve.greatest.size(); ++k) {
      if (std::isfinite(curve.greatest[k]) && curve.greatest[k] > most) {
        return Bad(StrCat("/curve/greatest_ulp/", k), FormatDouble(curve.greatest[k]), "at most ",
                   FormatDouble(most), ", the greatest error of `worst`");
      }
    }
    for (size_t k = 0; k < totals_.worst.size(); ++k) {
      const uint64_t segment = totals_.worst[k].input / SweepCurve::Inputs(report_.size);
      if (curve.greatest[segment] < totals_.worst[k].ulp) {
        return Bad(StrCat("/curve/greatest_ulp/", segment), FormatDouble(curve.greatest[segment]),
                   "at least ", FormatDouble(totals_.worst[k].ulp), ", the error of /worst/", k);
      }
    }
    return absl::OkStatus();
  }

  Status CheckElement(const std::string& place, const SweepElement& element) const {
    if (!IsDone({element.input, element.input})) {
      return Bad(place + "/index", element.input, "an input that is `done`");
    }
    const int bits = 8 * StorageBytes(domain_.type());
    if (bits < 64 && element.result >> bits != 0) {
      return Bad(place + "/bits", element.result, "a number of ", bits, " bits");
    }
    return absl::OkStatus();
  }

  Status CheckList(const std::string& name, const std::vector<SweepElement>& read) const {
    for (size_t k = 0; k < read.size(); ++k) {
      const std::string place = StrCat("/", name, "/", k);
      CTS_RETURN_IF_ERROR(CheckElement(place, read[k]));
      // Reading sorts the examples: a file with another order, or with an example twice, shows
      // here.
      if (json_[name][k]["index"] != read[k].input ||
          (k > 0 && read[k].input == read[k - 1].input)) {
        return Bad(place + "/index", json_[name][k]["index"].dump(),
                   "every example once, and in order");
      }
    }
    if (json_[name].size() != read.size()) {
      return Bad("/" + name, StrCat(json_[name].size(), " examples"), read.size(),
                 " with an error that is a number above 0");
    }
    return absl::OkStatus();
  }

  Status CheckExamples() const {
    CTS_RETURN_IF_ERROR(CheckList("worst", totals_.worst));
    CTS_RETURN_IF_ERROR(CheckList("refused", totals_.refused));
    const uint64_t wrong = Measured() - static_cast<uint64_t>(totals_.ulps.counts[0]);
    if (totals_.worst.size() > wrong) {
      return Bad("/worst", StrCat(totals_.worst.size(), " examples"), "at most ", wrong,
                 ", the inputs with an error");
    }
    const uint64_t examples = std::min<uint64_t>(totals_.rejected, SweepTotals::kExamples);
    if (totals_.refused.size() != examples) {
      return Bad("/refused", StrCat(totals_.refused.size(), " examples"), examples, ", for ",
                 totals_.rejected, " rejected");
    }
    for (size_t k = 0; k < report_.refused.size(); ++k) {
      if (report_.refused[k].accepted) {
        return Bad(StrCat("/refused/", k), "a result that the rule accepts", "one that it rejects");
      }
    }
    if (totals_.first_disputed) {
      CTS_RETURN_IF_ERROR(CheckElement("/first_disputed", *totals_.first_disputed));
    }
    if (totals_.kept) CTS_RETURN_IF_ERROR(CheckElement("/keeps_subnormals", *totals_.kept));
    if (totals_.flushed) CTS_RETURN_IF_ERROR(CheckElement("/flushes_subnormals", *totals_.flushed));
    return absl::OkStatus();
  }

  Status CheckFaults() const {
    uint64_t unanswered = 0;
    for (size_t k = 0; k < totals_.faults.size(); ++k) {
      const SweepFault& fault = totals_.faults[k];
      const SweepRange block = {fault.first, fault.last};
      const uint64_t least = k == 0 ? 0 : totals_.faults[k - 1].last + 1;
      if (!IsDone(block) || fault.first < least ||
          fault.first / kSweepBlock != fault.last / kSweepBlock) {
        return Bad(StrCat("/faults/", k, "/block"), Text(block),
                   "a block of inputs that are `done`, once and in order");
      }
      if (!Within({fault.guilty_first, fault.guilty_last}, block)) {
        return Bad(StrCat("/faults/", k, "/inputs"), Text({fault.guilty_first, fault.guilty_last}),
                   "some of the block's, ", Text(block));
      }
      unanswered += fault.last - fault.first + 1;
    }
    if (totals_.unanswered != unanswered) {
      return Bad("/unanswered", totals_.unanswered, unanswered,
                 ", the inputs of the blocks of faults");
    }
    return absl::OkStatus();
  }

  const Json& json_;
  const SweepReport& report_;
  const SweepTotals& totals_;
  const SweepDomain& domain_;
};

}  // namespace

StatusOr<SweepReport> SweepReportFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "sweep", origin));
  SweepReport report;
  report.question = QuestionFromJson(json["question"]);
  const Json& implementation = json["implementation"];
  report.implementation = {implementation["name"], implementation["version"],
                           implementation["about"], implementation["digest"]};
  const StatusOr<SweepDomain> domain = SweepDomain::Of(report.question);
  if (!domain.ok()) return Annotate(domain.status(), StrCat(origin, ": /question"));
  // The size that the file gives is compared below.
  report.size = domain->size();
  report.assigned = RangeFromJson(json["assigned"]);
  for (const Json& range : json["done"]) report.done.push_back(RangeFromJson(range));
  SweepTotals& totals = report.totals;
  totals.inputs = json["inputs"], totals.accepted = json["accepted"];
  totals.rejected = json["rejected"], totals.undefined = json["undefined"];
  totals.unanswered = json["unanswered"];
  totals.by_filter = json["by_filter"], totals.by_reference = json["by_reference"];
  for (size_t slot = 0; slot < totals.ulps.counts.size(); ++slot) {
    totals.ulps.counts[slot] = json["ulps"][slot]["count"];
  }
  const auto read = [&](const std::string& place, const Json& from) -> StatusOr<SweepElement> {
    const StatusOr<SweepElement> element = ElementFromJson(from);
    if (!element.ok()) return Annotate(element.status(), StrCat(origin, ": ", place));
    if (element->input < domain->size()) return *element;
    return InvalidArgument(origin, ": ", place, "/index: found ", element->input,
                           ", expected less than ", domain->size(), ", the number of inputs");
  };
  totals.curve = SweepCurve(report.size);
  const Json& curve = json["curve"];
  for (const char* const name : {"greatest_ulp", "rejected"}) {
    if (curve[name].size() != totals.curve.greatest.size()) {
      return InvalidArgument(origin, ": /curve/", name, ": found ", curve[name].size(),
                             " segments, expected ", totals.curve.greatest.size());
    }
  }
  for (size_t k = 0; k < totals.curve.greatest.size(); ++k) {
    const StatusOr<double> ulp = DoubleFromJson(curve["greatest_ulp"][k]);
    if (!ulp.ok() || !(*ulp >= 0)) {
      return InvalidArgument(origin, ": /curve/greatest_ulp/", k, ": found ",
                             Printable(curve["greatest_ulp"][k].dump()), ", expected 0 or more");
    }
    totals.curve.greatest[k] = *ulp;
    totals.curve.rejected[k] = curve["rejected"][k];
  }
  for (size_t k = 0; k < json["worst"].size(); ++k) {
    CTS_ASSIGN_OR_RETURN(const SweepElement element, read(StrCat("/worst/", k), json["worst"][k]));
    totals.AddWorst(element);
  }
  for (size_t k = 0; k < json["refused"].size(); ++k) {
    CTS_ASSIGN_OR_RETURN(const SweepElement element,
                         read(StrCat("/refused/", k), json["refused"][k]));
    totals.AddRefused(element);
  }
  totals.disputed = json.value("disputed", uint64_t{0});
  if (json.contains("first_disputed")) {
    CTS_ASSIGN_OR_RETURN(totals.first_disputed, read("/first_disputed", json["first_disputed"]));
  }
  if (json.contains("keeps_subnormals")) {
    CTS_ASSIGN_OR_RETURN(totals.kept, read("/keeps_subnormals", json["keeps_subnormals"]));
  }
  if (json.contains("flushes_subnormals")) {
    CTS_ASSIGN_OR_RETURN(totals.flushed, read("/flushes_subnormals", json["flushes_subnormals"]));
  }
  for (const Json& from : json["faults"]) {
    const SweepRange block = RangeFromJson(from["block"]), guilty = RangeFromJson(from["inputs"]);
    const std::string kind = from["kind"];  // one of the schema's
    totals.faults.push_back({block.first, block.last, guilty.first, guilty.last,
                             ParseSweepFaultKind(kind).value(), from["message"]});
  }
  CTS_RETURN_IF_ERROR(Annotate(Complete(&report), std::string(origin)));
  CTS_RETURN_IF_ERROR(Annotate(ReportChecker(json, report, *domain).Check(), std::string(origin)));
  return report;
}

StatusOr<SweepReport> ReadSweepReport(const std::filesystem::path& file) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, ""));
  return SweepReportFromJson(json, file.string());
}

StatusOr<SweepReport> MergeSweeps(const std::vector<std::filesystem::path>& files) {
  std::optional<SweepReport> all;
  for (const std::filesystem::path& file : files) {
    CTS_ASSIGN_OR_RETURN(const SweepReport part, ReadSweepReport(file));
    if (!all) {
      all = part;
      continue;
    }
    if (!(part.question == all->question)) {
      return InvalidArgument(file.string(), ": found another question than in ", files[0].string(),
                             ": operator, types, edition or attributes differ");
    }
    if (!(part.implementation == all->implementation)) {
      return InvalidArgument(file.string(), ": found ", Printable(part.implementation.name), " ",
                             Printable(part.implementation.version),
                             ", expected the implementation and library of ", files[0].string());
    }
    std::vector<SweepRange> done = all->done;
    for (const SweepRange& range : part.done) AddRange(range, &done);
    if (CountOf(done) != CountOf(all->done) + CountOf(part.done)) {
      return InvalidArgument(file.string(), ": holds inputs that another file holds, too");
    }
    all->done = std::move(done);
    all->totals.Add(part.totals);
    all->assigned = {std::min(all->assigned.first, part.assigned.first),
                     std::max(all->assigned.last, part.assigned.last)};
  }
  if (!all) return InvalidArgument("sweep --merge: expected files");
  CTS_RETURN_IF_ERROR(Complete(&*all));
  return *std::move(all);
}

std::string FormatSweep(const SweepReport& report) {
  const Namer words(report);
  const SweepTotals& totals = report.totals;
  const uint64_t judged = totals.accepted + totals.rejected;
  const SweepQuestion& question = report.question;
  std::string text = StrCat(question.op, " ", question.type, ", ", question.edition, ": ",
                            Printable(report.implementation.name), " ",
                            Printable(report.implementation.version), "\n");
  if (!report.implementation.about.empty()) {
    text += Row("about", Printable(report.implementation.about));
  }
  text += Row("rule", StrCat(report.rule, ": ", report.clause));
  text += Row("inputs", StrCat(Grouped(totals.inputs), " of ", Grouped(report.size)));
  text += Row("accepted", StrCat(Grouped(totals.accepted), Percent(totals.accepted, judged)));
  text += Row("rejected", StrCat(Grouped(totals.rejected), Percent(totals.rejected, judged)));
  if (totals.disputed > 0) text += Row("disputed", Grouped(totals.disputed));
  if (totals.undefined > 0) {
    text += Row("undefined", StrCat(Grouped(totals.undefined), ", not asked"));
  }
  if (totals.unanswered > 0) text += Row("unanswered", Grouped(totals.unanswered));
  text += Row("decided", StrCat("by the filter ", Grouped(totals.by_filter),
                                ", by the reference (MPFR) ", Grouped(totals.by_reference)));
  if (totals.kept || totals.flushed) {
    text += Row("subnormals",
                totals.kept && totals.flushed
                    ? StrCat("kept at ", words.Input(totals.kept->input), ", flushed at ",
                             words.Input(totals.flushed->input))
                    : StrCat(totals.kept ? "kept, as at " : "flushed, as at ",
                             words.Input((totals.kept ? totals.kept : totals.flushed)->input)));
  }
  if (judged > 0) {
    text += "\nerrors in ulp";
    if (totals.by_filter > 0) {
      text += " (the filter's are known to 10^-6 of one, and count as 0 below that)";
    }
    text += "\n";
    for (size_t slot = 0; slot < totals.ulps.counts.size(); ++slot) {
      const auto count = static_cast<uint64_t>(totals.ulps.counts[slot]);
      if (count > 0) {
        text += Row(UlpSlotName(slot), StrCat(Grouped(count), Percent(count, judged)));
      }
    }
  }
  if (!report.worst.empty()) text += "\nworst inputs\n" + FormatExamples(report.worst, words);
  if (!report.refused.empty()) {
    text += StrCat("\nrejected", totals.rejected > report.refused.size() ? ", the first" : "", "\n",
                   FormatExamples(report.refused, words));
  }
  for (const SweepFault& fault : totals.faults) {
    const bool one = fault.guilty_first == fault.guilty_last;
    text += StrCat("\n", Name(fault.kind), " in the block from ", words.Input(fault.first), " to ",
                   words.Input(fault.last), ": ",
                   one ? StrCat("input ", words.Input(fault.guilty_first))
                       : StrCat("the inputs from ", words.Input(fault.guilty_first), " to ",
                                words.Input(fault.guilty_last), " together"),
                   ": ", Printable(fault.message), "\n");
  }
  for (const std::string& finding : report.findings) {
    text += "\nfinding: " + Fold(finding, 9) + "\n";
  }
  for (const std::string& note : report.notes) text += "\nnote: " + Fold(note, 6) + "\n";
  text += "\n";
  switch (VerdictOf(report)) {
    case SweepVerdict::kConformant:
      return text +
             (totals.disputed == 0
                  ? "CONFORMANT: every input gives an acceptable result\n"
                  : "CONFORMANT: every input that is not disputed gives an acceptable result\n");
    case SweepVerdict::kPassed:
      return text + "PASSED: nothing wrong in these inputs; the others were not asked\n";
    case SweepVerdict::kNonconforming:
      return text + "NOT CONFORMANT\n";
    case SweepVerdict::kUnfinished:
      return text + "UNFINISHED: nothing wrong so far\n";
  }
  return text;
}

}  // namespace cts
