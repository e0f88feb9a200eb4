#include "checker/report.h"

#include <algorithm>
#include <set>

#include "checker/printable.h"
#include "reference/base/json.h"

namespace cts {
namespace {

constexpr size_t kShownFailures = 20;
constexpr size_t kShownMessage = 600;

// What is wrong comes before what is not there.
constexpr Verdict kByUrgency[] = {Verdict::kFail,    Verdict::kWrongOutcome, Verdict::kCrash,
                                  Verdict::kTimeout, Verdict::kProtocol,     Verdict::kMalformed,
                                  Verdict::kMissing, Verdict::kUnsupported};
static_assert(std::size(kByUrgency) == kVerdictCount - 1, "every verdict but pass");

// The embedded implementation is made of the reference's own texts: it shows that a suite can be
// passed, not that somebody's implementation conforms.
constexpr std::string_view kPositiveControl = "builtin:native";

bool IsPositiveControl(const Report& report) { return report.run.name == kPositiveControl; }

int Passed(const VerdictCounts& counts) { return counts[static_cast<int>(Verdict::kPass)]; }

int Total(const VerdictCounts& counts) {
  int total = 0;
  for (const int count : counts) total += count;
  return total;
}

std::vector<std::string> Operators(const Report& report) {
  std::set<std::string> names;
  for (const CaseReport& c : report.cases) names.insert(c.op);
  return {names.begin(), names.end()};
}

std::string PadLeft(const std::string& text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string PadRight(const std::string& text, size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

struct Column {
  std::string_view top, bottom;
  size_t width;
};
constexpr size_t kOperatorWidth = 24;
// 20 and these, with a space before each: 95.
constexpr Column kColumns[] = {{"", "cases", 6},        {"", "pass", 6},    {"", "fail", 6},
                               {"wrong", "outcome", 7}, {"", "missing", 7}, {"mal-", "formed", 6},
                               {"un-", "supported", 9}, {"", "crash", 5},   {"time-", "out", 5},
                               {"proto-", "col", 6}};

std::string TableLine(const std::string& name, const VerdictCounts& counts) {
  std::string line = PadRight(name, kOperatorWidth);
  line += " " + PadLeft(std::to_string(Total(counts)), kColumns[0].width);
  for (int i = 0; i < kVerdictCount; ++i) {
    const std::string cell = counts[i] == 0 ? "-" : std::to_string(counts[i]);
    line += " " + PadLeft(cell, kColumns[i + 1].width);
  }
  return line + "\n";
}

std::string Table(const Report& report) {
  std::string top(kOperatorWidth, ' ');
  std::string bottom = PadRight("operator", kOperatorWidth);
  for (const Column& column : kColumns) {
    top += " " + PadLeft(std::string(column.top), column.width);
    bottom += " " + PadLeft(std::string(column.bottom), column.width);
  }
  std::string text = top + "\n" + bottom + "\n";
  for (const std::string& op : Operators(report)) text += TableLine(op, CountVerdicts(report, op));
  return text + TableLine("total", CountVerdicts(report));
}

std::string VerdictLine(const Report& report) {
  const VerdictCounts counts = CountVerdicts(report);
  const int total = Total(counts);
  if (total == 0) return "NOT CONFORMANT: the suite has no case, nothing was checked\n";
  if (report.run.shard) {
    const std::string shard =
        StrCat("SHARD ", report.run.shard->index, " OF ", report.run.shard->of);
    const std::string rest =
        "; this says nothing about the whole suite: merge all shards, check that\n";
    if (AllPassed(report)) return StrCat(shard, " PASSED, all ", total, " cases", rest);
    return StrCat(
        shard, " FAILED, ", total - Passed(counts), " of ", total, " cases",
        report.findings.empty() ? "" : StrCat(" and ", report.findings.size(), " findings"), rest);
  }
  if (Conformant(report)) return StrCat("CONFORMANT on this suite: all ", total, " cases passed\n");
  return StrCat("NOT CONFORMANT: ", total - Passed(counts), " of ", total, " cases failed\n");
}

// The rule and clause of the output that decided the verdict, if one did.
std::string RuleOf(const CaseReport& c) {
  for (const OutputReport& output : c.outputs) {
    if (output.verdict == Verdict::kPass) continue;
    return StrCat("rule ", Name(output.rule.kind), ": ", Printable(output.rule.clause));
  }
  return "";
}

std::string Failures(const Report& report) {
  std::string text;
  size_t shown = 0;
  size_t hidden = 0;
  std::vector<const CaseReport*> failures;
  for (const Verdict verdict : kByUrgency) {
    for (const CaseReport& c : report.cases) {
      if (c.verdict == verdict) failures.push_back(&c);
    }
  }
  for (const CaseReport* failure : failures) {
    const CaseReport& c = *failure;
    if (shown == kShownFailures) {
      ++hidden;
      continue;
    }
    ++shown;
    std::string verdict(Name(c.verdict));
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    text += StrCat("\n", PadLeft(std::to_string(shown), 2), ". ", c.id, "\n");
    text += "    " + Fold(StrCat(verdict, ": ", Shortened(c.message, kShownMessage)), 4) + "\n";
    if (const std::string rule = RuleOf(c); !rule.empty()) text += "    " + Fold(rule, 4) + "\n";
    text += StrCat("    explain: ", ExplainCommand(report, c.id), "\n");
  }
  if (shown == 0) return "";
  const std::string title =
      hidden == 0 ? "Failures" : StrCat("The first ", shown, " of ", failures.size(), " failures");
  if (hidden > 0) text += StrCat("\n    ... and ", hidden, " more; --json FILE names them all\n");
  return StrCat(title, ":\n", text, "\n");
}

Json FiguresToJson(const DotProductFigures& figures, const Rule& rule) {
  Json json = {{"elements", figures.elements},
               {"without_limit", figures.unlimited},
               {"worst_error", DoubleToJson(figures.worst_error)},
               {"error_limit", DoubleToJson(rule.absolute_limit)},
               {"error_sum", DoubleToJson(figures.error_sum)},
               {"squared_error_sum", DoubleToJson(figures.squared_error_sum)}};
  if (rule.bias_limit) json["bias_limit"] = DoubleToJson(*rule.bias_limit);
  if (rule.variance_limit) json["variance_limit"] = DoubleToJson(*rule.variance_limit);
  return json;
}

Json OutputToJson(const OutputReport& output) {
  Json json = {{"name", output.name},
               {"dtype", Name(output.dtype)},
               {"verdict", Name(output.verdict)},
               {"rule",
                {{"kind", Name(output.rule.kind)},
                 {"form", output.rule.form},
                 {"clause", Printable(output.rule.clause)}}},
               {"elements", output.elements}};
  if (!output.message.empty()) json["message"] = output.message;
  if (output.verdict != Verdict::kPass && output.verdict != Verdict::kFail) return json;
  json["mismatches"] = output.mismatches;
  json["worst_ulp"] = DoubleToJson(output.worst_ulp);
  if (output.worst_of_bound) json["worst_of_bound"] = DoubleToJson(*output.worst_of_bound);
  if (!output.answer.empty()) json["answer"] = output.answer;
  if (output.first >= 0) {
    json["first"] = {{"element", output.first_index},
                     {"expected", output.first_expected},
                     {"got", output.first_got}};
  }
  if (output.figures) json["dot_product"] = FiguresToJson(*output.figures, output.rule);
  return json;
}

Json CaseToJson(const CaseReport& c) {
  Json json = {{"id", c.id},
               {"operator", c.op},
               {"expected", Name(c.outcome)},
               {"verdict", Name(c.verdict)}};
  if (!c.condition.empty()) json["condition"] = c.condition;
  if (!c.answered.empty()) json["answered"] = c.answered;
  if (!c.message.empty()) json["message"] = c.message;
  if (!c.said.empty()) json["said"] = c.said;
  if (!c.outputs.empty()) {
    json["outputs"] = Json::array();
    for (const OutputReport& output : c.outputs) json["outputs"].push_back(OutputToJson(output));
  }
  return json;
}

Json CountsToJson(const VerdictCounts& counts) {
  Json json = {{"cases", Total(counts)}};
  for (int i = 0; i < kVerdictCount; ++i) {
    json[std::string(Name(static_cast<Verdict>(i)))] = counts[i];
  }
  return json;
}

// For text and for attributes; XML 1.0 has no way at all to write most control characters.
std::string Xml(const std::string& text) {
  std::string result;
  for (const char c : Printable(text, Lines::kKeep)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// JUnit tells "failure", the wrong answer, from "error", no answer to judge.
bool IsJUnitError(Verdict verdict) {
  return verdict == Verdict::kMissing || verdict == Verdict::kMalformed ||
         verdict == Verdict::kCrash || verdict == Verdict::kTimeout ||
         verdict == Verdict::kProtocol;
}

std::string JUnitCase(const Report& report, const CaseReport& c) {
  std::string text = StrCat("    <testcase classname=\"", Xml(report.suite.edition), ".", Xml(c.op),
                            "\" name=\"", Xml(c.id), "\" time=\"", FormatDouble(c.seconds), "\"");
  if (c.verdict == Verdict::kPass) return text + "/>\n";
  const char* const element = IsJUnitError(c.verdict) ? "error" : "failure";
  text += StrCat(">\n      <", element, " type=\"", Name(c.verdict), "\" message=\"",
                 Xml(c.message), "\">", Xml(c.message));
  if (const std::string rule = RuleOf(c); !rule.empty()) text += "&#10;" + Xml(rule);
  text += StrCat("&#10;", Xml(ExplainCommand(report, c.id)), "</", element, ">\n");
  if (!c.log.empty()) text += StrCat("      <system-err>", Xml(c.log), "</system-err>\n");
  return text + "    </testcase>\n";
}

struct JUnitCounts {
  int tests = 0, failures = 0, errors = 0;
  double seconds = 0;
  void Add(const CaseReport& c) {
    ++tests;
    seconds += c.seconds;
    if (c.verdict == Verdict::kPass) return;
    ++(IsJUnitError(c.verdict) ? errors : failures);
  }
  std::string Attributes() const {
    return StrCat("tests=\"", tests, "\" failures=\"", failures, "\" errors=\"", errors,
                  "\" skipped=\"0\" time=\"", FormatDouble(seconds), "\"");
  }
};

}  // namespace

std::string Fold(const std::string& text, size_t indent, size_t width) {
  std::string result;
  size_t column = indent;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const size_t length = end - at;
    if (column > indent) {
      if (column + 1 + length > width) {
        result += "\n" + std::string(indent, ' ');
        column = indent;
      } else {
        result += ' ';
        ++column;
      }
    }
    result.append(text, at, length);
    column += length;
    at = end + 1;
  }
  return result;
}

std::string ExplainCommand(const Report& report, const std::string& case_id) {
  return StrCat("tensor-cts explain ", ShellQuoted(report.results_path.string()), " ",
                ShellQuoted(case_id));
}

std::string FormatText(const Report& report) {
  const RunInfo& run = report.run;
  std::string text = StrCat("implementation  ", run.name, " ", run.version, "\n");
  text += "command         " + Fold(run.command, 16) + "\n";
  text += StrCat("suite           ", report.suite.name, ": ", report.suite.edition, ", level ",
                 report.suite.level, ", ", report.suite.cases.size(), " cases, by ",
                 Printable(report.suite.generator), "\n");
  text += StrCat("suite digest    ", report.suite.digest, "\n");
  if (run.shard) {
    text += StrCat("SHARD           ", run.shard->index, " OF ", run.shard->of, ": only ",
                   report.cases.size(), " of the ", report.suite.cases.size(), " cases\n");
  }
  text += "\n";
  text += Table(report) + "\n";
  text += Failures(report);
  for (const std::string& note : report.notes) text += "note: " + Fold(note, 6) + "\n";
  if (IsPositiveControl(report)) {
    text += "note: " +
            Fold(StrCat(kPositiveControl,
                        " is the positive control of the suite: it shows that the suite "
                        "can be passed, and is not evidence of conformance"),
                 6) +
            "\n";
  }
  return text + VerdictLine(report);
}

Json ReportToJson(const Report& report) {
  Json operators = Json::object();
  for (const std::string& op : Operators(report)) {
    operators[op] = CountsToJson(CountVerdicts(report, op));
  }
  Json cases = Json::array();
  for (const CaseReport& c : report.cases) cases.push_back(CaseToJson(c));
  Json run = {{"command", report.run.command}, {"seconds", DoubleToJson(report.run.seconds)}};
  if (!report.run.host.empty()) run["host"] = report.run.host;
  if (!report.run.started.empty()) run["started"] = report.run.started;
  if (report.run.shard) {
    run["shard"] = {{"index", report.run.shard->index},
                    {"of", report.run.shard->of},
                    {"passed", AllPassed(report)}};
  }
  return {{"format", "tensor-cts-report-1"},
          {"suite",
           {{"name", report.suite.name},
            {"edition", report.suite.edition},
            {"level", report.suite.level},
            {"generator", Printable(report.suite.generator)},
            {"seed", report.suite.seed},
            {"digest", report.suite.digest}}},
          {"implementation", {{"name", report.run.name}, {"version", report.run.version}}},
          {"run", std::move(run)},
          {"conformant", Conformant(report)},
          {"positive_control", IsPositiveControl(report)},
          {"totals", CountsToJson(CountVerdicts(report))},
          {"operators", std::move(operators)},
          {"notes", report.notes},
          {"cases", std::move(cases)}};
}

std::string FormatJUnit(const Report& report) {
  JUnitCounts all;
  for (const CaseReport& c : report.cases) all.Add(c);
  std::string text =
      StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"",
             Xml(report.suite.name), " on ", Xml(report.run.name), "\" ", all.Attributes(), ">\n");
  for (const std::string& op : Operators(report)) {
    JUnitCounts counts;
    std::string cases;
    for (const CaseReport& c : report.cases) {
      if (c.op != op) continue;
      counts.Add(c);
      cases += JUnitCase(report, c);
    }
    text += StrCat("  <testsuite name=\"", Xml(op), "\" ", counts.Attributes(), ">\n", cases,
                   "  </testsuite>\n");
  }
  // A gate that only counts failures must not turn green on an empty suite.
  if (report.cases.empty()) {
    text +=
        "  <testsuite name=\"suite\" tests=\"1\" failures=\"1\" errors=\"0\">\n"
        "    <testcase classname=\"suite\" name=\"has cases\"><failure type=\"empty\" "
        "message=\"the suite has no case, nothing was checked\"/></testcase>\n  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace cts
