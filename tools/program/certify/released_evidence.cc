#include "tools/program/certify/released_evidence.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

constexpr std::string_view kManifest = "suite/suite.json";

// The erratum of the greatest effect, in the order of the enumeration; null if none is concerned.
const Erratum* Strongest(const std::vector<Erratum>& errata, const Release& release,
                         const std::string& edition, const std::string& id) {
  const Erratum* strongest = nullptr;
  for (const Erratum& erratum : errata) {
    if (!erratum.Concerns(release, edition, id)) continue;
    if (strongest == nullptr || erratum.effect > strongest->effect) strongest = &erratum;
  }
  return strongest;
}

std::vector<Finding> OfKind(const Report& report, const std::string& kind) {
  std::vector<Finding> findings;
  for (const Finding& finding : report.findings) {
    if (finding.kind == kind) findings.push_back(finding);
  }
  return findings;
}

void Replace(const std::string& kind, const std::vector<Finding>& findings, Report* report) {
  std::erase_if(report->findings, [&](const Finding& finding) { return finding.kind == kind; });
  report->findings.insert(report->findings.end(), findings.begin(), findings.end());
}

// Applies the errata to one report after the other part: cases, then findings.
class Rulings {
 public:
  Rulings(const Report& judged, const Report& theirs, const Release& release,
          const std::vector<Erratum>& errata)
      : judged_(judged), theirs_(theirs), release_(release), errata_(errata) {
    by_.as_signed = by_.now = judged;
  }

  ByRulings Run() {
    Cases();
    Findings();
    for (const Erratum& erratum : errata_) {
      const auto count = concerned_.find(&erratum);
      if (count == concerned_.end()) continue;
      by_.rulings.push_back(StrCat(erratum.Words(), "; it concerns ", count->second,
                                   " of what was judged: ", EffectWords(erratum.effect)));
    }
    return std::move(by_);
  }

 private:
  static std::string_view EffectWords(Erratum::Effect effect) {
    switch (effect) {
      case Erratum::Effect::kStands:
        return "the verdict of the release stands";
      case Erratum::Effect::kVoid:
        return "it counts neither for nor against";
      case Erratum::Effect::kFalls:
        return "the verdict of this version counts";
    }
    return "";
  }

  const Erratum* Ruling(const std::string& id) {
    const Erratum* const erratum = Strongest(errata_, release_, judged_.suite.edition, id);
    if (erratum != nullptr) ++concerned_[erratum];
    return erratum;
  }

  void Cases() {
    std::map<std::string_view, Verdict> then;
    for (const CaseReport& c : theirs_.cases) then.emplace(c.id, c.verdict);
    by_.now.cases.clear();
    for (size_t i = 0; i < judged_.cases.size(); ++i) {
      const CaseReport& c = judged_.cases[i];
      const Erratum* const erratum = Ruling(c.id);
      const auto before = then.find(c.id);
      if (erratum != nullptr && before != then.end() && before->second != c.verdict) {
        by_.as_signed.cases[i].verdict = before->second;
        by_.changed.push_back(
            {c.id, std::string(Name(before->second)), std::string(Name(c.verdict)), erratum->id});
      }
      if (erratum != nullptr && erratum->effect == Erratum::Effect::kVoid) continue;
      const bool falls = erratum == nullptr || erratum->effect == Erratum::Effect::kFalls;
      by_.now.cases.push_back(falls ? c : by_.as_signed.cases[i]);
    }
  }

  void Findings() {
    std::set<std::string> kinds;
    for (const Report* report : {&judged_, &theirs_}) {
      for (const Finding& finding : report->findings) kinds.insert(finding.kind);
    }
    for (const std::string& kind : kinds) {
      const std::string id = "finding/" + kind;
      const Erratum* const erratum = Ruling(id);
      if (erratum == nullptr) continue;
      const std::vector<Finding> then = OfKind(theirs_, kind), now = OfKind(judged_, kind);
      if (then.size() != now.size()) {
        Replace(kind, then, &by_.as_signed);
        by_.changed.push_back({id, then.empty() ? "nothing" : "found",
                               now.empty() ? "nothing" : "found", erratum->id});
      }
      if (erratum->effect == Erratum::Effect::kVoid) Replace(kind, {}, &by_.now);
      if (erratum->effect == Erratum::Effect::kStands) Replace(kind, then, &by_.now);
    }
  }

