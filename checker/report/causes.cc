#include "checker/report/causes.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "checker/report/report.h"
#include "checker/report/summary.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

constexpr size_t kMaxGist = 300;

// A word that names a place or a number: "/tmp/x", "0x3f", "-1.5e-3,", "[1,2]", "line12".
bool Differs(std::string_view word) {
  return word.find('/') != std::string_view::npos ||
         std::any_of(word.begin(), word.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// Returns the text by which failures are alike. A value is refused by a clause, whatever the value
// is.
std::string GistOf(const CaseReport& c) {
  if (c.verdict == Verdict::kMissing && !c.answered) return "";
  const OutputReport* const output = DecidingOutput(c);
  if (c.verdict == Verdict::kFail && output != nullptr) {
    // The clause of a dot product ends with the figures of this one.
    const std::string& clause = output->rule.clause;
    return StrCat("rule ", Name(output->rule.kind), ": ",
                  Printable(clause.substr(0, clause.find(": KS = "))));
  }
  if (c.verdict == Verdict::kWrongOutcome && !c.condition.empty()) return Printable(c.condition);
  return Gist(c.message, c.id);
}

}  // namespace

std::string Gist(std::string_view message, std::string_view case_id) {
  std::string text = Printable(message.substr(0, kMaxGist));
  if (!case_id.empty()) {
    for (size_t at = text.find(case_id); at != std::string::npos; at = text.find(case_id, at)) {
      text.replace(at, case_id.size(), "#");
    }
  }
  std::string gist;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    if (!gist.empty()) gist += ' ';
    if (!Differs(word)) {
      gist += word;
    } else {
      gist += '#';
      const std::string_view last = word.substr(word.size() - 1);
      if (last == "," || last == ";" || last == ":" || last == ")") gist += last;
    }
    at = end + 1;
  }
  return gist;
}

std::vector<Cause> CausesOf(const Report& report) {
  std::vector<Cause> causes;
  std::vector<Standing> standings;
  std::map<std::tuple<Standing, std::string, Verdict, std::string>, size_t> known;
  for (const CaseReport* c : Failures(report)) {
    const Standing standing = StandingOf(*c);
    if (standing != Standing::kWrong && standing != Standing::kNotRun) continue;
    std::string gist = GistOf(*c);
    const auto [found, is_new] =
        known.try_emplace({standing, c->op, c->verdict, gist}, causes.size());
    if (is_new) {
      causes.push_back({.op = c->op, .verdict = c->verdict, .gist = std::move(gist)});
      standings.push_back(standing);
    }
    Cause& cause = causes[found->second];
    cause.cases.push_back(c);
    ++cause.types[TypeOf(*c)];
  }
  // Those that did not run stand behind all others already.
  const auto ran = std::find(standings.begin(), standings.end(), Standing::kNotRun);
  const auto middle = causes.begin() + (ran - standings.begin());
  const auto before = [](const Cause& a, const Cause& b) {
    if (a.OnIllegalGraphs() != b.OnIllegalGraphs()) return b.OnIllegalGraphs();
    return a.cases.size() > b.cases.size();
  };
  std::stable_sort(causes.begin(), middle, before);
  std::stable_sort(middle, causes.end(), before);
  return causes;
}

}  // namespace cts
