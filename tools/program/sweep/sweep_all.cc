#include "tools/program/sweep/sweep_all.h"

#include <algorithm>
#include <map>

#include "checker/report/page_parts.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

using Attributes = std::map<std::string, std::string>;

// The values of an attribute that are asked for; none if it is no attribute, or has too many.
std::vector<std::string> ValuesOf(const Edition& edition, const OperatorSpec& spec, size_t k) {
  const ArgumentSpec& argument = spec.arguments[k];
  if (argument.category != ArgumentCategory::kAttribute) return {};
  if (argument.type == "bool_t") return {"false", "true"};
  if (const EnumSpec* const values = edition.FindEnum(argument.type)) {
    std::vector<std::string> names;
    for (const EnumValue& value : values->values) names.push_back(value.name);
    return names;
  }
  // The clamp that networks have most, which every type can hold.
  const std::string& name = spec.Seen().arguments[k].name;
  if (name == "min_val") return {"0"};
  if (name == "max_val") return {"6"};
  return {};
}

std::vector<Attributes> AttributesOf(const Edition& edition, const OperatorSpec& spec) {
  std::vector<Attributes> all = {{}};
  for (size_t k = 0; k < spec.arguments.size(); ++k) {
    const std::vector<std::string> values = ValuesOf(edition, spec, k);
    if (values.empty()) continue;
    std::vector<Attributes> more;
    for (const Attributes& so_far : all) {
      for (const std::string& value : values) {
        more.push_back(so_far);
        more.back()[spec.arguments[k].name] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

Status CheckType(const char* option, const std::string& type) {
  if (type.empty() || ParseDType(type)) return absl::OkStatus();
  return InvalidArgument(option, ": found \"", Shortened(Printable(type), 60),
                         "\", expected a type such as fp32");
}

// The types of operands that a row has, other than that of the result: none, or one.
std::string OtherType(const SweepDomain& domain) {
  return domain.in_type() == domain.type() ? "" : std::string(Name(domain.in_type()));
}

std::string Words(const SweepQuestion& question) {
  std::string text = StrCat(question.op, " ", question.type,
                            question.in_type.empty() ? "" : " of " + question.in_type);
  for (const auto& [name, value] : question.attributes) text += StrCat(" ", name, "=", value);
  return text;
}

std::string Count(uint64_t count) { return WithCommas(static_cast<int64_t>(count)); }

std::string CameOut(const SweepOutcome& outcome) {
  if (!outcome.not_offered.empty()) return "not offered";
  if (!outcome.cannot.empty()) return "cannot be asked";
  if (outcome.gave_up) return "NOT CONFORMANT, given up";
  switch (VerdictOf(outcome.report)) {
    case SweepVerdict::kConformant:
      return "conformant";
    case SweepVerdict::kPassed:
      return "passed, of these inputs";
    case SweepVerdict::kNonconforming:
      return "NOT CONFORMANT";
    case SweepVerdict::kUnfinished:
      return "unfinished";
  }
  return "";
}

std::string WorstError(const SweepReport& report) {
  return report.worst.empty() ? "0" : FormatFigure(report.worst.front().ulp);
}

// How many came out how, in the order of first appearance: "9 conformant, 2 not offered".
std::string Sums(const SweepAllSummary& summary) {
  std::vector<std::pair<std::string, int>> sums;
  for (const SweepOutcome& outcome : summary.outcomes) {
    const std::string words = CameOut(outcome);
    const auto at =
        std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.first == words; });
    if (at == sums.end()) {
      sums.emplace_back(words, 1);
    } else {
      ++at->second;
    }
  }
  std::string text;
  for (const auto& [words, count] : sums) {
    text += StrCat(text.empty() ? "" : ", ", count, " ", words);
  }
  return text;
}

std::string Conclusion(const SweepAllSummary& summary) {
  if (summary.interrupted) return "UNFINISHED: interrupted";
  switch (VerdictOf(summary)) {
    case SweepAllVerdict::kNothingWrong:
      return "NOTHING WRONG: every input that was asked gives an acceptable result";
    case SweepAllVerdict::kNonconforming:
      return "NOT CONFORMANT";
    case SweepAllVerdict::kIncomplete:
      return "UNFINISHED: nothing wrong so far";
    case SweepAllVerdict::kNothingOffered:
      return "NOTHING ASKED: the plugin offers none of these operators";
  }
  return "";
}

// Whether the folder has a report of all inputs. RunSweep refuses one of another library.
StatusOr<bool> IsFinished(const SweepOptions& options) {
  if (!options.resume) return false;
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(options.out));
  if (!there) return false;
  CTS_ASSIGN_OR_RETURN(const SweepReport report, ReadSweepReport(options.out));
  return report.done == std::vector{report.assigned};
}

fs::path ReportOf(const SweepQuestion& question, const fs::path& folder) {
  return folder / (StemOf(question) + ".json");
}

// Before hours of work: nothing stands where a report is to go, and the folder can be written.
Status CheckPlaces(const std::vector<SweepQuestion>& questions, const fs::path& folder,
                   bool resume) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Unavailable(folder.string(), ": cannot be created: ", error.message());
  for (const SweepQuestion& question : questions) {
    if (resume) break;
    const fs::path report = ReportOf(question, folder);
    CTS_ASSIGN_OR_RETURN(const bool there, Exists(report));
    if (!there) continue;
    return InvalidArgument(report.string(), ": exists; go on with it by --resume, or name another ",
                           "folder");
  }
  return absl::OkStatus();
}