  const Report& judged_;
  const Report& theirs_;
  const Release& release_;
  const std::vector<Erratum>& errata_;
  std::map<const Erratum*, size_t> concerned_;
  ByRulings by_;
};

// The members of annotations that every release has where they apply. One that came later is not
// missed in a statement of an earlier release.
constexpr std::string_view kOfEveryRelease[] = {"announced_code",
                                                "blind",
                                                "cases",
                                                "choices",
                                                "code",
                                                "command",
                                                "commit",
                                                "conformant",
                                                "digest",
                                                "edition",
                                                "findings",
                                                "format",
                                                "generator",
                                                "host",
                                                "implementation",
                                                "level",
                                                "positive_control",
                                                "recipe",
                                                "seconds",
                                                "seed",
                                                "started",
                                                "suite",
                                                "totals",
                                                "under_load",
                                                "version",
                                                "waived"};

// Takes from `expected` the members of an object that `found` lacks and that came later.
void ForgetLaterMembers(const Json& found, Json* expected) {
  if (!found.is_object() || !expected->is_object()) return;
  std::vector<std::string> later;
  for (const auto& [name, value] : expected->items()) {
    const bool first = std::find(std::begin(kOfEveryRelease), std::end(kOfEveryRelease), name) !=
                       std::end(kOfEveryRelease);
    if (!found.contains(name) && !first) later.push_back(name);
  }
  for (const std::string& name : later) expected->erase(name);
  // A verdict that came later, and that nothing here got.
  if (!found.contains("totals") || !expected->contains("totals")) return;
  const Json totals = (*expected)["totals"];
  for (const auto& [verdict, count] : totals.items()) {
    if (count == 0 && !found["totals"].contains(verdict)) (*expected)["totals"].erase(verdict);
  }
}

void SortTexts(const Json::json_pointer& place, Json* json) {
  if (json->contains(place) && (*json)[place].is_array()) {
    std::sort((*json)[place].begin(), (*json)[place].end());
  }
}

// The differences between the manifest of evidence and what a release froze.
class ManifestFaults {
 public:
  // `expected_of` says whose values are expected.
  ManifestFaults(const Suite& suite, std::string expected_of)
      : suite_(suite), expected_of_(std::move(expected_of)) {}

  std::vector<std::string> Take() { return std::move(faults_); }

  void Compare(std::string_view what, const std::string& found, const std::string& expected) {
    if (found == expected) return;
    Add(StrCat(what, ": found ", Shortened(Printable(found), 100), ", expected ", expected, " of ",
               expected_of_));
  }

  Status CompareHead(const Json& expected, const std::string& level) {
    CTS_ASSIGN_OR_RETURN(const Json recipe,
                         ParseJson(suite_.recipe.empty() ? "{}" : suite_.recipe, "recipe"));
    for (const std::string& difference : Differences(recipe, expected)) {
      Add(StrCat("/recipe", difference, " of ", expected_of_));
    }
    Compare("/name", suite_.name, expected.value("name", ""));
    Compare("/edition", suite_.edition, expected.value("edition", ""));
    Compare("/level", suite_.level, level);
    return absl::OkStatus();
  }

  // The certifier chooses the seed of a blind suite, and nothing else.
  Status CompareBlindHead(Json expected, const std::string& level, const SealedAnswers& answers) {
    const uint64_t known = expected.value("seed", uint64_t{0});
    if (answers.recipe.seed == known || suite_.seed != answers.recipe.seed) {
      return InvalidArgument(kAnswersFile, ": /recipe/seed: found ", answers.recipe.seed,
                             ", expected the seed of suite.json, ", suite_.seed,
                             ", and not the one that everybody has, ", known);
    }
    expected["seed"] = answers.recipe.seed;
    return CompareHead(expected, level);
  }

  // Adds the group's cases to `known`.
  void CompareGroup(const CaseGroup& group, std::set<std::string>* known) {
    std::vector<const SuiteEntry*> entries;
    for (const std::string& id : group.cases) {
      known->insert(id);
      const SuiteEntry* const entry = suite_.Find(id);
      if (entry == nullptr) {
        AddCase(StrCat("case ", id, ", which is mandatory by ", expected_of_, ", is missing"));
      } else {
        entries.push_back(entry);
      }
    }
    if (entries.size() < group.cases.size()) return;
    if (DigestOfEntries(entries) == group.digest) return;
    Add(StrCat("found other contents than those of ", expected_of_, " in at least one of the ",
               group.cases.size(), " cases from ", group.cases.front(), " to ",
               group.cases.back()));
  }

