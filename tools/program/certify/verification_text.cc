#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "checker/judge/build_state.h"
#include "checker/judge/run_record.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "tools/program/certify/verify.h"

namespace cts {
namespace {

// The builds: which one made the evidence, and which one looks at it.
std::string BuildLines(const Verification& verification) {
  const RunInfo& run = verification.report.run;
  std::string text = StrCat("by        tensor-cts ", run.tensor_cts, ", commit ", run.commit);
  if (!verification.by_this) {
    return StrCat(text, ": the release ", verification.release, "\njudged    again by tensor-cts ",
                  ThisBuild().version, ", commit ", ThisBuild().commit, ", with its own rules\n");
  }
  return StrCat(text,
                verification.release.empty()
                    ? ": no release that is known here; this build alone can verify it"
                    : StrCat(": the release ", verification.release),
                "\n");
}

// "2026-11-30T09:00:00Z to 2026-11-30T10:00:00Z".
std::string SpanText(const RunPart& part) {
  if (!part.ended.empty()) return StrCat(part.began, " to ", part.ended);
  if (part.last_result.empty()) return StrCat(part.began, ", killed at an unknown time");
  return StrCat(part.began, ", killed after the result of ", part.last_result);
}

}  // namespace

std::vector<std::string> CourseOf(const RunInfo& run) {
  std::vector<std::string> facts;
  if (!run.taken.empty()) {
    facts.push_back(StrCat("before certify took the results at ", run.taken,
                           ": that they are of one run, and when, is the signer's word"));
  }
  if (run.shards > 0) {
    facts.push_back(StrCat("in ", run.shards, " shards from ", run.started, " to ",
                           run.shards_ended.empty() ? "an unknown time" : run.shards_ended));
    if (run.shards_resumed > 0) {
      facts.push_back(StrCat("shards went on ", run.shards_resumed, " times"));
    }
  }
  if (run.parts.size() > 1) {
    facts.push_back(
        StrCat("went on ", run.parts.size() - 1, run.parts.size() == 2 ? " time" : " times",
               run.taken.empty()
                   ? "; what was in hand then ran again, and nothing else by the signer's word"
                   : "; which cases ran again is the signer's word"));
    for (const RunPart& part : run.parts) facts.push_back(SpanText(part));
  }
  return facts;
}

namespace {

std::string SuiteLines(const Verification& verification) {
  const Report& report = verification.report;
  std::string text = StrCat(
      "suite     ", report.cases.size(),
      verification.by_this || !verification.answers ? " mandatory cases" : " cases", ", digest ",
      report.suite.digest, verification.lock.name.empty() ? "" : " as in " + verification.lock.name,
      verification.regenerated ? ", made again: the same" : "");
  if (!verification.by_this && !verification.answers) {
    text += StrCat(" as the release ", verification.release, " froze it");
  }
  text += "\n";
  if (!verification.answers) return text;
  text += StrCat("blind     run without answers as the suite ", verification.answers->blind,
                 ", made from the seed ", verification.answers->recipe.seed, "\n");
  if (const auto& challenge = verification.challenge) {
    text += StrCat("challenge ", challenge->number, ", opened ", challenge->opened, " by the key ",
                   challenge->issuer_key, challenge->issuer_known ? "" : ", which no --key names",
                   "\n          its holder claims to be \"", Printable(challenge->issuer),
                   "\"\nreceived  ", challenge->received, ", open until ", challenge->until,
                   ", signed by the key ", challenge->vendor_key, "\n");
    if (challenge->issuer_key == challenge->vendor_key) {
      text += "          issuer and vendor are one key\n";
    }
  }
  if (verification.by_this) return text;
  return StrCat(text, "          it was not made again, which only the release ",
                verification.release, " can: what it asks and expects is\n          the signer's ",
                "word\n");
}

// What rulings have changed since.
std::string RulingLines(const ByRulings& by) {
  constexpr size_t kShown = 10;
  std::string text;
  for (const std::string& ruling : by.rulings) {
    text += StrCat("ruling    ", Printable(ruling), "\n");
  }
  for (size_t i = 0; i < std::min(by.changed.size(), kShown); ++i) {
    const Ruled& one = by.changed[i];
    text += StrCat("differs   ", one.id, ": ", one.then, " by the release, ", one.now,
                   " by this version: ", one.erratum, "\n");
  }
  if (by.changed.size() > kShown) {
    text += StrCat("differs   ", by.changed.size() - kShown, " more\n");
  }
  return text;
}

}  // namespace

std::string VerdictLine(const Verification& verification, const std::string& place) {
  const std::string_view result = ResultOf(verification.report);
  const ByRulings& by = verification.by_rulings;
  const bool now = verification.by_this || Conformant(by.now);
  const std::string signed_by = StrCat(" as the release ", verification.release, " judged");
  if (result == "FAILED") {
    return StrCat("HOLDS: ", place, ": NOT CONFORMANT",
                  verification.by_this || !now
                      ? ""
                      : signed_by + "; by the rulings since, nothing is wrong: certify again",
                  "\n");
  }
  if (!now) {
    return StrCat("HOLDS: ", place, ": passed", signed_by,
                  "; NOT CONFORMANT by the rulings since\n");
  }
  if (result == "WARNED") {
    return StrCat("HOLDS: ", place,
                  ": the positive control passed; this is not evidence of conformance\n");
  }
  if (verification.by_this) {
    return StrCat("HOLDS: ", place, ": CONFORMANT on the mandatory suite\n");
  }
  if (verification.answers) {
    return StrCat("HOLDS: ", place, ": passed a blind suite that was not made again: that it is ",
                  "the mandatory one of the release ", verification.release,
                  " is only the signer's word\n");
  }
  const size_t left_out = verification.report.cases.size() - by.now.cases.size();
  return StrCat(
      "HOLDS: ", place, ": CONFORMANT on the mandatory suite of the release ", verification.release,
      left_out == 0
          ? ""
          : StrCat(", but for ", left_out, " of its cases that rulings have ", "made void"),
      "\n");
}

std::string FormatVerification(const VerifyOptions& options, const Verification& verification) {
  constexpr size_t kShown = 20;
  const std::string place = options.evidence.string();
  std::string text;
  if (!verification.Holds()) {
    const std::vector<std::string>& faults = verification.faults;
    for (size_t i = 0; i < std::min(faults.size(), kShown); ++i) text += faults[i] + "\n";
    if (faults.size() > kShown) text += StrCat("... and ", faults.size() - kShown, " more\n");
    return StrCat(text, "DOES NOT HOLD: ", place, ": ", faults.size(),
                  faults.size() == 1 ? " fault\n" : " faults\n");
  }
  const Claim& claim = verification.claim;
  const Report& report = verification.report;
  std::string names;
  for (const auto* list : {&claim.profiles, &claim.extensions}) {
    for (const std::string& name : *list) names += " " + name;
  }
  text += StrCat("claim     ", claim.vendor, " ", claim.name, " ", claim.version, " on ",
                 claim.hardware, ": ", claim.edition, names, ", level ", claim.level, "\n");
  const RunInfo& run = report.run;
  text +=
      StrCat("ran       ", run.name, " ",
             run.name == run.command && run.version == kUnknownVersion ? "(it did not say its name)"
                                                                       : run.version,
             ", ", run.started, ", ", run.host, "\n");
  if (!run.code.empty() || run.announced_code) text += StrCat("code      ", CodeText(run), "\n");
  for (const std::string& fact : CourseOf(run)) text += StrCat("run       ", fact, "\n");
  if (run.under_load) {
    text += "load      a sample ran three times more, twice as many at a time\n";
  }
  text += BuildLines(verification);
  for (const std::string& signer : verification.signers) {
    text += StrCat("signed    by the key ", signer, "\n");
  }
  if (const auto& stamp = verification.timestamp) {
    text += StrCat("stamped   ", stamp->time, " by ", stamp->authority, "\n");
  }
  if (const auto& registered = verification.registered) {
    text += StrCat("number    ", registered->number, " of ", Printable(registered->issuer),
                   ", issued ", registered->issued, ", valid until ", registered->valid_until,
                   ", by its list ", registered->sequence, "\n");
  }
  text += StrCat("files     ", verification.files, ", as listed",
                 verification.by_this
                     ? ""
                     : "; report.txt and report.html are the release's words, not made again",
                 "\n");
  text += SuiteLines(verification);
  const Standings standings = CountStandings(report);
  text += StrCat("results   ", Count(standings, Standing::kRight), " of ", report.cases.size(),
                 " passed, each checked again\n");
  text += StrCat("elements  ", ElementsText(report), "\n");
  if (const int disputed = Count(standings, Standing::kDisputed); disputed > 0) {
    text += StrCat("disputed  ", disputed,
                   " did not pass where the text disagrees with itself: these decide nothing\n");
  }
  for (const Finding& finding : report.findings) {
    text += StrCat(finding.waived ? "waived    " : "finding   ", finding.kind, ": ",
                   Printable(finding.message), "\n");
  }
  for (const std::string& line : ChoiceLines(report)) text += StrCat("choice    ", line, "\n");
  return StrCat(text, RulingLines(verification.by_rulings), VerdictLine(verification, place));
}

}  // namespace cts