Status SweepOne(SweepOptions options, SweepAllSummary* summary, const SweepProgress& progress) {
  SweepOutcome outcome;
  outcome.question = options.question;
  // Nothing is left to ask: one process shows whether the library is the same.
  CTS_ASSIGN_OR_RETURN(const bool finished, IsFinished(options));
  if (finished) options.jobs = 1;
  StatusOr<SweepSummary> swept = RunSweep(options, progress);
  if (swept.ok()) {
    // A sweep that gives up interrupts its other hosts.
    summary->interrupted = swept->interrupted && !swept->gave_up;
    outcome.gave_up = swept->gave_up;
    outcome.report = std::move(swept->report);
    fs::path page = options.out;
    page.replace_extension(".html");
    CTS_RETURN_IF_ERROR(WriteFile(page, FormatSweepPage(outcome.report)));
  } else if (absl::IsUnimplemented(swept.status())) {
    outcome.not_offered = Message(swept.status());
  } else if (absl::IsFailedPrecondition(swept.status())) {
    outcome.cannot = Message(swept.status());
  } else {
    return Annotate(swept.status(), Words(options.question));
  }
  summary->outcomes.push_back(std::move(outcome));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::vector<SweepQuestion>> SweepQuestions(const std::string& edition,
                                                    const std::string& type,
                                                    const std::string& in_type) {
  const StatusOr<const Edition*> found = FindEdition(edition);
  if (!found.ok()) return Annotate(found.status(), "--edition");
  CTS_RETURN_IF_ERROR(CheckType("--type", type));
  CTS_RETURN_IF_ERROR(CheckType("--in-type", in_type));
  std::vector<SweepQuestion> questions;
  for (const OperatorSpec& spec : (*found)->operators) {
    for (const Attributes& attributes : AttributesOf(**found, spec)) {
      for (const DTypeInfo& out : kDTypes) {
        if (!type.empty() && out.name != type) continue;
        for (const DTypeInfo& in : kDTypes) {
          if (!in_type.empty() && in.name != in_type) continue;
          SweepQuestion question{spec.name, std::string(out.name), std::string(in.name), edition,
                                 attributes};
          const StatusOr<SweepDomain> domain = SweepDomain::Of(question);
          if (!domain.ok()) continue;
          question.in_type = OtherType(*domain);
          questions.push_back(std::move(question));
        }
      }
    }
  }
  return questions;
}

std::string StemOf(const SweepQuestion& question) {
  std::string stem = StrCat(question.op, ".",
                            question.in_type.empty() ? "" : question.in_type + "-", question.type);
  for (const auto& [name, value] : question.attributes) stem += StrCat(".", name, "-", value);
  return stem;
}

StatusOr<SweepAllSummary> RunAllSweeps(const SweepOptions& common, const fs::path& folder,
                                       const SweepBegins& begins, const SweepProgress& progress) {
  const SweepQuestion& asked = common.question;
  CTS_ASSIGN_OR_RETURN(std::vector<SweepQuestion> questions,
                       SweepQuestions(asked.edition, asked.type, asked.in_type));
  if (questions.empty()) {
    return InvalidArgument("sweep: no operator of ", asked.edition,
                           " with these types can be "
                           "swept; expected operands of up to 32 bits in all, such as fp32 for one "
                           "and fp16 for two");
  }
  const size_t all = questions.size();
  if (common.shard) {
    std::vector<SweepQuestion> own;
    for (size_t k = 0; k < questions.size(); ++k) {
      if (common.shard->Has(k)) own.push_back(std::move(questions[k]));
    }
    questions = std::move(own);
  }
  if (questions.empty()) {
    return InvalidArgument("sweep --all: found ", common.shard->of, " shards, expected at most ",
                           all, ", as many as there are operators to sweep");
  }
  CTS_RETURN_IF_ERROR(CheckPlaces(questions, folder, common.resume));
  SweepAllSummary summary;
  for (size_t k = 0; k < questions.size() && !summary.interrupted; ++k) {
    SweepOptions options = common;
    options.shard.reset();
    options.question = questions[k];
    options.out = ReportOf(questions[k], folder);
    begins(questions[k], k, questions.size());
    CTS_RETURN_IF_ERROR(SweepOne(std::move(options), &summary, progress));
  }
  CTS_RETURN_IF_ERROR(WriteFile(folder / "index.html", FormatAllSweepsPage(summary)));
  return summary;
}

SweepAllVerdict VerdictOf(const SweepAllSummary& summary) {
  bool wrong = false, incomplete = summary.interrupted, asked = false;
  for (const SweepOutcome& outcome : summary.outcomes) {
    incomplete = incomplete || !outcome.cannot.empty();
    if (!outcome.asked()) continue;
    asked = true;
    const SweepVerdict verdict = VerdictOf(outcome.report);
    wrong = wrong || verdict == SweepVerdict::kNonconforming;
    incomplete = incomplete || verdict == SweepVerdict::kUnfinished;
  }
  if (wrong) return SweepAllVerdict::kNonconforming;
  if (incomplete) return SweepAllVerdict::kIncomplete;
  return asked ? SweepAllVerdict::kNothingWrong : SweepAllVerdict::kNothingOffered;
}

std::string FormatAllSweeps(const SweepAllSummary& summary) {
  std::vector<std::vector<std::string>> rows = {
      {"question", "inputs", "wrong", "worst ulp", "by MPFR", "came out"}};
  std::string reasons;
  for (const SweepOutcome& outcome : summary.outcomes) {
    const SweepTotals& totals = outcome.report.totals;
    std::vector<std::string> row = {Words(outcome.question), "", "", "", "", CameOut(outcome)};
    if (outcome.asked()) {
      row = {row[0],
             Count(totals.inputs),
             Count(totals.rejected + totals.unanswered),
             WorstError(outcome.report),
             Count(totals.by_reference),
             row[5]};
    } else if (!outcome.cannot.empty()) {
      reasons += StrCat(Words(outcome.question), ": ", Printable(outcome.cannot), "\n");
    }
    rows.push_back(std::move(row));
  }
  std::vector<size_t> widths(rows[0].size());
  for (const std::vector<std::string>& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - row[c].size(), ' ');
      // Texts stand to the left, numbers to the right.
      const bool last = c + 1 == row.size();
      text += c == 0 || last ? StrCat(row[c], last ? "" : space) : StrCat(space, row[c]);
      text += last ? "\n" : "  ";
    }
  }
  return StrCat(text, "\n", reasons, Sums(summary), "\n", Conclusion(summary), "\n");
}

