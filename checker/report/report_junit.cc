// JUnit XML has no standard. All of these read this form. Jenkins: the xunit plugin's junit-10.xsd,
// the strictest, has no `file` in a test case, no `skipped` in `testsuites`, and decimal fractions
// as times. GitLab: classname and name identify a test, duplicates are dropped, and a file has at
// most 30 MB. And the actions that show reports on GitHub.
#include <algorithm>
#include <cstdio>
#include <map>

#include "checker/report/causes.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

constexpr size_t kMaxJunitMessage = 4000;
constexpr size_t kMaxJunitLog = 8000;  // its end
constexpr size_t kMaxLogs = 10 << 20;

// Printable: XML 1.0 has no way at all to write most control characters.
std::string Xml(const std::string& text) { return EscapeMarkup(Printable(text, Lines::kKeep)); }

std::string Seconds(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", std::clamp(seconds, 0.0, 1e12));
  return text;
}

// JUnit separates "failure", a wrong answer, from "error", no answer to judge.
bool IsJUnitError(Verdict verdict) {
  return verdict == Verdict::kMissing || verdict == Verdict::kMalformed ||
         verdict == Verdict::kCrash || verdict == Verdict::kTimeout ||
         verdict == Verdict::kProtocol;
}

struct JUnitCounts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  void Add(const JUnitCounts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
  }
  std::string Attributes() const {
    return StrCat("tests=\"", tests, "\" failures=\"", failures, "\" errors=\"", errors,
                  "\" time=\"", Seconds(seconds), "\"");
  }
};

class Writer {
 public:
  Writer(const Report& report, JUnitUnsupported unsupported)
      : report_(report), unsupported_(unsupported) {}