  void RefuseOthers(const std::set<std::string>& known) {
    for (const SuiteEntry& entry : suite_.cases) {
      if (known.count(entry.id) > 0) continue;
      AddCase(StrCat("case ", Printable(entry.id), " is not mandatory by ", expected_of_));
    }
    if (cases_ > kShown) Add(StrCat(cases_ - kShown, " more like that"));
  }

 private:
  static constexpr size_t kShown = 10;

  void Add(const std::string& fault) { faults_.push_back(StrCat(kManifest, ": ", fault)); }
  void AddCase(const std::string& fault) {
    if (++cases_ <= kShown) Add(fault);
  }

  const Suite& suite_;
  const std::string expected_of_;
  std::vector<std::string> faults_;
  size_t cases_ = 0;  // that are missing, or are not mandatory
};

}  // namespace

StatusOr<std::vector<std::string>> CompareWithReleased(
    const Suite& suite, const FileDigests& digests, const ReleasedSuite& released,
    const std::optional<SealedAnswers>& answers) {
  ManifestFaults faults(suite, released.Name());
  if (answers) {
    CTS_RETURN_IF_ERROR(faults.CompareBlindHead(released.recipe, released.level, *answers));
    return faults.Take();
  }
  faults.Compare("/digest", suite.digest, released.digest);
  const auto manifest = digests.find(std::string(kManifest));
  faults.Compare("its digest", manifest == digests.end() ? "none" : manifest->second,
                 released.manifest);
  return faults.Take();
}

StatusOr<std::vector<std::string>> CompareWithGroups(const Suite& suite, const Claim& claim,
                                                     const Release& release,
                                                     const ReleasedCases& cases,
                                                     const std::optional<SealedAnswers>& answers) {
  const Json recipe = cases.RecipeOf(claim);
  ManifestFaults faults(suite, StrCat("the release ", release.name, " for this claim"));
  if (answers) {
    CTS_RETURN_IF_ERROR(faults.CompareBlindHead(recipe, cases.level, *answers));
    return faults.Take();
  }
  CTS_RETURN_IF_ERROR(faults.CompareHead(recipe, cases.level));
  faults.Compare("/seed", StrCat(suite.seed), StrCat(recipe.value("seed", uint64_t{0})));
  std::set<std::string> known;
  for (const CaseGroup& group : cases.groups) {
    if (group.IsOf(claim)) faults.CompareGroup(group, &known);
  }
  faults.RefuseOthers(known);
  if (known.empty()) faults.Compare("/cases", "none", "some");
  return faults.Take();
}

StatusOr<ByRulings> ApplyErrata(const Report& judged, const Json& report_json,
                                const Release& release, const std::vector<Erratum>& errata) {
  CTS_RETURN_IF_ERROR(ValidateJson(report_json, "report", "report.json"));
  CTS_ASSIGN_OR_RETURN(const Report theirs, ReportFromJson(report_json, "report.json"));
  return Rulings(judged, theirs, release, errata).Run();
}

std::vector<std::string> CompareStatements(Json found, Json expected, const ByRulings& by) {
  for (const char* list : {"/subject", "/predicate/configuration"}) {
    const Json::json_pointer place(list);
    for (size_t i = 0; i < std::min(found[place].size(), expected[place].size()); ++i) {
      Json& theirs = found[place][i]["annotations"];
      Json& ours = expected[place][i]["annotations"];
      if (found[place][i]["name"] == kClaimFile) continue;  // all of the claim counts
      ForgetLaterMembers(theirs, &ours);
      // Narrower enclosures limit more elements; the statement's figures on them are not compared.
      theirs.erase("elements");
      ours.erase("elements");
      if (!by.changed.empty()) {
        theirs.erase("choices");
        ours.erase("choices");
        SortTexts(Json::json_pointer("/waived"), &theirs);
        SortTexts(Json::json_pointer("/waived"), &ours);
      }
    }
  }
  if (!by.changed.empty()) {
    for (Json* json : {&found, &expected}) {
      SortTexts(Json::json_pointer("/predicate/failedTests"), json);
    }
  }
  return Differences(found, expected);
}

}  // namespace cts