std::string FormatAllSweepsPage(const SweepAllSummary& summary) {
  std::string rows;
  const SweepReport::Implementation* who = nullptr;
  for (const SweepOutcome& outcome : summary.outcomes) {
    const std::string words = Markup(Words(outcome.question));
    const SweepReport& report = outcome.report;
    if (!outcome.asked()) {
      // The reason is long, and much the same for all that is not offered.
      const std::string reason = outcome.cannot.empty() ? "" : ": " + outcome.cannot;
      rows += StrCat("<tr><th scope=\"row\">", words,
                     "</th><td></td><td></td><td></td><td class=\"text\">", CameOut(outcome),
                     Markup(reason), "</td></tr>\n");
      continue;
    }
    who = &report.implementation;
    rows +=
        StrCat("<tr><th scope=\"row\"><a href=\"", ForFragment(StemOf(outcome.question)),
               ".html\">", words, "</a></th><td>", Count(report.totals.inputs), "</td><td>",
               Count(report.totals.rejected + report.totals.unanswered), "</td><td>",
               WorstError(report), "</td><td class=\"text\">", CameOut(outcome), "</td></tr>\n");
  }
  const std::string conclusion = Conclusion(summary);
  const size_t colon = std::min(conclusion.find(": "), conclusion.size());
  const SweepAllVerdict verdict = VerdictOf(summary);
  const std::string header = PageHeader(
      "Tensor CTS: every input of every operator",
      verdict == SweepAllVerdict::kNothingWrong    ? "good"
      : verdict == SweepAllVerdict::kNonconforming ? "bad"
                                                   : "part",
      conclusion.substr(0, colon), colon < conclusion.size() ? conclusion.substr(colon + 2) : "",
      who == nullptr ? ""
                     : StrCat(FactRow("implementation", StrCat(who->name, " ", who->version)),
                              FactRow("about", who->about), FactRow("library", who->digest),
                              FactRow("sweeps", Sums(summary))));
  return PageOf("Sweeps", StrCat(header, "<main>\n",
                                 PageSection("sweeps", "Sweeps",
                                             PageTable("Sweeps",
                                                       {"operator", "inputs", "wrong or unanswered",
                                                        "worst error in ulp", "<came out"},
                                                       rows)),
                                 "</main>\n", PageFooter("sweep --all")));
}

}  // namespace cts