  std::string Write() {
    // A failure that belongs to no single case stands first, and counts.
    if (!report_.findings.empty()) AddSuite("findings", Findings());
    AddOperators();
    // A gate that only counts failures must not turn green on an empty suite.
    if (report_.cases.empty()) {
      AddSuite("suite", {{.tests = 1, .failures = 1},
                         Failure("suite", "has cases", "empty",
                                 "the suite has no case, nothing was checked", "")});
    } else if (all_.skipped == static_cast<int>(report_.cases.size())) {
      AddSuite("suite",
               {{.tests = 1, .failures = 1},
                Failure("suite", "supports something", "nothing_supported", NothingSeen(), "")});
    }
    return StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"",
                  Xml(report_.suite.name), " on ", Xml(report_.run.name), "\" ", all_.Attributes(),
                  ">\n", suites_, "</testsuites>\n");
  }

 private:
  struct Block {
    JUnitCounts counts;
    std::string text;
  };

  void AddSuite(const std::string& name, const Block& block) {
    all_.Add(block.counts);
    suites_ += StrCat("  <testsuite name=\"", Xml(name), "\" ", block.counts.Attributes(),
                      " skipped=\"", block.counts.skipped, "\">\n", block.text, "  </testsuite>\n");
  }

  // Operators, and the cases of each, in the order of the causes of failures; then those that pass,
  // in the suite's order.
  void AddOperators() {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const CaseReport*>> operators;
    const auto add = [&](const CaseReport& c) {
      std::vector<const CaseReport*>& cases = operators[c.op];
      if (cases.empty()) order.push_back(c.op);
      cases.push_back(&c);
    };
    for (const CaseReport* c : FailuresByCause(report_)) add(*c);
    for (const CaseReport& c : report_.cases) {
      const Standing standing = StandingOf(c);
      if (standing == Standing::kRight || standing == Standing::kNotChecked) add(c);
    }
    for (const std::string& op : order) {
      Block block;
      for (const CaseReport* c : operators[op]) block.text += Case(*c, block.counts);
      AddSuite(op, block);
    }
  }

  const char* NothingSeen() const {
    const Standings standings = CountStandings(report_);
    return Count(standings, Standing::kNotChecked) > 0
               ? "too little could be judged of every case that the implementation answered"
           : Count(standings, Standing::kNotShown) > 0
               ? "the implementation showed no value of any case"
               : "the implementation supports no case of the suite";
  }

  std::string Failure(const std::string& classname, const std::string& name,
                      const std::string& type, const std::string& message,
                      const std::string& more) const {
    return StrCat("    <testcase classname=\"", Xml(report_.suite.edition), ".", Xml(classname),
                  "\" name=\"", Xml(name), "\" time=\"0.000\">\n      <failure type=\"", Xml(type),
                  "\" message=\"", Xml(message), "\">", Xml(message), more,
                  "</failure>\n    </testcase>\n");
  }

  // Names that stay the same from run to run: the kind, and a number from the second on.
  Block Findings() const {
    Block block;
    std::map<std::string, int> seen;
    for (const Finding& finding : report_.findings) {
      const int n = ++seen[finding.kind];
      std::string cases;
      for (const std::string& id : finding.cases) cases += "\n" + Xml(ExplainCommand(report_, id));
      block.text +=
          Failure("findings", n == 1 ? finding.kind : StrCat(finding.kind, " ", n), finding.kind,
                  Shortened(Printable(finding.message), kMaxJunitMessage), cases);
      ++block.counts.tests;
      ++block.counts.failures;
    }
    return block;
  }

  bool Skips(const CaseReport& c) const {
    const Standing standing = StandingOf(c);
    if (standing == Standing::kDisputed) return true;
    return unsupported_ == JUnitUnsupported::kSkipped &&
           (standing == Standing::kNotSupported || standing == Standing::kNotShown ||
            standing == Standing::kNotChecked);
  }

  std::string Case(const CaseReport& c, JUnitCounts& counts) {
    ++counts.tests;
    counts.seconds += c.seconds;
    std::string text =
        StrCat("    <testcase classname=\"", Xml(report_.suite.edition), ".", Xml(c.op),
               "\" name=\"", Xml(c.id), "\" time=\"", Seconds(c.seconds), "\"");
    const Standing standing = StandingOf(c);
    if (standing == Standing::kRight) {
      if (c.limits.limited == c.limits.elements) return text + "/>\n";
      return StrCat(text, ">\n      <system-out>", Xml(LimitsText(c.limits)),
                    "</system-out>\n    </testcase>\n");
    }
    const std::string message = Xml(Shortened(c.message, kMaxJunitMessage));
    if (Skips(c)) {
      ++counts.skipped;
      return StrCat(text, ">\n      <skipped message=\"",
                    standing == Standing::kNotSupported ? "not supported: " : "", message,
                    "\"/>\n    </testcase>\n");
    }
    const bool error = IsJUnitError(c.verdict);
    ++(error ? counts.errors : counts.failures);
    const char* const element = error ? "error" : "failure";
    text += StrCat(">\n      <", element, " type=\"",
                   standing == Standing::kNotChecked ? Name(standing) : Name(c.verdict),
                   "\" message=\"", message, "\">", message);
    if (const OutputReport* output = DecidingOutput(c)) {
      text += StrCat("\nrule ", Name(output->rule.kind), ": ", Xml(output->rule.clause));
    }
    text += StrCat("\nexplain: ", Xml(ExplainCommand(report_, c.id)),
                   "\nrerun:   ", Xml(RerunCommand(report_.suite_path, report_.run, c.id)), "</",
                   element, ">\n");
    if (!c.log.empty() && logs_ < kMaxLogs) {
      const std::string log = LastPart(c.log, kMaxJunitLog);
      logs_ += log.size();
      text += StrCat("      <system-err>", Xml(log), "</system-err>\n");
    }
    return text + "    </testcase>\n";
  }

  const Report& report_;
  const JUnitUnsupported unsupported_;
  JUnitCounts all_;
  std::string suites_;
  size_t logs_ = 0;  // bytes
};

}  // namespace

std::string FormatJUnit(const Report& report, JUnitUnsupported unsupported) {
  return Writer(report, unsupported).Write();
}

}  // namespace cts
